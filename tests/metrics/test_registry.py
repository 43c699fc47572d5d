"""A metric is declared by its class, and a program adds its own without editing the package."""

import numpy as np
import pytest

import qassay
from qassay.errors import SpecError
from qassay.metrics.registry import CATALOGUE, create

ROWS = [{"id": "1", "references": ["a b"], "candidate": "a b c"}, {"id": "2", "references": ["a"], "candidate": None}]


class Length(qassay.MeanMetric):
    """Words of the answer, at most ten, as a share of ten."""

    name = "length"
    params = (qassay.Param("most", 10, "words that count", low=1, high=100),)

    def values(self, batch):
        """Count the words."""
        most = self.number("most")
        return np.array(
            [np.nan if e.candidate is None else min(len(e.candidate.split()), most) / most for e in batch.examples]
        )


class Other(Length):
    """Another class of the same name."""


@pytest.fixture
def length():
    qassay.register_metric(Length)
    yield
    CATALOGUE.unregister("length")


@pytest.mark.usefixtures("length")
def test_a_registered_metric_scores_beside_ours():
    """A class with a name and values is all it takes."""
    table = qassay.score(ROWS, metrics=["length", "rouge_l"])
    assert table["length"][0] == pytest.approx(0.3)


@pytest.mark.usefixtures("length")
def test_a_registered_metric_takes_its_declared_parameters():
    """Parameters of a registered metric are parsed and shown as any others."""
    assert list(qassay.score(ROWS, metrics="length,most=4").scores) == ["length,most=4"]


@pytest.mark.usefixtures("length")
def test_a_parameter_out_of_its_declared_range_is_refused():
    """The range of a registered metric's parameter is checked when the spec is read."""
    with pytest.raises(SpecError, match="from 1 to 100"):
        qassay.score(ROWS, metrics="length,most=0")


@pytest.mark.usefixtures("length")
def test_a_missing_candidate_is_unscored():
    """A registered metric leaves a missing answer unscored with the reason, as ours do."""
    assert qassay.score(ROWS, metrics="length").score("length", 1).reason == "no candidate"


def test_the_first_line_of_the_docstring_is_the_summary():
    """A class without a summary of its own is described by its docstring."""
    assert Length.declare().summary == "Words of the answer, at most ten, as a share of ten"


@pytest.mark.usefixtures("length")
def test_the_same_class_may_be_registered_twice():
    """A notebook's cell may run again."""
    qassay.register_metric(Length)

    assert type(create("length")) is Length


@pytest.mark.usefixtures("length")
def test_another_class_of_a_taken_name_is_refused():
    """A name stands for one metric."""
    with pytest.raises(SpecError, match='there is a metric "length" already'):
        qassay.register_metric(Other)


def _class(**attributes):
    return type("Given", (Length,), {"__doc__": "Nothing.", **attributes})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (_class(name=""), "Given has no name"),
        (_class(name="My Metric"), "'My Metric' is no name for a metric"),
        (_class(name="column"), '"column" is reserved'),
        (_class(name="bleu"), 'there is a metric "bleu" already'),
        (_class(name="bad", params=("n",)), "give a tuple of qassay.Param"),
        (_class(name="bad", needs="question"), "give a tuple of names"),
        (qassay.MeanMetric, "has no name"),
        (type("Bare", (qassay.MeanMetric,), {"name": "bare"}), "lacks values"),
        (len, "is no metric"),
        (Length.values, "is no metric"),
    ],
)
def test_what_is_no_metric_is_refused(given, problem):
    """What cannot be a metric is refused when it is registered, with what to do about it."""
    with pytest.raises(SpecError, match=problem):
        qassay.register_metric(given)


class Keyword:
    """Whether the reference is in the answer."""

    fingerprint = "first"

    def judge(self, answers):
        """Look for the reference."""
        return [0.9 if each.reference in each.candidate else 0.1 for each in answers]


@pytest.fixture
def judge(request):
    qassay.register_judge("keyword", getattr(request, "param", Keyword))
    yield
    CATALOGUE.unregister("keyword")


JUDGED = [
    {"id": "1", "question": "Where?", "references": ["Oslo", "Norway"], "candidate": "in Oslo"},
    {"id": "2", "question": "Where?", "references": ["Oslo"], "candidate": "Oslo"},
    {"id": "3", "question": "Where?", "references": ["Oslo"], "candidate": ""},
]


@pytest.mark.usefixtures("judge")
def test_a_registered_judge_is_a_metric():
    """The best reference counts; identical texts are right and blank ones wrong without it."""
    assert qassay.score(JUDGED, "keyword")["keyword"].tolist() == [0.9, 1.0, 0.0]


@pytest.mark.usefixtures("judge")
def test_a_registered_judge_takes_the_mean_over_references():
    """As the judges of the package do."""
    assert qassay.score(JUDGED[:1], "keyword,refs=mean")["keyword,refs=mean"].tolist() == [pytest.approx(0.5)]


@pytest.mark.usefixtures("judge")
def test_the_fingerprint_of_a_judge_is_in_the_signature():
    """Scores of two versions of a judge are not compared."""
    assert "|model:first|" in qassay.score(JUDGED, "keyword").aggregates[0].signature


@pytest.mark.usefixtures("judge")
def test_a_registered_judge_is_described_by_its_docstring():
    """The catalogue says what it is."""
    assert CATALOGUE["keyword"].declaration.summary == "Whether the reference is in the answer"


class _Returning:
    given: tuple = ()

    def judge(self, answers):  # noqa: ARG002 - the same for all
        """Return what was given."""
        return list(self.given)


@pytest.mark.parametrize(
    ("judge", "problem"),
    [
        (type("Few", (_Returning,), {}), "returned 0 probabilities for 2 answers"),
        (type("High", (_Returning,), {"given": (1.5, 0)}), "returned 1.5; it must return probabilities from 0 to 1"),
        (type("Text", (_Returning,), {"given": ("yes", 0)}), "returned 'yes'"),
        (type("Without", (), {}), "has no method judge"),
    ],
    indirect=["judge"],
)
@pytest.mark.usefixtures("judge")
def test_what_a_judge_may_not_return_is_refused(problem):
    """A judge that breaks its promise is named."""
    with pytest.raises(qassay.ModelError, match=problem):
        qassay.score(JUDGED[:1], "keyword")


@pytest.mark.parametrize("judge", [type("Unsure", (_Returning,), {"given": (None, None)})], indirect=True)
@pytest.mark.usefixtures("judge")
def test_a_judge_may_leave_an_answer_unscored():
    """None is no verdict."""
    assert qassay.score(JUDGED[:1], "keyword").aggregates[0].unscored == 1


def test_a_judge_must_be_made():
    """A factory is called when the first answer is judged."""
    with pytest.raises(SpecError, match="give a function or class that makes it"):
        qassay.register_judge("keyword", "third:Keyword")


def test_what_is_registered_can_be_taken_back():
    """A name that was taken back is free again."""
    qassay.register_metric(Length)
    CATALOGUE.unregister("length")
    assert "length" not in CATALOGUE

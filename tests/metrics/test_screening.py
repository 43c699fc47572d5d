"""Of several references those most like the answer are judged first, until one is certain."""

import json
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from answers import answer
from qassay.errors import SpecError
from qassay.features.batch import Batch
from qassay.io.input_stream import Reader
from qassay.metrics.learned.screening import CERTAIN, likeliest_first
from qassay.metrics.registry import create
from qassay.text.normalise import squad
from shared import train

CAPITAL = "What is the capital of France?"
AUTHOR = "Who wrote Frankenstein?"
EXAMPLES = [
    answer("It is Paris.", "Rome", "paris", "Paris", "The Paris", "Lyon", question=CAPITAL, id="right"),
    answer("I believe it is Marseille.", "Paris", "Paris, France", "the City of Light", question=CAPITAL, id="wrong"),
    answer("Paris", "the City of Light", "Paris", "PARIS", question=CAPITAL, id="identical"),
    answer("It was Shelley.", "Mary Shelley", "Mary Wollstonecraft Shelley", "M. Shelley", question=AUTHOR, id="short"),
    answer("21", "twenty-one", "a score and one", question="How many came?", id="rule"),
    answer("It is ===.", "===", "triple equals", "strict equality", question="Which operator?", id="symbols"),
    answer("", "Paris", "Rome", question=CAPITAL, id="blank"),
    answer("one", "two", question="How many?", id="alone"),
]
SPECS = ["ava", "lerc"]


def values(spec, examples=EXAMPLES):
    return create(spec).values(Batch(list(examples)))


def order(candidate, *references):
    """Return the references that may be judged, in their order."""
    batch = Batch([answer(candidate, *references)])
    (rows,) = likeliest_first(batch, batch.pairs, np.arange(len(references)))
    return [references[row] for row in rows]


def judged(monkeypatch, spec, *examples):
    """Return the references that the network reads."""
    batch = Batch(list(examples))
    judge = batch.resources.judge("mini")
    read = []
    whole = type(judge).judge
    monkeypatch.setattr(
        type(judge), "judge", lambda self, pairs: read.extend(each.reference for each in pairs) or whole(self, pairs)
    )
    create(spec).values(batch)
    return read


def test_references_that_are_most_like_the_answer_come_first():
    """What stands in the answer is before what does not, the longer before the shorter."""
    assert order("She was Mary Wollstonecraft Shelley.", "Lord Byron", "Shelley", "Mary Wollstonecraft Shelley") == [
        "Mary Wollstonecraft Shelley",
        "Shelley",
        "Lord Byron",
    ]


@pytest.mark.parametrize("same", ["the Paris", "PARIS", " paris ", "Paris!", "P\uff41ris"])
def test_references_that_are_equal_after_normalisation_are_one(same):
    """The one that is closest to the answer letter by letter stays."""
    assert order("It is Paris.", same, "Paris", "Rome") == ["Paris", "Rome"]


def test_spaces_and_hyphens_make_no_other_reference():
    """Normalisation takes a hyphen away, and the words run together."""
    assert order("In my back yard.", "back-yard", "backyard", "back yard") == ["back yard"]


def test_references_of_articles_alone_are_as_they_are_written():
    """Normalisation would leave nothing of them."""
    assert sorted(order("It is A.", "A", "The", "An")) == ["A", "An", "The"]


def test_one_certain_reference_is_enough(monkeypatch):
    """No other is read."""
    assert judged(monkeypatch, "ava", EXAMPLES[0]) == ["Paris"]


def test_an_identical_answer_is_not_read(monkeypatch):
    """It is right whatever a model says of the other references."""
    assert judged(monkeypatch, "ava", EXAMPLES[2]) == []


def test_all_are_read_where_none_is_certain(monkeypatch):
    """The best of them counts."""
    read = judged(monkeypatch, "ava", EXAMPLES[1])

    assert sorted(read) == sorted(each.text for each in EXAMPLES[1].references)


@pytest.mark.parametrize("spec", ["ava,screen=off", "ava,refs=mean"])
def test_all_are_read_without_screening(monkeypatch, spec):
    """Also those that are equal after normalisation."""
    assert len(judged(monkeypatch, spec, EXAMPLES[0])) == len(EXAMPLES[0].references)


@pytest.mark.parametrize("spec", SPECS)
def test_screening_lowers_no_score_below_certain(spec):
    """Scores are those of all references, or at least .9; a reference alone is judged as it is."""
    screened, whole = values(spec), values(f"{spec},screen=off")

    assert ((screened >= 0.5) == (whole >= 0.5)).all()
    assert (np.isclose(screened, whole, atol=0.002) | (screened >= CERTAIN)).all()
    assert screened[-1] == whole[-1]


@pytest.mark.parametrize("spec", SPECS)
def test_the_order_of_references_does_not_matter(spec):
    """Backwards they give the same scores, to the last bit."""
    backwards = [replace(each, references=each.references[::-1]) for each in EXAMPLES]

    np.testing.assert_array_equal(values(spec, backwards), values(spec))


@pytest.mark.parametrize("spec", SPECS)
def test_scores_do_not_depend_on_the_batch(spec):
    """Alone, and in another order, every answer has the score that it has among the others."""
    alone = [values(spec, [each])[0] for each in EXAMPLES]

    np.testing.assert_array_equal(values(spec), alone)
    np.testing.assert_array_equal(values(spec, EXAMPLES[::-1])[::-1], alone)


@pytest.mark.parametrize("spec", SPECS)
def test_repeated_references_change_nothing(spec):
    """However often a reference is given."""
    repeated = [replace(each, references=(*each.references, *each.references)) for each in EXAMPLES]

    np.testing.assert_array_equal(values(spec, repeated), values(spec))


def test_explain_shows_the_reference_behind_the_verdict():
    """Its parts add up to the score, also where other references were not judged."""
    metric, batch = create("ava"), Batch(EXAMPLES)
    scores, found = metric.values(batch), metric.explain(batch)

    named = [dict(each.ingredients).get("reference") for each in found]
    assert named[0] == "Paris"
    assert named[2] == "Paris"
    assert named[-1] is None
    logits = np.array([sum(part.part for part in each.parts) for each in found if each.parts])
    explained = [i for i, each in enumerate(found) if each.parts]
    np.testing.assert_allclose(1 / (1 + np.exp(-logits)), scores[explained], atol=1e-12)
    assert {0, 1, 3, 7} <= set(explained)


def test_explain_shows_the_rules_of_the_reference_behind_the_verdict():
    """Not those that another reference would have called for."""
    (found,) = create("ava").explain(Batch([EXAMPLES[4]]))

    assert dict(found.ingredients) == {
        "reference": "twenty-one",
        "judged as": "twenty-one",
        "rule number_form": "21 → twenty-one",
    }


def test_notes_are_of_the_examples_that_they_are_on():
    """Notes on references that were judged apart count once for each of them."""
    long = "and so on " * 200
    batch = Batch([EXAMPLES[2], answer("It is Rome.", f"Paris {long}", f"Lyon {long}", question=CAPITAL)])
    create("ava").values(batch)

    (count,) = [count for note, count in batch.notes.items() if "longer than the judge reads" in note]
    assert count == 2


def test_the_linear_judge_reads_all_references():
    """It has nothing to screen."""
    with pytest.raises(SpecError, match="kind=linear counts words and judges every reference; leave screen= out"):
        create("ava,kind=linear,screen=off")


@pytest.mark.parametrize("spec", SPECS)
def test_verdicts_on_training_answers_are_those_of_all_references(spec):
    """Answers with several references of the data, right and wrong ones."""
    rows = json.loads(train("evouna/NQ.json").read_text(encoding="utf-8"))
    several = [row for row in rows if "/" in (row["golden_answer"] or "")][:150]
    examples = [
        answer(row[f"answer_{system}"], *row["golden_answer"].split("/"), question=row["question"])
        for row in several
        for system in ("fid", "chatgpt")
    ]
    screened, whole = (values(each, examples) for each in (spec, f"{spec},screen=off"))

    assert ((screened >= 0.5) == (whole >= 0.5)).all()
    repeated = np.array([len({squad(ref.text) for ref in each.references}) < len(each.references) for each in examples])
    assert (np.isclose(screened, whole, atol=0.002) | (screened >= CERTAIN) | repeated).all()
    assert np.abs(screened - whole).mean() < 0.002


def test_verdicts_on_the_packaged_answers_are_those_of_all_references():
    """Each with the references of its question in several forms; but for verdicts that one form alone would turn."""
    answers = list(Reader([str(files("qassay") / "assets" / "demo.jsonl")]))[::3]
    examples = [
        replace(each, references=tuple(replace(ref, text=form) for ref in each.references for form in forms(ref.text)))
        for each in answers
    ]
    screened, whole = (values(each, examples) for each in ("ava", "ava,screen=off"))

    assert (((screened >= 0.5) == (whole >= 0.5)) | (np.abs(whole - 0.5) < 0.05)).all()


def forms(text):
    """Write a reference as lists of aliases repeat it."""
    return text, text.lower(), f"{text}."

"""Score tables give scores, reasons, aggregates and rows."""

import numpy as np
import pytest

import qassay
from answers import answer
from qassay.errors import SpecError
from qassay.scoring.scorer import score_examples
from qassay.scoring.table import Aggregate, Score, Signature

EXAMPLES = [
    answer("Paris", "Paris", id="q1", system="A"),
    answer(None, "Paris", id="q2", system="A"),
    answer("London", "Paris", id="q1", system="B"),
]


@pytest.fixture(scope="module")
def table():
    return score_examples(EXAMPLES, ["exact_match", "rouge_l"])


def test_length(table):
    """A table has a row for every answer."""
    assert len(table) == 3


def test_columns(table):
    """Scores are found by canonical spec, NaN where there is none."""
    np.testing.assert_array_equal(table["exact_match"], [1, np.nan, 0])


@pytest.mark.parametrize(("i", "expected"), [(0, Score(1.0)), (1, Score(None, "no candidate")), (2, Score(0.0))])
def test_score(table, i, expected):
    """One answer's score, or why there is none."""
    assert table.score("exact_match", i) == expected


def test_aggregate(table):
    """A system's aggregate is found by metric and system."""
    found = table.aggregate("exact_match", "A")
    assert (found.value, found.n, found.unscored, found.reasons) == (1.0, 1, 1, {"no candidate": 1})


def test_aggregate_of_one_system():
    """The system may be left out when there is only one."""
    assert score_examples(EXAMPLES[:1], ["exact_match"]).aggregate("exact_match").value == 1


def test_ambiguous_aggregate(table):
    """Leaving out the system where there are two is an error that names them."""
    with pytest.raises(KeyError, match="2 aggregates of exact_match; name one of"):
        table.aggregate("exact_match")


def test_rows(table):
    """Rows are what `score -o` writes."""
    rows = [{key: row[key] for key in row if key != "references_hash"} for row in table.rows()]
    assert rows[:2] == [
        {"id": "q1", "system": "A", "scores": {"exact_match": 1.0, "rouge_l": 1.0}},
        {
            "id": "q2",
            "system": "A",
            "scores": {"exact_match": None, "rouge_l": None},
            "unscored": {"exact_match": "no candidate", "rouge_l": "no candidate"},
        },
    ]


def test_dicts(table):
    """Aggregates as plain dictionaries have the fields that `score --json` prints; few answers say how limits came."""
    found = table.to_dicts()
    assert [list(each) for each in found if each["system"] == "B"] == [
        ["system", "metric", "value", "low", "high", "n", "unscored", "signature", "interval"]
    ] * 2


def test_dicts_with_reasons(table):
    """Reasons are given where answers are unscored."""
    assert table.to_dicts()[0]["reasons"] == {"no candidate": 1}


def test_pandas(table):
    """A data frame has one row an answer and one column a metric, with the reasons beside them."""
    frame = table.to_pandas()
    assert list(frame.columns) == [
        "id",
        "system",
        "exact_match",
        "rouge_l",
        "exact_match unscored",
        "rouge_l unscored",
        "references_hash",
    ]
    assert frame["exact_match"].isna().tolist() == [False, True, False]
    assert frame["exact_match unscored"][1] == "no candidate"


def test_pandas_with_what_came_along():
    """A data frame has the columns of the tables that `score -o` writes."""
    frame = score_examples([answer("a", "a", judgement=1.0, extra={"note": [1]})], ["exact_match"]).to_pandas()
    assert frame.to_dict("records") == [
        {
            "id": "1",
            "system": "",
            "judgement": 1.0,
            "exact_match": 1.0,
            "extra.note": [1],
            "references_hash": "2fa5f34c947b",
        }
    ]


def test_tables_are_the_same_only_as_themselves(table):
    """A comparison of arrays has no one answer."""
    assert table == table  # noqa: PLR0124 - what is tested
    assert table != score_examples(EXAMPLES, ["exact_match", "rouge_l"])


def test_a_table_shows_itself_in_a_line(table):
    """However many answers it holds."""
    assert repr(table) == "<ScoreTable of 3 answers; systems: A, B; metrics: exact_match, rouge_l>"


def test_places_count_from_the_end_too(table):
    """With the reason for a missing score."""
    assert table.score("exact_match", -2) == Score(None, "no candidate")


def test_signature_text():
    """A signature prints what the number depends on, the version last."""
    signature = Signature("rouge_l", (("lang", "auto"), ("tok", "word")), "abc", groups=4096)
    assert str(signature) == f"rouge_l|lang:auto|tok:word|data:abc|groups:4096|qassay:{qassay.__version__}"


def test_grouping_does_not_make_signatures_unlike():
    """How the interval was made does not change what was measured."""
    fields = (("tok", "word"),)
    assert Signature("rouge_l", fields, "abc").alike(Signature("rouge_l", fields, "abc", groups=4096))


@pytest.mark.parametrize(
    "other",
    [
        Signature("rouge_1", (("tok", "word"),), "abc"),
        Signature("rouge_l", (("tok", "char"),), "abc"),
        Signature("rouge_l", (("tok", "word"),), "abd"),
    ],
)
def test_unlike_signatures(other):
    """Another metric, setting or data set makes numbers unlike."""
    assert not Signature("rouge_l", (("tok", "word"),), "abc").alike(other)


def test_aggregate_without_reasons():
    """An aggregate of scored answers has no reasons to give."""
    plain = Aggregate("A", "bleu", 0.5, 0.4, 0.6, 10, 0, "bleu|…")
    assert "reasons" not in plain.to_dict()


def test_a_metric_is_found_under_the_name_it_was_given():
    """The order of its parameters makes no difference; one that was not scored is named beside those that were."""
    table = qassay.score([{"references": ["a b"], "candidate": "a"}], metrics="bleu,tok=13a,n=1")

    assert table["bleu,tok=13a,n=1"] == table["bleu,n=1,tok=13a"] == table.score("bleu,tok=13a,n=1", 0).value
    assert table.aggregate("bleu,tok=13a,n=1").metric == "bleu,n=1,tok=13a"
    with pytest.raises(KeyError, match="there are those of bleu,n=1,tok=13a"):
        table["token_f1"]


@pytest.mark.parametrize("options", [{"seed": -1}, {"device": "tpu"}, {"on_error": "ignore"}])
def test_options_that_mean_nothing_are_refused(options):
    """As every mistake is, with an error of this package."""
    with pytest.raises(SpecError, match=next(iter(options))):
        qassay.score([{"references": ["a"], "candidate": "a"}], metrics=["token_f1"], **options)

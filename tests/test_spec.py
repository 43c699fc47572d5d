"""Specs are checked when they are read, and print as they read."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import SpecError
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.spec import MetricSpec, Param, with_options


def value_of(param):
    if param.choices:
        return st.sampled_from(param.choices)
    if param.parts:
        return st.sets(st.sampled_from(param.parts)).map(lambda some: param.read("+".join(some) or "off", "m"))
    if isinstance(param.default, bool):
        return st.booleans()
    if isinstance(param.default, int):
        return st.integers(int(param.low), int(param.high))
    if isinstance(param.default, float):
        return st.floats(param.low, param.high)
    return st.text(st.characters(exclude_characters=",", codec="utf-8"), min_size=1).map(str.strip).filter(bool)


@st.composite
def specs(draw):
    declaration = CATALOGUE[draw(st.sampled_from(sorted(CATALOGUE)))].declaration
    weights = draw(st.sampled_from([None, *declaration.weightings]))
    values = draw(st.fixed_dictionaries({}, optional={param.name: value_of(param) for param in declaration.params}))
    return with_options(MetricSpec(declaration.name, weights), values, declaration)


@given(specs())
def test_round_trip(spec):
    """Reading what a spec prints gives the spec again."""
    assert parse_spec(str(spec)) == spec


@given(specs())
def test_canonical_form_is_stable(spec):
    """Printing what was read prints the same."""
    assert str(parse_spec(str(spec))) == str(spec)


@given(st.text())
def test_any_text(text):
    """Whatever is given, only a `SpecError` can come of it."""
    parse_or_refuse(text)


names = st.sampled_from([*CATALOGUE, "rougel", ""])
keys = st.sampled_from(["n", "tok", "beta", "stem", "df", "smooth", "yesno", "x", ""])
values = st.sampled_from(["4", "-1", "1e999", "1e-999", "nan", "inf", "0x1", "٤", "yes", "13a", "", "=", ":", "1_0"])


@given(
    names,
    st.sampled_from(["", ":idf", ":kpqa", ":", ":x", " : idf"]),
    st.lists(st.tuples(keys, st.sampled_from(["=", "", " = ", "=="]), values).map("".join), max_size=3),
)
def test_nearly_right_text(name, weights, pairs):
    """Bent specs are read or refused, never crash."""
    parse_or_refuse(",".join([name + weights, *pairs]))


def parse_or_refuse(text):
    with suppress(SpecError):
        spec = parse_spec(text)
        assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("bleu", "bleu"),
        (" bleu , n = 1 ", "bleu,n=1"),
        ("bleu,n=4", "bleu"),
        ("bleu,n=4.0", "bleu"),
        ("bleu,tok=13a,n=2", "bleu,n=2,tok=13a"),
        ("rouge_l,yesno=2.0,entity=1", "rouge_l,entity=1,yesno=2"),
        ("rouge_l,beta=1.20", "rouge_l"),
        ("rouge_l,beta=0.1", "rouge_l,beta=0.1"),
        ("rouge_l,stem=TRUE", "rouge_l,stem=yes"),
        ("rouge_l:idf", "rouge_l:idf"),
        ("rouge_l:idf,refs=max", "rouge_l:idf"),
        ("rouge_l:idf,refs=pr", "rouge_l:idf,refs=pr"),
        ("rouge_l,refs=max", "rouge_l,refs=max"),
        ("cider,df=counts.json", "cider,df=counts.json"),
    ],
)
def test_canonical(text, canonical):
    """Keys are sorted, defaults left out, numbers written shortest."""
    assert str(parse_spec(text)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rougel", 'there is no metric "rougel"; did you mean "rouge_l"'),
        ("", 'there is no metric ""'),
        ("bleu,m=4", 'bleu has no parameter "m"'),
        ("bleu,smoth=exp", 'did you mean "smooth"'),
        ("bleu,n", '"n" needs a value, as in n=4'),
        ("bleu,n=1,n=2", '"n" is given twice'),
        ("bleu,n=1,n=1", '"n" is given twice'),
        ("bleu,n=0", "n=0 is out of range; it goes from 1 to 9"),
        ("bleu,n=1.5", '"n=1.5" is not a whole number'),
        ("bleu,n=1e999", '"n=1e999" is not a whole number'),
        ("rouge_l,beta=fast", '"beta=fast" is not a number'),
        ("rouge_l,beta=-1", "out of range"),
        ("rouge_l,stem=maybe", "neither yes nor no"),
        ("bleu,smooth=expo", 'did you mean "exp"'),
        ("cider,df=", '"df=" has no value'),
        ("exact_match:idf", "exact_match takes no weights"),
        ("rouge_l:idff", 'did you mean "idf"'),
        ("rouge_l:", 'rouge_l has no weighting ""'),
        ("rouge_l,", 'rouge_l has no parameter ""'),
    ],
)
def test_refusals(text, message):
    """A mistake is named, with the nearest that would do."""
    with pytest.raises(SpecError) as refused:
        parse_spec(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("param", "words"),
    [
        (Param("n", 4, "", low=1, high=9), "from 1 to 9"),
        (Param("n", 4, "", low=1), "from 1 upwards"),
        (Param("x", 1.0, ""), "any number"),
        (Param("df", "run", ""), "any text"),
        (Param("stem", default=False, meaning=""), "yes or no"),
        (Param("stat", "f", "", choices=("f", "p")), "f, p"),
        (Param("rules", "all", "", parts=("a", "b")), "all, off, or some of a, b, joined by +"),
    ],
)
def test_range_in_words(param, words):
    """A parameter says what it takes."""
    assert param.range == words


def test_resolve_fills_in_defaults():
    """Every parameter has a value, given or default."""
    spec = parse_spec("bleu,n=2")
    resolved = spec.resolve(CATALOGUE["bleu"].declaration)
    assert resolved == {
        "n": 2,
        "tok": "word",
        "smooth": "coco",
        "refs": "all",
        "yesno": 0.0,
        "entity": 0.0,
    }


def test_resolve_with_weights():
    """Weights bring other defaults where the catalogue says so."""
    assert parse_spec("bleu:idf").resolve(CATALOGUE["bleu"].declaration)["refs"] == "max"

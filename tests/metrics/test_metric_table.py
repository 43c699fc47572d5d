"""The catalogue declares everything that a user may write."""

import pytest

from qassay.metrics.registry import CATALOGUE, create, create_all, parse_spec
from qassay.scoring.defaults import LEXICAL, VERIFICATION

every_metric = pytest.mark.parametrize("name", CATALOGUE)


@every_metric
def test_documented(name):
    """Every metric has a definition and a source."""
    declaration = CATALOGUE[name].declaration
    assert declaration.summary
    assert declaration.source


@every_metric
def test_parameters_documented(name):
    """Every parameter says what it means and what it takes."""
    params = CATALOGUE[name].declaration.params
    assert all(param.meaning and param.range for param in params)


@every_metric
def test_defaults_are_allowed(name):
    """Every default could be written in a spec."""
    declaration = CATALOGUE[name].declaration
    assert all(str(param.default) in param.choices for param in declaration.params if param.choices)


@every_metric
def test_class_is_documented(name):
    """The class behind each metric states the definition."""
    assert CATALOGUE[name].definition


def test_default_metrics_exist():
    """What `score` uses by default is in the catalogue."""
    assert [str(parse_spec(each)) for each in (*LEXICAL, *VERIFICATION)] == [*LEXICAL, *VERIFICATION]


def test_same_metric_twice():
    """Two spellings of one metric make one."""
    assert [str(each.spec) for each in create_all(["bleu", "bleu,n=4", "rouge_l"])] == ["bleu", "rouge_l"]


def test_parsed_specs_are_taken_too():
    """A spec may be given as text or parsed."""
    assert create(parse_spec("bleu,n=2")).spec == create("bleu,n=2").spec

"""Packages with mistakes: each is named in one message, and stops nothing but its own use."""

import importlib
import json
import warnings

import pytest

import qassay
from commands import qassay as command
from qassay import plugins
from qassay.errors import PluginError, PluginWarning, QassayError, SpecError
from qassay.features.weightings import WEIGHTINGS
from qassay.io.input_stream import FORMATS, sniff
from qassay.metrics.registry import CATALOGUE

ROWS = [{"id": str(i), "references": ["a b"], "candidate": f"a {i}"} for i in range(5)]
METRIC = """
import numpy as np
import qassay
class Mine(qassay.MeanMetric):
    '''Mine.'''
    name = "mine"
    def values(self, batch):
        {values}
"""
POOLED = """
import numpy as np
import qassay
class Mine(qassay.Metric):
    name = "mine"
    def stats(self, batch):
        {stats}
    def finish(self, stats):
        {finish}
"""
FORMAT = """
import qassay
class Mine(qassay.Format):
    '''Mine.'''
    name = "mine"
    def recognises(self, head):
        {recognises}
    def read(self, source, context):
        {read}
"""
WEIGHTING = """
import qassay
class Mine(qassay.Weighting):
    name = "mine"
    def weights(self, question, text, tokens):
        {weights}
"""
JUDGE = """
class Mine:
    def judge(self, answers):
        {judge}
"""
RIGHT = "return np.ones(len(batch))"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return what installs a package of one module, `third_mine`, with one entry point."""
    site = tmp_path / "site"

    def install(kind, code, name="mine"):
        described = site / "my_pkg-1.0.dist-info"
        described.mkdir(parents=True)
        (described / "METADATA").write_text("Name: my-pkg\nVersion: 1.0\n", encoding="utf-8")
        (described / "entry_points.txt").write_text(f"[qassay.{kind}]\n{name} = third_mine:Mine\n", encoding="utf-8")
        (site / "third_mine.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(site)
        _forget()

    _forget()
    yield install
    monkeypatch.undo()
    _forget()


def _forget():
    importlib.invalidate_caches()
    plugins.installed.cache_clear()
    plugins._plugins.cache_clear()
    importlib.sys.modules.pop("third_mine", None)
    for registry in (CATALOGUE, FORMATS, WEIGHTINGS):
        registry._items.pop("mine", None)


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


BROKEN_FORMATS = pytest.mark.parametrize(
    "code",
    [
        "import no_such_module",
        "raise SystemExit(3)",
        "class Mine: name = 'mine'",
        FORMAT.format(recognises="return 1 / 0", read="yield"),
        FORMAT.format(recognises="raise SystemExit(3)", read="yield"),
        FORMAT.format(recognises="return False", read="yield") + "    def __init__(self): 1 / 0",
        FORMAT.format(recognises="return False", read="yield") + "    priority = None",
    ],
    ids=["import", "exit", "class", "recognises", "exit when asked", "instance", "priority"],
)


@BROKEN_FORMATS
def test_a_broken_format_stops_no_other(package, answers, code):
    """Every command reads other files, with one warning that names the package."""
    package("formats", code)
    done = command("compare", answers, answers, "-m", "exact_match", check=0)
    assert (done.stderr.count("my-pkg 1.0"), done.stderr.count("warning: ")) == (1, 1), done.stderr


@pytest.mark.parametrize("code", ["raise SystemExit(3)", "class Mine: name = 'mine'"])
def test_a_broken_format_that_is_named_is_one_error(package, answers, code):
    """Whoever asks for it by name reads which package is broken."""
    package("formats", code)
    done = command("score", answers, "-m", "exact_match", "--format", "mine", check=2)
    assert done.stderr.startswith("error: ")
    assert "my-pkg 1.0" in done.stderr


def test_a_broken_format_is_a_warning_in_python(package, answers):
    """A program gets a warning of a category of its own."""
    package("formats", "import no_such_module")
    with pytest.warns(PluginWarning, match="my-pkg 1.0 cannot be loaded"):
        assert sniff(answers) == "jsonl"


@pytest.mark.parametrize(
    ("read", "message"),
    [
        ("yield 1 / 0", "failed: ZeroDivisionError: division by zero (in Mine.read)"),
        ("return None", "failed: TypeError"),
        ("yield {'id': '1'}", "yielded {'id': '1'}; yield each answer"),
        ("return iter([1])", "yielded 1; yield each answer"),
    ],
)
def test_a_format_that_reads_badly_is_named(package, answers, read, message):
    """What goes wrong within the reader is one error with the package."""
    package("formats", FORMAT.format(recognises="return True", read=read))
    done = command("score", answers, "-m", "exact_match", check=2)
    assert 'the format "mine" of the package my-pkg 1.0' in done.stderr
    assert message in done.stderr


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("return np.ones(7)", "returned 7 values for 5 answers; return one number per answer, NaN where there is none"),
        ("return np.ones(2)", "returned 2 values for 5 answers"),
        ("return np.ones((5, 1))", r"returned values of shape \(5, 1\) for 5 answers"),
        ("return np.ones((5, 2))", r"returned values of shape \(5, 2\) for 5 answers"),
        ("return 1.0", r"returned values of shape \(\) for 5 answers"),
        ("return ['1'] * 5", "which are no numbers"),
        ("return [None] * 5", "which are no numbers"),
        ("return None", "returned None from values, which are no numbers"),
        ("return [[1], [1, 2]]", "which are no numbers"),
        ("return np.full(5, np.inf)", "returned infinity from values"),
    ],
)
def test_wrong_values_are_refused(package, values, message):
    """A metric that does not return one number per answer is named, with what it returned."""
    package("metrics", METRIC.format(values=values))
    with pytest.raises(PluginError, match=f'^the metric "mine" of the package my-pkg 1.0 .*{message}'):
        qassay.score(ROWS, metrics="mine")


def test_values_may_be_a_list_with_nan(package):
    """A list of numbers is as good as an array."""
    package("metrics", METRIC.format(values="return [1, True, 0.5, float('nan'), 0]"))
    assert qassay.score(ROWS, metrics="mine")["mine"].tolist()[:3] == [1.0, 1.0, 0.5]


@pytest.mark.parametrize(
    ("stats", "finish", "message"),
    [
        ("return np.ones((7, 2))", "return stats[..., 0]", r"statistics of shape \(7, 2\) for 5 answers"),
        ("return np.ones(5)", "return stats", r"statistics of shape \(5,\) for 5 answers"),
        ("return np.ones((5, 2))", "return stats", r"finished statistics of shape \(5, 2\) to scores of shape"),
        ("return np.ones((5, 2))", "return 1 / 0", "failed: ZeroDivisionError"),
        ("return 1 / 0", "return stats[..., 0]", "failed: ZeroDivisionError"),
    ],
)
def test_wrong_statistics_are_refused(package, stats, finish, message):
    """Statistics have one row per answer, and finish to one score per row."""
    package("metrics", POOLED.format(stats=stats, finish=finish))
    with pytest.raises(PluginError, match=message):
        qassay.score(ROWS, metrics="mine")


@pytest.mark.parametrize(
    ("kind", "code", "spec"),
    [
        ("metrics", METRIC.format(values="return 1 / 0"), "mine"),
        ("metrics", METRIC.format(values=RIGHT) + "    def __init__(self, spec): 1 / 0", "mine"),
        ("metrics", METRIC.format(values=RIGHT) + "    def unscored(self, batch): 1 / 0", "mine"),
        ("metrics", METRIC.format(values=RIGHT) + "    def identity(self, resources): 1 / 0", "mine"),
        ("weightings", WEIGHTING.format(weights="return 1 / 0"), "token_f1:mine"),
        ("weightings", WEIGHTING.format(weights="return []") + "    def __init__(self): 1 / 0", "token_f1:mine"),
        ("judges", JUDGE.format(judge="return [1 / 0]"), "mine"),
        ("judges", JUDGE.format(judge="return []") + "    def __init__(self): 1 / 0", "mine"),
    ],
)
def test_code_that_fails_is_one_error_with_its_package(package, answers, kind, code, spec):
    """The command ends with status 2 and one message that names the package and the exception."""
    package(kind, code)
    done = command("score", answers, "-m", spec, check=2)
    assert '"mine" of the package my-pkg 1.0 failed: ZeroDivisionError: division by zero' in done.stderr


def test_the_cause_of_a_failure_is_kept(package):
    """In Python the exception of the package is the cause of ours."""
    package("metrics", METRIC.format(values="return 1 / 0"))
    with pytest.raises(PluginError) as failed:
        qassay.score(ROWS, metrics="mine")
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_code_that_exits_does_not_end_the_program_in_silence(package, answers):
    """An exit within a metric is a failure like any other."""
    package("metrics", METRIC.format(values="raise SystemExit"))
    assert "failed: SystemExit (in Mine.values)" in command("score", answers, "-m", "mine", check=2).stderr


def test_an_explanation_of_strings_is_refused(package, answers):
    """A breakdown per answer is what an explanation is made of."""
    package("metrics", METRIC.format(values=RIGHT) + "    def explain(self, batch): return ['why'] * len(batch)")
    done = command("explain", answers, "--id", "1", "-m", "mine", check=2)
    assert "return one qassay.ScoreBreakdown per answer" in done.stderr


def test_weights_that_are_no_numbers_are_refused(package):
    """A weighting that returns words is named."""
    package("weightings", WEIGHTING.format(weights="return ['x'] * len(tokens)"))
    with pytest.raises(SpecError, match=r'the weighting "mine" of the package my-pkg 1.0 returned'):
        qassay.score(ROWS, metrics="token_f1:mine")


def test_a_broken_weighting_stops_no_report(package, answers, tmp_path):
    """A report of other metrics does not load it."""
    package("weightings", "import no_such_module")
    command("score", answers, "-m", "token_f1:uniform", "--report", tmp_path / "report.html", check=0)


def test_a_bug_of_our_own_stays_a_traceback(monkeypatch):
    """What fails within Qassay is not called a mistake of the user."""
    monkeypatch.setattr("qassay.metrics.lexical.exact.ExactMatch.values", lambda self, batch: 1 / 0)  # noqa: ARG005
    with pytest.raises(ZeroDivisionError):
        qassay.score(ROWS, metrics="exact_match")


def test_a_judge_that_workers_cannot_get_is_refused_with_the_remedy(answers):
    """A lambda cannot be sent to another process."""
    qassay.register_judge("made_here", lambda: None)
    try:
        with pytest.raises(
            QassayError, match=r'"made_here" cannot be sent to worker processes .* top level of a module'
        ):
            qassay.score(answers, metrics="made_here", workers=2)
    finally:
        CATALOGUE.unregister("made_here")


def test_a_worker_that_cannot_start_is_not_called_killed(package, answers):
    """What another process cannot make again is a mistake of the program, not a lack of memory."""
    package("metrics", METRIC.format(values=RIGHT) + "    def __reduce__(self): return int, ('x',)")
    with pytest.raises(SpecError, match="a worker process failed with the traceback above"):
        qassay.score(answers, metrics="mine", workers=2)


@pytest.mark.parametrize("name", ["rouge_l", "em"])
def test_a_name_of_ours_is_refused_to_packages(package, name):
    """`qassay metrics` says once that a package claims a name that is taken."""
    package("metrics", METRIC.format(values=RIGHT), name)
    done = command("metrics", check=0)
    assert done.stderr.count(f'the package my-pkg 1.0 has a metric named "{name}", which is taken') == 1


def test_the_use_of_a_name_that_a_package_claims_is_warned_of(package):
    """Whoever uses the name reads that it is not the package's."""
    package("metrics", METRIC.format(values=RIGHT), "rouge_l")
    CATALOGUE._items.pop("rouge_l", None)
    with pytest.warns(PluginWarning, match="which is taken and is not used"):
        qassay.score(ROWS, metrics="rouge_l")


@pytest.mark.parametrize("spec", [(), ("mine",)], ids=["list", "one"])
def test_a_metric_without_docstring_has_no_description(package, spec):
    """The docstring of the base class is not shown for it."""
    package("metrics", METRIC.format(values=RIGHT).replace("'''Mine.'''", ""))
    shown = command("metrics", *spec, check=0).stdout
    assert ("no description" in shown, "corpus score is the mean" in shown) == (True, False)


def test_a_sound_package_gives_no_warning(package, answers):
    """Nothing is said of packages that work."""
    package("formats", FORMAT.format(recognises="return False", read="yield"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sniff(answers) == "jsonl"

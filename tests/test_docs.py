"""The documentation is complete, and what it shows is what happens."""

import doctest
import re
import shlex
import tomllib
from contextlib import chdir
from itertools import pairwise

import numpy as np
import pytest
from typer.main import get_command

from qassay.cli.program import COMMANDS, app, load
from qassay.errors import SpecError
from qassay.io.input_stream import Reader
from qassay.metrics.registry import CATALOGUE, create, parse_spec
from qassay.scoring.scorer import score_examples
from qassay.spec import MetricSpec
from qassay.version import __version__
from shared import bench
from snippets import PAGES, ROOT, RUN, blocks, name, programs, prose, run_python, run_steps, same

README = ROOT / "README.md"
INDEX = ROOT / "docs" / "index.md"
METRICS = ROOT / "docs" / "metrics"

DECLARED = {name: entry.declaration for name, entry in CATALOGUE.items()}
every_metric = pytest.mark.parametrize("metric", DECLARED)
every_page = pytest.mark.parametrize("page", PAGES, ids=name)
pages_with_commands = pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.language == "console" for block in blocks(page))], ids=name
)
pages_with_examples = pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.language == "pycon" for block in blocks(page))], ids=name
)

PROGRAM = get_command(app)
PROGRAM.commands = {name: load(name) for name in COMMANDS}
GROUPS = {word for word, command in PROGRAM.commands.items() if hasattr(command, "commands")}
INLINE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
SPEC = re.compile(rf"({'|'.join(DECLARED)})(:\w+)?(,[\w-]+=[^,\s]+)*")
UNDEFINED = "\N{EN DASH}"
ENDS = {"|", ">", "#", "&&"}


def named_commands(page):
    """Return the words of every run of the program that a page names, in its text or in its blocks."""
    inline = [" ".join(text.split()) for text in INLINE.findall(prose(page))]
    shown = [line.removeprefix("$ ") for block in blocks(page) for line in _joined(block.text).splitlines()]
    for text in [*inline, *shown]:
        _, found, rest = f" {text}".partition(" qassay ")
        starts = text.startswith("qassay ") or "| qassay " in text
        if found and starts:
            words = shlex.split(rest, comments=True)
            yield words[: next((i for i, word in enumerate(words) if word in ENDS), len(words))]


def _joined(text):
    return text.replace("\\\n", "")


def command_of(words):
    """Find the command that the words run, which in a group takes two of them."""
    command = PROGRAM
    for word in words[: 2 if words[0] in GROUPS else 1]:
        if word.startswith("-"):
            break
        command = command.commands[word]
    return command


def options_of(command):
    help_ = {"-h", "--help"}
    return help_.union(*(set(param.opts) | set(param.secondary_opts) for param in command.params))


ALL_OPTIONS = set().union(
    *(
        options_of(command)
        for entry in PROGRAM.commands.values()
        for command in getattr(entry, "commands", {"": entry}).values()
    ),
    options_of(PROGRAM),
)


def specs_after(words):
    return [after for word, after in pairwise(words) if word in {"-m", "--metric", "--judge"}]


def table(text, heading):
    """Read the first table under a heading as rows of cells, without header and rule."""
    _, _, rest = text.partition(f"## {heading}\n")
    rows = re.search(r"(^\|.*\n)+", rest, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[0].splitlines()[2:]] if rows else []


def in_code(cell):
    return INLINE.search(cell)[1]


def anchor(heading):
    """Turn a heading into the name that a link can point to, as GitHub does."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def shown_default(param):
    (_, value) = str(MetricSpec("x", None, ((param.name, param.default),))).split("=")
    if param.weighted_default is None:
        return value
    return f"{value} ({param.weighted_default} with weights)"


def test_every_metric_has_a_page_and_no_page_is_left_over():
    """The pages of metrics are those of the catalogue."""
    assert {page.stem for page in METRICS.glob("*.md")} == set(DECLARED)


@every_metric
def test_page_lists_the_parameters(metric):
    """A metric's page has the catalogue's parameters, defaults, ranges and meanings."""
    declared = DECLARED[metric]
    expected = [[f"`{each.name}`", shown_default(each), each.range, each.meaning] for each in declared.params]
    assert table((METRICS / f"{metric}.md").read_text(encoding="utf-8"), "Parameters") == expected


@every_metric
@pytest.mark.parametrize("section", ["Definition", "Worked example", "Several references", "Edge cases", "Source"])
def test_page_has_the_section(metric, section):
    """A metric's page says what a reader looks for."""
    assert f"\n## {section}\n" in (METRICS / f"{metric}.md").read_text(encoding="utf-8")


@every_metric
def test_page_speaks_of_weights_where_there_are_any(metric):
    """A metric that takes weights says so on its page, and no other does."""
    text = (METRICS / f"{metric}.md").read_text(encoding="utf-8")
    assert ("\n## Weights\n" in text) == bool(DECLARED[metric].weightings)


def test_readme_lists_every_metric():
    """The table of metrics in the README is the catalogue, with its weights."""
    rows = {in_code(row[0]): row[2] == "yes" for row in table(README.read_text(encoding="utf-8"), "Metrics")}
    assert rows == {metric: bool(declared.weightings) for metric, declared in DECLARED.items()}


def test_readme_lists_every_command():
    """The table of commands in the README is the program's."""
    rows = [in_code(row[0]) for row in table(README.read_text(encoding="utf-8"), "Commands")]
    assert sorted(rows) == sorted(f"qassay {command}" for command in PROGRAM.commands)


def test_readme_lists_every_extra():
    """The table of extras in the README is that of the package."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {in_code(row[0]) for row in table(README.read_text(encoding="utf-8"), "Install")} == set(declared)


@pytest.mark.parametrize(("column", "data"), [(1, "marco_all"), (2, "avsd_all"), (3, "marcomulti_unilm")])
def test_readme_gives_the_measured_agreement(column, data):
    """Pearson's correlations in the README are those of the present metrics, on the files that it names."""
    examples = list(Reader([bench(f"kpqa_human/{data}.csv")]))
    judgements = [example.judgement for example in examples]
    shown = {in_code(row[0]): row[column].split()[0] for row in agreement_rows()}
    # METEOR's row was measured with WordNet, which is not installed everywhere
    shown = {spec: text for spec, text in shown.items() if str(create(spec).spec) == spec}
    scores = score_examples(examples, shown).scores
    found = {spec: agreement(values, judgements) for spec, values in scores.items()}
    assert [spec for spec, text in shown.items() if not near(spec, text, found[spec])] == []


def agreement_rows():
    _, text, _ = re.split(r"<!-- /?agreement-table -->", README.read_text(encoding="utf-8"))
    return table(f"## \n{text}", "")


def agreement(values, judgements):
    return None if np.ptp(values) == 0 else np.corrcoef(values, judgements)[0, 1]


def near(spec, text, found):
    """Compare to the third digit; what comes from a model to the second."""
    if found is None or text == UNDEFINED:
        return found is None and text == UNDEFINED
    return abs(float(text) - found) <= (0.01 if ":kp" in spec or spec.startswith("bert_score") else 0.00051)


def test_changelog_speaks_of_this_version():
    """The changelog has a heading for the present version."""
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@every_page
def test_links_lead_somewhere(page):
    """Every link to a file or a heading of the repository finds it."""
    inside = [target for target in LINK.findall(prose(page)) if "://" not in target]
    assert [target for target in inside if not leads_somewhere(page, target)] == []


def leads_somewhere(page, target):
    path, _, heading = target.partition("#")
    found = (page.parent / path).resolve() if path else page
    return found.exists() and (not heading or heading in map(anchor, HEADING.findall(prose(found))))


def test_index_leads_to_every_page():
    """Every page of the documentation is linked from the index, itself or its folder."""
    targets = {(INDEX.parent / target.partition("#")[0]).resolve() for target in LINK.findall(prose(INDEX))}
    pages = set(INDEX.parent.rglob("*.md")) - {INDEX}
    assert [name(page) for page in sorted(pages) if page not in targets and page.parent not in targets] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=lambda page: page.stem)
def test_index_lists_every_decision_by_its_title(page):
    """The number leads to the page, and the title stands behind it."""
    number, _, title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").partition(". ")
    assert f"[{number}](decisions/{page.name}) {title}\n" in INDEX.read_text(encoding="utf-8")


@every_page
def test_named_commands_exist(page):
    """Every command that a page names exists and has the options that are given to it."""
    unknown = [
        f"{' '.join(words)}: {word}"
        for words in named_commands(page)
        for word in words
        if word.startswith("-") and word != "-" and word.partition("=")[0] not in options_of(command_of(words))
    ]
    assert unknown == []


@every_page
def test_named_options_exist(page):
    """Every option that stands alone in a page's text is one of some command's."""
    words = [text.split()[0] for text in INLINE.findall(prose(page)) if text.startswith("--")]
    assert [word for word in words if word.partition("=")[0] not in ALL_OPTIONS] == []


@every_page
def test_named_specs_parse(page):
    """Every metric that a page names can be asked for; those that a page defines are tested as packages."""
    own = set(re.findall(r'^    name = "(\w+)"$', page.read_text(encoding="utf-8"), re.MULTILINE))
    inline = [text for text in INLINE.findall(prose(page)) if SPEC.fullmatch(text)]
    given = [spec for words in named_commands(page) for spec in specs_after(words)]
    named = [spec for spec in [*inline, *given] if spec.isascii() and not own & set(re.split("[:,]", spec))]
    assert [spec for spec in named if not parses(spec)] == []


def parses(spec):
    try:
        parse_spec(spec)
    except SpecError:
        return spec in {"NAME", "SPEC"} or spec.startswith("column:")
    return True


@pages_with_commands
def test_commands_print_what_is_shown(page, tmp_path):
    """The commands that a page shows end well, or badly where an error is shown, and print what it says."""
    done = [each for block in blocks(page) if block.language == "console" for each in run_steps(block, tmp_path)]
    wrong = [
        f"$ {step.command} (exit {status})\n{printed}"
        for step, status, printed in done
        if status != (2 if step.shown.startswith("error:") else 0) or not same(step.shown, printed, step.command)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", RUN, ids=name)
def test_programs_print_what_is_shown(page, tmp_path):
    """The programs that a page shows run one after another and print what it says."""
    namespace = {"__name__": "snippet"}
    done = [(code, shown, run_python(code.text, namespace, tmp_path)) for code, shown in programs(page)]
    wrong = [printed for code, shown, printed in done if shown is not None and not same(shown.text, printed, code.text)]
    assert not wrong, "\n".join(wrong)


@pages_with_examples
def test_worked_examples(page, tmp_path):
    """The examples that a page works through come out as it says."""
    examples = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, name(page), str(page), 0)
    with chdir(tmp_path):
        assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0


@every_page
def test_pages_import_nothing_internal(page):
    """What a reader copies is `qassay` and its public names, a module for another tool, or a module of their own."""
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"(?:from|import) qassay\.(?!hosts\.)[\w.]+", text) == []

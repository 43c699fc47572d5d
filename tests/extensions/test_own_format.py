"""A format of somebody else's package, as docs/extending.md shows it: installed, found, recognised and read."""

import json

import pytest

from third_party import install, run_installed, section_blocks

HEADING = "Your own format"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return install(HEADING, "qassay_deck", tmp_path_factory.mktemp("deck"))


@pytest.fixture
def cards(tmp_path):
    path = tmp_path / "cards.txt"
    path.write_text(section_blocks(HEADING)["text"], encoding="utf-8")
    return path


def test_score_recognises_it(environment, cards):
    """Nothing names the format: the file is recognised by what the package says of it."""
    done = run_installed(environment, cards.parent, "score", cards.name, "-m", "token_f1", "--json")
    (row,) = json.loads(done.stdout)["aggregates"]
    assert (row["system"], row["n"]) == ("A", 2)


def test_correlate_reads_it_by_name(environment, cards):
    """`--format deck` names it, and the judgements come with the answers."""
    words = ("correlate", cards.name, "-m", "token_f1", "--format", "deck", "--json")
    done = run_installed(environment, cards.parent, *words)
    assert json.loads(done.stdout)["correlations"][0]["n"] == 2, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "cards.txt", "-m", "token_f1"),
        ("explain", "cards.txt", "--id", "Who wrote it?", "--system", "A", "-m", "token_f1"),
        ("score", "cards.txt", "-m", "token_f1", "--report", "page.html"),
    ],
    ids=["compare", "explain", "report"],
)
def test_other_commands_read_it(environment, cards, words):
    """Every command that reads answers reads those of the package."""
    text = cards.read_text(encoding="utf-8")
    cards.write_text(text + text.replace("#deck A", "#deck B"), encoding="utf-8")
    done = run_installed(environment, cards.parent, *words)
    assert done.returncode == 0, done.stderr


def test_a_bad_card_is_refused_with_its_place(environment, cards):
    """What the format refuses is said as of any other format, with the line and the way out."""
    cards.write_text("#deck A\nWho?\n", encoding="utf-8")
    done = run_installed(environment, cards.parent, "score", cards.name, "-m", "token_f1")
    assert (done.returncode, "cards.txt:2: is no card of four cells" in done.stderr) == (2, True)

"""The page of `ava` shows the rules as they define themselves."""

from pathlib import Path

from qassay.equivalence.registry import RULES

PAGE = Path(__file__).parents[2] / "docs" / "metrics" / "ava.md"


def _row(rule):
    example = next(example for example in rule.examples if example.read is not None)
    return [
        f"`{rule.name}`",
        rule.definition,
        example.pair.reference,
        example.pair.candidate,
        example.read or "*nothing*",
    ]


def test_the_table_of_rules_is_made_of_their_definitions_and_first_examples():
    """A rule that is added, dropped or redefined changes the page."""
    section = PAGE.read_text(encoding="utf-8").partition("### Rules\n")[2].partition("\n`rules=off`")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    assert [[cell.strip() for cell in line.strip("|").split("|")] for line in lines] == [_row(rule) for rule in RULES]

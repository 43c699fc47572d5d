import pytest

from qassay.cli.shown_command import command_line, command_words


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("score", "my answers.jsonl", "-m", "ava"), "qassay score 'my answers.jsonl' -m ava"),
        (("agree", "r.csv", "--hash", "salt"), "qassay agree r.csv --hash SECRET"),
        (("agree", "r.csv", "--hash=salt"), "qassay agree r.csv --hash=SECRET"),
        ((), ""),
    ],
)
def test_a_report_shows_the_command_without_its_secrets(words, shown):
    """It can be given to a shell again, but the salt of hashed names stays with who chose it."""
    token = command_words.set(words)
    assert command_line() == shown
    command_words.reset(token)

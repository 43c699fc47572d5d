"""Messages name options in the words of whoever reads them, and stay short."""

import pickle

import pytest

from qassay.cli.wording import in_flags
from qassay.errors import DataError, NoSuchScoreError, option


@pytest.mark.parametrize(
    ("named", "python", "flag"),
    [
        (option("on_error", "skip"), "on_error='skip'", "--on-error skip"),
        (option("columns", {"candidate": "it"}), "columns={'candidate': 'it'}", "--map candidate=it"),
        (option("columns"), "columns=", "--map OURS=THEIRS"),
        (option("resume", value=True), "resume=True", "--resume"),
        (option("cut", 4), "cut=4", "--cut 4"),
        (option("model"), "model=", "--model"),
    ],
)
def test_an_option_is_worded_for_its_reader(named, python, flag):
    """A keyword argument in Python, a flag on the command line."""
    error = DataError(f"give {named}", "a.jsonl", 3)
    assert (str(error), in_flags(error.message)) == (f"a.jsonl:3: give {python}", f"a.jsonl:3: give {flag}")


def test_a_message_survives_a_process():
    """Its options are worded where it arrives."""
    error = pickle.loads(pickle.dumps(DataError(f"give {option('cut', 4)}", "a", 1)))  # noqa: S301 - our own
    assert in_flags(error.message) == "a:1: give --cut 4"


def test_a_lookup_error_prints_no_quotes():
    """A KeyError would."""
    assert str(NoSuchScoreError("no scores of x")) == "no scores of x"


def test_a_long_quotation_keeps_its_ends():
    """The place before it and the remedy behind it are read."""
    message = str(DataError(f'the id "{"x" * 9000}" appears twice; give each answer its own'))
    assert len(message) < 400
    assert message.endswith('x" appears twice; give each answer its own')


def test_a_long_list_leaves_out_its_middle():
    """Ten thousand columns are no message."""
    message = str(DataError(f"there is no column among {', '.join(map(str, range(10_000)))}; name yours"))
    assert len(message) < 2100
    assert message.endswith("; name yours")


def test_a_terminal_obeys_nothing_in_a_message():
    """Escape sequences, returns and marks of direction from data are written out."""
    assert in_flags('the id "\x1b[31m\r\u202eq" appears twice') == 'the id "\\x1b[31m\\r\\u202eq" appears twice'

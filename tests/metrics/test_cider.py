"""CIDEr's frequencies, edges and files."""

import pytest

from answers import answer, score_of, scores_of
from qassay.errors import DataError
from qassay.features.frequencies import Frequencies
from qassay.features.resources import Resources
from qassay.metrics.registry import create
from qassay.text.tokenisers.tokenise import tokeniser

RUN = [
    answer("a man rides a horse", "a man rides a brown horse", "someone is riding a horse"),
    answer("two dogs play", "two dogs play in the snow"),
    answer("a plate of food", "a plate with food on it"),
]


def test_whole_run_of_one():
    """A run of one answer, in which no n-gram is rare, still gives equal texts the maximum."""
    assert score_of("cider", "a horse", "a horse") == 10


def test_equal_to_one_of_two_references():
    """The mean over references counts, so equality with one of two is not the maximum."""
    assert 0 < scores_of("cider", [*RUN, answer("a horse", "a horse", "some dogs")])[-1] < 10


def test_stored_frequencies(tmp_path):
    """Frequencies from a file give the scores of the run they were counted on."""
    path = tmp_path / "df.json"
    frequencies = Frequencies(create("cider").need)
    frequencies.add(RUN, tokeniser("word"))
    frequencies.save(path)

    alone = score_of(f"cider,df={path}", RUN[1].candidate, *(each.text for each in RUN[1].references))

    assert alone == scores_of("cider", RUN)[1]


def test_stored_frequencies_are_named_in_the_identity(tmp_path):
    """The signature tells which counts were used."""
    path = tmp_path / "df.json"
    frequencies = Frequencies(create("cider").need)
    frequencies.add(RUN, tokeniser("word"))
    frequencies.save(path)
    assert create(f"cider,df={path}").identity(Resources()) == {"df": frequencies.fingerprint}


def test_no_such_file():
    """A frequency file that is not there is the user's mistake, with its path."""
    with pytest.raises(DataError, match=r"nowhere\.json: cannot be read"):
        create("cider,df=nowhere.json")


def test_length_penalty():
    """A narrow sigma punishes another length harder."""
    wide, narrow = (scores_of(f"cider,sigma={sigma}", RUN)[1] for sigma in (6, 1))
    assert 0 < narrow < wide


def test_repeating_words_does_not_help():
    """Clipping takes away what repetition would gain (CIDEr-D)."""
    honest, gaming = (
        answer("two dogs play", "two dogs play in the snow"),
        answer("dogs " * 6, "two dogs play in the snow"),
    )
    assert scores_of("cider", [*RUN, honest])[-1] > scores_of("cider", [*RUN, gaming])[-1]


def test_a_path_that_cannot_be_is_refused():
    """A file's name with a NUL byte in it is no traceback."""
    with pytest.raises(DataError, match="is not a path"):
        create("cider,df=\0")

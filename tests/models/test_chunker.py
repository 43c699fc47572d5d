import numpy as np
import pytest

from qassay.models.load_readers import load_chunker
from qassay.models.onnx.chunker import decode, words
from qassay.models.syntax import BOUNDS, CHUNKS, ENTITIES, KINDS, PARTS


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("They don't know.", ["They", "do", "n't", "know", "."]),
        ("It fetched $137,000 at 5.30.", ["It", "fetched", "$", "137,000", "at", "5.30", "."]),
        (
            "the company's 83rd U.S. award-winning film",
            ["the", "company", "'s", "83rd", "U.S.", "award-winning", "film"],
        ),
        ("Mr. Smith \u2019s (old) hat", ["Mr.", "Smith", "\u2019s", "(", "old", ")", "hat"]),
        ("``so'' -- he said...", ["``", "so", "''", "--", "he", "said", "..."]),
    ],
)
def test_words_are_cut_as_in_the_penn_treebank(sentence, parts):
    """Contractions, money and marks come apart; figures, initials and compounds stay whole."""
    assert [sentence[slice(*span)] for span in words(sentence)] == parts


def _scores(*pieces):
    scores = np.zeros((len(pieces), BOUNDS[-1]), np.float32)
    for row, (part, chunk, entity, kind) in zip(scores, pieces, strict=True):
        for low, names, name in zip(
            BOUNDS, (PARTS, CHUNKS, ENTITIES, KINDS), (part, chunk, entity, kind), strict=False
        ):
            row[low + names.index(name)] = 3.0
    return scores


_MARK = (".", "O", "O", "thing")


def test_a_word_of_several_pieces_takes_the_labels_of_its_first():
    """The later pieces only help to tell the kind of answer."""
    pieces = [_MARK, ("NNP", "B-NP", "B-person", "person"), ("VB", "I-VP", "O", "person"), _MARK]
    found = decode("Tumblin", [(0, 0), (0, 4), (4, 7), (0, 0)], _scores(*pieces))
    (word,) = found.words
    assert (word.text, word.part, word.chunk, word.entity) == ("Tumblin", "NNP", "B-NP", "B-person")
    assert max(word.kinds, key=word.kinds.get) == "person"


def test_an_inside_label_with_nothing_to_continue_begins_a_chunk():
    """What the network left open is read as conlleval reads it."""
    pieces = [_MARK, ("DT", "I-NP", "O", "thing"), ("NN", "I-NP", "O", "thing"), _MARK]
    found = decode("the end", [(0, 0), (0, 3), (4, 7), (0, 0)], _scores(*pieces))
    assert [word.chunk for word in found.words] == ["B-NP", "I-NP"]


def test_kinds_are_log_probabilities():
    """Over all kinds they add up to 1."""
    found = decode("end", [(0, 0), (0, 3), (0, 0)], _scores(_MARK, ("NN", "B-NP", "O", "time"), _MARK))
    assert sum(np.exp(list(found.words[0].kinds.values()))) == pytest.approx(1)


def test_words_beyond_what_was_read_are_outside_everything():
    """A sentence longer than the model takes keeps all its words."""
    found = decode("read unread", [(0, 0), (0, 4)], _scores(_MARK, ("NN", "B-NP", "O", "thing")))
    assert [(word.text, word.chunk) for word in found.words] == [("read", "B-NP"), ("unread", "O")]


@pytest.fixture(scope="module")
def sentence():
    (found,) = load_chunker().tag(["The old gallery in Leeds sold 20 paintings to Maria Hill on Monday."])
    return found


def test_the_embedded_chunker_finds_noun_phrases(sentence):
    """Each begins with B and goes on with I."""
    chunks = {word.text: word.chunk for word in sentence.words}
    assert [chunks[word] for word in ("The", "old", "gallery")] == ["B-NP", "I-NP", "I-NP"]
    assert [chunks[word] for word in ("20", "paintings", "Maria", "Hill")] == ["B-NP", "I-NP", "B-NP", "I-NP"]
    assert chunks["sold"] == "B-VP"


def test_the_embedded_chunker_tells_names_apart(sentence):
    """Persons, places and times."""
    named = {word.text: word.named for word in sentence.words}
    assert [named[word] for word in ("Leeds", "Maria", "Hill", "Monday")] == ["place", "person", "person", "time"]


def test_words_keep_their_places(sentence):
    """The text between a word's places is the word."""
    assert all(sentence.text[word.start : word.end] == word.text for word in sentence.words)

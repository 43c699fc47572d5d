import numpy as np
import pytest

from qassay.models.onnx.judge_segments import COMPARED, ROLES, piece_kinds, segment_ids, text_keys, word_keys

VOCABULARY = {"[CLS]": 0, "[SEP]": 1, "red": 2, "car": 3, "##s": 4, ",": 5, "##d": 6, "car7": 7}
KINDS = piece_kinds(VOCABULARY)


def keys(*pieces: str):
    return word_keys(np.array([VOCABULARY[piece] for piece in pieces]), KINDS)


def test_words_alike_have_one_key_wherever_they_stand():
    """The key of a word follows from its pieces alone."""
    first, second = keys("red", "car", "##s"), keys("car", "##s")

    assert first[1:].tolist() == second.tolist()
    assert second[0] == second[1]


def test_words_that_share_a_beginning_differ():
    """A word is told from its longer relatives."""
    assert len({int(keys("car")[0]), int(keys("car", "##s")[0]), int(keys("car", "##s", "##d")[0])}) == 3


def test_keys_of_several_texts_are_those_of_each():
    """A text that begins inside a word does not continue the one before it."""
    texts = [np.array(text, np.int64) for text in ([2, 3, 4], [], [4, 6, 5], [3])]

    assert [found.tolist() for found in text_keys(texts, KINDS)] == [word_keys(text, KINDS).tolist() for text in texts]


@pytest.mark.parametrize("piece", ["[CLS]", "[SEP]", ","])
def test_marks_match_nothing(piece: str):
    """Special pieces and punctuation have no key."""
    assert keys(piece).tolist() == [0]


def test_no_pieces_no_keys():
    """An empty text has no keys."""
    assert len(word_keys(np.zeros(0, np.int64), KINDS)) == 0


def test_a_piece_is_marked_with_its_role_and_with_who_shares_its_word():
    """Four marks a role: nobody, the first compared text, the second, both."""
    red, car = int(keys("red")[0]), int(keys("car")[0])
    ids = segment_ids(
        {
            "reference": np.array([red, car, 0]),
            "question": np.array([car, 0]),
            "candidate": np.array([red, red, 0]),
        }
    )

    # reference: red in the candidate (1), car in the question (2); question (from 4 on): car in the reference (2);
    # candidate (from 8 on): red in the reference (1).
    assert ids["reference"].tolist() == [1, 2, 0]
    assert ids["question"].tolist() == [6, 4]
    assert ids["candidate"].tolist() == [9, 9, 8]


def test_a_text_that_is_not_there_is_not_compared_with():
    """Without a question only the answers are compared."""
    ids = segment_ids({"reference": np.array([7]), "candidate": np.array([7])})

    assert (ids["reference"].tolist(), ids["candidate"].tolist()) == ([1], [9])


def test_every_role_is_compared_with_two_others():
    """Two bits are enough for a mark."""
    assert set(COMPARED) == set(ROLES)
    assert all(len(set(others) - {role}) == 2 for role, others in COMPARED.items())

import numpy as np
import pytest

from qassay.training.reader.inputs import LONGEST_QUESTION, SHORT_WINDOW, WINDOW, prepare, window_bounds
from qassay.training.reader.rows import ReaderRow


def _cut(text):
    """One piece a word, numbered by its length; 1 and 2 are the marks."""
    places, start = [], 0
    for word in text.split(" "):
        places.append((start, start + len(word)))
        start += len(word) + 1
    return [1, *(10 + end - begin for begin, end in places), 2], [(0, 0), *places, (0, 0)]


def _row(passage, *answers, question="who is it"):
    spans = tuple((passage.index(answer), passage.index(answer) + len(answer)) for answer in answers)
    return ReaderRow(question, passage, spans, "test", "group")


def _prepare(*rows, **settings):
    return prepare(rows, _cut, np.random.default_rng(0), **settings)


def test_answers_are_marked_by_their_first_and_last_piece():
    """Positions count the opening mark."""
    asked = _prepare(_row("it was the old man there", "the old man", "man"))
    assert asked.spans == [((3, 5), (5, 5))]


def test_a_question_without_an_answer_has_no_span():
    """It is kept: the reader must learn to say nothing."""
    asked = _prepare(_row("it was there"))
    assert (asked.spans, len(asked.questions)) == ([()], 1)


@pytest.mark.parametrize(("short", "size"), [(0.0, WINDOW), (1.0, SHORT_WINDOW)])
def test_a_long_passage_is_read_where_it_answers(short, size):
    """The window holds the answer, at the place that the span gives."""
    passage = " ".join([*["word"] * 700, "answered", *["word"] * 100])
    asked = _prepare(_row(passage, "answered"), short=short)
    ((first, last),) = asked.spans[0]
    window = asked.texts[asked.passages[0]]
    assert first == last
    assert window[first] == 10 + len("answered")
    assert len(window) <= size + 2


def test_an_unanswered_question_is_read_where_the_passage_is_nearest_to_it():
    """Saying nothing is hardest there."""
    passage = " ".join([*["word"] * 700, "remarkable", *["word"] * 100])
    asked = _prepare(_row(passage, question="a remarkable thing"))
    assert 10 + len("remarkable") in asked.texts[asked.passages[0]]


def test_a_long_question_is_cut():
    """Its closing mark stays."""
    asked = _prepare(_row("it was there", question=" ".join(["why"] * 200)))
    question = asked.texts[asked.questions[0]]
    assert (len(question), question[-1]) == (LONGEST_QUESTION, 2)


@pytest.mark.parametrize("pieces", [1, 255, 256, 257, 384, 385, 1000])
def test_windows_cover_a_passage(pieces):
    """Every piece is in one, and none reaches beyond the end."""
    bounds = window_bounds(pieces)
    covered = set().union(*(range(low, high) for low, high in bounds))
    assert covered == set(range(1, pieces + 1))


def test_shares_hold_every_pair_once():
    """Together the processes see all questions, each with its own texts."""
    rows = [_row(f"it was the old man {'x' * n} there", "old", question=f"who {'y' * n}") for n in range(1, 8)]
    asked = _prepare(*rows)
    found = [
        (part.texts[question], part.texts[passage], spans)
        for part in (asked.share(0, 2), asked.share(1, 2))
        for question, passage, spans in zip(part.questions, part.passages, part.spans, strict=True)
    ]
    wanted = [
        (asked.texts[question], asked.texts[passage], spans)
        for question, passage, spans in zip(asked.questions, asked.passages, asked.spans, strict=True)
    ]
    assert sorted(found) == sorted(wanted)

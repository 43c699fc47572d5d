import json
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import ModelError
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.load_readers import load_answer_reader, load_reader
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.reader import ANSWER_READER, SKIMMED, OnnxReader, best_span, best_spans, no_answer
from qassay.training.reader.train import describe

_SCORE = st.floats(-8, 8, width=32)


def _all_spans(scores, longest):
    pieces = range(len(scores))
    return {(i, j): scores[i, 0] + scores[j, 1] for i in pieces for j in pieces if i <= j < i + longest}


@given(st.lists(st.tuples(_SCORE, _SCORE), min_size=1, max_size=12), _SCORE, st.integers(1, 14))
def test_the_best_span_and_its_odds_are_those_of_all_spans(rows, none, longest):
    """Listing every span one by one gives the same."""
    scores = np.array(rows, np.float32)
    spans = _all_spans(scores.astype(np.float64), longest)
    first, last, lead, odds = best_span(scores, np.array([none, none], np.float32), longest)
    assert spans[first, last] == pytest.approx(max(spans.values()))
    assert lead == pytest.approx(max(spans.values()) - 2 * none, abs=1e-5)
    weights = np.exp(np.array([2 * none, *spans.values()]) - 2 * none)
    assert no_answer(odds) == pytest.approx(1 / weights.sum(), rel=1e-4)


@given(
    st.lists(st.tuples(_SCORE, _SCORE), min_size=1, max_size=12),
    st.integers(1, 14),
    st.integers(1, 5),
    st.floats(0, 20),
)
def test_further_spans_are_the_best_of_those_that_touch_none_before(rows, longest, most, margin):
    """Choosing among all spans one by one gives the same."""
    scores = np.array(rows, np.float32)
    left = _all_spans(scores.astype(np.float64), longest)
    top = max(left.values())
    found, _ = best_spans(scores, np.zeros(2, np.float32), longest, most, margin)
    for span in found:
        assert left[span.first, span.last] == max(left.values()) == span.lead >= top - margin
        left = {(i, j): score for (i, j), score in left.items() if j < span.first or i > span.last}
    assert len(found) == most or not left or max(left.values()) < top - margin


def test_a_span_never_ends_before_it_begins():
    """However high a later start and an earlier end score."""
    scores = np.array([[0.0, 9.0], [0.0, 0.0], [9.0, 1.0]], np.float32)
    assert best_span(scores, np.zeros(2, np.float32), 3)[:2] == (2, 2)


def test_extreme_scores_do_not_overflow():
    """Probabilities stay between 0 and 1."""
    scores = np.array([[3e4, 3e4]], np.float32)
    assert no_answer(best_span(scores, np.zeros(2, np.float32), 3)[3]) == pytest.approx(0, abs=1e-100)
    assert no_answer(best_span(-scores, np.zeros(2, np.float32), 3)[3]) == pytest.approx(1)


PAINTED = "The portrait was painted by Maria Hill in 1901. It hangs in the town hall of Leeds."
FILLER = "The weather was mild and the streets were quiet on most days of that long year. "


@pytest.fixture
def reader():
    return load_reader()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who painted the portrait?", "Maria Hill"),
        ("When was the portrait painted?", "1901"),
        ("The portrait was painted by whom in 1901?", "Maria Hill"),
    ],
)
def test_the_embedded_reader_answers(reader, question, answer):
    """Plain questions, in the order of a question or of a statement."""
    (found,) = reader.answer([(question, PAINTED)])
    assert found.text == answer == PAINTED[found.start : found.end]
    assert found.none < reader.threshold


def test_the_embedded_reader_leaves_a_question_on_something_else_unanswered(reader):
    """No answer is then the likelier one."""
    (found,) = reader.answer([("How many goals did the striker score against Chelsea?", PAINTED)])
    assert found.none >= reader.threshold


def test_an_answer_far_into_a_long_passage_is_found(reader):
    """Overlapping windows cover it; its place is in the whole passage."""
    passage = FILLER * 40 + PAINTED + FILLER * 40
    (found,) = reader.answer([("Who painted the portrait?", passage)])
    assert passage[found.start : found.end] == found.text == "Maria Hill"


def test_of_a_very_long_passage_the_nearest_windows_are_read(reader):
    """Those that share most with the question; the reader notes it."""
    before = reader.notes[SKIMMED]
    (found,) = reader.answer([("Who painted the portrait?", FILLER * 200 + PAINTED + FILLER * 200)])
    assert found.text == "Maria Hill"
    assert reader.notes[SKIMMED] == before + 1


def test_further_answers_are_given_where_they_are_asked_for(reader, tmp_path):
    """With a wide margin the reader names both years, and nothing of the first changes; without it, one."""
    shutil.copytree(EMBEDDED_FOLDER, tmp_path, dirs_exist_ok=True)
    describe(tmp_path, margin=8.0)
    passage = "It opened in 1889, or possibly in 1890."
    asked = [("When did it open?", passage)]
    (one,) = reader.answer(asked)
    (several,) = OnnxReader(OnnxEncoder(str(tmp_path), tmp_path)).answer(asked, further=True)
    assert several[:4] == one[:4]
    assert one.others == ()
    assert "1890" in [passage[start:end] for start, end in several.others]


def test_a_folder_may_have_a_reader_of_answers(tmp_path):
    """It is opened where there is one, otherwise the reader of passages."""
    shutil.copytree(EMBEDDED_FOLDER, tmp_path, dirs_exist_ok=True)
    (tmp_path / ANSWER_READER).unlink(missing_ok=True)
    assert load_answer_reader(str(tmp_path)).threshold == load_reader(str(tmp_path)).threshold
    load_answer_reader.cache_clear()
    described = json.loads((tmp_path / "reader.json").read_text())
    (tmp_path / ANSWER_READER).write_text(json.dumps({**described, "threshold": 0.875}))
    assert load_answer_reader(str(tmp_path)).threshold == 0.875


@pytest.mark.parametrize("passage", ["", "   "])
def test_an_empty_passage_answers_nothing(reader, passage):
    """There is nothing to read."""
    assert reader.answer([("Who?", passage)])[0] == ("", 0, 0, 1.0, ())


def test_answers_do_not_depend_on_their_neighbours(reader):
    """Each pair is read by itself."""
    pairs = [("Who painted the portrait?", PAINTED), ("Where does it hang?", PAINTED), ("Why?", FILLER * 3)]
    alone = [reader.answer([pair])[0] for pair in pairs]
    assert reader.answer(pairs) == alone


def test_scale_and_shift_make_probabilities_of_the_scores(tmp_path):
    """The log-odds of an answer are multiplied and shifted; which span is best stays, the fingerprint does not."""
    shutil.copytree(EMBEDDED_FOLDER, tmp_path, dirs_exist_ok=True)
    asked = [("Who painted the portrait?", PAINTED), ("How many goals did the striker score?", PAINTED)]
    found = {}
    for scale, shift in ((1.0, 0.0), (0.5, -1.0)):
        describe(tmp_path, scale=scale, shift=shift)
        reader = OnnxReader(OnnxEncoder(str(tmp_path), tmp_path))
        found[scale] = (reader.fingerprint, reader.answer(asked))
    assert found[1.0][0] != found[0.5][0]
    for plain, scaled in zip(found[1.0][1], found[0.5][1], strict=True):
        assert plain[:3] == scaled[:3]
        odds = np.log1p(-plain.none) - np.log(plain.none)
        assert np.log1p(-scaled.none) - np.log(scaled.none) == pytest.approx(0.5 * odds - 1, abs=1e-6)


def test_a_folder_without_scale_and_shift_reads_the_scores_as_they_are(tmp_path):
    """Folders of earlier versions open."""
    shutil.copytree(EMBEDDED_FOLDER, tmp_path, dirs_exist_ok=True)
    described = json.loads((tmp_path / "reader.json").read_text())
    describe(tmp_path, scale=1.0, shift=0.0)
    asked = [("Who painted the portrait?", PAINTED)]
    plain = OnnxReader(OnnxEncoder(str(tmp_path), tmp_path)).answer(asked)
    del described["scale"], described["shift"]
    (tmp_path / "reader.json").write_text(json.dumps(described))
    assert OnnxReader(OnnxEncoder(str(tmp_path), tmp_path)).answer(asked) == plain


@pytest.mark.parametrize("scale", [0, -1, "much", None])
def test_a_scale_that_turns_or_blots_out_the_odds_is_refused(tmp_path, scale):
    """The message names the file and the field."""
    shutil.copytree(EMBEDDED_FOLDER, tmp_path, dirs_exist_ok=True)
    described = json.loads((tmp_path / "reader.json").read_text())
    (tmp_path / "reader.json").write_text(json.dumps({**described, "scale": scale}))
    with pytest.raises(ModelError, match=r"reader\.json: damaged.*\$\.scale"):
        OnnxReader(OnnxEncoder(str(tmp_path), tmp_path))

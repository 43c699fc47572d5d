"""The rows that the judge reads, for many pairs at once: as those of each pair by itself."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qassay.models.onnx.judge_rows import PairTexts, PieceText, judge_rows
from qassay.models.onnx.judge_segments import ASSERTED, ROLES, segment_ids

SPECIAL = (101, 102)


def piece_text(keys):
    """Return a text whose pieces are of two characters each, with a space between."""
    starts = 3 * np.arange(len(keys))
    return PieceText(np.array(keys, np.int64) + 500, np.array(keys, np.int64), np.stack([starts, starts + 2], axis=1))


texts = st.lists(st.integers(0, 6), max_size=7).map(piece_text)
spans = st.one_of(st.none(), st.lists(st.tuples(st.integers(0, 10), st.integers(0, 20)), max_size=2).map(tuple))
pairs = st.builds(
    lambda found, asserted: PairTexts(tuple(sorted(found)), tuple(found[role] for role in sorted(found)), asserted),
    st.dictionaries(st.integers(0, 3), texts, max_size=4),
    spans,
)


def one_row(pair, *, marks_assertions):
    """Build the row of a pair as its definition says."""
    found = dict(zip((ROLES[role] for role in pair.roles), pair.texts, strict=True))
    asserted = None
    if marks_assertions and "candidate" in found:
        places = found["candidate"].spans
        inside = [
            pair.asserted is None or any(low < end and high > start for start, end in pair.asserted)
            for low, high in places.tolist()
        ]
        asserted = np.append(np.array(inside, bool), False)
    segments = segment_ids({role: np.append(text.keys, 0) for role, text in found.items()}, asserted)
    pieces = [np.append(text.pieces, SPECIAL[1]) for text in found.values()]
    first = pair.roles[0] if pair.roles else 0
    return [SPECIAL[0], *np.concatenate([[], *pieces])], [4 * first, *np.concatenate([[], *segments.values()])]


@given(st.lists(pairs, max_size=5), st.booleans())
def test_rows_of_many_pairs_are_those_of_each(some, marks_assertions):
    """Whichever texts are there, whatever they share, and wherever candidates assert something."""
    rows = judge_rows(some, SPECIAL, marks_assertions=marks_assertions)
    assert [(ids.tolist(), segments.tolist()) for ids, segments in rows] == [
        one_row(pair, marks_assertions=marks_assertions) for pair in some
    ]


def test_a_shared_word_and_an_asserted_piece_are_marked():
    """The candidate's second piece is the reference's, and asserted."""
    pair = PairTexts((0, 2), (piece_text([7]), piece_text([5, 7])), ((3, 5),))
    ((ids, segments),) = judge_rows([pair], SPECIAL, marks_assertions=True)
    assert ids.tolist() == [101, 507, 102, 505, 507, 102]
    assert segments.tolist() == [0, 1, 0, 8, 8 + 1 + ASSERTED, 8]

"""The consistency head: windows of documents, verdicts and spans."""

import math

import pytest

from qassay.errors import ModelError
from qassay.models.load_readers import has_consistency, load_consistency
from qassay.models.onnx.consistency import OnnxConsistency, packed
from qassay.models.onnx.encoder import OnnxEncoder

DOCUMENT = (
    "Anna Berg won the women's race in Oslo on Sunday. The Norwegian finished ahead of Maria Holm of Sweden. "
    "About 4,000 people took part, fewer than in 2019."
)
LONG = " ".join(f"In the year {1000 + n} nothing worth telling happened in the village." for n in range(400))


@pytest.fixture(scope="module")
def checker():
    return load_consistency()


@pytest.mark.parametrize(
    ("sizes", "room", "ranges"),
    [
        ([], 10, []),
        ([3], 10, [(0, 1)]),
        ([4, 4, 4], 12, [(0, 3)]),
        ([4, 4, 4], 9, [(0, 2), (2, 3)]),
        ([2, 2, 2, 2, 2], 6, [(0, 3), (2, 5)]),
        ([20, 3], 10, [(0, 1), (1, 2)]),
    ],
)
def test_parts_are_packed_into_windows(sizes, room, ranges):
    """Windows are as full as they may be, and neighbours share what fits into a third."""
    assert packed(sizes, room) == ranges


def test_what_the_document_says_is_likelier_than_what_it_does_not(checker):
    """A sentence of the document against the same with another name, number or a denial."""
    claims = [
        "Anna Berg won the women's race in Oslo.",
        "Maria Holm won the women's race in Oslo.",
        "Anna Berg did not win the women's race in Oslo.",
        "About 9,000 people took part.",
    ]
    likely = [verdict.consistent for verdict in checker.check([(claim, DOCUMENT) for claim in claims])]
    assert likely[0] > 0.5
    assert max(likely[1:]) < likely[0]


def test_spans_are_places_in_the_texts(checker):
    """What is wrong is in the claim, what supports is in the document."""
    (verdict,) = checker.check([("Maria Holm won the women's race in Oslo on Sunday.", DOCUMENT)])
    assert verdict.consistent < 0.5
    assert verdict.wrong is not None
    assert verdict.support is not None
    start, end = verdict.support
    assert 0 <= start < end <= len(DOCUMENT)


def test_a_claim_scores_the_same_wherever_it_stands(checker):
    """Neighbours in a call do not matter, and equal pairs are one."""
    pairs = [("Anna Berg won.", DOCUMENT), ("Sweden won.", DOCUMENT), ("Anna Berg won.", DOCUMENT)]
    together = checker.check(pairs)
    assert together[0] == together[2]
    assert together == [checker.check([pair])[0] for pair in pairs]


def test_blank_texts_have_no_verdict(checker):
    """Neither a probability nor a span is made up."""
    for pair in (("", DOCUMENT), ("Anna won.", " \n")):
        (verdict,) = checker.check([pair])
        assert math.isnan(verdict.consistent)
        assert (verdict.wrong, verdict.support) == (None, None)


def test_of_a_long_document_the_nearest_windows_are_read(checker):
    """The sentence that matters is found among thousands of words."""
    far = f"{LONG} {DOCUMENT} {LONG}"
    claim = "Anna Berg won the women's race in Oslo on Sunday."
    (verdict,) = checker.check([(claim, far)])
    (near,) = checker.check([(claim, DOCUMENT)])
    assert checker.skims(far)
    assert not checker.skims(DOCUMENT)
    assert verdict.consistent > 0.5
    assert near.consistent > 0.5
    assert verdict.support is not None
    assert "Anna Berg" in far[slice(*verdict.support)]


def test_a_sentence_longer_than_a_window_is_cut(checker):
    """A text without a full stop is read all the same."""
    (verdict,) = checker.check(
        [("Anna Berg won the race.", "word " * 3000 + "Anna Berg won the race " + "word " * 3000)]
    )
    assert 0 <= verdict.consistent <= 1


def test_a_long_claim_is_cut(checker):
    """And said to be."""
    claim = "Anna Berg won the race and " + "then another one and " * 40
    assert checker.cuts(claim)
    assert not checker.cuts("Anna Berg won.")
    (verdict,) = checker.check([(claim, DOCUMENT)])
    assert 0 <= verdict.consistent <= 1


def test_a_folder_without_a_head_says_so(tmp_path):
    """The message names the command that makes one."""
    import shutil  # noqa: PLC0415 - for this test

    from qassay.models.base import EMBEDDED_FOLDER  # noqa: PLC0415 - as above

    shutil.copytree(EMBEDDED_FOLDER, tmp_path / "model", ignore=shutil.ignore_patterns("consistency.*"))
    folder = str(tmp_path / "model")
    assert not has_consistency(folder)
    with pytest.raises(ModelError, match="has no consistency head; train one with `qassay train consistency`"):
        OnnxConsistency(OnnxEncoder(folder, tmp_path / "model"))
    with pytest.raises(ModelError, match="has no consistency"):
        load_consistency("roberta-large")

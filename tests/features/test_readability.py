"""Texts that a model cannot read are not scored by it."""

import pytest

import qassay
from qassay.features.readability import UNREAD_TEXT

CHINESE = {"question": "《红楼梦》的作者是谁", "references": ["曹雪芹"], "candidate": "吴承恩"}
JUDGES = ["ava", "lerc", "bert_score"]


@pytest.mark.parametrize("spec", JUDGES)
def test_another_script_is_left_unscored(spec):
    """A wrong Chinese answer has no score from an English model, and the reason says why."""
    assert qassay.score([CHINESE], [spec]).score(spec, 0) == qassay.Score(None, UNREAD_TEXT)


@pytest.mark.parametrize("spec", JUDGES)
def test_another_script_can_be_scored_all_the_same(spec):
    """Whoever asks for it gets what the model makes of the text."""
    wanted = f"{spec},unread=score"
    assert qassay.score([CHINESE], [wanted]).score(wanted, 0).value is not None


@pytest.mark.parametrize("spec", JUDGES)
def test_identical_texts_need_no_reading(spec):
    """The same text is right in any script."""
    assert qassay.score([CHINESE | {"candidate": "曹雪芹"}], [spec]).score(spec, 0).value == 1


@pytest.mark.parametrize("spec", JUDGES)
def test_one_readable_reference_is_enough(spec):
    """Of several references those are used that the model reads."""
    row = CHINESE | {"references": ["曹雪芹", "Cao Xueqin"], "candidate": "Cao Xueqin wrote it."}
    assert qassay.score([row], [spec]).score(spec, 0).value > 0.5


def test_the_linear_judge_counts_words_in_any_script():
    """It has no network that would have to read."""
    assert qassay.score([CHINESE], ["ava,kind=linear"]).score("ava,kind=linear", 0).value is not None

"""Scripts are told from characters."""

import pytest

from qassay.errors import SpecError
from qassay.text.language import check_language, language, script, spaced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain English", "other"),
        ("naïve café", "other"),
        ("Привет, мир", "other"),
        ("秦朝用了十年", "han"),
        ("秦 dynasty", "han"),
        ("答えは東京です", "kana"),
        ("ﾊﾝｶｸ", "kana"),
        ("서울입니다", "hangul"),
        ("漢字와 한글", "hangul"),
        ("", "other"),
        ("?!", "other"),
    ],
)
def test_script(text, expected):
    """Kana marks Japanese, hangul Korean, Han characters alone Chinese; all else is written with spaces."""
    assert script(text) == expected


@pytest.mark.parametrize(("text", "code"), [("word", "en"), ("字", "zh"), ("かな", "ja"), ("글", "ko")])
def test_language(text, code):
    """Each script stands for a language."""
    assert language(text) == code


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["plain English"], True),
        ([""], True),
        (["What was the dynasty called in Chinese?", "Da Yuan (大元)"], True),
        (["大元"], False),
        (["新しいiPhoneはいつ出ますか", "iPhone 15 Pro Max"], False),
        (["ประเทศไทย"], False),
        (["Wie heißt die Hauptstadt?", "Straße"], True),
    ],
)
def test_spaced(texts, expected):
    """Texts are in a spaced language when their words outnumber the characters of unspaced scripts."""
    assert spaced(texts) is expected


@pytest.mark.parametrize("code", ["auto", "en", "zh", "de"])
def test_known_language_codes(code):
    """`auto` and codes of ISO 639-1 are accepted."""
    assert check_language(code) == code


@pytest.mark.parametrize("code", ["", "EN", "english", "e", "deu", "zh-CN", "1"])
def test_bad_language_codes(code):
    """Anything else is an error that says what to give."""
    with pytest.raises(SpecError, match="give auto or a code"):
        check_language(code)

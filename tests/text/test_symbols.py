"""Texts of symbols alone, compared as they are."""

import pytest

from qassay.text.symbols import holds_symbols, is_symbolic


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("===", "==="),
        ("The === operator", "==="),
        ("Not == but ===", "==="),
        ("=== or something like it", "==="),
        ("It is `===`.", "==="),
        ("**===**", "==="),
        ("a===b", "==="),
        ("the operator (===)", "==="),
        (": - )", ":-)"),
        ("It is :-)", ":-)"),
        ("(:-))", ":-)"),
        ("\uff1d\uff1d\uff1d", "==="),
        ("I \u2764 you", "\u2764\ufe0f"),
        ("the '?' sign", "?"),
        ("an ellipsis: ...", "..."),
        ("snake_case has _ in it", "_"),
    ],
)
def test_symbols_are_found_as_a_token(text, symbols):
    """In quotes, brackets or markdown, at the end of a sentence, between words, in any width."""
    assert holds_symbols(text, symbols)


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("==", "==="),
        ("====", "==="),
        ("!==", "=="),
        ("The == operator", "==="),
        ("strict equality", "==="),
        (":-(", ":-)"),
        (":)", ":-)"),
        ("Use ==, not ===.", "==="),
        ("It isn't ===, it's ==.", "==="),
        ("=== or ==", "==="),
        ("The :-( emoticon, not :-)", ":-)"),
        (":-)", "-"),
        ("& or |", "&&"),
        ("\U0001f602", "\U0001f600"),
        ("", "?"),
    ],
)
def test_other_symbols_and_parts_of_symbols_are_not_found(text, symbols):
    """A token is all of a run."""
    assert not holds_symbols(text, symbols)


@pytest.mark.parametrize(("text", "expected"), [("===", True), ("C++", False), ("3", False), (" ", False), ("", False)])
def test_letters_and_digits_are_no_symbols(text, expected):
    """Nor are spaces."""
    assert is_symbolic(text) is expected

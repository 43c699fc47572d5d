import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence.fuzzy_search import SearchedText
from qassay.text.tokenisers.tokenise import squad_words


def share(text: str, wanted: str) -> float:
    return SearchedText(text, squad_words(text)).share(squad_words(wanted))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # answers of systems and references as judged in EVOUNA-NQ and NarrativeQA
        ("The coldest was -128.6\u00b0F (-89.2\u00b0C) in 1983.", "\u2212128.6 \u00b0F"),
        ("is sung by Portugal. The Man1.", "Portugal. The Man."),
        ("from1985 to 19931. He was selected", "1985\u20131993"),
        ("held in 1951-52.", "1951\u201352"),
        ("35 years", "35 yrs"),
        ("about 71% of it", "71 percent"),
        ("about 71% of it", "71 per cent"),
        ("Wade has to secure twenty four votes.", "24"),
        ("Billy's last name is Coleman.", "Billy Colman"),
        ("a hectogon", "hecatogon"),
        ("Ceasar", "Caesar"),
        ("American Express Company", "American Express Co."),
        ("on Sept. 5", "5 September"),
        ("It was Beyonce.", "Beyonc\u00e9"),
        ("Henry the Eighth", "Henry VIII"),
        ("World War 2", "World War II"),
        ("to maximize profits", "Profit maximization"),
        ("It was 1940.", "Since 1940"),
        ("They are of it.", "of it"),  # where there is nothing but little words
    ],
)
def test_words_are_found_in_another_form(text: str, wanted: str):
    """Signs, short forms, footnotes, dashes, accents, numerals and slips of the pen hide nothing."""
    assert share(text, wanted) == 1


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("oxygen-16", "oxygen-18", 0.0),
        ("Henry VII", "Henry VIII", 0.5),
        ("Slovenia", "Slovakia", 0.0),  # two letters
        ("Marian", "Harian", 0.0),  # the first letter
        ("he is", "he was", 0.5),
        ("cart", "card", 0.0),  # too short to be a slip
        ("anything", "", 0.0),
    ],
)
def test_other_words_are_not_found(text: str, wanted: str, expected: float):
    """What differs in more than its form is another word."""
    assert share(text, wanted) == expected


@given(st.text(min_size=1).filter(str.strip))
def test_a_text_has_all_of_its_own_words(text: str):
    """In any script, with any signs."""
    assert share(text, text) == 1


def test_many_words_in_a_very_long_text_count_only_as_they_are():
    """Each word against each would be more than a thousand million comparisons."""
    words = [
        f"{'abcdefghij'[i % 10]}{i:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for i in range(100_000)
    ]
    assert SearchedText(" ".join(words), words).share([f"{word}y" for word in words]) < 0.01

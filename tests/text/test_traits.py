"""Traits of texts, found for many texts at once."""

from threading import Thread

from hypothesis import given
from hypothesis import strategies as st

from qassay.text.traits import (
    ALL,
    BEYOND_ASCII,
    CAPITALS,
    FIGURE,
    INNER_CAPITAL,
    find_traits,
    has_trait,
    word_trait,
)

NEVER = word_trait({"never", "internationalisation", "half-way"})


def _having(trait, *texts):
    return has_trait(find_traits(texts), trait).tolist()


def test_words_are_whole_runs_of_letters_in_either_case():
    """Figures and marks end a word, other letters do not."""
    assert _having(NEVER, "Never", "a NEVER2", "it's never.", "nevermore", "", "x") == [True] * 3 + [False] * 3


def test_long_words_and_parts_of_hyphenated_ones_are_found():
    """Of a hyphenated word the longest run of letters is looked for."""
    assert _having(NEVER, "Internationalisation", "half-way", "halfway", "internationalism") == [
        True,
        True,
        False,
        False,
    ]


def test_characters_and_neighbours_do_not_reach_into_the_next_text():
    """Each text is by itself, though they are read in one row."""
    assert _having(FIGURE, "a", "7", "b") == [False, True, False]
    assert _having(INNER_CAPITAL, "a", "B", "aB") == [False, False, True]
    assert _having(CAPITALS, "A", "BC", "D") == [False, True, False]


def test_a_text_beyond_ascii_may_have_anything():
    """So may one with a NUL character; only these are beyond ASCII."""
    assert find_traits(["caf\u00e9", "a\0b"]).tolist() == [ALL, ALL]
    assert _having(BEYOND_ASCII, "cafe", "caf\u00e9") == [False, True]


@given(st.lists(st.text(st.sampled_from("nevr NEVR1.-\u00e9"), max_size=12), max_size=6))
def test_texts_have_the_same_traits_together_as_alone(texts):
    """Nothing depends on a text's neighbours."""
    assert find_traits(texts).tolist() == [find_traits([text])[0] for text in texts]


def test_a_trait_is_found_though_texts_are_read_while_it_is_declared():
    """One thread of a server may import rules while another one scores."""
    reading = Thread(target=find_traits, args=(["x"],))

    def words():
        reading.start()
        reading.join(0.1)
        yield "zyzzyva"

    trait = word_trait(words())
    reading.join()
    assert _having(trait, "zyzzyva", "zebra") == [True, False]

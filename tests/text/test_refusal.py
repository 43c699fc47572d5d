from hypothesis import given
from hypothesis import strategies as st

from qassay.text.refusal import _WORD, find_refusals, is_refusal, repeats

TEXTS = [
    *("I could not find it.", "", "As an AI I do not have opinions. However, it is 5.", "It is not sure.", "in 1905"),
    *("I don\u2019t know", "caf\u00e9", "I cannot\0 answer", "did", "not find", "Unable to provide it", "I can't say"),
]


def test_refusals_are_found_in_many_texts_as_in_each():
    """Plain ones and others; what one text ends with and the next begins with is no wording."""
    assert find_refusals(TEXTS) == [is_refusal(text) for text in TEXTS]
    assert find_refusals([]) == []


@given(
    st.lists(st.lists(st.sampled_from(["did", " not ", "find", "i don't", " ", "know", "\0", "\u00e9"])).map("".join))
)
def test_any_texts_refuse_as_each_by_itself(texts: list[str]):
    """In whatever order the words come."""
    assert find_refusals(texts) == [is_refusal(text) for text in texts]


words = st.lists(
    st.sampled_from(["who", "Who", "WROTE", "wrote", "it", "?", "_", "5", "\u0130", "i", "\u03a3"]), max_size=4
)


@given(words.map(" ".join), words.map(" ".join))
def test_a_text_repeats_a_question_by_all_of_its_words(text: str, question: str):
    """In the question's order, whatever marks stand between them, unless one of both is twice as long."""
    found, asked = (_WORD.findall(each.lower()) for each in (text, question))
    near = abs(len(text) - len(question)) <= max(len(text), len(question)) // 2
    assert repeats(text, question) == (near and bool(found) and found == asked)

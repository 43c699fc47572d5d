"""Words, phrases and sentences of answers, as the builders of training data look for them."""

import re
from collections import Counter

from qassay.text.sentences import sentence_spans

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_NOT_LETTERS = re.compile(r"[\W_]+")

FUNCTION_WORDS = frozenset(
    """a an the this that these those there here it its he him his she her hers they them their we us our you your i me
    my who whom whose which what when where why how is am are was were be been being do does did doing done has have had
    having will would shall should can could may might must of in on at to for from by with about as into onto over
    under after before during between through up down out off and or but if then than so because while also just only
    very too such some any each both own same s t d ll m re ve""".split()  # noqa: SIM905 - a list of words reads best
)
"""Words that seldom carry an answer by themselves: the closed classes of English, without negations and numbers."""


def question_key(question: str) -> str:
    """Return the form by which two questions count as the same: letters and digits alone, lower-cased."""
    return _NOT_LETTERS.sub(" ", question.casefold()).strip()


def group_of(question: str) -> str:
    """Return the group of a question: the same for every wording that differs in case, spaces and marks alone."""
    return f"question:{question_key(question)}"


def words(text: str) -> list[tuple[str, Span]]:
    """Return the words of a text, lower-cased, with their character spans."""
    return [(match.group().casefold(), match.span()) for match in _WORD.finditer(text)]


def word_set(text: str) -> set[str]:
    """Return the distinct words of a text, lower-cased."""
    return {word for word, _ in words(text)}


def content_words(text: str) -> set[str]:
    """Return the distinct words of a text that are no function words."""
    return word_set(text) - FUNCTION_WORDS


def first_word(text: str) -> str:
    """Return the first word of a text, lower-cased; nothing where there is none."""
    found = words(text)
    return found[0][0] if found else ""


def content_spans(answer: str, question: str) -> tuple[Span, ...]:
    """Return the words of an answer that carry it: content words that the question does not hold.

    Where the question holds them all, every content word; where there is no content word at all, every word.
    """
    found = words(answer)
    asked = word_set(question)
    content = [(word, span) for word, span in found if word not in FUNCTION_WORDS]
    fresh = [(word, span) for word, span in content if word not in asked]
    return tuple(span for _, span in fresh or content or found)


def token_f1(left: str, right: str) -> float:
    """Return the token F1 of two answers, articles left out."""
    a, b = (Counter(word for word, _ in words(text) if word not in {"a", "an", "the"}) for text in (left, right))
    common = (a & b).total()
    return 2 * common / (a.total() + b.total()) if common else 0.0


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [text[slice(*span)] for span in sentence_spans(text)]


def sentence_around(text: str, span: Span) -> tuple[str, Span] | None:
    """Return the sentence that holds a span, and the span inside it.

    Sentences that a span crosses are joined, so that no boundary ever cuts an answer. `None` for a span outside the
    text or an empty one.
    """
    start, end = span
    if not 0 <= start < end <= len(text):
        return None
    touched = [(low, high) for low, high in sentence_spans(text) if low < end and start < high]
    if not touched:
        return None
    low, high = min(touched[0][0], start), max(touched[-1][1], end)
    return text[low:high], (start - low, end - low)


def find_phrase(text: str, phrase: str) -> list[Span]:
    """Return where a phrase stands as whole words, whatever its case and the width of its spaces."""
    parts = phrase.split()
    if not parts:
        return []
    pattern = r"\s+".join(re.escape(part) for part in parts)
    return [match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]


def find_longest_phrase(text: str, phrases: list[str]) -> tuple[Span, ...]:
    """Return where the longest phrase stands that the text holds without being all of it."""
    for phrase in sorted(phrases, key=len, reverse=True):
        found = find_phrase(text, phrase)
        if found and question_key(text) != question_key(phrase):
            return tuple(found)
    return ()


def span_fault(spans: tuple[Span, ...], text: str, fields: str) -> str | None:
    """Return what is wrong with the spans of a training row, if anything."""
    if any(not 0 <= start < end <= len(text) for start, end in spans):
        return f'"spans" must hold character ranges inside "{fields}"'
    return None

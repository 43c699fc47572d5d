"""Questions with a gap, where no plain question can be made: the sentence, with the question in brackets in it.

"A jacket worn in the 1939 movie has fetched $137,000." becomes "A jacket worn in (what movie?) has fetched $137,000.".
The rest of the sentence stays as it is written, so that the question is English where the sentence is; of sentences
that are no statements, and of phrases that stand for nothing by themselves, nothing is asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.replaceable import can_be_replaced
from qassay.metrics.questions.sentences.statements import is_statement, statement_start
from qassay.metrics.questions.wording.question_words import ask_within

if TYPE_CHECKING:
    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import TaggedSentence

_ENDING = re.compile(r"[\s.!?;:,\u2026-]+$")
_STOPPED = re.compile(r"[.!?][\"'\u2019\u201d]+$")
_QUOTES = re.compile("``|''|[\"\u201c\u201d]")


def ask_for_gap(sentence: TaggedSentence, answer: Phrase) -> str | None:
    """Return a sentence with a question in brackets in the place of an answer phrase; None where that is no English."""
    start, end = answer.characters(sentence)
    opening = statement_start(sentence.text)
    if start < opening or not is_statement(sentence) or not can_be_replaced(sentence, answer):
        return None
    before, after = sentence.text[opening:start], sentence.text[end:]
    asked = f"{ask_within(sentence, answer)}?"
    if not _QUOTES.sub("", before).strip():
        asked = f"{asked[:1].upper()}{asked[1:]}"
    in_brackets = before.endswith("(") and after.startswith(")")
    text = _ENDING.sub("", _without_odd_quotes(f"{before}{asked if in_brackets else f'({asked})'}{after}"))
    return f"{text[:1].upper()}{text[1:]}{'' if _STOPPED.search(text) else '.'}"


def _without_odd_quotes(text: str) -> str:
    """Leave out the quotation marks around the whole text, and those of which the other half is elsewhere."""
    marks = [mark.span() for mark in _QUOTES.finditer(text)]
    around = len(marks) == 2 and marks[0][0] == 0 and marks[1][1] == len(text)  # noqa: PLR2004 - a pair
    return _QUOTES.sub("", text) if around or len(marks) % 2 else text

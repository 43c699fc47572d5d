"""Keyphrase rows from data without marked spans: yes-no answers and short answers.

In a yes-no answer the yes or no is key. In a short answer to another question the content words are. Both make up for
what sentences around a marked span never show: answers as people give them in conversation.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec

from qassay.errors import DataError
from qassay.text.sentences import sentence_spans
from qassay.training.keyphrase.rows import FUNCTION_WORDS, KeyphraseRow, Span, content_spans, question_key, words
from qassay.training.source_files import read_json, read_json_lines, read_text
from qassay.training.source_rows import BoolQ, PubMedQA

_AUXILIARIES = frozenset(
    "is are was were do does did can could will would has have had should may might must".split()  # noqa: SIM905
)
_PLURAL = frozenset({"are", "were", "do", "have"})
_SUBJECTS = {"he": "he", "she": "she", "they": "they", "it": "it", "there": "there", "you": "I", "i": "you"}
_OPINION_WORDS = frozenset({"yes", "no", "not", "never", "none", "nobody", "nothing", "yeah", "nope"})
_LONGEST_SHORT_ANSWER = 25


def boolq(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """BoolQ: yes-no answers written out in the ways people give them."""
    for entry in read_json_lines(path, BoolQ):
        yield from yes_no_rows(entry.question, yes=entry.answer, passage=entry.passage, source=source)


def pubmedqa(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """PubMedQA: yes-no answers followed by the authors' conclusion; "maybe" gives no row."""
    for entry in read_json(path, dict[str, PubMedQA]).values():
        if entry.final_decision in {"yes", "no"}:
            yes = entry.final_decision == "yes"
            yield from yes_no_rows(entry.question, yes=yes, passage=entry.long_answer, source=source)


def yes_no_rows(question: str, *, yes: bool, passage: str, source: str) -> Iterator[KeyphraseRow]:
    """Write a yes-no answer out in two of four ways, chosen by the question's text.

    The word alone; with a short clause ("yes, it does"); before the passage's closest sentence, with and without a
    comma. The yes or no is key, and so is a "not" in the clause.
    """
    word = "yes" if yes else "no"
    forms = [word, _clause(question, word)]
    closest = _closest_sentence(question, passage)
    if closest:
        forms += [f"{word}, {closest}", f"{word.capitalize()} {closest}"]
    first = zlib.crc32(question.encode()) % len(forms)
    for answer in (forms[first], forms[(first + 1) % len(forms)]):
        clause_end = len(answer) if answer == forms[1] else len(word)
        spans = tuple(span for found, span in words(answer[:clause_end]) if found in _OPINION_WORDS)
        yield KeyphraseRow(question, answer, spans, source, f"question:{question_key(question)}")


def _clause(question: str, word: str) -> str:
    asked = [found for found, _ in words(question)]
    auxiliary = asked[0] if asked and asked[0] in _AUXILIARIES else "is"
    default = "they" if auxiliary in _PLURAL else "it"
    subject = _SUBJECTS.get(asked[1], default) if len(asked) > 1 else default
    return f"{word}, {subject} {auxiliary}" + ("" if word == "yes" else " not")


def _closest_sentence(question: str, passage: str) -> str:
    asked = {word for word, _ in words(question)} - FUNCTION_WORDS
    sentences = [passage[start:end] for start, end in sentence_spans(passage)]
    return max(sentences, key=lambda sentence: len(asked & {word for word, _ in words(sentence)}), default="")


def mcscript(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """MCScript: short answers to questions about everyday stories; wrong ones too, for they read the same."""
    try:
        root = ET.fromstring(read_text(path))  # noqa: S314 - data set files that the user names
    except ET.ParseError as problem:
        raise DataError(f"not XML: {problem}", path) from problem
    for question in root.iter("question"):
        for answer in question.iter("answer"):
            yield from _short_answer(question.get("text", ""), answer.get("text", ""), source)


class _Option(msgspec.Struct):
    text: str


class _MultiQuestion(msgspec.Struct):
    question: str
    answers: list[_Option]


class _MultiPassage(msgspec.Struct):
    questions: list[_MultiQuestion]


class _Multi(msgspec.Struct):
    passage: _MultiPassage


def multirc(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """MultiRC: the answer options of each question, right and wrong."""
    for entry in read_json_lines(path, _Multi):
        for asked in entry.passage.questions:
            for option in asked.answers:
                yield from _short_answer(asked.question, option.text, source)


def _short_answer(question: str, answer: str, source: str) -> Iterator[KeyphraseRow]:
    question, answer = " ".join(question.split()), " ".join(answer.split())
    count = len(words(answer))
    spans = _answer_key(question, answer)
    if question and count <= _LONGEST_SHORT_ANSWER and spans:
        yield KeyphraseRow(question, answer, spans, source, f"question:{question_key(question)}")


def _answer_key(question: str, answer: str) -> tuple[Span, ...]:
    found = words(answer)
    if found and found[0][0] in {"yes", "no"}:
        return (found[0][1],)
    return content_spans(answer, question)

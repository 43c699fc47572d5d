"""Keyphrase rows from published data: answers with the words that carry them.

Where people marked an answer's span, the answer is the sentence (or sentences) around it, as in KPQA (Lee et al. 2021,
section 3.1). In a yes-no answer the yes or no is key. In a short answer to another question the content words are. Both
make up for what sentences around a marked span never show: answers as people give them in conversation.
"""

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from qassay.errors import DataError
from qassay.training import files
from qassay.training.answer_text import (
    Span,
    content_spans,
    content_words,
    find_longest_phrase,
    find_phrase,
    group_of,
    sentence_around,
    sentences_of,
    span_fault,
    word_set,
    words,
)
from qassay.training.coreference import Resolver, resolve_by_title
from qassay.training.corpora import evouna as evouna_corpus
from qassay.training.corpora import hotpotqa, msmarco, multirc, qadialog, squad, trecqa, yes_no
from qassay.training.corpora import mcscript as mcscript_corpus
from qassay.training.corpora import qamr as qamr_corpus
from qassay.training.corpora import qed as qed_corpus
from qassay.training.corpora.tokens import join_spaced, merge_tokens, numbers_in
from qassay.training.keyphrase.rows import KeyphraseRow

_YES_NO = frozenset({"yes", "no"})
_AUXILIARIES = frozenset(
    "is are was were do does did can could will would has have had should may might must".split()  # noqa: SIM905
)
_PLURAL = frozenset({"are", "were", "do", "have"})
_SUBJECTS = {"he": "he", "she": "she", "they": "they", "it": "it", "there": "there", "you": "I", "i": "you"}
_OPINION_WORDS = frozenset({"yes", "no", "not", "never", "none", "nobody", "nothing", "yeah", "nope"})
_LONGEST_SHORT_ANSWER = 25


class OwnRow(msgspec.Struct):
    """A row of one's own: the key words as character ranges of the answer, or as phrases that stand in it."""

    question: str
    answer: str
    spans: tuple[Span, ...] = ()
    phrases: tuple[str, ...] = ()
    source: str = ""
    group: str = ""


def own_rows(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield rows of one's own, grouped by question where they name no group."""
    for row in files.read_rows(path, msgspec.json.Decoder(OwnRow), "keyphrase", _own_fault):
        found = row.spans + tuple(span for phrase in row.phrases for span in find_phrase(row.answer, phrase))
        group = row.group or group_of(row.question)
        yield KeyphraseRow(row.question, row.answer, tuple(sorted(set(found))), row.source or source, group)


def _own_fault(row: OwnRow) -> str | None:
    missing = next((phrase for phrase in row.phrases if not find_phrase(row.answer, phrase)), None)
    if missing is not None:
        return f'"phrases" has "{missing}", which "answer" does not hold as whole words'
    return span_fault(row.spans, row.answer, "answer") or (
        None if row.spans or row.phrases else 'give the key words, as "spans" or as "phrases"'
    )


def squad_answers(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield the sentences that hold the answer most annotators gave; grouped by article."""
    for row in squad.read(path):
        if not row.answers or not row.holds(chosen := row.commonest):
            continue
        if found := sentence_around(row.context, chosen.span):
            group = f"squad:{row.title or f'{path.name}:{row.article}'}"
            yield KeyphraseRow(row.question.strip(), found[0], (found[1],), source, group)


def hotpot(path: Path, source: str, resolve: Resolver = resolve_by_title) -> Iterator[KeyphraseRow]:
    """Yield the supporting sentences of multi-hop questions, in the order of the context.

    Yes-no questions give no row, since their answer is not in the text. Where a sentence clearly begins with a mention
    of its article's subject, it has the subject's name instead (the paper resolved coreference with SpanBERT).
    """
    for found in hotpotqa.read(path):
        if found.answer.casefold() in _YES_NO:
            continue
        row = found.resolved(resolve)
        if spans := find_phrase(row.supporting, row.answer):
            yield KeyphraseRow.of(row.question, row.supporting, tuple(spans), source)


def qamr(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield QAMR's sentences with the tokens that answer; grouped by sentence."""
    for row in qamr_corpus.read(path):
        yield KeyphraseRow(row.question, row.sentence, row.spans, source, f"qamr:{row.sentence_id}")


def evouna(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield systems' answers that a person judged right and that hold a reference answer word for word (EVOUNA)."""
    for row in evouna_corpus.read(path):
        for answer in row.answers:
            if answer.verdict and (spans := find_longest_phrase(answer.text, row.accepted)):
                yield KeyphraseRow.of(row.question, answer.text, spans, source)


def marco(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield a well-formed answer of each query, or a selected passage's sentence, that holds a short answer."""
    for row in msmarco.read(path):
        if not row.query:
            raise DataError("not in the expected format: Object missing required field `query`", path)
        well_formed = [row.well_formed] if isinstance(row.well_formed, str) else row.well_formed
        short = [answer.strip().rstrip(".") for answer in row.answers if answer != "No Answer Present."]
        found = [(text, find_longest_phrase(text, short)) for text in well_formed if text != "[]"]
        if not any(spans for _, spans in found):
            selected = [passage.passage_text for passage in row.passages if passage.is_selected]
            around = [
                sentence_around(text, spans[0]) for text in selected if (spans := find_longest_phrase(text, short))
            ]
            found = [(each[0], (each[1],)) for each in around if each]
        for text, spans in [each for each in found if each[1]][:1]:
            yield KeyphraseRow.of(row.query, text, spans, source)


def trec(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield TREC-QA's right sentences with the answer's tokens."""
    for asked in trecqa.read(path):
        for sentence in asked.sentences:
            tokens = sentence.columns(0)
            chosen = {number - 1 for number in numbers_in(sentence.rows[-1].replace("\t", " "))}
            if sentence.right and chosen and max(chosen) < len(tokens):
                text, spans = join_spaced(tokens)
                yield KeyphraseRow.of(asked.question, text, merge_tokens(text, spans, chosen), source)


def qed(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield the sentences that annotators selected as the explanation, with the answer's spans in them (QED)."""
    for row in qed_corpus.read(path):
        inside = all(0 <= start < end <= len(row.sentence) for start, end in row.sentence_spans)
        if row.sentence_spans and inside:
            yield KeyphraseRow.of(row.question, row.sentence, row.sentence_spans, source)


def answer_sentences(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield the sentences that people made of short answers, with the short answer as key part."""
    for row in qadialog.read(path):
        for sentence in row.sentences:
            if spans := find_longest_phrase(sentence, [row.answer]):
                yield KeyphraseRow.of(row.question, sentence, spans, source)


def _yes_no(read: Callable[[Path], Iterator[yes_no.YesNoRow]]) -> Callable[[Path, str], Iterator[KeyphraseRow]]:
    def rows(path: Path, source: str) -> Iterator[KeyphraseRow]:
        for row in read(path):
            if row.yes is not None:
                yield from yes_no_rows(row.question, yes=row.yes, passage=row.passage, source=source)

    return rows


def yes_no_rows(question: str, *, yes: bool, passage: str, source: str) -> Iterator[KeyphraseRow]:
    """Yield a yes-no answer written out in two of four ways, chosen by the question's text.

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
        yield KeyphraseRow.of(question, answer, spans, source)


def _clause(question: str, word: str) -> str:
    asked = [found for found, _ in words(question)]
    auxiliary = asked[0] if asked and asked[0] in _AUXILIARIES else "is"
    default = "they" if auxiliary in _PLURAL else "it"
    subject = _SUBJECTS.get(asked[1], default) if len(asked) > 1 else default
    return f"{word}, {subject} {auxiliary}" + ("" if word == "yes" else " not")


def _closest_sentence(question: str, passage: str) -> str:
    asked = content_words(question)
    return max(sentences_of(passage), key=lambda sentence: len(asked & word_set(sentence)), default="")


def mcscript(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield short answers to questions about everyday stories; wrong ones too, for they read the same (MCScript)."""
    for story in mcscript_corpus.read(path):
        for question in story.questions:
            for _, answer in question.answers:
                yield from _short_answer(question.text, answer, source)


def multirc_options(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Yield the answer options of each question of MultiRC, right and wrong."""
    for _, passage in multirc.read(path):
        for asked in passage.questions:
            for option in asked.answers:
                yield from _short_answer(asked.question, option.text, source)


def _short_answer(question: str, answer: str, source: str) -> Iterator[KeyphraseRow]:
    question, answer = " ".join(question.split()), " ".join(answer.split())
    found = words(answer)
    opinion = bool(found) and found[0][0] in _YES_NO
    spans = (found[0][1],) if opinion else content_spans(answer, question)
    if question and len(found) <= _LONGEST_SHORT_ANSWER and spans:
        yield KeyphraseRow.of(question, answer, spans, source)


Reader = Callable[[Path, str], Iterator[KeyphraseRow]]
"""From a file and the name of its source to rows."""

FORMATS: dict[str, Reader] = {
    "squad": squad_answers,
    "hotpot": hotpot,
    "qamr": qamr,
    "evouna": evouna,
    "msmarco": marco,
    "trecqa": trec,
    "qed": qed,
    "sentences": answer_sentences,
    "boolq": _yes_no(yes_no.read_boolq),
    "pubmedqa": _yes_no(yes_no.read_pubmedqa),
    "mcscript": mcscript,
    "multirc": multirc_options,
    "rows": own_rows,
}


def formats_with(resolve: Resolver) -> dict[str, Reader]:
    """Return the formats, those with paragraphs to resolve coreference in with another resolver."""
    return FORMATS | {"hotpot": partial(hotpot, resolve=resolve)}

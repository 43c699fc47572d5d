"""Judge rows made from answers that are known to be right: the same said otherwise, and the same with its core changed.

What people judged seldom shows a sentence that is right but for one name or number. These rows do.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as XML  # noqa: ICN001, N814 - the module, under the name of what it reads

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.io.readers.answer_selection import read_selection
from qassay.io.source import Source
from qassay.training.judge.rows import JudgeRow, group_of
from qassay.training.keyphrase import answers as answer_sources
from qassay.training.keyphrase import spans as span_sources
from qassay.training.keyphrase.rows import KeyphraseRow, question_key, words
from qassay.training.source_files import read_json, read_json_lines, read_text
from qassay.training.source_rows import AnswerSentences, BoolQ, PubMedQA

_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")


class SwapPool:
    """Short answers by the kind of question and of answer, from which a plausible wrong one is drawn."""

    def __init__(self, answers: Iterable[tuple[str, str]]) -> None:
        self._pool: dict[tuple[str, str], list[str]] = defaultdict(list)
        for question, answer in answers:
            self._pool[self._kind(question, answer)].append(answer)

    @staticmethod
    def _kind(question: str, answer: str) -> tuple[str, str]:
        asked = words(question)
        if _YEAR.search(answer):
            shape = "year"
        elif _NUMBER.search(answer):
            shape = "number"
        else:
            shape = "name" if answer[:1].isupper() else "phrase"
        return (asked[0][0] if asked else "", shape)

    def draw(self, question: str, answer: str, rng: np.random.Generator) -> str | None:
        """Draw another answer of the same kind, or none when a few draws find nothing different."""
        options: list[str] = self._pool[self._kind(question, answer)]
        own = question_key(answer)
        places: list[int] = rng.integers(len(options), size=5).tolist() if options else []
        for index in places:
            drawn = question_key(options[index])
            if drawn and drawn not in own and own not in drawn:
                return options[index]
        return None


def spans_swapped(rows: Iterable[KeyphraseRow], source: str, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Make two rows of each answer with a marked span: a right one, and a wrong one with the span exchanged.

    Right: the span against its answer, either way round. Wrong: the answer with another span of the same kind in its
    place, against the span or against the true answer; or the other span alone.
    """
    kept = [row for row in rows if row.spans and row.answer[slice(*row.spans[0])] != row.answer]
    pool = SwapPool((row.question, row.answer[slice(*row.spans[0])]) for row in kept)
    for row in kept:
        span = row.answer[slice(*row.spans[0])]
        group = group_of(row.question)
        shorter_first = rng.random() < 0.6  # noqa: PLR2004 - short references are the more common ones
        reference, candidate = (span, row.answer) if shorter_first else (row.answer, span)
        yield JudgeRow(row.question, (reference,), candidate, 1.0, source, group)
        other = pool.draw(row.question, span, rng)
        if other is None:
            continue
        changed = row.answer
        for start, end in reversed(row.spans):
            changed = changed[:start] + other + changed[end:]
        wrong = [(span, changed), (row.answer, changed), (row.answer, other)][rng.choice(3, p=(0.35, 0.5, 0.15))]
        yield JudgeRow(row.question, (wrong[0],), wrong[1], 0.0, source, group)


def _from_spans(
    reader: Callable[[Path, str], Iterator[KeyphraseRow]], source: str
) -> Callable[[Path, np.random.Generator], Iterator[JudgeRow]]:
    def read(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
        return spans_swapped(reader(path, source), source, rng)

    read.__doc__ = reader.__doc__
    return read


squad_spans = _from_spans(span_sources.squad, "squad_spans")
evouna_spans = _from_spans(span_sources.evouna, "evouna_spans")
qed_spans = _from_spans(span_sources.qed, "qed_spans")
trec_spans = _from_spans(span_sources.trecqa, "trec_spans")
qadialog_spans = _from_spans(span_sources.answer_sentences, "qadialog_spans")


def qamr(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """QAMR: the sentence that holds the answer (right), and the answer to another question about the same sentence."""
    by_sentence: dict[str, list[KeyphraseRow]] = defaultdict(list)
    for row in span_sources.qamr(path, "qamr"):
        by_sentence[row.group].append(row)
    for rows in by_sentence.values():
        answers = [" ".join(row.answer[slice(*span)] for span in row.spans) for row in rows]
        for row, answer in zip(rows, answers, strict=True):
            yield JudgeRow(row.question, (answer,), row.answer, 1.0, "qamr", row.group)
            others = [text for text in answers if not _overlapping(text, answer)]
            if others:
                wrong = others[int(rng.integers(len(others)))]
                yield JudgeRow(row.question, (answer,), wrong, 0.0, "qamr", row.group)


def _overlapping(left: str, right: str) -> bool:
    a, b = ({word for word, _ in words(text)} for text in (left, right))
    return bool(a & b)


def qadialog(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Short answers that people turned into sentences: two sentences of one question say the same."""
    for entry in read_json_lines(path, AnswerSentences):
        texts = list(dict.fromkeys(written.sentence for written in entry.sentences))
        if len(texts) > 1:
            first, second = rng.permutation(len(texts))[:2]
            group = group_of(entry.question)
            yield JudgeRow(entry.question, (texts[first],), texts[second], 1.0, "qadialog", group)


def mcscript(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """MCScript: the wrong option against the right one; the right one said in other words where it allows it."""
    try:
        root = XML.fromstring(read_text(path))  # noqa: S314 - data set files that the user names
    except XML.ParseError as problem:
        raise DataError(f"not XML: {problem}", path) from problem
    for instance in root.iter("instance"):
        context = (instance.findtext("text") or "").strip()
        for asked in instance.iter("question"):
            question = asked.get("text", "").strip()
            options = {answer.get("correct"): answer.get("text", "").strip() for answer in asked.iter("answer")}
            right, wrong = options.get("True"), options.get("False")
            if not right or not wrong:
                continue
            group = group_of(question)
            yield JudgeRow(question, (right,), wrong, 0.0, "mcscript", group, context)
            yield JudgeRow(question, (right,), reworded(right, rng), 1.0, "mcscript", group, context)


_LEADS = ("i think ", "it was ", "they said ", "i believe ", "probably ", "well, ")
_OPENERS = re.compile(r"^(?:they|he|she|it|we|i|the|a|an|to|in|on|at|by|because)\s+", re.IGNORECASE)


def reworded(answer: str, rng: np.random.Generator) -> str:
    """Say a short answer otherwise without changing it: case, marks, a lead-in, a light first word dropped."""
    bare = answer.strip().rstrip(".").strip()
    forms = [bare.lower(), bare, f"{_LEADS[int(rng.integers(len(_LEADS)))]}{bare.lower()}"]
    shortened = _OPENERS.sub("", bare)
    if len(words(shortened)) > 1:
        forms.append(shortened)
    return forms[int(rng.integers(len(forms)))]


class _References(msgspec.Struct):
    id: str
    references: list[str]


def narrativeqa(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """NarrativeQA: the two references of a question say the same; that of the question beside it does not.

    The questions are not in the file. Neighbours come from one story, so that a wrong answer is about the same people.
    """
    entries = [entry for entry in read_json_lines(path, _References) if len(entry.references) > 1]
    for entry, following in zip(entries, [*entries[1:], *entries[:1]], strict=True):
        first, second = (entry.references[index] for index in rng.permutation(2))
        group = f"narrativeqa:{entry.id}"
        if question_key(first) != question_key(second):
            yield JudgeRow("", (first,), second, 1.0, "narrativeqa", group)
        if not _overlapping(first, following.references[0]):
            yield JudgeRow("", (first,), following.references[0], 0.0, "narrativeqa", group)


class _Marco(msgspec.Struct):
    answers: list[str]
    query_id: int


def msmarco(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """MS MARCO answers: two to one query say the same; one with another number in it does not.

    The queries are not in the file.
    """
    entries = list(read_json_lines(path, _Marco))
    numbers = [found for entry in entries for text in entry.answers for found in _NUMBER.findall(text)]
    for entry in entries:
        texts = list(dict.fromkeys(text.strip() for text in entry.answers if text.strip()))
        group = f"msmarco:{entry.query_id}"
        if len(texts) > 1:
            first, second = rng.permutation(len(texts))[:2]
            yield JudgeRow("", (texts[first],), texts[second], 1.0, "msmarco", group)
        for text in texts[:1]:
            changed = renumbered(text, numbers, rng)
            if changed is not None:
                yield JudgeRow("", (text,), changed, 0.0, "msmarco", group)
                yield JudgeRow("", (text,), reworded(text, rng), 1.0, "msmarco", group)


def renumbered(text: str, numbers: Sequence[str], rng: np.random.Generator) -> str | None:
    """Put another number in the place of one that the text holds; nothing where it holds none."""
    found = list(_NUMBER.finditer(text))
    if not found or not numbers:
        return None
    match = found[int(rng.integers(len(found)))]
    other = next(
        (drawn for index in rng.integers(len(numbers), size=5) if (drawn := numbers[index]) != match.group()), None
    )
    return None if other is None else text[: match.start()] + other + text[match.end() :]


_YES = ("yes", "yeah", "yes, i think so", "yes, that is right", "correct", "i believe so, yes", "it seems so")
_NO = ("no", "nope", "no, i don't think so", "no, that is not right", "not at all", "i don't believe so", "never")


def yes_no(question: str, *, yes: bool, passage: str, source: str, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Hold yes-no answers against each other: the same opinion in other words (1), and the opposite one (0)."""
    same, opposite = (
        [row.answer for row in answer_sources.yes_no_rows(question, yes=opinion, passage=passage, source=source)]
        + [forms[index] for index in rng.permutation(len(forms))[:2]]
        for opinion, forms in ((yes, _YES if yes else _NO), (not yes, _NO if yes else _YES))
    )
    first, second = rng.permutation(len(same))[:2]
    group = group_of(question)
    yield JudgeRow(question, (same[first],), same[second], 1.0, source, group)
    yield JudgeRow(question, (same[first],), opposite[int(rng.integers(len(opposite)))], 0.0, source, group)


def boolq(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """BoolQ: yes-no questions, answered twice in the same sense and once in the other."""
    for entry in read_json_lines(path, BoolQ):
        yield from yes_no(entry.question, yes=entry.answer, passage=entry.passage, source="boolq", rng=rng)


def pubmedqa(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """PubMedQA: as `boolq`, with the authors' conclusion in longer answers; "maybe" gives no row."""
    for entry in read_json(path, dict[str, PubMedQA]).values():
        if entry.final_decision in {"yes", "no"}:
            yes = entry.final_decision == "yes"
            yield from yes_no(entry.question, yes=yes, passage=entry.long_answer, source="pubmedqa", rng=rng)


class _Text(msgspec.Struct):
    text: str


class _Asked(msgspec.Struct):
    id: str
    question: str
    answers: list[_Text]
    original_id: str = ""


class _Paragraph(msgspec.Struct):
    qas: list[_Asked]
    context: str = ""


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]


class _Perturbed(msgspec.Struct):
    data: list[_Article]


def quoref_contrast(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Contrast sets (Gardner et al. 2020): after a small change of the question, its first answer is wrong.

    Reads the perturbed file; the original lies beside it.
    """
    original = next(path.parent.glob("quoref_original*.json"), None)
    if original is None:
        raise DataError("the file of original questions (quoref_original….json) is not beside it", path)
    before = {
        asked.id: "; ".join(answer.text for answer in asked.answers)
        for article in read_json(original, _Perturbed).data
        for paragraph in article.paragraphs
        for asked in paragraph.qas
    }
    for article in read_json(path, _Perturbed).data:
        for paragraph in article.paragraphs:
            for asked in paragraph.qas:
                right, wrong = "; ".join(answer.text for answer in asked.answers), before.get(asked.original_id)
                if right and wrong and not _overlapping(right, wrong):
                    group = group_of(asked.question)
                    yield JudgeRow(asked.question, (right,), wrong, 0.0, "quoref", group, paragraph.context)


def wikiqa(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """WikiQA answer selection: right sentences against each other, and wrong ones against a right one."""
    for asked in read_selection(Source.at(path)):
        yield from selection(asked.question, asked.right, asked.wrong, "wikiqa", rng)


def selection(
    question: str, right: Sequence[str], wrong: Sequence[str], source: str, rng: np.random.Generator
) -> Iterator[JudgeRow]:
    """Hold up to two right and two wrong sentences against one right sentence drawn as the reference."""
    if not right:
        return
    chosen = int(rng.integers(len(right)))
    others = [text for index, text in enumerate(right) if index != chosen and text != right[chosen]]
    for label, texts in ((1.0, others), (0.0, wrong)):
        for index in rng.permutation(len(texts))[:2]:
            yield JudgeRow(question, (right[chosen],), texts[index], label, source, group_of(question))

"""Judge rows made from answers that are known to be right: the same said otherwise, and the same with its core changed.

What people judged seldom shows a sentence that is right but for one name or number. These rows do.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from qassay.errors import DataError
from qassay.io.readers.datasets.answer_selection import read_selection
from qassay.io.source import Source
from qassay.training.answer_text import first_word, question_key, word_set, words
from qassay.training.corpora import mcscript as mcscript_corpus
from qassay.training.corpora import msmarco as msmarco_corpus
from qassay.training.corpora import qadialog as qadialog_corpus
from qassay.training.corpora import squad, yes_no
from qassay.training.corpora.others import read_narrativeqa
from qassay.training.judge.rows import JudgeRow
from qassay.training.keyphrase import sources as marked
from qassay.training.keyphrase.rows import KeyphraseRow

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
        if _YEAR.search(answer):
            shape = "year"
        elif _NUMBER.search(answer):
            shape = "number"
        else:
            shape = "name" if answer[:1].isupper() else "phrase"
        return first_word(question), shape

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
    """Yield two rows of each answer with a marked span: a right one, and a wrong one with the span exchanged.

    Right: the span against its answer, either way round. Wrong: the answer with another span of the same kind in its
    place, against the span or against the true answer; or the other span alone.
    """
    kept = [row for row in rows if row.spans and row.answer[slice(*row.spans[0])] != row.answer]
    pool = SwapPool((row.question, row.answer[slice(*row.spans[0])]) for row in kept)
    for row in kept:
        span = row.answer[slice(*row.spans[0])]
        shorter_first = rng.random() < 0.6  # noqa: PLR2004 - short references are the more common ones
        reference, candidate = (span, row.answer) if shorter_first else (row.answer, span)
        yield JudgeRow.of(row.question, reference, candidate, 1.0, source)
        other = pool.draw(row.question, span, rng)
        if other is None:
            continue
        changed = row.answer
        for start, end in reversed(row.spans):
            changed = changed[:start] + other + changed[end:]
        wrong = [(span, changed), (row.answer, changed), (row.answer, other)][rng.choice(3, p=(0.35, 0.5, 0.15))]
        yield JudgeRow.of(row.question, *wrong, 0.0, source)


def _from_spans(
    reader: Callable[[Path, str], Iterator[KeyphraseRow]], source: str
) -> Callable[[Path, np.random.Generator], Iterator[JudgeRow]]:
    def read(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
        return spans_swapped(reader(path, source), source, rng)

    return read


squad_spans = _from_spans(marked.squad_answers, "squad_spans")
evouna_spans = _from_spans(marked.evouna, "evouna_spans")
qed_spans = _from_spans(marked.qed, "qed_spans")
trec_spans = _from_spans(marked.trec, "trec_spans")
qadialog_spans = _from_spans(marked.answer_sentences, "qadialog_spans")


def qamr(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield QAMR's sentence that holds the answer (right), and the answer to another question about it."""
    by_sentence: dict[str, list[KeyphraseRow]] = defaultdict(list)
    for row in marked.qamr(path, "qamr"):
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
    return bool(word_set(left) & word_set(right))


def qadialog(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield sentences that people made of one short answer: two of one question say the same."""
    for row in qadialog_corpus.read(path):
        texts = list(dict.fromkeys(row.sentences))
        if len(texts) > 1:
            first, second = rng.permutation(len(texts))[:2]
            yield JudgeRow.of(row.question, texts[first], texts[second], 1.0, "qadialog")


def mcscript(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield MCScript's wrong option against the right one, and the right one said in other words."""
    for story in mcscript_corpus.read(path):
        context = story.text.strip()
        for asked in story.questions:
            question = asked.text.strip()
            options = {correct: text.strip() for correct, text in asked.answers}
            right, wrong = options.get("True"), options.get("False")
            if right and wrong:
                yield JudgeRow.of(question, right, wrong, 0.0, "mcscript", context)
                yield JudgeRow.of(question, right, reworded(right, rng), 1.0, "mcscript", context)


_LEADS = ("i think ", "it was ", "they said ", "i believe ", "probably ", "well, ")
_OPENERS = re.compile(r"^(?:they|he|she|it|we|i|the|a|an|to|in|on|at|by|because)\s+", re.IGNORECASE)


def reworded(answer: str, rng: np.random.Generator) -> str:
    """Return a short answer in other words: another case or punctuation, a lead-in, or no light first word."""
    bare = answer.strip().rstrip(".").strip()
    forms = [bare.lower(), bare, f"{_LEADS[int(rng.integers(len(_LEADS)))]}{bare.lower()}"]
    shortened = _OPENERS.sub("", bare)
    if len(words(shortened)) > 1:
        forms.append(shortened)
    return forms[int(rng.integers(len(forms)))]


def narrativeqa(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield pairs of references (NarrativeQA): those of one question say the same, that of its neighbour does not.

    The questions are not in the file. Neighbours come from one story, so that a wrong answer is about the same people.
    """
    entries = [entry for entry in read_narrativeqa(path) if len(entry.references) > 1]
    for entry, following in zip(entries, [*entries[1:], *entries[:1]], strict=True):
        first, second = (entry.references[index] for index in rng.permutation(2))
        group = f"narrativeqa:{entry.id}"
        if question_key(first) != question_key(second):
            yield JudgeRow("", (first,), second, 1.0, "narrativeqa", group)
        if not _overlapping(first, following.references[0]):
            yield JudgeRow("", (first,), following.references[0], 0.0, "narrativeqa", group)


def msmarco(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield MS MARCO answers: two to one query say the same; one with another number in it does not.

    The queries are not in the file.
    """
    entries = list(msmarco_corpus.read(path))
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


def yes_no_pairs(
    question: str, *, yes: bool, passage: str, source: str, rng: np.random.Generator
) -> Iterator[JudgeRow]:
    """Yield yes-no answers against each other: the same opinion in other words (1), and the opposite one (0)."""
    same, opposite = (
        [row.answer for row in marked.yes_no_rows(question, yes=opinion, passage=passage, source=source)]
        + [forms[index] for index in rng.permutation(len(forms))[:2]]
        for opinion, forms in ((yes, _YES if yes else _NO), (not yes, _NO if yes else _YES))
    )
    first, second = rng.permutation(len(same))[:2]
    yield JudgeRow.of(question, same[first], same[second], 1.0, source)
    yield JudgeRow.of(question, same[first], opposite[int(rng.integers(len(opposite)))], 0.0, source)


def _yes_no(
    read: Callable[[Path], Iterator[yes_no.YesNoRow]], source: str
) -> Callable[[Path, np.random.Generator], Iterator[JudgeRow]]:
    def rows(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
        for row in read(path):
            if row.yes is not None:
                yield from yes_no_pairs(row.question, yes=row.yes, passage=row.passage, source=source, rng=rng)

    return rows


boolq = _yes_no(yes_no.read_boolq, "boolq")
"""Yes-no questions, answered twice in the same sense and once in the other."""
pubmedqa = _yes_no(yes_no.read_pubmedqa, "pubmedqa")
"""The same with the authors' conclusion in longer answers; "maybe" gives no row."""


def quoref_contrast(path: Path, _rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield contrast sets (Gardner et al. 2020): after a small change of the question, its first answer is wrong.

    Reads the perturbed file; the original lies beside it.
    """
    original = next(path.parent.glob("quoref_original*.json"), None)
    if original is None:
        raise DataError("the file of original questions (quoref_original….json) is not beside it", path)
    before = {row.id: "; ".join(answer.text for answer in row.answers) for row in squad.read(original)}
    for row in squad.read(path):
        right, wrong = "; ".join(answer.text for answer in row.answers), before.get(row.original_id)
        if right and wrong and not _overlapping(right, wrong):
            yield JudgeRow.of(row.question, right, wrong, 0.0, "quoref", row.context)


def wikiqa(path: Path, rng: np.random.Generator) -> Iterator[JudgeRow]:
    """Yield right sentences of WikiQA against each other, and wrong ones against a right one."""
    for asked in read_selection(Source.at(path)):
        yield from selection(asked.question, asked.right, asked.wrong, "wikiqa", rng)


def selection(
    question: str, right: Sequence[str], wrong: Sequence[str], source: str, rng: np.random.Generator
) -> Iterator[JudgeRow]:
    """Yield up to two right and two wrong sentences against one right sentence drawn as the reference."""
    if not right:
        return
    chosen = int(rng.integers(len(right)))
    others = [text for index, text in enumerate(right) if index != chosen and text != right[chosen]]
    for label, texts in ((1.0, others), (0.0, wrong)):
        for index in rng.permutation(len(texts))[:2]:
            yield JudgeRow.of(question, right[chosen], texts[index], label, source)

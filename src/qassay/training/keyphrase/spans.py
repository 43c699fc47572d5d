"""Keyphrase rows from data in which people marked the answer's span.

Each reader takes a file and the source name that its rows carry. An answer is the sentence (or sentences) around
the marked span, as in KPQA (Lee et al. 2021, section 3.1).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from qassay.training.answer_text import find_phrase, sentence_around
from qassay.training.keyphrase.rows import KeyphraseRow, Span, question_key
from qassay.training.source_files import read_json, read_json_lines, read_table, read_text
from qassay.training.source_rows import AnswerSentences

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}
_JUDGED_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
_YES_NO = frozenset({"yes", "no"})


class _SquadAnswer(msgspec.Struct):
    text: str
    answer_start: int


class _SquadQuestion(msgspec.Struct):
    question: str
    answers: list[_SquadAnswer] = []


class _SquadParagraph(msgspec.Struct):
    context: str
    qas: list[_SquadQuestion]


class _SquadArticle(msgspec.Struct):
    paragraphs: list[_SquadParagraph]
    title: str = ""


class _Squad(msgspec.Struct):
    data: list[_SquadArticle]


def squad(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """SQuAD-format files: the sentence that holds the answer most annotators gave; grouped by article.

    Questions without an answer (SQuAD 2.0) give no row.
    """
    for number, article in enumerate(read_json(path, _Squad).data):
        group = f"squad:{article.title or f'{path.name}:{number}'}"
        for paragraph in article.paragraphs:
            for entry in paragraph.qas:
                if not entry.answers:
                    continue
                texts = Counter(answer.text for answer in entry.answers)
                chosen = max(entry.answers, key=lambda answer: texts[answer.text])
                span = (chosen.answer_start, chosen.answer_start + len(chosen.text))
                if paragraph.context[slice(*span)] != chosen.text:
                    continue
                if found := sentence_around(paragraph.context, span):
                    sentence, inside = found
                    yield KeyphraseRow(entry.question.strip(), sentence, (inside,), source, group)


class _HotpotPairs(msgspec.Struct):
    question: str
    answer: str
    supporting_facts: list[tuple[str, int]]
    context: list[tuple[str, list[str]]]


class _Facts(msgspec.Struct):
    title: list[str]
    sent_id: list[int]


class _Paragraphs(msgspec.Struct):
    title: list[str]
    sentences: list[list[str]]


class _HotpotColumns(msgspec.Struct):
    question: str
    answer: str
    supporting_facts: _Facts
    context: _Paragraphs


def hotpot(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Multi-hop questions with supporting facts: all supporting sentences, in the order of the context.

    Both published shapes are read. Yes-no questions give no row, since their answer is not in the text. Coreference
    is not resolved (the paper did so with SpanBERT): a sentence keeps its "he" or "it".
    """
    for raw in read_json(path, list[dict[str, msgspec.Raw]]):
        facts, paragraphs, question, answer = _hotpot_parts(raw)
        if answer.casefold() in _YES_NO:
            continue
        chosen = [
            sentence.strip()
            for title, sentences in paragraphs
            for index, sentence in enumerate(sentences)
            if (title, index) in facts
        ]
        text = " ".join(chosen)
        if spans := find_phrase(text, answer):
            yield KeyphraseRow(question, text, tuple(spans), source, f"question:{question_key(question)}")


def hotpot_paragraphs(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Return the paragraphs beside multi-hop questions, each a title with its sentences."""
    for raw in read_json(path, list[dict[str, msgspec.Raw]]):
        yield from _hotpot_parts(raw)[1]


def _hotpot_parts(
    raw: dict[str, msgspec.Raw],
) -> tuple[set[tuple[str, int]], list[tuple[str, list[str]]], str, str]:
    columns = bytes(raw["context"]).lstrip().startswith(b"{")
    text = msgspec.json.encode(raw)
    if columns:
        wide = msgspec.json.decode(text, type=_HotpotColumns)
        facts = set(zip(wide.supporting_facts.title, wide.supporting_facts.sent_id, strict=True))
        paragraphs = list(zip(wide.context.title, wide.context.sentences, strict=True))
        return facts, paragraphs, wide.question, wide.answer
    pairs = msgspec.json.decode(text, type=_HotpotPairs)
    return set(pairs.supporting_facts), pairs.context, pairs.question, pairs.answer


def qamr(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """QAMR question-answer pairs; the sentences lie beside them in `wiki-sentences.tsv`.

    Key are the tokens that at least two annotators chose, or else the question's author; grouped by sentence.
    """
    sentences = {row[0]: row[1].split(" ") for row in read_table(path.with_name("wiki-sentences.tsv"))}
    for row in read_table(path):
        tokens = sentences.get(row[0])
        if tokens is None:
            continue
        votes = [_indices(row[6]), *(_indices(cell.partition(":")[2]) for cell in row[7:9])]
        counts = Counter(index for vote in votes for index in vote)
        chosen = {index for index, count in counts.items() if count > 1} or votes[0]
        if chosen and max(chosen) < len(tokens):
            text, places = _join(tokens)
            yield KeyphraseRow(row[5], text, _merge(text, places, chosen), source, f"qamr:{row[0]}")


def _indices(cell: str) -> set[int]:
    return {int(part) for part in cell.split() if part.isdecimal()}


def _join(tokens: Iterable[str]) -> tuple[str, list[Span]]:
    text = ""
    places = []
    for token in tokens:
        plain = _BRACKETS.get(token, token)
        text += " " if text else ""
        places.append((len(text), len(text) + len(plain)))
        text += plain
    return text, places


def _merge(text: str, places: Sequence[Span], chosen: Iterable[int]) -> tuple[Span, ...]:
    merged: list[Span] = []
    for index in sorted(chosen):
        start, end = places[index]
        if merged and not text[merged[-1][1] : start].strip():
            start = merged.pop()[0]
        merged.append((start, end))
    return tuple(merged)


def evouna(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Systems' answers that a person judged right and that hold a reference answer word for word (EVOUNA).

    Left out: questions marked improper, and answers that are nothing but the reference.
    """
    for entry in read_json(path, list[dict[str, object]]):
        if entry.get("improper"):
            continue
        question = str(entry["question"])
        accepted = [part for part in str(entry["golden_answer"]).split("/") if part.strip()]
        for system in _JUDGED_SYSTEMS:
            answer = entry.get(f"answer_{system}")
            if entry.get(f"judge_{system}") is not True or not isinstance(answer, str):
                continue
            if spans := _phrase_inside(answer, accepted):
                yield KeyphraseRow(question, answer, spans, source, f"question:{question_key(question)}")


def _phrase_inside(text: str, phrases: Iterable[str]) -> tuple[Span, ...]:
    """Find the longest phrase that stands in the text without being all of it."""
    for phrase in sorted(phrases, key=len, reverse=True):
        found = find_phrase(text, phrase)
        if found and question_key(text) != question_key(phrase):
            return tuple(found)
    return ()


class _Passage(msgspec.Struct):
    passage_text: str
    is_selected: int = 0


class _Marco(msgspec.Struct):
    query: str
    answers: list[str]
    passages: list[_Passage] = []
    well_formed: list[str] | str = msgspec.field(name="wellFormedAnswers", default_factory=list)


def msmarco(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """MS MARCO Q&A: a well-formed answer, or a selected passage's sentence, that holds a short answer.

    Reads one object a line, or the released file of columns keyed by row number.
    """
    for entry in _marco_entries(path):
        group = f"question:{question_key(entry.query)}"
        well_formed = [entry.well_formed] if isinstance(entry.well_formed, str) else entry.well_formed
        short = [answer.strip().rstrip(".") for answer in entry.answers if answer != "No Answer Present."]
        rows = [
            KeyphraseRow(entry.query, text, spans, source, group)
            for text in well_formed
            if text != "[]" and (spans := _phrase_inside(text, short))
        ]
        if not rows:
            selected = [passage.passage_text for passage in entry.passages if passage.is_selected]
            rows = [
                KeyphraseRow(entry.query, found[0], (found[1],), source, group)
                for text in selected
                if (spans := _phrase_inside(text, short)) and (found := sentence_around(text, spans[0]))
            ]
        yield from rows[:1]


def _marco_entries(path: Path) -> Iterator[_Marco]:
    head, _, rest = read_text(path).lstrip().partition("\n")
    is_lines = bool(rest.strip()) and head.rstrip().endswith("}")
    try:
        columns = {} if is_lines else msgspec.json.decode(head + rest, type=dict[str, msgspec.Raw])
        by_row = {
            name: msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
            for name, raw in columns.items()
            if name in {"query", "answers", "passages", "wellFormedAnswers"}
        }
    except msgspec.DecodeError:
        # A file of one line is one object, not columns.
        by_row = {}
    if not by_row:
        yield from read_json_lines(path, _Marco)
        return
    for row in by_row["query"]:
        entry = {name: cells[row] for name, cells in by_row.items() if row in cells}
        yield msgspec.json.decode(msgspec.json.encode(entry), type=_Marco)


def trecqa(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """TREC-QA answer selection files: right sentences with the answer's token numbers (from 1)."""
    question = ""
    block: list[str] = []
    for line in read_text(path).splitlines():
        if line.startswith("</"):
            if line == "</question>":
                question = " ".join(block[0].split("\t"))
            elif line == "</positive>":
                yield from _trec_row(question, block, source)
        elif line.startswith("<"):
            block = []
        else:
            block.append(line)


def _trec_row(question: str, block: Sequence[str], source: str) -> Iterator[KeyphraseRow]:
    tokens = block[0].split("\t")
    chosen = {number - 1 for number in _indices(block[-1].replace("\t", " "))}
    if chosen and max(chosen) < len(tokens):
        text, places = _join(tokens)
        group = f"question:{question_key(question)}"
        yield KeyphraseRow(question, text, _merge(text, places, chosen), source, group)


class _QedSpan(msgspec.Struct):
    start: int
    end: int


class _QedAnswer(msgspec.Struct):
    paragraph_reference: _QedSpan


class _QedSentence(msgspec.Struct):
    start: int
    string: str


class _QedAnnotation(msgspec.Struct):
    answer: list[_QedAnswer] = []
    selected_sentence: _QedSentence | None = None


class _Qed(msgspec.Struct):
    question_text: str
    annotation: _QedAnnotation


def qed(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """QED: the sentence that annotators selected as the explanation, with the answer's spans in it."""
    for entry in read_json_lines(path, _Qed):
        sentence = entry.annotation.selected_sentence
        if sentence is None:
            continue
        text = sentence.string.rstrip()
        references = [answer.paragraph_reference for answer in entry.annotation.answer]
        spans = tuple((place.start - sentence.start, place.end - sentence.start) for place in references)
        if spans and all(0 <= start < end <= len(text) for start, end in spans):
            group = f"question:{question_key(entry.question_text)}"
            yield KeyphraseRow(entry.question_text, text, spans, source, group)


def answer_sentences(path: Path, source: str) -> Iterator[KeyphraseRow]:
    """Short answers that people turned into sentences: the short answer is the key part of each sentence."""
    for entry in read_json_lines(path, AnswerSentences):
        for written in entry.sentences:
            if spans := _phrase_inside(written.sentence, [entry.answer]):
                group = f"question:{question_key(entry.question)}"
                yield KeyphraseRow(entry.question, written.sentence, spans, source, group)

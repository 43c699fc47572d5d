"""Questions in the manner that QAEval asks them, for training the reader that will be asked them.

Three sources: people's questions put back into statement order ("Super Bowl 50 took place where?"); sentences of a
passage turned into questions, with parts left out; and answers of different systems to one question, which say the
same in other words, as summaries of one document do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.phrase_selection import Phrase, select_answers
from qassay.metrics.questions.wording.question_words import ask_for
from qassay.text.sentences import sentence_spans
from qassay.training.answer_text import content_words, find_phrase, sentences_of, word_set
from qassay.training.reader.question_templates import generate
from qassay.training.reader.rows import ReaderRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np

    from qassay.models.syntax import Chunker, TaggedSentence

_AUXILIARIES = frozenset(
    "is are was were did do does has have had can could will would should may might must".split()  # noqa: SIM905
)
_SUPPORT = frozenset({"did", "do", "does"})
_DETERMINER = re.compile(r"^(?:the|an?|his|her|its|their|our|my|your|this|that|these|those)\s+", re.IGNORECASE)
_SHORTEST_SENTENCE, _LONGEST_SENTENCE = 6, 60
_CONTRADICTING = 0.4
"""Share of the question's content words in one sentence from which on the sentence answers it."""
_LEFT_OUT = 0.4
"""How often a part that the question can do without is left out of it."""


def in_statement_order(question: TaggedSentence) -> str | None:
    """Put a question back into the order of a statement, the question word last; `None` where it is so already.

    "Where did Super Bowl 50 take place?" becomes "Super Bowl 50 take place where?"; verbs keep their form.
    """
    tokens = question.words
    auxiliary = next((i for i, word in enumerate(tokens) if word.text.lower() in _AUXILIARIES), None)
    asks = any(word.part in {"WP", "WDT", "WRB", "WP$"} for word in tokens[: auxiliary or 0])
    if not auxiliary or not asks or auxiliary + 1 >= len(tokens) or tokens[auxiliary + 1].phrase != "NP":
        return None
    end = len(tokens) - (tokens[-1].text == "?")
    verb = next((i for i in range(auxiliary + 1, end) if tokens[i].phrase in {"VP", "ADJP"}), end)
    front, subject, rest = (
        question.text[tokens[a].start : tokens[b - 1].end] if a < b else ""
        for a, b in ((0, auxiliary), (auxiliary + 1, verb), (verb, end))
    )
    linking = "" if tokens[auxiliary].text.lower() in _SUPPORT else tokens[auxiliary].text
    body = " ".join(part for part in (subject, linking, rest, front[:1].lower() + front[1:]) if part)
    return f"{body[:1].upper()}{body[1:]}?"


def in_statement_order_rows(rows: Sequence[ReaderRow], chunker: Chunker) -> Iterator[ReaderRow]:
    """Yield the rows whose questions can be put in statement order, so put."""
    for row, tagged in zip(rows, chunker.tag([row.question for row in rows]), strict=True):
        if statement := in_statement_order(tagged):
            yield ReaderRow(statement, row.passage, row.spans, f"{row.source}_restated", row.group)


def thinned(sentence: TaggedSentence, answer: Phrase, rng: np.random.Generator) -> str:
    """Ask in place with some parts of the sentence left out: prepositional phrases, adverbs, what is in brackets."""
    dropped: set[int] = set()
    tokens = sentence.words
    place = 0
    while place < len(tokens):
        end = place + 1
        if tokens[place].phrase in {"PP", "ADVP"} and tokens[place].chunk[0] == "B":
            while end < len(tokens) and tokens[end].phrase in {"NP", "PP", "ADVP"} and tokens[end].chunk != "B-PP":
                end += 1
            near = place <= answer.last and answer.first <= end
            if not near and place > 0 and rng.random() < _LEFT_OUT:
                dropped.update(range(place, end))
        place = end
    asked = ask_for(sentence, answer)
    gap = answer.first - 1 if asked.takes_preposition and answer.first else answer.first
    kept = []
    for i, word in enumerate(tokens):
        if i == gap:
            kept.append(asked.words)
        if i not in dropped and not gap <= i < answer.last and not (i == len(tokens) - 1 and word.part == "."):
            kept.append(word.text)
    text = re.sub(r" (['\u2019]s\b|n't\b|[,;:)\]%])", r"\1", " ".join(kept)).replace("$ ", "$").replace("( ", "(")
    return f"{text[:1].upper()}{text[1:]}?"


def from_passages(
    passages: Sequence[tuple[str, str]], chunker: Chunker, source: str, rng: np.random.Generator
) -> Iterator[ReaderRow]:
    """Ask about a sentence of each passage (given with its group): answered by the passage, and not by the rest of it.

    The passage is cut down to a few sentences, often in another order, as a summary would have them.
    """
    chosen = []
    for passage, group in passages:
        sentences = [sentence for sentence in sentences_of(passage) if fits(sentence)]
        if len(sentences) > 1:
            chosen.append((sentences, int(rng.integers(len(sentences))), group))
    tagged = chunker.tag([sentences[i] for sentences, i, _ in chosen])
    for (sentences, i, group), sentence in zip(chosen, tagged, strict=True):
        answers = select_answers(sentence)
        if not answers:
            continue
        answer = answers[int(rng.integers(len(answers)))]
        thin = rng.random() < 0.5  # noqa: PLR2004 - one half
        question = thinned(sentence, answer, rng) if thin else generate(sentence, answer, chunker.knows)
        others = [sentences[j] for j in rng.permutation(len(sentences)).tolist() if j != i][: int(rng.integers(1, 6))]
        text = answer.text(sentence)
        if rng.random() < 0.4 and not _shares_content(text, " ".join(others)):  # noqa: PLR2004 - two in five
            yield ReaderRow(question, " ".join(others), (), source, group)
            continue
        place = int(rng.integers(len(others) + 1))
        before = " ".join(others[:place])
        start = len(before) + (1 if before else 0) + answer.characters(sentence)[0]
        passage = " ".join([*others[:place], sentence.text, *others[place:]])
        yield ReaderRow(question, passage, ((start, start + len(text)),), source, group)


def from_parallel(
    texts: Iterable[tuple[Sequence[str], str]], chunker: Chunker, source: str, rng: np.random.Generator, most: int = 2
) -> Iterator[ReaderRow]:
    """Ask about one text and answer on another that tells the same (given in groups, each with its name).

    An answer that the other text holds word for word, in a sentence that shares something else with the question,
    counts as answered there; one of which the other text has no content word counts as unanswered. At most `most`
    questions a pair.
    """
    for versions, group in texts:
        tagged = [chunker.tag(sentences_of(text)[:4]) for text in versions]
        for a, sentences in enumerate(tagged):
            for b, target in enumerate(versions):
                if a == b:
                    continue
                asked = [(s, answer) for s in sentences if fits(s.text) for answer in select_answers(s)]
                rows = (
                    on_parallel(asked[i][0], asked[i][1], target, chunker)
                    for i in rng.permutation(len(asked)).tolist()[: 2 * most]
                )
                for row in [row for row in rows if row][:most]:
                    yield ReaderRow(row.question, row.passage, row.spans, source, group)


def on_parallel(sentence: TaggedSentence, answer: Phrase, target: str, chunker: Chunker) -> ReaderRow | None:
    """Ask about a phrase of one text on another; `None` where words alone do not tell whether that one answers."""
    text = answer.text(sentence)
    question = generate(sentence, answer, chunker.knows)
    rest = content_words(question) - word_set(text)
    shared = [(len(rest & word_set(target[slice(*span)])), span) for span in sentence_spans(target)]
    held = find_phrase(target, _DETERMINER.sub("", text))
    placed = [(count, span) for span in held for count, (low, high) in shared if low <= span[0] < high and count]
    if placed:
        return ReaderRow(question, target, (max(placed)[1],), "", "")
    # Where the other text says much the same with another figure or name, it answers, only otherwise.
    contradicted = max((count for count, _ in shared), default=0) > _CONTRADICTING * len(rest)
    if held or contradicted or _shares_content(text, target):
        return None
    return ReaderRow(question, target, (), "", "")


def _shares_content(phrase: str, text: str) -> bool:
    return bool(content_words(phrase) & word_set(text))


def fits(sentence: str) -> bool:
    """Whether a sentence is long enough to say something and short enough to be one."""
    return _SHORTEST_SENTENCE <= len(sentence.split()) <= _LONGEST_SENTENCE

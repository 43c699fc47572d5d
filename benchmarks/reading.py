"""The embedded chunker and reader on text that they were not trained on.

    python benchmarks/reading.py reader [--model REF] [--side dev|test] [--json FILE]
    python benchmarks/reading.py parallel [--model REF] [--json FILE]
    python benchmarks/reading.py chunker [--model REF] [--json FILE]
    python benchmarks/reading.py speed [--model REF] [--json FILE]

- reader: SQuAD 2.0's questions on the articles that the split keeps for the test (or for development), beside a
  baseline without training: of the sentence that shares most with the question, the longest run of words that the
  question does not have; and the answered questions on a sister paragraph and on their own without its answer
- parallel: questions as QAEval asks them, raised by one system's answer to a Natural Question and asked of another's
  (EVOUNA, the tenth that nothing was trained or chosen on): how many are answered where the other text holds the
  answer word for word beside something else that was asked, where it has no word of it, and where words do not tell;
  the same with a text on another matter behind; and what LERC says of the answers
- chunker: noun phrases and all chunks of CoNLL-2000's test part, found in running text
- speed: sentences tagged and windows read a second of processor time, on one thread
"""

import argparse
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from qassay.meta.accuracy.classification import calibrate
from qassay.metrics.questions.sentences.phrase_selection import select_answers
from qassay.metrics.questions.verification import Pair, Verifier
from qassay.models.base import EMBEDDED
from qassay.models.load_readers import load_chunker, load_reader
from qassay.models.onnx.reader import Answer
from qassay.text.sentences import sentence_spans
from qassay.training.answer_text import FUNCTION_WORDS
from qassay.training.chunker.build import conll_rows
from qassay.training.chunker.rows import TaggedRow
from qassay.training.chunker.train import phrase_f1
from qassay.training.reader.build import elsewhere, removed
from qassay.training.reader.quality import MeasuredAnswers
from qassay.training.reader.question_templates import generate
from qassay.training.reader.rows import ReaderRow
from qassay.training.reader.sources import squad
from qassay.training.reader.statement_questions import fits, on_parallel
from qassay.training.reader.texts import versions
from qassay.training.splits import side_of_article

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
_QUESTIONS_A_PAIR = 2
_WORD = re.compile(r"\w+(?:['\u2019.,-]\w+)*")


def rows_of(side: str) -> list[ReaderRow]:
    """Read SQuAD dev v2.0's questions on the articles of a side."""
    rows = squad(DATA / "train/squad/dev-v2.0.json", "squad")
    return [row for row in rows if side_of_article(row.group.partition(":")[2]) == side]


def lexical_answer(question: str, passage: str) -> Answer:
    """Answer without training; no answer is as likely as the share of the question's words that the sentence lacks."""
    asked = {word.lower() for word in _WORD.findall(question)}
    content = asked - FUNCTION_WORDS
    best = Answer("", 0, 0, 1.0)
    for low, high in sentence_spans(passage):
        words = [(match.group().lower(), match.start(), match.end()) for match in _WORD.finditer(passage[low:high])]
        none = 1 - len(content & {word for word, _, _ in words}) / max(1, len(content))
        if none >= best.none:
            continue
        run: list[tuple[str, int, int]] = []
        longest: list[tuple[str, int, int]] = []
        for each in words:
            run = [] if each[0] in asked or each[0] in FUNCTION_WORDS else [*run, each]
            longest = max(longest, run, key=len)
        if longest:
            start, end = low + longest[0][1], low + longest[-1][2]
            best = Answer(passage[start:end], start, end, none)
    return best


def measure_reader(model: str, side: str) -> dict[str, Mapping[str, float]]:
    """Measure the reader, the baseline, and leaving every question unanswered; thresholds are of the dev articles."""
    rows = rows_of(side)
    reader = load_reader(model)
    found = MeasuredAnswers.of(reader.answer([(row.question, row.passage) for row in rows]), rows)
    dev = rows_of("dev")
    baseline = {
        name: MeasuredAnswers.of([lexical_answer(row.question, row.passage) for row in chosen], chosen)
        for name, chosen in (("dev", dev), (side, rows))
    }
    result: dict[str, Mapping[str, float]] = {
        model: {
            **asdict(found.at(reader.threshold)),
            "threshold": reader.threshold,
            "calibration error": calibrate(1 - found.none, found.answerable.astype(np.float64)).error or 0.0,
        },
        "words in common": asdict(baseline[side].at(baseline["dev"].best_threshold())),
        "never an answer": asdict(found.at(0.0)),
    }
    # The answered questions again, on text that does not answer them: as unanswerable as most of QAEval's are.
    rng = np.random.default_rng(0)
    for name, made in (("sister paragraph", elsewhere(rows, 1, rng)), ("without its answer", removed(rows, 1, rng))):
        asked = list(made)
        left = MeasuredAnswers.of(reader.answer([(row.question, row.passage) for row in asked]), asked)
        result[name] = {"n": len(asked), "no_answer": left.at(reader.threshold).no_answer}
    return result


def measure_parallel(model: str) -> dict[str, Mapping[str, float]]:
    """Measure what the reader finds in other systems' answers, and what LERC makes of it."""
    rng = np.random.default_rng(0)
    asked = list(parallel_questions(model, rng))
    reader = load_reader(model)
    answers = reader.answer([(each.question, each.target) for each in asked])
    behind = [asked[i].target for i in rng.integers(len(asked), size=len(asked)).tolist()]
    longer = reader.answer([(each.question, f"{each.target} {text}") for each, text in zip(asked, behind, strict=True)])
    given, given_longer = (np.array([each.none < reader.threshold for each in found]) for found in (answers, longer))
    verdicts = Verifier(["exact_match", "token_f1", "lerc"]).verify(
        [
            Pair(each.question, each.answer, found.text, each.source, each.target, None, (found.start, found.end))
            for each, found in zip(asked, answers, strict=True)
        ]
    )
    same, shared = verdicts["exact_match"] == 1, verdicts["token_f1"] > 0
    result: dict[str, Mapping[str, float]] = {}
    for holds in ("answer held", "answer absent", "words do not tell"):
        kind = np.array([each.holds == holds for each in asked])
        said = kind & given
        result[holds] = {
            "n": int(kind.sum()),
            "answered": float(given[kind].mean()),
            "answered with a text behind": float(given_longer[kind].mean()),
            "the same": float(same[said].mean()),
            "no word shared": float((~shared)[said].mean()),
            "lerc": float(verdicts["lerc"][said].mean()),
        }
    differ = given & ~same
    result["lerc of answers"] = {
        "some words shared": float(verdicts["lerc"][differ & shared].mean()),
        "no word shared": float(verdicts["lerc"][differ & ~shared].mean()),
    }
    return result


class Parallel(NamedTuple):
    """A question that one text raises, for another text."""

    question: str
    answer: str
    source: str
    target: str
    holds: str


def parallel_questions(model: str, rng: np.random.Generator) -> Iterator[Parallel]:
    """Ask about each answer of a system on each other system's answer to the same question."""
    chunker = load_chunker(model)
    for texts, _ in versions(DATA / "train", measuring=True):
        for source in texts:
            sentences = chunker.tag([source[slice(*span)] for span in sentence_spans(source)])
            phrases = [(each, phrase) for each in sentences if fits(each.text) for phrase in select_answers(each)]
            chosen = [phrases[i] for i in rng.permutation(len(phrases))[:_QUESTIONS_A_PAIR].tolist()]
            for target in texts:
                for sentence, phrase in chosen if target != source else ():
                    row = on_parallel(sentence, phrase, target, chunker)
                    holds = "words do not tell" if row is None else "answer held" if row.spans else "answer absent"
                    question = generate(sentence, phrase, chunker.knows)
                    yield Parallel(question, phrase.text(sentence), source, target, holds)


def measure_chunker(model: str) -> dict[str, Mapping[str, float]]:
    """Measure phrases by their characters."""
    rows = test_sentences()
    chunker = load_chunker(model)
    return {model: {"noun phrases": phrase_f1(chunker, rows), "all chunks": phrase_f1(chunker, rows, None)}}


def test_sentences() -> Sequence[TaggedRow]:
    """Read CoNLL-2000's test part."""
    archive = next((DATA / "resources/nltk_data").rglob("conll2000.zip"))
    return list(conll_rows(archive, "test.txt", np.random.default_rng(0)))


def measure_speed(model: str) -> dict[str, Mapping[str, float]]:
    """Count what one thread does in a second of its own time."""
    sentences = [row.text for row in test_sentences()]
    rows = rows_of("dev")
    chunker, reader = load_chunker(model, threads=1), load_reader(model, threads=1)
    chunker.tag(sentences[:10])
    reader.answer([(row.question, row.passage) for row in rows[:10]])
    tagging = _seconds(lambda: chunker.tag(sentences))
    reading = _seconds(lambda: reader.answer([(row.question, row.passage) for row in rows]))
    return {model: {"sentences tagged": len(sentences) / tagging, "questions answered": len(rows) / reading}}


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["reader", "parallel", "chunker", "speed"])
    parser.add_argument("--model", default=EMBEDDED)
    parser.add_argument("--side", choices=["dev", "test"], default="test")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.what == "reader":
        found = measure_reader(given.model, given.side)
    else:
        measures = {"parallel": measure_parallel, "chunker": measure_chunker, "speed": measure_speed}
        found = measures[given.what](given.model)
    for name, numbers in found.items():
        print(f"{name}: " + ", ".join(f"{each.replace('_', ' ')} {value:.4g}" for each, value in numbers.items()))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

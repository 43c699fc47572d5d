"""Where the processor time of QAEval and FEQA on SummEval goes.

    python benchmarks/summary_time.py [--json FILE]

Every twentieth of SummEval's documents (80 of its 1,600 summaries, with eleven references each) is asked about with all
methods of verification, and the processor time of each stage is counted over all threads. Beside it stands what the
hundred documents would take at that rate.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import TypeVar

from qassay.arrays import Floats
from qassay.metrics.questions.qa_pipeline import QAPipeline
from qassay.metrics.questions.qaeval import Feqa, QAEval, QuestionMetric
from qassay.metrics.questions.question_generation import Questioner, RaisedQuestion
from qassay.metrics.questions.verification import BERT_SCORE, METHODS, Pair, Verifier
from qassay.metrics.registry import create
from qassay.models.base import EMBEDDED
from qassay.models.load_readers import load_chunker, load_reader
from qassay.models.onnx.reader import Answer
from qassay.records import Example, Reference
from summaries import summeval_rows

SYSTEMS = 16
FIRST, STEP = 5, 20
"""One document in `STEP`, from the sixth on."""
APART = {"words": ("exact_match", "token_f1"), "LERC": ("lerc",), "BERTScore": (BERT_SCORE,)}
Result = TypeVar("Result")


class Clock:
    """Processor time and items by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.items: Counter[str] = Counter()

    def time(self, stage: str, items: int, work: Callable[[], Result]) -> Result:
        """Do some work and count its time."""
        before = process_time()
        done = work()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + process_time() - before
        self.items[stage] += items
        return done


class TimedQuestioner(Questioner):
    """Asks by the clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(load_chunker(EMBEDDED))
        self._clock = clock

    def ask(self, texts: Sequence[str], **how: bool) -> list[list[RaisedQuestion]]:
        """Return every text's questions."""
        asking = super().ask
        return self._clock.time("asking, texts", len(texts), lambda: asking(texts, **how))


class TimedReader:
    """Answers by the clock."""

    def __init__(self, clock: Clock) -> None:
        self._reader = load_reader(EMBEDDED)
        self._clock = clock
        self.ref, self.notes = self._reader.ref, self._reader.notes
        self.fingerprint, self.threshold = self._reader.fingerprint, self._reader.threshold
        self.read = ""

    def answer(self, pairs: Sequence[tuple[str, str]]) -> list[Answer]:
        """Answer each question on its passage."""
        return self._clock.time(f"reading {self.read}, questions", len(pairs), lambda: self._reader.answer(pairs))


class TimedVerifier(Verifier):
    """Verifies by the clock, the methods apart."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(METHODS)
        self._clock = clock
        self._apart = {name: Verifier(methods) for name, methods in APART.items()}

    def verify(self, pairs: Sequence[Pair]) -> dict[str, Floats]:
        """Return each method's scores."""
        found: dict[str, Floats] = {}
        for name, verifier in self._apart.items():
            found |= self._clock.time(f"verifying by {name}, answers", len(pairs), partial(verifier.verify, pairs))
        return found


def main() -> None:
    """Ask about the documents and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    examples = [
        Example(row["id"], "", tuple(map(Reference, row["references"])), row["summary"], context=row["document"])
        for row in summeval_rows(references=11)
    ]
    clock = Clock()
    reader = TimedReader(clock)
    pipeline = QAPipeline(TimedQuestioner(clock), reader, TimedVerifier(clock))
    documents = range(FIRST * SYSTEMS, len(examples), STEP * SYSTEMS)
    for name, reader.read in ((QAEval.name, "summaries"), (Feqa.name, "documents")):
        metric = create(name)
        if not isinstance(metric, QuestionMetric):
            raise TypeError(name)
        for start in documents:
            pipeline.ask(examples[start : start + SYSTEMS], [metric])
    scale = len(examples) / (SYSTEMS * len(documents)) / 60
    for stage, seconds in clock.seconds.items():
        print(f"{stage:34}{clock.items[stage]:8,}{seconds:8.1f} s{seconds * scale:8.1f} min")
    total = sum(clock.seconds.values())
    print(f"{'all':42}{total:8.1f} s{total * scale:8.1f} min")
    if options.json:
        found = {"seconds": clock.seconds, "items": dict(clock.items), "minutes of all": total * scale}
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

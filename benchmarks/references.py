"""Time a learned metric on answers with one, five and twenty references, screened and with every pair judged.

    python benchmarks/references.py [--metric ava] [--answers N] [--repeat N]

Answers of four systems to questions of EVOUNA-NQ: those of about 20 words, and for about 200 words what the systems say
to one question, one behind the other. References are those of the data and what lists of aliases have: other cases,
articles, initials, last names, names turned round; where these are too few, references of other questions. `screen=on`
and `screen=off` take turns in one process, each with empty caches, and the best of all repeats counts. Times are
processor time, which other programs change least. `pairs` is the share of the pairs that the network reads; a verdict
is a score of at least .5, and `price` the time in units of what one reference takes with `screen=off`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paper_tables import table
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.metrics.registry import create
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.judge import OnnxJudge
from qassay.models.onnx.keyphrase import OnnxWeigher
from qassay.records import Example, Reference
from qassay.scoring.scorer import MODEL_BATCH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
SYSTEMS = ("gpt35", "chatgpt", "gpt4", "newbing")
SHORT, LONG = 20, 200
REFERENCES = (1, 5, 20)
RIGHT = 0.5
SCREENED, WHOLE = "on", "off"
Row = dict[str, Any]


def questions() -> list[Row]:
    """Read the questions that have a reference."""
    rows: list[Row] = json.loads((DATA / "train/evouna/NQ.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["golden_answer"]]


def aliases(text: str) -> Iterator[str]:
    """Yield a reference as lists of aliases repeat it."""
    words = text.split()
    yield from (text, text.lower(), f"The {text}", text.upper(), f"{text}.")
    if len(words) > 1:
        yield from (words[-1], f"{words[-1]}, {' '.join(words[:-1])}", f"{words[0][0]}. {' '.join(words[1:])}")
        yield from ("".join(word[0] for word in words).upper(), "-".join(words), " ".join(words[:-1]))
        yield f"{words[0][0]}. {words[-1]}".lower()


def references(row: Row, others: Sequence[str], count: int) -> tuple[Reference, ...]:
    """Return so many references of a question: its own, their aliases, and the first of other questions."""
    own = row["golden_answer"].split("/")
    known = dict.fromkeys([*own, *(alias for text in own for alias in aliases(text)), *others])
    return tuple(map(Reference, list(known)[:count]))


def answers(words: int, most: int, count: int) -> list[Example]:
    """Return answers of about so many words with so many references."""
    rows = questions()
    texts = [(row, text) for row in rows for text in _texts(row, words) if abs(len(text.split()) - words) <= words / 4]
    chosen = texts[:: max(1, len(texts) // most)][:most]
    golds = [row["golden_answer"].split("/")[0] for row in rows]
    return [
        Example(str(i), row["question"], references(row, golds[7 * i % len(golds) :][:count], count), text)
        for i, (row, text) in enumerate(chosen)
    ]


def _texts(row: Row, words: int) -> list[str]:
    given = [row[f"answer_{system}"] or "" for system in SYSTEMS]
    return given if words < LONG else [" ".join(" ".join(given).split()[:words])]


def timed(spec: str, examples: Sequence[Example]) -> tuple[float, int, NDArray[np.float64]]:
    """Return the processor seconds that a metric takes, how many pairs the network reads, and the scores."""
    resources = Resources()
    encoder, weigher = resources.encoder("mini"), resources.weigher()
    if not isinstance(encoder, OnnxEncoder) or not isinstance(weigher, OnnxWeigher):
        raise TypeError("the embedded model is another one than this benchmark knows")
    # What a measurement finds in the caches must not be of the one before.
    encoder._recent.clear()  # noqa: SLF001
    weigher._recent.clear()  # noqa: SLF001
    encoder._recent_bytes = weigher._recent_pieces = 0  # noqa: SLF001
    judged = 0
    whole = OnnxJudge.judge

    def counted(self: OnnxJudge, pairs: Sequence[Any]) -> NDArray[np.float64]:
        nonlocal judged
        judged += len(pairs)
        return whole(self, pairs)

    metric = create(spec)
    OnnxJudge.judge = counted  # type: ignore[method-assign]
    began = time.process_time()
    scores = [
        metric.finish(metric.stats(Batch(examples[i : i + MODEL_BATCH], resources)))
        for i in range(0, len(examples), MODEL_BATCH)
    ]
    seconds = time.process_time() - began
    OnnxJudge.judge = whole  # type: ignore[method-assign]
    return seconds, judged, np.concatenate(scores)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metric", default="ava", help="the metric, without screen=")
    parser.add_argument("--answers", type=int, default=128, help="answers of each length")
    parser.add_argument("--repeat", type=int, default=3, help="measurements, of which the best counts")
    given = parser.parse_args()
    timed(given.metric, answers(SHORT, 8, 1))
    rows = []
    for words in (SHORT, LONG):
        sets = {count: answers(words, given.answers, count) for count in REFERENCES}
        best: dict[tuple[int, str], float] = {}
        found: dict[tuple[int, str], tuple[int, NDArray[np.float64]]] = {}
        for _ in range(given.repeat):
            for count, examples in sets.items():
                for screen in (SCREENED, WHOLE):
                    seconds, judged, scores = timed(f"{given.metric},screen={screen}", examples)
                    best[count, screen] = min(best.get((count, screen), np.inf), seconds)
                    found[count, screen] = judged, scores
        for count, examples in sets.items():
            pairs = sum(len(each.references) for each in examples)
            (judged, scores), (_, whole) = found[count, SCREENED], found[count, WHOLE]
            changed = np.count_nonzero((scores >= RIGHT) != (whole >= RIGHT))
            rows.append(
                (
                    str(words),
                    str(count),
                    f"{len(examples) / best[count, SCREENED]:.0f}",
                    f"{len(examples) / best[count, WHOLE]:.0f}",
                    f"{best[count, SCREENED] / best[1, WHOLE]:.2f}",
                    f"{best[count, WHOLE] / best[1, WHOLE]:.2f}",
                    f"{judged / pairs:.1%}",
                    f"{changed} of {len(examples)}",
                )
            )
    heads = ("words", "references", "screened", "all", "price screened", "price all", "pairs", "verdicts changed")
    print(f"`{given.metric}`, answers per second of processor time")
    table(heads, rows)


if __name__ == "__main__":
    main()

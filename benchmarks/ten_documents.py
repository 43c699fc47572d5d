"""QAEval over SummEval's sixteen systems with its authors' and with experts' questions and answers.

    python benchmarks/ten_documents.py [--json FILE]

For ten of the hundred documents Deutsch et al. (2021) give the questions and answers of their own models (a BART
asks, an ELECTRA reads), and what experts answered to the same questions. Each is scored in the same four ways and held
against the experts' relevance of the sixteen systems: on these ten documents, and on all hundred. Kendall's tau.
"""

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from qassay import score_summaries
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from summaries import summeval_rows

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "bench"
ANSWERED = "is_answered"
METRICS = {"exact_match": "em", "token_f1": "token_f1", "lerc": "lerc"}


class Asked(NamedTuple):
    """A question about a summary, and what was answered to it; None for nothing."""

    document: str
    system: str
    summary: str
    question: str
    expected: str
    answer: str | None


def asked(who: str) -> Iterator[Asked]:
    """Read questions and answers: a model's answer counts where it is likelier than none."""
    path = DATA / "answer_verification" / f"summeval_{who}_answers.jsonl"
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if row["summarizer_type"] != "peer":
            continue
        for question in row["references"][0]["questions"]:
            said = question["predictions"][0]
            given = said["answer"] if said["probability"] > said["null_probability"] else None
            place = (row["instance_id"], row["summarizer_id"], row["summary"]["text"])
            yield Asked(*place, question["question"], question["answer"], given)


def verified(questions: list[Asked]) -> dict[str, dict[tuple[str, str], float]]:
    """Score each summary by the mean over its questions, 0 where nothing was answered."""
    examples = [
        Example(str(i), each.question, (Reference(each.expected),), each.answer or "-", context=each.summary)
        for i, each in enumerate(questions)
    ]
    table = score_examples(examples, [*METRICS])
    verdicts = {name: np.asarray(table[spec]) for spec, name in METRICS.items()}
    verdicts[ANSWERED] = np.ones(len(questions))
    found: dict[str, dict[tuple[str, str], float]] = {}
    for name, values in verdicts.items():
        told: dict[tuple[str, str], list[float]] = defaultdict(list)
        for each, value in zip(questions, values.tolist(), strict=True):
            told[each.document, each.system].append(value if each.answer is not None else 0.0)
        found[name] = {place: float(np.mean(each)) for place, each in told.items()}
    return found


def agreement(scores: dict[tuple[str, str], float], judged: dict[tuple[str, str], float]) -> tuple[float, float]:
    """Return tau over systems with the relevance on the scored documents, and on all."""
    documents = {document for document, _ in scores}
    systems = sorted({system for _, system in scores})
    means = _by_system(scores, systems)
    near = _by_system({place: value for place, value in judged.items() if place[0] in documents}, systems)
    return float(kendalltau(means, near).statistic), float(kendalltau(means, _by_system(judged, systems)).statistic)


def _by_system(values: dict[tuple[str, str], float], systems: list[str]) -> list[float]:
    return [float(np.mean([value for (_, system), value in values.items() if system == each])) for each in systems]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = list(summeval_rows(references=1))
    judged = {(row["id"], row["system"]): row["relevance"] for row in rows}
    scored = {"authors' models": verified(list(asked("model"))), "experts' answers": verified(list(asked("expert")))}
    documents = {document for document, _ in scored["authors' models"][ANSWERED]}
    some = [row for row in rows if row["id"] in documents]
    specs = {name: "qaeval" if name == "lerc" else f"qaeval,verify={name}" for name in (ANSWERED, *METRICS.values())}
    table = score_summaries(some, list(specs.values()))
    places = [(row["id"], row["system"]) for row in some]
    scored["Qassay"] = {
        name: dict(zip(places, np.asarray(table[spec]).tolist(), strict=True)) for name, spec in specs.items()
    }
    found = {who: {name: agreement(each, judged) for name, each in ways.items()} for who, ways in scored.items()}
    print(f"{len(documents)} documents; tau with the relevance on them, and (in brackets) on all")
    print(f"{'':18}" + "".join(f"{name:>16}" for name in specs))
    for who, ways in found.items():
        print(f"{who:18}" + "".join(f"{ways[name][0]:9.2f} ({ways[name][1]:.2f})" for name in specs))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

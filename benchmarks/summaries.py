"""Answer verification, QAEval and FEQA held against people.

    python benchmarks/summaries.py verification [--json FILE]
    python benchmarks/summaries.py prepare FOLDER
    python benchmarks/summaries.py agreement FOLDER [--json FILE]

- verification: QAEval's labelled answer pairs on SummEval (each once), in the form of Table 1 of Deutsch and Roth
  (2022), whose figures stand beside
- prepare: writes SummEval and QAGS as files for `qassay summary`, so that one command scores them:
  `qassay summary FOLDER/summeval.jsonl -m … -o FOLDER/summeval-scores.jsonl`
- agreement: system- and summary-level correlations of such scores with relevance (QAEval) and consistency (FEQA),
  beside ROUGE, BERTScore and the published figures
"""

import argparse
import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from qassay.data.summaries import ANSWER_CONTEXT
from qassay.meta.verification import verification_quality
from qassay.records import Example, Reference
from qassay.scoring import score_examples
from qassay.summary.pair_scorer import PairScorer

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "bench"
PUBLISHED_VERIFICATION = {
    "majority class": (78.5, 0.22),
    "em": (78.5, 0.46),
    "token_f1": (79.5, 0.25),
    "bert_score": (79.5, 0.20),
    "lerc": (88.0, 0.11),
}
"""Deutsch and Roth (2022), Table 1, QAEval on SummEval: accuracy in percent, mean squared error; 200 other pairs."""
LABELS = {"same meaning": "is_intended_answer", "correct": "is_correct"}
SEED = 12345


def labelled_pairs() -> list[tuple[Example, dict[str, float | None]]]:
    """Give QAEval's labelled pairs, each once, with the texts that the two answers stand in."""
    folder = DATA / "answer_verification"
    texts: dict[tuple[str, str | None], tuple[str, str]] = {}
    with (folder / "summeval_expert_answers.jsonl").open(encoding="utf-8") as file:
        for summary in map(json.loads, file):
            for reference in summary["references"]:
                for question in reference["questions"]:
                    for found in question["predictions"]:
                        place = (question["question_id"], found["answer"])
                        texts.setdefault(place, (reference["text"], summary["summary"]["text"]))
    pairs: dict[tuple[str, str, str], tuple[Example, dict[str, float | None]]] = {}
    with (folder / "summeval_labeled-answers.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            source, target = texts.get((row["question_id"], row["prediction"]), (None, None))
            example = Example(
                str(len(pairs)),
                row["question"],
                (Reference(row["answer"]),),
                row["prediction"],
                context=target,
                extra={ANSWER_CONTEXT: source},
            )
            labels = {name: None if not row[field] else float(row[field] == "TRUE") for name, field in LABELS.items()}
            pairs.setdefault((row["question"], row["answer"], row["prediction"]), (example, labels))
    return list(pairs.values())


def verification() -> dict[str, Any]:
    """Measure every method on the labelled pairs."""
    pairs = labelled_pairs()
    table = score_examples([example for example, _ in pairs], scorer=PairScorer())
    found: dict[str, Any] = {"notes": dict(table.notes)}
    for label in LABELS:
        judgements = [labels[label] for _, labels in pairs]
        rows, leads = verification_quality(table.scores, judgements, np.random.default_rng(SEED))
        found[label] = {"methods": [row.to_dict() for row in rows], "leads": [lead.to_dict() for lead in leads]}
        print(f"\n{label} (n = {rows[0].n})\n{'':16}accuracy   MSE     AUC     published")
        for row in rows:
            marks = ("*" if row.accuracy_tied else " ", "*" if row.mse_tied else " ")
            area = "     " if row.auc is None else f"{row.auc:.3f}"
            accuracy, error = PUBLISHED_VERIFICATION[row.method]
            published = f"{accuracy:.1f}  {error:.2f}" if label == "same meaning" else ""
            print(f"{row.method:16}{row.accuracy:7.1%}{marks[0]}  {row.mse:.3f}{marks[1]}  {area}   {published}")
        for lead in leads:
            if lead.a == "lerc":
                print(
                    f"lerc ahead of {lead.b}: accuracy {lead.accuracy:+.3f} (p = {lead.accuracy_p:.4f}), "
                    f"squared error {-lead.mse:+.3f} (p = {lead.mse_p:.4f})"
                )
    print("\n* the best, or not to be told apart from it (single-tailed permutation test, p >= .05)")
    return found


def summeval_rows() -> Iterator[dict[str, Any]]:
    """Give SummEval as rows of `qassay summary`: relevance is the judgement, the other scores stand beside it."""
    with (DATA / "summeval" / "summeval.jsonl").open(encoding="utf-8") as file:
        for document in map(json.loads, file):
            for system, given in document["systems"].items():
                yield {
                    "id": document["id"],
                    "system": system,
                    "summary": given["summary"],
                    "references": document["references"],
                    "document": document["source"],
                    "judgement": given["scores"]["relevance"],
                    **given["scores"],
                }


def qags_rows(name: str) -> Iterator[dict[str, Any]]:
    """Give the sentences of QAGS's summaries; the judgement is the share of people who found one consistent."""
    with (DATA / "qags" / f"mturk_{name}.jsonl").open(encoding="utf-8") as file:
        for number, row in enumerate(map(json.loads, file)):
            for place, sentence in enumerate(row["summary_sentences"]):
                votes = [each["response"] == "yes" for each in sentence["responses"]]
                yield {
                    "id": f"{name}-{number}-{place}",
                    "summary": sentence["sentence"],
                    "document": row["article"],
                    "judgement": sum(votes) / len(votes),
                }


def prepare(folder: Path) -> None:
    """Write the sets as JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    sets = {"summeval": summeval_rows(), "qags-cnndm": qags_rows("cnndm"), "qags-xsum": qags_rows("xsum")}
    for name, rows in sets.items():
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        print(f"wrote {path}")


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["verification", "prepare"])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("summaries"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.part == "prepare":
        prepare(options.folder)
        return
    found = verification()
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Answer verification, QAEval and FEQA held against people.

    python benchmarks/summaries.py verification [--json FILE]
    python benchmarks/summaries.py prepare FOLDER
    python benchmarks/summaries.py agreement FOLDER [--json FILE]
    python benchmarks/summaries.py answers [--json FILE]
    python benchmarks/summaries.py thresholds [--json FILE]

- verification: QAEval's labelled answer pairs on SummEval (each once), in the form of Table 1 of Deutsch and Roth
  (2022), whose figures stand beside
- prepare: writes SummEval (with all eleven references, and with the first alone) and QAGS as files for
  `qassay summary`, so that one command scores each: `qassay summary FOLDER/NAME.jsonl -m … -o FOLDER/NAME-scores.jsonl`
- agreement: system- and summary-level correlations of such scores with relevance (QAEval) and consistency (FEQA),
  beside ROUGE, BERTScore and the published figures. The published ROUGE is the original program's, without punctuation
  marks and with stems: `rouge_1,stem=yes,tok=coco`
- answers: QAEval where there are no summaries: two systems' answers of fifteen words or more to a held-back question
  of EVOUNA-NQ, one judged right and taken for the reference. AUC of each variant with people's verdict on the other
- thresholds: the same on 3,000 pairs of training questions, for several probabilities of no answer from which on the
  reader's answer does not count (the embedded reader's was chosen so)
"""

import argparse
import csv
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay import score_summaries
from qassay.io.scores.scored_files import ScoredRow, read_scored
from qassay.meta.accuracy.classification import classify
from qassay.meta.accuracy.verdict_quality import MethodDifference, Verification, verification_quality
from qassay.meta.correlation.correlate import correlate
from qassay.meta.correlation.evaluation import evidence_of_rows
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.metric_comparison import standings
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient
from qassay.metrics.questions.question_records import SummaryRecord
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.question_model_names import Models
from qassay.records import ANSWER_CONTEXT, Example, Reference
from qassay.scoring.defaults import VERIFICATION
from qassay.scoring.scorer import score_examples
from qassay.training.judge.judged import evouna_sentences
from qassay.training.judge.rows import JudgeRow
from qassay.training.reader.train import describe
from qassay.training.splits import held_back

if TYPE_CHECKING:
    from qassay.meta.correlation.resampling import Interval

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "bench"
LONG = 15
"""Words of an answer that says enough to be asked about."""
PUBLISHED_VERIFICATION = {
    "majority class": (78.5, 0.22),
    "exact_match": (78.5, 0.46),
    "token_f1": (79.5, 0.25),
    "lerc,context=phrase": (88.0, 0.11),
    "bert_score,context=phrase,rescale=run": (79.5, 0.20),
}
"""Deutsch and Roth (2022), Table 1, QAEval on SummEval: accuracy in percent, mean squared error; 200 other pairs."""
PUBLISHED_SYSTEM = {
    "rouge_1": (0.61, 0.62, 0.50),
    "rouge_2": (0.64, 0.60, 0.43),
    "rouge_l": (0.61, 0.48, 0.32),
    "rouge_su4": (0.62, 0.56, 0.38),
    "bert_score": (0.84, 0.91, 0.75),
    "qaeval,verify=is_answered": (0.76, 0.86, 0.70),
    "qaeval,verify=exact_match": (0.80, 0.91, 0.77),
    "qaeval,verify=token_f1": (0.82, 0.91, 0.77),
    "qaeval,verify=bert_score": (0.84, 0.89, 0.77),
    "qaeval": (0.81, 0.93, 0.80),
}
"""Deutsch and Roth (2022), Table 4, SummEval: Pearson, Spearman, Kendall over systems."""
PUBLISHED_SUMMARY = {
    "rouge_1": (0.28, 0.26, 0.20),
    "rouge_2": (0.23, 0.19, 0.14),
    "rouge_l": (0.21, 0.18, 0.14),
    "rouge_su4": (0.23, 0.19, 0.15),
    "bert_score": (0.37, 0.35, 0.27),
    "qaeval,verify=is_answered": (0.33, 0.32, 0.26),
    "qaeval,verify=exact_match": (0.23, 0.23, 0.19),
    "qaeval,verify=token_f1": (0.30, 0.29, 0.22),
    "qaeval,verify=bert_score": (0.36, 0.34, 0.26),
    "qaeval": (0.33, 0.31, 0.24),
}
"""The same table, over the summaries of one input."""
PUBLISHED_FEQA = {
    "rouge_1": (0.13, 0.13, 0.11),
    "rouge_2": (0.25, 0.25, 0.19),
    "bert_score": (0.17, 0.17, 0.14),
    "feqa,verify=exact_match": (0.17, 0.14, 0.11),
    "feqa,verify=token_f1": (0.20, 0.16, 0.13),
    "feqa,verify=bert_score": (0.15, 0.12, 0.10),
    "feqa": (0.18, 0.15, 0.12),
}
"""Their Table 3: over all summaries at once, with consistency."""
QAEVALS = [name for name in PUBLISHED_SYSTEM if name.startswith("qaeval")]
CHOSEN_ON = 3000
THRESHOLDS = (0.1, 0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)
LABELS = {"same meaning": "is_intended_answer", "correct": "is_correct"}
SEED = 12345
DRAWS = 1000


def labelled_pairs() -> list[tuple[Example, dict[str, float | None]]]:
    """Return QAEval's labelled pairs, each once, with the texts that the two answers stand in."""
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
    table = score_examples([example for example, _ in pairs], [*VERIFICATION, "ava"])
    found: dict[str, Any] = {"notes": dict(table.notes)}
    for label in LABELS:
        judgements = [labels[label] for _, labels in pairs]
        rows, leads = verification_quality(table.scores, judgements, np.random.default_rng(SEED))
        found[label] = {"methods": [row.to_dict() for row in rows], "leads": [lead.to_dict() for lead in leads]}
        show_verification(label, rows, leads, PUBLISHED_VERIFICATION if label == "same meaning" else {})
    print("\n* the best, or not to be told apart from it (single-tailed permutation test, p >= .05)")
    return found


def show_verification(
    title: str,
    rows: Sequence[Verification],
    leads: Sequence[MethodDifference],
    published: Mapping[str, tuple[float, float]],
) -> None:
    """Print one table of methods, and by how much LERC and AVA are ahead of each other one."""
    print(f"\n{title} (n = {rows[0].n})\n{'':40}accuracy   MSE     AUC{'     published' if published else ''}")
    for row in rows:
        marks = ("*" if row.accuracy_tied else " ", "*" if row.mse_tied else " ")
        area = "     " if row.auc is None else f"{row.auc:.3f}"
        accuracy, error = published.get(row.method, (None, None))
        beside = "" if accuracy is None else f"{accuracy:.1f}  {error:.2f}"
        print(f"{row.method:40}{row.accuracy:7.1%}{marks[0]}  {row.mse:.3f}{marks[1]}  {area}   {beside}")
    for lead in leads:
        if lead.a.startswith(("lerc", "ava")):
            print(
                f"{lead.a.split(',')[0]} ahead of {lead.b}: accuracy {lead.accuracy:+.3f} (p = {lead.accuracy_p:.4f}), "
                f"squared error {-lead.mse:+.3f} (p = {lead.mse_p:.4f})"
            )


def summeval_rows(references: int) -> Iterator[dict[str, Any]]:
    """Return SummEval as rows of `qassay summary`: relevance is the judgement, the other scores stand beside it.

    Of eleven references the first is the one that the news came with; the others were written for the set.
    """
    with (DATA / "summeval" / "summeval.jsonl").open(encoding="utf-8") as file:
        for document in map(json.loads, file):
            for system, given in document["systems"].items():
                yield {
                    "id": document["id"],
                    "system": system,
                    "summary": given["summary"],
                    "references": document["references"][:references],
                    "document": document["source"],
                    "judgement": given["scores"]["relevance"],
                    **given["scores"],
                }


def qags_rows(name: str) -> Iterator[dict[str, Any]]:
    """Return the sentences of QAGS's summaries; the judgement is the share of people who found one consistent."""
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
    sets = {
        "summeval": summeval_rows(references=11),
        "summeval-one": summeval_rows(references=1),
        "qags-cnndm": qags_rows("cnndm"),
        "qags-xsum": qags_rows("xsum"),
    }
    for name, rows in sets.items():
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        print(f"wrote {path}")


def agreement(folder: Path) -> dict[str, Any]:
    """Correlate the scores of SummEval and QAGS with what people said, file by file."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("summeval*-scores.jsonl")):
        rows = list(read_scored(path))
        specs = list(rows[0].scores)
        overlap = [spec for spec in specs if not spec.startswith(("qaeval", "feqa"))]
        qaeval = [spec for spec in specs if spec.startswith("qaeval")]
        feqa = [spec for spec in specs if spec.startswith("feqa")]
        for level, published in ((Level.SYSTEM, PUBLISHED_SYSTEM), (Level.INPUT, PUBLISHED_SUMMARY)) if qaeval else ():
            title = f"{path.name}, relevance, {'systems' if level is Level.SYSTEM else 'summaries of one input'}"
            found[title] = table(title, panel_of(rows, "relevance", [*overlap, *qaeval]), level, published)
        if feqa:
            title = f"{path.name}, consistency, all summaries"
            found[title] = table(title, panel_of(rows, "consistency", [*overlap, *feqa]), Level.ANSWER, PUBLISHED_FEQA)
    for path in sorted(folder.glob("qags-*-scores.jsonl")):
        sentences = list(read_scored(path))
        title = f"{path.name}, consistency of sentences"
        found[title] = table(title, panel_of(sentences, "judgement", list(sentences[0].scores)), Level.ANSWER, {})
    print(
        "\n* the best, or tied with it (p >= .05, corrected for the number of metrics): over systems and summaries of"
    )
    print("  one input by Kendall's tau and PERM-BOTH, over all summaries by Pearson's r and the bootstrap")
    return found


def panel_of(rows: list[ScoredRow], judgement: str, specs: list[str]) -> Panel:
    """Put some metrics' scores beside one kind of judgement; summaries without a score of a metric are left out."""
    judged = [row if judgement == "judgement" else replace(row, judgement=float(row.extra[judgement])) for row in rows]
    return evidence_of_rows([replace(row, scores={spec: row.scores[spec] for spec in specs}) for row in judged]).panel


def table(title: str, panel: Panel, level: Level, published: Mapping[str, tuple[float, ...]]) -> list[dict[str, Any]]:
    """Print a table of correlations, published ones beside them, and give its rows."""
    first = Coefficient.PEARSON if level is Level.ANSWER else Coefficient.KENDALL
    test = DifferenceTest.BOOTSTRAP if level is Level.ANSWER else DifferenceTest.PERM_BOTH
    ranked = standings(panel, test=test, level=level, coefficient=first, rng=np.random.default_rng(SEED), draws=1000)
    tied = {each.correlation.metric: each.tied for each in ranked}
    values: dict[str, dict[str, float | None]] = {spec: {} for spec in panel.scores}
    limits: dict[str, Interval | None] = {}
    # Few systems say little: their intervals are wide.
    draws = DRAWS if level is Level.SYSTEM else 0
    for each in correlate(panel, level, tuple(Coefficient), rng=np.random.default_rng(SEED), draws=draws):
        values[each.metric][str(each.coefficient)] = each.value
        values[each.metric]["n"] = each.n
        if each.coefficient is first:
            limits[each.metric] = each.interval
    heading = "pearson spearman kendall     n   published"
    print(f"\n{title}\n{'':28}{heading}{'          interval of kendall' if draws else ''}")
    rows = []
    for spec, found in values.items():
        numbers = [found[str(coefficient)] for coefficient in Coefficient]
        shown = "".join("      - " if value is None else f"{value:8.3f}" for value in numbers)
        # Settings of a catalogue metric, such as a tokeniser, are left out of the published names.
        name = spec if spec.startswith(("qaeval", "feqa")) else spec.partition(",")[0]
        beside = " ".join(f"{value:.2f}" for value in published.get(name, ()))
        held = limits[spec]
        around = "" if held is None else f"{held.low:.2f} to {held.high:.2f}"
        print(f"{spec:26}{'*' if tied[spec] else ' '}{shown}  {found['n']:6}   {beside:19}{around}".rstrip())
        limit = None if held is None else (held.low, held.high)
        rows.append({"metric": spec, **found, "tied": tied[spec], "published": published.get(name), "interval": limit})
    return rows


def answer_pairs(*, measuring: bool) -> list[JudgeRow]:
    """Return pairs of long answers, of the held-back questions or of all others."""
    rows = evouna_sentences(DATA.parent / "train/evouna/NQ.json", np.random.default_rng(0))
    return [
        row
        for row in rows
        if held_back(row.question) == measuring
        if min(len(text.split()) for text in (row.candidate, row.references[0])) >= LONG
    ]


def as_summaries(rows: Sequence[JudgeRow]) -> list[dict[str, Any]]:
    """Take one answer of each pair for a summary, the other for its reference."""
    return [{"id": str(i), "summary": row.candidate, "references": list(row.references)} for i, row in enumerate(rows)]


def answers() -> dict[str, Any]:
    """Return how well QAEval separates right from wrong answers of some length, given a right one as reference."""
    rows = answer_pairs(measuring=True)
    right = np.array([row.label for row in rows]) == 1
    scored = score_summaries(as_summaries(rows), metrics=QAEVALS)
    print(f"{len(rows)} answers of EVOUNA-NQ's held-back questions, {right.mean():.1%} right: AUC")
    found = {}
    for spec in QAEVALS:
        scores = np.array([scored.score(spec, i).value for i in range(len(rows))], float)
        found[spec] = area(scores, right)
        print(f"{spec:27} {found[spec]:.3f}   n = {(~np.isnan(scores)).sum()}")
    return found


def area(scores: np.ndarray, right: np.ndarray) -> float:
    """Return the area under the curve of the pairs that have a score."""
    known = ~np.isnan(scores)
    return float(classify(scores[known], right[known].astype(np.float64), 0.5).auc or np.nan)


def thresholds() -> dict[str, Any]:
    """Read every answer, and let it count up to one probability of no answer or another."""
    rows = answer_pairs(measuring=False)
    rows = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))[:CHOSEN_ON].tolist()]
    right = np.array([row.label for row in rows]) == 1
    asked = ask_everything(as_summaries(rows), QAEVALS)
    methods = ["is_answered", "exact_match", "token_f1", "bert_score", "lerc"]
    print(f"{len(rows)} answers of EVOUNA-NQ's training questions, {right.mean():.1%} right: AUC")
    print(f"threshold  answered  {'  '.join(methods)}  mean")
    found = {}
    for threshold in THRESHOLDS:
        areas = [area(np.array([counted(record, method, threshold) for record in asked]), right) for method in methods]
        given = np.mean([q.none < threshold for record in asked for source in record.sources for q in source.questions])
        found[str(threshold)] = {**dict(zip(methods, areas, strict=True)), "answered": float(given)}
        print(f"{threshold:9}  {given:8.3f}  {'  '.join(f'{each:.4f}' for each in areas)}  {np.mean(areas):.4f}")
    return found


def ask_everything(rows: list[dict[str, Any]], metrics: Sequence[str]) -> list[SummaryRecord]:
    """Ask, read and verify every answer, however unlikely the reader thinks it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EMBEDDED_FOLDER, folder, dirs_exist_ok=True)
        describe(Path(folder), threshold=1.0)
        return list(score_summaries(rows, metrics=metrics, models=Models(reader=folder)).questions)


def counted(record: SummaryRecord, method: str, threshold: float) -> float:
    """Return QAEval's score of a pair where answers count below a probability of no answer."""
    means = [
        np.mean(
            [(q.none < threshold) * (1.0 if method == "is_answered" else q.verdicts[method]) for q in source.questions]
        )
        for source in record.sources
        if source.questions
    ]
    return float(np.mean(means)) if means else float("nan")


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["verification", "prepare", "agreement", "answers", "thresholds"])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("summaries"))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.part == "prepare":
        prepare(options.folder)
        return
    parts = {
        "verification": verification,
        "agreement": lambda: agreement(options.folder),
        "answers": answers,
        "thresholds": thresholds,
    }
    found = parts[options.part]()
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

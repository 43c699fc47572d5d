"""How well the judges tell right answers from wrong ones, beside the lexical metrics, on answers that people judged.

    python benchmarks/judge.py [--metric SPEC…] [--models FOLDER] [--set NAME…] [--json FILE]

- evouna: the tenth of EVOUNA-NQ's questions that is held back from every training: verdicts on five systems' answers
- unseen: all of EVOUNA-NQ's questions that no training saw, which are that tenth and the questions of NQ-301
- nq301: NQ-301, beside its BEM and GPT-4 verdicts; none of its questions was trained on
- wikiqa, trecqa: pairs of answer sentences from the test sets, made as for AVA
- marco, avsd, multi: KPQA's human scores, where the metric is used as a score

A metric calls an answer right from one half on. The calibration error is the expected one over ten bins; that of the
lexical metrics says what comes of taking their scores for probabilities.

AVA's transformer models are trained first, all twelve kinds into folders of one folder, which --models names:

    qassay build ava WikiQA-train.tsv TRAIN.xml NQ.json --cap 60 --held-out judge-data/test.jsonl -o pairs
    for kind in a0-qr a0-rt a0-qt a0 a1-q a1-r a1-t a1-qt a1-rt a1-rq a1 a2; do
        qassay train ava --kind $kind --base MODEL --data pairs -o models/$kind
    done
    python benchmarks/judge.py --models models

`judge-data` is what `qassay build judge` wrote, with EVOUNA's held-back questions in `test.jsonl`. All of it takes ten
minutes of a large GPU, or a CPU's day. A single one can be given as `--metric ava,kind=a2,model=FOLDER`.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qassay.arrays import Floats
from qassay.io.input_stream import Reader
from qassay.io.readers.datasets.answer_selection import read_selection
from qassay.io.source import Source
from qassay.meta.accuracy.classification import calibrate, classify
from qassay.meta.ranking.rankings import system_agreement
from qassay.models.hf.judge import DESCRIPTION, read_settings
from qassay.models.hf.judge_design import DESIGNS
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.answer_text import question_key
from qassay.training.ava.pairs import pair_up
from qassay.training.splits import held_back

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
METRICS = ("exact_match", "token_f1", "contains", "token_recall", "token_f1:kpqa", "ava,kind=linear", "lerc", "ava")
RIGHT = 0.5
COLUMNS = ("accuracy", "precision", "recall", "f1", "auc")


@dataclass(frozen=True)
class Answers:
    """Judged answers, and other judges' verdicts on them."""

    examples: list[Example]
    others: dict[str, Floats]


def evouna() -> Answers:
    """Return the judged answers to the held-back questions."""
    return Answers([example for example in _judged_evouna() if held_back(example.question)], {})


def unseen() -> Answers:
    """Return the judged answers to all questions that no training saw: the held-back ones and those of NQ-301."""
    left_out = {question_key(example.question) for example in Reader([DATA / "bench/openqa_eval/NQ301_BEM.tsv"])}
    chosen = [each for each in _judged_evouna() if held_back(each.question) or question_key(each.question) in left_out]
    return Answers(chosen, {})


def _judged_evouna() -> Iterator[Example]:
    for example in Reader([DATA / "train/evouna/NQ.json"]):
        if example.judgement is not None and example.candidate:
            yield example


def nq301() -> Answers:
    """Return NQ-301 with people's verdicts, and those of BEM and GPT-4."""
    folder = DATA / "bench/openqa_eval"
    golds = folder / "NQ301_BEM.tsv"
    examples = [example for example in Reader([golds, folder / "NQ301_human.tsv"]) if example.judgement is not None]
    others = {}
    for name, file in (("BEM", golds), ("GPT-4", folder / "NQ301_gpt-4.tsv")):
        verdicts = {
            (each.question, each.candidate): each.judgement
            for each in Reader([file] if file == golds else [golds, file])
        }
        known = [verdicts.get((each.question, each.candidate)) for each in examples]
        others[name] = np.array([np.nan if verdict is None else verdict for verdict in known])
    return Answers(examples, others)


def pairs(path: str) -> Callable[[], Answers]:
    """Make AVA's pairs of an answer selection set."""

    def make() -> Answers:
        rows, _ = pair_up(read_selection(Source.at(DATA / path)), rng=np.random.default_rng(0))
        examples = [
            Example(str(i), row.question, (Reference(row.reference),), row.candidate, judgement=float(row.label))
            for i, row in enumerate(rows)
        ]
        return Answers(examples, {})

    return make


def kpqa(name: str) -> Callable[[], Answers]:
    """Read one of KPQA's sets, whose judgements are scores."""
    return lambda: Answers(list(Reader([DATA / f"bench/kpqa_human/{name}.csv"])), {})


SETS: dict[str, Callable[[], Answers]] = {
    "evouna": evouna,
    "unseen": unseen,
    "nq301": nq301,
    "wikiqa": pairs("bench/wikiqa/WikiQA-test.tsv"),
    "trecqa": pairs("bench/trecqa/TEST.xml"),
    "marco": kpqa("marco_all"),
    "avsd": kpqa("avsd_all"),
    "multi": kpqa("marcomulti_unilm"),
}
SCORED = ("marco", "avsd", "multi")


def scores_of(answers: Answers, metrics: Sequence[str]) -> Iterator[tuple[str, Floats]]:
    """Return each metric's scores, and the other judges' verdicts."""
    table = score_examples(answers.examples, metrics, batch=256)
    yield from table.scores.items()
    yield from answers.others.items()


def agreement(name: str, answers: Answers, metrics: Sequence[str]) -> list[dict[str, object]]:
    """Correlate scores with people's."""
    from scipy import stats  # noqa: PLC0415 - only here

    judged = np.array([example.judgement for example in answers.examples], np.float64)
    lines: list[dict[str, object]] = []
    for metric, scores in scores_of(answers, metrics):
        found: dict[str, object] = {"set": name, "metric": metric, "n": len(judged)}
        for coefficient, correlate in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
            # A metric that gives every answer the same score agrees with nobody.
            found[coefficient] = float(correlate(scores, judged).statistic) if np.ptp(scores) > 0 else None
        lines.append(found)
    return lines


def verdicts(name: str, answers: Answers, metrics: Sequence[str]) -> list[dict[str, object]]:
    """Compare calls of right and wrong with people's, and systems' accuracies with the true ones."""
    judged = np.array([example.judgement for example in answers.examples], np.float64)
    systems = np.array([example.system for example in answers.examples])
    lines = []
    for metric, scores in scores_of(answers, metrics):
        found = classify(scores, judged, RIGHT)
        error = calibrate(scores, judged).error
        line: dict[str, object] = {"set": name, "metric": metric, "n": found.n}
        line |= {column: getattr(found, column) for column in COLUMNS}
        line["calibration_error"] = error
        if len(set(systems)) > 1:
            line |= system_line(scores, judged, systems)
        lines.append(line)
    return lines


def system_line(scores: Floats, judged: Floats, systems: np.ndarray) -> dict[str, object]:
    """Estimate each system's accuracy as the share of answers called right, and as the mean probability.

    `rmse_chance` is what chance alone leaves of a judge's mean whose probabilities are all true, by drawing verdicts.
    """
    names = sorted(set(systems.tolist()))
    true = [judged[systems == each].mean() for each in names]
    found: dict[str, object] = {}
    for label, values in (("called", (scores >= RIGHT).astype(np.float64)), ("mean", scores)):
        result = system_agreement([values[systems == each].mean() for each in names], true)
        found |= {f"rmse_{label}": result.rmse, f"sigma_{label}": result.sigma, f"tau_{label}": result.kendall}
    found["rmse_chance"] = _chance(scores, systems, names)
    return found


def _chance(scores: Floats, systems: np.ndarray, names: Sequence[str], draws: int = 2000) -> float:
    """Return the root of the mean squared error of the systems' means if verdicts followed the probabilities."""
    drawn = np.random.default_rng(0).random((draws, len(scores))) < scores
    off = [(drawn[:, systems == each] - scores[systems == each]).mean(axis=1) for each in names]
    return float(np.sqrt(np.mean(np.square(off))))


def models_in(folder: Path) -> list[str]:
    """Return the specs of the models that `qassay train ava` wrote into folders of a folder, in the paper's order."""
    found = {read_settings(each).design: each for each in sorted(folder.iterdir()) if (each / DESCRIPTION).is_file()}
    return [f"ava,kind={kind},model={found[kind]}" for kind in DESIGNS if kind in found]


def table(lines: Sequence[dict[str, object]]) -> str:
    """Write one set's lines as a Markdown table."""
    names = [name for name in dict.fromkeys(name for line in lines for name in line) if name != "set"]
    rows = [names, ["---"] * len(names), *([_shown(line.get(name)) for name in names] for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _shown(value: object) -> str:
    if value is None:
        return "–"  # noqa: RUF001 - stands for a missing number
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metric", action="append", help="a metric's spec; by default the judges and what they beat")
    parser.add_argument("--set", action="append", choices=sorted(SETS), help="by default all")
    parser.add_argument("--json", type=Path, help="write all lines to this file")
    parser.add_argument("--models", type=Path, help="a folder of folders that `qassay train ava` wrote")
    given = parser.parse_args()
    metrics = [*(given.metric or METRICS), *(models_in(given.models) if given.models else ())]
    lines = []
    for name in given.set or SETS:
        measure = agreement if name in SCORED else verdicts
        found = measure(name, SETS[name](), metrics)
        print(f"\n{name}\n\n{table(found)}", flush=True)
        lines += found
    if given.json:
        given.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

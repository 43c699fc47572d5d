"""The consistency head's training, export and quality, on a small random encoder of the embedded model's shape."""

import shutil

import numpy as np
import pytest

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.consistency import ClaimVerdict, ConsistencyHead, OnnxConsistency
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.training.base_model import base_weights, cutter
from qassay.training.consistency.inputs import prepare
from qassay.training.consistency.quality import area, calibration, measure
from qassay.training.consistency.rows import ClaimRow, DocumentRow
from qassay.training.files import write_rows
from qassay.training.plan import named_plan

pytestmark = pytest.mark.train

DOCUMENT = "paris is the capital of france. the red car is in rome."
ROWS = [
    DocumentRow(
        DOCUMENT,
        [
            ClaimRow("the red car is in rome.", consistent=True, kind="kept", support=((32, 55),)),
            ClaimRow("the blue car is in rome.", consistent=False, kind="name", wrong=((4, 8),), support=((32, 55),)),
            ClaimRow("paris is the capital.", consistent=True, kind="clause", support=((0, 31),)),
            ClaimRow("how many steps are involved.", consistent=False, kind="removed"),
        ],
        "squad",
        "squad:A",
    )
] * 3


def test_it_learns_to_part_claims(trunk_base):
    """After some steps consistent claims score higher than the others."""
    from qassay.training.consistency.network import ConsistencyNetwork, predict, train  # noqa: PLC0415 - loads torch

    weights = base_weights(trunk_base)
    inputs = prepare(ROWS, cutter(trunk_base))
    network = ConsistencyNetwork(weights, 2)
    reported = []
    plan = named_plan("consistency", epochs=60, batch=1024, dropout=0.0)
    train(network, weights, inputs, plan, "cpu", report=lambda done, loss: reported.append((done, loss)))
    logits = predict(network, weights, inputs, 2, "cpu")
    assert area(logits, np.array(inputs.consistent)) == 1
    assert reported[-1][1] < reported[0][1]


def test_the_graph_is_the_network(tmp_path):
    """Exported in full precision, it gives the network's logits and spans on real texts."""
    import torch  # noqa: PLC0415 - part of the extra `train`

    from qassay.training.consistency.network import ConsistencyNetwork  # noqa: PLC0415 - loads torch
    from qassay.training.encoder_layers import WIDTH  # noqa: PLC0415 - as above
    from qassay.training.export.heads import export_consistency  # noqa: PLC0415 - as above
    from qassay.training.reader.layers import reader_layers  # noqa: PLC0415 - as above

    torch.manual_seed(0)
    random = _bert_weights(torch, WIDTH)
    network = ConsistencyNetwork(random, 2)
    network.start_from(*reader_layers(EMBEDDED_FOLDER / "reader.npz"))
    network.eval()
    shutil.copytree(EMBEDDED_FOLDER, tmp_path / "model")
    arrays = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    head = ConsistencyHead(2, "c.onnx", "c.npz", window=60, most_windows=2, longest_claim=20)
    export_consistency(arrays, tmp_path / "model", head, int8=False)
    encoder = OnnxEncoder("mini", tmp_path / "model")
    claim, document = encoder.encode(["Anna Berg won.", "Anna Berg won the race in Oslo."], 2)
    same = claim.ids[:, None] == document.ids
    same[[0, -1]] = False
    same[:, [0, -1]] = False
    given = [torch.from_numpy(each.vectors)[None] for each in (claim, document)]
    masks = [torch.ones(1, len(each.ids), dtype=torch.bool) for each in (claim, document)]
    shared = [torch.from_numpy(same.any(axis))[None].long() for axis in (1, 0)]
    with torch.no_grad():
        logit, wrong, support = network(*given, *masks, *shared)
    found = encoder.runtime.session("c.onnx", "c.npz").run(
        None,
        {
            "claim": claim.vectors[None],
            "document": document.vectors[None],
            "claim_shared": same.any(1)[None].astype(np.int64),
            "document_shared": same.any(0)[None].astype(np.int64),
        },
    )
    assert float(np.ravel(found[0])[0]) == pytest.approx(float(logit), abs=1e-3)
    np.testing.assert_allclose(found[1], wrong.numpy(), atol=1e-3)
    np.testing.assert_allclose(found[2], support.numpy(), atol=1e-3)


def _bert_weights(torch, width):
    shapes = {
        "attention.self.query": (width, width),
        "attention.self.key": (width, width),
        "attention.self.value": (width, width),
        "attention.output.dense": (width, width),
        "attention.output.LayerNorm": (width,),
        "intermediate.dense": (4 * width, width),
        "output.dense": (width, 4 * width),
        "output.LayerNorm": (width,),
    }
    return {
        f"encoder.layer.{number}.{name}.{kind}": torch.zeros(shape if kind == "weight" else shape[:1])
        for number in range(6)
        for name, shape in shapes.items()
        for kind in ("weight", "bias")
    }


def test_a_trained_head_is_a_model_folder(trunk_base, tmp_path):
    """It checks claims by itself, is calibrated, and says what it reached."""
    from qassay.training.consistency.train import train_from_files  # noqa: PLC0415 - loads torch

    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", ROWS)
    plan = named_plan("consistency", epochs=1, batch=1024)
    found = train_from_files(trunk_base, tmp_path, tmp_path / "model", plan)
    assert found.n == 12
    assert 0 <= found.accuracy <= 1
    checker = OnnxConsistency(OnnxEncoder("x", tmp_path / "model"))
    (verdict,) = checker.check([("Paris is the capital.", DOCUMENT)])
    assert 0 <= verdict.consistent <= 1
    assert "A consistency head" in (tmp_path / "model" / "MODEL_CARD.md").read_text()


def test_quality_counts_what_is_right():
    """One of two verdicts is right at one half; the spans touch or not."""
    claims = ROWS[0].claims[:2]
    verdicts = [ClaimVerdict(0.9, None, (30, 40)), ClaimVerdict(0.6, (5, 9), None)]
    found = measure(verdicts, claims)
    assert (found.n, found.auc, found.accuracy, found.wrong, found.support) == (2, 1.0, 0.5, 1.0, 1.0)


def test_calibration_finds_the_scale():
    """Logits that are twice too large and shifted by one come out right."""
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 2, 20_000)
    truth = rng.random(20_000) < 1 / (1 + np.exp(-odds))
    scale, shift = calibration(2 * odds + 1, truth)
    assert scale == pytest.approx(0.5, abs=0.03)
    assert shift == pytest.approx(-0.5, abs=0.06)

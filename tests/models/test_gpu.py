"""The GPU's runtime, on torch's CPU device: from the same weights the same results as onnxruntime's."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from qassay.errors import ModelError
from qassay.models import load, load_readers
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.ava import OnnxAva, read_heads
from qassay.models.onnx.chunker import OnnxChunker
from qassay.models.onnx.consistency import OnnxConsistency
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.judge import JudgeInput, OnnxJudge
from qassay.models.onnx.keyphrase import OnnxWeigher
from qassay.models.onnx.reader import ANSWER_READER, DESCRIPTION, OnnxReader
from qassay.models.runtime import Step

pytestmark = pytest.mark.train

ROWS = [
    ("Who wrote the novel Frankenstein?", "Mary Shelley", "It was written by Mary Shelley in 1818."),
    ("Who wrote the novel Frankenstein?", "Mary Shelley", "Bram Stoker, I believe."),
    ("When did the war end?", "in 1945", "It ended on 8 May 1945, at least in Europe."),
    ("Where is the Eiffel Tower?", "Paris, France", "In the city of Paris."),
    ("What is the boiling point of water?", "100 degrees Celsius", "I do not know."),
]
TEXTS = [text for row in ROWS for text in row]
LONG = "The committee met again on Monday and agreed on nothing. " * 60
NEAR = 0.05
"""How far a result may be off where a last bit fell on the other side of a rounding."""


@pytest.fixture(scope="module")
def cpu():
    """The embedded encoder on onnxruntime."""
    return OnnxEncoder("mini", EMBEDDED_FOLDER, threads=1)


@pytest.fixture(scope="module")
def gpu():
    """The embedded encoder on torch."""
    from qassay.models.gpu.runtime import TorchRuntime  # noqa: PLC0415 - loads torch

    return OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=TorchRuntime(EMBEDDED_FOLDER, "cpu"))


def _close(ours, theirs):
    """Whether most items are nearly equal; in long ones a last bit may fall on the other side of a step."""
    off = [np.abs(np.asarray(a) - np.asarray(b)).max(initial=0) for a, b in zip(ours, theirs, strict=True)]
    return np.median(off) < NEAR / 10 and max(off) < 10 * NEAR


@pytest.mark.parametrize("path", sorted(EMBEDDED_FOLDER.glob("*.onnx")), ids=lambda path: path.stem)
def test_graphs_are_read_as_onnx_reads_them(path):
    """Nodes, names, attributes, small arrays and widths of outputs."""
    from qassay.models.gpu.graph_file import read_graph  # noqa: PLC0415 - beside what loads torch

    ours, theirs = read_graph(path), onnx.load(path, load_external_data=False).graph

    assert ours.inputs == tuple(each.name for each in theirs.input)
    assert ours.outputs == tuple(each.name for each in theirs.output)
    assert ours.widths == tuple(each.type.tensor_type.shape.dim[-1].dim_value for each in theirs.output)
    assert [node[:3] for node in ours.nodes] == [(n.op_type, tuple(n.input), tuple(n.output)) for n in theirs.node]
    assert [node.attributes for node in ours.nodes] == [
        {each.name: each.f if each.type == onnx.AttributeProto.FLOAT else each.i for each in node.attribute}
        for node in theirs.node
    ]
    inline = {each.name for each in theirs.initializer if each.data_location != onnx.TensorProto.EXTERNAL}
    assert ours.arrays.keys() == inline


def test_a_damaged_graph_is_one_clear_error(tmp_path):
    """A file that ends in the middle is named."""
    from qassay.models.gpu.graph_file import read_graph  # noqa: PLC0415 - as above

    path = tmp_path / "layer1.onnx"
    path.write_bytes((EMBEDDED_FOLDER / "layer1.onnx").read_bytes()[:-7])

    with pytest.raises(ModelError, match=r"layer1\.onnx: damaged"):
        read_graph(path)


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_the_encoder_gives_the_same_states(cpu, gpu, layer):
    """Also of blank texts, and of texts that are read in windows."""
    texts = [*TEXTS, "", LONG]

    found, wanted = gpu.encode(texts, layer), cpu.encode(texts, layer)

    assert all((a.ids == b.ids).all() and (a.spans == b.spans).all() for a, b in zip(found, wanted, strict=True))
    assert _close([each.vectors for each in found], [each.vectors for each in wanted])


def test_a_text_alone_has_the_states_that_it_has_among_others(gpu):
    """A batch pads nothing into a text, and takes no ranges from its neighbours."""
    from qassay.models.gpu.runtime import TorchRuntime  # noqa: PLC0415 - loads torch

    alone = OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=TorchRuntime(EMBEDDED_FOLDER, "cpu"))

    assert _close([alone.encode([TEXTS[0]], 2)[0].vectors], [gpu.encode([*TEXTS, LONG], 2)[0].vectors])


def test_keyphrase_weights_are_the_same(cpu, gpu):
    """For answers with their questions, without, blank, and read in windows."""
    pairs = [(question, answer) for question, _, answer in ROWS] + [(None, ROWS[0][2]), ("Who?", ""), ("What?", LONG)]

    found, wanted = (OnnxWeigher(each).weigh(pairs) for each in (gpu, cpu))

    assert all((a.spans == b.spans).all() for a, b in zip(found, wanted, strict=True))
    assert _close([each.weights for each in found], [each.weights for each in wanted])


def test_the_judge_gives_the_same_logits(cpu, gpu):
    """With a question, without one, with a context (as LERC reads), and with asserted words."""
    pairs = [JudgeInput(*row) for row in ROWS]
    pairs += [
        JudgeInput("", *ROWS[0][1:]),
        JudgeInput(*ROWS[0], context=ROWS[1][2]),
        JudgeInput(*ROWS[1], asserted=((0, 4),)),
    ]

    found, wanted = (OnnxJudge(each).judge(pairs) for each in (gpu, cpu))

    assert _close(found, wanted)


def test_the_judge_reads_long_contexts_alike(cpu, gpu):
    """In hundreds of pieces a last bit may fall on the other side of a step and move a logit, but not the verdict."""
    pairs = [JudgeInput(*ROWS[0], context=LONG)]

    (found,), (wanted,) = (OnnxJudge(each).judge(pairs) for each in (gpu, cpu))

    assert abs(found - wanted) < 1
    assert (found > 0) == (wanted > 0)


@pytest.mark.parametrize("description", [DESCRIPTION, ANSWER_READER])
def test_readers_find_the_same_answers(cpu, gpu, description):
    """In passages of one window and of several."""
    long = f"{LONG}Then the chairwoman, Ada Berg, left the room early. {LONG}"
    pairs = [(question, answer) for question, _, answer in ROWS] + [("Who left the room early?", long)]

    found, wanted = (OnnxReader(each, description).answer(pairs, further=True) for each in (gpu, cpu))

    assert [each.text for each in found] == [each.text for each in wanted]
    assert [each.none for each in found] == pytest.approx([each.none for each in wanted], abs=NEAR)


def test_the_chunker_tags_the_same(cpu, gpu):
    """Parts of speech, chunks and entities of every word."""
    found, wanted = (OnnxChunker(each).tag(TEXTS) for each in (gpu, cpu))

    assert [[word.part for word in each.words] for each in found] == [
        [word.part for word in each.words] for each in wanted
    ]
    assert [[word.entity for word in each.words] for each in found] == [
        [word.entity for word in each.words] for each in wanted
    ]


def test_claims_are_checked_the_same(cpu, gpu):
    """How likely they are consistent; a blank one has no verdict."""
    pairs = [(answer, f"{reference}. {LONG}") for _, reference, answer in ROWS] + [("", LONG)]

    found, wanted = (OnnxConsistency(each).check(pairs) for each in (gpu, cpu))

    assert [each.consistent for each in found] == pytest.approx(
        [each.consistent for each in wanted], abs=NEAR, nan_ok=True
    )


@pytest.mark.parametrize("kind", sorted(read_heads(EMBEDDED_FOLDER).designs))
def test_the_papers_designs_give_the_same_parts(cpu, gpu, kind):
    """What each reading of a pair of texts adds to the logit."""
    pairs = [JudgeInput(*row) for row in ROWS]

    found, wanted = (OnnxAva(each, kind).parts(pairs) for each in (gpu, cpu))

    np.testing.assert_allclose(found, wanted, atol=2 * NEAR)
    assert np.median(np.abs(found - wanted)) < 1e-4


def test_scores_and_verdicts_are_the_same(monkeypatch):
    """Of the packaged demo, through the public function."""
    import qassay  # noqa: PLC0415 - beside what is changed
    from qassay.models.gpu.runtime import TorchRuntime  # noqa: PLC0415 - loads torch

    monkeypatch.setattr(load, "_gpu_runtime", lambda folder: TorchRuntime(folder, "cpu"))
    caches = (load._onnx_encoder, load._onnx_weigher, load_readers.load_answer_reader)
    for cached in caches:
        cached.cache_clear()
    path = Path(qassay.__file__).parent / "assets" / "demo.jsonl"
    rows = [row for line in path.read_text().splitlines() if (row := json.loads(line)).get("candidate")][:48]
    metrics = ["bert_score:kpqa", "ava"]
    found, wanted = (
        result.to_pandas()[metrics]
        for result in (qassay.score(rows, metrics, device=device, on_error="skip") for device in ("cuda", "cpu"))
    )

    for metric in metrics:
        off = np.abs(np.array(found[metric], float) - np.array(wanted[metric], float))
        assert np.nanquantile(off, 0.75) < 2e-3
        assert np.nanmax(off) < NEAR
    for cached in caches:
        cached.cache_clear()


def test_what_a_graph_lacks_is_one_clear_error(gpu):
    """A head whose input nothing gives names it."""
    step = Step("judge.onnx", "judge.npz", ("output",))

    with pytest.raises(ModelError, match=r"judge\.onnx: does not run .* marks_of_pieces"):
        gpu.runtime.run([step], [{"states": gpu.encode(["one"], 2)[0].states}], ["output"])


def test_a_gpu_that_is_not_there_is_one_clear_error(monkeypatch):
    """`--device cuda` says what to give instead."""
    import torch  # noqa: PLC0415 - heavy

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    load._onnx_encoder.cache_clear()

    with pytest.raises(ModelError, match="no GPU that torch can use"):
        load.load_encoder("mini", "cuda")


def test_rows_are_normalised_with_the_roundings_of_the_cpu():
    """Every number is onnxruntime's, to the last bit, on processors of eight lanes; elsewhere nearly every one."""
    import onnxruntime  # noqa: PLC0415 - beside what loads torch
    import torch  # noqa: PLC0415 - heavy

    from qassay.models.gpu.exact_math import layer_norm  # noqa: PLC0415 - loads torch

    names = ("rows", "scale", "shift")
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("LayerNormalization", names, ["found"], epsilon=1e-12)],
        "normalisation",
        [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names],
        [onnx.helper.make_tensor_value_info("found", onnx.TensorProto.FLOAT, None)],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)])
    model.ir_version = 8
    rng = np.random.default_rng(1)
    rows = (3 * rng.standard_normal((50, 384))).astype(np.float32)
    scale, shift = (rng.standard_normal(384).astype(np.float32) for _ in range(2))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, dict(zip(names, (rows, scale, shift), strict=True)))

    found = layer_norm(*map(torch.from_numpy, (rows, scale, shift)), 1e-12).numpy()

    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert np.mean(found == wanted) > 0.75


@pytest.mark.parametrize(("capability", "lanes"), [("AVX512", 16), ("AVX2", 8), ("DEFAULT", 8)])
def test_systems_other_than_linux_know_their_processors_lanes(monkeypatch, capability, lanes):
    """Without `/proc/cpuinfo`, torch says what the processor can do."""
    import torch  # noqa: PLC0415 - heavy

    from qassay.models.gpu import exact_math  # noqa: PLC0415 - loads torch

    monkeypatch.setattr(exact_math, "Path", lambda _: Path("/nowhere/cpuinfo"))
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)

    assert exact_math.lanes_here.__wrapped__() == lanes


def test_the_judge_repeats_the_bits_of_the_cpu(cpu, gpu):
    """But for the last product of the head; on processors whose lanes are known from measuring."""
    from qassay.models.gpu.exact_math import WIDE, lanes_here  # noqa: PLC0415 - loads torch

    if lanes_here() != WIDE:
        pytest.skip("the CPU's order of additions is measured with AVX-512 alone")
    pairs = [JudgeInput(*row) for row in ROWS]

    found, wanted = (OnnxJudge(each).judge(pairs) for each in (gpu, cpu))

    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_rows_are_fetched_in_the_order_asked_for():
    """Parts of two blocks, some twice, by slices and by numbers, and none of a part."""
    import torch  # noqa: PLC0415 - heavy

    from qassay.models.gpu.device_rows import DeviceRows, fetched  # noqa: PLC0415 - loads torch

    blocks = [torch.arange(40.0).reshape(10, 4), torch.arange(100.0, 112.0).reshape(3, 4)]
    first, second = (DeviceRows(block, 0, len(block)) for block in blocks)
    parts = [first[2:5], second, first[np.array([9, 0])], first[2:5], second[1:1]]
    arrays = [block.numpy() for block in blocks]
    wanted = [arrays[0][2:5], arrays[1], arrays[0][[9, 0]], arrays[0][2:5], arrays[1][1:1]]
    for ours, theirs in zip(fetched(parts), wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fetched([]) == []

"""BERTScore against the bert-score package on the same weights."""

import csv

import numpy as np
import pytest
from bert_score import BERTScorer

from qassay.metrics.registry import parse_spec
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from shared import bench
from tiny_bert import write_tiny_bert

# bert-score 0.3.13 warns about arguments of a transformers that has moved on.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_bert(tmp_path_factory.mktemp("bert"), layers=3, positions=512)


@pytest.fixture(scope="module")
def answers():
    with bench("kpqa_human/avsd_all.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:40]
    return [(row["answer"], [row[f"reference{number}"] for number in range(1, 7)]) for row in rows]


def ours(folder, answers, layer, stat, weights=""):
    spec = str(parse_spec(f"bert_score{weights},model={folder},layer={layer},stat={stat}"))
    examples = [
        Example(str(number), "", tuple(map(Reference, references)), answer)
        for number, (answer, references) in enumerate(answers)
    ]
    table = score_examples(examples, [spec], device="cpu")
    return [table.score(spec, number).value for number in range(len(examples))]


def theirs(folder, answers, layer, *, idf=False):
    texts = [reference for _, references in answers for reference in references]
    scorer = BERTScorer(
        model_type=str(folder),
        num_layers=layer,
        idf=idf,
        idf_sents=texts if idf else None,
        nthreads=0,
        device="cpu",
        use_fast_tokenizer=True,
    )
    return [
        each.numpy() for each in scorer.score([answer for answer, _ in answers], [list(refs) for _, refs in answers])
    ]


@pytest.mark.parametrize("layer", [1, 2, 3])
@pytest.mark.parametrize(("stat", "place"), [("p", 0), ("r", 1), ("f", 2)])
def test_one_reference(folder, answers, layer, stat, place):
    """Precision, recall and F1 at every layer."""
    single = [(answer, references[:1]) for answer, references in answers]

    found = ours(folder, single, layer, stat)

    np.testing.assert_allclose(found, theirs(folder, single, layer)[place], atol=1e-4)


def test_several_references(folder, answers):
    """The best F1 over six references."""
    np.testing.assert_allclose(ours(folder, answers, 2, "f"), theirs(folder, answers, 2)[2], atol=1e-4)


def test_rarity(folder, answers):
    """Weights by inverse document frequency over the run's references."""
    single = [(answer, references[:1]) for answer, references in answers]

    found = ours(folder, single, 2, "f", ":idf")

    np.testing.assert_allclose(found, theirs(folder, single, 2, idf=True)[2], atol=1e-4)

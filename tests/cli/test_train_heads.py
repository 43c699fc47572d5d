"""`qassay build` and `qassay train` for chunker, reader and checker, as a user meets them."""

import pytest

from commands import qassay, qassay_json, write_rows
from tiny_bert import write_tiny_bert

pytestmark = pytest.mark.train

PASSAGE = "paris is the capital of france. the red car is in rome."
QUESTIONS = [
    {"question": "what is in rome", "passage": PASSAGE, "spans": [[32, 43]], "source": "a", "group": "1"},
    {"question": "how many steps", "passage": PASSAGE, "spans": [], "source": "b", "group": "2"},
]
SENTENCES = [
    {
        "type": "tagged",
        "text": "paris is red",
        "words": [[0, 5], [6, 8], [9, 12]],
        "source": "conll2000",
        "group": "1",
        "parts": ["NNP", "VBZ", "JJ"],
        "chunks": ["B-NP", "B-VP", "B-ADJP"],
    }
]


CLAIMS = [
    {
        "document": PASSAGE,
        "claims": [
            {"text": "the car is in rome.", "consistent": True, "kind": "clause", "support": [[32, 55]]},
            {"text": "the car is in paris.", "consistent": False, "kind": "name", "wrong": [[14, 19]]},
        ],
        "source": "mine",
        "group": "1",
    }
]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Return an encoder of the embedded model's shape."""
    return write_tiny_bert(tmp_path_factory.mktemp("base"), width=384, heads=12, layers=6)


@pytest.mark.parametrize(
    ("kind", "rows", "told"),
    [
        ("reader", QUESTIONS, "is_answered"),
        ("chunker", SENTENCES, "noun phrases in int8"),
        ("consistency", CLAIMS, "auc"),
    ],
)
def test_training_writes_a_model_folder(base, tmp_path, kind, rows, told):
    """The folder holds the graph, and the document says what the development rows showed."""
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", rows)

    found = qassay_json("train", kind, "--base", base, "--data", tmp_path, "-o", tmp_path / "model", "--epochs", 1)

    assert told in found["dev"]
    assert (tmp_path / "model" / f"{kind}.onnx").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("build", "chunker", "--recipe", "nowhere", "--conll", "no.zip", "-o", "out"), "conll2000.zip"),
        (("build", "reader", "--recipe", "nowhere", "-o", "out"), "dev-v2.0.json"),
        (("train", "reader", "--base", ".", "--data", "nowhere", "-o", "out"), "qassay build reader"),
        (("train", "chunker", "--base", ".", "--data", "nowhere", "-o", "out"), "qassay build chunker"),
        (("build", "consistency", "--recipe", "nowhere", "-o", "out"), "dev-v2.0.json"),
        (("train", "consistency", "--base", ".", "--data", "nowhere", "-o", "out"), "qassay build consistency"),
        (("train", "reader", "--base", ".", "--data", ".", "-o", "out", "--share", "qamr"), "qamr=0.5"),
        (("train", "reader", "--base", ".", "--data", ".", "-o", "out", "--rounds", "2"), "--teachers"),
        (("train", "answer-reader", "--base", ".", "--data", ".", "-o", "out", "--leave-out", ""), '--leave-out is ""'),
        (("train", "answer-reader", "--base", ".", "--data", ".", "-o", "out", "--leave-out", "1"), "as in 1/4"),
        (("train", "judge", "--base", "mini", "--data", ".", "-o", "out", "--reader", "."), "--reader is for networks"),
        (("train", "reader", "--base", ".", "--data", ".", "-o", "out", "--start", "."), "no reader.safetensors"),
    ],
)
def test_what_is_missing_is_named(tmp_path, words, message):
    """A mistake is one message with a remedy, and nothing is written."""
    done = qassay(*words, folder=tmp_path, check=2)

    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_answer_reader_says_what_it_is_for(base, tmp_path):
    """One that left questions out is named to the judge that is trained on these; `qassay summary` takes none."""
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", QUESTIONS)
    words = ("train", "answer-reader", "--base", base, "--data", tmp_path)

    one = qassay(*words, "-o", tmp_path / "one", "--leave-out", "2/3", check=0)
    whole = qassay(*words, "-o", tmp_path / "whole", check=0)

    assert f"use it with `qassay train judge --reader {tmp_path / 'one'}`" in one.stderr.replace("\n", " ")
    assert whole.stderr.rstrip().endswith(f"wrote {tmp_path / 'whole'}")


def test_a_share_is_of_a_source_that_is_there(base, refused, tmp_path):
    """A misspelt source is named with those there are."""
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", QUESTIONS)
    message = refused("train", "reader", "--base", base, "--data", ".", "-o", "out", "--share", "nope=0.5")
    assert "no training row is of nope; there are a, b" in message


@pytest.mark.parametrize(("kind", "rows"), [("reader", QUESTIONS[:1]), ("chunker", SENTENCES)])
def test_a_head_has_a_card_of_its_own(base, tmp_path, kind, rows):
    """It claims nothing that was measured on the embedded model, and what no row shows is not printed as a number."""
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", rows)

    done = qassay("train", kind, "--base", base, "--data", tmp_path, "-o", tmp_path / "model", check=0)

    assert (tmp_path / "model" / "MODEL_CARD.md").read_text().startswith(f"# A {kind}\n")
    assert "nan" not in done.stdout
    assert "unknown (no row shows it)" in done.stdout.replace("\n", " ")


def test_heads_are_trained_into_one_folder(base, tmp_path):
    """A judge fitted into a chunker's folder leaves the chunker as it was trained."""
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", SENTENCES)
    model = tmp_path / "model"
    qassay("train", "chunker", "--base", base, "--data", tmp_path, "-o", model, check=0)
    trained = (model / "chunker.npz").read_bytes()
    judged = [
        {"id": n, "question": f"what {n}", "references": ["paris"], "candidate": text, "judgement": right}
        for n in range(40)
        for text, right in ((("it is paris", 1), ("rome", 0))[n % 2],)
    ]
    file = write_rows(tmp_path / "judged.jsonl", judged)

    qassay("train", "judge", "--base", "mini", "--data", file, "-o", model, check=0)

    assert (model / "chunker.npz").read_bytes() == trained
    titles = [line for line in (model / "MODEL_CARD.md").read_text().splitlines() if line.startswith("# ")]
    assert titles == ["# A judge", "# A chunker"]

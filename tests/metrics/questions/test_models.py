"""Models by name: what asks and what answers can be replaced by any Hugging Face model of the kind."""

import pytest
import torch
from transformers import BertConfig, BertForQuestionAnswering

from commands import qassay_json, write_rows
from qassay.metrics.questions.open_pipeline import open_pipeline
from qassay.metrics.registry import create
from qassay.models.load_readers import load_generator
from qassay.models.question_model_names import Models
from qassay.records import Example, Reference
from tiny_bert import write_tiny_bert
from tiny_t5 import write_tiny_t5

REFERENCE = "The red car was in Paris."
EXAMPLE = Example("1", "", (Reference(REFERENCE),), "the red car was in Rome", "a")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    folder = write_tiny_bert(tmp_path_factory.mktemp("qa"))
    torch.manual_seed(3)
    BertForQuestionAnswering(BertConfig.from_pretrained(folder)).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def generator(tmp_path_factory):
    return str(write_tiny_t5(tmp_path_factory.mktemp("t5")))


def _asked(models):
    ((record,),) = open_pipeline(models, ("exact_match",)).ask([EXAMPLE], [create("qaeval")])
    return record.sources[0].questions


def test_questions_are_the_generators_own(reader, generator):
    """Each is what the model makes of its prompt; answers and their places stay the chunker's."""
    asked = _asked(Models(reader=reader, generator=generator, device="cpu"))
    assert [each.answer for each in asked] == ["The red car", "Paris"]
    prompts = [f"answer: {each.answer} context: {REFERENCE}" for each in asked]
    assert [each.question for each in asked] == load_generator(generator, "cpu").generate(prompts)


def test_answers_are_the_readers_own(reader):
    """They are spans of the summary, whatever an untrained model thinks of them."""
    asked = _asked(Models(reader=reader, device="cpu"))
    assert all(each.prediction in EXAMPLE.candidate for each in asked)


def test_other_models_are_another_identity(reader, generator):
    """Scores of one reader or generator are not taken for those of another."""
    plain, worded = (
        open_pipeline(Models(reader=reader, generator=each, device="cpu"), ("exact_match",))
        for each in (None, generator)
    )
    assert plain.fingerprint != worded.fingerprint
    assert plain.identity("exact_match")["answers"] == worded.identity("exact_match")["answers"]


def test_the_command_line_takes_them_by_name(reader, generator, tmp_path):
    """`--reader` and `--generator` with folders; the signature names their fingerprints."""
    row = {"id": "1", "summary": EXAMPLE.candidate, "references": [REFERENCE]}
    found = qassay_json(
        *("summary", write_rows(tmp_path / "in.jsonl", [row]), "-m", "qaeval,verify=em", "--device", "cpu"),
        *("--reader", reader, "--generator", generator, "--prompt", "{before}[{answer}]{after}"),
    )
    assert found["aggregates"][0]["n"] == 1
    assert load_generator(generator, "cpu").fingerprint in found["aggregates"][0]["signature"]

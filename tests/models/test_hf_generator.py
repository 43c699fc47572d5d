import pytest
from transformers import T5ForConditionalGeneration

from qassay.errors import ModelError
from qassay.models.base import parse_ref
from qassay.models.hf.generator import HFGenerator
from qassay.models.load_readers import load_generator
from tiny_bert import write_tiny_bert
from tiny_t5 import write_tiny_t5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_t5(tmp_path_factory.mktemp("t5"))


@pytest.fixture(scope="module")
def generator(folder):
    return HFGenerator(parse_ref(str(folder)), "cpu")


def test_every_text_gets_its_own(generator):
    """In the order in which they came, whatever the length, and the same text the same."""
    texts = ["who was it", "a car", "who was it", "the capital of france is paris"]
    together = generator.generate(texts)
    assert together[0] == together[2]
    assert together == [generator.generate([text])[0] for text in texts]


def test_the_model_itself_is_what_is_asked(generator, folder):
    """The library's own beam search on the same weights gives the same words."""
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    encoded = generator._tokenizer(["the red car"], return_tensors="pt")
    made = model.generate(
        input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"], max_new_tokens=64, num_beams=4
    )
    expected = generator._tokenizer.batch_decode(made, skip_special_tokens=True)[0].strip()
    assert generator.generate(["the red car"]) == [expected]


def test_weights_are_identified(generator):
    """The same weights have the same fingerprint."""
    assert len(generator.fingerprint) >= 8


def test_nothing_to_ask_is_no_work(generator):
    """An empty list comes back empty."""
    assert generator.generate([]) == []


def test_an_encoder_is_refused(tmp_path):
    """A BERT does not write; the message says what does."""
    with pytest.raises(ModelError, match="sequence-to-sequence"):
        HFGenerator(parse_ref(str(write_tiny_bert(tmp_path / "bert"))), "cpu")


def test_a_folder_without_a_model_is_refused(tmp_path):
    """Pickles are not read."""
    with pytest.raises(ModelError, match="safetensors"):
        HFGenerator(parse_ref(str(tmp_path)), "cpu")


def test_the_embedded_model_is_no_generator():
    """Its questions are worded by rule, without a name."""
    with pytest.raises(ModelError, match="by rule"):
        load_generator("mini")

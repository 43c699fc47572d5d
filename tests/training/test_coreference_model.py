"""Coreference by a sequence-to-sequence model: what of its rewriting is taken over, and the command that uses it."""

import json

import pytest
import torch
from transformers import AutoTokenizer, T5ForConditionalGeneration

from commands import qassay, qassay_json
from qassay.errors import ModelError, SpecError
from qassay.models.base import parse_ref
from qassay.models.hf.generator import HFGenerator
from qassay.training.coreference_model import PROMPT, ModelResolver, check_prompt, open_resolver, replace_mentions
from tiny_bert import write_tiny_bert
from tiny_t5 import write_tiny_t5

CONTEXT = ["Jing Tian", "Jing Tian is an actress who met Wes Hill on The Glory of Tang Dynasty."]
PARIS = ["Paris is a city.", " It is in France."]
ROME = ["Rome is the capital.", " It was a city of four."]


@pytest.mark.parametrize(
    ("sentence", "rewritten", "expected"),
    [
        ("She graduated.", "Jing Tian graduated.", "Jing Tian graduated."),
        ("In 2010 she left.", "in 2010 jing tian left .", "In 2010 Jing Tian left."),
        ("Her home is Oslo.", "Jing Tian's home is Oslo.", "Jing Tian's home is Oslo."),
        ("Hill left.", "Wes Hill left.", "Wes Hill left."),
        ("The old film cost it.", "The Glory of Tang Dynasty cost it.", "The Glory of Tang Dynasty cost it."),
        ("She met him.", "Jing Tian met Wes Hill.", "Jing Tian met Wes Hill."),
    ],
)
def test_replaced_mentions_are_taken_over(sentence, rewritten, expected):
    """Pronouns, short forms and definite phrases, in the spelling of the context."""
    assert replace_mentions(sentence, rewritten, CONTEXT) == expected


@pytest.mark.parametrize(
    ("sentence", "rewritten"),
    [
        ("She graduated.", "Anna graduated."),  # nobody of that name
        ("She graduated late.", "Jing Tian graduated."),  # a word is lost
        ("She graduated in 2008.", "Jing Tian graduated in 2010."),  # a fact is changed
        ("Tom left.", "Wes Hill left."),  # no mention
        ("She left.", ""),
        ("", "Jing Tian"),
    ],
)
def test_anything_else_leaves_the_sentence(sentence, rewritten):
    """What is not a mention, or not of the context, is not believed."""
    assert replace_mentions(sentence, rewritten, CONTEXT) == sentence


@pytest.mark.parametrize("prompt", ["{sentence}", "{context} {sentence} {answer}", "{sentence", "{context}"])
def test_a_prompt_names_sentence_and_context(prompt):
    """Anything else is refused with what may stand there."""
    with pytest.raises(SpecError, match="sentence"):
        check_prompt(prompt)


def test_the_embedded_model_resolves_nothing():
    """The message says what to do instead."""
    with pytest.raises(ModelError, match="leave --coreference out"):
        open_resolver("mini")


def rewriting(folder):
    """Train a tiny T5 to rewrite the second sentences of two paragraphs."""
    write_tiny_t5(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = T5ForConditionalGeneration.from_pretrained(folder)
    inputs = [
        PROMPT.format(context=f"{title} ||| {first}", sentence=second.strip())
        for title, (first, second) in (("Paris", PARIS), ("Rome (city)", ROME))
    ]
    wanted = tokenizer(["paris is in france.", "rome was a city of four."], padding=True, return_tensors="pt")
    labels = wanted["input_ids"][:, 1:].masked_fill(wanted["attention_mask"][:, 1:] == 0, -100)
    given = tokenizer(inputs, padding=True, return_tensors="pt")
    optimiser = torch.optim.AdamW(model.parameters(), 5e-3)
    torch.manual_seed(0)
    for _ in range(150):
        loss = model(input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def rewriter(tmp_path_factory):
    return rewriting(tmp_path_factory.mktemp("rewriter"))


@pytest.mark.train
def test_a_trained_rewriter_resolves_what_it_has_learnt(rewriter):
    """Each sentence is given with its context; the first stays, and so does white space."""
    resolver = ModelResolver(HFGenerator(parse_ref(str(rewriter)), "cpu"))

    assert resolver("Paris", PARIS) == [PARIS[0], " Paris is in France."]
    assert resolver("Rome (city)", ROME) == [ROME[0], " Rome was a city of four."]
    assert resolver("Paris", PARIS[:1]) == PARIS[:1]


@pytest.fixture
def hotpot(tmp_path):
    rows = [
        {
            "question": f"Where is {number}?",
            "answer": "France",
            "supporting_facts": [["Paris", 1]],
            "context": [["Paris", PARIS], ["Rome (city)", ROME]],
        }
        for number in range(20)
    ]
    path = tmp_path / "hotpot.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.mark.train
def test_the_command_builds_with_a_model(rewriter, hotpot, tmp_path):
    """Rows hold what the model wrote, and sources.json says which model it was."""
    out = tmp_path / "out"

    qassay_json("build", "keyphrase", "--data", f"hotpot:{hotpot}", "--coreference", str(rewriter), "-o", str(out))

    rows = [json.loads(line) for line in (out / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["answer"] for row in rows} == {"Paris is in France."}
    told = json.loads((out / "sources.json").read_text(encoding="utf-8"))["coreference"]
    assert (told["model"], told["prompt"]) == (str(rewriter), PROMPT)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--coreference-prompt", "{context} {sentence}"], "name it with --coreference"),
        (["--coreference", "BERT"], "sequence-to-sequence"),
        (["--coreference", "BERT", "--coreference-prompt", "{sentence}"], "its {context}"),
    ],
)
def test_what_cannot_resolve_is_refused(hotpot, tmp_path, options, message):
    """A prompt without a model, a model that does not write, a prompt without context."""
    bert = str(write_tiny_bert(tmp_path / "bert"))
    words = [bert if word == "BERT" else word for word in options]

    result = qassay("build", "keyphrase", "--data", f"hotpot:{hotpot}", *words, "-o", str(tmp_path / "out"))

    assert result.returncode != 0
    assert message in " ".join(result.stderr.split())

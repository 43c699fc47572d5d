import pytest

from fake_pipeline import CapitalChunker
from qassay.errors import SpecError
from qassay.metrics.questions.question_generation import Questioner
from qassay.metrics.questions.wording.question_writer import PROMPT, ModelWriter, check_prompt


class Echo:
    """Gives back what it is given, so that a test sees it."""

    fingerprint = "echo"

    def generate(self, texts):
        """Return the texts."""
        return list(texts)


def _asked(prompt):
    (raised,) = Questioner(CapitalChunker(), ModelWriter(Echo(), prompt)).ask(["yesterday Anna sang"])
    return [each.question.text for each in raised]


def test_the_model_is_given_answer_and_sentence():
    """The default form is the one most question models are trained on."""
    assert _asked(PROMPT) == ["answer: Anna context: yesterday Anna sang"]


def test_the_answer_can_be_marked_in_the_sentence():
    """As models want it that were trained on highlighted answers."""
    assert _asked("ask: {before}<hl> {answer} <hl>{after}") == ["ask: yesterday <hl> Anna <hl> sang"]


def test_the_question_keeps_its_answer_and_its_place():
    """Only the words are the model's."""
    (raised,) = Questioner(CapitalChunker(), ModelWriter(Echo())).ask(["yesterday Anna sang"])
    assert (raised[0].question.answer, raised[0].span) == ("Anna", (10, 14))


def test_another_prompt_is_another_identity():
    """Scores of two prompts are not compared."""
    assert ModelWriter(Echo()).fingerprint != ModelWriter(Echo(), "{answer} in {sentence}").fingerprint


@pytest.mark.parametrize(
    "prompt", ["{sentence}", "{answer}", "{answer} {passage} {sentence}", "{answer", "{} {sentence}"]
)
def test_a_prompt_that_cannot_be_filled_is_refused(prompt):
    """The message shows what a prompt looks like."""
    with pytest.raises(SpecError, match="prompt"):
        check_prompt(prompt)

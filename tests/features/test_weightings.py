"""Weightings as objects: what they need, what they give, and those that others register."""

import numpy as np
import pytest

from answers import answer
from qassay.errors import SpecError
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.features.token_views import token_view
from qassay.features.weightings import WEIGHTINGS, Keyphrase, QuestionKeyphrase, Weighting, register_weighting
from qassay.metrics.registry import create
from qassay.models.load import load_weigher
from qassay.scoring.scorer import score_examples


class Capitals(Weighting):
    """Words that begin with a capital letter count three times."""

    name = "capitals"

    def weights(self, question, text, tokens):  # noqa: ARG002 - the same for all questions
        """Look at the text where each token stands."""
        return [3.0 if text[token.start].isupper() else 1.0 for token in tokens]


@pytest.fixture
def capitals():
    """Register a weighting for one test."""
    register_weighting(Capitals)
    yield Capitals
    WEIGHTINGS.unregister("capitals")


def test_built_in_weightings():
    """The registry has ours, in the order in which they are listed."""
    assert list(WEIGHTINGS) == ["kpqa", "kp", "idf", "uniform"]


@pytest.mark.usefixtures("capitals")
def test_registered_weighting_weighs_any_metric():
    """Recall is a share of the weights: Paris weighs 3 of 7."""
    spec = "rouge_1:capitals,stat=r"

    assert score_examples([answer("in Paris", "near Paris France")], [spec])[spec][0] == pytest.approx(3 / 7)


@pytest.mark.usefixtures("capitals")
def test_registered_weighting_weighs_word_pieces():
    """BERTScore takes the weights of its own word pieces: the more the shared name weighs, the better."""
    scores = score_examples([answer("in Paris", "near Paris")], ["bert_score", "bert_score:capitals"])

    assert scores["bert_score:capitals"][0] > scores["bert_score"][0]


@pytest.mark.usefixtures("capitals")
def test_unknown_weighting_names_the_nearest():
    """A registered weighting is among those that a misspelt one is compared with."""
    with pytest.raises(SpecError, match='did you mean "capitals"'):
        create("rouge_l:capital")


def test_wrong_number_of_weights():
    """A weighting must return one weight per token."""

    class Short(Weighting):
        name = "short"

        def weights(self, question, text, tokens):  # noqa: ARG002 - always one
            return [1.0]

    batch = Batch([answer("a b", "a b c")])
    register_weighting(Short)
    try:
        with pytest.raises(SpecError, match="one number per token"):
            token_view(batch, "word", "short")
    finally:
        WEIGHTINGS.unregister("short")


def test_names_are_taken_once():
    """Nobody replaces ours."""

    class Idf(Weighting):
        name = "idf"

        def weights(self, question, text, tokens):  # noqa: ARG002 - never called
            return np.ones(len(tokens))

    with pytest.raises(SpecError, match='there is a weighting "idf" already'):
        register_weighting(Idf)


@pytest.mark.parametrize(("weighting", "with_question"), [(QuestionKeyphrase, True), (Keyphrase, False)])
def test_each_keyphrase_weighting_has_a_head_of_its_own(weighting, with_question):
    """`:kp` depends on the weights that were trained without questions, and `:kpqa` on the others."""
    fingerprint = load_weigher("mini", with_question=with_question).fingerprint

    assert weighting().identity(Resources()) == {"weights": fingerprint}

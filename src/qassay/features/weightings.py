"""Weightings: how much each token of a text counts. `:kpqa`, `:kp`, `:idf`, `:uniform`, and those of other packages."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from qassay.arrays import real_numbers
from qassay.errors import SpecError
from qassay.features.frequencies import FrequencyNeed
from qassay.features.pair_weights import distinct_pairs, pair_weights, project_weights
from qassay.models.load import has_keyphrase_head
from qassay.plugins import Distribution, Registry, described, guard_methods
from qassay.text.normalise import fold
from qassay.text.tokenisers.tokenise import word
from qassay.text.tokenisers.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.features.batch import Batch
    from qassay.features.resources import Resources

GROUP = "qassay.weightings"
"""The entry points of packages that bring weightings."""
_METHODS = ("__init__", "first_passes", "identity", "takes_model", "own_tokens", "weights", "weigh")
"""What a package may define."""


class Token(NamedTuple):
    """A token and its span in its text, in characters."""

    text: str
    start: int
    end: int


class TokenisedTexts:
    """Every text of a batch under one tokeniser; tokens and their spans are computed when needed."""

    def __init__(self, tok: str, cut: Callable[[], Tokens], locate: Callable[[], Sequence[Ints]]) -> None:
        self.tok = tok
        """The tokeniser's name."""
        self._cut = cut
        self._locate = locate

    @cached_property
    def tokens(self) -> Tokens:
        """The tokens, in the batch's order of texts."""
        return self._cut()

    @cached_property
    def spans(self) -> Sequence[Ints]:
        """Start and end of each text's tokens, in characters."""
        return self._locate()


class RowWeights(NamedTuple):
    """Texts with their weights; candidates and references point to them. One text may stand in several rows."""

    text: Ints
    """The text of each row, as a row of the batch's texts."""
    candidate: Ints
    """The row of each example's candidate."""
    reference: Ints
    """The row of each reference of the flat list."""
    weights: Floats
    """One per token, row after row."""

    def by_row(self, lengths: Ints) -> list[Floats]:
        """Return the weights of each row, given how many tokens each text has."""
        bounds = [0, *np.cumsum(lengths[self.text]).tolist()]
        return [self.weights[start:end] for start, end in pairwise(bounds)]


class OwnTokens(NamedTuple):
    """Texts in the tokens that a weighting itself cuts them into."""

    tokens: Tokens
    """Of each row of the weights."""
    rows: RowWeights
    spans: list[Ints]
    """Where the tokens of each row stand."""


class Weighting:
    """How much each token counts, given its text and, if it is wanted, the question. A class declares itself.

    The simplest weighting defines `weights`. One that can do all texts of a batch at once defines `weigh` instead.
    """

    name: ClassVar[str] = ""
    """As written after the colon of a spec."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """The fields, beyond candidate and references, that an answer must have."""
    instead: ClassVar[str] = ""
    """The weighting to use for answers that lack what this one needs, where there is one."""
    runs_model: ClassVar[bool] = False
    """Whether a model reads the texts, which takes milliseconds for each."""
    has_tokens: ClassVar[bool] = False
    """Whether it cuts texts into tokens of its own, for the metrics that take them (`tok=own`)."""
    distribution: Distribution | None = None
    """The package that it comes from, where that is not Qassay."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        guard_methods(cls, "weighting", _METHODS)

    def first_passes(self, tok: str) -> tuple[FrequencyNeed, ...]:  # noqa: ARG002 - for those that count
        """Return what must be counted over the run's references before scoring."""
        return ()

    def identity(self, resources: Resources) -> dict[str, str]:  # noqa: ARG002 - for those with a model
        """Return what else than its name and the counted frequencies the weights depend on, for the signature."""
        return {}

    def takes_model(self, ref: str) -> bool:  # noqa: ARG002 - for those with a model
        """Whether the weights can come from this model."""
        return False

    def own_tokens(self, batch: Batch) -> OwnTokens:
        """Return all texts of a batch in the weighting's own tokens, with their weights."""
        raise NotImplementedError

    def weights(self, question: str, text: str, tokens: Sequence[Token]) -> Sequence[float]:
        """Return one weight per token, 0 or above."""
        raise NotImplementedError

    def weigh(self, batch: Batch, texts: TokenisedTexts) -> RowWeights:
        """Return the weights of all texts of a batch; by default, of every distinct pair of question and text."""
        pairs, candidate, reference = distinct_pairs(batch, batch.questions)
        found = [self._checked(question, batch.texts[text], _located(texts, text)) for question, text in pairs]
        return RowWeights(
            np.array([text for _, text in pairs], np.int64), candidate, reference, np.concatenate([np.zeros(0), *found])
        )

    def _checked(self, question: str, text: str, tokens: Sequence[Token]) -> Floats:
        given = self.weights(question, text, tokens)
        found = real_numbers(given)
        if found is None or found.shape != (len(tokens),) or not np.isfinite(found).all() or (found < 0).any():
            raise SpecError(
                f"{described('weighting', self.name, type(self))} returned {given!r:.80} for {len(tokens)} tokens; "
                "it must return one number per token, 0 or above"
            )
        return found


def _located(texts: TokenisedTexts, text: int) -> list[Token]:
    spans = texts.spans[text].tolist()
    return [Token(word, start, end) for word, (start, end) in zip(texts.tokens.row(text), spans, strict=True)]


class Keyphrase(Weighting):
    """The weight of each token of an answer without its question, by a keyphrase model (KP; Lee et al. 2021)."""

    name = "kp"
    runs_model = True
    has_tokens = True
    with_question: ClassVar[bool] = False

    def identity(self, resources: Resources) -> dict[str, str]:
        """Return the keyphrase model's fingerprint."""
        return {"weights": resources.weigher(with_question=self.with_question).fingerprint}

    def takes_model(self, ref: str) -> bool:
        """Whether a model has a keyphrase head."""
        return has_keyphrase_head(ref)

    def weigh(self, batch: Batch, texts: TokenisedTexts) -> RowWeights:
        """Project the weights of the model's word pieces onto the tokens."""
        pairs = pair_weights(batch, with_question=self.with_question)
        return RowWeights(pairs.text, pairs.candidate, pairs.reference, project_weights(pairs, texts.spans))

    def own_tokens(self, batch: Batch) -> OwnTokens:
        """Return the model's word pieces, as they are written in the texts; a model may not know a character."""
        return batch.memo((Keyphrase.own_tokens, self.with_question), lambda: self._cut(batch))

    def _cut(self, batch: Batch) -> OwnTokens:
        pairs = pair_weights(batch, with_question=self.with_question)
        words, spans, weights = [], [], [np.zeros(0)]
        for text, found in zip((batch.texts[row] for row in pairs.text.tolist()), pairs.weights, strict=True):
            # A model may drop all characters of a text; one that is not blank still has a token.
            whole = not len(found.weights) and bool(text.strip())
            words.append(word(text) if whole else _pieces(text, found.spans))
            spans.append(np.tile([0, len(text)], (len(words[-1]), 1)) if whole else found.spans)
            weights.append(np.ones(len(words[-1])) if whole else found.weights)
        rows = RowWeights(pairs.text, pairs.candidate, pairs.reference, np.concatenate(weights))
        return OwnTokens(Tokens.number(words), rows, spans)


def _pieces(text: str, spans: Ints) -> list[str]:
    """Return the pieces of a text, lower-cased; one that continues a word begins with ##."""
    folded, end, found = fold(text), 0, []
    for start, stop in spans.tolist():
        inside = start == end > 0 and folded[start - 1 : start].isalnum() and folded[start : start + 1].isalnum()
        found.append(f"##{folded[start:stop]}" if inside else folded[start:stop])
        end = stop
    return found


class QuestionKeyphrase(Keyphrase):
    """The weight of each token of an answer to its question, by a keyphrase model (KPQA; Lee et al. 2021)."""

    name = "kpqa"
    needs = frozenset({"question"})
    instead = Keyphrase.name
    with_question = True


class Idf(Weighting):
    """Rarity among the run's references, log((N + 1) / (df + 1)) (Zhang et al. 2020)."""

    name = "idf"

    def first_passes(self, tok: str) -> tuple[FrequencyNeed, ...]:
        """Count in how many references each token stands."""
        return (FrequencyNeed(tok),)

    def weigh(self, batch: Batch, texts: TokenisedTexts) -> RowWeights:
        """Return each token's inverse document frequency."""
        rarity = batch.resources.first_pass_result(FrequencyNeed(texts.tok)).idf(texts.tokens.words)
        return RowWeights(np.arange(len(batch.texts)), batch.candidate, batch.reference, rarity[texts.tokens.ids])


class Uniform(Weighting):
    """1 for every token: the arithmetic of weights without their effect."""

    name = "uniform"

    def weigh(self, batch: Batch, texts: TokenisedTexts) -> RowWeights:
        """Return ones."""
        return RowWeights(np.arange(len(batch.texts)), batch.candidate, batch.reference, np.ones(len(texts.tokens.ids)))


def _made(name: str, given: object, distribution: Distribution | None) -> Weighting:
    """Return an instance of a weighting's class, after checking the class."""
    if not isinstance(given, type) or not issubclass(given, Weighting):
        raise SpecError(f"the weighting {name} is {given!r:.60}; give a class derived from qassay.Weighting")
    if given.name != name:
        raise SpecError(f'the class {given.__qualname__} has the name "{given.name}", not "{name}"; make them the same')
    if given.weights is Weighting.weights and given.weigh is Weighting.weigh:
        raise SpecError(f"the weighting {name} ({given.__qualname__}) lacks weights; define it")
    if given.has_tokens and given.own_tokens is Weighting.own_tokens:
        raise SpecError(f"the weighting {name} ({given.__qualname__}) lacks own_tokens; define it")
    made = given()
    made.distribution = distribution
    return made


WEIGHTINGS: Registry[Weighting] = Registry(
    "weighting",
    {each.name: f"{__name__}:{each.__qualname__}" for each in (QuestionKeyphrase, Keyphrase, Idf, Uniform)},
    {GROUP: _made},
)


def register_weighting(weighting: type[Weighting]) -> type[Weighting]:
    """Add a weighting under the name that its class declares. Also a class decorator."""
    if not isinstance(weighting, type) or not issubclass(weighting, Weighting):
        raise SpecError(f"{weighting!r:.60} is no weighting; give a class derived from qassay.Weighting")
    if not weighting.name:
        raise SpecError(f'{weighting.__qualname__} has no name; give it one, as in `name = "content"`')
    WEIGHTINGS.register(weighting.name, weighting, GROUP)
    return weighting

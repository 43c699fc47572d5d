"""A batch of examples with the features that metrics share, each computed once and only when asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import summed
from qassay.features.frequencies import FrequencyNeed, in_spaced_language
from qassay.features.pair_weights import Asked, ask, weights_on
from qassay.models.base import EMBEDDED, NO_WEIGHT, Device, language_notes
from qassay.models.load import has_keyphrase_head, load_encoder, load_judge, load_weigher
from qassay.models.onnx.judge import Judged
from qassay.text.ngram_overlap import SharedGrams
from qassay.text.normalise import compose
from qassay.text.token_spans import places
from qassay.text.tokenise import Tokeniser, tokeniser, word
from qassay.text.tokens import Tokens, ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.frequencies import Frequencies
    from qassay.models.base import Encoder, TokenEmbeddings, Weigher
    from qassay.models.onnx.judge import Judge
    from qassay.records import Example


@dataclass(frozen=True, slots=True)
class Resources:
    """What the whole run shares: its language and the frequencies counted over its references."""

    language: str = "auto"
    frequencies: Mapping[FrequencyNeed, Frequencies] = field(default_factory=dict)
    """For the metrics that weigh by rarity."""
    model: str = EMBEDDED
    """The model that the run names: its keyphrase head, where it has one, gives the weights."""
    device: Device = "auto"
    threads: int | None = None

    def encoder(self, ref: str) -> Encoder:
        """Open an encoder; the same one twice is opened once."""
        return load_encoder(ref, self.device, self.threads)

    def weigher(self) -> Weigher:
        """Open the keyphrase model of the run, or the embedded one where the run's model has no such head."""
        return load_weigher(self.model if has_keyphrase_head(self.model) else EMBEDDED, self.device, self.threads)

    def judge(self, ref: str) -> Judge:
        """Open a judge; the same one twice is opened once."""
        return load_judge(ref, self.device, self.threads)

    def tokeniser(self, tok: str) -> Tokeniser:
        """Find a tokeniser by name; `piece` is the embedded model's, `piece:MODEL` another model's."""
        name, _, ref = tok.partition(":")
        if name != "piece":
            return tokeniser(tok, self.language)
        pieces = self.encoder(ref or EMBEDDED).pieces
        # A model may know nothing of a character and drop it; a text that is not blank still has a token.
        return Tokeniser(tok, "a model's word pieces", lambda text: pieces(text) or word(text))


class Pairs(NamedTuple):
    """Every candidate beside each of its references, sorted by example; missing candidates have none."""

    example: Ints
    reference: Ints
    """Position in the batch's flat list of references."""


class Restatement(NamedTuple):
    """Some pairs of a batch in the same terms, as a batch of their own."""

    rows: Ints
    """Which of the pairs they are."""
    batch: Batch
    """One example a pair."""


class View(NamedTuple):
    """Tokens as a metric sees them: rows for candidates and references, with or without weights."""

    tokens: Tokens
    candidate: Ints
    """Row of each example's candidate; of no meaning where the candidate is missing."""
    reference: Ints
    """Row of each reference of the flat list."""
    weights: Floats | None
    """One a token, or None when all count alike."""

    def left(self, pairs: Pairs) -> Ints:
        """Return the candidate's row for each pair."""
        return self.candidate[pairs.example]

    def right(self, pairs: Pairs) -> Ints:
        """Return the reference's row for each pair."""
        return self.reference[pairs.reference]


class Batch:
    """Examples side by side. Equal texts are stored, tokenised and encoded once."""

    def __init__(self, examples: Sequence[Example], resources: Resources | None = None) -> None:
        self.examples = examples
        self.resources = resources or Resources()
        self.notes: Counter[str] = Counter()
        self._index: dict[str | tuple[str, bool], int] = {}
        self._spaced: set[int] = set()
        self.candidate = self._intern_all([example.candidate or "" for example in examples], examples)
        self.reference = self._intern_all(
            [each.text for example in examples for each in example.references],
            [example for example in examples for _ in example.references],
        )
        self._reference_counts = np.array([len(example.references) for example in examples], np.int64)
        self._tokens: dict[str, Tokens] = {}
        self._views: dict[tuple[str, str | None], View] = {}
        self._shared: list[tuple[Tokens, Pairs, SharedGrams]] = []
        self._entities: dict[str, list[list[list[str]]]] = {}
        self._spans: dict[str, list[Ints]] = {}
        self._asked: dict[str, Asked] = {}
        self._embeddings: dict[tuple[str, int], list[TokenEmbeddings]] = {}
        self._verdicts: dict[str, dict[Judged, float]] = {}
        self._restated: list[tuple[Pairs, Restatement | None]] = []

    def __len__(self) -> int:
        return len(self.examples)

    def _intern_all(self, texts: Sequence[str], owners: Sequence[Example]) -> Ints:
        index = self._index
        return np.array(
            [
                index.setdefault(text, len(index)) if text.isascii() else self._intern(text, owner)
                for text, owner in zip(texts, owners, strict=True)
            ],
            np.int64,
        )

    def _intern(self, text: str, example: Example) -> int:
        # The same text may be English that quotes Chinese here and plain Chinese there, and is cut accordingly.
        spaced = in_spaced_language(example)
        row = self._index.setdefault((compose(text), spaced), len(self._index))
        if spaced:
            self._spaced.add(row)
        return row

    @cached_property
    def texts(self) -> list[str]:
        """The texts, in composed form, that the candidates' and references' rows point to."""
        return [key if isinstance(key, str) else key[0] for key in self._index]

    @cached_property
    def missing(self) -> Bools:
        """Which examples have no candidate."""
        return np.array([example.candidate is None for example in self.examples], bool)

    @cached_property
    def pairs(self) -> Pairs:
        """All candidate-reference pairs."""
        counts = np.where(self.missing, 0, self._reference_counts)
        firsts = np.cumsum(self._reference_counts) - self._reference_counts
        example = np.repeat(np.arange(len(self)), counts)
        return Pairs(example, ranges(firsts, counts))

    @cached_property
    def same_opinion(self) -> Bools:
        """Which pairs state the same yes-no opinion on both sides."""
        opinions = [each.opinion for example in self.examples for each in example.references]
        return np.array(
            [
                self.examples[example].opinion is not None and self.examples[example].opinion == opinions[reference]
                for example, reference in zip(*(side.tolist() for side in self.pairs), strict=True)
            ],
            bool,
        )

    def tokens(self, tok: str) -> Tokens:
        """Tokenise all texts of the batch, once a tokeniser."""
        if tok not in self._tokens:
            self._tokens[tok] = Tokens.cut(self.texts, self.resources.tokeniser(tok), self._spaced)
        return self._tokens[tok]

    def view(self, tok: str, weighting: str | None = None) -> View:
        """Return the tokens with the wanted weights."""
        key = (tok, weighting)
        if key not in self._views:
            self._views[key] = self._make_view(tok, weighting)
        return self._views[key]

    def shared_grams(self, view: View, pairs: Pairs) -> SharedGrams:
        """Return the n-grams that each pair shares, counted once however many metrics ask."""
        for tokens, counted, shared in self._shared:
            if tokens is view.tokens and np.array_equal(counted.reference, pairs.reference):
                return shared
        shared = SharedGrams(view.tokens, view.left(pairs), view.right(pairs), np.arange(len(pairs.example)))
        self._shared.append((view.tokens, pairs, shared))
        return shared

    def entity_tokens(self, tok: str) -> list[list[list[str]]]:
        """Return the tokens of each example's gold entities, which no two examples share often enough to pool."""
        if tok not in self._entities:
            cut = self.resources.tokeniser(tok).tokens
            self._entities[tok] = [
                # A set, as in Yang et al. (2018), cut as the candidate is: with spaces between words or without.
                [
                    list(each)
                    for each in dict.fromkeys(
                        tuple(cut(compose(entity), spaced=at in self._spaced)) for entity in example.entities
                    )
                ]
                for example, at in zip(self.examples, self.candidate.tolist(), strict=True)
            ]
        return self._entities[tok]

    def spans(self, tok: str) -> list[Ints]:
        """Return the character positions of every text's tokens."""
        if tok not in self._spans:
            self._spans[tok] = places(self.texts, self.tokens(tok), self.resources.tokeniser(tok))
        return self._spans[tok]

    def asked(self, weighting: str) -> Asked:
        """Return the keyphrase weights of every answer for its question (`kpqa`) or for none (`kp`), computed once."""
        if weighting not in self._asked:
            weigher = self.resources.weigher()
            before = Counter(weigher.notes)
            candidates = [example.question if weighting == "kpqa" else None for example in self.examples]
            references = [
                example.question if weighting == "kpqa" else None
                for example in self.examples
                for _ in example.references
            ]
            self._asked[weighting] = ask(
                self.texts, (candidates, self.candidate), (references, self.reference), weigher
            )
            self._note(weigher, before)
        return self._asked[weighting]

    def embeddings(self, ref: str, layer: int) -> list[TokenEmbeddings]:
        """Return the token embeddings of every text at a layer of a model, computed once."""
        key = (ref, layer)
        if key not in self._embeddings:
            encoder = self.resources.encoder(ref)
            before = Counter(encoder.notes)
            self._embeddings[key] = encoder.encode(self.texts, layer)
            self._note(encoder, before)
        return self._embeddings[key]

    def verdicts(self, ref: str, pairs: Pairs, *, context: bool) -> Floats:
        """Return a judge's logit for each pair, with the example's context or without; the same pair is judged once."""
        known = self._verdicts.setdefault(ref, {})
        texts = self.texts
        asked = [
            Judged(example.question, texts[self.reference[k]], texts[self.candidate[i]], example.context or "")
            if context
            else Judged(example.question, texts[self.reference[k]], texts[self.candidate[i]])
            for i, k in zip(*(side.tolist() for side in pairs), strict=True)
            for example in (self.examples[i],)
        ]
        new = [pair for pair in dict.fromkeys(asked) if pair not in known]
        if new:
            judge = self.resources.judge(ref)
            before = Counter(judge.notes)
            known.update(zip(new, judge.judge(new).tolist(), strict=True))
            self._note(judge, before)
        return np.array([known[pair] for pair in asked], np.float64)

    def _note(self, model: Encoder | Weigher | Judge, before: Counter[str]) -> None:
        """Take over what a model noted of the texts; several models note the same of them, which counts once."""
        self.notes |= Counter(model.notes) - before
        if model.english:
            self.notes |= self._languages

    @cached_property
    def _languages(self) -> Counter[str]:
        return language_notes(self.texts)

    def restated(self, pairs: Pairs) -> Restatement | None:
        """Put candidates that say something in other terms than their reference into its terms, once for all judges."""
        for asked, found in self._restated:
            if np.array_equal(asked.reference, pairs.reference):
                return found
        self._restated.append((pairs, self._in_same_terms(pairs)))
        return self._restated[-1][1]

    def _in_same_terms(self, pairs: Pairs) -> Restatement | None:
        from qassay.equivalence.canonicalise import restated  # noqa: PLC0415 - patterns take time to compile

        rows, examples = [], []
        for row, (i, k) in enumerate(zip(*(side.tolist() for side in pairs), strict=True)):
            example = self.examples[i]
            candidate, reference = self.texts[self.candidate[i]], self.texts[self.reference[k]]
            if candidate != reference and (found := restated(example.question, reference, candidate)):
                held = replace(example.references[0], text=found.reference)
                rows.append(row)
                examples.append(replace(example, candidate=found.candidate, references=(held,)))
        return Restatement(np.array(rows), Batch(examples, self.resources)) if rows else None

    def _make_view(self, tok: str, weighting: str | None) -> View:
        tokens = self.tokens(tok)
        weights: Floats | None = None
        if weighting in {"kpqa", "kp"}:
            asked = self.asked(weighting)
            rows = tokens.take(asked.text)
            weights = np.concatenate([np.zeros(0), *weights_on(asked, self.spans(tok))])
            return View(rows, asked.candidate, asked.reference, self._never_all_zero(rows, weights))
        if weighting == "uniform":
            weights = np.ones(len(tokens.ids))
        elif weighting == "idf":
            rarity = self.resources.frequencies[FrequencyNeed(tok)].idf(tokens.words)
            weights = self._never_all_zero(tokens, rarity[tokens.ids])
        return View(tokens, self.candidate, self.reference, weights)

    def _never_all_zero(self, tokens: Tokens, weights: Floats) -> Floats:
        """Let a text whose tokens all weigh nothing count uniformly, and note that it did."""
        totals = summed(tokens.text_of, weights, len(tokens))
        bare = (totals <= 0) & (tokens.lengths > 0)
        if not bare.any():
            return weights
        self.notes[NO_WEIGHT] += int(bare.sum())
        return np.where(bare[tokens.text_of], 1.0, weights)

"""The embedded judge's signals: features of each pair of candidate and reference."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.arrays import cut_rows, lengths_of
from qassay.features.embeddings import text_embeddings
from qassay.features.pair_weights import pair_weights, project_weights
from qassay.features.text_traits import text_traits, texts_that
from qassay.features.token_views import text_tokens, token_view
from qassay.features.weightings import QuestionKeyphrase
from qassay.metrics.base import f_measure
from qassay.metrics.embedding.matching import match_pairs
from qassay.metrics.lexical.ngrams import identical, overlap, table_overlap
from qassay.models.base import EMBEDDED
from qassay.text.refusal import find_refusals
from qassay.text.tokenisers.tokens import Tokens
from qassay.text.traits import CAPITAL, has_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.arrays import Bools, Floats, Ints
    from qassay.equivalence.dates.dates import Date
    from qassay.features.batch import Batch, Pairs
    from qassay.metrics.embedding.matching import TokenMatches
    from qassay.models.base import TokenEmbeddings

JUDGE = "judge"
"""The name of the network's own logit among the signals."""
_MOST_SURE = 7.0
_TOK = "squad"
_SHARPEN = 4.0
_CLOSE = 0.03
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE
)
_NEGATED = word_trait({"no", "not", "never", "none", "nobody", "nothing", "neither", "nor", "cannot", "without", "t"})
"""The trait of texts that may have a negation."""
_YES = re.compile(r"\W*(?:yes|yeah|yep|correct|true)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no|nope|not|never|incorrect|false)\b", re.IGNORECASE)
_NAME = re.compile(r"\W*(?:[^\W\d_a-z][^\s\d_]*\s+){1,8}[^\W\d_a-z][^\s\d_]*")


class Signals(NamedTuple):
    """The value of every signal for every pair."""

    names: tuple[str, ...]
    values: Floats
    """(pairs, signals)"""


def most_sure(logits: Floats) -> Floats:
    """Return the judge's logits as they count among the signals: no further than 7."""
    return np.clip(logits, -_MOST_SURE, _MOST_SURE)


LEXICAL = (
    "found",
    "token F1",
    "same tokens",
    "numbers missing",
    "numbers close",
    "dates differ",
    "date missing",
    "surname missing",
    "in question",
    "negation differs",
    "yes against no",
    "refusal",
    "longer",
)
"""The signals from words alone."""


def lexical_signals(batch: Batch, pairs: Pairs, names: Sequence[str] = LEXICAL) -> Signals:
    """Return the signals from words alone, or those of some names; each text is read once."""
    view = token_view(batch, _TOK)
    tokens = view.tokens
    left, right = view.left(pairs), view.right(pairs)
    features = TextFeatures(batch)
    rows = list(zip(left.tolist(), right.tolist(), strict=True))

    def each_pair(read: Callable[[int, int], float], needed: Bools) -> Floats:
        """Read the pairs whose references have what is needed; of the others the value is 0."""
        found = np.zeros(len(rows))
        some = np.flatnonzero(needed[right])
        found[some] = [read(*rows[row]) for row in some.tolist()]
        return found

    def shared_words() -> Floats:
        shared = overlap(batch, view, pairs, 1)
        return f_measure(shared.precision, shared.recall, beta=1)

    columns: dict[str, Callable[[], Floats]] = {
        "found": lambda: features.found(left, right),
        "token F1": shared_words,
        "same tokens": lambda: identical(view, pairs).astype(np.float64),
        "numbers missing": lambda: each_pair(features.numbers_missing, features.numbered),
        "numbers close": lambda: each_pair(features.numbers_close, features.numbered),
        "dates differ": lambda: each_pair(features.dates_differ, features.dated),
        "date missing": lambda: each_pair(features.date_missing, features.dated),
        "surname missing": lambda: features.surname_missing(left, right),
        "in question": lambda: features.in_question(pairs.example, right),
        "negation differs": lambda: (features.negated[left] != features.negated[right]).astype(np.float64),
        "yes against no": lambda: features.yes_against_no(left, right),
        "refusal": lambda: (features.refusing[left] & ~features.refusing[right]).astype(np.float64),
        "longer": lambda: np.clip(np.log((1 + tokens.lengths[left]) / (1 + tokens.lengths[right])), -3, 3),
    }
    return Signals(tuple(names), np.stack([columns[name]() for name in names], axis=1).reshape(-1, len(names)))


MEANING = ("meaning", "meaning recall")
"""The signals from embeddings alone."""


def model_signals(batch: Batch, pairs: Pairs) -> Signals:
    """Return the signals from keyphrase weights and embeddings: weighted overlap and similarity.

    Answers without a question are weighed by the same head, which then attends to none: so the judge was trained.
    """
    names = ("key words", "key meaning", *MEANING)
    if not len(pairs.example):
        return Signals(names, np.zeros((0, len(names))))
    matched = _match(batch, pairs)
    view = token_view(batch, _TOK, QuestionKeyphrase.name)
    shared = table_overlap(view, pairs, view.tokens.grams(1))
    weighed = pair_weights(batch, with_question=True)
    spans = [each.spans for each in matched.encoded]
    weights = cut_rows(project_weights(weighed, spans), matched.lengths[weighed.text])
    rows = (weighed.candidate[pairs.example], weighed.reference[pairs.reference])
    key = tuple(side.means(weights, row, _SHARPEN) for side, row in zip(matched.sides, rows, strict=True))
    columns = [
        f_measure(shared.precision, shared.recall, beta=1),
        f_measure(key[0], key[1], beta=1),
        *matched.meaning(batch, pairs),
    ]
    return Signals(names, np.column_stack(columns))


def meaning_signals(batch: Batch, pairs: Pairs) -> Signals:
    """Return the signals from embeddings alone: similarity, and how much of the reference is met."""
    if not len(pairs.example):
        return Signals(MEANING, np.zeros((0, len(MEANING))))
    return Signals(MEANING, np.column_stack(_match(batch, pairs).meaning(batch, pairs)))


class _Matched(NamedTuple):
    """The embeddings of a batch's texts, and the tokens of some pairs matched."""

    encoded: list[TokenEmbeddings]
    lengths: Ints
    sides: tuple[TokenMatches, TokenMatches]

    def meaning(self, batch: Batch, pairs: Pairs) -> tuple[Floats, Floats]:
        """Return the unweighted F-measure and recall of each pair."""
        plain = cut_rows((~np.concatenate([each.special for each in self.encoded])).astype(np.float64), self.lengths)
        rows = batch.candidate[pairs.example], batch.reference[pairs.reference]
        precision, recall = (side.means(plain, row, 1.0) for side, row in zip(self.sides, rows, strict=True))
        return f_measure(precision, recall, beta=1), recall


def _match(batch: Batch, pairs: Pairs) -> _Matched:
    encoder = batch.resources.encoder(EMBEDDED)
    encoded = text_embeddings(batch, EMBEDDED, encoder.default_layer)
    left, right = batch.candidate[pairs.example], batch.reference[pairs.reference]
    lengths = lengths_of([each.ids for each in encoded])
    return _Matched(encoded, lengths, match_pairs(encoder, encoded, left, right))


class TextFeatures:
    """Features of each text by itself; the costly ones are found when a pair needs them."""

    def __init__(self, batch: Batch) -> None:
        from qassay.equivalence.dates.dates import DATE, dates  # noqa: PLC0415 - patterns take time to compile
        from qassay.equivalence.negation.opinion import may_open_with_opinion, opinion  # noqa: PLC0415
        from qassay.equivalence.numbers.quantities import NUMBER, quantities  # noqa: PLC0415
        from qassay.equivalence.searched_texts import SearchedTexts  # noqa: PLC0415

        self._batch = batch
        self._tokens = text_tokens(batch, _TOK)
        self._searched = SearchedTexts(batch.texts, self._tokens)
        self._written = batch.texts
        self._dates_of = dates
        self._quantities = quantities
        self._opinion_of = opinion
        self._may_open = may_open_with_opinion
        traits = text_traits(batch)
        self.numbered, self.dated = (has_trait(traits, trait) for trait in (NUMBER, DATE))

    @cached_property
    def negated(self) -> Bools:
        """Which texts have a negation."""
        return texts_that(self._batch, lambda text: _NEGATION.search(text) is not None, _NEGATED)

    @cached_property
    def _named(self) -> Bools:
        """Which texts read like a name."""
        return texts_that(self._batch, lambda text: _NAME.fullmatch(text) is not None, CAPITAL)

    @cached_property
    def refusing(self) -> Bools:
        """Which texts refuse to answer."""
        return np.array(find_refusals(self._written), bool)

    def yes_against_no(self, candidate: Ints, reference: Ints) -> Floats:
        """Return whether a candidate opens with yes and the reference with no, or the other way round."""
        wanted = self._openings(reference)
        found = np.zeros(len(reference))
        some = np.flatnonzero(wanted)
        found[some] = self._openings(candidate[some]) * wanted[some] < 0
        return found

    def _openings(self, texts: Ints) -> Ints:
        """Return whether texts open with yes (1), no (-1) or neither (0)."""
        rows, place = np.unique(texts, return_inverse=True)
        return np.array([self._opening(self._written[row]) for row in rows.tolist()], np.int64)[place]

    def _opening(self, text: str) -> int:
        if not self._may_open(text):
            return 0
        found = self._opinion_of(text)
        return found.value if found else bool(_YES.match(text)) - bool(_NO.match(text))

    def _dates(self, text: int) -> tuple[Date, ...]:
        return self._dates_of(self._written[text]) if self.dated[text] else ()

    def found(self, candidate: Ints, reference: Ints) -> Floats:
        """Return the share of each reference's words that the candidate has, in whatever form."""
        return self._searched.shares(candidate, self._tokens.take(reference))

    def numbers_missing(self, candidate: int, reference: int) -> float:
        """Return the share of the reference's numbers that the candidate lacks."""
        wanted = self._quantities(self._written[reference])
        if not wanted:
            return 0.0
        there = self._searched[candidate].numbers
        return sum(not there.meet(number) for number in wanted) / len(wanted)

    def numbers_close(self, candidate: int, reference: int) -> float:
        """Return how near the candidate's numbers come to the reference's: 1 where equal, 0 from three per cent off."""
        wanted = self._quantities(self._written[reference])
        if not wanted:
            return 0.0
        there = self._searched[candidate].numbers
        return sum(max(0.0, 1 - there.gap(number) / _CLOSE) for number in wanted) / len(wanted)

    def dates_differ(self, candidate: int, reference: int) -> float:
        """Return the share of the reference's dates that none of the candidate's can mean, where it has any."""
        wanted = self._dates(reference)
        there = self._dates(candidate) if wanted else ()
        if not there:
            return 0.0
        return sum(not any(date.agrees(given) for given in there) for date in wanted) / len(wanted)

    def date_missing(self, candidate: int, reference: int) -> float:
        """Whether the reference has a date and the candidate none."""
        return float(bool(self._dates(reference)) and not self._dates(candidate))

    def surname_missing(self, candidate: Ints, reference: Ints) -> Floats:
        """Return whether each reference reads like a name, and the candidate lacks its last word."""
        missing = np.zeros(len(reference))
        some = np.flatnonzero(self._named[reference])
        missing[some] = 1.0 - self._searched.shares(candidate[some], self._tokens.take(reference[some]).last_of_each())
        return missing

    def in_question(self, example: Ints, reference: Ints) -> Floats:
        """Return the share of each reference's words that the question has already; to repeat them says little."""
        row: dict[str, int] = {}
        questions = [row.setdefault(text, len(row)) for text in self._batch.questions]
        from qassay.equivalence.searched_texts import SearchedTexts  # noqa: PLC0415 - patterns take time to compile

        asked = SearchedTexts(list(row), Tokens.cut(list(row), self._batch.resources.tokeniser(_TOK)))
        return asked.shares(np.array(questions, np.int64)[example], self._tokens.take(reference))

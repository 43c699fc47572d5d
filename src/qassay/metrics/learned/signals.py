"""The embedded judge's signals: features of each pair of candidate and reference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.features.embeddings import text_embeddings
from qassay.features.pair_weights import pair_weights, project_weights
from qassay.features.token_views import text_tokens, token_view
from qassay.features.weightings import Keyphrase, QuestionKeyphrase
from qassay.metrics.base import f_measure, subset
from qassay.metrics.embedding.matching import Units, match_pairs
from qassay.metrics.lexical.ngrams import identical, overlap, table_overlap
from qassay.models.base import EMBEDDED
from qassay.text.refusal import is_refusal

if TYPE_CHECKING:
    from qassay.arrays import Floats
    from qassay.equivalence.dates.dates import Date
    from qassay.features.batch import Batch, Pairs

JUDGE = "judge"
"""The name of the network's own logit among the signals."""
_TOK = "squad"
_SHARPEN = 4.0
_CLOSE = 0.03
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['\u2019]t\b", re.IGNORECASE
)
_YES = re.compile(r"^\W*(?:yes|yeah|yep|correct|true)\b", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|nope|not|never|incorrect|false)\b", re.IGNORECASE)
_NAME = re.compile(r"\W*(?:[^\W\d_a-z][^\s\d_]*\s+){1,8}[^\W\d_a-z][^\s\d_]*")


class Signals(NamedTuple):
    """The value of every signal for every pair."""

    names: tuple[str, ...]
    values: Floats
    """(pairs, signals)"""


def lexical_signals(batch: Batch, pairs: Pairs) -> Signals:
    """Return the signals from words alone, each text read once."""
    view = token_view(batch, _TOK)
    tokens = view.tokens
    left, right = view.left(pairs), view.right(pairs)
    shared = overlap(batch, view, pairs, 1)
    features = TextFeatures(batch)
    rows = list(zip(left.tolist(), right.tolist(), strict=True))
    columns = {
        "found": np.array([features.found(a, b) for a, b in rows]),
        "token F1": f_measure(shared.precision, shared.recall, beta=1),
        "same tokens": identical(view, pairs).astype(np.float64),
        "numbers missing": np.array([features.numbers_missing(a, b) for a, b in rows]),
        "numbers close": np.array([features.numbers_close(a, b) for a, b in rows]),
        "dates differ": np.array([features.dates_differ(a, b) for a, b in rows]),
        "date missing": np.array([features.date_missing(a, b) for a, b in rows]),
        "surname missing": np.array([features.surname_missing(a, b) for a, b in rows]),
        "in question": np.array([features.in_question(i, b) for i, (_, b) in zip(pairs.example, rows, strict=True)]),
        "negation differs": (features.negated[left] != features.negated[right]).astype(np.float64),
        "yes against no": (features.opinion[left] * features.opinion[right] < 0).astype(np.float64),
        "refusal": (features.refusing[left] & ~features.refusing[right]).astype(np.float64),
        "longer": np.clip(np.log((1 + tokens.lengths[left]) / (1 + tokens.lengths[right])), -3, 3),
    }
    return Signals(tuple(columns), np.stack(list(columns.values()), axis=1).reshape(-1, len(columns)))


def model_signals(batch: Batch, pairs: Pairs) -> Signals:
    """Return the signals from keyphrase weights and embeddings: weighted overlap and similarity."""
    columns = np.zeros((len(pairs.example), 4))
    asking = np.array([bool(example.question.strip()) for example in batch.examples], bool)[pairs.example]
    encoded = text_embeddings(batch, EMBEDDED, batch.resources.encoder(EMBEDDED).default_layer)
    units = Units(encoded)
    plain = [(~each.special).astype(np.float64) for each in encoded]
    for weighting, chosen in ((QuestionKeyphrase, asking), (Keyphrase, ~asking)):
        if not chosen.any():
            continue
        some = subset(pairs, chosen)
        view = token_view(batch, _TOK, weighting.name)
        shared = table_overlap(view, some, view.tokens.grams(1))
        weighed = pair_weights(batch, with_question=weighting.with_question)
        weights = project_weights(weighed, [each.spans for each in encoded])
        left, right = batch.candidate[some.example], batch.reference[some.reference]
        sides = match_pairs(units, left, right)
        rows = (weighed.candidate[some.example], weighed.reference[some.reference])
        key = tuple(side.means(weights, row, _SHARPEN) for side, row in zip(sides, rows, strict=True))
        precision, recall = (side.means(plain, row, 1.0) for side, row in zip(sides, (left, right), strict=True))
        columns[chosen] = np.column_stack(
            [
                f_measure(shared.precision, shared.recall, beta=1),
                f_measure(key[0], key[1], beta=1),
                f_measure(precision, recall, beta=1),
                recall,
            ]
        )
    return Signals(("key words", "key meaning", "meaning", "meaning recall"), columns)


class TextFeatures:
    """Features of each text by itself; the costly ones are found when a pair needs them."""

    def __init__(self, batch: Batch) -> None:
        from qassay.equivalence.dates.dates import dates  # noqa: PLC0415 - patterns take time to compile
        from qassay.equivalence.fuzzy_search import SearchedText  # noqa: PLC0415
        from qassay.equivalence.negation.opinion import opinion  # noqa: PLC0415

        tokens = text_tokens(batch, _TOK)
        self._words = tokens.rows()
        self._texts = [SearchedText(text, words) for text, words in zip(batch.texts, self._words, strict=True)]
        self._written = batch.texts
        self._dates_of = dates
        cut = batch.resources.tokeniser(_TOK).tokens
        questions = {text: SearchedText(text, cut(text)) for text in {example.question for example in batch.examples}}
        self._questions = [questions[example.question] for example in batch.examples]
        self.negated, yes, no = (
            np.array([bool(form.search(text)) for text in batch.texts], bool) for form in (_NEGATION, _YES, _NO)
        )
        self.refusing = np.array([is_refusal(text) for text in batch.texts], bool)
        opening = yes.astype(np.int64) - no.astype(np.int64)
        self.opinion = np.array(
            [
                found.value if (found := opinion(text)) else plain
                for text, plain in zip(batch.texts, opening, strict=True)
            ],
            np.int64,
        )

    def _dates(self, text: int) -> tuple[Date, ...]:
        return self._dates_of(self._written[text])

    def found(self, candidate: int, reference: int) -> float:
        """Return the share of the reference's words that the candidate has, in whatever form."""
        return self._texts[candidate].share(self._words[reference])

    def numbers_missing(self, candidate: int, reference: int) -> float:
        """Return the share of the reference's numbers that the candidate lacks."""
        wanted = self._texts[reference].numbers.all
        if not wanted:
            return 0.0
        there = self._texts[candidate].numbers
        return sum(not there.meet(number) for number in wanted) / len(wanted)

    def numbers_close(self, candidate: int, reference: int) -> float:
        """Return how near the candidate's numbers come to the reference's: 1 where equal, 0 from three per cent off."""
        wanted = self._texts[reference].numbers.all
        if not wanted:
            return 0.0
        there = self._texts[candidate].numbers
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

    def surname_missing(self, candidate: int, reference: int) -> float:
        """Whether the reference reads like a name, and the candidate lacks its last word."""
        if not _NAME.fullmatch(self._written[reference]):
            return 0.0
        return 1.0 - self._texts[candidate].share(self._words[reference][-1:])

    def in_question(self, example: int, reference: int) -> float:
        """Return the share of the reference's words that the question has already; to repeat them says little."""
        return self._questions[example].share(self._words[reference])

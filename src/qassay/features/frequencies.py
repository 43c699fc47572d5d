"""In how many of the run's references a token or n-gram stands: the rarity behind `:idf` and CIDEr."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.io.atomic_output import replacing
from qassay.text.language import spaced
from qassay.text.normalise import compose

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Floats
    from qassay.features.first_pass import FirstPass, PassContext
    from qassay.features.resources import Resources
    from qassay.records import Example
    from qassay.text.tokenisers.tokenise import Tokeniser

Gram = tuple[str, ...]
COMMAND = "`qassay frequencies`"
"""What writes files of frequencies."""


@dataclass(frozen=True, slots=True)
class FrequencyNeed:
    """The first pass that counts in how many references of the run each token or n-gram stands."""

    tok: str
    orders: int = 1
    """n-grams of orders 1 to this."""
    together: bool = False
    """A document is one reference (as in BERTScore), or all references of an example together (CIDEr)."""
    label: ClassVar[str] = "counting"
    at_once: ClassVar[int] = 1024
    logged: ClassVar[bool] = False

    def __str__(self) -> str:
        grams = "tokens" if self.orders == 1 else f"n-grams of 1 to {self.orders} tokens"
        return f"{grams} (tok={self.tok}) by {'question' if self.together else 'reference'}"

    @property
    def key(self) -> FrequencyNeed:
        """Metrics with the same tokeniser and orders share the counts."""
        return self

    def joined(self, other: FirstPass[Any]) -> FrequencyNeed:  # noqa: ARG002 - the same key is the same need
        """Return the need itself."""
        return self

    def identity(self, resources: Resources) -> str:  # noqa: ARG002 - the references say it all
        """Return nothing: the counts follow from the input."""
        return ""

    def begin(self, resources: Resources, tools: PassContext) -> FrequencyCollector:  # noqa: ARG002 - any text is counted
        """Start counting."""
        return FrequencyCollector(self, resources.tokeniser(self.tok))


class _Stored(msgspec.Struct):
    tok: str
    orders: int
    together: bool
    documents: int
    counts: dict[str, int]


class _StoredTables(msgspec.Struct):
    frequencies: list[_Stored] | msgspec.UnsetType = msgspec.UNSET


class Frequencies:
    """Document frequencies of n-grams over references."""

    def __init__(self, need: FrequencyNeed) -> None:
        self.need = need
        self.documents = 0
        self.counts: Counter[Gram] = Counter()
        self._fingerprint: str | None = None

    def add(self, examples: Iterable[Example], tokeniser: Tokeniser) -> None:
        """Count the references of more examples."""
        self._fingerprint = None
        for example in examples:
            spaced = tokeniser.cut_spaced is not None and in_spaced_language(example)
            rows = [tokeniser.tokens(compose(each.text), spaced=spaced) for each in example.references]
            grams = [set(ngrams(tokens, self.need.orders)) for tokens in rows]
            documents = [set().union(*grams)] if self.need.together else grams
            self.documents += len(documents)
            for document in documents:
                self.counts.update(document)

    def idf(self, words: Sequence[str]) -> Floats:
        """Return log((N + 1) / (df + 1)) for each word, as BERTScore defines it (Zhang et al. 2020)."""
        df = np.array([self.counts[(word,)] for word in words], np.float64)
        return np.log((self.documents + 1) / (df + 1))

    def merge(self, other: Frequencies) -> None:
        """Add the counts of other references."""
        self._fingerprint = None
        self.documents += other.documents
        self.counts.update(other.counts)

    def stored(self) -> dict[str, Any]:
        """Return the counts as files of frequencies have them."""
        counts = {" ".join(gram): count for gram, count in sorted(self.counts.items())}
        return {**asdict(self.need), "documents": self.documents, "counts": counts}

    @classmethod
    def restored(cls, stored: _Stored) -> Frequencies:
        """Return the counts that `stored` described."""
        frequencies = cls(FrequencyNeed(stored.tok, stored.orders, stored.together))
        frequencies.documents = stored.documents
        frequencies.counts.update({tuple(gram.split(" ")): count for gram, count in stored.counts.items()})
        return frequencies

    def save(self, path: Path) -> None:
        """Write these counts as JSON, for `df=FILE`."""
        save_frequencies(path, [self])

    @property
    def fingerprint(self) -> str:
        """Return a hash of these counts that does not depend on their order."""
        if self._fingerprint is None:
            self._fingerprint = self._identified()
        return self._fingerprint

    def _identified(self) -> str:
        total = sum(
            int.from_bytes(blake2b(repr((gram, count)).encode(), digest_size=8).digest())
            for gram, count in self.counts.items()
        )
        return f"{(total + self.documents) % (1 << 64):016x}"[:8]


def save_frequencies(path: Path, tables: Iterable[Frequencies]) -> None:
    """Write counts as JSON, for `df=FILE`."""
    with replacing(path) as unfinished:
        unfinished.write_bytes(msgspec.json.encode({"frequencies": [each.stored() for each in tables]}))


def load_frequencies(path: Path) -> dict[FrequencyNeed, Frequencies]:
    """Read what `save_frequencies` wrote, by what was counted; also a file with a single table."""
    try:
        content = path.read_bytes()
        stored = msgspec.json.decode(content, type=_StoredTables).frequencies
        if isinstance(stored, msgspec.UnsetType):
            stored = [msgspec.json.decode(content, type=_Stored)]
    except OSError as problem:
        raise DataError(f"cannot be read: {problem.strerror}", path) from problem
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise DataError(f"holds no document frequencies: {problem}", path) from problem
    except ValueError as problem:
        raise DataError(f"is not a path ({problem})", repr(str(path))) from problem
    tables = [Frequencies.restored(each) for each in stored]
    return {each.need: each for each in tables}


def frequencies_for(need: FrequencyNeed, tables: Mapping[FrequencyNeed, Frequencies], path: Path) -> Frequencies:
    """Return the counts of a file that a metric needs, perhaps with longer n-grams; raise `DataError` for others."""
    fitting = [each for each in tables if (each.tok, each.together) == (need.tok, need.together)]
    found = min((each for each in fitting if each.orders >= need.orders), key=lambda each: each.orders, default=None)
    if found is None:
        held = "; ".join(str(each) for each in tables) or "nothing"
        raise DataError(f"holds frequencies of {held}, and not of {need}; count them with {COMMAND}", path)
    return tables[found]


class FrequencyCollector:
    """Counts over the references of a run."""

    def __init__(self, need: FrequencyNeed, tokeniser: Tokeniser) -> None:
        self.notes: Counter[str] = Counter()
        self._frequencies = Frequencies(need)
        self._tokeniser = tokeniser

    def update(self, examples: Sequence[Example]) -> None:
        """Count the references of more examples."""
        self._frequencies.add(examples, self._tokeniser)

    def finish(self) -> Frequencies:
        """Return the counts."""
        return self._frequencies


def in_spaced_language(example: Example) -> bool:
    """Whether an example, by its question and references, is in a language written with spaces."""
    return spaced([example.question, *(each.text for each in example.references)])


def ngrams(tokens: Sequence[str], orders: int) -> list[Gram]:
    """Return the n-grams of orders 1 to `orders`."""
    return [tuple(tokens[i : i + n]) for n in range(1, orders + 1) for i in range(len(tokens) - n + 1)]

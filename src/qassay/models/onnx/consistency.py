"""Checking claims against a document: consistent or not, what is wrong in a claim, and what supports it (FactCC)."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import numpy as np

from qassay.models.base import TokenEmbeddings
from qassay.models.folder import TOKENIZER, check_file_names, fingerprint, read_description
from qassay.models.onnx.reader import best_span, no_answer
from qassay.models.runtime import Step
from qassay.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Ints
    from qassay.models.base import Vectors
    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.runtime import Rows

    Span = tuple[int, int]

DESCRIPTION = "consistency.json"
SKIMMED = "long documents of which only the windows nearest to a claim were read"
CUT_CLAIM = "claims longer than the model reads at once, cut"
_SPECIAL_TOKENS = 2
_OUTPUTS = ("logit", "wrong", "support")
_LONGEST_WRONG, _LONGEST_SUPPORT = 40, 100
"""Pieces of a span."""
_KEPT_DOCUMENTS = 64
"""Documents whose windows are remembered."""
_OVERLAP = 3
"""Neighbouring windows overlap by at most one part in so many, in whole sentences."""


class ConsistencyHead(msgspec.Struct, frozen=True):
    """The consistency head of a model folder: states of `layer` for claim and document, read together in a graph."""

    layer: int
    graph: str
    weights: str
    window: Annotated[int, msgspec.Meta(ge=16)]
    """Word pieces of a document that are read at once, without special tokens."""
    most_windows: Annotated[int, msgspec.Meta(ge=1)]
    """Of longer documents the windows that share most with the claim are read, up to this many."""
    longest_claim: Annotated[int, msgspec.Meta(ge=3)]
    scale: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    shift: float = 0.0
    """Calibration of the log-odds that a claim is consistent, fitted on the development rows."""

    def __post_init__(self) -> None:
        check_file_names(self.graph, self.weights)


class ClaimVerdict(NamedTuple):
    """What a document says of a claim."""

    consistent: float
    """Probability of being consistent."""
    wrong: Span | None
    """The characters of the claim that are wrong, where that can be told."""
    support: Span | None
    """The characters of the document that come nearest to the claim, where there are any."""


class _Window(NamedTuple):
    start: int
    end: int
    """In characters of the document."""
    pieces: Ints
    """The distinct word pieces."""


class _Reading(NamedTuple):
    """A claim and a window of a document, encoded, and where the window begins, in characters."""

    claim: TokenEmbeddings
    document: TokenEmbeddings
    start: int


class OnnxConsistency:
    """The consistency head of an ONNX model folder."""

    english = True

    def __init__(self, encoder: OnnxEncoder) -> None:
        path = encoder.runtime.folder / DESCRIPTION
        absent = f"{encoder.ref} has no consistency head; train one with `qassay train consistency`"
        self._head = read_description(path, ConsistencyHead, absent=absent)
        self.ref = encoder.ref
        self._encoder = encoder
        self._runtime = encoder.runtime
        self._windows = lru_cache(_KEPT_DOCUMENTS)(self._cut_windows)

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and head, of the tokenizer, and of what is made of the scores."""
        folder, head = self._runtime.folder, self._head
        files = (folder / name for name in (TOKENIZER, self._encoder.model.weights, head.weights))
        return fingerprint(*files, f"{head.window} {head.most_windows} {head.scale} {head.shift}")

    def check(self, pairs: Sequence[tuple[str, str]]) -> list[ClaimVerdict]:
        """Check each claim against its document; the window that supports it best counts. Equal pairs run once.

        A blank claim or document has no verdict to give: its probability is NaN.
        """
        distinct = list(dict.fromkeys(pairs))
        readable = [pair for pair in distinct if pair[0].strip() and pair[1].strip()]
        documents = {text: self._windows(text) for text in dict.fromkeys(document for _, document in readable)}
        chosen = {pair: self._nearest(pair[0], documents[pair[1]]) for pair in readable}
        texts = dict.fromkeys(claim for claim, _ in readable)
        texts |= dict.fromkeys(document[w.start : w.end] for (_, document), found in chosen.items() for w in found)
        states = dict(zip(texts, self._encoder.encode(list(texts), self._head.layer), strict=True))
        jobs = [(pair, window) for pair, found in chosen.items() for window in found]
        read = self._read(
            [
                _Reading(states[claim], states[document[window.start : window.end]], window.start)
                for (claim, document), window in jobs
            ]
        )
        best: dict[tuple[str, str], tuple[float, Span | None, Span | None]] = {}
        for (pair, _), found in zip(jobs, read, strict=True):
            if pair not in best or found[0] > best[pair][0]:
                best[pair] = found
        nothing = ClaimVerdict(float("nan"), None, None)
        verdicts = {pair: self._verdict(*best[pair]) if pair in best else nothing for pair in distinct}
        return [verdicts[pair] for pair in pairs]

    def _verdict(self, logit: float, wrong: Span | None, support: Span | None) -> ClaimVerdict:
        odds = self._head.scale * logit + self._head.shift
        return ClaimVerdict(float(no_answer(-odds)), wrong if odds < 0 else None, support)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the raw log-odds of short documents, as they come from the network."""
        scale, shift = self._head.scale, self._head.shift
        found = np.clip([verdict.consistent for verdict in self.check(pairs)], 1e-9, 1 - 1e-9)
        return np.asarray((np.log(found / (1 - found)) - shift) / scale, np.float64)

    def skims(self, document: str) -> bool:
        """Whether a document is too long to be read as a whole."""
        return len(self._windows(document)) > self._head.most_windows

    def cuts(self, claim: str) -> bool:
        """Whether a claim is too long to be read as a whole."""
        return len(self._encoder.cut([claim])[0]) + _SPECIAL_TOKENS > self._head.longest_claim

    def _cut_windows(self, document: str) -> list[_Window]:
        """Cut a document into windows of whole sentences, which overlap; a longer sentence is cut at words."""
        spans = sentence_spans(document)
        cut = self._encoder.cut([document[start:end] for start, end in spans])
        parts: list[tuple[Span, Ints]] = []
        for (start, end), pieces in zip(spans, cut, strict=True):
            parts += (
                [((start, end), pieces)] if len(pieces) <= self._head.window else self._in_parts(document, start, end)
            )
        sizes = [len(pieces) for _, pieces in parts]
        made = []
        for first, last in packed(sizes, self._head.window):
            chosen = parts[first:last]
            pieces = np.unique(np.concatenate([pieces for _, pieces in chosen]))
            made.append(_Window(chosen[0][0][0], chosen[-1][0][1], pieces))
        return made

    def _in_parts(self, document: str, start: int, end: int) -> list[tuple[Span, Ints]]:
        """Cut a sentence that is longer than a window."""
        ((ids, places),) = self._encoder.cut_with_spans([document[start:end]])
        room = self._head.window // 2
        return [
            (
                (start + int(places[first, 0]), start + int(places[min(first + room, len(ids)) - 1, 1])),
                ids[first : first + room],
            )
            for first in range(0, len(ids), room)
        ]

    def _nearest(self, claim: str, windows: Sequence[_Window]) -> list[_Window]:
        """Return the windows that share most with a claim, rare pieces counting more."""
        most = self._head.most_windows
        if len(windows) <= most:
            return list(windows)
        (asked,) = self._encoder.cut([claim])
        counts: defaultdict[int, int] = defaultdict(int)
        shared = [np.intersect1d(window.pieces, asked) for window in windows]
        for found in shared:
            for piece in found.tolist():
                counts[piece] += 1
        weight = {piece: np.log1p(len(windows) / count) for piece, count in counts.items()}
        scores = [sum(weight[piece] for piece in found.tolist()) for found in shared]
        order = sorted(range(len(windows)), key=lambda i: -scores[i])[:most]
        return [windows[i] for i in sorted(order)]

    def _read(self, jobs: Sequence[_Reading]) -> list[tuple[float, Span | None, Span | None]]:
        """Return the log-odds of being consistent, and the spans that are wrong and that support, in characters."""
        step = Step(self._head.graph, self._head.weights, _OUTPUTS)
        jobs = [
            job._replace(
                claim=_shortened(job.claim, self._head.longest_claim),
                document=_shortened(job.document, self._head.window + _SPECIAL_TOKENS),
            )
            for job in jobs
        ]
        made = self._runtime.run([step], [_inputs(job) for job in jobs], _OUTPUTS)
        logits, wrong, support = (
            self._runtime.fetch([outputs[number] for outputs in made]) for number in range(len(_OUTPUTS))
        )
        return [
            (
                float(np.ravel(logits[i])[0]),
                _span(wrong[i], job.claim.spans, 0, _LONGEST_WRONG),
                _span(support[i], job.document.spans, job.start, _LONGEST_SUPPORT),
            )
            for i, job in enumerate(jobs)
        ]


def _inputs(job: _Reading) -> dict[str, Rows]:
    """Return the states of claim and document, and which of their pieces the other one has too."""
    same = job.claim.ids[:, None] == job.document.ids
    same[[0, -1]] = False
    same[:, [0, -1]] = False
    return {
        "claim": job.claim.states,
        "document": job.document.states,
        "claim_shared": same.any(1).astype(np.int64),
        "document_shared": same.any(0).astype(np.int64),
    }


def _shortened(text: TokenEmbeddings, longest: int) -> TokenEmbeddings:
    """Leave out what is behind the longest that is read, the closing mark kept."""
    if len(text.ids) <= longest:
        return text
    rows = np.r_[: longest - 1, len(text.ids) - 1]
    return TokenEmbeddings(text.ids[rows], text.spans[rows], text.states[rows], text.special[rows])


def _span(scores: Vectors, places: Ints, start: int, longest: int) -> Span | None:
    """Return the characters of the likeliest span, or None where none is likelier."""
    if len(scores) <= _SPECIAL_TOKENS:
        return None
    first, last, lead, _ = best_span(np.asarray(scores[1:-1], np.float32), np.asarray(scores[0], np.float32), longest)
    if lead < 0:
        return None
    return start + int(places[1 + first, 0]), start + int(places[1 + last, 1])


def packed(sizes: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Put parts in a row into windows of at most `room`, as ranges of parts; neighbours share up to a third of it."""
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(sizes):
        last, used = first, 0
        while last < len(sizes) and (last == first or used + sizes[last] <= room):
            used += sizes[last]
            last += 1
        found.append((first, last))
        if last == len(sizes):
            break
        shared, again = 0, last
        while again - 1 > first and shared + sizes[again - 1] <= room // _OVERLAP:
            again -= 1
            shared += sizes[again]
        first = again
    return found

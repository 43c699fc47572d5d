"""Which texts a judge with encoders of its own reads together: AVA's designs (Vu and Moschitti 2021) and LERC's.

A text pair is written with the letters q (question), r (reference), t (candidate) and c (context): `r-qt` is the pair
of the reference and the question joined with the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.errors import SpecError

if TYPE_CHECKING:
    from qassay.models.onnx.judge import JudgeInput


@dataclass(frozen=True, slots=True)
class Design:
    """Which pairs a model encodes, whether they attend to each other, and what stands between joined texts."""

    pairs: tuple[str, ...]
    peer: bool = False
    marked: bool = False
    """Whether joined texts are separated by the tokenizer's separator, and not by a space."""


DESIGNS: dict[str, Design] = {
    "a0-qr": Design(("q-r",)),
    "a0-rt": Design(("r-t",)),
    "a0-qt": Design(("q-t",)),
    "a0": Design(("q-r", "r-t", "q-t")),
    "a1-q": Design(("q-rt",)),
    "a1-r": Design(("r-qt",)),
    "a1-t": Design(("t-qr",)),
    "a1-qt": Design(("q-rt", "t-qr")),
    "a1-rt": Design(("r-qt", "t-qr")),
    "a1-rq": Design(("r-qt", "q-rt")),
    "a1": Design(("r-qt", "q-rt", "t-qr")),
    "a2": Design(("r-qt", "t-qr"), peer=True),
}
"""The paper's settings (Table 3): A0 on each pair and all, A1 on each triple and every combination, A2 on the best."""

ROLE_OF_LETTER = {"q": "question", "r": "reference", "t": "candidate", "c": "context"}

READER = "reader"
"""`[CLS] context [SEP] question [SEP] reference [SEP] candidate [SEP]`, as LERC reads (Chen et al. 2020)."""
_ALL = {**DESIGNS, READER: Design(("c-qrt",), marked=True)}


def design_named(name: str) -> Design:
    """Return a design by name; raise an error with the known names if there is none."""
    if name not in _ALL:
        raise SpecError(f'"{name}" is not one of AVA\'s designs; there are {", ".join(DESIGNS)}')
    return _ALL[name]


def readings_of(design: Design) -> tuple[str, ...]:
    """Return what the outputs are that the classifier sees: each pair, and each pair once more beside the other."""
    beside = (f"{pair} beside {other}" for pair, other in zip(design.pairs, design.pairs[::-1], strict=True))
    return (*design.pairs, *(beside if design.peer else ()))


def texts_of(pair: str, answer: JudgeInput, mark: str = " ") -> tuple[str, str]:
    """Return the two texts of a pair such as `r-qt`, with `mark` between joined texts."""
    first, second = (
        mark.join(getattr(answer, ROLE_OF_LETTER[letter]) for letter in letters) for letters in pair.split("-")
    )
    return first, second

"""The judges' signals in plain words: what each is, what it is about, and what a typical answer has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from qassay.metrics.breakdown import Part
from qassay.metrics.learned.asserted_signals import COMPARED, PREFIX
from qassay.models.hf.judge_design import design_named, readings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

START = "starting point"
_NETWORK, _CONTENT, _MEANING = "the network's reading", "words, numbers and names", "likeness in meaning"
_STANCE = "yes, no, negation"
_PAIRS, _PEERS = "texts read together", "peer attention"
_TEXTS = {"q": "question", "r": "reference", "t": "answer"}
_REFUSAL, _LENGTH, _QUESTION = "refusal", "length", "the question's own words"
_ASSERTED = "what it asserts"


class SignalLabel(NamedTuple):
    """How a signal is shown."""

    topic: str
    label: str
    description: str
    typical: float = 0.0
    """Half-way between the means of right and of wrong answers, over 4,000 judged answers of the training sets; 0 for
    what most answers have nothing of. A part is counted from there, so that its sign says for or against."""


SIGNALS = {
    "bias": SignalLabel(START, START, "the logit of a typical answer"),
    "judge": SignalLabel(_NETWORK, "network", "the logit of a small network that reads question, reference and answer"),
    "found": SignalLabel(_CONTENT, "words found", "share of the reference's words that it has in any form", 0.4),
    "token F1": SignalLabel(_CONTENT, "token F1", "harmonic mean of token precision and recall", 0.3),
    "same tokens": SignalLabel(_CONTENT, "same words", "1 if the words are the same in the same order"),
    "key words": SignalLabel(_CONTENT, "key words", "token F1 with keyphrase weights", 0.35),
    "numbers missing": SignalLabel(_CONTENT, "numbers missing", "share of the reference's numbers that it lacks"),
    "numbers close": SignalLabel(_CONTENT, "numbers close", "how close its numbers are: 1 equal, 0 if 3 % off"),
    "dates differ": SignalLabel(_CONTENT, "dates differ", "share of the reference's dates that its dates contradict"),
    "date missing": SignalLabel(_CONTENT, "date missing", "1 if the reference has a date and the answer has none"),
    "surname missing": SignalLabel(_CONTENT, "surname missing", "1 if it lacks the last word of the name"),
    "in question": SignalLabel(
        _QUESTION, _QUESTION, "share of the reference's words that are in the question: repeating them is weak evidence"
    ),
    "negation differs": SignalLabel(_STANCE, "negation differs", "1 if only one side has a negation"),
    "yes against no": SignalLabel(_STANCE, "yes against no", "1 if one side begins with yes and the other with no"),
    "refusal": SignalLabel(_REFUSAL, _REFUSAL, "1 if the answer declines to answer and the reference does not"),
    "longer": SignalLabel(_LENGTH, "longer", "logarithm of the answer's length over the reference's"),
    "meaning": SignalLabel(_MEANING, "meaning", "BERTScore F1 of answer and reference", 0.55),
    "meaning recall": SignalLabel(_MEANING, "meaning recall", "BERTScore recall of the reference in the answer", 0.6),
    "key meaning": SignalLabel(_MEANING, "key meaning", "BERTScore F1, weighted and sharpened to the keyphrases", 0.3),
    "asserts nothing": SignalLabel(_REFUSAL, "asserts nothing", "probability that it answers nothing, where it should"),
    "declines as the reference": SignalLabel(
        _REFUSAL, "declines too", "probability that it answers nothing, where the reference says that nothing is told"
    ),
    "answers what is not told": SignalLabel(
        _REFUSAL, "answers anyway", "probability that it answers, where the reference says that nothing is told"
    ),
    "asserts several": SignalLabel(_ASSERTED, "asserts several", "1 if it asserts more than one thing"),
    "short answer included": SignalLabel(_CONTENT, "short answer included", "1 if it contains a reference in full"),
    "reference like candidate": SignalLabel(
        _CONTENT, "like the reference", "share of words that answer and reference have in common", 0.4
    ),
    "reference like question": SignalLabel(
        _QUESTION, "reference like question", "share of words that reference and question have in common"
    ),
    "question like candidate": SignalLabel(
        _QUESTION, "answer like question", "share of words that answer and question have in common"
    ),
}
"""By name. A signal that is not here is shown under its own name."""
SIGNALS |= {
    f"{PREFIX}{name}": SignalLabel(
        _ASSERTED, f"asserted: {SIGNALS[name].label}", f"of the asserted words: {SIGNALS[name].description}", typical
    )
    for name in COMPARED
    for typical in (SIGNALS[name].typical,)
}


def labelled_parts(names: Sequence[str], values: Sequence[float], coefficients: Sequence[float]) -> tuple[Part, ...]:
    """Label signals and count each from a typical answer on, the largest part first; the first signal is the bias.

    What a typical answer has of the signals moves to the bias, so that the sum stays what it is.
    """
    labels = [SIGNALS.get(name, SignalLabel(name, name, "")) for name in names]
    usual = sum(each * label.typical for each, label in zip(coefficients, labels, strict=True))
    parts = [
        Part(name, value, coefficient * (value - label.typical), label.topic, label.label, label.description)
        for name, value, coefficient, label in zip(names, values, coefficients, labels, strict=True)
    ]
    start = parts[0]._replace(part=parts[0].part + usual)
    return tuple(sorted((start, *parts[1:]), key=lambda each: -abs(each.part)))


def reading_parts(kind: str, parts: Sequence[float]) -> tuple[Part, ...]:
    """Label what the bias and each reading of one of AVA's designs add to a verdict, the largest part first."""
    made = [Part("bias", 1.0, parts[0], START, START, "what the model adds to every answer's logit")]
    for reading, part in zip(readings_of(design_named(kind)), parts[1:], strict=True):
        pair, _, other = reading.partition(" beside ")
        topic, how = (_PEERS, "read while attending to the other pair") if other else (_PAIRS, "read alone")
        made.append(Part(reading, part, part, topic, _in_words(pair), how))
    return tuple(sorted(made, key=lambda each: -abs(each.part)))


def _in_words(pair: str) -> str:
    """Write a pair such as `r-qt` in words: "reference with question and answer"."""
    first, others = pair.split("-")
    return f"{_TEXTS[first]} with {' and '.join(_TEXTS[letter] for letter in others)}"

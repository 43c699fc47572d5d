"""Questions written by a sequence-to-sequence model instead of by rule."""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING, Protocol

from qassay.errors import SpecError
from qassay.models.question_model_names import PROMPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import TaggedSentence

FIELDS = ("answer", "sentence", "before", "after")


class Generator(Protocol):
    """Turns one text into another."""

    @property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer."""

    def generate(self, texts: Sequence[str]) -> list[str]:
        """Return what the model makes of each text."""


class ModelWriter:
    """Writes the question to each answer with a model, in the form that the model was trained on.

    A prompt names `{answer}`, `{sentence}`, and the sentence's parts `{before}` and `{after}` the answer: for models
    that want the answer marked, `generate question: {before}<hl> {answer} <hl>{after}`.
    """

    def __init__(self, generator: Generator, prompt: str = PROMPT) -> None:
        self._generator = generator
        self._prompt = check_prompt(prompt)

    @property
    def fingerprint(self) -> str:
        """The identity of the model and of its prompt."""
        return (
            f"{self._generator.fingerprint}[{self._prompt}]" if self._prompt != PROMPT else self._generator.fingerprint
        )

    def write(self, phrases: Sequence[tuple[TaggedSentence, Phrase]]) -> list[str]:
        """Return a question for each phrase of a sentence."""
        return self._generator.generate([self._filled(sentence, phrase) for sentence, phrase in phrases])

    def _filled(self, sentence: TaggedSentence, phrase: Phrase) -> str:
        start, end = phrase.characters(sentence)
        text = sentence.text
        return self._prompt.format(answer=text[start:end], sentence=text, before=text[:start], after=text[end:])


def check_prompt(prompt: str) -> str:
    """Return a prompt after checking that it names the answer and the rest of the sentence, and nothing else."""
    try:
        named = [name for _, name, _, _ in Formatter().parse(prompt) if name is not None]
    except ValueError as problem:
        raise SpecError(f'the prompt "{prompt}" cannot be read ({problem}); write it like "{PROMPT}"') from problem
    if "answer" not in named or not set(named).issubset(FIELDS) or len(set(named)) == 1:
        fields = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise SpecError(f'the prompt "{prompt}" must name {{answer}} and its sentence; it may hold {fields}')
    return prompt

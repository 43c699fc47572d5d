"""Coreference by a model: a sequence-to-sequence model rewrites each sentence of a paragraph in its context.

Any encoder-decoder that transformers opens will do (T5, BART and their like): one that was trained to rewrite an
utterance so that it can be understood alone, as on CANARD (Elgohary et al. 2019), or one that follows instructions.
Of what it writes, only mentions that it replaced by words of the context are taken over.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from string import Formatter
from typing import TYPE_CHECKING

from qassay.errors import ModelError, SpecError
from qassay.models.base import parse_ref
from qassay.models.load_readers import load_generator
from qassay.training.coreference import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.models.base import Device
    from qassay.models.hf.generator import HFGenerator

HISTORY = " ||| "
"""Between the title and the sentences before, as rewriters of conversations expect their turns."""
PROMPT = "{context} ||| {sentence}"
_FIELDS = ("title", "context", "sentence")
_LONGEST = 160
_WORD = re.compile(r"\w+|[^\w\s]")
_PRONOUNS = frozenset(
    "he him his himself she her hers herself it its itself they them their theirs themselves this these those".split()  # noqa: SIM905
)
_DEFINITE = frozenset({"the", "this", "that", "these", "those"})
_LONGEST_MENTION = 3
_APOSTROPHES = "'\u2019"


class ModelResolver:
    """Replaces mentions in the sentences of a paragraph as a sequence-to-sequence model does."""

    def __init__(self, generator: HFGenerator, prompt: str = PROMPT) -> None:
        self._generator = generator
        self._prompt = check_prompt(prompt)

    @property
    def description(self) -> dict[str, str]:
        """What the sentences depend on: the model's name and fingerprint, and the prompt."""
        generator = self._generator
        return {"model": generator.ref, "fingerprint": generator.fingerprint, "prompt": self._prompt}

    def __call__(self, title: str, sentences: Sequence[str]) -> list[str]:
        """Return a paragraph's sentences with mentions replaced; the first one stays as it is."""
        texts = [sentence.strip() for sentence in sentences]
        inputs = [
            self._prompt.format(title=title, context=HISTORY.join([title, *texts[:number]]), sentence=texts[number])
            for number in range(1, len(texts))
        ]
        resolved = list(sentences)
        for number, written in enumerate(self._generator.generate(inputs, longest=_LONGEST), start=1):
            known = [name_of(title), *texts[:number]]
            before = sentences[number][: len(sentences[number]) - len(sentences[number].lstrip())]
            resolved[number] = before + replace_mentions(texts[number], written, known)
        return resolved


def open_resolver(ref: str, prompt: str = PROMPT, device: Device = "auto") -> ModelResolver:
    """Open a model that resolves coreference, by name or folder (extra `hf`)."""
    check_prompt(prompt)
    if parse_ref(ref).kind == "embedded":
        raise ModelError(
            f"{ref} resolves no mentions; name a sequence-to-sequence model, or leave --coreference out for the rules"
        )
    return ModelResolver(load_generator(ref, device), prompt)


def check_prompt(prompt: str) -> str:
    """Return a prompt after checking that it names the sentence and its context, and nothing else."""
    try:
        named = {name for _, name, _, _ in Formatter().parse(prompt) if name is not None}
    except ValueError as problem:
        raise SpecError(f'the prompt "{prompt}" cannot be read ({problem}); write it like "{PROMPT}"') from problem
    if not {"sentence", "context"} <= named <= set(_FIELDS):
        fields = ", ".join(f"{{{name}}}" for name in _FIELDS)
        raise SpecError(f'the prompt "{prompt}" must name {{sentence}} and its {{context}}; it may hold {fields}')
    return prompt


def replace_mentions(sentence: str, rewritten: str, known: Sequence[str]) -> str:
    """Return a sentence with the mentions that a rewritten one replaces, in the spelling of the context.

    A mention is a pronoun, or up to three words that begin with a definite article; a name may also become longer. If
    anything else was changed, or the new words do not stand together in the context (`known`), the sentence stays.
    """
    ours, theirs = (list(_WORD.finditer(text)) for text in (sentence, rewritten))
    sides = [[found[0].casefold() for found in side] for side in (ours, theirs)]
    parts, end = [], 0
    for kind, left, right, start, stop in SequenceMatcher(None, sides[0], sides[1], autojunk=False).get_opcodes():
        old, new = sides[0][left:right], sides[1][start:stop]
        if kind == "equal" or not any(word.isalnum() for word in [*old, *new]):
            continue
        name = _spelling(new, known)
        # Both may begin with the article: the film, The Glory of Tang Dynasty.
        article = sides[0][left - 1 : left] if left and sides[0][left - 1] in _DEFINITE else []
        if name is None or not ours or (old and not _is_mention([*article, *old])):
            return sentence
        begin = ours[left].start() if left < len(ours) else len(sentence)
        parts += [sentence[end:begin], name if begin else name[:1].upper() + name[1:], "" if old else " "]
        end = ours[right - 1].end() if old else begin
    return "".join([*parts, sentence[end:]])


def _is_mention(words: Sequence[str]) -> bool:
    return (len(words) == 1 and words[0] in _PRONOUNS) or (words[0] in _DEFINITE and 1 < len(words) <= _LONGEST_MENTION)


def _spelling(words: Sequence[str], known: Sequence[str]) -> str | None:
    """Return words as the context spells them, with the ending of a possessive; None where they do not stand there."""
    ending = next(
        (size for size in (2, 1) if "".join(words[-size:]) in {f"{sign}s"[:size] for sign in _APOSTROPHES}), 0
    )
    name = words[: len(words) - ending]
    for text in known:
        found = list(_WORD.finditer(text))
        folded = [each[0].casefold() for each in found]
        for start in range(len(folded) - len(name) + 1):
            if name and folded[start : start + len(name)] == list(name):
                spelt = text[found[start].start() : found[start + len(name) - 1].end()]
                return spelt + "".join(words[len(name) :])
    return None

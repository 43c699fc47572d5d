"""What an LLM is asked: instructions, the data of one answer, and the verdicts that it may give."""

from __future__ import annotations

import json
import re
import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from qassay.errors import DataError, SpecError, option
from qassay.llm.fenced_data import GUARD, fence

if TYPE_CHECKING:
    from qassay.records import Example

Mode = Literal["schema", "json", "letter"]
MODES: tuple[Mode, ...] = ("schema", "json", "letter")
"""How a reply is asked for, strictest first: by a JSON schema, as any JSON, as one letter."""
Messages = list[dict[str, str]]

NOT_ATTEMPTED = "not_attempted"
THREE_VERDICTS = {"correct": 1.0, "incorrect": 0.0, NOT_ATTEMPTED: 0.0}
_PLACEHOLDER = re.compile(r"\{(question|references|candidate|context)\}")
_BRACED = re.compile(r"\{([a-z_]+)\}")
_MOST_VERDICTS = len(string.ascii_uppercase)

_VERIFY = """\
You verify answers. The data holds a question, one or more reference answers, each of which is right, and a candidate: \
the answer to judge. Compare the candidate with the references; do not answer the question yourself.

Verdicts:
- correct: the candidate gives the information of at least one reference that the question asks for, in whatever \
words, and says nothing that contradicts it.
- incorrect: the candidate states something else than the references, contradicts them, or names a right answer among \
wrong ones without choosing it.
- not_attempted: the candidate gives no answer (it is empty, declines, or says that it does not know), and states \
nothing that contradicts the references."""

_SIMPLEQA = """\
You grade short factual answers. The data holds a question, one or more reference answers and a candidate. Grade the \
candidate with one of three verdicts.

correct: everything important of a reference is in the candidate, and nothing in the candidate contradicts it.
- Capitals, punctuation, grammar, order and misspelt names do not matter as long as it is clear who or what is meant.
- Hedging and guessing do no harm if the whole answer is there and nothing in it is wrong.
- What the question itself already says need not be repeated ("Which city is the capital of France?": "Paris" is \
enough for "Paris, France").
- If the question asks for a number, the candidate must agree with the reference to its last stated digit ("120 \
thousand": 115 thousand to 125 thousand is correct, 100 thousand is not, "about 100 thousand" is no answer).

incorrect: some statement in the candidate contradicts the references, even when it is hedged ("it might be Lyon, I am \
not sure").

not_attempted: something important is missing, and nothing contradicts the references ("I would have to look that up", \
"I know two of the three: …").

Example. Question: "What are the names of Ann's children?" Reference: "Mia and Leo". "Mia Smith and Leo Smith" is \
correct, "Mia, Leo and Tom" is incorrect, "One is called Mia" is not_attempted."""

_LIKERT5 = """\
You rate how correct an answer is. The data holds a question, one or more reference answers, and a candidate: the \
answer that a system generated. Read the question first and find what of a reference actually answers it; rate \
whether the candidate says that. Fluency, length and word choice do not matter, and neither do further true details.

Ratings:
- 1: completely wrong; what the question asks for is missing or different.
- 2: a vital error; some of it is there, but what decides the answer is wrong.
- 3: ambiguous; it cannot be told whether the candidate means the same, or half of it does.
- 4: a minor error; the answer is right except for a detail.
- 5: completely correct; it means the same as a reference."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked about every answer in the same words."""

    name: str
    instructions: str
    verdicts: Mapping[str, float]
    """Each verdict with its score."""
    template: str | None = None
    """The text of a user's own message, with `{candidate}` and other placeholders for data."""

    @property
    def hash(self) -> str:
        """A short hash of everything that is the same for all answers."""
        parts = [self.instructions, self.template or "", json.dumps(dict(self.verdicts)), GUARD]
        parts += [self._reply_rule(mode) for mode in MODES]
        return sha256("\x1e".join(parts).encode()).hexdigest()[:12]

    @property
    def letters(self) -> dict[str, str]:
        """The letter of each verdict, or the number where verdicts are numbers."""
        if all(each.isdigit() for each in self.verdicts):
            return {verdict: verdict for verdict in self.verdicts}
        return dict(zip(string.ascii_uppercase, self.verdicts, strict=False))

    def schema(self) -> dict[str, Any]:
        """Return the strict JSON schema of a reply."""
        return {
            "type": "object",
            "properties": {"verdict": {"type": "string", "enum": list(self.verdicts)}},
            "required": ["verdict"],
            "additionalProperties": False,
        }

    def messages(self, example: Example, mode: Mode) -> Messages:
        """Return the messages about one answer; only what is between the marks of the data differs between answers."""
        data = _data(example)
        system = f"{self.instructions}\n\n{GUARD}\n\n{self._reply_rule(mode)}".lstrip()
        user = (
            fence(data)
            if self.template is None
            else _PLACEHOLDER.sub(lambda found: fence({found[1]: data.get(found[1])}), self.template)
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def _reply_rule(self, mode: Mode) -> str:
        if mode == "letter":
            letters = self.letters
            listed = ", ".join(
                sign if sign == verdict else f"{sign} for {verdict}" for sign, verdict in letters.items()
            )
            return f"Reply with one character and nothing else: {listed}."
        words = " | ".join(f'"{each}"' for each in self.verdicts)
        return f'Reply with JSON and nothing else: {{"verdict": {words}}}.'


PROMPTS = {
    "verify": Prompt("verify", _VERIFY, THREE_VERDICTS),
    "simpleqa": Prompt("simpleqa", _SIMPLEQA, THREE_VERDICTS),
    "likert5": Prompt("likert5", _LIKERT5, {str(rating): (rating - 1) / 4 for rating in range(1, 6)}),
}
"""The prompts that come with Qassay."""


def prompt_named(name: str | Path) -> Prompt:
    """Return a prompt of ours by its name, or a user's own from a file."""
    if isinstance(name, str) and name in PROMPTS:
        return PROMPTS[name]
    path = Path(name)
    if not path.suffix or not path.is_file():
        raise SpecError(
            f'{option("prompt")} is "{name}", which is neither {", ".join(PROMPTS)} nor a file; give one of these'
        )
    return read_prompt(path)


def read_prompt(path: Path) -> Prompt:
    """Read a user's own prompt.

    A text file holds instructions, or with `{question}`, `{references}`, `{candidate}` or `{context}` in it a whole
    message; the verdicts are those of `verify`. A .toml file has `instructions` or `template` or both, and may have a
    table `verdicts` with a score from 0 to 1 for each.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise DataError(f"cannot be read as text ({problem}); give a file in UTF-8", path) from problem
    if path.suffix.lower() != ".toml":
        whole = _PLACEHOLDER.search(text) is not None
        return _checked(Prompt(path.stem, "" if whole else text.strip(), THREE_VERDICTS, text if whole else None), path)
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise DataError(f"is no TOML: {problem}; correct it", path) from problem
    unknown = set(given) - {"instructions", "template", "verdicts"}
    if unknown:
        raise DataError(f'has "{min(unknown)}"; it takes instructions, template and verdicts', path)
    instructions, template = given.get("instructions", ""), given.get("template")
    verdicts = given.get("verdicts", THREE_VERDICTS)
    if not isinstance(instructions, str) or not isinstance(template, str | None) or not isinstance(verdicts, Mapping):
        raise DataError("has instructions and template as texts, and verdicts as a table; write them so", path)
    return _checked(Prompt(path.stem, instructions.strip(), verdicts, template), path)


def _checked(prompt: Prompt, path: Path) -> Prompt:
    if not prompt.instructions and prompt.template is None:
        raise DataError("is empty; write what the LLM is to judge", path)
    if prompt.template is not None:
        unknown = [name for name in _BRACED.findall(prompt.template) if not _PLACEHOLDER.fullmatch(f"{{{name}}}")]
        if unknown:
            raise DataError(
                f"has {{{unknown[0]}}}; there are {{question}}, {{references}}, {{candidate}} and {{context}}", path
            )
        if "{candidate}" not in prompt.template:
            raise DataError("has a template without {candidate}, so that no answer would be judged; add it", path)
    _check_verdicts(prompt, path)
    return prompt


def _check_verdicts(prompt: Prompt, path: Path) -> None:
    scores = prompt.verdicts
    if not 2 <= len(scores) <= _MOST_VERDICTS:  # noqa: PLR2004 - a choice
        raise DataError(f"has {len(scores)} verdicts; give 2 to {_MOST_VERDICTS}", path)
    for verdict, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise DataError(f'has the score {score!r} for the verdict "{verdict}"; give one from 0 to 1', path)
        if not re.fullmatch(r"\w+", verdict) or verdict != verdict.casefold():
            raise DataError(f'has the verdict "{verdict}"; write it in small letters, digits and _', path)
    for sign, verdict in prompt.letters.items():
        if sign.casefold() in scores and sign.casefold() != verdict:
            problem = f'has the verdict "{sign.casefold()}", which is also the letter that stands for "{verdict}"'
            raise DataError(f"{problem}; write it as a word", path)


def _data(example: Example) -> dict[str, object]:
    references: list[str] = [each.text for each in example.references]
    data: dict[str, object] = {"question": example.question, "references": references, "candidate": example.candidate}
    return {**data, "context": example.context} if example.context else data

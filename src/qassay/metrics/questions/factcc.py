"""FactCC: every sentence of a summary checked against its document; and the same for answers and retrieved contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qassay.metrics.base import MeanMetric
from qassay.metrics.breakdown import CheckedClaim, Ingredient, ScoreBreakdown, shortened
from qassay.models.base import EMBEDDED, is_foreign
from qassay.models.load_readers import has_consistency
from qassay.models.onnx.consistency import CUT_CLAIM, SKIMMED
from qassay.records import read_field
from qassay.spec import Param
from qassay.text.language_id import is_other_european
from qassay.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.features.resources import Resources
    from qassay.records import Example
    from qassay.spec import Value

CONTEXTS = "contexts"
"""The field that holds what was retrieved: a text or a list of texts."""
NO_SENTENCE = "no sentence to check"
_LOOKED_AT = 4000
"""Characters of a text by which its language is told."""
_FRAGMENT = 6
"""Words of an answer that is no statement by itself, and is read with its question."""


class ClaimMetric(MeanMetric):
    """The mean probability, over the sentences of a text, that what it rests on supports them."""

    params = (Param("model", EMBEDDED, "mini, or a folder that `qassay train consistency` wrote"),)
    reference_free = True
    precedence = 2
    checked_text: ClassVar[str]
    """What is checked, as messages call it."""
    document_name: ClassVar[str]
    """What it is checked against."""

    def document(self, example: Example) -> str:
        """Return the text that sentences are checked against."""
        raise NotImplementedError

    def claim(self, example: Example, sentence: str) -> str:  # noqa: ARG002 - for those that add something
        """Return a sentence as it is checked."""
        return sentence

    @classmethod
    def takes_model(cls, ref: str, settings: Mapping[str, Value]) -> bool:  # noqa: ARG003 - any consistency head
        """Whether a model checks claims."""
        return has_consistency(ref)

    @property
    def runs_model(self) -> bool:
        """A model checks."""
        return True

    def identity(self, resources: Resources) -> dict[str, str]:
        """Return the model's fingerprint."""
        return {"model": resources.consistency(self.text("model")).fingerprint}

    def unreadable(self, example: Example, resources: Resources) -> str | None:  # noqa: ARG002 - the head is English
        """Return why a text cannot be checked; None where it can."""
        if example.candidate is None:
            return None
        texts = ((self.checked_text, example.candidate), (self.document_name, self.document(example)))
        for name, text in texts:
            shown = text[:_LOOKED_AT]
            if is_foreign(shown):
                return f"{name} is in another script, and the model reads English; translate it"
            if is_other_european(shown):
                return f"{name} seems not to be English, which is all that the model reads; translate it"
        return None

    def values(self, batch: Batch) -> Floats:
        """Return the mean over the sentences; NaN where there is none to check."""
        checked = self._checked(batch)
        means = [float(np.mean([claim.consistent for claim in found])) if found else np.nan for found in checked]
        return np.array(means, np.float64)

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Show each sentence with its verdict, what is wrong in it, and the passage that comes nearest."""
        return [
            ScoreBreakdown(
                (
                    Ingredient("sentences", str(len(found))),
                    Ingredient("supported", str(sum(claim.supported for claim in found))),
                ),
                claims=tuple(found),
            )
            for found in self._checked(batch)
        ]

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Add the texts that cannot be read or hold no sentence, and those that there is nothing to check against."""
        reasons = {}
        for i, (example, found) in enumerate(zip(batch.examples, self._checked(batch), strict=True)):
            if not found and example.candidate is not None:
                unread = self.unreadable(example, batch.resources)
                missing = f"no {self.document_name.removeprefix('the ')}"
                nothing = NO_SENTENCE if self.document(example).strip() else missing
                reasons[i] = unread.partition(";")[0] if unread else nothing
        return {**reasons, **super().unscored(batch)}

    def _checked(self, batch: Batch) -> Sequence[Sequence[CheckedClaim]]:
        return batch.memo((ClaimMetric, self.spec), lambda: self._check(batch))

    def _check(self, batch: Batch) -> list[list[CheckedClaim]]:
        """Check the sentences of all texts that can be read."""
        jobs: list[tuple[int, tuple[int, int], str, str]] = []
        for i, example in enumerate(batch.examples):
            text, document = example.candidate or "", self.document(example)
            if not text.strip() or not document.strip() or self.unreadable(example, batch.resources):
                continue
            for start, end in sentence_spans(text):
                if any(letter.isalnum() for letter in text[start:end]):
                    jobs.append((i, (start, end), self.claim(example, text[start:end]), document))
        found: list[list[CheckedClaim]] = [[] for _ in batch.examples]
        if not jobs:
            return found
        model = batch.resources.consistency(self.text("model"))
        verdicts = model.check([(claim, document) for _, _, claim, document in jobs])
        batch.note(SKIMMED, (i for i, _, _, document in jobs if model.skims(document)))
        batch.note(CUT_CLAIM, (i for i, _, claim, _ in jobs if model.cuts(claim)))
        for (i, (start, end), claim, document), verdict in zip(jobs, verdicts, strict=True):
            # A claim may have the question before it, which is not part of the answer.
            shift = end - len(claim)
            inside = verdict.wrong and (max(start, shift + verdict.wrong[0]), shift + verdict.wrong[1])
            wrong = inside if inside and inside[0] < inside[1] else None
            support = document[slice(*verdict.support)] if verdict.support else ""
            found[i].append(CheckedClaim(start, end, verdict.consistent, wrong, shortened(support)))
        return found


class FactCC(ClaimMetric):
    """The mean probability, over the sentences of a summary, of being consistent with the document.

    A network reads each sentence with the windows of the document that share most with it; the window that supports it
    best counts. It also marks what is wrong in a sentence and the passage that supports it (FactCCX). A summary without
    a sentence is unscored.
    """

    name = "factcc"
    summary = "faithfulness of the summary to its document, by a network that checks each sentence against it"
    source = "Kryscinski et al. 2020"
    needs = frozenset({"context"})
    field_names: ClassVar[dict[str, str]] = {"context": "document"}
    checked_text = "the summary"
    document_name = "the document"

    def document(self, example: Example) -> str:
        """Return the document."""
        return example.context or ""


class Faithful(ClaimMetric):
    """The mean probability, over the sentences of an answer, that its retrieved contexts support them.

    The network is FactCC's. An answer of a few words says nothing by itself and is read with its question. No reference
    is needed.
    """

    name = "faithful"
    summary = "share of the answer that its retrieved contexts support, by a network that checks each sentence"
    source = "Kryscinski et al. 2020, for answers instead of summaries"
    needs = frozenset({CONTEXTS})
    checked_text = "the answer"
    document_name = "the contexts"

    def document(self, example: Example) -> str:
        """Return the contexts, one after the other."""
        return "\n\n".join(contexts_of(example))

    def claim(self, example: Example, sentence: str) -> str:
        """Put the question before an answer of a few words."""
        few = len((example.candidate or "").split()) < _FRAGMENT
        return f"{example.question.strip()} {sentence}".strip() if few else sentence

    def unreadable(self, example: Example, resources: Resources) -> str | None:
        """Add contexts that are neither a text nor a list of texts."""
        given = read_field(example, CONTEXTS)
        if not isinstance(given, str) and not (
            isinstance(given, list | tuple) and all(isinstance(each, str) for each in given)
        ):
            return f'"{CONTEXTS}" is {given!r:.40}; write a text or a list of texts'
        if not any(text.strip() for text in contexts_of(example)):
            return f'"{CONTEXTS}" holds no text; give what was retrieved'
        return super().unreadable(example, resources)


def contexts_of(example: Example) -> list[str]:
    """Return the retrieved texts of an answer; none where the field is missing or is something else."""
    given = read_field(example, CONTEXTS)
    if isinstance(given, str):
        return [given]
    return [each for each in given if isinstance(each, str)] if isinstance(given, list | tuple) else []

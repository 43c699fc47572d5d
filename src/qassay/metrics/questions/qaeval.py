"""QAEval and FEQA: summaries scored by questions that one text raises and another answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qassay.errors import option
from qassay.features.first_pass import PassContext
from qassay.metrics.base import MeanMetric
from qassay.metrics.questions.open_pipeline import reads_english
from qassay.metrics.questions.qa_pipeline import QuestionOptions, QuestionSource, unreadable
from qassay.metrics.questions.question_pass import QuestionPass, Verdicts, example_key
from qassay.metrics.questions.verification import IS_ANSWERED, METHODS
from qassay.metrics.registry import create_all
from qassay.models.question_model_names import Models
from qassay.spec import Param

if TYPE_CHECKING:
    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.features.resources import Resources
    from qassay.records import Example


class QuestionMetric(MeanMetric):
    """Questions that one text raises and another answers, with one method of comparing the answers."""

    params = (
        Param(
            "verify",
            "lerc",
            "how the answers are compared",
            choices=(*METHODS, IS_ANSWERED),
            aliases={"em": "exact_match"},
        ),
        Param(
            "questions",
            "all",
            "which phrases are asked about: all, some by a gap in their sentence, or those with a plain question alone",
            choices=("all", "plain"),
        ),
        Param(
            "phrases",
            "maximal",
            "which noun phrases are asked about: as large as they come, or those inside and around them too",
            choices=("maximal", "nested"),
        ),
        Param("wordings", 1, "wordings of each question; the answer that most of them agree on counts", low=1, high=3),
        Param(
            "roundtrip",
            default=False,
            meaning="whether questions are left out that cannot be answered from their own sentence",
        ),
        Param("abstain", default=True, meaning="whether the reader may leave a question unanswered"),
    )
    reference_free = True
    precedence = 2
    nothing_beside: ClassVar[str]

    def sources(self, example: Example) -> list[QuestionSource]:
        """Return the texts that raise questions, each with the one that answers them."""
        raise NotImplementedError

    def beside(self, example: Example) -> list[tuple[str, str]]:
        """Return the texts that the candidate is compared with, each with its name."""
        raise NotImplementedError

    @property
    def method(self) -> str:
        """How the answers are compared."""
        return self.text("verify")

    @property
    def label(self) -> str:
        """The metric's name with the parameters that its questions depend on."""
        options = tuple(each for each in self.spec.options if each[0] != "verify")
        return str(replace(self.spec, options=options))

    @property
    def options(self) -> QuestionOptions:
        """How questions are chosen, worded and answered."""
        return QuestionOptions(
            every=self.text("questions") == "all",
            nested=self.text("phrases") == "nested",
            wordings=int(self.number("wordings")),
            roundtrip=bool(self.settings["roundtrip"]),
            abstain=bool(self.settings["abstain"]),
        )

    @property
    def runs_model(self) -> bool:
        """Models ask and answer."""
        return True

    def uses_model(self, ref: str) -> bool:
        """Whether the metric that compares the answers takes the model."""
        if self.method == IS_ANSWERED:
            return False
        return any(dict(metric.spec.options).get("model") == ref for metric in create_all([METHODS[self.method]], ref))

    def first_passes(self, resources: Resources) -> tuple[QuestionPass]:
        """Ask all questions of the run."""
        models = resources.questions or Models(model=resources.model, device=resources.device)
        return (QuestionPass(models, {self.label: self}, () if self.method == IS_ANSWERED else (self.method,)),)

    def identity(self, resources: Resources) -> dict[str, str]:
        """Return the models' fingerprints."""
        (need,) = self.first_passes(resources)
        return dict(resources.first_pass_result(need).identity[self.method])

    def unreadable(self, example: Example, resources: Resources) -> str | None:
        """Return why the models cannot read a summary or a text that it is compared with; None if they can."""
        (need,) = self.first_passes(resources)
        reason = unreadable(example, self, english=reads_english(need.models))
        remedy = f"name models that read it with {option('chunker')} and {option('reader')}"
        return None if reason is None else f"{reason}; {remedy}"

    def values(self, batch: Batch) -> Floats:
        """Return the scores that follow from the run's questions."""
        verdicts = self._verdicts(batch)
        keys = [example_key(example) for example in batch.examples]
        return np.array([verdicts.value(self.label, key, self.method) for key in keys], np.float64)

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Return why a summary has no score."""
        reasons = self._verdicts(batch).reasons
        keys = [(self.label, example_key(example)) for example in batch.examples]
        return {i: reasons[key] for i, key in enumerate(keys) if key in reasons}

    def _verdicts(self, batch: Batch) -> Verdicts:
        """Return the run's verdicts, and ask now what the first pass did not: of one reference of several, say."""
        (need,) = self.first_passes(batch.resources)
        verdicts = batch.resources.first_pass_result(need)
        unseen = [each for each in batch.examples if (self.label, example_key(each)) not in verdicts.found]
        if not unseen:
            return verdicts
        return batch.memo((QuestionMetric, self.label), lambda: self._ask(verdicts, unseen, batch.resources))

    def _ask(self, known: Verdicts, unseen: list[Example], resources: Resources) -> Verdicts:
        (need,) = self.first_passes(resources)
        asking = QuestionPass(need.models, need.inquiries, known.methods).begin(resources, PassContext())
        asking.update(unseen)
        return known.joined(asking.finish())


class QAEval(QuestionMetric):
    """Mean verification over the questions that a reference raises, answered on the summary; then over the references.

    A question that the summary does not answer counts as 0; a reference that raises none is left out.
    """

    name = "qaeval"
    summary = (
        "share of the references' content that the summary has, by questions generated from the references "
        "and answered from the summary"
    )
    source = "Deutsch, Bedrax-Weiss and Roth (2021); verification: Deutsch and Roth (2022)"
    needs = frozenset({"references"})
    nothing_beside = "no references"

    def sources(self, example: Example) -> list[QuestionSource]:
        """Every reference raises questions, and the summary answers them."""
        summary = example.candidate or ""
        return [QuestionSource(f"reference {i}", each.text, summary) for i, each in enumerate(example.references, 1)]

    def beside(self, example: Example) -> list[tuple[str, str]]:
        """Return the references."""
        return [("a reference", reference.text) for reference in example.references]


class Feqa(QuestionMetric):
    """Mean verification over the questions that the summary raises, answered on the document.

    A question that the document does not answer counts as 0; a summary that raises none is unscored.
    """

    name = "feqa"
    summary = (
        "faithfulness of the summary to its document, by questions generated from the summary and answered from "
        "the document"
    )
    source = "Durmus, He and Diab (2020); verification: Deutsch and Roth (2022)"
    needs = frozenset({"context"})
    field_names: ClassVar[dict[str, str]] = {"context": "document"}
    nothing_beside = "no document"

    def sources(self, example: Example) -> list[QuestionSource]:
        """The summary raises questions, and the document answers them."""
        return [QuestionSource("summary", example.candidate or "", example.context or "")]

    def beside(self, example: Example) -> list[tuple[str, str]]:
        """Return the document."""
        return [("the document", example.context or "")]

"""The registry of metrics: our own, those that a program registers, and those of packages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from inspect import cleandoc, getdoc
from typing import TYPE_CHECKING

from qassay.errors import SpecError
from qassay.metrics.base import Metric
from qassay.models.base import EMBEDDED
from qassay.plugins import Distribution, Registry
from qassay.spec import Declaration, MetricSpec, Param, parse, with_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from qassay.metrics.learned.own_judge import AnswerJudge

GROUP = "qassay.metrics"
"""The entry points of packages that bring metrics."""
JUDGES = "qassay.judges"
"""The entry points of packages that bring judges."""
_BUILT_IN = {
    "exact_match": "qassay.metrics.lexical.exact:ExactMatch",
    "token_f1": "qassay.metrics.lexical.exact:TokenF1",
    "token_recall": "qassay.metrics.lexical.exact:TokenRecall",
    "contains": "qassay.metrics.lexical.exact:Contains",
    "is_answered": "qassay.metrics.lexical.exact:IsAnswered",
    "bleu": "qassay.metrics.lexical.bleu:Bleu",
    "rouge_1": "qassay.metrics.lexical.rouge:Rouge1",
    "rouge_2": "qassay.metrics.lexical.rouge:Rouge2",
    "rouge_l": "qassay.metrics.lexical.rouge:RougeL",
    "rouge_su4": "qassay.metrics.lexical.rouge:RougeSU4",
    "meteor": "qassay.metrics.lexical.meteor:Meteor",
    "cider": "qassay.metrics.lexical.cider:Cider",
    "bert_score": "qassay.metrics.embedding.bert_score:BertScore",
    "lerc": "qassay.metrics.learned.lerc:Lerc",
    "ava": "qassay.metrics.learned.ava:Ava",
    "qaeval": "qassay.metrics.questions.qaeval:QAEval",
    "feqa": "qassay.metrics.questions.qaeval:Feqa",
    "factcc": "qassay.metrics.questions.factcc:FactCC",
    "faithful": "qassay.metrics.questions.factcc:Faithful",
}
_ALIASES = {"em": "exact_match"}
"""Names that papers use."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A declared metric and what calculates it."""

    declaration: Declaration
    metric: type[Metric]
    definition: str
    """In full."""
    distribution: Distribution | None = None
    """The package that it comes from, where that is not Qassay."""
    make: Callable[[MetricSpec], Metric] | None = None
    """Makes the metric, where its class alone does not."""

    def create(self, spec: MetricSpec) -> Metric:
        """Make the metric with the parameters of a spec."""
        return (self.make or self.metric)(spec)


def _entry(name: str, given: object, distribution: Distribution | None) -> Entry:
    """Return the entry of a metric's class, after checking the class."""
    if not isinstance(given, type) or not issubclass(given, Metric):
        raise SpecError(f"the metric {name} is {given!r:.60}; give a class derived from qassay.Metric or MeanMetric")
    missing = ", ".join(sorted(given.__abstractmethods__))
    if missing:
        raise SpecError(f"the metric {name} ({given.__qualname__}) lacks {missing}; define it")
    if given.name != name:
        raise SpecError(f'the class {given.__qualname__} has the name "{given.name}", not "{name}"; make them the same')
    _check_declared(given)
    declaration = given.declare()
    return Entry(declaration, given, cleandoc(given.__doc__ or declaration.summary), distribution)


def _check_declared(given: type[Metric]) -> None:
    for attribute in ("params", "weightings", "needs"):
        value = getattr(given, attribute)
        wanted = Param if attribute == "params" else str
        several = isinstance(value, tuple | list | set | frozenset | Registry)
        if not several or not all(isinstance(each, wanted) for each in value):
            what = "qassay.Param" if wanted is Param else "names"
            raise SpecError(f"{given.__qualname__}.{attribute} is {value!r:.60}; give a tuple of {what}")


def _judge_entry(name: str, given: object, distribution: Distribution | None) -> Entry:
    """Return the entry of a judge's metric, after checking the factory."""
    from qassay.metrics.learned.own_judge import JudgeMetric, declare_judge  # noqa: PLC0415 - used by few

    if not callable(given):
        raise SpecError(f"the judge {name} is {given!r:.60}; give a function or class that makes it")
    declaration = declare_judge(name, given)
    definition = "\n\n".join(filter(None, [getattr(given, "__doc__", None), getdoc(JudgeMetric)]))
    make = partial(JudgeMetric, declaration=declaration, factory=given)
    return Entry(declaration, JudgeMetric, definition, distribution, make)


CATALOGUE: Registry[Entry] = Registry("metric", _BUILT_IN, {GROUP: _entry, JUDGES: _judge_entry}, _ALIASES)


def register_metric(metric: type[Metric]) -> type[Metric]:
    """Add a metric to the catalogue under the name that its class declares. Also a class decorator."""
    if not isinstance(metric, type) or not issubclass(metric, Metric):
        raise SpecError(f"{metric!r:.60} is no metric; give a class derived from qassay.Metric or MeanMetric")
    if not metric.name:
        raise SpecError(f'{metric.__qualname__} has no name; give it one, as in `name = "length"`')
    CATALOGUE.register(metric.name, metric, GROUP)
    return metric


def register_judge(name: str, factory: Callable[[], AnswerJudge]) -> None:
    """Add a judge of answers as a metric of this name.

    `factory` makes an object with a method `judge(answers)`, which is given a list of (question, reference, candidate,
    context) and returns one probability of being right per answer.
    """
    CATALOGUE.register(name, factory, JUDGES)


def provenance(name: str) -> dict[str, str]:
    """Return the package that a metric comes from and its version, for signatures; nothing for our own."""
    held = CATALOGUE[name].distribution if name in CATALOGUE else None
    return {held.name: held.version} if held else {}


def parse_spec(text: str | MetricSpec) -> MetricSpec:
    """Read and check a metric spec such as `rouge_l,yesno=2`."""
    return parse(str(text), CATALOGUE)


def create(spec: str | MetricSpec) -> Metric:
    """Make the metric that a spec names."""
    parsed = parse_spec(spec)
    return CATALOGUE[parsed.name].create(parsed)


def create_all(specs: Iterable[str | MetricSpec], model: str = EMBEDDED) -> list[Metric]:
    """Make several metrics; the same one twice counts once. `model` is for those that name none themselves."""
    made = [create(_on_model(parse_spec(spec), model)) for spec in specs]
    return list({metric.spec: metric for metric in made}.values())


def _on_model(spec: MetricSpec, model: str) -> MetricSpec:
    """Name the run's model where the spec names none and the model is of the kind that the metric takes."""
    entry = CATALOGUE[spec.name]
    if entry.declaration.param("model") is None or "model" in dict(spec.options):
        return spec
    if not entry.metric.takes_model(model, spec.resolve(entry.declaration)):
        return spec
    return with_options(spec, {"model": model}, entry.declaration)

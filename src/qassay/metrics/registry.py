"""The one table of metrics: names, parameters with their ranges, definitions, sources, and the classes behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.errors import SpecError
from qassay.metrics.learned.judges import KINDS, Ava, Lerc
from qassay.metrics.lexical.bleu import Bleu
from qassay.metrics.lexical.cider import Cider
from qassay.metrics.lexical.exact import Contains, ExactMatch, TokenF1, TokenRecall
from qassay.metrics.lexical.meteor import Meteor
from qassay.metrics.lexical.rouge import Rouge1, Rouge2, RougeL, RougeSU4
from qassay.models.base import EMBEDDED, is_foreign
from qassay.models.load import has_judge, has_reader, is_encoder
from qassay.spec import WEIGHTINGS, Declaration, MetricSpec, Param, parse, with_options
from qassay.text.tokenise import TOKENISERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from qassay.metrics.base import Metric
    from qassay.records import Example
from qassay.metrics.embedding.bert_score import BertScore

DEFAULT_METRICS = ("exact_match", "token_f1", "bleu", "rouge_l")


@dataclass(frozen=True, slots=True)
class Entry:
    """A declared metric and what calculates it."""

    declaration: Declaration
    create: Callable[[MetricSpec, Declaration], Metric]


def _tok(default: str) -> Param:
    return Param("tok", default, "how texts are cut into tokens", choices=(*TOKENISERS, "piece"))


_YESNO = Param(
    "yesno", 0.0, "weight (alpha) of the bonus for a reference with the candidate's opinion", low=0, high=1e6
)
_ENTITY = Param("entity", 0.0, "weight (beta) of the bonus for gold entities in the candidate", low=0, high=1e6)


def _rouge(beta: float) -> tuple[Param, ...]:
    return (
        _tok("word"),
        Param("stat", "f", "F, precision or recall", choices=("f", "p", "r")),
        Param("beta", beta, "weight of recall in F", low=0, high=1e3),
        Param(
            "refs",
            "pr",
            "several references: best precision and best recall, or the best score",
            choices=("pr", "max"),
            weighted_default="max",
        ),
        Param("stem", default=False, meaning="compare Porter stems"),
    )


_JUDGE = Param("model", EMBEDDED, "mini, or a folder that `qassay train` wrote")
_REFERENCES = Param(
    "refs", "max", "several references: the best probability, or the mean (as in the paper)", choices=("max", "mean")
)

_SQUAD = "Rajpurkar et al. 2016"
_LIN = "Lin 2004"
_YANG = "Yang et al. 2018 for the bonuses"

_ENTRIES = (
    Entry(
        Declaration(
            "exact_match",
            "1 if candidate and reference are equal after normalisation",
            _SQUAD,
            (_tok("squad"),),
        ),
        ExactMatch,
    ),
    Entry(
        Declaration(
            "token_f1",
            "harmonic mean of token precision and recall",
            _SQUAD,
            (_tok("squad"),),
            WEIGHTINGS,
        ),
        TokenF1,
    ),
    Entry(
        Declaration(
            "token_recall",
            "share of the reference's tokens found in the candidate",
            "Breck et al. 2000",
            (_tok("squad"),),
            WEIGHTINGS,
        ),
        TokenRecall,
    ),
    Entry(
        Declaration(
            "contains",
            "1 if the reference stands in the candidate",
            "open-domain QA practice",
            (_tok("squad"),),
        ),
        Contains,
    ),
    Entry(
        Declaration(
            "bleu",
            "geometric mean of clipped n-gram precisions times the brevity penalty",
            f"Papineni et al. 2002; {_YANG}",
            (
                Param("n", 4, "highest n-gram order", low=1, high=9),
                _tok("word"),
                Param(
                    "smooth",
                    "coco",
                    "what an order without hits counts",
                    choices=("coco", "none", "exp", "floor", "add-k"),
                ),
                Param(
                    "refs",
                    "all",
                    "several references: clip over all of them, or the best score (always, with weights)",
                    choices=("all", "max"),
                    weighted_default="max",
                ),
                _YESNO,
                _ENTITY,
            ),
            WEIGHTINGS,
            corpus="pooled",
        ),
        Bleu,
    ),
    Entry(Declaration("rouge_1", "unigram overlap", _LIN, _rouge(1.0), WEIGHTINGS), Rouge1),
    Entry(Declaration("rouge_2", "bigram overlap", _LIN, _rouge(1.0), WEIGHTINGS), Rouge2),
    Entry(
        Declaration(
            "rouge_l",
            "longest common subsequence",
            f"{_LIN}; {_YANG}",
            (*_rouge(1.2), _YESNO, _ENTITY),
            WEIGHTINGS,
        ),
        RougeL,
    ),
    Entry(
        Declaration(
            "rouge_su4",
            "unigrams and skip-bigrams with a gap of at most four",
            _LIN,
            _rouge(1.0),
            WEIGHTINGS,
        ),
        RougeSU4,
    ),
    Entry(
        Declaration(
            "meteor",
            "aligned unigrams (exact, stem, synonym) with a penalty for broken order",
            "Banerjee and Lavie 2005",
            (
                _tok("word"),
                Param(
                    "stages",
                    "exact+stem+synonym",
                    "how words may match, tried in this order",
                    choices=("exact", "exact+stem", "exact+synonym", "exact+stem+synonym"),
                ),
                Param("alpha", 0.9, "weight of recall in the mean", low=0, high=1),
                Param("beta", 3.0, "exponent of the penalty", low=0, high=100),
                Param("gamma", 0.5, "highest penalty", low=0, high=1),
            ),
        ),
        Meteor,
    ),
    Entry(
        Declaration(
            "cider",
            "tf-idf n-gram agreement with all references, from 0 to 10 (CIDEr-D)",
            "Vedantam et al. 2015",
            (
                Param("n", 4, "highest n-gram order", low=1, high=9),
                Param("sigma", 6.0, "width of the length penalty", low=1e-6, high=1e6),
                Param("df", "run", "document frequencies: of this run's references, or a file's"),
                _tok("word"),
            ),
            maximum=10.0,
        ),
        Cider,
    ),
    Entry(
        Declaration(
            "bert_score",
            "greedy cosine matching of token embeddings",
            "Zhang et al. 2020; Lee et al. 2021 for keyphrase weights",
            (
                Param("model", EMBEDDED, "mini, a folder, or a Hugging Face name (extra hf)"),
                Param("layer", 0, "whose embeddings; 0 is the model's default", low=0, high=200),
                Param("stat", "f", "F, precision or recall", choices=("f", "p", "r")),
                Param("rescale", "no", "map unrelated texts to 0: no, yes, or a baseline file"),
                Param(
                    "sharpen", 1.0, "power on similarities, clipped to 0 and above unless it is 1", low=0.01, high=100
                ),
            ),
            WEIGHTINGS,
        ),
        BertScore,
    ),
    Entry(
        Declaration(
            "lerc",
            "a reader's estimate of how right an answer is, with its context where there is one",
            "Chen et al. 2020",
            (_JUDGE, _REFERENCES),
        ),
        Lerc,
    ),
    Entry(
        Declaration(
            "ava",
            "the probability that an answer is right, given question and reference",
            "Vu and Moschitti 2021",
            (
                _JUDGE,
                Param("kind", "mini", "the embedded judge, or a model of the paper's", choices=KINDS),
                _REFERENCES,
            ),
        ),
        Ava,
    ),
)

OF_SUMMARIES = ("qaeval", "feqa")
"""Metrics that hold summaries against texts; they are declared where questions are asked."""

CATALOGUE = {entry.declaration.name: entry for entry in _ENTRIES}
_DECLARATIONS = {name: entry.declaration for name, entry in CATALOGUE.items()}


def parse_spec(text: str | MetricSpec) -> MetricSpec:
    """Read and check a metric spec such as `rouge_l,yesno=2`."""
    name = str(text).partition(",")[0].strip()
    if name in OF_SUMMARIES:
        raise SpecError(f"{name} asks questions about summaries: `qassay summary` and `qassay correlate` take it")
    return parse(str(text), _DECLARATIONS)


def create(spec: str | MetricSpec) -> Metric:
    """Make the metric that a spec names."""
    parsed = parse_spec(spec)
    entry = CATALOGUE[parsed.name]
    return entry.create(parsed, entry.declaration)


def default_metrics(first: Example) -> tuple[str, ...]:
    """Choose the metrics for a run that names none, by its first answer.

    The keyphrase metrics read the question where there is one, and the judge needs it; the embedded model reads
    English, so text in another script gets the lexical metrics alone.
    """
    if any(is_foreign(each.text) for each in first.references):
        return DEFAULT_METRICS
    if not first.question.strip():
        return (*DEFAULT_METRICS, "rouge_l:kp", "bert_score:kp")
    return (*DEFAULT_METRICS, "rouge_l:kpqa", "bert_score:kpqa", "ava")


def create_all(specs: Iterable[str | MetricSpec], model: str = EMBEDDED) -> list[Metric]:
    """Make several metrics; the same one twice counts once. `model` is for those that name none themselves."""
    made = [create(_on_model(parse_spec(spec), model)) for spec in specs]
    return list({metric.spec: metric for metric in made}.values())


def _on_model(spec: MetricSpec, model: str) -> MetricSpec:
    declaration = CATALOGUE[spec.name].declaration
    if declaration.param("model") is None or "model" in dict(spec.options):
        return spec
    # Encoders and judges are different models: each metric takes the named one if it is of its kind.
    if spec.name == "lerc":
        fits = has_reader(model)
    elif spec.name == "ava":
        fits = has_judge(model, str(dict(spec.options).get("kind", "mini")))
    else:
        fits = is_encoder(model)
    if not fits:
        return spec
    return with_options(spec, {"model": model}, declaration)

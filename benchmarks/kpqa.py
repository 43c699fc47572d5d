"""Print our figures beside those of the KPQA paper (Lee et al. 2021): Tables 3, 4, 6, 7 and 10, and Figure 4.

    python benchmarks/kpqa.py [TABLE ...] [--bootstrap N]      (or: make bench-kpqa)

Tables: agreement (3 and 6), question (4: with and without the question), ranking (7), types (Figure 4), keyphrases
(10). Table 4's other half, training without a domain, is benchmarks/domain_ablation.py. The data is read from
$QASSAY_DATA, or from shared/data beside the project; `keyphrases` also needs the training sets there.

Intervals are of the bootstrap over questions. `over plain` is the gain over the same metric without weights, with its
p-value (paired bootstrap, two-sided, corrected by Holm's method for all rows of the table).
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from paper_tables import KPQA, kpqa_examples, number, rank_pairs, table
from qassay.arrays import Ints
from qassay.meta.correlation.correlate import Correlation
from qassay.meta.correlation.evaluation import Options, correlate_part, evidence_of_table
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.metric_comparison import metric_difference
from qassay.meta.correlation.significance import Alternative, Difference, DifferenceTest, holm
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient
from qassay.metrics.registry import parse_spec
from qassay.models.syntax import AMOUNT, COUNT, DURATION, PERSON, PLACE, THING, TIME
from qassay.records import Example
from qassay.scoring.scorer import score_examples
from qassay.training.chunker.question_kinds import question_kind

SETS = {"marco_all": "MS-MARCO", "avsd_all": "AVSD", "marcomulti_unilm": "MS-MARCO, several sentences"}
BASES = ("token_f1", "bleu,n=1", "rouge_1", "rouge_l", "bert_score")
WEIGHTINGS = ("", "idf", "kp", "kpqa")
JUDGES = ("lerc", "ava")
SEED = 12345
_TEST_DRAWS = 10
"""Resamples of a test for each of an interval: Holm's correction multiplies the smallest p-value that can come out."""
# Lee et al. 2021, Table 4, MS-MARCO: Pearson, Spearman.
WITHOUT_QUESTION = {"bleu,n=1": (0.629, 0.589), "rouge_l": (0.671, 0.640), "bert_score": (0.657, 0.649)}
WITHOUT_MARCO = {"bleu,n=1": (0.573, 0.529), "rouge_l": (0.598, 0.564), "bert_score": (0.602, 0.595)}
# Lee et al. 2021, Table 10: F1 of the keyphrase predictor on development data.
KEYPHRASE_F1 = {"squad": 55.81}
# What the paper calls the types of MS-MARCO's questions.
TYPES = {
    PERSON: "person",
    PLACE: "location",
    COUNT: "numeric",
    AMOUNT: "numeric",
    DURATION: "numeric",
    TIME: "numeric",
}
_ASKS_WHAT_IT_IS = re.compile(r"^(?:what'?s|what (?:is|are|was|were|does|do|did)|define)\b")


def weighted(base: str, weighting: str) -> str:
    """Put a weighting into a metric's name."""
    head, comma, params = base.partition(",")
    return str(parse_spec(f"{head}:{weighting}{comma}{params}" if weighting else base))


def asked(base: str, weighting: str, name: str) -> str:
    """Name a metric as it is measured: where there are six references, the best counts, as in the paper."""
    spec = weighted(base, weighting)
    takes_refs = name == "avsd_all" and not weighting and base.partition(",")[0] in {"bleu", "rouge_1", "rouge_l"}
    return str(parse_spec(f"{spec},refs=max")) if takes_refs else spec


@cache
def scored(name: str) -> Panel:
    """Score a set with every metric, once."""
    specs = [asked(base, weighting, name) for base in BASES for weighting in WEIGHTINGS]
    return evidence_of_table(score_examples(kpqa_examples(name), [*specs, *JUDGES])).panel


def correlations(panel: Panel, draws: int) -> dict[str, dict[Coefficient, Correlation]]:
    """Correlate every metric with people."""
    both = (Coefficient.PEARSON, Coefficient.SPEARMAN)
    options = Options(Level.ANSWER, both, DifferenceTest.BOOTSTRAP, draws, SEED)
    found: dict[str, dict[Coefficient, Correlation]] = {}
    for each in correlate_part(panel, options, draws=draws):
        found.setdefault(each.metric, {})[each.coefficient] = each
    return found


def gain(panel: Panel, better: str, plain: str, draws: int) -> Difference:
    """Test a metric against the same one without weights."""
    return metric_difference(
        panel,
        better,
        plain,
        test=DifferenceTest.BOOTSTRAP,
        level=Level.ANSWER,
        coefficient=Coefficient.PEARSON,
        rng=np.random.default_rng(SEED),
        draws=_TEST_DRAWS * draws,
        alternative=Alternative.TWO_SIDED,
    )


def published(base: str, weighting: str, name: str) -> tuple[str, str]:
    """Find the paper's Pearson and Spearman; its BERTScore is the one with IDF."""
    if weighting == "kp" and name == "marco_all":
        pair = WITHOUT_QUESTION.get(base)
    elif base == "bert_score":
        pair = KPQA[name].get({"idf": "bert_score", "kpqa": "bert_score:kpqa"}.get(weighting, ""))
    else:
        pair = KPQA[name].get(weighted(base, weighting))
    return ("", "") if pair is None else (number(pair[0]), number(pair[1]))


def agreement(draws: int) -> None:
    """Print Tables 3 and 6: agreement with people's judgements of correctness."""
    for name, title in SETS.items():
        panel = scored(name)
        found = correlations(panel, draws)
        rows = [(base, weighting) for base in BASES for weighting in WEIGHTINGS]
        gains = {
            (base, weighting): gain(panel, asked(base, weighting, name), asked(base, "", name), draws)
            for base, weighting in rows
            if weighting
        }
        adjusted = dict(zip(gains, holm([each.p for each in gains.values()]), strict=True))
        printed = []
        for base, weighting in [*rows, *((judge, "") for judge in JUDGES)]:
            spec = asked(base, weighting, name)
            r, rho = found[spec].values()
            over, p = gains.get((base, weighting)), adjusted.get((base, weighting))
            change = "" if over is None or over.difference is None else f"{over.difference:+.3f}".replace("0.", ".", 1)
            theirs = published(base, weighting, name)
            cells = (number(r.value), limits(r), theirs[0], number(rho.value), theirs[1], change, probability(p))
            printed.append((f"`{spec}`", *cells))
        print(f"\n{title}: {len(panel)} judged answers")
        table(("metric", "Pearson", "95 %", "paper", "Spearman", "paper", "over plain", "p"), printed)


def limits(found: Correlation) -> str:
    """Print an interval."""
    return "" if found.interval is None else f"{number(found.interval.low)} to {number(found.interval.high)}"


def probability(p: float | None) -> str:
    """Print a p-value to one digit."""
    return "" if p is None else f"{p:.1g}".replace("0.", ".", 1)


def question(draws: int) -> None:
    """Print Table 4: what the question is worth to the weights, and the paper's figures without MS-MARCO's own data."""
    panel = scored("marco_all")
    found = correlations(panel, 0)
    rows = []
    for base in BASES:
        with_question, without = weighted(base, "kpqa"), weighted(base, "kp")
        over = gain(panel, with_question, without, draws)
        paper = [KPQA["marco_all"].get(with_question), WITHOUT_MARCO.get(base), WITHOUT_QUESTION.get(base)]
        cells = ["" if pair is None else number(pair[0]) for pair in paper]
        ours = [number(found[spec][Coefficient.PEARSON].value) for spec in (with_question, without)]
        rows.append((f"`{base}`", ours[0], *cells[:2], ours[1], cells[2], probability(over.p)))
    print("\nMS-MARCO, Pearson. Ours is trained on no data of MS-MARCO's; the paper's is, but for the third column.")
    heading = (
        "metric",
        "`:kpqa`",
        "paper",
        "paper, without MS-MARCO",
        "`:kp`",
        "paper",
        "p, `:kpqa` over `:kp`",
    )
    table(heading, rows)


def ranking(_draws: int) -> None:
    """Print Table 7: two models' answers ranked as people rank them."""
    rank_pairs(["token_f1:kpqa", "rouge_1:kpqa", "bert_score:idf", *JUDGES], 0)


def question_type(text: str) -> str:
    """Return MS-MARCO's type of a question by its wording, since the judged answers come without types.

    Person, location and numeric (counts, amounts, durations, times) from the question word or the noun behind it; how,
    why, "what is …" and questions without a question word ask for a description; what is left asks for an entity.
    """
    kind = question_kind(text)
    if kind in TYPES:
        return TYPES[str(kind)]
    plain = " ".join(text.lower().split())
    return "entity" if kind == THING and not _ASKS_WHAT_IT_IS.match(plain) else "description"


def labels_of(examples: Sequence[Example]) -> NDArray[np.str_]:
    """Return each answer's question type: the set's own where it has them, else what the wording tells."""
    return np.array([each.question_type or question_type(each.question) for each in examples])


def types(draws: int) -> None:
    """Print Figure 4: agreement on MS-MARCO by question type."""
    panel = scored("marco_all")
    labels = labels_of(kpqa_examples("marco_all"))
    counts = Counter(labels.tolist())
    parts = {label: panel.where(np.flatnonzero(labels == label)) for label, _ in counts.most_common()}
    found = {label: correlations(part, draws) for label, part in parts.items()}
    rows = []
    for base in BASES:
        for weighting in ("", "kpqa"):
            spec = weighted(base, weighting)
            cells = []
            for part in found.values():
                each = part[spec][Coefficient.PEARSON]
                limits = (
                    "" if each.interval is None else f" ({number(each.interval.low)} to {number(each.interval.high)})"
                )
                cells.append(f"{number(each.value)}{limits}")
            rows.append((f"`{spec}`", *cells))
    print("\nMS-MARCO by question type, told from the question's wording: Pearson")
    table(("metric", *(f"{label} ({counts[label]})" for label in parts)), rows)


def keyphrase_quality() -> dict[str, tuple[int, float, float]]:
    """Measure how well the weights find the marked key words of development rows, which no one trained on.

    Given for each source, and all: how many answers, F1 of key word pieces, average precision.
    """
    from domain_ablation import all_rows  # noqa: PLC0415 - needs the extra `train` and the training sets
    from qassay.models.load import load_weigher  # noqa: PLC0415 - as above
    from qassay.training.keyphrase.inputs import Examples  # noqa: PLC0415 - as above
    from qassay.training.keyphrase.quality import quality  # noqa: PLC0415 - as above

    rows = all_rows().dev
    weigher = load_weigher()
    weighed = weigher.weigh([(row.question, row.answer) for row in rows])
    spans = {row.answer: each.spans for row, each in zip(rows, weighed, strict=True)}

    def cut(texts: Sequence[str]) -> list[tuple[Ints, Ints]]:
        places = [spans.get(text, _NOWHERE) for text in texts]
        return [(np.arange(len(each)), each) for each in places]

    marked = Examples.of(rows, cut, longest=sys.maxsize)
    logits = {
        (row.question, row.answer): np.log(np.maximum(each.weights, 1e-30)).astype(np.float32)
        for row, each in zip(rows, weighed, strict=True)
    }
    sources = np.array(marked.sources)
    measured = {}
    for source in [*dict.fromkeys(marked.sources), "all"]:
        chosen = np.flatnonzero((sources == source) | (source == "all")).tolist()
        found = quality(
            0.0, [logits[marked.texts[i]] for i in chosen], [marked.marked[i] for i in chosen], outputs="list"
        )
        measured[source] = (len(chosen), found.token_f1, found.average_precision)
    return measured


def keyphrases(_draws: int) -> None:
    """Print Table 10: how well the weights find the marked key words."""
    printed = []
    for source, (count, f1, precision) in keyphrase_quality().items():
        theirs = f"{KEYPHRASE_F1[source]:.2f}" if source in KEYPHRASE_F1 else ""
        printed.append((source, f"{count:,}", f"{100 * f1:.2f}", theirs, number(precision)))
    print("\nKey word pieces of held-out answers, called key from half the heaviest piece's weight on: F1 in per cent.")
    print("The paper has 59.26 on MS-MARCO Q&A, whose questions are not among our data.")
    table(("source", "answers", "F1", "paper", "average precision"), printed)


_NOWHERE: Ints = np.zeros((0, 2), np.int64)
TABLES: dict[str, Callable[[int], None]] = {
    "agreement": agreement,
    "question": question,
    "ranking": ranking,
    "types": types,
    "keyphrases": keyphrases,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="TABLE")
    parser.add_argument("--bootstrap", type=int, default=1000, help="resamples for intervals and tests")
    given = parser.parse_args(arguments)
    for name in given.tables or TABLES:
        TABLES[name](given.bootstrap)


if __name__ == "__main__":
    main()

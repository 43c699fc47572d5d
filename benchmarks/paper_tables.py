"""Measure agreement with people on the papers' own data, and print it beside what the papers report.

    python benchmarks/paper_tables.py kpqa|rank_pairs|summeval|qags|bonuses|all [-m SPEC ...] [--bootstrap N]

The data is read from $QASSAY_DATA, or from shared/data beside the project; `qassay data fetch` gets most of it.
Published numbers carry their table; metrics that a paper does not have stand without one.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from qassay.io.input_stream import Reader
from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha
from qassay.meta.agreement.ratings import Ratings
from qassay.meta.correlation.evaluation import Agreement, Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.correlation.sweep import Sweep, SweepPoint, sweep
from qassay.meta.ranking.rankings import PairAgreement, pair_agreement
from qassay.meta.statistics.weighted import Coefficient
from qassay.metrics.registry import parse_spec
from qassay.records import Example, Opinion, Reference
from qassay.scoring.scorer import score_examples

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))

Pair = tuple[float, float]
Triple = tuple[float, float, float]

# Lee et al. 2021 (KPQA), Table 3 (MS-MARCO, AVSD) and Table 6 (multi-sentence): Pearson, Spearman.
KPQA: dict[str, dict[str, Pair]] = {
    "marco_all": {
        "bleu,n=1": (0.349, 0.329),
        "bleu": (0.193, 0.244),
        "rouge_l": (0.309, 0.301),
        "meteor": (0.423, 0.413),
        "cider": (0.275, 0.278),
        "bert_score": (0.463, 0.456),
        "bleu:kpqa,n=1": (0.675, 0.634),
        "rouge_l:kpqa": (0.698, 0.642),
        "bert_score:kpqa": (0.673, 0.655),
    },
    "avsd_all": {
        "bleu,n=1": (0.580, 0.562),
        "bleu": (0.499, 0.532),
        "rouge_l": (0.585, 0.566),
        "meteor": (0.578, 0.617),
        "cider": (0.567, 0.600),
        "bert_score": (0.658, 0.650),
        "bleu:kpqa,n=1": (0.719, 0.695),
        "rouge_l:kpqa": (0.712, 0.702),
        "bert_score:kpqa": (0.729, 0.712),
    },
    "marcomulti_unilm": {
        "bleu,n=1": (0.363, 0.364),
        "rouge_l": (0.584, 0.607),
        "bert_score": (0.712, 0.728),
        "bleu:kpqa,n=1": (0.529, 0.540),
        "rouge_l:kpqa": (0.642, 0.648),
        "bert_score:kpqa": (0.774, 0.786),
    },
}
LEXICAL = ("bleu,n=1", "bleu", "rouge_l", "meteor", "cider")
# With the embedded model, where the paper's BERTScore is on BERT-large and its weights come from BERT-base.
MODELS = ("bert_score", "bleu:kpqa,n=1", "rouge_l:kpqa", "bert_score:kpqa")
# Learned metrics, which that paper does not have.
LEARNED = ("lerc", "ava")
# Lee et al. 2021, Table 7: per cent of pairs ranked as people rank them (93 pairs on MS-MARCO, 193 on AVSD).
RANK_PAIRS: dict[str, dict[str, float]] = {
    "marco_all": {
        "bleu,n=1": 63.44,
        "rouge_l": 61.29,
        "bert_score": 67.74,
        "bleu:kpqa,n=1": 74.19,
        "rouge_l:kpqa": 76.34,
        "bert_score:kpqa": 76.34,
    },
    "avsd_all": {
        "bleu,n=1": 72.02,
        "rouge_l": 70.98,
        "bert_score": 78.24,
        "bleu:kpqa,n=1": 81.35,
        "rouge_l:kpqa": 77.20,
        "bert_score:kpqa": 81.35,
    },
}
# Deutsch and Roth 2022, Table 4, SummEval with relevance: Pearson, Spearman, Kendall, system and summary level.
SUMMEVAL: dict[str, tuple[Triple, Triple]] = {
    "rouge_1": ((0.61, 0.62, 0.50), (0.28, 0.26, 0.20)),
    "rouge_2": ((0.64, 0.60, 0.43), (0.23, 0.19, 0.14)),
    "rouge_l": ((0.61, 0.48, 0.32), (0.21, 0.18, 0.14)),
    "rouge_su4": ((0.62, 0.56, 0.38), (0.23, 0.19, 0.15)),
}
# The ways to take ROUGE that the paper leaves open.
VARIANTS = {
    "F, best of 11 references": "refs=max",
    "F, best of 11, stems": "refs=max,stem=yes",
    "F, best of 11, no punctuation": "refs=max,tok=coco",
    "F, best of 11, no punctuation, stems": "refs=max,stem=yes,tok=coco",
    "F, best precision and best recall": "refs=pr",
    "recall, best of 11": "refs=max,stat=r",
}
# Wang, Cho and Lewis 2020 (QAGS): Krippendorff's alpha of the votes, and QAGS' own Pearson with them.
QAGS = {"cnndm": (0.51, 0.545), "xsum": (0.34, 0.175)}


def data(path: str) -> Path:
    """Find a file of the measuring sets, or end with how to get it."""
    found = DATA / "bench" / path
    if not found.exists():
        sys.exit(f"{found} is not there; set QASSAY_DATA to the folder that holds bench/{path}")
    return found


def json_rows(path: str) -> list[dict[str, Any]]:
    """Read JSON lines; only a line feed ends a line, whatever else stands in a text."""
    return [json.loads(line) for line in data(path).read_bytes().split(b"\n") if line.strip()]


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as Markdown."""
    print(f"\n| {' | '.join(heading)} |\n|{'---|' * len(heading)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def agreements(
    examples: Sequence[Example], specs: Sequence[str], level: Level = Level.ANSWER, draws: int = 0
) -> list[Agreement]:
    """Score the examples and correlate the scores with the judgements."""
    options = Options(level, tuple(Coefficient), DifferenceTest.BOOTSTRAP, draws, seed=12345)
    return measure(evidence_of_table(score_examples(examples, specs)), options)[0]


def number(value: float | None) -> str:
    """Print a coefficient as the papers do."""
    return "undefined" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def interval(agreement: Agreement) -> str:
    """Print the interval of the first coefficient."""
    found = agreement.first.interval
    return "" if found is None else f"{number(found.low)} to {number(found.high)}"


def kpqa_examples(name: str) -> list[Example]:
    """Read one of KPQA's human-judged sets."""
    return list(Reader([data(f"kpqa_human/{name}.csv")]))


def several_references(spec: str, name: str) -> str:
    """Let the best reference count, as in that paper, where there are six; without effect where there is one."""
    takes_refs = spec.partition(",")[0] in {"bleu", "rouge_l"} and name == "avsd_all"
    return str(parse_spec(f"{spec},refs=max")) if takes_refs and "refs=" not in spec else spec


def kpqa(more: Sequence[str], draws: int) -> None:
    """Print KPQA's Tables 3 and 6."""
    for name, published in KPQA.items():
        named = [*(spec for spec in (*LEXICAL, *MODELS) if spec in published), *LEARNED, *more]
        asked = {several_references(spec, name): spec for spec in named}
        found = {each.metric: each for each in agreements(kpqa_examples(name), list(asked), draws=draws)}
        rows = []
        for spec, short in asked.items():
            each = found.get(str(parse_spec(spec)))
            if each is None:
                print(f"{spec} was not scored: it needs a WordNet (docs/metrics/meteor.md)")
                continue
            r, rho, _ = (correlation.value for correlation in each.correlations.values())
            paper = published.get(short)
            theirs = ("", "") if paper is None else (number(paper[0]), number(paper[1]))
            rows.append((f"`{spec}`", number(r), interval(each), theirs[0], number(rho), theirs[1]))
        print(f"\nKPQA, {name}: {found[str(parse_spec(next(iter(asked))))].first.n} judged answers")
        table(("metric", "Pearson", "95 %", "paper", "Spearman", "paper"), rows)


def pair_shares(name: str, specs: Sequence[str]) -> dict[str, tuple[str, list[PairAgreement]]]:
    """Return the share of pairs ranked as people rank them, paired by question and by place, with the metric's name."""
    examples = kpqa_examples(name)
    half = len(examples) // 2
    named = [replace(each, system="first" if i < half else "second") for i, each in enumerate(examples)]
    by_question = [replace(each, id=f"{each.question} {each.references}") for each in named]
    by_place = [replace(each, id=str(i % half)) for i, each in enumerate(named)]
    asked = {several_references(spec, name): spec for spec in specs}
    panels = [evidence_of_table(score_examples(paired, list(asked))).panel for paired in (by_question, by_place)]
    return {
        spec: (short, [pair_agreement(panel, str(parse_spec(spec))) for panel in panels])
        for spec, short in asked.items()
    }


def rank_pairs(more: Sequence[str], _draws: int) -> None:
    """Print KPQA's Table 7: the first 500 rows of each file are one model's answers, the others another's.

    Both halves hold the same questions, on MS-MARCO in the same order and on AVSD in another. The paper's 193 pairs
    on AVSD come out when rows at the same place are paired, which are answers to different questions; paired by
    question there are fewer. Both ways are printed.
    """
    for name, published in RANK_PAIRS.items():
        rows = []
        for spec, (short, shares) in pair_shares(name, ("bleu,n=1", "rouge_l", *MODELS, *LEARNED, *more)).items():
            paper = f"{published[short]:.2f} %" if short in published else ""
            cells = [f"{100 * (each.share or 0):.2f} % ({each.agree} of {each.pairs})" for each in shares]
            rows.append((f"`{spec}`", *cells, paper))
        print(f"\nKPQA, {name}: answers ranked as people rank them, of pairs whose judgements are at least 2 apart")
        table(("metric", "paired by question", "paired by place in the file", "paper"), rows)


def summeval_examples(dimension: str = "relevance") -> list[Example]:
    """Read SummEval: 16 systems on 100 documents with 11 references each, judged by three experts."""
    return [
        Example(
            row["id"],
            "",
            tuple(Reference(text) for text in row["references"]),
            system["summary"],
            name,
            judgement=system["scores"][dimension],
        )
        for row in json_rows("summeval/summeval.jsonl")
        for name, system in row["systems"].items()
    ]


def summeval(more: Sequence[str], draws: int) -> None:
    """Print SummEval's system- and summary-level correlations of ROUGE, and how each way of taking it comes out."""
    examples = summeval_examples()
    levels = (Level.SYSTEM, Level.INPUT)
    distances = []
    for title, options in VARIANTS.items():
        # F in the paper is the harmonic mean, which is beta=1.
        specs = [str(parse_spec(f"{metric},{options},beta=1")) for metric in SUMMEVAL]
        found = [agreements(examples, specs, level) for level in levels]
        values = np.array([[[c.value for c in each.correlations.values()] for each in rows] for rows in found], float)
        gaps = np.abs(values.transpose(1, 0, 2) - np.array(list(SUMMEVAL.values())))
        distances.append((title, f"`{options},beta=1`", f"{gaps.mean():.3f}", f"{gaps.max():.3f}"))
    print("\nSummEval, relevance: which ROUGE the paper took (24 coefficients, distance from those published)")
    table(("variant", "parameters", "mean distance", "largest"), distances)
    chosen = {str(parse_spec(f"{metric},refs=max,beta=1")): metric for metric in SUMMEVAL} | {
        spec: spec for spec in more
    }
    for place, level in enumerate(levels):
        rows = []
        for each in agreements(examples, list(chosen), level, draws):
            paper = SUMMEVAL.get(chosen.get(each.metric, ""))
            cells = [
                (number(correlation.value), "" if paper is None else number(paper[place][i]))
                for i, correlation in enumerate(each.correlations.values())
            ]
            rows.append((f"`{each.metric}`", *(cell for pair in cells for cell in pair), interval(each)))
        print(f"\nSummEval, relevance, {'system' if level is Level.SYSTEM else 'summary'} level")
        heading = ("metric", "Pearson", "paper", "Spearman", "paper", "Kendall", "paper", "Pearson, 95 %")
        table(heading, rows)


def qags(more: Sequence[str], draws: int) -> None:
    """Print the annotators' agreement on QAGS' data, and how overlap with the article goes with their votes.

    The published ROUGE rows compare with reference summaries, which the released file does not hold.
    """
    for name, (alpha, own) in QAGS.items():
        rows = json_rows(f"qags/mturk_{name}.jsonl")
        ratings = qags_votes(rows)
        found = krippendorff_alpha(ratings, Measurement.NOMINAL, draws=1000, rng=np.random.default_rng(12345))
        print(f"\nQAGS, {name}: {len(rows)} summaries, {len(ratings.items)} sentences, {len(ratings)} votes")
        limits = f"{number(found.low)} to {number(found.high)}"
        table(("", "ours", "95 %", "paper"), [("alpha (nominal)", number(found.value), limits, number(alpha))])
        specs = ["rouge_1,stat=p", "rouge_2,stat=p", "rouge_l,stat=p", *more]
        measured = agreements([qags_example(i, row) for i, row in enumerate(rows)], specs, draws=draws)
        lines = [(f"`{each.metric}`", number(each.first.value), interval(each)) for each in measured]
        table(("share of the summary found in the article", "Pearson", "95 %"), lines)
        print(f"\nThe paper's own metric, for comparison: Pearson {number(own)}.")


def qags_votes(rows: Sequence[dict[str, Any]]) -> Ratings:
    """Return the votes on the sentences of QAGS' summaries: 1 for consistent, 0 for not."""
    votes = [
        ((f"{i}-{j}", ""), str(vote["worker_id"]), float(vote["response"] == "yes"))
        for i, row in enumerate(rows)
        for j, sentence in enumerate(row["summary_sentences"])
        for vote in sentence["responses"]
    ]
    items, people, values = zip(*votes, strict=True)
    return Ratings.build(items, people, values)


def qags_example(place: int, row: dict[str, Any]) -> Example:
    """Take a summary as the answer and its article as the reference; its judgement is the share of sentences kept."""
    sentences = row["summary_sentences"]
    kept = [Counter(vote["response"] for vote in each["responses"])["yes"] >= 2 for each in sentences]  # noqa: PLR2004 - of three votes
    summary = " ".join(each["sentence"] for each in sentences)
    return Example(str(place), "", (Reference(row["article"]),), summary, judgement=sum(kept) / len(kept))


def bonuses(_more: Sequence[str], _draws: int) -> None:
    """Print agreement against the weights of the yes-no and entity bonuses (Yang et al. 2018, Figures 1 and 2).

    The paper's submissions and judgements are not public. The packaged example answers have judgements, made up with
    them; DuReader's demo has none, so the stance of the majority stands in for one, which shows that the curve is
    drawn and not that people agree.
    """
    demo = list(Reader([str(files("qassay").joinpath("assets", "demo.jsonl"))]))
    curves("example answers, yes-no", demo, ["rouge_l,entity=1", "bleu,entity=1"], "yesno=0:4:0.5", "yes-no")
    curves("example answers, lists", demo, ["rouge_l,yesno=2", "bleu,yesno=2"], "entity=0:4:0.5", "list")
    curves("DuReader demo, stance of the majority", stances(), ["rouge_l,entity=1", "bleu,entity=1"], "yesno=0:4:0.5")


def curve_points(
    examples: Sequence[Example], specs: Sequence[str], swept: str, part: str | None = None
) -> list[SweepPoint]:
    """Correlate metrics at every value of a parameter with people, on one question type."""
    evidence = evidence_of_table(score_examples(examples, specs))
    options = Options(Level.ANSWER, (Coefficient.PEARSON,), DifferenceTest.BOOTSTRAP, 0, seed=12345)
    by = None if part is None else "question_type"
    return [each for each in sweep(evidence, specs, Sweep.parse(swept), options, by) if each.by == part]


def curves(title: str, examples: Sequence[Example], specs: Sequence[str], swept: str, part: str | None = None) -> None:
    """Print Pearson's r at every value of a parameter, for one question type."""
    points = curve_points(examples, specs, swept, part)
    metrics = list(dict.fromkeys(each.metric for each in points))
    found = {(each.value, each.metric): each.correlation for each in points}
    print(f"\n{title}: {points[0].n} answers")
    values = dict.fromkeys(each.value for each in points)
    rows = [(f"{value:g}", *(number(found[value, metric]) for metric in metrics)) for value in values]
    table((points[0].param, *(f"`{metric}`" for metric in metrics)), rows)


def stances() -> list[Example]:
    """Take every human answer to a yes-no question of DuReader's demo against the others to the same question."""
    found = []
    opinions = {"Yes": Opinion.YES, "No": Opinion.NO, "Depends": Opinion.DEPENDS}
    for part in ("dev", "train"):
        for question in json_rows(f"dureader/search.{part}.json"):
            answers = [
                Reference(text, opinions.get(label))
                for text, label in zip(question["answers"], question.get("yesno_answers") or [], strict=False)
                if text.strip()
            ]
            for i, own in enumerate(answers):
                others = answers[:i] + answers[i + 1 :]
                if others:
                    (majority, _), *_ = Counter(each.opinion for each in others).most_common(1)
                    name = f"{question['question_id']}-{i}"
                    agrees = float(own.opinion == majority)
                    found.append(
                        Example(name, question["question"], tuple(others), own.text, "", own.opinion, judgement=agrees)
                    )
    return found


TABLES: dict[str, Callable[[Sequence[str], int], None]] = {
    "kpqa": kpqa,
    "rank_pairs": rank_pairs,
    "summeval": summeval,
    "qags": qags,
    "bonuses": bonuses,
}


def main() -> None:
    """Print the tables that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", choices=[*TABLES, "all"], metavar="TABLE")
    parser.add_argument("-m", "--metric", action="append", default=[], help="another metric beside the paper's")
    parser.add_argument("--bootstrap", type=int, default=1000, help="resamples for the intervals")
    given = parser.parse_args()
    for name in TABLES if "all" in given.tables else given.tables:
        TABLES[name](given.metric, given.bootstrap)


if __name__ == "__main__":
    main()

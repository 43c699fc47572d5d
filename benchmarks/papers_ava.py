"""Vu and Moschitti (2021), AVA: pairs, models, rankers and systems."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import judge as verdicts
import rankers as ranking
from ava import POOL, overfitted_choices, system_estimates
from paper_rows import NOTHING, PaperTable, number, row
from papers_settings import PUBLISHED, Settings
from qassay.io.readers.datasets.answer_selection import read_selection
from qassay.io.source import Source
from qassay.models.hf.judge_design import DESIGNS
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.ava.pairs import Statistics, pair_up

PAPER = "Vu and Moschitti 2021"
PEERS = "ava,kind=a2"
JUDGE = f"{PEERS},refs=mean"
_PAPER = PUBLISHED["ava"]
_ASKED, _EXPECTED, _SAID = _PAPER["example"]
POPULATION = Example("1", _ASKED, (Reference(_EXPECTED),), _SAID)
OTHER_DATA = "TREC-QA and WikiQA in the place of WQA, which is not among the data"
OTHER_TRAINING = " and on five other sets, on a small encoder"
OTHER_MODEL = "the embedded A2, on a small encoder in the place of RoBERTa"
OTHER_RANKERS = f"our eleven rankers in the place of the paper's six, and {OTHER_MODEL}"


def example(_settings: Settings) -> list[PaperTable]:
    """Return Table 1's input with A2's score, and Table 3's configurations."""
    score = score_examples([POPULATION], [PEERS]).score(PEERS, 0).value
    kinds = {
        "linear classifier, four features": ["linear"],
        "A0, one for each pair and one for all": [each for each in DESIGNS if each.startswith("a0")],
        "A1, all combinations": [each for each in DESIGNS if each.startswith("a1")],
        "A2, the best setting of A1": ["a2"],
    }
    rows = tuple(
        row(name, [", ".join(f"`{each}`" for each in found)], [count])
        for (name, found), count in zip(kinds.items(), ("1", "4", "7", "1"), strict=True)
    )
    return [
        PaperTable(
            PAPER,
            "Table 1",
            "an example of a right answer",
            (f"`{PEERS}`",),
            (row("population of California", [number(score)], ["right"], f"{OTHER_MODEL}; the paper prints no score"),),
        ),
        PaperTable(PAPER, "Table 3", "configurations that `qassay train ava --kind` trains", ("",), rows),
    ]


def pairs(_settings: Settings) -> list[PaperTable]:
    """Return Table 2: questions, answers and the pairs made of them."""
    names = (
        "questions",
        "right",
        "wrong",
        "multiple_questions",
        "multiple_right",
        "multiple_wrong",
        "positives",
        "negatives",
    )
    columns = (
        "questions",
        "answers",
        "wrong",
        "with several: questions",
        "answers",
        "wrong",
        "positives",
        "negatives",
        "pairs",
    )
    rows = []
    for name, files in ranking.FILES.items():
        for side, path in zip(("train", "dev", "test"), files, strict=True):
            _, found = pair_up(read_selection(Source.at(ranking.DATA / path)), rng=np.random.default_rng(0), cap=1)
            ours = [f"{each:,}" for each in _counts(found, names)]
            rows.append(row(f"{name}, {side}", ours, [f"{each:,}" for each in _PAPER["pairs"][side]], OTHER_DATA))
    return [
        PaperTable(
            PAPER,
            "Table 2",
            "answer selection data and the pairs made of them; the paper's are WQA's",
            columns,
            tuple(rows),
        )
    ]


def _counts(found: Statistics, names: Sequence[str]) -> list[int]:
    counted = [int(getattr(found, name)) for name in names]
    return [*counted, found.positives + found.negatives]


def models(settings: Settings) -> list[PaperTable]:
    """Return Table 4: F1 of every kind of model on pairs of answer sentences."""
    specs = {kind: f"ava,kind={kind}" for kind in ("linear", *DESIGNS)}
    if settings.models:
        specs |= {_kind(spec): spec for spec in verdicts.models_in(settings.models)}
    sets = {name: verdicts.SETS[name]() for name in ("trecqa", "wikiqa")}
    found = {
        name: {line["metric"]: line for line in verdicts.verdicts(name, answers, list(specs.values()))}
        for name, answers in sets.items()
    }
    rows = []
    for kind, theirs in _PAPER["f1"].items():
        label = "linear classifier" if kind == "linear" else f"`{kind}`"
        f1 = [found[name][specs[kind]]["f1"] for name in found]
        why = f"{OTHER_DATA}; trained on their training sets" + ("" if kind == "linear" else OTHER_TRAINING)
        ours = [number(each if isinstance(each, float) else None) for each in f1]
        rows.append(row(label, ours, (number(theirs), NOTHING), why))
    note = "The paper's figures are on WQA's test set alone, so that they stand beside TREC-QA's."
    return [
        PaperTable(
            PAPER, "Table 4", "F1 of calls on pairs of answer sentences", ("TREC-QA", "WikiQA"), tuple(rows), note
        )
    ]


def _kind(spec: str) -> str:
    return spec.partition("kind=")[2].partition(",")[0]


def rankers(_settings: Settings) -> list[PaperTable]:
    """Return Tables 5 and 7: rankers' quality by A2 and by the labels."""
    lines = [line for name in ranking.FILES for line in ranking.run(name, [JUDGE])]
    found = {(str(line["set"]), str(line["measure"])): line for line in lines}
    errors, details = [], []
    for name, values in _PAPER["rankers"].items():
        for place, (measure, theirs) in enumerate(zip(ranking.MEASURES, values, strict=True)):
            line = found[name, measure]
            ours = [number(_float(line[key])) for key in ("rmse", "sigma", "tau", "p")]
            errors.append(row(f"{name}, {measure}", ours, [number(each) for each in theirs], OTHER_RANKERS))
            for side, (key, published) in enumerate(
                (("true", _PAPER["details"][name][place][0]), ("estimated", _PAPER["details"][name][place][1]))
            ):
                by = line[key]
                cells = [number(float(each)) for each in by.values()] if isinstance(by, dict) else []
                label = f"{name}, {measure}, {'AVA' if side else 'gold'}"
                details.append(row(label, [" ".join(cells)], [" ".join(map(number, published))], OTHER_RANKERS))
    systems = ", ".join(ranking_names(lines))
    about = "how far A2's measures of rankers are from the true ones"
    return [
        PaperTable(PAPER, "Table 5", about, ("RMSE", "sigma", "tau", "p"), tuple(errors)),
        PaperTable(
            PAPER, "Table 7", "measures of each ranker", ("",), tuple(details), f"Ours, in this order: {systems}."
        ),
    ]


def ranking_names(lines: Sequence[dict[str, object]]) -> list[str]:
    """Name the rankers, in their order."""
    first = lines[0]["true"]
    return list(first) if isinstance(first, dict) else []


def _float(value: object) -> float | None:
    return value if isinstance(value, float) else None


def systems(_settings: Settings) -> list[PaperTable]:
    """Return Table 6: systems' accuracy by A2 and by people, on NQ-301."""
    why = (
        "twelve systems' answers to NQ-301's questions, which no training saw, in the place of eight systems' that are "
        f"not public, and {OTHER_MODEL}"
    )
    rows, names = [], ""
    for each in system_estimates([JUDGE]):
        names = ", ".join(each.true)
        found = each.agreement
        accuracies = [" ".join(map(number, values.values())) for values in (each.estimated, each.true)]
        error = [number(value) for value in (found.rmse, found.sigma, found.kendall, found.kendall_p)]
        theirs = (
            *(" ".join(map(number, values)) for values in _PAPER["systems"][each.split]),
            *map(number, _PAPER["system_error"][each.split]),
        )
        rows.append(row(each.split, (*accuracies, *error), theirs, why))
    columns = ("P@1 by AVA", "P@1 by people", "RMSE", "sigma", "tau", "p")
    note = f"Ours, in this order: {names}. The threshold is tuned on the dev questions, a fifth of all."
    return [PaperTable(PAPER, "Table 6", "systems' accuracy", columns, tuple(rows), note)]


def failures(_settings: Settings) -> list[PaperTable]:
    """Return Tables 8 and 9: answers that a ranker and A2 see differently."""
    theirs = _PAPER["failures"]
    examples = [
        Example(str(i), question, (Reference(reference),), said)
        for i, (question, said, reference, *_) in enumerate(theirs)
    ]
    found = score_examples(examples, [PEERS])
    rows = [
        row(each[0], [number(found.score(PEERS, i).value)], [number(each[-1])], OTHER_MODEL)
        for i, each in enumerate(theirs)
    ]
    note = (
        f"{cases()} In the paper's four the first three answers are right and the last is wrong; TANDA's scores are "
        ".0001, .046, .026 and .995."
    )
    first = PaperTable(PAPER, "Table 8", "answers that a ranker gets wrong", (f"`{PEERS}`",), tuple(rows), note)
    return [first, overfitted()]


def overfitted() -> PaperTable:
    """Return Table 9: what an over-fitted reranker chooses, and what A2 chooses."""
    examples = [
        Example(f"{i}-{side}", question, (Reference(reference),), text)
        for i, (question, reference, *texts) in enumerate(_PAPER["overfitted"])
        for side, text in enumerate(texts)
    ]
    scored = score_examples(examples, [PEERS])
    lines = []
    for i, (question, *_) in enumerate(_PAPER["overfitted"]):
        pair = [number(scored.score(PEERS, 2 * i + side).value) for side in (0, 1)]
        published = ["right" if i == 0 else "wrong", "right"]
        lines.append(row(question, pair, published, f"{OTHER_MODEL}; the paper prints no scores"))
    questions, right = overfitted_choices([PEERS])
    why = (
        f"{questions} test questions of TREC-QA, each with the {POOL} sentences that BM25 finds, in the place of "
        f"100 questions with a web index of 100 million documents, and {OTHER_MODEL}"
    )
    shares = [f"{right[name]:.0%}".replace("%", " %") for name in ("over-fitted reranker", PEERS)]
    lines.append(row("questions with a right choice", shares, ["25 %", "66 %"], why))
    about = "answers of an over-fitted reranker and of AVA"
    return PaperTable(PAPER, "Table 9", about, ("reranker's", "AVA's"), tuple(lines))


def cases() -> str:
    """Count TREC-QA's test questions on which A2 corrects the best ranker."""
    training, _, test = ([*read_selection(Source.at(ranking.DATA / Path(path)))] for path in ranking.FILES["TREC-QA"])
    selections = ranking.usable(test)
    candidates = ranking.sentences(selections)
    ranker = ranking.rankers_from(ranking.sentences(training), transfer=0)["hidden 256"]
    values = ranker(candidates)
    tops = ranking.top_ones(candidates, values)
    scores = ranking.judged(candidates, selections, [JUDGE])[JUDGE]
    low = [i for i in tops if values[i] < verdicts.RIGHT and candidates.right[i]]
    high = [i for i in tops if values[i] >= verdicts.RIGHT and not candidates.right[i]]
    kept = sum(scores[i] >= verdicts.RIGHT for i in low)
    refused = sum(scores[i] < verdicts.RIGHT for i in high)
    return (
        f"On TREC-QA's {len(selections)} test questions our largest trained ranker scores {len(low)} right top "
        "answers below one half, of which "
        f"A2 calls {kept} right, and {len(high)} wrong ones above it, of which A2 calls {refused} wrong."
    )

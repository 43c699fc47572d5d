"""Vu and Moschitti (2021), AVA: pairs, models, rankers and systems."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import judge as verdicts
import rankers as ranking
from paper_rows import NOTHING, PaperTable, missing, number, row
from papers_settings import PUBLISHED, Settings
from qassay.io.readers.answer_selection import read_selection
from qassay.io.source import Source
from qassay.meta.ranking.rankings import system_agreement
from qassay.models.hf.judge_design import DESIGNS
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.ava.pairs import Statistics, pair_up

PAPER = "Vu and Moschitti 2021"
JUDGE = "ava,refs=mean"
_PAPER = PUBLISHED["ava"]
_ASKED, _EXPECTED, _SAID = _PAPER["example"]
POPULATION = Example("1", _ASKED, (Reference(_EXPECTED),), _SAID)
OTHER_DATA = "TREC-QA and WikiQA in the place of WQA, which is not among the data"
OTHER_RANKERS = (
    "our eight rankers in the place of the paper's six, and the embedded judge in the place of A2 on RoBERTa"
)


def example(_settings: Settings) -> list[PaperTable]:
    """Return Table 1's input with the judge's score, and Table 3's configurations."""
    score = float(score_examples([POPULATION], ["ava"]).score("ava", 0).value or np.nan)
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
            ("`ava`",),
            (
                row(
                    "population of California",
                    [number(score)],
                    ["right"],
                    "the embedded judge; the paper prints no score",
                ),
            ),
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
    specs = {"linear": "ava,kind=linear"} | embedded_kinds()
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
        paper = (number(theirs), NOTHING)
        if kind not in specs:
            why = (
                "its weights are not part of the install, and none were trained for this page (`benchmarks/judge.py` "
                "says how)"
            )
            rows.append(missing(label, paper, why))
            continue
        f1 = [found[name][specs[kind]]["f1"] for name in found]
        why = f"{OTHER_DATA}; trained on their training sets" + ("" if kind == "linear" else ", on a six-layer model")
        rows.append(row(label, [number(each if isinstance(each, float) else None) for each in f1], paper, why))
    note = "The paper's figures are on WQA's test set alone, so that they stand beside TREC-QA's."
    return [
        PaperTable(
            PAPER, "Table 4", "F1 of calls on pairs of answer sentences", ("TREC-QA", "WikiQA"), tuple(rows), note
        )
    ]


def embedded_kinds() -> dict[str, str]:
    """Find the kinds whose weights are part of the install."""
    found = {}
    for kind in DESIGNS:
        try:
            score_examples([POPULATION], [f"ava,kind={kind}"])
        except Exception:  # noqa: BLE001, S112 - whatever says that there are none
            continue
        found[kind] = f"ava,kind={kind}"
    return found


def _kind(spec: str) -> str:
    return spec.partition("kind=")[2].partition(",")[0]


def rankers(_settings: Settings) -> list[PaperTable]:
    """Return Tables 5 and 7: rankers' quality by the judge and by the labels."""
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
    about = "how far the judge's measures of rankers are from the true ones"
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
    """Return Table 6: systems' accuracy by the judge and by people, on EVOUNA-NQ's held-back questions."""
    answers = verdicts.evouna()
    judged = np.array([each.judgement for each in answers.examples], np.float64)
    names = np.array([each.system for each in answers.examples])
    scores = score_examples(answers.examples, ["ava"], batch=256).scores["ava"]
    each_system = sorted(set(names.tolist()))
    estimated = [float((scores[names == each] >= verdicts.RIGHT).mean()) for each in each_system]
    true = [float(judged[names == each].mean()) for each in each_system]
    found = system_agreement(estimated, true)
    ours = (" ".join(map(number, estimated)), " ".join(map(number, true)))
    error = [number(value) for value in (found.rmse, found.sigma, found.kendall, found.kendall_p)]
    why = (
        "five systems' answers to 300 questions of EVOUNA-NQ that no training saw, in the place of eight systems' "
        "that are not public"
    )
    rows = []
    for side in ("dev", "test"):
        theirs = (
            *(" ".join(map(number, values)) for values in _PAPER["systems"][side]),
            *map(number, _PAPER["system_error"][side]),
        )
        rows.append(
            row(side, (*ours, *error), theirs, why)
            if side == "test"
            else missing(side, theirs, "no threshold is tuned on EVOUNA-NQ: one half counts")
        )
    columns = ("P@1 by the judge", "P@1 by people", "RMSE", "sigma", "tau", "p")
    note = f"Ours, in this order: {', '.join(each_system)}."
    return [PaperTable(PAPER, "Table 6", "systems' accuracy", columns, tuple(rows), note)]


def failures(_settings: Settings) -> list[PaperTable]:
    """Return Tables 8 and 9: answers that a ranker and the judge see differently."""
    theirs = _PAPER["failures"]
    examples = [
        Example(str(i), question, (Reference(reference),), said)
        for i, (question, said, reference, *_) in enumerate(theirs)
    ]
    found = score_examples(examples, ["ava"])
    other = "the embedded judge in the place of A2 on RoBERTa"
    rows = [
        row(each[0], [number(found.score("ava", i).value)], [number(each[-1])], other) for i, each in enumerate(theirs)
    ]
    note = (
        f"{cases()} In the paper's four the first three answers are right and the last is wrong; TANDA's scores are "
        ".0001, .046, .026 and .995."
    )
    first = PaperTable(PAPER, "Table 8", "answers that a ranker gets wrong", ("`ava`",), tuple(rows), note)
    both = [
        Example(f"{i}-{side}", question, (Reference(reference),), text)
        for i, (question, reference, *texts) in enumerate(_PAPER["overfitted"])
        for side, text in enumerate(texts)
    ]
    scored = score_examples(both, ["ava"])
    lines = []
    for i, (question, *_) in enumerate(_PAPER["overfitted"]):
        pair = [number(scored.score("ava", 2 * i + side).value) for side in (0, 1)]
        lines.append(
            row(
                question,
                pair,
                ["right" if i == 0 else "wrong", "right"],
                "the embedded judge; the paper prints no scores",
            )
        )
    lost = "the candidates are sentences of a web index of 100 million documents, judged by hand"
    lines.append(missing("right answers of 100 questions", ["25 %", "66 %"], lost))
    about = "answers of an over-fitted reranker and of AVA"
    return [first, PaperTable(PAPER, "Table 9", about, ("reranker's", "AVA's"), tuple(lines))]


def cases() -> str:
    """Count TREC-QA's test questions on which the judge corrects the best ranker."""
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
        f"the judge calls {kept} right, and {len(high)} wrong ones above it, of which the judge calls {refused} wrong."
    )

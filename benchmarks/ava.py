"""Tables 2 to 6 and 9 of the AVA paper (Vu and Moschitti 2021), beside what it reports.

    python benchmarks/ava.py [--table N…] [--model FOLDER] [--models FOLDER] [--transfer N] [--json FILE]

- 2: how many pairs WikiQA and TREC-QA give; the paper's set, AVA-WQA, was not published
- 3 and 4: F1 of every design on the pairs of the TREC-QA and WikiQA test sets; `--models` names a folder of folders
  that `qassay train ava` wrote, which are measured beside the embedded ones
- 5: errors of the estimated quality of rankers (`rankers.py`), with A2
- 6: accuracy of question answering systems, estimated and true: the twelve of NQ-301, whose questions no training saw;
  the threshold is tuned on a fifth of the questions
- 9: which sentence a reranker chooses that was fitted to the very questions, and which AVA chooses, given the sentence
  that the reranker was fitted to. The candidates of a TREC-QA test question are the 200 sentences of all its files that
  BM25 ranks first, without that one; people's labels say whether the choice is right

Tables 7 and 8 are in what `rankers.py` prints and in the reports of `qassay score`.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from judge import SETS, models_in, nq301, table
from neural_rankers import Pairs, transformer
from qassay.io.readers.answer_selection import QuestionSentences, read_selection
from qassay.io.source import Source
from qassay.meta.accuracy.classification import classify, rate_threshold
from qassay.meta.ranking.rankings import system_agreement
from qassay.models.base import EMBEDDED, parse_ref
from qassay.models.hf.judge_design import DESIGNS
from qassay.models.onnx.ava import read_heads
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.answer_text import question_key
from qassay.training.ava.pairs import pair_up
from qassay.training.splits import hashes_below
from rankers import FILES, TRANSFER, Ranker, bm25
from rankers import run as run_rankers

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
RIGHT = 0.5
POOL = 200
OVERFIT = 12
"""Epochs in which the reranker of Table 9 is fitted to the questions."""
Line = dict[str, object]

# F1 on AVA-WQA (Table 4).
PUBLISHED_F1 = {
    "linear": 0.3999,
    "a0-qr": 0.0695,
    "a0-rt": 0.6247,
    "a0-qt": 0.6713,
    "a0": 0.6807,
    "a1-q": 0.7014,
    "a1-r": 0.7383,
    "a1-t": 0.7236,
    "a1-qt": 0.7421,
    "a1-rt": 0.7447,
    "a1-rq": 0.7435,
    "a1": 0.7303,
    "a2": 0.7472,
}
# RMSE, its standard deviation and Kendall's tau (Table 5).
PUBLISHED_RANKERS = {
    ("TREC-QA-dev", "P@1"): (0.000, 0.000, 1.000),
    ("TREC-QA-dev", "MAP"): (0.040, 0.019, 1.000),
    ("TREC-QA-dev", "MRR"): (0.015, 0.011, 0.866),
    ("TREC-QA-test", "P@1"): (0.034, 0.018, 1.000),
    ("TREC-QA-test", "MAP"): (0.041, 0.029, 0.867),
    ("TREC-QA-test", "MRR"): (0.020, 0.012, 1.000),
    ("WikiQA-dev", "P@1"): (0.000, 0.000, 1.000),
    ("WikiQA-dev", "MAP"): (0.050, 0.039, 0.733),
    ("WikiQA-dev", "MRR"): (0.063, 0.052, 0.690),
    ("WikiQA-test", "P@1"): (0.079, 0.030, 0.889),
    ("WikiQA-test", "MAP"): (0.081, 0.040, 0.733),
    ("WikiQA-test", "MRR"): (0.095, 0.035, 0.867),
}
# Positives and negatives of AVA-WQA's splits (Table 2).
PUBLISHED_PAIRS = {"train": (183_894, 349_765), "dev": (430_230, 426_246), "test": (479_028, 449_625)}


def peers(given: argparse.Namespace) -> str:
    """Return the spec of A2, the embedded one or that of a folder."""
    return "ava,kind=a2" if given.model == EMBEDDED else f"ava,kind=a2,model={given.model}"


def statistics(_given: argparse.Namespace) -> list[Line]:
    """Count what the paper counts of AVA-WQA (Table 2)."""
    lines: list[Line] = [
        {"data": f"AVA-WQA {split}, published", "positives": positives, "negatives": negatives}
        for split, (positives, negatives) in PUBLISHED_PAIRS.items()
    ]
    for name, paths in FILES.items():
        for split, path in zip(("train", "dev", "test"), paths, strict=True):
            _, found = pair_up(read_selection(Source.at(DATA / path)), rng=np.random.default_rng(0))
            lines.append(
                {
                    "data": f"{name} {split}",
                    "questions": found.questions,
                    "right": found.right,
                    "wrong": found.wrong,
                    "questions with several": found.multiple_questions,
                    "positives": found.positives,
                    "negatives": found.negatives,
                }
            )
    return lines


def configurations(given: argparse.Namespace) -> list[Line]:
    """List what is trained and measured (Table 3)."""
    found = read_heads(parse_ref(given.model).folder).designs
    return [
        {"kind": name, "pairs": " ".join(design.pairs), "peer attention": design.peer, "measured": name in found}
        for name, design in DESIGNS.items()
    ]


def point_wise(given: argparse.Namespace) -> list[Line]:
    """Measure F1 of every design on pairs of the test sets (Table 4)."""
    place = "" if given.model == EMBEDDED else f",model={given.model}"
    kinds = read_heads(parse_ref(given.model).folder).designs
    specs = [
        "ava,kind=linear",
        *(f"ava,kind={kind}{place}" for kind in kinds),
        *(models_in(given.models) if given.models else ()),
    ]
    lines: list[Line] = []
    answers = {name: SETS[name]().examples for name in ("trecqa", "wikiqa")}
    scores = {name: score_examples(examples, specs, batch=256).scores for name, examples in answers.items()}
    for spec in specs:
        line: Line = {"metric": spec}
        for name, examples in answers.items():
            judged = np.array([example.judgement for example in examples], np.float64)
            found = classify(scores[name][spec], judged, RIGHT)
            line |= {f"{name} F1": found.f1, f"{name} AUC": found.auc}
        kind = spec.split("kind=")[1].split(",")[0]
        lines.append({**line, "AVA-WQA F1, published": PUBLISHED_F1.get(kind)})
    return lines


def rankers(given: argparse.Namespace) -> list[Line]:
    """Compare the rankers' estimated quality with the true one (Table 5)."""
    lines: list[Line] = []
    for name in FILES:
        for found in run_rankers(name, [f"{peers(given)},refs=mean"], given.transfer):
            line = {"data": found["set"]} | {key: found[key] for key in ("measure", "rmse", "sigma", "tau", "p")}
            published = PUBLISHED_RANKERS[str(found["set"]), str(found["measure"])]
            lines.append(
                line | dict(zip(("rmse, published", "sigma, published", "tau, published"), published, strict=True))
            )
    return lines


def systems(given: argparse.Namespace) -> list[Line]:
    """Estimate the accuracy of question answering systems (Table 6; there RMSE .0198 and .0350, tau .929 and .643)."""
    examples = nq301().examples
    judged = np.array([example.judgement for example in examples], np.float64)
    rows = system_rows(examples)
    dev = np.array([hashes_below(example.question, 0.2) for example in examples])
    lines: list[Line] = []
    for metric in (f"{peers(given)},refs=mean", "ava"):
        scores = score_examples(examples, [metric], batch=256).scores[metric]
        tuned = np.concatenate([each[dev[each]] for each in rows.values()])
        names = [name for name, each in rows.items() for _ in each[dev[each]]]
        threshold = rate_threshold(scores[tuned], judged[tuned], names)
        for split, chosen in (("dev", dev), ("test", ~dev)):
            parts = {name: each[chosen[each]] for name, each in rows.items()}
            estimated = {name: float((scores[part] >= threshold).mean()) for name, part in parts.items()}
            true = {name: float(judged[part].mean()) for name, part in parts.items()}
            found = system_agreement(list(estimated.values()), list(true.values()))
            agreed = {"rmse": found.rmse, "sigma": found.sigma, "tau": found.kendall, "p": found.kendall_p}
            lines.append({"data": f"NQ-301 {split}", "evaluator": metric, **estimated, **agreed})
            lines.append({"data": f"NQ-301 {split}", "evaluator": "people", **true})
    return lines


def system_rows(examples: Sequence[Example]) -> dict[str, np.ndarray]:
    """Find which of NQ-301's judged answers each system gave."""
    known = {
        (question_key(example.question), question_key(example.candidate or "")): row
        for row, example in enumerate(examples)
    }
    found: dict[str, np.ndarray] = {}
    for path in sorted((DATA / "bench/openqa_eval/model_outputs").glob("*.jsonl")):
        rows = []
        for line in path.read_text(encoding="utf-8").splitlines():
            given = json.loads(line)
            said = given["prediction"]
            answer = ", ".join(said) if isinstance(said, list) else said
            rows.append(known.get((question_key(given["question"]), question_key(answer)), -1))
        # A few answers were not judged as they were given.
        found[path.stem.split("_", 1)[1]] = np.array([row for row in rows if row >= 0], np.int64)
    return found


def overfitted(given: argparse.Namespace) -> list[Line]:
    """Choose among many sentences with a reranker fitted to the questions, and with AVA (Table 9: 25 % and 66 %)."""
    files = [list(read_selection(Source.at(DATA / path))) for path in FILES["TREC-QA"]]
    asked = [each for each in files[-1] if len(set(each.right)) > 1]
    sentences = list(dict.fromkeys(text for file in files for each in file for text in (*each.right, *each.wrong)))
    known = [each.right[0] for each in asked]
    ranker = bm25(Pairs([""] * len(sentences), sentences, np.zeros(len(sentences), bool)))
    pools = [pool(each, known[number], sentences, ranker) for number, each in enumerate(asked)]
    usable = [number for number, texts in enumerate(pools) if set(texts) & set(asked[number].right)]
    choices = {"BM25": [pools[number][0] for number in usable]}
    fitted = [
        (asked[n].question, text, right) for n in usable for text, right in _examples(pools[n], known[n], asked[n])
    ]
    reranker = transformer(
        (Pairs([row[0] for row in fitted], [row[1] for row in fitted], np.array([row[2] for row in fitted])), OVERFIT)
    )
    flat = Pairs(
        [asked[n].question for n in usable for _ in pools[n]],
        [text for n in usable for text in pools[n]],
        np.zeros(sum(len(pools[n]) for n in usable), bool),
    )
    ends = np.cumsum([len(pools[n]) for n in usable])[:-1]
    scored = {"over-fitted reranker": reranker(flat)}
    references = [(Reference(known[n]),) for n in usable for _ in pools[n]]
    examples = [Example(str(row), flat.question[row], references[row], flat.text[row]) for row in range(len(flat.text))]
    scored |= score_examples(examples, [peers(given), "ava"], batch=256).scores
    for name, scores in scored.items():
        parts = np.split(scores, ends)
        choices[name] = [pools[n][int(np.argmax(part))] for n, part in zip(usable, parts, strict=True)]
    return [
        {
            "chooses": name,
            "questions": len(usable),
            "right": float(np.mean([text in asked[n].right for n, text in zip(usable, chosen, strict=True)])),
        }
        for name, chosen in choices.items()
    ]


def pool(asked: QuestionSentences, known: str, sentences: Sequence[str], ranker: Ranker) -> list[str]:
    """Return the sentences that a ranker puts first, without the one that is known."""
    others = [text for text in sentences if text != known]
    found = ranker(Pairs([asked.question] * len(others), others, np.zeros(len(others), bool)))
    return [others[index] for index in np.argsort(-found, kind="stable")[:POOL]]


def _examples(texts: Sequence[str], known: str, asked: QuestionSentences) -> list[tuple[str, bool]]:
    """Return what the reranker is fitted to: the known sentence, and some that do not answer."""
    return [(known, True), *((text, False) for text in texts[:: POOL // 8] if text not in asked.right)]


TABLES: dict[int, Callable[[argparse.Namespace], list[Line]]] = {
    2: statistics,
    3: configurations,
    4: point_wise,
    5: rankers,
    6: systems,
    9: overfitted,
}


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="append", type=int, choices=sorted(TABLES), help="by default all")
    parser.add_argument("--model", default=EMBEDDED, help="where A2 is, and other designs on the embedded encoder")
    parser.add_argument("--models", type=Path, help="a folder of folders that `qassay train ava` wrote")
    parser.add_argument("--transfer", type=int, default=TRANSFER, help="pairs that the last ranker is tuned on first")
    parser.add_argument("--json", type=Path, help="write all lines to this file")
    given = parser.parse_args()
    made: dict[int, list[Line]] = {}
    for number in given.table or TABLES:
        made[number] = TABLES[number](given)
        print(f"\nTable {number}\n\n{table(made[number])}", flush=True)
    if given.json:
        given.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

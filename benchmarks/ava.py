"""Tables 2 to 6 and 9 of the AVA paper (Vu and Moschitti 2021), beside what it reports.

    python benchmarks/ava.py [--table N…] [--model FOLDER] [--models FOLDER] [--transfer N] [--json FILE]

- 2: how many pairs WikiQA and TREC-QA give; the paper's set, AVA-WQA, was not published
- 3 and 4: F1 of every design on the pairs of the TREC-QA and WikiQA test sets; `--models` names a folder of folders
  that `qassay train ava` wrote, which are measured beside the embedded ones
- 5: errors of the estimated quality of rankers (`rankers.py`), with A2
- 6: accuracy of question answering systems, estimated and true: the twelve of NQ-301, whose questions no training saw;
  the threshold is tuned on a fifth of the questions
- 9: which sentence a reranker chooses that was fitted to the very questions, and which AVA chooses, given the sentence
  that the reranker was fitted to. The candidates of a TREC-QA test question are the 50 sentences of all its files that
  BM25 ranks first, without that one; people's labels say whether the choice is right

Tables 7 and 8 are in what `rankers.py` prints and in the reports of `qassay score`.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from judge import SETS, models_in, nq301, table
from neural_rankers import Pairs, transformer
from papers_settings import PUBLISHED
from qassay.io.readers.datasets.answer_selection import QuestionSentences, read_selection
from qassay.io.source import Source
from qassay.meta.accuracy.classification import classify, rate_threshold
from qassay.meta.ranking.rankings import SystemAgreement, system_agreement
from qassay.models.base import EMBEDDED, parse_ref
from qassay.models.hf.judge_design import DESIGNS
from qassay.models.onnx.ava import read_heads
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.answer_text import question_key
from qassay.training.ava.pairs import pair_up
from qassay.training.splits import hashes_below
from rankers import FILES, MEASURES, TRANSFER, Ranker, bm25
from rankers import run as run_rankers

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
RIGHT = 0.5
POOL = 50
"""Sentences among which Table 9 chooses."""
OVERFIT = 12
"""Epochs in which the reranker of Table 9 is fitted to the questions."""
Line = dict[str, object]

_PAPER = PUBLISHED["ava"]


@dataclass(frozen=True)
class Estimate:
    """Accuracies of question answering systems by a metric and by people, on one split of the questions."""

    split: str
    metric: str
    estimated: dict[str, float]
    true: dict[str, float]

    @property
    def agreement(self) -> SystemAgreement:
        """How far the two are apart, and whether they order the systems alike."""
        return system_agreement(list(self.estimated.values()), list(self.true.values()))


def peers(given: argparse.Namespace) -> str:
    """Return the spec of A2, the embedded one or that of a folder."""
    return "ava,kind=a2" if given.model == EMBEDDED else f"ava,kind=a2,model={given.model}"


def statistics(_given: argparse.Namespace) -> list[Line]:
    """Count what the paper counts of AVA-WQA (Table 2)."""
    lines: list[Line] = [
        {"data": f"AVA-WQA {split}, published", "positives": positives, "negatives": negatives}
        for split, (*_, positives, negatives, _) in _PAPER["pairs"].items()
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
        lines.append({**line, "AVA-WQA F1, published": _PAPER["f1"].get(kind)})
    return lines


def rankers(given: argparse.Namespace) -> list[Line]:
    """Compare the rankers' estimated quality with the true one (Table 5)."""
    lines: list[Line] = []
    for name in FILES:
        for found in run_rankers(name, [f"{peers(given)},refs=mean"], given.transfer):
            line = {"data": found["set"]} | {key: found[key] for key in ("measure", "rmse", "sigma", "tau", "p")}
            published = _PAPER["rankers"][found["set"]][MEASURES.index(str(found["measure"]))]
            names = ("rmse, published", "sigma, published", "tau, published", "p, published")
            lines.append(line | dict(zip(names, published, strict=True)))
    return lines


def systems(given: argparse.Namespace) -> list[Line]:
    """Estimate the accuracy of question answering systems (Table 6; there RMSE .0198 and .0350, tau .929 and .643)."""
    lines: list[Line] = []
    for each in system_estimates([f"{peers(given)},refs=mean", "ava"]):
        found = each.agreement
        agreed = {"rmse": found.rmse, "sigma": found.sigma, "tau": found.kendall, "p": found.kendall_p}
        lines.append({"data": f"NQ-301 {each.split}", "evaluator": each.metric, **each.estimated, **agreed})
        lines.append({"data": f"NQ-301 {each.split}", "evaluator": "people", **each.true})
    return lines


def system_estimates(metrics: Sequence[str]) -> Iterator[Estimate]:
    """Yield what each metric says of NQ-301's systems: with the dev questions, then with the others.

    The threshold is the one at which the systems' accuracies on the dev questions come closest to the true ones.
    """
    examples = nq301().examples
    judged = np.array([example.judgement for example in examples], np.float64)
    rows = system_rows(examples)
    dev = np.array([hashes_below(example.question, 0.2) for example in examples])
    for metric, scores in score_examples(examples, metrics, batch=256).scores.items():
        tuned = np.concatenate([each[dev[each]] for each in rows.values()])
        names = [name for name, each in rows.items() for _ in each[dev[each]]]
        threshold = rate_threshold(scores[tuned], judged[tuned], names)
        for split, chosen in (("dev", dev), ("test", ~dev)):
            parts = {name: each[chosen[each]] for name, each in rows.items()}
            yield Estimate(
                split,
                metric,
                {name: float((scores[part] >= threshold).mean()) for name, part in parts.items()},
                {name: float(judged[part].mean()) for name, part in parts.items()},
            )


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
    questions, right = overfitted_choices([peers(given), "ava"])
    return [{"chooses": name, "questions": questions, "right": share} for name, share in right.items()]


def overfitted_choices(metrics: Sequence[str]) -> tuple[int, dict[str, float]]:
    """Return how many questions there are, and for which share of them each choice is right.

    Choices are those of BM25, of a reranker that is fitted to one known sentence per question, and of metrics that take
    this sentence for the reference.
    """
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
    scored |= score_examples(examples, metrics, batch=256).scores
    for name, scores in scored.items():
        parts = np.split(scores, ends)
        choices[name] = [pools[n][int(np.argmax(part))] for n, part in zip(usable, parts, strict=True)]
    return len(usable), {
        name: float(np.mean([text in asked[n].right for n, text in zip(usable, chosen, strict=True)]))
        for name, chosen in choices.items()
    }


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

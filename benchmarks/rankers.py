"""How close a judge comes to the true quality of answer selection systems, as in the AVA paper's Tables 5 and 7.

    python benchmarks/rankers.py [--metric SPEC…] [--transfer N] [--json FILE]

Eleven rankers order the sentences of each WikiQA and TREC-QA question: BM25, shared words with and without rarity,
cosines of mean embeddings from two layers, three classifiers of growing size, and the paper's kinds, Compare-Aggregate,
a transformer, and one after TANDA: tuned on ASNQ-like pairs from SQuAD first. All but the first five are trained on the
training sets; `neural_rankers.py` has the last three, which take some minutes on two cores. Their P@1, MAP and MRR are
calculated once with the true labels and once with the judge's calls. The judge's references are the other right
sentences of the question, with the mean of their scores (`refs=mean`, as in the paper). Its threshold is the one at
which the rankers' P@1 on the dev set come closest to the truth. Questions need two right sentences and a wrong one.
Kendall's tau is over the rankers.
"""

import argparse
import json
import os
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

import neural_rankers
from neural_rankers import Pairs, drawn, transfer_pairs
from qassay.arrays import Bools, Floats
from qassay.io.readers.datasets.answer_selection import QuestionSentences, read_selection
from qassay.io.source import Source
from qassay.meta.accuracy.classification import rate_threshold
from qassay.meta.ranking.rankings import rank_candidates, system_agreement
from qassay.models.load import load_encoder
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.text.tokenisers.tokenise import word

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILES = {
    "TREC-QA": ("train/trecqa/TRAIN.xml", "train/trecqa/DEV.xml", "bench/trecqa/TEST.xml"),
    "WikiQA": ("train/wikiqa/WikiQA-train.tsv", "train/wikiqa/WikiQA-dev.tsv", "bench/wikiqa/WikiQA-test.tsv"),
}
METRICS = ("token_f1", "ava,kind=linear,refs=mean", "ava,kind=a2,refs=mean", "ava,refs=mean")
MEASURES = ("P@1", "MAP", "MRR")
LAYERS = (1, 4)


Ranker = Callable[[Pairs], Floats]
words = cache(word)
"""The tokens of a text; each sentence is ranked for many questions."""
WRONG = 8
"""Wrong sentences of a question on which the neural rankers are trained."""
TRANSFER = 6000
"""Pairs from SQuAD that the last ranker is tuned on first."""


def sentences(selections: Sequence[QuestionSentences]) -> Pairs:
    """Lay the sentences of all questions out, each distinct sentence of a question once."""
    rows = [
        (each.question, text, right)
        for each in selections
        for right, texts in ((True, each.right), (False, each.wrong))
        for text in dict.fromkeys(texts)
    ]
    return Pairs([row[0] for row in rows], [row[1] for row in rows], np.array([row[2] for row in rows], bool))


def usable(selections: Sequence[QuestionSentences]) -> list[QuestionSentences]:
    """Keep questions that a judge can be asked about: two right sentences, one wrong."""
    return [each for each in selections if len(set(each.right)) > 1 and each.wrong]


def bm25(training: Pairs, k: float = 1.2, b: float = 0.75) -> Ranker:
    """Rank by BM25, with frequencies of the training sentences."""
    documents = [words(text) for text in dict.fromkeys(training.text)]
    frequency = Counter(token for document in documents for token in set(document))
    mean = sum(map(len, documents)) / len(documents)

    def rank(candidates: Pairs) -> Floats:
        scores = []
        for question, text in zip(candidates.question, candidates.text, strict=True):
            counts, length = Counter(words(text)), len(words(text))
            score = 0.0
            for token in set(words(question)) & set(counts):
                rarity = np.log(1 + (len(documents) - frequency[token] + 0.5) / (frequency[token] + 0.5))
                score += rarity * counts[token] * (k + 1) / (counts[token] + k * (1 - b + b * length / mean))
            scores.append(score)
        return np.array(scores)

    return rank


def shared_words(training: Pairs | None) -> Ranker:
    """Rank by the question's words that the sentence has, rare ones first where training sentences are given."""
    documents = [set(words(text)) for text in dict.fromkeys(training.text)] if training else []
    frequency = Counter(token for document in documents for token in document)

    def rank(candidates: Pairs) -> Floats:
        return np.array(
            [
                sum(
                    np.log((1 + len(documents)) / (1 + frequency[token])) if training else 1.0
                    for token in set(words(question)) & set(words(text))
                )
                for question, text in zip(candidates.question, candidates.text, strict=True)
            ]
        )

    return rank


_EMBEDDED: defaultdict[int, dict[str, Floats]] = defaultdict(dict)
"""Mean embeddings by layer and text."""


def pooled(texts: Sequence[str], layer: int) -> Floats:
    """Return the mean embedding of each text, of length 1; a text is encoded once, however many rankers read it."""
    made = _EMBEDDED[layer]
    distinct = [text for text in dict.fromkeys(texts) if text not in made]
    for start in range(0, len(distinct), 512):
        some = distinct[start : start + 512]
        for text, each in zip(some, load_encoder().encode(some, layer), strict=True):
            mean = each.vectors.mean(axis=0).astype(np.float64)
            made[text] = mean / np.linalg.norm(mean)
    return np.stack([made[text] for text in texts])


def cosine(layer: int) -> Ranker:
    """Rank by the cosine of mean embeddings."""
    return lambda candidates: np.asarray(
        (pooled(candidates.question, layer) * pooled(candidates.text, layer)).sum(axis=1), np.float64
    )


def compared(candidates: Pairs, rankers: Sequence[Ranker]) -> Floats:
    """Describe each sentence beside its question: product and distance of embeddings, and other rankers' scores."""
    question, text = (pooled(texts, LAYERS[-1]) for texts in (candidates.question, candidates.text))
    return np.column_stack(
        [question * text * 100, np.abs(question - text) * 10, *(rank(candidates) for rank in rankers)]
    )


def trained(training: Pairs, rankers: Sequence[Ranker], hidden: int) -> Ranker:
    """Train a classifier on `compared`: logistic, or with one hidden layer."""
    model = (
        MLPClassifier((hidden,), alpha=1.0, max_iter=30, random_state=0)
        if hidden
        else LogisticRegression(C=0.01, max_iter=500)
    )
    features = compared(training, rankers)
    centre, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit((features - centre) / scale, training.right)

    def rank(candidates: Pairs) -> Floats:
        return np.asarray(model.predict_proba((compared(candidates, rankers) - centre) / scale)[:, 1], np.float64)

    return rank


def neural(training: Pairs, transfer: int) -> dict[str, Ranker]:
    """Train the paper's kinds of rankers."""
    rng = np.random.default_rng(0)
    few = drawn(training, WRONG, rng)
    other = transfer_pairs(DATA / "train/squad/dev-v1.1.json", transfer, rng)
    return {
        "compare-aggregate": neural_rankers.compare_aggregate(few),
        "transformer": neural_rankers.transformer((few, 3)),
        "TANDA": neural_rankers.transformer((other, 1), (few, 2)),
    }


def rankers_from(training: Pairs, transfer: int = TRANSFER) -> dict[str, Ranker]:
    """Make the systems; without pairs to transfer from the first eight alone."""
    lexical = {"BM25": bm25(training), "overlap": shared_words(None), "overlap, rare": shared_words(training)}
    cosines = {f"cosine, layer {layer}": cosine(layer) for layer in LAYERS}
    base = [*lexical.values(), *cosines.values()]
    learned = {
        name: trained(training, base, hidden)
        for name, hidden in (("logistic", 0), ("hidden 16", 16), ("hidden 256", 256))
    }
    return {**lexical, **cosines, **learned, **(neural(training, transfer) if transfer else {})}


def judged(candidates: Pairs, selections: Sequence[QuestionSentences], metrics: Sequence[str]) -> dict[str, Floats]:
    """Score every sentence against the other right sentences of its question."""
    right = {each.question: each.right for each in selections}
    examples = [
        Example(
            str(i),
            question,
            tuple(Reference(other) for other in dict.fromkeys(right[question]) if other != text),
            text,
        )
        for i, (question, text) in enumerate(zip(candidates.question, candidates.text, strict=True))
    ]
    return dict(score_examples(examples, metrics, batch=128).scores)


def measures(candidates: Pairs, scores: Floats, right: Bools) -> tuple[float, float, float]:
    """Return P@1, MAP and MRR; a question without a right sentence counts as 0."""
    found = rank_candidates(candidates.question, scores, right.astype(float), keep_without_correct=True)
    return found.p_at_1 or 0.0, found.map or 0.0, found.mrr or 0.0


def top_ones(candidates: Pairs, scores: Floats) -> list[int]:
    """Find the sentence that is ranked first of each question."""
    best: dict[str, int] = {}
    for i, question in enumerate(candidates.question):
        if question not in best or scores[i] > scores[best[question]]:
            best[question] = i
    return list(best.values())


def threshold_on(candidates: Pairs, ranked: dict[str, Floats], scores: Floats) -> float:
    """Tune the threshold so that the rankers' P@1 on dev are closest to the truth."""
    tops = {name: top_ones(candidates, values) for name, values in ranked.items()}
    index = [i for rows in tops.values() for i in rows]
    names = [name for name, rows in tops.items() for _ in rows]
    return rate_threshold(scores[index], candidates.right[index].astype(float), names)


def run(name: str, metrics: Sequence[str], transfer: int = TRANSFER) -> list[dict[str, object]]:
    """Measure one data set."""
    training, *others = ([*read_selection(Source.at(DATA / path))] for path in FILES[name])
    rankers = rankers_from(sentences(training), transfer)
    lines: list[dict[str, object]] = []
    thresholds: dict[str, float] = {}
    for split, everything in zip(("dev", "test"), others, strict=True):
        selections = usable(everything)
        candidates = sentences(selections)
        ranked = {ranker: rank(candidates) for ranker, rank in rankers.items()}
        true = {ranker: measures(candidates, values, candidates.right) for ranker, values in ranked.items()}
        print(f"\n{name} {split}: {len(selections)} questions, {len(candidates.text)} sentences")
        print("  gold            " + "  ".join(f"{ranker} {_three(true[ranker])}" for ranker in ranked))
        for metric, scores in judged(candidates, selections, metrics).items():
            if split == "dev":
                thresholds[metric] = threshold_on(candidates, ranked, scores)
            called = scores >= thresholds[metric]
            estimated = {ranker: measures(candidates, values, called) for ranker, values in ranked.items()}
            print(f"  {metric:15s} " + "  ".join(f"{ranker} {_three(estimated[ranker])}" for ranker in ranked))
            for place, measure in enumerate(MEASURES):
                found = system_agreement(
                    [each[place] for each in estimated.values()], [each[place] for each in true.values()]
                )
                print(
                    f"    {measure:4s} RMSE {found.rmse or 0:.3f} ± {found.sigma or 0:.3f}  "
                    f"tau {_shown(found.kendall)} (p {_shown(found.kendall_p)})"
                )
                lines.append(
                    {
                        "set": f"{name}-{split}",
                        "metric": metric,
                        "measure": measure,
                        "threshold": thresholds[metric],
                        "rmse": found.rmse,
                        "sigma": found.sigma,
                        "tau": found.kendall,
                        "p": found.kendall_p,
                        "estimated": {ranker: each[place] for ranker, each in estimated.items()},
                        "true": {ranker: each[place] for ranker, each in true.items()},
                    }
                )
    return lines


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _three(values: tuple[float, float, float]) -> str:
    return "/".join(f"{value:.3f}"[1:] if value < 1 else "1.0" for value in values)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metric", action="append", help="a judge's spec; by default AVA's, embedded and linear")
    parser.add_argument(
        "--transfer",
        type=int,
        default=TRANSFER,
        help="pairs from SQuAD to transfer from; 0 for the eight small rankers",
    )
    parser.add_argument("--json", type=Path, help="write all lines to this file")
    given = parser.parse_args()
    lines = [line for name in FILES for line in run(name, given.metric or METRICS, given.transfer)]
    if given.json:
        given.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

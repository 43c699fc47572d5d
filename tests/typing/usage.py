"""Every workflow as a typed program calls it; mypy checks this file, nothing runs it."""

# ruff: noqa: T201, TC002 - a program of a user's

from pathlib import Path
from typing import Any

import pandas as pd

import qassay

ROWS = [{"id": "q1", "references": ["Mary Shelley"], "candidate": "Shelley", "judgement": 1.0}]


class Counter:
    """Progress of one's own."""

    def begin(self, what: str, total: int | None) -> None:
        """Print what begins."""
        print(what, total)

    def advance(self, done: int, total: int | None) -> None:
        """Print how far it is."""
        print(done, total)


def score_rows() -> float | None:
    table: qassay.ScoreResult = qassay.score(ROWS, ["token_f1"], on_error="skip", progress=Counter())
    frame: pd.DataFrame = table.to_pandas()
    page: Path = table.report("scores.html")
    values: list[float] = table["token_f1"].tolist()
    print(frame, page, values)
    return table.aggregate("token_f1").value


def score_files() -> dict[str, Any]:
    with qassay.score(["a.jsonl", Path("b.jsonl")], "ava", output="out.csv", resume=True, workers=2) as stored:
        rows: list[dict[str, Any]] = list(stored.rows())
        print(rows, stored.examples)
    one: qassay.StoredScores = qassay.score("a.jsonl")
    return one.to_dict()


def other_workflows() -> list[dict[str, Any]]:
    ranked: qassay.RankResult = qassay.rank(ROWS, "token_f1", output="run.trec")
    compared: qassay.ComparisonResult = qassay.compare("answers.jsonl", ["ava"], draws=200)
    correlated: qassay.CorrelationResult = qassay.correlate(ROWS, "rouge_l", level="system", coefficient=["kendall"])
    agreed: qassay.AgreementResult = qassay.agree("ratings.csv", measurement="ordinal", scale=(1, 5))
    estimated: qassay.AccuracyResult = qassay.accuracy(ROWS, labels="labels.csv", choose=10, output="next.csv")
    judged: qassay.JudgeResult = qassay.judge(ROWS, "m", endpoint="http://localhost/v1", doubt=(0.2, 0.8), price=(1, 2))
    verified: qassay.VerificationResult = qassay.verify([{"answer": "a", "prediction": "b"}], ["token_f1"])
    pairs: qassay.StoredVerification = qassay.verify("pairs.jsonl")
    summaries: qassay.SummaryTable = qassay.score_summaries([{"summary": "a", "references": ["b"]}], ["rouge_l"])
    files: qassay.StoredSummaries = qassay.score_summaries(Path("summaries.jsonl"), models=qassay.Models())
    explained: qassay.ExplanationResult = qassay.explain(references=["a"], candidate="b", metrics="token_f1")
    results = [ranked, compared, correlated, agreed, estimated, judged, verified, pairs, summaries, files, explained]
    return [each.to_dict() for each in results]


def one_metric() -> dict[str, Any]:
    metric: qassay.LoadedMetric = qassay.load("bleu,n=1")
    return metric.compute(candidates=["a"], references=[["a", "b"]], questions=["what?"])

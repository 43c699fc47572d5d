"""Answers that people judged or rated: EfficientQA, SAS, ratings of SQuAD answers, SemEval-2013's student answers."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import msgspec

from qassay.training.files import read_archive, read_csv, read_json_lines


class JudgedAnswer(NamedTuple):
    """An answer with the references it was held against, and how right it is, from 0 to 1."""

    question: str
    references: tuple[str, ...]
    answer: str
    label: float


class _Efficient(msgspec.Struct):
    question: str
    answer: list[str]
    def_correct_predictions: list[str] = []
    poss_correct_predictions: list[str] = []
    def_incorrect_predictions: list[str] = []


def read_efficientqa(path: Path) -> Iterator[JudgedAnswer]:
    """Yield EfficientQA predictions that people judged definitely right (1), possibly right (.5) or wrong (0)."""
    for entry in read_json_lines(path, _Efficient):
        labelled = (
            (entry.def_correct_predictions, 1.0),
            (entry.poss_correct_predictions, 0.5),
            (entry.def_incorrect_predictions, 0.0),
        )
        for predictions, label in labelled:
            for prediction in predictions:
                yield JudgedAnswer(entry.question, tuple(entry.answer), prediction, label)


def read_sas(path: Path) -> Iterator[JudgedAnswer]:
    """Yield pairs of short answers rated 0, 1 or 2 for similarity (SAS); its SQuAD part has no questions."""
    for row in read_csv(path):
        if row["answer1"] and row["answer2"]:
            yield JudgedAnswer(row.get("question", ""), (row["answer1"],), row["answer2"], float(row["label"]) / 2)


def read_squad_ratings(path: Path) -> Iterator[JudgedAnswer]:
    """Yield a model's SQuAD answers rated 0 to 5 by one person."""
    for row in read_csv(path, "\t"):
        listed = ast.literal_eval(row["gold_answers"] or "[]")
        references = tuple(dict.fromkeys(text for text in listed if text.strip()))
        if references and (row["model_answer"] or "").strip():
            yield JudgedAnswer(row["question"], references, row["model_answer"], float(row["avg_score"]) / 5)


def read_semeval(path: Path, corpus: str) -> Iterator[JudgedAnswer]:
    """Yield students' answers marked correct or not (SemEval-2013 task 7: beetle, sciEntsBank)."""
    folder = f"/3way/{corpus}/"
    files = read_archive(
        path, lambda name: folder in f"/{name}" and name.endswith(".xml"), f"SemEval-2013's archive with {corpus} in it"
    )
    for text in files:
        root = ET.fromstring(text)  # noqa: S314 - data set files that the user names
        question = (root.findtext("questionText") or "").strip()
        references = tuple(node.text.strip() for node in root.iter("referenceAnswer") if node.text)
        for node in root.iter("studentAnswer"):
            if node.text and node.text.strip() and references:
                yield JudgedAnswer(question, references, node.text.strip(), float(node.get("accuracy") == "correct"))

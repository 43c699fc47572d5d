"""Answers with a label of their correctness, from people or by construction: what weights are tuned and chosen on."""

import ast
import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.training.answer_text import find_phrase
from qassay.training.held_back import held_back
from qassay.training.keyphrase.rows import question_key, words
from qassay.training.source_files import read_json, read_json_lines, read_text
from qassay.training.source_rows import AnswerSentences, BoolQ

_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
_SENTENCE_WORDS = 5
WITHOUT_LICENCE = frozenset({"boolq", "multirc", "qadialog"})
"""Sources of `judged_sources` that state no licence."""


class JudgedPair(msgspec.Struct, frozen=True):
    """A candidate answer, what it is held against, and how right it is, from 0 to 1."""

    question: str
    references: tuple[str, ...]
    candidate: str
    label: float
    source: str

    @property
    def group(self) -> str:
        """Return the key that keeps all answers to one question together."""
        return question_key(self.question)


def judged_sources(folder: Path, rng: np.random.Generator) -> dict[str, Iterator[JudgedPair]]:
    """List the labelled sources among the public training sets, by name, without the held-back questions."""
    return {
        "evouna": _for_training(evouna(folder / "evouna/NQ.json")),
        "evouna_sentences": _for_training(evouna_sentences(folder / "evouna/NQ.json")),
        "efficientqa": efficientqa(folder / "nq_open/NQ-open.efficientqa.test.1.1.jsonl"),
        "sas": sas(folder / "sas/nq_open_corrected_and_augmented.csv"),
        "squad_mturk": squad_mturk(folder / "squad_mturk/mturk_round_1.tsv"),
        "beetle": student_answers(folder / "semeval2013/semeval-3way.zip", "beetle"),
        "sciEntsBank": student_answers(folder / "semeval2013/semeval-3way.zip", "sciEntsBank"),
        "multirc": multirc(folder / "multirc/train.jsonl"),
        "qadialog": swapped_sentences(folder / "qadialog/qa_to_sentence.jsonl", rng),
        "boolq": yes_no_answers(folder / "boolq/dev.jsonl", rng),
    }


def _for_training(pairs: Iterator[JudgedPair]) -> Iterator[JudgedPair]:
    return (pair for pair in pairs if not held_back(pair.question))


def _evouna_entries(path: Path) -> Iterator[tuple[str, list[str], list[tuple[str, str, bool]]]]:
    for entry in read_json(path, list[dict[str, object]]):
        if entry.get("improper"):
            continue
        judged = [
            (system, str(entry[f"answer_{system}"]), bool(entry[f"judge_{system}"]))
            for system in _SYSTEMS
            if entry.get(f"judge_{system}") is not None and entry.get(f"answer_{system}")
        ]
        accepted = [part.strip() for part in str(entry["golden_answer"]).split("/") if part.strip()]
        if accepted:
            yield str(entry["question"]), accepted, judged


def evouna(path: Path) -> Iterator[JudgedPair]:
    """Systems' answers against short references, judged by a person (EVOUNA)."""
    for question, accepted, judged in _evouna_entries(path):
        for _, answer, right in judged:
            yield JudgedPair(question, tuple(accepted), answer, float(right), "evouna")


def evouna_sentences(path: Path) -> Iterator[JudgedPair]:
    """Two systems' sentences: the first judged right stands as the reference of the other, with its verdict."""
    for question, _, judged in _evouna_entries(path):
        sentences = [entry for entry in judged if len(words(entry[1])) >= _SENTENCE_WORDS]
        trusted = next((entry for entry in sentences if entry[2]), None)
        if trusted is None:
            continue
        for system, answer, right in sentences:
            if system != trusted[0] and answer != trusted[1]:
                yield JudgedPair(question, (trusted[1],), answer, float(right), "evouna_sentences")


class _Efficient(msgspec.Struct):
    question: str
    answer: list[str]
    def_correct_predictions: list[str] = []
    poss_correct_predictions: list[str] = []
    def_incorrect_predictions: list[str] = []


def efficientqa(path: Path) -> Iterator[JudgedPair]:
    """EfficientQA predictions that people judged definitely right (1), possibly right (.5) or wrong (0)."""
    for entry in read_json_lines(path, _Efficient):
        labelled = (
            (entry.def_correct_predictions, 1.0),
            (entry.poss_correct_predictions, 0.5),
            (entry.def_incorrect_predictions, 0.0),
        )
        for predictions, label in labelled:
            for prediction in predictions:
                yield JudgedPair(entry.question, tuple(entry.answer), prediction, label, "efficientqa")


def sas(path: Path) -> Iterator[JudgedPair]:
    """Pairs of short answers rated 0, 1 or 2 for similarity (SAS, NQ-open part with questions)."""
    for row in csv.DictReader(io.StringIO(read_text(path))):
        if row["question"] and row["answer1"] and row["answer2"]:
            yield JudgedPair(row["question"], (row["answer1"],), row["answer2"], float(row["label"]) / 2, "sas")


def squad_mturk(path: Path) -> Iterator[JudgedPair]:
    """A model's SQuAD answers rated 0 to 5 by one person."""
    for row in csv.DictReader(io.StringIO(read_text(path)), delimiter="\t"):
        listed = ast.literal_eval(row["gold_answers"] or "[]")
        references = tuple(dict.fromkeys(text for text in listed if text.strip()))
        if references and (row["model_answer"] or "").strip():
            label = float(row["avg_score"]) / 5
            yield JudgedPair(row["question"], references, row["model_answer"], label, "squad_mturk")


def student_answers(path: Path, corpus: str) -> Iterator[JudgedPair]:
    """Students' answers marked correct or not (SemEval-2013 task 7: Beetle, SciEntsBank)."""
    for text in _archived(path, f"/3way/{corpus}/"):
        root = ET.fromstring(text)  # noqa: S314 - data set files that the user names
        question = (root.findtext("questionText") or "").strip()
        references = tuple(node.text.strip() for node in root.iter("referenceAnswer") if node.text)
        for node in root.iter("studentAnswer"):
            if node.text and node.text.strip() and references:
                label = float(node.get("accuracy") == "correct")
                yield JudgedPair(question, references, node.text.strip(), label, corpus)


def _archived(path: Path, folder: str) -> list[bytes]:
    """Read the XML files of one folder of an archive, in the order of their names."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if folder in f"/{name}" and name.endswith(".xml"))
            return [archive.read(name) for name in names]
    except FileNotFoundError as missing:
        raise DataError("there is no such file", path) from missing
    except zipfile.BadZipFile as problem:
        raise DataError(f"not a ZIP archive: {problem}", path) from problem


class _Option(msgspec.Struct):
    text: str
    label: int = -1


class _Question(msgspec.Struct):
    question: str
    answers: list[_Option]


class _Passage(msgspec.Struct):
    questions: list[_Question]


class _MultiRC(msgspec.Struct):
    passage: _Passage


def multirc(path: Path) -> Iterator[JudgedPair]:
    """MultiRC: the first right option is the reference, the others are right or wrong against it."""
    for entry in read_json_lines(path, _MultiRC):
        for asked in entry.passage.questions:
            first = next((option for option in asked.answers if option.label == 1), None)
            for option in asked.answers if first else ():
                if first and option is not first and option.text.strip():
                    yield JudgedPair(asked.question, (first.text,), option.text, float(option.label), "multirc")


def swapped_sentences(path: Path, rng: np.random.Generator) -> Iterator[JudgedPair]:
    """Answer sentences against each other: another wording (1), or a sentence with another question's answer (0).

    The swapped-in answer comes from a question that opens with the same word, so that the kinds agree.
    """
    entries = [entry for entry in read_json_lines(path, AnswerSentences) if entry.sentences]
    alike: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        alike[_opening(entry.question)].append(entry.answer)
    for entry in entries:
        holding = [written.sentence for written in entry.sentences if find_phrase(written.sentence, entry.answer)]
        if not holding:
            continue
        reference = holding[0]
        for other in holding[1:]:
            yield JudgedPair(entry.question, (reference,), other, 1.0, "qadialog")
        options = alike[_opening(entry.question)]
        wrong = options[int(rng.integers(len(options)))]
        if question_key(wrong) != question_key(entry.answer):
            changed = holding[int(rng.integers(len(holding)))]
            start, end = find_phrase(changed, entry.answer)[0]
            swapped = changed[:start] + wrong + changed[end:]
            yield JudgedPair(entry.question, (reference,), swapped, 0.0, "qadialog")


def _opening(question: str) -> str:
    found = words(question)
    return found[0][0] if found else ""


_YES_NO_FORMS: tuple[Callable[[str], str], ...] = (
    lambda word: word,
    lambda word: "yes, it is" if word == "yes" else "no, it is not",
    lambda word: "yes, i think so" if word == "yes" else "no, i don't think so",
    lambda word: "yes, that is right" if word == "yes" else "no, that is not right",
    lambda word: "i believe so, yes" if word == "yes" else "not at all, no",
)


def yes_no_answers(path: Path, rng: np.random.Generator) -> Iterator[JudgedPair]:
    """Yes-no answers in two wordings: the same opinion (1) or the opposite one (0)."""
    for entry in read_json_lines(path, BoolQ):
        word, opposite = ("yes", "no") if entry.answer else ("no", "yes")
        first, second, third = rng.permutation(len(_YES_NO_FORMS))[:3]
        reference = _YES_NO_FORMS[first](word)
        yield JudgedPair(entry.question, (reference,), _YES_NO_FORMS[second](word), 1.0, "boolq")
        yield JudgedPair(entry.question, (reference,), _YES_NO_FORMS[third](opposite), 0.0, "boolq")

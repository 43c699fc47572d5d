"""Real answers with their references, on which the metrics are held against independent implementations."""

import csv
import json
from dataclasses import replace
from functools import cache

from answers import answer
from shared import bench, train


@cache
def kpqa(name):
    """Read one of KPQA's human-judged sets: `marco_all` (1,000), `avsd_all` (1,000, six references each)."""
    with bench(f"kpqa_human/{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [key for key in rows[0] if key.startswith("reference")]
    return [
        answer(row["answer"], *(row[key] for key in columns if row[key]), id=str(i), judgement=float(row["scores"]))
        for i, row in enumerate(rows)
    ]


@cache
def dureader():
    """Take, for each question of DuReader's demo, what a reader could answer against what people answered.

    Candidates are the most related paragraph of every document and the machine-made `fake_answers`.
    """
    found = []
    for part in ("dev", "train"):
        for line in bench(f"dureader/search.{part}.json").read_bytes().splitlines():
            question = json.loads(line)
            paragraphs = [each["paragraphs"][each["most_related_para"]] for each in question["documents"]]
            references = [text for text in question["answers"] if text.strip()]
            entities = tuple(dict.fromkeys(each for listed in question.get("entity_answers", ()) for each in listed))
            candidates = [text for text in [*paragraphs, *question["fake_answers"]] if text.strip() and references]
            found += [
                answer(
                    text, *references, id=f"{part}-{len(found)}-{i}", question=question["question"], entities=entities
                )
                for i, text in enumerate(candidates)
            ]
    return found


@cache
def squad_answers():
    """Take the answers of the BERT ensemble to SQuAD 1.1, which are short and have up to six references."""
    predictions = json.loads(train("squad/predictions/1.1_BERT.json").read_text(encoding="utf-8"))
    articles = json.loads(train("squad/dev-v1.1.json").read_text(encoding="utf-8"))["data"]
    questions = [question for article in articles for passage in article["paragraphs"] for question in passage["qas"]]
    return [
        answer(predictions[each["id"]], *(gold["text"] for gold in each["answers"]), id=each["id"])
        for each in questions
        if predictions.get(each["id"])
    ]


def one_by_one(examples):
    """Pair every candidate with each of its references alone."""
    return [replace(each, references=(reference,)) for each in examples for reference in each.references]

"""Readers of judged answers and makers of composed ones, on the published files and on small ones."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.training.judge import composed as composed_rows
from qassay.training.judge import judged as judged_rows
from qassay.training.keyphrase.rows import KeyphraseRow
from shared import train

READERS = [
    (judged_rows.evouna, "evouna/NQ.json"),
    (judged_rows.evouna_sentences, "evouna/NQ.json"),
    (judged_rows.efficientqa, "nq_open/NQ-open.efficientqa.test.1.1.jsonl"),
    (judged_rows.sas, "sas/nq_open_corrected_and_augmented.csv"),
    (judged_rows.sas_squad, "sas/SQuAD_SAS.csv"),
    (judged_rows.sci_ents_bank, "semeval2013/semeval-3way.zip"),
    (judged_rows.beetle, "semeval2013/semeval-3way.zip"),
    (judged_rows.squad_predictions, "squad/dev-v1.1.json"),
    (judged_rows.squad_annotators, "squad/dev-v1.1.json"),
    (judged_rows.multirc, "multirc/val.jsonl"),
    (composed_rows.qed_spans, "qed/qed-dev.jsonlines"),
    (composed_rows.trec_spans, "trecqa/DEV.xml"),
    (composed_rows.qadialog, "qadialog/qa_to_sentence.jsonl"),
    (composed_rows.qadialog_spans, "qadialog/qa_to_sentence.jsonl"),
    (composed_rows.mcscript, "mcscript/train-data.xml"),
    (composed_rows.narrativeqa, "narrativeqa/train_references.jsonl"),
    (composed_rows.msmarco, "msmarco/dev_as_references.json"),
    (composed_rows.boolq, "boolq/dev.jsonl"),
    (composed_rows.pubmedqa, "pubmedqa/ori_pqal.json"),
    (composed_rows.quoref_contrast, "contrast_sets/quoref_test_perturbations_20191206_merged.json"),
    (composed_rows.wikiqa, "wikiqa/WikiQA-dev.tsv"),
]


@pytest.mark.parametrize(("reader", "path"), READERS, ids=[f"{path}-{n}" for n, (_, path) in enumerate(READERS)])
def test_published_files_give_usable_rows(reader, path: str):
    """Every row of a published file has references, a candidate, a label between 0 and 1 and a group."""
    rows = list(reader(train(path), np.random.default_rng(0)))

    assert len(rows) > 100
    assert all(row.references and row.group and row.source and 0 <= row.label <= 1 for row in rows)


def test_evouna_keeps_every_verdict_on_proper_questions():
    """3,019 proper questions with five systems; 15,095 answers have a verdict and a text."""
    rows = list(judged_rows.evouna(train("evouna/NQ.json"), np.random.default_rng(0)))

    # Counted with a plain script over the published file: improper questions, nulls and empty answers left out.
    assert (len({row.question for row in rows}), len(rows)) == (3019, 15095)


def test_sentences_are_held_against_sentences_judged_right():
    """At most six pairs a question, and never a sentence against itself."""
    rows = list(judged_rows.evouna_sentences(train("evouna/NQ.json"), np.random.default_rng(0)))

    assert max(Counter(row.question for row in rows).values()) <= 6
    assert not any(row.candidate in row.references for row in rows)


def test_ratings_of_pairs_hold_in_both_directions():
    """SAS rates likeness, which does not depend on which answer is the reference."""
    first, second = list(judged_rows.sas_squad(train("sas/SQuAD_SAS.csv"), np.random.default_rng(0)))[:2]

    assert (first.references, second.references) == ((second.candidate,), (first.candidate,))
    assert first.label == second.label


def test_a_predictions_label_grows_with_its_overlap(tmp_path: Path):
    """An answer of another wording is rated by its token F1 as people rate such pairs."""
    answers = [{"text": "the red car", "answer_start": 0}]
    question = {"id": "1", "question": "which car?", "answers": answers}
    data = {"data": [{"paragraphs": [{"context": "the red car won", "qas": [question]}]}]}
    (tmp_path / "predictions").mkdir()
    (tmp_path / "dev-v1.1.json").write_text(json.dumps(data))
    (tmp_path / "predictions/1.1_a.json").write_text(json.dumps({"1": "a red car indeed"}))
    (tmp_path / "predictions/1.1_b.json").write_text(json.dumps({"1": "boat"}))

    rows = list(judged_rows.squad_predictions(tmp_path / "dev-v1.1.json", np.random.default_rng(0)))

    # Token F1 is 2·2/(2+3) = 0.8, which people rate .76; no overlap is rated .1.
    assert [(row.candidate, row.label) for row in rows] == [("a red car indeed", 0.76), ("boat", 0.1)]
    assert rows[0].context == "the red car won"


def test_a_swapped_answer_is_of_the_same_kind_and_wrong():
    """The span is exchanged for another answer to the same kind of question, and the result counts as wrong."""
    spans = [
        KeyphraseRow("who won it", "Anna won the race", ((0, 4),), "s", "1"),
        KeyphraseRow("who lost it", "the race was lost by Boris", ((21, 26),), "s", "2"),
        KeyphraseRow("when was it", "it was in 1990", ((10, 14),), "s", "3"),
    ]

    rows = list(composed_rows.spans_swapped(spans, "made", np.random.default_rng(0)))

    wrong = [row for row in rows if row.label == 0]
    assert {row.question for row in wrong} == {"who won it", "who lost it"}
    assert all("1990" not in row.candidate for row in wrong)


def test_another_number_takes_the_place_of_one():
    """A text with a number is changed in that number; a text without one is not changed."""
    rng = np.random.default_rng(0)

    assert composed_rows.renumbered("it costs $306 a day", ["306", "12"], rng) == "it costs $12 a day"
    assert composed_rows.renumbered("it costs nothing", ["12"], rng) is None


def test_opposite_opinions_are_wrong():
    """A yes-no question gives one pair of the same opinion and one of opposite ones."""
    rng = np.random.default_rng(0)

    same, opposite = composed_rows.yes_no_pairs("is it red", yes=True, passage="It is red.", source="s", rng=rng)

    assert (same.label, opposite.label) == (1.0, 0.0)
    assert same.references == opposite.references


def test_the_original_questions_must_lie_beside_the_perturbed_ones(tmp_path: Path):
    """Contrast sets are read together with what they contrast with."""
    path = tmp_path / "quoref_test.json"
    path.write_text('{"data": []}')

    with pytest.raises(DataError, match="original questions"):
        list(composed_rows.quoref_contrast(path, np.random.default_rng(0)))

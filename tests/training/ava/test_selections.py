"""The questions that AVA's embedded models are trained on, from the public training sets."""

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from qassay.training.answer_text import content_words, question_key
from qassay.training.ava.selections import (
    AvaData,
    build_recipe,
    qed,
    squad_elsewhere,
    squad_sentences,
    trec_short,
)
from qassay.training.corpora import evouna
from qassay.training.splits import DEV, TRAIN, held_back
from shared import train

HELD_OUT = "who is the owner of reading football club"


@pytest.fixture(scope="module")
def built() -> AvaData:
    folder = train("evouna/NQ.json").parents[1]
    return build_recipe(folder, rng=np.random.default_rng(0), held_out=[HELD_OUT])


def keys(data: AvaData, side: str, *sources: str) -> set[str]:
    return {question_key(row.question) for row in data.sides[side] if not sources or row.source in sources}


def test_no_question_stands_on_both_sides(built: AvaData):
    """Also across sources: what TREC-QA and WikiQA keep for development, no other set trains on."""
    assert not keys(built, TRAIN) & keys(built, DEV)


def test_held_back_and_evaluation_questions_give_no_pairs(built: AvaData):
    """Neither the Natural Questions of the final test nor those of an evaluation file."""
    natural = keys(built, TRAIN, "evouna", "evouna_sentences", "qed", "efficientqa") | keys(built, DEV, "evouna", "qed")
    known = {question_key(row.question) for row in evouna.read(train("evouna/NQ.json")) if held_back(row.question)}

    assert not natural & known
    assert question_key(HELD_OUT) not in keys(built, TRAIN) | keys(built, DEV)
    assert built.met == {question_key(HELD_OUT)}


def test_development_sets_give_all_their_pairs(built: AvaData):
    """TREC-QA's 950 positives and 4,284 negatives (`test_pairs`)."""
    labels = Counter(row.label for row in built.sides[DEV] if row.source == "trec_dev")

    assert labels == {1: 950, 0: 4284}


def test_what_is_written_tells_its_sources(built: AvaData, tmp_path: Path):
    """Files with checksums and licences, and how many rows each source gives."""
    built.write(tmp_path)

    assert {path.name for path in tmp_path.iterdir()} == {"train.jsonl", "dev.jsonl", "sources.json"}
    assert '"licence": "Apache-2.0"' in (tmp_path / "sources.json").read_text()
    assert built.counts()["trec"]["dev"] == 0


def test_sets_without_a_licence_can_be_left_out():
    """Then neither TREC-QA nor MultiRC gives a pair."""
    folder = train("evouna/NQ.json").parents[1]

    data = build_recipe(folder, rng=np.random.default_rng(0), licensed_only=True)

    assert set(data.counts()) == {"evouna", "evouna_sentences", "qed", "efficientqa", "squad", "squad_elsewhere"}


def test_a_paragraphs_other_sentences_are_wrong():
    """Of SQuAD, no wrong sentence holds an accepted answer."""
    for asked in islice(squad_sentences(train("squad/dev-v1.1.json"), np.random.default_rng(0)), 200):
        sentence, *short = asked.right
        assert sentence not in asked.wrong
        assert not any(answer in text for answer in short for text in asked.wrong)


def test_sentences_elsewhere_in_an_article_may_answer_too():
    """They hold the answer's words and two of the question's; wrong ones have two of the question's too."""
    found = list(squad_elsewhere(train("squad/train-v2.0.first10articles.json"), np.random.default_rng(0)))

    assert len(found) > 100
    for asked in found:
        words = content_words(asked.question)
        assert all(len(words & content_words(text)) >= 2 for text in (*asked.right[1:], *asked.wrong))
        assert not set(asked.right) & set(asked.wrong)


def test_answers_of_other_sets_stand_beside_a_paragraphs_sentence():
    """QED's questions are EVOUNA's too, whose right answers join the selected sentence."""
    found = {
        question_key(each.question): each for each in qed(train("qed/qed-dev.jsonlines"), np.random.default_rng(0))
    }
    row = next(row for row in evouna.read(train("evouna/NQ.json")) if question_key(row.question) in found)

    assert set(row.accepted) <= set(found[question_key(row.question)].right)


def test_the_answering_words_are_a_right_answer():
    """TREC-QA marks them in its right sentences."""
    found = list(trec_short(train("trecqa/TRAIN.xml"), np.random.default_rng(0)))

    assert len(found) > 70
    assert all(len(each.right[0]) < 100 for each in found)

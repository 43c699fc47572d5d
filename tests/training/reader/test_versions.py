"""Texts behind the reader's rows that are split before anything is made of them."""

import json

from qassay.training.answer_text import question_key
from qassay.training.reader.texts import versions
from qassay.training.splits import held_back

QUESTIONS = [f"who won race number {number}" for number in range(60)]
ANSWERS = {
    "answer_gpt35": "Anna Berg won the race in Oslo on a Sunday in May.",
    "answer_chatgpt": "The race was won by Anna Berg of Norway that year.",
    "answer_gpt4": "Anna Berg.",
    "answer_newbing": "I am an AI language model, and it is not for me to say who won it.",
}


def _folder(tmp_path):
    (tmp_path / "evouna").mkdir()
    entries = [{"question": question, "improper": False, **ANSWERS} for question in QUESTIONS]
    (tmp_path / "evouna" / "NQ.json").write_text(json.dumps(entries), encoding="utf-8")
    return tmp_path


def test_questions_held_back_are_for_measuring_alone(tmp_path):
    """What trains and what measures share no question, and together they are all."""
    folder = _folder(tmp_path)

    training = {group for _, group in versions(folder)}
    measuring = {group for _, group in versions(folder, measuring=True)}

    assert measuring == {f"question:{question_key(each)}" for each in QUESTIONS if held_back(each)}
    assert measuring
    assert training | measuring == {f"question:{question_key(each)}" for each in QUESTIONS}
    assert not training & measuring


def test_versions_are_texts_of_a_sentence_or_more(tmp_path):
    """A bare name says nothing to ask about, and what systems say of themselves is left out."""
    texts, _ = next(versions(_folder(tmp_path)))

    assert texts == [ANSWERS["answer_gpt35"], ANSWERS["answer_chatgpt"]]

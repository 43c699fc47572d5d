import json

import numpy as np

from qassay.training.chunker.build import trecqa_rows
from qassay.training.corpora.tokens import join_words
from qassay.training.reader import sources as reader_sources
from qassay.training.reader.rows import ReaderRow
from qassay.training.sources import without_questions
from qassay.training.splits import DEV_ARTICLES, TEST_ARTICLES, side_of_article


def _squad(*questions):
    context = "Paris is the capital of France."
    return {"data": [{"title": "Oxygen", "paragraphs": [{"context": context, "qas": list(questions)}]}]}


def test_squad_gives_answers_and_questions_without(tmp_path):
    """Answers that are not where the file says are left out; unanswerable questions stay."""
    path = tmp_path / "squad.json"
    asked = [
        {"question": "Capital?", "answers": [{"text": "Paris", "answer_start": 0}] * 2},
        {"question": "Wrong?", "answers": [{"text": "Rome", "answer_start": 0}]},
        {"question": "None?", "answers": []},
    ]
    path.write_text(json.dumps(_squad(*asked)))
    rows = list(reader_sources.squad(path, "squad"))
    assert [(row.question, row.spans, row.group) for row in rows] == [
        ("Capital?", ((0, 5),), "squad:Oxygen"),
        ("None?", (), "squad:Oxygen"),
    ]


def test_articles_are_on_one_side():
    """The test articles neither train nor choose."""
    assert not DEV_ARTICLES & TEST_ARTICLES
    assert [side_of_article(title) for title in ("Oxygen", "Huguenot", "Normans")] == ["test", "dev", "train"]


def test_words_are_written_as_running_text():
    """Marks join their neighbours, quotation marks open and close, and every word is where its place says."""
    tokens = ["``", "No", ",", "''", "he", "did", "n't", "say", "(", "$", "5", ")", "."]
    text, places = join_words(tokens, spaced=False)
    assert text == '"No," he didn\'t say ($5).'
    assert [text[slice(*place)] for place in places] == ['"', "No", ",", '"', *tokens[4:]]


def test_trecqa_sentences_carry_their_names(tmp_path):
    """Entities become few classes; the same sentence counts once."""
    block = "Hill\tsang\nNNP\tVBD\n-\t-\n-\t-\nPERSON-B\t-\n-\t-\n"
    path = tmp_path / "qa.xml"
    path.write_text(f"<QApairs id='1'>\n<positive>\n{block}</positive>\n<negative>\n{block}</negative>\n</QApairs>\n")
    rows = list(trecqa_rows(path, np.random.default_rng(0)))
    assert [(row.text, row.parts, row.entities) for row in rows] == [("Hill sang", ("NNP", "VBD"), ("B-person", "O"))]


def test_questions_of_evaluation_sets_are_left_out():
    """However a question is spelt, its row goes, and the question is remembered."""
    rows = [ReaderRow(text, "It was May.", (), "mine", text) for text in ("When was it?", "when  was IT", "Why?")]
    met: set[str] = set()

    kept = list(without_questions(rows, {"when was it", "who"}, met))

    assert [row.question for row in kept] == ["Why?"]
    assert met == {"when was it"}

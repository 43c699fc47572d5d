"""Questions without marked answers, and the texts that they are asked of."""

import json

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.models.load_readers import load_chunker
from qassay.training.answer_text import question_key
from qassay.training.reader.open_questions import of_neighbours, of_versions, people_ask
from qassay.training.reader.texts import SentenceGroup, sentence_groups
from qassay.training.splits import held_back

PASSAGE = (
    "Anna Berg won the race in Oslo on Sunday. Maria Holm of Sweden came second. The crowd sang for hours after it."
)
SENTENCES = (
    "Anna Berg won the race in Oslo on Sunday.",
    "Maria Holm of Sweden came in second place.",
    "The crowd sang songs for hours after the race.",
)
HELD_BACK = next(f"who won race {i}" for i in range(100) if held_back(f"who won race {i}"))
TREC = """<QApairs id='1'>
<question>
Who\twon\t?
WP\tVBD\t.
</question>
<positive>
Berg\twon\t.
NNP\tVBD\t.
</positive>
<negative>
Holm\tlost\t.
</negative>
<negative>
Holm\tlost\t.
</negative>
</QApairs>
"""
WIKIQA = "QuestionID\tQuestion\tSentence\tLabel\nQ1\twho won\tBerg won .\t1\nQ1\twho won\tHolm lost .\t0\n"
EVOUNA = [
    {"question": "who won the race", "answer_gpt4": PASSAGE, "answer_fid": "Anna Berg", "improper": False},
    {"question": HELD_BACK, "answer_gpt4": PASSAGE},
    {"question": "who lost it all", "answer_gpt4": PASSAGE, "improper": True},
]
ASKED = [{"question": question, "answers": [{"text": "Berg"}]} for question in ("Who won?", "Who sang?")]
MULTIRC = {"idx": 7, "passage": {"text": PASSAGE, "questions": ASKED}}
MCSCRIPT = (
    f'<data><instance id="3"><text>{PASSAGE}</text><questions><question text="Who won?"/></questions></instance></data>'
)
HOTPOT = [{"question": "q", "answer": "a", "supporting_facts": [], "context": [["Race", ["Berg won. ", "Holm lost."]]]}]
HOTPOT_COLUMNS = [
    {
        "question": "q",
        "answer": "a",
        "supporting_facts": {"title": [], "sent_id": []},
        "context": {"title": ["Race"], "sentences": [["Berg won.", "Holm lost."]]},
    }
]
PUBMEDQA = {
    "12": {"QUESTION": "q", "CONTEXTS": ["Berg won.", "Holm lost."], "LONG_ANSWER": "a", "final_decision": "yes"}
}
SQUAD = {"data": [{"title": "Normans", "paragraphs": [{"context": PASSAGE, "qas": [{"question": "Who?"}]}]}]}
FILES = {
    "evouna/NQ.json": json.dumps(EVOUNA),
    "trecqa/TRAIN.xml": TREC,
    "trecqa/DEV.xml": "",
    "wikiqa/WikiQA-train.tsv": WIKIQA,
    "wikiqa/WikiQA-dev.tsv": WIKIQA.splitlines()[0],
    "boolq/dev.jsonl": json.dumps({"title": "Race", "question": "did she win", "passage": PASSAGE, "answer": True}),
    "multirc/train.jsonl": json.dumps(MULTIRC),
    "multirc/val.jsonl": "",
    "multirc/test.jsonl": "",
    "mcscript/train-data.xml": MCSCRIPT,
    "pubmedqa/ori_pqal.json": json.dumps(PUBMEDQA),
    "squad/dev-v2.0.json": json.dumps(SQUAD),
    "squad/train-v2.0.first10articles.json": json.dumps({"data": []}),
    "hotpotqa/hotpot_dev_distractor_subset.json": json.dumps(HOTPOT),
    "hotpotqa/hipporag_hotpotqa_train_100.json": json.dumps(HOTPOT_COLUMNS),
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def chunker():
    return load_chunker("mini")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def _matter(kind, *questions):
    return SentenceGroup(SENTENCES, questions, kind, "mine", "question:who won")


def test_every_source_gives_its_sentences_and_what_people_asked(folder):
    """Held-back and improper questions of EVOUNA are left out, and answers that say too little to be read."""
    found = list(sentence_groups(folder, licensed_only=False))

    whole = tuple(PASSAGE[slice(*span)] for span in ((0, 41), (42, 75), (76, 110)))
    assert [(each.source, each.kind, each.group, each.questions) for each in found] == [
        ("evouna", "passage", f"question:{question_key('who won the race')}", ("who won the race",)),
        ("trecqa", "reports", f"question:{question_key('Who won ?')}", ("Who won ?",)),
        ("wikiqa", "passage", f"question:{question_key('who won')}", ("who won",)),
        ("boolq", "passage", "boolq:Race", ()),
        ("multirc", "passage", "multirc:train.jsonl:7", ("Who won?", "Who sang?")),
        ("mcscript", "passage", "mcscript:3", ("Who won?",)),
        ("pubmedqa", "passage", "pubmedqa:12", ()),
        ("squad", "passage", "squad:Normans", ()),
        ("hotpotqa", "passage", "hotpot:Race", ()),
        ("hotpotqa", "passage", "hotpot:Race", ()),
    ]
    assert {each.sentences for each in found if each.source in {"evouna", "boolq", "multirc", "squad"}} == {whole}
    assert {each.sentences for each in found if each.source in {"trecqa", "wikiqa"}} == {("Berg won .", "Holm lost .")}
    assert {each.sentences for each in found if each.source == "hotpotqa"} == {("Berg won.", "Holm lost.")}


def test_sources_without_a_licence_can_be_left_out(folder):
    """What is left states one."""
    found = {each.source for each in sentence_groups(folder, licensed_only=True)}
    assert found == {"evouna", "pubmedqa", "squad", "hotpotqa"}


def test_a_story_file_that_is_no_xml_is_named(folder):
    """The message says where."""
    (folder / "mcscript/train-data.xml").write_text("no xml", encoding="utf-8")
    with pytest.raises(DataError, match=r"train-data\.xml"):
        list(sentence_groups(folder, licensed_only=False))


def test_people_ask_a_passage_as_a_whole_and_a_few_of_many_reports(rng):
    """Nothing is marked: the rows have no spans."""
    (of_passage,) = people_ask(_matter("passage", "who won", " "), rng)
    (of_reports,) = people_ask(_matter("reports", "who won"), rng)

    assert (of_passage.question, of_passage.passage, of_passage.spans) == ("who won", " ".join(SENTENCES), ())
    assert of_passage.source == "open_mine"
    assert of_passage.group == "question:who won"
    assert any(sentence in of_reports.passage for sentence in SENTENCES)


@pytest.mark.parametrize("kind", ["passage", "reports"])
def test_neighbours_are_asked_about_a_sentence(chunker, rng, kind):
    """Sometimes with the sentence itself among what is read, more often without it, never without anything."""
    rows = list(of_neighbours([_matter(kind)] * 30, chunker, rng))

    assert len(rows) > 60
    assert all(row.question.endswith("?") and row.passage for row in rows)
    about_oslo = [row.passage for row in rows if "Oslo" in row.question and "won" in row.question]
    included = sum(SENTENCES[0] in passage for passage in about_oslo)
    assert 0 < included < len(about_oslo)


def test_one_sentence_has_no_neighbours(chunker, rng):
    """There is nothing to read."""
    alone = SentenceGroup(SENTENCES[:1], (), "passage", "mine", "g")
    assert not list(of_neighbours([alone], chunker, rng))


def test_versions_are_asked_about_each_other(chunker, rng):
    """What is read is the other text, now and then with a text on another matter beside it."""
    groups = [
        ([PASSAGE, "In Oslo the race was won by Anna Berg."], "a"),
        (["The cat sat on a mat.", "A mat had a cat."], "b"),
    ]
    rows = list(of_versions(groups, chunker, "parallel", rng))

    assert {row.source for row in rows} == {"open_parallel"}
    assert all(row.group == "a" or "cat" in row.passage for row in rows)
    told = [row for row in rows if row.group == "a"]
    assert len(told) > 3
    assert all((PASSAGE in row.passage) != (groups[0][0][1] in row.passage) for row in told)

import json

import pytest

from qassay.errors import DataError
from qassay.training.keyphrase import sources
from shared import train


def written(tmp_path, content, name="data.json"):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def key(row):
    return [row.answer[start:end] for start, end in row.spans]


def squad_file(tmp_path, context, questions):
    paragraph = {"context": context, "qas": questions}
    return written(tmp_path, {"data": [{"title": "T", "paragraphs": [paragraph]}]})


def test_squad_takes_the_sentence_around_the_answer(tmp_path):
    """The sentence that holds the span, with the span as key; grouped by article."""
    context = "Ada was born in 1815. She wrote the first program."
    answer = {"text": "first program", "answer_start": context.index("first")}
    path = squad_file(tmp_path, context, [{"question": "What did she write?", "answers": [answer]}])

    (row,) = sources.squad_answers(path, "squad")

    assert (row.answer, key(row)) == ("She wrote the first program.", ["first program"])
    assert row.group == "squad:T"


def test_squad_takes_the_answer_of_most_annotators(tmp_path):
    """Of three answers the one given twice is key."""
    context = "The late Roman Empire fell."
    answers = [
        {"text": text, "answer_start": context.index(text)} for text in ("Roman", "Roman Empire", "Roman Empire")
    ]
    path = squad_file(tmp_path, context, [{"question": "Which empire fell?", "answers": answers}])

    (row,) = sources.squad_answers(path, "squad")

    assert key(row) == ["Roman Empire"]


def test_squad_leaves_out_unanswerable_questions_and_wrong_offsets(tmp_path):
    """No answer, or an offset at which the text is not the answer, gives no row."""
    questions = [{"question": "A?", "answers": []}, {"question": "B?", "answers": [{"text": "x", "answer_start": 3}]}]

    assert list(sources.squad_answers(squad_file(tmp_path, "Some text.", questions), "squad")) == []


HOTPOT_FACTS = [["Film", 0], ["Jing Tian", 1]]
HOTPOT_TEXTS = [
    ["Film", ["It stars Jing Tian. ", "It ran."]],
    ["Jing Tian", ["An actress.", " She went to Beijing Academy."]],
]


@pytest.mark.parametrize(
    ("facts", "context"),
    [
        (HOTPOT_FACTS, HOTPOT_TEXTS),
        (
            {"title": [title for title, _ in HOTPOT_FACTS], "sent_id": [number for _, number in HOTPOT_FACTS]},
            {"title": [title for title, _ in HOTPOT_TEXTS], "sentences": [text for _, text in HOTPOT_TEXTS]},
        ),
    ],
    ids=["pairs", "columns"],
)
def test_multi_hop_answers_are_all_supporting_sentences(tmp_path, facts, context):
    """Both published shapes: the supporting sentences in order, every occurrence of the answer key."""
    entry = {"question": "Which academy?", "answer": "Beijing Academy", "supporting_facts": facts, "context": context}

    (row,) = sources.hotpot(written(tmp_path, [entry]), "hotpotqa")

    assert row.answer == "It stars Jing Tian. She went to Beijing Academy."
    assert key(row) == ["Beijing Academy"]


def test_multi_hop_yes_no_questions_are_left_out(tmp_path):
    """As in the paper (section 5.1): their answer is not in the text."""
    entry = {"question": "Same?", "answer": "yes", "supporting_facts": HOTPOT_FACTS, "context": HOTPOT_TEXTS}

    assert list(sources.hotpot(written(tmp_path, [entry]), "hotpotqa")) == []


def test_qamr_keeps_the_tokens_that_two_annotators_chose(tmp_path):
    """Token numbers become character spans, neighbours joined, brackets written as people write them."""
    written(tmp_path, "S1\tHe -LRB- Al -RRB- died in 1900 .\n", "wiki-sentences.tsv")
    path = written(tmp_path, "S1\t0 2\t7\t0\t2\tWho died?\t0 2\t8:0 1 2\t9:2\n", "qamr.tsv")

    (row,) = sources.qamr(path, "qamr")

    assert (row.answer, key(row)) == ("He ( Al ) died in 1900 .", ["He", "Al"])


def test_judged_answers_that_hold_a_reference_give_rows(tmp_path):
    """Right answers with the reference inside them; wrong, improper and bare ones are left out."""
    entry = {
        "question": "who wrote it", "golden_answer": "Ada/Ada King", "improper": False,
        "answer_fid": "Ada King", "judge_fid": True,
        "answer_gpt35": "It was written by Ada King.", "judge_gpt35": True,
        "answer_chatgpt": "Ada did not write it.", "judge_chatgpt": False,
    }  # fmt: skip
    path = written(tmp_path, [entry, entry | {"improper": True}])

    rows = list(sources.evouna(path, "evouna"))

    assert [key(row) for row in rows] == [["Ada"], ["Ada King"]]


MARCO = {
    "query": "how long is it", "answers": ["Ten miles."], "wellFormedAnswers": "[]",
    "passages": [{"is_selected": 1, "passage_text": "It is new. It is ten miles long."}],
}  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(MARCO) + "\n" + json.dumps(MARCO | {"answers": ["No Answer Present."]}),
        json.dumps({name: {"0": value} for name, value in MARCO.items()}),
    ],
    ids=["lines", "columns"],
)
def test_ms_marco_takes_the_selected_sentence(tmp_path, content):
    """Without a well-formed answer, the selected passage's sentence that holds the short one."""
    (row,) = sources.marco(written(tmp_path, content), "msmarco")

    assert (row.answer, key(row)) == ("It is ten miles long.", ["ten miles"])


def test_ms_marco_prefers_a_well_formed_answer(tmp_path):
    """A well-formed answer that holds the short one is the sentence."""
    entry = MARCO | {"wellFormedAnswers": ["The road is ten miles long."]}

    (row,) = sources.marco(written(tmp_path, json.dumps(entry)), "msmarco")

    assert row.answer == "The road is ten miles long."


@pytest.mark.parametrize(
    ("reader", "path", "rows"),
    [
        # Counted with grep and jq in the files themselves.
        (sources.trec, "trecqa/DEV.xml", 222),
        (sources.answer_sentences, "qadialog/qa_to_sentence.jsonl", None),
        (sources.qed, "qed/qed-dev.jsonlines", None),
        (sources.qamr, "qamr/filtered_dev.tsv", None),
        (sources.squad_answers, "squad/xquad.en.json", 1190),
        (sources.hotpot, "hotpotqa/hotpot_dev_distractor_subset.json", None),
        (sources.evouna, "evouna/NQ.json", None),
    ],
)
def test_the_published_files_are_read(reader, path, rows):
    """Every row of the real files has its key part inside its answer."""
    found = list(reader(train(path), "real"))

    assert found
    assert all(0 <= start < end <= len(row.answer) for row in found for start, end in row.spans)
    assert rows is None or len(found) == rows


@pytest.mark.parametrize("reader", [sources.squad_answers, sources.hotpot, sources.evouna, sources.qed])
def test_another_format_is_refused(tmp_path, reader):
    """A file of another kind stops with its name."""
    with pytest.raises(DataError, match=r"data\.json"):
        list(reader(written(tmp_path, '{"some": "thing"}'), "x"))

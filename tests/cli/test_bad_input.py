"""Unusual and wrong input to learned metrics, as a user meets it: clear behaviour, one message, no traceback."""

import json
import os
import shutil

import pytest

from commands import qassay, qassay_json, write_rows
from qassay.models.base import EMBEDDED_FOLDER

JUDGES = ("-m", "ava", "-m", "lerc")
LEARNED = (*JUDGES, "-m", "rouge_l:kpqa", "-m", "bert_score:kpqa")


def row(candidate, *references, id_="x", question="What is the capital of France?"):
    """Make one answer as a row of a file."""
    return {"id": id_, "question": question, "references": list(references) or ["Paris"], "candidate": candidate}


def scored(folder, *rows, words=LEARNED):
    """Score rows and give the rows that were written, and the document that was printed."""
    file = write_rows(folder / "answers.jsonl", rows)
    document = qassay_json("score", file, *words, "-o", folder / "scores.jsonl")
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()], document


def refused(folder, *words, rows=None):
    """Score rows that cannot be scored so, and give the one message."""
    file = write_rows(folder / "answers.jsonl", rows or [row("It is Paris.")])
    done = qassay("score", file, *words, "-o", folder / "scores.jsonl", folder=folder, check=2)
    assert not (folder / "scores.jsonl").exists()
    assert done.stdout == ""
    message = done.stderr.strip()
    assert message.startswith("error: ")
    assert "Traceback" not in message
    return message


def test_judges_do_without_a_question(tmp_path):
    """Right and wrong are told apart by the reference alone, and a note counts such answers."""
    rows = [row("It is Paris.", id_="a", question=""), row("It is Rome.", id_="b", question="")]
    (right, wrong), document = scored(tmp_path, *rows, words=JUDGES)
    assert right["scores"]["ava"] > 0.5 > wrong["scores"]["ava"]
    assert document["notes"]["answers without a question, judged by their references alone"] == 2


@pytest.mark.parametrize("question", ["", " \n"])
def test_weights_that_need_a_question_say_so(tmp_path, question):
    """An empty question is none, and the metric that needs none is named."""
    message = refused(tmp_path, "-m", "rouge_l:kpqa", rows=[row("It is Paris.", question=question)])
    assert 'needs "question", and the answer with id "x" has none' in message
    assert "rouge_l:kp" in message


def test_an_answer_without_references_stops(tmp_path):
    """The line is named, with what to do."""
    message = refused(tmp_path, *JUDGES, rows=[{"id": "x", "question": "q", "references": [], "candidate": "a"}])
    assert 'answers.jsonl:1: "references" is empty' in message


def test_blank_references_leave_an_answer_unscored(tmp_path):
    """There is nothing to judge by, and that is no 0."""
    (found,), _ = scored(tmp_path, row("It is Paris.", " "), words=JUDGES)
    assert found["scores"] == {"ava": None, "lerc": None}
    assert set(found["unscored"].values()) == {"every reference is empty"}


def test_an_empty_answer_scores_nothing(tmp_path):
    """To say nothing is wrong, under every metric."""
    (found,), _ = scored(tmp_path, row(""))
    assert set(found["scores"].values()) == {0.0}


@pytest.mark.parametrize("candidate", ["...!?", "👍🎉", "\u0000", "—"])
def test_answers_without_words_are_wrong(tmp_path, candidate):
    """Punctuation and emoji score low and stop nothing."""
    (found,), _ = scored(tmp_path, row(candidate))
    assert found["scores"]["ava"] < 0.5
    assert all(0 <= score <= 1 for score in found["scores"].values())


def test_the_same_emoji_is_right(tmp_path):
    """Identical texts score 1, whatever they are."""
    (found,), _ = scored(tmp_path, row("👍🎉", "👍🎉"))
    assert list(found["scores"].values()) == pytest.approx([1.0] * 4)


def test_a_very_long_answer_is_judged_where_it_answers(tmp_path):
    """Of twenty thousand words the judge reads the part nearest to the reference, and says so."""
    (found,), document = scored(tmp_path, row("and so on " * 6666 + "the capital of France is Paris"))
    assert found["scores"]["ava"] > 0.5
    assert any("the part nearest to the other text" in note for note in document["notes"])
    assert any("overlapping windows" in note for note in document["notes"])


def test_five_hundred_references_are_all_read(tmp_path):
    """The last one counts as much as the first."""
    (found,), _ = scored(tmp_path, row("It is Paris.", *(f"City {n}" for n in range(499)), "Paris"))
    assert found["scores"]["ava"] > 0.5
    assert found["scores"]["rouge_l:kpqa"] > 0.5


def test_chinese_is_scored_with_a_clear_note(tmp_path):
    """The note says that the embedded model is English, and that another may read the text."""
    _, document = scored(tmp_path, row("大约6300公里", "约6300公里", question="长江有多长"))
    (note,) = [note for note in document["notes"] if "Latin" in note]
    assert "embedded English model" in note
    assert "another model" in note


def test_a_missing_file_is_named():
    """The path stands in the message."""
    done = qassay("score", "nowhere.jsonl", *JUDGES, check=2)
    assert "nowhere.jsonl: there is no such file" in done.stderr


@pytest.mark.parametrize(
    ("file", "content", "words", "message"),
    [
        ("judge.onnx", "no graph", ("-m", "ava"), "damaged, or not a graph"),
        ("encoder.npz", "no weights", ("-m", "bert_score"), "damaged, or not a file of weights"),
        ("judge.json", "{", ("-m", "lerc"), "damaged or of another version"),
        ("judge_layer.json", '{"coefficients": 3}', ("-m", "ava"), "damaged or of another version"),
        ("model.json", "{}", ("-m", "rouge_l:kpqa"), "damaged or of another version"),
        ("tokenizer.json", "no tokenizer", ("-m", "bert_score"), "damaged, or not a tokenizer"),
        ("ava_linear.json", "[]", ("-m", "ava,kind=linear"), "damaged or of another version"),
        ("ava_heads.json", "[]", ("-m", "ava,kind=a2"), "damaged or of another version"),
        ("ava.npz", "no weights", ("-m", "ava,kind=a2"), "damaged, or not a file of weights"),
    ],
)
def test_a_corrupt_model_is_one_message(tmp_path, file, content, words, message):
    """The damaged file is named."""
    model = tmp_path / "model"
    shutil.copytree(EMBEDDED_FOLDER, model)
    (model / file).write_text(content)
    found = refused(tmp_path, *words, "--model", model)
    assert f"{model / file}: {message}" in found


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "ava,model=foreign"), "foreign has no judge; train one with `qassay train judge`"),
        (("-m", "ava,kind=a2,model=foreign"), "qassay train ava"),
        (("-m", "ava,kind=linear,model=foreign"), "qassay train ava --kind linear"),
        (("-m", "bert_score", "--model", "foreign"), "neither a model of Qassay's"),
        (("-m", "rouge_l:kpqa", "--model", "foreign"), "leave --model out for the embedded ones"),
        (("-m", "lerc", "--model", "foreign"), "leave --model out for the embedded ones"),
        (("-m", "ava", "--model", "./nowhere"), 'there is no model folder "./nowhere"'),
    ],
)
def test_a_foreign_folder_is_one_message(tmp_path, words, message):
    """A folder that holds something else says what would be right, and no other model steps in."""
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "readme.txt").write_text("nothing here")
    assert message in refused(tmp_path, *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "bert_score,model=roberta-large"), "not cached on this machine"),
        (("-m", "bert_score:kpqa", "--model", "some/encoder"), "not cached on this machine"),
        (("-m", "ava,model=some/judge"), "some/judge has no judge"),
        (("-m", "ava", "--model", "some/encoder"), "leave --model out"),
    ],
)
def test_a_hub_name_offline_is_one_message(tmp_path, monkeypatch, words, message):
    """Without a network nothing is tried twice and nothing is traced back."""
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    monkeypatch.setitem(os.environ, "HF_HOME", str(tmp_path / "cache"))
    assert message in refused(tmp_path, *words)


@pytest.mark.parametrize("option", ["-o", "--report", "--rank"])
def test_an_input_is_never_written_over(tmp_path, option):
    """The input's own name as an output is a slip that would lose the answers: it is refused, and nothing changes."""
    file = write_rows(tmp_path / "answers.jsonl", [row("It is Paris.")])
    before = file.read_bytes()

    done = qassay("score", file, "-m", "token_f1", option, file, check=2)

    assert "is an input of this run" in done.stderr
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    "words",
    [
        ("accuracy", "answers.jsonl", "--next", "1", "-o", "answers.jsonl"),
        ("correlate", "answers.jsonl", "-m", "token_f1", "--report", "answers.jsonl"),
        ("explain", "answers.jsonl", "--id", "x", "-m", "token_f1", "--html", "answers.jsonl"),
        ("agree", "answers.jsonl", "-o", "answers.jsonl"),
    ],
    ids=lambda words: words[0],
)
def test_no_command_writes_over_its_input(tmp_path, words):
    """The same holds for what other commands write."""
    file = write_rows(tmp_path / "answers.jsonl", [row("It is Paris.") | {"judgement": 1}])
    before = file.read_bytes()

    done = qassay(*words, folder=tmp_path, check=2)

    assert "is an input of this run" in done.stderr
    assert file.read_bytes() == before


@pytest.mark.parametrize("command", [("agree", "twice.jsonl"), ("accuracy", "a.jsonl", "--labels", "twice.jsonl")])
def test_a_field_that_comes_twice_is_refused_with_its_place(refused, tmp_path, command):
    """In ratings and in labels as in answers."""
    write_rows(tmp_path / "a.jsonl", [{"id": "q1", "references": ["a"], "candidate": "a"}])
    (tmp_path / "twice.jsonl").write_text('{"id": "q1", "annotator": "a", "value": 1, "value": 0}\n', encoding="utf-8")
    assert refused(*command).startswith('error: twice.jsonl:1: has "value" twice; keep one, or --on-error skip')


def test_a_judge_without_its_layer_is_one_message(refused, tmp_path):
    """Also where the scores are to be stored with what they depend on."""
    write_rows(tmp_path / "a.jsonl", [{"id": "q1", "references": ["a"], "candidate": "a"}])
    shutil.copytree(EMBEDDED_FOLDER, tmp_path / "model")
    (tmp_path / "model" / "judge_layer.json").unlink()
    said = refused("score", "a.jsonl", "-m", "ava,model=./model", "-o", "out.jsonl")
    assert "judge_layer.json: there is no such file; fit one with `qassay train judge`" in said

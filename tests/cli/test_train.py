"""`qassay build` and `qassay train` for judges, as a user meets them: from files to a model that scores."""

import json

import pytest

from commands import qassay, qassay_json, write_rows
from tiny_bert import write_tiny_bert

ANSWERS = [
    {"id": "a", "question": "what is the capital", "references": ["paris"], "candidate": "it is paris"},
    {"id": "b", "question": "what is the capital", "references": ["paris"], "candidate": "it is rome"},
]
CITIES = ("paris", "rome")


def judged(count):
    """Make judged answers to as many questions, every other one right."""
    return [
        {
            "id": f"q{n}",
            "question": f"what is the capital {n}",
            "references": ["paris"],
            "candidate": f"it is {CITIES[n % 2]}",
            "judgement": 1 - n % 2,
        }
        for n in range(count)
    ]


def selected(count):
    """Make judged answers with two right ones and a wrong one to every question."""
    return [
        {
            "id": f"q{n} {text}",
            "question": f"what is the capital {n}",
            "references": ["paris"],
            "candidate": text,
            "judgement": right,
        }
        for n in range(count)
        for text, right in (("it is paris", 1), ("rome", 0), ("a red car", 0))
    ]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Give a Hugging Face encoder that trains in a second."""
    return write_tiny_bert(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Give a file of answers to score."""
    return write_rows(tmp_path_factory.mktemp("answers") / "answers.jsonl", ANSWERS)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Build AVA's pairs from judged answers."""
    folder = tmp_path_factory.mktemp("pairs")
    file = write_rows(folder / "judged.jsonl", selected(40))
    qassay("build", "ava", file, "-o", folder / "ava", check=0)
    return folder / "ava"


@pytest.fixture(scope="module")
def judge(base, tmp_path_factory):
    """Train a judge on a file of judged answers."""
    folder = tmp_path_factory.mktemp("judge")
    file = write_rows(folder / "judged.jsonl", judged(60))
    words = ("--base", base, "--data", file, "-o", folder / "judge", "--epochs", "1")
    document = qassay_json("train", "judge", *words)
    assert [each["source"] for each in document["dev"]] == ["answers"]
    return folder / "judge"


def scores(answers, *words):
    """Give the scores of the two answers under the first metric that is asked for."""
    out = answers.with_name("scores.jsonl")
    qassay("score", answers, *words, "-o", out, check=0)
    return [next(iter(json.loads(line)["scores"].values())) for line in out.read_text().splitlines()]


def test_built_pairs_are_counted_and_split_by_question(tmp_path):
    """Two right answers and two wrong ones make two positives and four negatives a question."""
    file = write_rows(tmp_path / "judged.jsonl", selected(40))
    document = qassay_json("build", "ava", file, "-o", tmp_path / "ava")
    assert document["train"]["questions"] + document["dev"]["questions"] == 40
    assert document["dev"]["kept_positives"] == 2 * document["dev"]["questions"]
    assert document["dev"]["kept_negatives"] == 4 * document["dev"]["questions"]


def test_evaluation_questions_stay_out_of_pairs(tmp_path):
    """`--held-out` names a file whose questions are left out, and counts them."""
    file = write_rows(tmp_path / "judged.jsonl", selected(40))
    (tmp_path / "bench.csv").write_text("question\nWhat is the capital 7?\n")
    document = qassay_json("build", "ava", file, "-o", tmp_path / "ava", "--held-out", tmp_path / "bench.csv")
    assert document["left_out"] == {"question of an evaluation set": 1}


def test_a_kind_of_ava_is_trained_by_name(base, pairs, answers, tmp_path):
    """The command says how to use the folder, and nothing else; the folder scores."""
    model = tmp_path / "model"
    done = qassay("train", "ava", "--base", base, "--data", pairs, "-o", model, "--kind", "a1-rt", check=0)
    assert " ".join(done.stderr.split()) == f"wrote {model}; use it with -m ava,kind=a1-rt,model={model}"
    assert all(0 < score < 1 for score in scores(answers, "-m", f"ava,kind=a1-rt,model={model}"))


def test_the_linear_kind_needs_no_encoder(pairs, answers, tmp_path):
    """It is trained in a moment, and tells right from wrong."""
    document = qassay_json("train", "ava", "--kind", "linear", "--data", pairs, "-o", tmp_path / "model")
    assert document["dev_f1"] == [1.0]
    right, wrong = scores(answers, "-m", f"ava,kind=linear,model={tmp_path / 'model'}")
    assert right > wrong
    assert scores(answers, "-m", "ava,kind=linear", "--model", tmp_path / "model") == [right, wrong]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "a2"), "give --base MODEL"),
        (("--kind", "a3", "--base", "x"), "a1-rt"),
        (("--kind", "linear", "--base", "x"), "leave --base out"),
    ],
)
def test_kinds_and_bases_must_fit(words, message, pairs, tmp_path):
    """What is missing or too much is said before anything is trained."""
    done = qassay("train", "ava", "--data", pairs, "-o", tmp_path / "model", *words, check=2)
    assert message in done.stderr


def test_a_team_trains_its_own_judge(judge, answers):
    """Judged answers and an encoder make a judge that `ava` uses, by its spec and by `--model`."""
    found = scores(answers, "-m", f"ava,model={judge}")
    assert all(0 < score < 1 for score in found)
    assert scores(answers, "-m", "ava", "--model", judge) == found


def test_a_judge_beside_other_metrics_leaves_them_their_model(judge, answers):
    """A judge of one's own is no encoder for BERTScore, which goes on with the embedded one."""
    words = ("-m", "bert_score:kpqa")
    assert scores(answers, *words, "-m", "ava", "--model", judge) == scores(answers, *words)


def test_the_embedded_judge_is_fitted_to_a_teams_verdicts(answers, tmp_path):
    """`--base mini` takes built data too, and prints what was reached."""
    file = write_rows(tmp_path / "judged.jsonl", judged(60))
    qassay("build", "judge", "--data", f"answers:{file}", "-o", tmp_path / "data", check=0)
    words = ("--base", "mini", "--data", tmp_path / "data", "-o", tmp_path / "judge")
    done = qassay("train", "judge", *words, check=0)
    assert "answers" in done.stdout
    right, wrong = scores(answers, "-m", f"ava,model={tmp_path / 'judge'}")
    assert right > 0.5 > wrong


def test_a_reader_is_trained_for_lerc(base, answers, tmp_path):
    """The folder is used by `lerc`, by its spec and by `--model`."""
    file = write_rows(tmp_path / "judged.jsonl", judged(60))
    words = ("--base", base, "--data", file, "-o", tmp_path / "lerc", "--epochs", "1")
    document = qassay_json("train", "lerc", *words)
    assert document["dev"][0]["n"] > 0
    found = scores(answers, "-m", f"lerc,model={tmp_path / 'lerc'}")
    assert scores(answers, "-m", "lerc", "--model", tmp_path / "lerc") == found


def test_a_base_that_is_not_there_is_one_message(pairs, tmp_path):
    """A folder without a model is named, and nothing is written."""
    (tmp_path / "empty").mkdir()
    words = ("--base", tmp_path / "empty", "--data", pairs, "-o", tmp_path / "model")
    done = qassay("train", "ava", *words, check=2)
    assert "cannot be opened as a Hugging Face encoder" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model").exists()

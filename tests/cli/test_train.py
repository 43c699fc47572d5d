"""`qassay build` and `qassay train` for judges, as a user meets them: from files to a model that scores."""

import json

import pytest

from commands import qassay, qassay_json, write_rows
from tiny_bert import write_tiny_bert

pytestmark = pytest.mark.train

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
    """Return a Hugging Face encoder that trains in a second."""
    return write_tiny_bert(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return a file of answers to score."""
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


@pytest.fixture(scope="module")
def lerc(base, tmp_path_factory):
    """Train a reader for LERC on a file of judged answers."""
    folder = tmp_path_factory.mktemp("lerc")
    file = write_rows(folder / "judged.jsonl", judged(60))
    words = ("--base", base, "--data", file, "-o", folder / "lerc", "--epochs", "1")
    document = qassay_json("train", "lerc", *words)
    assert document["dev"][0]["n"] > 0
    return folder / "lerc"


def scores(answers, *words):
    """Return the scores of the two answers under the first metric that is asked for."""
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
        (("--kind", "linear", "--batch", "8"), "leave --batch out"),
        (("--kind", "a2", "--base", "x", "--preset", "kpqa"), "give ava"),
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


def test_the_embedded_judge_is_measured_beside_the_new_one(tmp_path):
    """Table and document have its line, and a sentence says that the new one is no better."""
    file = write_rows(tmp_path / "judged.jsonl", judged(60))
    words = ("train", "judge", "--base", "mini", "--data", file, "-o", tmp_path / "judge")

    done, document = qassay(*words, check=0), qassay_json(*words)

    assert "embedded judge" in done.stdout
    assert "it is no more accurate on these answers than the embedded judge" in done.stderr
    assert (document["kept"], document["better"]) == (False, False)
    assert [each["accuracy"] for each in document["embedded"]] == [1.0]


def test_a_reader_is_trained_for_lerc(lerc, answers):
    """The folder is used by `lerc`, by its spec and by `--model`."""
    found = scores(answers, "-m", f"lerc,model={lerc}")
    assert scores(answers, "-m", "lerc", "--model", lerc) == found


def test_metrics_that_cannot_use_a_folder_stay_embedded(lerc, answers):
    """A reader for LERC is no judge for `ava`, which goes on with the embedded one."""
    assert scores(answers, "-m", "ava", "-m", "lerc", "--model", lerc) == scores(answers, "-m", "ava")


def test_a_linear_judge_is_no_encoder(pairs, answers, tmp_path):
    """BERTScore goes on with the embedded one."""
    qassay("train", "ava", "--kind", "linear", "--data", pairs, "-o", tmp_path / "linear", check=0)
    words = ("-m", "bert_score", "-m", "ava,kind=linear")
    assert scores(answers, *words, "--model", tmp_path / "linear") == scores(answers, *words)


def test_a_base_that_is_not_there_is_one_message(pairs, tmp_path):
    """A folder without a model is named, and nothing is written."""
    (tmp_path / "empty").mkdir()
    words = ("--base", tmp_path / "empty", "--data", pairs, "-o", tmp_path / "model")
    done = qassay("train", "ava", *words, check=2)
    assert "cannot be opened as a Hugging Face encoder" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "model").exists()


def test_another_judge_is_not_trained_over_a_reader(base, lerc, tmp_path):
    """What lies in the folder is not replaced without a word."""
    file = write_rows(tmp_path / "judged.jsonl", judged(60))
    done = qassay("train", "judge", "--base", base, "--data", file, "-o", lerc, check=2)
    assert "holds a judge of another kind" in done.stderr


def test_unjudged_answers_are_no_training_data(refused, tmp_path):
    """The message says what is missing, not on which side of a split."""
    write_rows(tmp_path / "plain.jsonl", ANSWERS)
    message = refused("train", "judge", "--base", "mini", "--data", "plain.jsonl", "-o", "judge")
    assert 'plain.jsonl: no answer has both a candidate and a "judgement"' in message


def test_answers_without_a_candidate_are_counted(tmp_path):
    """What is left out of a training is told."""
    rows = [*judged(60), {**judged(1)[0], "id": "none", "candidate": None}]
    file = write_rows(tmp_path / "judged.jsonl", rows)
    done = qassay("train", "judge", "--base", "mini", "--data", file, "-o", tmp_path / "judge", check=0)
    assert "left out: blank answer: 1" in done.stderr


def test_development_rows_of_one_kind_are_named(base, refused, tmp_path):
    """The message has the file and what its rows are for."""
    rows = [
        {"question": f"q{n}", "references": ["a"], "candidate": "b", "label": 1.0, "source": "answers", "group": f"{n}"}
        for n in range(20)
    ]
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", rows)
    message = refused("train", "judge", "--base", base, "--data", ".", "-o", "judge")
    assert "dev.jsonl: the rows of the development side, on which the layer is fitted, are all right" in message


@pytest.mark.parametrize("missing", ["sklearn", "onnx"])
def test_all_of_the_extra_must_be_there(refused, monkeypatch, missing):
    """A library that is needed at the end of a training is missed at its beginning."""
    monkeypatch.setattr("qassay.cli.commands.train.find_spec", lambda name: None if name == missing else name)
    message = refused("train", "judge", "--base", "mini", "--data", "x", "-o", "judge")
    assert f"{missing} is missing" in message
    assert "qassay[train]" in message


@pytest.mark.parametrize("kind", ["judge", "lerc", "keyphrase", "ava"])
def test_a_file_is_not_written_over(base, pairs, refused, tmp_path, kind):
    """A file in the model's place is named before anything is trained."""
    file = write_rows(tmp_path / "judged.jsonl", judged(60))
    data = file if kind in {"judge", "lerc"} else pairs
    assert "is a file" in refused("train", kind, "--base", base, "--data", data, "-o", file)


@pytest.mark.parametrize("kind", ["judge", "lerc", "keyphrase", "ava"])
def test_the_base_is_not_written_over(base, pairs, refused, tmp_path, kind):
    """The base model's folder takes no other, which is said before anything is trained."""
    file = write_rows(tmp_path / "judged.jsonl", judged(60))
    data = file if kind in {"judge", "lerc"} else pairs
    assert "is the base model" in refused("train", kind, "--base", base, "--data", data, "-o", base)


def test_the_linear_kind_goes_into_no_file(pairs, refused, tmp_path):
    """It has no base, and is refused all the same."""
    (tmp_path / "file").write_text("mine")
    assert "is a file" in refused("train", "ava", "--kind", "linear", "--data", pairs, "-o", "file")


def test_the_embedded_model_is_no_base_for_keyphrases(refused):
    """It is no Hugging Face encoder."""
    assert "there is no config.json" in refused("train", "keyphrase", "--base", "mini", "--data", ".", "-o", "out")


def test_the_published_settings_of_ava_are_a_preset(base, pairs, tmp_path):
    """Rate and batch size are the paper's, and each can be said otherwise; the card tells what was used."""
    words = ("--base", base, "--data", pairs, "-o", tmp_path / "model", "--kind", "a0-rt", "--epochs", "1")
    qassay("train", "ava", *words, "--preset", "ava", check=0)
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text()
    assert "- rate: 1e-06\n" in card
    assert "- batch: 32\n" in card
    qassay("train", "ava", *words, "--preset", "ava", "--rate", "0.001", "--batch", "7", check=0)
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text()
    assert "- rate: 0.001\n" in card
    assert "- batch: 7\n" in card

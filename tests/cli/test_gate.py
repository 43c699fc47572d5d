"""`compare --fail-if`: a gate for continuous integration, by answers, scores or labels."""

import json

import numpy as np
import pytest

import qassay
from commands import qassay as command
from judged_in_doubt import write_judged_in_doubt

QUESTIONS = 60


def write(path, wrong):
    """Write a system's answers, of which those with the given numbers are wrong."""
    rows = [
        {
            "id": f"q{i}",
            "question": f"What is {i}?",
            "references": [f"n{i}"],
            "candidate": "no" if i in wrong else f"n{i}",
        }
        for i in range(QUESTIONS)
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


@pytest.fixture
def systems(tmp_path):
    """A baseline with few mistakes, a copy, and one with many."""
    return [
        write(tmp_path / "baseline.jsonl", {1, 2}),
        write(tmp_path / "same.jsonl", {3, 4}),
        write(tmp_path / "worse.jsonl", set(range(20))),
    ]


GATE = ("-m", "exact_match", "--fail-if", "worse", "--margin", "0.01", "--alpha", "0.05")


def test_a_worse_system_fails_with_3(systems):
    """The exit status is 3, and the reason is said."""
    baseline, same, worse = systems
    assert "passed: same is not shown to be worse" in command("compare", baseline, same, *GATE, check=0).stderr
    assert (
        "failed: worse is worse than baseline by more than 0.01"
        in command("compare", baseline, worse, *GATE, check=3).stderr
    )


def test_the_margin_lets_a_difference_pass(systems):
    """A difference of a third is not worse beyond a margin of a half."""
    words = ("-m", "exact_match", "--fail-if", "worse", "--margin", "0.5")
    command("compare", systems[0], systems[2], *words, check=0)


def test_not_better_fails_unless_an_improvement_is_shown(systems):
    """Equal systems fail, and a better one passes."""
    words = ("-m", "exact_match", "--fail-if", "not-better")
    command("compare", systems[0], systems[1], *words, check=3)
    command("compare", systems[2], systems[0], *words, check=0)


def test_stored_scores_pass_the_same_gate(systems, tmp_path):
    """What `score -o` wrote gives the verdicts of the answers; `-m` chooses among its metrics."""
    stored = []
    for path in systems:
        out = tmp_path / f"{path.stem}-scores.jsonl"
        command("score", path, "-m", "exact_match", "-m", "token_f1", "-o", out, "-q", check=0)
        stored.append(out)
    command("compare", stored[0], stored[1], *GATE, check=0)
    done = command("compare", stored[0], stored[2], *GATE, "--json", check=3)
    assert [each["metric"] for each in json.loads(done.stdout)["gate"]["tests"]] == ["exact_match"]
    assert "no scores of bleu" in command("compare", *stored[:2], "-m", "bleu", check=2).stderr


def test_labels_decide_where_the_judge_errs():
    """With labels the accuracies are tested: a judge that finds all answers right does not hide a worse system."""
    rng = np.random.default_rng(0)
    rows, labels = [], []
    for system, share in (("old", 0.9), ("new", 0.5)):
        for i in range(200):
            rows.append({"id": f"{i}", "system": system, "references": ["a"], "candidate": "a", "judge": 0.9})
            if i < 60:
                labels.append({"id": f"{i}", "system": system, "verdict": int(rng.random() < share)})
    found = qassay.compare(rows, judge="column:judge", labels=labels)
    assert not qassay.compare(rows, judge="column:judge").gate().failed
    assert found.gate().failed
    (difference,) = found.labelled
    assert difference.low < -0.4 < difference.high


def test_labelled_answers_of_one_document_count_as_one(tmp_path):
    """Copies of labelled answers in one document do not narrow the labelled difference, with `--cluster`."""
    rng = np.random.default_rng(3)
    once = [
        {
            "id": f"{i}",
            "document": f"d{i}",
            "system": system,
            "candidate": "a",
            "judge": 0.6 * (rng.random() < share) + 0.2 * rng.random(),
        }
        for system, share in (("old", 0.8), ("new", 0.7))
        for i in range(120)
    ]
    labels = [{"id": row["id"], "system": row["system"], "verdict": int(row["judge"] > 0.5)} for row in once]
    drawn = [each for each in labels if int(each["id"]) < 50]
    for each in drawn[::7]:
        each["verdict"] = 1 - each["verdict"]
    copies = [{**row, "id": f"{row['id']}-{k}", "question_id": f"{row['id']}-{k}"} for row in once for k in range(5)]
    more = [{**each, "id": f"{each['id']}-{k}"} for each in drawn for k in range(5)]
    for name, rows in (("rows", copies), ("labels", more), ("once", once), ("drawn", drawn)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def width(answers, verdicts, *words):
        paths = tmp_path / f"{answers}.jsonl", "--labels", tmp_path / f"{verdicts}.jsonl"
        done = command("compare", *paths, "--judge", "column:judge", "--json", *words, check=0)
        (found,) = json.loads(done.stdout)["labelled"]
        return found["high"] - found["low"], found["n"]

    alone, questions = width("once", "drawn")
    clustered, documents = width("rows", "labels", "--cluster", "document")
    assert questions == documents == 120
    assert clustered == pytest.approx(alone, rel=0.1)
    assert width("rows", "labels")[0] < 0.6 * clustered


@pytest.mark.parametrize("stored", [False, True])
def test_copies_do_not_narrow_a_systems_interval(systems, tmp_path, stored):
    """Five copies of every answer have the intervals of one with `--cluster`, by answers and by stored scores."""

    def widths(paths, *words):
        done = command("compare", *paths, "-m", "exact_match", "--json", *words, check=0)
        found = json.loads(done.stdout)
        return [each["high"] - each["low"] for each in (*found["aggregates"], *found["comparisons"])], found

    once, five = [], []
    for path in systems[::2]:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        copied = tmp_path / "five" / path.name
        copied.parent.mkdir(exist_ok=True)
        copied.write_text("".join(json.dumps({**row, "sample": k}) + "\n" for row in rows for k in range(5)))
        outputs = [tmp_path / f"{path.stem}-{each.parent.name}-scores.jsonl" for each in (path, copied)]
        for answers, out in zip((path, copied), outputs, strict=True):
            command("score", answers, "-m", "exact_match", "-o", out, "-q", check=0)
        once.append(outputs[0] if stored else path)
        five.append(outputs[1] if stored else copied)
    expected, _ = widths(once)
    found, document = widths(five, "--cluster", "question")
    assert found == pytest.approx(expected, abs=0.04)
    assert max(widths(five)[0]) < 0.6 * max(found)
    assert [each["clusters"] for each in document["aggregates"]] == [60, 60]


@pytest.fixture(scope="module")
def in_doubt(tmp_path_factory):
    """Two equally good systems, judged by an LLM where a cheap judge that favours the old one was unsure."""
    path = tmp_path_factory.mktemp("doubt") / "judged.jsonl"
    write_judged_in_doubt(path)
    return path


@pytest.mark.parametrize(
    "words", [("--judge", "column:gpt5"), ("-m", "gpt5"), ("--judge", "column:gpt5", "-m", "contains")]
)
def test_an_llm_asked_in_doubt_is_corrected_for_the_sampling(in_doubt, words):
    """The difference is that of the accuracies, and the gate is not failed by the cheap judge's bias."""
    done = command("compare", in_doubt, *words, "--fail-if", "worse", "--json", check=0)
    document = json.loads(done.stdout)
    (found,) = [each for each in document["comparisons"] if "gpt5" in each["metric"]]
    systems = qassay.accuracy(in_doubt, "column:gpt5").accuracy.systems
    estimates = {each.system: each.best.estimate for each in systems}
    assert found["a_value"] - found["b_value"] == pytest.approx(estimates["old"] - estimates["new"])
    assert found["low"] < 0 < found["high"]
    assert found["wins"] + found["ties"] + found["losses"] == 400
    (note,) = (each for each in document["notes"] if "corrected by those drawn at random" in each)
    assert "wins and losses count the scores as they are" in note
    command("compare", in_doubt, "-m", "cheap", "--fail-if", "worse", "-q", check=3)


def test_answers_that_lost_how_they_were_asked_are_refused(in_doubt, tmp_path):
    """Without the probability there is no correction."""
    rows = [json.loads(line) for line in in_doubt.read_text().splitlines()]
    del rows[7]["asked"]
    broken = tmp_path / "broken.jsonl"
    broken.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for words in (("--judge", "column:gpt5"), ()):
        assert 'id "q7" does not say with which probability' in command("compare", broken, *words, check=2).stderr


def test_answers_with_an_llms_scores_can_be_scored(in_doubt):
    """A metric that the file has no scores of is calculated from the answers in it."""
    found = json.loads(command("compare", in_doubt, "-m", "token_f1", "--json", check=0).stdout)
    assert [each["metric"] for each in found["comparisons"]] == ["token_f1"]
    assert found["comparisons"][0]["a_value"] == 1


def test_what_cannot_be_tested_has_not_passed(tmp_path):
    """A system without any answer fails the gate, and one that leaves out answers is told so."""
    baseline, silent = write(tmp_path / "baseline.jsonl", {1}), tmp_path / "silent.jsonl"
    rows = [json.loads(line) for line in baseline.read_text().splitlines()]
    silent.write_text("".join(json.dumps({**row, "candidate": None}) + "\n" for row in rows))
    done = command("compare", baseline, silent, *GATE, check=3)
    assert "silent cannot be tested under exact_match: questions with scores of both: 0" in done.stderr
    some = [{**row, "candidate": None if i % 3 else row["candidate"]} for i, row in enumerate(rows)]
    silent.write_text("".join(json.dumps(row) + "\n" for row in some))
    assert "n = 20, 40 without a score of both left out" in command("compare", baseline, silent, *GATE, check=0).stderr


@pytest.mark.parametrize(("questions", "status"), [(4, 3), (5, 3), (6, 0)])
def test_a_gate_that_could_never_fail_does_not_pass(tmp_path, questions, status):
    """Of 4 questions all permutations are 16, so that nothing is shown at 0.05; of 5 a loss of all is."""
    rows = [{"id": f"{i}", "references": ["yes"], "candidate": "yes"} for i in range(questions)]
    lost = [{**row, "candidate": "no"} if i < 5 and questions < 6 else row for i, row in enumerate(rows)]
    for name, each in (("old", rows), ("new", lost)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in each))
    words = ("-m", "exact_match", "--fail-if", "worse", "--draws", "2000")
    said = command("compare", tmp_path / "old.jsonl", tmp_path / "new.jsonl", *words, check=status).stderr
    untested = "questions with scores of both: 4, at level 0.05 at least 5 are needed"
    assert (untested in said) == (questions < 5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--fail-if", "worse", "--alpha", "0"), "--alpha is 0, at which a gate always decides alike"),
        (("--fail-if", "worse", "--alpha", "1"), "--alpha is 1, at which a gate always decides alike"),
        (("--fail-if", "worse", "--margin", "-0.1"), "--margin is -0.1; give a number from 0 to 1"),
        (("--margin", "0.01"), "--margin is for --fail-if, without which nothing fails; add --fail-if worse"),
        (("--alpha", "0.01"), "--alpha is for --fail-if, without which nothing fails"),
    ],
    ids=str,
)
def test_a_gate_that_decides_nothing_is_refused(systems, words, message):
    """Before anything is read: a level that always passes, or options of a gate without the gate."""
    assert message in command("compare", systems[0], "no-such-file.jsonl", "-m", "ava", *words, check=2).stderr


def test_labels_may_be_ratings_and_contradict_each_other(systems, tmp_path):
    """What the messages on labels advise, `compare` takes."""
    labels = tmp_path / "labels.csv"
    ratings = [(i, name, 2 if i < 20 and name == "worse" else 5) for i in range(40) for name in ("baseline", "worse")]
    lines = [f"q{i},{name},{rating}" for i, name, rating in ratings]
    labels.write_text("\n".join(["id,system,rating", *lines, "q30,worse,1"]))
    asked = ("compare", systems[0], systems[2], "-m", "exact_match", "--labels", labels, "--json")
    assert "--cut 4" in command(*asked, check=2).stderr
    assert "--repeated mean" in command(*asked, "--cut", "4", check=2).stderr
    (found,) = json.loads(command(*asked, "--cut", "4", "--repeated", "mean", check=0).stdout)["labelled"]
    assert found["labels"] == 80
    assert found["high"] < -0.2


def test_a_labelled_difference_lies_between_minus_one_and_one():
    """Two labels say almost nothing, and no more than that."""
    rows = [{"id": f"{i}", "system": s, "candidate": "a", "judge": 0.9} for s in ("old", "new") for i in range(20)]
    labels = [{"id": "0", "system": "old", "verdict": 1}, {"id": "0", "system": "new", "verdict": 0}]
    (found,) = qassay.compare(rows, judge="column:judge", labels=labels).labelled
    assert (found.low, found.high) == (-1, 1)
    assert -1 <= found.difference <= 1


def test_stored_scores_that_are_all_alike_have_an_interval():
    """Forty right answers are no certainty."""
    rows = [{"id": f"{i}", "system": s, "scores": {"mine": 1.0}} for s in "ab" for i in range(40)]
    found = qassay.compare(rows).table.aggregates[0]
    assert (found.interval, found.high) == ("wilson", 1)
    assert 0.9 < found.low < 0.95


def test_metrics_are_numbers_by_name(systems, tmp_path):
    """Each metric has its value, limits and counts."""
    path = tmp_path / "metrics.json"
    words = ("-m", "exact_match", "-m", "rouge_l,beta=1", "--metrics-json", path)
    done = command("score", systems[0], *words, "--summary", "markdown", check=0)
    found = json.loads(path.read_text())
    assert found.keys() == {"exact_match", "rouge_l,beta=1"}
    exact = found["exact_match"]
    assert exact["value"] == pytest.approx(58 / 60)
    assert exact["low"] < exact["value"] < exact["high"]
    assert (exact["n"], found["rouge_l,beta=1"]["unscored"]) == (60, 0)
    assert "| exact_match | all answers | 0.967 |" in done.stdout


def test_metrics_of_several_systems_are_by_system(tmp_path):
    """A system without any score has no number, which is not 0."""
    rows = [{"id": str(i), "system": "A", "references": ["x"], "candidate": "x"} for i in range(20)]
    rows.append({"id": "0", "system": "B", "references": ["x"], "candidate": None})
    (tmp_path / "both.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    path = tmp_path / "metrics.json"
    command("score", tmp_path / "both.jsonl", "-m", "exact_match", "--metrics-json", path, check=0)
    found = json.loads(path.read_text())
    assert found["A"]["exact_match"]["value"] == 1
    assert found["B"]["exact_match"] == {"value": None, "low": None, "high": None, "n": 0, "unscored": 1}


def test_the_summary_names_the_gate(systems):
    """A job's summary has the differences and the verdict."""
    done = command("compare", systems[0], systems[2], *GATE, "--summary", "markdown", check=3)
    assert "| exact_match | worse - baseline | -0.300 |" in done.stdout
    assert "**failed**: fail if worse" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fail-if", "better"), "--fail-if"),
        (("--fail-if", "worse", "--margin", "2"), "--margin"),
        (("--summary", "html"), '--summary is "html"; give markdown\n'),
    ],
)
def test_what_means_nothing_is_refused(systems, words, says):
    """The message names the option."""
    assert says in command("compare", *systems[:2], "-m", "exact_match", *words, check=2).stderr

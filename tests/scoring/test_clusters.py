"""Answers that share a question count as one: copies narrow no interval and make no test surer."""

import json

import numpy as np
import pytest

import qassay
from commands import qassay as command
from commands import write_rows
from qassay.errors import DataError

QUESTIONS = 40
rng = np.random.default_rng(3)
RIGHT = {system: rng.random(QUESTIONS) < share for system, share in (("a", 0.7), ("b", 0.5))}


def rows(copies, systems="ab", **more):
    """Return answers, each several times as samples of one question."""
    return [
        {
            "id": f"q{i}",
            "question": f"What is {i}?",
            "references": [f"n{i}"],
            "candidate": f"n{i}" if RIGHT[system][i] else "no",
            "system": system,
            **({"sample": number} if copies > 1 else {}),
            **{name: value(i, number) for name, value in more.items()},
        }
        for system in systems
        for i in range(QUESTIONS)
        for number in range(1, copies + 1)
    ]


def limits(result):
    """Return the limits of the first aggregate."""
    return result.aggregates[0].low, result.aggregates[0].high


def test_samples_of_one_id_are_answers_of_their_own():
    """A `sample` makes ids distinct, and what they share is the question's id."""
    table = qassay.score(rows(2, "a"), "exact_match")
    assert [(each.id, each.extra["question_id"], each.extra["sample"]) for each in table.examples[:2]] == [
        ("q0#1", "q0", 1),
        ("q0#2", "q0", 2),
    ]


def test_five_copies_do_not_narrow_an_interval():
    """Clustered, five copies have the interval of one; unclustered they would have less than half of it."""
    once, clustered, naive = (
        limits(qassay.score(rows(copies, "a"), "exact_match", cluster=cluster))
        for copies, cluster in ((1, None), (5, "question"), (5, None))
    )
    widths = [high - low for low, high in (once, clustered, naive)]
    assert widths[1] == pytest.approx(widths[0], rel=0.15)
    assert widths[2] < 0.55 * widths[0]


def test_copies_of_perfect_answers_have_the_interval_of_one():
    """Where all are right, Wilson's interval counts questions and not copies."""
    perfect = [{**row, "candidate": row["references"][0]} for row in rows(5, "a")]
    low, _ = limits(qassay.score(perfect, "exact_match", cluster="question"))
    alone = [row for row in perfect if row["sample"] == 1]
    assert low == pytest.approx(limits(qassay.score(alone, "exact_match"))[0])


def test_clusters_are_the_same_in_files_and_shards(tmp_path, monkeypatch):
    """More answers than rows of statistics are summed by cluster too, and files give what memory gives."""
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows(5, "a"))))
    in_memory = qassay.score(rows(5, "a"), "exact_match", cluster="question")
    with qassay.score(path, "exact_match", cluster="question", batch=7) as stored:
        assert limits(stored) == limits(in_memory)
        assert stored.aggregates[0].clusters == QUESTIONS
    monkeypatch.setattr("qassay.scoring.aggregates.aggregation.GROUPS", 128)
    grouped = qassay.score(rows(5, "a"), "exact_match", cluster="question")
    width, other = (high - low for low, high in (limits(grouped), limits(in_memory)))
    assert width == pytest.approx(other, rel=0.35)


def test_the_signature_names_the_cluster():
    """Numbers that were clustered differently are told apart."""
    found = qassay.score(rows(2, "a"), "exact_match", cluster="question")
    assert "|cluster:question|" in found.aggregates[0].signature


def test_copies_make_a_comparison_no_surer():
    """By clusters, p-values and intervals are those of one copy."""
    once = qassay.compare(rows(1), "exact_match").comparisons[0].result
    five = qassay.compare(rows(5), "exact_match", cluster="question").comparisons[0].result
    naive = qassay.compare(rows(5), "exact_match").comparisons[0].result
    assert (five.n, five.p_permutation) == (once.n, pytest.approx(once.p_permutation, abs=0.02))
    assert naive.p_permutation < once.p_permutation


def test_copies_make_an_accuracy_no_surer():
    """The judge's interval and that of the labels count questions."""
    judge = {"judge": lambda i, _: float(RIGHT["a"][i])}
    labels = [{"id": f"q{i}", "verdict": int(RIGHT["a"][i])} for i in range(0, QUESTIONS, 2)]
    once = qassay.accuracy(rows(1, "a", **judge), "column:judge", labels=labels)
    many = [{**each, "id": f"{each['id']}#{number}"} for each in labels for number in range(1, 6)]
    five = qassay.accuracy(rows(5, "a", **judge), "column:judge", labels=many, cluster="question")
    widths = [each.accuracy.systems[0].judge.width for each in (once, five)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


def test_copies_make_a_correlation_no_surer():
    """Answers to one question are drawn together; five copies do not narrow the interval by half."""
    noise = np.random.default_rng(1).normal(size=QUESTIONS)
    more = {"judgement": lambda i, _: float(RIGHT["a"][i] + noise[i]), "judge": lambda i, _: float(RIGHT["a"][i])}

    def width(copies, cluster):
        found = qassay.correlate(
            rows(copies, "a", **more), judge="column:judge", coefficient="pearson", cluster=cluster
        )
        interval = found.agreements[0].first.interval
        return interval.high - interval.low

    assert width(5, "question") == pytest.approx(width(1, None), rel=0.2)


def test_any_field_can_be_the_cluster():
    """Documents with several questions each are clusters too; a row without the field is refused."""
    found = qassay.score(rows(1, "a", document=lambda i, _: f"d{i % 12}"), "exact_match", cluster="document")
    assert found.aggregates[0].clusters == 12
    with pytest.raises(DataError, match=r'the answer with id "q0" has no "document" for cluster=.document.'):
        qassay.score(rows(1, "a"), "exact_match", cluster="document")


SAMPLES = {"q1": ["n", "n", "no"], "q2": ["no", "No!", "n"], "q3": ["n", "n", "n"], "q4": ["no", "no", "no"]}


def test_samples_are_joined_as_mean_any_all_and_majority(tmp_path):
    """pass@k and its kin: of four questions three are right in some sample, one in all, two by majority."""
    answers = [
        {"id": name, "references": ["n"], "candidate": each, "sample": number}
        for name, given in SAMPLES.items()
        for number, each in enumerate(given)
    ]
    found = qassay.score(answers, "exact_match", cluster="question").samples()
    values = {each.outcome: each.value for each in found}
    assert values == {"mean": pytest.approx(0.5), "any": 0.75, "all": 0.25, "majority": 0.5}
    assert {(each.questions, each.samples) for each in found} == {(4, 3.0)}
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, answers)))
    done = command("score", path, "-m", "exact_match", "--cluster", "question", "--json", check=0)
    assert json.loads(done.stdout)["samples"] == [each.to_dict() for each in found]
    assert "majority" in command("score", path, "-m", "exact_match", "--cluster", "question", check=0).stdout


def test_single_answers_have_no_sample_aggregates():
    """Where every question has one answer there is nothing to join."""
    assert qassay.score(rows(1, "a"), "exact_match", cluster="question").samples() == []


@pytest.mark.parametrize("name", ["score", "compare", "accuracy", "correlate"])
def test_every_command_takes_a_cluster(tmp_path, name):
    """The four commands of which the statistics depend on it have the option."""
    path = tmp_path / "answers.jsonl"
    more = {"judgement": lambda i, _: i / QUESTIONS, "judge": lambda i, _: float(RIGHT["a"][i])}
    path.write_text("\n".join(map(json.dumps, rows(2, **more))))
    metric = ("-m", "exact_match") if name in {"score", "compare"} else ("--judge", "column:judge")
    command(name, path, *metric, "--cluster", "question", "--json", check=0)


def test_samples_that_all_agree_have_an_interval(tmp_path):
    """Thirty questions that some sample answers are no certainty; the table has the intervals whole."""
    rows = [
        {"id": f"q{i}", "system": system, "references": ["a"], "candidate": "a" if k == i % 3 else "b", "sample": k}
        for system in ("first", "second")
        for i in range(30)
        for k in range(3)
    ]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = command("score", path, "-m", "exact_match", "--cluster", "question", check=0).stdout.replace(
        "\N{EN DASH}", "-"
    )
    assert "exact_match, any        1.000 0.886-1.000   1.000 0.886-1.000" in shown
    assert "exact_match, majority   0.000 0.000-0.114   0.000 0.000-0.114" in shown
    assert "n counts questions, of 3 samples each" in shown


NOTE = "samples of a question, counted as independent answers; cluster by question to keep them together"


def test_samples_without_clusters_are_noted(tmp_path):
    """Intervals that take samples for further questions are too narrow, which a note says; not so with clusters."""
    rows = [
        {
            "id": f"{i}",
            "system": system,
            "sample": k,
            "question": f"{i}?",
            "references": ["a"],
            "candidate": "ab"[i % 2],
        }
        for system in ("old", "new")
        for i in range(6)
        for k in (1, 2)
    ]
    path = write_rows(tmp_path / "samples.jsonl", rows)
    assert qassay.score(rows, "exact_match").notes == {NOTE: 24}
    assert qassay.score(path, "exact_match").notes == {NOTE: 24}
    assert qassay.compare(path, "exact_match").table.notes == {NOTE: 24}
    assert qassay.score(rows, "exact_match", intervals=False).notes == {}
    for found in (
        qassay.score(rows, "exact_match", cluster="question"),
        qassay.score(path, "exact_match", cluster="question"),
    ):
        assert found.notes == {}
    assert qassay.compare(rows, "exact_match", cluster="question").table.notes == {}

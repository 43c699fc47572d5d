"""Looking into runs: pages, filters, distributions and differences, over a hundred thousand answers too."""

import json
import time

import pytest

import qassay as package
from commands import qassay
from judged_in_doubt import write_judged_in_doubt
from qassay.errors import DataError
from qassay.io.scores.scored_files import ScoredRow
from qassay.io.scores.writers import open_writer
from qassay.records import Example, Reference
from qassay.web.explore.runs import Filter, open_runs
from qassay.web.launch import Launch, study_path
from qassay.web.settings import Settings
from qassay.web.study.creation import as_row
from web.conftest import running
from web.studies import answers

METRICS = ("token_f1", "rouge_l", "ava")


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Answers of two systems and their scores, as `qassay score -o` writes them."""
    folder = tmp_path_factory.mktemp("runs")
    given = answers(60)
    (folder / "answers.jsonl").write_text("".join(json.dumps(as_row(each)) + "\n" for each in given))
    words = [word for each in METRICS for word in ("-m", each)]
    qassay("score", "answers.jsonl", *words, "-o", "scores.jsonl", folder=folder, check=0)
    return folder, given


@pytest.fixture(scope="module")
def here(scored, tmp_path_factory):
    """A server with the runs."""
    folder, given = scored
    place = tmp_path_factory.mktemp("server")
    runs = open_runs(place / "runs.db", [str(folder / "scores.jsonl")], given)

    def add(server):
        server.runs = runs

    with running(place / "server.db", add) as found:
        yield found
    runs.close()


@pytest.fixture(scope="module")
def owner(here):
    return here.owner()


def test_the_overview_has_systems_metrics_and_means(owner, scored):
    """Means are those of the scores in the file."""
    found = owner.get("/api/v1/runs").json
    assert found["answers"] == 60
    assert found["systems"] == [{"name": "a", "n": 30}, {"name": "b", "n": 30}]
    assert [each["spec"] for each in found["metrics"]] == list(METRICS)
    assert found["has_texts"]
    rows = [json.loads(line) for line in (scored[0] / "scores.jsonl").read_text().splitlines()]
    own = [row["scores"]["ava"] for row in rows if row["system"] == "a"]
    mean = next(each for each in found["aggregates"] if (each["system"], each["metric"]) == ("a", "ava"))
    assert mean["value"] == pytest.approx(sum(own) / len(own))
    assert mean["low"] < mean["value"] < mean["high"]


def test_pages_filters_and_order(owner):
    """Pages follow each other without gaps; filters and sorting are those of the query."""
    first, second = (owner.get(f"/api/v1/answers?limit=20&offset={offset}").json for offset in (0, 20))
    assert first["total"] == 60
    assert [row["row"] for row in first["rows"] + second["rows"]] == list(range(1, 41))
    low = owner.get("/api/v1/answers?system=a&metric=ava&high=0.5&sort=ava&order=desc").json
    values = [row["scores"]["ava"] for row in low["rows"]]
    assert values == sorted(values, reverse=True)
    assert max(values) <= 0.5
    assert {row["system"] for row in low["rows"]} == {"a"}
    assert owner.get("/api/v1/answers?text=NOBODY").json["total"] == 20
    assert owner.get("/api/v1/answers?judged=true").json["total"] == 0
    assert owner.get("/api/v1/answers?sort=nothing").status == 404
    assert owner.get("/api/v1/answers?low=0.5").status == 422


def test_one_answer_with_its_words_and_parts(owner):
    """The whole answer, and its explanation with heat map and the judge's parts."""
    answer = owner.get("/api/v1/answers/2").json
    assert answer["candidate"] == "it is 0"
    assert answer["asserted"]["ava"]
    explained = owner.get("/api/v1/answers/2/explanation").json
    assert explained["scores"]["ava"] == answer["scores"]["ava"]
    assert owner.get("/api/v1/answers/1/explanation").json["parts"]["ava"]
    assert owner.get("/api/v1/answers/61").status == 404


def test_distributions_count_every_answer(owner):
    """Counts of each system add up to its answers."""
    found = owner.get("/api/v1/distribution?metric=ava&bins=10").json
    assert len(found["edges"]) == 11
    assert [sum(each["counts"]) + each["missing"] for each in found["systems"]] == [30, 30]


def test_differences_between_two_systems(owner):
    """Questions come by how far two systems differ, and the mean is that of the differences."""
    found = owner.get("/api/v1/differences?a=a&b=b&metric=token_f1&limit=30").json
    gaps = [row["difference"] for row in found["rows"]]
    assert found["total"] == 30 == sum(found["better"].values())
    assert gaps == sorted(gaps, reverse=True)
    assert found["mean"] == pytest.approx(sum(gaps) / 30)
    assert all(row["a"]["score"] - row["b"]["score"] == row["difference"] for row in found["rows"])
    assert owner.get("/api/v1/differences?a=a&b=none&metric=token_f1").status == 404


def test_means_of_a_judge_that_was_asked_in_doubt_are_corrected(tmp_path):
    """They are the accuracies that `qassay accuracy` estimates, and not the means of the doubtful answers."""
    judged = tmp_path / "judged.jsonl"
    write_judged_in_doubt(judged)
    runs = open_runs(tmp_path / "runs.db", [str(judged)], [])
    found, apart = runs.overview, runs.differences("old", "new", "gpt5", descending=True, offset=0, limit=1)
    plain = runs.differences("old", "new", "cheap", descending=True, offset=0, limit=1)
    runs.close()
    means = {each["system"]: each for each in found["aggregates"] if each["metric"] == "gpt5"}
    for each in package.accuracy(judged, "column:gpt5").accuracy.systems:
        assert means[each.system]["value"] == pytest.approx(each.best.estimate)
        assert means[each.system]["low"] < each.best.estimate < means[each.system]["high"]
    notes = {each["spec"]: each["note"] for each in found["metrics"]}
    assert "for the others stands cheap, corrected" in notes["gpt5"]
    assert notes["cheap"] is None
    assert "this difference is not" in apart["note"]
    assert plain["note"] is None


def test_scores_of_two_judges_that_were_asked_in_doubt_are_joined_with_how(tmp_path):
    """Each file says how its own judge was asked; neither is forgotten."""
    judged, again = tmp_path / "judged.jsonl", tmp_path / "again.jsonl"
    write_judged_in_doubt(judged)
    rows = [json.loads(line) for line in judged.read_text().splitlines()]
    other = [
        {**row, "scores": {"other": row["scores"]["gpt5"]}, "asked": {"other": row["asked"]["gpt5"]}} for row in rows
    ]
    again.write_text("".join(json.dumps(row) + "\n" for row in other))
    runs = open_runs(tmp_path / "runs.db", [str(judged), str(again)], [])
    means = {(each["system"], each["metric"]): each["value"] for each in runs.overview["aggregates"]}
    runs.close()
    assert means["new", "other"] == means["new", "gpt5"]


def test_answers_alone_are_scored_first(tmp_path):
    """Without scores the answers are scored with the metrics that are given."""
    runs = open_runs(tmp_path / "runs.db", [], answers(10), metrics=("exact_match",))
    assert runs.metrics == ("exact_match",)
    assert runs.overview["answers"] == 10
    runs.close()


def test_scores_without_texts_say_so(scored, tmp_path):
    """An explanation needs the answers beside the scores."""
    runs = open_runs(tmp_path / "runs.db", [str(scored[0] / "scores.jsonl")], [])
    assert not runs.has_texts
    with pytest.raises(Exception, match="together with the scores"):
        runs.example(1)
    runs.close()


def test_nothing_to_look_into_is_refused(tmp_path):
    """A message says what to give."""
    with pytest.raises(DataError, match="nothing to look into"):
        open_runs(tmp_path / "runs.db", [], [])


@pytest.mark.parametrize(
    "text", ["\u00c4rzte", "\u00e4RZTE", "A\u0308rzte", "\u041c\u043e\u0441\u043a\u0432\u0430", "STRASSE"]
)
def test_texts_are_found_in_any_case_and_script(tmp_path, text):
    """Umlauts, Cyrillic and sharp s, however they are written."""
    held = Example(
        "q1",
        "Gibt es \u00c4rzte in \u041c\u041e\u0421\u041a\u0412\u0410?",
        (Reference("ja"),),
        "ja, in der Stra\u00dfe",
    )
    runs = open_runs(tmp_path / "runs.db", [], [held, *answers(4)], metrics=("token_f1",))
    found = runs.page(Filter(text=text), sort=None, descending=False, offset=0, limit=5)
    runs.close()
    assert [row["id"] for row in found["rows"]] == ["q1"]


def test_a_study_is_found_by_its_name():
    """What ends in .qassay.db is a study; without one and without --task there is none."""
    settings = Settings()
    assert str(study_path(Launch(settings, ("a.qassay.db",)))) == "a.qassay.db"
    assert study_path(Launch(settings, ("scores.jsonl",))) is None


def test_a_hundred_thousand_answers_stay_responsive(tmp_path):
    """Any page, filter, distribution and comparison of 100,000 answers takes the processor less than a second."""
    rows = (
        ScoredRow(
            f"q{i // 2}", "ab"[i % 2], {"f": (i * 7919 % 1000) / 1000, "g": (i % 100) / 100}, question=f"what {i}"
        )
        for i in range(100_000)
    )
    open_writer(tmp_path / "scores.jsonl", ("f", "g")).write(rows)
    runs = open_runs(tmp_path / "runs.db", [str(tmp_path / "scores.jsonl")], [])
    with running(tmp_path / "server.db", lambda server: setattr(server, "runs", runs)) as here:
        owner = here.owner()
        owner.get("/api/v1/runs")
        for path in (
            "answers?offset=99950",
            "answers?sort=f&order=desc&offset=50000",
            "answers?metric=f&low=0.2&high=0.3&system=a",
            "answers?text=what 99999".replace(" ", "%20"),
            "distribution?metric=f",
            "differences?a=a&b=b&metric=f&offset=20000",
        ):
            took = []
            for _ in range(3):
                begun = time.process_time()
                assert owner.get(f"/api/v1/{path}").status == 200
                took.append(time.process_time() - begun)
            assert min(took) < 1.0, path
    runs.close()

"""Shards and batches add up to the whole, exactly."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from commands import write_rows
from qassay.scoring.aggregates.aggregation import GROUPS

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "in", "mat", "sun", "Mary", "Paul", "saw", "river", "red"]
LEXICAL = ["bleu", "token_f1", "rouge_l", "meteor"]
MANY = GROUPS + 700


def text(i, k, most=9):
    return " ".join(WORDS[(i * 7 + k * 5 + j * (3 + i % 4)) % len(WORDS)] for j in range(1 + (i * k) % most))


def rows(size, systems=("A",)):
    return [
        {
            "id": f"q{i}",
            "system": systems[i % len(systems)],
            "question": f"What happened in {text(i, 2, 3)}?",
            "references": [text(i, 3), text(i, 11)],
            "candidate": None if i % 50 == 7 else text(i, 4),
        }
        for i in range(size)
    ]


def by_system(aggregates):
    return sorted(aggregates, key=lambda each: (each.system, each.metric))


def accumulated(specs, parts, **options):
    """Accumulate each part in an accumulator of its own, send these through pickle, and merge them in order."""
    shards = [pickle.loads(pickle.dumps(qassay.Accumulator(specs, **options).update(part))) for part in parts]  # noqa: S301
    first, *others = shards
    for each in others:
        first.merge(each)
    return first


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=90, max_size=90), st.permutations(range(4)))
def test_shards_in_any_order(shard_of, order):
    """Answers dealt out to shards at random and merged in any order have the aggregates of one run."""
    whole = rows(90, ("A", "B"))
    parts = [[row for row, shard in zip(whole, shard_of, strict=True) if shard == each] for each in order]
    found = accumulated(LEXICAL, parts).compute()
    assert by_system(found.aggregates) == by_system(qassay.score(whole, LEXICAL).aggregates)


@pytest.mark.parametrize("cuts", [(10,), (GROUPS,), (GROUPS + 1,), (2000, 4000, 4100)])
def test_more_answers_than_groups(cuts):
    """Also where answers share the rows that are resampled, and however few a shard has, all is the same."""
    whole = rows(MANY)
    bounds = [0, *cuts, MANY]
    parts = [whole[start:end] for start, end in pairwise(bounds)]
    found = accumulated(LEXICAL, parts[::-1]).compute()
    assert list(found.aggregates) == list(qassay.score(whole, LEXICAL).aggregates)


def test_learned_metrics():
    """The judge's scores and its shares of attempts add up too."""
    whole = rows(40)
    found = accumulated(["bleu", "ava"], [whole[25:], whole[:3], whole[3:25]]).compute()
    assert list(found.aggregates) == list(qassay.score(whole, ["bleu", "ava"]).aggregates)


def test_updates_are_batches_of_one_shard():
    """One accumulator takes batch after batch; rows without ids are counted on."""
    whole = [{key: value for key, value in row.items() if key != "id"} for row in rows(40)]
    acc = qassay.Accumulator("token_f1")
    for start in range(0, 40, 7):
        acc.update(whole[start : start + 7])
    assert acc.update([]).compute().to_dict() == qassay.score(whole, "token_f1").to_dict()


def test_files_are_read_as_shards(tmp_path):
    """Files are taken like rows, and rows that were left out are counted."""
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "1", "references": ["a"], "candidate": "a"}\n{"id": "2"}\n', encoding="utf-8")
    found = qassay.Accumulator("token_f1", on_error="skip").update(path).compute()
    assert (found.examples, found.skipped, found.aggregate("token_f1").value) == (1, 1, 1.0)


@pytest.mark.parametrize("questions", [30, 400])
@pytest.mark.parametrize("cluster", ["question", "document"])
def test_clusters_across_shards(questions, cluster):
    """Samples of a question count as one, also where they are dealt out to shards, few or more than are kept apart."""
    whole = [
        {**row, "id": f"q{i}#{k}", "question": f"What is {i}?", "document": f"d{i % 9}"}
        for k in range(5)
        for i, row in enumerate(rows(questions))
    ]
    parts = [whole[each::3] for each in range(3)]
    found = accumulated(LEXICAL, parts, cluster=cluster).compute()
    expected = qassay.score(whole, LEXICAL, cluster=cluster).aggregates
    assert by_system(found.aggregates) == by_system(expected)


def test_copies_do_not_narrow_an_accumulated_interval():
    """Five copies of every answer, one per shard, have the interval of one."""
    once = rows(60)
    copies = [[{**row, "id": f"{row['id']}#{k}", "question_id": row["id"]} for row in once] for k in range(5)]
    one = qassay.Accumulator("token_f1").update(once).compute().aggregate("token_f1")
    found = accumulated("token_f1", copies, cluster="question").compute().aggregate("token_f1")
    naive = accumulated("token_f1", copies).compute().aggregate("token_f1")
    assert found.high - found.low == pytest.approx(one.high - one.low, rel=0.15)
    assert naive.high - naive.low < 0.6 * (found.high - found.low)


def test_samples_without_clusters_are_noted(tmp_path):
    """As by `qassay.score` for all answers together, whether they come as rows or as files, over all shards."""
    whole = [{**row, "sample": k} for row in rows(20) for k in range(3)]
    path = write_rows(tmp_path / "rest.jsonl", whole[12:])
    found = accumulated("token_f1", [whole[:12], path]).compute()
    assert found.to_dict() == qassay.score(whole, "token_f1").to_dict()
    assert list(found.notes.values())[-1] == 60


def test_samples_are_not_noted_where_they_are_no_matter():
    """With clusters the intervals know of them, and without intervals nothing is too narrow."""
    whole = [{**row, "sample": k} for row in rows(20) for k in range(3)]
    clustered = accumulated("token_f1", [whole], cluster="question").compute()
    assert (clustered.notes, "samples" in clustered.to_dict()) == ({}, False)
    assert accumulated("token_f1", [whole]).compute(intervals=False).notes == {}


def test_cluster_without_its_field():
    """A row without the field is refused by its id, and adds nothing."""
    acc = qassay.Accumulator("token_f1", cluster="document")
    with pytest.raises(qassay.DataError, match='"q0" has no "document" for cluster'):
        acc.update(rows(3))
    assert len(acc) == 0


def test_intervals_left_out():
    """Without intervals the values are the same, and the result says that there are none."""
    found = qassay.Accumulator("bleu").update(rows(40)).compute(intervals=False).aggregate("bleu")
    assert found.value == qassay.score(rows(40), "bleu").aggregate("bleu").value
    assert (found.low, found.high, found.interval) == (None, None, "none: left out")


def test_failed_update_adds_nothing():
    """A batch with a bad row leaves the accumulator as it was."""
    acc = qassay.Accumulator("token_f1").update(rows(5))
    with pytest.raises(qassay.DataError, match="row 2"):
        acc.update([{"references": ["a"], "candidate": "a"}, {"references": []}])
    assert len(acc) == 5


def test_id_twice_in_updates():
    """An id that came before is refused by name."""
    acc = qassay.Accumulator("token_f1").update(rows(5))
    with pytest.raises(qassay.DataError, match='"q3" of system "A" appears twice'):
        acc.update(rows(5)[3:])


def test_answer_in_two_shards():
    """An answer that two accumulators have is refused."""
    with pytest.raises(qassay.DataError, match="2 answers are in both accumulators"):
        accumulated("token_f1", [rows(5), rows(5)[3:]])


def test_ids_unchecked():
    """A caller that sees to distinct ids need not have them kept."""
    acc = accumulated("token_f1", [rows(5), rows(5)[3:]], check_ids=False)
    assert len(acc) == 7


def test_merged_with_itself():
    """An accumulator is no other shard, also where ids are not checked."""
    acc = qassay.Accumulator("token_f1", check_ids=False).update(rows(5))
    with pytest.raises(qassay.SpecError, match="merged with itself"):
        acc.merge(acc)
    assert len(acc) == 5


def test_shards_without_ids():
    """Answers of two shards that have no ids cannot be told apart."""
    bare = [{"references": ["a"], "candidate": "a"}]
    with pytest.raises(qassay.DataError, match='give each row an "id"'):
        accumulated("token_f1", [bare, bare])


@pytest.mark.parametrize(
    ("specs", "options", "named"),
    [
        ("bleu", {}, "metrics"),
        ("token_f1", {"language": "zh"}, "lang"),
        ("token_f1", {"seed": 1}, "seed"),
        ("token_f1", {"cluster": "question"}, "cluster"),
    ],
)
def test_unlike_accumulators(specs, options, named):
    """Accumulators that measure something else are not merged."""
    with pytest.raises(qassay.SpecError, match=named):
        qassay.Accumulator("token_f1").merge(qassay.Accumulator(specs, **options))


@pytest.mark.parametrize("spec", ["cider", "token_f1:idf", "bert_score:idf"])
def test_whole_run_without_frequencies(spec):
    """What depends on the whole run is refused, with the remedy."""
    with pytest.raises(qassay.SpecError, match="qassay frequencies"):
        qassay.Accumulator([spec])


def test_range_of_the_run():
    """A range of scores cannot be stored, and is refused too."""
    with pytest.raises(qassay.SpecError, match="depends on the whole run"):
        qassay.Accumulator(["bert_score,rescale=run"])


def test_frequencies_of_the_whole(tmp_path):
    """With the frequencies of all answers, shards give the scores and signatures of one run."""
    whole, specs = rows(60), ["cider", "token_f1:idf", "rouge_l:idf"]
    qassay.frequencies(whole, specs, tmp_path / "df.json")
    found = accumulated(specs, [whole[20:], whole[:20]], df=tmp_path / "df.json").compute()
    assert list(found.aggregates) == list(qassay.score(whole, specs).aggregates)


def test_frequencies_in_a_score(tmp_path):
    """Part of the answers gets from `score` the scores that it has in the whole."""
    whole = rows(60)
    qassay.frequencies(whole, "cider", tmp_path / "df.json")
    part = qassay.score(whole[:20], "cider", df=tmp_path / "df.json")
    assert part["cider"][:7].tolist() == qassay.score(whole, "cider")["cider"][:7].tolist()


def test_other_frequencies(tmp_path):
    """A file that counts something else is refused, with what it holds."""
    qassay.frequencies(rows(9), "cider", tmp_path / "df.json")
    with pytest.raises(qassay.DataError, match=r"n-grams of 1 to 4 tokens \(tok=word\) by question, and not of tokens"):
        qassay.Accumulator("token_f1:idf", df=tmp_path / "df.json")


def test_frequencies_without_need(tmp_path):
    """Frequencies are neither counted for nor given to metrics that use none."""
    with pytest.raises(qassay.SpecError, match="count no words over a run"):
        qassay.frequencies(rows(9), "bleu", tmp_path / "df.json")
    with pytest.raises(qassay.SpecError, match="leave it out"):
        qassay.Accumulator("bleu", df=tmp_path / "df.json")


def test_nothing_to_compute():
    """An empty accumulator has no scores."""
    with pytest.raises(qassay.DataError, match="there are no answers to score"):
        qassay.Accumulator("bleu").compute()


def test_page(tmp_path):
    """The page of accumulated scores names systems and metrics."""
    page = qassay.Accumulator("bleu").update(rows(30)).compute().report(tmp_path / "scores.html")
    assert "accumulated answers" in page.read_text(encoding="utf-8")

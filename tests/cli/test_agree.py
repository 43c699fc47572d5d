"""`qassay agree` as a user meets it."""

import json

import pytest

from commands import answers, qassay, qassay_json, write_rows

VALUES = {
    "q0": {"ann": 1, "bob": 1, "cyd": 2, "dan": 5},
    "q1": {"ann": 4, "bob": 5, "cyd": 4, "dan": 4},
    "q2": {"ann": 2, "bob": 2, "cyd": 3, "dan": 2},
    "q3": {"ann": 5, "bob": 5, "cyd": 5, "dan": 1},
}


def long_csv(folder):
    lines = [f"{item},A,{who},{value}" for item, given in VALUES.items() for who, value in given.items()]
    (folder / "ratings.csv").write_text("id,system,annotator,value\n" + "\n".join(lines))
    return folder / "ratings.csv"


def wide_csv(folder):
    lines = [",".join([item, "A", *map(str, given.values())]) for item, given in VALUES.items()]
    (folder / "ratings.csv").write_text("id,system,ann,bob,cyd,dan\n" + "\n".join(lines))
    return folder / "ratings.csv"


def long_jsonl(folder):
    rows = [
        {"id": item, "system": "A", "annotator": who, "value": value}
        for item, given in VALUES.items()
        for who, value in given.items()
    ]
    return write_rows(folder / "ratings.jsonl", rows)


def wide_jsonl(folder):
    rows = [{"id": item, "system": "A", "ratings": given} for item, given in VALUES.items()]
    return write_rows(folder / "ratings.jsonl", rows)


@pytest.mark.parametrize("write", [wide_csv, long_jsonl, wide_jsonl])
def test_every_form_of_file_says_the_same(tmp_path, write):
    """Long and wide tables and JSON lines give one result."""
    (tmp_path / "long").mkdir()
    assert qassay_json("agree", write(tmp_path)) == qassay_json("agree", long_csv(tmp_path / "long"))


def test_json_has_the_documented_fields(tmp_path):
    """Alpha before and after, the mean Pearson, counts, and each annotator."""
    document = qassay_json("agree", long_csv(tmp_path))
    assert document.keys() >= {"alpha", "alpha_before_cleaning", "pearson", "items", "ratings", "removed", "annotators"}
    assert (document["items"], document["ratings"], document["removed"]) == (4, 16, 4)
    assert document["annotators"][0].keys() >= {"annotator", "ratings", "removed", "bias", "deviation", "agreement"}
    assert document["alpha"]["low"] <= document["alpha"]["value"] <= document["alpha"]["high"]


def test_noise_is_taken_out_and_the_rest_averaged(tmp_path):
    """In each item the one rating with |z| > 1 goes; the mean of the others is the judgement."""
    out = tmp_path / "judgements.jsonl"
    qassay("agree", long_csv(tmp_path), "-o", out, check=0)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    # by hand: 5 of (1, 1, 2, 5), 5 of (4, 5, 4, 4), 3 of (2, 2, 3, 2) and 1 of (5, 5, 5, 1) are farther than one sd
    assert [(row["id"], row["ratings"], row["removed"]) for row in rows] == [(f"q{i}", 3, 1) for i in range(4)]
    assert [row["judgement"] for row in rows] == pytest.approx([4 / 3, 4, 2, 5])


def test_without_cleaning_every_rating_counts(tmp_path):
    """`--no-clean` averages all four."""
    out = tmp_path / "judgements.csv"
    document = qassay_json("agree", long_csv(tmp_path), "--no-clean", "-o", out)
    assert (document["removed"], document["alpha_before_cleaning"]) == (0, None)
    assert out.read_text().splitlines()[1].startswith("q0,A,2.25,4,0,")


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv"])
def test_judgements_go_straight_into_correlate(tmp_path, suffix):
    """What `agree -o` writes is what `correlate --judgements` takes."""
    file = write_rows(tmp_path / "answers.jsonl", answers(4))
    out = tmp_path / f"judgements{suffix}"
    qassay("agree", long_csv(tmp_path), "-o", out, check=0)
    own = [{**row, "judgement": value} for row, value in zip(answers(4), [4 / 3, 4, 2, 5], strict=True)]
    inside = write_rows(tmp_path / "inside.jsonl", own)
    words = ("-m", "rouge_l", "--bootstrap", 0)
    joined = qassay_json("correlate", file, "--judgements", out, *words)
    assert joined["correlations"][0]["pearson"] == pytest.approx(
        qassay_json("correlate", inside, *words)["correlations"][0]["pearson"], abs=1e-12
    )


def test_hashed_names_tell_people_apart_and_hide_them(tmp_path):
    """The same salt gives the same hashes, another salt others, and no name is printed."""
    file = long_csv(tmp_path)
    one, again, other = (
        [each["annotator"] for each in qassay_json("agree", file, "--hash", salt)["annotators"]]
        for salt in ("pepper", "pepper", "thyme")
    )
    assert len(set(one)) == 4
    assert one == again
    assert set(one).isdisjoint(other)
    assert not {"ann", "bob", "cyd", "dan"} & {*one, *other}


def test_the_table_shows_agreement_and_annotators(tmp_path):
    """Alpha before and after, and a line a person."""
    table = qassay("agree", long_csv(tmp_path), check=0).stdout
    assert "16, 4 removed as noise" in table
    assert "alpha, cleaned" in table
    assert "dan" in table


def test_columns_can_be_renamed(tmp_path):
    """A file with other names is read with --map."""
    file = tmp_path / "hits.tsv"
    text = long_csv(tmp_path).read_text().replace("id,system,annotator,value", "hit,model,worker,score")
    file.write_text(text.replace(",", "\t"))
    renames = ("--map", "id=hit", "--map", "system=model", "--map", "annotator=worker", "--map", "value=score")
    assert qassay_json("agree", file, *renames) == qassay_json("agree", long_csv(tmp_path))


def test_a_wide_table_with_other_columns_names_its_annotators(refused, tmp_path):
    """Without the names the text column stops the run and the message says how to go on."""
    file = tmp_path / "wide.csv"
    file.write_text("id,question,ann,bob\nq1,why?,1,2\nq2,how?,3,4\nq3,who?,5,5\n")
    assert "--annotator" in refused("agree", file)
    assert qassay_json("agree", file, "--annotator", "ann", "--annotator", "bob")["ratings"] == 6


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("id,annotator,value\nq1,ann,7\n", ["--scale", "1:5"], "r.csv:2: rating 7 is outside the scale from 1 to 5"),
        ("id,annotator,value\nq1,ann,good\n", [], "r.csv:2: \"value\" is 'good', which is no rating"),
        ("id,annotator,value\nq1,ann,inf\n", [], "r.csv:2: \"value\" is 'inf', which is no rating"),
        ("id,annotator,value\nq1,ann,nan\n", [], "which is no rating"),
        ("id,annotator,value\nq1,ann,1\nq1,ann,2\n", [], 'r.csv:3: "ann" rates "q1" a second time'),
        ("id,annotator,value\nq1,ann,\n", [], "there are no ratings in it"),
        ("key,annotator,value\nq1,ann,1\n", [], "name yours with --map"),
        ("id,annotator,value\nq1,ann,1\n", ["--scale", "5:1"], "the lowest and the highest rating"),
        ("id,annotator,value\nq1,ann,1\n", ["--scale", "1:inf"], "the lowest and the highest rating"),
        ("id,annotator,value\nq1,ann,1\n", ["--measurement", "ratio"], "give nominal, ordinal or interval"),
        ("id,annotator,value\nq1,ann,1\n", ["--form", "round"], "give auto, long or wide"),
        ("id,annotator,value\nq1,ann,1\n", ["--map", "who=ann"], 'names "who"'),
        ("id,annotator,value\nq1,ann,1\n", ["--hash", ""], "the salt has 0 bytes"),
        ("id,annotator,value\nq1,ann,1\n", ["-o", "out.doc"], ".jsonl, .csv or .tsv"),
    ],
)
def test_bad_ratings_stop_with_place_and_remedy(refused, tmp_path, text, words, message):
    """One message, exit status 2, nothing written."""
    (tmp_path / "r.csv").write_text(text)
    assert message in refused("agree", "r.csv", *words)
    assert [each.name for each in tmp_path.iterdir()] == ["r.csv"]


def test_ratings_outside_the_scale_can_be_skipped(tmp_path):
    """The two fives are listed and left out of the count."""
    document = qassay_json("agree", long_csv(tmp_path), "--scale", "1:4", "--on-error", "skip")
    assert (document["ratings"], document["skipped"]) == (11, 5)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["q1,ann,1", "q2,ann,2", "q3,ann,3"], "no item has two ratings"),
        (["q1,ann,3", "q1,bob,3", "q2,ann,3", "q2,bob,3"], "all ratings are equal"),
    ],
)
def test_undefined_agreement_says_why(tmp_path, rows, reason):
    """One annotator, and ratings that are all alike, have no alpha; the judgements are there all the same."""
    file = tmp_path / "r.csv"
    file.write_text("\n".join(["id,annotator,value", *rows]))
    done = qassay("agree", file, check=0)
    document = qassay_json("agree", file)
    assert (document["alpha"]["value"], document["alpha"]["reason"]) == (None, reason)
    assert f"undefined: {reason}" in done.stdout
    assert "nan" not in done.stdout.lower()


def test_more_annotators_than_items(tmp_path):
    """Thirty people on two items: everything is there, and the table says whom it leaves out."""
    rows = [f"q{i},w{j},{1 + (i * 3 + j) % 5}" for i in range(2) for j in range(30)]
    file = tmp_path / "r.csv"
    file.write_text("\n".join(["id,annotator,value", *rows]))
    assert len(qassay_json("agree", file)["annotators"]) == 30
    assert "10 more with --json" in qassay("agree", file, check=0).stdout


def test_each_person_has_a_file(tmp_path):
    """Several files say what one with all ratings says."""
    header, *rows = long_csv(tmp_path).read_text().splitlines()
    people = ("ann", "bob", "cyd", "dan")
    for person in people:
        own = [row for row in rows if f",{person}," in row]
        (tmp_path / f"{person}.csv").write_text("\n".join([header, *own]))
    apart = qassay_json("agree", *(tmp_path / f"{person}.csv" for person in people))
    assert apart == qassay_json("agree", long_csv(tmp_path))


def grouped_csv(folder, form):
    """Write the ratings with a column `kind`: q0 and q1 are of kind a, the others of kind b."""
    kinds = {"q0": "a", "q1": "a", "q2": "b", "q3": "b"}
    if form == "wide":
        lines = ["id,kind,ann,bob,cyd,dan"]
        lines += [",".join([item, kinds[item], *map(str, given.values())]) for item, given in VALUES.items()]
    else:
        lines = ["id,kind,annotator,value"]
        lines += [f"{item},{kinds[item]},{who},{each}" for item, given in VALUES.items() for who, each in given.items()]
    (folder / "grouped.csv").write_text("\n".join(lines))
    return folder / "grouped.csv"


@pytest.mark.parametrize("form", ["long", "wide"])
def test_agreement_is_measured_in_each_group(tmp_path, form):
    """A group's figures are those of a file with its items alone, and all items have theirs besides."""
    document = qassay_json("agree", grouped_csv(tmp_path, form), "--by", "kind")
    first = {item: VALUES[item] for item in ("q0", "q1")}
    alone = qassay_json("agree", write_rows(tmp_path / "a.jsonl", [{"id": i, "ratings": v} for i, v in first.items()]))

    assert document["by"] == "kind"
    assert [(each["group"], each["items"], each["ratings"]) for each in document["groups"]] == [
        ("a", 2, 8),
        ("b", 2, 8),
    ]
    assert document["groups"][0]["alpha"] == alone["alpha"]
    assert document["groups"][0]["alpha_before_cleaning"] == alone["alpha_before_cleaning"]
    assert document["alpha"] == qassay_json("agree", long_csv(tmp_path))["alpha"]


def test_groups_are_shown_and_reported(tmp_path):
    """The terminal and the page have one row per group."""
    page = tmp_path / "page.html"
    done = qassay("agree", grouped_csv(tmp_path, "long"), "--by", "kind", "--report", page, check=0)
    table = [line.split()[:3] for line in done.stdout.splitlines()]
    assert ["kind", "items", "per"] in table
    assert ["a", "2", "3.00"] in table
    assert "By kind" in page.read_text(encoding="utf-8")


def test_systems_can_be_compared(tmp_path):
    """`--by system` needs no column of its own."""
    document = qassay_json("agree", long_csv(tmp_path), "--by", "system")
    assert [(each["group"], each["items"]) for each in document["groups"]] == [("A", 4)]


def test_an_item_is_in_one_group(tmp_path, refused):
    """Two groups of one item are an error with the line."""
    (tmp_path / "r.csv").write_text("id,kind,annotator,value\nq,a,ann,1\nq,b,bob,2\n")
    assert 'r.csv:3: "q" is of "b" here and of "a" before' in refused("agree", "r.csv", "--by", "kind")


def test_a_column_to_group_by_must_be_there(tmp_path, refused):
    """The message names the columns."""
    long_csv(tmp_path)
    assert 'there is no column "kind" among id, system' in refused("agree", "ratings.csv", "--by", "kind")

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import DataError, SpecError
from qassay.training.answer_text import question_key
from qassay.training.keyphrase.build import RECIPE, build, parse_source
from qassay.training.keyphrase.sources import FORMATS
from qassay.training.sources import DataSource, licences, questions_in, read_recipe
from qassay.training.splits import linked
from shared import DATA, bench, train


def sentences_file(tmp_path, count, name="s.jsonl"):
    path = tmp_path / name
    entries = [
        {
            "question": f"what is number {number // 2}?",
            "answer": f"w{number}",
            "sentences": [{"sentence": f"it is w{number}"}],
        }
        for number in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    return path


def test_the_split_is_nine_to_one(tmp_path):
    """A tenth of the rows is held out."""
    source = DataSource("sentences", sentences_file(tmp_path, 400))

    data = build([source], rng=np.random.default_rng(0))

    assert len(data.dev) == pytest.approx(40, abs=2)
    assert len(data.train) + len(data.dev) == 400


def test_no_question_is_on_both_sides(tmp_path):
    """Rows that ask the same stay together."""
    source = DataSource("sentences", sentences_file(tmp_path, 400))

    data = build([source], rng=np.random.default_rng(1))

    sides = [{question_key(row.question) for row in side} for side in (data.train, data.dev)]
    assert not sides[0] & sides[1]


def test_the_seed_decides_the_split(tmp_path):
    """The same seed gives the same split, another one another."""
    source = DataSource("sentences", sentences_file(tmp_path, 100))

    first, again, other = (build([source], rng=np.random.default_rng(seed)).dev for seed in (0, 0, 1))

    assert first == again != other


def test_evaluation_questions_are_left_out_and_counted(tmp_path):
    """A question of an evaluation set, however written, is not trained on."""
    source = DataSource("sentences", sentences_file(tmp_path, 20))

    data = build([source], rng=np.random.default_rng(0), held_out=["What is number 3"])

    assert data.left_out["question of an evaluation set"] == 2
    assert len(data.train) + len(data.dev) == 18


def test_repeated_rows_count_once(tmp_path):
    """The same question and answer from two files are one row."""
    source = DataSource("sentences", sentences_file(tmp_path, 20))

    data = build([source, source], rng=np.random.default_rng(0))

    assert data.left_out["repeated"] == 20


def test_licensed_only_leaves_out_sources_without_licence(tmp_path):
    """Only sources that state a licence stay, and the report names only them."""
    stated = DataSource("sentences", sentences_file(tmp_path, 20), "stated", "MIT")
    silent = DataSource("sentences", sentences_file(tmp_path, 40, "t.jsonl"), "silent")

    data = build([stated, silent], rng=np.random.default_rng(0), licensed_only=True)

    assert list(data.counts()) == ["stated"]


def test_known_formats_state_their_licence():
    """A file that is named by itself has the licence of its kind."""
    assert [parse_source(f"{kind}:x").licence for kind in ("squad", "boolq")] == ["CC BY-SA 4.0", "none stated"]


def test_every_format_has_a_licence_or_states_none():
    """No format is forgotten."""
    assert set(licences(RECIPE)) == set(FORMATS)


def test_what_is_written_tells_where_it_comes_from(tmp_path):
    """`sources.json` has each file's checksum and licence, and the rows of each source."""
    data = build([DataSource("sentences", sentences_file(tmp_path, 20), "s", "MIT")], rng=np.random.default_rng(0))

    data.write(tmp_path / "out")

    report = json.loads((tmp_path / "out" / "sources.json").read_text(encoding="utf-8"))
    assert report["files"][0]["licence"] == "MIT"
    assert len(report["files"][0]["sha256"]) == 64
    assert sum(report["rows"]["s"].values()) == 20


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), max_size=20))
def test_items_that_share_a_key_are_linked(keys):
    """Two items with a key in common are in one cluster, and items of unlike clusters share none."""
    roots = linked(keys)

    for first, left in zip(roots, keys, strict=True):
        for second, right in zip(roots, keys, strict=True):
            assert not set(left) & set(right) or first == second


def test_sources_are_named_by_format_and_file():
    """`format:path`; anything else says which formats there are."""
    assert parse_source("squad:a/b.json").format == "squad"
    with pytest.raises(SpecError, match="squad, hotpot"):
        parse_source("b.json")


def test_a_table_without_questions_is_refused(tmp_path):
    """The message names the file."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"t\.csv"):
        questions_in([path])


@pytest.mark.parametrize(
    ("path", "question"),
    [
        ("kpqa_human/marco_all.csv", "dimensions of average tub"),
        ("openqa_eval/NQ301_BEM.tsv", "where are the washington redskins based out of"),
        ("wikiqa/WikiQA-test.tsv", "how african americans were immigrated to the us"),
        (
            "answer_verification/summeval_labeled-answers.csv",
            "a jacket and full skirt ensemble worn in several key scenes in what movie has fetched 137 000 at auction",
        ),
    ],
)
def test_questions_of_evaluation_files_are_found(path, question):
    """CSV, TSV and stray quotation marks."""
    assert question in questions_in([bench(path)])


def test_trec_questions_are_found():
    """TREC-QA's tagged text holds 100 test questions and some repeated ones."""
    assert len(questions_in([bench("trecqa/TEST.xml")])) > 80


def test_the_recipe_names_files_that_exist():
    """Every file of the embedded model's recipe is among the public training sets."""
    train("squad/dev-v1.1.json")

    assert all(source.path.is_file() for source in read_recipe(RECIPE, DATA / "train"))

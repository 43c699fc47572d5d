import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import qassay, qassay_json
from qassay.errors import DataError, SpecError
from qassay.training.answer_text import question_key
from qassay.training.keyphrase.build import RECIPE, build, parse_source, recipe_sources
from qassay.training.keyphrase.judged import embedded_judged
from qassay.training.keyphrase.rows import read_rows
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


def kpqa_files(folder):
    """Write made-up files of the shape and under the names of the sets that KPQA is trained on."""
    squad = [
        {
            "title": f"town {number}",
            "paragraphs": [
                {
                    "context": f"Town {number} has a mayor. It lies in Norway.",
                    "qas": [
                        {
                            "id": f"s{number}",
                            "question": f"Where is town {number}?",
                            "answers": [
                                {"text": "Norway", "answer_start": len(f"Town {number} has a mayor. It lies in ")}
                            ],
                        }
                    ],
                }
            ],
        }
        for number in range(20)
    ]
    hotpot = [
        {
            "_id": f"h{number}",
            "question": f"Where was writer {number} born?",
            "answer": "Oslo",
            "supporting_facts": [[f"Ann {number} Lie", 1]],
            "context": [
                [f"Ann {number} Lie", [f"Ann {number} Lie (born 1970) is a writer.", " She was born in Oslo."]]
            ],
        }
        for number in range(20)
    ]
    rows = [str(number) for number in range(20)]
    marco = {
        "answers": {row: ["Ten miles."] for row in rows},
        "passages": {
            row: [{"is_selected": 1, "passage_text": f"Road {row} is ten miles long.", "url": "http://x"}]
            for row in rows
        },
        "query": {row: f"how long is road {row}" for row in rows},
        "query_id": {row: int(row) for row in rows},
        "query_type": dict.fromkeys(rows, "NUMERIC"),
        "wellFormedAnswers": {row: "[]" if int(row) % 2 else [f"The road {row} is ten miles long."] for row in rows},
    }
    files = {
        "squad/train-v1.1.json": {"version": "1.1", "data": squad},
        "hotpotqa/hotpot_train_v1.1.json": hotpot,
        "msmarco/train_v2.1.json": marco,
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_kpqas_data_is_one_recipe(tmp_path):
    """The three sets of Lee et al. (2021), read in their published forms, with no judged answers beside them."""
    found = qassay_json(
        "build", "keyphrase", "--recipe", kpqa_files(tmp_path), "--preset", "kpqa", "-o", tmp_path / "out"
    )

    assert {name: sum(counts.values()) for name, counts in found["rows"].items()} == {
        "squad": 20, "hotpotqa": 20, "msmarco": 20,
    }  # fmt: skip
    assert found["judged"] == {}
    rows = [*read_rows(tmp_path / "out" / "train.jsonl"), *read_rows(tmp_path / "out" / "dev.jsonl")]
    answers = {row.answer for row in rows}
    assert {"Road 1 is ten miles long.", "The road 2 is ten miles long.", "Ann 3 Lie was born in Oslo."} <= answers


def test_a_recipe_can_leave_a_source_out(tmp_path):
    """The paper's Table 4 trains without MS MARCO; the file need not even be there."""
    kpqa_files(tmp_path)
    (tmp_path / "msmarco" / "train_v2.1.json").unlink()
    words = ["build", "keyphrase", "--recipe", tmp_path, "--preset", "kpqa", "-o", tmp_path / "out"]

    found = qassay_json(*words, "--without", "msmarco")

    assert sorted(found["rows"]) == ["hotpotqa", "squad"]
    missing = qassay(*words)
    assert missing.returncode != 0
    assert "train_v2.1.json" in missing.stderr.replace("\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", ".", "--preset", "best"], "embedded, kpqa"),
        (["--recipe", ".", "--preset", "kpqa", "--without", "qed"], "squad, hotpotqa, msmarco"),
        (["--data", "squad:x.json", "--without", "squad"], "--recipe FOLDER"),
    ],
)
def test_unknown_recipes_and_sources_are_refused(tmp_path, options, message):
    """The message names what there is."""
    result = qassay("build", "keyphrase", *options, "-o", tmp_path / "out")

    assert result.returncode != 0
    assert message in " ".join(result.stderr.split())


def test_judged_answers_of_a_left_out_source_are_left_out_too():
    """What a source gives goes as a whole, in whichever form."""
    folder = train("evouna/NQ.json").parents[1]
    built = build(recipe_sources(folder, without=["evouna"]), rng=np.random.default_rng(0))

    judged = embedded_judged(folder, built, rng=np.random.default_rng(0), without=["evouna"])

    assert not {row.source for row in [*built.train, *built.dev]} & {"evouna"}
    assert not {pair.source for pair in judged} & {"evouna", "evouna_sentences"}
    assert {pair.source for pair in judged} >= {"multirc", "boolq"}

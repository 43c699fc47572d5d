"""What other tools write is read as it is, recognised by its content."""

import json
import re
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from pyarrow import ipc, parquet

import qassay
from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions, sniff

ANSWERS = [
    ("Who wrote Frankenstein?", ["Mary Shelley"], "Mary Shelley"),
    ("When was it published?", ["1818"], "In 1819."),
]
CONTEXTS = ["Frankenstein is a novel by Mary Shelley.", "It was first published in 1818."]
OURS = [{"question": q, "references": r, "candidate": c} for q, r, c in ANSWERS]


def inspect_archive(fixtures, path, method=zipfile.ZIP_DEFLATED):
    """Write the log in `inspect.json` as Inspect's .eval archive."""
    log = json.loads((fixtures / "tools" / "inspect.json").read_bytes())
    samples = log.pop("samples")
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": log["eval"], "plan": log["plan"]}))
        for each in samples:
            archive.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        archive.writestr("header.json", json.dumps(log))
    return path


def dataset_on_disk(folder, rows):
    """Write rows as Hugging Face's `save_to_disk` does: streams of Arrow, with a state that lists them."""
    folder.mkdir(parents=True)
    table = pa.Table.from_pylist(rows)
    name = "data-00000-of-00001.arrow"
    with ipc.new_stream(str(folder / name), table.schema) as writer:
        writer.write_table(table)
    state = {"_data_files": [{"filename": name}], "_fingerprint": "f", "_format_type": None, "_split": "test"}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text(json.dumps({"features": {}}))
    return folder


def answers_of(path, **options):
    """Read the answers of a file."""
    return list(Reader([path], ReadOptions(**options)))


def texts_of(examples):
    """Return the question, references and candidate of each answer."""
    return [(each.question, [r.text for r in each.references], each.candidate) for each in examples]


FILES = {
    "ragas.jsonl": "ragas",
    "ragas.csv": "ragas",
    "ragas-first.json": "ragas",
    "deepeval.json": "deepeval",
    "deepeval-run.json": "deepeval",
    "lm-eval.jsonl": "lm_eval",
    "inspect.json": "inspect",
    "promptfoo.json": "promptfoo",
    "mlflow-table.json": "mlflow",
    "mlflow-dataset.jsonl": "mlflow",
}


@pytest.fixture
def written(fixtures, tmp_path):
    """Write every sample without its name, those that are made here too; return their formats by path."""
    paths = {}
    for number, (file, name) in enumerate(FILES.items()):
        path = tmp_path / f"file{number}"
        path.write_bytes((fixtures / "tools" / file).read_bytes())
        paths[path] = name
    paths[inspect_archive(fixtures, tmp_path / "log")] = "inspect"
    dataset = dataset_on_disk(tmp_path / "dataset", OURS)
    paths[dataset / "data-00000-of-00001.arrow"] = "arrow"
    ragas = [json.loads(line) for line in (fixtures / "tools" / "ragas.jsonl").read_text().splitlines()]
    parquet.write_table(pa.Table.from_pylist(ragas), tmp_path / "parquet")
    paths[tmp_path / "parquet"] = "parquet"
    return paths


def test_every_tool_s_file_is_recognised_and_read(written):
    """Of each, `--format auto` finds the format, and the same two answers come out."""
    assert {path: sniff(path) for path in written} == written
    assert {path: texts_of(answers_of(path)) for path in written} == dict.fromkeys(written, ANSWERS)


@pytest.mark.parametrize("file", ["ragas.jsonl", "ragas.csv", "ragas-first.json", "deepeval.json", "deepeval-run.json"])
def test_retrieved_contexts_are_contexts(fixtures, file):
    """What a system retrieved is read for `faithful`."""
    assert answers_of(fixtures / "tools" / file)[0].extra["contexts"] == CONTEXTS


def test_scores_of_the_tool_stand_in_fields(fixtures):
    """Inspect's letters and DeepEval's metrics can be compared with `--judge column:NAME`."""
    inspect = answers_of(fixtures / "tools" / "inspect.json")
    assert [each.extra["match"] for each in inspect] == [1.0, 0.0]
    assert {each.system for each in inspect} == {"openai/gpt-5"}
    deepeval = answers_of(fixtures / "tools" / "deepeval-run.json")
    assert [each.extra["Answer Relevancy"] for each in deepeval] == [1.0, 0.5]


ARRAYS = ["ragas-first.json", "deepeval.json", "mlflow-dataset.jsonl", "ragas.jsonl"]


@pytest.mark.parametrize("file", ARRAYS)
def test_an_array_in_one_line_is_read(fixtures, tmp_path, file):
    """As pandas's `to_json(orient="records")` writes it; answers without ids are named by their number."""
    text = (fixtures / "tools" / file).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()] if file.endswith("l") else json.loads(text)
    bare = [{name: value for name, value in row.items() if name not in {"id", "trace_id"}} for row in rows]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(bare))
    found = answers_of(path)
    assert texts_of(found) == ANSWERS
    assert [each.id for each in found] == ["rows.json:1", "rows.json:2"]
    mapped = [{**row, "number": f"n{i}"} for i, row in enumerate(bare)]
    path.write_text(json.dumps(mapped))
    assert [each.id for each in answers_of(path, mapping={"id": "number"})] == ["n0", "n1"]


def with_nan(path, name):
    """Return a file's text with values in its first row that Python's `json` writes for what is no number."""
    text = path.read_text(encoding="utf-8")
    opened = re.search(r'"samples":\s*\[\s*\{' if name == "inspect" else r"\{", text).end()
    return f'{text[:opened]}"tool_score": NaN, "least": [-Infinity], {text[opened:]}'


@pytest.mark.parametrize("file", [file for file in FILES if not file.endswith(".csv")])
def test_nan_in_a_tool_s_file_is_nothing(fixtures, tmp_path, file):
    """Python's `json` writes NaN for a score that there is not, as Inspect does for what is unscored."""
    path = tmp_path / file
    path.write_text(with_nan(fixtures / "tools" / file, FILES[file]), encoding="utf-8")
    assert sniff(path) == FILES[file]
    assert texts_of(answers_of(path)) == ANSWERS


def test_a_score_of_nan_in_an_inspect_archive_is_none(fixtures, tmp_path):
    """What Inspect counts as unscored has no score in the column."""
    log = inspect_archive(fixtures, tmp_path / "log.eval", zipfile.ZIP_STORED)
    edited = tmp_path / "edited.eval"
    with zipfile.ZipFile(log) as archive, zipfile.ZipFile(edited, "w") as made:
        for name in archive.namelist():
            made.writestr(name, archive.read(name).replace(b'"value": "I"', b'"value": NaN'))
    assert [each.extra["match"] for each in answers_of(edited)] == [1.0, None]


@pytest.mark.parametrize(
    ("field", "value"), [("output", "text"), ("scores", ["text"]), ("input", [{"role": ["user"]}])], ids=str
)
def test_an_inspect_sample_of_another_shape_is_refused_by_its_place(fixtures, tmp_path, field, value):
    """One message, and the others can be read."""
    log = json.loads((fixtures / "tools" / "inspect.json").read_bytes())
    log["samples"][0][field] = value
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log, indent=1))
    with pytest.raises(DataError, match=r"log.json:\d+: is not what inspect writes"):
        answers_of(path)
    assert texts_of(answers_of(path, on_error="skip")) == ANSWERS[1:]


@pytest.mark.parametrize("header", ['{"eval": ["text"]}', '{"eval": {"config": {"epochs": "two"}}}', "[]", "{"])
def test_an_inspect_header_of_another_shape_is_refused(tmp_path, header):
    """The file is named with what is wrong in it."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", header)
        archive.writestr("samples/1_epoch_1.json", "{}")
    with pytest.raises(DataError, match=r"log.eval: has a header.json that is not what inspect writes"):
        answers_of(path)


def test_an_mlflow_table_without_answers_is_refused(tmp_path):
    """The names that are read are listed."""
    path = tmp_path / "table.json"
    path.write_text(json.dumps({"columns": ["inputs", "targets"], "data": [["Who?", "Mary"]]}))
    with pytest.raises(DataError, match="has none of outputs, predictions"):
        answers_of(path, format="mlflow")


def test_a_log_packed_with_zstandard_is_read(fixtures, tmp_path):
    """Newer versions of Inspect pack the members of a log with Zstandard, which zipfile cannot read before 3.14."""
    plain = inspect_archive(fixtures, tmp_path / "plain.eval", zipfile.ZIP_STORED)
    with zipfile.ZipFile(plain) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    packed = tmp_path / "packed.eval"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, zstandard.compress(content))
        for each in archive.infolist():
            each.compress_type = 93
    assert texts_of(answers_of(packed)) == ANSWERS


def test_a_dataset_s_folder_is_read(tmp_path):
    """A folder stands for its Arrow files; of several splits one is to be named."""
    dataset_on_disk(tmp_path / "both" / "test", OURS)
    dataset_on_disk(tmp_path / "both" / "train", OURS)
    (tmp_path / "both" / "dataset_dict.json").write_text('{"splits": ["test", "train"]}')
    assert texts_of(answers_of(tmp_path / "both" / "test")) == ANSWERS
    assert qassay.score(str(tmp_path / "both" / "test"), "exact_match").aggregates[0].value == 0.5
    with pytest.raises(DataError, match=r"several splits; give one of .*test, .*train"):
        answers_of(tmp_path / "both")


def test_samples_and_filters_of_the_harness(fixtures, tmp_path):
    """Several replies are samples, and a filter names the system; likelihoods are refused with the reason."""
    row = json.loads((fixtures / "tools" / "lm-eval.jsonl").read_text().splitlines()[0])
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps({**row, "filtered_resps": [["a", "b"]], "filter": "strict"}) + "\n{}\n")
    found = next(iter(answers_of(path, on_error="skip"))), answers_of(path, on_error="skip")[1]
    assert [(each.id, each.candidate, each.system, each.extra["sample"]) for each in found] == [
        ("0#1", "a", "strict", 1),
        ("0#2", "b", "strict", 2),
    ]
    path.write_text(json.dumps({**row, "filtered_resps": [["-1.5", "False"], ["-2.5", "True"]]}) + "\n{}\n")
    with pytest.raises(DataError, match=r"samples.jsonl:1: .*compares likelihoods"):
        answers_of(path)


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ({"references": "doc.answers"}, {"doc": {"answers": ["a", "b"]}}),
        ({"references": "answers.text"}, {"answers": [{"text": "a"}, {"text": "b"}]}),
        ({"references": "answers"}, {"answers": {"text": ["a", "b"], "answer_start": [0, 1]}}),
        ({"references": "a.b"}, {"a.b": ["a", None, "b"]}),
        ({"references": "golds.0"}, {"golds": [["a", "b"]]}),
    ],
)
def test_a_dotted_path_leads_to_references(columns, row):
    """Paths lead through objects and lists; a name with a dot is a name."""
    table = qassay.score([{**row, "candidate": "b"}], "exact_match", columns=columns)
    assert [each.text for each in table.examples[0].references] == ["a", "b"]
    assert table["exact_match"].tolist() == [1.0]


def test_mapped_values_take_the_shape_of_our_fields():
    """A text is one reference, a list of contexts is contexts, true is a judgement of 1, a conversation a question."""
    row = {
        "gold": "Paris",
        "out": ["Paris"],
        "talk": [{"role": "user", "content": "Where?"}],
        "passages": ["a", "b"],
        "ok": True,
    }
    columns = {
        "references": "gold",
        "candidate": "out",
        "question": "talk",
        "context": "passages",
        "judgement": "ok",
    }
    (example,) = qassay.score([row], "exact_match", columns=columns).examples
    assert (example.question, example.candidate, example.judgement) == ("Where?", "Paris", 1.0)
    assert (example.extra["contexts"], example.context) == (["a", "b"], None)


def test_a_path_that_leads_nowhere_is_refused():
    """The message names the path and the field."""
    with pytest.raises(DataError, match=r'row 1: "doc.answers" is missing, which columns= takes for "references"'):
        qassay.score([{"doc": {}, "candidate": "a"}], "exact_match", columns={"references": "doc.answers"})


TABLES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars, lazily": lambda rows: pl.DataFrame(rows).lazy(),
    "Arrow": pa.Table.from_pylist,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_tool_s_rows_in_memory_are_read(fixtures, table):
    """Data frames and Arrow tables of Ragas's columns can be scored as they are."""
    rows = [json.loads(line) for line in (fixtures / "tools" / "ragas.jsonl").read_text().splitlines()]
    found = qassay.score(table(rows), "exact_match")
    assert texts_of(found.examples) == ANSWERS
    assert found.examples[0].extra["contexts"] == CONTEXTS


def test_numpy_values_and_nothing_within_fields():
    """Numpy's texts, arrays in arrays and NaN count as in lists of Python's own."""
    rows = [
        {
            "id": np.int64(7),
            "references": np.array(["a", "b"], dtype=object),
            "candidate": np.str_("b"),
            "question": float("nan"),
            "judgement": np.float32(0.5),
            "note": {"deep": np.array([np.nan, 1.0])},
        }
    ]
    (example,) = qassay.score(rows, "exact_match").examples
    assert (example.id, example.candidate, example.question, example.judgement) == ("7", "b", "", 0.5)
    assert example.extra["note"] == {"deep": [None, 1.0]}


def test_a_mapping_goes_before_what_a_tool_s_names_mean(fixtures):
    """`--map references=doc.answers` takes what the document holds instead of the harness's target."""
    found = answers_of(fixtures / "tools" / "lm-eval.jsonl", mapping={"references": "doc.answers"})
    assert [[r.text for r in each.references] for each in found] == [["Mary Shelley", "Shelley"], ["1818"]]


QUESTIONS_ELSEWHERE = [{"query": q, "references": r, "candidate": c} for q, r, c in ANSWERS]
NOTE = 'answers without a question, judged by their references alone; map "query" to question if it holds it'


def test_missing_questions_are_noted_with_the_likely_column():
    """Scores, comparisons and accuracies by `ava` say that there are no questions and where they may be."""
    two = [{**row, "system": name, "id": f"{i}"} for name in "ab" for i, row in enumerate(QUESTIONS_ELSEWHERE)]
    assert qassay.score(QUESTIONS_ELSEWHERE, "ava").notes == {NOTE: 2}
    assert qassay.compare(two, "ava").to_dict()["notes"] == {NOTE: 4}
    assert f"{NOTE}: 2" in qassay.accuracy(QUESTIONS_ELSEWHERE, "ava").notes
    with pytest.raises(
        DataError, match=r"rouge_l:kpqa.*\"query\" may hold it: map it with columns=\{'question': 'query'\}"
    ):
        qassay.score(QUESTIONS_ELSEWHERE, "rouge_l:kpqa")


def test_an_inspect_sample_without_a_target_has_no_reference(fixtures, tmp_path):
    """Its empty target is no answer to compare with: the sample is refused, or skipped with the reason."""
    log = json.loads((fixtures / "tools" / "inspect.json").read_bytes())
    log["samples"][1]["target"] = ""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    with pytest.raises(DataError, match='"references" is missing'):
        answers_of(path)
    assert texts_of(answers_of(path, on_error="skip")) == texts_of(answers_of(fixtures / "tools" / "inspect.json"))[:1]

"""DuReader: labelled references, entities, and answers in the result form."""

import re
import zipfile

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Opinion, Reference
from shared import bench


def test_questions_are_read_with_their_labels(fixtures):
    """Each reference has its opinion, and labels that are none are missing."""
    first, _ = Reader([fixtures / "dureader.json"])
    assert first == Example(
        id="1",
        question="冰好吗",
        references=(
            Reference("好。", Opinion.YES),
            Reference("不好。", Opinion.NO),
            Reference("看情况。", Opinion.DEPENDS),
            Reference("不知道。"),
        ),
        candidate="好",
        question_type="yes_no",
    )


def test_entities_of_all_references_are_joined(fixtures):
    """The entities are those of any reference, each once; without a fake answer there is no candidate."""
    _, second = Reader([fixtures / "dureader.json"])
    assert (second.entities, second.candidate, second.question_type) == (("玻璃", "塑料"), None, "entity")


def test_questions_without_references_are_counted(fixtures):
    """A question that has no reference is left out and listed."""
    reader = Reader([fixtures / "dureader.json"])
    list(reader)
    assert [str(skipped) for skipped in reader.skipped] == [f"{fixtures}/dureader.json:3: no reference"]


def test_results_are_the_candidates(fixtures):
    """A file in the result form gives candidates and their opinions; an empty list is an empty answer."""
    reader = Reader([fixtures / "dureader.json", fixtures / "dureader-results.json"])
    found = [(example.id, example.candidate, example.opinion, example.system) for example in reader]
    assert found == [("1", "不好", Opinion.NO, "dureader-results"), ("2", "", None, "dureader-results")]


def test_a_question_missing_from_the_results_has_no_candidate(fixtures, tmp_path):
    """Missing is not empty."""
    path = tmp_path / "results.json"
    path.write_text('{"question_id": 1, "answers": ["好"]}', encoding="utf-8")
    reader = Reader([fixtures / "dureader.json", path], ReadOptions(format="dureader"))
    assert [example.candidate for example in reader] == ["好", None]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            '{"question_id": 1, "question": "q", "answers": ["a", "b"], "yesno_answers": ["Yes"]}',
            "1 labels for 2 answers",
        ),
        ('{"question_id": 1, "question": "q", "answers": ["a"], "yesno_answers": ["Perhaps"]}', "use yes, no, depends"),
        ('{"question_id": 1, "question": "q", "answers": "a"}', "is not a row of DuReader"),
        ('{"question_id": 1, "question": "q", "answers": [', "is not valid JSON"),
    ],
)
def test_a_bad_row_is_refused(read, row, says):
    """Labels that do not fit and rows of another shape are errors at their line."""
    good = '{"question_id": 0, "question": "q", "answers": ["a"]}'
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        read(f"{good}\n\n{row}\n".encode(), "dureader.json")
    assert caught.value.line == 3


def test_two_answers_to_one_question_are_refused(fixtures, tmp_path):
    """A result with several answers does not say which is meant."""
    path = tmp_path / "results.json"
    path.write_text('{"question_id": 1, "answers": ["好", "不好"]}', encoding="utf-8")
    with pytest.raises(DataError, match="has 2 answers; give one answer per question"):
        list(Reader([fixtures / "dureader.json", path]))


@pytest.fixture
def archive(tmp_path):
    def packing(**members):
        path = tmp_path / "dureader.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in members.items():
                packed.writestr(name.replace("__", "/").replace("_", "."), content)
        return path

    return packing


def test_an_archive_is_read(archive):
    """The JSON files of a zip archive are read one after the other; a place names the file inside."""
    row = '{{"question_id": {}, "question": "q", "answers": {}}}'
    path = archive(demo__a_json=row.format(1, '["x"]'), demo__b_json=row.format(2, "[]"), readme_txt="hello")
    reader = Reader([path])
    assert [example.id for example in reader] == ["1"]
    assert [skipped.place for skipped in reader.skipped] == [f"{path}/demo/b.json:1"]


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (lambda content: content[: len(content) // 2], "damaged or cut short"),
        (lambda content: content.replace(b"question", b"questioX", 1), "damaged or cut short"),
    ],
)
def test_a_damaged_archive_is_refused(tmp_path, damaged, says):
    """An archive that is cut short, or whose content does not fit its checksum, is a message."""
    path = tmp_path / "dureader.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.json", '{"question_id": 1, "question": "q", "answers": ["x"]}')
    path.write_bytes(damaged(path.read_bytes()))
    with pytest.raises(DataError, match=says):
        list(Reader([path]))


def test_an_archive_without_data_is_refused(archive):
    """An archive that holds no JSON is a message."""
    with pytest.raises(DataError, match=re.escape("holds no .json or .jsonl file")):
        list(Reader([archive(readme_txt="hello")]))


@pytest.mark.parametrize(("part", "count", "left_out"), [("dev", 99, 1), ("train", 96, 4)])
def test_the_real_demo_is_read(part, count, left_out):
    """The demo sets have 100 questions each, of which 1 and 4 have no reference (counted in the raw lines)."""
    reader = Reader([bench(f"dureader/search.{part}.json")])
    assert (len(list(reader)), reader.skipped_total) == (count, left_out)


def test_the_real_test_set_has_nothing_to_score():
    """The test set has no references, which is said."""
    with pytest.raises(DataError, match="all 100 rows were left out"):
        list(Reader([bench("dureader/search.test.json")]))

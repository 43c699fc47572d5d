"""One reader over several inputs: identity, duplicates, counts, Python rows."""

import gc
import json
import os
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions, SkippedRow


def lines(*names, system=None):
    rows = [
        {"id": name, "references": ["a"], "candidate": "b"} | ({"system": system} if system else {}) for name in names
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.fixture
def files(tmp_path):
    def writing(**contents):
        paths = []
        for name, content in contents.items():
            path = tmp_path / f"{name}.jsonl"
            path.write_text(content, encoding="utf-8")
            paths.append(path)
        return paths

    return writing


def test_inputs_follow_each_other(files):
    """Several files are one stream."""
    reader = Reader(files(first=lines("1", "2"), second=lines("3")))
    assert [example.id for example in reader] == ["1", "2", "3"]


def test_files_of_different_formats_can_be_mixed(files, fixtures):
    """Each input is recognised for itself."""
    reader = Reader(
        [*files(first=lines("1")), fixtures / "kpqa.csv", fixtures / "squad.json", fixtures / "squad-alpha.json"]
    )
    assert len(list(reader)) == 1 + 2 + 3


@pytest.mark.parametrize("distance", [1, 3000, 9000])
def test_the_same_id_twice_is_refused(files, distance):
    """A repeated id is found wherever the first one was, and named with its line."""
    names = [str(number) for number in range(distance)]
    reading = Reader(files(answers=lines(*names, "0", "more")))
    with pytest.raises(DataError, match='the id "0" appears twice') as caught:
        list(reading)
    assert caught.value.line == distance + 1


def test_the_same_id_in_two_files_is_refused(files):
    """Ids are one's own within all inputs together."""
    with pytest.raises(DataError, match=r"second\.jsonl:1: the id"):
        list(Reader(files(first=lines("1"), second=lines("1"))))


def test_the_same_id_of_two_systems_is_no_repetition(files):
    """Two systems may answer the same question."""
    reader = Reader(files(first=lines("1", system="A"), second=lines("1", system="B")))
    assert [example.system for example in reader] == ["A", "B"]


def test_repetitions_are_skipped_when_asked(files):
    """The first answer stays, the others are left out and listed."""
    (path,) = files(answers=lines("1", "2", "1", "1", "3"))
    reader = Reader([path], ReadOptions(on_error="skip"))
    assert [example.id for example in reader] == ["1", "2", "3"]
    assert [skipped.place for skipped in reader.skipped] == [f"{path}:3", f"{path}:4"]


def test_answers_before_a_repetition_are_given_first(files):
    """What came before the repeated id has been read."""
    reading = iter(Reader(files(answers=lines("1", "2", "1"))))
    assert [next(reading).id, next(reading).id] == ["1", "2"]


def test_only_the_first_thousand_skipped_are_listed(files):
    """All are counted, so that a large file of bad rows costs no memory."""
    reader = Reader(files(answers=lines("1") + "5\n" * 3000), ReadOptions(on_error="skip"))
    list(reader)
    assert (len(reader.skipped), reader.skipped_total) == (1000, 3000)


def test_a_skipped_row_prints_its_place_and_reason():
    """The listing reads like an error message."""
    assert str(SkippedRow("answers.jsonl:3", "is not a JSON object")) == "answers.jsonl:3: is not a JSON object"


@pytest.mark.parametrize("content", ["\n \n", ""])
def test_an_input_without_answers_is_refused(files, content):
    """Every input must hold at least one answer, also beside others that do."""
    with pytest.raises(DataError, match=r"second\.jsonl: .*no answers in it"):
        list(Reader(files(first=lines("1"), second=content), ReadOptions(format="jsonl")))


def test_an_input_of_bad_rows_only_is_refused(files):
    """When everything was skipped, the message says so and why."""
    with pytest.raises(DataError, match=r"all 2 rows were left out, such as .*answers.jsonl:2 \(is not a JSON object"):
        list(Reader(files(answers="5\n6\n"), ReadOptions(on_error="skip")))


def test_no_input_is_refused():
    """A reader of nothing is a mistake."""
    with pytest.raises(DataError, match="there is no input"):
        Reader([])


def test_the_system_is_named_where_rows_do_not(files):
    """The option is for rows that name no system."""
    first, second = files(first=lines("1"), second=lines("2", system="A"))
    assert [example.system for example in Reader([first, second], ReadOptions(system="B"))] == ["B", "A"]


def test_inputs_are_read_apart_under_their_names(files):
    """The extensions, also that of compression, are no part of the name."""
    first, second = files(first=lines("1"), second=lines("1", "2"))
    packed = second.rename(second.with_name("new.v2.jsonl.gz"))
    parts = Reader([first, packed]).apart()
    assert [(name, len(list(part))) for name, part in parts] == [("first", 1), ("new.v2", 2)]


def test_a_pipe_that_was_recognised_is_read_whole(tmp_path):
    """Nothing of it is lost between the two, though it can be read once only."""
    pipe = tmp_path / "answers"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as writer:
        writer.submit(pipe.write_text, lines("1", "2"), "utf-8")
        ((name, part),) = Reader([pipe]).apart()
        assert (name, [example.id for example in part]) == ("answers", ["1", "2"])


def test_a_reader_can_be_read_again(files):
    """Each iteration begins anew, counts included."""
    reader = Reader(files(answers=lines("1", "2") + "5\n"), ReadOptions(on_error="skip"))
    assert [len(list(reader)), len(list(reader))] == [2, 2]
    assert reader.skipped_total == 1
    assert reader.bytes_read == reader.total_bytes


def test_reading_takes_constant_memory(files):
    """Four times as many rows take no more memory, apart from 16 bytes each for their ids."""
    peaks = []
    for count in (30_000, 120_000):
        (path,) = files(answers=lines(*map(str, range(count))))
        gc.collect()
        tracemalloc.start()
        for _ in Reader([path]):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1] - 16 * count)
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]

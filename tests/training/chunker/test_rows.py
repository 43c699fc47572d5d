import json
from pathlib import Path
from typing import Any

import pytest

from qassay.errors import DataError
from qassay.training.chunker.rows import read_chunker_rows

TAGGED: dict[str, Any] = {"type": "tagged", "text": "Oh Paris", "words": [[0, 2], [3, 8]], "source": "s", "group": "g"}
KIND: dict[str, Any] = {"type": "kind", "text": "in May", "span": [3, 6], "kind": "time", "source": "s", "group": "g"}


def test_good_rows_are_read(tmp_path: Path):
    """Chunks that CoNLL-2000 has and the chunker does not know are no mistake."""
    path = tmp_path / "train.jsonl"
    chunks = {**TAGGED, "chunks": ["B-INTJ", "B-NP"]}
    path.write_text("".join(json.dumps(row) + "\n" for row in (TAGGED, chunks, KIND)))

    assert len(list(read_chunker_rows(path))) == 3


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({**TAGGED, "parts": ["NNP"]}, '"parts" has 1 labels for 2 words'),
        ({**TAGGED, "parts": ["UH", "NOUN"]}, '"parts" has "NOUN"; there are NN'),
        ({**TAGGED, "chunks": ["O", "NP"]}, '"chunks" has "NP"'),
        ({**TAGGED, "entities": ["O", "B-city"]}, '"entities" has "B-city"'),
        ({**TAGGED, "words": [[0, 2], [3, 9]]}, '"words" must hold ranges'),
        ({**KIND, "span": [3, 3]}, '"span" must be a range'),
        ({**KIND, "kind": "month"}, '"kind" has "month"; there are person'),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: dict[str, Any], problem: str):
    """The message has the place and what would be right."""
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(TAGGED) + "\n" + json.dumps(row) + "\n")

    with pytest.raises(DataError, match=r"train\.jsonl:2: ") as stop:
        list(read_chunker_rows(path))
    assert problem in str(stop.value)

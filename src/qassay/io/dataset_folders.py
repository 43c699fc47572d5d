"""Folders that stand for one dataset: what Hugging Face's `save_to_disk` writes."""

import json
import os
from pathlib import Path

from qassay.errors import DataError

_SPLITS, _STATE = "dataset_dict.json", "state.json"


def dataset_files(folder: str | Path) -> list[Path] | None:
    """Return the Arrow files of a Hugging Face dataset on disk; None for any other folder.

    Raise `DataError` for a folder of several splits, whose folders it names.
    """
    # Asked in this way, an impossible path is simply no folder.
    if not os.path.isdir(folder):  # noqa: PTH112
        return None
    folder = Path(folder)
    try:
        if (folder / _SPLITS).is_file():
            splits = json.loads((folder / _SPLITS).read_bytes())["splits"]
            if len(splits) != 1:
                inside = ", ".join(str(folder / each) for each in splits)
                raise DataError(f"holds several splits; give one of {inside}", folder)
            return dataset_files(folder / splits[0])
        if not (folder / _STATE).is_file():
            return None
        listed = json.loads((folder / _STATE).read_bytes()).get("_data_files") or []
        return [folder / each["filename"] for each in listed] or None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"the dataset's description cannot be read ({error}); save it again", folder) from error

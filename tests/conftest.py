"""Settings for all tests."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# A shared or busy machine makes single examples slow now and then, which says nothing about the code.
settings.register_profile("qassay", deadline=None)
settings.load_profile("qassay")

HERE = Path(__file__).parent
NEED_TORCH = (
    "training/test_*.py",
    "cli/test_train*.py",
    "cli/test_interrupted_training.py",
    "models/test_hf*.py",
    "models/test_ava*.py",
    "models/test_load.py",
    "models/test_onnx.py",
    "models/test_reader.py",
    "models/test_weight_file.py",
    "metrics/questions/test_models.py",
    "oracle/test_bert_score.py",
)
"""Tests that train, or run models with torch."""
_FOUND = {path for pattern in NEED_TORCH for path in HERE.glob(pattern)}
_CLUSTER = set(HERE.glob("cluster/test_*.py"))
"""Tests with a Ray cluster and an S3 server."""
collect_ignore = [] if find_spec("torch") else sorted(map(str, _FOUND))
collect_ignore += [] if find_spec("ray") and find_spec("moto") else sorted(map(str, _CLUSTER))


def pytest_collection_modifyitems(items):
    """Mark what needs torch or a cluster."""
    for item in items:
        if item.path in _CLUSTER:
            item.add_marker(pytest.mark.cluster)
            item.add_marker(pytest.mark.xdist_group("cluster"))
        if item.path in _FOUND:
            item.add_marker(pytest.mark.train)

"""Models that the tests of training start from, made once."""

import pytest


@pytest.fixture(scope="session")
def small_base(tmp_path_factory):
    """Return the folder of a BERT of two small layers."""
    from tiny_bert import write_tiny_bert  # noqa: PLC0415 - loads torch

    return write_tiny_bert(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def trunk_base(tmp_path_factory):
    """Return the folder of a random BERT of the shape that the embedded model's trunk has."""
    from tiny_bert import write_tiny_bert  # noqa: PLC0415 - loads torch

    return write_tiny_bert(tmp_path_factory.mktemp("trunk"), width=384, heads=12, layers=6)

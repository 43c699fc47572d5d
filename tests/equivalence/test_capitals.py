"""Names with capitals inside them."""

import pytest

from qassay.equivalence.canonicalise import restated


@pytest.mark.parametrize(
    ("reference", "candidate", "read"),
    [
        ("YouTube", "youtube", "YouTube"),
        ("youtube", "YouTube", "youtube"),
        ("LinkedIn", "It is linkedin.", "It is LinkedIn."),
        ("FedEx", "FEDEX", "FedEx"),
        ("McDonald's", "mcdonald's", "McDonald's"),
    ],
)
def test_capitals_inside_a_name_are_the_references(reference: str, candidate: str, read: str) -> None:
    """A name is the same with them or without."""
    found = restated("Which one?", reference, candidate)
    assert found is not None
    assert found.candidate == read


@pytest.mark.parametrize(
    ("reference", "candidate"), [("YouTube", "You tube"), ("Anna", "ANNA"), ("YouTube", "YouTube it is")]
)
def test_other_capitals_stay(reference: str, candidate: str) -> None:
    """Capitals at the start, or everywhere, make no difference to a model."""
    assert restated("Which one?", reference, candidate) is None

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import ModelError
from qassay.models.base import is_foreign, parse_ref, windows


@given(st.integers(0, 5000), st.integers(4, 510))
def test_windows_keep_every_token_once(count, room):
    """The kept parts of all windows follow each other from the first token to the last."""
    found = windows(count, room)

    kept = [position for window in found for position in range(window.kept_from, window.kept_to)]
    assert kept == list(range(count))


@given(st.integers(0, 5000), st.integers(4, 510))
def test_windows_fit_and_hold_what_they_keep(count, room):
    """No window is longer than the model reads, and each lies inside the text around what it keeps."""
    found = windows(count, room)

    assert all(window.end - window.start <= room for window in found)
    assert all(0 <= window.start <= window.kept_from <= window.kept_to <= window.end <= count for window in found)


def test_windows_give_context_on_both_sides():
    """A token next to a cut is read with at least an eighth of a window around it."""
    first, second, *_ = windows(1000, 400)

    assert first.end - first.kept_to >= 50
    assert second.kept_from - second.start >= 50


def test_the_embedded_model_goes_by_its_name():
    """`mini` is the embedded model even where a folder has that name."""
    assert parse_ref("mini").kind == "embedded"


def test_an_existing_folder_is_a_folder(tmp_path):
    """A path that exists is opened from disk."""
    assert parse_ref(str(tmp_path)).kind == "folder"


@pytest.mark.parametrize("name", ["roberta-large", "sentence-transformers/all-MiniLM-L6-v2"])
def test_other_names_are_of_the_hub(name):
    """A name with at most one slash may be on the Hub."""
    assert parse_ref(name).kind == "hub"


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "a/b/c", "two words", ""])
def test_what_is_neither_is_refused(name):
    """A path that does not exist, or no name at all, is one clear error."""
    with pytest.raises(ModelError):
        parse_ref(name)


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("Paris", False),
        ("Übergrößenträger", False),
        ("北京是中国的首都", True),
        ("Москва", True),
        ("北京 is the capital", False),
        ("🙂", False),
        ("", False),
    ],
)
def test_text_in_another_script_is_noticed(text, foreign):
    """Text counts as foreign when most of its letters are not Latin."""
    assert is_foreign(text) is foreign

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.report.html.document import embed, write_page


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "&lt;", "\u2028"])
def test_no_text_can_leave_its_script_element(text):
    """What would end or comment out the element is escaped."""
    assert not set("<>&\u2028\u2029") & set(embed([text]))


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_embedded_data_reads_back(data):
    """Escaping changes the writing, not the data."""
    assert json.loads(embed(data)) == data


def test_a_page_replaces_an_older_one(tmp_path):
    """The new page stands where the old one was, and nothing else is left."""
    page = tmp_path / "report.html"
    page.write_text("old")
    write_page("new", page)
    assert (page.read_text(), list(tmp_path.iterdir())) == ("new", [page])


def test_a_missing_folder_is_an_error_with_the_place(tmp_path):
    """The message names the file."""
    page = tmp_path / "nowhere" / "report.html"
    with pytest.raises(DataError, match=r"report\.html: cannot be written"):
        write_page("page", page)


def test_a_folder_in_the_way_is_an_error_and_leaves_nothing(tmp_path):
    """A page cannot take a folder's place, and its parts are cleared away."""
    folder = tmp_path / "report.html"
    folder.mkdir()
    with pytest.raises(DataError):
        write_page("page", folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_half_a_surrogate_pair_does_not_stop_a_page(tmp_path):
    """What no encoding has becomes a question mark."""
    page = tmp_path / "report.html"
    write_page("odd \ud800 text", page)
    assert page.read_text(encoding="utf-8") == "odd ? text"

"""Every screen under axe-core's rules of accessibility."""

import pytest

from browser.conftest import browser  # noqa: F401 - the same browser as for the reports
from web import axe
from web.screens import MODES, show_as, wait
from web.tour import tour, touring

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A server with something on every screen."""
    axe.source()
    with touring(tmp_path_factory.mktemp("tour")) as found:
        yield found


@pytest.mark.parametrize("mode", MODES)
def test_no_screen_has_a_finding(browser, here, mode):  # noqa: F811
    """No rule is broken on any screen, light, dark and on a phone."""
    show_as(browser, mode)
    found = [(name, axe.findings(browser)) for name in tour(browser, here)]
    assert len(found) >= 20
    assert [f"{name}: {finding}" for name, each in found for finding in each] == []


def test_a_finding_is_found(browser, here):  # noqa: F811
    """A button without a name and faint text are severe."""
    show_as(browser, "light")
    browser.get(f"http://127.0.0.1:{here.port}/join")
    wait(lambda: browser.find_elements("css selector", "h1"))
    browser.execute_script(
        "document.getElementById('main').append(document.createElement('button'), "
        "Object.assign(document.createElement('p'), {textContent: 'faint', id: 'faint'}));"
        "document.getElementById('faint').style.color = '#ccc'"
    )
    assert {rule for _, rule, _ in axe.severe(browser)} == {"button-name", "color-contrast"}

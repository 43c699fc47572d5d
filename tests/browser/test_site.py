"""The documentation as a site, opened from a disk without a network."""

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

ROOT = Path(__file__).parents[2]
PAGE = """
<html><head><script src="https://unpkg.com/iframe-worker/shim" type="text/javascript"></script></head><body><script>
const worker = new Worker("../assets/javascripts/workers/search.0.min.js")
worker.onmessage = answer => { document.title = answer.data }
worker.postMessage("told")
</script></body></html>
"""
OPENERS = ".md-search__button, label[for=__search]"
FOUND = """
const found = [], walk = node => {
  for (const each of node.children) { if (each.tagName === "A") found.push(each.href); walk(each) }
}
for (const each of document.body.children) if (each.shadowRoot) walk(each.shadowRoot)
return found
"""
"""Return the addresses that the search shows, which are in a tree of their own."""


def open_search(browser):
    """Open the search box, on a narrow screen by its sign; whether it takes what is typed."""
    shown = [each for each in browser.find_elements(By.CSS_SELECTOR, OPENERS) if each.is_displayed()]
    shown[0].click()
    time.sleep(0.5)
    return browser.execute_script("return document.activeElement !== document.body")


@pytest.fixture(scope="module")
def builder():
    where = importlib.util.spec_from_file_location("documentation_site", ROOT / "docs" / "site.py")
    module = importlib.util.module_from_spec(where)
    where.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path):
    """Make the outline of a site: a worker that repeats what it is told, and a page with its answer as the title."""
    workers = tmp_path / "assets" / "javascripts" / "workers"
    workers.mkdir(parents=True)
    (workers / "search.0.min.js").write_text('onmessage = told => postMessage("</script>" + told.data)')
    (tmp_path / "guides").mkdir()
    (tmp_path / "guides" / "page.html").write_text(PAGE)
    return tmp_path


def test_a_worker_is_started_from_a_disk(builder, site, browser):
    """Search runs in a worker, which browsers refuse to start by an address on a disk."""
    builder.make_self_contained(site)
    browser.get((site / "guides" / "page.html").as_uri())
    WebDriverWait(browser, 10).until(lambda each: each.title)
    assert browser.title == "</script>told"


def test_a_page_that_loads_from_elsewhere_is_refused(builder, site):
    """Fonts and scripts of others would be missing without a network, and tell others who reads."""
    (site / "other.html").write_text('<link rel="stylesheet" href="https://fonts.example.org/a.css">')
    with pytest.raises(SystemExit, match=r"other.html loads <link .*fonts.example.org"):
        builder.make_self_contained(site)


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("zensical") is None, reason="needs zensical: pip install --group docs")
def test_the_site_is_searched_offline(browser):
    """Words typed into the search box of a page on a disk lead to the page that has them."""
    subprocess.run([sys.executable, ROOT / "docs" / "site.py"], check=True, capture_output=True)  # noqa: S603 - our own
    browser.get((ROOT / "site" / "hosts" / "pytest.html").as_uri())
    WebDriverWait(browser, 20, ignored_exceptions=[WebDriverException]).until(open_search)
    browser.switch_to.active_element.send_keys("pooled_stderr")
    found = WebDriverWait(browser, 20).until(lambda each: each.execute_script(FOUND))
    assert any("hosts/lm-eval.html" in each or "hosts/inspect.html" in each for each in found)
    assert not [each for each in browser.get_log("browser") if each["level"] == "SEVERE"]

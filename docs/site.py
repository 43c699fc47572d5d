# ruff: noqa: INP001 - a script, not a module
"""Build the documentation as a site: `make docs`, then open site/index.html.

Pages are taken from this folder as they are; the README and the model card, to which they link, become pages beside
them. The navigation is made from the folders. The build fails at a link that leads nowhere. The pages need no server
and no network, and neither does their search.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "docs"
PAGES = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "LICENSE": "licence.md",
    "src/qassay/models/mini/MODEL_CARD.md": "model-card.md",
}
"""Pages from elsewhere in the project, and their names on the site."""
GUIDES = (
    "getting-started",
    "formats",
    "reports",
    "accuracy",
    "llm-judge",
    "agreement",
    "summaries",
    "weights",
    "training",
    "extending",
    "python",
    "signatures",
)
FOLDERS = {
    "serve": "Server",
    "hosts": "In other tools",
    "metrics": "Metrics",
    "measured": "Measured",
    "decisions": "Decisions",
}
SETTINGS = {
    "site_name": "Qassay",
    "site_description": "Tells you whether answers are right.",
    "docs_dir": "docs",
    "site_dir": "site",
    "use_directory_urls": False,
    "theme": {
        "name": "material",
        "font": False,
        "features": ["navigation.indexes", "navigation.top", "search.highlight", "content.code.copy"],
        "palette": [
            {"media": "(prefers-color-scheme: light)", "scheme": "default"},
            {"media": "(prefers-color-scheme: dark)", "scheme": "slate"},
        ],
    },
    "plugins": [
        "search",
        "offline",
        {
            "mkdocstrings": {
                "handlers": {
                    "python": {
                        "paths": [str(ROOT / "src")],
                        "options": {
                            "show_source": False,
                            "show_root_heading": True,
                            "heading_level": 3,
                            "separate_signature": True,
                            "show_signature_annotations": True,
                        },
                    }
                }
            }
        },
    ],
    "markdown_extensions": ["tables", {"toc": {"permalink": True}}, "pymdownx.highlight", "pymdownx.superfences"],
}

WORKER = "assets/javascripts/search-worker.js"
WORKER_FROM_TEXT = """\
// A page that is opened from a disk may not start a worker by its address; its text it may.
if (location.protocol === "file:") {
  const Native = window.Worker
  const address = URL.createObjectURL(new Blob([%s], { type: "text/javascript" }))
  window.Worker = function () { return new Native(address) }
}
"""
_FROM_ELSEWHERE = re.compile(r'<(?:script|link|img)\b[^>]*?\b(?:src|href)="https?://[^"]*"[^>]*>(?:</script>)?')
_HELPS_SEARCH = "iframe-worker"


def copy_pages(docs: Path) -> None:
    """Copy all pages, with links to those from elsewhere changed to their places on the site."""
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for path, name in PAGES.items():
        up = "../" * (len(Path(path).parts) - 1)
        text = (ROOT / path).read_text(encoding="utf-8").replace(f"]({up}docs/", "](")
        if path == "LICENSE":
            text = f"# Licence\n\n```text\n{text}```\n"
        for other, page in PAGES.items():
            text = text.replace(f"]({other}", f"]({page}")
        (docs / name).write_text(text, encoding="utf-8")
    for copied in docs.rglob("*.md"):
        up = "../" * len(copied.relative_to(docs).parent.parts)
        text = copied.read_text(encoding="utf-8")
        for path, name in PAGES.items():
            text = text.replace(f"](../{up}{path}", f"]({up}{name}")
        copied.write_text(text, encoding="utf-8")


def navigation(docs: Path) -> list[object]:
    """Return the pages in their order: guides first, then the folders."""
    others = sorted(page.stem for page in docs.glob("*.md"))
    named = {"index", *GUIDES, *(Path(name).stem for name in PAGES.values())}
    guides = [f"{name}.md" for name in (*GUIDES, *(name for name in others if name not in named))]
    folders = [
        {title: [f"{folder}/{page.name}" for page in sorted((docs / folder).glob("*.md"))]}
        for folder, title in FOLDERS.items()
        if (docs / folder).is_dir()
    ]
    project = {"Project": list(PAGES.values())}
    return [{"Start": "index.md"}, {"Guides": guides}, *folders, {"API": "reference/index.md"}, project]


def make_self_contained(site: Path) -> None:
    """Let search work without a network; raise `SystemExit` if a page would load anything from elsewhere."""
    (search,) = (site / "assets" / "javascripts" / "workers").glob("search.*.js")
    script = json.dumps(search.read_text(encoding="utf-8")).replace("</", "<\\/")
    (site / WORKER).write_text(WORKER_FROM_TEXT % script, encoding="utf-8")
    for page in site.rglob("*.html"):
        up = "../" * len(page.relative_to(site).parent.parts)
        text = page.read_text(encoding="utf-8")
        for loaded in _FROM_ELSEWHERE.findall(text):
            if _HELPS_SEARCH in loaded:
                text = text.replace(loaded, f'<script src="{up}{WORKER}"></script>')
            elif 'rel="canonical"' not in loaded:
                raise SystemExit(f"{page.relative_to(site)} loads {loaded}; keep what pages need on the site")
        page.write_text(text, encoding="utf-8")


def main() -> int:
    """Build the site and return the builder's exit code."""
    shutil.rmtree(BUILD, ignore_errors=True)
    copy_pages(BUILD / "docs")
    settings = BUILD / "mkdocs.yml"
    # JSON is YAML.
    settings.write_text(json.dumps(SETTINGS | {"nav": navigation(BUILD / "docs")}, indent=1), encoding="utf-8")
    builder = Path(sys.executable).with_name("zensical")
    code = subprocess.run([builder, "build", "--strict", "-f", settings], check=False, cwd=BUILD).returncode  # noqa: S603
    if code == 0:
        make_self_contained(BUILD / "site")
        shutil.rmtree(ROOT / "site", ignore_errors=True)
        shutil.move(BUILD / "site", ROOT / "site")
    return code


if __name__ == "__main__":
    sys.exit(main())

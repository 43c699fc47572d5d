# ruff: noqa: INP001 - a script, not a module
"""Build the documentation as a site: `make docs`, then open site/index.html.

Pages are taken from this folder as they are; the README and the model card, to which they link, become pages beside
them. The navigation is made from the folders. The build fails at a link that leads nowhere.
"""

from __future__ import annotations

import json
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
    for page in docs.rglob("*.md"):
        up = "../" * len(page.relative_to(docs).parent.parts)
        text = page.read_text(encoding="utf-8")
        for path, name in PAGES.items():
            text = text.replace(f"](../{up}{path}", f"]({up}{name}")
        page.write_text(text, encoding="utf-8")


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
        shutil.rmtree(ROOT / "site", ignore_errors=True)
        shutil.move(BUILD / "site", ROOT / "site")
    return code


if __name__ == "__main__":
    sys.exit(main())

"""The folders of the site. All that is made lies in `docs/_build`."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
BUILD = DOCS / "_build"
#: what Sphinx reads: copies of the pages, and generated pages
SOURCE = BUILD / "source"
#: copies of lessons and examples, beside which they write their files
SCRIPTS = BUILD / "scripts"
#: files that go to the site as they are: pages that turn
EXTRA = BUILD / "extra"
#: figures that blocks of pages have drawn
FIGURES = SOURCE / "_figures"
HTML = BUILD / "html"

#: folders of scripts
GALLERIES = ("tutorial", "lessons", "gallery")


def rooms() -> list[Path]:
    """The folders of pages and of scripts."""
    others = ("_build", "_static", "__pycache__", "tools")
    return sorted(path for path in DOCS.iterdir() if path.is_dir() and path.name not in others)


def pages() -> list[Path]:
    """All pages in Markdown that are kept in the repository."""
    return [DOCS / "index.md", *sorted(path for room in rooms() for path in room.rglob("*.md"))]


def scripts() -> list[Path]:
    """All lessons and examples."""
    found = (path for room in GALLERIES for path in (DOCS / room).rglob("*.py"))
    return sorted(path for path in found if not path.name.startswith("_"))

"""Whether a built site stands alone: what its pages and style sheets load from elsewhere.

A link that a reader may follow, such as to a source, loads nothing. What scripts would load is not seen here.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

#: an address with another host
ADDRESS = re.compile(r"\s*(?:https?:|wss?:)?//", re.I)
#: attributes whose address is loaded with the page, whatever the element
LOADED = ("src", "srcset", "poster", "data", "background")
#: what `<link>` only says, and does not load
SAID = {"canonical", "alternate", "author", "license", "search", "help", "next", "prev", "index", "top"}
IN_STYLES = re.compile(r"(?:url\(\s*|@import\s+(?!url))[\"']?(?P<address>[^\"')\s;]+)", re.I)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name in LOADED:
            parts = values.get(name, "").split(",") if name == "srcset" else [values.get(name, "")]
            self.found += [part.strip() for part in parts if ADDRESS.match(part)]
        if tag == "link" and ADDRESS.match(values.get("href", "")):
            if not set(values.get("rel", "").lower().split()) <= SAID:
                self.found.append(values["href"])
        self.found += in_styles(values.get("style", ""))
        self._style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self._style = False

    def handle_data(self, data: str) -> None:
        if self._style:
            self.found += in_styles(data)


def in_styles(text: str) -> list[str]:
    """Foreign addresses that a style sheet loads.

    >>> in_styles("a { background: url(https://example.org/a.png) } b { background: url(b.png) }")
    ['https://example.org/a.png']
    """
    return [match["address"] for match in IN_STYLES.finditer(text) if ADDRESS.match(match["address"])]


def in_page(text: str) -> list[str]:
    """Foreign addresses that a page of HTML loads.

    >>> in_page('<a href="https://example.org">x</a> <script src="//example.org/x.js"></script>')
    ['//example.org/x.js']
    """
    page = _Page()
    page.feed(text)
    page.close()
    return page.found


def in_site(folder: Path) -> list[str]:
    """What each page and style sheet of a site loads from elsewhere, in one line each."""
    found = []
    for path in sorted(folder.rglob("*")):
        search = {".html": in_page, ".css": in_styles}.get(path.suffix)
        if search is not None:
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(folder).as_posix()} loads {address}" for address in search(text)]
    return found

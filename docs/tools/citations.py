"""Extension of Sphinx: sources that are cited by author and year, on any page, lead to their entry in the list."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from docs.tools.places import ROOT

#: the page that lists all sources
LIST = "sources"
ENTRY = re.compile(r"^- \*\*(?P<name>.+?)\.\*\* (?P<text>(?:.|\n(?=  ))*)", re.M)
#: where no citation becomes a link
WITHOUT = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title, nodes.target, nodes.image, nodes.math)


def label(name: str) -> str:
    """The anchor of a source.

    >>> label("Bottasso, Bauchau and Cardona (2007)")
    'source-bottasso-bauchau-and-cardona-2007'
    """
    return "source-" + re.sub(r"\W+", "-", name.lower()).strip("-")


@cache
def entries() -> list[str]:
    """Authors and years, as they are cited."""
    return [entry["name"] for entry in ENTRY.finditer((ROOT / "SOURCES.md").read_text(encoding="utf-8"))]


def page() -> str:
    """The list of sources as a page, each entry with its anchor."""
    text = (ROOT / "SOURCES.md").read_text(encoding="utf-8")
    text = text.replace("- Names that", "Names that")

    def entry(match: re.Match[str]) -> str:
        lines = re.sub(r"^  ", "", match["text"], flags=re.M)
        return f"({label(match['name'])})=\n**{match['name']}.** {lines.rstrip()}\n\n"

    return ENTRY.sub(entry, text)


@cache
def _pattern() -> re.Pattern[str]:
    longest = sorted(entries(), key=len, reverse=True)
    return re.compile("|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest))


class Citations(SphinxPostTransform):
    """Make a link of each citation."""

    default_priority = 700

    def run(self, **kwargs: Any) -> None:
        if self.env.docname == LIST:
            return
        for text in list(self.document.findall(nodes.Text)):
            if not _pattern().search(text) or _inside(text):
                continue
            parts: list[nodes.Node] = []
            done = 0
            for match in _pattern().finditer(text):
                parts.append(nodes.Text(text[done : match.start()]))
                anchor = label(" ".join(match[0].split()))
                shown = nodes.Text(match[0])
                parts.append(make_refnode(self.app.builder, self.env.docname, LIST, anchor, shown))
                done = match.end()
            parts.append(nodes.Text(text[done:]))
            text.parent.replace(text, [part for part in parts if part.astext()])


def _inside(node: nodes.Node) -> bool:
    """Whether the node stands in something that holds no links."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, WITHOUT):
            return True
    return False


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_post_transform(Citations)
    return {"version": "1", "parallel_read_safe": True}

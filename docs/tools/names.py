"""Extension of Sphinx: pages are written as plain Markdown, which reads well without Sphinx too. A public name in code,
`fm.simulate`, leads to its page of the reference, and a link to a script of the gallery to the page that shows it."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference, pending_xref
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.logging import getLogger

import flexmb

#: what holds no links
WITHOUT = (nodes.reference, nodes.title, pending_xref)
NAME = re.compile(r"fm((?:\.[A-Za-z_]\w*)+)")


def is_public(name: str) -> bool:
    """Whether a name behind `fm.` is there.

    >>> is_public("control.lqr"), is_public("control.no_law")
    (True, False)
    """
    try:
        reduce(getattr, name.split("."), flexmb)
    except AttributeError:
        return False
    return True


class Names(SphinxTransform):
    """Make a link of each public name that stands in code, and of each script that has a page."""

    default_priority = 20

    def apply(self, **kwargs: Any) -> None:
        for literal in list(self.document.findall(nodes.literal)):
            found = NAME.fullmatch(literal.astext())
            if found is None or any(
                isinstance(x, (nodes.reference, pending_xref, nodes.title)) for x in above(literal)
            ):
                continue
            name = found[1][1:]
            if not is_public(name):
                getLogger(__name__).warning("there is no %s", found[0], location=literal, type="flexmb")
                continue
            link = pending_xref("", refdomain="py", reftype="obj", reftarget=f"flexmb.{name}", refexplicit=True)
            link["refdoc"] = self.env.docname
            literal.replace_self(link)
            link += literal
        for script in list(self.document.findall(download_reference)):
            target = str(script.get("reftarget", ""))
            page = re.fullmatch(r"/?((?:\.\./)*(?:tutorial|lessons|gallery)/.+)\.py", target)
            if page is not None:
                at = f"/{page[1].lstrip('./')}"
                link = pending_xref("", refdomain="std", reftype="doc", reftarget=at, refexplicit=True, refwarn=True)
                link["refdoc"] = self.env.docname
                link.extend(script.children)
                script.replace_self(link)


def above(node: nodes.Node) -> list[nodes.Node]:
    """What a node stands in."""
    return [] if node.parent is None else [node.parent, *above(node.parent)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_transform(Names)
    return {"version": "1", "parallel_read_safe": True}

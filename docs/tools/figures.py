"""Extension of Sphinx: the figures that a block of a page leaves open stand under it, on light and on dark ground, and
under a block whose last line is a :class:`flexmb.View` stands that view, to be turned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from docs.tools.pages import Outcome, PageError, blocks, run
from docs.tools.places import EXTRA, FIGURES

logger = logging.getLogger(__name__)


class Figures(SphinxTransform):
    """Run a page while it is read, before Sphinx collects its pictures."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        source = Path(self.env.doc2path(self.env.docname))
        if source.suffix != ".md":
            return
        text = source.read_text(encoding="utf-8")
        if not blocks(text):
            return
        shown = [node for node in self.document.findall(nodes.literal_block) if node.get("language") == "python"]
        if [node.astext().rstrip() for node in shown] != [block.code.rstrip() for block in blocks(text)]:
            logger.warning("a block of Python stands within another block and is not run", location=self.env.docname)
            return
        under: dict[int, list[nodes.Node]] = {}
        try:
            run(source, text, lambda k, outcome: under.update({k: self._pictures(k, outcome)}))
        except PageError as error:
            logger.warning(str(error), location=self.env.docname)
        for k, node in enumerate(shown):
            parent, new = node.parent, under.get(k, [])
            parent[parent.index(node) + 1 : parent.index(node) + 1] = new

    def _pictures(self, number: int, outcome: Outcome) -> list[nodes.Node]:
        """The figures that are open, and the view that is the value of the block."""
        from matplotlib import pyplot

        from docs.tools import looks

        name = f"{self.env.docname.replace('/', '-')}-{number + 1}"
        found: list[nodes.Node] = []
        for j, figure in enumerate(map(pyplot.figure, pyplot.get_fignums())):
            files = {ground: FIGURES / f"{name}{'abcdefgh'[j]}-{ground}.png" for ground in ("light", "dark")}
            looks.save(figure, files["light"], files["dark"])
            about = ", ".join(filter(None, (ax.get_title(loc="left") or ax.get_title() for ax in figure.axes)))
            for ground, file in files.items():
                uri = f"/{FIGURES.name}/{file.name}"
                found.append(nodes.image(uri=uri, alt=about or "figure", classes=[f"only-{ground}", "figure"]))
        from flexmb.visual.view import View

        if isinstance(outcome.value, View):
            back = "../" * self.env.docname.count("/") + "views/"
            html = looks.frames(outcome.value, EXTRA / "views", name, back)
            found.append(nodes.raw("", html, format="html"))
        return found


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_transform(Figures)
    return {"version": "1", "parallel_read_safe": False}

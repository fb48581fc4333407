"""What scripts of the gallery leave: figures on light and on dark ground, views to be turned, pictures and films."""

from __future__ import annotations

import ast
import os
import shutil
from pathlib import Path
from typing import Any

from docs.tools import looks
from docs.tools.places import EXTRA

IMAGE = """
.. image:: /{path}
   :alt: {alt}
   :class: {css}

"""
HTML = """
.. raw:: html

    {html}

"""


def begin(gallery_conf: Any, script: Any) -> None:
    """Give each script the look of flexmb; no screen is needed."""
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("agg")
    pyplot.close("all")
    matplotlib.rcdefaults()
    matplotlib.use("agg")
    pyplot.style.use("flexmb.plots.light")


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Write what a block has drawn, and what its last line gives; the text that shows it."""
    from matplotlib import pyplot

    paths = block_vars["image_path_iterator"]
    source = Path(gallery_conf["src_dir"])
    text = ""
    for figure in map(pyplot.figure, pyplot.get_fignums()):
        light = Path(next(paths))
        dark = _dark(light)
        about = ", ".join(filter(None, (ax.get_title(loc="left") or ax.get_title() for ax in figure.axes)))
        looks.save(figure, light, dark)
        text += _both(light, source, about)
    pyplot.close("all")
    tree = ast.parse(block.content)
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return text
    return text + _value(block_vars["example_globals"].get("___"), paths, source)


def _value(value: Any, paths: Any, source: Path) -> str:
    """What the last line of a block gives: a view, or the path of a picture or a film."""
    from flexmb.machine.notebooks import ShownPath
    from flexmb.visual.view import View

    if isinstance(value, View):
        still = Path(next(paths))
        for ground, path in (("light", still), ("dark", _dark(still))):
            looks.on(value, ground).screenshot(path, size=(800, 560))
        depth = len(still.parent.parent.relative_to(source).parts)
        html = looks.frames(value, EXTRA / "views", still.stem, "../" * depth + "views/")
        return HTML.format(html=html.replace("\n", "\n    "))
    if isinstance(value, ShownPath) and value.suffix.lower() in (".png", ".jpg", ".jpeg", ".gif"):
        target = Path(next(paths)).with_suffix(value.suffix.lower())
        shutil.copyfile(value, target)
        return _image(target, source, value.stem, "sphx-glr-single-img")
    if isinstance(value, ShownPath):
        return HTML.format(html=value._repr_html_())
    return ""


def _dark(path: Path) -> Path:
    """The picture on dark ground beside that on light ground; the gallery counts pictures by how their names begin."""
    return path.with_name(f"dark_{path.name}")


def _both(light: Path, source: Path, alt: str) -> str:
    return "".join(
        _image(path, source, alt, f"only-{ground} sphx-glr-single-img")
        for ground, path in (("light", light), ("dark", _dark(light)))
    )


def _image(path: Path, source: Path, alt: str, css: str) -> str:
    relative = Path(os.path.relpath(path, source)).as_posix()
    return IMAGE.format(path=relative, alt=" ".join(alt.split()) or path.stem, css=css)

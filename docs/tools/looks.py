"""Pictures of the site on light and on dark ground: figures of Matplotlib, whose colors are exchanged, and views, whose
pages are written twice."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import style
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

#: dots an inch
DPI = 150
#: how high the page of a view is for its width
SHAPE = (16, 10)


@cache
def exchanged() -> dict[str, str]:
    """Colors on dark ground by those on light ground that they stand for."""
    found = {"#000000": "#e8eef3"}
    light, dark = (_colors(ground) for ground in ("light", "dark"))
    return found | dict(zip(light, dark, strict=True))


def _colors(ground: str) -> list[str]:
    """The colors of the look of flexmb, in one order."""
    with style.context(f"flexmb.plots.{ground}"):
        rc: Any = matplotlib.rcParams
        found = [rc[f"{part}.color"] for part in ("text", "grid", "patch", "lines") if f"{part}.color" in rc]
        found += [rc["axes.edgecolor"], rc["axes.facecolor"], rc["patch.facecolor"]]
        found += rc["axes.prop_cycle"].by_key()["color"]
    return [to_hex(color if color.startswith("#") else f"#{color}") for color in found]


def save(figure: Figure, light: Path, dark: Path) -> None:
    """Write a figure for light and for dark ground; its colors are then those for dark ground."""
    for path in (light, dark):
        path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(light, dpi=DPI)
    darken(figure)
    figure.savefig(dark, dpi=DPI)


def darken(figure: Figure) -> None:
    """Exchange the colors of a figure for those on dark ground."""
    for artist in figure.findobj():
        for part in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            get, put = getattr(artist, f"get_{part}", None), getattr(artist, f"set_{part}", None)
            if get is None or put is None or (part == "color" and hasattr(artist, "get_facecolor")):
                continue
            color = get()
            if color is None or (isinstance(color, str) and color in ("none", "auto", "face")):
                continue
            changed = _changed(color)
            if changed is not None:
                put(changed)
        colors = getattr(artist, "get_cmap", lambda: None)()
        recolor = getattr(artist, "set_cmap", None)
        if recolor is not None and colors is not None and colors.name == "flexmb light":
            recolor("flexmb dark")


def _changed(color: Any) -> Any:
    """A color, or one for each of many, exchanged; None where all stay."""
    table = exchanged()
    if isinstance(color, np.ndarray) and color.ndim == 2:
        new = [_changed(tuple(row)) for row in color]
        if all(row is None for row in new):
            return None
        return np.array([to_rgba(row if other is None else other) for row, other in zip(color, new, strict=True)])
    rgba = to_rgba(color)
    other = table.get(to_hex(rgba[:3]))
    return None if other is None else (*to_rgba(other)[:3], rgba[3])


def frames(view: Any, folder: Path, name: str, back: str) -> str:
    """Write the pages of a view into a folder; HTML that shows them, from a page that reaches the folder by `back`."""
    folder.mkdir(parents=True, exist_ok=True)
    html = ""
    for ground in ("light", "dark"):
        file = f"{name}-{ground}.html"
        on(view, ground).html(folder / file)
        shape = f"{SHAPE[0]} / {SHAPE[1]}"
        html += (
            f'<iframe class="view only-{ground}" loading="lazy" title="{view.solution.name}, seen in space" '
            f'style="aspect-ratio: {shape}" src="{back}{file}"></iframe>\n'
        )
    return html


def on(view: Any, ground: str) -> Any:
    """The view on light or on dark ground."""
    from copy import copy

    from flexmb.visual.rendering.look import LOOKS

    other = copy(view)
    other.look = LOOKS[ground]
    return other

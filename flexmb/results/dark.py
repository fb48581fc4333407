"""Diagrams for dark pages."""

from __future__ import annotations

import colorsys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.results.figures import finish

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: the ground of a dark page, as in pictures in space
GROUND = "#11171d"
#: colours whose red, green and blue differ by less are greys: what was near white comes near to the ground
GREY = 0.12
#: contrast that a colour must have with the ground, and steps in which it is made lighter until it has
CONTRAST, STEPS = 3.5, 20


def darken(figure: Figure, path: str | Path | None = None) -> Figure:
    """A diagram recoloured for a dark page: greys change places, colours become light enough to be seen. The figure
    itself is changed, and returned; written to `path` when one is given.

    >>> from matplotlib.figure import Figure
    >>> figure = Figure()
    >>> line = figure.subplots().plot([0, 1], color="black")[0]
    >>> darken(figure).get_facecolor()[:3] < (0.1, 0.1, 0.13), line.get_color() > (0.9, 0.9, 0.9)
    (True, True)
    """
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.figure import FigureBase
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    if not isinstance(figure, FigureBase):
        raise ModelError(f"darken: {checks.quoted(figure)} is not a figure; give what plot() returned")
    for artist in figure.findobj():
        if isinstance(artist, FigureBase):
            artist.set_facecolor(GROUND)
        elif isinstance(artist, Axes):
            artist.set_facecolor("none")
        elif isinstance(artist, Text):
            artist.set_color(_dark(artist.get_color()))
        elif isinstance(artist, Line2D):
            artist.set_color(_dark(artist.get_color()))
            artist.set_markerfacecolor(_dark(artist.get_markerfacecolor()))
            artist.set_markeredgecolor(_dark(artist.get_markeredgecolor()))
        elif isinstance(artist, Patch):
            if artist not in (figure.patch, *(ax.patch for ax in figure.axes)):
                artist.set(facecolor=_dark(artist.get_facecolor()), edgecolor=_dark(artist.get_edgecolor()))
        elif isinstance(artist, Collection) and artist.get_array() is None:
            artist.set(
                facecolor=[_dark(c) for c in artist.get_facecolor()],
                edgecolor=[_dark(c) for c in artist.get_edgecolor()],
            )
    return finish(figure, path, GROUND)


def contrast(colour: Any, ground: Any = GROUND) -> float:
    """How well two colours can be told apart, 1 to 21: the ratio of their luminances as W3C (n.d.) defines it."""
    from matplotlib.colors import to_rgb

    def luminance(c: Any) -> float:
        x = np.array(to_rgb(c))
        return float(np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])

    low, high = sorted((luminance(colour), luminance(ground)))
    return (high + 0.05) / (low + 0.05)


def _dark(colour: Any) -> Any:
    """A colour as it is on a dark ground."""
    from matplotlib.colors import to_rgba

    if isinstance(colour, str) and colour in ("none", "auto"):
        return colour
    red, green, blue, alpha = (float(x) for x in to_rgba(colour))
    if max(red, green, blue) - min(red, green, blue) < GREY:
        ground = to_rgba(GROUND)[:3]
        light = 0.5 * (max(red, green, blue) + min(red, green, blue))
        return (*(float(g + (0.95 - g) * (1.0 - light)) for g in ground), alpha)
    hue, first, saturation = colorsys.rgb_to_hls(red, green, blue)
    for light in np.linspace(first, 0.95, STEPS):
        lighter = colorsys.hls_to_rgb(hue, float(light), saturation)
        if contrast(lighter) >= CONTRAST:
            break
    return (*lighter, alpha)

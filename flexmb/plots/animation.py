"""Films of a mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from flexmb.plots.drawing import Extent, Mechanism, ground, prepare
from flexmb.plots.figures import colours, on
from flexmb.plots.film import write_film

#: pixels of an inch
DPI = 100
#: around the mechanism, for scales and title [inch]: left, right, below, above
MARGINS = (0.78, 0.2, 0.6, 0.38)
#: the longer side of the mechanism, and the width of a letter of the title [inch]
LONGER, LETTER = 6.0, 0.085


def animate(
    seen: Mechanism,
    trails: Sequence[np.ndarray],
    extent: Extent,
    titles: Sequence[str],
    fps: int,
    target: Path,
    size: tuple[float, float] | None,
    background: str,
) -> Path:
    """Write a film with a picture for each instant, `titles` (k) above them and the `trails` (k, 2) of points up to
    them; `size` [inch], the one that fits when not given; the kind of file is told by its ending."""
    with on(background):
        figure = _figure(extent[1] - extent[0], max(map(len, titles)), size)
        ax = figure.subplots()
        prepare(ax, _filling(extent, np.array(figure.get_size_inches())))
        ground(ax, seen, extent)
        moving = _artists(ax, seen, trails)
        clock = ax.set_title("", fontsize=10)

        def images() -> Iterator[np.ndarray]:
            canvas: Any = figure.canvas
            for k, title in enumerate(titles):
                for artist, points in moving:
                    artist(points, k)
                clock.set_text(title)
                canvas.draw()
                yield np.array(canvas.buffer_rgba())[:, :, :3]

        ink, quiet, _, fill, _, turns = colours()
        shades = np.array([255.0 * np.array(to_rgb(colour)) for colour in (*turns, ink, quiet, fill)])
        write_film(target, images(), fps, shades)
    return target


def _filling(extent: Extent, size: np.ndarray) -> Extent:
    """The extent that fills a figure of a size [inch] in both directions, with what is to be seen in its middle."""
    low, high = extent
    left, right, below, above = MARGINS
    room = size - (left + right, below + above)
    half = 0.5 * room * np.max((high - low) / room)
    return 0.5 * (low + high) - half, 0.5 * (low + high) + half


def _figure(extent: np.ndarray, letters: int, size: tuple[float, float] | None) -> Figure:
    """A figure of the shape of what it shows, or of a size [inch]; of an even number of pixels, as films need it."""
    left, right, below, above = MARGINS
    if size is None:
        w, h = LONGER * extent / np.max(extent)
        size = (max(w, min(letters * LETTER, LONGER)) + left + right, h + below + above)
    width, height = 2.0 * np.rint(0.5 * DPI * np.array(size)) / DPI
    figure = Figure((float(width), float(height)), DPI, layout="none")  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    figure.subplots_adjust(left / width, below / height, 1.0 - right / width, 1.0 - above / height)
    return figure


def _artists(ax: Any, seen: Mechanism, trails: Sequence[np.ndarray]) -> list[tuple[Any, np.ndarray]]:
    """What moves, each with a function that puts it where it is at the time k."""
    ink, _, paper, fill, _, turns = colours()
    found: list[tuple[Any, np.ndarray]] = []

    def line(points: np.ndarray, shape: Any = None, **style: Any) -> None:
        (artist,) = ax.plot([], [], solid_capstyle="round", solid_joinstyle="round", **style)

        def put(points: np.ndarray, k: int) -> None:
            artist.set_data(*(points[k] if shape is None else shape(points, k)).T)

        found.append((put, points))

    hollow = {"color": paper, "markeredgecolor": ink, "zorder": 4}
    for j, points in enumerate(trails):
        line(points, lambda x, k: x[: k + 1], color=turns[(j + 1) % len(turns)], linewidth=1.2, zorder=1.5)
    for points in seen.rods:
        line(points, color=ink, linewidth=1.4, zorder=3)
    for points in seen.springs:
        line(points, color=turns[2], linewidth=1.4, zorder=3)
    for points in seen.bodies:
        if points.shape[1] > 2:
            (patch,) = ax.fill([0.0], [0.0], facecolor=fill, edgecolor=turns[0], linewidth=1.8, zorder=3)
            found.append((_outline(patch), points))
        elif points.shape[1] == 2:
            line(points, color=turns[0], linewidth=4.0, zorder=3)
        else:
            line(points, marker="o", markersize=12, color=turns[0], zorder=3)
    for points in seen.arms:
        line(points, color=ink, linewidth=3.0, zorder=3)
    for points in seen.beams:
        line(points, color=turns[0], linewidth=2.8, zorder=3.5)
    for points in seen.lines:
        line(points, color=turns[0], linewidth=1.8, zorder=3.5)
    for points in seen.blocks:
        line(points, marker="s", markersize=10, markeredgewidth=1.6, **hollow)
    for points in seen.pins:
        line(points, marker="o", markersize=5.5, markeredgewidth=1.4, **hollow)
    return found


def _outline(patch: Any) -> Any:
    def put(points: np.ndarray, k: int) -> None:
        patch.set_xy(points[k])

    return put

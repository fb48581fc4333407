"""Films of a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from flexmb.plots.drawing import draw_ground, prepare_axes
from flexmb.plots.figures import colors, on_background
from flexmb.plots.film import write_film
from flexmb.plots.scene import Extent, Scene
from flexmb.plots.words import Words

#: pixels per inch
DPI = 100
#: margins around the mechanism, for axes and title: left, right, below, above [inch]
MARGINS = (0.78, 0.2, 0.6, 0.38)
#: the longer side of the mechanism, and the width of a letter of the title [inch]
LONGER, LETTER = 6.0, 0.085
#: the path (p, 2) of a point, and how many of its points have been passed at each instant (k,)
Trail = tuple[np.ndarray, np.ndarray]
#: order of drawing of the paths of points: above the ground, below its supports
TRAILS = 1.5


def animate(
    mechanism: Scene,
    trails: Sequence[Trail],
    extent: Extent,
    titles: Sequence[str],
    words: Words,
    fps: int,
    target: Path,
    size: tuple[float, float] | None,
    background: str,
) -> Path:
    """Write a film with one picture for each instant, with its title of `titles` (k) and the `trails` of points up to
    that instant; `words` label the axes; `size` [inch], a fitting one when not given; the ending of `target` says
    the kind of file."""
    with on_background(background):
        figure = _figure(extent[1] - extent[0], max(map(len, titles)), size)
        ax = figure.subplots()
        prepare_axes(ax, _filling_extent(extent, np.array(figure.get_size_inches())), mechanism.labels, words)
        draw_ground(ax, mechanism, extent)
        supports = [artist for artist in (*ax.patches, *ax.lines) if artist.get_zorder() > TRAILS]
        movers = _movers(ax, mechanism, trails)
        clock = ax.set_title("", fontsize=10)
        # the axes, whose numbers take most of the time of a picture, are drawn once
        drawn_anew = [*supports, *(artist for artist, _ in movers), clock]
        drawn_anew.sort(key=lambda artist: artist.get_zorder())
        for artist in drawn_anew:
            artist.set_animated(True)

        def images() -> Iterator[np.ndarray]:
            canvas: Any = figure.canvas
            canvas.draw()
            still = canvas.copy_from_bbox(figure.bbox)
            for k, title in enumerate(titles):
                for _, move in movers:
                    move(k)
                clock.set_text(title)
                canvas.restore_region(still)
                for artist in drawn_anew:
                    ax.draw_artist(artist)
                yield np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[:, :, :3])

        ink, quiet, _, fill, _, cycle = colors()
        used = (*cycle, ink, quiet, fill, *mechanism.colors.values())
        shades = np.array([255.0 * np.array(to_rgb(color)) for color in used])
        write_film(target, images(), fps, shades)
    return target


def _filling_extent(extent: Extent, size: np.ndarray) -> Extent:
    """The extent that fills a figure of a size [inch] in both directions, with the mechanism in its middle."""
    low, high = extent
    left, right, below, above = MARGINS
    room = size - (left + right, below + above)
    half = 0.5 * room * np.max((high - low) / room)
    return 0.5 * (low + high) - half, 0.5 * (low + high) + half


def _figure(extent: np.ndarray, letters: int, size: tuple[float, float] | None) -> Figure:
    """A figure of the shape of the mechanism, or of a size [inch]. Films need even numbers of pixels."""
    left, right, below, above = MARGINS
    if size is None:
        w, h = LONGER * extent / np.max(extent)
        size = (max(w, min(letters * LETTER, LONGER)) + left + right, h + below + above)
    width, height = 2.0 * np.rint(0.5 * DPI * np.array(size)) / DPI
    figure = Figure((float(width), float(height)), DPI, layout="none")  # type: ignore[arg-type]
    FigureCanvasAgg(figure)
    figure.subplots_adjust(left / width, below / height, 1.0 - right / width, 1.0 - above / height)
    return figure


def _movers(ax: Any, mechanism: Scene, trails: Sequence[Trail]) -> list[tuple[Any, Callable[[int], None]]]:
    """All that moves: the artist of each part, and a function that puts it in its place at the k-th time."""
    ink, _, paper, fill, _, cycle = colors()
    movers: list[tuple[Any, Callable[[int], None]]] = []

    def line(points: np.ndarray, passed: np.ndarray | None = None, **style: Any) -> None:
        (artist,) = ax.plot([], [], solid_capstyle="round", solid_joinstyle="round", **style)
        movers.append((artist, lambda k: artist.set_data(*(points[k] if passed is None else points[: passed[k]]).T)))

    def outline(points: np.ndarray, **style: Any) -> None:
        (artist,) = ax.fill([0.0], [0.0], **style)
        movers.append((artist, lambda k: artist.set_xy(points[k])))

    def lines(kind: str, color: str, width: float, zorder: float = 3.0) -> None:
        for points, own in mechanism.entries(kind):
            line(points, color=own or color, linewidth=width, zorder=zorder)

    def dots(kind: str, marker: str, size: float, width: float) -> None:
        for points, own in mechanism.entries(kind):
            edge: dict[str, Any] = {"markeredgecolor": own or ink, "markeredgewidth": width}
            line(points, marker=marker, markersize=size, color=paper, zorder=4, **edge)

    for j, (points, passed) in enumerate(trails):
        line(points, passed, color=cycle[(j + 1) % len(cycle)], linewidth=1.2, zorder=TRAILS)
    lines("rods", ink, 1.4)
    lines("springs", cycle[2], 1.4)
    for points, own in mechanism.entries("bodies"):
        shown = own or cycle[0]
        if points.shape[1] > 2:
            face = (*to_rgb(own), 0.16) if own else fill
            outline(points, facecolor=face, edgecolor=shown, linewidth=1.8, zorder=3)
        elif points.shape[1] == 2:
            line(points, color=shown, linewidth=4.0, zorder=3)
        else:
            line(points, marker="o", markersize=12, color=shown, zorder=3)
    lines("arms", ink, 3.0)
    lines("beams", cycle[0], 2.8, 3.5)
    lines("lines", cycle[0], 1.8, 3.5)
    dots("blocks", "s", 10.0, 1.6)
    dots("pins", "o", 5.5, 1.4)
    return movers

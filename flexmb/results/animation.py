"""Films of a mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import MissingExtraError, ModelError, ResultFileError
from flexmb.model import checks
from flexmb.results.drawing import around, ground, named, picture_size, prepare
from flexmb.results.figures import FILL, INK, LINES, QUIET, new_figure
from flexmb.results.scene import Scene, zigzag

if TYPE_CHECKING:
    from matplotlib.animation import AbstractMovieWriter

    from flexmb.results.solution import Solution


def animate(
    solution: Solution, path: str | Path, fps: int, speed: float, trail: Any, size: tuple[float, float] | None
) -> Path:
    """Write a film; the kind of file is told by its ending."""
    where = f"animate {solution.where}"
    fps = checks.count(fps, "fps", where, least=1)
    speed = checks.positive(speed, "speed", where)
    target = Path(path)
    writer = _writer(target, fps)
    first, last = float(solution.t[0]), float(solution.t[-1])
    count = max(2, round((last - first) * fps / speed) + 1)
    seen = solution.at(np.linspace(first, last, count))
    scene = Scene.of(seen)
    trails = [seen.track(key).position for key in named(trail)]
    low, high = around(scene, trails)
    figure = new_figure(target, size or picture_size(low, high), "none")
    ax = figure.subplots()
    figure.subplots_adjust(0.13, 0.1, 0.97, 0.93)
    prepare(ax, low, high)
    unit = float(np.max(high - low))
    ground(ax, scene, unit)
    for guide in scene.guides:
        ax.plot(*guide.T, color=QUIET, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
    moving = _artists(ax, scene, trails, unit)
    clock = ax.set_title("", color=INK, fontsize=10, loc="left")
    try:
        with writer.saving(figure, str(target), dpi=100):
            for k, t in enumerate(seen.t):
                for artist, points in moving:
                    artist(points, k)
                clock.set_text(f"{solution.name}, t = {t:.3f} s")
                writer.grab_frame(facecolor="white")
    except OSError as why:
        raise ResultFileError(f"film {target}: {why}") from why
    return target


def _writer(target: Path, fps: int) -> AbstractMovieWriter:
    from matplotlib.animation import FFMpegWriter, PillowWriter

    ending = target.suffix.lower()
    if ending == ".gif":
        return PillowWriter(fps=fps)
    if ending == ".mp4":
        if not FFMpegWriter.isAvailable():
            raise MissingExtraError(
                f"film {target}: the program ffmpeg, which makes .mp4 files, is not installed; use the ending .gif, or "
                "install ffmpeg"
            )
        even = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
        return FFMpegWriter(fps=fps, codec="h264", extra_args=even)
    raise ModelError(f"film {target}: the ending {ending!r} is unknown; use .gif or .mp4")


def _artists(ax: Any, scene: Scene, trails: list[np.ndarray], unit: float) -> list[tuple[Any, np.ndarray]]:
    """What moves, each with a function that puts it where it is at the time k."""
    found = []

    def line(points: np.ndarray, shape: Any = None, **style: Any) -> None:
        (artist,) = ax.plot([], [], solid_capstyle="round", solid_joinstyle="round", **style)

        def put(points: np.ndarray, k: int) -> None:
            artist.set_data(*(points[k] if shape is None else shape(points, k)).T)

        found.append((put, points))

    for j, points in enumerate(trails):
        line(points, lambda x, k: x[: k + 1], color=LINES[(j + 1) % len(LINES)], linewidth=1.2, zorder=1.5)
    for points in scene.rods:
        line(points, color=INK, linewidth=1.4, zorder=3)
    for points in scene.springs:
        line(points, lambda x, k: zigzag(x[k], 0.012 * unit), color=LINES[2], linewidth=1.4, zorder=3)
    for points in scene.bodies:
        if points.shape[1] > 2:
            (patch,) = ax.fill([0.0], [0.0], facecolor=FILL, edgecolor=LINES[0], linewidth=1.8, zorder=3)
            found.append((_filling(patch), points))
        elif points.shape[1] == 2:
            line(points, color=LINES[0], linewidth=4.0, zorder=3)
        else:
            line(points, marker="o", markersize=12, color=LINES[0], zorder=3)
    for points in scene.arms:
        line(points, color=INK, linewidth=3.0, zorder=3)
    for points in scene.beams:
        line(points, color=LINES[0], linewidth=2.8, zorder=3.5)
    for points in scene.lines:
        line(points, color=LINES[0], linewidth=1.8, zorder=3.5)
    for points in scene.blocks:
        line(
            points,
            marker="s",
            markersize=10,
            color="white",
            markeredgecolor=INK,
            markeredgewidth=1.6,
            zorder=4,
        )
    for points in scene.pins:
        line(
            points,
            marker="o",
            markersize=5.5,
            color="white",
            markeredgecolor=INK,
            markeredgewidth=1.4,
            zorder=4,
        )
    return found


def _filling(patch: Any) -> Any:
    def put(points: np.ndarray, k: int) -> None:
        patch.set_xy(points[k])

    return put

"""A page for the browser: one file with geometry, motion and a small program that draws them by WebGL 2.

The file holds a rigid piece once, with a place for each instant. It holds a piece that bends point by point, with 16
bits for each coordinate in the box around all such pieces. The page without its data lies beside this file: page.html,
its style in page.css and its program in page.js.
"""

from __future__ import annotations

import base64
import html
import json
import textwrap
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from flexmb.visual.rendering.look import color_map, faded
from flexmb.visual.rendering.render import SIDE, Viewed, color_of
from flexmb.visual.stage.pieces import Ghost, Piece, Rigid, Trail

#: the number of colors in the color map of quantities
COLORS = 256
#: how far the rearmost ghost is moved back; the depth of the page goes from −1 to 1
BEHIND = 0.6


class _Store:
    """Lists of numbers one after the other; each begins at a multiple of four bytes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def append(self, values: np.ndarray, kind: str) -> list[int]:
        """Append numbers; returns where they begin, and how many there are."""
        data = np.ascontiguousarray(values, dtype=kind).tobytes()
        first = self.size
        self.parts.append(data + b"\0" * (-len(data) % 4))
        self.size += len(self.parts[-1])
        return [first, int(np.size(values))]


def page_of(view: Viewed, times: np.ndarray, speed: float) -> str:
    """The page of a view at times [s]."""
    pieces = view.stage(times)
    store = _Store()
    bending = [piece for piece in pieces if _bends(piece)]
    frames = {id(piece): np.array([piece.points(k) for k in range(len(times))]) for piece in bending}
    corners = np.array([[x.min(axis=(0, 1)), x.max(axis=(0, 1))] for x in frames.values()])
    low, high = (corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)) if len(corners) else (np.zeros(3), np.ones(3))
    box = (0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-12))
    seen_low, seen_high = view.extent(pieces, len(times))
    bar: dict[str, Any] | None = None
    if view.coloring is not None:
        bar = {"title": view.coloring.title, "limits": [f"{x:.3g}" for x in np.linspace(*view.coloring.limits, 5)]}
    head = {
        "name": view.solution.name,
        "titles": [view.title(float(t)) for t in times],
        "seconds": view.seconds(speed) if len(times) > 1 else 0.0,
        "background": view.look.background,
        "ink": view.look.ink,
        "quiet": view.look.quiet,
        "ambient": view.look.ambient,
        "axes": view.axes.tolist(),
        "low": seen_low.tolist(),
        "high": seen_high.tolist(),
        "unit": view.scales.unit,
        "free": SIDE,
        "box": [box[0].tolist(), box[1].tolist()],
        "map": _map_colors(view),
        "bar": bar,
        "arrows": view.arrow_scale,
        "up": view.scales.up.tolist(),
        "pieces": [_piece_data(piece, view, store, frames.get(id(piece)), box, len(times)) for piece in pieces],
    }
    text = _empty_page().replace("@TITLE@", html.escape(view.solution.name))
    # a '<' in the data could end the script
    text = text.replace("@HEAD@", json.dumps(head, ensure_ascii=True).replace("<", "\\u003c"))
    return text.replace("@DATA@", base64.b64encode(b"".join(store.parts)).decode("ascii"))


@cache
def _empty_page() -> str:
    """The page with its style and its program, in which @TITLE@, @HEAD@ and @DATA@ stand for what a view puts there."""
    frame, style, program = (_text_beside(f"page.{ending}") for ending in ("html", "css", "js"))
    return frame.replace("@STYLE@", textwrap.indent(style, "  ")).replace("@PROGRAM@", program)


def _text_beside(name: str) -> str:
    """The text of a file that is installed in the folder of this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _bends(piece: Piece) -> bool:
    return piece.moves and not isinstance(piece, Rigid | Trail)


def _map_colors(view: Viewed) -> list[int]:
    """The colors of the map, red, green and blue of each from 0 to 255."""
    if view.coloring is None:
        return []
    colors = color_map(view.coloring.both_signs)(np.linspace(0.0, 1.0, COLORS))[:, :3]
    return np.rint(255.0 * colors).astype(int).ravel().tolist()


def _piece_data(
    piece: Piece, view: Viewed, store: _Store, frames: np.ndarray | None, box: tuple[np.ndarray, np.ndarray], count: int
) -> dict[str, Any]:
    """The data of a piece, as the page reads them."""
    data: dict[str, Any] = {
        "name": piece.name,
        "role": piece.role,
        "faces": store.append(piece.faces, "<u4"),
        "color": color_of(piece, view.look).round(4).tolist(),
        "flat": isinstance(piece, Ghost),
        "behind": BEHIND * piece.behind,
    }
    if frames is not None:
        part = (frames - box[0]) / box[1]
        data["frames"] = store.append(np.rint(32767.0 * part), "<i2")
    elif isinstance(piece, Rigid):
        data["points"] = store.append(piece.local, "<f4")
        data["poses"] = store.append(piece.poses, "<f4")
    else:
        data["points"] = store.append(piece.points(0), "<f4")
    shown = np.array([piece.visible_faces(k) for k in range(count)])
    if np.any(shown < len(piece.faces)):
        data["shown"] = store.append(shown, "<u4")
    if view.coloring is not None and piece.values(0) is not None:
        low, high = view.coloring.limits
        rows = range(count if piece.moves else 1)
        values = np.array([piece.values(k) for k in rows]) * view.coloring.factor
        index = np.rint((COLORS - 1) * np.clip((values - low) / (high - low), 0.0, 1.0))
        data["values"] = store.append(index, "u1")
        if isinstance(piece, Ghost):
            shift = faded(np.zeros(3), view.look.background, view.look.pale)
            data["fade"] = [view.look.pale, *shift.round(4).tolist()]
    return data

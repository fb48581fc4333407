"""The pieces of joints, springs and motors."""

from __future__ import annotations

import numpy as np

from flexmb.results.solution import Solution
from flexmb.results.track import Track
from flexmb.visual import meshes
from flexmb.visual.pieces import BentTube, Helix, Piece, Rigid, Spiral
from flexmb.visual.scales import PictureScales


def joints(solution: Solution, scales: PictureScales) -> list[Piece]:
    """The pieces of all that is drawn between two frames; several pins in one place are one piece."""
    pieces: list[Piece] = []
    taken: set[tuple] = set()
    for name, pair in solution.layout.pairs.items():
        for glyph, pieces_of in PIECES_OF_GLYPHS.items():
            if glyph not in pair.glyphs:
                continue
            if glyph == "pin":
                path = solution.track(pair.b).position
                spot = (tuple(path[0].round(9)), tuple(path[-1].round(9)))
                if spot in taken:
                    continue
                taken.add(spot)
            pieces += pieces_of(solution, name, scales)
    return pieces


def _rod(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    return [BentTube.of(name, "rod", _ends(solution, name), meshes.circle(0.006 * scales.thickness, 12))]


def _spring(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    return [Helix.of(name, _ends(solution, name), 0.018 * scales.thickness, 0.0034 * scales.thickness)]


def _spiral(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    a, b = _tracks(solution, name)
    angles = np.stack([a.angle, b.angle], axis=1)
    return [Spiral.of(name, b.position, angles, 0.042 * scales.thickness, 0.0034 * scales.thickness)]


def _bushing(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    return [
        Rigid.of(name, "bushing", meshes.ring(0.013, 0.027, 0.018), _upright(solution, name), size=scales.thickness)
    ]


def _motor(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    place = _tracks(solution, _pin_of(solution, name))[1].position
    places = np.column_stack([place, _tracks(solution, name)[1].angle])
    return [Rigid.of(name, "motor", meshes.ring(0.018, 0.026, 0.0175), places, size=scales.thickness)]


def _slider(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    """The block of a slide, and its rails, which lie on the ground or move with frame a."""
    a, b = _tracks(solution, name)
    fixed = solution.layout.frames[solution.layout.pairs[name].a].numbers[0] >= solution.q.shape[1]
    first, last, turn = scales.slides[name]
    u = scales.thickness
    angle = a.angle + turn
    block = meshes.box(0.085, 0.055, 0.016)
    pieces: list[Piece] = [Rigid.of(name, "arm", block, np.column_stack([b.position, angle]), size=u)]
    shape = np.array([[first - 0.075 * u, 0.0], [last + 0.075 * u, 0.0]])
    rail = meshes.plate(shape, 0.0045 * u, 0.0045 * u)
    rails = [rail.translate((0.0, y, 0.0)) for y in (0.033 * u, -0.033 * u)]
    places = np.column_stack([a.position, angle])
    pieces.append(Rigid.of(name, "rail", meshes.merged(rails), places[:1] if fixed else places))
    return pieces


def _pin(solution: Solution, name: str, scales: PictureScales) -> list[Piece]:
    """A pin; it is thinner in the block of a slide."""
    radius = 0.0085 if "slider" in solution.layout.pairs[name].glyphs else 0.011
    return [Rigid.of(name, "joint", meshes.cylinder(radius, 0.021), _upright(solution, name), size=scales.thickness)]


#: how each of :data:`flexmb.model.appearance.GLYPHS` is drawn; the pin comes last, in front of its block
PIECES_OF_GLYPHS = {
    "rod": _rod,
    "spring": _spring,
    "spiral": _spiral,
    "bushing": _bushing,
    "motor": _motor,
    "slider": _slider,
    "pin": _pin,
}


def _tracks(solution: Solution, name: str) -> tuple[Track, Track]:
    pair = solution.layout.pairs[name]
    return solution.track(pair.a), solution.track(pair.b)


def _ends(solution: Solution, name: str) -> np.ndarray:
    """The origins (k, 2, 2) of both frames."""
    return np.stack([track.position for track in _tracks(solution, name)], axis=1)


def _upright(solution: Solution, name: str) -> np.ndarray:
    """Places (k, 3) of a piece that moves with frame b and does not turn."""
    place = _tracks(solution, name)[1].position
    return np.column_stack([place, np.zeros(len(place))])


def _pin_of(solution: Solution, drive: str) -> str:
    """The joint between the two bodies that a drive turns; the drive itself if there is none."""
    layout = solution.layout

    def nodes(name: str) -> set[tuple[int, int, int]]:
        pair = layout.pairs[name]
        return {layout.frames[pair.a].numbers, layout.frames[pair.b].numbers}

    pins = (name for name, pair in layout.pairs.items() if "pin" in pair.glyphs and nodes(name) == nodes(drive))
    return next(pins, drive)


def slide(solution: Solution, name: str) -> tuple[float, float, float]:
    """The travel of the block of a slide, from and to [m], and the direction of its axis in frame a [rad]: the one that
    the joint states, or else the direction in which the block moves."""
    pair = solution.layout.pairs[name]
    path = solution.relative(pair.b, pair.a).position
    turn = pair.axis
    if turn is None:
        away = path - path[0]
        far = away[np.argmax(np.hypot(*away.T))]
        turn = float(np.arctan2(far[1], far[0]))
    reach = np.cos(turn) * path[:, 0] + np.sin(turn) * path[:, 1]
    return float(reach.min()), float(reach.max()), turn

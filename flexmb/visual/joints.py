"""Joints, springs and motors as they are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from flexmb.results.scene import PINS, RODS, SLIDERS, SPRINGS
from flexmb.visual import meshes
from flexmb.visual.pieces import Bent, Helix, Piece, Rigid, Spiral

if TYPE_CHECKING:
    from flexmb.results.solution import Solution
    from flexmb.visual.scales import Scales

#: joints and forces that drive one frame against another
DRIVES = ("DriveAngle", "Motor")


def joints(solution: Solution, scales: Scales) -> list[Piece]:
    """The pieces of all joints, springs, rods and drives."""
    layout = solution.layout
    n = solution.q.shape[1]
    u = scales.thick
    found: list[Piece] = []
    pins: set[tuple] = set()
    for name, pair in layout.pairs.items():
        a, b = solution.track(pair.a), solution.track(pair.b)
        both = np.stack([a.position, b.position], axis=1)
        middle = np.column_stack([b.position, 0.0 * b.angle])
        if pair.kind in RODS:
            found.append(Bent.of(name, "rod", both, meshes.circle(0.006 * u, 12)))
        elif pair.kind in SPRINGS:
            found.append(Helix.of(name, both, 0.018 * u, 0.0034 * u))
        elif pair.kind == "TorsionSpring":
            angles = np.stack([a.angle, b.angle], axis=1)
            found.append(Spiral.of(name, b.position, angles, 0.042 * u, 0.0034 * u))
        elif pair.kind == "Bushing":
            found.append(Rigid.of(name, "bushing", meshes.ring(0.013 * u, 0.027 * u, 0.018 * u), middle))
        elif pair.kind in DRIVES:
            pin = layout.pairs[_pin_of(solution, name)].b
            places = np.column_stack([solution.track(pin).position, b.angle])
            found.append(Rigid.of(name, "motor", meshes.ring(0.018 * u, 0.026 * u, 0.0175 * u), places))
        if pair.kind in SLIDERS:
            found += _slider(solution, name, scales, fixed=layout.frames[pair.a].numbers[0] >= n)
        if pair.kind in PINS:
            spot = (tuple(b.position[0].round(9)), tuple(b.position[-1].round(9)))
            if spot not in pins:
                pins.add(spot)
                radius = (0.0085 if pair.kind == "PinInSlot" else 0.011) * u
                found.append(Rigid.of(name, "joint", meshes.cylinder(radius, 0.021 * u), middle))
    return found


def _pin_of(solution: Solution, drive: str) -> str:
    """The joint that holds together what a drive turns; the drive itself if there is none."""
    layout = solution.layout

    def nodes(name: str) -> set[tuple[int, int, int]]:
        pair = layout.pairs[name]
        return {layout.frames[pair.a].numbers, layout.frames[pair.b].numbers}

    pins = (name for name, pair in layout.pairs.items() if pair.kind in PINS and nodes(name) == nodes(drive))
    return next(pins, drive)


def _slider(solution: Solution, name: str, scales: Scales, *, fixed: bool) -> list[Piece]:
    """The block of a slide, and the rails it goes along: on the ground, or moving with frame a."""
    pair = solution.layout.pairs[name]
    a, b = solution.track(pair.a), solution.track(pair.b)
    first, last, turn = scales.slides[name]
    u = scales.thick
    angle = a.angle + turn
    block = meshes.box(0.085 * u, 0.055 * u, 0.016 * u)
    found: list[Piece] = [Rigid.of(name, "arm", block, np.column_stack([b.position, angle]))]
    shape = np.array([[first - 0.075 * u, 0.0], [last + 0.075 * u, 0.0]])
    rail = meshes.plate(shape, 0.0045 * u, 0.0045 * u)
    rails = [meshes.moved(rail, 0.0, y) for y in (0.033 * u, -0.033 * u)]
    places = np.column_stack([a.position, angle])
    found.append(Rigid.of(name, "rail", meshes.merged(rails), places[:1] if fixed else places))
    return found


def slide(solution: Solution, name: str) -> tuple[float, float, float]:
    """How far the block of a slide goes along it, from and to [m], and the direction of the axis in frame a [rad]: that
    of the joint, or as the block moves when there is no model."""
    pair = solution.layout.pairs[name]
    seen = solution.relative(pair.b, pair.a).position
    if solution.model is not None:
        turn = float(solution.model.components[name].axis)  # type: ignore[attr-defined]
    else:
        away = seen - seen[0]
        far = away[np.argmax(np.hypot(*away.T))]
        turn = float(np.arctan2(far[1], far[0]))
    reach = np.cos(turn) * seen[:, 0] + np.sin(turn) * seen[:, 1]
    return float(reach.min()), float(reach.max()), turn

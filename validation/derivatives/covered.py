"""Which derivatives of runs there are: a table of kinds of mechanisms and parameters, and of methods, made by running
it. Each cell is the deviation from differences of whole runs, or why it is refused.

    python -m flexmb.validation.derivatives.covered
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.control import LinearLaw, NamedQuantity

T_END, STEP, TOLERANCE = 0.3, 2.5e-4, 1e-7
#: columns: what is asked of `sensitivity`
METHODS: dict[str, dict[str, Any]] = {
    "radau": {"method": "radau", "tolerance": TOLERANCE},
    "generalized_alpha, direct": {"step": STEP},
    "generalized_alpha, adjoint": {"step": STEP, "derivatives": "adjoint"},
}


def body(mass: float = 1.5, gravity: float = 9.81, place: float = 0.5) -> fm.SpatialModel:
    """A body on a ball joint."""
    m = fm.SpatialModel("body", gravity=(0, 0, -gravity))
    one = m.add_body("one", mass=mass, inertia=(0.1, 0.2, 0.3), position=(place, 0, 0))
    m.spherical(m.ground, one.frame.attach("foot", (-place, 0, 0)))
    one.frame.move(np.cross((0, 0, 3.0), (place, 0, 0)), (0, 0, 3.0))
    return m


def beam(EI: float = 2.0, rhoA: float = 0.4, damping: float = 1e-3) -> fm.PlanarModel:
    """A beam on a hinge."""
    m = fm.PlanarModel("beam", gravity=(0, -9.81))
    given = fm.planar.BeamProperties(EA=2e3, EI=EI, rhoA=rhoA)
    one = m.add_beam("one", (0, 0), (0.8, 0), properties=given, modes=2, damping=fm.StiffnessProportional(damping))
    m.revolute(m.ground, one.start)
    return m


def loop(crank: float = 0.2, rod: float = 0.5, stiffness: float = 60.0) -> fm.PlanarModel:
    """A slider-crank on a spring."""
    m = fm.PlanarModel("loop", gravity=(0, -9.81))
    pin = crank * np.array([np.cos(1.0), np.sin(1.0)])
    x = pin[0] + np.sqrt(rod * rod - pin[1] ** 2)
    a = m.add_body("a", mass=0.4, inertia=2e-3, position=pin, angle=1.0)
    b = m.add_body("b", mass=0.6, inertia=1e-2, position=0.5 * (pin + [x, 0]), angle=np.arctan2(-pin[1], x - pin[0]))
    one = m.add_body("one", mass=0.8, inertia=1.0, position=(x, 0))
    m.revolute(m.ground, a.attach("o", (-crank, 0)))
    m.revolute(a.frame, b.attach("b1", (-0.5 * rod, 0)))
    m.revolute(b.attach("b2", (0.5 * rod, 0)), one.frame)
    m.prismatic(m.ground, one.frame)
    m.spring_damper(m.ground.attach("seat", (-0.5, 0)), one.frame, stiffness=stiffness, free_length=1.0)
    return m


def controller(gain: float = 30.0, integral: float = 5.0, mass: float = 1.2) -> fm.PlanarModel:
    """A body on a rail under a sampled law with a memory."""
    m = fm.PlanarModel("controller")
    one = m.add_body("one", mass=mass, inertia=1.0, position=(0.5, 0))
    rail = m.prismatic(m.ground, one.frame)
    m.joint_force(rail, 0.0, name="push")
    sensors = [NamedQuantity(m, name) for name in ("one.x", "one.vx")]
    law = LinearLaw([[1.0]], [[0.02, 0.0]], [[-integral]], [[-gain, -4.0]])
    m.add_controller("servo", period=0.02, sensors=sensors, commands="push", law=law)
    return m


def contact(stiffness: float = 2e3, damping: float = 0.1, height: float = 0.1) -> fm.PlanarModel:
    """A point that falls onto a floor."""
    m = fm.PlanarModel("contact", gravity=(0, -9.81))
    one = m.add_body("one", mass=1.0, inertia=1.0, position=(0, height))
    m.contact(m.ground, one.frame, fm.HalfPlane("y"), stiffness=stiffness, damping=damping, exponent=1.0)
    return m


def event(mass: float = 2.0, place: float = 0.1, when: float = 0.25) -> fm.PlanarModel:
    """A body that takes another one along, and leaves it at a time."""
    m = fm.PlanarModel("event", gravity=(0, -9.81))
    one = m.add_body("one", mass=mass, inertia=1.0)
    two = m.add_body("two", mass=1.0, inertia=1.0, position=(1.0, 0.2))
    m.bushing(m.ground, two.frame, stiffness=(300.0, 300.0, 50.0))
    coupling = m.weld(one.frame, two.frame)
    m.switch_off(coupling)
    m.add_event(fm.crossing("one.y", -place, "down"), fm.Switch(on=coupling), name="met", once=True)
    m.add_event(when, fm.Switch(off=coupling), name="left")
    return m


def rolling(mass: float = 1.0, speed: float = 1.0) -> fm.PlanarModel:
    """A skate."""
    m = fm.PlanarModel("rolling", gravity=(0.0, -1.0))
    one = m.add_body("one", mass=mass, inertia=0.2)
    m.knife_edge(m.ground, one.attach("blade", (-0.1, 0.0)))
    one.move((speed, 0.2), 2.0)
    return m


def rubbing(coefficient: float = 0.3, mass: float = 2.0) -> fm.PlanarModel:
    """A pendulum on a bearing with friction by its own force."""
    m = fm.PlanarModel("rubbing", gravity=(0.0, -9.81))
    one = m.add_body("one", mass=mass, inertia=0.1, position=(0.3, 0.0))
    friction = fm.JointFriction(coefficient, radius=0.02, smoothing=0.05)
    m.revolute(m.ground, one.attach("pin", (-0.3, 0.0)), friction=friction)
    return m


def door(mass: float = 20.0, speed: float = 1.0) -> fm.SpatialModel:
    """A door on two hinges, one of which repeats the other."""
    m = fm.SpatialModel("door", gravity=(0, 0, -9.81))
    one = m.add_body("one", mass=mass, inertia=(5.0, 0.6, 5.0), position=(0.4, 0, 1.0))
    for z in (0.3, 1.7):
        seat = m.ground.attach(f"seat {z}", (0, 0, z))
        m.revolute(seat, one.frame.attach(f"eye {z}", (-0.4, 0, z - 1.0)), axis="z")
    one.frame.move((0, 0.4 * speed, 0), (0, 0, speed))
    m.point_force(one.frame, (0.0, 1.0, 0.0), factor=3.0)
    return m


#: rows: a mechanism, and the output that is asked for
KINDS: dict[str, tuple[Callable[..., Any], str]] = {
    "body in space: mass, gravity, place": (body, "one.z"),
    "beam: stiffness, mass, damping": (beam, "one.end.y"),
    "loop: lengths, spring": (loop, "one.x"),
    "sampled controller: gains, mass": (controller, "one.x"),
    "contact: stiffness, damping, height": (contact, "one.y"),
    "event: mass, place, instant": (event, "one.y"),
    "rows of speeds: mass, initial speed": (rolling, "one.x"),
    "friction by the joint's force: coefficient, mass": (rubbing, "one.y"),
    "redundant joints: mass, initial speed": (door, "one.x"),
}


class Cell(NamedTuple):
    """The largest deviation of a derivative from differences, as a part of the largest derivative; or why it is
    refused."""

    kind: str
    method: str
    deviation: float
    refusal: str


def _defaults(build: Callable[..., Any]) -> dict[str, float]:
    names = build.__code__.co_varnames[: build.__code__.co_argcount]
    return dict(zip(names, build.__defaults__ or ()))


def _differences(build: Callable[..., Any], output: str) -> np.ndarray:
    """Derivatives of an output at the end of a run (p,), by differences of fourth order, each times its parameter."""
    given, found = _defaults(build), []
    for name, value in given.items():
        ends = []
        for offset in OFFSETS:
            model = build(**{**given, name: value * (1.0 + 1e-3 * offset)})
            ends.append(float(fm.simulate(model, T_END, tolerance=1e-10, progress=False)[output][-1]))
        found.append(float(slope(ends, 1e-3)))
    return np.array(found)


def cells(kinds: dict[str, tuple[Callable[..., Any], str]] | None = None) -> Iterator[Cell]:
    """All cells of the table."""
    for kind, (build, output) in (kinds or KINDS).items():
        near, given = _differences(build, output), _defaults(build)
        for method, asked in METHODS.items():
            try:
                found = fm.sensitivity(build, given, T_END, final=output, **asked)
            except fm.FlexmbError as why:
                yield Cell(kind, method, np.nan, str(why))
                continue
            off = np.abs(found.matrix[0] * list(given.values()) - near).max()
            yield Cell(kind, method, float(off / np.abs(near).max()), "")


def table(found: list[Cell]) -> str:
    """The table in Markdown."""
    by = {(cell.kind, cell.method): cell for cell in found}
    lines = [f"| mechanism: parameters | {' | '.join(METHODS)} |", f"|---|{'---|' * len(METHODS)}"]
    for kind in dict.fromkeys(cell.kind for cell in found):
        row = [by[kind, method] for method in METHODS]
        lines.append(f"| {kind} | {' | '.join('–' if x.refusal else f'{x.deviation:.0e}' for x in row)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(list(cells())))

"""Open, closed and floating chains of rods: the motions of Takahashi (2012), who prints them in diagrams only.

Where the source and its data disagree. The rods have no moment of inertia about their own axes (p. 24): in the plane it
takes no part, in space it is 0.001 kg m² here, without which the last angle of the floating chain is not determined.
The angular velocity of the floating rod is said to stay constant (§3.4.2): that is so in the axes of a body of three
equal moments; of a rod that which is along it does, and the rest stays in space. The speeds of the floating chain, of
two digits, leave its momentum at 0.08 kg m/s, which is constant, not zero. Angles at the fourth corner of the closed
chains are those of the crank on the ground (§3.1.3); in §7.2 they are against the rod before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.examples.four_bar import build as four_bar
from flexmb.formulations.kinds import FORMULATIONS as ALL_FORMULATIONS
from flexmb.validation.references import floating_chain, free_rotation, parallelogram, planar_chain
from flexmb.validation.registry import Check, case

#: absolute coordinates, and the formulations in joint coordinates; those of them that close loops
FORMULATIONS: tuple[str | None, ...] = (None, *ALL_FORMULATIONS)
CLOSING: tuple[str | None, ...] = (None, *(name for name, kind in ALL_FORMULATIONS.items() if kind.takes_loops))
#: how all of them are integrated
PRECISELY: dict[str, Any] = {"method": "dop853", "tolerance": 1e-11, "progress": False}
TOLERANCE, ROUNDING = "ten times the tolerance", "rounding"
CONDITION = "rounding times the condition of mass matrices, up to 6e4, of 20 rad/s²"


def chain(lengths: Sequence[float], start: Sequence[float] | np.ndarray, name: str = "chain") -> fm.PlanarModel:
    """Rods of 1 kg on hinges `joint0` …, from rest at angles of the joints, the first from the upward vertical."""
    model = fm.PlanarModel(name, gravity=(0.0, -planar_chain.G))
    before, at = model.ground, np.zeros(2)
    for k, (length, phi) in enumerate(zip(lengths, np.cumsum(start))):
        way = length * np.array([np.sin(phi), np.cos(phi)])
        rod = model.add_body(
            f"rod{k}", mass=1.0, inertia=length**2 / 12.0, position=at + 0.5 * way, angle=0.5 * np.pi - phi
        )
        model.revolute(before, rod.attach("near", (-0.5 * length, 0.0)), name=f"joint{k}")
        before, at = rod.attach("far", (0.5 * length, 0.0)), at + way
    return model


def theta(run: fm.Solution, count: int) -> np.ndarray:
    """Angles of the joints (k, n) [rad]."""
    phi = np.array([0.5 * np.pi - run[f"rod{k}"].angle for k in range(count)]).T
    return np.diff(phi, axis=1, prepend=0.0)


def floating_rod() -> fm.SpatialModel:
    """The rod of §3.4.2, which turns about its mass center at rest."""
    model = fm.SpatialModel("floating rod")
    rod = model.add_body("rod", mass=1.0, inertia=floating_chain.INERTIA)
    rod.move(angular_velocity=(0.72, 0.48, 0.24))
    return model


def floating_rods() -> fm.SpatialModel:
    """The floating chain of §4.4.2."""
    model, start = fm.SpatialModel("floating rods"), floating_chain.SIX_START
    links = floating_chain.six_rods().links
    before: Any = None
    turn, place, omega, speed = Rotation.identity(), np.zeros(3), start.speeds[3:6], start.speeds[:3]
    for k, link in enumerate(links):
        if k:
            arm = turn.apply(link.offset)
            place, speed = place + arm, speed + np.cross(omega, arm)
            omega = omega + turn.apply(link.axis) * start.speeds[5 + k]
            turn = turn * Rotation.from_rotvec(start.angles[k - 1] * np.asarray(link.axis))
        arm = turn.apply(link.center)
        rod = model.add_body(f"rod{k}", mass=link.mass, inertia=link.inertia, position=place + arm, orientation=turn)
        rod.move(speed + np.cross(omega, arm), angular_velocity=omega)
        if k:
            near = rod.attach("near", np.negative(link.center))
            model.revolute(before, near, axis="z" if link.axis[2] else "y", name=f"joint{k}")
        before = rod.attach("far", (0.0, 0.0, 0.5))
    return model


def hinges(run: fm.Solution, count: int) -> np.ndarray:
    """Angles of the hinges of the floating chain (k, count) [rad]."""
    angles = np.array([run[f"joint{k + 1}.angle"] for k in range(count)]).T
    return angles - angles[0] + floating_chain.SIX_START.angles


def _drift(run: fm.Solution) -> float:
    """How far the energy moves away from that of the start [J]."""
    return float(np.max(np.abs(run.energy.total - run.energy.total[0])))


#: chains on the ground, and how long they move [s]
OPEN = {
    "3 rods, §3.1.1": (planar_chain.THREE, 3.0),
    "7 rods, §4.4.1": (planar_chain.SEVEN, 3.0),
    "4 rods, §7.2.1": (planar_chain.FOUR, 2.0),
}


@lru_cache
def _angles(name: str) -> np.ndarray:
    """Angles (2, n) of a chain on the ground in the middle of its motion and at the end."""
    known, t_end = OPEN[name]
    return known.motion(np.array([0.0, 0.5 * t_end, t_end]))[0][1:]


@lru_cache
def _floating_angles() -> np.ndarray:
    """Those of the hinges of the floating chain after 1 s."""
    return floating_chain.six_rods().motion(floating_chain.SIX_START, np.array([0.0, 1.0]))[1].angles


def open_chains(formulation: str | None) -> Iterator[Check]:
    """Three, seven and four rods on the ground."""
    label = formulation or "absolute coordinates"
    source = "Lagrange's equations in closed form, DOP853 at 1e-13"
    for name, (known, t_end) in OPEN.items():
        run, count = _run(chain(known.lengths, known.start), t_end, formulation), len(known.lengths)
        found = [theta(run, count)[np.argmin(abs(run.t - t))] for t in (0.5 * t_end, t_end)]
        off = float(np.max(np.abs(found - _angles(name))))
        yield Check(f"{name}, {label}: angles [rad]", off, 0.0, 1e-10, source, TOLERANCE)
        what = f"{name}, {label}: energy drifts by [J]"
        yield Check(what, _drift(run), 0.0, 1e-10, "conservation of energy", TOLERANCE)


def at_start(formulation: str) -> Iterator[Check]:
    """Accelerations of the open chains at rest, and of the floating chain in motion."""
    for name, (known, _) in OPEN.items():
        tree = fm.Tree.of(chain(known.lengths, known.start))
        found = -fm.formulation(tree, formulation)(*tree.start())  # θ counts clockwise
        off = float(np.max(np.abs(found - known.acceleration(np.array(known.start), np.zeros(len(known.start))))))
        source = "Lagrange's equations in closed form"
        yield Check(f"{name}, {formulation}: θ̈ at rest, largest error [rad/s²]", off, 0.0, 1e-11, source, CONDITION)
    tree = fm.Tree.of(floating_rods())
    found = fm.formulation(tree, formulation)(*tree.start())
    known_rates = floating_chain.six_rods().acceleration(floating_chain.SIX_START)
    hinge = [tree.names.index(f"joint{k}.angle") for k in range(1, 6)]
    off = float(np.max(np.abs(found[hinge] - known_rates[6:])))
    what = f"6 floating rods, {formulation}: θ̈ at the start, largest error [rad/s²]"
    yield Check(what, off, 0.0, 1e-11, "Kane's equations", CONDITION)


def _run(model: Any, t_end: float, formulation: str | None, count: int = 21) -> fm.Solution:
    """The motion with a formulation, at so many times."""
    more: dict[str, Any] = {"formulation": formulation} if formulation else {}
    return fm.simulate(model, t_end, times=np.linspace(0.0, t_end, count), **PRECISELY, **more)


def closed_chain(formulation: str | None) -> Iterator[Check]:
    """The parallelogram that stays on one side of the position in which it is laid flat."""
    label = formulation or "absolute coordinates"
    run = _run(four_bar(), 3.0, formulation)
    phi = 0.5 * np.pi - run["left"].angle
    off = float(np.max(np.abs(phi - parallelogram.angle(run.t))))
    source = "(5/3) φ̈ = 2 g sin φ by Jacobi's elliptic functions"
    yield Check(f"closed chain, §3.1.3, {label}: φ [rad]", off, 0.0, 1e-10, source, TOLERANCE)
    drift = f"closed chain, §3.1.3, {label}: energy drifts by [J]"
    yield Check(drift, _drift(run), 0.0, 1e-10, "conservation of energy", TOLERANCE)


def floating(formulation: str | None) -> Iterator[Check]:
    """A rod and a chain of six that float."""
    label = formulation or "absolute coordinates"
    run = _run(floating_rod(), 10.0, formulation)
    turn, _ = free_rotation.symmetric(1.0 / 12.0, floating_chain.AXIAL, np.array([0.72, 0.48, 0.24]), run.t)
    off = float(np.max((run["rod"].orientation * turn.inv()).magnitude()))
    source = "R = exp(t L/A) exp(t ω₃ (1 − C/A) e₃)"
    yield Check(f"floating rod, §3.4.2, {label}: turn [rad]", off, 0.0, 1e-10, source, TOLERANCE)
    far = float(np.max(np.abs(run["rod"].position)))
    yield Check(f"floating rod, §3.4.2, {label}: mass center [m]", far, 0.0, 1e-12, "momentum is zero", ROUNDING)

    reference = floating_chain.six_rods()
    run = _run(floating_rods(), 10.0, formulation, 101)
    off = float(np.max(np.abs(hinges(run, 5)[10] - _floating_angles())))
    source = "Kane's equations, DOP853 at 1e-13"
    yield Check(f"6 floating rods, §4.4.2, {label}: angles after 1 s [rad]", off, 0.0, 1e-10, source, TOLERANCE)
    momentum = reference.equations(floating_chain.SIX_START)[2]
    off = float(np.max(np.abs(_momentum(run, 6) - momentum)))
    what = f"6 floating rods, §4.4.2, {label}: momenta drift by [kg m/s, kg m²/s]"
    yield Check(what, off, 0.0, 1e-10, "conservation of momentum", TOLERANCE)
    what = f"6 floating rods, §4.4.2, {label}: energy drifts by [J]"
    yield Check(what, _drift(run), 0.0, 1e-10, "conservation of energy", TOLERANCE)


def _momentum(run: fm.Solution, count: int) -> np.ndarray:
    """Momentum and angular momentum about the origin (k, 6) of rods."""
    total = np.zeros((len(run.t), 6))
    for k in range(count):
        rod = run[f"rod{k}"]
        own = rod.orientation.apply(floating_chain.INERTIA * rod.orientation.inv().apply(rod.angular_velocity))
        total += np.hstack([rod.velocity, own + np.cross(rod.position, rod.velocity)])
    return total


@case("articulated", draw=floating_rods)
def compute() -> Iterator[Check]:
    """open, closed and floating chains of rods by every formulation: angles, energy, momentum; two digits of the
    source"""
    for name in ALL_FORMULATIONS:
        yield from at_start(name)
    for formulation in FORMULATIONS:
        yield from open_chains(formulation)
        yield from floating(formulation)
    for formulation in CLOSING:
        yield from closed_chain(formulation)

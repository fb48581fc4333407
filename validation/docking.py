"""Two bodies dock, fly as one, and part again, in the plane and in space: momentum, impulse, loss and free flight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references.docking import Moving, flight, impulses, joined
from flexmb.validation.registry import Check, case

#: when they dock and part, and the end [s]
DOCKED, PARTED, T_END = 0.5, 1.2, 2.0
METHODS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("generalized_alpha", {"tolerance": 1e-6}, 1e-5),
    ("radau", {"tolerance": 1e-8}, 1e-8),
    ("independent", {"tolerance": 1e-9}, 1e-7),
    ("projection", {"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-9),
    ("dop853", {"tolerance": 1e-10}, 1e-9),
)


def plane() -> fm.PlanarModel:
    """Two bodies that drift towards each other, and the weld that joins them for a while."""
    m = fm.PlanarModel("docking in the plane")
    a = m.add_body("a", mass=2.0, inertia=0.3, angle=0.1)
    b = m.add_body("b", mass=3.0, inertia=0.5, position=(1.4, 0.2))
    a.frame.move((1.0, 0.2), 0.5)
    b.frame.move((-0.5, 0.1), -0.8)
    return _with_dock(m, a.attach("port", (0.3, 0.0)), b.attach("port", (-0.3, 0.0)))


def space() -> fm.SpatialModel:
    """Two bodies in space, with inertias that differ about all axes, that drift towards each other."""
    m = fm.SpatialModel("docking in space")
    a = m.add_body("a", mass=2.0, inertia=(0.3, 0.4, 0.5))
    turned = Rotation.from_euler("xyz", [0.2, 0.4, -0.3])
    b = m.add_body("b", mass=3.0, inertia=(0.5, 0.6, 0.9), position=(1.4, 0.2, 0.1), orientation=turned)
    a.frame.move((1.0, 0.2, 0.1), (0.5, 0.1, 0.3))
    b.frame.move((-0.5, 0.1, 0.0), (-0.8, 0.2, 0.4))
    return _with_dock(m, a.attach("port", (0.3, 0.0, 0.0)), b.attach("port", (-0.3, 0.0, 0.1)))


def _with_dock(m: Any, a: fm.planar.Frame, b: fm.planar.Frame) -> Any:
    m.switch_off(m.weld(a, b, name="dock"))
    m.add_event(DOCKED, fm.Switch(on="dock"), name="docking")
    m.add_event(PARTED, fm.Switch(off="dock"), name="parting")
    return m


def moving(solution: fm.Solution, name: str, k: int) -> Moving:
    """A body at a time of a solution."""
    track, body = solution[name], solution.layout.bodies[name]
    if solution.layout.dimension == 2:
        inertia = np.diag([0.0, 0.0, {"a": 0.3, "b": 0.5}[name]]) + np.diag([1.0, 1.0, 0.0])  # it turns about z alone
        place, velocity = (np.append(x[k], 0.0) for x in (track.position, track.velocity))
        return Moving(body.mass, inertia, place, velocity, np.array([0.0, 0.0, track.angular_velocity[k]]))
    own = {"a": [0.3, 0.4, 0.5], "b": [0.5, 0.6, 0.9]}[name]
    R = track.orientation[k].as_matrix()
    omega = np.array([getattr(track, what)[k] for what in ("wx", "wy", "wz")])
    return Moving(body.mass, R @ np.diag(own) @ R.T, track.position[k], track.velocity[k], omega)


def turn(solution: fm.Solution, name: str, k: int) -> np.ndarray:
    """The orientation of a body (3, 3)."""
    track = solution[name]
    if solution.layout.dimension == 2:
        return Rotation.from_euler("z", track.angle[k]).as_matrix()
    return np.asarray(track.orientation[k].as_matrix())


@case("docking", draw=space)
def compute() -> Iterator[Check]:
    """two bodies dock and part: momentum to round-off, impulse, loss and free flight against closed form"""
    for where, build in (("plane", plane), ("space", space)):
        for method, options, error in METHODS:
            solution = fm.simulate(build(), T_END, method, progress=False, **options)
            yield from _checks(f"{where}, {method}", solution, error)


def _checks(what: str, solution: fm.Solution, error: float) -> Iterator[Check]:
    source: Any = solution.source
    system, law, source_of = source.system, "conservation", "momentum of rigid bodies (references/docking.py)"
    before, parting = (int(k) for k in np.flatnonzero(np.diff(solution.t) == 0.0))  # at events there are two times
    docked, apart = before + 1, parting + 1
    P = [system.momentum(solution.t[k], solution.q[k], solution.v[k]) for k in (before, docked)]
    off = float(np.max(np.abs(P[1] - P[0])) / np.linalg.norm(P[0]))
    yield Check(f"{what}: jump of momentum [–]", off, 0.0, 1e-15, law, "round-off")
    bodies = [moving(solution, name, before) for name in "ab"]
    one, event = joined(bodies), solution.events[0]
    port = np.resize(solution["b.port"].position[docked], 3) * [1, 1, solution.layout.dimension == 3]
    force, moment = impulses(bodies[1], one, port)
    found = event.impulses["dock"]
    if solution.layout.dimension == 2:
        force, moment = force[:2], moment[2:]
    apart_by = float(max(np.max(np.abs(found[0] - force)), np.max(np.abs(found[1] - moment))))
    yield Check(f"{what}: impulse on b [N s, Nm s]", apart_by, 0.0, 1e-13, source_of, "round-off")
    lost = sum(b.energy for b in bodies) - one.energy
    yield Check(f"{what}: energy lost [J]", float(solution.energy.switching[-1]), lost, 1e-13, source_of, "round-off")
    yield Check(f"{what}: balance of energy [–]", solution.energy.error, 0.0, error, law, "error of the method")
    # as one body they fly until they part, then each alone
    path, turned = flight(one, PARTED - DOCKED)
    place = one.place + path + turned @ (bodies[1].place - one.place)
    off = float(np.max(np.abs(solution["b"].position[apart] - place[: solution.layout.dimension])))
    yield Check(f"{what}: flight of both [m]", off, 0.0, error, "Euler's equations", "error of the method")
    alone = moving(solution, "b", apart)
    path, turned = flight(alone, T_END - PARTED)
    there = turned @ turn(solution, "b", apart)
    off = float(max(np.max(np.abs(there - turn(solution, "b", -1))), _off(solution, alone.place + path)))
    yield Check(f"{what}: flight of one [m, rad]", off, 0.0, error, "Euler's equations", "error of the method")


def _off(solution: fm.Solution, place: np.ndarray) -> float:
    return float(np.max(np.abs(solution["b"].position[-1] - place[: solution.layout.dimension])))

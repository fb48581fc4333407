"""Which steady motion is asked for: the turn of the whole, what spins besides, and the way along the axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flexmb.algebra.factors import dense
from flexmb.analyses.statics.rotation import UPWARD, SteadyRotation, check_orbit
from flexmb.errors import ModelError
from flexmb.kernels.blocks import ANGLE, FREE, PLACE
from flexmb.kernels.rotations import turned
from flexmb.model import checks, given_names
from flexmb.model.spatial_frames import unit_axis
from flexmb.solvers.events.jamming import refuse_joint_friction
from flexmb.system.system import System

#: weight across the axis that is rounding of its direction
ALONG = 1e-9


def asked_rotation(
    system: System,
    t: float,
    spin: Any,
    axis: Any,
    center: Any,
    rotors: Mapping[str, Any] | None,
    advance: Any,
    where: str,
) -> tuple[SteadyRotation | None, list[np.ndarray]]:
    """The steady motion that the arguments of :func:`flexmb.equilibrium` describe, None for rest; and the numbers (3,)
    of the speeds of bodies that are rotors in space. Where `rotors` are given, even none, rest is the limit of slow
    rotation, in which nothing need resist a turn."""
    spin, advance = checks.number(spin, "spin", where), checks.number(advance, "advance", where)
    plane = system.model.dimension == 2
    if plane and not (isinstance(axis, str) and axis == "z"):
        raise ModelError(
            f"{where}: axis is {checks.quoted(axis)}; a mechanism in the plane turns in it, leave axis out"
        )
    direction = UPWARD if plane else unit_axis(axis, where, frame="'ground'")
    if plane and advance:
        raise ModelError(f"{where}: advance is {advance:g}; there is no way along the axis in the plane, leave it out")
    middle = np.zeros(2 if plane else 3)
    if center is not None:
        middle = checks.vector(center, "center", where, len(middle))
    rests = rotors is None and spin == 0.0 and advance == 0.0
    if system.model.gravity.is_central:
        check_orbit(system.model.gravity, spin * direction, where)
        if middle.any() or advance:
            raise ModelError(f"{where}: in orbit all turns about the origin of the model; leave center and advance out")
    rotors = {} if rotors is None else rotors
    besides = _rates_of_rotors(system, t, rotors, where)
    if rests and not besides.any():
        return None, []
    refuse_joint_friction(system, f"{where}, in steady rotation")
    _check_weight(system, spin, direction, where)
    if advance:
        besides[system.assembly.free.numbers_of(PLACE, 3)] += advance * direction
    besides = _with_free_rates(system, t, SteadyRotation(spin, middle, system, direction, besides), besides)
    nodes = [] if plane else [system.model.frames[name].node for name in rotors if name in system.model.frames]
    numbers = [system.assembly.node_numbers(node).v[3:6] for node in nodes]
    return SteadyRotation(spin, middle, system, direction, besides if besides.any() else None), numbers


def _check_weight(system: System, spin: float, axis: np.ndarray, where: str) -> None:
    """Raise a ModelError where weight changes its direction against what turns."""
    gravity = system.model.gravity.weight()
    if spin == 0.0 or not gravity.any():
        return
    if system.model.dimension == 2:
        raise ModelError(f"{where}: a mechanism with weight does not turn steadily; set gravity to (0, 0)")
    across = gravity - (gravity @ axis) * axis
    if np.linalg.norm(across) > ALONG * np.linalg.norm(gravity):
        shown = ", ".join(f"{x:g}" for x in axis)
        raise ModelError(
            f"{where}: a mechanism with weight across the axis ({shown}) does not turn steadily about it; take an axis "
            "along the weight, or set gravity to (0, 0, 0)"
        )


def _rates_of_rotors(system: System, t: float, rotors: Mapping[str, Any], where: str) -> np.ndarray:
    """The speeds (n,) of what spins besides: those given, and initial rates of free coordinates, but for counted
    angles, which joints determine."""
    besides = np.where(system.assembly.free.mask(FREE), system.v0, 0.0)
    turning = np.flatnonzero(besides)
    if system.m and len(turning):
        besides[turning[np.abs(dense(system.jacobian(t, system.q0)[:, turning])).any(axis=0)]] = 0.0
    if not isinstance(rotors, Mapping):
        raise ModelError(
            f"{where}: rotors is {checks.quoted(rotors)}; give rates by name, e.g. {{'wheel': (0, 0, 30.0)}}"
        )
    own = [name for name, free in zip(system.names, system.assembly.free.mask(FREE, ANGLE)) if free]
    for name, rate in rotors.items():
        frame: Any = system.model.frames.get(name)
        if name in own:
            besides[system.names.index(name)] = checks.number(rate, f"rotors[{name!r}]", where)
        elif frame is None:
            raise given_names.unknown(name, [*system.model.frames, *own], "body, frame or coordinate", where)
        elif frame.node.fixed:
            raise ModelError(f"{where}: rotors names {frame.where}, which is fixed; leave it out")
        elif system.model.dimension == 2:
            numbers = system.assembly.node_numbers(frame.node).v
            besides[numbers[2]] = checks.number(rate, f"rotors[{name!r}]", where)
        else:
            numbers = system.assembly.node_numbers(frame.node).v
            given = checks.vector(rate, f"rotors[{name!r}]", where, 3)
            besides[numbers[3:6]] = turned(tuple(frame.axes.tolist()), tuple(given.tolist()))
    return besides


def _with_free_rates(system: System, t: float, rotation: SteadyRotation, besides: np.ndarray) -> np.ndarray:
    """The speeds besides, with those rates of free coordinates that joints, counted angles and drives ask for."""
    free = np.flatnonzero(system.assembly.free.mask(FREE))
    if not system.m or not len(free):
        return besides
    G = dense(system.jacobian(t, system.q0)[:, free])
    rows = np.abs(G).any(axis=1)
    v, _ = rotation.rates(system.q0)
    rate = system.constraint(t, system.q0, v)[1][rows]
    out = besides.copy()
    scale = system.scale[free]
    out[free] -= scale * np.linalg.lstsq(G[rows] * scale, rate, rcond=1e-10)[0]
    return out

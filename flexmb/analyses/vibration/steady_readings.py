"""Which steady motion a state belongs to: the turn Ω of the whole, from its speeds and accelerations.

In a steady motion (:mod:`flexmb.analyses.statics.rotation`) dv/dt = Ω × v for places and directions, and with R an
orientation R dω/dt = Ω × R ω. These are linear equations for Ω, which may leave its part along one direction open:
where all that moves spins about that direction, and stays in its place. Then either the bodies spin, each for itself,
or the whole mechanism turns.
"""

from __future__ import annotations

import numpy as np

from flexmb.analyses.statics.rotation import SteadyRotation, axes_of_bodies, cross_matrix, directions, in_space, turns
from flexmb.kernels.blocks import ANGLE
from flexmb.results.state import State

#: accelerations of a steady motion are as they should be to this part
STEADY = 1e-5
#: accelerations below this, in radians or lengths of the mechanism per s², or of the speeds squared, are rounding
ROUNDING = 1e-12
#: entries below this part of the largest are zero
ZERO = 1e-9


def possible_turns(state: State) -> tuple[list[np.ndarray], np.ndarray]:
    """The turns Ω (3,) [rad/s] with which the state may go on steadily, and by how much its accelerations (n,) differ
    from those of the first, in radians or lengths of the mechanism per s²."""
    system, numbers = state.system, directions(state.system)
    size = system.scale[numbers[:, 0]]
    matrix = (-cross_matrix(in_space(state.v[numbers])) / size[:, None, None]).reshape(-1, 3)
    right = (in_space(state.a[numbers]) / size[:, None]).ravel()
    spins = np.zeros((0, 3))
    if len(system.orientations):
        bodies = axes_of_bodies(system, state.q)
        spins, rates = ((bodies @ x[turns(system)][:, :, None])[:, :, 0] for x in (state.v, state.a))
        matrix = np.vstack([matrix, -cross_matrix(spins).reshape(-1, 3)])
        right = np.append(right, rates)
    in_plane = system.model.dimension == 2
    if in_plane:
        matrix[:, :2] = 0.0
        angles = system.assembly.free.numbers_of(ANGLE, 1).ravel()
        spins = np.outer(state.v[angles], [0.0, 0.0, 1.0])
    fast = float(np.linalg.norm(matrix, 2)) if len(matrix) else 0.0
    _, sizes, rows = np.linalg.svd(matrix, full_matrices=len(matrix) < 3) if fast else (0, np.zeros(3), np.eye(3))
    turn = np.linalg.lstsq(matrix, right, rcond=1e-9)[0] if fast else np.zeros(3)
    turn[np.abs(turn) <= ZERO * fast] = 0.0
    if np.max(np.abs(right), initial=0.0) <= ROUNDING * max(1.0, fast**2):
        turn[:] = 0.0
    found, off = [turn], differences(state, turn)
    open_directions = rows[np.append(sizes, np.zeros(3 - len(sizes))) <= 1e-9 * fast]
    if (in_plane and not matrix[:, 2].any()) or (not in_plane and fast and len(open_directions) == 1):
        axis = np.array([0.0, 0.0, 1.0]) if in_plane else open_directions[0]
        for rate in spins @ axis:
            if all(np.linalg.norm(turn + rate * axis - x) > 1e-9 * abs(rate) for x in found):
                found.append(turn + rate * axis)
    return found, off


def differences(state: State, turn: np.ndarray) -> np.ndarray:
    """Differences (n,) of the accelerations of a state from those of the steady motion with a turn Ω (3,), in
    radians or lengths of the mechanism per s²."""
    motion = SteadyRotation.through(state.system, state.q, state.v, turn)
    return np.asarray(np.abs(state.a - motion.accelerations(state.q, state.v)) / state.system.scale)


def fastest(state: State, turn: np.ndarray) -> float:
    """The largest rate [rad/s, or lengths of the mechanism in s] of a motion."""
    return max(float(np.linalg.norm(turn)), float(np.max(np.abs(state.v) / state.system.scale, initial=0.0)))


def slow(state: State) -> float:
    """A rate [rad/s] of slow motions: 1, or that of an orbit, along which gravity turns."""
    gravity = state.system.model.gravity
    return gravity.rate if gravity.is_central else 1.0


def noticeable(state: State, turn: np.ndarray) -> float:
    """Accelerations below this are none, in radians or lengths of the mechanism per s²."""
    return STEADY * max(slow(state), fastest(state, turn)) ** 2

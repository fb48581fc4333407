"""The states of a run with their changes by parameters, between its steps too, and what outputs make of them.

Positions are quintic between the ends of a step, from positions, speeds and accelerations there, if the method is of
order 5; else cubic. This is linear in the numbers at the ends, so that changes take the same polynomials. Orientations
change by small turns δθ in their own axes: in the axes of space the turn δφ = R δθ has the rates R δω and
R (δα + ω × δω), which are interpolated as those of other coordinates are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.parameters import NeighboringSystems
from flexmb.analyses.sensitivity.propagation import Quantity, explicit_derivative
from flexmb.kernels.rotations import rotation_matrix
from flexmb.results.between_steps.interpolation import CUBIC, Interpolation
from flexmb.results.between_steps.nodes import States
from flexmb.results.state import as_solution
from flexmb.system.system import System

#: Points of Gauss's rule in a step, and the step, as a part of the run, that is too short to add to an integral.
GAUSS, SHORTEST = 4, 1e-12


class Motion(NamedTuple):
    """The states of a run: t (k,), q (k, nq), v, a (k, n), λ (k, m); and their changes by p parameters, `dq`, small
    motions, `dv`, `da` (p, k, n) and `dlam` (p, k, m)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    dq: np.ndarray
    dv: np.ndarray
    da: np.ndarray
    dlam: np.ndarray

    def at(self, rows: slice) -> Motion:
        """Some of the states."""
        return Motion(*(x[rows] for x in self[:5]), *(x[:, rows] for x in self[5:]))

    @property
    def kept(self) -> np.ndarray:
        """The speeds, which fulfil the constraints."""
        return self.v


def at_times(system: System, motion: Motion, times: np.ndarray, order: int, where: str) -> Motion:
    """The states at chosen times and their changes, of a run by a method of some order."""
    between = Interpolation(motion.t, times, where, order)
    known = States(motion.q, motion.v, motion.a, motion.lam)
    there = States(*between.states(known, system.orientations)[0])
    turned = _turned(system, (motion.q, motion.v), (motion.dq, motion.dv, motion.da), False)
    moved = [np.moveaxis(x, 0, 1) for x in turned]
    if order <= CUBIC:
        dq, dv, da = between.hermite(moved[0], moved[1]), between.hermite(moved[1], moved[2]), between.linear(moved[2])
    else:
        dq, dv, da = _quintic(between, *moved)
    dq, dv, da = _turned(system, (there.q, there.v), tuple(np.moveaxis(x, 1, 0) for x in (dq, dv, da)), True)
    dlam = np.moveaxis(_smoothly(between, np.moveaxis(motion.dlam, 0, 1)), 1, 0)
    return Motion(times, there.q, there.v, there.a, there.multipliers, dq, dv, da, dlam)


def _smoothly(between: Interpolation, x: np.ndarray) -> np.ndarray:
    """Values of a quantity (k, p, m) whose rates are not known."""
    return between.values(x.reshape(len(x), -1)).reshape(len(between.times), *x.shape[1:])


def _quintic(
    between: Interpolation, x: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (k, …), rates and second rates of the quintic polynomials with x, v and a at the ends of steps. Second
    rates are interpolated by themselves, as those of a run."""
    i, j = between.left, between.right
    h, s = (y.reshape(-1, *[1] * (x.ndim - 1)) for y in (between.h, between.part))
    first, last = h * h * a[i], h * h * a[j]
    way = x[j] - x[i] - h * v[i] - 0.5 * first
    rate = h * (v[j] - v[i]) - first
    bend = last - first
    c3 = 10.0 * way - 4.0 * rate + 0.5 * bend
    c4 = -15.0 * way + 7.0 * rate - bend
    c5 = 6.0 * way - 3.0 * rate + 0.5 * bend
    value = x[i] + s * (h * v[i] + s * (0.5 * first + s * (c3 + s * (c4 + s * c5))))
    lasting = np.where(h > 0.0, h, 1.0)
    rates = v[i] + s * (first + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5))) / lasting
    return value, rates, _smoothly(between, a)


def _turned(
    system: System, state: tuple[np.ndarray, np.ndarray], changes: tuple[np.ndarray, ...], back: bool
) -> tuple[np.ndarray, ...]:
    """Changes (δq, δv, δa) (p, k, n) at states (q, v), those of orientations in the axes of space, or `back` in their
    own."""
    q, v = state
    out = tuple(x.copy() for x in changes)
    for i, scalar in system.orientations.tolist():
        own = slice(i, i + 3)
        R = np.array([rotation_matrix((row[scalar], *row[own])) for row in q]).reshape(-1, 3, 3)
        along = np.swapaxes(R, 1, 2) if back else R
        turn, rate, second = (np.einsum("kij,pkj->pki", along, x[..., own]) for x in changes)
        spin = np.cross(v[None, :, own], rate if back else changes[1][..., own])
        out[0][..., own], out[1][..., own] = turn, rate
        out[2][..., own] = second - spin if back else second + np.einsum("kij,pkj->pki", R, spin)
    return out


class Stretch(NamedTuple):
    """A part of a run in which nothing is switched: its system, the neighboring systems by each parameter, its states
    with their changes, and by how much its begin moves with each parameter (p,) [s]."""

    system: System
    neighbors: list[NeighboringSystems]
    motion: Motion
    shift: np.ndarray

    def along(self, names: list[Any], motion: Motion) -> tuple[np.ndarray, np.ndarray]:
        """Values (k, j) of outputs along a motion, and their derivatives (k, j, p)."""
        outputs, rows = Outputs(self.system, names), (motion.t, motion.q, motion.v, motion.a, motion.lam)
        out = np.zeros((len(motion.t), len(outputs.names), len(self.neighbors)))
        for p, near in enumerate(self.neighbors):
            change = output_changes(outputs, motion, motion.dq[p], motion.dv[p], motion.da[p], motion.dlam[p])
            out[:, :, p] = change + explicit_derivative(outputs, near, rows)
        return outputs.values(*rows), out


def along_times(
    stretches: list[Stretch], names: list[Any], times: np.ndarray, order: int, where: str
) -> tuple[np.ndarray, np.ndarray]:
    """Values (k, j) of outputs at chosen times and their derivatives (k, j, p). At the very instant of an event they
    are those behind it."""
    begins = np.array([stretch.motion.t[0] for stretch in stretches[1:]])
    number = np.searchsorted(begins, times, side="right")
    values, slopes = [], []
    for k, stretch in enumerate(stretches):
        inside = times[number == k]
        if len(inside):
            t = stretch.motion.t
            there = at_times(stretch.system, stretch.motion, np.clip(inside, t[0], t[-1]), order, where)
            found = stretch.along(names, there)
            values.append(found[0])
            slopes.append(found[1])
    return np.concatenate(values), np.concatenate(slopes)


def ends_and_integrals(
    stretches: list[Stretch], wanted: list[Quantity], order: int, where: str
) -> tuple[np.ndarray, np.ndarray]:
    """Values (j,) at the end of a run, or integrals over it, and their derivatives (j, p). Integrals are sums of
    Gauss's rule in each step; where an event moves, so do the ends of their parts."""
    names = [quantity.output for quantity in wanted]
    last = stretches[-1]
    values, slopes = (x[-1] for x in last.along(names, last.motion.at(slice(-1, None))))
    powers = np.array([quantity.power for quantity in wanted])
    summed = np.array([not quantity.at_end for quantity in wanted])
    if not summed.any():
        return values, slopes
    values[summed], slopes[summed] = 0.0, 0.0
    nodes, weights = np.polynomial.legendre.leggauss(GAUSS)
    for k, stretch in enumerate(stretches):
        motion = stretch.motion
        h, middle = np.diff(motion.t), 0.5 * (motion.t[1:] + motion.t[:-1])
        lasting = h > SHORTEST * (last.motion.t[-1] - stretches[0].motion.t[0])
        inside = (middle[lasting, None] + 0.5 * h[lasting, None] * nodes).ravel()
        weight = (0.5 * h[lasting, None] * weights).ravel()
        y, dy = stretch.along(names, at_times(stretch.system, motion, inside, order, where))
        values[summed] += (weight @ y**powers)[summed]
        slopes[summed] += np.einsum("k,kj,kjp->jp", weight, powers * y ** (powers - 1), dy)[summed]
        for side, row, shift in ((-1.0, 0, stretch.shift), (1.0, -1, stretches[min(k + 1, len(stretches) - 1)].shift)):
            if (side < 0.0 and k > 0) or (side > 0.0 and stretch is not last):
                y_end, _ = stretch.along(names, motion.at(slice(row, row + 1 or None)))
                slopes[summed] += side * np.outer(y_end[0] ** powers, shift)[summed]
    return values, slopes


def output_changes(
    outputs: Outputs, track: Any, dq: np.ndarray, dv: np.ndarray, da: np.ndarray, dlam: np.ndarray
) -> np.ndarray:
    """The change of the outputs (k, j) along changes of the states: exact, or by differences of fourth order where an
    output is no function of the state alone."""
    state, changes = (track.q, track.kept, track.a), (dq, dv, da)
    found = [outputs.along(name, track.t, state, changes) for name in outputs.names]
    if all(one is not None for one in found):
        return np.stack(found, axis=1)
    size = np.max(np.abs(dq) / outputs.system.scale, initial=0.0)
    for change, own in ((dv, track.kept), (da, track.a), (dlam, track.lam)):
        size = max(size, np.max(np.abs(change), initial=0.0) / max(np.max(np.abs(own), initial=0.0), 1.0))
    if size == 0.0:
        return np.zeros((len(track.t), len(outputs.names)))
    h = 1e-3 / size
    pairs = ((track.kept, dv), (track.a, da), (track.lam, dlam))
    near = outputs.near(as_solution(outputs.system, track.t, track.q, track.kept, track.a, track.lam))
    ends = []
    for offset in OFFSETS:
        moved = outputs.system.retract(track.q, offset * h * dq)
        ends.append(near(as_solution(outputs.system, track.t, moved, *(x + offset * h * dx for x, dx in pairs))))
    out = np.asarray(slope(ends, h))
    for j, one in enumerate(found):
        if one is not None:
            out[:, j] = one
    return out

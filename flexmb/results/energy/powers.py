"""Energies and powers of a motion, and the work between its times: Simpson's rule over each step.

At times inside of steps work is integrated over the parts into which these times divide a step, with the interpolated
motion. So it is as accurate there as at the ends of steps, whatever the order of the interpolation, and more accurate
with more times.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.results import loops
from flexmb.results.between_steps.interpolation import Interpolation, middles, midpoints, values_in_steps
from flexmb.results.between_steps.multipliers import RowsOverTime, StepMultipliers, commands_changed
from flexmb.results.between_steps.nodes import States
from flexmb.system.kernel_calls import may_be_driven, rows_work
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System

#: a power in the middle of a step that exceeds the powers at both ends by this factor is rounding
UNLIKELY = 10.0


class Steps(NamedTuple):
    """The steps of a motion: times t (k,), coordinates (k, nq), speeds, accelerations (k, n) and multipliers (k, m), of
    which none (k, 0) are needed where rows do no work; the constraint `rows` active over time; `held` (k − 1, p): the
    commands of controllers between each two times, for the kernels' parameters with the indices `places` (p,)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    rows: RowsOverTime
    places: np.ndarray
    held: np.ndarray


class Inside(NamedTuple):
    """Times t (p,) inside of steps, ascending, the indices of these `steps` (p,), coordinates (p, nq), speeds and
    accelerations (p, n), and multipliers (p, m) with marks `close` of the accurate ones, see
    :meth:`flexmb.results.between_steps.interpolation.Interpolation.states`."""

    steps: np.ndarray
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    close: np.ndarray


class Flows(NamedTuple):
    """Times (k,), kinetic, strain and potential energy (k, 3) at these, and the powers (k − 1, 3) dissipated, put in,
    and of drives at the beginning, in the middle and at the end of each interval."""

    t: np.ndarray
    energies: np.ndarray
    starts: np.ndarray
    middles: np.ndarray
    ends: np.ndarray

    def work(self) -> np.ndarray:
        """The work (k, 4) since the first of the times: dissipated, put in, of drives; the last column, lost by
        switching, is zero."""
        work = np.zeros((len(self.t), 4))
        means = (self.starts + 4.0 * self.middles + self.ends) / 6.0
        np.cumsum(means * np.diff(self.t)[:, None], axis=0, out=work[1:, :3])
        return work


def flows(system: System, steps: Steps, inside: Inside | None = None) -> Flows:
    """The flows of a motion at the ends of its steps, and at times inside of them.

    Speeds between the times are interpolated from coordinates and speeds alone. Then the work of a constant force is
    force times distance to the last digit; and accelerations, in which a fast vibration persists for some steps after
    it has left the motion, have no influence.
    """
    k = len(steps.t)
    if inside is None:
        inside = Inside(np.zeros(0, dtype=np.int64), *(x[:0] for x in (*steps[:5], steps.lam)))
    if not rows_work(system.plan):
        steps = steps._replace(lam=steps.lam[:, :0])
        inside = inside._replace(lam=inside.lam[:, :0], close=inside.close[:, :0])
    new = inside.steps + 1
    t, q, v, a = (np.insert(x, new, y, axis=0) if len(new) else x for x, y in zip(steps[:4], inside[1:5]))
    begins = np.insert(np.ones(k, dtype=bool), new, False)[:-1]
    own = np.insert(np.arange(k), new, inside.steps)[:-1]  # the step to which each interval belongs
    added = new + np.arange(len(new))
    places, held = steps.places, steps.held[own]
    h = np.diff(t)
    half = t[:-1] + 0.5 * h
    middle_q, middle_v = middles(q, v, h, system.orientations)
    there = values_in_steps(steps.lam, steps.t, inside.steps, inside.t)
    lam = np.insert(steps.lam, new, np.where(inside.close, inside.lam, there), axis=0)
    starts, middle_lam = lam[:-1], values_in_steps(steps.lam, steps.t, own, half)
    if len(new):  # times that cut steps are often unevenly spaced
        middle_lam = values_in_steps(lam, t, np.arange(len(h)), half, otherwise=middle_lam)
    if len(places):  # at the end of a step a controller still holds the command of the step
        ends = evaluated(system, t[1:], q[1:], v[1:], lam[1:], places, held)
        if system.plan.friction > 0 or ends[:, 5].any():
            known = StepMultipliers(system, steps.rows, steps.t, steps.lam, places, steps.held)
            behind = known.starts(steps.q[:-1], steps.v[:-1])
            middle_lam = known.inside(behind, own, half, middle_q, middle_v)
            if len(new):
                lam[added] = known.inside(behind, *inside[:4])
                ends = evaluated(system, t[1:], q[1:], v[1:], lam[1:], places, held)
            starts = lam[:-1].copy()
            starts[begins] = behind
    last = held[-1:] if len(held) else np.zeros((1, len(places)))
    at_nodes = np.concatenate([starts, lam[-1:]])
    nodes = evaluated(system, t, q, v, at_nodes, places, np.concatenate([held, last]))
    ends = ends if len(places) else nodes[1:]
    between = evaluated(system, half, middle_q, middle_v, middle_lam, places, held)
    if between[:, 3].any():
        # The power of a stiff damper is positive, and errors of speeds only add to it. One estimate suffers from errors
        # of positions where steps are short, the other from errors of accelerations where steps are long: the lesser
        # is the better. Where only rounding is left both are wrong; but a joint that sticks may slip within a step.
        changed = commands_changed(steps.held)[own]
        smooth = np.where(changed[:, None], middle_v, midpoints(v, a, h))
        other = evaluated(system, half, middle_q, smooth, middle_lam, places, held)
        lost = np.minimum(between[:, 3], other[:, 3])
        around = np.maximum(nodes[:-1, 3], ends[:, 3])
        unlikely = np.full(len(h), False) if sticking_places(system.assembly, system.plan) else lost > UNLIKELY * around
        between[:, 3] = np.where(unlikely, 0.5 * (nodes[:-1, 3] + ends[:, 3]), lost)
    powers = (nodes[:-1, 3:], between[:, 3:], ends[:, 3:])
    if (spun := system.spin_energy(v)).any():  # wheels of constant speed: their energy gives the drives' work
        held_up = np.zeros((len(h), 3))
        held_up[:, 2] = np.diff(spun) / h
        powers = (powers[0] + held_up, powers[1] + held_up, powers[2] + held_up)
    return Flows(t, nodes[:, :3], *powers)


def inside_steps(
    between: Interpolation, there: tuple[States, np.ndarray], numbers: np.ndarray, first: int, last: int
) -> tuple[np.ndarray, Inside, np.ndarray]:
    """For the times of an interpolation that come from row `first` on and before row `last` of its known times: their
    indices (p,); those inside of the steps between these rows, as :class:`Inside` with the multipliers of the rows
    `numbers` (m,); and the index (p,) of each among the times of :func:`flows`. `there` is the result of
    :meth:`Interpolation.states` for all times."""
    row = between.left + (between.part >= 1.0)
    mine = np.flatnonzero((row >= first) & (row < last))
    row, inner = row[mine] - first, (between.part[mine] > 0.0) & (between.part[mine] < 1.0)
    inner &= row < last - first - 1  # a step ends a little before the event that switches components
    _, index, back = np.unique(between.times[mine[inner]], return_index=True, return_inverse=True)
    chosen = mine[inner][index]
    states, close = there
    lam, close = (x[np.ix_(chosen, numbers)] for x in (states.multipliers, close))
    q, v, a = (x[chosen] for x in states[:3])
    inside = Inside(between.left[chosen] - first, between.times[chosen], q, v, a, lam, close)
    place = row + np.searchsorted(inside.steps, row)
    place[inner] = (inside.steps + 1 + np.arange(len(chosen)))[back]
    return mine, inside, place


def evaluated(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    lam: np.ndarray,
    places: np.ndarray,
    held: np.ndarray,
) -> np.ndarray:
    """Energies and powers (k, 6) at given states, while controllers hold `held` (k, p) in the parameters `places`
    (p,). The multipliers (k, m) are read where rows work (:func:`~flexmb.system.kernel_calls.rows_work`)."""
    out = np.zeros((len(t), 6))
    full = np.zeros((4, system.plan.total_q))
    full[0] = system.initial
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (t, q, v, lam)]
    held = np.ascontiguousarray(held, dtype=float)
    work = (np.zeros(3), np.zeros((3, system.m if may_be_driven(system.plan) else 0)), places, held)
    loops.energy_track(system.plan, system.scratch, full, *arrays, *work, out)
    out[:, 0] += system.spin_energy(arrays[2])
    return out

"""The energy ledger of a run: where energy is, where it came from and where it went."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.results import loops
from flexmb.results.interpolation import middles, midpoints, midpoints_of_values
from flexmb.results.multipliers import RowsOverTime, StepMultipliers, commands_changed
from flexmb.system.doubts import spread_rows
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class Ledger:
    """Energies [J] at the times of a solution, (k,) each.

    `kinetic`, `strain`, `potential`; `dissipated` in dampers since the start; `input`, the work of motors and of loads
    without a potential; `drives`, the work of prescribed motions; `switching`, lost where components were switched on
    or off in the run: in the impact of what closes, and with springs that are let go. Their balance

        kinetic + strain + potential = (the same at the start) − dissipated − switching + input + drives

    must hold for the exact motion. No method enforces it, so what is left over measures the error of the method. Below
    the energy `still` [J] all motion is rounding.

    Prescribed motions: with M a + f + Gᵀλ = 0 the joints' forces −Gᵀλ have the power −λᵀ G v, and since
    ġ = G v + g_t = 0 that is λᵀ g_t; a velocity row A v + b = 0 has b in place of g_t. A wheel of constant speed has
    no coordinate; its energy beyond ½ vᵀ M v is h · ω + ½ h Ω, and the work of its drive is the change of that. The
    integrals in time are Simpson's, with Hermite values between the steps.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> body = m.add_body("stone", mass=2.0, inertia=0.1)
    >>> energy = fm.simulate(m, 1.0, step=0.01).energy
    >>> round(float(energy.kinetic[-1]), 6), energy.error < 1e-12
    (100.0, True)
    """

    t: np.ndarray
    kinetic: np.ndarray
    strain: np.ndarray
    potential: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray
    drives: np.ndarray
    switching: np.ndarray
    still: float = 0.0

    @property
    def total(self) -> np.ndarray:
        """Kinetic, strain and potential energy together (k,) [J]."""
        return self.kinetic + self.strain + self.potential

    @property
    def balance(self) -> np.ndarray:
        """What is left over (k,) [J]: total − total at the start + dissipated + switching − input − drives."""
        return self.total - self.total[0] + self.dissipated + self.switching - self.input - self.drives

    @property
    def exchanged(self) -> float:
        """The largest amount of any kind of energy in the run [J]; potential and strain energy from their least on."""
        stored, passed = ([getattr(self, what) for what in part] for part in (ENTRIES[:3], ENTRIES[3:]))
        return largest_exchange(np.stack(stored, axis=1), np.stack(passed, axis=1))

    @property
    def error(self) -> float:
        """The largest amount left over in the balance, as a part of the energy exchanged; NaN along a path of
        equilibria, where no time passes and no work is counted."""
        if len(self.t) > 1 and self.t[-1] == self.t[0]:
            return float("nan")
        left, total = float(np.abs(self.balance).max()), float(np.abs(self.total).max())
        return relative_error(left, self.exchanged, total, self.still)

    def __str__(self) -> str:
        parts = [f"balance error {self.error:.1e} of {self.exchanged:.4g} J"]
        if np.isnan(self.error):
            parts = [f"no balance, since no time passes; {self.exchanged:.4g} J exchanged"]
        for what in ENTRIES[3:]:
            amount = getattr(self, what)[-1]
            if np.any(getattr(self, what)):
                parts.append(f"{what} {amount:.4g} J")
        return ", ".join(parts)

    def __repr__(self) -> str:
        return f"Ledger({self})"


#: the columns of a ledger that files hold
ENTRIES: tuple[str, ...] = ("kinetic", "strain", "potential", "dissipated", "input", "drives", "switching")


def largest_exchange(stored: np.ndarray, passed: np.ndarray) -> float:
    """The largest amount of any of the :data:`ENTRIES` [J]: kinetic, strain and potential energy (k, 3), and what was
    dissipated, came in or was lost (k, 4)."""
    kinetic, *highest = stored.max(axis=0).tolist()
    _, *lowest = stored.min(axis=0).tolist()
    return max(kinetic, *(high - low for high, low in zip(highest, lowest)), float(np.abs(passed).max()))


def relative_error(left: float, exchanged: float, total: float, still: float) -> float:
    """The largest amount left over [J], as a part of the energy exchanged; `total` is the largest total. Motion by
    rounding alone exchanges nothing."""
    level = max(exchanged, 1e-12 * total, still)
    return left / level if left > 0.0 and level > 0.0 else left


def still_energy(system: System, t: np.ndarray, q: np.ndarray) -> float:
    """An energy [J] that counts as nothing. It is the sum of the work of lifting the mechanism by 1e-5 of its size, of
    its kinetic energy when it moves by 1e-7 of its size in the run, and of the work of its forces over 1e-10 of its
    size, the accuracy of positions."""
    span = float(t[-1] - t[0]) if len(t) > 1 else 0.0
    m, L = system.mass_scale, system.length_scale
    weight = m * math.hypot(*system.model.gravity)
    none = np.zeros(system.n)
    forces = [float(np.max(np.abs(system.residual(t[k], q[k], none, none)) * system.scale)) for k in (0, -1)]
    return 1e-5 * weight * L + 1e-10 * max(forces) + (0.5 * m * (1e-7 * L / span) ** 2 if span > 0.0 else 0.0)


#: a power in the middle of a step is rounding if it is more than this many times the power at both ends
UNLIKELY = 10.0
#: Instants from which the error of a run's balance is estimated, before a whole ledger is computed: so many at first,
#: and the second number of times as many again as long as the error looks large. Runs that have less than the third
#: number of times as many are looked at whole.
INSTANTS, MORE, WHOLE = 65, 4, 2
#: An estimate is believed below the first part of the error allowed; below the second, if it differs from that of fewer
#: instants by less than the third part of itself.
ENOUGH, ALIKE_ENOUGH, ALIKE = 0.1, 0.5, 0.2


def estimated_error(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    lam: np.ndarray,
    places: np.ndarray,
    held: np.ndarray,
    allowed: float,
) -> float:
    """An estimate of the error of the ledger's balance, from as few instants of a motion as say that it is smaller
    than `allowed`; infinite where none do. Arguments as in :func:`ledger`, multipliers (k, m) those of all rows of the
    model."""
    instants, before = INSTANTS, np.inf
    while True:
        count = instants if WHOLE * instants <= len(t) else len(t)
        error = _estimate(system, t, q, v, lam, places, held, spread_rows(len(t), count), ENOUGH * allowed)
        if error <= ENOUGH * allowed or (error <= ALIKE_ENOUGH * allowed and abs(error - before) <= ALIKE * error):
            return error
        if count == len(t) or not np.isfinite(error):
            return np.inf
        instants, before = MORE * instants, error


def _estimate(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    lam: np.ndarray,
    places: np.ndarray,
    held: np.ndarray,
    picked: np.ndarray,
    certain: float,
) -> float:
    """The same from the instants that were picked. An error below what is `certain` needs no look at what energy counts
    as nothing, which could only make it smaller."""
    commands = held[np.minimum(picked, len(t) - 2)] if len(places) else np.zeros((len(picked), 0))
    numbers, m = system.row_numbers, system.m
    full = np.zeros((4, system.plan.total_q))
    full[0] = system.initial
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (t, q, v, lam)]
    room = np.empty((len(picked), 6)), np.empty(m), np.empty(3)
    work = numbers, np.zeros(3), np.zeros((3, m)), places, commands, *system.spins, picked, *room
    if not loops.balance_of(system.plan, system.scratch, full, *arrays, *work):
        return np.inf
    left, exchanged, largest = room[2].tolist()
    error = relative_error(left, exchanged, largest, 0.0)
    return error if error <= certain else relative_error(left, exchanged, largest, still_energy(system, t, q))


def ledger(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    lam: np.ndarray,
    rows: RowsOverTime,
    places: np.ndarray,
    held: np.ndarray,
) -> Ledger:
    """The ledger of a motion: coordinates (k, nq), speeds, accelerations (k, n), multipliers (k, m); `rows`, `places`
    and `held` as in :func:`flows`."""
    energies, (starts, middles, ends) = flows(system, t, q, v, a, lam, rows, places, held)
    work = np.zeros((len(t), 4))
    np.cumsum((starts + 4.0 * middles + ends) * (np.diff(t) / 6.0)[:, None], axis=0, out=work[1:, :3])
    columns = {name: np.ascontiguousarray(x) for name, x in zip(ENTRIES, (*energies.T, *work.T))}
    return Ledger(t=t, still=still_energy(system, t, q), **columns)


def ledger_at(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    lam: np.ndarray,
    places: np.ndarray,
    held: np.ndarray,
    work: np.ndarray,
) -> Ledger:
    """The ledger at chosen times of a motion, from the work (k, 4) until then, in the order of ENTRIES; `held`
    (k, p): what controllers hold at these times."""
    e = _evaluated(system, t, q, v, lam, places, held)
    columns = {name: np.ascontiguousarray(x) for name, x in zip(ENTRIES, (*e[:, :3].T, *work.T))}
    return Ledger(t=t, still=still_energy(system, t, q), **columns)


def joined_ledgers(parts: Sequence[Ledger], still: float, jumps: np.ndarray | None = None) -> Ledger:
    """The ledger of a motion from those of its parts, one after the other; `still` is that of all. `jumps`: the work
    (parts, 4) that is done in no time before each of them; without it the parts say the work since the start."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ENTRIES}
    if jumps is not None:
        sizes = [len(part.t) for part in parts]
        for k, name in enumerate(ENTRIES[3:]):
            ends = np.array([0.0, *(getattr(part, name)[-1] for part in parts[:-1])])
            columns[name] += np.repeat(np.cumsum(ends + jumps[:, k]), sizes)
    t = np.concatenate([part.t for part in parts])
    return Ledger(t=t, still=still, **columns)


def flows(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    lam: np.ndarray,
    rows: RowsOverTime,
    places: np.ndarray,
    held: np.ndarray,
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Kinetic, strain and potential energy (k, 3), and the powers (k − 1, 3) dissipated, put in, and of drives at the
    beginning, in the middle and at the end of every step.

    Speeds between the steps follow from coordinates and speeds alone. Then the work of a constant force is force times
    distance to the last digit; and accelerations, in which fast vibration rings on for some steps after it has left the
    motion, have no influence. `rows`: which took part when; `held` (k − 1, p): what controllers hold between each two
    times in these `places` (p,) among the parameters of the kernels.
    """
    h = np.diff(t)
    half = t[:-1] + 0.5 * h
    middle_q, middle_v = middles(q, v, h, system.orientations)
    changed, starts, middle_lam = commands_changed(held), lam[:-1], midpoints_of_values(lam, t)
    if len(places):  # at the end of a step a controller still holds what it held in the step
        ends = _evaluated(system, t[1:], q[1:], v[1:], lam[1:], places, held)
        if system.plan.friction > 0 or ends[:, 5].any():
            steps = StepMultipliers(system, rows, t, lam, places, held)
            starts = steps.starts(q[:-1], v[:-1])
            middle_lam = steps.middles(starts, half, middle_q, middle_v)
    last = held[-1:] if len(held) else np.zeros((1, len(places)))
    behind = np.concatenate([starts, lam[-1:]])
    nodes = _evaluated(system, t, q, v, behind, places, np.concatenate([held, last]))
    ends = ends if len(places) else nodes[1:]
    between = _evaluated(system, half, middle_q, middle_v, middle_lam, places, held)
    if between[:, 3].any():
        # The power of a stiff damper is positive, and errors of speeds only add to it. One estimate suffers from errors
        # of positions where steps are short, the other from errors of accelerations where steps are long: the lesser
        # is the better. Where only rounding is left both are wrong; but a joint that sticks may slip within a step.
        smooth = np.where(changed[:, None], middle_v, midpoints(v, a, h))
        other = _evaluated(system, half, middle_q, smooth, middle_lam, places, held)
        lost = np.minimum(between[:, 3], other[:, 3])
        around = np.maximum(nodes[:-1, 3], ends[:, 3])
        unlikely = np.full(len(h), False) if sticking_places(system.assembly, system.plan) else lost > UNLIKELY * around
        between[:, 3] = np.where(unlikely, 0.5 * (nodes[:-1, 3] + ends[:, 3]), lost)
    powers = (nodes[:-1, 3:], between[:, 3:], ends[:, 3:])
    if (spun := system.spin_energy(v)).any():  # the drives of wheels hold their speeds; their work is known by itself
        held_up = np.zeros((len(h), 3))
        held_up[:, 2] = np.diff(spun) / h
        powers = (powers[0] + held_up, powers[1] + held_up, powers[2] + held_up)
    return nodes[:, :3], powers


def _evaluated(
    system: System,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    lam: np.ndarray,
    places: np.ndarray,
    held: np.ndarray,
) -> np.ndarray:
    """Energies and powers (k, 6) at given states, while controllers hold `held` (k, p) at these `places` (p,)."""
    out = np.zeros((len(t), 6))
    full = np.zeros((4, system.plan.total_q))
    full[0] = system.initial
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (t, q, v, lam)]
    held = np.ascontiguousarray(held, dtype=float)
    work = (np.zeros(3), np.zeros((3, system.m)), places, held)
    loops.energy_track(system.plan, system.scratch, full, *arrays, *work, out)
    out[:, 0] += system.spin_energy(arrays[2])
    return out

"""The energy ledger of a run: energies stored, work put in, and energy dissipated over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmb.machine import reports
from flexmb.model.hints import AnswersCalls
from flexmb.results import loops
from flexmb.results.energy.powers import Steps, evaluated, flows
from flexmb.system.doubts import spread_rows
from flexmb.system.kernel_calls import may_be_driven, rows_work
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class Ledger(metaclass=AnswersCalls):
    """Energies and work [J] at the times of a solution, (k,) each.

    `kinetic`, `strain`, `potential`; `dissipated` in dampers since the start; `input`, the work of motors and of loads
    without a potential; `drives`, the work of prescribed motions; `switching`, lost when components were switched on or
    off in the run: in the impact of a joint that closes, and with the strain energy of a spring that is released. Their
    balance

        kinetic + strain + potential = (the same at the start) − dissipated − switching + input + drives

    must hold for the exact motion. No method enforces it, so the remainder measures the error of the method. Below the
    energy `still` [J] all motion is rounding.

    Prescribed motions: with M a + f + Gᵀλ = 0 the joints' forces −Gᵀλ have the power −λᵀ G v, and since
    ġ = G v + g_t = 0 that is λᵀ g_t; a velocity row A v + b = 0 has b in place of g_t. A wheel of constant speed has
    no coordinate; its energy beyond ½ vᵀ M v is h · ω + ½ h Ω, and the work of its drive is the change of that. The
    integrals in time are Simpson's over each step, see :mod:`flexmb.results.energy.powers`, with Hermite values between
    the steps.

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
        """The sum of kinetic, strain and potential energy (k,) [J]."""
        return self.kinetic + self.strain + self.potential

    @property
    def balance(self) -> np.ndarray:
        """The remainder of the balance (k,) [J]: total − total at the
        start + dissipated + switching − input − drives."""
        return self.total - self.total[0] + self.dissipated + self.switching - self.input - self.drives

    @property
    def exchanged(self) -> float:
        """The largest amount of any kind of energy in the run [J]; potential and strain energy are counted from their
        minimum."""
        stored, passed = ([getattr(self, what) for what in part] for part in (ENTRIES[:3], ENTRIES[3:]))
        return largest_exchange(np.stack(stored, axis=1), np.stack(passed, axis=1))

    @property
    def error(self) -> float:
        """The largest remainder of the balance, as a fraction of the energy exchanged; NaN along a path of equilibria,
        where no time passes and no work is counted."""
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

    def _repr_html_(self) -> str:
        columns = {name: getattr(self, name) for name in ("total", *ENTRIES, "balance")}
        rows = [(name, x[0], x[-1], x.min(), x.max()) for name, x in columns.items() if np.any(x) or name == "balance"]
        head = ["energy or work", "first [J]", "last [J]", "lowest [J]", "highest [J]"]
        return reports.report("Energy ledger", [self], reports.table(head, rows))


#: columns of a ledger in files
ENTRIES: tuple[str, ...] = ("kinetic", "strain", "potential", "dissipated", "input", "drives", "switching")


def largest_exchange(stored: np.ndarray, passed: np.ndarray) -> float:
    """The largest amount of any of the :data:`ENTRIES` [J]: kinetic, strain and potential energy (k, 3), and energy
    dissipated, put in, done by drives or lost by switching (k, 4)."""
    kinetic, *highest = stored.max(axis=0).tolist()
    _, *lowest = stored.min(axis=0).tolist()
    return max(kinetic, *(high - low for high, low in zip(highest, lowest)), float(np.abs(passed).max()))


def relative_error(left: float, exchanged: float, total: float, still: float) -> float:
    """The largest remainder `left` [J] as a fraction of the energy exchanged; `total` is the largest total. The energy
    exchanged counts as at least `still`, so that a mechanism that moves by rounding alone has no error."""
    level = max(exchanged, 1e-12 * total, still)
    return left / level if left > 0.0 and level > 0.0 else left


def still_energy(system: System, t: np.ndarray, q: np.ndarray, lam: np.ndarray | None = None) -> float:
    """An energy [J] below which all is rounding: the sum of the work of lifting the mechanism by 1e-5 of its size, of
    its kinetic energy when it moves by 1e-7 of its size in the run, and of the work of its forces over 1e-10 of its
    size, the accuracy of positions; joint forces are included if their multipliers (k, m) are given."""
    span = float(t[-1] - t[0]) if len(t) > 1 else 0.0
    m, L, gravity = system.mass_scale, system.length_scale, system.model.gravity
    weight = m * math.hypot(*gravity.weight())
    if gravity.is_central:  # at the mechanism's size from the origin
        weight = m * L * float(np.linalg.norm(gravity.gradient(t[0], np.zeros(3))))
    none = np.zeros(system.n)
    forces = [float(np.max(np.abs(system.residual(t[k], q[k], none, none)) * system.scale)) for k in (0, -1)]
    if lam is not None:
        forces += [float(np.max(np.abs(lam[k]) * system.row_scale, initial=0.0)) for k in (0, -1)]
    return 1e-5 * weight * L + 1e-10 * max(forces) + (0.5 * m * (1e-7 * L / span) ** 2 if span > 0.0 else 0.0)


#: Number of instants from which the error of a run's balance is estimated before a whole ledger is computed: INSTANTS
#: at first, MORE times as many as long as the error looks large; if a run has fewer than WHOLE times as many, all of
#: its instants are used.
INSTANTS, MORE, WHOLE = 65, 4, 2
#: An estimate is accepted below the fraction ENOUGH of the allowed error; from all instants below WHOLE_ENOUGH, since
#: errors of whole ledgers were at most 3.4 times as large in runs with tolerances from 0.1 to 1e-4; and below
#: ALIKE_ENOUGH if it differs from the estimate with fewer instants by less than the fraction ALIKE of itself.
ENOUGH, WHOLE_ENOUGH, ALIKE_ENOUGH, ALIKE = 0.1, 0.25, 0.5, 0.2


class Part(NamedTuple):
    """A part of a motion with the same components: its `system`, with all rows; times (k,), positions and speeds as in
    :class:`~flexmb.results.energy.powers.Steps`; the `multipliers` (p, m) of all rows of the model at p of the
    instants; the places (p,) of commands and those `held` (k − 1, p); and the work `jump` (4,) [J] at its start, in the
    order of the last ENTRIES."""

    system: System
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    multipliers: Callable[[np.ndarray], np.ndarray]
    places: np.ndarray
    held: np.ndarray
    jump: np.ndarray


class Amounts(NamedTuple):
    """Amounts of a balance [J]: the largest left over, the largest exchanged of any kind, and the largest, first and
    last total."""

    left: float
    exchanged: float
    largest: float
    first: float
    last: float


def estimated_error(parts: Sequence[Part], allowed: float) -> float:
    """An estimate of the error of the ledger's balance, from as few instants of a motion as suffice to show that it is
    smaller than `allowed`; infinite if none do. `parts`: those between which components were switched."""
    if len(parts) > 1:
        return _of_parts(parts, ENOUGH * allowed)
    (part,) = parts
    if len(part.places):
        found = _of_commanded(part)
        error = _relative(part, found) if found is not None else np.inf
        return error if error <= WHOLE_ENOUGH * allowed else np.inf
    instants, before = INSTANTS, np.inf
    while True:
        count = instants if WHOLE * instants <= len(part.t) else len(part.t)
        enough = allowed * (ENOUGH if count < len(part.t) else WHOLE_ENOUGH)
        error = _estimate(part, count, enough)
        if error <= enough or (error <= ALIKE_ENOUGH * allowed and abs(error - before) <= ALIKE * error):
            return error
        if count == len(part.t) or not np.isfinite(error):
            return np.inf
        instants, before = MORE * instants, error


def _of_parts(parts: Sequence[Part], enough: float) -> float:
    """The estimate of a motion in which components were switched: what is left over in its parts and at their
    beginnings, all of one sign, beside the largest amount exchanged in one of them; infinite if it is not small
    `enough`."""
    left, exchanged, total = 0.0, 0.0, None
    for part in parts:
        found = _of_commanded(part) if len(part.places) else _of_instants(part, min(len(part.t), INSTANTS))
        if found is None:
            return np.inf
        dissipated, given, driven, lost = part.jump.tolist()
        if total is not None:
            left += abs(found.first - total + dissipated - given - driven + lost)
        left, exchanged, total = left + found.left, max(exchanged, found.exchanged), found.last
    error = relative_error(left, exchanged, 0.0, 0.0)
    return error if error <= enough else np.inf


def _estimate(part: Part, count: int, certain: float) -> float:
    """The estimate from so many instants. For an error below `certain` the energy of rounding is not computed, since it
    could only make the error smaller."""
    found = _of_instants(part, count)
    if found is None:
        return np.inf
    error = relative_error(found.left, found.exchanged, found.largest, 0.0)
    return error if error <= certain else _relative(part, found)


def _relative(part: Part, found: Amounts) -> float:
    ends = part.multipliers(np.array([0, len(part.t) - 1]))[:, part.system.row_numbers]
    return relative_error(found.left, found.exchanged, found.largest, still_energy(part.system, part.t, part.q, ends))


def _of_instants(part: Part, count: int) -> Amounts | None:
    """The amounts from so many instants; None if they do not tell them."""
    system, picked = part.system, spread_rows(len(part.t), count)
    lam = part.multipliers(picked)[:, system.row_numbers] if rows_work(system.plan) else np.zeros((len(picked), 0))
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (part.t, part.q, part.v, lam)]
    room = np.empty((len(picked), 6)), np.empty(5)
    work = np.zeros(3), np.zeros((3, lam.shape[1])), *system.spins, picked, *room
    told = loops.balance_of(system.plan, system.scratch, _room(system), *arrays, *work)
    return Amounts(*room[1].tolist()) if told else None


def _of_commanded(part: Part) -> Amounts | None:
    """The amounts from all instants of a motion under controllers, whose powers jump with their commands; None where
    the forces of rows do work, since those behind a jump are not known."""
    system = part.system
    if system.plan.friction > 0:
        return None
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (part.t, part.q, part.v)]
    rows = np.zeros((3, 0)), np.zeros((3, system.m if may_be_driven(system.plan) else 0))
    commands, out = (part.places, np.ascontiguousarray(part.held, dtype=float)), np.empty(5)
    work = np.zeros(0), np.zeros(3), *rows, *commands, *system.spins, np.zeros((2, 6)), out
    told = loops.balance_of_commanded(system.plan, system.scratch, _room(system), *arrays, *work)
    return Amounts(*out.tolist()) if told else None


def _room(system: System) -> np.ndarray:
    """Rows (4, total_q) for a state, with the coordinates of fixed frames."""
    full = np.zeros((4, system.plan.total_q))
    full[0] = system.initial
    return full


def ledger(system: System, steps: Steps, ends: np.ndarray) -> Ledger:
    """The ledger of a motion at the ends of its steps, with the multipliers `ends` (2, m) at its start and its end."""
    found = flows(system, steps)
    columns = {name: np.ascontiguousarray(x) for name, x in zip(ENTRIES, (*found.energies.T, *found.work().T))}
    return Ledger(t=steps.t, still=still_energy(system, steps.t, steps.q, ends), **columns)


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
    """The ledger at selected times of a motion, from the work (k, 4) until then, in the order of ENTRIES; `held`
    (k, p): commands of controllers at these times."""
    e = evaluated(system, t, q, v, lam, places, held)
    columns = {name: np.ascontiguousarray(x) for name, x in zip(ENTRIES, (*e[:, :3].T, *work.T))}
    return Ledger(t=t, still=still_energy(system, t, q, lam), **columns)


def joined_ledgers(parts: Sequence[Ledger], still: float, jumps: np.ndarray | None = None) -> Ledger:
    """The ledger of a motion from those of its consecutive parts; `still` applies to the whole. `jumps`: the work
    (parts, 4) done instantaneously before each part; without it the parts contain the work since the start of the
    motion."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ENTRIES}
    if jumps is not None:
        sizes = [len(part.t) for part in parts]
        for k, name in enumerate(ENTRIES[3:]):
            ends = np.array([0.0, *(getattr(part, name)[-1] for part in parts[:-1])])
            columns[name] += np.repeat(np.cumsum(ends + jumps[:, k]), sizes)
    t = np.concatenate([part.t for part in parts])
    return Ledger(t=t, still=still, **columns)

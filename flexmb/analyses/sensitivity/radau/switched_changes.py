"""Changes of a run through an event that switches components, and through the impulses of joints that close there.

With another value of a parameter the event happens δt later. The quantity e that crosses its value there says how much,

    δt = −e′/ė,        e′: its change along (δq, δv) and the parameter,        ė: its rate in time

With f = (v, a) before and f⁺ behind the event, and the speeds R(q, v, θ) that joints and impulses leave, the changes at
fixed times jump to (Galán, Feehery and Barton (1999))

    δx = δ⁻ + f⁻ δt,        δ⁺ = R′ δx − f⁺ δt

R′ and e′ are differences of fourth order, along the changes, between neighboring models at their own displaced states.
What a joint measures anew when it is switched on, such as the angle that a lock holds, each of them measures in its own
state; so the constants of neighboring models behind the event contain how that changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.analyses.sensitivity.parameters import NeighboringSystems
from flexmb.errors import AccuracyWarning, SolverError, warn
from flexmb.model.events import Crossing, Event, Switch
from flexmb.results.events import EventRecord
from flexmb.results.layout import Layout
from flexmb.results.state import as_solution
from flexmb.solvers.changes.impact import behind_impact
from flexmb.solvers.events.quantities import Watched
from flexmb.solvers.runs.run import Run
from flexmb.system.measured import measured_anew
from flexmb.system.system import System

#: An event that happens at a place where its quantity turns back has no derivative. Of a change of a parameter by PART
#: of what is typical, the linear prediction of the instant is doubted if the rate of the quantity changes by more than
#: DOUBTED of itself until then, and refused beyond REFUSED.
PART, DOUBTED, REFUSED = 0.01, 0.2, 1.0
#: Steps of differences in time, as a part of the run, and of those along changes, in units of scales and largest speed.
IN_TIME, ALONG = 1e-5, 1e-3
#: Joints that close must fit in neighboring models too: their errors may change by this part of the changes of places.
FITS = 1e-5


class At(NamedTuple):
    """A state with its changes by one parameter: t, q, v, a, λ, and δq, δv, δa, δλ; and δt, if its time changes."""

    t: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    dq: np.ndarray
    dv: np.ndarray
    da: np.ndarray
    dlam: np.ndarray
    dt: float = 0.0

    def later(self, system: System, s: float) -> tuple[Any, ...]:
        """The state a time s [s] later, from its speeds and accelerations."""
        q = system.retract(self.q, s * self.v + 0.5 * s * s * self.a)
        return self.t + s, q, self.v + s * self.a, self.a, self.lam

    def moved(self, system: System, s: float) -> tuple[Any, ...]:
        """The state moved by s times its changes."""
        q = system.retract(self.q, s * self.dq)
        return self.t + s * self.dt, q, self.v + s * self.dv, self.a + s * self.da, self.lam + s * self.dlam


class Switched(NamedTuple):
    """Behind an event: changes (p, n) of positions and speeds, neighboring systems, and by how much the event moves
    with each parameter (p,) [s]."""

    dq: np.ndarray
    dv: np.ndarray
    neighbors: list[NeighboringSystems]
    shift: np.ndarray


class SwitchedChanges:
    """The changes of a run just before an event that switches components; `names` of the parameters, their `typical`
    sizes."""

    def __init__(
        self,
        run: Run,
        neighbors: list[NeighboringSystems],
        changes: tuple[np.ndarray, ...],
        names: list[str],
        typical: np.ndarray,
        where: str,
    ) -> None:
        if len(run.switching) > 1:
            named = ", ".join(repr(record.name) for _, record in run.switching)
            raise SolverError(
                f"{where}: {named} happen at one instant, t = {run.t:g} s, and with other parameters one before the "
                "other; let one event do what they do, or take differences of whole runs (flexmb.study)"
            )
        self.where, self.names, self.neighbors, self.system = where, names, neighbors, run.system
        self.action: Switch = run.switching[0][0]
        self.record: EventRecord = run.switching[0][1]
        self.span = run.t_end - run.t_start
        system = run.system
        state = run.t, run.q[: system.nq].copy(), run.v[: system.n].copy(), run.a[: system.n].copy(), run.lam.copy()
        self.at = [At(*state, *(x[p].copy() for x in changes)) for p in range(len(names))]
        self.shift = np.array([self._shift(p, size) for p, size in enumerate(typical)])

    def _shift(self, p: int, typical: float) -> float:
        """How much later the event happens for a unit of a parameter more."""
        at, near, event = self.at[p], self.neighbors[p], self.system.model.events[self.record.name]
        if not isinstance(event.when, Crossing):
            return float(near.derivative(lambda system: system.model.events[event.name].when))
        s = IN_TIME * self.span
        own = [self._value(self.system, event, at.later(self.system, k * s)) for k in OFFSETS]
        rate = float(slope(own, s))
        bend = (own[0] + own[3] - own[1] - own[2]) / (3.0 * s * s)
        pushed = at._replace(a=at.a + 1.0 + np.abs(at.a), lam=at.lam + 1.0 + np.abs(at.lam))
        if self._value(self.system, event, pushed.later(self.system, 0.0)) != self._value(
            self.system, event, at.later(self.system, 0.0)
        ):
            raise SolverError(
                f"{self.where}: {event.where} watches accelerations or forces of joints, of whose rates derivatives "
                "would need a third derivative; let it watch places or speeds"
            )
        along = float(self._along(p, lambda system, state: self._value(system, event, state)))
        turns = abs(bend * along * PART * typical)
        if rate == 0.0 or turns > REFUSED * rate * rate:
            raise SolverError(
                f"{self.where}: at t = {at.t:g} s {event.where} touches its value and hardly crosses it, so that its "
                f"instant has no derivative by {self.names[p]!r}; give another value, or leave the event out"
            )
        if turns > DOUBTED * rate * rate:
            warn(
                f"{self.where}: at t = {at.t:g} s the quantity of {event.where} is about to turn back, so that the "
                f"derivatives by {self.names[p]!r} hold for very small changes alone",
                AccuracyWarning,
            )
        return -along / rate

    def _value(self, system: System, event: Event, state: tuple[Any, ...]) -> float:
        """The quantity of an event minus its value in a state of a system, of the same event of its model."""
        t, q, v, a, lam = state
        watched = Watched(system.model.events[event.name].when, event.where)  # type: ignore[arg-type]
        quantity = watched.crossing.quantity
        if isinstance(quantity, str) or hasattr(quantity, "readings"):
            rows = (np.array([t]), *(np.asarray(x)[None] for x in (q, v, a, lam)))
            return watched.of(as_solution(system, *rows))
        watched.bind(system, Layout.of(system))
        return watched.by_function(system, t, (system.full_q(q), system.full(v), system.full(a), lam))

    def _along(self, p: int, function: Any, at: At | None = None) -> Any:
        """The change of a function of a system and a state, with parameter p and the changes of the state by it."""
        at, near = at or self.at[p], self.neighbors[p]
        direct = near.derivative(lambda system: function(system, at.moved(system, 0.0)))
        fastest = max(float(np.max(np.abs(at.v) / self.system.scale, initial=0.0)), 1.0)
        size = max(float(np.max(np.abs(x) / self.system.scale, initial=0.0)) for x in (at.dq, at.dv / fastest))
        if size == 0.0:
            return direct
        e = ALONG / size
        return direct + slope([function(self.system, at.moved(self.system, k * e)) for k in OFFSETS], e)

    def behind(self, run: Run) -> Switched:
        """The changes behind the event, after the run has gone over to other components."""
        system, on = run.system, [name for name in self.action.on if name in self.system.off]
        v, a, n = run.v[: run.system.n].copy(), run.a[: run.system.n].copy(), run.system.n
        dq, dv, after = np.zeros((len(self.at), n)), np.zeros((len(self.at), n)), []
        for p, (at, near, dt) in enumerate(zip(self.at, self.neighbors, self.shift)):
            here = at._replace(dq=at.dq + at.v * dt, dv=at.dv + at.a * dt, dt=dt)
            own = self._systems(near, here, system, on)
            self._refuse_open(p, own, here, on)
            jumped = self._speeds(own, here, bool(on))
            dq[p], dv[p] = here.dq - v * dt, jumped - a * dt
            after.append(own)
        return Switched(dq, dv, after, self.shift)

    def _systems(self, near: NeighboringSystems, at: At, system: System, on: list[str]) -> NeighboringSystems:
        """The neighboring systems behind the event, each of which has measured anew what it holds from then on."""
        found = []
        for other, offset in zip(near.systems, near.offsets):
            t, q, *_ = at.moved(other, offset * near.h)
            switched = other.with_components(system.off)
            g = switched.constraint(t, q, np.zeros(system.n))[0]
            switched.put_measured(measured_anew(switched, on, q, g))
            found.append(switched.with_rows(system.kept) if system.left_out else switched)
        return near._replace(systems=found)

    def _refuse_open(self, p: int, near: NeighboringSystems, at: At, on: list[str]) -> None:
        """Refuse joints that would not fit where they close with another value of the parameter."""
        if not on or not near.systems[0].m:
            return
        errors = []
        for other, offset in zip(near.systems, near.offsets):
            t, q, *_ = at.moved(other, offset * near.h)
            errors.append(other.constraint(t, q, np.zeros(other.n))[0])
        off = np.abs(slope(errors, near.h)) / near.systems[0].row_scale
        size = max(float(np.max(np.abs(at.dq) / self.system.scale)), abs(self.shift[p]), 1e-300)
        position = ~near.systems[0].at_speed
        if np.any(off[position] > FITS * size):
            row = near.systems[0].rows[int(np.argmax(np.where(position, off, 0.0)))]
            raise SolverError(
                f"{self.where}: with another {self.names[p]!r} {row.where} would not fit where it is switched on, and "
                "would have to jump into place; take a joint that holds what it finds, as weld and lock do"
            )

    def _speeds(self, near: NeighboringSystems, at: At, strikes: bool) -> np.ndarray:
        """The change of the speeds (n,) behind the impulses, along all changes."""
        if not strikes:
            return at.dv
        found = []
        for other, offset in zip(near.systems, near.offsets):
            t, q, v, *_ = at.moved(other, offset * near.h)
            found.append(behind_impact(other, other, t, q, v, True).v)
        return np.asarray(slope(found, near.h))

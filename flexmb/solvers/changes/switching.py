"""Components switched on and off in a run: bodies joined and released, latches that close, springs that are hooked in.

A component that is switched off no longer acts; positions and speeds stay as they are, accelerations are computed anew.
A component that is switched on must hold in the present position of the mechanism. Some components adopt this position
(a weld, a lock or a rod without a given value, a gear): they are measured anew. All others must fit; a small error, of
the method or of the location of an event, is closed by the shortest displacement.

Speeds jump in an inelastic impact, in which the active joints exert impulses Λ:

    M (v₁ − v₀) + Gᵀ Λ = 0,    G v₁ + g_t = 0

(the equations of motion, integrated over an instant) with the rows G of all joints, new and old, velocity rows among
them. A joint exerts equal and opposite impulses on its two bodies, so that linear and angular momentum are conserved to
round-off. Where rows repeat others, the smallest impulses with the same effect are reported. Prescribed motions do the
work Λᵀ g_t, and

    ½ v₁ᵀ M v₁ = ½ v₀ᵀ M v₀ + Λᵀ g_t − ½ (v₁ − v₀)ᵀ M (v₁ − v₀):

the energy lost is the kinetic energy of the lost speeds (Carnot). The strain energy of springs that are released is
lost as well. Friction does not act in an impact: joints that stuck before slide after it, until they come to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from flexmb.errors import ModelError, RedundancyError, SolverError, SwitchingError
from flexmb.joints.sticking import BACKWARD, FORWARD, FREE
from flexmb.model import checks, given_names
from flexmb.model.components import Component
from flexmb.model.model import Model
from flexmb.results.events import Impulses
from flexmb.solvers.changes.impact import behind_impact
from flexmb.solvers.changes.joint_impulses import impulses_of_joints
from flexmb.solvers.events.jamming import friction_not_unique, refuse_jam
from flexmb.solvers.rows.index_one import SWEEPS, TOLERANCE, norm, project
from flexmb.solvers.rows.left_out import AT_REST, CLOSED, contradiction, refuse_contradicting_rates
from flexmb.solvers.rows.redundancy import independent_rows
from flexmb.solvers.runs.run import Run
from flexmb.solvers.start.initial import refuse_no_inertia
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations, with_room, work_for
from flexmb.system.bad_kernels import Joints
from flexmb.system.measured import measured_anew
from flexmb.system.rank import scaled_rows
from flexmb.system.sticking import set_friction, sticking_places
from flexmb.system.system import System

#: A joint that is switched on fits if its error is less than this, in model lengths or radians: then it is closed.
FITS = 1e-3
#: It is closed, or nearly so, if positions move by no more than this.
FURTHEST = 1e-2
#: Messages name rows whose error exceeds this fraction of the largest.
NAMED = 1e-3
_UNITS = {"length": "m", "angle": "rad"}


@dataclass(frozen=True, eq=False)
class Switching:
    """What happened when components were switched at a time `t` [s]: their names, `on` and `off`; the `impulses` of all
    active joints, by name: linear (2,) [N s] and angular [Nm s], in space (3,) both, on frame b and about its origin,
    in ground axes; the energy `lost` [J]; the `work` of prescribed motions [J]; and how far positions were `moved` to
    close joints that were switched on, in model lengths and radians."""

    t: float
    on: tuple[str, ...]
    off: tuple[str, ...]
    impulses: Impulses
    lost: float
    work: float
    moved: float


def named(model: Model, given: Any, what: str, where: str) -> tuple[str, ...]:
    """The names of one or several components that are given by name or as objects."""
    several = [given] if isinstance(given, str | Component) else checks.several(given, what, where)
    names = []
    for thing in several:
        name = thing.name if isinstance(thing, Component) else thing
        known = given_names.known(name, model.components, "component", f"{where}, {what}")
        if isinstance(thing, Component) and model.components[known] is not thing:
            raise SwitchingError(f"{where}: {thing.where} is not in model {model.name!r}; give one of its components")
        names.append(known)
    return tuple(dict.fromkeys(names))


def switch(run: Run, on: Any = (), off: Any = ()) -> Switching:
    """Let a run continue from its present state with other components, which are given by name or as objects; its
    history gets the states before and after. If that is impossible, raises a SwitchingError and changes nothing."""
    before, t = run.system, run.t
    model, n, nq = before.model, before.n, before.nq
    where = f"model {model.name!r}, switching at t = {t:g} s"
    on, off = named(model, on, "on", where), named(model, off, "off", where)
    _refuse_no_change(before, on, off, where)
    names = (before.off | frozenset(off)) - frozenset(on)
    try:
        whole = run.known_systems.with_components(before, names)
    except ModelError as why:
        raise SwitchingError(f"{where}: {why}") from None
    q, v0 = run.q[:nq], run.v[:n].copy()
    g = whole.constraint(t, q, np.zeros(n))[0]
    if measured := measured_anew(whole, on, q, g):
        whole.put_measured(measured)
        g = whole.constraint(t, q, np.zeros(n))[0]
    _refuse_open(whole, on, g, q, where)
    try:
        joints = Joints(g, scaled_rows(whole, whole.jacobian(t, q))) if whole.m else None
        system = independent_rows(whole, t, q, run.redundant, joints)
        if system is not whole and on:
            g = system.constraint(t, q, np.zeros(n))[0]
        q, moved = _closed(system, on, t, q, g, where)
        if said := friction_not_unique(system, t, q):
            raise SwitchingError(f"{where}: {said}")
        _refuse_not_unique(system, t, q, where)
        stuck = set_friction(system.assembly, system.plan, FREE)
        v, impulse, lost, work, status, a, lam = behind_impact(before, system, t, q, v0, bool(on))
        if system.plan.friction:
            moves, slides_on = _sliding(system, v, stuck)
            set_friction(system.assembly, system.plan, np.where(slides_on, stuck, FREE))
            status = _accelerate(system, t, q, v, a, lam)
            set_friction(system.assembly, system.plan, np.where(moves & ~slides_on, FREE, stuck))
        _refuse_not_determined(system, status, (t, q, v, a, lam), where)
        a = a[:n]
        refuse_contradicting_rates(system, t, q, v, a)
    except RedundancyError as why:
        raise SwitchingError(f"{where}: {why}") from None
    if run.history.newest < t:
        run.history.append(t, run.q, run.v, run.a, run.lam)
    run.switch(system, np.array([0.0, 0.0, work, lost]))
    run.q[:nq], run.v[:n], run.a[:n], run.lam = q, v, a, lam
    run.history.append(t, run.q, run.v, run.a, run.lam)
    impulses = Impulses()
    if on:
        impulses = Impulses(partial(impulses_of_joints, system, t, (q, v, a), impulse))
        if system.plan.friction:
            len(impulses)  # found at once: what joints rub may change
    return Switching(t, on, off, impulses, lost, work, moved)


def _refuse_no_change(system: System, on: Sequence[str], off: Sequence[str], where: str) -> None:
    """Refuse to switch components that already are as demanded, or that are to be on and off."""
    components = system.model.components
    for name in on:
        if name in off:
            raise SwitchingError(f"{where}: {components[name].where} is to be on and off; say one of both")
    for names, there, way in ((on, False, "on"), (off, True, "off")):
        for name in names:
            if (name in system.off) == there:
                raise SwitchingError(f"{where}: {components[name].where} is {way} already")
    if not on and not off:
        raise SwitchingError(f"{where}: nothing is to be on or off; name a component")


def _refuse_not_unique(system: System, t: float, q: np.ndarray, where: str) -> None:
    """Refuse forces that are read by controllers and are no longer unique."""
    for controller in system.model.controllers.values():
        for sensor in controller.sensors:
            try:
                sensor.check_determined(system, t, q)
            except ModelError as why:
                raise SwitchingError(f"{where}: {why}") from None


def _refuse_open(system: System, on: Sequence[str], g: np.ndarray, q: np.ndarray, where: str) -> None:
    """Refuse joints that are violated, by the errors g (m,), in the position in which they are switched on."""
    if not on:
        return
    mine = [k for k, row in enumerate(system.rows) if row.owner in on and row.level == "position"]
    for component in (system.model.components[name] for name in on):
        if wrong := component.misplaced(system, system.full_q(q)):
            raise SwitchingError(f"{where}: {wrong}")
    off = {k: abs(g[k]) / system.row_scale[k] for k in mine}
    largest = max(off.values(), default=0.0)
    if largest <= FITS:
        return
    said: list[str] = []
    for name in dict.fromkeys(system.rows[k].owner for k in mine if off[k] > FITS):
        rows = [k for k in mine if system.rows[k].owner == name and off[k] > max(FITS, NAMED * largest)]
        if rows:
            parts = ", ".join(f"{system.rows[k].name} by {g[k]:.4g} {_UNITS[system.rows[k].kind]}" for k in rows)
            said.append(f"{system.model.components[name].where} would have to jump into place, it is off in {parts}")
    raise SwitchingError(
        f"{where}: {'; '.join(said)}; switch it on where it fits (to {FITS * system.length_scale:.2g} m or {FITS:g} "
        "rad), or take a joint that holds what it finds, as weld and lock do"
    )


def _closed(
    system: System, on: Sequence[str], t: float, q: np.ndarray, g: np.ndarray, where: str
) -> tuple[np.ndarray, float]:
    """The position (nq,) moved by the shortest displacement that closes the joints that are switched on, and the size
    of this displacement; g (m,): the errors in the position."""
    if not on:
        return q.copy(), 0.0
    mine = [k for k, row in enumerate(system.rows) if row.owner in on and row.level == "position"]
    if not mine or np.max(np.abs(g[mine]) / system.row_scale[mine]) <= TOLERANCE:
        return q.copy(), 0.0
    full_q, full_v, lam = system.full_q(q), np.zeros(system.plan.total), np.zeros(system.m)
    args = (full_q, full_v, lam, system.row_scale, work_for(system.plan), TOLERANCE, SWEEPS, True)
    status, left, _ = with_room(system, project, t, *args)
    there = full_q[: system.nq].copy()
    moved = norm(system.difference(there, q), system.scale, system.n)
    if status != OK or not left <= CLOSED or moved > FURTHEST:
        names = ", ".join(system.model.components[name].where for name in on)
        raise SwitchingError(
            f"{where}: {names} cannot be closed beside the joints that hold already; what is left of "
            f"{np.max(np.abs(g[mine]) / system.row_scale[mine]):.2g} of the model's length is {left:.2g}"
        )
    if said := contradiction(system, t, there):
        raise SwitchingError(f"{where}: {said}")
    return there, float(moved)


def _sliding(system: System, v: np.ndarray, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which joints whose friction truly sticks move (k,), and which of them slide in the same direction as `before`."""
    own = np.array([series.coordinates.v[0, -1] for series, _ in sticking_places(system.assembly, system.plan)], int)
    moves = np.abs(v[own]) / system.scale[own] > AT_REST * norm(v, system.scale, system.n)
    return moves, moves & (before == np.where(v[own] > 0.0, FORWARD, BACKWARD))


def _accelerate(system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> int:
    """Fill accelerations (total,) and multipliers (m,) after the switch; returns their status."""
    args = (system.full_q(q), system.full(v), a, lam, work_for(system.plan), 0.0, 0.0)
    return int(with_room(system, accelerations, t, *args))


def _refuse_not_determined(system: System, status: int, state: tuple[Any, ...], where: str) -> None:
    """Refuse a state t, q, v, a, λ whose accelerations are not determined."""
    t, q, v, a, lam = state
    try:
        if status != OK or not np.isfinite(a).all():
            refuse_jam(system, t, q, v, lam)
            refuse_no_inertia(system, t, q)
    except SolverError as why:
        raise SwitchingError(f"{where}: what is left cannot move on: {why}") from None

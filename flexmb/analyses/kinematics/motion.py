"""Kinematics of driven mechanisms, and the forces that their motion needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.analyses.kinematics.driven import (
    closed_and_driven,
    drive_names,
    drive_value,
    driven_system,
    swept_system,
    value_in_model,
)
from flexmb.analyses.kinematics.driven_path import CLEARANCE, DrivenPath, DrivenPosition
from flexmb.analyses.kinematics.singular import Jacobian, SingularPoint, null_pair
from flexmb.errors import ModelError, SolverError
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names, given_times
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.results.layout import Layout
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.results.statistics import Statistics
from flexmb.solvers.binding.initial_state import CONTROLLERS, leave_out_controllers
from flexmb.solvers.changes.exchange import loses_rank
from flexmb.solvers.events.jamming import forces_with_friction
from flexmb.solvers.rows.left_out import contradiction
from flexmb.solvers.rows.redundancy import REDUNDANT
from flexmb.solvers.runs.history import History
from flexmb.solvers.runs.report import Report
from flexmb.solvers.runs.run import Run
from flexmb.system.assembly import Overrides
from flexmb.system.motions import describe_motion
from flexmb.system.moved_start import GAPS
from flexmb.system.refusals import refuse_velocity_rows
from flexmb.system.system import System

#: what may be asked for of flexible bodies
FLEXIBLE = ("refuse", "undeformed")


@dataclass(frozen=True, eq=False)
class Singularity(metaclass=AnswersCalls):
    """A position in which the drives do not determine the motion.

    `kind`: 'lock-up', where the mechanism cannot follow the drive any further, or 'change point', where two paths cross
    and the smooth one was taken; `t` [s], or the value of the drive in a sweep; `drives`: name and value of each drive
    that moves there; `motion`: a text that describes the motion that is free there; `locked`: names of the joints whose
    forces are not bounded there; `q` (nq,): the position.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("slider-crank")
    >>> crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0.0, 0.5), angle=1.5707963267948966)
    >>> slider = m.add_body("slider", mass=1.0, inertia=0.1, position=(3.0**0.5, 0))
    >>> pin = m.revolute(m.ground, crank.attach("bearing", (-0.5, 0)), name="bearing")
    >>> rail = m.prismatic(m.ground, slider.frame, name="rail")
    >>> rod = m.distance(crank.attach("pin", (0.5, 0)), slider.frame, name="rod")
    >>> push = m.drive_position(m.ground, slider.frame, 3.0**0.5, name="push")
    >>> motion = fm.kinematics(m, drive="push", over=(3.0**0.5, 4.0), steps=20, progress=False)
    >>> motion.status, motion.events[0].kind, round(motion.events[0].t, 6)
    ('locked', 'lock-up', 3.0)
    """

    kind: str
    t: float
    drives: dict[str, float]
    motion: str
    locked: list[str]
    q: np.ndarray = field(repr=False)

    def __str__(self) -> str:
        values = ", ".join(f"{name!r} at {_short(value)}" for name, value in self.drives.items())
        what = {"lock-up": "the mechanism locks", "change point": "two ways cross"}[self.kind]
        locked = f"; the forces of {', '.join(map(repr, self.locked))} are not bounded there" if self.locked else ""
        return f"{what} at {_short(self.t)} ({values or 'no drive moves'}): loose: {self.motion}{locked}"


def _short(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.9g}"


class Motion(Solution):
    """The motion of a driven mechanism: a :class:`flexmb.Solution` with the singular positions on its way.

    `events`: each a :class:`Singularity`; `status`: 'finished', 'locked', 'lost' (the path could not be followed) or
    'interrupted'; `drive`: the name of the drive that was swept. In a sweep `t` is the drive's value in its own unit,
    and all rates are per unit of it; joint forces are those at unit rate. Otherwise `drive` is None and `t` is in s.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel", gravity=(0, -10))
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=0.1, center=(0.5, 0))
    >>> hinge = m.revolute(m.ground, wheel.frame)
    >>> motor = m.drive_angle(m.ground, wheel.frame, fm.Polynomial([0, 3.0]), name="motor")
    >>> motion = fm.kinematics(m, 1.0, steps=10)
    >>> motion.status, motion.events, round(float(motion["motor.moment"][0]), 9)
    ('finished', [], 10.0)
    """

    def __init__(self, *args: Any, events: Sequence[Singularity] = (), drive: str | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self.events = list(events)
        self.drive = drive
        if drive is not None:
            assert self.model is not None
            self.time_label = f"value of {drive} [{self.model.components[drive].prescribed_unit}]"
            self.load_time = 0.0

    def _summary(self, with_energy: bool) -> str:
        over = f"drive {self.drive!r}" if self.drive else "t"
        unit = "" if self.drive else " s"
        span = f"{over} = {self.t[0]:g} … {self.t[-1]:g}{unit}"
        lines = [f"Motion of {self.name!r}: {self.status}, {span}, {len(self.t)} positions"]
        if self.message and self.status != "locked":
            lines.append(f"  {self.message}")
        lines += [f"  {event.kind}: {event}" for event in self.events]
        lines += [f"  doubtful: {doubt}" for doubt in self.doubts]
        lines.append(f"  {self.statistics}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Motion({self.name!r}, {len(self.t)} positions, {self.status})"


@answers_calls
@interruptible
@one_thread
def kinematics(
    model: Model,
    t_end: float | None = None,
    *,
    t_start: float = 0.0,
    steps: int = 200,
    times: Any = None,
    drive: Any = None,
    over: tuple[float, float] | None = None,
    flexible: str = "refuse",
    redundant: str = "remove",
    gaps: str = "refuse",
    progress: bool = True,
    controllers: str = "refuse",
) -> Motion:
    """Position, velocity, acceleration and joint forces of a mechanism whose drives and joints leave it no freedom.

        g(q, t) = 0,   G v = −g_t,   G a = γ,   Gᵀ λ = −(M a + f)

    (Skyenginlab (n.d.), eqs. (13), (14), solved for the drives' motion given; the last is inverse dynamics: `reaction`
    of a drive is the force or moment that it needs.) The motion runs over time, from `t_start` to `t_end` [s] in
    `steps`, or has exactly the given `times` [s] in rising order, within that range if `t_end` is given too. Or it runs
    over the range of one drive's own quantity (its angle [rad], position or distance [m]), `drive` by name and `over`
    two values, at unit rate whatever its function of time; other drives and loads then keep their values at t = 0.

    The mechanism never passes to another of its assemblies: see :mod:`flexmb.analyses.kinematics.driven_path`. Where it
    locks, the motion ends (`status` 'locked'); where two paths cross, it takes the smooth one; `events` reports both.
    At a change point itself, multipliers that are not bounded there are NaN.

    If the positions in the model fit the drives at t = 0 and not at the first time, the path begins at t = 0.

    Drives do not say how bodies deform: with `flexible` "refuse" such bodies are refused by name, with "undeformed"
    they keep their undeformed shapes. Joints and drives then move the mechanism as one of rigid bodies of the same
    masses, joint forces are those of that motion, and beams have no strains.

    `redundant`: "remove" constraint rows that repeat others, with a warning, or "error". `progress`: a bar on runs over
    a second. `gaps` of joints at the start, see :func:`flexmb.simulate`; what drives prescribe then is met however far
    it is from the positions in the model.
    `controllers`: "refuse" a model that has some, or leave their commands "held" at zero.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel", gravity=(0, -10))
    >>> wheel = m.add_body("wheel", mass=2.0, inertia=0.1, center=(0.5, 0))
    >>> hinge = m.revolute(m.ground, wheel.frame)
    >>> motor = m.drive_angle(m.ground, wheel.frame, fm.Polynomial([0, 3.0]), name="motor")
    >>> motion = kinematics(m, 1.0, steps=10)
    >>> round(float(motion["wheel"].angular_velocity[-1]), 12), round(float(motion["motor.moment"][0]), 12)
    (3.0, 10.0)
    >>> kinematics(m, times=[0.1, 0.5])["wheel"].angle.round(12).tolist()
    [0.3, 1.5]
    """
    if not isinstance(model, Model):
        raise ModelError(f"kinematics: {model!r} is not a model; give a PlanarModel or a SpatialModel")
    where = f"kinematics of model {model.name!r}"
    checks.choice(controllers, CONTROLLERS, "controllers", where)
    leave_out_controllers(model, controllers, where)
    checks.choice(flexible, FLEXIBLE, "flexible", where)
    checks.choice(redundant, REDUNDANT, "redundant", where)
    checks.choice(gaps, GAPS, "gaps", where)
    checks.count(steps, "steps", where, least=1)
    if (drive is None) != (over is None):
        raise ModelError(f"{where}: give drive and over together: the name of a drive, and the range of its quantity")
    if drive is None:
        targets = _times(t_end, t_start, steps, times, where)
        system = driven_system(model, Overrides(undeformed=flexible == "undeformed"))
        refuse_velocity_rows(system, where)
        start = 0.0 if _fits(system, 0.0) and not _fits(system, float(targets[0])) else float(targets[0])
        return _run(system, targets, start, None, redundant, gaps, progress, where)
    if t_end is not None or times is not None:
        raise ModelError(f"{where}: a sweep of a drive has no time; give either t_end or times, or drive and over")
    name = drive if isinstance(drive, str) else getattr(drive, "name", drive)
    component = model.components.get(name) if isinstance(name, str) else None
    if component is not None and not component.is_drive:
        raise ModelError(
            f"{where}: {component.where} prescribes no single quantity whose range could be swept; give a drive of one "
            "function, or let the motion run over time"
        )
    given_names.known(name, drive_names(model), "drive", where)
    first, last = checks.vector(over, "over", where)
    if first == last:
        raise ModelError(f"{where}: over is from {first:g} to {last:g}; give two different values")
    # Rates per unit of the drive's value do not depend on its direction, so the values may ascend.
    targets = np.linspace(min(first, last), max(first, last), int(steps) + 1)
    system = swept_system(model, name, flexible == "undeformed")
    refuse_velocity_rows(system, where)
    return _run(system, targets, value_in_model(system, name), name, redundant, gaps, progress, where)


def _fits(system: System, t: float) -> bool:
    """Whether joints and drives are closed at t in the position that the model describes."""
    g = system.constraint(t, system.q0, np.zeros(system.n))[0]
    return bool(np.all(np.abs(g) <= 1e-9 * system.row_scale))


def _times(t_end: Any, t_start: float, steps: int, times: Any, where: str) -> np.ndarray:
    """The times (k,) at which positions are wanted, checked."""
    if times is None and t_end is None:
        raise ModelError(f"{where}: give t_end or times, or drive and over")
    if t_end is None:
        return given_times.rising_times(times, -np.inf, np.inf, where)
    start, end = given_times.span(t_start, t_end, where)
    if times is None:
        return np.linspace(start, end, int(steps) + 1)
    return given_times.rising_times(times, start, end, where)


def _run(
    system: System,
    targets: np.ndarray,
    t: float,
    drive: str | None,
    redundant: str,
    gaps: str,
    progress: bool,
    where: str,
) -> Motion:
    whole = system
    system, q, moved = closed_and_driven(whole, t, redundant, gaps, where)
    statistics = Statistics(method="kinematics", position_correction=moved.size)
    zero = np.zeros(system.n)
    history = History(system)
    checks.flag(progress, "progress", where)
    report = Report(statistics, progress)
    run = Run(system, t, float(targets[-1]), q, zero, zero, np.zeros(system.m), history, report)
    span = float(max(targets[-1], t) - min(targets[0], t)) or 1.0
    points: list[DrivenPosition] = []
    met: list[SingularPoint] = []
    ends: list[str] = []

    def follow_both_ways() -> None:
        for direction in (-1.0, 1.0):
            ahead = targets[targets >= t] if direction > 0 else targets[targets < t][::-1]
            if not len(ahead):
                continue
            path = DrivenPath(system, direction, span)
            start = path.point(t, q)
            if start is None:
                raise SolverError(f"{where}: the constraints lose rank at the start, {t:g}")

            def show_progress(now: float) -> None:
                run.t = now
                run.show()

            reached, singular, end = path.follow(start, ahead, show_progress)
            statistics.iterations += path.iterations
            statistics.factorizations += path.factorizations
            statistics.other_rows += path.other_rows
            points.extend(p for p in reached if p is not None)
            met.extend(singular)
            ends.append(end)

    with run:
        run.guarded(follow_both_ways)
    motion = _motion(run, points, met, ends, drive, targets, where)
    motion.doubts += moved.doubts
    return motion


def _motion(
    run: Run,
    points: list[DrivenPosition],
    met: list[SingularPoint],
    ends: list[str],
    drive: str | None,
    targets: np.ndarray,
    where: str,
) -> Motion:
    system = run.system
    events = sorted((_event(s, drive) for s in met if loses_rank(s.system, s.t, s.q)), key=lambda event: event.t)
    points = sorted(points, key=lambda p: p.t)
    status = run.report.status
    if status == "finished":
        status = next((end for end in ("lost", "locked") if end in ends), status)
    reached = max((p.t for p in points), default=run.t)
    message = {
        "lost": f"the way on from {reached:.9g} could not be found (does the drive rest in a dead point or a change "
        "point? drive on beyond it, or stop before); the positions until there are kept",
        "locked": "; ".join(str(event) for event in events if event.kind == "lock-up"),
    }.get(status, run.report.message)
    if not points:
        raise SolverError(f"{where}: no position of the range can be reached: {message or 'interrupted'}")
    said = (contradiction(p.system, p.t, p.q) for p in points)
    good, complaint = next(((k, why) for k, why in enumerate(said) if why), (len(points), ""))
    if complaint:
        status, message = "lost", f"stopped at {points[good].t:.9g}: {complaint}"
        points = points[:good]
        if not points:
            raise SolverError(f"{where}: {message}")
    rows = [(p.t, p.q, p.v, p.a, p.system.for_all_rows(_forces(p))) for p in points]
    statistics = run.report.statistics
    statistics.steps = len(rows)
    for p in points:
        g, gd, _ = p.system.constraint(p.t, p.q, p.v)
        statistics.position_drift = max(statistics.position_drift, float(np.max(np.abs(g) / p.system.row_scale)))
        statistics.velocity_drift = max(statistics.velocity_drift, float(np.max(np.abs(gd) / p.system.row_scale)))
    states = (np.array(column) for column in zip(*rows))
    return Motion(
        Layout.of(system),
        SystemSource(system),
        *states,
        status=status,
        message=message,
        statistics=statistics,
        model=system.model,
        events=events,
        drive=drive,
    )


def _forces(p: DrivenPosition) -> np.ndarray:
    """The multipliers (m,) of a position."""
    system = p.system
    J = Jacobian(system, p.t, p.q)
    _, shares, smallest = (None, None, np.inf) if p.sign != 0.0 else null_pair(J.matrix)
    if shares is None or smallest > 1e-7:
        lam = J.solve_transposed(-system.residual(p.t, p.q, p.v, p.a))
        if not system.plan.friction:
            return lam
        where = f"kinematics of model {system.model.name!r} at t = {p.t:g} s"
        state = (p.t, p.q, p.v, p.a)
        return forces_with_friction(system, lam, lambda x: J.solve_transposed(-system.residual(*state, x)), where)
    # At a change point, bounded forces are interpolated from both sides.
    path = DrivenPath(system, 1.0, 1.0)
    h = CLEARANCE / path.speed(p)
    sides = []
    for s in (-h, h, -2.0 * h, 2.0 * h):
        beside = path.point_near(p.t + s, system.retract(p.q, s * p.v + 0.5 * s**2 * p.a))
        sides.append(np.full(system.m, np.nan) if beside is None else _forces(beside))
    lam = (4.0 * (sides[0] + sides[1]) - sides[2] - sides[3]) / 6.0
    lam[np.abs(shares) > 1e-6 * np.max(np.abs(shares))] = np.nan
    return np.asarray(lam)


def _event(s: SingularPoint, drive: str | None) -> Singularity:
    """A singular position with the names of what moves there."""
    system = s.system
    moving = np.abs(system.constraint(s.t, s.q, np.zeros(system.n))[1]) > 0.0
    names = list(dict.fromkeys(row.owner for row, moves in zip(system.rows, moving) if moves))
    drives = [name for name in names if name in drive_names(system.model)]
    values = {name: s.t if name == drive else drive_value(system.model.components[name], s.t) for name in drives}
    shares = np.abs(s.shares * system.row_scale)
    locked = [row.owner for row, share in zip(system.rows, shares) if share > 1e-6 * np.max(shares)]
    return Singularity(s.kind, s.t, values, describe_motion(system, s.motion), list(dict.fromkeys(locked)), s.q)

"""Trim: the commands that keep a mechanism where it is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from flexmb.analyses.statics.asked_rotation import asked_rotation
from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.equilibrium import first_position
from flexmb.analyses.statics.other_rows import exchanged
from flexmb.analyses.statics.spinning import SpinningBalance
from flexmb.control.trims.trim_equations import MovingBalance, TrimEquations
from flexmb.errors import ControlError, ModelError
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names, given_times
from flexmb.model.checks import Vector
from flexmb.model.functions.splines import Spline
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.hints import AnswersCalls, answers_calls
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.state import State, as_solution
from flexmb.solvers.binding.initial_state import CONTROLLERS, leave_out_controllers, regular_system
from flexmb.system.doubts import warn_of_doubts
from flexmb.system.refusals import refuse_velocity_rows

#: rates along a path are differences of fourth order over this part of its time
STENCIL = 1e-3
#: what the bending's own inertia may be, as a part of that of the path, without a word
NEGLIGIBLE = 1e-3


@dataclass(frozen=True, eq=False)
class Trim(metaclass=AnswersCalls):
    """Commands under which a mechanism stays where it is wanted.

    `commands`: by name, numbers, or functions of time along a path, as :meth:`flexmb.Simulator.run` takes them;
    `state`: the mechanism there, with the commands in its forces, for :func:`flexmb.linearize` and as `initial` of a
    run; `solution`: the same as a solution, with all instants of a path; `residual` [–]: the largest
    force out of balance as a part of the largest of those that balance; `iterations`; `doubts`: what was left out.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm", gravity=(0, -9.81))
    >>> arm = m.add_body("arm", mass=2.0, inertia=0.1, center=(0.5, 0))
    >>> hinge = m.revolute(m.ground, arm.frame, name="hinge")
    >>> motor = m.joint_force(hinge, 0.0, name="motor")
    >>> held = fm.control.trim(m, by="motor", hold={"hinge.angle": 0.5})
    >>> run = fm.Simulator(m, step=0.01).run(1.0, initial=held, commands=held.commands)
    >>> round(float(run["hinge.angle"][-1]), 6)
    0.5
    """

    commands: dict[str, Any]
    state: State
    solution: Solution = field(repr=False)
    residual: float
    iterations: int = 0
    doubts: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        return self.state[key]

    def __str__(self) -> str:
        lines = [f"Trim of {self.state.model.name!r}, out of balance by {self.residual:.2g} of the largest force"]
        for name, value in self.commands.items():
            unit = self.state.model.components[name].strength_unit
            lines.append(
                f"  {name}: {'along the path' if isinstance(value, TimeFunction) else f'{value:.6g}'} [{unit}]"
            )
        return "\n".join([*lines, *(f"  doubtful: {doubt}" for doubt in self.doubts)])


@answers_calls
@interruptible
@one_thread
def trim(
    model: Model,
    by: Any,
    hold: Any,
    *,
    along: Any = None,
    t: float = 0.0,
    initial: Any = None,
    spin: float = 0.0,
    axis: Any = "z",
    center: Vector | None = None,
    rotors: Mapping[str, Any] | None = None,
    advance: float = 0.0,
    redundant: str = "remove",
    gaps: str = "refuse",
    tolerance: float = 1e-10,
    controllers: str = "refuse",
) -> Trim:
    """The commands that hold some quantities of a mechanism at given values, at rest, in steady motion or along a path,
    and the state in which they do:

        f(q) − B u + Gᵀ λ = 0,    g(q) = 0,    h(q, λ) = c

    by Newton's method in q, λ and u at once. A trim need not be stable: a pendulum is held upright too.

    Arguments: `model`; `by`: components whose strengths are the commands, by name, as controllers command them (a
    command is added to the strength that the component has by itself); `hold`: as many quantities by name with their
    values, {"shoulder.angle": 0.5}, any that :func:`flexmb.linearize` takes as outputs; `t` [s] of drives and loads;
    `initial`: where the search begins; `spin`, `axis`, `center`, `rotors`, `advance`: the steady motion as in
    :func:`flexmb.equilibrium`; there may be one command more than is held for each motion that goes on steadily, such
    as the turn of a shaft that its bearing brakes. `redundant`, `gaps`, `tolerance`, `controllers` as there.

    `along`: times (k,) [s] at which the trim is wanted along a path, with functions of time in `hold`; or a run, whose
    motion of the quantities in `hold`, a list of names, is the path. The commands are then functions of time. At each
    instant the mechanism is bent as at rest under the inertia forces of the path, M(q) a and those of its speeds, where
    :func:`flexmb.quasi_static` has weight and loads alone. The speeds and accelerations are those of the path of rest,
    so that the inertia of the bending itself, thus all vibration, is left out; `doubts` say how large that is.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("arm", gravity=(0, -9.81))
    >>> arm = m.add_body("arm", mass=2.0, inertia=0.1, center=(0.5, 0))
    >>> hinge = m.revolute(m.ground, arm.frame, name="hinge")
    >>> motor = m.joint_force(hinge, 0.0, name="motor")
    >>> held = fm.control.trim(m, by=["motor"], hold={"hinge.angle": 0.5})
    >>> round(held.commands["motor"], 9), round(2.0 * 9.81 * 0.5 * float(np.cos(0.5)), 9)
    (8.609084932, 8.609084932)
    >>> path = fm.control.trim(m, "motor", {"hinge.angle": fm.SmoothStep(0.0, 1.0)}, along=np.linspace(0, 1, 51))
    >>> round(float(path.commands["motor"](0.5)), 6)  # half-way the arm does not accelerate
    8.609085
    """
    where = f"trim of model {getattr(model, 'name', model)!r}"
    t = checks.number(t, "t", where)
    checks.choice(controllers, CONTROLLERS, "controllers", where)
    tolerance = checks.positive(tolerance, "tolerance", where)
    system = regular_system(model, t, redundant=redundant)
    refuse_velocity_rows(system, where)
    leave_out_controllers(model, controllers, where)
    names = _commanded(model, by, where)
    off = [name for name in names if name in system.off]
    if off:
        raise ModelError(f"{where}: {model.components[off[0]].where} is off, and acts on nothing; switch it on")
    times, held = _path(hold, along, where)
    rotation, turning = asked_rotation(system, t, spin, axis, center, rotors, advance, where)
    if times is not None and rotation is not None:
        raise ModelError(
            f"{where}: along a path the motion is that of what is held; leave out spin, rotors and advance"
        )
    t = t if times is None else float(times[0])
    q, moved = first_position(system, t, initial, gaps, where)
    plain = MovingBalance(system, t) if times is not None else Balance(system, t)
    balance = plain if rotation is None else SpinningBalance(system, t, rotation, rotors=turning)
    if isinstance(balance, MovingBalance):
        balance.moves = np.zeros(system.n), np.zeros(system.n)
    exchanged(balance, q, np.zeros(balance.m))
    if isinstance(balance, SpinningBalance):
        balance.hold_cyclic(q)
    equations = TrimEquations(balance, names, list(held), np.array([f(t) for f in held.values()]), where)
    equations.check_counts()
    x = equations.found(q, balance.first_multipliers(q), np.zeros(len(names)), tolerance)
    if times is not None:
        assert isinstance(balance, MovingBalance)
        return _along_path(equations, balance, held, times, x, tolerance, moved.doubts)
    state = replace(equations.state(x), doubts=moved.doubts)
    if isinstance(balance, SpinningBalance):
        balance.check(state, where)
    warn_of_doubts(balance.system, state.q[None, :], lambda: state.solution.multipliers, where)
    commands = dict(zip(names, equations.parts(x)[2].tolist()))
    return Trim(commands, state, state.solution, equations.imbalance(x), equations.iterations, moved.doubts)


def _commanded(model: Model, by: Any, where: str) -> list[str]:
    """Names of the components that are commanded."""
    given = [by] if isinstance(by, str) or hasattr(by, "name") else checks.listed(by, "by", where)
    names = [x if isinstance(x, str) else getattr(x, "name", x) for x in given]
    known = [name for name, component in model.components.items() if component.strength is not None]
    for name in names:
        given_names.known(name, known, "component that can be commanded", where)
    given_names.all_different(names, "command", where)
    return names


def _path(hold: Any, along: Any, where: str) -> tuple[np.ndarray | None, dict[str, TimeFunction]]:
    """The times of a path, None at rest, and what is held by name, as functions of time."""
    if isinstance(along, Solution):
        if not isinstance(hold, list | tuple | str):
            raise ControlError(f"{where}: along a run hold is a list of names; the run says how they move")
        names = [hold] if isinstance(hold, str) else list(hold)
        times = along.t[np.concatenate([[True], np.diff(along.t) > 0.0])]
        if len(times) < 5:
            raise ControlError(f"{where}: the run has {len(times)} times; give one of five or more")
        at = along.at(times)
        return times, {name: Spline(times, at[name]) for name in names}
    given = checks.by_names(hold, "hold", where)
    moving = [name for name, value in given.items() if isinstance(value, TimeFunction)]
    held = {name: as_function(value, f"hold[{name!r}]", where) for name, value in given.items()}
    if along is None:
        if moving:
            raise ControlError(f"{where}: {moving[0]} moves; give the times of the path, along=…, or a number")
        return None, held
    times = given_times.times(along, "along", where)
    if len(times) < 5:
        raise ControlError(f"{where}: along has {len(times)} times; give five or more, a spline goes through them")
    return times, held


def _near(f: TimeFunction, t: float, s: float) -> float:
    """The parabola along f at t, whose rates do not jump, at t + s."""
    return float(f(t) + s * f.rate(t) + 0.5 * s * s * f.second_rate(t))


def _along_path(
    equations: TrimEquations,
    balance: MovingBalance,
    held: Mapping[str, TimeFunction],
    times: np.ndarray,
    x: np.ndarray,
    tolerance: float,
    doubts: tuple[str, ...],
) -> Trim:
    """The trim at the times of a path: at rest on it and beside it, then with the speeds and accelerations of rest."""
    system, where = balance.system, equations.where
    nq, n = system.nq, system.n
    h = STENCIL * (times[-1] - times[0])
    rest, u = (np.zeros(n), np.zeros(n)), x[nq + balance.m :]
    found: list[State] = []
    unmoved: list[np.ndarray] = []
    given: list[np.ndarray] = []
    worst, iterations = 0.0, 0
    for now in times.tolist():
        balance.moves = rest
        places = []
        for shift in (0.0, -2.0, -1.0, 1.0, 2.0):
            balance.t = now + shift * h
            equations.values = np.array([_near(f, now, shift * h) for f in held.values()])
            x = equations.found(x[:nq], x[nq : nq + balance.m], u, tolerance)
            places.append(x[:nq])
        middle = places[0]
        y = np.array([system.difference(q, middle) for q in places[1:]])
        v = (y[0] - 8.0 * y[1] + 8.0 * y[2] - y[3]) / (12.0 * h)
        a = (-y[0] + 16.0 * y[1] + 16.0 * y[2] - y[3]) / (12.0 * h * h)
        balance.t, balance.moves = now, (v, a)
        equations.values = np.array([f(now) for f in held.values()])
        x = equations.found(middle, x[nq : nq + balance.m], u, tolerance)
        u = x[nq + balance.m :]
        worst, iterations = max(worst, equations.imbalance(x)), iterations + equations.iterations
        found.append(equations.state(x))
        unmoved.append(middle)
        given.append(u)
    bent = np.array([system.difference(state.q, q) for state, q in zip(found, unmoved)])
    own = CubicSpline(times, bent)(times, 2)
    inertia = [
        float(np.max([np.abs(system.mass_matrix(s.t, s.q) @ z) * system.scale for z, s in zip(rates, found)]))
        for rates in (own, [s.a for s in found])
    ]
    left_out = inertia[0] / max(inertia[1], 1e-300)
    if left_out > NEGLIGIBLE:
        doubts = (
            *doubts,
            f"{where}: the inertia of its bending, which is left out, is up to {100.0 * left_out:.2g} % of the path's",
        )
    equations.command(given[0])
    commands = {name: Spline(times, values) for name, values in zip(equations.by, np.array(given).T)}
    rows = (np.array([s.q for s in found]), *(np.array([getattr(s, z) for s in found]) for z in ("v", "a", "lam")))
    solution = as_solution(system, times, *rows)
    solution.doubts = list(doubts)
    return Trim(commands, replace(found[0], doubts=doubts), solution, worst, iterations, doubts)

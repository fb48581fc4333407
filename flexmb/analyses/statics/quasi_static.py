"""Quasi-static motion: so slow that the mechanism is in equilibrium at every time."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.analyses.statics.balance import Balance
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.analyses.statics.newton import newton
from flexmb.analyses.statics.other_rows import exchanged
from flexmb.errors import DivergenceWarning, warn
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_times
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model
from flexmb.results.solution import Solution
from flexmb.results.state import with_all_rows
from flexmb.solvers.binding.initial_state import CONTROLLERS, leave_out_controllers
from flexmb.solvers.rows.left_out import contradiction
from flexmb.system.bad_kernels import reached_limit
from flexmb.system.doubts import warn_of_doubts

#: smallest substep, as a part of the time between two wanted times; the motion stops where this fails too
SMALLEST_SUBSTEP = 1e-4
#: the corrector may take back this part of a substep, and a way that is negligible, in units of the model's length
MOST_TAKEN_BACK, NEGLIGIBLE = 0.5, 1e-3


@answers_calls
@interruptible
@one_thread
def quasi_static(
    model: Model,
    t_end: float,
    *,
    t_start: float = 0.0,
    steps: int = 100,
    initial: Any = None,
    redundant: str = "remove",
    gaps: str = "refuse",
    tolerance: float = 1e-10,
    controllers: str = "refuse",
) -> Solution:
    """The equilibria that a mechanism passes while drives and loads follow their functions of time, infinitely slowly.

    Arguments: `model`; `t_start`, `t_end` [s]; `steps` between the times at which it is wanted (substeps are taken
    where needed); `initial`: the state to begin from; `redundant`: "remove" constraint rows that repeat others, with a
    warning, or "error"; `gaps` of joints at the start, see :func:`flexmb.simulate`; `controllers`: "refuse" a model
    that has some, or leave their commands "held" at zero. The solution has no speeds and no accelerations. Where no
    equilibrium follows on continuously (the mechanism would snap, or a drive asks for what cannot be reached), it ends,
    with `solution.status` 'stopped' and a message.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("crank", gravity=(0, -9.81))
    >>> arm = m.add_body("arm", mass=2.0, inertia=0.1, center=(0.5, 0))
    >>> hinge = m.revolute(m.ground, arm.frame)
    >>> motor = m.drive_angle(m.ground, arm.frame, fm.Polynomial([0.0, 1.0]), name="motor")
    >>> slow = fm.quasi_static(m, 1.0, steps=10)
    >>> force, moment = slow.reaction("motor")
    >>> bool(np.allclose(moment, 2.0 * 9.81 * 0.5 * np.cos(slow.t)))
    True
    """
    where = f"quasi-static motion of model {getattr(model, 'name', model)!r}"
    t_start, t_end = given_times.span(t_start, t_end, where)
    times = np.linspace(t_start, t_end, checks.count(steps, "steps", where, least=1) + 1)
    checks.choice(controllers, CONTROLLERS, "controllers", where)
    if getattr(model, "controllers", None):
        leave_out_controllers(model, controllers, where)
    options: dict[str, Any] = {"redundant": redundant, "tolerance": tolerance, "controllers": controllers}
    first = equilibrium(model, t=t_start, initial=initial, count=1, gaps=gaps, **options).state
    balance = Balance(first.system, t_start)
    system, lam = first.system, first.lam
    q, forces = [first.q], [system.for_all_rows(lam)]
    message = ""
    for t in times[1:]:
        position = _advance(balance, q[-1], lam, float(t), tolerance)
        apart = "" if position is None else contradiction(balance.system, float(t), position[0])
        if position is None or apart:
            why = apart or reached_limit(system, q[-1]) or "no equilibrium follows on"
            message = f"stopped at t = {balance.t:g} s: {why}; the times until then are kept"
            warn(f"model {model.name!r} {message}", DivergenceWarning)
            break
        system, lam = balance.system, position[1]
        q.append(position[0])
        forces.append(system.for_all_rows(lam))
    zero = np.zeros((len(q), system.n))
    rows = (times[: len(q)], np.array(q), zero, zero.copy(), np.array(forces))
    status = "stopped" if message else "finished"
    motion = with_all_rows(system, *rows, status=status, message=message, still=True)
    motion.doubts += first.doubts
    warn_of_doubts(system, motion.q, lambda: motion.multipliers, where, "t = {:.3g} s", times)
    return motion


def _advance(
    balance: Balance, q: np.ndarray, lam: np.ndarray, t_end: float, tolerance: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Positions and multipliers, of the rows that the balance has then, at a later time, by substeps where needed; None
    if no equilibrium follows on, with the balance at the last time that was reached."""
    t, n, system, scale = balance.t, balance.n, balance.system, balance.system.scale
    h = whole = t_end - t
    while t < t_end:
        lam = exchanged(balance, q, lam)
        h = t_end - t if t + h > t_end - 1e-9 * whole else h
        balance.t = t
        if not balance.factorize(q, lam):
            return None
        ahead = -h * balance.solve(balance.time_rate(q, lam, 1e-4 * whole))
        balance.t = t + h
        rest = None
        if np.max(np.abs(ahead[:n]) / scale) < 0.3:
            rest = newton(
                balance, system.retract(q, ahead[:n]), lam + ahead[n:], tolerance=tolerance, max_iterations=15
            )
        if rest is not None and rest.converged:
            way = system.difference(rest.q, q)
            moved, corrected = (np.max(np.abs(x) / scale) for x in (way, way - ahead[:n]))
            if corrected <= MOST_TAKEN_BACK * moved + NEGLIGIBLE:
                q, lam, t = rest.q, rest.lam, t + h
                h = 2.0 * h
                continue
        h = 0.5 * h
        balance.t = t
        if h < SMALLEST_SUBSTEP * whole:
            return None
    balance.t = t_end
    return q, exchanged(balance, q, lam)

"""Checks whether a run that reached its end is about as accurate as its tolerance.

There are two kinds of evidence. Components report motions that are outside the validity of their theory
(:meth:`flexmb.Component.doubts`). And the error of the energy balance, which no method enforces, is compared with the
error that the tolerance of the method implies. An error of energy is due to an error of the motion, or to damping of
vibration that is too fast for the steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.model.doubted import gap_history
from flexmb.results.solution import Solution
from flexmb.results.sources import Epoch, SystemSource
from flexmb.solvers.methods.registry import METHODS
from flexmb.solvers.runs.at_times import AtTimes
from flexmb.solvers.runs.run import Run
from flexmb.system.doubts import component_doubts, force_doubts
from flexmb.system.system import System

#: Allowed error of the energy balance at default tolerances, and its bounds, as parts of the energy exchanged.
AT_DEFAULTS, LEAST, LARGEST = 0.01, 2e-3, 0.1
#: Allowed error of the energy balance with fixed steps, as a part of the energy exchanged.
FIXED_STEPS = 0.02
#: Error that Newton's method leaves in each fixed step, as a part of the sizes of coordinates and states.
NEWTON = 1e-8
#: Least number of fixed steps in a touch, and most steps of a run in which touches are searched for.
FEW_STEPS, MOST_STEPS = 4, 20_000
#: Phase per step [rad] beyond which Radau IIA of order 5 damps an undamped vibration: by 2 % per step there, by 28 % at
#: twice this phase, by 90 % at 30, from (1 + 2z/5 + z²/20)/(1 − 3z/5 + 3z²/20 − z³/60) with z = iωh.
DAMPED = 2.4
#: Error of fixed steps beyond which there is a doubt, in model lengths and radians.
ERROR = 1e-2
#: What accelerations at the end may lack of those that joints ask for, as a part of the largest in the run.
ALTERNATE = 1e-2
#: from this spectral radius on joint forces that alternate fade so slowly that they may grow before
HARDLY_DAMPED = 0.95
#: Round-off is reported if its estimated effect is more than this many tolerances. The estimate assumes errors of
#: speeds that persist until the end, whereas vibration reverses most of them.
ROUNDED = 15.0
#: Largest difference of a classical formulation's accelerations from those of the components, as a part of the largest:
#: rounding of its equations leaves some 1e-12, rows that joints hold to 1e-9 some 1e-8.
APART = 1e-6


def promised_balance(method: str, options: dict[str, Any]) -> float:
    """Error of the energy balance, as a part of the energy exchanged, up to which there is no warning.

    It grows with the tolerance to the power ⅔, as the error of a second-order method does, within bounds: between the
    long steps of a high-order method, the ledger itself is no more accurate.

    >>> promised_balance("generalized_alpha", {}), promised_balance("generalized_alpha", {"step": 1e-3})
    (0.01, 0.02)
    """
    usual = METHODS.about(method).usual
    if usual is None or options.get("step"):
        return FIXED_STEPS
    tolerance = options.get("tolerance") or usual
    return float(min(max(AT_DEFAULTS * (tolerance / usual) ** (2.0 / 3.0), LEAST), LARGEST))


def _damped(method: str, t: np.ndarray) -> str:
    """The frequency beyond which `radau` damps vibration with steps between the times t, in words."""
    if method != "radau" or len(t) < 2:
        return ""
    h = float(np.median(np.diff(t)))
    return f" (in steps of {h:.2g} s 'radau' damps what is faster than about {DAMPED / h:.2g} rad/s)"


def doubts(run: Run, solution: Solution, options: dict[str, Any]) -> list[str]:
    """Why the motion of a run may be wrong, a sentence for each reason."""
    if run.history.entered < 2:
        return []
    method, history = run.report.statistics.method, run.history
    promised = promised_balance(method, options)
    if isinstance(history, AtTimes):
        t, q = history.some_steps
        error, exchanged = history.error(), history.balance.exchanged
    else:
        t, q = solution.t, solution.q
        assert isinstance(solution.source, SystemSource)
        # A check at a few instants costs little; the whole ledger is computed only if it fails.
        error, exchanged = solution.source.estimated_error(solution, promised), 0.0
        if not error <= promised:
            error, exchanged = solution.energy.error, solution.energy.exchanged
    when = "t = {:.3g} s"
    said = _of_components(history.epochs, q, when, t)
    said += [*run.report.doubts, *run.events.doubts]
    apart, at = run.report.apart
    if apart > APART:
        said.append(
            f"the accelerations of formulation {options['formulation']!r} differ from those of the components by "
            f"{apart:.1g} of the largest at {when.format(at)}: one of the two is wrong there; simulate without the "
            "formulation and compare"
        )
    said += [text for kind in run.switches for text in kind.doubts(solution)]
    said += force_doubts(run.system, lambda: solution.multipliers, when, solution.t)
    if not isinstance(history, AtTimes) and len(t) > run.report.statistics.steps:
        said += short_touches(run.system, t, q)
    if error > promised:
        damped = "" if isinstance(history, AtTimes) else _damped(method, t)
        smaller = "step" if options.get("step") else "tolerance"
        sparse = ", or keep more steps than save_every does, between which work is summed up"
        sparse = sparse if options.get("save_every", 1) > 1 else ""
        said.append(
            f"its energy balance is off by {error:.2g} of the {exchanged:.3g} J that "
            f"were exchanged (up to {promised:.1g} is usual here): the motion is not followed, or vibration in it is "
            f"too fast for the steps{damped}; take a smaller {smaller}{sparse}"
        )
    said += _alternating(run, solution, options)
    usual = METHODS.about(method).usual
    measured = NEWTON if options.get("step") else options.get("tolerance") or usual or NEWTON
    states: list[Any] = [c for c in run.system.model.components.values() if hasattr(c, "decided")]
    said += [text for c in states if (text := c.doubt(solution, measured))]
    wanted = np.inf if options.get("step") else options.get("tolerance") or usual or np.inf
    rounding = run.report.statistics.rounding_error
    if rounding > ROUNDED * wanted:
        other = "" if method == "dop853" else ", method 'dop853' may"
        said.append(
            f"rounding may have left an error of {rounding:.1g} of the model's length, or radians, "
            f"where tolerance={wanted:g} was asked for: short steps magnify it, and singular positions; a smaller "
            f"tolerance makes it no better{other}"
        )
    estimated = run.report.statistics.estimated_error
    if estimated > ERROR:
        said.append(
            f"the estimated error of its motion is up to {estimated:.2g} of the model's length, or radians; take a "
            "smaller step"
        )
    return said


def _alternating(run: Run, solution: Solution, options: dict[str, Any]) -> list[str]:
    """A doubt about accelerations that alternate from step to step where joints hold, against which methods without
    damping do nothing: those at the end of the run ought to satisfy G a = γ."""
    method, system = run.report.statistics.method, run.system
    undamped = method == "newmark" or options.get("spectral_radius", 0.0) >= HARDLY_DAMPED
    if not undamped or not system.m or options.get("formulation"):
        return []
    q, v, a = run.q[: system.nq], run.v[: system.n], run.a[: system.n]
    off = np.abs(system.jacobian(run.t, q) @ a - system.constraint(run.t, q, v)[2]) / system.row_scale
    worst, largest = int(np.argmax(off)), float(np.max(np.abs(solution.a[:, : system.n]) / system.scale, initial=0.0))
    if off[worst] <= ALTERNATE * largest:
        return []
    # where nothing moves, these are rounding beside what the forces of joints alone would do
    by_forces = np.abs(solution.multipliers) * system.row_scale / (system.mass_scale * system.length_scale**2)
    if off[worst] <= ALTERNATE * float(np.max(by_forces)):
        return []
    better = "beta above half of gamma, and gamma above 0.5" if method == "newmark" else "a smaller spectral_radius"
    return [
        f"accelerations and joint forces alternate from step to step, in joint {system.rows[worst].owner!r} by "
        f"{off[worst] / largest:.2g} of the largest acceleration, and shorter steps do not help; give {better}"
    ]


def _of_components(epochs: list[Epoch], q: np.ndarray, when: str, t: np.ndarray) -> list[str]:
    """Doubts of components about positions q (k, nq) at times t (k,) while they are active; each only once."""
    if len(epochs) == 1:
        return component_doubts(epochs[0].system, q, when, t)
    said: dict[str, str] = {}
    for epoch, end in zip(epochs, [*(x.t for x in epochs[1:]), np.inf]):
        there = (t >= epoch.t) & (t <= end)
        for text in component_doubts(epoch.system, q[there], when, t[there]) if there.any() else ():
            said.setdefault(text.rpartition(", from ")[0], text)
    return list(said.values())


def short_touches(system: System, t: np.ndarray, q: np.ndarray) -> list[str]:
    """Contacts and stops that touch for too few of equal steps, a sentence for each; q (k, nq)."""
    if not any(component.touches for component in system.model.components.values()):
        return []
    steps = np.diff(t)[:-1]
    if not len(steps) or np.ptp(steps) > 1e-6 * steps[0]:
        return []  # steps that are not fixed end at each touch
    said: list[str] = []
    full = np.array([system.full_q(x) for x in q[:MOST_STEPS]])
    for name, component in system.model.components.items():
        if not component.touches or name in system.off:
            continue
        for i in [i for i in system.instances_of(name) if i.kernels.switches is not None]:
            gaps = gap_history(i, full)
            edges = np.flatnonzero(np.diff(gaps < 0.0))
            first = int(gaps[0] < 0.0)
            deep = -0.1 * np.min(gaps, initial=0.0)
            for begin, end in zip(edges[first::2], edges[first + 1 :: 2]):
                if end - begin < FEW_STEPS and -np.min(gaps[begin + 1 : end + 1]) > deep:
                    said.append(
                        f"{component.where} touches for {end - begin} steps at t = {t[begin + 1]:.3g} s, too few to "
                        "follow its force; take a smaller step"
                    )
                    break
            else:
                continue
            break
    return said

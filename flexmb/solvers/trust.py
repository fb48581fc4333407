"""Whether a run that came to its end is about as accurate as was asked.

Two things show it. Components say where they cannot stand for a motion (:meth:`flexmb.Component.doubts`). And the
energy ledger, whose balance no method enforces: its error is held against what a method promises by its tolerance. An
error of energy is one of the motion, or the loss of vibration that is too fast for the steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.model.components import gap_history
from flexmb.results.solution import Solution
from flexmb.results.sources import Epoch, SystemSource
from flexmb.solvers.at_times import AtTimes
from flexmb.solvers.run import Run
from flexmb.system.doubts import component_doubts, force_doubts
from flexmb.system.system import System

#: allowed error of the energy balance at default tolerances, and its bounds, as parts of the energy exchanged
AT_DEFAULTS, LEAST, LARGEST = 0.01, 2e-3, 0.1
#: allowed error of the energy balance of fixed steps, as a part of the energy exchanged
FIXED_STEPS = 0.02
#: Default tolerances of the methods that control their error. The allowed error of their energy balance grows with the
#: tolerance to the power ⅔, as the error of a method of second order does, between bounds: between the long steps of a
#: method of high order, the ledger itself is no more accurate.
DEFAULTS = {
    "generalized_alpha": ("tolerance", 1e-4),
    "radau": ("tolerance", 1e-6),
    "independent": ("rtol", 1e-7),
    "baumgarte": ("rtol", 1e-8),
    "projection": ("rtol", 1e-8),
    "dop853": ("tolerance", 1e-6),
    "rkf45": ("tolerance", 1e-6),
}
#: a touch takes at least so many fixed steps; steps of a run in which touches are looked for
FEW_STEPS, MOST_STEPS = 4, 20_000
#: Radians a step beyond which Radau IIA of order 5 damps an undamped vibration: there by 2 % each, at twice as many by
#: 28 %, at 30 by 90 %, from (1 + 2z/5 + z²/20)/(1 − 3z/5 + 3z²/20 − z³/60) of z = iωh.
DAMPED = 2.4
#: the error of fixed steps that is doubted, in model lengths and radians
ERROR = 1e-2
#: Rounding is told where it may have left more than so many times the tolerance. Its estimate is that of errors of
#: speeds that go on until the end, while vibration turns most of them back.
ROUNDED = 15.0


def promised_balance(method: str, options: dict[str, Any]) -> float:
    """The error of the energy balance, as a part of the energy exchanged, up to which no run warns.

    >>> promised_balance("generalized_alpha", {}), promised_balance("generalized_alpha", {"step": 1e-3})
    (0.01, 0.02)
    """
    if method not in DEFAULTS or options.get("step"):
        return FIXED_STEPS
    name, usual = DEFAULTS[method]
    tolerance = options.get(name) or usual
    return float(min(max(AT_DEFAULTS * (tolerance / usual) ** (2.0 / 3.0), LEAST), LARGEST))


def _damped(method: str, t: np.ndarray) -> str:
    """Which vibration `radau` damps in steps between such times."""
    if method != "radau" or len(t) < 2:
        return ""
    h = float(np.median(np.diff(t)))
    return f" (in steps of {h:.2g} s 'radau' damps what is faster than about {DAMPED / h:.2g} rad/s)"


def doubts(run: Run, solution: Solution, options: dict[str, Any]) -> list[str]:
    """Why the motion of a run may be wrong, a sentence each."""
    if run.history.entered < 2:
        return []
    method, history = run.statistics.method, run.history
    promised = promised_balance(method, options)
    if isinstance(history, AtTimes):
        t, q = history.some_steps
        error, exchanged = history.error(), history.balance.exchanged
    else:
        t, q = solution.t, solution.q
        assert isinstance(solution.source, SystemSource)
        # A few instants cost little to check; only if they look bad is the whole ledger computed.
        error, exchanged = solution.source.estimated_error(solution, promised), 0.0
        if not error <= promised:
            error, exchanged = solution.energy.error, solution.energy.exchanged
    when = "t = {:.3g} s"
    said = _of_components(history.epochs, q, when, t)
    said += [*run.doubts, *run.events.doubts]
    said += force_doubts(run.system, lambda: solution.multipliers, when, solution.t)
    if not isinstance(history, AtTimes) and len(t) > run.statistics.steps:
        said += short_touches(run.system, t, q)
    if error > promised:
        damped = "" if isinstance(history, AtTimes) else _damped(method, t)
        smaller = "step" if options.get("step") else DEFAULTS[method][0]
        sparse = ", or keep more steps than save_every does, between which work is summed up"
        sparse = sparse if options.get("save_every", 1) > 1 else ""
        said.append(
            f"its energy balance is off by {error:.2g} of the {exchanged:.3g} J that "
            f"were exchanged (up to {promised:.1g} is usual here): the motion is not followed, or vibration in it is "
            f"too fast for the steps{damped}; take a smaller {smaller}{sparse}"
        )
    name, usual = DEFAULTS.get(method, ("", np.inf))
    wanted = np.inf if options.get("step") else options.get(name) or usual
    rounding = run.statistics.rounding_error
    if rounding > ROUNDED * wanted:
        other = "" if method == "dop853" else ", method 'dop853' may"
        said.append(
            f"rounding may have left an error of {rounding:.1g} of the model's length, or radians, "
            f"where {name}={wanted:g} was asked for: short steps magnify it, and singular positions; a smaller {name} "
            f"makes it no better{other}"
        )
    if run.statistics.estimated_error > ERROR:
        said.append(
            f"the estimated error of its motion is up to {run.statistics.estimated_error:.2g} of the model's length, "
            "or radians; take a smaller step"
        )
    return said


def _of_components(epochs: list[Epoch], q: np.ndarray, when: str, t: np.ndarray) -> list[str]:
    """What components doubt of positions q (k, nq) at times t (k,) while they take part; each only once."""
    if len(epochs) == 1:
        return component_doubts(epochs[0].system, q, when, t)
    said: dict[str, str] = {}
    for epoch, end in zip(epochs, [*(x.t for x in epochs[1:]), np.inf]):
        there = (t >= epoch.t) & (t <= end)
        for text in component_doubts(epoch.system, q[there], when, t[there]) if there.any() else ():
            said.setdefault(text.rpartition(", from ")[0], text)
    return list(said.values())


def short_touches(system: System, t: np.ndarray, q: np.ndarray) -> list[str]:
    """Contacts and stops that touch for too few of equal steps, a sentence each; q (k, nq)."""
    if not any(component.touches for component in system.model.components.values()):
        return []
    steps = np.diff(t)[:-1]
    if not len(steps) or np.ptp(steps) > 1e-6 * steps[0]:
        return []  # steps that follow their error end at each touch
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

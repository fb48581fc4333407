"""What is tried on a random mechanism, and what may come of it; see :mod:`flexmb.validation.fuzz.fuzz`."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

import flexmb as fm
from flexmb.results.sources import SystemSource
from flexmb.solvers.start.initial_state import initial_state
from flexmb.solvers.trust import promised_balance
from flexmb.validation.fuzz.runs import DEFAULT, RunChoice, random_choices
from flexmb.validation.random_mechanisms.making import Mechanism
from flexmb.validation.random_mechanisms.mechanisms import PAIRS, mechanism

#: the largest difference of two methods at the end, of positions in lengths of the mechanism, of angles in radians
AGREEMENT = 1e-3
#: one task gets a Ctrl-C after so many seconds, and its process is killed after so many more [s]
PATIENCE, GRACE = 10.0, 50.0
#: the largest difference of a run and its file between the steps, in lengths of the mechanism, at least a meter
BETWEEN = 1e-9
#: a disturbance that is larger than all these tolerances, and small against the motion
DISTURBANCE = 1e-7


#: a task: what it does, and what comes of it
Work = Callable[[], tuple[str, str]]


def tasks(seed: int, number: int) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on the mechanisms of a number, with their names: on one in the plane, on one in space
    or, for each fourth number, on knife edges, and on one with pairs of features in the plane and one in space."""
    yield from tasks_in_the_plane(seed, number)
    yield from tasks_in_space(seed, number)
    for kind in PAIRS:
        yield from tasks_on_pairs(seed, number, kind)


def tasks_in_space(seed: int, number: int) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on a mechanism in space or on knife edges."""
    kind = "skates" if number % 4 == 0 else "space"
    rng = np.random.default_rng([seed, number, 5])
    method = str(rng.choice(["independent", "projection", "baumgarte"]))
    span, steps = rng.uniform(0.3, 1.5), 10.0 ** rng.uniform(0.5, 3.5)
    fixed = str(rng.choice(["generalized_alpha", "rkf45"]))
    # nothing is at rest, and has no modes, on knife edges
    other = str(rng.choice(["fixed steps", "file", "wrong argument", *(["equilibrium", "modes"] * (kind == "space"))]))

    def fresh() -> Mechanism:
        return mechanism(seed, number, kind)

    yield f"{kind}, {method}", lambda: compare_runs(fresh, span, DEFAULT, RunChoice(method))
    yield (
        f"{kind}, {other}",
        _others(fresh, span, fixed, steps, lambda: mechanism(seed, number, kind, wrong=True))[other],
    )


def tasks_in_the_plane(seed: int, number: int) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on a mechanism in the plane."""
    rng = np.random.default_rng([seed, number, 2])
    try:
        has_beams = any(hasattr(c, "at") for c in mechanism(seed, number).model.components.values())
    except fm.FlexmbError:  # the first task will report the error
        has_beams = False
    # methods that resolve every vibration of a beam take long, so beams get them less often
    methods = ["independent", "projection", "baumgarte", "generalized_alpha"]
    method = str(rng.choice(methods, p=[0.2, 0.05, 0.05, 0.7] if has_beams else [0.4, 0.3, 0.3, 0.0]))
    span = rng.uniform(0.3, 1.5) * (30.0 if rng.random() < 0.02 else 1.0)
    steps = 10.0 ** rng.uniform(0.5, 3.5)
    fixed = str(rng.choice(["generalized_alpha", "rkf45"]))
    other = str(rng.choice(["fixed steps", "equilibrium", "modes", "file", "wrong argument"]))

    def fresh() -> Mechanism:
        return mechanism(seed, number)

    yield f"against {method}", lambda: compare_runs(fresh, span, DEFAULT, RunChoice(method))
    work = _others(fresh, span, fixed, steps, lambda: mechanism(seed, number, wrong=True))
    yield f"{other}, rkf45" if (other, fixed) == ("fixed steps", "rkf45") else other, work[other]


def tasks_on_pairs(seed: int, number: int, kind: str) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on a mechanism with pairs of features: a run in absolute coordinates against one in
    joint coordinates or by another method, and one that is interrupted and goes on, or a file."""
    rng = np.random.default_rng([seed, number, 11 + PAIRS.index(kind)])
    span = rng.uniform(0.2, 0.8)

    def fresh() -> Mechanism:
        return mechanism(seed, number, kind)

    m = fresh()
    first, second, whole, parts = random_choices(rng, m.controlled, m.stiff)
    yield f"{kind}, {second.about}", lambda: compare_runs(fresh, span, first, second)
    if rng.random() < 0.5:
        yield f"{kind}, {parts.about}", lambda: compare_runs(fresh, span, whole, parts)
    else:
        yield f"{kind}, file", lambda: save_and_load(fresh(), span, whole)


def _others(
    fresh: Callable[[], Mechanism], span: float, fixed: str, steps: float, wrong: Callable[[], Mechanism]
) -> dict[str, Work]:
    """The tasks besides the comparison of two methods."""
    return {
        "fixed steps": lambda: fixed_step(fresh(), span, fixed, steps),
        "equilibrium": lambda: find_equilibrium(fresh()),
        "modes": lambda: small_motions(fresh()),
        "file": lambda: save_and_load(fresh(), span),
        "wrong argument": lambda: wrong_argument(wrong()),
    }


def verdict(run: fm.Solution, method: str, options: dict[str, Any]) -> tuple[str, str]:
    """What a run states of itself, and whether that is right."""
    if run.status == "interrupted":
        return "stopped by the clock", run.message
    if run.status != "finished":
        return run.status, run.message
    if not run.trustworthy:
        return "doubted", "; ".join(run.doubts)
    if not (np.isfinite(run.q).all() and np.isfinite(run.v).all()):
        return "not finite", ""
    if run.energy.error > promised_balance(method, options):
        return "off balance", f"{run.energy.error:.2g} of {run.energy.exchanged:.2g} J"
    return "right", ""


def compare_runs(fresh: Callable[[], Mechanism], span: float, first: RunChoice, second: RunChoice) -> tuple[str, str]:
    """Compare two runs of the same motion."""
    m = fresh()
    end = span * m.time
    one = first.run(m.model, end)
    outcome, text = verdict(one, first.method, first.options)
    if outcome != "right" or (m.controlled and not second.samples):
        return outcome, text
    if m.free and momentum_lost(one, m.length) > AGREEMENT:
        return "momentum lost", f"{momentum_lost(one, m.length):.2g} of what its energy may have"
    other = second.run(fresh().model, end)
    outcome, text = verdict(other, second.method, second.options)
    if outcome != "right":
        return f"{outcome} by the second", text
    away = largest_difference(one, other, m.length)
    if away <= AGREEMENT:
        return "right", ""
    with interrupted(PATIENCE / 2):
        return reason_of_difference(fresh, end, (first, one), (second, other), away)


def reason_of_difference(
    fresh: Callable[[], Mechanism],
    end: float,
    first: tuple[RunChoice, fm.Solution],
    second: tuple[RunChoice, fm.Solution],
    away: float,
) -> tuple[str, str]:
    """Find out why two runs disagree: by their tolerances, or since the motion magnifies small disturbances."""
    length, time = fresh().length, fresh().time
    text = f"{first[0]} and {second[0]} are {away:.2g} apart"
    tight = [choice.run(fresh().model, end, tight=True) for choice, _ in (first, second)]
    if any(run.status != "finished" for run in tight):
        return "disagree, not resolved in time", text
    own = [largest_difference(run, best, length) for (_, run), best in zip((first, second), tight)]
    left = largest_difference(tight[0], tight[1], length)
    text += f", {left:.2g} when tight, which are {own[0]:.2g} and {own[1]:.2g} from those"
    if left <= AGREEMENT:
        return "agree when tighter", text
    state = initial_state(fresh().model)
    turning = state.system.rigid_motions(state.q)[-1]
    touched = replace(state, v=state.v + DISTURBANCE / time * turning)
    disturbed = first[0].run(touched.model, end, tight=True, start=touched)
    if disturbed.status != "finished":
        return "disagree, not resolved in time", text
    grown = largest_difference(tight[0], disturbed, length)
    if grown > 1e3 * DISTURBANCE:
        return "chaotic", f"{text}; a disturbance of {DISTURBANCE:g} grows to {grown:.2g}"
    return "disagree", text


@contextmanager
def interrupted(after: float) -> Iterator[None]:
    """Send a Ctrl-C if what stands in the `with` block takes longer than `after` [s]."""
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def largest_difference(one: fm.Solution, other: fm.Solution, length: float) -> float:
    """The largest difference of coordinates at the end, in lengths of the mechanism and radians."""
    if one.status != "finished" or other.status != "finished":
        return float("inf")
    system = cast(SystemSource, one.source).system
    turned = np.array([kind != "length" for kind in one.layout.kinds])
    away = np.abs(system.difference(one.at(other.t[-1]).q[-1], other.q[-1]))
    return float(np.max(np.where(turned, away, away / length), initial=0.0))


def momentum_lost(run: fm.Solution, length: float) -> float:
    """The largest change of the momentum of a run from its start to its end, linear and angular, as a part of what its
    kinetic energy may have: √(2 E m), and that times a length."""
    system = cast(SystemSource, run.source).system
    ends = [system.momentum(float(run.t[k]), run.q[k], run.v[k]) for k in (0, -1)]
    Z = system.rigid_motions(run.q[0])
    mass = float(Z[0] @ system.mass_matrix(float(run.t[0]), run.q[0]) @ Z[0])
    most = np.sqrt(2.0 * max(float(np.max(run.energy.kinetic)), 1e-300) * mass)
    change = np.abs(ends[1] - ends[0]) / most
    return float(max(np.max(change[:3]), np.max(change[3:]) / length))


def fixed_step(m: Mechanism, span: float, method: str, steps: float) -> tuple[str, str]:
    """Do a run with fixed steps of any size."""
    options: dict[str, Any] = {"step": m.time / steps}
    if m.controlled and method != "generalized_alpha":
        return "right", "controllers run in generalized_alpha"
    return verdict(RunChoice(method, options).run(m.model, span * m.time), method, options)


def find_equilibrium(m: Mechanism) -> tuple[str, str]:
    """Find an equilibrium, and check that the mechanism does not move from it."""
    state = fm.equilibrium(m.model, controllers="held")
    if any(c.is_drive or isinstance(c, fm.planar.PointForce) for c in m.model.components.values()):
        return "right", "loads go on to change"
    for controller in m.model.controllers.values():
        controller.limits[:] = 0.0
    run = fm.simulate(m.model, 0.1 * m.time, initial=state, progress=False)
    if run.status == "interrupted":
        return "stopped by the clock", run.message
    if run.status != "finished":
        return "moves off", run.message
    moved = float(np.max(np.abs(run.q - run.q[0]), initial=0.0)) / min(m.length, 1.0)
    return ("right", "") if moved <= 1e-5 else ("moves off", f"by {moved:.2g} in a tenth of its time")


def small_motions(m: Mechanism) -> tuple[str, str]:
    """Compare modes about an equilibrium with its stability and with the poles of another analysis."""
    state = fm.equilibrium(m.model, controllers="held")
    plain = fm.modes(state, controllers="held")
    damped = fm.complex_modes(state, controllers="held")
    if state.stable and not plain.stable:
        return "disagree", "the equilibrium is stable, its modes are not"
    if state.stable and not damped.stable:
        return "disagree", "the equilibrium is stable, its damped modes are not"
    for values in (plain.omega_squared, damped.eigenvalues):
        if not np.isfinite(values).all():
            return "not finite", ""
    return "right", ""


def save_and_load(m: Mechanism, span: float, choice: RunChoice = DEFAULT) -> tuple[str, str]:
    """Save a run to a file, load it, and compare the two, between the steps too."""
    run = choice.run(m.model, span * m.time)
    if run.status == "interrupted":
        return "stopped by the clock", run.message
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.h5")
        back = fm.load(Path(folder) / "run.h5")
    same = np.array_equal(run.q, back.q) and np.array_equal(run.v, back.v) and run.status == back.status
    if not (same and np.array_equal(run.energy.total, back.energy.total)):
        return "file differs", str(choice)
    inside = run.t[0] + (run.t[-1] - run.t[0]) * np.sort(np.random.default_rng(0).uniform(size=50))
    here, there = run.at(inside), back.at(inside)
    apart = float(np.max(np.abs(here.q - there.q) / max(1.0, m.length), initial=0.0))
    if apart > BETWEEN:
        return "file differs", f"{choice}: by {apart:.2g} between the steps"
    return "right", ""


def wrong_argument(m: Mechanism) -> tuple[str, str]:
    """A mechanism of which one argument has a senseless value: there must be an error message, or a right run."""
    run = fm.simulate(m.model, 0.3 * m.time, step=m.time / 100.0, progress=False)
    return verdict(run, "generalized_alpha", {"step": 1.0})

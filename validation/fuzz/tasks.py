"""What is tried on a random mechanism, and what may come of it; see :mod:`flexmb.validation.fuzz.fuzz`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.results.sources import SystemSource
from flexmb.solvers.binding.initial_state import initial_state
from flexmb.solvers.trust import promised_balance
from flexmb.validation.flexible_one_number import ROUGH
from flexmb.validation.fuzz.asked import everything, frames_of
from flexmb.validation.fuzz.clock import limited
from flexmb.validation.fuzz.runs import DEFAULT, RunChoice, random_choices
from flexmb.validation.random_mechanisms.making import Mechanism
from flexmb.validation.random_mechanisms.mechanisms import DRAWN, mechanism

#: the largest difference of two methods at the end, of positions in lengths of the mechanism, of angles in radians
AGREEMENT = 1e-3
#: one task gets a Ctrl-C after so many seconds of its own computing, and its process ends after so many more [s]
PATIENCE, GRACE = 10.0, 50.0
#: the largest difference of accelerations by two formulations, as a part of the largest
SAME_NUMBER = 1e-6
#: the largest difference of a run and its file between the steps, in lengths of the mechanism, at least a meter
BETWEEN = 1e-9
#: a disturbance that is larger than all these tolerances, and small against the motion
DISTURBANCE = 1e-7


#: a task: what it does, and what comes of it
Work = Callable[[], tuple[str, str]]


def tasks(seed: int, number: int) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on the mechanisms of a number, with their names: on those that are drawn from the
    registries, and for each fourth number on a chain in the plane, and one in space or on knife edges."""
    for kind in DRAWN:
        yield from tasks_from_registries(seed, number, kind)
    if number % 4 == 0:
        yield from tasks_in_the_plane(seed, number)
        yield from tasks_in_space(seed, number)


def tasks_in_space(seed: int, number: int) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on a mechanism in space or on knife edges."""
    kind = "skates" if number % 16 == 0 else "space"
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


def tasks_from_registries(seed: int, number: int, kind: str) -> Iterator[tuple[str, Work]]:
    """The tasks that are tried on a mechanism drawn from the registries: its accelerations by all formulations; a run
    against one in joint coordinates or by another method; and two of: a run that is interrupted and goes on, its file,
    the same mechanism elsewhere and turned, and in other units."""
    rng = np.random.default_rng([seed, number, 11, DRAWN[kind]])
    span = rng.uniform(0.2, 0.8)

    def fresh(**more: Any) -> Mechanism:
        return mechanism(seed, number, kind, **more)

    def in_world(change: str) -> Callable[[], Mechanism]:
        return lambda: fresh(world=getattr(m.world, change)(np.random.default_rng([seed, number, 13])))

    if number % 3 == 0:
        yield f"{kind}, accelerations", lambda: accelerations(fresh(bare=True), rng)
    try:
        m = fresh()
    except Exception as error:
        why = error  # told by the task
        yield f"{kind}, drawing", lambda: _raised(why)
        return
    first, second, whole, parts = random_choices(rng, m.stiff)
    yield f"{kind}, {second.about}", lambda: compare_runs(fresh, span, first, second)
    judges: dict[str, Work] = {
        parts.about: lambda: compare_runs(fresh, span, whole, parts),
        "file": lambda: save_and_load(fresh(), span, whole),
        "turned": lambda: compare_runs(fresh, span, DEFAULT, DEFAULT, in_world("elsewhere")),
        "units": lambda: compare_runs(fresh, span, DEFAULT, DEFAULT, in_world("in_other_units")),
    }
    for judge in rng.choice(list(judges), 2, replace=False):
        yield f"{kind}, {judge}", judges[str(judge)]


def _raised(error: Exception) -> tuple[str, str]:
    raise error


def accelerations(m: Mechanism, rng: np.random.Generator) -> tuple[str, str]:
    """Compare the accelerations by all formulations that take a mechanism, at its start with speeds and drives of
    chance, with one another; and the drives that inverse dynamics finds for them."""
    tree = fm.Tree.of(m.model)
    names = [name for name in fm.formulations_of(tree).taken if name not in ROUGH or not len(tree.nodes.inner)]
    x, u = tree.start()
    u = rng.uniform(-1.0, 1.0, tree.nv) / m.time
    if tree.chords:
        x, u = fm.Loops(tree).closed(x, u)
    tau = rng.uniform(-1.0, 1.0, tree.nv) * m.world.torque
    found: dict[str, np.ndarray] = {}
    refused = []
    for name in names:
        try:
            found[name] = fm.formulation(tree, name)(x, u, tau)
        except fm.FlexmbError as error:
            refused.append(f"{name}: {error}")
    if not found:
        raise fm.errors.FormulationError("; ".join(refused) or "no formulation takes it")
    first = next(iter(found))
    size = float(np.max(np.abs(found[first]), initial=0.0)) + 1e-300
    for name, a in found.items():
        off = float(np.max(np.abs(a - found[first]), initial=0.0)) / size
        if not off <= SAME_NUMBER:
            return "disagree", f"accelerations by {name} and {first} differ by {off:.2g} of their size"
    if "aba" in found:
        dynamics, a = fm.TreeDynamics(tree), found["aba"]
        size = m.world.torque + float(np.max(np.abs(dynamics.mass_matrix(x)) @ np.abs(a), initial=0.0))
        off = float(np.max(np.abs(dynamics.drives(x, u, a) - tau), initial=0.0)) / size
        if not off <= SAME_NUMBER:
            return "disagree", f"drives for the accelerations by aba differ by {off:.2g} of the forces of inertia"
    return "right", ", ".join(found)


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


def compare_runs(
    fresh: Callable[[], Mechanism],
    span: float,
    first: RunChoice,
    second: RunChoice,
    elsewhere: Callable[[], Mechanism] | None = None,
) -> tuple[str, str]:
    """Compare two runs of the same motion, the second of the mechanism as it is expressed `elsewhere`."""
    m, other_m = fresh(), (elsewhere or fresh)()
    one = first.run(m.model, span * m.time)
    outcome, text = verdict(one, first.method, first.options)
    if outcome != "right":
        return outcome, text
    if m.free and momentum_lost(one, m.length) > AGREEMENT:
        return "momentum lost", f"{momentum_lost(one, m.length):.2g} of what its energy may have"
    other = second.run(other_m.model, span * other_m.time)
    outcome, text = verdict(other, second.method, second.options)
    if outcome != "right":
        return f"{outcome} by the second", text
    away = largest_difference(one, other, m, other_m)
    if away <= AGREEMENT:
        return "right", ""
    with limited(PATIENCE / 2):
        return reason_of_difference((fresh, elsewhere or fresh), span, (first, one), (second, other), away)


def reason_of_difference(
    fresh: tuple[Callable[[], Mechanism], Callable[[], Mechanism]],
    span: float,
    first: tuple[RunChoice, fm.Solution],
    second: tuple[RunChoice, fm.Solution],
    away: float,
) -> tuple[str, str]:
    """Find out why two runs disagree: by their tolerances, or since the motion magnifies small disturbances."""
    both = [make() for make in fresh]
    ends = [span * m.time for m in both]
    text = f"{first[0]} and {second[0]} are {away:.2g} apart"
    tight = [choice.run(m.model, end, tight=True) for m, end, (choice, _) in zip(both, ends, (first, second))]
    if any(run.status != "finished" for run in tight):
        return "disagree, not resolved in time", text
    own = [largest_difference(run, best, m, m) for (_, run), best, m in zip((first, second), tight, both)]
    left = largest_difference(tight[0], tight[1], both[0], both[1])
    text += f", {left:.2g} when tight, which are {own[0]:.2g} and {own[1]:.2g} from those"
    if left <= AGREEMENT:
        return "agree when tighter", text
    m = fresh[0]()
    state = initial_state(m.model)
    turning = state.system.rigid_motions(state.q)[-1]
    touched = replace(state, v=state.v + DISTURBANCE / m.time * turning)
    disturbed = first[0].run(touched.model, ends[0], tight=True, start=touched)
    if disturbed.status != "finished":
        return "disagree, not resolved in time", text
    grown = largest_difference(tight[0], disturbed, m, m)
    if grown > 1e3 * DISTURBANCE:
        return "chaotic", f"{text}; a disturbance of {DISTURBANCE:g} grows to {grown:.2g}"
    return "disagree", text


def largest_difference(one: fm.Solution, other: fm.Solution, m: Mechanism, other_m: Mechanism) -> float:
    """The largest difference at the end of two runs, in lengths of the mechanism and radians: of coordinates, or of
    places and orientations of frames if it is expressed in two worlds."""
    if one.status != "finished" or other.status != "finished":
        return float("inf")
    if m.world is not None and not m.world.same(other_m.world):
        here, there = in_own_axes(one, m), in_own_axes(other, other_m)
        return max((float(np.max(np.abs(here[name] - there[name]))) for name in here), default=0.0)
    system = cast(SystemSource, one.source).system
    turned = np.array([kind != "length" for kind in one.layout.kinds])
    away = np.abs(system.difference(one.at(other.t[-1]).q[-1], other.q[-1]))
    return float(np.max(np.where(turned, away, away / m.length), initial=0.0))


def in_own_axes(run: fm.Solution, m: Mechanism) -> dict[str, np.ndarray]:
    """Places and orientations of all frames at the end of a run, in the axes and lengths of the mechanism."""
    found: dict[str, np.ndarray] = {}
    for name in set(frames_of(run)) - {"ground"}:
        track = run.track(name)
        found[name] = m.world.back(track.position[-1])
        d = m.model.dimension
        turned = track.orientation[-1] if d == 3 else Rotation.from_euler("z", track.angle[-1])
        found[f"{name}, axes"] = m.world.axes.T @ turned.as_matrix()[:d, :d]
    return found


def momentum_lost(run: fm.Solution, length: float) -> float:
    """The largest change of the momentum of a run from its start to its end, linear and angular, as a part of what its
    kinetic energy may have: √(2 E m), and that times a length."""
    system = cast(SystemSource, run.source).system
    ends = [system.momentum(float(run.t[k]), run.q[k], run.v[k]) for k in (0, -1)]
    Z = system.rigid_motions(run.q[0])
    mass = float(Z[0] @ system.mass_matrix(float(run.t[0]), run.q[0]) @ Z[0])
    most = np.sqrt(2.0 * max(float(np.max(run.energy.kinetic)), 1e-300) * mass)
    change = np.abs(ends[1] - ends[0]) / most
    d = run.layout.dimension
    return float(max(np.max(change[:d]), np.max(change[d:]) / length))


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
    """Save a run to a file, load it, and compare all that can be asked by name, and the motion between the steps."""
    run = choice.run(m.model, span * m.time)
    if run.status == "interrupted":
        return "stopped by the clock", run.message
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.h5")
        back = fm.load(Path(folder) / "run.h5")
    same = np.array_equal(run.q, back.q) and np.array_equal(run.v, back.v) and run.status == back.status
    if not (same and run.doubts == back.doubts):
        return "file differs", str(choice)
    if frames_of(run) != frames_of(back) or run.layout.joints() != back.layout.joints():
        return "file differs", f"{choice}: by its names"
    before, after = everything(run), everything(back)
    for name, value in before.items():
        there = after[name]
        refused = isinstance(value, str), isinstance(there, str)  # a file may refuse it for another reason
        if refused[0] != refused[1] or not (refused[0] or np.allclose(value, there, 1e-9, 1e-12, equal_nan=True)):
            return "file differs", f"{choice}: by {name}: {str(value)[:80]} / {str(there)[:80]}"
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

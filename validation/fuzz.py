"""Random mechanisms through every analysis: what a user may rely on, whatever he builds.

Each mechanism (:mod:`flexmb.validation.random_mechanisms`) is simulated with default settings by two methods, which
must agree to :data:`AGREEMENT` of its length, or it must be seen why they do not; then something else is tried on it:
fixed steps, an equilibrium, modes, a file, a wrong argument. Of all that comes, these are faults:

- an exception that is none of flexmb's own,
- a process that dies, or that Ctrl-C does not stop,
- a run that is `finished` and `trustworthy` although its energy balance is off by more than its method promises, or
  that holds NaN,
- methods that disagree though neither doubts its result, their tolerances are good enough, and the motion is not one
  that any disturbance changes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.solvers.simulate import METHODS
from flexmb.solvers.trust import promised_balance
from flexmb.validation.random_mechanisms import Mechanism, mechanism

#: how far apart places may be at the end, by two methods, in lengths of the mechanism; also angles [rad]
AGREEMENT = 1e-3
#: Ctrl-C is pressed after so many seconds of one task, and the process given up after so many more
PATIENCE, GRACE = 10.0, 50.0
#: seconds that a process may take before its first task
BEFORE = 600.0
#: tolerances that leave no doubt, and a disturbance that no tolerance sees
TIGHT: dict[str, dict[str, Any]] = {
    "generalized_alpha": {"tolerance": 1e-9},
    "independent": {"rtol": 1e-10, "atol": 1e-12},
    "projection": {"rtol": 1e-11, "atol": 1e-13},
    "baumgarte": {"rtol": 1e-11, "atol": 1e-13},
}
DISTURBANCE = 1e-7

FAULTS = ("raw exception", "died", "hung", "off balance", "not finite", "disagree", "moves off", "file differs")


@dataclass(frozen=True)
class Outcome:
    """What came of one task on one mechanism."""

    number: int
    task: str
    outcome: str
    text: str = ""

    @property
    def fault(self) -> bool:
        """Whether it should not have come."""
        return self.outcome in FAULTS


@dataclass
class Report:
    """The outcomes of all tasks."""

    seed: int
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def faults(self) -> list[Outcome]:
        """Those that should not have come."""
        return [o for o in self.outcomes if o.fault]

    def table(self) -> tuple[list[str], list[str], np.ndarray]:
        """Tasks, outcomes and how often (tasks, outcomes)."""
        count = Counter((o.task, o.outcome) for o in self.outcomes)
        tasks = list(dict.fromkeys(sorted(o.task for o in self.outcomes)))
        seen = {o.outcome for o in self.outcomes}
        kinds = sorted(seen - set(FAULTS)) + [f for f in FAULTS if f in seen]
        return tasks, kinds, np.array([[count[t, k] for k in kinds] for t in tasks]).reshape(len(tasks), len(kinds))


def fuzz(
    count: int, seed: int = 0, first: int = 0, workers: int | None = None, progress: Callable[[int], None] | None = None
) -> Report:
    """Try `count` mechanisms of a seed, from number `first` on, in processes of their own. After Ctrl-C the report is
    of those that were done."""
    context = multiprocessing.get_context("spawn")
    report = Report(seed)
    waiting = iter(range(first, first + count))
    pool = [_Worker(context, seed) for _ in range(min(count, workers or os.cpu_count() or 1))]
    try:
        for worker in pool:
            worker.give(next(waiting, None))
        while any(worker.busy for worker in pool):
            busy = [worker for worker in pool if worker.busy]
            wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                report.outcomes += worker.take()
                if worker.busy:
                    continue
                if progress:
                    progress(1)
                worker.give(next(waiting, None))
    except KeyboardInterrupt:  # what came until then is told
        pass
    finally:
        for worker in pool:
            worker.end()
    report.outcomes.sort(key=lambda o: o.number)
    return report


class _Worker:
    """A process that tries one mechanism after the other."""

    def __init__(self, context: Any, seed: int) -> None:
        self.context, self.seed = context, seed
        self.number: int | None = None
        self._start()

    def _start(self) -> None:
        self.pipe, other = self.context.Pipe()
        self.process = self.context.Process(target=_work, args=(other, self.seed), daemon=True)
        self.process.start()
        other.close()
        self.heard = time.monotonic() + BEFORE  # kernels may be compiled first

    @property
    def busy(self) -> bool:
        return self.number is not None

    def give(self, number: int | None) -> None:
        self.number, self.task, self.heard = number, "start", max(self.heard, time.monotonic())
        if number is not None:
            self.pipe.send(number)

    def take(self) -> list[Outcome]:
        """What has come since."""
        found: list[Outcome] = []
        number = self.number
        assert number is not None
        try:
            while self.pipe.poll():
                said = self.pipe.recv()
                self.heard = time.monotonic()
                if said is None:
                    self.number = None
                elif isinstance(said, str):
                    self.task = said
                else:
                    found.append(said)
        except (EOFError, OSError):
            self.process.join()
            found.append(Outcome(number, self.task, "died", f"exit code {self.process.exitcode}"))
            self.number = None
            self._start()
        if self.number is not None and time.monotonic() - self.heard > PATIENCE + GRACE:
            self.process.kill()
            self.process.join()
            found.append(Outcome(number, self.task, "hung", f"no end after {PATIENCE + GRACE:g} s"))
            self.number = None
            self._start()
        return found

    def end(self) -> None:
        self.process.kill()
        self.process.join()


def _work(pipe: Connection, seed: int) -> None:
    """Try the mechanisms whose numbers come, and say what comes of them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)  # compiled solvers print warnings of their own
    _compile()
    while True:
        number = pipe.recv()
        for task, work in tasks(seed, number):
            pipe.send(task)
            pipe.send(attempt(number, task, work))
        pipe.send(None)


def _compile() -> None:
    """Compile kernels before any clock runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wheel = fm.PlanarModel("wheel")
        body = wheel.add_body("body", mass=1.0, inertia=1.0)
        wheel.revolute(wheel.ground, body.frame)
        wheel.torsion_spring(wheel.ground, body.frame, stiffness=1.0)
        wheel.python_force(body.frame, lambda t, x, v: (0.0, 0.0, 0.0))
        for method in METHODS:
            fm.simulate(wheel, 1e-3, method, progress=False)
        fm.modes(fm.equilibrium(wheel))
        wheel.point_torque(body.frame, 0.0, name="torque")
        rate = fm.JointRate(wheel.ground, body.frame)
        for law in ([[-1.0]], fm.PythonLaw(lambda t, y: -y)):
            wheel.controllers.clear()
            wheel.add_controller("brake", period=1e-4, sensors=[rate], commands="torque", law=law)
            fm.simulate(wheel, 1e-3, progress=False)


def attempt(number: int, task: str, work: Callable[[], tuple[str, str]]) -> Outcome:
    """Do a task; Ctrl-C is pressed when it takes too long."""
    timer = threading.Timer(PATIENCE, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outcome, text = work()
    except KeyboardInterrupt:
        outcome, text = "stopped by the clock", ""
    except fm.FlexmbError as error:
        outcome, text = "refused", f"{type(error).__name__}: {error}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome, text = "raw exception", f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
    finally:
        timer.cancel()
    return Outcome(number, task, outcome, text)


# -- tasks ----------------------------------------------------------------------------------------------------------


def tasks(seed: int, number: int) -> Iterator[tuple[str, Callable[[], tuple[str, str]]]]:
    """What is tried on a mechanism, by names."""
    rng = np.random.default_rng([seed, number, 2])
    try:
        has_beams = any(hasattr(c, "at") for c in mechanism(seed, number).model.components.values())
    except fm.FlexmbError:  # the first task will tell
        has_beams = False
    # those that follow every vibration of a beam take long where it has fast ones
    methods = ["independent", "projection", "baumgarte", "generalized_alpha"]
    method = str(rng.choice(methods, p=[0.2, 0.05, 0.05, 0.7] if has_beams else [0.4, 0.3, 0.3, 0.0]))
    span = rng.uniform(0.3, 1.5) * (30.0 if rng.random() < 0.02 else 1.0)
    steps = 10.0 ** rng.uniform(0.5, 3.5)
    fixed = str(rng.choice(["generalized_alpha", "rkf45"]))
    other = str(rng.choice(["fixed step", "equilibrium", "modes", "file", "wrong argument"]))

    def fresh() -> Mechanism:
        return mechanism(seed, number)

    other_way = "itself, tighter" if method == "generalized_alpha" else method
    yield f"against {other_way}", lambda: compare(fresh, span, method)
    if other == "fixed step":
        yield "fixed steps" + (", rkf45" if fixed == "rkf45" else ""), lambda: fixed_step(fresh(), span, fixed, steps)
    elif other == "equilibrium":
        yield other, lambda: rest(fresh())
    elif other == "modes":
        yield other, lambda: small_motions(fresh())
    elif other == "file":
        yield other, lambda: kept(fresh(), span)
    else:
        yield other, lambda: wrong(seed, number)


def judged(run: fm.Solution, method: str, options: dict[str, Any]) -> tuple[str, str]:
    """What a run says of itself, and whether that can be."""
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


def compare(fresh: Callable[[], Mechanism], span: float, method: str) -> tuple[str, str]:
    """Two methods with their default settings on the same motion."""
    m = fresh()
    first = fm.simulate(m.model, span * m.time, progress=False)
    found = judged(first, "generalized_alpha", {})
    if found[0] != "right" or m.controlled:
        return found
    options: dict[str, Any] = {"tolerance": 1e-8, "spectral_radius": 0.5} if method == "generalized_alpha" else {}
    second = fm.simulate(fresh().model, span * m.time, method, progress=False, **options)
    found = judged(second, method, options)
    if found[0] != "right":
        return f"{found[0]} by the second", found[1]
    away = apart(first, second, m.length)
    if away <= AGREEMENT:
        return "right", ""
    return explained(fresh, span, method, first, second, away)


def explained(
    fresh: Callable[[], Mechanism], span: float, method: str, first: fm.Solution, second: fm.Solution, away: float
) -> tuple[str, str]:
    """Why two methods disagree: their tolerances, or a motion that any disturbance changes."""
    length, end = fresh().length, span * fresh().time
    text = f"{away:.2g} apart"
    with stopped(PATIENCE / 2):
        tight = [fm.simulate(fresh().model, end, k, progress=False, **TIGHT[k]) for k in ("generalized_alpha", method)]
    if any(run.status != "finished" for run in tight):
        return "disagree, not resolved in time", text
    own = [apart(run, best, length) for run, best in zip((first, second), tight)]
    left = apart(tight[0], tight[1], length)
    text += f", {left:.2g} when tight, which are {own[0]:.2g} and {own[1]:.2g} from those"
    if left <= AGREEMENT:
        return "agree when tighter", text
    touched = fresh()
    touched.model.set_rigid_motion(angular_velocity=DISTURBANCE / touched.time)
    plain = fm.simulate(fresh().model, end, progress=False, **TIGHT["generalized_alpha"])
    if plain.status != "finished":
        return "disagree, not resolved in time", text
    other = fm.simulate(touched.model, end, progress=False, **TIGHT["generalized_alpha"])
    grown = apart(plain, other, length)
    if grown > 1e3 * DISTURBANCE:
        return "chaotic", f"{text}; a disturbance of {DISTURBANCE:g} grows to {grown:.2g}"
    return "disagree", text


@contextmanager
def stopped(after: float) -> Iterator[None]:
    """Press Ctrl-C when it takes too long."""
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def apart(one: fm.Solution, other: fm.Solution, length: float) -> float:
    """The largest difference of coordinates at the end, in lengths of the mechanism and radians."""
    if one.status != "finished" or other.status != "finished":
        return float("inf")
    angles = np.array([name.endswith("angle") for name in one.coordinate_names])
    away = np.abs(one.at(other.t[-1]).q[-1] - other.q[-1])
    return float(np.max(np.where(angles, away, away / length), initial=0.0))


def fixed_step(m: Mechanism, span: float, method: str, steps: float) -> tuple[str, str]:
    """A run with fixed steps of any size."""
    options: dict[str, Any] = {"step": m.time / steps}
    if m.controlled and method != "generalized_alpha":
        return "right", "controllers run in generalized_alpha"
    return judged(fm.simulate(m.model, span * m.time, method, progress=False, **options), method, options)


def rest(m: Mechanism) -> tuple[str, str]:
    """An equilibrium, from which the mechanism does not move."""
    found = fm.equilibrium(m.model, controllers="held")
    if any(isinstance(c, fm.DriveAngle | fm.PointForce) for c in m.model.components.values()):
        return "right", "loads go on to change"
    for controller in m.model.controllers.values():
        controller.limits[:] = 0.0
    run = fm.simulate(m.model, 0.1 * m.time, start=found, progress=False)
    if run.status != "finished":
        return "moves off", run.message
    moved = float(np.max(np.abs(run.q - run.q[0]), initial=0.0)) / min(m.length, 1.0)
    return ("right", "") if moved <= 1e-5 else ("moves off", f"by {moved:.2g} in a tenth of its time")


def small_motions(m: Mechanism) -> tuple[str, str]:
    """Modes about an equilibrium, against the poles of another analysis."""
    state = fm.equilibrium(m.model, controllers="held")
    plain = fm.modes(state, controllers="held")
    damped = fm.complex_modes(state, controllers="held")
    if state.stable and not plain.stable:
        return "disagree", "the equilibrium is stable, its modes are not"
    for values in (plain.omega_squared, damped.eigenvalues):
        if not np.isfinite(values).all():
            return "not finite", ""
    return "right", ""


def kept(m: Mechanism, span: float) -> tuple[str, str]:
    """A run, through a file."""
    run = fm.simulate(m.model, span * m.time, progress=False)
    if run.status == "interrupted":
        return "stopped by the clock", run.message
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.h5")
        back = fm.load(Path(folder) / "run.h5")
    same = np.array_equal(run.q, back.q) and np.array_equal(run.v, back.v) and run.status == back.status
    same = same and np.array_equal(run.energy.total, back.energy.total)
    return ("right", "") if same else ("file differs", "")


def wrong(seed: int, number: int) -> tuple[str, str]:
    """A mechanism with an argument that makes no sense: a word about it, or a run."""
    m = mechanism(seed, number, wrong=True)
    run = fm.simulate(m.model, 0.3 * m.time, step=m.time / 100.0, progress=False)
    return judged(run, "generalized_alpha", {"step": 1.0})

"""Random mechanisms through every analysis: a test of what users may rely on, whatever they build.

Each mechanism (:mod:`flexmb.validation.random_mechanisms`) is simulated with default settings by two methods. They must
agree to :data:`AGREEMENT` of its length, or the reason why they do not must be found. Then one more task is tried:
fixed steps, an equilibrium, modes, a file, or a wrong argument. These outcomes are faults:

- an exception that is not one of flexmb's own,
- a process that dies, or that Ctrl-C does not stop,
- a run that is `finished` and `trustworthy` although the error of its energy balance is larger than its method
  promises, or although it holds NaN,
- two methods that disagree although neither doubts its result, their tolerances are small enough, and the motion does
  not magnify small disturbances.
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

#: the largest difference of two methods at the end, of positions in lengths of the mechanism, of angles in radians
AGREEMENT = 1e-3
#: one task gets a Ctrl-C after so many seconds, and its process is killed after so many more [s]
PATIENCE, GRACE = 10.0, 50.0
#: the time that a process may take before its first task [s]
BEFORE = 600.0
#: tolerances that leave no doubt
TIGHT: dict[str, dict[str, Any]] = {
    "generalized_alpha": {"tolerance": 1e-9},
    "independent": {"rtol": 1e-10, "atol": 1e-12},
    "projection": {"rtol": 1e-11, "atol": 1e-13},
    "baumgarte": {"rtol": 1e-11, "atol": 1e-13},
}
#: a disturbance that is larger than all these tolerances, and small against the motion
DISTURBANCE = 1e-7

FAULTS = ("raw exception", "died", "hung", "off balance", "not finite", "disagree", "moves off", "file differs")


@dataclass(frozen=True)
class TaskOutcome:
    """The outcome of one task on one mechanism."""

    number: int
    task: str
    outcome: str
    text: str = ""

    @property
    def fault(self) -> bool:
        """Whether the outcome is a fault."""
        return self.outcome in FAULTS


@dataclass
class FuzzReport:
    """The outcomes of all tasks."""

    seed: int
    outcomes: list[TaskOutcome] = field(default_factory=list)

    @property
    def faults(self) -> list[TaskOutcome]:
        """The outcomes that are faults."""
        return [o for o in self.outcomes if o.fault]

    def table(self) -> tuple[list[str], list[str], np.ndarray]:
        """The names of tasks, the kinds of outcomes, and how often each occurred (tasks, kinds)."""
        count = Counter((o.task, o.outcome) for o in self.outcomes)
        tasks = sorted({o.task for o in self.outcomes})
        occurring = {o.outcome for o in self.outcomes}
        kinds = sorted(occurring - set(FAULTS)) + [f for f in FAULTS if f in occurring]
        return tasks, kinds, np.array([[count[t, k] for k in kinds] for t in tasks]).reshape(len(tasks), len(kinds))


def fuzz(
    count: int, seed: int = 0, first: int = 0, workers: int | None = None, progress: Callable[[int], None] | None = None
) -> FuzzReport:
    """Try `count` mechanisms of a seed, from number `first` on, in processes of their own; stop at Ctrl-C."""
    context = multiprocessing.get_context("spawn")
    report = FuzzReport(seed)
    waiting = iter(range(first, first + count))
    pool = [_Tester(context, seed) for _ in range(min(count, workers or os.cpu_count() or 1))]
    try:
        for worker in pool:
            worker.send(next(waiting, None))
        while any(worker.busy for worker in pool):
            busy = [worker for worker in pool if worker.busy]
            wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                report.outcomes += worker.receive()
                if worker.busy:
                    continue
                if progress:
                    progress(1)
                worker.send(next(waiting, None))
    except KeyboardInterrupt:  # the report holds what is done until then
        pass
    finally:
        for worker in pool:
            worker.kill()
    report.outcomes.sort(key=lambda o: o.number)
    return report


class _Tester:
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
        self.last_message = time.monotonic() + BEFORE  # kernels may be compiled first

    @property
    def busy(self) -> bool:
        return self.number is not None

    def send(self, number: int | None) -> None:
        self.number, self.task, self.last_message = number, "start", max(self.last_message, time.monotonic())
        if number is not None:
            self.pipe.send(number)

    def receive(self) -> list[TaskOutcome]:
        """The outcomes that have come since the last call."""
        outcomes: list[TaskOutcome] = []
        assert self.number is not None
        try:
            while self.pipe.poll():
                message = self.pipe.recv()
                self.last_message = time.monotonic()
                if message is None:
                    self.number = None
                elif isinstance(message, str):
                    self.task = message
                else:
                    outcomes.append(message)
        except (EOFError, OSError):
            self.process.join()
            outcomes.append(self._lost("died", f"exit code {self.process.exitcode}"))
        if self.number is not None and time.monotonic() - self.last_message > PATIENCE + GRACE:
            self.kill()
            outcomes.append(self._lost("hung", f"no end after {PATIENCE + GRACE:g} s"))
        return outcomes

    def _lost(self, outcome: str, text: str) -> TaskOutcome:
        """Start a new process in place of one that has ended, and say how its task ended."""
        assert self.number is not None
        lost = TaskOutcome(self.number, self.task, outcome, text)
        self.number = None
        self._start()
        return lost

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def _work(pipe: Connection, seed: int) -> None:
    """Try the mechanisms whose numbers arrive, and send back the outcomes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)  # compiled solvers print warnings of their own
    _compile()
    while True:
        number = pipe.recv()
        for task, work in tasks(seed, number):
            pipe.send(task)
            pipe.send(run_task(number, task, work))
        pipe.send(None)


def _compile() -> None:
    """Compile the kernels, so that no task waits for it."""
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


def run_task(number: int, task: str, work: Callable[[], tuple[str, str]]) -> TaskOutcome:
    """Do a task; it gets a Ctrl-C if it takes too long."""
    try:
        with interrupted(PATIENCE), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outcome, text = work()
    except KeyboardInterrupt:
        outcome, text = "stopped by the clock", ""
    except fm.FlexmbError as error:
        outcome, text = "refused", f"{type(error).__name__}: {error}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome, text = "raw exception", f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
    return TaskOutcome(number, task, outcome, text)


# -- tasks ----------------------------------------------------------------------------------------------------------


def tasks(seed: int, number: int) -> Iterator[tuple[str, Callable[[], tuple[str, str]]]]:
    """The tasks that are tried on a mechanism, with their names."""
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

    other_way = "itself, tighter" if method == "generalized_alpha" else method
    yield f"against {other_way}", lambda: compare_methods(fresh, span, method)
    work: dict[str, Callable[[], tuple[str, str]]] = {
        "fixed steps": lambda: fixed_step(fresh(), span, fixed, steps),
        "equilibrium": lambda: find_equilibrium(fresh()),
        "modes": lambda: small_motions(fresh()),
        "file": lambda: save_and_load(fresh(), span),
        "wrong argument": lambda: wrong_argument(seed, number),
    }
    yield f"{other}, rkf45" if (other, fixed) == ("fixed steps", "rkf45") else other, work[other]


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


def compare_methods(fresh: Callable[[], Mechanism], span: float, method: str) -> tuple[str, str]:
    """Compare two methods with their default settings on the same motion."""
    m = fresh()
    first = fm.simulate(m.model, span * m.time, progress=False)
    outcome, text = verdict(first, "generalized_alpha", {})
    if outcome != "right" or m.controlled:
        return outcome, text
    options: dict[str, Any] = {"tolerance": 1e-8, "spectral_radius": 0.5} if method == "generalized_alpha" else {}
    second = fm.simulate(fresh().model, span * m.time, method, progress=False, **options)
    outcome, text = verdict(second, method, options)
    if outcome != "right":
        return f"{outcome} by the second", text
    away = largest_difference(first, second, m.length)
    if away <= AGREEMENT:
        return "right", ""
    return reason_of_difference(fresh, span, method, first, second, away)


def reason_of_difference(
    fresh: Callable[[], Mechanism], span: float, method: str, first: fm.Solution, second: fm.Solution, away: float
) -> tuple[str, str]:
    """Find out why two methods disagree: by their tolerances, or since the motion magnifies small disturbances."""
    length, end = fresh().length, span * fresh().time
    text = f"{away:.2g} apart"
    with interrupted(PATIENCE / 2):
        tight = [fm.simulate(fresh().model, end, k, progress=False, **TIGHT[k]) for k in ("generalized_alpha", method)]
    if any(run.status != "finished" for run in tight):
        return "disagree, not resolved in time", text
    own = [largest_difference(run, best, length) for run, best in zip((first, second), tight)]
    left = largest_difference(tight[0], tight[1], length)
    text += f", {left:.2g} when tight, which are {own[0]:.2g} and {own[1]:.2g} from those"
    if left <= AGREEMENT:
        return "agree when tighter", text
    touched = fresh()
    touched.model.set_rigid_motion(angular_velocity=DISTURBANCE / touched.time)
    plain = fm.simulate(fresh().model, end, progress=False, **TIGHT["generalized_alpha"])
    if plain.status != "finished":
        return "disagree, not resolved in time", text
    other = fm.simulate(touched.model, end, progress=False, **TIGHT["generalized_alpha"])
    grown = largest_difference(plain, other, length)
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
    angles = np.array([name.endswith("angle") for name in one.coordinate_names])
    away = np.abs(one.at(other.t[-1]).q[-1] - other.q[-1])
    return float(np.max(np.where(angles, away, away / length), initial=0.0))


def fixed_step(m: Mechanism, span: float, method: str, steps: float) -> tuple[str, str]:
    """Do a run with fixed steps of any size."""
    options: dict[str, Any] = {"step": m.time / steps}
    if m.controlled and method != "generalized_alpha":
        return "right", "controllers run in generalized_alpha"
    return verdict(fm.simulate(m.model, span * m.time, method, progress=False, **options), method, options)


def find_equilibrium(m: Mechanism) -> tuple[str, str]:
    """Find an equilibrium, and check that the mechanism does not move from it."""
    state = fm.equilibrium(m.model, controllers="held")
    if any(isinstance(c, fm.DriveAngle | fm.PointForce) for c in m.model.components.values()):
        return "right", "loads go on to change"
    for controller in m.model.controllers.values():
        controller.limits[:] = 0.0
    run = fm.simulate(m.model, 0.1 * m.time, start=state, progress=False)
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
    for values in (plain.omega_squared, damped.eigenvalues):
        if not np.isfinite(values).all():
            return "not finite", ""
    return "right", ""


def save_and_load(m: Mechanism, span: float) -> tuple[str, str]:
    """Save a run to a file, load it, and compare the two."""
    run = fm.simulate(m.model, span * m.time, progress=False)
    if run.status == "interrupted":
        return "stopped by the clock", run.message
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.h5")
        back = fm.load(Path(folder) / "run.h5")
    same = np.array_equal(run.q, back.q) and np.array_equal(run.v, back.v) and run.status == back.status
    same = same and np.array_equal(run.energy.total, back.energy.total)
    return ("right", "") if same else ("file differs", "")


def wrong_argument(seed: int, number: int) -> tuple[str, str]:
    """Give one argument a senseless value: there must be an error message, or a right run."""
    m = mechanism(seed, number, wrong=True)
    run = fm.simulate(m.model, 0.3 * m.time, step=m.time / 100.0, progress=False)
    return verdict(run, "generalized_alpha", {"step": 1.0})

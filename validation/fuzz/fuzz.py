"""Random mechanisms through every analysis: a test of what users may rely on, whatever they build.

With each number come two mechanisms out of the registries, one in the plane and one in space
(:mod:`flexmb.validation.random_mechanisms.drawing`): links of any kind on joints of any kind, with any additions. Each
is simulated by two methods, or in absolute and in joint coordinates; both runs must agree to a part of its length
(:data:`flexmb.validation.fuzz.tasks.AGREEMENT`), or the reason why they do not must be found. Two more judges are
chosen out of: its file, a run that is interrupted and goes on, the mechanism turned and moved as a whole, and the
mechanism in other units; and all formulations must give one number. With each fourth number come a chain in the plane
and one in space or on knife edges (:mod:`flexmb.validation.random_mechanisms.mechanisms`), which are tried with fixed
steps, equilibria, modes and wrong arguments too. These outcomes are faults:

- an exception that is not one of flexmb's own,
- a process that dies, or that Ctrl-C does not stop,
- a run that is `finished` and `trustworthy` although the error of its energy balance is larger than its method
  promises, or although it holds NaN,
- a file that gives other numbers or names than the run,
- two runs or formulations that disagree although neither doubts its result, their tolerances are small enough, and the
  motion does not magnify small disturbances,
- a free mechanism whose momentum changes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.solvers.methods.registry import METHODS
from flexmb.validation.fuzz.clock import limited
from flexmb.validation.fuzz.tasks import GRACE, PATIENCE, tasks

#: the time without a word from a process after which it sleeps for ever, however much the machine has to do besides [s]
ASLEEP = 1800.0
#: exit code of a process that has computed too long for one task, where the operating system knows such a limit
OUT_OF_TIME = -signal.SIGPROF if hasattr(signal, "SIGPROF") else None
FAULTS = (
    *("raw exception", "died", "hung", "off balance", "not finite"),
    *("disagree", "momentum lost", "moves off", "file differs"),
)


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
    count: int, seed: int = 0, first: int = 0, workers: int | None = None,
    progress: Callable[[FuzzReport, list[TaskOutcome]], None] | None = None,
) -> FuzzReport:  # fmt: skip
    """Try `count` mechanisms of a seed, from number `first` on, in processes of their own; stop at Ctrl-C. `progress`
    is told the report and the outcomes that are new."""
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
                new = worker.receive()
                report.outcomes += new
                if progress and new:
                    progress(report, new)
                if not worker.busy:
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
        self.last_message = time.monotonic()

    @property
    def busy(self) -> bool:
        return self.number is not None

    def send(self, number: int | None) -> None:
        self.number, self.task, self.last_message = number, "start", time.monotonic()
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
            code = self.process.exitcode
            outcomes.append(self._lost("hung" if code == OUT_OF_TIME else "died", f"exit code {code}"))
        if self.number is not None and time.monotonic() - self.last_message > ASLEEP:
            self.kill()
            outcomes.append(self._lost("hung", f"no word for {ASLEEP:g} s"))
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
            fm.simulate(wheel, 1e-3, method, progress=False, **_needed(method))
        fm.modes(fm.equilibrium(wheel))
        top = fm.SpatialModel("top")
        ball = top.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
        top.revolute(top.ground, ball.frame)
        top.torsion_spring(top.ground, ball.frame, stiffness=1.0)
        for method in METHODS:
            fm.simulate(top, 1e-3, method, progress=False, **_needed(method))
        wheel.point_torque(body.frame, 0.0, name="torque")
        rate = fm.control.RelativeRate(wheel.ground, body.frame)
        for law in ([[-1.0]], fm.control.PythonLaw(lambda t, y: -y)):
            wheel.controllers.clear()
            wheel.add_controller("brake", period=1e-4, sensors=[rate], commands="torque", law=law)
            fm.simulate(wheel, 1e-3, progress=False)


def _needed(method: str) -> dict[str, Any]:
    """The options without which a method does not run: Newmark's has fixed steps alone."""
    return {"step": 1e-4, "beta": 0.26} if method == "newmark" else {}


def run_task(number: int, task: str, work: Callable[[], tuple[str, str]]) -> TaskOutcome:
    """Do a task; it gets a Ctrl-C if it takes too long, and if that does not help its process ends."""
    try:
        with limited(PATIENCE, GRACE), warnings.catch_warnings(), np.errstate(all="ignore"):
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

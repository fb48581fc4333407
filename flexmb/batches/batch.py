"""One model many times: :func:`batch`."""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.batches.ended import Ended
from flexmb.batches.filed import Filed
from flexmb.batches.identity import identity_of
from flexmb.batches.in_study import InStudy
from flexmb.batches.lane_image import NoLaneError
from flexmb.batches.members import Members
from flexmb.batches.outputs import Outputs
from flexmb.batches.runs import Runs
from flexmb.batches.serving import Server, Serving
from flexmb.errors import AccuracyWarning, FlexmbError, ModelError, silent, warn
from flexmb.machine.interruption import interruptible
from flexmb.machine.processors import processors
from flexmb.machine.progress import ProgressBar
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model
from flexmb.parameters.structure import differ_in_numbers
from flexmb.results.solution import Solution
from flexmb.results.state import State
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.one_run import asked_of, checked_run
from flexmb.studies.outcomes import note_together

#: How long [s] the main thread waits for members before it looks for Ctrl-C and shows progress: short for a user, and
#: long beside the work.
WAIT = 0.05


@answers_calls
@interruptible
@one_thread
def batch(
    model: Model | Callable[..., Model],
    t_end: float,
    method: str | None = None,
    *,
    vary: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    initial: Any = None,
    times: Any = None,
    outputs: Sequence[str] | str = (),
    threads: int | None = None,
    file: str | Path | None = None,
    t_start: float = 0.0,
    redundant: str = "remove",
    gaps: str = "refuse",
    controllers: str = "continued",
    second_run: bool = True,
    progress: bool = True,
    **options: Any,
) -> Runs:
    """The motion of a model from `t_start` to `t_end` [s], many times: for other starts, parameters and laws.

    Arguments: `model`, or a function that builds one of the values; `method`, `redundant`, `gaps`, `controllers`,
    `second_run` and the `options` of the method, as those of :func:`flexmb.simulate`.

    - `vary`: values by the names of parameters, with one for each member: ``{"tip.mass": masses,
      "rod.material.youngs_modulus": moduli, "servo.law": laws}``; any number that a component holds, through what it
      was made of. Or a table, a list of such mappings for the members, as :func:`flexmb.grid` and
      :func:`flexmb.random_parameters` make it. What changes which coordinates and joints there are is refused.
    - `initial`: values by the names of joint coordinates and their rates, ``{"hinge.angle": angles, "hinge.rate":
      rates}``, where joints form a tree: what a joint carries goes along as a rigid body, beams keep their shapes; or a
      state for each member. The others begin as the model says.
    - `times` [s]: when the `outputs` are read; the end of the run when not given.
    - `outputs`: names of series, such as "tip.y" or "hinge.fx".
    - `threads`: how many members run at once; all processors when not given.
    - `file`: one file that gets every member soon after it has ended, and holds the outputs in place of memory. Called
      again with the same arguments and file, `batch` does the members that the file lacks; :func:`flexmb.load_study`
      reads it as a table. The file of a batch that differs is refused.

    Each member is what :func:`flexmb.simulate` computes with these `times`, to the bit, whatever the number of threads
    and the order of the members. Members that differ in starts, laws and constants, such as masses and stiffnesses, run
    in compiled code, each thread with memory of its own. Others are bound anew; and functions of Python, events,
    friction that sticks, passages through singular positions and rows that fade need Python: these members run one
    after the other, as `simulate` does them.

    A member that fails or diverges leaves the others as they are. After Ctrl-C the result has those that were finished.
    Warnings tell the doubts of the first member, and of those that `simulate` has done; those of members in compiled
    code are found when they are read, `runs.doubts`. A parameter on which the motion does not depend is warned of.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    >>> runs = fm.batch(m, 1.0, "dop853", initial={"hinge.rate": [0.0, 1.0, 2.0]}, outputs=["bob.y"], threads=1)
    >>> runs["bob.y"].round(3).tolist(), runs.status.tolist()
    ([[-0.21], [-0.452], [-0.79]], ['finished', 'finished', 'finished'])
    """
    where = f"batch of {_name_of(model)}"
    progress = checks.flag(progress, "progress", where)
    workers = math.ceil(processors()) if threads is None else checks.count(threads, "threads", where, least=1)
    members = Members(model, vary, initial, where)
    choices = Choices(redundant, gaps, controllers, second_run)
    work = _Batch(members, (t_end, t_start, times), method, choices, options, outputs, file)
    work.go(min(workers, members.count), progress)
    return work.runs


note_together(batch, InStudy)


def _name_of(model: Any) -> str:
    return f"model {model.name!r}" if isinstance(model, Model) else repr(getattr(model, "__name__", model))


class _Batch:
    """The members of a batch on their way to results."""

    def __init__(
        self,
        members: Members,
        span: tuple[Any, Any, Any],
        method: Any,
        choices: Choices,
        options: dict[str, Any],
        outputs: Any,
        file: str | Path | None,
    ) -> None:
        self.members, self.where = members, members.where
        self._method, self._choices, self._options = method, choices, options
        first, self.base = self._first()
        t_end, t_start, times = span
        asked = asked_of(self.base, t_end, t_start, None, [t_end] if times is None else times, False)
        self.asked = asked._replace(start=self._start_of(first, self.base))
        assert asked.times is not None
        self.times = asked.times
        self.outputs = Outputs(outputs, self.base, self.asked, self.where)
        self._stop = threading.Event()
        stopped = self._stop.is_set
        self._serving = Serving(members, self.base, self.asked, self.outputs, stopped, self._own_bound)
        self._ended = self._ended_in(file)
        self.runs = Runs(self._ended, self.times, members.described, self.single, self.where)

    def _first(self) -> tuple[int, Bound]:
        """The first member that can be bound, and it; an error if none can."""
        wrong = None
        for k in range(self.members.count):
            if not self.members.flaw(k):
                try:
                    return k, self._bound(self.members.model_of(k))
                except ModelError as error:
                    wrong = wrong or error
        if wrong is not None:
            raise wrong
        raise ModelError(f"{self.where}: no member can be computed: {self.members.flaw(0)}")

    def _ended_in(self, file: str | Path | None) -> Ended:
        """The keeper of the members that have ended: memory, or a file."""
        members, shapes = self.members, self.outputs.shapes
        if file is None:
            return Ended(members.count, self.times, shapes)
        given = {"the model": members.model, "the number of members": members.count}
        given |= {f"values of {name!r}": x for name, x in {**members.values, **members.starts}.items()}
        if members.states is not None:
            given["states at the start"] = [(x.q, x.v) for x in members.states]
        given |= {"the span": self.asked[:2], "times": self.times, "outputs": self.outputs.names}
        given |= {"method": self._method, "choices": tuple(self._choices)}
        given |= {f"option {name!r}": value for name, value in self._options.items()}
        return Filed(file, members, self.times, shapes, identity_of(given))

    def _bound(self, model: Model) -> Bound:
        """A model bound to the method; all members have its options."""
        return Bound(model, self._method, dict(self._options), self._choices, "batch of", again=True)

    def _own_bound(self, k: int) -> Bound:
        """Member k bound to the method, if it is no other mechanism than the first."""
        bound = self._bound(self.members.model_of(k))
        if not self.members.builds and not differ_in_numbers(self.base.system({}), bound.system({})):
            raise ModelError(
                f"{self.where}, member {k}: with {', '.join(map(repr, self.members.values))} so the model has other "
                "coordinates, joints or functions than that of the first member; give a function that builds it in "
                "place of the model"
            )
        return bound

    def _start_of(self, k: int, bound: Bound) -> State | None:
        """The state from which member k, which is bound so, begins; None if it does as its model says."""
        return self.members.start_of(k, bound.model, lambda: bound.system({}))

    def single(self, k: int) -> Solution:
        """Member k as a run of its own."""
        bound = self._own_bound(k) if self.members.values else self.base
        return checked_run(bound, self.asked._replace(start=self._start_of(k, bound)))

    def go(self, workers: int, progress: bool) -> None:
        """Run all members: those in lanes in threads, the others here."""
        count, waiting = self.members.count, iter(self._ended.missing)
        lock, ordinary = threading.Lock(), queue.SimpleQueue[int | None]()

        def next_member() -> int | None:
            with lock:
                return next(waiting, None)

        def in_lane() -> None:
            try:
                server = self._serving.server()
                while not self._stop.is_set() and (k := next_member()) is not None:
                    if not self._done_in_lane(server, k):
                        ordinary.put(k)
            finally:
                ordinary.put(None)

        bar = ProgressBar(f"{count} members", count, progress)
        threads = workers if self._serving.image is not None else 0
        try:
            with ThreadPoolExecutor(max(threads, 1)) as pool:
                jobs = [pool.submit(in_lane) for _ in range(threads)]
                try:
                    self._go_on(next_member, ordinary, threads, bar)
                except BaseException:
                    self._stop.set()
                    raise
                for job in jobs:
                    job.result()
        except KeyboardInterrupt:
            done, count = self._ended.done, self.members.count
            self._ended.message = f"interrupted; {done} of {count} members are done"
        finally:
            bar.stop()
            self._ended.close()
        self._warn_of_doubts()

    def _go_on(
        self, next_member: Callable[[], int | None], ordinary: queue.SimpleQueue[int | None], threads: int, bar: Any
    ) -> None:
        """Run members that need Python, until all threads have ended, or all members if there are no threads."""
        while True:
            bar.show(self._ended.done, f"{self._ended.done} of {self.members.count}")
            if not threads:
                k = next_member()
                if k is None:
                    break
            else:
                try:
                    k = ordinary.get(timeout=WAIT)
                except queue.Empty:
                    continue
                if k is None:
                    threads -= 1
                    if not threads and ordinary.empty():
                        break
                    continue
            self._run_here(k)

    def _done_in_lane(self, server: Server, k: int) -> bool:
        """Run member k in a lane; False if it needs Python."""
        if self.members.flaw(k):
            return False
        try:
            found = server.solution(k, f"{self.where}, member {k}")
            if found is None:
                return False
            solution, message = found
            values = self.outputs.of(solution)
        except (NoLaneError, FlexmbError):  # what is wrong with it is said where it runs again
            return False
        self._ended.enter(k, "finished", message, values)
        return True

    def _run_here(self, k: int) -> None:
        """Run member k as `simulate` does."""
        if flaw := self.members.flaw(k):
            self._ended.enter(k, "failed", flaw, None)
            return
        try:
            with silent():
                found = self.single(k)
            values = self.outputs.of(found)
        except FlexmbError as error:
            self._ended.enter(k, "failed", str(error), None)
            return
        if found.status == "interrupted":
            raise KeyboardInterrupt
        self._ended.enter(k, found.status, found.message, values)
        self._ended.note_checks(k, found)

    def _warn_of_doubts(self) -> None:
        """Warn of the doubts of the first member that was finished, and of all whose doubts are known."""
        finished = np.flatnonzero(self.runs.status == "finished")
        if len(finished) and self.runs.message == "":
            self.runs.doubts_of(int(finished[0]))
        known = self._ended.checked
        doubted = sorted(k for k, (doubts, _) in known.items() if doubts)
        for doubt in known[doubted[0]][0] if doubted else ():
            warn(f"{self.where}, member {doubted[0]}: {doubt}", AccuracyWarning)
        if len(doubted) > 1:
            warn(
                f"{self.where}: {len(doubted)} of the {len(known)} members that are checked so far are doubted; "
                "runs.doubts says why",
                AccuracyWarning,
            )

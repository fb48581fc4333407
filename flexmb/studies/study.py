"""Studies: one function over many parameters, on many cores, with one table and one file as the result."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from flexmb.errors import ModelError, ResultFileError, StudyError, StudyWarning, warn
from flexmb.kernels.cache import is_kept
from flexmb.machine.progress import ProgressBar
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.studies.file import StudyFile
from flexmb.studies.function import check_arguments, check_results, fingerprint, function_name, has_changed
from flexmb.studies.outcomes import Outcome, Together, run_chunk, run_once, together_of
from flexmb.studies.parameters import Parameters, checked_runs, run_key, run_label
from flexmb.studies.pools import BrokenPoolError, Chunk, ExecutorPool, Pool, Processes, ThisProcess, usable_cores
from flexmb.studies.table import Study

#: runs are sent in chunks that last about this long [s] ...
CHUNK_SECONDS = 0.2
#: ... those that are done together in chunks of about this time [s], beside which it is short to begin one ...
BATCH_SECONDS = 2.0
#: ... and outcomes are on disk after this time [s] at the latest
WRITE_SECONDS = 0.2
#: at most this long [s] the first run goes alone, while it compiles kernels that all others will load
ALONE_SECONDS = 60.0
#: a run has died if its process ends this many times while the run is alone in it
TRIES = 2


@answers_calls
def study(
    run: Callable[..., Any],
    parameters: Iterable[Mapping[str, Any]],
    *,
    executor: Any = None,
    workers: int | None = None,
    file: str | Path | None = None,
    retry_failed: bool = False,
    give_up: int | None = 20,
    progress: bool = True,
) -> Study:
    """Call `run(**parameters)` for every entry of a list of parameters, and gather what it returns.

    run: builds a model, analyses it, and returns a dict of results (numbers, texts, truth values, one-dimensional
        arrays) or one number. It may be typed into a notebook; then other processes get its code, and what it uses of
        the notebook. A script must start the study under `if __name__ == "__main__":`.
        Or a batch, `functools.partial(fm.batch, model, t_end, …)`: the parameters are then those of the model and the
        coordinates and rates of joints at the start, by names, and each process does many members at once in threads;
        without `executor` and `workers` this process alone does. Members that stop or finish are "ok".
    parameters: dicts of numbers, texts, truth values, None or tuples of them, all with the same names; `fm.grid` and
        `fm.random_parameters` make such lists. Equal entries are computed once.
    executor: None: processes of this machine; or any object whose `submit` gives futures of `concurrent.futures`; or
        a Dask `distributed.Client`.
    workers: how many processes; all usable cores when None; 0: this process itself.
    file: one SQLite file that gets every run soon after it is done. If the file exists, only the runs that it lacks
        are done; it may also hold other runs of the same function. A StudyWarning says if the code of the function,
        or of functions of yours that it calls, has changed since the file was begun.
    retry_failed: repeat the runs that failed or died according to the file.
    give_up: stop, with a StudyError, when so many runs have failed and none has succeeded; None: never.
    progress: a bar on the terminal or in the notebook.

    A run that raises an exception becomes a row with status "failed" and its error. A run whose process ends twice,
    while the run is alone in it, has status "died". A StudyWarning shows the first of these at once, and the other runs
    go on. No result can have the name of a parameter, or "status" or "error". After Ctrl-C the study has status
    "interrupted" and holds the runs that are done; the others are "missing". A run has one thread of BLAS. If `run`
    needs random numbers, give it a seed as a parameter.

    >>> import flexmb as fm
    >>> def period(length):
    ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
    >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
    >>> swings["period"].round(3)
    array([1.003, 2.006])
    """
    checks.flag(progress, "progress", "study")
    if not callable(run):
        raise ModelError(f"study: run must be a function, not {type(run).__name__}")
    together = together_of(run)
    run = together or run
    name = together.name if together else function_name(run)
    where = f"study of {name}"
    asked = checked_runs(parameters, where)
    if together:
        together.check(asked[0])
    else:
        check_arguments(run, asked[0], where)
        check_results(run, asked[0], where)
    if executor is not None and workers is not None:
        raise ModelError(f"{where}: workers are processes of flexmb's own, an executor has others; give one of the two")
    if workers is not None:
        workers = checks.count(workers, "workers", where)
    if give_up is not None:
        give_up = checks.count(give_up, "give_up", where, least=1)
    begun = time.perf_counter()
    todo = {run_key(parameters): parameters for parameters in asked}
    done: dict[str, Outcome] = {}
    with contextlib.ExitStack() as stack:
        store = None
        if file is not None:
            code = together.identity if together else fingerprint(run)
            store = stack.enter_context(StudyFile(file, function=name, names=tuple(asked[0]), fingerprint=code))
            if together:
                together.check_file(store.fingerprint, store.where)
            filed = _filed(store, code)
            store.plan([parameters for k, parameters in todo.items() if k not in filed])
            again = {"missing", "failed", "died"} if retry_failed else {"missing"}
            done = {k: filed[k][1] for k in todo if k in filed and filed[k][1].status not in again}
        if any(outcome.status == "ok" for outcome in done.values()):
            give_up = None  # the function can succeed
        work = _Work(
            name, {k: p for k, p in todo.items() if k not in done}, len(todo), store, give_up, progress, together
        )
        if work.queue:
            work.do(lambda: _pool(run, executor, workers, len(work.queue)))
        done |= work.outcomes
    outcomes = [done.get(run_key(parameters), Outcome()) for parameters in asked]
    found = Study(name, asked, outcomes, work.status, work.message, time.perf_counter() - begun)
    if work.hopeless:
        repeat = "" if file is None else "; the file has these as failed, retry_failed=True repeats them"
        error = StudyError(
            f"{where}: {work.message}. {work.first_failure}. Give give_up=None to go on whatever fails{repeat}"
        )
        error.study = found
        raise error
    return found


@answers_calls
def load_study(path: str | Path) -> Study:
    """All runs in the file of a study; those not done yet have status "missing".

    >>> import tempfile
    >>> import flexmb as fm
    >>> def period(length):
    ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0, file=f"{folder}/swings.h5")
    ...     print(fm.load_study(f"{folder}/swings.h5")["period"].round(3))
    [1.003 2.006]
    """
    with StudyFile(path, reading=True) as file:
        runs = list(file.read().values())
        if not runs:
            raise ResultFileError(f"{file.where}: it holds no runs")
        missing = sum(outcome.status == "missing" for _, outcome in runs)
        status, message = ("interrupted", f"{missing} runs are missing") if missing else ("finished", "")
        return Study(file.function, [p for p, _ in runs], [o for _, o in runs], status, message)


def _filed(store: StudyFile, code: str) -> dict[str, tuple[Parameters, Outcome]]:
    """The runs in the file. Warn if the function has changed since the first of them."""
    runs = store.read()
    done = sum(outcome.status == "ok" for _, outcome in runs.values())
    if not done:
        store.begin_with(code)
    elif has_changed(code, store.fingerprint):
        warn(
            f"{store.where}: the code of {store.function} has changed since the file was begun. Its {done} runs that "
            "are done stay as they were; if the change concerns them give another file",
            StudyWarning,
        )
    return runs


def _pool(run: Callable[..., Any], executor: Any, workers: int | None, runs: int) -> Pool:
    if executor is not None:
        return ExecutorPool(run, executor)
    if workers == 0 or (workers is None and isinstance(run, Together)):
        return ThisProcess(run)
    size = min(usable_cores() if workers is None else workers, runs)
    return Processes(run.shared(size) if isinstance(run, Together) else run, size)


class _Work:
    """The runs that are to be done, and the outcomes of those that are done."""

    def __init__(
        self,
        name: str,
        runs: dict[str, Parameters],
        total: int,
        store: StudyFile | None,
        give_up: int | None,
        progress: bool,
        together: Together | None,
    ):
        self._together = together
        self.status, self.message = "finished", ""
        self.first_failure = ""
        self._where = f"study of {name}"
        self._give_up = give_up
        self.outcomes: dict[str, Outcome] = {}
        self.queue = deque(enumerate(runs.values()))
        self._keys = list(runs)
        self._runs = list(runs.values())
        self._before = total - len(runs)
        self._store = store
        self._unwritten: list[int] = []
        self._written = time.perf_counter()
        self._suspects: deque[tuple[int, Parameters]] = deque()
        self._deaths = [0] * len(runs)
        self._in_flight = 0
        self._under_suspicion = False
        self._pace: float | None = None
        self._lost = 0
        self._total = total
        self._bar = ProgressBar(name, total, progress)

    @property
    def hopeless(self) -> bool:
        """Whether as many runs have failed as may, none has succeeded, and there are others."""
        alike = self._lost == len(self.outcomes) < len(self._runs)
        return self._give_up is not None and alike and self._lost >= self._give_up

    def do(self, make_pool: Callable[[], Pool]) -> None:
        """Do all runs, or as many as are done before Ctrl-C."""
        with _stopping() as stop:
            pool = make_pool()
            alone_until = time.perf_counter() + ALONE_SECONDS if pool.size > 1 and not _compiled() else 0.0
            try:
                while (self.queue or self._suspects or self._in_flight) and not stop and not self.hopeless:
                    alone = not self.outcomes and time.perf_counter() < alone_until
                    self._hand_out(pool, alone)
                    self._write_outcomes()
                    self._show_progress()
                    with contextlib.suppress(KeyboardInterrupt):
                        reports = pool.reports(WRITE_SECONDS)
                        if isinstance(pool, ThisProcess) and stop and not self._together:
                            break  # Ctrl-C has cut the last run short
                        for chunk, result in reports:
                            self._take_report(chunk, result)
            except BrokenPoolError as why:
                self._note_interruption(f"{why}; without executor= flexmb finds the run that ends its process")
            finally:
                self._bar.stop()
                pool.close(now=bool(stop) or bool(self._in_flight))
                self._write_outcomes(all_of_it=True)
            if stop and len(self.outcomes) < len(self._runs):
                self._note_interruption("interrupted")
            elif self.hopeless:
                self._note_interruption(f"stopped, since all of the first {self._lost} runs failed")

    def _show_progress(self) -> None:
        done, lost = self._before + len(self.outcomes), f", {self._lost} failed" if self._lost else ""
        self._bar.show(done, f"{done} of {self._total} runs{lost}")

    def _note_interruption(self, why: str) -> None:
        self.status = "interrupted"
        self.message = f"{why}; {len(self._runs) - len(self.outcomes)} runs are missing"

    def _hand_out(self, pool: Pool, alone: bool) -> None:
        """Give the pool chunks while it has room. A run that was lost before goes alone, so that no other is lost with
        it."""
        while pool.room() and not (alone and self._in_flight):
            if self._suspects and (isinstance(pool, Processes) or not self._in_flight):
                self._under_suspicion = True
                self._submit(pool, [self._suspects.popleft()])
            elif self.queue and (isinstance(pool, Processes) or not (self._suspects or self._under_suspicion)):
                self._submit(pool, [self.queue.popleft() for _ in range(self._chunk_length(pool))])
            else:
                return

    def _submit(self, pool: Pool, chunk: Chunk) -> None:
        try:
            pool.submit(chunk)
        except BrokenPoolError:
            self.queue.extendleft(reversed(chunk))
            raise
        self._in_flight += 1

    def _chunk_length(self, pool: Pool) -> int:
        """The number of runs to send at once: few long ones or many short ones, and fewer towards the end."""
        fair = len(self.queue) // (4 * pool.size)
        if self._together:
            least, pace = self._together.least, self._pace
            return min(
                max(least, 0 if pace is None else min(int(BATCH_SECONDS / max(pace, 1e-9)), fair)), len(self.queue)
            )
        if not pool.chunks or self._pace is None:
            return 1
        return max(1, min(int(CHUNK_SECONDS / max(self._pace, 1e-9)), fair, 1000))

    def _take_report(self, chunk: Chunk, result: list[Outcome] | str) -> None:
        """Keep the outcomes of a chunk that came back, or note that it was lost."""
        self._in_flight -= 1
        if self._in_flight == 0:
            self._under_suspicion = False
        if isinstance(result, str):
            self._note_loss(chunk, result)
            return
        for (k, _), outcome in zip(chunk, result):
            if outcome.status != "missing":  # Ctrl-C came before
                self._keep_outcome(k, outcome)
        mean = sum(outcome.seconds for outcome in result) / len(result)
        self._pace = mean if self._pace is None else 0.5 * (self._pace + mean)

    def _note_loss(self, chunk: Chunk, why: str) -> None:
        """Note that a chunk was lost. One of its runs is the reason: if it has several, each is tried again alone."""
        if len(chunk) > 1:
            self._suspects.extend(chunk)
            return
        k, parameters = chunk[0]
        self._deaths[k] += 1
        if self._deaths[k] < TRIES:
            self._suspects.append((k, parameters))
        else:
            self._keep_outcome(k, Outcome("died", error=f"{why} ({TRIES} times)"))

    def _keep_outcome(self, k: int, outcome: Outcome) -> None:
        if outcome.clash and self._lost == len(self.outcomes):  # no run has succeeded, and none will
            raise ModelError(f"{self._where}: {outcome.error}")
        self.outcomes[self._keys[k]] = outcome
        self._unwritten.append(k)
        if outcome.status != "ok":
            self._lost += 1
            if self._lost == 1:
                self.first_failure = f"The first failure, at {run_label(self._runs[k])}: {outcome.error}"
                warn(f"{self._where}: {self.first_failure}", StudyWarning)

    def _write_outcomes(self, all_of_it: bool = False) -> None:
        """Write new outcomes to disk, now and then, or at once with `all_of_it`."""
        now = time.perf_counter()
        if self._store is None or not self._unwritten or (now - self._written < WRITE_SECONDS and not all_of_it):
            return
        self._store.write([(self._runs[k], self.outcomes[self._keys[k]]) for k in self._unwritten])
        self._unwritten = []
        self._written = time.perf_counter()


@contextlib.contextmanager
def _stopping() -> Iterator[list[int]]:
    """A list that stays empty until Ctrl-C. Ctrl-C still interrupts a run in this process; but a simulation catches the
    interruption itself, so it must be noted here."""
    stop: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        first = not stop
        stop.append(number)
        if _is_in_a_run(frame) or not first:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _is_in_a_run(frame: Any) -> bool:
    """Whether a frame of the interpreter belongs to a run in this process."""
    while frame is not None:
        if frame.f_code in (run_once.__code__, run_chunk.__code__):
            return True
        frame = frame.f_back
    return False


def _compiled() -> bool:
    """Whether this machine holds the time loop in compiled form."""
    return is_kept("flexmb.solvers.methods.radau.radau_loop.advance")

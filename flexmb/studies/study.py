"""Studies: one function over many parameters, on many cores, with one table and one file in the end."""

from __future__ import annotations

import contextlib
import functools
import inspect
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from flexmb.errors import ModelError, ResultFileError
from flexmb.kernels.cache import is_kept
from flexmb.model import checks
from flexmb.studies.crews import BrokenCrewError, Chunk, Crew, Given, Here, Processes, usable_cores
from flexmb.studies.file import StudyFile
from flexmb.studies.outcomes import Outcome, _one
from flexmb.studies.parameters import Parameters, checked, key
from flexmb.studies.progress import Progress
from flexmb.studies.table import Study

#: runs are sent in chunks that last about this long [s] ...
CHUNK_SECONDS = 0.2
#: ... and outcomes are on disk after this time [s] at the latest
WRITE_SECONDS = 0.2
#: for so long [s] at most the first run goes alone, while it compiles kernels that all others will load
ALONE_SECONDS = 60.0
#: a run whose process ends this many times, alone in it, has died
TRIES = 2


def study(
    run: Callable[..., Any],
    parameters: Iterable[Mapping[str, Any]],
    *,
    executor: Any = None,
    workers: int | None = None,
    file: str | Path | None = None,
    retry_failed: bool = False,
    progress: bool = True,
) -> Study:
    """Call `run(**parameters)` for every entry of a list of parameters, and gather what it returns.

    run: builds a model, analyses it, and returns a dict of results (numbers, texts, truth values, one-dimensional
        arrays) or one number. For other processes it must stand at the top level of a module, and a script must
        start the study under `if __name__ == "__main__":`.
    parameters: dicts of numbers, texts, truth values, None or tuples of them, all with the same names; `fm.grid` and
        `fm.random_parameters` make such lists. What is there twice is computed once.
    executor: None: processes of this machine; or any object whose `submit` gives futures of `concurrent.futures`; or
        a Dask `distributed.Client`.
    workers: how many processes; all usable cores when None; 0: this process itself.
    file: one SQLite file that gets every run soon after it is done. When it is there already only those runs are
        done that it lacks; it may hold other runs of the same function, too.
    retry_failed: do the runs again that failed or died according to the file.
    progress: a bar on the terminal.

    A run that raises an exception is a row with status "failed" and its error; one whose process ends, twice and when
    it is alone in it, has status "died". The others are not touched by it. After Ctrl-C the study is there with what
    is done, with status "interrupted"; the rest is "missing". A run has one thread of BLAS. Random numbers in `run`
    are its own matter: give it a seed as a parameter.

    >>> import flexmb as fm
    >>> def period(length):
    ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
    >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
    >>> swings["period"].round(3)
    array([1.003, 2.006])
    """
    if not callable(run):
        raise ModelError(f"study: run must be a function, not {type(run).__name__}")
    name = known_as(run)
    where = f"study of {name}"
    asked = checked(parameters, where)
    _accepts(run, asked[0], where)
    if executor is not None and workers is not None:
        raise ModelError(f"{where}: workers are processes of flexmb's own, an executor has others; give one of the two")
    if workers is not None:
        workers = checks.count(workers, "workers", where)
    begun = time.perf_counter()
    todo = {key(parameters): parameters for parameters in asked}
    done: dict[str, Outcome] = {}
    with contextlib.ExitStack() as stack:
        store = None
        if file is not None:
            store = stack.enter_context(StudyFile(file, function=name, names=tuple(asked[0])))
            filed = store.read()
            store.plan([parameters for k, parameters in todo.items() if k not in filed])
            again = {"missing", "failed", "died"} if retry_failed else {"missing"}
            done = {k: filed[k][1] for k in todo if k in filed and filed[k][1].status not in again}
        work = _Work(name, {k: p for k, p in todo.items() if k not in done}, len(todo), store, progress)
        if work.queue:
            work.do(lambda: _crew(run, executor, workers, len(work.queue)))
        done |= work.outcomes
    return Study(
        name,
        asked,
        [done.get(key(parameters), Outcome()) for parameters in asked],
        work.status,
        work.message,
        time.perf_counter() - begun,
    )


def load_study(path: str | Path) -> Study:
    """All runs in the file of a study; those that were not done have status "missing"."""
    with StudyFile(path, reading=True) as file:
        found = list(file.read().values())
        if not found:
            raise ResultFileError(f"{file.where}: it holds no runs")
        missing = sum(outcome.status == "missing" for _, outcome in found)
        status, message = ("interrupted", f"{missing} runs are missing") if missing else ("finished", "")
        return Study(file.function, [p for p, _ in found], [o for _, o in found], status, message)


def known_as(run: Callable[..., Any]) -> str:
    """What a function is called in a file: its module and its name, and what a partial fixes."""
    if isinstance(run, functools.partial):
        fixed = [*map(repr, run.args), *(f"{k}={v!r}" for k, v in run.keywords.items())]
        return f"{known_as(run.func)}({', '.join(fixed)})"
    named = run if hasattr(run, "__qualname__") else type(run)
    module = getattr(named, "__module__", None) or "?"
    if module == "__main__":  # the same when a script is started and when it is imported
        main = sys.modules["__main__"]
        spec = getattr(main, "__spec__", None)
        module = spec.name if spec is not None else Path(getattr(main, "__file__", None) or "__main__").stem
    return f"{module}.{named.__qualname__}"


def _accepts(run: Callable[..., Any], parameters: Parameters, where: str) -> None:
    try:
        signature = inspect.signature(run)
    except (TypeError, ValueError):  # compiled functions need not tell
        return
    try:
        signature.bind(**parameters)
    except TypeError as why:
        raise ModelError(f"{where}: the parameters do not fit the function: {why}") from None


def _crew(run: Callable[..., Any], executor: Any, workers: int | None, runs: int) -> Crew:
    if executor is not None:
        return Given(run, executor)
    if workers == 0:
        return Here(run)
    return Processes(run, min(usable_cores() if workers is None else workers, runs))


class _Work:
    """The runs that are to be done, and what has become of them."""

    def __init__(self, name: str, runs: dict[str, Parameters], total: int, store: StudyFile | None, progress: bool):
        self.status, self.message = "finished", ""
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
        self._bar = Progress(name, total, progress)

    def do(self, gather: Callable[[], Crew]) -> None:
        """Do them all, or those until Ctrl-C."""
        with _stopping() as stop:
            crew = gather()
            alone_until = time.perf_counter() + ALONE_SECONDS if crew.size > 1 and not _compiled() else 0.0
            try:
                while (self.queue or self._suspects or self._in_flight) and not stop:
                    alone = not self.outcomes and time.perf_counter() < alone_until
                    self._hand_out(crew, alone)
                    self._write()
                    self._bar.show(self._before + len(self.outcomes), self._lost)
                    with contextlib.suppress(KeyboardInterrupt):
                        reports = crew.reports(WRITE_SECONDS)
                        if isinstance(crew, Here) and stop:
                            break  # what was running was cut short
                        for chunk, said in reports:
                            self._take(chunk, said)
            except BrokenCrewError as why:
                self._end(f"{why}; without executor= flexmb finds the run that ends its process")
            finally:
                self._bar.stop()
                crew.close(now=bool(stop) or bool(self._in_flight))
                self._write(all_of_it=True)
            if stop and len(self.outcomes) < len(self._runs):
                self._end("interrupted")

    def _end(self, why: str) -> None:
        self.status = "interrupted"
        self.message = f"{why}; {len(self._runs) - len(self.outcomes)} runs are missing"

    def _hand_out(self, crew: Crew, alone: bool) -> None:
        """Give the crew what it takes. A run that was lost before goes alone, so that it takes no others with it."""
        while crew.room() and not (alone and self._in_flight):
            if self._suspects and (isinstance(crew, Processes) or not self._in_flight):
                self._under_suspicion = True
                self._give(crew, [self._suspects.popleft()])
            elif self.queue and (isinstance(crew, Processes) or not (self._suspects or self._under_suspicion)):
                self._give(crew, [self.queue.popleft() for _ in range(self._length(crew))])
            else:
                return

    def _give(self, crew: Crew, chunk: Chunk) -> None:
        try:
            crew.give(chunk)
        except BrokenCrewError:
            self.queue.extendleft(reversed(chunk))
            raise
        self._in_flight += 1

    def _length(self, crew: Crew) -> int:
        """How many runs to send at once: few that are long, many that are short, fewer towards the end."""
        if not crew.chunks or self._pace is None:
            return 1
        fair = len(self.queue) // (4 * crew.size)
        return max(1, min(int(CHUNK_SECONDS / max(self._pace, 1e-9)), fair, 1000))

    def _take(self, chunk: Chunk, said: list[Outcome] | str) -> None:
        """What came back of a chunk."""
        self._in_flight -= 1
        if self._in_flight == 0:
            self._under_suspicion = False
        if isinstance(said, str):
            self._lose(chunk, said)
            return
        for (k, _), outcome in zip(chunk, said):
            self._keep(k, outcome)
        mean = sum(outcome.seconds for outcome in said) / len(said)
        self._pace = mean if self._pace is None else 0.5 * (self._pace + mean)

    def _lose(self, chunk: Chunk, why: str) -> None:
        """A chunk was lost: one run of many is the reason, or the only one is."""
        if len(chunk) > 1:
            self._suspects.extend(chunk)
            return
        k, parameters = chunk[0]
        self._deaths[k] += 1
        if self._deaths[k] < TRIES:
            self._suspects.append((k, parameters))
        else:
            self._keep(k, Outcome("died", error=f"{why} ({TRIES} times)"))

    def _keep(self, k: int, outcome: Outcome) -> None:
        self.outcomes[self._keys[k]] = outcome
        self._lost += outcome.status != "ok"
        self._unwritten.append(k)

    def _write(self, all_of_it: bool = False) -> None:
        """Put what is done on disk, now and then."""
        now = time.perf_counter()
        if self._store is None or not self._unwritten or (now - self._written < WRITE_SECONDS and not all_of_it):
            return
        self._store.write([(self._runs[k], self.outcomes[self._keys[k]]) for k in self._unwritten])
        self._unwritten = []
        self._written = time.perf_counter()


@contextlib.contextmanager
def _stopping() -> Iterator[list[int]]:
    """A list that is empty until Ctrl-C. It still interrupts what runs in this process (and simulations keep it to
    themselves, so that it must be noted here)."""
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
    """Whether a frame belongs to a run in this process."""
    while frame is not None:
        if frame.f_code is _one.__code__:
            return True
        frame = frame.f_back
    return False


def _compiled() -> bool:
    """Whether the time loop lies compiled on this machine."""
    return is_kept("flexmb.solvers.generalized_alpha.loop.advance")

"""Pools that do the runs of a study: this process, processes of its own, or an executor of the user.

A pool takes chunks of runs while it has room, and reports what became of them. A chunk is a list of (number of the run,
parameters); its report holds an outcome for each run, or says how the chunk was lost.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from typing import Any

from flexmb.errors import FlexmbError, MissingExtraError, ModelError
from flexmb.machine.progress import NoTerminal
from flexmb.studies.outcomes import Outcome, Together, run_chunk
from flexmb.studies.parameters import Parameters
from flexmb.studies.workers import Sent, serve_runs

Chunk = list[tuple[int, Parameters]]
#: a chunk, and its outcomes or a text that says how it was lost
Report = tuple[Chunk, list[Outcome] | str]

#: libraries that would start threads of their own in every worker
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class BrokenPoolError(FlexmbError):
    """An executor that takes no more work."""


# -- this process -----------------------------------------------------------------------------------------------------


class ThisProcess:
    """A pool that does the runs in this process, one after another."""

    #: the number of runs at the same time, as far as it is known
    size = 1

    def __init__(self, run: Callable[..., Any]):
        #: whether short runs are sent many at once
        self.chunks = isinstance(run, Together)
        self._run = run
        self._chunk: Chunk = []

    def room(self) -> bool:
        """Whether the pool takes another chunk."""
        return not self._chunk

    def submit(self, chunk: Chunk) -> None:
        """Hand over a chunk."""
        self._chunk = chunk

    def reports(self, seconds: float) -> list[Report]:
        """The reports that have come back; waits at most so many seconds for the first."""
        chunk, self._chunk = self._chunk, []
        with contextlib.redirect_stderr(NoTerminal(sys.stderr)):
            return [(chunk, run_chunk(self._run, [parameters for _, parameters in chunk]))]

    def close(self, now: bool) -> None:
        """Give back processes and futures; `now`: stop runs that still go on."""


# -- processes --------------------------------------------------------------------------------------------------------


@dataclass
class _Worker:
    process: Any
    pipe: Any
    ready: bool = False
    chunk: Chunk = field(default_factory=list)


class Processes:
    """Worker processes on this machine, each with a pipe. If one dies the others go on and a new one replaces it.

    The workers are spawned, since a fork of a process with threads, such as those of numba and BLAS, may hang.
    """

    chunks = True

    def __init__(self, run: Callable[..., Any], size: int):
        self.size = size
        self._function = pickled(run)
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._never_ready = 0
        try:
            for _ in range(size):
                self._start()
        except BaseException:
            self.close(now=True)
            raise

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve_runs, args=(theirs, self._function), daemon=True)
        with _one_thread():
            process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def _free(self) -> _Worker | None:
        return next((w for w in self._workers if w.ready and not w.chunk), None)

    def room(self) -> bool:
        return self._free() is not None

    def submit(self, chunk: Chunk) -> None:
        worker = self._free()
        assert worker is not None
        worker.chunk = chunk
        with contextlib.suppress(OSError):  # the worker has died; the next look at its pipe shows it
            worker.pipe.send([parameters for _, parameters in chunk])

    def reports(self, seconds: float) -> list[Report]:
        arrived: list[Report] = []
        ends = [end for w in self._workers for end in (w.pipe, w.process.sentinel)]
        ready = set(wait_for(ends, seconds))
        for worker in [w for w in self._workers if w.pipe in ready or w.process.sentinel in ready]:
            try:
                if not worker.pipe.poll():
                    raise EOFError
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                arrived += self._replace(worker)
                continue
            if not worker.ready:
                if answer:
                    raise ModelError(f"study: the worker processes cannot load the function that is to run: {answer}")
                worker.ready = True
            else:
                arrived.append((worker.chunk, answer))
                worker.chunk = []
        return arrived

    def _replace(self, worker: _Worker) -> list[Report]:
        """Replace a worker that has ended by a new one, and report its chunk as lost."""
        worker.process.join()
        worker.pipe.close()
        self._workers.remove(worker)
        code = worker.process.exitcode
        if not worker.ready:
            self._never_ready += 1
            if self._never_ready >= 2:
                raise ModelError(
                    f"study: the worker processes end before they begin ({_ending(code)}); a script that starts a "
                    'study must do so under `if __name__ == "__main__":`, for each worker imports it'
                )
        self._start()
        return [(worker.chunk, f"its process ended: {_ending(code)}")] if worker.chunk else []

    def close(self, now: bool) -> None:
        for worker in self._workers:
            if now:
                worker.process.kill()
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join(5.0)
            worker.process.kill()  # threads of the user may keep a process from ending
            worker.process.join()
        self._workers = []


def _ending(code: int | None) -> str:
    return f"exit code {code}" if code is None or code >= 0 else f"signal {-code}"


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that start now use one thread each, unless the environment says otherwise."""
    ours = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def pickled(run: Callable[..., Any]) -> bytes:
    """The function in the form in which it is sent to other processes of one's own: by its name, where they can import
    it; with its code, where it was typed into Python or a notebook or stands inside of another function. A ModelError
    says why it cannot be sent."""
    inner = getattr(run, "func", run)
    name = getattr(inner, "__qualname__", repr(inner))
    what = f"a function inside of {name.split('.<locals>')[0]!r}" if "<locals>" in name else f"{name!r}"
    cure = "define it at the top level of a module, or run in this process: workers=0"
    main = sys.modules.get("__main__")
    typed = not Path(getattr(main, "__file__", "") or "<>").is_file()
    try:
        import cloudpickle
    except ImportError:
        if typed and getattr(inner, "__module__", None) == "__main__":
            raise MissingExtraError(
                f"study: {name!r} was typed into Python, where other processes do not find it; the package "
                "cloudpickle, which sends its code, is not installed: pip install cloudpickle, or run in this process: "
                "workers=0"
            ) from None
        cloudpickle = None
    if not typed or cloudpickle is None:
        try:
            return pickle.dumps(run)
        except Exception as why:
            if cloudpickle is None:
                raise ModelError(f"study: {what} cannot be sent to other processes ({why}); {cure}") from None
    try:
        return bytes(cloudpickle.dumps(run))
    except Exception as why:
        raise ModelError(
            f"study: {what} cannot be sent to other processes, with what it uses ({why}); let it make that itself, or "
            "run in this process: workers=0"
        ) from None


def usable_cores() -> int:
    """The number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


# -- an executor ------------------------------------------------------------------------------------------------------


class ExecutorPool:
    """An executor of the user: anything whose `submit` gives futures of `concurrent.futures`, or a Dask client."""

    chunks = True

    def __init__(self, run: Callable[..., Any], executor: Any):
        sent = isinstance(executor, ProcessPoolExecutor) and not isinstance(run, Together)
        self._run = Sent(pickled(run)) if sent else run
        self._client = executor if hasattr(executor, "get_executor") else None
        self._executor = executor.get_executor(pure=False) if self._client is not None else executor
        if not hasattr(self._executor, "submit"):
            raise ModelError(
                f"study: {type(executor).__name__} is no executor; give one of concurrent.futures or a Dask client"
            )
        self._running: dict[Future, Chunk] = {}

    @property
    def size(self) -> int:
        """The number of threads of the cluster at this moment, or of workers of the executor."""
        if self._client is not None:
            return max(1, sum(self._client.nthreads().values()))
        return getattr(self._executor, "_max_workers", None) or usable_cores()

    def room(self) -> bool:
        return len(self._running) < 2 * self.size  # for each worker one chunk at work and one that waits

    def submit(self, chunk: Chunk) -> None:
        try:
            future = self._executor.submit(run_chunk, self._run, [parameters for _, parameters in chunk])
        except (BrokenExecutor, RuntimeError) as why:
            raise BrokenPoolError(f"the executor takes no more runs ({why})") from None
        self._running[future] = chunk

    def reports(self, seconds: float) -> list[Report]:
        done, _ = wait(self._running, timeout=seconds, return_when=FIRST_COMPLETED)
        arrived: list[Report] = []
        broken: BaseException | None = None
        for future in done:
            why = None if future.cancelled() else future.exception()
            if future.cancelled() or isinstance(why, BrokenExecutor):
                broken = why or RuntimeError("cancelled")
                continue
            chunk = self._running.pop(future)
            arrived.append((chunk, future.result() if why is None else f"{type(why).__name__}: {why}"))
        if broken is not None and not arrived:
            raise BrokenPoolError(f"the executor is broken ({broken})")
        return arrived

    def close(self, now: bool) -> None:
        for future in self._running:
            future.cancel()
        self._running = {}


Pool = ThisProcess | Processes | ExecutorPool

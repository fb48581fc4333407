"""Processes that share a list of functions to compile."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from flexmb.errors import WarmUpError
from flexmb.kernels import cache
from flexmb.kernels.compilation import INTERPRETED
from flexmb.kernels.warming.work import GONE, NEW, THERE, compile_number
from flexmb.kernels.warming.workers import Worker, command, with_memory

#: how often [s] the progress is shown
PERIOD = 0.1


@dataclass
class Progress:
    """How far a list is: the functions that were compiled, that were there, and that the sources have no more; how many
    there are in all, the numbers of those that are being compiled, and how many processes share them."""

    total: int
    processes: int = 1
    outcomes: Counter[str] = field(default_factory=Counter)
    now: dict[int, int] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """The functions that are done."""
        return self.outcomes.total()

    @property
    def new(self) -> int:
        """The functions that were compiled."""
        return self.outcomes[NEW]

    @property
    def there(self) -> int:
        """The functions that had been compiled before."""
        return self.outcomes[THERE]

    @property
    def gone(self) -> int:
        """The functions of the list that there are no more, or that do not compile."""
        return self.outcomes[GONE]


def compile_list(
    numbers: Sequence[int], processes: int = 1, show: Callable[[Progress], None] = lambda progress: None
) -> Progress:
    """Compile functions of the list that comes with the package, given by their numbers, into the cache, shared by so
    many processes, or by as many as have the memory that they need. `show` is called again and again meanwhile. Ctrl-C
    ends the processes; what they have compiled is kept.

    With one process this one compiles, and remembers what it has compiled.

    >>> compile_list([])
    Progress(total=0, processes=1, outcomes=Counter(), now={})
    """
    if INTERPRETED:
        raise WarmUpError("Numba is switched off (NUMBA_DISABLE_JIT), so that nothing is compiled; switch it on")
    why = cache.unusable(cache.folder())
    if why:
        where = f"kernels cannot be kept in {cache.folder()}: {why}"
        raise WarmUpError(f"{where}; let NUMBA_CACHE_DIR name a folder that is yours alone")
    progress = Progress(len(numbers))
    count = min(processes, len(numbers))
    if count > 1 and command():
        count = with_memory(count)
    if count < 2 or not command():
        for number in numbers:
            progress.now[0] = number
            show(progress)
            progress.outcomes[compile_number(number)] += 1
        progress.now.clear()
        return progress
    progress.processes = count
    _share(list(reversed(numbers)), count, progress, show)
    return progress


def _share(todo: list[int], count: int, progress: Progress, show: Callable[[Progress], None]) -> None:
    """Share functions among processes: each gets the next one, from the end of the list, when it has compiled one."""
    workers: list[Worker] = []
    failed, counting = threading.Event(), threading.Lock()

    def lead(worker: Worker) -> None:
        """Give a process one function after another."""
        while not failed.is_set():
            try:
                number = todo.pop()
            except IndexError:
                break
            progress.now[worker.process.pid] = number
            worker.tell(number)
            outcome = worker.answer()
            if outcome is None:
                failed.set()
                break
            with counting:
                progress.outcomes[outcome] += 1
        progress.now.pop(worker.process.pid, None)

    threads: list[threading.Thread] = []
    try:
        for _ in range(count):
            workers.append(Worker("each"))
            threads.append(threading.Thread(target=lead, args=(workers[-1],), daemon=True))
            threads[-1].start()
        while any(thread.is_alive() for thread in threads) and not failed.wait(PERIOD):
            show(progress)
    finally:
        for worker in workers:
            worker.stop()
        for worker, thread in zip(workers, threads):
            worker.process.wait()
            thread.join()
            worker.process.stdout.close()  # type: ignore[union-attr]
    if failed.is_set():
        raise WarmUpError(
            f"a process that compiles has ended after {progress.done} of {progress.total} functions, as if stopped from"
            " outside or without memory; what was compiled is kept, so run it again, with fewer --processes"
        )

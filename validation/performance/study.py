"""1000 runs of the flexible pendulum over the diameter of its rod: one worker process against two, in turn."""

from __future__ import annotations

import sys

from flexmb.examples.pendulum_study import swing
from flexmb.studies.parameters import random_parameters
from flexmb.studies.study import study
from flexmb.studies.table import Study

#: number of runs, and of turns for each number of processes
RUNS, TURNS = 1000, 2


def main(runs: int = RUNS, turns: int = TURNS) -> None:
    """Print times, their ratio, and how much of them was spent in the runs themselves."""
    parameters = random_parameters(runs, seed=1, method="latin", diameter=(0.014, 0.036), length=(0.7, 1.0))
    studies: dict[int, list[Study]] = {1: [], 2: []}
    for _ in range(turns):
        for workers in studies:
            one = study(swing, parameters, workers=workers)
            studies[workers].append(one)
            busy = one.seconds.sum()
            print(
                f"{workers} process{'es' if workers > 1 else ''}: {one.elapsed:.2f} s, {len(one.ok)} of {runs} ok; "
                f"a run takes {1e3 * busy / runs:.1f} ms, "
                f"the processes are at work {100 * busy / workers / one.elapsed:.1f} %"
            )
    single, double = (min(one.elapsed for one in studies[workers]) for workers in (1, 2))
    print(f"two processes are {single / double:.2f} times as fast as one")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

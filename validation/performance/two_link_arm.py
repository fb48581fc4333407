"""How many times faster than real time the two-link arm runs, with its controllers sampled every millisecond."""

from __future__ import annotations

import sys
import time

from flexmb.examples import two_link_arm as arm

#: the simulated time [s], and the number of runs
SPAN, TURNS = 6.0, 7


def main(turns: int = TURNS) -> None:
    """Print the shortest time of several whole runs in turn, and compare it with the simulated time."""
    design = arm.design()
    best = dict.fromkeys(arm.CONTROLLERS, float("inf"))
    for _ in range(turns + 1):  # the first run loads compiled code
        for name in arm.CONTROLLERS:
            begun = time.perf_counter()
            run = arm.controlled(name, arm.SMALL, of=design, t_end=SPAN, second_run=False)
            best[name] = min(best[name], time.perf_counter() - begun)
            assert run.t[-1] == SPAN
    for name, seconds in best.items():
        print(
            f"{name:15s} {1e3 * seconds:6.1f} ms for {SPAN:g} s: {SPAN / seconds:5.0f} times as fast as real time, "
            f"{1e6 * seconds * arm.PERIOD / SPAN:.1f} µs a step and sample of {1e3 * arm.PERIOD:g} ms"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

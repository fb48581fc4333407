"""Spin-up beam in space: one CMS element against Exudyn's ANCF cable, time to lag and flap within 0.5 %.

Also the errors of elements and modes against time.
The time of flexmb is that of the whole `simulate`, with assembly, and that of a run of a model that is bound once
(:class:`flexmb.Simulator`); the time of Exudyn is that of its solver alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import flexmb as fm
from flexmb.validation.performance import peer_exudyn_space
from flexmb.validation.performance.timing import timed
from flexmb.validation.references import spin_up_space as data
from flexmb.validation.spin_up_space import build, deflection

#: elements, modes a plane and fixed step [s] of flexmb's beam; the first is the fastest within 0.5 %, the second within
#: 0.05 %
OWN = ((1, 1, 0.032), (1, 1, 0.01), (1, 2, 0.01), (2, 1, 0.01), (2, 2, 0.005))
#: settings of the peer: those with which the numbers are often quoted, and the fastest ones that reach 0.5 % with its
#: standard integration and with any integration
PEERS: dict[str, dict[str, Any]] = {
    "as quoted": {"elements": 4, "steps": 4000},
    "fastest, standard integration": peer_exudyn_space.FASTEST_STANDARD,
    "fastest, any integration": peer_exudyn_space.FASTEST,
    "finer": {"elements": 3, "steps": 1200, "integration": 2},
}


def errors(found: data.Result) -> str:
    """How far lag and flap are off, in percent."""
    lag, flap = (100.0 * abs(a / b - 1.0) for a, b in zip((found.lag, found.flap), (data.EXACT.lag, data.EXACT.flap)))
    return f"lag {lag:.2f} % off, flap {flap:.2f} % off"


def ours(elements: int, modes: int, step: float) -> Callable[[], fm.Solution]:
    """A run of flexmb with these settings, to be called."""
    model = build(elements=elements, modes=modes, torsion_modes=0)
    return partial(fm.simulate, model, data.T_END, step=step, progress=False, second_run=False)


def bound(elements: int, modes: int, step: float) -> Callable[[], fm.Solution]:
    """A run of a model that is bound to these settings now, to be called."""
    model = build(elements=elements, modes=modes, torsion_modes=0)
    simulator = fm.Simulator(model, "generalized_alpha", step=step, second_run=False)
    return partial(simulator.run, data.T_END, progress=False)


def main() -> None:
    """Print errors, times and ratios."""
    for elements, modes, step in OWN:
        run = ours(elements, modes, step)
        solution, seconds = run(), min(timed(run) for _ in range(7))
        label = f"flexmb, {elements} CMS element{'s' * (elements > 1)}, {modes} modes a plane, step {step} s"
        print(f"{label}: {errors(data.result(solution.t, *deflection(solution).T))}, {1e3 * seconds:.1f} ms")
    print("the first of these, and the second where the other is finer, against:")
    for label, settings in PEERS.items():
        run, again = ours(*OWN[label == "finer"]), bound(*OWN[label == "finer"])
        peer_times, our_times, bound_times = [], [], []
        for _ in range(5):  # the two codes in turn
            t, end, seconds = peer_exudyn_space.spin_up(**settings)
            peer_times.append(seconds)
            our_times += [timed(run) for _ in range(2)]
            bound_times += [timed(again) for _ in range(2)]
        text = ", ".join(f"{value} {name}" for name, value in settings.items())
        print(
            f"Exudyn, {label} ({text}): {errors(data.result(t, *end.T))}, {1e3 * min(peer_times):.1f} ms; "
            f"flexmb {1e3 * min(our_times):.1f} ms, {min(peer_times) / min(our_times):.1f} times as fast, bound once "
            f"{1e3 * min(bound_times):.1f} ms, {min(peer_times) / min(bound_times):.1f} times"
        )


if __name__ == "__main__":
    main()

"""Spin-up beam: one CMS element against Exudyn's ANCF cable, time to a deflection within 0.3 % of the reference.

The time of flexmb is that of the whole `simulate`, with assembly, and that of the same without the second run in half
the step, by which it estimates the error of its fixed steps; the time of Exudyn, which estimates none, is that of its
solver alone.
"""

from __future__ import annotations

from typing import Any

import flexmb as fm
from flexmb.examples.spin_up import build, deflection
from flexmb.validation.performance import peer_exudyn
from flexmb.validation.performance.timing import timed
from flexmb.validation.references import spin_up as data
from flexmb.validation.spin_up import largest

#: bending modes and fixed step [s] of the CMS element, the longest of some that reach 0.3 %
MODES, STEP = 1, 1.0 / 30.0
#: settings of the peer: its default criterion, on the residual, which makes it halve most steps again and again; and
#: the fastest ones that reach 0.3 % with its standard integration and with any integration
PEERS: dict[str, dict[str, Any]] = {
    "default criterion, 8 elements": {"elements": 8, "steps": 2000, "newton": "full", "tolerance": 1e-4},
    "default criterion, 4 elements": {"elements": 4, "steps": 2000, "newton": "full", "tolerance": 1e-4},
    "fastest, standard integration": peer_exudyn.SPIN_UP_FASTEST_STANDARD,
    "fastest, reduced integration": peer_exudyn.SPIN_UP_FASTEST,
}


def main() -> None:
    """Print errors, times and ratios."""
    model = build(modes=MODES)

    def ours() -> fm.Solution:
        return fm.simulate(model, data.T_END, step=STEP, progress=False)

    def once() -> fm.Solution:
        return fm.simulate(model, data.T_END, step=STEP, progress=False, second_run=False)

    solution = ours()
    w, _ = largest(solution.t, deflection(solution))
    print(f"flexmb, 1 CMS element, {MODES} bending mode, step {STEP:.4f} s: {w:.4f} m, {_off(w):.2f} % off")
    for label, settings in PEERS.items():
        peer_times, our_times, times_of_one = [], [], []
        for _ in range(5):  # the two codes in turn
            t, curve, seconds = peer_exudyn.spin_up(**settings)
            peer_times.append(seconds)
            our_times += [timed(ours) for _ in range(4)]
            times_of_one += [timed(once) for _ in range(4)]
        w, _ = largest(t, curve)
        our_time, alone, peer_time = min(our_times), min(times_of_one), min(peer_times)
        print(
            f"Exudyn, {label} ({settings['elements']} elements, {settings['steps']} steps): {w:.4f} m, "
            f"{_off(w):.2f} % off, {1e3 * peer_time:.1f} ms; flexmb {1e3 * our_time:.1f} ms, "
            f"{peer_time / our_time:.1f} times as fast; without its second run {1e3 * alone:.1f} ms, "
            f"{peer_time / alone:.1f} times"
        )


def _off(w: float) -> float:
    return 100.0 * abs(w / data.REFERENCE_DEFLECTION - 1.0)


if __name__ == "__main__":
    main()

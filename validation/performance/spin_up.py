"""Spin-up beam: one CMS element against Exudyn's ANCF cable, time to a deflection within 0.3 % of the reference.

Time here is the whole of `simulate`, assembly included; there it is the solver alone.
"""

from __future__ import annotations

import flexmb as fm
from flexmb.validation.performance import peer_exudyn
from flexmb.validation.performance.timing import seconds
from flexmb.validation.references import spin_up as data
from flexmb.validation.spin_up import build, deflection, largest

#: fixed step [s] of the CMS element
STEP = 0.025
#: elements, steps and relative Newton tolerance of the peer; the first reaches 0.3 %, the second is there for its speed
PEERS = ((8, 2000, "full", 1e-4), (8, 2000, "modified", 1e-4), (4, 2000, "full", 1e-4))


def main() -> None:
    """Print errors, times and ratios."""
    model = build()
    solution = fm.simulate(model, data.T_END, step=STEP, progress=False)
    w, _ = largest(solution.t, deflection(solution))
    ours = seconds(lambda: fm.simulate(model, data.T_END, step=STEP, progress=False), 20)
    off = 100 * abs(w / data.REFERENCE_DEFLECTION - 1)
    print(f"flexmb, 1 CMS element, step {STEP} s: {w:.4f} m, {off:.2f} % off, {1e3 * ours:.1f} ms")
    for elements, steps, newton, tolerance in PEERS:
        runs = [peer_exudyn.spin_up(elements, steps, newton, tolerance) for _ in range(2)]
        t, deflections, _ = runs[0]
        w, _ = largest(t, deflections)
        off = 100 * abs(w / data.REFERENCE_DEFLECTION - 1)
        theirs = min(run[2] for run in runs)
        print(
            f"Exudyn, {elements} ANCF elements, {steps} steps, {newton} Newton, tolerance {tolerance:g}: {w:.4f} m, "
            f"{off:.2f} % off, {1e3 * theirs:.0f} ms, {theirs / ours:.1f} times as long"
        )


if __name__ == "__main__":
    main()

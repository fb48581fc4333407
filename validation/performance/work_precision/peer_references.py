"""Converged motions of the cables that stand in Exudyn for CMS elements.

`python -m flexmb.validation.performance.work_precision.peer_references NAME …` (all without a name) writes them beside
the others. Generalized-α with four numbers of steps is extrapolated, errors h², h³ and h⁴ fall away, and what three of
these runs give confirms it.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np

from flexmb.validation.performance.work_precision import peers, references
from flexmb.validation.performance.work_precision.lines import Setting
from flexmb.validation.performance.work_precision.peer_models import MODELS
from flexmb.validation.performance.work_precision.problems import PROBLEMS, Problem

COMMAND = "python -m flexmb.validation.performance.work_precision.peer_references"
#: steps of the coarsest of the extrapolated runs
COUNTS = {"spin-up": 5120, "slider-crank": 5120, "stiff-rod": 81920}
#: what extrapolated motions must agree to; methods of second order come no nearer in a reasonable time
AGREEMENT = 1e-7


def extrapolated(problem: Problem) -> tuple[np.ndarray, float, str]:
    """A motion by generalized-α, how far it is from what three of its four runs give, and by what."""
    run = peers.runner(problem, MODELS[problem.name][0], "GeneralizedAlpha", problem.length)
    newton = peers.Newton("full", "increment", 1e-12, "EigenSparse")
    table = []
    for level in range(4):
        options = (problem.t_end / (COUNTS[problem.name] * 2**level), newton)
        table.append(run(Setting(np.nan, "", options), problem.t_end, np.inf).observed)
    for order in (2, 3, 4):
        last = table
        table = [fine + (fine - coarse) / (2.0**order - 1.0) for coarse, fine in itertools.pairwise(table)]
    apart = float(np.max(np.abs(table[0] - last[-1])))
    return table[0], apart, f"generalized-α of Exudyn, extrapolated from {COUNTS[problem.name]} steps and more"


def main(names: list[str]) -> None:
    """Compute and write references; one that does not converge is not written."""
    for name, (_, _, kept) in MODELS.items():
        if kept == name or (names and kept not in names):
            continue
        problem = PROBLEMS[name]
        observed, apart, by = extrapolated(problem)
        print(f"{kept}: {by}; apart by {apart:.1e}", flush=True)
        if apart <= AGREEMENT:
            said = {"command": f"{COMMAND} {kept}", "by": by, "apart by": apart}
            references.save(kept, problem.times, observed, said)


if __name__ == "__main__":
    main(sys.argv[1:])

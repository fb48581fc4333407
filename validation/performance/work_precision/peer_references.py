"""Converged motions of the cables that stand in Exudyn for CMS elements.

`python -m flexmb.validation.performance.work_precision.peer_references NAME …` (all without a name) writes them beside
the others. Where there are no constraints, RK67 has steps that are halved until two runs agree. Else generalised-α with
four numbers of steps is extrapolated, errors h², h³ and h⁴ fall away, and what three of these runs give confirms it.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np

from flexmb.errors import SolverError
from flexmb.validation.performance.work_precision import peers, references
from flexmb.validation.performance.work_precision.lines import CutOffError, Setting
from flexmb.validation.performance.work_precision.peer_models import MODELS
from flexmb.validation.performance.work_precision.problems import PROBLEMS, Problem

COMMAND = "python -m flexmb.validation.performance.work_precision.peer_references"
#: steps of the coarsest of the extrapolated runs
COUNTS = {"spin-up": 5120, "slider-crank": 5120}
#: what extrapolated motions must agree to; methods of second order come no nearer in a reasonable time
AGREEMENT = 1e-7


def halved(problem: Problem) -> tuple[np.ndarray, float, str]:
    """A motion by RK67, how far two runs were apart, and by what."""
    explicit = MODELS[problem.name][1]
    assert explicit is not None
    run, before, count = peers.runner(problem, explicit, "RK67", problem.length), None, 40 * 2**5
    while count < 40 * 2**18:
        try:
            now = run(Setting(np.nan, "", problem.t_end / count), problem.t_end, np.inf).observed
        except CutOffError:
            now = None
        if now is not None and before is not None and np.max(np.abs(now - before)) < references.AGREEMENT:
            return now, float(np.max(np.abs(now - before))), f"RK67 of Exudyn, {count} steps"
        before, count = now, 2 * count
    raise SolverError(f"reference {problem.name!r}: no step of RK67 is short enough")


def extrapolated(problem: Problem) -> tuple[np.ndarray, float, str]:
    """The same by generalised-α."""
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
    return table[0], apart, f"generalised-α of Exudyn, extrapolated from {COUNTS[problem.name]} steps and more"


def main(names: list[str]) -> None:
    """Compute and write references; one that does not converge is not written."""
    for name, (_, explicit, kept) in MODELS.items():
        if kept == name or (names and kept not in names):
            continue
        problem = PROBLEMS[name]
        observed, apart, by = extrapolated(problem) if explicit is None else halved(problem)
        print(f"{kept}: {by}; apart by {apart:.1e}", flush=True)
        if apart <= AGREEMENT:
            said = {"command": f"{COMMAND} {kept}", "by": by, "apart by": apart}
            references.save(kept, problem.times, observed, said)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Reference motions: computed by one method, confirmed by another, and kept as text.

`python -m flexmb.validation.performance.work_precision.references NAME …` computes those of the named problems (all
without a name) and writes `validation/references/work_precision/NAME.json`. A file holds the command, both methods, how
far they were apart, the times [s] and the observed numbers (:meth:`.problems.Problem.observe`).

- Where there is a closed form or another derivation, that is the reference, and "projection" at 1e-12 confirms it. The
  row of parallelograms follows elliptic functions, and its one coordinate integrated confirms them.
- Else "rkf45", projected in each step, has steps that are halved until two runs agree to 1e-10, so that the error of
  the finer is some 3e-12 by its fifth order; DOP853 of SciPy on the index-1 form, at 1e-11 and not projected, confirms
  it, with a new start at each of the times, so that nothing is interpolated. Where rounding of forces leaves that one
  no steps, "radau" at 1e-12 does, in runs that end at the times that count.
- With sampled controllers, DOP853 integrates from one sample to the next, with commands held that are computed here;
  the extrapolated answers of "generalized_alpha" with four fixed steps confirm it.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import DOP853

from flexmb.errors import SolverError
from flexmb.examples.two_link_arm import arm, motions
from flexmb.validation.performance.work_precision.lines import CutOffError
from flexmb.validation.performance.work_precision.own import simulated
from flexmb.validation.performance.work_precision.problems import ARM_ANGLE, ARM_PHASE, PROBLEMS, Problem
from flexmb.validation.performance.work_precision.scipy_lines import IndexOne

FOLDER = Path(__file__).parent.parent.parent / "references" / "work_precision"
COMMAND = "python -m flexmb.validation.performance.work_precision.references"
#: two methods must agree to this
AGREEMENT = 1e-10
#: tolerances from sample to sample: relative, and absolute in model lengths
RTOL, ATOL = 1e-13, 1e-15


def known(name: str) -> bool:
    """Whether there is a reference of this name."""
    return (FOLDER / f"{name}.json").exists()


def load(name: str) -> np.ndarray:
    """The observed numbers (k, c) of the reference of this name."""
    path = FOLDER / f"{name}.json"
    if not known(name):
        raise SolverError(f"there is no reference {path}; make it by: {COMMAND} {name}")
    return np.array(json.loads(path.read_text(encoding="utf-8"))["observed"])


def save(name: str, times: np.ndarray, observed: np.ndarray, said: dict[str, Any]) -> None:
    """Write a reference with what is `said` of it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    head = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in said.items()]
    rows = ",\n    ".join(json.dumps(row) for row in observed.tolist())
    lines = [*head, f'  "times": {json.dumps(times.tolist())}', f'  "observed": [\n    {rows}\n  ]']
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def compute(problem: Problem) -> tuple[np.ndarray, dict[str, Any]]:
    """The reference of a problem, and what is to be said of it."""
    length = problem.length
    if problem.exact is not None:
        observed, by = problem.exact(problem.times, length), "closed form, or derived apart (validation/references)"
        if problem.other is not None:
            other = problem.other(problem.times, length)
            return observed, _said(
                problem.name, by, "DOP853 of SciPy on its one coordinate, rtol 1e-13", observed - other
            )
        at = [round(end / problem.t_end * (len(problem.times) - 1)) for end in problem.ends]
        options = {"tolerance": 1e-12, "absolute_tolerance": 1e-14}
        other = np.array([_ended(problem, end, length, "projection", options) for end in problem.ends])
        return observed, _said(problem.name, by, "projection, rtol 1e-12, at its ends", observed[at] - other)
    if problem.build().controllers:
        observed = _sampled(problem, length)
        by = "DOP853 from sample to sample, rtol 1e-13; commands held"
        other = _extrapolated(problem, length)
        return observed, _said(problem.name, by, "generalized_alpha, extrapolated from four steps", observed - other)
    observed, step = _halved(problem, length)
    if problem.rounds:
        at = [round(end / problem.t_end * (len(problem.times) - 1)) for end in problem.ends]
        other = np.array([_ended(problem, end, length, "radau", {"tolerance": 1e-12}) for end in problem.ends])
        by = "radau, tolerance 1e-12, at its ends"
        return observed, _said(problem.name, f"rkf45, step {step:.3g} s", by, observed[at] - other)
    form = IndexOne(problem.build(), problem.t_end)
    states, _ = form.follow(DOP853, problem.times, 1e-11, 1e-13, anew=True)
    other = problem.observe(form.solution(problem.times, states), length)
    by = "DOP853 of SciPy on the index-1 form, rtol 1e-11, anew at each time"
    return observed, _said(problem.name, f"rkf45, step {step:.3g} s", by, observed - other)


def _said(name: str, by: str, confirmed: str, apart: np.ndarray) -> dict[str, Any]:
    apart_by = float(np.max(np.abs(apart)))
    return {"command": f"{COMMAND} {name}", "by": by, "confirmed by": confirmed, "apart by": apart_by}


def _ended(problem: Problem, end: float, length: float, method: str, options: dict[str, Any]) -> np.ndarray:
    """What a method gives at the end of a run."""
    return problem.observe(simulated(problem.build(), end, method, np.inf, options), length)[-1]


def _halved(problem: Problem, length: float, first: int = 2**5) -> tuple[np.ndarray, float]:
    """What "rkf45" gives at all times, with steps that were halved until two runs agree; and the step."""
    before = None
    for k in range(20):
        step = problem.t_end / ((len(problem.times) - 1) * first * 2**k)
        try:
            solution = simulated(problem.build(), problem.t_end, "rkf45", np.inf, {"step": step})
        except CutOffError:  # the step is too long
            before = None
            continue
        now = problem.observe(solution.at(np.minimum(problem.times, solution.t[-1])), length)
        if before is not None and np.max(np.abs(now - before)) < AGREEMENT:
            return now, step
        before = now
    raise SolverError(f"reference {problem.name!r}: no step of rkf45 is short enough")


def _sampled(problem: Problem, length: float) -> np.ndarray:
    """The arm under its two servos: torque = kp (wanted − angle) + kd (wanted rate − rate), held over a period."""
    form = IndexOne(problem.build(), problem.t_end)
    system = form.system
    wanted = motions.rotor_motion(ARM_ANGLE, ARM_PHASE)
    rotors = [system.names.index(f"{name} motor.rotor") for name in ("shoulder", "elbow")]
    places = [system.strength_places(f"{name} motor") for name in ("shoulder", "elbow")]
    samples = round(problem.t_end / arm.PERIOD)
    states, y = [form.y.copy()], form.y
    for k in range(samples):
        t = k * arm.PERIOD
        for rotor, place, (kp, kd) in zip(rotors, places, arm.GAINS):
            off, rate = wanted(t) - y[rotor], wanted.rate(t) - y[system.nq + rotor]
            system.plan.p[place] = kp * off + kd * rate
        solver = DOP853(form.f, t, y, (k + 1) * arm.PERIOD, rtol=RTOL, atol=form.absolute(ATOL))
        while solver.status == "running":
            solver.step()
        y = solver.y
        states.append(y.copy())
    every = samples // (len(problem.times) - 1)
    return problem.observe(form.solution(problem.times, np.array(states[::every])), length)


def _extrapolated(problem: Problem, length: float) -> np.ndarray:
    """Richardson's extrapolation of the second-order method with steps h, h/2, h/4, h/8: errors h², h³ and h⁴ fall
    away."""
    table = []
    for parts in (8, 16, 32, 64):
        options = {"step": arm.PERIOD / parts, "newton_tolerance": 1e-13, "save_every": parts}
        solution = simulated(problem.build(), problem.t_end, "generalized_alpha", np.inf, options)
        table.append(problem.observe(solution.at(np.minimum(problem.times, solution.t[-1])), length))
    for order in (2, 3, 4):
        table = [fine + (fine - coarse) / (2.0**order - 1.0) for coarse, fine in itertools.pairwise(table)]
    return table[0]


def main(names: list[str]) -> None:
    """Compute and write references; one whose methods do not agree is not written."""
    for name in names or PROBLEMS:
        problem = PROBLEMS[name]
        observed, said = compute(problem)
        print(f"{name}: {said['by']}; {said['confirmed by']}; apart by {said['apart by']:.1e}", flush=True)
        if not said["apart by"] <= AGREEMENT:
            print(f"{name}: not written, since the methods are apart by more than {AGREEMENT:g}", flush=True)
            continue
        save(name, problem.times, observed, said)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Methods of a user's own: explicit Runge–Kutta methods by their tableaux, and methods by two compiled functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.algebra.tableau import Tableau
from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.model import checks, given_names
from flexmb.model.hints import answers_calls
from flexmb.solvers.methods.explicit import runge_kutta as tableaux
from flexmb.solvers.methods.explicit.explicit_run import Chosen, OneStepMethod
from flexmb.solvers.methods.explicit.explicit_step import combined_errors
from flexmb.solvers.methods.registry import METHODS, Method
from flexmb.solvers.runs.run import Run

#: Sums of coefficients may differ from those that a tableau needs by this much: coefficients with few digits are wrong.
SUMS = 1e-12
#: `of_tolerance` of a method of which nobody has measured it: that of Fehlberg 4(5) is three times as large.
OF_TOLERANCE = 0.05
_OWN: set[str] = set()


@answers_calls
def runge_kutta(
    a: Any, b: Any, *, order: int, embedded: Any = None, of_tolerance: float = OF_TOLERANCE
) -> OneStepMethod:
    """An explicit Runge–Kutta method by its tableau, for :func:`flexmb.add_method`.

    `a` (s, s), with zeros on and above the diagonal, and the weights `b` (s,) of a method of the given `order`: stage i
    is at the time t + c_i h with c_i = Σ_j a_ij. `embedded` (s,): the weights of a method of the order before, whose
    difference from `b` is the estimate of the error; without them the method has fixed steps alone. `of_tolerance`: the
    estimate that is allowed for a step, as a multiple of the tolerance; measure it on a motion that is known.

    >>> import flexmb as fm
    >>> heun = fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.5], order=2, embedded=[1, 0])
    >>> heun.stages, heun.record.c.tolist()
    (2, [0.0, 1.0])
    """
    where = "runge_kutta"
    A = checks.numbers(a, "a", where, "rows of as many numbers as there are stages").astype(float)
    weights = checks.numbers(b, "b", where, "a number for each stage").astype(float)
    s = len(weights) if weights.ndim == 1 else 0
    if s == 0 or A.shape != (s, s):
        raise SolverError(f"{where}: a has the shape {A.shape} and b {weights.shape}; give a (s, s) and b (s,)")
    if np.any(np.triu(A)):
        raise SolverError(f"{where}: a has entries on or above its diagonal, so that the method is not explicit")
    order, share = checks.count(order, "order", where, least=1), checks.positive(of_tolerance, "of_tolerance", where)
    other = weights
    if embedded is not None:
        other = checks.numbers(embedded, "embedded", where, "a number for each stage").astype(float)
    if other.shape != (s,):
        raise SolverError(f"{where}: embedded has the shape {other.shape}; give as many weights as b has, {s}")
    for name, of in (("b", weights), ("embedded", other)):
        if abs(of.sum() - 1.0) > SUMS:
            raise SolverError(f"{where}: the weights {name} add up to {of.sum():.15g}; they must add up to 1")
    errors = np.array([weights - other, np.zeros(s)])
    table = Tableau(A, weights, A.sum(axis=1), errors, order)
    share = 0.0 if embedded is None else share
    return OneStepMethod(tableaux.attempt, combined_errors, table, stages=s, of_tolerance=share)


@answers_calls
def add_method(name: str, formula: OneStepMethod) -> None:
    """Add a method to those of :func:`flexmb.simulate`, under a name; a method of your own of this name is replaced.

    It then has options as "rkf45" has them: a fixed `step` [s], one of which has to be given, or a `tolerance` with
    `max_step` [s] if it estimates its error; `project`, `rotations`, `formulation`. It is known in this process; where
    others make the runs of a study, add it in the module of the study's function.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> body = m.add_body("stone", mass=1.0, inertia=0.1)
    >>> fm.add_method("heun", fm.runge_kutta([[0, 0], [1, 0]], [0.5, 0.5], order=2))
    >>> round(float(fm.simulate(m, 1.0, "heun", step=0.01)["stone.y"][-1]), 6)
    -5.0
    """
    where = "add_method"
    given_names.name(name, where)
    if not isinstance(formula, OneStepMethod):
        raise SolverError(f"{where}: formula is {checks.quoted(formula)}; give fm.runge_kutta(…), or a OneStepMethod")
    if name in METHODS and name not in _OWN:
        raise SolverError(f"{where}: {name!r} is a method of flexmb; give yours another name")

    def follow(
        run: Run,
        *,
        step: float | None = None,
        tolerance: float | None = None,
        max_step: float | None = None,
        project: bool = True,
        rotations: str | None = None,
        formulation: str | Hybrid | None = None,
    ) -> None:
        _run(run, name, formula, Chosen(step, tolerance, max_step, project, rotations, formulation))

    def fixed(
        run: Run,
        *,
        step: float | None = None,
        project: bool = True,
        rotations: str | None = None,
        formulation: str | Hybrid | None = None,
    ) -> None:
        _run(run, name, formula, Chosen(step, None, None, project, rotations, formulation))

    follows = formula.of_tolerance > 0.0
    METHODS.enter(name, Method(follow if follows else fixed, usual=None, step_or_tolerance=follows))
    _OWN.add(name)


def _run(run: Run, name: str, method: OneStepMethod, chosen: Chosen) -> None:
    if chosen.step is None and chosen.tolerance is None:
        raise SolverError(
            f"simulate model {run.system.model.name!r}: method {name!r} has no default step; give step=…"
            f"{', or tolerance=…' if method.of_tolerance else ''}"
        )
    method.run(run, chosen)
    if not method.of_tolerance:  # no estimate of its error but a second run
        run.report.carried_error = np.inf

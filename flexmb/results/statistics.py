"""What a run reports of itself, the same for all methods."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from flexmb.machine import reports
from flexmb.model.hints import AnswersCalls


@dataclass
class Statistics(metaclass=AnswersCalls):
    """Counts and errors of a run.

    `steps` accepted and `rejected`; Newton `iterations`; `factorizations`; exact `jacobians` and `evaluations` of the
    right-hand side; `position_drift`, `velocity_drift`: largest |g| and |ġ| after a step, in units of the model's
    length (and of a radian); `position_correction`, `velocity_correction`: how far the initial values were moved;
    `step_error`: largest estimated error of a coordinate in one step, in the same units, for fixed-step methods
    that estimate it; `estimated_error`: that of the motion by fixed steps, in the same units, or more where that is
    small, NaN where it was not to be found (:mod:`flexmb.solvers.second_run`); `divided`: how many of the fixed steps
    were divided;
    `rounding_error`: what rounding may have left of positions at the end, in the same units, where it is noticed: in
    speeds of "radau" in many short steps, and in passages through singular positions;
    `repartitions`: how often coordinate partitioning chose its independent coordinates anew;
    `other_rows`: how often other constraint rows were left out as redundant;
    `seconds`: how long the run took [s].

    >>> import flexmb as fm
    >>> from flexmb import examples
    >>> run = fm.simulate(examples.load("pendulum").build(), 0.1, step=0.01)
    >>> run.statistics.method, run.statistics.steps, run.statistics.rejected
    ('generalized_alpha', 10, 0)
    """

    method: str = ""
    steps: int = 0
    rejected: int = 0
    iterations: int = 0
    factorizations: int = 0
    jacobians: int = 0
    evaluations: int = 0
    position_drift: float = 0.0
    velocity_drift: float = 0.0
    position_correction: float = 0.0
    velocity_correction: float = 0.0
    repartitions: int = 0
    other_rows: int = 0
    step_error: float = 0.0
    estimated_error: float = 0.0
    divided: int = 0
    rounding_error: float = 0.0
    seconds: float = 0.0

    def note_rounding(self, error: float) -> None:
        """Add an error that has nothing to do with those before it."""
        self.rounding_error = math.hypot(self.rounding_error, error)

    def as_dict(self) -> dict[str, Any]:
        """All of it by name."""
        return asdict(self)

    def _repr_html_(self) -> str:
        rows = [(name.replace("_", " "), value) for name, value in self.as_dict().items() if value]
        return reports.report("Statistics", [], reports.table(["what", "value"], rows))

    def __str__(self) -> str:
        parts = [f"{self.method}: {self.steps} steps"]
        for what in ("rejected", "iterations", "factorizations", "jacobians", "evaluations", "repartitions"):
            if getattr(self, what):
                parts.append(f"{getattr(self, what)} {what}")
        if self.divided:
            parts.append(f"{self.divided} fixed steps divided")
        if math.isnan(self.estimated_error):
            parts.append("its error is not estimated")
        elif self.estimated_error:
            parts.append(f"estimated error {self.estimated_error:.1e}")
        if self.other_rows:
            parts.append(f"other constraint rows {self.other_rows} times")
        parts.append(f"drift {self.position_drift:.1e} / {self.velocity_drift:.1e}")
        return ", ".join(parts) + f", {self.seconds:.3g} s"

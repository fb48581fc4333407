"""The runs that the fuzzer compares: methods with their options, in absolute or in joint coordinates, whole or in two
parts of which the second goes on where the first ended."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.binding.initial_state import initial_state

#: tolerances that leave no doubt
TIGHT: dict[str, dict[str, Any]] = {
    "generalized_alpha": {"tolerance": 1e-6},
    "radau": {"tolerance": 1e-9},
    "independent": {"tolerance": 1e-10},
    "projection": {"tolerance": 1e-11, "absolute_tolerance": 1e-13},
    "baumgarte": {"tolerance": 1e-11, "absolute_tolerance": 1e-13},
    "dop853": {"tolerance": 1e-9},
    "rkf45": {"tolerance": 1e-9},
    "rosenbrock": {"tolerance": 1e-6},
}
#: methods with the options that they are tried with; the last of them are explicit
TRIED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("generalized_alpha", {}),
    ("radau", {}),
    ("independent", {"integrator": "radau"}),
    ("independent", {}),
    ("dop853", {}),
    ("rkf45", {"tolerance": 1e-6}),
    ("projection", {}),
    ("baumgarte", {}),
)
EXPLICIT = 4
#: a method that takes the place of the second one in this part of all pairs, whatever was drawn before
IN_PLACE, PART = "rosenbrock", 0.12


@dataclass(frozen=True)
class RunChoice:
    """How a model is simulated: a method and its options; `split`, the part of the time after which the run is
    interrupted and goes on; `filed`, whether it goes on from a file."""

    method: str
    options: dict[str, Any] = field(default_factory=dict)
    split: float | None = None
    filed: bool = False

    def __str__(self) -> str:
        given = "".join(f", {k}={v!r}" for k, v in self.options.items())
        parts = "" if self.split is None else f" in parts at {self.split:.6g}{' from a file' * self.filed}"
        return f"{self.method}{given}{parts}"

    @property
    def about(self) -> str:
        """What is tried, in a few words."""
        if self.split is not None:
            return "going on from a file" if self.filed else "going on"
        return "joint coordinates" if "formulation" in self.options else "methods"

    def run(self, model: Any, end: float, tight: bool = False, start: Any = None) -> fm.Solution:
        """Simulate a model from 0 to `end` [s], with tight tolerances if asked for. Joints may not let a mechanism turn
        as it was given; what becomes of that is its start, which no run has to doubt."""
        options = self.options | TIGHT[self.method] if tight else self.options
        start = start or initial_state(model)
        if self.split is None:
            return fm.simulate(model, end, self.method, initial=start, progress=False, **options)
        middle = self.split * end
        first = fm.simulate(model, middle, self.method, initial=start, progress=False, **options)
        if first.status != "finished":
            return first
        last = first
        if self.filed:
            with tempfile.TemporaryDirectory() as folder:
                first.save(Path(folder) / "first.h5")
                last = fm.load(Path(folder) / "first.h5")
        return fm.simulate(model, end, self.method, t_start=middle, initial=last, progress=False, **options)


#: a run with default settings
DEFAULT = RunChoice("radau")


def random_choices(rng: np.random.Generator, stiff: bool = False) -> tuple[RunChoice, RunChoice, RunChoice, RunChoice]:
    """Two pairs of runs to be compared: of two methods, the second often in joint coordinates; and a whole run and one
    in two parts, both tight, in either kind of coordinates. Explicit methods, which resolve every vibration, are not
    for stiff mechanisms."""
    tried = [RunChoice(*method) for method in (TRIED[:-EXPLICIT] if stiff else TRIED)]

    def one(formulated: float) -> RunChoice:
        choice = tried[rng.integers(len(tried))]
        formulation = {"formulation": str(rng.choice(list(FORMULATIONS)))} if rng.random() < formulated else {}
        return RunChoice(choice.method, choice.options | formulation)

    first, second, whole = one(0.0), one(0.7), one(0.4)
    while second == first:
        second = one(0.7)
    whole = RunChoice(whole.method, whole.options | TIGHT[whole.method])
    split = float(rng.choice([0.5, rng.uniform(0.1, 0.9)]))
    parts = RunChoice(whole.method, whole.options, split, filed=bool(rng.integers(2)))
    if rng.random() < PART:
        carried = {"formulation": second.options["formulation"]} if "formulation" in second.options else {}
        second = RunChoice(IN_PLACE, carried)
    return first, second, whole, parts

"""A model bound to a method and its options: what is done once for all its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from flexmb.errors import ModelError, SolverError
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.joints.unilateral import is_unilateral
from flexmb.model import checks, given_names
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.model import Model
from flexmb.solvers.binding.going_on import CONTROLLERS
from flexmb.solvers.binding.known_sampling import KnownSampling
from flexmb.solvers.binding.known_start import KnownStart
from flexmb.solvers.binding.options import checked_options, names_of_options
from flexmb.solvers.coordinates.known_motions import KnownMotions
from flexmb.solvers.events.quantities import KnownQuantities
from flexmb.solvers.methods.registry import METHODS
from flexmb.solvers.rows.redundancy import REDUNDANT
from flexmb.solvers.runs.by_paper import is_of_paper
from flexmb.solvers.runs.history import SpareChunks
from flexmb.solvers.runs.known_begin import KnownBegin
from flexmb.system.assembly import Overrides
from flexmb.system.moved_start import GAPS
from flexmb.system.system import System
from flexmb.system.system_image import SystemImage


class Choices(NamedTuple):
    """Arguments of :func:`flexmb.simulate` of these names, which say how its runs begin and are checked."""

    redundant: str = "remove"
    gaps: str = "refuse"
    controllers: str = "continued"
    second_run: bool = True


class Bound:
    """A `model` bound to a `method` and its `options`: they are checked, and its equations are assembled. `caller`: who
    binds, as messages begin; `again`: runs may begin more than once."""

    def __init__(
        self, model: Any, method: Any, options: dict[str, Any], choices: Choices, caller: str, again: bool
    ) -> None:
        if not isinstance(model, Model):
            who = caller.partition(" ")[0]
            raise ModelError(f"{who}: {checks.quoted(model)} is not a model; give a PlanarModel or a SpatialModel")
        self.model, self.where = model, f"{caller} model {model.name!r}"
        _check_method(method, self.where)
        checks.choice(choices.redundant, REDUNDANT, "redundant", self.where)
        checks.choice(choices.gaps, GAPS, "gaps", self.where)
        checks.choice(choices.controllers, CONTROLLERS, "controllers", self.where)
        self.choices = choices._replace(second_run=checks.flag(choices.second_run, "second_run", self.where))
        self._whole: System | None = System(model)
        self.names = self._whole.names
        self.method = method or _method_for(self._whole, options)
        self._refuse_impacts()
        one_of = METHODS.about(self.method).step_or_tolerance
        self.options = checked_options(self.method, METHODS, options, self.where, one_of)
        _check_formulation(self.method, self.options.get("formulation"), self.where)
        self.keeps_some_steps = "save_every" in options
        if not self.choices.second_run and not self.options.get("step"):
            raise SolverError(
                f"{self.where}: second_run=False is for fixed steps; this run follows its error; give a step"
            )
        self._image = SystemImage(self._whole) if again else None
        self.known_start = KnownStart() if again else None
        self.known_begin = KnownBegin() if again else None
        self.known_sampling = KnownSampling(again)
        self.known_quantities = KnownQuantities()
        self.spare = SpareChunks() if again else None
        stops = bool(model.events) or any(series.state is not None for series in self._whole.assembly.every_series)
        self.motions = KnownMotions(again or stops)

    def _refuse_impacts(self) -> None:
        """Refuse hard stops for a method whose runs cannot have impacts."""
        hard = {s.owner.where: None for s in self._whole.assembly.every_series if is_unilateral(s)}  # type: ignore[union-attr]
        if hard and not METHODS.about(self.method).compiled:
            raise SolverError(
                f"{self.where}: method {self.method!r} knows no impacts, which {', '.join(hard)} may have; take "
                f"{', '.join(METHODS.with_impacts())}, or stops with a stiffness"
            )

    def system(self, commands: Mapping[str, float | TimeFunction]) -> System:
        """The system with all constraint rows and these commands, with which a run begins."""
        numbers = {name: value for name, value in commands.items() if not isinstance(value, TimeFunction)}
        functions = {name: value for name, value in commands.items() if isinstance(value, TimeFunction)}
        if functions:
            of = self.model.components
            own = {name: of[name].function(str(of[name].strength)) for name in functions}
            strengths = {name: own[name] + value for name, value in functions.items()}
            system = System(self.model, overrides=Overrides(strengths=strengths))
        elif self._image is not None:
            system = self._image.copy()
        else:  # the only run takes it as it is, and one that checks its steps another one
            system, self._whole = self._whole or System(self.model), None
        for name, value in numbers.items():
            system.plan.p[system.strength_places(name)] = value
        system.commanded = dict(commands)
        return system


def _check_method(method: Any, where: str) -> None:
    """Refuse what is no method."""
    if method is not None and not isinstance(method, str):
        hint = f"write step={method:g} for a fixed step" if isinstance(method, float) else "options have names"
        raise SolverError(
            f"{where}: method, the third argument, is {checks.quoted(method)}; give one of {', '.join(METHODS)}; {hint}"
        )
    if method is not None and method not in METHODS:
        raise SolverError(
            f"{where}: there is no method {checks.quoted(method)}{given_names.similar(method, METHODS)}; "
            f"choose one of {', '.join(METHODS)}"
        )


def _check_formulation(method: str, formulation: Any, where: str) -> None:
    """Refuse a classical formulation for a method whose loop is compiled."""
    if is_of_paper(formulation) and not METHODS.about(method).papers:
        able = " or ".join(repr(name) for name in METHODS if METHODS.about(name).papers)
        raise SolverError(
            f"{where}: method {method!r} needs compiled equations, and formulation {formulation!r} is in NumPy; take "
            f"method {able}, or a compiled formulation: {', '.join(map(repr, FORMULATIONS))}"
        )


def _method_for(whole: System, options: dict[str, Any]) -> str:
    """The method of a run if the user chose none.

    Radau IIA, since it is of fifth order: with default settings it needs at most a seventh of the steps of
    generalized-α, for at most a sixth of its error (:mod:`flexmb.validation.performance.default_settings`).
    Generalized-α has options that Radau IIA lacks, and supports components that search for their pairs.
    """
    if not options and not whole.assembly.searches:
        return "radau"
    if is_of_paper(options.get("formulation")):
        return "projection"
    own, radau = (names_of_options(METHODS[name]) for name in ("generalized_alpha", "radau"))
    return "generalized_alpha" if whole.assembly.searches or set(options) & (own - radau) else "radau"

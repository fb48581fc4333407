"""Models that depend on named parameters: derivatives of their equations at a fixed state.

A builder makes a model from numbers. Two models that differ in one number have the same coordinates and the same
kernels; only the constants of the kernels differ. The derivatives of residual, constraints, outputs and initial values
by a parameter are differences of fourth order between such models at the same state. The tangents by which they act on
later steps are exact.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.differences import OFFSETS, ONE_SIDED, slope
from flexmb.algebra.factors import saddle_factors
from flexmb.errors import FlexmbError, ModelError
from flexmb.kernels.compilation import compiled
from flexmb.model import checks, given_names
from flexmb.model.model import Model
from flexmb.parameters.names import changed, parameter
from flexmb.parameters.structure import differ_in_numbers
from flexmb.system import evaluation
from flexmb.system.system import System

#: steps of the differences, as a part of the parameter (of 1 if the parameter is zero). Truncation, by its fourth
#: power, is largest for lengths of stiff beams, whose strains at a fixed state are small differences of lengths: the
#: tests of curved beams bound it. Rounding, by its inverse, is largest in forces of joints, from the start of a run on:
#: the validation case of the four-bar bounds it. The largest errors of both are about alike here.
STEP = 5e-4


class NeighboringSystems(NamedTuple):
    """Systems with one parameter changed, as :func:`~flexmb.algebra.differences.slope` takes them."""

    systems: list[System]
    h: float

    def with_rows(self, like: System) -> NeighboringSystems:
        """The same systems with the constraint rows that take part in another one."""
        if not like.left_out:
            return self
        return self._replace(systems=[system.with_rows(like.kept) for system in self.systems])

    @property
    def offsets(self) -> Sequence[float]:
        """By how many steps h their parameter differs from its nominal value."""
        return ONE_SIDED if len(self.systems) == len(ONE_SIDED) else OFFSETS

    def derivative(self, function: Callable[[System], Any]) -> Any:
        """The derivative of a function of a system."""
        return slope([function(system) for system in self.systems], self.h)


class Parametrized:
    """A builder with its nominal parameters, or a model with the names of its own
    (:mod:`flexmb.parameters.names`), and the system that they make."""

    def __init__(self, build: Callable[..., Model] | Model, parameters: Mapping[str, float] | Sequence[str]) -> None:
        if isinstance(build, Model):
            self.where = f"sensitivity of model {build.name!r}"
            parameters = self._of_model(build, parameters)
            self._build: Callable[..., Model] = lambda **values: changed(build, values, self.where)
        else:
            self.where = f"sensitivity of {getattr(build, '__name__', 'the model')!r}"
            self._build = build
        if not callable(self._build):
            raise ModelError(
                f"{self.where}: {build!r} is no function; give one that builds a model from numbers, or a model"
            )
        if not isinstance(parameters, Mapping) or not parameters:
            raise ModelError(f"{self.where}: give at least one parameter, e.g. {{'length': 1.0}}")
        self.parameters = {
            name: checks.number(value, f"parameter {name!r}", self.where) for name, value in parameters.items()
        }
        self._check_signature()
        self.system = self._system(self.parameters)
        self._near: dict[str, NeighboringSystems] = {}

    def _of_model(self, model: Model, given: Mapping[str, float] | Sequence[str]) -> dict[str, Any]:
        """Values of the parameters of a model: those given, or the present ones of a list of names."""
        names = (
            [given]
            if isinstance(given, str)
            else checks.listed([*given] if isinstance(given, Mapping) else given, "parameters", self.where)
        )
        found = {name: parameter(model, name, self.where).value(model) for name in names}
        for name, value in found.items():
            if not isinstance(value, int | float | np.number):
                raise ModelError(
                    f"{self.where}: {name!r} is {checks.brief(value)}, and derivatives are by single numbers; give a "
                    "function that builds the model from numbers"
                )
        return {**found, **given} if isinstance(given, Mapping) else found

    def _check_signature(self) -> None:
        """Raise a NamingError for a parameter that the builder does not take."""
        try:
            known = inspect.signature(self._build).parameters
        except (TypeError, ValueError):
            return
        if any(p.kind is p.VAR_KEYWORD for p in known.values()):
            return
        for name in self.parameters:
            given_names.known(name, known, "parameter of the builder", self.where)

    def _system(self, parameters: Mapping[str, float]) -> System:
        """The system of the model that the builder makes of these numbers."""
        try:
            model = self._build(**parameters)
        except TypeError as why:
            raise ModelError(f"{self.where}: the builder cannot be called with these parameters: {why}") from why
        if not isinstance(model, Model):
            raise ModelError(f"{self.where}: the builder gave {model!r}; it must return a model of flexmb")
        return System(model)

    def use_rows(self, kept: np.ndarray) -> None:
        """From now on only these constraint rows take part, by their numbers among all."""
        if not np.array_equal(kept, self.system.kept):
            self.system = self.system.with_rows(kept)

    def _side(self, name: str, nominal: float, h: float) -> float:
        """h or −h, for the side on which the builder makes a model."""
        try:
            self._system({**self.parameters, name: nominal + 4.0 * h})
        except FlexmbError:
            return -h
        return h

    def neighbors(self, name: str) -> NeighboringSystems:
        """The systems at neighboring values of a parameter, for derivatives by it, with the rows that take part now.
        They are built once for all pieces of a run."""
        if name not in self._near:
            self._near[name] = self._neighbors(name)
        return self._near[name].with_rows(self.system)

    def _neighbors(self, name: str) -> NeighboringSystems:
        """Those systems with all their rows, which are checked to differ in numbers only."""
        nominal = self.parameters[name]
        h = STEP * (abs(nominal) or 1.0)
        try:
            systems = [self._system({**self.parameters, name: nominal + offset * h}) for offset in OFFSETS]
        except FlexmbError:  # the builder may refuse one side, such as a negative damping
            h = self._side(name, nominal, h)
            systems = [self._system({**self.parameters, name: nominal + offset * h}) for offset in ONE_SIDED]
        own = self.system
        for system in systems:
            if not differ_in_numbers(own, system):
                raise ModelError(
                    f"{self.where}: with another {name!r} the model has other coordinates, joints or functions; a "
                    "derivative needs a builder that changes numbers only"
                )
            self._check_meaning(name, system)
        return NeighboringSystems(systems, h)

    def _check_meaning(self, name: str, system: System) -> None:
        """Raise a ModelError if coordinates of a neighboring system mean something else than those of the same name."""
        others = system.model.components
        for own, mine in self.system.model.components.items():
            if own in others and (why := mine.other_meaning(others[own])):
                raise ModelError(f"{self.where}: with another {name!r} {why}")


@compiled
def _equations(plan, scratch, full, t, q, v, a, lam, w, r, g, out):
    """Fill out (k, n + 2 m) with M a + f + Gᵀ λ, g and ġ at k states; `full` (3, total_q) ends with fixed frames."""
    n, m = plan.n, plan.m
    for k in range(t.shape[0]):
        for i in range(plan.nq):
            full[0, i] = q[k, i]
        for i in range(n):
            full[1, i] = v[k, i]
            full[2, i] = a[k, i]
        evaluation.residual(plan, scratch, t[k], full[0], full[1], full[2], w, r)
        if m > 0:
            evaluation.add_constraint_forces(plan, scratch, t[k], full[0], full[1], full[2], lam[k], w, r)
            evaluation.constraints(plan, scratch, t[k], full[0], full[1], full[2], w, g[0], g[1], g[2])
        for i in range(n):
            out[k, i] = r[i]
        for j in range(m):
            out[k, n + j] = g[0, j]
            out[k, n + m + j] = g[1, j]


def equations(
    system: System, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray
) -> np.ndarray:
    """M a + f + Gᵀ λ, g and ġ at k states, (k, n + 2 m)."""
    n, m, total = system.n, system.m, system.plan.total
    full = np.zeros((3, system.plan.total_q))
    full[0] = system.initial
    out = np.zeros((len(t), n + 2 * m))
    arrays = [np.ascontiguousarray(x, dtype=float) for x in (t, q, v, a, lam)]
    _equations(system.plan, system.scratch, full, *arrays, np.zeros(3), np.zeros(total), np.zeros((3, m)), out)
    return out


def accelerations(system: System, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a (n,) and λ (m,) of a state, whose constraints hold or nearly."""
    n, mass = system.n, system.mass_scale
    force = system.residual(t, q, v, np.zeros(n))
    gamma = system.constraint(t, q, v)[2]
    factors = saddle_factors(system.mass_matrix(t, q) / mass, system.jacobian(t, q))
    x = factors.solve(np.concatenate([-force / mass, gamma]))
    return x[:n], x[n:] * mass

"""Given joint coordinates, of the start of a search, its goal and limits; by names, or as a state."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.blocks import INTEGRAL
from flexmb.model import checks, given_names
from flexmb.model.ways import SCREW, SLIDE, TURN
from flexmb.results.state import State

#: How much a coordinate counts that a goal does not name, where it names others.
UNNAMED = 1e-3
#: A start may lie beyond a limit by rounding [rad or m].
BEYOND = 1e-9


class Measure(NamedTuple):
    """How a joint is measured under a name of its own: it is its `coordinate` plus `offset`, between `lower` and
    `upper` [rad or m]."""

    coordinate: str
    offset: float
    lower: float
    upper: float


class Coordinates:
    """The joint coordinates of a tree by names: those of the tree, and those that its model measures by itself, as a
    robot does the joints of its file (a method `measures` of the model)."""

    def __init__(self, tree: Tree, where: str) -> None:
        self.tree, self.where, joints = tree, where, tree.arrays.joints
        measures = getattr(tree.model, "measures", None)
        #: of each speed the index of its coordinate if that is a turn or a slide, else −1; and whether it is a length
        self.at_q, self.lengths = np.full(tree.nv, -1, dtype=np.int64), np.zeros(tree.nv, dtype=bool)
        for kind, q, v in zip(joints.kind.tolist(), joints.at_q.tolist(), joints.at_v.tolist()):
            if kind in (TURN, SLIDE, SCREW):
                self.at_q[v], self.lengths[v] = q, kind == SLIDE
        for v, name in enumerate(tree.names):
            self.lengths[v] |= name.rpartition(".")[2] in ("x", "y", "z") and self.at_q[v] < 0
        inner = joints.inner
        if inner:
            self.at_q[tree.nv - inner :] = np.arange(tree.nq - inner, tree.nq)
        single = {tree.coordinate_names[q] for q in self.at_q.tolist() if q >= 0}
        named = {**measures()} if measures is not None else {}
        self.measures = {name: Measure(*one) for name, one in named.items() if one[0] in single}
        self.speed = {tree.coordinate_names[q]: v for v, q in enumerate(self.at_q.tolist()) if q >= 0}

    @property
    def shown(self) -> list[int]:
        """Mask of coordinates that are positions: all but the integrals of states of first order."""
        return [at for at, name in enumerate(self.tree.coordinate_names) if not name.endswith(INTEGRAL)]

    def found(self, name: Any, what: str) -> tuple[str, float]:
        """The coordinate of a name, and what has to be added to it."""
        if isinstance(name, str) and name in self.measures:
            return self.measures[name].coordinate, self.measures[name].offset
        if not isinstance(name, str) or name not in self.tree.coordinate_names:
            known = [*self.measures, *self.tree.coordinate_names]
            raise given_names.unknown(name, known, "joint coordinate", f"{self.where}: {what}")
        return name, 0.0

    def place(self, given: Any, what: str, other: np.ndarray) -> np.ndarray:
        """Coordinates (nq,) or (k, nq) that a user gave: numbers by name, others as in `other`; a state, or all."""
        if given is None:
            return other
        given = getattr(given, "state", given)
        if isinstance(given, State):
            return self.tree.of_state(given)[0]
        if isinstance(given, Mapping):
            x = other.copy()
            for name, value in given.items():
                coordinate, offset = self.found(name, what)
                number = checks.number(value, f"{what} of {name!r}", self.where)
                x[..., self.tree.coordinate_names.index(coordinate)] = number - offset
            return x
        numbers = checks.numbers(given, what, self.where, "a state, numbers by joints, or all joint coordinates")
        if numbers.ndim not in (1, 2) or numbers.shape[-1] != self.tree.nq:
            raise ModelError(
                f"{self.where}: {what} has the shape {numbers.shape}; the tree has {self.tree.nq} joint coordinates, "
                f"{', '.join(self.tree.coordinate_names[:8])}{', …' * (self.tree.nq > 8)}"
            )
        return numbers

    def weights(self, goal: Any) -> np.ndarray:
        """How much each coordinate (nv,) counts on the way to a goal."""
        if not isinstance(goal, Mapping):
            return np.ones(self.tree.nv)
        weights = np.full(self.tree.nv, UNNAMED)
        named = [self.speed[one] for name in goal if (one := self.found(name, "goal")[0]) in self.speed]
        weights[named] = 1.0
        return weights

    def limits(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper limits (nv,): those of the file of a robot and of stops; and over these those that a user
        gives, by names, or none, if `given` is False."""
        lower, upper = np.full(self.tree.nv, -math.inf), np.full(self.tree.nv, math.inf)
        if given is False:
            return lower, upper
        for one in self.measures.values():
            self._narrow(lower, upper, one.coordinate, one.lower - one.offset, one.upper - one.offset)
        parts: list[Any] = [*self.tree.model.components.values()]
        for part in parts:
            if hasattr(part, "limited") and hasattr(part, "bounds"):  # a stop of a joint
                self._narrow(lower, upper, f"{part.joint.name}.{part.limited}", *part.bounds)
        for name, pair in checks.by_names({} if given is None else given, "limits", self.where).items():
            coordinate, offset = self.found(name, "limits")
            if coordinate not in self.speed:
                raise ModelError(f"{self.where}: limits of {name!r}: it is no angle or place of a joint")
            try:
                low, high = (float(x) for x in pair)
            except (TypeError, ValueError):
                low = high = math.nan
            if not low <= high:
                raise ModelError(
                    f"{self.where}: limits of {name!r} are {checks.quoted(pair)}; give (lower, upper), rising"
                )
            j = self.speed[coordinate]
            lower[j], upper[j] = low - offset, high - offset
        return lower, upper

    def _narrow(self, lower: np.ndarray, upper: np.ndarray, coordinate: str, low: float, high: float) -> None:
        if coordinate in self.speed:
            j = self.speed[coordinate]
            lower[j], upper[j] = max(lower[j], low), min(upper[j], high)

    def within(self, x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Coordinates (…, nq) brought within limits."""
        x = np.array(x, dtype=float)
        for j, at in enumerate(self.at_q.tolist()):
            if at >= 0:
                x[..., at] = np.clip(x[..., at], lower[j], upper[j])
        return x

    def named(self, x: np.ndarray) -> dict[str, Any]:
        """Coordinates (…, nq) by names: those that the model measures by itself, and the others of the tree."""
        found: dict[str, Any] = {}
        own = {one.coordinate: (name, one.offset) for name, one in self.measures.items()}
        for at in self.shown:
            coordinate = self.tree.coordinate_names[at]
            name, offset = own.get(coordinate, (coordinate, 0.0))
            value = x[..., at] + offset
            found[name] = float(value) if value.ndim == 0 else value
        return found

    def limit_in_words(self, j: int, value: float, lower: np.ndarray, upper: np.ndarray) -> str:
        """The limit at which a coordinate is, in words."""
        coordinate = self.tree.coordinate_names[self.at_q[j]]
        name, offset = next(
            ((name, one.offset) for name, one in self.measures.items() if one.coordinate == coordinate),
            (coordinate, 0.0),
        )
        low = abs(value - lower[j]) <= abs(value - upper[j])
        limit = (lower if low else upper)[j] + offset
        return f"{name!r} at its {'lower' if low else 'upper'} limit, {limit:.6g} {'m' if self.lengths[j] else 'rad'}"

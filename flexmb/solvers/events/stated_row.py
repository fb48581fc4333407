"""Rows of a run that have states: the row of a joint whose friction truly sticks, a row that holds in one direction
only, and the friction beside it. What each of them watches, what its states demand, and which state is better where
they are not met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.joints.friction import COULOMB
from flexmb.joints.rubbing import is_rubbing
from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, KEPT, STICKS
from flexmb.joints.unilateral import RESTITUTION, STRENGTH, is_unilateral
from flexmb.solvers.events.margins import ABOVE
from flexmb.system.instances import InstanceSeries
from flexmb.system.sticking import sticking_places
from flexmb.system.system import System

#: The normal force of a contact is no mean over a bearing, and its friction may exceed the limit by so much less than
#: that of a joint.
EXACT = 1e3


@dataclass
class StatedRow:
    """A row with states: its kernel instance `series`, the parameters p of the plan, and the index `place` in these of
    its state; the index `speed` of its coordinate in v, and its `rows` among all."""

    series: InstanceSeries
    p: np.ndarray
    place: int
    #: the states that it may have at rest, the one with the most constraints first
    choices: ClassVar[tuple[float, ...]] = ()

    def __post_init__(self) -> None:
        self.name, self.where = self.series.owner.name, self.series.owner.where
        self.speed = int(self.series.coordinates.v[0, -1])
        self.rows = self.series.rows[0]
        assert self.series.state is not None
        self.first = self.place - self.series.state
        n, m = self.series.coordinates.v.shape[1], len(self.rows)
        self._scratch = np.zeros((1, n * (1 + m))), np.zeros((1, n, n)), np.zeros(max(self.series.work, 1))

    def held(self, q: np.ndarray, lam: np.ndarray) -> float:
        """The force with which the coordinate is held while it sticks [N or Nm], positive if it would move forward
        without it; at a position (total_q,), with λ of all rows."""
        return self._force(KEPT, q, lam)

    def _force(self, state: float, q: np.ndarray, lam: np.ndarray) -> float:
        series, (out, K, work) = self.series, self._scratch
        assert series.state is not None
        p = self.p[None, self.first : self.first + series.parameters.shape[1]].copy()
        p[0, series.state] = state
        out[:] = 0.0
        still = np.zeros(len(q))
        at = (series.coordinates.q, series.coordinates.v)
        series.kernels.friction(p, *at, 0.0, q, still, still, lam[None, self.rows], np.zeros(4), out, K, work)
        return float(out[0, series.coordinates.v.shape[1] - 1])

    def watched(self, state: float, q: np.ndarray, v: np.ndarray, size: float, fastest: float) -> float:
        """The value that falls through zero where the row has to change from a state in which it does not stick; `size`
        of its coordinate, and the speed `fastest`, in model lengths and radians per second."""
        raise NotImplementedError

    def beyond(self, q: np.ndarray, lam: np.ndarray) -> float:
        """By how much its force is beyond what it may be while it sticks, as a part of its size; λ of all rows."""
        raise NotImplementedError

    def instead(self, state: float, q: np.ndarray, lam: np.ndarray) -> float:
        """The state that is better than one whose condition is violated."""
        raise NotImplementedError

    @staticmethod
    def way(state: float) -> float:
        """The direction in which its coordinate may accelerate from rest in a state in which it does not stick."""
        return state


class StickingJoint(StatedRow):
    """A joint that may stick."""

    choices = (STICKS, FORWARD, BACKWARD)

    def limit(self, q: np.ndarray, lam: np.ndarray) -> float:
        """The largest friction [N or Nm] while the joint sticks, which it also has as it begins to slide; at a position
        (total_q,), with λ of all rows."""
        return self._force(FORWARD, q, lam)

    def watched(self, state: float, q: np.ndarray, v: np.ndarray, size: float, fastest: float) -> float:
        """The joint's speed in its direction."""
        return float(state * v[self.speed] / size + ABOVE * fastest)

    def beyond(self, q: np.ndarray, lam: np.ndarray) -> float:
        limit, held = self.limit(q, lam), self.held(q, lam)
        return -(limit - abs(held)) / (limit + abs(held) or 1.0)

    def instead(self, state: float, q: np.ndarray, lam: np.ndarray) -> float:
        if state != STICKS:
            return STICKS
        return FORWARD if self.held(q, lam) > 0.0 else BACKWARD


class UnilateralRow(StatedRow):
    """A row that holds in one direction only; closed it sticks, open it is free."""

    choices = (STICKS, FREE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gap = int(self.series.coordinates.q[0, -1])
        self.restitution = float(self.p[self.first + RESTITUTION])

    def weigh(self, force: float) -> None:
        """Let a `force` [N or Nm] be that of which what is closed may pull a small part."""
        self.p[self.first + STRENGTH] = force

    def watched(self, state: float, q: np.ndarray, v: np.ndarray, size: float, fastest: float) -> float:
        """The gap, in model lengths or radians."""
        return float(q[self.gap] / size)

    def beyond(self, q: np.ndarray, lam: np.ndarray) -> float:
        """By how much it pulls."""
        return self.held(q, lam) / float(self.p[self.first + STRENGTH])

    def instead(self, state: float, q: np.ndarray, lam: np.ndarray) -> float:
        return FREE if state == STICKS else STICKS

    @staticmethod
    def way(state: float) -> float:
        """The gap may open."""
        return 1.0


class RubbingRow(StickingJoint):
    """The friction beside a row in one direction: it sticks or slides while that is closed, and is free while that is
    open."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.coefficient = float(self.p[self.first + COULOMB])

    def watched(self, state: float, q: np.ndarray, v: np.ndarray, size: float, fastest: float) -> float:
        """The slip in its direction; 1 while there is no friction."""
        return 1.0 if state == FREE else super().watched(state, q, v, size, fastest)

    def limit(self, q: np.ndarray, lam: np.ndarray) -> float:
        return max(super().limit(q, lam), 0.0)

    def beyond(self, q: np.ndarray, lam: np.ndarray) -> float:
        return EXACT * super().beyond(q, lam)


def stated_rows(system: System) -> list[StatedRow]:
    """The rows of a system that have states; the friction beside a row in one direction stands behind it."""
    p = system.plan.p
    kinds = [(is_unilateral, UnilateralRow), (is_rubbing, RubbingRow), (lambda _: True, StickingJoint)]
    return [
        next(kind for is_it, kind in kinds if is_it(series))(series, p, place)
        for series, place in sticking_places(system.assembly, system.plan)
    ]

"""What makes results of a component doubtful, and the system in which it asks for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from flexmb.kernels.contract import Kernels


class Assembled(Protocol):
    """The system into which a component was assembled, as the component sees it (:class:`flexmb.System`)."""

    #: names of the components that hold what they found when they were switched on
    measured: Mapping[str, Any]

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes for a `key`, once, whichever components are active."""

    def instances_of(self, name: str) -> list[Any]:
        """The kernel instances that the component of that name added, in its order."""

    def coordinates_of(self, name: str, kernels: Kernels) -> np.ndarray:
        """Numbers (k, nq) of the coordinates of a component's instances of one kernel family."""

    def bodies_of(self, name: str) -> np.ndarray:
        """Numbers (N, nq) of the coordinates of the bodies among which a component searches for pairs."""

    def deepest(self, name: str, q: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the pairs that a component finds at positions q (k, total_q): the largest overlaps (k,), each as a part of
        the smaller of both bodies, with `sizes` (N,) [m], and in [m]."""


class Doubt(NamedTuple):
    """A sentence that says why results may be wrong, and the first row of coordinates to which it applies."""

    first: int
    text: str


def gap_history(instance: Any, q: np.ndarray) -> np.ndarray:
    """The first number of the kernel `switches` of an instance (k,), at rest in positions q (k, total) of a system: the
    gap of a contact or of a stop."""
    gaps, out, rest = np.empty(len(q)), np.zeros((1, 2)), np.zeros(q.shape[1])
    given = instance.parameters[None], instance.coordinates[None], instance.speeds[None], 0.0
    more = np.zeros((1, 0)), np.zeros(4), out, np.zeros((1, 0, 0)), np.zeros(max(instance.work, 1))
    for k in range(len(q)):
        instance.kernels.switches(*given, np.ascontiguousarray(q[k]), rest, rest, *more)
        gaps[k] = out[0, 0]
    return gaps


class Doubted:
    """What is asked of each component about the positions that an analysis has found."""

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """Reasons why the component may be wrong at the coordinates q (k, total) of a system, one position a row, with
        those of fixed frames at the end of each. Runs and equilibria warn with these texts."""
        return []

    def shear_left_out(self) -> Sequence[tuple[int, float, float]]:
        """Of a beam without shear, each plane in which it bends: the number of its curvature among those of a section,
        EI [Nm²] and the GA [N] that does not count. Runs, equilibria and modes warn where it would matter."""
        return ()

    def shear_of_planes(self) -> tuple[float, ...]:
        """The shear stiffnesses GAy and GAz [N] of a beam in space whose shear follows from the bending of each plane
        alone, though it is stiffer one way than the other. Runs and equilibria warn where that matters."""
        return ()

    def shears_of_bending(self, system: Assembled, q: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """The shear forces [N] of such a beam that follow from the bending of each plane, in the axes of sections, at
        places `eta` (p,) of each element and positions q (k, total): (elements, p, k, 2)."""
        return np.zeros((0, len(eta), len(q), 2))

    def turning_left_out(self) -> float:
        """Of a beam without shear whose sections turn without inertia, that inertia by mass, ρI/ρA [m²]: it makes
        frequencies lower, as shear does."""
        return 0.0

    def force_doubts(self, multipliers: np.ndarray, least: float) -> list[Doubt]:
        """The same from the multipliers (k, rows) of its own rows at k positions: a surface that would have to pull,
        for example. Forces below the `least` [N] are rounding errors."""
        return []

    def misplaced(self, system: Assembled, q: np.ndarray) -> str:
        """Why a position q (total,), in which all rows hold, cannot be meant, such as a hinge upside-down; else ''."""
        return ""

    def other_meaning(self, other: Any) -> str:
        """Why coordinates of the same component, built with slightly other numbers, mean something else than its own,
        such as modes in another order, for a message that goes on with it; else ''. Derivatives by parameters ask."""
        return ""

    def limit(self, system: Assembled, q: np.ndarray, v: np.ndarray) -> str:
        """What it reaches at coordinates q (total,) and speeds v, where its kernels give NaN or soon will, as the end
        of a reason that begins with its name: 'reaches the end of its curve'. Empty if it reaches nothing."""
        return ""

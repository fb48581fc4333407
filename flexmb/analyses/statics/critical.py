"""Critical points of a path of equilibria: where the load turns back, and where other paths branch off.

At both kinds of points an eigenvalue ω² of the stiffness passes zero. At a limit point the load factor has an extremum,
μ' = 0. At a bifurcation the factor goes on, and another path leaves along the critical shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from scipy.interpolate import krogh_interpolate

from flexmb.analyses.statics.continuation import EquilibriumPoint, PathEquations
from flexmb.analyses.statics.stability import LowestEigenvalues
from flexmb.errors import EquilibriumError
from flexmb.model.hints import AnswersCalls
from flexmb.results.state import State
from flexmb.system.chart import Chart
from flexmb.system.motions import describe_motion

#: size of the first step along the critical shape, in units of the model's length, and radians
PUSH = 0.02
#: a root is interpolated once the test function is this much smaller than at the ends of its bracket
NEAR = 1e-3
#: the values of points that a root is interpolated from differ by at least this part of the larger one
APART = 0.1
#: points from which a root is interpolated, and among how many that are near they are chosen
TAKEN, ASKED = 4, 6


@dataclass(eq=False)
class CriticalPoint(metaclass=AnswersCalls):
    """A limit point or a bifurcation.

    `kind`: 'limit' or 'bifurcation'; `factor` [–]; the `state` there; `shape` (n,): the motion that nothing resists.
    Give it to `equilibrium_path(..., initial=point)` to follow the branch that leaves along the shape;
    `point.reversed()` leaves the other way.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("column")
    >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
    >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
    >>> weight = m.point_force(rod.end, (0, -1), name="weight")
    >>> path = fm.equilibrium_path(m, weight, factor=3.0)
    >>> point = path.critical[0]
    >>> point.kind, round(point.factor, 2)  # π²/4 EI/L²
    ('bifurcation', 2.47)
    """

    kind: str
    factor: float
    state: State
    shape: np.ndarray = field(repr=False)
    point: EquilibriumPoint = field(repr=False)

    @property
    def motion(self) -> str:
        """A text that describes the critical motion."""
        return describe_motion(self.state.system, self.shape)

    def value(self, name: str) -> float:
        """The value of a quantity at the point, by its name in a solution; 'factor' is the load factor.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> round(float(path.critical[0].value("rod.end.y")), 3)
        1.0
        """
        return (
            self.factor
            if isinstance(name, str) and name == "factor"
            else float(self.state.solution.series(name).values[0])
        )

    def reversed(self) -> CriticalPoint:
        """The same point, to be left the other way.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> point = path.critical[0]
        >>> bool(abs(point.reversed().shape + point.shape).max() == 0.0)
        True
        """
        return CriticalPoint(self.kind, self.factor, self.state, -self.shape, self.point)

    def branch(self, path: PathEquations) -> EquilibriumPoint:
        """A point of the other branch: a step along the shape, corrected across it.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("column")
        >>> of = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
        >>> rod = m.add_beam("rod", m.ground, (0, 1), properties=of, elements=2)
        >>> weight = m.point_force(rod.end, (0, -1), name="weight")
        >>> path = fm.equilibrium_path(m, weight, factor=3.0)
        >>> branch = fm.equilibrium_path(m, weight, factor=3.0, initial=path.critical[0])
        >>> branch.status
        'finished'
        """
        balance, n = path.balance, path.balance.n
        balance.use_rows(self.point.system.kept)
        x = np.concatenate([self.shape, np.zeros(balance.m + 1)])
        x /= np.sqrt(path.product(x, x))
        # Only the part of the shape across the path leads to the other branch.
        along = self.point.tangent
        x = x - path.product(x, along) * along
        x /= np.sqrt(path.product(x, x))
        for share in (1.0, 0.3, 3.0, 0.1):
            length = share * PUSH / max(float(np.max(np.abs(x[:n]) / balance.system.scale)), 1e-300)
            branch_point, _ = path.step(self.point._replace(factor=self.factor, tangent=x), length)
            if branch_point is not None:
                return branch_point
        raise EquilibriumError(
            f"load path of model {balance.system.model.name!r}: no branch is found at the factor {self.factor:g} "
            f"along: {self.motion}"
        )

    def __str__(self) -> str:
        return f"{self.kind} at a load factor of {self.factor:.8g}: {self.motion}"


#: the lowest eigenvalues at a point of a path
Eigenvalues = Callable[[EquilibriumPoint], LowestEigenvalues]


def critical_points_between(
    path: PathEquations,
    before: EquilibriumPoint,
    after: EquilibriumPoint,
    spectrum: LowestEigenvalues,
    next_spectrum: LowestEigenvalues,
    eigenvalues: Eigenvalues,
) -> list[CriticalPoint]:
    """The critical points between two neighboring points of a path, with the eigenvalues at both."""
    points = []
    turns = bool(before.tangent[-1] * after.tangent[-1] < 0.0)
    if turns:
        point = _root(path, before, after, lambda p: p.tangent[-1] / path.reference)
        points.append(_critical(path, "limit", point, eigenvalues))
    # One change of sign belongs to the limit point itself; any other is a bifurcation.
    fewer, more = sorted(int(np.sum(x.values < 0.0)) for x in (spectrum, next_spectrum))
    for rank in range(fewer, more - int(turns)):
        scale = max(abs(spectrum.values[rank]), abs(next_spectrum.values[rank]))

        def value(p: EquilibriumPoint, rank: int = rank, scale: float = scale) -> float:
            return float(eigenvalues(p).values[rank]) / scale

        critical = _critical(path, "bifurcation", _root(path, before, after, value), eigenvalues, rank)
        if not any(abs(critical.factor - c.factor) < 1e-9 * path.reference and rank == 0 for c in points):
            points.append(critical)
    return sorted(points, key=lambda c: (c.factor - before.factor) * np.sign(before.tangent[-1] or 1.0))


def _root(
    path: PathEquations, before: EquilibriumPoint, after: EquilibriumPoint, test: Callable[[EquilibriumPoint], float]
) -> EquilibriumPoint:
    """The point at which a test function passes zero.

    The matrix is singular there, so the corrector cannot reach the point itself. The search ends where the function is
    small, and interpolates the point between near ones by a polynomial in the function's value.
    """
    values = {0.0: test(before), 1.0: test(after)}
    points = {0.0: before, 1.0: after}
    if values[0.0] * values[1.0] >= 0.0:
        return after
    chord = [path.balance.system.difference(after.q, before.q), after.lam - before.lam, [after.factor - before.factor]]
    whole = path.product(np.concatenate(chord), before.tangent)
    low, high = 0.0, 1.0
    small = NEAR * max(abs(values[0.0]), abs(values[1.0]))
    tried = 0
    while tried < 30 and (tried < 5 or min(map(abs, values.values())) > small):
        tried += 1
        share = low - values[low] * (high - low) / (values[high] - values[low])
        share = min(max(share, low + 0.05 * (high - low)), high - 0.05 * (high - low))
        point = None
        side = 1.0 if tried % 2 else -1.0  # so that the bracket closes from both ends where the root itself is singular
        for nudge in (0.0, 0.1 * side, -0.1 * side, 0.3 * side, -0.3 * side):
            share_now = share + nudge * (high - low)
            if low < share_now < high:
                point, _ = path.step(before, share_now * whole)
            if point is not None:
                break
        if point is None:
            break
        points[share_now], values[share_now] = point, test(point)
        if values[share_now] * values[low] > 0.0:
            low = share_now
        else:
            high = share_now
        if values[share_now] == 0.0:
            return point
    nearest: list[float] = []
    for s in sorted(values, key=lambda s: abs(values[s])):
        # Rounding in the values of points that are close together would make the polynomial steep.
        if all(abs(values[s] - values[r]) > APART * abs(values[s]) for r in nearest):
            nearest.append(s)

    def factor_at_root(of: Sequence[float]) -> float:
        return float(krogh_interpolate([values[s] for s in of], [points[s].factor for s in of], 0.0))

    def contradiction(of: Sequence[float]) -> float:
        return abs(factor_at_root(of) - factor_at_root(of[1:]))

    # A point near the root may have slid along the motion that nothing resists there, and any of them may. The
    # polynomial goes through those that contradict one another least: of points on the path these are the nearest.
    chosen = min(combinations(nearest[:ASKED], min(len(nearest), TAKEN)), key=contradiction)
    x = np.array([values[s] for s in chosen])
    chart = Chart(path.balance.system, points[chosen[0]].q)
    rows = [np.concatenate([[p.factor], chart.of(p.q), p.lam, p.tangent]) for p in (points[s] for s in chosen)]
    n, m = path.balance.n, len(before.lam)
    (factor,), at, lam, tangent = np.split(krogh_interpolate(x, rows, 0.0), [1, 1 + n, 1 + n + m])
    tangent = tangent / np.sqrt(path.product(tangent, tangent))
    return EquilibriumPoint(float(factor), chart.position(at), lam, tangent, before.system)


def _critical(
    path: PathEquations, kind: str, point: EquilibriumPoint, eigenvalues: Eigenvalues, rank: int | None = None
) -> CriticalPoint:
    """The critical point of this kind at a point of a path, with the shape of eigenvalue number `rank`, or of the one
    nearest to zero; the largest entry of the shape is 1 in units of the model's length, and radians."""
    spectrum = eigenvalues(point)
    k = int(np.argmin(np.abs(spectrum.values))) if rank is None else rank
    shape = spectrum.shapes[:, k]
    scale = path.balance.system.scale
    largest = int(np.argmax(np.abs(shape) / scale))
    shape = shape * np.sign(shape[largest]) / (np.abs(shape[largest]) / scale[largest])
    return CriticalPoint(kind, point.factor, path.state(point), shape, point)

"""Stops: limits of a coordinate of a joint, or of a distance, in the plane and in space.

Between its limits a coordinate s is free. A compliant stop goes beyond them by the law of contact
(:mod:`flexmb.forces.contact_law`):

    s < lower:   N = k δⁿ max(0, 1 + d δ̇) drives it up,      δ = lower − s
    s > upper:   the same drives it down,                     δ = s − upper

N is a moment for an angle and a force for a place or a distance.

A hard stop does not go beyond its limits: for each it owns a gap, which is never negative, and its row
(:mod:`flexmb.joints.unilateral`). Where the gap closes, speeds jump by an impulse P (Newton (1687), Moreau (1988)); at
the limit N holds it as long as N pushes:

    0 ≤ ṡ⁺ + e ṡ⁻ ⊥ P ≥ 0,    then   0 ≤ s̈ ⊥ N ≥ 0
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.contact_geometry import HALF_SPACE_BALL
from flexmb.forces.contact_law import HardOrGiving, friction_numbers, push, stored, tearing
from flexmb.forces.coordinate_force import force_on_sum, weighted_sum
from flexmb.joints.coordinates import COUPLING
from flexmb.joints.unilateral import MISPLACED, add_gap, beyond_limit
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import compiled, kernel
from flexmb.model import checks
from flexmb.model.appearance import StopPlace
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled, gap_history

#: the limit of a kernel's parameters where there is none
NO_LIMIT = 1e300
#: beyond a limit by less than this part of it a coordinate counts as at the limit
AT_LIMIT = 1e-9


@dataclass(eq=False, kw_only=True)
class Limits(HardOrGiving):
    """The base of stops.

    Arguments: `lower`, `upper` [rad or m], at least one of them; those of the law, see
    :class:`~flexmb.forces.contact_law.HardOrGiving`, with moments and angles in place of forces and lengths for an
    angle.
    """

    lower: float | None = None
    upper: float | None = None
    kind = "stop"

    @property
    def bounds(self) -> tuple[float, float]:
        """Both limits, infinite where there is none."""
        return (-math.inf if self.lower is None else self.lower), (math.inf if self.upper is None else self.upper)

    def limits(self) -> list[tuple[str, float, float]]:
        """The limits, each with its name, its place, and the sign with which the coordinate is in the gap."""
        named = (("lower", self.lower, 1.0), ("upper", self.upper, -1.0))
        return [(name, float(limit), sign) for name, limit, sign in named if limit is not None]

    def add_gaps_of_sum(
        self, assembly: Assembler, coordinates: Sequence[Numbers], weights: Sequence[float], offset: float,
        start: float, rate: float,
    ) -> None:  # fmt: skip
        """Add the gaps of an angle, the sum of coordinates with their weights and an `offset`, that is `start` in the
        model."""
        for name, limit, sign in self.limits():
            p = np.array([*(sign * x for x in weights), -1.0, sign * (limit - offset)])

            def add_row(gap: Numbers, p: np.ndarray = p, name: str = name) -> None:
                assembly.instance(self, COUPLING, [*coordinates, gap], p, [(name, "angle")], stays=True)

            add_gap(
                assembly, self, name, "angle", sign * (start - limit), sign * rate, add_row, self.restitution or 0.0
            )

    def parameters(self) -> list[float]:
        """The parameters of :data:`STOP` behind its weights: limits, k, n and d."""
        return [*np.clip(self.bounds, -NO_LIMIT, NO_LIMIT).tolist(), *self.law()]

    def check_limits(self, what: str, start: float, unit: str, size: float = 0.0) -> None:
        """Refuse limits that cannot be, and a coordinate that starts beyond them, by more than rounding of numbers of a
        `size`."""
        given = [name for name in ("lower", "upper") if getattr(self, name) is not None]
        if not given:
            raise ModelError(f"{self.where}: it has no limits; give lower, upper or both")
        checks.check_fields(self, checks.number, self.where, *given)
        lower, upper = self.bounds
        if not lower < upper:
            raise ModelError(f"{self.where}: lower is {lower:g} and upper {upper:g}; lower must be smaller than upper")
        for name, limit, beyond in (("lower", lower, lower - start), ("upper", upper, start - upper)):
            if beyond > AT_LIMIT * max(abs(limit), abs(start), size):
                raise ModelError(
                    f"{self.where}: at the start {what} is {start:.6g} {unit}, {beyond:.3g} {unit} beyond {name}, "
                    f"{limit:.6g} {unit}; start between the limits, or move them"
                )

    def misplaced(self, system: Assembled, q: np.ndarray) -> str:
        """Joints that are brought together at the start may move beyond a limit."""
        if (beyond := beyond_limit(system, self.name, q)) > MISPLACED:
            return f"{self.where} is {beyond:.3g} beyond its limit there"
        for i in system.instances_of(self.name):
            if i.kernels.switches is not None and (beyond := -gap_history(i, q[None])[0]) > MISPLACED:
                return f"{self.where} is {beyond:.3g} beyond its limit there"
        return ""

    def stop_place(self, measure: str) -> StopPlace:
        """Description of the stop for results."""
        if self.hard:
            return StopPlace(measure, *self.bounds, None)
        k, n, d = self.law()
        return StopPlace(measure, *self.bounds, (k, n, d))

    def place_rows(self, axis: Sequence[float]) -> list[list[float]]:
        """Pairs of a half-space on frame a and the origin of b, which stays between the limits along an axis (3,)."""
        rows = []
        for limit, sign in ((self.lower, 1.0), (self.upper, -1.0)):
            if limit is not None:
                point, direction = [limit * x for x in axis], [sign * x for x in axis]
                rows.append([float(HALF_SPACE_BALL), *point, *direction, *[0.0] * 9])
        return [[*row, *self.law(), *friction_numbers(None)] for row in rows]


#: parameters behind the weights of coordinates in s and minus what s is without them: two limits, k, n, d
LOWER, UPPER, STIFFNESS, EXPONENT, DAMPING = range(5)


@compiled
def _stop(row, at, t, s, rate):
    k, n, d = row[at + STIFFNESS], row[at + EXPONENT], row[at + DAMPING]
    low, high = row[at + LOWER], row[at + UPPER]
    if s < low:
        N, by_gap, by_rate = push(s - low, rate, k, n, d)
        elastic, energy = stored(s - low, k, n)
        return -N, -by_gap, -by_rate, energy, (elastic - N) * rate, 0.0
    if s > high:
        N, by_gap, by_rate = push(high - s, -rate, k, n, d)
        elastic, energy = stored(high - s, k, n)
        return N, -by_gap, -by_rate, energy, (N - elastic) * rate, 0.0
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@kernel
def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # the nearer limit, and whether the stop is torn away from
    at = iv.shape[1] + 1
    for i in range(p.shape[0]):
        s, rate = weighted_sum(p[i], iq[i], iv[i], q, v)
        below, above = s - p[i, at + LOWER], p[i, at + UPPER] - s
        gap = below if below < above else above
        out[i, 0] = gap
        out[i, 1] = tearing(gap, rate if below < above else -rate, p[i, at + DAMPING])


#: Limits of a weighted sum of coordinates.
STOP = force_on_sum("stop", _stop, switches=switches).standing_at(__name__, "STOP")

"""Two straight rods in space at a right angle, clamped at the start, under a force on the end that keeps its direction:
the rods of :mod:`~flexmb.validation.references.rod_in_space` one behind the other, by shooting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.validation.references.rod_in_space import RodInSpace

#: from the axes of the second leg, x along −y of the first and y along its x, to those of the first
CORNER = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
#: step of the differences by M(0), as a part of it
_STEP = 1e-5


@dataclass(frozen=True)
class AngleFrame:
    """A frame of two legs in the x–y plane, the first along x from the clamp, the second along −y from its end."""

    leg: RodInSpace

    def along(self, start: np.ndarray, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place (3,) and moment (3,) at the end, for M(0) (3,)."""
        y = self.leg.along(start, force)
        axes = y[3:12].reshape(3, 3) @ CORNER
        z = self.leg.along(axes.T @ y[12:], axes.T @ force)
        return y[:3] + axes @ z[:3], axes @ z[12:]

    def end(self, force: np.ndarray, guess: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The place (3,) of the end under a force (3,), and M(0), from a guess of that."""
        start = np.array(guess, dtype=float)
        size = float(np.linalg.norm(force)) * self.leg.length
        for _ in range(40):
            place, off = self.along(start, force)
            if np.max(np.abs(off)) < 1e-10 * size:
                return place, start
            units = _STEP * size * np.eye(3)
            pairs = ((self.along(start + u, force)[1], self.along(start - u, force)[1]) for u in units)
            slope = np.array([(one - two) / (2.0 * _STEP * size) for one, two in pairs]).T
            start = start - np.linalg.solve(slope, off)
        raise RuntimeError("the frame was not found")

    def path(self, force: np.ndarray, factors: np.ndarray) -> np.ndarray:
        """The places (k, 3) of the end under parts of a force (3,), one after the other from rest."""
        start, places = np.zeros(3), []
        for factor in factors:
            place, start = self.end(factor * np.asarray(force, dtype=float), start)
            places.append(place)
        return np.array(places)


def main() -> None:
    """Print the places of the end that the case `right-angle-frame` compares."""
    high, thick, E, nu = 30.0, 0.6, 71240.0, 0.31
    EIy, EIz = E * high * thick**3 / 12.0, E * thick * high**3 / 12.0
    leg = RodInSpace(240.0, E / (2.0 + 2.0 * nu) * high * thick**3 / 3.0, EIy, EIz, EA=E * high * thick)
    for way, wanted in ((-1.0, (0.6, 0.7, 0.9)), (1.0, (1.0, 1.1, 1.3))):
        factors = np.unique(np.concatenate([np.linspace(0.05, wanted[-1], 60), wanted]))
        for factor, place in zip(factors, AngleFrame(leg).path(np.array([way, 0.0, 1e-3]), factors)):
            if factor in wanted:
                print(way, factor, *(f"{x:.8f}" for x in place))


if __name__ == "__main__":
    main()

"""The spin-up beam of :mod:`~flexmb.validation.references.spin_up`, EI in both planes, with a weight along the hub's
axis that acts from the start on the straight blade at rest.

Lag and flap are y and z of the end in axes that turn with the hub. :mod:`~flexmb.validation.references.directed_rod`
converges to what a fine ANCF cable in Exudyn converges to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .directed_rod import DirectedRod
from .spin_up import DURATION, EA, EI, LENGTH, RHO_A, SPEED, T_END, hub, largest

__all__ = ["DURATION", "EA", "EI", "LENGTH", "RHO_A", "SPEED", "T_END", "hub"]

#: [m/s²], along z; torsional stiffness [Nm²], inertia of the sections about the axis [kg m]
WEIGHT = -1.62
GJ = 0.77 * EI
RHO_IP = 2.14e-4


@dataclass(frozen=True)
class Result:
    """Largest lag [m] and its time [s], deepest flap [m] and its time [s], and (lag, flap) [m] at 5, 10, 15, 20 s."""

    lag: float
    lag_time: float
    flap: float
    flap_time: float
    later: tuple[tuple[float, float], ...] = ()

    @property
    def numbers(self) -> np.ndarray:
        """All of them in a row."""
        return np.array([self.lag, self.lag_time, self.flap, self.flap_time, *np.ravel(self.later)])


#: by 5 + 3 polynomials, the flap, which comes soon after the sudden weight, by 8 + 3 (with 6 + 3: −0.59739);
#: `python -m flexmb.validation.references.spin_up_space`
EXACT = Result(-0.55513, 6.555, -0.59737, 1.0617)
#: Exudyn 1.13, ANCF cable in space, 4000 steps, of 16, 8 and 4 elements;
#: `python -m flexmb.validation.performance.peer_exudyn_space`
CABLE = {
    16: Result(
        -0.55520, 6.5417, -0.59737, 1.0619,
        ((-0.41812, -0.41346), (-0.38408, -0.14875), (0.03751, -0.14023), (-0.02986, -0.28466)),
    ),
    8: Result(
        -0.55513, 6.5424, -0.59732, 1.0618,
        ((-0.41815, -0.41379), (-0.38397, -0.14988), (0.03751, -0.14123), (-0.02947, -0.28594)),
    ),
    4: Result(
        -0.55265, 6.6602, -0.59499, 1.0540,
        ((-0.41915, -0.42750), (-0.38170, -0.18399), (0.03929, -0.17167), (-0.02270, -0.30292)),
    ),
}  # fmt: skip
#: one CMS element with so many bending modes a plane, no mode of torsion, by automatic differentiation and Radau
CMS = {
    1: Result(
        -0.55516, 6.55, -0.59706, 1.06,
        ((-0.41805, -0.41565), (-0.38263, -0.15514), (0.03860, -0.14363), (-0.02749, -0.29440)),
    ),
    2: Result(
        -0.55503, 6.56, -0.59717, 1.06,
        ((-0.41814, -0.41419), (-0.38363, -0.15185), (0.03810, -0.14292), (-0.02877, -0.28939)),
    ),
}  # fmt: skip


def result(t: np.ndarray, lag: np.ndarray, flap: np.ndarray) -> Result:
    """The numbers of a run that has 5, 10, 15 and 20 s among its times."""
    first = t <= 4.0  # the flap is deepest at once, before the blade is stiff
    at = [int(np.argmin(np.abs(t - when))) for when in (5.0, 10.0, 15.0, 20.0) if when <= t[-1] + 1e-9]
    later = tuple((float(lag[k]), float(flap[k])) for k in at)
    return Result(*largest(t, lag), *largest(t[first], flap[first]), later)


def exact(bending: int = 6, stretching: int = 3, t_end: float = T_END, rtol: float = 1e-9) -> Result:
    """By polynomials."""

    def turning(t: float) -> tuple[float, float]:
        _, rate, second = hub(np.array([t]))
        return float(rate[0]), float(second[0])

    rod = DirectedRod(LENGTH, EA, EI, RHO_A, WEIGHT, bending, stretching)
    times = np.linspace(0.0, t_end, round(200 * t_end) + 1)
    end = rod.motion(turning, times, rtol=rtol, atol=1e-2 * rtol)
    return result(times, end[:, 1], end[:, 2])


def main() -> None:
    """Compute :data:`EXACT`, which takes an hour."""
    for polynomials, t_end in (((8, 3), 1.3), ((5, 3), T_END)):
        print(polynomials, *(f"{x:.7f}" for x in exact(*polynomials, t_end=t_end).numbers), flush=True)


if __name__ == "__main__":
    main()

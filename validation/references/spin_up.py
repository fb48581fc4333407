"""The spin-up beam: data, driving law and published results.

Kobayashi (n.d.), eq. (57), figs. 2 and 3:  θ̇d = (ωs/Ts)(t − Ts/(2π) sin(2πt/Ts)) up to Ts, then ωs. The area
is not printed there; the stated first frequency, 2.91 rad/s, fixes ρA = 2.0194 kg/m. E is the classical
value of Kane, Ryan and Banerjee (1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cms_beam import CmsCantilever
from .exact_rod import ExactRod

LENGTH = 8.0
DENSITY = 2.767e3
EI = 5.666e3
RHO_A = 2.0194
EA = 6.8952e10 * RHO_A / DENSITY
SPEED = 4.0
DURATION = 15.0
T_END = 20.0

#: Largest tip deflection in the hub frame [m], its time [s], and amplitude after 15 s [m], by the exact rod below:
#: −0.5338719 m at 6.7655 s, with 6 and 4 polynomials as with 5 and 3. An ANCF cable of 32 elements in Exudyn 1.13 tends
#: to −0.5338718 m at 6.7655 s (`python -m flexmb.validation.performance.peer_exudyn`).
REFERENCE_DEFLECTION = -0.53387
REFERENCE_TIME = 6.766
REFERENCE_AMPLITUDE = 0.008303


@dataclass(frozen=True)
class CmsResult:
    """Largest deflection [m] and its time [s], of CMS elements with an `axial` field; see `cms_beam`."""

    axial: str
    elements: int
    modes: int
    deflection: float
    time: float


#: `python -m flexmb.validation.references.spin_up` computes them: other coordinates, Radau's method to 1e-8
CMS_ROWS = (
    CmsResult("chord", 1, 2, -0.59325, 8.0812),
    CmsResult("chord", 2, 2, -0.551609, 6.9280),
    CmsResult("chord", 4, 2, -0.538444, 6.8041),
    CmsResult("mean", 1, 2, -0.538779, 6.8087),
    CmsResult("mean", 2, 2, -0.53393, 6.7663),
    CmsResult("second_order", 1, 1, -0.533661, 6.7635),
    CmsResult("second_order", 1, 2, -0.533649, 6.7645),
    CmsResult("second_order", 1, 3, -0.533675, 6.7649),
    CmsResult("second_order", 2, 2, -0.533844, 6.7654),
)


def hub(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hub angle [rad], rate and second rate at the given times, from eq. (57), integrated by hand."""
    t = np.asarray(times, dtype=float)
    w, T = SPEED, DURATION
    c = 2.0 * np.pi / T
    inside = t < T
    angle = np.where(inside, w / T * (t**2 / 2 + (np.cos(c * t) - 1.0) / c**2), w * T / 2 + w * (t - T))
    rate = np.where(inside, w / T * (t - np.sin(c * t) / c), w)
    second = np.where(inside, w / T * (1.0 - np.cos(c * t)), 0.0)
    return angle, rate, second


def largest(t: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """The largest deflection (with its sign) and its time, by a polynomial of fourth degree through the seven samples
    around it."""
    k = int(np.argmin(w))
    if not 3 <= k < len(t) - 3:
        return float(w[k]), float(t[k])
    curve = np.polynomial.Polynomial.fit(t[k - 3 : k + 4] - t[k], w[k - 3 : k + 4], 4)
    flat = curve.deriv().roots()
    when = float(flat[np.argmin(np.abs(flat))].real)
    return float(curve(when)), float(t[k]) + when


def amplitude(t: np.ndarray, w: np.ndarray) -> float:
    """Half of the range of the deflection after the hub has reached its speed [m]."""
    return 0.5 * float(np.ptp(w[t >= DURATION]))


def cms(axial: str, elements: int, modes: int, t_end: float = 9.0, rtol: float = 1e-8) -> tuple[float, float]:
    """Largest deflection [m] and its time [s], for a row of :data:`CMS_ROWS`."""

    def turning(t: float) -> tuple[float, float]:
        _, rate, second = hub(np.array([t]))
        return float(rate[0]), float(second[0])

    blade = CmsCantilever(elements, modes, axial, length=LENGTH, EA=EA, EI=EI, rhoA=RHO_A)
    times = np.linspace(0.0, t_end, round(100 * t_end) + 1)
    return largest(times, blade.motion(turning, times, rtol)[:, 1])


def exact(bending: int = 5, stretching: int = 3, t_end: float = T_END) -> tuple[np.ndarray, np.ndarray]:
    """Times (k,) and tip deflection (k,) [m] of an exact rod with so many polynomials."""

    def given(t: float) -> tuple[complex, complex, float, float, float]:
        angle, rate, second = hub(np.array([t]))
        return 0j, 0j, float(angle[0]), float(rate[0]), float(second[0])

    rod = ExactRod(LENGTH, EA, EI, RHO_A, bending, stretching)
    times = np.linspace(0.0, t_end, round(100 * t_end) + 1)
    unknowns = rod.motion(given, times)
    return times, (rod.places(times, unknowns, given) * np.exp(-1j * hub(times)[0])).imag


def main() -> None:
    """Compute the numbers above, which takes minutes."""
    for row in CMS_ROWS:
        w, when = cms(row.axial, row.elements, row.modes)
        print(f"CMS, {row.axial}, {row.elements} elements, {row.modes} modes: {w:.7f} m at {when:.5f} s", flush=True)
    for polynomials in ((5, 3), (6, 4)):
        t, tip = exact(*polynomials)
        w, when = largest(t, tip)
        print(f"exact rod, {polynomials} polynomials: {w:.7f} m at {when:.5f} s, {amplitude(t, tip):.7f} m late")


if __name__ == "__main__":
    main()

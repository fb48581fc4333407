"""Gyroscopes that precess and nod: wheels on a pivot, started in three ways, against the exact solution in elliptic
functions.

The wheel of each stands at the end of an arm whose foot rests on a pivot. While the tip of the arm goes round it nods
between two circles: in loops, in cusps or in waves, as it is pushed back at the start, released or pushed ahead.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.special import ellipk, elliprf, elliprj

import flexmb as fm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: a ring of steel: outer and inner diameter, width [m], density [kg/m³]; the length of the arm from foot to ring [m]
OUTER, INNER, WIDTH, STEEL, ARM = 0.16, 0.12, 0.02, 7850.0, 0.12
#: spin about the arm [rad/s], inclination of the arm to the vertical at the start [rad], gravity [m/s²]
SPIN, TILT, GRAVITY = 75.0, np.radians(65.0), 9.81
#: how fast each arm goes round at the start [rad/s]
STARTS = {"loops": -2.5, "cusps": 0.0, "waves": 1.6}
DISTANCE, T_END = 0.4, 3.0


def build() -> fm.SpatialModel:
    """Three gyroscopes side by side; the spokes of their wheels make the spin visible."""
    model = fm.SpatialModel("gyroscope", gravity=(0.0, 0.0, -GRAVITY))
    tilt = Rotation.from_euler("y", TILT)
    up, axis = np.array([0.0, 0.0, 1.0]), tilt.apply([0.0, 0.0, 1.0])
    for k, (name, rate) in enumerate(STARTS.items()):
        pivot = np.array([0.0, DISTANCE * (k - 1), 0.0])
        ring = fm.HollowCylinder(outer_diameter=OUTER, inner_diameter=INNER, length=WIDTH)
        wheel = model.add_body(name, shape=ring, density=STEEL, position=pivot + ARM * axis, orientation=tilt)
        foot = wheel.attach("foot", (0.0, 0.0, -ARM))
        wheel.attach("tip", (0.0, 0.0, 0.5 * ARM))
        for j, angle in enumerate(np.radians([0.0, 120.0, 240.0])):
            wheel.attach(f"spoke {j}", 0.25 * (OUTER + INNER) * np.array([np.cos(angle), np.sin(angle), 0.0]))
        model.spherical(model.ground.attach(f"post of {name}", pivot), foot, name=f"pivot of {name}")
        foot.move(angular_velocity=SPIN * axis + rate * up)
    return model


class Nutation(NamedTuple):
    """The motion of a symmetric top: its smallest and largest inclination to the vertical [rad], the period of its
    nodding [s], and the mean speed at which it goes round [rad/s]."""

    least: float
    largest: float
    period: float
    precession: float


def exact(rate: float) -> Nutation:
    """The motion of a symmetric top that starts without nodding, at TILT and at a `rate` of going round [rad/s].

    With u = cos θ, the inertia C about the arm and A across it at the foot, and m g l the largest moment of the weight:

        u̇² = f(u) = (1 − u²)(α − β u) − (b − a u)²,   φ̇ = (b − a u)/(1 − u²),   a = C ω₃/A,   β = 2 m g l/A

    Between two roots u₁ and u₂ of f, u − u₁ = (u₂ − u₁) sin²ψ; so the period is 4 K/√(β (u₃ − u₁)), and the mean of
    1/(1 ∓ u) over it is Π(n)/K/(1 ∓ u₁), with n = ±(u₂ − u₁)/(1 ∓ u₁) and the parameter (u₂ − u₁)/(u₃ − u₁) of both.
    Landau and Lifshitz (1976), §35.
    """
    ring = fm.HollowCylinder(outer_diameter=OUTER, inner_diameter=INNER, length=WIDTH)
    across, _, axial = np.diagonal(ring.gyration)
    A = across + ARM**2
    u, sine = np.cos(TILT), np.sin(TILT)
    a, beta = axial * (SPIN + rate * u) / A, 2.0 * GRAVITY * ARM / A
    b, alpha = rate * sine**2 + a * u, (rate * sine) ** 2 + beta * u
    u1, u2, u3 = np.sort(np.roots([beta, -(alpha + a * a), 2.0 * a * b - beta, alpha - b * b]).real)
    parameter = (u2 - u1) / (u3 - u1)
    K = ellipk(parameter)

    def mean(n: float) -> float:
        """Π(n)/K, by the forms of Carlson."""
        return float(elliprf(0.0, 1.0 - parameter, 1.0) + n / 3.0 * elliprj(0.0, 1.0 - parameter, 1.0, 1.0 - n)) / K

    above = (b - a) / (1.0 - u1) * mean((u2 - u1) / (1.0 - u1))
    below = (b + a) / (1.0 + u1) * mean((u1 - u2) / (1.0 + u1))
    period = 4.0 * K / np.sqrt(beta * (u3 - u1))
    return Nutation(float(np.arccos(u2)), float(np.arccos(u1)), float(period), 0.5 * (above + below))


def inclination(solution: fm.Solution, name: str) -> np.ndarray:
    """The angle (k,) of an arm to the vertical [rad]."""
    arm = solution[f"{name}.tip"].position - solution[f"{name}.foot"].position
    return np.arctan2(np.hypot(arm[:, 0], arm[:, 1]), arm[:, 2])


def measured(solution: fm.Solution, name: str) -> Nutation:
    """The motion of a symmetric top in a run, over all its whole periods."""
    fine = solution.at(np.linspace(solution.t[0], solution.t[-1], 20001))
    arm = fine[f"{name}.tip"].position - fine[f"{name}.foot"].position
    theta, phi = inclination(fine, name), np.unwrap(np.arctan2(arm[:, 1], arm[:, 0]))
    sinking = fine[f"{name}.tip"].vz
    turns = np.flatnonzero((sinking[:-1] < 0.0) & (sinking[1:] >= 0.0))  # the arm is lowest
    part = sinking[turns] / (sinking[turns] - sinking[turns + 1])
    times, angles = ((1.0 - part) * x[turns] + part * x[turns + 1] for x in (fine.t, phi))
    period = (times[-1] - times[0]) / (len(times) - 1)
    return Nutation(theta.min(), theta.max(), period, (angles[-1] - angles[0]) / (times[-1] - times[0]))


def _histories(solution: fm.Solution) -> Figure:
    """Inclinations, between dotted lines of the exact bounds, and energy, over the first half of the time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.8), layout="constrained")
    top, bottom = figure.subplots(2, sharex=True, height_ratios=(2.0, 1.0))
    for name, rate in STARTS.items():
        known = exact(rate)
        (line,) = top.plot(solution.t, np.degrees(inclination(solution, name)), label=name)
        for bound in (known.least, known.largest):
            top.axhline(np.degrees(bound), color=line.get_color(), linewidth=0.8, linestyle=":")
    top.set(ylabel="inclination [°]", xlim=(0.0, 0.5 * T_END), ylim=(62.0, 103.0))
    energy = solution.energy
    for label, values in (("kinetic", energy.kinetic), ("potential", energy.potential), ("total", energy.total)):
        bottom.plot(solution.t, values - values[0], label=label)
    bottom.set(xlabel="t [s]", ylabel="energy − start [J]", ylim=(-1.8, 3.2))
    for ax in (top, bottom):
        ax.legend(frameon=False, ncols=3, loc="upper right")
    return figure


def run(out: Path) -> list[Path]:
    """Simulate three seconds, compare with the exact solution, and show the gyroscopes."""
    from matplotlib import style

    solution = fm.simulate(build(), T_END, "radau", tolerance=1e-8)
    print(solution)
    for name, rate in STARTS.items():
        found, known = measured(solution, name), exact(rate)
        print(
            f"{name}: goes round at {found.precession:.5f} rad/s (exact {known.precession:.5f}), nods in "
            f"{found.period:.6f} s (exact {known.period:.6f}), between {np.degrees(found.least):.4f}° and "
            f"{np.degrees(found.largest):.4f}° (exact {np.degrees(known.least):.4f}° and "
            f"{np.degrees(known.largest):.4f}°)"
        )

    view = solution.view(trails=[f"{name}.tip" for name in STARTS], camera=(2.0, -0.3, 1.5))
    picture = view.screenshot(out / "gyroscope.png", time=1.72, size=(1200, 440))
    page = view.html(out / "gyroscope.html", pictures=301, pace=0.5)

    history = out / "gyroscope-nutation.png"
    with style.context("flexmb.plots.light"):
        _histories(solution).savefig(history, dpi=140)
    return [picture, page, history, solution.save(out / "gyroscope.h5")]

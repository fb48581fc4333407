r"""Thermal flutter of a boom in the sun: its stability boundary in closed form, and runs on both sides of it.

A boom of length L, mass μ a length and bending stiffness EI stands on a satellite that does not turn. The sun heats one
side of it, by more the more it turns that side to the sun: the gradient of temperature across it heads for g₀ + g' ψ,
with the slope ψ of its tip, and follows with the time constant τ_h,

    τ_h ġ + g = g₀ + g' ψ

Heat bends it with the curvature ᾱ g. With one mode φ of a cantilever, of unit mass, the load is f = EI ᾱ g ∫ φ'' dx =
EI ᾱ g φ'(L), and ψ = φ'(L) η. All other modes are so much faster that they follow at once, and their share of the slope
is that which the first one lacks of the static ᾱ g L. So with k = ᾱ g' L, the slope that a steady slope makes by its
heat, the damping ratio ζ of the first mode, which is proportional to stiffness, and the share of this mode in k,

    c = 4 (φ'(L)L/φ(L))²/(ωL²√(μ/EI))² = 0.6131,
    η̈ + 2ζω η̇ + ω² η = ω² c ᾱ L g,      ψ = η + (1 − c) (ᾱ L g − (2ζ/ω) ᾱ L ġ)

(η measured as slope). About the steady state the motion has the polynomial, to first order in
the lag 2ζ/ω of the other modes, with r = 1 − c, u = 1 − r k and τ = τ_h + r k 2ζ/ω,

    (λ² + 2ζω λ + ω²)(u + τ λ) − c k ω² = 0
    τ λ³ + (u + 2ζωτ) λ² + (2ζω u + ω²τ) λ + ω²(u − c k) = 0

By Routh it is stable for k < 1 (beyond it bends away for good), and for (u + 2ζx)(2ζu + x) > x (u − c k), x = ωτ:

    c k x + 2ζ (u² + 2ζ x u + x²) > 0

which is quadratic in k. A boom that turns away from the sun as it bends, k < 0, swings up below the boundary: its heat
lags behind the swing and does work on it. With the first mode alone (u = 1) that is k < −2ζ (1 + 2ζx + x²)/(c x), and
it takes least where x = 1. The first mode of a uniform cantilever has ωL²√(μ/EI) = 3.51602 and φ'(L)L/φ(L) = 1.37651.

Boley (1956) showed that heat alone can make a beam vibrate.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import scipy.optimize
import scipy.signal

import flexmb as fm
from flexmb import bodies
from flexmb.validation.registry import Check, case

#: a boom of a thin tube of beryllium copper [m], as flown in the sixties; its damping ratio, and x = ω τ_h
LENGTH, DIAMETER, WALL, DAMPING, LAG = 15.0, 0.0127, 5e-5, 0.01, 3.0
METAL = fm.Material(density=8250.0, youngs_modulus=1.3e11, thermal_expansion=1.7e-5)
TUBE = fm.Tube(outer_diameter=DIAMETER, inner_diameter=DIAMETER - 2.0 * WALL)
#: the gradient that the sun makes across a boom that stands straight [K/m]
SUN = 100.0
#: ωL²√(μ/EI) and φ'(L)L/φ(L) of a uniform cantilever's first mode
FIRST, SLOPE = 3.5160152685, 1.3765056


#: the share of the first mode in the static slope
SHARE = 4.0 * SLOPE**2 / FIRST**2


@cache
def boom() -> bodies.ReducedBody:
    """The boom with the first mode of a cantilever and its shape under heat."""
    member = bodies.Member(("root", "tip"), METAL, TUBE, elements=12)
    return bodies.from_frame(
        {"root": (0, 0), "tip": (LENGTH, 0)}, [member], interfaces={"root": "root"}, followers={"tip": "tip"},
        loads={"sun": bodies.ThermalLoad(gradient=(0.0, -1.0))}, modes=1,
    )  # fmt: skip


def frequency() -> float:
    """ω [rad/s] of the cantilever, by the textbook."""
    EI, mu = METAL.youngs_modulus * TUBE.second_moment, METAL.density * TUBE.area
    return FIRST * np.sqrt(EI / mu) / LENGTH**2


def boundary(x: float = LAG) -> float:
    """The k below zero at which the swing neither decays nor grows."""
    c, z = SHARE, 2.0 * DAMPING
    r = 1.0 - c  # u = 1 − r k
    square, linear = z * r, c * x + z * r * (z * z + x * z - 2.0)  # the lag of the other modes in x
    constant = z * (1.0 + z * x + x * x)
    found = np.roots([square, linear, constant])
    return float(found[np.argmin(np.abs(found))].real)


def gain(k: float) -> float:
    """g' [K/m] for a k."""
    return k / (METAL.thermal_expansion * LENGTH)


def build(k: float, x: float = LAG, sun: float = SUN, start: float = 0.0) -> fm.PlanarModel:
    """The boom in the sun, straight at the start, its gradient of temperature a state."""
    model = fm.PlanarModel("boom in the sun")
    omega = frequency()
    body = model.add_modal_body("boom", boom(), damping=fm.StiffnessProportional(2.0 * DAMPING / omega))
    model.weld(model.ground, body.at("root"), name="satellite")
    body.at("tip").enter()
    load = model.body_load(body, "sun", factor=0.0, name="heat")
    tau, slope = x / omega, gain(k)

    def rates(t: float, y: np.ndarray, T: np.ndarray) -> list[float]:
        return [(sun + slope * y[0] - T[0]) / tau]

    def strength(t: float, y: np.ndarray, T: np.ndarray) -> list[float]:
        return [T[0]]

    tip = fm.control.RelativeAngle(model.ground, body.at("tip"))
    model.add_states(
        "temperature",
        rates,
        decide=strength,
        sensors=[tip],
        commands=load,
        start=start,
        names=["gradient"],
        sizes=[SUN],
    )
    return model


def roots(k: float, x: float = LAG) -> np.ndarray:
    """Roots λ (3,) [1/s] of the polynomial."""
    omega = frequency()
    tau = x / omega
    rest = (1.0 - SHARE) * k
    u, tau = 1.0 - rest, tau + rest * 2.0 * DAMPING / omega
    by_rate = 2.0 * DAMPING * omega * u + omega**2 * tau
    return np.roots([tau, u + 2.0 * DAMPING * omega * tau, by_rate, omega**2 * (u - SHARE * k)])


def growth(k: float, x: float = LAG) -> float:
    """The largest real part [1/s] of the poles of the linear model of a boom without sun."""
    state = fm.assemble(build(k, x, sun=0.0))
    return float(np.max(fm.linearize(state, "heat", "boom.tip.angle").poles.real))


def found_boundary(x: float) -> float:
    """k at which the linear model neither decays nor grows."""
    guess = boundary(x)
    return float(scipy.optimize.brentq(lambda k: growth(k, x), 1.3 * guess, 0.7 * guess, xtol=1e-10))


def grown(k: float) -> float:
    """The rate [1/s] at which the swing of a boom in the sun grows over ten of its periods, in a run from a boom that
    is warm and straight, and so swings about its steady state."""
    omega = frequency()
    steady = SUN / (1.0 - k)
    model = build(k, start=steady)
    period = 2.0 * np.pi / omega
    times = np.linspace(0.0, 12.0 * period, 1201)
    run = fm.simulate(model, times[-1], "radau", times=times, tolerance=1e-8, progress=False)
    swing = run["boom.tip.angle"] - METAL.thermal_expansion * steady * LENGTH
    peaks = scipy.signal.find_peaks(swing)[0]
    peaks = peaks[times[peaks] > 2.0 * period]  # when the third root has died out
    return float(np.polyfit(times[peaks], np.log(swing[peaks]), 1)[0])


def picture() -> fm.PlanarModel:
    """The boom on its satellite, as a beam that pictures show."""
    model = fm.PlanarModel("boom in the sun")
    satellite = model.add_body("satellite", mass=200.0, inertia=30.0)
    model.weld(model.ground, satellite.frame, name="no turn")
    model.add_beam("boom", satellite.frame, (LENGTH, 0.0), material=METAL, section=TUBE)
    return model


@case("thermal-flutter", draw=picture)
def compute() -> Iterator[Check]:
    """thermal flutter of a boom in the sun: the boundary of one mode in closed form, and the growth beyond it

    A boom that the sun heats less the more it bends swings up, since its heat lags behind. The boundary is that of its
    first mode, with the time constant of the heat, the other modes following at once.
    """
    plain = build(0.0, sun=0.0)
    poles = fm.linearize(fm.assemble(plain), "heat", "boom.tip.angle").poles
    omega = float(np.min(np.abs(poles[np.abs(poles.imag) > 0.0])))
    yield Check("frequency [rad/s]", omega, frequency(), 1e-5 * omega, "uniform cantilever", "turning sections, 1e-6")
    for x in (0.3, 1.0, LAG):
        why = "0.2 %: the second mode follows not quite at once, r k (ω/ω₂)² = 0.13 % of the slope"
        yield Check(f"boundary k at x = {x:g}", found_boundary(x), boundary(x), 2e-3 * abs(boundary(x)), "Routh", why)
    for part in (0.5, 1.5):
        found = roots(part * boundary())
        wanted = float(np.max(found.real[np.abs(found.imag) > 0.0]))
        why = "2 % of ζω: squares of a slope of 0.03, and the second mode"
        yield Check(f"growth at {part:g} of the boundary [1/s]", grown(part * boundary()), wanted,
                    0.02 * DAMPING * frequency(), "λ of the polynomial", why)  # fmt: skip

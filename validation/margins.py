"""Gain, phase and delay margins against closed forms, and what flexibility takes from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.control import loop_at, stability_margins, transfer_function
from flexmb.validation.registry import Check, Record, case

#: hub and load of the joint [kg m²], its stiffness [Nm/rad] and damping [Nms/rad]
HUB, LOAD, STIFFNESS, DAMPING = 0.5, 2.0, 800.0, 0.4
#: gains on angle [Nm/rad] and rate [Nms/rad], and the time constant of the motor [s]
K_P, K_D, LAG = 90.0, 30.0, 0.01
PERIOD = 0.02
CLOSED = "closed form"
ROUNDED = "rounding"
#: what SciPy's roots and eigenvalues of matrices of this size leave
RELATIVE = 1e-9


def joint(stiff: bool = False, servo: str = "") -> fm.PlanarModel:
    """A motor on a hub, which a spring joins to a load: a robot's joint whose link, or gear, is flexible. The sampled
    controller of a `servo` reads the 'hub' or the 'load'."""
    model = fm.PlanarModel("joint")
    hub = model.add_body("hub", mass=1.0, inertia=HUB)
    load = model.add_body("load", mass=1.0, inertia=LOAD)
    load.attach("tip", (0.6, 0.0))
    model.revolute(model.ground, hub.frame, name="bearing")
    model.revolute(hub.frame, load.frame, name="gear")
    if stiff:
        model.lock(hub.frame, load.frame, "angle", name="stiff")
    else:
        model.torsion_spring(hub.frame, load.frame, stiffness=STIFFNESS, damping=DAMPING, name="shaft")
    motor = model.point_torque(hub.frame, 0.0, name="motor")
    if servo:
        frame = {"hub": hub, "load": load}[servo].frame
        read = [fm.control.RelativeAngle(model.ground, frame), fm.control.RelativeRate(model.ground, frame)]
        model.add_controller("servo", period=PERIOD, sensors=read, commands=motor, law=[[-K_P, -K_D]])
    return model


def loop_of(place: str, stiff: bool = False) -> fm.LinearModel:
    """The loop of PD control of an angle through the motor's lag, cut at the motor, by the mechanism's linear model."""
    plant = fm.linearize(joint(stiff), "motor", [f"{place}.angle", f"{place}.angular_velocity"])
    lag = transfer_function([1.0], [LAG, 1.0])
    controller = fm.LinearModel(lag.A, lag.B @ [[K_P, K_D]], lag.C, np.zeros((1, 2)))
    return loop_at(plant, "motor", controller)


def polynomials(place: str, stiff: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of the same loop, by hand: of J₁ φ̈ = u − k (φ − ψ) − …, J₂ ψ̈ = k (φ − ψ) + …"""
    pd, lag = np.array([K_D, K_P]), np.array([LAG, 1.0])
    if stiff:
        return pd, np.polymul(lag, [HUB + LOAD, 0.0, 0.0])
    shaft = np.array([DAMPING, STIFFNESS])
    both = np.polymul(np.polyadd([HUB, 0.0, 0.0], shaft), np.polyadd([LOAD, 0.0, 0.0], shaft))
    determinant: np.ndarray = np.polysub(both, np.polymul(shaft, shaft))
    numerator = np.polymul(pd, np.polyadd([LOAD, 0.0, 0.0], shaft) if place == "hub" else shaft)
    return numerator, np.polymul(lag, determinant)


def crossovers(numerator: np.ndarray, denominator: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ω > 0 with |L(jω)| = 1 and the phases of −L there, by the roots of |numerator|² − |denominator|² in ω."""

    def squared(p: np.ndarray) -> np.ndarray:
        mirrored = p * (-1.0) ** np.arange(len(p) - 1, -1, -1)
        product = np.polymul(p, mirrored)  # p(s) p(−s), even in s = jω
        return np.asarray(product * np.real(1j ** np.arange(len(product) - 1, -1, -1)))

    roots = np.roots(np.polysub(squared(numerator), squared(denominator)))
    omega = np.sort(roots[(np.abs(roots.imag) < 1e-7 * np.abs(roots)) & (roots.real > 1e-6)].real)
    value = np.polyval(numerator, 1j * omega) / np.polyval(denominator, 1j * omega)
    return omega, np.angle(-value)


def limit_of_gain(numerator: np.ndarray, denominator: np.ndarray) -> float:
    """The least factor k of the gain at which a root of denominator + k numerator crosses the imaginary axis, by
    Im L = 0, a polynomial in ω."""
    product = np.polymul(numerator, denominator * (-1.0) ** np.arange(len(denominator) - 1, -1, -1))
    imaginary = product * np.imag(1j ** np.arange(len(product) - 1, -1, -1))
    roots = np.roots(np.trim_zeros(imaginary, "f"))
    omega = roots[(np.abs(roots.imag) < 1e-7 * np.abs(roots)) & (roots.real > 1e-6)].real
    value = (np.polyval(numerator, 1j * omega) / np.polyval(denominator, 1j * omega)).real
    return float(np.min(-1.0 / value[value < 0.0], initial=np.inf))


@case("margins", draw=joint)
def compute() -> Iterator[Record]:
    """gain, phase and delay margins: textbook loops, the loop of a flexible joint, sampled loops

    A flexible link takes a part of the margins of stability that a servo has with a rigid one. Ohkami et al. (1985),
    figure 2.9.13, shows it for the manipulator T3 with FLEX-ARM; the figure and its data are not in the text that was
    at hand. The joint here has two inertias, so that its margins follow from roots of polynomials.
    """
    # 4/(s + 1)³, and 1/(s (s + 1))
    third = stability_margins(transfer_function([4.0], [1.0, 3.0, 3.0, 1.0]))
    omega = np.sqrt(4.0 ** (2.0 / 3.0) - 1.0)
    lag = np.pi - 3.0 * np.arctan(omega)
    yield Check("4/(s + 1)³: gain margin [–]", third.gain, 2.0, RELATIVE, CLOSED, ROUNDED)
    yield Check("4/(s + 1)³: phase margin [rad]", third.phase, lag, RELATIVE, CLOSED, ROUNDED)
    yield Check("4/(s + 1)³: delay margin [s]", third.delay, lag / omega, RELATIVE, CLOSED, ROUNDED)
    second = stability_margins(transfer_function([1.0], [1.0, 1.0, 0.0]))
    omega = np.sqrt(0.5 * (np.sqrt(5.0) - 1.0))
    yield Check("1/(s² + s): phase margin [rad]", second.phase, np.arctan(1.0 / omega), RELATIVE, CLOSED, ROUNDED)
    # an inverted pendulum, J φ̈ = m g l φ + u, with PD control: too little gain lets it fall
    fall = stability_margins(transfer_function([3.0, 12.0], [0.5, 0.0, -4.0]))
    what = "inverted pendulum: least gain, m g l/k_p [–]"
    yield Check(what, fall.gain_reduction, 4.0 / 12.0, RELATIVE, CLOSED, ROUNDED)
    # a flexible joint: PD control of the motor's angle and of the load's
    margins = {}
    for name, place, stiff in (("rigid", "hub", True), ("at the motor", "hub", False), ("at the load", "load", False)):
        found = margins[name] = stability_margins(loop_of(place, stiff))
        numerator, denominator = polynomials(place, stiff)
        omega, phases = crossovers(numerator, denominator)
        limit = limit_of_gain(numerator, denominator)
        source = "roots of polynomials"
        if np.isfinite(limit):
            yield Check(f"joint, {name}: gain [–]", found.gain, limit, RELATIVE * limit, source, ROUNDED)
        if found.stable:
            phase, delay = np.min(np.abs(phases)), np.min(np.mod(phases, 2.0 * np.pi) / omega)
            yield Check(f"joint, {name}: phase margin [rad]", found.phase, phase, RELATIVE, source, ROUNDED)
            yield Check(f"joint, {name}: delay margin [s]", found.delay, delay, RELATIVE, source, ROUNDED)
        count = int(np.sum(np.roots(np.polyadd(numerator, denominator)).real > 0.0))
        yield Check(f"joint, {name}: growing poles", found.closed_unstable, count, 0.0, source, "a count")
    # a sampled servo on a rigid wheel: z² + …, and its delay margin against runs of the mechanism
    J, T = HUB + LOAD, PERIOD
    sampled = stability_margins(loop_at(joint(stiff=True, servo="hub"), "motor"))
    # L = (T (k_p T/2 + k_d) z + T (k_p T/2 − k_d))/(J (z − 1)²): Jury's criterion at z = −1
    limit = 2.0 * J / (T * K_D)
    yield Check("sampled: gain [–]", sampled.gain, limit, RELATIVE * limit, "Jury's criterion", ROUNDED)
    size = sampled_crossover(J, T)
    yield Check("sampled: phase margin [rad]", sampled.phase, size[1], RELATIVE, "closed form", ROUNDED)
    yield Check("sampled: gain crossover [rad/s]", sampled.gain_crossovers[-1], size[0], 1e-7, CLOSED, ROUNDED)


def sampled_crossover(J: float, T: float) -> tuple[float, float]:
    """ω and the phase of −L of (b₁ z + b₀)/(z − 1)² at |L| = 1: |z − 1|⁴ = b₁² + b₀² + 2 b₁ b₀ cos ωT, a quadratic in
    cos ωT."""
    b1, b0 = T * (0.5 * K_P * T + K_D) / J, T * (0.5 * K_P * T - K_D) / J
    roots = np.roots([4.0, -8.0 - 2.0 * b1 * b0, 4.0 - b1 * b1 - b0 * b0])
    angle = float(np.arccos(roots[np.abs(roots) <= 1.0][0].real))
    z = np.exp(1j * angle)
    return angle / T, float(np.angle(-(b1 * z + b0) / (z - 1.0) ** 2))

"""Stability of periodic motions by Floquet's multipliers: pendulums, flat shafts, a limit cycle, a spinning body."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.special

import flexmb as fm
from flexmb.validation.references import periodic
from flexmb.validation.registry import Check, Record, case

#: the pendulum with a pivot that moves up and down: gravity [m/s²], circular frequency [rad/s]
GRAVITY, DRIVE = 9.81, 20.0
#: the rotor: masses of bearings and disk [kg], of the shaft's two planes [rad/s]
BEARINGS, DISK, SLOW, FAST = 0.5, 2.0, 90.0, 110.0
#: what a step of the transition may be off, see flexmb.analyses.linear.nominal
LEFT = 1e-7
#: of multipliers that are double, whose errors are roots
DOUBLE = 2e-4


def pendulum(a: float, q: float) -> tuple[fm.PlanarModel, float]:
    """A pendulum that hangs, or for a < 0 stands, in Mathieu's equation with τ = Ω t/2, and its period: its pivot moves
    by Y cos Ω t along the rod, and a = 4 g/(l Ω²), q = −2 Y/l."""
    length = 4.0 * GRAVITY / (abs(a) * DRIVE**2)
    model = fm.PlanarModel("pendulum", gravity=(-GRAVITY * np.sign(a), 0.0))
    stroke = fm.Harmonic(-0.5 * q * length, DRIVE, 0.5 * np.pi)
    pivot = model.add_body("pivot", mass=1.0, inertia=1.0, position=(stroke(0.0), 0.0))
    model.prismatic(model.ground, pivot.frame, name="rail")
    model.drive_position(model.ground, pivot.frame, stroke, name="drive")
    bob = model.add_body("bob", mass=0.3, inertia=0.0, position=(-length + stroke(0.0), 0.0))
    model.revolute(pivot.frame, bob.attach("hinge", (length, 0.0)), name="hinge")
    return model, 2.0 * np.pi / DRIVE


def rotor(speed: float, bearing: tuple[float, float] | None, damping: float) -> fm.PlanarModel:
    """A disk on a flat shaft that turns at a speed [rad/s], seen along the shaft; its bearings yield with the stiffness
    given [N/m], or not at all."""
    model = fm.PlanarModel("rotor")
    hub = model.add_body("hub", mass=0.1 if bearing is None else 0.5 * BEARINGS, inertia=0.01)
    if bearing is None:
        model.revolute(model.ground, hub.frame, name="bearing")
        model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, speed]), name="motor")
    else:
        block = model.add_body("block", mass=0.5 * BEARINGS, inertia=0.01)
        model.lock(model.ground, block.frame, "angle", name="level")
        model.bushing(model.ground, block.frame, stiffness=(*bearing, 0.0), damping=(damping, damping, 0.0))
        model.revolute(block.frame, hub.frame, name="bearing")
        model.drive_angle(block.frame, hub.frame, fm.Polynomial([0.0, speed]), name="motor")
    disk = model.add_body("disk", mass=DISK, inertia=0.02)
    disk.attach("rim", (0.14, 0.0))
    model.lock(hub.frame, disk.frame, "angle", name="fit")
    model.bushing(hub.frame, disk.frame, stiffness=(DISK * SLOW**2, DISK * FAST**2, 0.0), name="shaft")
    model.bushing(model.ground, disk.frame, damping=(damping, damping, 0.0), name="air")
    return model


def multipliers(model: fm.PlanarModel | fm.SpatialModel, period: float, steps: int = 12) -> np.ndarray:
    """Multipliers of a run over one period."""
    run = fm.simulate(model, period, method="radau", tolerance=1e-11, max_step=period / 60.0, progress=False)
    along = fm.linearize(run.at(np.linspace(0.0, period, steps + 1)), along=True)
    return np.asarray(along.floquet().multipliers)


def van_der_pol(mu: float, start: float) -> fm.PlanarModel:
    """A cart whose force pulls it back and drives it where it is near: ẍ − μ (1 − x²) ẋ + x = 0."""
    model = fm.PlanarModel("cart")
    cart = model.add_body("cart", mass=1.0, inertia=1.0, position=(start, 0.0))
    model.prismatic(model.ground, cart.frame, name="rail")

    def push(t, position, velocity):  # type: ignore[no-untyped-def]
        return mu * (1.0 - position[0] ** 2) * velocity[0] - position[0], 0.0, 0.0

    def derivative(t, position, velocity):  # type: ignore[no-untyped-def]
        by_place, by_speed = np.zeros((2, 3, 3))
        by_place[0, 0] = -2.0 * mu * position[0] * velocity[0] - 1.0
        by_speed[0, 0] = mu * (1.0 - position[0] ** 2)
        return by_place, by_speed

    model.python_force(cart.frame, push, derivative=derivative, name="push")
    return model


def drawn() -> fm.PlanarModel:
    """The rotor in bearings that yield."""
    return rotor(100.0, (2e4, 6e4), 0.0)


@case("floquet", draw=drawn)
def compute() -> Iterator[Record]:
    """multipliers of periodic motions: Mathieu's equation, a rotor on a flat shaft, a limit cycle, a body that spins

    The borders of stability of Mathieu's equation are its characteristic values, by SciPy; a pendulum whose pivot moves
    up and down obeys it, hanging and, for a < 0, standing on its head. A disk on a flat shaft is unstable between its
    two critical speeds; where the bearings yield too, and differ by direction, no axes have constant coefficients.
    """
    for name, order, q, value in (
        ("a₀, on its head", 0, 0.6, scipy.special.mathieu_a(0, 0.6)),
        ("b₁", 1, 0.4, scipy.special.mathieu_b(1, 0.4)),
        ("a₁", 1, 0.4, scipy.special.mathieu_a(1, 0.4)),
        ("b₂", 2, 1.2, scipy.special.mathieu_b(2, 1.2)),
    ):
        trace = float(np.sum(multipliers(*pendulum(float(value), q))).real)
        wanted = 2.0 * (-1.0) ** order
        source = "characteristic values of Mathieu's equation, SciPy"
        yield Check(f"pendulum at {name}({q:g}): trace of M [–]", trace, wanted, LEFT, source, "tolerances of both")
    for a, q, what in ((0.7, 0.4, "unstable"), (2.0, 0.4, "stable")):
        found = float(np.max(np.abs(multipliers(*pendulum(a, q)))))
        wanted = float(np.max(np.abs(np.linalg.eigvals(periodic.mathieu(a, q)))))
        yield Check(f"pendulum, {what}: largest |μ|", found, wanted, LEFT, "Mathieu's equation", "tolerances of both")
    for speed in (80.0, 95.0, 100.0, 105.0, 125.0):
        found = float(np.max(np.abs(multipliers(rotor(speed, None, 8.0), 2.0 * np.pi / speed))))
        wanted = float(np.max(np.abs(periodic.flat_shaft(speed, SLOW, FAST, 8.0 / DISK))))
        source = "constant coefficients in axes that turn"
        yield Check(f"flat shaft at {speed:g} rad/s: largest |μ|", found, wanted, LEFT, source, "tolerances of both")
    for speed in (88.0, 92.0, 100.0, 108.0, 112.0):  # without damping: motions grow between both critical speeds alone
        found = float(np.max(np.abs(multipliers(rotor(speed, None, 0.0), 2.0 * np.pi / speed))))
        b, c = SLOW**2 + FAST**2 + 2.0 * speed**2, (SLOW**2 - speed**2) * (FAST**2 - speed**2)
        squared = 0.5 * (np.sqrt(b * b - 4.0 * c) - b)
        wanted = float(np.exp(np.sqrt(max(squared, 0.0)) * 2.0 * np.pi / speed))
        what = f"flat shaft without damping, {speed:g} rad/s: largest |μ|"
        yield Check(what, found, wanted, LEFT, "closed form: λ⁴ + b λ² + c = 0", "tolerances")
    for speed in (60.0, 68.0, 76.0, 86.0):
        bearing = (2e4, 6e4)
        found = float(np.max(np.abs(multipliers(rotor(speed, bearing, 4.0), 2.0 * np.pi / speed))))
        shaft = (DISK * SLOW**2, DISK * FAST**2)
        values = periodic.flat_shaft_in_bearings(speed, shaft, bearing, (BEARINGS, DISK), 4.0)
        wanted, source = float(np.max(np.abs(values))), "equations by hand, DOP853"
        what = f"flat shaft in bearings that differ, {speed:g} rad/s: largest |μ|"
        yield Check(what, found, wanted, LEFT, source, "tolerances of both")
    yield from _limit_cycle()
    yield from _spinning_body()


def _limit_cycle() -> Iterator[Check]:
    for mu in (0.3, 1.0):
        start, period, wanted = periodic.van_der_pol(mu)
        run = fm.simulate(van_der_pol(mu, start), period, method="radau", tolerance=1e-10, progress=False)
        found = fm.linearize(run.at(np.linspace(0.0, period, 61)), along=True).floquet()
        own = found.multipliers[found.along].real if found.along is not None else np.nan
        yield Check(f"van der Pol, μ = {mu:g}: multiplier [–]", found.largest, wanted, LEFT, "Liouville", "tolerances")
        yield Check(
            f"van der Pol, μ = {mu:g}: that of the motion itself [–]", float(own), 1.0, LEFT, "theory", "the same"
        )


def _spinning_body() -> Iterator[Check]:
    """A body that spins about its middle axis, for one turn, after which its quaternion has the other sign."""
    inertia, spin = (1.0, 2.0, 3.0), 2.0
    model = fm.SpatialModel("body")
    body = model.add_body("body", mass=1.0, inertia=inertia)
    body.move(angular_velocity=(0.0, spin, 0.0))
    period = 2.0 * np.pi / spin
    values = np.sort(np.abs(multipliers(model, period)))
    rate = spin * np.sqrt((inertia[1] - inertia[0]) * (inertia[2] - inertia[1]) / (inertia[0] * inertia[2]))
    for what, found, wanted in (
        ("largest", values[-1], np.exp(rate * period)),
        ("smallest", values[0], np.exp(-rate * period)),
    ):
        yield Check(
            f"body about its middle axis: {what} |μ|", float(found), float(wanted), LEFT * wanted, "Euler's equations",
            "tolerances",
        )  # fmt: skip
    error = float(np.max(np.abs(values[1:-1] - 1.0)))
    yield Check("body about its middle axis: the other ten, | |μ| − 1 |", error, 0.0, DOUBLE, "theory", "double roots")

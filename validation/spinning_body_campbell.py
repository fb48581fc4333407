"""A rigid rotor in bearings on springs: how its spin splits the frequencies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import rigid_rotor as reference
from flexmb.validation.references.small_motions import exponents
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar

#: mass [kg], inertia across and along the axis [kg m²]
MASS, ACROSS, AXIAL = 6.0, 0.09, 0.05
#: distance of the bearings from the mass center [m], and their stiffness [N/m]
ARM, STIFFNESS = 0.2, 3e4
TILT = 2.0 * STIFFNESS * ARM**2
#: bearings that are not alike: (z, k along x, k along y)
UNLIKE = ((-0.15, 2.5e4, 4e4), (0.25, 3.5e4, 3e4))
SPEEDS = (0.0, 150.0, 400.0)


def build(bearings: Any, inertia: Any = (ACROSS, ACROSS, AXIAL), driven: float | None = None) -> fm.SpatialModel:
    """The rotor with its axis along z; with a drive in a hinge of its housing if it is `driven` at a speed."""
    model = fm.SpatialModel("rotor")
    shape = fm.CompoundShape([fm.Cylinder(radius=0.12, length=0.1), bar((0, 0, -1.3 * ARM), (0, 0, 1.3 * ARM))])
    rotor = model.add_body("rotor", mass=MASS, inertia=inertia, shape=shape)
    held: Any = rotor
    if driven is not None:  # bearings hold a housing without inertia of its own, in which a motor drives the rotor
        held = model.add_body("housing", mass=1e-9, inertia=(1e-12, 1e-12, 1e-12))
        model.revolute(held.frame, rotor.frame, axis="z")
        model.drive_angle(held.frame, rotor.frame, fm.Polynomial([0.0, driven]), axis="z")
        model.torsion_spring(model.ground, held.frame, stiffness=TILT, axis="z")
    for k, (z, along_x, along_y) in enumerate(bearings):
        seat, journal = model.ground.attach(f"seat {k}", (0, 0, z)), held.attach(f"journal {k}", (0, 0, z))
        model.bushing(seat, journal, stiffness=(along_x, along_y, STIFFNESS, 0, 0, 0))
    return model


EQUAL = ((-ARM, STIFFNESS, STIFFNESS), (ARM, STIFFNESS, STIFFNESS))


def at(speed: float, bearings: Any = EQUAL) -> fm.Equilibrium:
    """The rotor that spins in bearings at rest."""
    return fm.equilibrium(build(bearings), rotors={"rotor": (0.0, 0.0, speed)})


def nearest(values: np.ndarray, wanted: complex) -> complex:
    """The value that is nearest to one that is wanted."""
    return complex(values[np.argmin(np.abs(values - wanted))])


@case("spinning-body-campbell", draw=lambda: build(EQUAL))
def compute() -> Iterator[Check]:
    """a rigid rotor in bearings on springs: gyroscopic splitting of frequencies, critical speeds, unequal inertia"""
    source, why = "closed form", "round-off"
    diagram = fm.campbell(at, SPEEDS, 6)
    for k, speed in enumerate(SPEEDS):
        slow, fast = reference.tilts(ACROSS, AXIAL, TILT, speed)
        for what, wanted in (("slow tilt", slow), ("fast tilt", fast), ("swing", np.sqrt(2 * STIFFNESS / MASS))):
            found = nearest(diagram.eigenvalues[k], 1j * wanted)
            name = f"{what} at {speed:g} rad/s, seen in the frame [rad/s]"
            yield Check(name, found.imag, float(wanted), 1e-9 * wanted, source, why)
    critical = reference.critical_speed(ACROSS, AXIAL, TILT)
    near = fm.campbell(at, critical * np.array([0.99, 0.998, 1.002, 1.01]), 6)
    speeds = [x.speed for x in near.critical_speeds([1])]
    found = min(speeds, key=lambda x: abs(x - critical), default=np.nan)
    yield Check(
        "critical speed of the tilt [rad/s]", found, critical, 1e-5 * critical, source, "between speeds 0.4 % apart"
    )
    # seen in axes that turn along, frequencies are shifted by the spin; a drive in a housing changes nothing
    speed = 150.0
    turning = fm.complex_modes(fm.equilibrium(build(EQUAL), spin=speed)).eigenvalues
    slow, fast = reference.tilts(ACROSS, AXIAL, TILT, speed)
    for what, wanted in (("slow tilt", slow + speed), ("fast tilt", abs(fast - speed))):
        value = nearest(turning, 1j * wanted)
        yield Check(
            f"{what} at {speed:g} rad/s, in turning axes [rad/s]", value.imag, wanted, 1e-9 * wanted, source, why
        )
    motor = fm.equilibrium(build(EQUAL, driven=speed), rotors={"rotor": (0.0, 0.0, speed)})
    driven = fm.complex_modes(motor, 6).eigenvalues
    for what, wanted in (("slow tilt", slow), ("fast tilt", fast)):
        value = nearest(driven, 1j * wanted)
        name = f"{what}, a motor in a light housing [rad/s]"
        yield Check(name, value.imag, wanted, 1e-7 * wanted, source, "the housing's inertia, 1e-11 of the rotor's")
    # bearings that differ from one another and along x and y
    own = "eigenvalues of the rotor's linear equations, set up by hand"
    for speed in (0.0, 400.0):
        wanted_all = reference.eigenvalues(MASS, ACROSS, AXIAL, speed, UNLIKE)
        found_all = fm.complex_modes(at(speed, UNLIKE)).eigenvalues
        for j, value in enumerate(sorted(wanted_all[wanted_all.imag > 0.0], key=abs)):
            one = nearest(found_all, value)
            name = f"unlike bearings, {speed:g} rad/s: frequency {j + 1} [rad/s]"
            yield Check(name, one.imag, value.imag, 1e-9 * abs(value), own, why)
    poles = fm.linearize(at(400.0, UNLIKE), "rotor.mx", "rotor.wx", steady=True).poles
    off = max(float(np.min(np.abs(poles - value))) / abs(value) for value in wanted_all)
    yield Check("poles of the linear model: largest relative difference", off, 0.0, 1e-8, own, why)
    # an unequal rotor: between two speeds its tilt grows
    inertia = (0.1, 0.08, 0.04)
    for speed in (150.0, 208.0, 300.0):
        wanted_all = reference.unequal(inertia, TILT, speed)
        about = fm.equilibrium(build(EQUAL, inertia), spin=speed)
        grows = float(np.max(fm.complex_modes(about).eigenvalues.real))
        growth = float(np.max(wanted_all.real))
        name = f"unequal rotor at {speed:g} rad/s: fastest growth [1/s]"
        yield Check(name, grows, growth if growth > 1e-6 else 0.0, 1e-9 * speed, own, why)
    yield from _runs(source)


def _runs(source: str) -> Iterator[Check]:
    """The slow tilt, as a run of the nonlinear equations swings."""
    speed = 400.0
    slow, fast = reference.tilts(ACROSS, AXIAL, TILT, speed)
    model = build(EQUAL)
    rotor = model.components["rotor"]
    rotor.move(angular_velocity=(1e-3, 0.0, speed))  # type: ignore[attr-defined]
    t = np.linspace(0.0, 0.5, 801)
    run = fm.simulate(model, 0.5, "dop853", tolerance=1e-10, progress=False).at(t)
    axis = run["rotor"].orientation.apply((0.0, 0.0, 1.0))
    found = exponents(t, axis[:, 0] + 1j * axis[:, 1], 1j * np.array([1.01 * fast, -0.99 * slow]))
    for what, value, wanted in (("fast", found[0], fast), ("slow", found[1], -slow)):
        name = f"{what} tilt at {speed:g} rad/s, as a run swings [rad/s]"
        yield Check(name, float(value.imag), wanted, 1e-6 * abs(wanted), source, "second order in a tilt of 1e-5")

"""Which satellites keep their attitude: such that spin, and such on an orbit, with and without rotors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import satellites as reference
from flexmb.validation.registry import Check, case

#: of the earth [m³/s²]; radius of the orbit [m] and its rate [rad/s]
MU, RADIUS = 3.986004418e14, 7.0e6
RATE = float(np.sqrt(MU / RADIUS**3))
#: axes of the orbit: along the flight (y), against its normal (−z), towards the earth (−x)
ORBIT = Rotation.from_matrix(np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
#: inertias in the order along the flight, across the orbit, towards the earth, in units of 100 kg m²
SHAPES = {
    "Lagrange": [(1.0, 1.2, 0.4), (1.0, 1.5, 0.6), (0.7, 1.0, 0.5)],
    "DeBra-Delp": [(1.0, 0.65, 0.7), (1.3, 0.97, 1.1)],
    "unstable": [(0.4, 1.2, 1.0), (1.2, 1.0, 0.4), (1.0, 0.5, 0.8), (0.4, 1.0, 1.2), (0.9, 0.2, 1.0)],
}


def satellite(inertia: Any, momentum: float = 0.0, wheel: str = "constant") -> fm.SpatialModel:
    """A satellite on an orbit about the earth with inertias (3,) [kg m²], and a wheel with a momentum [kg m²/s] along
    the second axis: one of constant speed, or one that turns freely."""
    model = fm.SpatialModel("satellite")
    hull = model.add_body("hull", mass=200.0, inertia=inertia, position=(RADIUS, 0.0, 0.0), orientation=ORBIT)
    model.gravity_gradient(hull, MU)
    if momentum:
        torque = 0.0 if wheel == "free" else None
        own = 1e-9  # so little that the attraction of the wheel itself does not matter
        model.add_wheel("wheel", hull.frame, inertia=own, axis="y", speed=momentum / own, torque=torque)
    return model


def spun(inertia: Any, sigma: float) -> fm.Equilibrium:
    """A satellite that is symmetric about its second axis, about which it spins at σ against the axes of the orbit."""
    model = satellite(inertia)
    return fm.equilibrium(model, spin=RATE, axis="z", rotors={"hull": (0.0, sigma, 0.0)})


def squares(about: fm.Equilibrium) -> np.ndarray:
    """λ²/n² (c,) of the satellite's complex modes."""
    return (fm.complex_modes(about).eigenvalues / RATE) ** 2


def on_orbit(model: fm.SpatialModel) -> fm.Equilibrium:
    """The satellite as it goes round the earth."""
    return fm.equilibrium(model, spin=RATE, axis="z")


def apart(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest distance of wanted values from the nearest one found; of conjugates one suffices."""
    return max(float(min(np.min(np.abs(found - x)), np.min(np.abs(found - x.conjugate())))) for x in wanted)


@case("satellite-stability", draw=lambda: satellite(100.0 * np.array(SHAPES["Lagrange"][0]), 1.0))
def compute() -> Iterator[Check]:
    """satellites that spin and satellites on orbits: regions of stability, eigenvalues, with and without rotors"""
    yield from _spinning()
    yield from _on_orbit()
    yield from _with_rotors()


def _spinning() -> Iterator[Check]:
    source, why = "closed form, Hughes (1986)", "round-off"
    inertia, spin = np.array([90.0, 120.0, 150.0]), 0.3
    names = ("least", "middle", "greatest")
    for k, axis in enumerate("xyz"):
        model = fm.SpatialModel("spinning")
        model.add_body("hull", mass=200.0, inertia=inertia)
        found = fm.complex_modes(fm.equilibrium(model, spin=spin, axis=axis))
        square = reference.spin_square(np.roll(inertia, -k - 1), spin)
        off = float(np.min(np.abs(found.eigenvalues**2 - square)))
        yield Check(f"spin about the {names[k]} inertia: λ² [1/s²]", square + off, square, 1e-12, source, why)
        yield Check(f"spin about the {names[k]} inertia: stable", found.stable, square < 0.0, 0.0, source, "exact")
    # a rotor holds a satellite that spins about its middle inertia, in a range of its momentum alone
    A, B, C = 90.0, 150.0, 120.0
    wrong = 0
    for momentum in np.linspace(-20.0, 20.0, 17):
        model = fm.SpatialModel("gyrostat")
        hull = model.add_body("hull", mass=200.0, inertia=(A, B, C))
        if momentum:
            model.add_wheel("wheel", hull.frame, inertia=1e-6, axis="z", speed=momentum / 1e-6)
        found = fm.complex_modes(fm.equilibrium(model, spin=spin))
        wrong += found.stable != (reference.spin_square(np.array([A, B, C]), spin, float(momentum)) < 0.0)
    yield Check("17 rotors in a satellite that spins: wrong about stability", wrong, 0, 0.0, source, "exact")


def _on_orbit() -> Iterator[Check]:
    source = "closed forms; regions of Lagrange (1780) and of DeBra and Delp (1961)"
    why = "round-off of places in units of 7000 km"
    for region, shapes in SHAPES.items():
        for shape in shapes:
            inertia = 100.0 * np.array(shape)
            found = fm.complex_modes(on_orbit(satellite(inertia)))
            label = "/".join(f"{x:g}" for x in shape)
            wanted = reference.orbit_squares(inertia)
            off = apart((found.eigenvalues / RATE) ** 2, wanted)
            yield Check(f"inertias {label}, {region}: error of λ²/n²", off, 0.0, 1e-9, source, why)
            expected = reference.region(inertia)
            yield Check(f"inertias {label}: stable", found.stable, expected != "unstable", 0.0, source, "exact")
            yield Check(f"inertias {label}: in its region", expected == region, 1, 0.0, source, "exact")
    wrong = total = 0
    for one in np.linspace(0.25, 1.15, 7):  # J₂ = 1; a body has each inertia below the sum of the others
        for three in np.linspace(0.2, 1.2, 7):
            if abs(one - three) < 1.0 < one + three and min(abs(one - three), abs(one - 1.0), abs(three - 1.0)) > 1e-3:
                inertia = 100.0 * np.array([one, 1.0, three])
                wrong += fm.complex_modes(on_orbit(satellite(inertia))).stable != (
                    reference.region(inertia) != "unstable"
                )
                total += 1
    yield Check(f"{total} satellites on orbit: wrong about stability", wrong, 0, 0.0, source, "exact")


def _with_rotors() -> Iterator[Check]:
    source, why = "closed form, Hughes (1986)", "round-off of places in units of 7000 km"
    inertia = np.array([120.0, 100.0, 40.0])  # unstable without a rotor
    for momentum in (-1.0, -0.1, -0.01, 0.1, 1.0):
        wanted = reference.orbit_squares(inertia, RATE, momentum) / RATE**2
        for wheel in ("constant", "free"):
            found = fm.complex_modes(on_orbit(satellite(inertia, momentum, wheel)))
            off = apart((found.eigenvalues / RATE) ** 2, wanted[1:]) / float(np.max(np.abs(wanted[1:])))
            name = f"wheel of {momentum:g} kg m²/s ({wheel} speed): relative error of λ²"
            yield Check(name, off, 0.0, 1e-9, source, why)
            expected = reference.stable(wanted)
            yield Check(
                f"wheel of {momentum:g} kg m²/s ({wheel}): stable", found.stable, expected, 0.0, source, "exact"
            )
    slim = np.array([60.0, 100.0, 60.0])
    for sigma in (-3.0, -1.5, -0.5, 0.0, 1.0):
        wanted = reference.orbit_squares(slim, 1.0, slim[1] * sigma)[1:]
        off = apart(squares(spun(slim, sigma * RATE)), wanted) / float(np.max(np.abs(wanted)))
        yield Check(f"symmetric, spin {sigma:g} n against the orbit: relative error of λ²", off, 0.0, 1e-9, source, why)
        keeps = fm.complex_modes(spun(slim, sigma * RATE)).stable
        expected = reference.stable(wanted)
        yield Check(f"symmetric, spin {sigma:g} n against the orbit: stable", keeps, expected, 0.0, source, "exact")

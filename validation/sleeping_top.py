"""The sleeping top: small motions of a spinning body upright on a fixed point, and the spin from which it sleeps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import small_motions as reference
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar

#: mass [kg], length from the point to the mass center [m], inertia about the mass center across and along the axis
MASS, LENGTH, ACROSS, AXIAL = 2.0, 0.15, 0.01, 0.008
FIXED, MOMENT = ACROSS + MASS * LENGTH**2, MASS * 9.81 * LENGTH
#: how far it leans at the start [rad]
SMALL = 1e-4


def build(spin: float) -> fm.SpatialModel:
    """The top on a spherical joint, nearly upright, spinning about its axis."""
    model = fm.SpatialModel("sleeping top", gravity=(0.0, 0.0, -9.81))
    turn = Rotation.from_rotvec((SMALL, 0.0, 0.0))
    axis = turn.apply((0.0, 0.0, 1.0))
    inertia = (ACROSS, ACROSS, AXIAL)
    shape = fm.CompoundShape([fm.Cylinder(radius=0.08, length=0.02), bar((0, 0, -LENGTH), (0, 0, 0.3 * LENGTH))])
    top = model.add_body(
        "top", mass=MASS, inertia=inertia, center=(0, 0, 0), position=LENGTH * axis, orientation=turn, shape=shape
    )
    top.move(angular_velocity=spin * axis)
    model.spherical(model.ground, top.attach("tip", (0.0, 0.0, -LENGTH)), name="point")
    return model


def lean(spin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and places x + iy (k,) of the mass center, as parts of its distance from the point."""
    run = fm.simulate(
        build(spin), end, "projection", tolerance=1e-12, absolute_tolerance=1e-14, max_step=5e-3, progress=False
    )
    place = run["top"].position
    return run.t, (place[:, 0] + 1j * place[:, 1]) / LENGTH


@case("sleeping-top", draw=lambda: build(50.0))
def compute() -> Iterator[Check]:
    """a top upright on a fixed point: precession and nutation, fall, and the least spin at which it sleeps"""
    source, why = "closed form, Goldstein, Poole and Safko (2002), § 5.7", "terms of the second order in a lean of 1e-4"
    least = reference.least_spin(FIXED, AXIAL, MOMENT)
    for part in (1.05, 2.0):
        spin = part * least
        wanted = reference.sleeping_top(FIXED, AXIAL, MOMENT, spin)
        found = reference.exponents(*lean(spin, 4.0), wanted * (1.02, 0.98))
        for name, one, other in zip(("nutation", "precession"), found, wanted):
            what = f"{name} at {part:g} times the least spin [rad/s]"
            yield Check(what, one.imag, other.imag, 1e-6 * abs(other), source, why)
        limit = spin * 2.0 * np.sqrt(found[0].imag * found[1].imag) / (found[0].imag + found[1].imag)
        yield Check("the least spin, from both [rad/s]", float(limit), least, 1e-6 * least, source, why)
    spin = 0.9 * least
    wanted = reference.sleeping_top(FIXED, AXIAL, MOMENT, spin)
    t, place = lean(spin, 1.0)
    found = reference.exponents(t, place, wanted * (1.02, 0.98))
    for name, one, other in zip(("grows", "fades"), found[np.argsort(-found.real)], wanted[np.argsort(-wanted.real)]):
        what = f"at 0.9 times the least spin: the lean that {name}, rate [1/s]"
        yield Check(what, one.real, other.real, 1e-3 * abs(other.real), source, "a lean that grows to 1e-2")

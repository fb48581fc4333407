"""Librations of a satellite in the gravity of the earth, on a circular orbit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import small_motions as reference
from flexmb.validation.registry import Check, case

#: of the earth [m³/s²]; radius of the orbit [m] and its rate [rad/s]
MU, RADIUS = 3.986004418e14, 7.0e6
RATE = float(np.sqrt(MU / RADIUS**3))
#: principal inertias [kg m²]: about the direction of flight, across the orbit, towards the earth
INERTIA, MASS = np.array([100.0, 120.0, 40.0]), 200.0
#: angles at the start [rad], about the three axes
SMALL = 3e-4
#: axes of the orbit at t = 0: along the flight (y), across (−z), towards the earth (−x)
ORBIT = Rotation.from_matrix(np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))


def build(angles: tuple[float, float, float]) -> fm.SpatialModel:
    """The satellite, turned a little from its axes in the orbit, with the angular velocity of the orbit."""
    model = fm.SpatialModel("satellite")
    turn = ORBIT * Rotation.from_rotvec(angles)
    hull = model.add_body("hull", mass=MASS, inertia=INERTIA, position=(RADIUS, 0.0, 0.0), orientation=turn)
    hull.move((0.0, RATE * RADIUS, 0.0), (0.0, 0.0, RATE))
    model.gravity_gradient(hull, MU)
    return model


def libration(angles: tuple[float, float, float], orbits: float) -> tuple[np.ndarray, np.ndarray, fm.Solution]:
    """Times, angles (k, 3) [rad] against the axes of the orbit, and the run."""
    run = fm.simulate(
        build(angles), orbits * 2.0 * np.pi / RATE, "projection", tolerance=1e-12, absolute_tolerance=1e-13,
        max_step=0.05 / RATE, progress=False,
    )  # fmt: skip
    carried = Rotation.from_rotvec(RATE * run.t[:, None] * np.array([0.0, 0.0, 1.0])) * ORBIT
    return run.t, (carried.inv() * run["hull"].orientation).as_rotvec(), run


@case("gravity-gradient", draw=lambda: build((0.0, SMALL, 0.0)))
def compute() -> Iterator[Check]:
    """librations of a satellite on an orbit of the earth: closed forms of pitch, and of roll and yaw"""
    source, why = "closed form, Hughes (1986)", "terms of the second order in angles of 3e-4 rad"
    pitch, slow, fast = reference.librations(INERTIA)
    t, angles, run = libration((0.0, SMALL, 0.0), 3.0)
    (s,) = reference.exponents(RATE * t, angles[:, 1], np.array([1.01j * pitch]))
    yield Check("pitch, as a multiple of the orbit's rate", abs(s.imag), pitch, 1e-6, source, why)
    off = float(np.max(np.abs(np.linalg.norm(run["hull"].position, axis=1) / RADIUS - 1.0)))
    yield Check("radius of the orbit: largest relative change", off, 0.0, 1e-10, source, "tolerance 1e-12 a step")
    t, angles, _ = libration((SMALL, 0.0, -SMALL), 5.0)
    both = reference.exponents(RATE * t, angles[:, 0], 1j * np.array([1.01 * slow, 0.99 * fast]))
    for what, found, wanted in zip(("slow", "fast"), both, (slow, fast)):
        name = f"roll and yaw, the {what} one, as a multiple of the orbit's rate"
        yield Check(name, abs(found.imag), wanted, 1e-6, source, why)

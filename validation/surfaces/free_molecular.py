"""Drag of a gas so thin that its molecules do not meet: a ball, a box, a cylinder, and a ball that sinks in orbit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.validation.registry import Check, case
from flexmb.validation.surfaces.textbook import molecules, ring, sphere_in_gas

MU, RADIUS, FAR = 3.986004418e14, 6378137.0, 6.6e6
#: heights [m] and densities [kg/m³] of air, one that falls by e in 40 km
HEIGHTS = np.linspace(1.5e5, 4.5e5, 13)
TABLE = np.column_stack([HEIGHTS, 3e-10 * np.exp(-(HEIGHTS - 2e5) / 4e4)])
#: the ball: mass [kg], diameter [m]; c_m of the gas [m/s], its wall, and how it turns with the earth [rad/s]
MASS, DIAMETER, SPEED, WALL, SPIN = 20.0, 2.0, 1000.0, 0.3, (0.0, 0.0, 7.292e-5)


def on_body(shape: fm.Shape, u: Any, cm: float, wall: float, accommodation: Any = (1.0, 1.0)) -> np.ndarray:
    """Force (3,) of a gas of the density 2 on a rigid body that moves at u."""
    m = fm.SpatialModel("body")
    body = m.add_body("body", shape=shape, mass=1.0)
    finish = fm.spatial.SurfaceFinish(accommodation=accommodation)
    m.drag(body, density=2.0, molecular_speed=cm, wall=wall, wind=tuple(-np.asarray(u)), finish=finish)
    system = fm.System(m)
    return np.asarray(-system.residual(0.0, system.q0, system.v0, np.zeros(6))[:3])


def build(eccentricity: float = 0.01) -> fm.SpatialModel:
    """A ball that sinks, from the nearest point of its orbit."""
    speed = np.sqrt(MU / FAR * (1.0 + eccentricity))
    gravity = fm.spatial.CentralGravity(MU, (FAR, 0, 0), (0, 0.6 * speed, 0.8 * speed), radius=RADIUS)
    m = fm.SpatialModel("sinking ball", gravity=gravity)
    ball = m.add_body("ball", shape=fm.Sphere(diameter=DIAMETER), mass=MASS)
    m.drag(ball, density=TABLE, molecular_speed=SPEED, wall=WALL, spin=SPIN)
    return m


def flight(m: fm.SpatialModel, end: float) -> np.ndarray:
    """Place of the ball at the end against the origin, with positions from the center, air of an exponential law and
    the coefficient of drag of a sphere; the height is that of the origin."""
    gravity: Any = m.gravity
    area = 0.25 * np.pi * DIAMETER**2

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        o, od = y[6:9], y[9:]
        fall = -MU * o / np.linalg.norm(o) ** 3
        u = y[3:6] - np.cross(SPIN, o)
        density = 3e-10 * np.exp(-(np.linalg.norm(o) - RADIUS - 2e5) / 4e4)
        size = float(np.linalg.norm(u))
        push = -0.5 * density * area * sphere_in_gas(size / SPEED, WALL) * size * u
        a = -MU * y[:3] / np.linalg.norm(y[:3]) ** 3 + push / MASS
        return np.concatenate([y[3:6], a, od, fall])

    start = np.concatenate([gravity.position, gravity.velocity] * 2)
    found = solve_ivp(rates, (0.0, end), start, "DOP853", rtol=1e-13, atol=1e-6)
    return np.asarray(found.y[:3, -1] - found.y[6:9, -1])


@case("free-molecular", draw=build)
def compute() -> Iterator[Check]:
    """drag of free molecules: a ball and a cylinder in closed form, faces by coefficients of Schaaf and Chambré, and a
    ball that sinks in orbit through air that turns and thins out with height"""
    source = "Schaaf and Chambré (1961)"
    for S in (1.0, 5.0, 10.0):
        for wall in (0.0, 0.3):
            force = on_body(fm.Sphere(diameter=2.0), (0, 0, 1.0), 1.0 / S, wall)
            label = f"ball, S = {S:g}, T_w/T = {wall:g}: coefficient of drag"
            yield Check(label, -force[2] / np.pi, sphere_in_gas(S, wall), 1e-9, source, "round-off")
    u = np.array([0.48, 0.36, 0.8])
    areas = np.array([s * np.roll([6.0, 0, 0], k) / np.roll([1.0, 2.0, 3.0], -k)[0] for k in range(3) for s in (1, -1)])
    for accommodation in ((1.0, 1.0), (0.8, 0.9), (0.0, 0.0)):
        for S in (0.3, 3.0, 12.0):
            force = on_body(fm.Box((1.0, 2.0, 3.0)), u, 1.0 / S, 0.4, accommodation)
            want = molecules(areas, u, 1.0 / S, 0.4, *accommodation).sum(0)
            label = f"box, S = {S:g}, accommodation {accommodation}: force, relative error"
            off = float(np.abs(force - want).max() / np.abs(want).max())
            yield Check(label, off, 0.0, 1e-12, source, "round-off")
    axis = np.array([0.0, 0.0, 1.0])
    for S in (1.0, 8.0):
        ends = 0.25 * np.pi * np.array([[0, 0, 1.0], [0, 0, -1.0]])
        want = molecules(np.concatenate([ring(axis, 400), ends]), u, 1.0 / S, 0.4, 0.8, 0.9).sum(0)
        off = on_body(fm.Cylinder(diameter=1.0, length=1.0), u, 1.0 / S, 0.4, (0.8, 0.9)) - want
        yield Check(
            f"cylinder, S = {S:g}: force, error", float(np.abs(off).max()), 0.0, 1e-11, "400 strips", "round-off"
        )
    fast = on_body(fm.Cylinder(diameter=1.0, length=1.0), (1.0, 0, 0), 1e-3, 0.0)[0]
    # −ρ u² D L across, and the shear σ_t c_m/(u √π) on two ends of π/4
    yield Check("cylinder in a cold gas, across: drag", fast, -2.0, 2e-3, "−ϱ u² D L", "c_m/u = 1e-3, on its ends")
    m = build()
    end = 1.5 * m.gravity.period
    run = fm.simulate(m, end, "dop853", tolerance=1e-10, progress=False)
    want = flight(m, end)
    off = float(np.linalg.norm(run["ball"].position[-1] - want))
    size = float(np.linalg.norm(want))
    got = float(np.linalg.norm(run["ball"].position[-1]))
    label = "sinking ball: way from the origin after 1.5 orbits [m]"
    yield Check(label, got, size, 1e-6 * size, "positions from the center", "its rounding; spline of the density")
    yield Check("sinking ball: place, relative error", off / size, 0.0, 1e-6, "positions from the center", "the same")

"""A satellite with a momentum wheel: nutation, and the whole motion of a symmetric one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import small_motions as reference
from flexmb.validation.registry import Check, Errors, Record, case

#: principal inertias of the satellite with its wheel at rest [kg m²], the wheel's inertia and its speed [rad/s]
INERTIA, WHEEL, SPEED = np.array([120.0, 90.0, 150.0]), 0.08, 400.0
MOMENTUM = WHEEL * SPEED
#: a symmetric one, and its angular velocity at the start [rad/s]
ACROSS, AXIAL, START = 100.0, 140.0, np.array([0.05, -0.02, 0.1])
T_END = 100.0
#: options of a method, the largest error of the orientation [rad] at T_END with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-9, "tolerance 1e-10 a step"),
    "rkf45": ({"step": 2e-2}, 1e-11, "fifth order at 20 ms"),
    "radau": ({"tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
    "dop853": ({"tolerance": 1e-10}, 1e-10, "the tolerance"),
}


def build(inertia: Any, start: Any = (0.0, 0.0, 0.0), **wheel: Any) -> fm.SpatialModel:
    """A hull of the inertia that is left beside that of the wheel, and a wheel about its third axis."""
    model = fm.SpatialModel("satellite")
    own = np.array(inertia) - (0.0, 0.0, WHEEL)
    hull = model.add_body("hull", mass=500.0, inertia=own)
    hull.move(angular_velocity=start)
    model.add_wheel("wheel", hull.frame, inertia=WHEEL, axis="z", speed=SPEED, **wheel)
    return model


@case("satellite-wheel", draw=lambda: build(INERTIA))
def compute() -> Iterator[Record]:
    """a satellite with a momentum wheel: nutation, and the motion of a symmetric one in closed form"""
    source, rounding = "closed form, Hughes (1986)", "round-off"
    wanted = reference.nutation(INERTIA, MOMENTUM)
    found = fm.complex_modes(build(INERTIA)).eigenvalues
    fastest = found[np.argmax(np.abs(found))]
    yield Check("nutation without spin, linear model [rad/s]", abs(fastest.imag), wanted, 1e-11, source, rounding)
    yield Check("its damping [1/s]", fastest.real, 0.0, 1e-11, source, rounding)
    for spin in (0.02, -0.5):
        run = fm.simulate(
            build(INERTIA, (1e-4, 0.0, spin)),
            300.0,
            "projection",
            tolerance=1e-11,
            absolute_tolerance=1e-14,
            max_step=2.0,
            progress=False,
        )
        wanted = reference.nutation(INERTIA, MOMENTUM, spin)
        (s,) = reference.exponents(run.t, run.v[:, 3], np.array([1.02j * wanted]))
        yield Check(
            f"nutation at a spin of {spin:g} rad/s, from a run [rad/s]", abs(s.imag), wanted, 1e-6 * wanted, source,
            "terms of the second order in the angle of nutation",
        )  # fmt: skip
    turn, _ = reference.symmetric_gyrostat(ACROSS, AXIAL, MOMENTUM, START, np.array([T_END]))
    inertia = (ACROSS, ACROSS, AXIAL)
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(inertia, START), T_END, method, progress=False, **options)
        off = float((turn[0].inv() * run["hull"].orientation[-1]).magnitude())
        yield Check(f"{method}: error of the orientation after {T_END:g} s [rad]", off, 0.0, allowed, source, why)
    errors, steps = [], (0.1, 0.05)
    for step in steps:
        run = fm.simulate(build(inertia, START), T_END, step=step, progress=False)
        errors.append(float((turn[0].inv() * run["hull"].orientation[-1]).magnitude()))
    yield Errors("generalized_alpha: orientation [rad]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[0] / errors[1]))
    yield Check("generalized_alpha: measured order of the orientation", order, 2.0, 0.01, "theory", "higher terms")
    # a wheel that nothing drives keeps its speed, since that of the hull about the same axis does not change
    free = fm.simulate(
        build(inertia, START, torque=0.0),
        T_END,
        "projection",
        progress=False,
        tolerance=1e-10,
        absolute_tolerance=1e-12,
    )
    off = float((turn[0].inv() * free["hull"].orientation[-1]).magnitude())
    yield Check(
        "wheel with a coordinate: error of the orientation [rad]", off, 0.0, 1e-9, source, "tolerance 1e-10 a step"
    )
    speed = float(free.series("wheel.rotor rate").values[-1])
    yield Check("its speed at the end [rad/s]", speed, SPEED, 1e-7, source, "tolerance 1e-10 a step")

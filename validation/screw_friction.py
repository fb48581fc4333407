"""A load on a screw with friction: raised, let down, driving the screw, held by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.screw import Thread
from flexmb.validation.registry import Check, case

#: speed of the drive [rad/s], and the smoothing of the law [m/s], far below the speed of the thread
SPEED, SMOOTHING = 20.0, 1e-3
#: methods and their options, and the error that each leaves of a torque that is constant
METHODS: dict[str, dict[str, Any]] = {
    "generalized_alpha": {"step": 1e-3, "newton_tolerance": 1e-13},
    "radau": {"tolerance": 1e-9},
    "independent": {},
    "dop853": {"tolerance": 1e-9},
}


def build(thread: Thread, speed: float = 0.0, smoothing: float = SMOOTHING) -> fm.SpatialModel:
    """The load on an upright thread, which turns freely or at a given speed."""
    model = fm.SpatialModel("screw", gravity=(0.0, 0.0, -thread.weight))
    plate = fm.Cylinder(radius=4.0 * thread.radius, length=thread.radius)
    load = model.add_body("load", mass=thread.mass, inertia=(0.02, 0.02, thread.inertia), shape=plate)
    friction = fm.JointFriction(thread.coefficient, radius=thread.radius, smoothing=smoothing, small_force=1e-7)
    model.screw(model.ground, load.frame, thread.pitch, axis="z", friction=friction, name="thread")
    if speed:
        model.drive_angle(model.ground, load.frame, fm.Polynomial([0.0, speed]), axis="z", name="drive")
    return model


@case("screw-friction", draw=lambda: build(Thread(), SPEED))
def compute() -> Iterator[Check]:
    """a load on a screw with friction: efficiency, back-driving, self-locking"""
    thread, closed = Thread(), "square thread, closed form"
    rounding = "rounding, tanh(u/ε) at 200 ε, δ/N"
    for name, options in METHODS.items():
        run = fm.simulate(build(thread, SPEED), 0.5, method=name, progress=False, **options)
        _, moment = run.reaction("drive")
        yield Check(
            f"{name}: torque that raises [Nm]", float(moment[-1, 2]), thread.torque(True), 1e-8, closed, rounding
        )
        energy = run.energy
        share = float((energy.potential[-1] - energy.potential[0]) / energy.drives[-1])
        yield Check(f"{name}: efficiency", share, thread.efficiency, 1e-7, closed, rounding)
    for coefficient in (0.1, 0.25):
        lowered = replace(thread, coefficient=coefficient)
        run = fm.simulate(build(lowered, -SPEED), 0.1, step=1e-3, newton_tolerance=1e-13, progress=False)
        _, moment = run.reaction("drive")
        label = f"torque that lets down [Nm], μ = {coefficient:g}"
        yield Check(label, float(moment[-1, 2]), lowered.torque(False), 1e-8, closed, rounding)
    limit = float(np.tan(thread.lead))
    yield Check("back-driving limit tan α", limit, 0.2, 1e-15, "h/r", "rounding")
    driven = replace(thread, coefficient=0.19)
    run = fm.simulate(build(driven), 4.0, "radau", tolerance=1e-9, progress=False)
    fall = float(run["load"].angular_acceleration[-1, 2])
    yield Check("μ = 0.19: the load drives the screw, s̈ [rad/s²]", fall, driven.fall, 1e-7, closed, "tanh(u/ε), δ/N")
    yield Check("μ = 0.19: balance of energy", run.energy.error, 0.0, 1e-6, "energy is kept", "Simpson's rule")
    held = replace(thread, coefficient=0.21)
    run = fm.simulate(build(held), 4.0, "radau", tolerance=1e-9, progress=False)
    creep, why = float(run["load"].angular_velocity[-1, 2]), "δ/N, what is left of the start"
    yield Check("μ = 0.21: the screw holds, creep [rad/s]", creep, held.creep(SMOOTHING), 1e-7, closed, why)
    for name, options in METHODS.items():
        run = fm.simulate(build(driven, smoothing=0.0), 1.0, name, progress=False, **options)
        fall = float(run["load"].angular_acceleration[-1, 2])
        label = f"{name}, the law that sticks, μ = 0.19: s̈ [rad/s²]"
        yield Check(label, fall, driven.fall, 1e-7, closed, "δ/N")
        run = fm.simulate(build(held, smoothing=0.0), 1000.0, name, progress=False)
        moved = float(np.ptp(run["load"].position[:, 2]))
        yield Check(f"{name}, the law that sticks, μ = 0.21: way in 1000 s [m]", moved, 0.0, 1e-14, "it holds", "none")

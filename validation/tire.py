"""Tires: a step of the steering angle in space, and a car in the plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references.tire import Steered, TwoWheels
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 0.4
#: options of a method, the largest error of the side force as a part of the load with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "generalized_alpha": ({"step": 2.5e-4}, 1e-5, "second order at 0.25 ms"),
    "radau": ({"tolerance": 1e-9}, 1e-8, "the tolerance"),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-12}, 1e-6, "tolerance 1e-9 a step"),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8, "tolerance 1e-10 a step"),
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8, "tolerance 1e-10 a step"),
    "dop853": ({"tolerance": 1e-10}, 1e-8, "the tolerance"),
    "rkf45": ({"step": 1e-3}, 1e-8, "fifth order at 1 ms"),
}
RADIUS, SINKS = 0.3, 0.02


def steered(data: Steered) -> tuple[fm.SpatialModel, Any]:
    """A wheel that is led straight on, turned by the steering angle, its tread not yet deflected."""
    model = fm.SpatialModel("steered wheel")
    height, turn = RADIUS - SINKS, Rotation.from_euler("z", data.angle)
    car = model.add_body(
        "car", mass=10.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, height), shape=fm.Box((0.6, 0.04, 0.04))
    )
    wheel = model.add_body(
        "wheel", mass=20.0, inertia=(0.5, 1.0, 0.5), position=(0.0, 0.0, height), orientation=turn,
        shape=fm.Cylinder(radius=RADIUS, length=0.1, axis="y"),
    )  # fmt: skip
    post = model.add_frame("post", (0.0, 0.0, height), fixed=True)
    model.prismatic(post, car.frame, axis="x")
    model.drive_position(post, car.frame, fm.Polynomial([0.0, data.speed]), axis="x")
    axle = turn.apply([0.0, 1.0, 0.0])
    model.revolute(car.frame, wheel.frame, axis=axle)
    car.frame.move((data.speed, 0.0, 0.0))
    wheel.frame.move((data.speed, 0.0, 0.0), data.speed * np.cos(data.angle) / height * axle)
    rubber = fm.TireLaw(
        data.load, data.stiffness, data.length, friction=data.friction, vertical_stiffness=data.load / SINKS,
        smoothing=data.smoothing,
    )  # fmt: skip
    return model, model.tire(model.ground, wheel.frame, rubber, RADIUS, name="tire")


def two_wheels(data: TwoWheels, steer: float = 0.0) -> fm.PlanarModel:
    """A car on one wheel in front and one behind, with friction without bound: linear tires."""
    model = fm.PlanarModel("car")
    car = model.add_body("car", mass=data.mass, inertia=data.inertia)
    for name, place, stiffness, angle in (("front", data.front, data.stiffness[0], steer),
                                          ("rear", -data.rear, data.stiffness[1], 0.0)):  # fmt: skip
        rubber = fm.TireLaw(7e3, stiffness, data.length, friction=1e9, smoothing=1e-4)
        model.tire(model.ground, car.frame.attach(name, (place, 0.0)), rubber, angle=angle, name=f"{name} tire")
    car.frame.node.velocity = np.array([data.speed, 0.0])
    return model


@case("tire", draw=lambda: steered(Steered())[0])
def compute() -> Iterator[Record]:
    """tires with relaxation: the side force after a step of the steering angle; a car's poles and its circle"""
    data = Steered()
    model, tire = steered(data)
    source = "closed form"
    for method, (options, error, why) in METHODS.items():
        run = fm.simulate(model, T_END, method, progress=False, **options)
        off = np.max(np.abs(tire.forces(run).aside - data.force(run.t))) / data.load
        yield Check(f"{method}: side force over the load", float(off), 0.0, error, source, why)
        idle = float(np.max(np.abs(run.multipliers_of("tire"))))
        yield Check(f"{method}: force of its rows [N]", idle, 0.0, 1e-9, "they have none", "rounding")
    steps = (8e-3, 4e-3, 2e-3)
    errors = []
    for step in steps:
        run = fm.simulate(model, T_END, step=step, newton_tolerance=1e-13, progress=False)
        errors.append(float(np.max(np.abs(tire.forces(run).aside - data.force(run.t)))))
    yield Errors("generalized_alpha: side force [N]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[1] / errors[2]))
    yield Check("generalized_alpha: order of the error", order, 2.0, 0.05, "second order", "4 and 2 ms")
    errors, steps = [], (0.01, 0.005, 0.0025)
    for step in steps:
        run = fm.simulate(model, T_END, "radau", tolerance=1.0, max_step=step, newton_tolerance=1e-13, progress=False)
        errors.append(float(np.max(np.abs(tire.forces(run).aside - data.force(run.t)))))
    yield Errors("radau: side force [N]", "step [s]", steps, errors, 5.0)
    order = float(np.log2(errors[1] / errors[2]))
    yield Check("radau: order of the error", order, 5.0, 0.2, "fifth order", "5 and 2.5 ms")
    car = TwoWheels()
    linear = fm.linearize(two_wheels(car), "car.moment", "car.angle", steady=True)
    for k, pole in enumerate(car.poles()):
        off = float(np.min(np.abs(linear.poles - pole)))
        yield Check(f"car: pole {k + 1}, off by [1/s]", off, 0.0, 1e-6, "its four equations", "differences")
    steer = 1e-4
    run = fm.simulate(two_wheels(car, steer), 6.0, "radau", tolerance=1e-9, progress=False)
    rate = float(run["car"].angular_velocity[-1]) / steer
    yield Check("car: yaw rate over steering angle [1/s]", rate, car.turning(), 1e-3, "steady circle", "angles of 1e-4")

"""A block on a moving belt, held by a spring: sticks and slips in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.block_and_belt import Belt
from flexmb.validation.registry import Check, Errors, Record, case

#: options of each method with the sticking law, what the period [s] and the balance of energy may be off by, and why;
#: the work of friction is that of the states in three places of each step, which of an explicit method are far apart
METHODS: dict[str, tuple[dict[str, Any], float, float, str]] = {
    "radau": ({"tolerance": 1e-9}, 1e-9, 1e-6, "the tolerance"),
    "dop853": ({"tolerance": 1e-9}, 1e-9, 1e-4, "the tolerance, and long steps"),
    "rkf45": ({"step": 2e-3}, 1e-9, 1e-7, "fifth order at 2 ms"),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 1e-8, 1e-7, "tolerance 1e-9 in each step"),
    "projection": (
        {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
        1e-8,
        1e-3,
        "tolerance 1e-9 in each step, and long steps",
    ),
    "baumgarte": (
        {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
        1e-8,
        1e-3,
        "tolerance 1e-9 in each step, and long steps",
    ),
    "generalized_alpha": ({"tolerance": 1e-6}, 1e-6, 1e-5, "the tolerance, second order"),
}


def build(data: Belt, smoothing: float = 0.0) -> fm.PlanarModel:
    """Belt and block, which is carried along from the place where the spring is not stretched."""
    model = fm.PlanarModel("block and belt", gravity=(0.0, -data.weight))
    law = fm.JointFriction(
        data.sliding, static=data.static, stribeck_speed=data.stribeck_speed, smoothing=smoothing, length=0.2,
        small_force=1e-9,
    )  # fmt: skip
    belt = model.add_body("belt", mass=1.0, inertia=0.1)
    block = model.add_body("block", mass=data.mass, inertia=0.1)
    model.prismatic(model.ground, belt.frame, name="rollers")
    model.drive_position(model.ground, belt.frame, fm.Polynomial([0.0, data.speed]), name="drive")
    model.prismatic(belt.frame, block.frame, friction=law, name="contact")
    wall = model.ground.attach("wall", (-1.0, 0.0))
    model.spring_damper(wall, block.frame, stiffness=data.stiffness, damping=data.damping, free_length=1.0)
    for body in (belt, block):
        body.rigid_motion((data.speed, 0.0), 0.0, (0.0, 0.0))
    return model


def caught(solution: fm.Solution, data: Belt) -> np.ndarray:
    """The times [s] at which the block goes forward through the middle of the way on which it is carried."""
    x, v = solution["block"].position[:, 0], solution["block"].velocity[:, 0]
    middle = 0.5 * (data.breakaway + data.caught_at)
    k = np.flatnonzero((x[:-1] < middle) & (x[1:] >= middle))
    return np.asarray(solution.t[k] + (middle - x[k]) / v[k])  # the belt has a steady speed


def amplitude(solution: fm.Solution, data: Belt) -> float:
    """Half of the way of the last period [m], its ends where the speed changes its sign in a short step."""
    late = solution.t > solution.t[-1] - 1.2 * data.period
    x, v, a = (getattr(solution["block"], name)[late, 0] for name in ("position", "velocity", "acceleration"))
    k = np.flatnonzero(v[:-1] * v[1:] < 0.0)
    return 0.5 * float(np.ptp(x[k] - 0.5 * v[k] ** 2 / a[k]))


@case("block-and-belt", draw=lambda: build(Belt()))
def compute() -> Iterator[Record]:
    """a block on a moving belt: period and amplitude of its limit cycle of sticking and slipping"""
    data = Belt()
    cycle = "from event to event by DOP853"
    for method, (options, allowed, balance, why) in METHODS.items():
        run = fm.simulate(build(data), 5.0, method, progress=False, **options)
        times = caught(run, data)
        yield Check(f"{method}: period [s]", float(np.diff(times)[-1]), data.period, allowed, cycle, why)
        yield Check(f"{method}: balance of energy", run.energy.error, 0.0, balance, "a ledger", why)
    fine = fm.simulate(build(data), 3.0, "radau", tolerance=1e-9, max_step=5e-4, progress=False)
    yield Check(
        "radau: amplitude [m]", amplitude(fine, data), data.amplitude, 1e-9, cycle, "ends between steps of 0.5 ms"
    )
    errors, steps = [], (8e-3, 4e-3, 2e-3)
    for step in steps:
        run = fm.simulate(build(data), 2.5, step=step, progress=False)
        times = caught(run, data)
        errors.append(abs(float(times[-1] - times[-2]) - data.period))
    yield Errors("generalized_alpha: period [s]", "step [s]", steps, errors, 2.0)
    order = float(np.log2(errors[0] / errors[2]) / 2.0)
    yield Check("generalized_alpha: order of the period", order, 2.0, 0.3, "second order", "steps of 8 and 2 ms")
    errors, smoothings = [], (4e-3, 2e-3, 1e-3)
    for smoothing in smoothings:
        run = fm.simulate(build(data, smoothing), 5.0, "radau", tolerance=1e-7, progress=False)
        times = caught(run, data)
        errors.append(abs(float(times[-1] - times[-2]) - data.period))
    yield Errors("smooth law: period [s]", "smoothing [m/s]", smoothings, errors, 1.0)
    for coarse, smooth in ((0, 1), (1, 2)):
        yield Check(
            f"smooth law: error of the period, smoothing halved ({coarse + 1})", errors[smooth] / errors[coarse], 0.5,
            0.15, "it falls with the smoothing", "the next order",
        )  # fmt: skip

"""Derivatives of runs of mechanisms in space by parameters, against central differences of whole runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.differences import OFFSETS, slope
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar


def top(inertia: float, speed: float, arm: float) -> fm.SpatialModel:
    """A fast top on a ball joint."""
    model = fm.SpatialModel("top", gravity=(0.0, 0.0, -9.81))
    body = model.add_body("top", mass=2.0, inertia=(inertia, 0.12, 0.1), position=(0.0, arm, 0.0))
    model.spherical(model.ground, body.attach("tip", (0.0, -arm, 0.0)), name="point")
    body.move(np.cross((0.0, speed, 1.0), (0.0, arm, 0.0)), (0.0, speed, 1.0))
    return model


def nut(pitch: float, mass: float, stiffness: float) -> fm.SpatialModel:
    """An eccentric nut that falls on a tilted screw, with a spring on its counted angle."""
    model = fm.SpatialModel("nut", gravity=(0.3, 0.0, -9.81))
    body = model.add_body("nut", mass=mass, inertia=(0.1, 0.2, 0.25), position=(0.1, 0.0, 0.0))
    thread = body.attach("thread", (-0.1, 0.0, 0.0))
    model.screw(model.ground, thread, pitch, axis="z", name="screw")
    model.torsion_spring(model.ground, thread, axis="z", stiffness=stiffness, damping=0.1)
    return model


def crank_and_rocker(speed: float, stiffness: float, mass: float) -> fm.SpatialModel:
    """A driven crank, a rod on two ball joints, and a rocker with a spring (RSSR); the rod is kept from spinning."""
    model = fm.SpatialModel("rssr", gravity=(0.0, 0.0, -9.81))
    elbow, top, foot = np.array([0.0, 0.1, 0.0]), np.array([0.5, 0.3, 0.4]), np.array([0.5, 0.3, 0.0])
    crank = model.add_body(
        "crank", mass=1.0, inertia=(0.1, 0.09, 0.1), position=0.5 * elbow, shape=bar(-0.5 * elbow, 0.5 * elbow)
    )
    rod = model.add_body(
        "rod",
        mass=mass,
        inertia=(0.01, 0.02, 0.025),
        position=0.5 * (elbow + top),
        shape=bar(0.5 * (elbow - top), 0.5 * (top - elbow)),
    )
    rocker = model.add_body(
        "rocker",
        mass=1.0,
        inertia=(0.02, 0.025, 0.01),
        position=0.5 * (top + foot),
        shape=bar(0.5 * (foot - top), 0.5 * (top - foot)),
    )
    hub = crank.attach("hub", -0.5 * elbow)
    model.revolute(model.ground, hub, axis="z", name="hinge")
    model.spherical(crank.attach("elbow", 0.5 * elbow), rod.attach("near", 0.5 * (elbow - top)), name="near")
    model.spherical(rod.attach("far", 0.5 * (top - elbow)), rocker.attach("top", 0.5 * (top - foot)), name="far")
    seat, heel = model.ground.attach("seat", foot), rocker.attach("heel", 0.5 * (foot - top))
    model.revolute(seat, heel, axis="x", name="rocking")
    model.torsion_spring(seat, heel, axis="x", stiffness=stiffness, damping=0.05)
    model.bushing(model.ground, rod.frame, stiffness=(0, 0, 0, 0.1, 0.1, 0.1), damping=(0, 0, 0, 0.01, 0.01, 0.01))
    model.drive_angle(model.ground, hub, fm.Polynomial([0.0, speed]), axis="z", name="motor")
    return model


def disk(mass: float, radius: float, speed: float) -> fm.SpatialModel:
    """A disk that leans and rolls without slip, wobbling."""
    model = fm.SpatialModel("disk", gravity=(0.0, 0.0, -9.81))
    lean, thin = 0.1, 0.25 * mass * radius**2
    place = radius * np.array([0.0, np.sin(lean), np.cos(lean)])
    turn = Rotation.from_rotvec((-lean, 0.0, 0.0))
    body = model.add_body("disk", mass=mass, inertia=(thin, 2.0 * thin, thin), position=place, orientation=turn)
    model.rolling_wheel(model.ground, body.frame, radius, axle="y", name="contact")
    body.move((speed * radius, 0.0, 0.0), (0.1, speed, 0.3))
    return model


def ball_on_table(mass: float, radius: float, speed: float) -> fm.SpatialModel:
    """A ball that rolls on a turning table on a spring, slightly tilted."""
    model = fm.SpatialModel("table", gravity=(0.3, 0.0, -9.81))
    table = model.add_body("table", mass=5.0, inertia=(1.0, 1.0, 1.5))
    model.revolute(model.ground, table.frame, name="hinge")
    model.torsion_spring(model.ground, table.frame, stiffness=2.0, damping=0.1)
    inertia = 0.4 * mass * radius**2
    ball = model.add_body("ball", mass=mass, inertia=(inertia, inertia, inertia), position=(0.5, 0.0, radius))
    model.rolling_sphere(table.frame, ball.frame, radius, name="contact")
    table.move((0.0, 0.0, 0.0), (0.0, 0.0, speed))
    return model


def bearing(coefficient: float, radius: float, stiffness: float) -> fm.SpatialModel:
    """A pendulum on a bearing with friction by the bearing's own force."""
    model = fm.SpatialModel("bearing", gravity=(0.0, 0.0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.3, 0.0))
    pin = arm.attach("pin", (0.0, -0.3, 0.0))
    friction = fm.JointFriction(coefficient, radius=radius, length=0.1, smoothing=0.02)
    model.revolute(model.ground, pin, axis="x", friction=friction, name="bearing")
    model.torsion_spring(model.ground, pin, axis="x", stiffness=stiffness)
    return model


#: largest relative difference: that of Newton's tolerance of 1e-13, divided by the change of a parameter, and in
#: accelerations and joint forces by h² too
ALLOWED = 1e-6
#: builder, parameters, end and step [s], outputs at the end, those that are integrated, and the part by which
#: parameters change in differences: long where rounding in accelerations counts, short where the motion is fast
Problem = tuple[Callable[..., fm.SpatialModel], dict[str, float], float, float, list[str], list[str], float]
PROBLEMS: dict[str, Problem] = {
    "fast top": (
        top, {"inertia": 0.15, "speed": 80.0, "arm": 0.3}, 0.4, 2e-3, ["top.x", "top.e2", "top.az"], ["top.y"], 2e-3,
    ),
    "nut": (
        nut, {"pitch": 0.1, "mass": 2.0, "stiffness": 0.5}, 0.4, 4e-3, ["nut.x", "nut.wz", "screw.fz"], ["nut.z"], 2e-3,
    ),
    "crank and rocker": (
        crank_and_rocker, {"speed": 12.0, "stiffness": 3.0, "mass": 0.5}, 0.8, 4e-3,
        ["rod.x", "rocker.e1", "hinge.fx"], ["rod.z"], 2e-3,
    ),
    "rolling disk": (
        disk, {"mass": 1.0, "radius": 0.5, "speed": 4.0}, 0.5, 5e-3,
        ["disk.x", "disk.e1", "disk.vy", "disk.ay"], ["disk.z"], 2e-3,
    ),
    "ball on a table": (
        ball_on_table, {"mass": 1.0, "radius": 0.1, "speed": 2.0}, 0.5, 5e-3, ["ball.x", "ball.wx", "table.e3"],
        ["ball.y"], 2e-3,
    ),
    "bearing with friction": (
        bearing, {"coefficient": 0.3, "radius": 0.02, "stiffness": 3.0}, 0.5, 1e-2, ["arm.y", "bearing.fy", "arm.az"],
        ["arm.z"], 8e-3,
    ),
}  # fmt: skip


def differences(
    build: Callable[..., fm.SpatialModel],
    parameters: Mapping[str, float],
    t_end: float,
    final: Sequence[str],
    integrals: Sequence[str],
    step: float,
    part: float,
) -> np.ndarray:
    """The derivatives (quantities, parameters) by differences of fourth order of whole runs, the trapezoid rule on
    their steps."""
    columns = []
    for name, value in parameters.items():
        ends = []
        for offset in OFFSETS:
            model: Any = build(**{**parameters, name: value + offset * part * value})
            run = fm.simulate(model, t_end, step=step, newton_tolerance=1e-13, progress=False)
            sums = [float(np.trapezoid(run[name], run.t)) for name in integrals]
            ends.append(np.array([*(run[name][-1] for name in final), *sums]))
        columns.append(slope(ends, part * value))
    return np.array(columns).T


@case("sensitivities-in-space", draw=lambda: crank_and_rocker(12.0, 3.0, 0.5))
def compute() -> Iterator[Check]:
    """derivatives of runs with quaternions, counted angles, drives, loops, rolling and friction, direct and adjoint"""
    for about, (build, given, t_end, step, final, integrals, part) in PROBLEMS.items():
        near = differences(build, given, t_end, final, integrals, step, part)
        for method in ("direct", "adjoint"):
            exact = fm.sensitivity(build, given, t_end, final=final, integrals=integrals, step=step, derivatives=method)
            for k, quantity in enumerate(exact.quantities):
                off = float(np.max(np.abs(exact.matrix[k] - near[k]) / np.max(np.abs(near[k]))))
                what = f"{about}, {method}: {quantity} by {', '.join(given)}: relative error"
                why = "Newton's tolerance of 1e-13, divided by the change of a parameter and, in a force, by h²"
                yield Check(what, off, 0.0, ALLOWED, "differences of whole runs", why)

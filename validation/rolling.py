"""Rolling in space: a disk on a plane, steady and wobbling, a ball on a turning table, and a blade on a slope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references.rolling import Disk, TableBall
from flexmb.validation.references.skate import Incline
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 4.0
#: options of a method, the largest error of a place [m] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "generalized_alpha": ({"step": 5e-4}, 5e-5, "second order at 0.5 ms"),
    "radau": ({"tolerance": 1e-10}, 1e-9, "the tolerance"),
    "independent": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-7, "tolerance 1e-10 a step"),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-9, "tolerance 1e-11 a step"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-9, "tolerance 1e-11 a step"),
    "dop853": ({"tolerance": 1e-11}, 1e-9, "the tolerance"),
    "rkf45": ({"step": 2e-3}, 1e-9, "fifth order at 2 ms"),
}


def rolling_disk(data: Disk) -> fm.SpatialModel:
    """A thin disk on the ground, its plane at an angle to it."""
    model = fm.SpatialModel("disk", gravity=(0.0, 0.0, -data.weight))
    (A, C), s, c = data.inertia, np.sin(data.lean), np.cos(data.lean)
    body = model.add_body(
        "disk", mass=data.mass, inertia=(A, C, A), position=(0.0, 0.0, data.radius * s),
        orientation=Rotation.from_euler("x", 0.5 * np.pi - data.lean),
        shape=fm.Cylinder(radius=data.radius, length=0.04 * data.radius, axis="y"),
    )  # fmt: skip
    axes = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    omega = data.start()[4:] @ axes
    body.frame.move(-data.radius * np.cross(omega, axes[1]), omega)
    model.rolling_wheel(model.ground, body.frame, data.radius, name="road")
    return model


def ball_on_table(data: TableBall) -> fm.SpatialModel:
    """A ball on a table that a motor turns."""
    model = fm.SpatialModel("ball on a table", gravity=(0.0, 0.0, -9.81))
    plate = fm.Cylinder(radius=1.0, length=0.02, position=(0.0, 0.0, -0.01))
    table = model.add_body("table", mass=5.0, inertia=(1.0, 1.0, 2.0), center=(0, 0, 0), shape=plate)
    inertia = data.part * data.mass * data.radius**2
    ball = model.add_body(
        "ball", mass=data.mass, inertia=[inertia] * 3, position=(*data.place, data.radius),
        shape=fm.Sphere(radius=data.radius),
    )  # fmt: skip
    (x, y), (vx, vy) = data.place, data.velocity
    # what touches goes with the table, v − R ω × z = Ω z × r
    ball.frame.move((vx, vy, 0.0), (-(vy - data.rate * x) / data.radius, (vx + data.rate * y) / data.radius, 0.7))
    table.frame.move(angular_velocity=(0.0, 0.0, data.rate))
    model.revolute(model.ground, table.frame, name="bearing")
    model.drive_angle(model.ground, table.frame, fm.Polynomial([0.0, data.rate]))
    model.rolling_sphere(table.frame, ball.frame, data.radius, name="contact")
    return model


def skate_on_slope(data: Incline, slope: float) -> fm.SpatialModel:
    """A skate upright on a slope, with so steep a gravity that its part along the slope is that of the reference."""
    model = fm.SpatialModel("skate on a slope", gravity=(0.0, 0.0, -data.weight / np.sin(slope)))
    tilt = Rotation.from_euler("y", slope)
    ice = model.add_frame("ice", orientation=tilt, fixed=True)
    block = fm.Box((0.4, 0.02, 0.12), position=(0.0, 0.0, 0.06))
    body = model.add_body(
        "skate", mass=data.mass, inertia=(0.1, 0.2, 0.3), center=(0, 0, 0), orientation=tilt, shape=block
    )
    body.frame.move(angular_velocity=tilt.apply([0.0, 0.0, data.spin]))
    model.knife_edge(ice, body.frame, name="blade")
    model.parallel_axes(ice, body.frame)
    return model


def _orders(model: fm.SpatialModel, wanted: np.ndarray, frame: str, label: str = "") -> Iterator[Record]:
    """Errors of the place at the end, and their orders."""
    for method, steps, order, off in (
        ("generalized_alpha", (8e-3, 4e-3, 2e-3), 2.0, 0.05),
        ("radau", (0.08, 0.04, 0.02), 5.0, 0.4),
    ):
        errors = []
        for step in steps:
            options: dict[str, Any] = (
                {"step": step} if method == "generalized_alpha" else {"max_step": step, "tolerance": 1.0}
            )
            run = fm.simulate(model, T_END, method, newton_tolerance=1e-13, progress=False, **options)
            errors.append(float(np.max(np.abs(run[frame].position[-1] - wanted))))
        yield Errors(f"{label}{method}: place at the end [m]", "step [s]", steps, errors, order)
        about, found = f"{label}{method}: order of the error", float(np.log2(errors[1] / errors[2]))
        yield Check(about, found, order, off, "its order", "the last two steps")


@case("rolling-disk", draw=lambda: rolling_disk(Disk()))
def disk() -> Iterator[Record]:
    """a disk that rolls: the steady circle, and a wobbling one against its own three coordinates"""
    steady = Disk()
    yield Check("steady: moment left over [Nm]", steady.unbalanced(), 0.0, 1e-14, "exact identity", "rounding")
    start = fm.simulate(rolling_disk(steady), 1e-3, step=1e-3, progress=False)
    circle = 0.377874528944462
    pull = steady.mass * circle * steady.precession**2
    force = np.hypot(*start.reaction("road")[0][0, :2])
    yield Check("steady: force to the middle of the circle [N]", float(force), pull, 1e-12, "m R ψ̇²", "rounding")
    wobbling = replace(steady, lean=1.2, spin=-2.9, falling=0.5)
    times = np.linspace(0.0, T_END, 9)
    wanted = wobbling.motion(times)
    places = np.column_stack([wanted[:, 2:4], wobbling.radius * np.sin(wanted[:, 0])])
    for method, (options, error, why) in METHODS.items():
        run = fm.simulate(rolling_disk(steady), T_END, method, progress=False, **options)
        turn = steady.precession * run.t
        exact = circle * np.stack([-np.sin(turn), np.cos(turn) - 1.0], axis=1)
        off = float(np.max(np.abs(run["disk"].position[:, :2] - exact)))
        yield Check(f"steady, {method}: place [m]", off, 0.0, error, "a circle", why)
        run = fm.simulate(rolling_disk(wobbling), T_END, method, times=times, progress=False, **options)
        off = float(np.max(np.abs(run["disk"].position - places)))
        yield Check(f"wobbling, {method}: place [m]", off, 0.0, error, "minimal coordinates, DOP853", why)
        yield Check(f"wobbling, {method}: balance of energy", run.energy.error, 0.0, error, "no work is done", why)
    yield from _orders(rolling_disk(wobbling), places[-1], "disk", "wobbling, ")


@case("rolling-sphere", draw=lambda: ball_on_table(TableBall()))
def sphere() -> Iterator[Record]:
    """a ball on a turning table: circles at 2/7 of the table's rate"""
    data = TableBall()
    yield Check("its rate against the table's", data.circling / data.rate, 2.0 / 7.0, 1e-15, "uniform ball", "rounding")
    for method, (options, error, why) in METHODS.items():
        run = fm.simulate(ball_on_table(data), T_END, method, progress=False, **options)
        place, force = data.motion(run.t)
        off = float(np.max(np.abs(run["ball"].position[:, :2] - place)))
        yield Check(f"{method}: place [m]", off, 0.0, error, "closed form", why)
        off = float(np.max(np.abs(run.reaction("contact")[0][:, :2] - force)))
        yield Check(f"{method}: force of friction [N]", off, 0.0, 100.0 * error, "closed form", why)
    end = np.array([*data.motion(np.array([T_END]))[0][0], data.radius])
    yield from _orders(ball_on_table(data), end, "ball")


@case("knife-edge", draw=lambda: skate_on_slope(Incline(), 0.6))
def blade() -> Iterator[Record]:
    """a skate on a slope in space: cycloids across it"""
    data, slope = Incline(), 0.6
    for method, (options, error, why) in METHODS.items():
        run = fm.simulate(skate_on_slope(data, slope), T_END, method, progress=False, **options)
        place = Rotation.from_euler("y", -slope).apply(run["skate"].position)
        off = float(np.max(np.abs(place[:, :2] - data.place(run.t))))
        yield Check(f"{method}: place [m]", off, 0.0, error, "cycloid", why)
        off = float(np.max(np.abs(-run.multipliers_of("blade")[:, 1] - data.force(run.t))))
        yield Check(f"{method}: force of the blade [N]", off, 0.0, 100.0 * error, "cycloid", why)
    end = Rotation.from_euler("y", slope).apply([*data.place(np.array([T_END]))[0], 0.0])
    yield from _orders(skate_on_slope(data, slope), end, "skate")

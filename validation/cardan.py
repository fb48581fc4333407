"""Universal joints between shafts: the ratio of speeds, two joints in phase, free spin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import cardan as reference
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar

BEND = 0.6
INERTIAS = (0.2, 0.3)
SPEED = 10.0
T_END = 3.0
#: options of a method, the largest error of a turn [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "radau": ({"tolerance": 1e-9}, 1e-9, "the tolerance"),
    "dop853": ({"tolerance": 1e-11}, 1e-11, "the tolerance"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 1e-9, "tolerance 1e-11 a step"),
}


def shaft(
    model: fm.SpatialModel, name: str, way: np.ndarray, inertia: float, place: Any = (0, 0, 0), near: float = 0.0
) -> Any:
    """The frame of a shaft along a direction through a place, with its inertia about it. Pictures show it from `near`
    the place along it for 1 m."""
    own = inertia * np.eye(3) + 0.4 * inertia * (np.eye(3) - np.outer(way, way))
    return model.add_body(name, mass=1.0, inertia=own, position=place, shape=bar(near * way, (near + 1.0) * way)).frame


def single() -> fm.SpatialModel:
    """Two shafts; the pin of the first lies in their plane at the start, along x, and that of the second along y."""
    model = fm.SpatialModel("cardan")
    up, second = np.array([0.0, 0.0, 1.0]), np.array([np.sin(BEND), 0.0, np.cos(BEND)])
    a, b = shaft(model, "a", up, INERTIAS[0], near=-1.0), shaft(model, "b", second, INERTIAS[1])
    model.revolute(model.ground, a, axis=up, count_turns=True, name="a turns")
    model.parallel_axes(model.ground, b, axis=second, count_turns=True, name="b turns")
    model.universal(a, b, axis="x", axis_b="y", name="cross")
    return model


def double(pin: np.ndarray) -> fm.SpatialModel:
    """Parallel shafts with one between them; `pin` is the second joint's on the middle shaft at the start."""
    model = fm.SpatialModel("double cardan")
    up, middle = np.array([0.0, 0.0, 1.0]), np.array([np.sin(BEND), 0.0, np.cos(BEND)])
    a, c = shaft(model, "a", up, 0.2, near=-1.0), shaft(model, "c", up, 0.3, middle)
    between = shaft(model, "middle", middle, 0.1, 0.5 * middle, near=-0.5)
    model.revolute(model.ground, a, axis=up, name="a turns")
    model.cylindrical(model.ground.attach("bearing", middle), c, axis=up, count_turns=True, name="c turns")
    model.universal(a, between.attach("near", -0.5 * middle), axis="x", axis_b="y", name="first")
    model.universal(between.attach("far", 0.5 * middle), c, axis=pin, axis_b=np.cross(up, pin), name="second")
    model.drive_angle(model.ground, a, fm.Polynomial([0.0, SPEED]), axis="z", name="motor")
    return model


@case("cardan", draw=lambda: double(np.array((0.0, 1.0, 0.0))))
def compute() -> Iterator[Check]:
    """universal joints: ratio of speeds over a turn, two in phase, free spin of two shafts"""
    driven = single()
    driven.drive_angle(driven.ground, driven.frames["a"], fm.Polynomial([0.0, SPEED]), axis="z", name="motor")
    motion = fm.kinematics(driven, 2.0 * np.pi / SPEED, steps=360)
    phi, why, source = SPEED * motion.t, "rounding", "Hooke's ratio, closed form"
    off = motion["b turns"].angle_rate / SPEED - reference.ratio(phi, BEND)
    yield Check("ratio over a turn: largest error", float(np.max(np.abs(off))), 0.0, 1e-13, source, why)
    off = motion["b turns"].angle - reference.turned(phi, BEND)
    yield Check("angle over a turn: largest error [rad]", float(np.max(np.abs(off))), 0.0, 1e-13, source, why)
    largest = float(np.max(motion["b turns"].angle_rate) / SPEED)
    yield Check("largest ratio", largest, 1.0 / np.cos(BEND), 1e-13, "1/cos β", why)
    across = np.array([np.cos(BEND), 0.0, -np.sin(BEND)])
    for name, pin, squared in (("in phase", (0.0, 1.0, 0.0), False), ("a quarter turn apart", across, True)):
        motion = fm.kinematics(double(np.array(pin)), 2.0 * np.pi / SPEED, steps=360)
        ratio = motion["c turns"].angle_rate / SPEED
        first = reference.ratio(SPEED * motion.t, BEND)
        second = reference.ratio(reference.turned(SPEED * motion.t, BEND), BEND) if squared else 1.0 / first
        off = float(np.max(np.abs(ratio - first * second)))
        yield Check(f"two joints {name}: largest error of the ratio", off, 0.0, 1e-13, source, why)
    wanted = reference.free_spin(T_END, BEND, INERTIAS, SPEED)
    for name, (options, error, because) in METHODS.items():
        model = single()
        model.frames["a"].move(angular_velocity=(0.0, 0.0, SPEED))
        way = np.array([np.sin(BEND), 0.0, np.cos(BEND)])
        model.frames["b"].move(angular_velocity=SPEED / np.cos(BEND) * way)
        run = fm.simulate(model, T_END, method=name, progress=False, **options)
        turn = float(run["a turns"].angle[-1])
        yield Check(f"free spin, {name}: turn of the first [rad]", turn, wanted, error, "energy, quadrature", because)
        other = float(reference.turned(np.array(wanted), BEND))
        turn = float(run["b turns"].angle[-1])
        yield Check(f"free spin, {name}: turn of the second [rad]", turn, other, error, "energy, quadrature", because)

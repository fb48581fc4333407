"""Trims against closed forms, and against the same mechanism held by joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, case

#: masses of two links [kg], their lengths [m], inertias [kg m²], and weight [m/s²]
MASSES, LENGTHS, INERTIAS, WEIGHT = (2.0, 1.0), (0.5, 0.4), (0.05, 0.02), 9.81
#: a flexible link: its weight bends it by some degrees
STEEL, ROD, LINK = fm.Material(density=7850, youngs_modulus=205e9), fm.Circle(diameter=0.006), 0.8
RATIO = 50.0
#: a motor on a shaft with a damped bearing: speed [rad/s] and damping [Nms/rad]
SPEED, DRAG = 5.0, 0.3
RIGID = "closed form"
ROUNDED = "rounding"


def two_links() -> fm.PlanarModel:
    """A rigid arm with a motor in each of its two joints."""
    model = fm.PlanarModel("two links", gravity=(0.0, -WEIGHT))
    before, x = model.ground, 0.0
    for k, (mass, length, inertia) in enumerate(zip(MASSES, LENGTHS, INERTIAS)):
        link = model.add_body(f"link {k}", mass=mass, inertia=inertia, position=(x, 0.0), center=(0.5 * length, 0.0))
        hinge = model.revolute(before, link.frame, name=f"hinge {k}")
        model.joint_force(hinge, 0.0, name=f"motor {k}")
        x += length
        before = link.attach("end", (length, 0.0))
    return model


def torques(q: np.ndarray, u: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The inverse dynamics (2,) of the rigid arm, from Lagrange's equations by hand; angles against each other."""
    (m1, m2), (l1, l2), (i1, i2) = MASSES, LENGTHS, INERTIAS
    c1, c2 = 0.5 * l1, 0.5 * l2
    h = m2 * l1 * c2
    M22 = i2 + m2 * c2**2
    M12 = M22 + h * np.cos(q[1])
    M11 = i1 + m1 * c1**2 + m2 * l1**2 + M12 + h * np.cos(q[1])
    bias = -h * np.sin(q[1]) * np.array([2.0 * u[0] * u[1] + u[1] ** 2, -(u[0] ** 2)])
    second = m2 * c2 * np.cos(q[0] + q[1])
    weight = WEIGHT * np.array([(m1 * c1 + m2 * l1) * np.cos(q[0]) + second, second])
    return np.array([M11 * a[0] + M12 * a[1], M12 * a[0] + M22 * a[1]]) + bias + weight


def flexible(held: Any = None) -> fm.PlanarModel:
    """A flexible link on a geared motor, or with its hub held by a drive at an angle [rad], also one over time."""
    model = fm.PlanarModel("flexible arm", gravity=(0.0, -WEIGHT))
    hub = model.add_body("hub", mass=1.0, inertia=0.01)
    model.revolute(model.ground, hub.frame, name="shoulder")
    model.add_beam("link", hub.frame, (LINK, 0.0), material=STEEL, section=ROD, damping=fm.ModalDamping(0.005))
    if held is None:
        model.motor(model.ground, hub.frame, inertia=1e-4, ratio=RATIO, stiffness=2000.0, damping=1.0, name="motor")
    else:
        model.drive_angle(model.ground, hub.frame, held, name="motor")
    return model


def shaft() -> fm.PlanarModel:
    """A wheel on a damped bearing, with a motor."""
    model = fm.PlanarModel("shaft")
    wheel = model.add_body("wheel", mass=1.0, inertia=1.0)
    model.revolute(model.ground, wheel.frame, name="axle")
    model.torsion_spring(model.ground, wheel.frame, stiffness=0.0, damping=DRAG)
    model.point_torque(wheel.frame, 0.0, name="motor")
    return model


def _rigid() -> Iterator[Check]:
    angles = np.array([0.5, -0.9])
    hold = {f"hinge {k}.angle": float(x) for k, x in enumerate(angles)}
    found = fm.control.trim(two_links(), ["motor 0", "motor 1"], hold)
    largest = float(np.abs(torques(angles, np.zeros(2), np.zeros(2))).max())
    for k, wanted in enumerate(torques(angles, np.zeros(2), np.zeros(2))):
        got = found.commands[f"motor {k}"]
        yield Check(f"rigid arm at rest: torque of motor {k} [Nm]", got, wanted, 1e-12 * largest, RIGID, ROUNDED)
    yield Check("rigid arm at rest: out of balance, of the largest force", found.residual, 0.0, 1e-12, RIGID, ROUNDED)
    way = [fm.SmoothStep(0.0, 1.0, 0.0, 1.2), fm.SmoothStep(0.2, 0.7, 0.3, -1.5)]
    times = np.linspace(0.0, 1.0, 21)
    path = fm.control.trim(
        two_links(), ["motor 0", "motor 1"], {f"hinge {k}.angle": f for k, f in enumerate(way)}, along=times
    )
    wanted = np.array([
        torques(*(np.array([getattr(f, rate)(t) for f in way]) for rate in ("__call__", "rate", "second_rate")))
        for t in times
    ])  # fmt: skip
    for k in range(2):
        off = float(np.abs(path.commands[f"motor {k}"](times) - wanted[:, k]).max())
        why = "differences of fourth order over 1 ms"
        yield Check(
            f"rigid arm along a path: torque of motor {k} off by [Nm]", off, 0.0, 1e-7, "inverse dynamics by hand", why
        )


def _flexible() -> Iterator[Check]:
    found = fm.control.trim(flexible(), "motor", {"link.end.y": 0.3})
    angle = found["hub.angle"]
    rest = fm.equilibrium(flexible(angle))
    _, moment = rest.reaction("motor")
    other = "the link held by a drive, its reaction over the gear's ratio"
    why = "Newton's method, to 1e-10 of a length"
    yield Check("flexible arm: height of its end [m]", found["link.end.y"], 0.3, 1e-12, "asked for", ROUNDED)
    yield Check("flexible arm: torque of the motor [Nm]", found.commands["motor"], moment / RATIO, 1e-9, other, why)
    held = rest["link.end.y"]
    yield Check("flexible arm: height of its end, held [m]", found["link.end.y"], held, 1e-9, other, why)
    run = fm.Simulator(flexible(), step=1e-3).run(1.0, initial=found, commands=found.commands)
    away = float(np.abs(run["link.end.y"] - 0.3).max())
    yield Check("flexible arm: a run under the commands of its trim moves by [m]", away, 0.0, 1e-9, "rest", ROUNDED)


def _along() -> Iterator[Check]:
    """Along a path the link is bent as in a run whose hub is driven along it, but for vibration that begins where the
    jerk of the path jumps, with an amplitude that falls with the third power of the time."""
    off = []
    for duration in (2.0, 4.0):
        way, times = fm.SmoothStep(0.0, duration, 0.0, 0.6), np.linspace(0.0, duration, 201)
        path = fm.control.trim(flexible(), "motor", {"shoulder.angle": way}, along=times)
        driven = flexible(way)
        run = fm.simulate(driven, duration, "radau", tolerance=1e-9, initial=fm.equilibrium(driven), times=times)
        off.append(float(np.abs(path.solution["link.end.y"] - run["link.end.y"]).max()))
    other, why = "runs of the link whose hub is driven", "vibration, by the third power of the time"
    yield Check("flexible arm along a path of 2 s: height of its end off by [m]", off[0], 0.0, 2e-4, other, why)
    yield Check("flexible arm: what twice the time leaves of that", off[1] / off[0], 0.125, 0.03, other, why)


def _steady() -> Iterator[Check]:
    found = fm.control.trim(shaft(), "motor", {}, spin=SPEED)
    yield Check("shaft in steady rotation: torque [Nm]", found.commands["motor"], DRAG * SPEED, 1e-12, RIGID, ROUNDED)


@case("trim", draw=flexible)
def compute() -> Iterator[Check]:
    """commands that hold arms at rest, on paths and in steady rotation, by closed forms and by arms held by joints"""
    yield from (*_rigid(), *_flexible(), *_along(), *_steady())

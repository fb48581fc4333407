"""A pendulum in space whose inclined bearing has friction by its own force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.journal_pendulum import JournalPendulum
from flexmb.validation.registry import Check, case
from flexmb.validation.shapes import bar

TIMES = [0.5, 1.0, 2.0]
#: options of a method, the largest error of the angle [rad] with them, and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "dop853": ({"tolerance": 1e-8}, 1e-7, "the tolerance"),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 1e-6, "tolerance 1e-9 a step"),
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-7, "tolerance 1e-10 a step"),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-7, "tolerance 1e-10 a step"),
    "radau": ({"tolerance": 1e-9}, 1e-8, "ten tolerances"),
    "generalized_alpha": ({"step": 2.5e-4, "newton_tolerance": 1e-12}, 1e-5, "second order"),
}


def build(p: JournalPendulum) -> fm.SpatialModel:
    """The pendulum, hinged to the ground at the origin."""
    model = fm.SpatialModel("pendulum", gravity=(0.0, 0.0, -p.weight))
    shape = fm.CompoundShape([bar(np.negative(p.center), np.zeros(3)), fm.Sphere(radius=0.05)])
    bob = model.add_body("bob", mass=p.mass, inertia=p.inertia, center=(0, 0, 0), position=p.center, shape=shape)
    friction = fm.JointFriction(
        p.coefficient, static=p.static, stribeck_speed=p.stribeck_speed, smoothing=p.smoothing, viscous=p.viscous,
        radius=p.radius, length=p.length, thrust_radius=p.thrust_radius, preload=p.preload, small_force=p.small_force,
    )  # fmt: skip
    pin = bob.attach("pin", tuple(-x for x in p.center))
    model.revolute(model.ground, pin, axis=p.axis, friction=friction, name="bearing")
    return model


@case("journal-pendulum", draw=lambda: build(JournalPendulum()))
def compute() -> Iterator[Check]:
    """a pendulum in space on a bearing with friction: angle, friction torque and energy"""
    pendulum = JournalPendulum()
    wanted, source = pendulum.angle(TIMES), "one coordinate, DOP853"
    for name, (options, error, because) in METHODS.items():
        times = np.linspace(0.0, TIMES[-1], 101)
        run = fm.simulate(build(pendulum), TIMES[-1], method=name, times=times, progress=False, **options)
        angle = run["bearing"].angle
        for t, theta in zip(TIMES, wanted):
            got = float(angle[np.searchsorted(times, t - 1e-9)])
            yield Check(f"{name}: angle after {t:g} s [rad]", got, float(theta), error, source, because)
    run = fm.simulate(build(pendulum), 0.5, "dop853", tolerance=1e-10, progress=False)
    _, moment = run.reaction("bearing")
    track = run["bearing"]
    angle, rate = float(track.angle[-1]), float(track.angle_rate[-1])
    _, torque = pendulum.torque(angle, rate, pendulum.second_rate(angle, rate))
    about = float(moment[-1] @ np.array(pendulum.axis))
    yield Check("torque of the bearing about its axis [Nm]", about, -torque, 1e-9, "the law, at that state", "rounding")

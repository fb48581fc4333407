"""Swings: a plate on parallel cranks, more than it needs, so that joints repeat one another."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.bodies import Interface
from tests.models.particles import Particles

#: feet of the cranks [m]
FEET = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.6), (0.2, -0.3)]
#: from the axes of the plane to those of space
TILT = Rotation.from_rotvec([0.7, -0.4, 1.1])
#: angle of the cranks at the start [rad]
START = 1.0


def swing(count: int, *, crank: float = 1.0, rate: float = -1.0, rounded: int = 15) -> fm.PlanarModel:
    """A plate (2 kg) on parallel cranks (1 m, 1 kg): each beyond the second repeats one row. With three feet that are
    not in one line no position is singular, but of the rows of a crank that is needed in part one or the other is."""
    m = fm.PlanarModel("swing", gravity=(0, -9.81))
    c, s = np.cos(crank), np.sin(crank)

    def place(x: float, y: float) -> tuple[float, float]:
        return round(x, rounded), round(y, rounded)

    plate = m.add_body("plate", mass=2.0, inertia=0.3, position=place(c, s))
    plate.move(velocity=(-s * rate, c * rate))
    for k, (x, y) in enumerate(FEET[:count]):
        bar = m.add_body(f"crank{k}", mass=1.0, inertia=1 / 12, position=place(x + c / 2, y + s / 2), angle=crank)
        bar.move(velocity=(-s * rate / 2, c * rate / 2), angular_velocity=rate)
        m.revolute(m.ground.attach(f"foot{k}", (x, y)), bar.attach("foot", (-0.5, 0)), name=f"low{k}")
        m.revolute(plate.attach(f"at{k}", (x, y)), bar.attach("top", (0.5, 0)), name=f"high{k}")
    return m


def swing_angle(count: int, t: np.ndarray) -> np.ndarray:
    """The angle of the cranks, one pendulum: φ̈ = −(n m_c/2 + m_p) g cos φ / (n m_c/3 + m_p)."""
    pull = (count / 2 + 2.0) * 9.81 / (count / 3 + 2.0)
    rates = lambda t, y: [y[1], -pull * np.cos(y[0])]  # noqa: E731
    return solve_ivp(rates, (0.0, t[-1]), [1.0, -1.0], "DOP853", t, rtol=1e-13, atol=1e-14).y[0]


def driven_swing(count: int, space: bool) -> fm.Model:
    """A plate (2 kg) on parallel cranks (1 m, 1 kg), the first of which is driven at 1 rad/s. Where it stands in line
    with two feet the rows of these cranks depend on one another; as there are more, no position is singular."""
    turn = TILT if space else Rotation.identity()

    def at(x: float, y: float):
        return turn.apply((x, y, 0.0)) if space else (x, y)

    def body(name: str, mass: float, place: tuple[float, float], angle: float):
        if space:
            own = turn * Rotation.from_rotvec((0, 0, angle))
            return model.add_body(name, mass=mass, inertia=(0.1, 0.2, 0.3), position=at(*place), orientation=own)
        return model.add_body(name, mass=mass, inertia=0.3, position=place, angle=angle)

    def pin(b, name: str, x: float, angle: float, y: float = 0.0):
        """A frame on a body whose axes are those of the ground at the start."""
        return (
            b.attach(name, (x, y, 0.0), (turn * Rotation.from_rotvec((0, 0, angle))).inv())
            if space
            else b.attach(name, (x, y))
        )

    axis = {"axis": turn.apply((0, 0, 1))} if space else {}
    if space:
        model = fm.SpatialModel("swing", gravity=turn.apply((0, -9.81, 0)))
    else:
        model = fm.PlanarModel("swing", gravity=(0, -9.81))
    c, s = np.cos(START), np.sin(START)
    plate = body("plate", 2.0, (c, s), 0.0)
    for k, (x, y) in enumerate(FEET[:count]):
        crank = body(f"crank{k}", 1.0, (x + c / 2, y + s / 2), START)
        foot = model.ground.attach(f"foot{k}", at(x, y))
        low = pin(crank, "low", -0.5, START)
        model.revolute(foot, low, name=f"low{k}", **axis)
        model.revolute(pin(plate, f"at{k}", x, 0.0, y), pin(crank, "high", 0.5, START), name=f"high{k}", **axis)
        if k == 0:
            begin = 0.0 if space else START  # in space angles count from the start
            model.drive_angle(foot, low, fm.Polynomial([begin, 1.0]), name="motor", **axis)
    return model


def swing_of_a_reduced_body(count: int) -> fm.SpatialModel:
    """A reduced body whose modes do not move its interfaces, on parallel cranks (1 m, 1 kg) in space."""
    m = fm.SpatialModel("swing", gravity=(0, -9.81, 0))
    c, s = np.cos(START), np.sin(START)
    particles, still = Particles.random(seed=3), np.zeros((3, 3))
    particles.interfaces = {
        f"at{k}": Interface((x, y, 0), np.eye(3), still, still) for k, (x, y) in enumerate(FEET[:count])
    }
    plate = m.add_modal_body("plate", particles.reduced(damping=0.05), (c, s, 0))
    for k, (x, y) in enumerate(FEET[:count]):
        bar = m.add_body(f"crank{k}", mass=1.0, inertia=(0.1, 0.1, 1 / 12), position=(x + c / 2, y + s / 2, 0))
        foot, top = bar.attach("foot", (-c / 2, -s / 2, 0)), bar.attach("top", (c / 2, s / 2, 0))
        m.revolute(m.ground.attach(f"foot{k}", (x, y, 0)), foot, axis="z", name=f"low{k}")
        m.revolute(plate.at(f"at{k}"), top, axis="z", name=f"high{k}")
    return m

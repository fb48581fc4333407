"""Derivatives of outputs over time by the steps of Radau IIA, against variational equations of other coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, case

TOLERANCE = 1e-6
VARIATIONAL = "variational equations of minimal coordinates by DOP853 at 1e-13"


def pendulum(length: float, gravity: float, angle: float) -> fm.PlanarModel:
    """A point on a massless rod, released at an angle."""
    m = fm.PlanarModel("pendulum", gravity=(0, -gravity))
    place = (length * np.sin(angle), -length * np.cos(angle))
    bob = m.add_body("bob", mass=1.0, inertia=1e-12, position=place, angle=angle)
    m.revolute(m.ground, bob.attach("top", (0.0, length)), name="hinge")
    return m


def in_air(length: float, gravity: float) -> fm.PlanarModel:
    """A point on a rod in still air, in its two coordinates."""
    m = fm.PlanarModel("in air", gravity=(0, -gravity))
    bob = m.add_body("bob", mass=0.7, inertia=1.0, position=(length * np.sin(1.0), -length * np.cos(1.0)))
    m.distance(m.ground, bob.frame, name="rod")
    m.bushing(m.ground, bob.frame, stiffness=(0, 0, 0), damping=(0.2, 0.2, 0.0))
    return m


def two_links(k: float, d: float, m2: float, l1: float, c1: float, g: float) -> fm.PlanarModel:
    """Two rigid links with a spring between them, driven at the shoulder by two harmonics."""
    m = fm.PlanarModel("two links", gravity=(0, -g))
    first, second = (np.array([np.cos(x), np.sin(x)]) for x in (-0.5, -0.3))
    a = m.add_body("a", mass=1.0, inertia=l1**2 / 12, position=0.5 * l1 * first, angle=-0.5)
    b = m.add_body("b", mass=m2, inertia=m2 * 0.64 / 12, position=l1 * first + 0.4 * second, angle=-0.3)
    m.revolute(m.ground, a.attach("s", (-0.5 * l1, 0)), name="shoulder")
    m.revolute(a.attach("e", (0.5 * l1, 0)), b.attach("f", (-0.4, 0)), name="elbow")
    m.torsion_spring(a.frame, b.frame, stiffness=k, damping=d, free_angle=0.0)
    m.torsion_spring(m.ground, a.frame, stiffness=0.0, damping=c1, free_angle=0.0)
    m.point_torque(a.frame, fm.Harmonic(6.0, 3.0) + fm.Harmonic(2.0, 11.0))
    return m


def slider_crank(r: float, l: float, m3: float, k: float, c: float) -> fm.PlanarModel:
    """A uniform crank and rod, and a slider on a spring."""
    m = fm.PlanarModel("slider-crank", gravity=(0, -9.81))
    pin = r * np.array([np.cos(1.0), np.sin(1.0)])
    x = pin[0] + np.sqrt(l * l - pin[1] ** 2)
    crank = m.add_body("crank", mass=0.4, inertia=0.4 * r * r / 12, position=0.5 * pin, angle=1.0)
    lean = np.arctan2(-pin[1], x - pin[0])
    rod = m.add_body("rod", mass=0.6, inertia=0.6 * l * l / 12, position=0.5 * (pin + [x, 0]), angle=lean)
    slider = m.add_body("slider", mass=m3, inertia=1.0, position=(x, 0))
    m.revolute(m.ground, crank.attach("o", (-0.5 * r, 0)))
    m.revolute(crank.attach("a", (0.5 * r, 0)), rod.attach("b", (-0.5 * l, 0)))
    m.revolute(rod.attach("c", (0.5 * l, 0)), slider.frame)
    m.prismatic(m.ground, slider.frame)
    m.spring_damper(m.ground.attach("seat", (-0.5, 0)), slider.frame, stiffness=k, free_length=1.0)
    m.torsion_spring(m.ground, crank.frame, stiffness=0.0, damping=c, free_angle=0.0)
    return m


def dropped(k: float, d: float, h0: float) -> fm.PlanarModel:
    """A point that falls onto a floor with a linear law of contact, and bounces."""
    m = fm.PlanarModel("dropped", gravity=(0, -9.81))
    ball = m.add_body("ball", mass=1.0, inertia=1.0, position=(0, h0))
    m.contact(m.ground, ball.frame, fm.HalfPlane("y"), stiffness=k, damping=d, exponent=1.0)
    return m


def flexible_arm(EI1: float, k1: float, d2: float, payload: float) -> fm.PlanarModel:
    """Two beams on springs, from their equilibrium, driven at three places."""
    m = fm.PlanarModel("flexible arm", gravity=(0, -9.81))
    damped: dict[str, Any] = {"modes": 2, "elements": 1, "damping": fm.StiffnessProportional(2e-4)}
    properties = [fm.planar.BeamProperties(EA=2e5, EI=EI, rhoA=rhoA) for EI, rhoA in ((EI1, 0.4), (1.2, 0.25))]
    a = m.add_beam("link1", (0, 0), (0.5, 0), properties=properties[0], **damped)
    b = m.add_beam("link2", (0.5, 0), (0.9, 0), properties=properties[1], **damped)
    m.revolute(m.ground, a.start)
    m.revolute(a.end, b.start)
    m.torsion_spring(m.ground, a.start, stiffness=k1, damping=0.06, free_angle=0.0)
    m.torsion_spring(a.end, b.start, stiffness=12.0, damping=d2, free_angle=0.0)
    m.add_point_mass("elbow mass", a.end, 0.3)
    m.add_point_mass("load", b.end, payload)
    m.point_torque(a.start, fm.Harmonic(1.5, 1.3) + fm.Harmonic(1.0, 4.1))
    m.point_torque(b.start, fm.Harmonic(0.6, 2.7))
    m.point_torque(a.end, fm.Harmonic(-0.6, 2.7))
    return m


class Problem(NamedTuple):
    """A mechanism with its parameters, outputs at a time, and references: values, and derivatives by those parameters
    that are listed (a row for each output)."""

    build: Callable[..., Any]
    given: dict[str, float]
    t_end: float
    outputs: list[str]
    values: list[float]
    slopes: dict[str, list[float]]
    source: str = VARIATIONAL


PROBLEMS = [
    Problem(
        pendulum, {"length": 1.0, "gravity": 9.81, "angle": 1.0}, 2.0, ["bob.angle", "bob.angular_velocity"],
        [0.9207938272, 1.1283018575],
        {
            "length": [-1.1283018575, 7.2454162949], "gravity": [0.1150154799, -7.2454162949 / 9.81],
            "angle": [0.6292212503, 2.9609848517],
        },
        "elliptic functions, and that θ depends on t √(g/L)",
    ),
    Problem(
        in_air, {"length": 1.3, "gravity": 9.81}, 3.0, ["bob.x", "bob.y"], [0.0226242089, -1.2998031178],
        {"length": [2.6006860606, -0.9548842577]},
    ),
    Problem(
        two_links, {"k": 40.0, "d": 0.15, "m2": 0.6, "l1": 1.0, "c1": 0.2, "g": 9.81}, 2.0, ["a.angle", "b.angle"],
        [-2.1079028299, -2.1073369981],
        {
            "k": [5.1765059e-4, -2.0192226e-3], "d": [1.0725550e-3, -1.7191957e-3],
            "m2": [1.1985394860, 1.3038372752], "l1": [0.5630761758, 0.6172539533],
            "c1": [-0.1199320665, -0.1200604120], "g": [0.2101183072, 0.2119805508],
        },
    ),
    Problem(
        slider_crank, {"r": 0.2, "l": 0.5, "m3": 0.8, "k": 60.0, "c": 0.02}, 1.0, ["crank.angle", "slider.x"],
        [1.1716690028, 0.5425248243],
        {
            "r": [-2.6755137298, 0.5987959739], "l": [6.5291141444, -0.3286521419],
            "m3": [0.3487699101, -0.0750186283], "k": [-0.0113275083, 0.0024364893],
            "c": [0.9213345995, -0.1981743719],
        },
    ),
    Problem(
        dropped, {"k": 2000.0, "d": 0.1, "h0": 0.2}, 0.5, ["ball.y"], [0.1319751670],
        {"k": [-5.9411326e-6], "d": [-0.5730778607], "h0": [1.0782457179]},
        "variational equations by DOP853 at 1e-13, restarted at the touches",
    ),
]  # fmt: skip


@case("sensitivity-over-time", draw=lambda: slider_crank(0.2, 0.5, 0.8, 60.0, 0.02))
def compute() -> Iterator[Check]:
    """derivatives of a motion over time, by the steps of Radau IIA, from the start on, through touches, from rest"""
    allowed = 10.0 * TOLERANCE
    why = "ten tolerances of the run, for a change of the parameter by itself"
    for problem in PROBLEMS:
        found = fm.sensitivity(
            problem.build, problem.given, problem.t_end, outputs=problem.outputs, times=[problem.t_end]
        )
        about = problem.build.__name__.replace("_", " ")
        for output, value in zip(problem.outputs, problem.values):
            yield Check(f"{about}: {output}", float(found[output][0]), value, allowed, problem.source, why)
        for name, slopes in problem.slopes.items():
            size = problem.given[name]
            for output, slope in zip(problem.outputs, slopes):
                got = float(found[output, name][0]) * size
                what = f"{about}: {name} times the derivative of {output} by it"
                yield Check(what, got, slope * size, allowed, problem.source, why)
    yield from _at_rest()
    yield from _from_equilibrium()


def _at_rest() -> Iterator[Check]:
    """A pendulum that rests below its hinge, while its derivative by the first angle swings."""
    given = {"length": 1.0, "gravity": 9.81, "angle": 0.0}
    times = np.linspace(0.0, 6.0, 61)
    found = fm.sensitivity(pendulum, given, 6.0, outputs="bob.angle", times=times)
    off = np.abs(found["bob.angle", "angle"] - np.cos(np.sqrt(9.81) * times)).max()
    yield Check(
        "pendulum at rest: largest error of dθ/dθ₀ over 6 s", float(off), 0.0, 10.0 * TOLERANCE, "cos √(g/L) t",
        "ten tolerances; steps that saw the motion alone would leave an error of 0.9",
    )  # fmt: skip


def _from_equilibrium() -> Iterator[Check]:
    """Beams on springs, whose equilibrium moves with the parameters."""
    given = {"EI1": 4.0, "k1": 30.0, "d2": 0.02, "payload": 0.15}
    outputs = ["link1.start.angle", "link2.start.angle"]
    found = fm.sensitivity(
        flexible_arm, given, 2.0, outputs=outputs, times=np.arange(1, 401) * 0.005, initial="equilibrium"
    )
    exact = {
        "EI1": (-0.03979683, 0.09577227), "k1": (0.04467816, -0.03835542), "payload": (0.00186099, -0.00213844),
        "d2": (0.00009610, 0.00007238),
    }  # fmt: skip
    source, why = "differences of fourth order of runs at 1e-10", "ten tolerances; the reference is good to 1e-7"
    for name, slopes in exact.items():
        for output, slope in zip(outputs, slopes):
            got = float(found[output, name][-1]) * given[name]
            what = f"flexible arm: {name} times the derivative of {output} by it, at 2 s"
            yield Check(what, got, slope, 10.0 * TOLERANCE, source, why)

"""Derivatives of runs with Radau IIA, against differences of runs with the same steps, and closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.analyses.sensitivity.parameters import Parametrized
from flexmb.analyses.sensitivity.radau.changes_run import radau_motion
from flexmb.errors import ModelError, NamingError, SolverError
from flexmb.solvers.binding.options import checked_options
from flexmb.solvers.methods.registry import METHODS
from tests.analyses.sensitivity.same_steps import differences_of_the_same_steps

SOFT = fm.Material(density=1200, youngs_modulus=2e9, poissons_ratio=0.3)


def arm(stiffness: float = 40.0, damping: float = 0.15, mass: float = 0.6, length: float = 1.0) -> fm.PlanarModel:
    """Two links that a spring straightens, driven at the first."""
    m = fm.PlanarModel("arm", gravity=(0, -9.81))
    first, second = (np.array([np.cos(x), np.sin(x)]) for x in (-0.5, -0.3))
    a = m.add_body("a", mass=1.0, inertia=length**2 / 12, position=0.5 * length * first, angle=-0.5)
    b = m.add_body("b", mass=mass, inertia=mass * 0.64 / 12, position=length * first + 0.4 * second, angle=-0.3)
    m.revolute(m.ground, a.attach("s", (-0.5 * length, 0)), name="shoulder")
    m.revolute(a.attach("e", (0.5 * length, 0)), b.attach("f", (-0.4, 0)), name="elbow")
    m.torsion_spring(a.frame, b.frame, stiffness=stiffness, damping=damping, free_angle=0.0, name="spring")
    m.point_torque(a.frame, fm.Harmonic(6.0, 3.0) + fm.Harmonic(2.0, 11.0))
    return m


def rods(EI: float = 4.0, damping: float = 0.06, payload: float = 0.15) -> fm.PlanarModel:
    """Two beams with springs at their hinges, and a load at the end."""
    m = fm.PlanarModel("rods", gravity=(0, -9.81))
    one, two = (fm.planar.BeamProperties(EA=2e5, EI=EI, rhoA=rhoA) for rhoA in (0.4, 0.25))
    a = m.add_beam("a", (0, 0), (0.5, 0), properties=one, modes=2, damping=fm.StiffnessProportional(2e-4))
    b = m.add_beam("b", (0.5, 0), (0.9, 0), properties=two, modes=2, damping=fm.StiffnessProportional(2e-4))
    m.revolute(m.ground, a.start, name="j1")
    m.revolute(a.end, b.start, name="j2")
    m.torsion_spring(m.ground, a.start, stiffness=30.0, damping=damping, free_angle=0.0)
    m.torsion_spring(a.end, b.start, stiffness=12.0, damping=0.02, free_angle=0.0)
    m.add_point_mass("payload", b.end, payload)
    return m


def top(inertia: float = 0.4, mass: float = 2.0, speed: float = 3.0) -> fm.SpatialModel:
    """A fast top on a ball joint."""
    m = fm.SpatialModel("top", gravity=(0, 0, -9.81))
    box = m.add_body("box", mass=mass, inertia=(inertia, 0.2, 0.3), position=(0, 1, 0))
    m.spherical(m.add_frame("foot", (0, 0, 0.2), fixed=True), box.frame.attach("tip", (0, -1, 0.2)))
    box.frame.move(np.cross((speed, 25.0, 2.0), (0, 1.0, -0.2)), (speed, 25.0, 2.0))
    return m


def skate(mass: float = 1.0, inertia: float = 0.2, slope: float = 1.0) -> fm.PlanarModel:
    """A body on an edge that lets it go forwards alone."""
    m = fm.PlanarModel("skate", gravity=(0.0, -slope))
    body = m.add_body("body", mass=mass, inertia=inertia)
    m.knife_edge(m.ground, body.attach("blade", (-0.1, 0.0)), name="edge")
    m.bushing(m.ground, body.frame, stiffness=(0.5, 0.2, 0.1))
    body.move((1.0, 0.2), 2.0)
    return m


def machine(slide: float = 0.3, stiffness: float = 200.0) -> fm.SpatialModel:
    """A beam in space that hinges on a rail whose place is a parameter, with a drive."""
    m = fm.SpatialModel("machine", gravity=(0, 0, -9.81))
    foot = m.add_frame("foot", (slide, 0, 0), fixed=True)
    hub = m.add_body("hub", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(slide, 0, 0))
    m.revolute(foot, hub.frame, axis="z", name="hinge")
    m.drive_angle(foot, hub.frame, 0.8 * fm.SmoothStep(0.0, 0.5), axis="z", name="drive")
    rod = m.add_beam("rod", hub.frame, (slide + 1.0, 0, 0), material=SOFT, section=fm.Circle(diameter=0.03), modes=2)
    m.bushing(m.ground, rod.end, stiffness=(stiffness, stiffness, 0, 0, 0, 0))
    return m


def hanging(EI: float = 1.5, rhoA: float = 0.4) -> fm.PlanarModel:
    """A cable of so many elements that its matrices are sparse."""
    m = fm.PlanarModel("hanging", gravity=(0.0, -9.81))
    given = fm.planar.BeamProperties(EA=2000.0, EI=EI, rhoA=rhoA)
    rod = m.add_beam("rod", (0, 0), (1.0, 0), properties=given, theory="ancf", elements=20)
    m.revolute(m.ground, rod.start, name="hinge")
    return m


#: outputs, the part by which parameters change, and the allowed error: that of the differences
CASES: dict[str, tuple[Callable[..., Any], dict[str, float], float, list[str], float, float]] = {
    "arm": (
        arm, {"stiffness": 40.0, "damping": 0.15, "mass": 0.6, "length": 1.0}, 0.6,
        ["a.angle", "b.vx", "b.angular_acceleration", "elbow.fx"], 1e-3, 1e-9,
    ),
    "rods": (
        rods, {"EI": 4.0, "damping": 0.06, "payload": 0.15}, 0.1,
        ["a.start.angle", "b.end.vy", "a@0.25.bending_moment"], 1e-3, 1e-8,
    ),
    "top": (
        top, {"inertia": 0.4, "mass": 2.0, "speed": 3.0}, 0.4, ["box.z", "box.wx", "box.alpha_z", "box.e1"], 1e-3, 1e-9,
    ),
    "skate": (
        skate, {"mass": 1.0, "inertia": 0.2, "slope": 1.0}, 0.6, ["body.x", "body.angle", "body.vx", "edge.force"],
        1e-3, 1e-8,
    ),
    "machine": (
        machine, {"slide": 0.3, "stiffness": 200.0}, 0.3, ["rod.end.x", "rod.end.vy", "drive.moment"], 1e-2, 1e-7,
    ),
    "hanging": (hanging, {"EI": 1.5, "rhoA": 0.4}, 0.03, ["rod@1.y", "rod@0.5.vy"], 4e-4, 1e-8),
}  # fmt: skip


def changes(
    build: Callable[..., Any], given: dict[str, float], end: float, outputs: list[str], tolerance: float
) -> Any:
    """The ends of the steps of a run and the derivatives there (k, outputs, parameters)."""
    whole = Parametrized(build, given)
    options = {"tolerance": tolerance, "newton_tolerance": 1e-13}
    checked = checked_options("radau", METHODS, options, "test")
    _, (stretch,) = radau_motion(whole, (0.0, end), checked, None, {}, "remove")
    motion = stretch.motion
    _, slopes = stretch.along(outputs, motion)
    ends, first = np.unique(motion.t, return_index=True)
    return ends, slopes[first]


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_the_computed_run(name):
    build, given, end, outputs, part, allowed = CASES[name]
    ends, found = changes(build, given, end, outputs, 1e-5)
    near = differences_of_the_same_steps(build, given, ends, outputs, part)
    size = np.abs(near).max(axis=(0, 2))[:, None]
    assert (size > 0.0).all() and len(ends) > 5
    np.testing.assert_allclose(found / size, near / size, atol=allowed)


def pendulum(length: float = 1.0, gravity: float = 9.81, angle: float = 1.0) -> fm.PlanarModel:
    """A point on a massless rod, released from rest."""
    m = fm.PlanarModel("pendulum", gravity=(0, -gravity))
    place = (length * np.sin(angle), -length * np.cos(angle))
    bob = m.add_body("bob", mass=1.0, inertia=1e-9, position=place, angle=angle)
    m.revolute(m.ground, bob.attach("top", (0.0, length)), name="hinge")
    return m


PENDULUM = {"length": 1.0, "gravity": 9.81, "angle": 1.0}
AT_TWO = {"length": -1.1283018575, "gravity": 0.1150154799, "angle": 0.6292212503}


def test_a_pendulum_at_all_times_and_at_the_end():
    times = np.linspace(0.0, 2.0, 41)
    found = fm.sensitivity(pendulum, PENDULUM, 2.0, outputs=["bob.angle", "bob.angular_velocity"], times=times)
    assert found.method == "radau" and found.jacobian.shape == (41, 2, 3) and found["bob.angle"].shape == (41,)
    assert found["bob.angle"][-1] == pytest.approx(0.9207938272, abs=1e-7)
    for name, slope in AT_TWO.items():
        assert found["bob.angle", name][-1] == pytest.approx(slope, abs=1e-7)
    t, rate = found.t, found["bob.angular_velocity"]  # θ is a function of t √(g/L)
    np.testing.assert_allclose(found["bob.angle", "length"], -rate * t / 2.0, atol=3e-7)
    np.testing.assert_allclose(found["bob.angle", "gravity"], rate * t / (2.0 * 9.81), atol=3e-7)
    end = fm.sensitivity(
        pendulum,
        PENDULUM,
        2.0,
        final="bob.angle",
        integrals={"way": ("bob.angular_velocity", 1), "energy": ("bob.angle", 2)},
    )
    assert end["bob.angle"] == pytest.approx(0.9207938272, abs=1e-7)
    for name, slope in AT_TWO.items():
        assert end["bob.angle", name] == pytest.approx(slope, abs=1e-7)
        start = 1.0 if name == "angle" else 0.0
        assert end["way", name] == pytest.approx(slope - start, abs=1e-6)  # ∫ ω dt = θ(2) − θ(0)
    angle, dt = found["bob.angle"], times[1]
    simpson = dt / 3.0 * (angle[::2] ** 2).sum() * 2 + dt / 3.0 * 4 * (angle[1::2] ** 2).sum()
    simpson -= dt / 3.0 * (angle[0] ** 2 + angle[-1] ** 2)
    assert end["energy"] == pytest.approx(simpson, rel=1e-4)


def test_derivatives_are_of_fifth_order():
    """The direction of the projection of speeds is differentiated too; without it the order is 2. Steps are as long as
    they may be."""
    errors = []
    for step in (0.15, 0.075, 0.0375):
        given = {"tolerance": 1.0, "max_step": step, "newton_tolerance": 1e-13, "max_iterations": 50}
        found = fm.sensitivity(cartesian, {"length": 1.3}, 3.0, outputs=["bob.x"], times=[3.0], **given)
        errors.append(abs(found["bob.x", "length"][-1] - 2.6006860606))
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 5.0, atol=0.2)


def cartesian(length: float = 1.3) -> fm.PlanarModel:
    """A point on a rod in still air."""
    m = fm.PlanarModel("cartesian", gravity=(0, -9.81))
    bob = m.add_body("bob", mass=0.7, inertia=1.0, position=(length * np.sin(1.0), -length * np.cos(1.0)))
    m.distance(m.ground, bob.frame, name="rod")
    m.bushing(m.ground, bob.frame, stiffness=(0, 0, 0), damping=(0.2, 0.2, 0.0))
    return m


def test_a_run_at_rest_resolves_its_derivatives():
    """Below its hinge the pendulum rests, and the derivative by its first angle swings, as cos √(g/L) t."""
    found = fm.sensitivity(pendulum, {**PENDULUM, "angle": 0.0}, 6.0, outputs="bob.angle", times=[3.0, 6.0])
    np.testing.assert_allclose(found["bob.angle", "angle"], np.cos(np.sqrt(9.81) * found.t), atol=1e-6)
    assert found.without_influence == ["length", "gravity"]
    assert "without influence: length, gravity" in str(found)


def test_a_run_from_an_equilibrium():
    def sprung(stiffness: float, load: float) -> fm.PlanarModel:
        m = fm.PlanarModel("sprung", gravity=(0, -9.81))
        body = m.add_body("body", mass=load, inertia=1.0)
        m.prismatic(m.ground, body.frame, axis=0.5 * np.pi)
        m.bushing(m.ground, body.frame, stiffness=(0, stiffness, 0))
        m.point_force(body.frame, (0.0, 1.0), factor=fm.Harmonic(0.3, 2.0))
        return m

    given = {"stiffness": 30.0, "load": 2.0}
    found = fm.sensitivity(sprung, given, 1.0, outputs="body.y", times=[0.0, 0.4, 1.0], initial="equilibrium")

    def exact(t: float, k: float, m: float) -> float:
        w = np.sqrt(k / m)
        return -m * 9.81 / k + 0.3 / (k - 4.0 * m) * (np.sin(2.0 * t) - 2.0 / w * np.sin(w * t))

    for j, (name, value) in enumerate(given.items()):
        e = 1e-4 * value
        for i, t in enumerate(found.t):
            ends = [exact(t, *(x + s * e * (n == name) for n, x in given.items())) for s in (-2, -1, 1, 2)]
            near = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * e)
            assert found.jacobian[i, 0, j] == pytest.approx(near, abs=1e-7)


def test_parameters_of_a_model_by_their_names():
    m = arm()
    names = ["b.mass", "spring.stiffness"]
    found = fm.sensitivity(m, names, 0.5, outputs=["a.angle"], times=[0.5])
    assert found.parameters == {"b.mass": 0.6, "spring.stiffness": 40.0}

    def other(mass: float, stiffness: float) -> fm.PlanarModel:
        changed = arm(stiffness=stiffness)
        changed.components["b"].mass = mass  # the inertia stays
        return changed

    built = fm.sensitivity(other, {"mass": 0.6, "stiffness": 40.0}, 0.5, outputs=["a.angle"], times=[0.5])
    np.testing.assert_allclose(found.jacobian, built.jacobian, rtol=1e-6)
    fixed = fm.sensitivity(m, names, 0.5, outputs=["a.angle"], times=[0.25, 0.5], step=1e-3)
    assert fixed.method == "generalized_alpha"
    np.testing.assert_allclose(fixed.jacobian[-1], found.jacobian[-1], atol=1e-5)


def refused(match: str, error: Any = SolverError, build: Any = arm, given: Any = None, **asked: Any) -> None:
    asked = {"outputs": "a.angle", "times": [0.1]} | asked
    with pytest.raises(error, match=match):
        fm.sensitivity(build, {"mass": 0.6} if given is None else given, 0.2, **asked)


def test_what_is_refused_by_name():
    refused("how it is differentiated says derivatives='adjoint'", method="adjoint")
    refused("choose one of 'radau', 'generalized_alpha'", ModelError, method="dop853")
    refused("forwards alone", method="radau", derivatives="adjoint")
    refused("give step=", method="generalized_alpha")
    refused("computed by method='radau'", step=0.01, initial="equilibrium")
    refused("march backwards", step=0.01, derivatives="adjoint")
    refused("outside the run", ModelError, times=[0.1, 0.3])
    refused("give the times", ModelError, times=None)
    refused("name these", ModelError, outputs=())
    refused("two questions", ModelError, final="a.angle")
    refused("no quantity 'a.angel'", NamingError, outputs="a.angel")
    refused("no parameter 'masses'", NamingError, typical={"masses": 1.0})
    refused("absolute coordinates", formulation="aba")
    refused("derivatives are by single numbers", ModelError, arm(), ["a.center"])
    refused("choose one of 'equilibrium'", ModelError, initial="rest")
    refused(
        "nothing resists these motions",
        SolverError,
        floating,
        {"mass": 1.0},
        outputs="body.x",
        initial="equilibrium",
    )
    refused("moves an instant", SolverError, switched, {"when": 0.1}, outputs="body.x")
    refused("friction by a joint's own force", build=rubbing, given={"mass": 1.0}, outputs="body.x", method="radau")


def floating(mass: float) -> fm.PlanarModel:
    m = fm.PlanarModel("floating")
    m.add_body("body", mass=mass, inertia=1.0)
    return m


def switched(when: float) -> fm.PlanarModel:
    m = fm.PlanarModel("switched")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    m.point_force(body.frame, (1.0, 0.0), factor=fm.Step(when))
    return m


def rubbing(mass: float) -> fm.PlanarModel:
    m = fm.PlanarModel("rubbing", gravity=(0, -9.81))
    body = m.add_body("body", mass=mass, inertia=1.0, position=(0.5, 0.0))
    friction = fm.JointFriction(0.3, radius=0.02, smoothing=0.02)
    m.revolute(m.ground, body.attach("pin", (-0.5, 0.0)), friction=friction)
    return m


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_derivatives_go_through_touches(exponent):
    """A point falls onto a smooth floor and bounces: references by variational equations, restarted at the touches."""

    def touch(k: float, d: float, h0: float) -> fm.PlanarModel:
        m = fm.PlanarModel("touch", gravity=(0, -9.81))
        ball = m.add_body("ball", mass=1.0, inertia=1.0, position=(0, h0))
        m.contact(m.ground, ball.frame, fm.HalfPlane("y"), stiffness=k, damping=d, exponent=exponent)
        return m

    exact = {1.0: (-5.9411326e-6, -0.5730778607, 1.0782457179), 1.5: (1.0070309e-5, -0.5135331801, 0.5034708239)}
    given = {"k": 2000.0, "d": 0.1, "h0": 0.2}
    found = fm.sensitivity(touch, given, 0.5, outputs="ball.y", times=[0.5])
    relative = found.jacobian[0, 0] * list(given.values())
    off = np.abs(relative - np.array(exact[exponent]) * list(given.values()))
    assert off.max() < (1e-7 if exponent == 1.0 else 2e-5)

"""Friction by the joint's own force in joints of the plane: derivatives of the kernels, momentum, limits, bad input."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.testing.recorded import RecordedInstance
from flexmb.testing.recorder import Recorder
from flexmb.validation.references.wedge import Guide, Incline

LAW = {"static": 0.5, "stribeck_speed": 0.5, "viscous": 0.2, "smoothing": 0.3, "preload": 0.4, "small_force": 0.1}
JOINTS = {
    "revolute": fm.JointFriction(0.3, radius=0.7, **LAW),
    "prismatic": fm.JointFriction(0.3, length=0.4, **LAW),
    "pin_in_slot": fm.JointFriction(0.3, **LAW),
}


def friction_of(verb: str, law: fm.JointFriction) -> RecordedInstance:
    """The instance of friction of a joint between two bodies."""
    m = fm.PlanarModel("pair")
    a = m.add_body("a", mass=2.0, inertia=0.1, position=(1.0, 0.2)).attach("p", (0.1, 0.2), 0.3)
    b = m.add_body("b", mass=3.0, inertia=0.2, position=(0.3, -0.5), angle=0.3).attach("p", (-0.2, 0.1), -0.7)
    joint = getattr(m, verb)(a, b, friction=law, **({} if verb == "revolute" else {"axis": 0.7}))
    return Recorder.of(joint).instances_with("friction")[0]


def differences(function, x):
    """Derivatives of a vector by central differences, by columns."""
    moves = 1e-6 * np.eye(len(x))
    return np.array([(function(x + e) - function(x - e)) / 2e-6 for e in moves]).T


@pytest.mark.parametrize("verb", JOINTS)
def test_derivatives(verb: str) -> None:
    instance = friction_of(verb, JOINTS[verb])
    n, m = len(instance.columns), len(instance.rows)
    rng = np.random.default_rng(3)
    for _ in range(5):
        q, v = rng.uniform(-1.0, 1.0, (2, n))
        lam = rng.uniform(-3.0, 3.0, m)

        def force(q=q, v=v, lam=lam):
            return instance.call("friction", 0.0, q, v, lam=lam)[0][:n]

        by_v = instance.call("friction", 0.0, q, v, lam=lam, w=(0.0, 1.0, 0.0))[1]
        by_q = instance.call("friction", 0.0, q, v, lam=lam, w=(0.0, 0.0, 1.0))[1]
        by_lam = instance.call("friction", 0.0, q, v, lam=lam)[0][n:].reshape(m, n).T
        assert np.allclose(by_v, differences(lambda x: force(v=x), v), atol=1e-8)
        assert np.allclose(by_q, differences(lambda x: force(q=x), q), atol=1e-8)
        assert np.allclose(by_lam, differences(lambda x: force(lam=x), lam), atol=1e-8)
        assert v @ force() >= 0.0


def pushed(guide: Guide, smoothing: float) -> fm.PlanarModel:
    m = fm.PlanarModel("guide")
    law = fm.JointFriction(guide.sliding, smoothing=smoothing, length=guide.length, small_force=1e-9)
    slider = m.add_body("slider", mass=guide.mass, inertia=0.1)
    m.prismatic(m.ground, slider.frame, friction=law, name="rail")
    m.point_force(slider.frame.attach("handle", (0.0, guide.offset)), (guide.push, 0.0))
    return m


def test_a_guide_that_is_pushed_beside_its_axis() -> None:
    guide = Guide(offset=0.1, sliding=0.3)
    solution = fm.simulate(pushed(guide, 1e-5), 0.1, "radau", tolerance=1e-8, progress=False)
    assert solution["slider"].acceleration[-1, 0] == pytest.approx(guide.acceleration, rel=1e-9)
    assert solution.energy.error < 1e-5


def test_the_reaction_has_the_friction_in_it() -> None:
    incline = Incline(0.5, 0.3)
    m = fm.PlanarModel("incline", gravity=(0, -incline.weight))
    block = m.add_body("block", mass=2.0, inertia=0.1)
    law = fm.JointFriction(incline.sliding, smoothing=1e-5, length=0.2, small_force=1e-9)
    m.prismatic(m.ground, block.frame, axis=-incline.angle, friction=law, name="slope")
    solution = fm.simulate(m, 0.5, progress=False)
    force, _ = solution.reaction("slope")
    weight = np.array([0.0, -2.0 * incline.weight])
    assert np.allclose(force[-1] + weight, 2.0 * solution["block"].acceleration[-1, :2], atol=1e-9)
    assert np.linalg.norm(solution["block"].acceleration[-1, :2]) == pytest.approx(incline.acceleration, rel=1e-9)


def test_a_shaft_runs_down() -> None:
    """|λ| = m g in a hinge at the mass center: the moment μ m g r slows it down steadily."""
    m = fm.PlanarModel("shaft", gravity=(0, -10.0))
    wheel = m.add_body("wheel", mass=2.0, inertia=0.1)
    wheel.frame.move((0.0, 0.0), 20.0)
    m.revolute(m.ground, wheel.frame, friction=fm.JointFriction(0.2, radius=0.05, smoothing=1e-6, small_force=1e-9))
    solution = fm.simulate(m, 5.0, progress=False)
    assert solution["wheel"].angular_velocity[-1] == pytest.approx(20.0 - 5.0 * 0.2 * 20.0 * 0.05 / 0.1, rel=1e-6)


@pytest.mark.parametrize(
    ("verb", "law", "said"),
    [
        ("revolute", fm.JointFriction(0.2), "has no radius"),
        ("prismatic", fm.JointFriction(0.2, radius=0.1), "has no length"),
        ("pin_in_slot", 0.2, "JointFriction"),
    ],
)
def test_bad_input(verb: str, law: object, said: str) -> None:
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=0.1)
    with pytest.raises(ModelError, match=said):
        getattr(m, verb)(m.ground, body.frame, friction=law, name="joint")


def test_a_fixed_frame_has_no_speed_for_what_sticks_on_it() -> None:
    m = fm.PlanarModel("m")
    wall = m.add_frame("wall", (0.0, 0.0), fixed=True)
    wall.move((1.0, 0.0), 2.0)
    block, wheel = (m.add_body(name, mass=1.0, inertia=0.1, position=(1.0, 0.0)) for name in ("block", "wheel"))
    m.prismatic(wall, block.frame, friction=fm.JointFriction(0.1, smoothing=0.0, length=0.1), name="rail")
    pivot = m.add_frame("pivot", (1.0, 0.0), fixed=True)
    pivot.move((0.0, 0.0), 3.0)
    m.revolute(pivot, wheel.frame, friction=fm.JointFriction(0.1, smoothing=0.0, radius=0.1), name="hinge")
    assert fm.System(m).v0.tolist() == [0.0] * 8
    run = fm.simulate(m, 1.0, progress=False)
    assert run["block"].x[-1] == 1.0 and run["wheel"].angle[-1] == 0.0

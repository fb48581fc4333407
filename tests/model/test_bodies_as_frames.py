"""A body where a frame is wanted means its frame; what means none is refused, with what to give."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import flexmb as fm

STEEL = {"material": fm.Material(7850, 205e9), "section": fm.Circle(diameter=0.02)}
CALLS = {
    "revolute": lambda m, a, b: m.revolute(a, b),
    "gear": lambda m, a, b: m.gear(a, b, 2.0, carrier=m.ground),
    "carrier": lambda m, a, b: m.gear(m.ground, a, 2.0, carrier=b),
    "knife_edge": lambda m, a, b: m.knife_edge(a, b),
    "drive_angle": lambda m, a, b: m.drive_angle(a, b, 0.0),
    "spring_damper": lambda m, a, b: m.spring_damper(a, b, stiffness=1.0),
    "point_force": lambda m, a, b: m.point_force(a, np.zeros(m.dimension)),
    "python_force": lambda m, a, b: m.python_force([a, m.ground, b], lambda t, *x: np.zeros((3, 3 * m.dimension - 3))),
    "one python_force": lambda m, a, b: m.python_force(a, lambda t, *x: np.zeros(3 * m.dimension - 3)),
    "point_mass": lambda m, a, b: m.add_point_mass("mass", a, 1.0),
    "beam": lambda m, a, b: m.add_beam("rod", a, b, **STEEL),
}
SPATIAL = {
    "universal": lambda m, a, b: m.universal(a, b),
    "body": lambda m, a, b: m.add_body("more", mass=1.0, inertia=(1, 1, 1), frame=a),
    "wheel": lambda m, a, b: m.add_wheel("wheel", a, inertia=0.1, speed=1.0),
    "rolling": lambda m, a, b: m.rolling_sphere(a, b, 1.0, normal="x"),
}


def model(dimension):
    of = fm.PlanarModel if dimension == 2 else fm.SpatialModel
    m = of("m")
    inertia = 1.0 if dimension == 2 else (1.0, 1.0, 1.0)
    return m, *(m.add_body(x, mass=1.0, inertia=inertia, position=np.eye(dimension)[0] * k) for k, x in enumerate("ab"))


@pytest.mark.parametrize("what", [(d, x) for d in (2, 3) for x in (CALLS if d == 2 else CALLS | SPATIAL)], ids=str)
def test_a_body_means_its_frame(what):
    dimension, verb = what
    made = []
    for by_frames in (True, False):
        m, a, b = model(dimension)
        component = (CALLS | SPATIAL)[verb](m, *((a.frame, b.frame) if by_frames else (a, b)))
        made.append(([frame.name for frame in component.frames()], list(m.frames), list(m.components)))
        assert all(isinstance(frame, fm.planar.Frame) for frame in component.frames())
        m.check()
    assert made[0] == made[1]


def test_sensors_events_and_motions_take_bodies():
    _, a, b = model(2)
    assert fm.control.RelativeAngle(a, b).frames() == fm.control.RelativeAngle(a.frame, b.frame).frames()
    assert fm.control.Gyro(a).name == fm.control.Gyro(a.frame).name
    assert fm.crossing(lambda t, x, v: x[0], 1.0, frames=a).frames == (a.frame,)
    a.frame.move((1.0, 0.0))
    b.frame.move((0.0, 0.0), against=a)
    assert b.frame.node.velocity.tolist() == [1.0, 0.0]
    s, a, _ = model(3)
    assert fm.control.AttitudeError(a, "x").name == fm.control.AttitudeError(a.frame, "x").name
    joint = s.revolute(s.ground, s.components["b"])
    joint.b = a  # set afterwards, it is taken at the next check
    s.check()
    assert joint.b is a.frame
    wheel = s.add_wheel("wheel", a, inertia=0.1, speed=1.0)
    with pytest.raises(fm.errors.ModelError, match="wheel 'wheel' is not a frame; give one, such as its 'a'"):
        s.weld(s.ground, wheel)


@pytest.mark.parametrize("dimension", [2, 3])
def test_other_things_are_refused_with_what_to_give(dimension):
    m, a, b = model(dimension)
    rod = m.add_beam("rod", a, np.eye(dimension)[1], **STEEL)
    hinge = m.revolute(m.ground, a, name="hinge")
    tail = m.add_beam("tail 1", b, np.eye(dimension)[1] * 2.0, **STEEL)
    for wrong, text in (
        (rod, r"beam 'rod' is not a frame; give rod\.start, rod\.end or rod\.at\(s\)"),
        (tail, r"beam 'tail 1' is not a frame; give beam\.start"),
        (hinge, "joint 'hinge' is not a frame; give one, such as its 'ground' or 'a'"),
        ("a", "'a' is not a frame; give one, e.g. model.ground"),
        (None, "None is not a frame"),
        (m, "model 'm' is not a frame; give one, e.g. model.ground"),
    ):
        with pytest.raises(fm.errors.ModelError, match=f"joint 'weld [0-9]+': {text}"):
            m.weld(m.ground, wrong)
        with pytest.raises(fm.errors.ModelError, match=f"RangeFinder: {text}"):
            fm.control.RangeFinder(m.ground, wrong)
    with pytest.raises(fm.errors.ModelError, match=r"beam 'c': beam 'rod' is not a frame; give rod\.start"):
        m.add_beam("c", rod, a, **STEEL)
    with pytest.raises(fm.errors.ModelError, match=r"frame 'a', against: beam 'rod' is not a frame; give rod\.start"):
        a.frame.move(np.zeros(dimension), against=rod)
    other, c, _ = model(dimension)
    with pytest.raises(fm.errors.ModelError, match="frame 'a' belongs to another model, which is called 'm' too"):
        m.weld(m.ground, c)
    assert other.frames["a"] is c.frame


@pytest.mark.parametrize("model", [fm.PlanarModel, fm.SpatialModel])
def test_type_checkers_let_verbs_have_bodies(model):
    """Nothing that a verb takes is typed as a frame and no more; the examples, which give bodies, are type-checked."""
    every = inspect.getmembers(model, inspect.isfunction)
    verbs = {
        name: verb for name, verb in every if re.match(r"flexmb\.(planar|spatial|joints|forces)\.", verb.__module__)
    }
    assert {"revolute", "add_beam", "point_force", "drive_angle", "python_force", "contact_among"} <= verbs.keys()
    for name, verb in verbs.items():
        for given in inspect.signature(verb).parameters.values():
            assert not re.search(r"\b(Spatial)?Frame\b", str(given.annotation)), (name, given.name)

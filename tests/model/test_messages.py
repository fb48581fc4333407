"""Errors name the thing and the mistake: at a call, after an attribute was set, in the text of a thing."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError, NamingError, SizeError
from tests.models.pendulums import SOFT


def robot(name: str = "robot") -> SimpleNamespace:
    """A hub with a soft rod and a motor, and a box on a bushing."""
    m = fm.PlanarModel(name, gravity=(0.0, -9.81))
    hub = m.add_body("hub", mass=1.0, inertia=0.1)
    box = m.add_body("box", mass=1.0, inertia=0.1, position=(2.0, 0.5))
    rod = m.add_beam("rod", hub.frame, (1.0, 0.0), properties=SOFT)
    m.revolute(m.ground, hub.frame, name="hinge")
    mount = m.bushing(m.ground, box.frame, stiffness=(100.0, 100.0, 1.0), name="mount")
    motor = m.motor(m.ground, hub.frame, inertia=1e-3, name="motor")
    push = m.point_force(box.frame, (1.0, 0.0), name="push")
    return SimpleNamespace(m=m, hub=hub, box=box, rod=rod, mount=mount, motor=motor, push=push)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: fm.planar.BeamProperties(EA=1.0, EI=1.0, rhoA=1.0, GA="x"), "GA must be a number, not 'x'"),
        (lambda w: fm.planar.BeamProperties(EA=1.0, EI=1.0, rhoA=1.0, GA=math.nan), "GA is nan"),
        (lambda w: fm.ModalDamping([]), "modal damping: ratios"),
        (lambda w: fm.ModalDamping("x"), "modal damping: ratios"),
        (lambda w: fm.ModalDamping([0.01, math.nan]), r"modal damping: ratios\[1\] is nan"),
        (
            lambda w: w.m.add_beam("b", (5, 5), (6, 5), properties=SOFT, damping=math.nan),
            "damping must be ModalDamping",
        ),
        (lambda w: w.m.add_beam("b", (5, 5), (6, 5), properties="soft"), "give properties=fm.planar.BeamProperties"),
        (lambda w: w.m.add_beam("b", (5, 5), (6, 5), material=1, section=fm.Circle(diameter=0.1)), "1 is no material"),
        (lambda w: w.m.add_beam("b", (5, 5), (6, 5), properties=SOFT, elements="many"), "elements must be a number"),
        (lambda w: w.m.add_beam("b", (5, 5), (6, 5), properties=SOFT, elements=True), "elements must be a number"),
        (lambda w: w.m.add_beam("b", "x", (6, 5), properties=SOFT), "start must be 2 numbers"),
        (lambda w: w.m.add_body("b", mass=1j, inertia=1.0), "mass must be a number"),
        (lambda w: w.m.add_body("b", mass=10**400, inertia=1.0), "mass is inf"),
        (lambda w: w.m.add_body("b", mass=[1.0], inertia=1.0), "mass must be a number"),
        (lambda w: w.m.add_body("b", mass=1.0, inertia=1.0, position=[[1], [1, 2]]), "position must be 2 numbers"),
        (lambda w: w.m.add_frame("b", fixed="no"), "fixed is 'no'; give True or False"),
        (lambda w: w.m.point_force(w.box.frame, (1.0, 0.0), axes="yes"), "axes is 'yes'"),
        (lambda w: w.m.python_force(w.box.frame, 5), "its function 5 is no function of"),
        (lambda w: w.m.set_rigid_motion(components=["hub"]), "'hub' is not a component"),
        (lambda w: w.m.distributed_load("rod", (0.0, 1.0)), "'rod' is not a beam"),
        (lambda w: w.m.frame(5), "there is no frame 5"),
        (lambda w: w.m.component(None), "there is no component None"),
        (lambda w: fm.Friction(coulomb="x"), "friction: coulomb must be a number"),
        (lambda w: fm.SmoothStep(0.0, 1.0)("now"), "t must be a time or times"),
        (lambda w: fm.Spline([0.0, 1e-300, 1.0], [0.0, 1e300, 0.0])(0.5), "no cubics go through it"),
        (lambda w: fm.LinearModel("A", [[1.0]], [[1.0]], [[0.0]]), "linear model: A must be a matrix"),
        (lambda w: fm.LinearModel([[1.0]], [[1.0]], [[1.0]], [[0.0]], outputs=[1]), "outputs must be texts, not 1"),
    ],
)
def test_impossible_values_are_named(call, message):
    with pytest.raises(ModelError, match=message) as caught:
        call(robot())
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("bad", ["a\0b", "a\nb", "", 5, None])
def test_names_have_printable_characters_only(bad):
    m = fm.PlanarModel("m")
    for call in (
        lambda: fm.PlanarModel(bad),
        lambda: m.add_body(bad, mass=1.0, inertia=1.0),
        lambda: m.add_frame(bad),
        lambda: m.add_beam(bad, (0, 0), (1, 0), properties=SOFT),
        lambda: m.ground.attach(bad),
        lambda: fm.Material(1.0, 1.0, name=bad),
    ):
        with pytest.raises(NamingError, match="name"):
            call()
    assert sorted(m.frames) == ["ground"] and not m.components


def test_a_floating_beam_damps_all_its_modes_or_says_that_it_does_not():
    m = fm.PlanarModel("m")
    options: dict[str, Any] = {"properties": SOFT, "theory": "floating"}
    with pytest.raises(ModelError, match="damping has no effect on a floating beam without modes"):
        m.add_beam("b", (0, 0), (1, 0), **options, modes=0, damping=fm.ModalDamping(0.1))
    with pytest.raises(ModelError, match="its modal damping has 3 ratios, an element has 2 modes"):
        m.add_beam("b", (0, 0), (1, 0), **options, modes=2, damping=fm.ModalDamping([0.1, 0.1, 0.1]))


# -- attributes that are set later ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: setattr(w.hub, "mass", -5), "body 'hub': mass is -5; it must be positive"),
        (lambda w: setattr(w.hub, "inertia", "x"), "body 'hub': inertia must be a number"),
        (lambda w: setattr(w.rod, "elements", 3), "its nodes are made with it, so make it anew"),
        (lambda w: setattr(w.motor, "ratio", 0), "motor 'motor': ratio is 0"),
        (lambda w: setattr(w.push, "force", (1.0,)), "force must be 2 numbers"),
        (lambda w: setattr(w.m, "gravity", 9.81), "gravity must be 2 numbers"),
        (lambda w: setattr(w.hub.frame.node, "angle", math.nan), "angle of its node is nan"),
        (lambda w: setattr(w.hub, "name", "boss"), "was called 'hub' when it was made"),
    ],
)
def test_what_is_set_later_is_checked_then_or_when_it_is_used(change, message):
    w = robot()
    fm.System(w.m)
    with pytest.raises(ModelError, match=message):
        change(w)
        fm.simulate(w.m, 0.01, step=0.001, progress=False)


@pytest.mark.parametrize("torque", [0.5, fm.Constant(0.5)])
def test_a_strength_may_be_set_later_to_a_number_or_a_function(torque):
    m = fm.PlanarModel("m")
    wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, wheel.frame)
    motor = m.motor(m.ground, wheel.frame)
    motor.torque = torque
    spun = fm.simulate(m, 1.0, step=0.1, progress=False)["wheel.angular_velocity"]
    assert spun[-1] == pytest.approx(0.5, rel=1e-9)


def test_a_strength_that_a_controller_commands_may_be_set_too():
    def spun(torque: float | None) -> float:
        m = fm.PlanarModel("m")
        wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
        m.revolute(m.ground, wheel.frame)
        drive = m.point_torque(wheel.frame, 1.0, name="drive")
        sensor = fm.control.RelativeAngle(m.ground, wheel.frame)
        m.add_controller("c", period=0.1, sensors=sensor, commands=drive, law=lambda t, y: [2.0])
        if torque is not None:
            drive.torque = torque
        return float(fm.simulate(m, 1.0, step=0.1, progress=False)["wheel.angular_velocity"][-1])

    assert spun(None) == pytest.approx(3.0, rel=1e-9)
    assert spun(5.0) == pytest.approx(7.0, rel=1e-9)


# -- things of another model ------------------------------------------------------------------------------------------


def test_a_message_tells_two_models_of_the_same_name_apart():
    w, other = robot(), robot()
    with pytest.raises(ModelError, match="frame 'box' belongs to another model, which is called 'robot' too"):
        w.m.revolute(w.m.ground, other.box.frame)
    with pytest.raises(ModelError, match="beam 'b': frame 'box' belongs to another model"):
        w.m.add_beam("b", other.box.frame, (6, 5), properties=SOFT)
    with pytest.raises(ModelError, match="body 'hub' belongs to model 'arm', not to 'robot'"):
        w.m.set_rigid_motion(components=[robot("arm").hub])


def test_a_strain_gauge_on_a_beam_of_another_model_is_refused():
    w, other = robot(), robot("other")
    gauge = fm.control.StrainGauge(other.rod.at(0.5), height=0.01)
    with pytest.raises(ModelError, match=r"strain of rod@0.5: beam 'rod' belongs to model 'other', not to 'robot'"):
        w.m.add_controller("c", period=0.01, sensors=[gauge], commands="motor", law=[[1.0]])
    w.m.add_controller("c", period=0.01, sensors=[fm.control.MotorRate(w.motor)], commands="motor", law=[[1.0]])
    with pytest.raises(ModelError, match="motor 'motor' belongs to model 'other'"):
        w.m.add_controller("d", period=0.01, sensors=[fm.control.MotorRate(other.motor)], commands="push", law=[[1.0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensors": 5}, "5 is no sensor"),
        ({"sensors": None}, "None is no sensor"),
        ({"commands": 5}, "no component that can be commanded 5"),
        ({"commands": []}, "it commands nothing"),
        ({"limits": "x"}, r"limits must be a pair \(lowest, highest\)"),
        ({"limits": [1, 2, 3]}, r"limits must be a pair \(lowest, highest\)"),
        ({"limits": [8, -8]}, "limits of 'motor' are 8 and -8; give the lower one first"),
        ({"law": "x"}, "law must be a matrix"),
        ({"period": "x"}, "period must be a number"),
        ({"runaway": "x"}, "runaway must be a number"),
        ({"seed": 1.5}, "seed is 1.5"),
    ],
)
def test_a_controller_names_what_is_wrong(options, message):
    w = robot()
    usual = {"period": 0.01, "sensors": [fm.control.MotorRate(w.motor)], "commands": "motor", "law": [[1.0]]}
    with pytest.raises(FlexmbError, match=message):
        w.m.add_controller("c", **{**usual, **options})
    assert not w.m.controllers


def test_limits_of_one_command_are_a_pair():
    w = robot()
    controller = w.m.add_controller(
        "c",
        period=0.01,
        sensors=fm.control.MotorRate(w.motor),
        commands=w.motor,
        law=lambda t, y: [100.0],
        limits=[-8, 8],
    )
    np.testing.assert_array_equal(controller.limits, [[-8.0, 8.0]])
    run = fm.simulate(w.m, 0.03, step=0.01, progress=False)
    assert np.all(run.control["c"].u == 8.0)


@pytest.mark.parametrize("options", [{"period": 1e-300}, {"delay": 1e300}])
def test_instants_that_would_fill_the_memory_are_refused(options):
    w = robot()
    usual = {"period": 0.01, "sensors": [fm.control.MotorRate(w.motor)], "commands": "motor", "law": [[1.0]]}
    w.m.add_controller("c", **{**usual, **options})
    with pytest.raises(SizeError, match="controller 'c': instants"):
        fm.simulate(w.m, 0.01, step=0.001, progress=False)


@pytest.mark.parametrize("theory", ["cms", "ancf", "exact"])
def test_a_mesh_that_would_fill_the_memory_is_refused_before_it_is_made(theory, monkeypatch):
    monkeypatch.setattr("flexmb.machine.memory.machine_memory", lambda: 8e9)
    m = fm.PlanarModel("m")
    message = r"beam 'rod': 10000000 elements of \d coordinates need about \d+ GB of memory, and there are 8 GB"
    with pytest.raises(SizeError, match=message):
        m.add_beam("rod", (0, 0), (1, 0), properties=SOFT, theory=theory, elements=10**7)
    assert not m.components and sorted(m.frames) == ["ground"]


# -- texts of things --------------------------------------------------------------------------------------------------


def test_texts_of_things_are_short_and_name_them():
    w = robot()
    things = [*w.m.components.values(), *w.m.frames.values(), w.rod.at(0.5), w.m, fm.control.MotorRate(w.motor)]
    things.append(
        w.m.add_controller("c", period=0.01, sensors=[fm.control.MotorRate(w.motor)], commands="push", law=[[1.0]])
    )
    things.append(fm.linearize(fm.equilibrium(robot_at_rest()), "push", "box.vx"))
    for thing in things:
        text = repr(thing)
        assert "\n" not in text and " at 0x" not in text and len(text) < 160, text
    assert repr(w.rod.at(0.5)) == "BeamPoint('rod@0.5')"
    assert repr(w.rod) == "CmsBeam('rod', (0, 0) to (1, 0), 1 element)"
    assert repr(w.hub) == "RigidBody('hub', frame='hub', mass=1.0, inertia=0.1, center=[0., 0.])"


def robot_at_rest() -> fm.PlanarModel:
    m = fm.PlanarModel("m")
    box = m.add_body("box", mass=1.0, inertia=0.1)
    m.bushing(m.ground, box.frame, stiffness=(100.0, 100.0, 1.0))
    m.point_force(box.frame, (1.0, 0.0), factor=0.0, name="push")
    return m


def test_a_refusal_does_not_print_the_whole_thing():
    w = robot()
    with pytest.raises(ModelError, match=r"beam 'rod' is not a frame; give rod\.start") as caught:
        w.m.revolute(w.m.ground, w.rod)
    assert len(str(caught.value)) < 160


# -- designs, studies, pictures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fm.control.lqr("plant", 1.0, 1.0), "LQR: plant must be a linear model"),
        (lambda: fm.control.minimum_error_excitation(None, [[1.0]]), "plant must be a linear model"),
        (lambda: fm.control.sliding_mode(5, 1.0, 1.0, reaching=1.0), "plant must be a linear model"),
        (lambda: fm.control.filtered(5, {}), "plant must be a linear model"),
        (lambda: fm.control.filtered(oscillator(), None), "filters must be a dict of linear models, not None"),
        (lambda: fm.control.filtered(oscillator(), {"y1": 5}), "the filter of 'y1' must be a linear model"),
        (lambda: fm.control.servo_errors(1, 0.1, filters=[5]), "filters must be a dict"),
        (lambda: fm.control.servo_errors(1, 0.1, scale=10**400), "scale must be a number"),
        (lambda: fm.control.low_pass(0.1, 1e300), "is inf; give finite"),
        (lambda: fm.control.lyapunov([[-1.0]], [[1.0]], discrete="no"), "discrete is 'no'"),
        (lambda: fm.study(abs, np.array(2.0)), "parameters must be a list of dicts"),
        (lambda: fm.study(dict, [{"x": 1.0}], file=5, workers=0), "study file: path must be a text or a Path"),
        (lambda: fm.System("model"), "'model' is not a model"),
        (lambda: fm.System(robot().m, kept_rows=[7]), "kept_rows must be different numbers of its 3"),
        (lambda: fm.System(robot().m, dense_limit=None), "dense_limit must be a number"),
    ],
)
def test_impossible_values_are_named_in_designs_studies_and_systems(call, message):
    with pytest.raises(FlexmbError, match=message):
        call()


def oscillator() -> fm.LinearModel:
    return fm.LinearModel([[0.0, 1.0], [-4.0, -0.1]], [[0.0], [2.0]], [[1.0, 0.0]], [[0.0]])


@pytest.mark.parametrize("joint", [fm.planar.Weld, fm.planar.KnifeEdge, fm.spatial.Spherical])
def test_components_of_the_plane_do_not_stand_in_space_nor_the_other_way_round(joint):
    m = fm.PlanarModel("flat") if joint is fm.spatial.Spherical else fm.SpatialModel("deep")
    body = m.add_body("hub", mass=1.0, inertia=0.1 if joint is fm.spatial.Spherical else (0.1, 0.1, 0.1))
    wanted = (
        "joint 'j': Spherical is of space, and model 'flat' is one of the plane; take .* PlanarModel"
        if joint is fm.spatial.Spherical
        else f"joint 'j': {joint.__name__} is of the plane, and model 'deep' is one of space; take .* SpatialModel"
    )
    with pytest.raises(ModelError, match=wanted):
        m.add(joint(m.ground, body.frame, name="j"))
    assert "j" not in m.components


def test_an_angle_of_a_frame_is_refused_in_space():
    m = fm.SpatialModel("deep")
    m.add_body("hub", mass=1.0, inertia=(0.1, 0.1, 0.1)).frame.offset_angle = 0.3
    with pytest.raises(ModelError, match="frame 'hub': offset_angle is for frames of the plane"):
        m.check()

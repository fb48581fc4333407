"""Wrong attributes and arguments are answered with the right ones."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import flexmb as fm


@pytest.fixture(scope="module")
def space():
    m = fm.SpatialModel("robot")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.revolute(m.ground, body, name="hinge")
    m.contact(m.ground, body, fm.HalfSpace("z", (0, 0, -1.0)), fm.Sphere(diameter=0.2), stiffness=1e3, name="floor")
    m.joint_stop(m.components["hinge"], upper=1.0, stiffness=1e3, name="buffer")
    return m, fm.simulate(m, 0.1, step=0.1, progress=False)


@pytest.fixture(scope="module")
def plane():
    m = fm.PlanarModel("arm")
    m.add_body("body", mass=1.0, inertia=1.0)
    return m, fm.simulate(m, 0.1, step=0.1, progress=False)


TRACKS = [
    ("plane", "body", "postion", r"track 'body': there is no attribute 'postion' \(did you mean 'position'"),
    ("plane", "body", "orientation", "track 'body': .* write angle"),
    ("plane", "body", "qqq", "track 'body': there is no attribute 'qqq'; it has: acceleration, angle"),
    ("space", "body", "postion", r"track 'body': .* \(did you mean 'position'"),
    ("space", "body", "angle", r"track 'body': .* write orientation, rotation_vector or euler_angles"),
    ("space", "body", "quaternion", "write euler_parameters, scalar first"),
    ("space", "hinge", "acelleration", r"joint 'hinge': .* \(did you mean 'acceleration'"),
    ("space", "floor", "normal_forse", r"contact 'floor': .* \(did you mean 'normal_force'"),
    ("space", "buffer", "forse", r"stop 'buffer': .* \(did you mean 'force'"),
]


@pytest.mark.parametrize(("side", "name", "what", "message"), TRACKS)
def test_tracks(side, name, what, message, request):
    track = request.getfixturevalue(side)[1][name]
    with pytest.raises(fm.errors.UnknownAttributeError, match=message) as caught:
        getattr(track, what)
    assert isinstance(caught.value, AttributeError) and isinstance(caught.value, fm.FlexmbError)
    assert not hasattr(track, what) and getattr(track, what, 5) == 5


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("time", "solution 'robot': there is no attribute 'time'; write solution.t"),
        ("positions", "write solution.'body'..position"),
        ("statuss", "did you mean 'status'"),
        ("save_hdf5", "did you mean 'save'"),
    ],
)
def test_solutions(space, what, message):
    with pytest.raises(fm.errors.UnknownAttributeError, match=message):
        getattr(space[1], what)


@pytest.mark.parametrize(
    ("side", "what", "message"),
    [
        ("plane", "add_revolute", r"model 'arm': there is no attribute 'add_revolute'; write model\.revolute\(…\)"),
        ("space", "add_spherical_joint", r"write model\.spherical\(…\)"),
        ("space", "body", r"write model\.add_body\(…\)"),
        ("plane", "hinge", r"write model\.revolute\(…\)"),
        ("plane", "add_force", r"write model\.point_force\(…\)"),
        ("plane", "revolut", "did you mean 'revolute'"),
        ("plane", "add_spherical", "there is no attribute 'add_spherical'"),
        ("space", "simulate", r"write fm\.simulate\(model, …\)"),
        ("space", "bodies", "write model.components"),
    ],
)
def test_models(side, what, message, request):
    with pytest.raises(fm.errors.UnknownAttributeError, match=message):
        getattr(request.getfixturevalue(side)[0], what)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fm.Material(density=7850, E=2e11), "Material: there is no argument 'E'; write youngs_modulus=…"),
        (lambda: fm.Material(rho=7850, youngs_modulus=2e11), "write density=…"),
        (lambda: fm.Material(density=7850, youngs_modlus=2e11), "did you mean 'youngs_modulus'.*; it takes: density"),
        (lambda: fm.Tube(outer=0.2, inner=0.1), "Tube: there is no argument 'outer'; write outer_diameter=…"),
        (lambda: fm.Circle(r=0.1), "write radius=…"),
        (lambda: fm.Sphere(radious=0.1), "did you mean 'radius'"),
        (lambda: fm.planar.BeamProperties(EA=1.0, EI=1.0, rhoa=1.0), "did you mean 'rhoI' or 'rhoA'"),
    ],
)
def test_arguments(call, message):
    with pytest.raises(fm.errors.UnknownArgumentError, match=message) as caught:
        call()
    assert isinstance(caught.value, TypeError)


ADD = "model.add_body: there is no argument "


@pytest.mark.parametrize(
    ("side", "call", "message"),
    [
        ("plane", lambda m: m.add_body("b", m=1.0, inertia=1.0), ADD + "'m'; write mass=…"),
        (
            "space",
            lambda m: m.add_body("b", mass=1.0, inertias=(1, 1, 1)),
            ADD + r"'inertias' \(did you mean 'inertia'",
        ),
        ("space", lambda m: m.add_body("b", mass=1.0, qqq=1), ADD + "'qqq'; it takes: name, mass, inertia, shape, "),
        ("space", lambda m: m.revolute(m.ground, m.ground, direction="z"), "model.revolute: .* write axis=…"),
        (
            "plane",
            lambda m: m.revolute(m.ground, m.ground, direction=0),
            "'direction'.*; it takes: a, b, friction, name",
        ),
        ("plane", lambda m: m.spring_damper(m.ground, m.ground, k=1.0), "model.spring_damper: .* write stiffness=…"),
        ("plane", lambda m: m.point_force(m.ground, force=(1, 0), nam="f"), "model.point_force: .*'nam'.*'name'"),
        ("plane", lambda m: m.add_controller("c", priod=0.1), "model.add_controller: .*did you mean 'period'"),
        ("plane", lambda m: m.add_event(0.1, act=fm.Note()), "model.add_event: there is no argument 'act'"),
        ("plane", lambda m: m.switch_off(part="latch"), "model.switch_off: there is no argument 'part'"),
    ],
)
def test_arguments_of_verbs(side, call, message, request):
    m = request.getfixturevalue(side)[0]
    before = list(m.components), list(m.frames)
    with pytest.raises(fm.errors.UnknownArgumentError, match=message) as caught:
        call(m)
    assert isinstance(caught.value, TypeError) and (list(m.components), list(m.frames)) == before


def test_verbs_of_a_model_of_ones_own_answer_too():
    class Crane(fm.PlanarModel):
        def add_hook(self, name, *, load):
            return self.add_body(name, mass=load, inertia=0.1)

    assert Crane("crane").add_hook("hook", load=2.0).mass == 2.0
    with pytest.raises(fm.errors.UnknownArgumentError, match=r"model\.add_hook: there is no argument 'laod'.*'load'"):
        Crane("crane").add_hook("hook", laod=2.0)
    with pytest.raises(fm.errors.MissingArgumentError, match=r"model\.add_hook: give load=…; it takes: name, load"):
        Crane("crane").add_hook("hook")


def test_what_is_there_stays_as_it_was(space, plane):
    for m, solution in (space, plane):
        track = solution["body"]
        for again in (copy.copy(track), copy.deepcopy(track), pickle.loads(pickle.dumps(track))):
            assert np.array_equal(again.values, track.values)
        assert copy.deepcopy(m).name == m.name and not hasattr(m, "__array__")
    assert fm.Material(7850, 2e11) == fm.Material(density=7850, youngs_modulus=2e11)
    assert pickle.loads(pickle.dumps(fm.Circle(radius=0.1))) == fm.Circle(radius=0.1)


def test_a_property_that_fails_shows_its_own_error():
    class Broken(fm.PlanarModel):
        @property
        def total(self):
            return self.components.lenght

    with pytest.raises(AttributeError, match="'dict' object has no attribute 'lenght'"):
        _ = Broken("m").total


def test_missing_arguments_are_named() -> None:
    m = fm.PlanarModel("m")
    body = m.add_body("body", mass=1.0, inertia=1.0)
    for call, says in (
        (lambda: m.revolute(body.frame), r"model\.revolute: give b=…; it takes: a, b, friction, name"),
        (lambda: m.add_states("lag"), r"model\.add_states: give law=…"),
        (lambda: fm.planar.Revolute(), r"Revolute: give a=…, b=…; it takes: a, b"),
    ):
        with pytest.raises(fm.errors.MissingArgumentError, match=says) as caught:
            call()
        assert isinstance(caught.value, TypeError)
    with pytest.raises(fm.errors.UnknownArgumentError, match="Motor: there is no argument 'gear_ratio'; write ratio=…"):
        fm.planar.Motor(m.ground, body.frame, gear_ratio=3.0)
    assert list(inspect.signature(fm.planar.Revolute).parameters)[:2] == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: fm.modes(m, about=m), "modes: there is no argument 'about'.*; it takes: model, count"),
        (lambda m: fm.modes(m, 3, 4), "modes: too many positional arguments; it takes: model, count"),
        (lambda m: fm.View(m, camra="top"), r"View: there is no argument 'camra' \(did you mean 'camera'"),
        (lambda m: fm.Arc((0, 0, 0), (1, 0, 0), 1.0, angel=1.0), r"Arc: .* \(did you mean 'angle'"),
        (lambda m: fm.control.lqr(m, wieghts=1.0), "lqr: there is no argument 'wieghts'"),
        (lambda m: fm.Harmonic(1.0, 2.0).jumps(after=1.0), "Harmonic.jumps: there is no argument 'after'"),
    ],
)
def test_functions_results_and_values_answer_too(call, message):
    with pytest.raises(fm.errors.UnknownArgumentError, match=message) as caught:
        call(fm.PlanarModel("m"))
    assert isinstance(caught.value, TypeError)


def test_methods_of_results_answer(plane):
    solution = plane[1]
    for call, says in (
        (lambda: solution.draw(colour="red"), r"Solution\.draw: there is no argument 'colour'"),
        (lambda: solution.plot("body.position", axis=1), r"Solution\.plot: there is no argument 'axis'"),
        (lambda: solution.spectrum(), r"Solution\.spectrum: give name=…"),
    ):
        with pytest.raises((fm.errors.UnknownArgumentError, fm.errors.MissingArgumentError), match=says):
            call()


@pytest.mark.parametrize(
    ("room", "what", "message"),
    [
        (fm, "simulat", r"flexmb: there is no attribute 'simulat' \(did you mean 'simulate'"),
        (fm, "Revolute", r"write fm\.planar\.Revolute or fm\.spatial\.Revolute"),
        (fm.control, "lqrr", r"flexmb\.control: .*did you mean 'lqr'"),
        (fm.spatial, "Revolut", "did you mean 'Revolute'"),
    ],
)
def test_names_of_rooms(room, what, message):
    with pytest.raises(fm.errors.UnknownAttributeError, match=message) as caught:
        getattr(room, what)
    assert isinstance(caught.value, AttributeError)
    assert not hasattr(room, "__wrapped__")

"""ANCF cable in space: against the cable of the plane, Exudyn and exact rods; spins that nothing holds, refusals."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, ModelError
from tests.models.beams_in_space import beam

#: tip of a cable in Exudyn 1.13.6
EXUDYN = (1.9728569797, -0.0966245005, -0.1545992009)
ROPE = fm.spatial.BeamProperties(EA=1e3, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0)


def rope(model, start=None, end=(1.0, 0.0, 0.0), name="rod", **options):
    start = model.ground if start is None else start
    return model.add_beam(name, start, end, properties=ROPE, theory="ancf", **options)


def test_in_a_plane_it_is_the_cable_of_the_plane():
    """Residual and tangent of two elements far bent and stretched, in a plane that leans."""
    m = fm.PlanarModel("m", gravity=(0.3, -9.81))
    m.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(300.0, 2.0, 1.3), theory="ancf", elements=2)
    flat = fm.System(m)
    lean = np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])  # x and y of the plane, in space
    s = fm.SpatialModel("s", gravity=np.array([0.3, -9.81]) @ lean)
    given = fm.spatial.BeamProperties(EA=300.0, EIy=2.0, EIz=2.0, GJ=1.0, rhoA=1.3)
    s.add_beam("rod", (0, 0, 0), lean[0], properties=given, theory="ancf", elements=2, y_axis=lean[1])
    space = fm.System(s)
    rng = np.random.default_rng(4)
    q, v, a = flat.q0 + 0.3 * rng.normal(size=12), rng.normal(size=12), rng.normal(size=12)

    def lifted(x):
        return (x.reshape(-1, 2) @ lean).ravel()

    wanted = flat.residual(0.0, q, v, a)
    found = space.residual(0.0, lifted(q), lifted(v), lifted(a))
    np.testing.assert_allclose(found, lifted(wanted), rtol=0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.filterwarnings("ignore:.*bends too far:flexmb.errors.AccuracyWarning")
def test_large_deflections_are_those_of_an_exact_rod():
    """A dead force askew on the end, EA L²/EI = 1e3; the error falls with the fourth power of the element's length."""
    m = fm.SpatialModel("m")
    rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=fm.spatial.BeamProperties(
        EA=1e3, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0, rhoIp=0.01), theory="exact", elements=32)  # fmt: skip
    m.point_force(rod.end, (0.0, 2.0, 1.5))
    exact = fm.equilibrium(m)[rod.end].position
    errors = []
    for elements in (4, 8, 16):
        m = fm.SpatialModel("m")
        rod = rope(m, elements=elements)
        m.point_force(rod.end, (0.0, 2.0, 1.5))
        errors.append(float(np.linalg.norm(fm.equilibrium(m)[rod.end].position - exact)))
    assert errors[-1] < 5e-7 and min(np.log2(np.array(errors[:-1]) / errors[1:])) > 3.5


def test_the_tip_of_a_pendulum_is_that_of_exudyn():
    """200 steps of 1 ms, 16 elements, Exudyn 1.13.6 (ObjectANCFCable, full integration, residual 1e-8)."""
    m = fm.SpatialModel("m", gravity=(2.0, -5.0, -8.0))
    of = {"material": fm.Material(density=7850.0, youngs_modulus=2e9), "section": fm.Circle(diameter=0.01)}
    rod = m.add_beam("rod", (0, 0, 0), (2, 0, 0), **of, theory="ancf", elements=16)
    m.spherical(m.ground, rod.start)
    tip = fm.simulate(m, 0.2, step=1e-3, second_run=False)[rod.at(1.0)].position[-1]
    np.testing.assert_allclose(tip, EXUDYN, rtol=0, atol=1e-8)


@pytest.mark.parametrize("how", ["its end", "weld", "spherical"])
def test_a_body_on_its_end_spins_freely(how):
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(1, 0, 0))
    rod = rope(m, (0, 0, 0), body.frame if how == "its end" else (1, 0, 0), elements=2)
    m.spherical(m.ground, rod.start)
    if how != "its end":
        getattr(m, how)(rod.end, body.frame)
    body.frame.move(angular_velocity=(3.0, 0, 0))
    run = fm.simulate(m, 0.1)
    assert run["body"].wx[-1] == pytest.approx(3.0, rel=1e-12)


def test_two_cables_in_line_are_one():
    tips = []
    for pieces in (1, 2):
        m = fm.SpatialModel("m", gravity=(1.0, 0.5, -2.0))
        if pieces == 1:
            last = rope(m, end=(1, 0, 0), elements=4)
        else:
            last = rope(m, rope(m, end=(0.5, 0, 0), elements=2).end, (1, 0, 0), "more", elements=2)
        tips.append(fm.simulate(m, 0.1, step=1e-3)[last.at(1.0)].position[-1])
    np.testing.assert_allclose(*tips, rtol=0, atol=1e-7)  # the stretch may jump where they meet


def test_its_frequencies_are_those_of_a_clamped_beam_in_every_plane():
    m = fm.SpatialModel("m")
    rope(m, elements=8)
    found = 2.0 * np.pi * np.asarray(fm.modes(m).frequencies[:4])
    np.testing.assert_allclose(found, np.repeat([1.8751041, 4.6940911], 2) ** 2, rtol=1e-4)


def test_a_moment_across_it_bends_it_into_an_arc():
    m = fm.SpatialModel("m")
    rod = rope(m, elements=16)
    m.point_torque(rod.end, (0.0, 0.6, 0.8), axes="body")
    end = fm.equilibrium(m)[rod.end].position
    radius = (1.0 - np.cos(1.0)) * np.array([0.0, 0.8, -0.6])
    np.testing.assert_allclose(end, [np.sin(1.0), *radius[1:]], rtol=0, atol=1e-5)


def test_what_it_cannot_do_is_refused_by_name():
    m = fm.SpatialModel("m")
    flat = fm.spatial.BeamProperties(EA=1e3, EIy=1.0, EIz=2.0, GJ=1.0, rhoA=1.0)
    with pytest.raises(ModelError, match="beam 'flat': EIy is 1 and EIz 2, but a cable knows no turn"):
        m.add_beam("flat", m.ground, (1, 0, 0), properties=flat, theory="ancf")
    with pytest.raises(ModelError, match="an ANCF cable has no modes to damp"):
        rope(m, damping=fm.ModalDamping(0.01))
    for torque, axes, s in (((1.0, 0, 0), "body", 1.0), ((0, 1.0, 0), "ground", 0.3), ((0, 1.0, 0), "ground", 1.0)):
        m = fm.SpatialModel("m")
        rod = rope(m)
        m.point_torque(rod.end if s == 1.0 else rod.at(s), torque, axes=axes, name="twist")
        with pytest.raises(ModelError, match="load 'twist': it turns a frame of beam 'rod' about the axis of that"):
            fm.System(m)


def test_damping_of_bending_is_doubted():
    rod = beam("ancf", {"elements": 2, "damping": fm.StiffnessProportional(1e-4)})
    with pytest.warns(AccuracyWarning, match="damping acts on the stretching of a cable in space alone"):
        run = fm.simulate(rod.model, 0.01)
    assert any("alone; theory='exact' damps bending" in text for text in run.doubts)


@pytest.mark.parametrize(("arm", "held"), [((0.1, 0.0, 0.0), False), ((0.1, 1e-3, 0.0), True)])
def test_a_mass_on_the_axis_of_a_cable_holds_no_turn_about_it(arm, held):
    """But for rounding, which a skew cable has."""
    m = fm.SpatialModel("m")
    cable = rope(m, end=(1.0, 2.0, 2.3), elements=2)
    mass = m.add_point_mass("weight", cable.end.attach("tip", arm), 0.2)
    assert mass.holds_turn(cable.end.node, cable.ends[1] / cable.length) is held


def hold_by_a_bushing(m, rod, frame):
    post = m.ground.attach("post", (1, 0, 0.1))
    m.bushing(post, frame, stiffness=(30.0, 20.0, 10.0, 0, 0, 0), damping=(1, 2, 3, 0, 0, 0), free=(0, 0, 0))


def rest_on_a_floor(m, rod, frame):
    m.contact(m.ground.attach("floor", (0, 0, -0.06)), frame, fm.HalfSpace("z"), fm.Sphere(radius=0.1), stiffness=1e3)


def lie_on_a_ball(m, rod, frame):
    ball = m.add_body("ball", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=(1, 0.02, -0.22))
    m.weld(m.ground.attach("post", (1, 0.02, -0.22)), ball.frame)
    m.contact_among([ball.frame, frame], fm.Sphere(radius=0.1), stiffness=1e3)


def drag_its_skin(m, rod, frame):
    m.drag(frame, 0.5, linear=0.0, square=0.0, skin=1.0, wind=(0, 3.0, 1.0))


@pytest.mark.parametrize("act", [hold_by_a_bushing, rest_on_a_floor, lie_on_a_ball, drag_its_skin])
def test_forces_that_do_not_turn_its_frames_about_it_move_it_as_they_move_an_exact_beam(act):
    places = []
    for theory in ("ancf", "exact"):
        m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
        given = fm.spatial.BeamProperties(EA=1e3, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=0.2, rhoIp=1e-5)
        rod = m.add_beam("rod", m.ground, (1, 0, 0), properties=given, theory=theory, elements=6)
        act(m, rod, rod.end)
        places.append(fm.simulate(m, 0.3)["rod.end"].position[-1])
    assert np.linalg.norm(places[0] - [1, 0, 0]) > 0.01
    assert places[0] == pytest.approx(places[1], abs=1e-3)


TOUCH = {"shape_a": fm.HalfSpace("z"), "shape_b": fm.Sphere(radius=0.1), "stiffness": 1e3}


@pytest.mark.parametrize(
    "act",
    [
        lambda m, end, off: m.contact(m.ground, end, **TOUCH, friction=0.2),
        lambda m, end, off: m.contact(m.ground, off, **TOUCH),
        lambda m, end, off: m.contact(end, m.ground, **TOUCH),
        lambda m, end, off: m.bushing(m.ground, end, stiffness=(1, 1, 1, 1, 0, 0)),
        lambda m, end, off: m.bushing(end, m.ground, stiffness=(1, 1, 1, 0, 0, 0)),
        lambda m, end, off: m.bushing(m.ground, off, stiffness=(1, 1, 1, 0, 0, 0)),
        lambda m, end, off: m.drag(end, 1.0, square=2.0, skin=1.0),
        lambda m, end, off: m.drag(off, 1.0, square=0.0, skin=1.0),
    ],
)
def test_what_turns_its_frames_about_it_is_refused(act):
    m = fm.SpatialModel("m")
    rod = rope(m)
    act(m, rod.end, rod.end.attach("off", (0.0, 0.05, 0.0)))
    with pytest.raises(ModelError, match="it turns a frame of beam 'rod' about the axis of that"):
        fm.System(m)

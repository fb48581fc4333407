"""Places along beams as frames: joints, bodies, springs, loads, sensors there, in every theory."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.planar import BEAMS, CmsBeam
from flexmb.elements.planar.cms_beam import CMS
from flexmb.errors import ModelError, NamingError
from flexmb.testing import conformance

EI = 5.0
GIVEN = fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=0.6, rhoI=1e-6, GA=1e7)
#: elements with which the place 0.3 lies inside of one
INSIDE = {
    "cms": {"elements": 1, "modes": 3},
    "ancf": {"elements": 9},
    "exact": {"elements": 41},
    "floating": {"modes": 6},
}
theories = pytest.mark.parametrize("theory", BEAMS)


def rod_of(theory, clamped=True, gravity=(0.0, 0.0), properties=GIVEN, **options):
    m = fm.PlanarModel("m", gravity=gravity)
    given = options or INSIDE[theory]
    start = m.ground if clamped else (0, 0)
    return m, m.add_beam("rod", start, (1, 0), properties=properties, theory=theory, **given)


# -- frames and names ------------------------------------------------------------------------------------------------


def test_a_place_is_made_once_and_enters_the_model_when_something_stands_on_it():
    m, rod = rod_of("cms")
    middle = rod.at(0.5)
    assert middle is rod.at(0.5) and middle.name == "rod@0.5" and isinstance(middle, fm.planar.Frame)
    assert rod.at(0) is rod.start and rod.at(1) is rod.end and rod.at(-0.0) is rod.start
    assert sorted(m.frames) == ["ground", "rod.end", "rod.start"]
    n = fm.System(m).n
    fm.control.StrainGauge(middle, height=0.01)
    m.point_force(middle, (0, 1))
    m.point_torque(rod.at(0.25), 1.0)
    assert fm.System(m).n == n and fm.System(m).m == 0  # they need no node
    m.add_point_mass("mass", middle, 1.0)
    m.add_point_mass("other", middle, 1.0)
    assert m.frames["rod@0.5"] is middle and fm.System(m).n == n + 3
    assert [row.where for row in fm.System(m).rows] == ["rod (at 0.5 x)", "rod (at 0.5 y)", "rod (at 0.5 angle)"]
    assert middle.attach("clip", (0, 0.1)).node is middle.node


@pytest.mark.parametrize("theory", ["cms", "exact"])
def test_a_place_at_a_node_is_that_node(theory):
    m, rod = rod_of(theory, elements=10)
    for s in (0.1, 0.3, 0.7, 0.1 + 0.2):
        m.add_point_mass(f"mass {s}", rod.at(s), 1.0)
        assert rod.at(s).node is rod.chain[round(10 * s)]
    assert fm.System(m).m == 0


@theories
def test_places_stay_on_the_beam(theory):
    """Many places, one of them at a node of the cable, and another where two elements meet."""
    m, rod = rod_of(theory, clamped=False, gravity=(0, -9.81))
    m.revolute(m.ground, rod.start)
    places = [0.0, 1e-9, 0.2, 1 / 3, 0.5, 0.5 + 1e-9, 8 / 9, 1.0]
    for k, s in enumerate(places):
        m.add_body(f"body {k}", mass=0.1, inertia=1e-3, frame=rod.at(s))
    run = fm.simulate(m, 0.1, step=5e-4, progress=False)
    assert run.status == "finished"
    for k, s in enumerate(places):
        on_beam, body = run.source.point(run, "rod", s), run[f"body {k}"]
        np.testing.assert_allclose(np.column_stack([body.position, body.angle]), on_beam[:, :3], rtol=0, atol=1e-9)
        # rates of bodies are those of the beam
        np.testing.assert_allclose(np.column_stack([body.vx, body.vy]), on_beam[:, 3:5], rtol=0, atol=1e-7)


@pytest.mark.parametrize("s", [-0.1, 1.0001, math.nan, math.inf, "x", None])
def test_a_place_off_the_beam_is_refused(s):
    _, rod = rod_of("cms")
    with pytest.raises(ModelError, match="beam 'rod'"):
        rod.at(s)


def test_what_is_refused_leaves_no_place_in_the_model():
    m, rod = rod_of("cms")
    with pytest.raises(ModelError, match="mass"):
        m.add_point_mass("mass", rod.at(0.5), -1.0)
    with pytest.raises(ModelError, match="belongs to model 'm', not to 'other'"):
        fm.PlanarModel("other").add_point_mass("mass", rod.at(0.5), 1.0)
    with pytest.raises(ModelError, match="its length is zero"):
        m.add_beam("other", rod.at(0.5), (0.5, 0), properties=GIVEN)
    torque, sensor = m.point_torque(rod.end, 0.0), fm.control.Accelerometer(rod.at(0.5))
    with pytest.raises(ModelError, match="period"):
        m.add_controller("c", period=-1.0, sensors=sensor, commands=torque, law=[[1.0]])
    with pytest.raises(ModelError, match="law"):
        m.add_controller("c", period=1.0, sensors=sensor, commands=torque, law="x")
    assert "rod@0.5" not in m.frames
    m.add_frame("rod@0.5")
    with pytest.raises(NamingError, match=r"rod@0\.5"):
        m.add_point_mass("mass", rod.at(0.5), 1.0)


def test_a_beam_without_the_kernel_is_refused_by_name():
    @dataclass(eq=False)
    class Plain(CmsBeam):
        """A beam of a user that tells no Jacobian of its points."""

        @property
        def kernels(self):
            return replace(CMS, point_jacobian=None)

    m = fm.PlanarModel("m")
    rod = Plain.build(m, "rod", (0, 0), (1, 0), GIVEN, 1, None)
    for fasten in (
        lambda: m.add_point_mass("mass", rod.at(0.4), 1.0),
        lambda: m.point_force(rod.at(0.4), (1, 0)),
        lambda: rod.at(0.4).attach("clip"),
    ):
        with pytest.raises(
            ModelError, match=r"rod@0.4|force 1.*beam 'rod' is a Plain, whose kernels have no point_jac"
        ):
            fasten()
    m.add_point_mass("mass", rod.at(1.0), 1.0)
    assert fm.System(m).n == 8 and rod.at(0.4).s == 0.4


def test_a_place_that_comes_after_the_system_is_told():
    m, rod = rod_of("cms")
    rest = fm.equilibrium(m)
    push = m.point_force(rod.end, (0, 1), name="push")
    linear = fm.linearize(fm.equilibrium(m), push, "rod@0.5.ay")
    assert linear.A.shape[0] == 12
    with pytest.raises(ModelError, match=r"frame 'rod@0\.5' came into the model after this system was made"):
        fm.linearize(rest, "rod.end.fy", fm.control.Accelerometer(rod.at(0.5)))


# -- statics -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theory", "options", "off"),
    [("cms", {"elements": 1}, 1e-7), ("ancf", {"elements": 10}, 1e-6), ("exact", {"elements": 10}, 1e-6)],
)
def test_a_force_at_a_place_bends_the_beam_as_closed_forms_say(theory, options, off):
    """w(L) = F a² (3L − a)/(6 EI), and F a/GA with shear, θ(L) = F a²/(2 EI); for a torque w(L) = M a (2L − a)/(2 EI),
    θ(L) = M a/EI."""
    a, F = 0.3, 1e-2
    shear = 0.0 if theory == "ancf" else F * a / GIVEN.GA
    m, rod = rod_of(theory, **options)
    force = m.point_force(rod.at(a), (0, F))
    rest = fm.equilibrium(m)
    assert rest["rod.end.y"] == pytest.approx(F * a**2 * (3 - a) / (6 * EI) + shear, rel=off)
    assert rest["rod.end.angle"] == pytest.approx(F * a**2 / (2 * EI), rel=off)
    assert fm.linearize(rest, force, "rod.end.y").B.any()
    m, rod = rod_of(theory, **options)
    m.point_torque(rod.at(a), F)
    rest = fm.equilibrium(m)
    assert rest["rod.end.y"] == pytest.approx(F * a * (2 - a) / (2 * EI), rel=off)
    assert rest["rod.end.angle"] == pytest.approx(F * a / EI, rel=off)


@pytest.mark.parametrize("theory", ["cms", "ancf"])
def test_derivatives_by_the_place_and_by_the_element_under_it(theory):
    """Of w(L) = F a² (3L − a)/(6 EI): what stands at a place sees changed parameters of its element."""
    a, F = 0.33, 1e-2

    def build(a, EI):
        return loaded(a, fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=0.6), False)

    def build_with_node(EI):
        return loaded(a, fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=0.6), True)

    def loaded(a, properties, node):
        m, rod = rod_of(theory, properties=properties, **({"elements": 10} if theory == "ancf" else {"modes": 2}))
        m.point_force(rod.at(a).attach("clip") if node else rod.at(a), (0, F))
        return m

    by_EI = -F * a**2 * (3 - a) / (6 * EI**2)
    found = fm.static_sensitivity(build, {"a": a, "EI": EI}, "rod.end.y")
    assert found["rod.end.y", "a"] == pytest.approx(F * (6 * a - 3 * a**2) / (6 * EI), rel=1e-6)
    assert found["rod.end.y", "EI"] == pytest.approx(by_EI, rel=1e-6)
    found = fm.static_sensitivity(build_with_node, {"EI": EI}, "rod.end.y")
    assert found["rod.end.y", "EI"] == pytest.approx(by_EI, rel=1e-6)


@theories
@pytest.mark.parametrize("follower", [False, True])
def test_a_force_on_the_beam_is_that_on_a_node_welded_to_it(theory, follower):
    found = []
    for node in (False, True):
        m, rod = rod_of(theory)
        place = rod.at(0.3).attach("clip") if node else rod.at(0.3)
        m.point_force(place, (-2.0, 3.0), axes="body" if follower else "ground", factor=fm.Harmonic(1.0, 30.0))
        m.point_torque(place, -0.4)
        rest = fm.equilibrium(m)
        run = fm.simulate(m, 1e-3, "dop853", tolerance=1e-8, progress=False)
        found.append([*(rest[f"rod.end.{x}"] for x in ("x", "y", "angle")), run["rod.end.y"][-1], run.energy.total[-1]])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7, atol=1e-11)


@theories
def test_a_spring_at_a_place(theory):
    """A cantilever with a force at its end and a spring k at a: the spring takes F c/(1/k + d), with the deflections
    c = a² (3L − a)/(6 EI) and d = a³/(3 EI) at a by unit forces at the end and at a."""
    a, F, k = 0.4, 1e-3, 20.0
    options = {"floating": {"modes": 40}, "exact": {"elements": 40}, "ancf": {"elements": 10}, "cms": {"elements": 5}}
    m, rod = rod_of(theory, **options[theory])
    m.point_force(rod.end, (0, F))
    m.bushing(m.ground.attach("anchor", (a, 0)), rod.at(a), stiffness=(0, k, 0))
    held = F * (a**2 * (3 - a) / (6 * EI)) / (1 / k + a**3 / (3 * EI))
    off = 2e-3 if theory == "floating" else 1e-5
    assert fm.equilibrium(m)["rod@0.4.y"] == pytest.approx(held / k, rel=off)


# -- motion ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theory", ["cms", "ancf", "exact"])
def test_a_pendulum_on_the_middle_of_a_stiff_rod_swings_as_on_a_rigid_one(theory):
    gravity = (0, -9.81)
    stiff = fm.planar.BeamProperties(EA=1e7, EI=1e5, rhoA=1.0, rhoI=1e-9)

    def hang(m, place):
        bob = m.add_body("bob", mass=0.5, inertia=0.01, position=(0.8, 0.0))
        m.revolute(place, bob.attach("eye", (-0.3, 0.0)))
        return fm.simulate(m, 0.5, tolerance=1e-5, progress=False)

    m, rod = rod_of(theory, False, gravity, stiff, elements=3)
    m.revolute(m.ground, rod.start)
    flexible = hang(m, rod.at(0.5))
    m = fm.PlanarModel("rigid", gravity=gravity)
    bar = m.add_body("bar", mass=1.0, inertia=1 / 12, center=(0.5, 0.0))
    m.revolute(m.ground, bar.frame)
    rigid = hang(m, bar.attach("middle", (0.5, 0.0)))
    assert flexible.status == "finished"
    np.testing.assert_allclose(flexible["bob"].position[-1], rigid["bob"].position[-1], rtol=0, atol=5e-4)
    np.testing.assert_allclose(flexible["rod.end.angle"][-1], rigid["bar.angle"][-1], rtol=0, atol=5e-4)


@theories
def test_a_thrown_beam_with_a_body_inside_keeps_momentum_and_energy(theory):
    m, rod = rod_of(theory, clamped=False)
    m.add_body("stone", mass=0.4, inertia=0.01, frame=rod.at(0.3), center=(0.1, 0.05))
    m.set_rigid_motion((1.0, 2.0), 8.0, (0.3, 0.1))
    run = fm.simulate(m, 0.03, "dop853", tolerance=1e-9, progress=False)
    system = fm.System(m)
    P = np.array([system.momentum(t, q, v) for t, q, v in zip(run.t, run.q, run.v)])
    assert np.ptp(P, axis=0).max() < 1e-6 * np.abs(P).max()
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic[0]
    assert np.ptp(run.energy.strain) > 1e-6  # it is no rigid body


def test_a_controller_reads_a_place():
    m, rod = rod_of("cms", elements=1, modes=2, damping=fm.ModalDamping(0.02))
    push = m.point_force(rod.at(0.6), (0, 1), factor=0.0, name="push")
    sensors = [
        fm.control.Accelerometer(rod.at(0.3)),
        fm.control.Speedometer(rod.at(0.6), direction=math.pi / 2),
        fm.control.Reference(0.5),
    ]
    m.add_controller("servo", period=1e-3, sensors=sensors, commands=push, law=[[0.0, -5.0, 1.0]])
    run = fm.simulate(m, 0.2, step=5e-4, progress=False)
    log = run.control["servo"]
    seen = run.at(log.t)
    for k, sensor in enumerate(sensors):
        np.testing.assert_allclose(log.y[:, k], sensor.readings(seen), rtol=1e-6, atol=1e-6)
    assert run["rod@0.6.y"][-1] == pytest.approx(0.5 * 0.6**3 / (3 * EI), rel=0.2)


def test_places_in_files_and_pictures(tmp_path):
    m, rod = rod_of("ancf", clamped=False, gravity=(0, -9.81))
    m.revolute(m.ground.attach("pivot", (0.3, 0.0)), rod.at(0.3), name="hinge")
    run = fm.simulate(m, 0.05, step=1e-3, progress=False)
    back = fm.load(run.save(tmp_path / "run.h5"))
    np.testing.assert_array_equal(back["rod@0.3"].position, run["rod@0.3"].position)
    np.testing.assert_allclose(run.reaction("hinge")[0], run.reaction("hinge", frame=rod.at(0.3))[0])
    force = run.reaction("hinge")[0][-1] + run.reaction("rod", frame="rod@0.3")[0][-1]
    assert np.abs(force).max() < 1e-9 * np.abs(run.reaction("hinge")[0]).max()  # the node has no mass
    run.draw(path=tmp_path / "drawn.png")
    fm.load(tmp_path / "run.h5").draw(path=tmp_path / "again.png")


def test_conformance_of_a_whole_model():
    m, rod = rod_of("cms", clamped=False, gravity=(0.3, -9.81), elements=2)
    cable = m.add_beam("cable", rod.at(0.3), (1, 1), properties=GIVEN, theory="ancf", elements=3)
    m.revolute(cable.at(0.5), m.add_body("bob", mass=1.0, inertia=0.1, position=(0.65, 0.5)).frame)
    m.spring_damper(rod.at(0.8), cable.at(0.9), stiffness=10.0, free_length=0.5)
    m.point_force(cable.at(0.2), (1.0, 2.0), axes="body")
    conformance(m)

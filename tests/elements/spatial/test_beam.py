"""What all beams in space share: axes of sections, frames at their ends and places, welds, wrong input."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.elements.spatial import BEAMS
from flexmb.errors import ModelError, NamingError

GIVEN = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
#: cables bend alike in all planes
ROUND = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=10.0, GJ=15.0, rhoA=0.6)
STEEL = fm.Material(7850, 205e9)
theories = pytest.mark.parametrize("theory", BEAMS)
#: whose sections turn about the axis, as those of a cable do not
turning_theories = pytest.mark.parametrize("theory", [x for x in BEAMS if x != "ancf"])


def rod_between(start, end, theory="floating", model=None, **options):
    m = model or fm.SpatialModel("m")
    if theory in ("exact", "ancf"):
        options = {**options, "elements": 1}  # so that places are inside of an element
        options.pop("modes", None)
    given = ROUND if theory == "ancf" else GIVEN
    return m.add_beam("rod", m.ground if start is None else start, end, properties=given, theory=theory, **options)


# -- axes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "y_axis", "y", "z"),
    [
        ((1, 0, 0), None, (0, 1, 0), (0, 0, 1)),
        ((0, 2, 0), None, (-1, 0, 0), (0, 0, 1)),
        ((3, 4, 0), None, (-0.8, 0.6, 0), (0, 0, 1)),
        ((1, 0, 1), None, (0, 1, 0), (-math.sqrt(0.5), 0, math.sqrt(0.5))),
        ((0, 0, 1), None, (0, 1, 0), (-1, 0, 0)),
        ((0, 0, -1), None, (0, 1, 0), (1, 0, 0)),
        ((1, 0, 0), "z", (0, 0, 1), (0, -1, 0)),
        ((0, 0, 1), "x", (1, 0, 0), (0, 1, 0)),
        ((1, 0, 0), (5.0, 0.0, -3.0), (0, 0, -1), (0, 1, 0)),  # only what is across the beam counts
    ],
)
def test_axes_of_the_section(end, y_axis, y, z):
    rod = rod_between(None, end, y_axis=y_axis)
    axes = Rotation.from_quat(np.roll(rod.axes, -1)).as_matrix()
    np.testing.assert_allclose(axes.T, [np.array(end) / np.linalg.norm(end), y, z], rtol=0, atol=1e-15)
    for frame in (rod.start, rod.at(0.3), rod.end):
        np.testing.assert_allclose(frame.orientation.as_matrix(), axes, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("y_axis", "said"),
    [
        ("x", r"y_axis 'x' is along the beam"),
        ((-2, 0, 1e-7), r"y_axis .* is along the beam, so it tells no axis of its section; give a direction across it"),
        ("w", r"y_axis is 'w'; give 'x', 'y', 'z', or a direction \(3,\) in the axes of the ground"),
        ((1, 2), r"y_axis must be 3 numbers"),
        ((0, 0, 0), r"y_axis has no direction"),
        ((0, math.nan, 1), r"y_axis\[1\] is nan"),
    ],
)
def test_a_wrong_y_axis_is_refused_by_name(y_axis, said):
    m = fm.SpatialModel("m")
    with pytest.raises(ModelError, match=rf"^beam 'rod': {said}"):
        rod_between(None, (1, 0, 0), model=m, y_axis=y_axis)
    assert list(m.frames) == ["ground"] and not m.components


@turning_theories
def test_bending_goes_by_the_axes_of_the_section(theory):
    """A strip bends 4 times as far along its y as along its z, whichever directions these have."""
    given = fm.spatial.BeamProperties(EA=1e6, EIy=40.0, EIz=10.0, GJ=15.0, rhoA=0.6)
    for end, y_axis in (((1, 0, 0), "y"), ((1, 0, 0), (0, 1, 2)), ((0, 0, 1), "x"), ((1, 2, -1), (1, 0, 3))):
        m = fm.SpatialModel("m")
        end = np.array(end) / np.linalg.norm(end)
        rod = m.add_beam("rod", m.ground, end, properties=given, theory=theory, y_axis=y_axis)
        m.point_force(rod.end, (0.0, 1e-4, 1e-4), axes="body")
        moved = rod.end.orientation.inv().apply(fm.equilibrium(m).solution["rod.end"].position[0] - end)
        assert moved[1] / moved[2] == pytest.approx(4.0, rel=1e-4)


# -- frames and welds --------------------------------------------------------------------------------------------------


@cache
def on_a_hub(theory, turned, offset):
    """Places and turns of a beam on a swinging hub, whose node lies turned or not, and whose frame is the beam's start
    or stands off it with an arm."""
    m = fm.SpatialModel("m", gravity=(0.0, 1.0, -9.81))
    turn = Rotation.from_rotvec([0.4, -1.1, 2.0]) if turned else None
    middle = np.array([-0.2, 0.1, 0.05])  # of the hub's mass
    J = np.diag([0.1, 0.2, 0.3])
    if offset:
        hub = m.add_body("hub", mass=2.0, inertia=_in_axes(J, turn), position=middle, orientation=turn)
        start = hub.attach("seat", _back(turn, -middle), orientation=None)
    else:
        m.add_frame("seat", orientation=turn)
        hub = m.add_body("hub", mass=2.0, inertia=_in_axes(J, turn), center=_back(turn, middle), frame=m.frames["seat"])
        start = hub.frame
    m.spherical(m.ground, start)
    rod = rod_between(start, (0.6, 0.8, 0.3), theory, m, y_axis=(0, 0, 1))
    m.add_body("tip", mass=0.3, inertia=(0.01, 0.02, 0.015), frame=rod.end)
    m.point_force(rod.at(0.4), (1.0, -2.0, 3.0), axes="body")
    run = fm.simulate(m, 0.1, "dop853", tolerance=1e-9, times=[0.05, 0.1], progress=False)
    return np.concatenate([run["rod.end"].position, run["rod@0.4"].position, run["rod.end"].rotation_vector])


@theories
@pytest.mark.parametrize(("turned", "offset"), [(True, False), (False, True), (True, True)])
def test_a_beam_on_a_frame_moves_the_same_however_the_node_lies(theory, turned, offset):
    plain = on_a_hub(theory, turned=False, offset=False)
    np.testing.assert_allclose(on_a_hub(theory, turned, offset), plain, rtol=0, atol=2e-7)


def _in_axes(J, turn):
    return J if turn is None else turn.as_matrix().T @ J @ turn.as_matrix()


def _back(turn, x):
    return np.asarray(x) if turn is None else turn.apply(x, inverse=True)


@theories
def test_places_stay_on_the_beam(theory):
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    rod = rod_between((0, 0, 0), (1, 0.2, 0.1), theory, m, modes=3)
    m.universal(m.ground, rod.start, axis="z", axis_b=rod.start.orientation.inv().apply((0, 1, 0)))
    for k, s in enumerate((1e-9, 1 / 3, 0.5, 0.999)):
        m.add_body(f"body {k}", mass=0.1, inertia=(1e-3, 2e-3, 2e-3), frame=rod.at(s))
    clip = rod.at(0.25).attach("clip", (0.0, 0.1, 0.0), Rotation.from_rotvec([0, 0, 1]))
    m.add_point_mass("on the clip", clip, 0.2)
    run = fm.simulate(m, 0.2, step=5e-4, progress=False)
    assert run.status == "finished" and np.abs(run.energy.error).max() < 1e-3
    for k, s in enumerate((1e-9, 1 / 3, 0.5, 0.999)):
        on_beam, body = run.source.point(run, "rod", s), run[f"body {k}"]
        place, rates = (slice(3), slice(7, 10)) if theory == "ancf" else (slice(7), slice(7, 13))  # or they spin freely
        np.testing.assert_allclose(body.values[:, place], on_beam[:, place], rtol=0, atol=1e-9)
        np.testing.assert_allclose(body.values[:, rates], on_beam[:, rates], rtol=0, atol=1e-7)
    arm = run["rod@0.25"].orientation.apply((0.0, 0.1, 0.0))
    np.testing.assert_allclose(run[clip].position, run["rod@0.25"].position + arm, rtol=0, atol=1e-9)


@turning_theories
def test_the_weld_of_a_place_tells_the_force_on_what_stands_there(theory):
    """At rest it carries the weight, with the moment of its arm; the weld's rows name the place."""
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    rod = rod_between(None, (1, 0, 0), theory, m)
    m.add_body("box", mass=0.02, inertia=(1e-4, 1e-4, 1e-4), frame=rod.at(0.5).attach("arm", (0, 0.1, 0)))
    rest = fm.equilibrium(m).solution
    force, moment = rest.reaction("rod", "rod@0.5")
    np.testing.assert_allclose(force[0], (0, 0, 0.02 * 9.81), rtol=0, atol=1e-10)
    at = rest["box"].position[0] - rest["rod@0.5"].position[0]
    np.testing.assert_allclose(moment[0], np.cross(at, (0, 0, 0.02 * 9.81)), rtol=0, atol=1e-10)
    assert {row.where for row in fm.System(m).rows} >= {"rod (at 0.5 x)", "rod (at 0.5 turn z)"}


# -- wrong input -------------------------------------------------------------------------------------------------------


def test_names_of_theories_and_options_are_checked():
    m = fm.SpatialModel("m")
    with pytest.raises(ModelError, match=r"beam 'rod': theory is 'beam'; choose one of .*'floating'"):
        rod_between(None, (1, 0, 0), "beam", m)
    with pytest.raises(ModelError, match=r"theory 'floating' has no option 'mode' \(did you mean 'modes'\?\); it has"):
        rod_between(None, (1, 0, 0), model=m, mode=3)
    with pytest.raises(ModelError, match="end must be 3 numbers"):
        rod_between(None, (1, 0), model=m)
    with pytest.raises(ModelError, match="its length is zero"):
        rod_between(None, (0, 0, 0), model=m)
    meant = "properties are fm.planar.BeamProperties; give properties=fm.spatial.BeamProperties"
    with pytest.raises(ModelError, match=meant):
        m.add_beam("rod", m.ground, (1, 0, 0), properties=fm.planar.BeamProperties(1, 1, 1), theory="floating")
    assert not m.components and list(m.frames) == ["ground"]


def test_a_section_without_its_torsion_is_refused_by_name():
    m = fm.SpatialModel("m")
    with pytest.raises(ModelError, match=r"beam 'rod': .*no torsion_constant; give Section\(…, torsion_constant=…\)"):
        section = fm.Section(1e-4, 1e-9, second_moment_y=1e-9)
        m.add_beam("rod", m.ground, (1, 0, 0), material=STEEL, section=section, theory="floating")
    with pytest.raises(TypeError, match="give GJ="):
        fm.spatial.BeamProperties(EA=1.0, EIy=1.0, EIz=1.0, rhoA=1.0)
    with pytest.raises(ModelError, match="beam properties in space: GJ must be a number"):
        fm.spatial.BeamProperties(EA=1.0, EIy=1.0, EIz=1.0, GJ=None, rhoA=1.0)


def test_places_are_checked():
    m = fm.SpatialModel("m")
    rod = rod_between(None, (1, 0, 0), model=m)
    for s in (-0.1, 1.01, math.nan, "x"):
        with pytest.raises(ModelError, match="beam 'rod'"):
            rod.at(s)
    with pytest.raises(ModelError, match=r"belongs to .*model"):
        fm.SpatialModel("other").add_point_mass("mass", rod.at(0.5), 1.0)
    assert "rod@0.5" not in m.frames
    with pytest.raises(ModelError, match=r"'rod\.start' is fixed; what acts there moves nothing"):
        m.point_force(rod.start, (1, 0, 0))
    with pytest.raises(NamingError, match="rod"):
        m.add_beam("rod", m.ground, (1, 0, 0), properties=GIVEN, theory="floating")

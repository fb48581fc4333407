"""The stage: every piece has the place and the color that the solution says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.model.appearance import BeamPlace
from flexmb.results.subject import Subject
from flexmb.visual import View
from flexmb.visual.stage.pieces import Arrow, BentArrow, BentTube, Ghost, Helix, Spiral, Trail
from flexmb.visual.stage.stage import beam_profile
from tests.visual.mechanisms import times
from tests.visual.pages import needs_drawing
from tests.visual.pieces import center_line, only


def test_beams_bend_as_the_solution_says(swing):
    t = times(swing)
    rod = only(View(swing, color="bending_moment").stage(t), "rod", BentTube)
    seen = swing.at(t)
    axis, moment = seen.axis("rod"), seen.along("rod", "bending_moment", 41)
    assert np.ptp(moment) > 0.1
    for k in range(len(t)):
        line = center_line(rod, k, 41)
        assert np.allclose(line[:, :2], axis[k], rtol=0.0, atol=1e-14)
        assert not np.any(line[:, 2].round(15))
        values = rod.values(k)[: 41 * 16].reshape(41, 16)
        assert np.array_equal(values, np.repeat(moment[k][:, None], 16, axis=1))
        assert len(rod.values(k)) == len(rod.points(k))
    ring = rod.points(2)[:16] - center_line(rod, 2, 41)[0]
    assert np.allclose(np.linalg.norm(ring, axis=1), 0.015), "the radius of the section"


def test_limits_go_with_the_run(swing):
    view = View(swing, color="bending_moment")
    largest = np.abs(swing.along("rod", "bending_moment", 41)).max()
    low, high = view.coloring.limits
    assert low == -high
    assert largest <= high <= 1.13 * largest, "the next round number"
    assert view.coloring.title == "bending moment [Nm]"
    stress = View(swing, color="stress").coloring
    assert (stress.title, stress.factor) == ("stress [kPa]", 1e-3)
    assert stress.limits[0] == 0.0
    assert View(swing, color="rod.stress", color_limits=(0, 4e6)).coloring.limits == (0.0, 4.0)
    strain = View(swing, color="strain", color_limits=(-2e-4, 2e-4)).coloring
    assert strain.title == "strain [10⁻⁶]" and strain.limits == pytest.approx((-200.0, 200.0))
    assert View(swing, color="strain", color_limits=(-0.5, 0.5)).coloring.title == "strain"


def test_sections_have_their_true_size():
    """A circle is round, a rectangle has its sides; an unknown section is a full circle of the same bending
    stiffness."""
    E, c, b = 2e11, 0.02, 0.01
    rectangle = BeamPlace(1, 1.0, E * 2 * c * b, E * b * (2 * c) ** 3 / 12, 2 * c * b, c)
    sides = np.ptp(beam_profile(rectangle, 0.1).points, axis=0)
    assert sides == pytest.approx([2 * c, b])
    area = np.pi * c**2
    circle = BeamPlace(1, 1.0, E * area, E * area * c**2 / 4, area, c)
    assert np.allclose(np.hypot(*beam_profile(circle, 1.0).points.T), c)
    unknown = BeamPlace(1, 1.0, E * area, E * area * c**2 / 4)
    assert np.allclose(np.hypot(*beam_profile(unknown, 1.0).points.T), c)
    assert np.allclose(np.hypot(*beam_profile(circle, 100.0).points.T), 0.6), "no thinner than can be seen"


def test_bodies_joints_and_springs_are_where_they_are(work):
    t = times(work)
    view = View(work)
    pieces, scales = view.stage(t), view.scales
    seen = work.at(t)
    for k in range(len(t)):
        place = seen["crank"].position[k]
        crank = only(pieces, "crank", role="body").points(k)
        away = crank[:, :2] - place
        far = seen["crank.rim"].position[k] - place
        thick = 0.019 * scales.unit
        assert (away @ far).max() / 0.15 == pytest.approx(0.15 + thick)
        assert (away @ far).min() / 0.15 == pytest.approx(-thick)
        for name in ("axle", "motor", "mount"):
            middle = only(pieces, name).points(k).mean(axis=0)[:2]
            body = {"axle": "crank", "motor": "crank", "mount": "plate"}[name]
            assert np.allclose(middle, seen[body].position[k], atol=2e-3)
        spring = only(pieces, "spring", Helix)
        line = center_line(spring, k, spring.count)
        assert np.allclose(line[0, :2], seen["jib.end"].position[k])
        assert np.allclose(line[-1, :2], seen["car"].position[k])
        link = center_line(only(pieces, "link"), k, 2)[:, :2]
        assert np.allclose(link, [seen["crank.rim"].position[k], seen["plate.corner"].position[k]])
        block = only(pieces, "slide", role="arm").points(k)
        assert np.allclose(block.mean(axis=0)[:2], seen["car"].position[k], atol=2e-3)
    assert not only(pieces, "slide", role="rail").moves
    assert isinstance(only(pieces, "coil"), Spiral)
    supports = [p.poses[0, :2] for p in pieces if p.role == "ground"]
    assert sorted(map(tuple, supports)) == [(0.0, 0.0), (0.4, 0.7), (0.9, 0.8)]


def test_a_slide_without_a_model_lies_as_the_block_moves(work, tmp_path):
    filed = fm.load(work.save(tmp_path / "run.h5"))
    rails = [only(View(s).stage([0.05]), "slide", role="rail") for s in (work, filed)]
    rail = [2.0 * np.arctan2(one.poses[0, 6], one.poses[0, 3]) for one in rails]
    assert rail[0] == pytest.approx(0.5)
    assert np.tan(rail[1]) == pytest.approx(np.tan(0.5), rel=1e-6)


def test_ghosts_stand_where_the_mechanism_was(swing):
    view = View(swing, color="rod.bending_moment", ghosts=[0.1, 0.33])
    pieces = view.stage([0.5])
    ghosts = [p for p in pieces if isinstance(p, Ghost) and p.role == "beam"]
    for ghost, t in zip(ghosts, (0.1, 0.33), strict=True):
        line = center_line(ghost.piece, 0, 41)[:, :2]
        assert np.allclose(line, swing.at(t).axis("rod")[0], rtol=0.0, atol=1e-14)
        assert np.array_equal(ghost.points(0), ghost.points(3))
        assert ghost.values(0)[0] == swing.at(t).along("rod", "bending_moment")[0, 0]
    assert not any(isinstance(p, Ghost) and p.role in ("ground", "force") for p in pieces)


def test_trails_grow_to_where_the_point_is(swing):
    t = np.array([0.0, 0.3077, 0.6])
    trail = only(View(swing, trails=["rod.end", "bob"]).stage(t), "rod.end", Trail)
    rings = trail.points(0).reshape(-1, 6, 3).mean(axis=1)
    assert len(rings) == 1202, "regular times, and the one between them"
    for k in range(3):
        last = trail.faces[: trail.visible_faces(k)].max() // 6 if trail.visible_faces(k) else 0
        assert np.allclose(rings[last, :2], swing.at(t[k])["rod.end"].position[0], rtol=0.0, atol=1e-12)
        before = np.linspace(0.0, t[k], 7)[:-1]
        near = np.linalg.norm(rings[: last + 1, None, :2] - swing.at(before)["rod.end"].position, axis=2).min(axis=0)
        assert near.max() < 3e-3


def test_trails_of_bodies_lie_before_their_plates(work):
    pieces = View(work, trails=["plate", "crank.rim", "car"]).stage([0.0, 0.1])
    half = only(pieces, "plate", role="body").points(0)[:, 2].max()
    heights = [only(pieces, name, Trail).points(0)[:, 2].mean() for name in ("plate", "crank.rim", "car")]
    assert min(heights[:2]) > half
    assert heights[2] == pytest.approx(0.0, abs=1e-12)


def test_bodies_of_one_point_in_one_place_are_all_seen():
    m = fm.PlanarModel("hinge")
    one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.3, 0.2))
    other = m.add_body("other", mass=1.0, inertia=0.1, position=(0.3, 0.2))
    m.add_body("third", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute(one.frame, other.frame, name="pin")
    pieces = View(m).stage([0.0])
    sizes = [np.ptp(only(pieces, name).points(0), axis=0) for name in ("one", "other", "pin")]
    for wide, narrow in pairwise(sizes):
        assert wide[0] > 1.1 * narrow[0]
        assert wide[2] < 0.95 * narrow[2], "what is narrow stands out"
    ball = np.ptp(only(pieces, "third").points(0), axis=0)
    assert ball[0] == pytest.approx(ball[2])


def test_forces_and_torques_are_arrows(work):
    t = times(work)
    view = View(work, reactions=["clamp"])
    pieces = view.stage(t)
    seen = work.at(t)
    unit = view.scales.unit
    force, moment = seen.reaction("clamp")
    largest = view.scales.force
    assert largest == pytest.approx(np.hypot(*work.reaction("clamp")[0].T).max(), rel=0.02)
    reaction = only(pieces, "clamp", Arrow)
    push = only(pieces, "push", Arrow)
    assert (reaction.role, push.role) == ("reaction", "force")
    for k in range(len(t)):
        assert np.allclose(reaction.vectors[k, :2], force[k] / largest * 0.2 * unit)
        assert np.allclose(push.vectors[k], [0.0, -80.0 / largest * 0.2 * unit, 0.0])
        assert np.allclose(push.tails[k, :2], seen["jib.end"].position[k])
        points = push.points(k)
        tip = np.unique(points[points[:, 1] < points[:, 1].min() + 1e-9].round(9), axis=0).mean(axis=0)
        assert np.allclose(tip, push.tails[k] + push.vectors[k], atol=1e-8)
    sweeps = only(pieces, "clamp", BentArrow).sweeps[:, 2]
    assert np.allclose(sweeps, 5.2 * np.sign(moment) * np.sqrt(np.abs(moment) / view.scales.torque))
    assert np.allclose(only(pieces, "twist", BentArrow).sweeps[:, 2], 5.2 * np.sqrt(1.5 / view.scales.torque))
    snow = [p for p in pieces if p.name == "snow"]
    lengths = [float(np.linalg.norm(p.vectors[0])) for p in snow]
    assert np.allclose(lengths, 0.1 * unit * np.linspace(300.0, 100.0, 9) / 300.0)
    assert np.allclose((snow[-1].tails[0] + snow[-1].vectors[0])[:2], seen["jib.end"].position[0])
    drag = only(pieces, "drag", Arrow)
    assert np.allclose(drag.vectors[2] / (0.2 * unit / largest), [-3.0 * seen["plate.vx"][2], 7.0, 0.0])
    assert not [p for p in View(work, forces=False).stage(t) if p.role in ("force", "torque", "reaction")]


def test_commands_of_controllers_are_in_the_arrows():
    m = fm.PlanarModel("pushed")
    car = m.add_body("car", mass=1.0, inertia=0.1)
    m.prismatic(m.ground, car.frame, name="rail")
    push = m.point_force(car.frame, (2.0, 0.0), factor=1.0, name="push")
    m.add_controller(
        "pilot",
        period=0.1,
        sensors=[fm.control.Speedometer(car.frame)],
        commands=push,
        law=lambda t, y: [3.0 if t > 0.45 else 0.0],
    )
    run = fm.simulate(m, 1.0, step=0.01, progress=False)
    view = View(run)
    arrow = only(view.stage([0.2, 0.8]), "push", Arrow)
    assert arrow.vectors[1, 0] / arrow.vectors[0, 0] == pytest.approx(4.0)


@pytest.mark.warns(fm.errors.AccuracyWarning, "bends too far")
def test_anything_with_a_solution_can_be_seen(swing):
    from tests.visual.mechanisms import ALUMINUM

    m = fm.PlanarModel("bracket")
    rod = m.add_beam(
        "rod", (0, 0), (1, 0), material=ALUMINUM, section=fm.Circle(diameter=0.02), theory="exact", elements=4
    )
    m.weld(m.ground, rod.start, name="clamp")
    m.point_force(rod.end, (0.0, -2000.0), name="push")
    rest = fm.equilibrium(m)
    for shown in (rest, rest.state, rest.solution):
        view = View(shown, color="bending_moment", reactions=["clamp"])
        rod_piece = only(view.stage([rest.solution.t[0]]), "rod", BentTube)
        assert np.allclose(center_line(rod_piece, 0, 41)[:, :2], rest.solution.axis("rod")[0])
        assert view.title(0.0) == "bracket"
    path = fm.equilibrium_path(m, factor=1.0)
    view = View(path)
    last = float(len(path) - 1)
    arrow = only(view.stage([0.0, last]), "push", Arrow)
    assert np.linalg.norm(arrow.vectors[1]) == pytest.approx(0.2 * view.scales.unit)
    assert np.linalg.norm(arrow.vectors[0]) / np.linalg.norm(arrow.vectors[1]) == pytest.approx(
        path.factor[0], abs=1e-3
    )
    assert view.title(last) == f"bracket, point = {last:.0f}"
    assert view.seconds(0.5) == 10.0
    with pytest.raises(ModelError, match=r"3\.0 is nothing that can be seen; give a model, a solution"):
        View(3.0)


def test_what_says_its_subject_is_seen(swing):
    """A result of a user's own says what a view shows of it, as built-in ones do."""

    class Half:
        def subject(self):
            return Subject(swing.at(swing.t[: len(swing.t) // 2]), clock="s [m]", seconds=3.0)

    view = View(Half())
    assert view.seconds(1.0) == 3.0 and len(view.solution.t) == len(swing.t) // 2
    assert ", s = 0.0" in view.title(0.0) and view.title(0.0).endswith(" m")
    with pytest.raises(ModelError, match=r"no modes; give fm\.modes"):
        View(Half(), mode=0)


def test_a_model_is_seen_as_it_is_described():
    """A model can be viewed with joints that do not close and a frame without inertia, since a user may look for
    that."""
    m = fm.PlanarModel("draft", gravity=(0.0, -9.81))
    rod = m.add_beam("rod", (0.1, 0.2), (1.1, 0.2), properties=fm.planar.BeamProperties(EA=1e5, EI=10.0, rhoA=1.0))
    m.revolute(m.ground, rod.start, name="hinge")
    loose = m.add_frame("loose", (2.0, 0.0))
    m.point_force(loose, (3.0, 0.0), name="push")
    view = View(m, trails="rod.end")
    pieces = view.stage([0.0])
    line = center_line(only(pieces, "rod", BentTube), 0, 41)[:, :2]
    assert np.allclose(line, np.column_stack([np.linspace(0.1, 1.1, 41), np.full(41, 0.2)]))
    assert np.allclose(only(pieces, "push", Arrow).tails[0], [2.0, 0.0, 0.0])
    assert [p.poses[0, :2].tolist() for p in pieces if p.role == "ground"] == [[0.0, 0.0]]
    assert view.title(0.0) == "draft"
    with pytest.raises(ModelError, match="a model without a run knows no joint forces; leave out reactions"):
        View(m, reactions=["hinge"])
    empty = fm.PlanarModel("empty")
    empty.add_frame("frame")
    with pytest.raises(ModelError, match="nothing to be seen in it; add a body or a beam"):
        View(empty).picture(np.array([0.0]), 200, "picture")


@pytest.mark.parametrize("find", [fm.modes, fm.complex_modes])
def test_modes_are_seen_swinging(find):
    m = fm.PlanarModel("chain")
    bodies = [m.add_body(f"body{k}", mass=1.0, inertia=0.1, position=(k + 1.0, 0.0)) for k in range(2)]
    for a, b in pairwise([m.ground, *(body.frame for body in bodies)]):
        m.bushing(a, b, stiffness=(100.0, 9000.0, 90000.0))
    found = find(m, 2)
    view = View(found, mode=1, ghosts=[0.0])
    assert view.title(0.0) == f"chain, {found.title(1)}"
    assert view.seconds(1.0) == 2.0
    start = view.solution.at(0.0)
    away = np.array([start[f"body{k}"].position[0] - [k + 1.0, 0.0] for k in range(2)])
    # two equal masses between springs k, k: the second mode has the ratio −(1 + √5)/2 of its amplitudes
    assert away[0, 0] / away[1, 0] == pytest.approx(-0.5 * (1.0 + np.sqrt(5.0)), rel=1e-6)
    assert away[:, 1] == pytest.approx(0.0, abs=1e-9)
    pieces = view.stage([0.5 * view.solution.t[-1]])
    ghost = next(p for p in pieces if isinstance(p, Ghost) and p.name == "body0")
    now = only([p for p in pieces if not isinstance(p, Ghost)], "body0", role="body")
    apart = ghost.points(0).mean(axis=0)[:2] - now.points(0).mean(axis=0)[:2]
    assert apart == pytest.approx(2.0 * away[0], abs=1e-5), "half a period later it is on the other side"
    assert View(found, mode=-1).title(0.0) == view.title(0.0)
    with pytest.raises(ModelError, match="knows neither loads nor joint forces; leave out forces"):
        View(found, forces=True)
    with pytest.raises(ModelError, match="there is no mode 7"):
        View(found, mode=7)
    with pytest.raises(ModelError, match="has no modes"):
        View(m, mode=0)
    with pytest.raises(ModelError, match="forces is 'all'; give True or False"):
        View(m, forces="all")
    with pytest.raises(ModelError, match="limits are those of a color, and there is none"):
        View(m, color_limits=(0.0, 1.0))


def test_in_a_sweep_loads_stand_as_at_time_zero():
    m = fm.PlanarModel("crank")
    crank = m.add_body("crank", mass=1.0, inertia=0.1)
    m.revolute(m.ground, crank.frame, name="axle")
    m.drive_angle(m.ground, crank.frame, fm.Polynomial([0.0, 1.0]), name="motor")
    m.point_force(crank.attach("rim", (1.0, 0.0)), (2.0, 0.0), factor=fm.Polynomial([1.0, 5.0]), name="push")
    sweep = fm.kinematics(m, drive="motor", over=(0.0, 2.0), steps=20, progress=False)
    view = View(sweep)
    assert view.title(1.0) == "crank, value of motor = 1.00 rad"
    assert view.scales.force == pytest.approx(2.0)
    arrow = only(view.stage([0.0, 2.0]), "push", Arrow)
    assert np.allclose(arrow.vectors[0], arrow.vectors[1])
    assert np.allclose(arrow.tails[1], [np.cos(2.0), np.sin(2.0), 0.0])
    part = View(sweep.at([0.5, 1.0, 1.5]))
    assert part.scales.force == pytest.approx(2.0) and part.seconds(1.0) == view.seconds(1.0)
    timed = View(fm.kinematics(m, 2.0, steps=20, progress=False))
    assert timed.scales.force == pytest.approx(22.0)


def test_the_view_of_a_solution_and_the_public_names(swing):
    view = swing.view(color="stress", background="dark")
    assert isinstance(view, fm.View)
    assert (view.look.name, view.selection.colored) == ("dark", ("rod",))
    assert repr(view) == "View('pendulum', dark)"


def test_wrong_names_are_told(swing, work, tmp_path):
    for given, message in [
        ({"color": "bending_momnt"}, "did you mean 'bending_moment'"),
        ({"color": "rodd.bending_moment"}, r"did you mean 'rod\.bending_moment'"),
        ({"color": "rod.bending"}, r"'rod\.bending_moment'"),
        ({"trails": ["rod.edn"]}, r"'rod\.end'"),
        ({"reactions": ["hing"]}, "did you mean 'hinge'"),
    ]:
        with pytest.raises(NamingError, match=message):
            View(swing, **given)
    for given, message in [
        ({"background": "gray"}, "'light', 'dark'"),
        ({"camera": "behind"}, "'tilted', 'front', 'isometric', 'side', 'top'"),
        ({"camera": (0, 0, 0)}, "camera has no direction"),
        ({"up": (0, 1)}, "up must be 3 numbers"),
        ({"ghosts": [7.0]}, "outside the run"),
        ({"color_limits": (2.0, 1.0), "color": "stress"}, "lower one first"),
        ({"points": 1}, "at least 2"),
        ({"ghosts": "early"}, "ghosts must be a time or a list of times .*, not 'early'"),
        ({"color": 3}, "color is 3; give the name of a quantity"),
    ]:
        with pytest.raises(ModelError, match=message):
            View(swing, **given)
    rigid = fm.PlanarModel("stone")
    rigid.add_body("stone", mass=1.0, inertia=0.1)
    with pytest.raises(ModelError, match="no beams that 'bending_moment' could color; leave out color"):
        View(rigid, color="bending_moment")
    filed = fm.load(work.save(tmp_path / "run.h5"))
    with pytest.raises(ModelError, match="no model"):
        View(filed, forces=True)
    assert not [p for p in View(filed).stage([0.0]) if p.role == "force"]


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("far", [10.0, 1000.0])
def test_what_travels_far_is_as_thick_as_fits_to_its_own_size(dimension, far):
    m = fm.PlanarModel("thrown") if dimension == 2 else fm.SpatialModel("thrown")
    rest, inertia = (0.0,) * (dimension - 2), 0.1 if dimension == 2 else (0.1, 0.1, 0.1)
    first = m.add_body("first", mass=1.0, inertia=inertia)
    second = m.add_body("second", mass=1.0, inertia=inertia, position=(2.0, 0.0, *rest))
    ends = first.attach("end", (1.0, 0.0, *rest)), second.attach("end", (-1.0, 0.0, *rest))
    m.revolute(*ends, name="hinge")
    if dimension == 2:
        m.set_rigid_motion((far, 0.0), 0.0)
    else:
        m.set_rigid_motion((far, 0.0, 0.0), (0.0, 0.0, 0.0))
    still, thrown = View(m).scales.unit, View(fm.simulate(m, 1.0, progress=False)).scales.unit
    assert thrown == pytest.approx(2.25 / 1.12 * still, rel=0.02), "beside what a margin makes of it"


def test_pictures_say_what_the_longest_arrows_stand_for(swing, work, tmp_path):
    view = View(swing, reactions=["hinge"], forces=False)
    force, _ = swing.reaction("hinge")
    largest = np.max(np.linalg.norm(force, axis=1))
    assert view.scales.force == pytest.approx(largest, rel=1e-3)
    assert view.arrow_scale == f"longest arrow: force {view.scales.force:.3g} N"
    both = View(work).arrow_scale
    assert both.startswith("longest arrows: force ") and "torque" in both and both.endswith(" Nm")
    assert not View(swing, forces=False).arrow_scale
    text = view.html(tmp_path / "page.html", pictures=2).read_text(encoding="utf-8")
    assert f'"arrows": "{view.arrow_scale}"' in text and '<div id="arrows">' in text


@needs_drawing
def test_the_arrows_are_named_above_on_the_right(swing, tmp_path):
    with View(swing, reactions=["hinge"], forces=False).picture(np.array([0.1]), (640, 400), "picture") as picture:
        texts = [actor.input for actor in picture.plotter.actors.values() if hasattr(actor, "input")]
        assert any(str(text).startswith("longest arrow: force") for text in texts)

"""Mechanisms in space: pieces stand where the solution says, in pictures, pages and meshes, as in the plane."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import meshio
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.model.appearance import Load
from flexmb.model.spatial_frames import SpatialPair
from flexmb.visual import View
from flexmb.visual.stage import placing
from flexmb.visual.stage.joints import PIECES_OF_GLYPHS, joints, slide
from flexmb.visual.stage.pieces import Arrow, BentArrow, Helix, Rigid, Spiral, Trail
from flexmb.visual.stage.scales import PictureScales
from flexmb.visual.stage.solids import Solid, box_of_inertia
from tests.visual.pages import needs_drawing, numbers, page_parts, pixels
from tests.visual.pieces import center_line, only

TILT = Rotation.from_euler("xyz", [0.3, -0.5, 0.7])


@dataclass(eq=False)
class Shown(SpatialPair, fm.spatial.Bushing):
    """A pair without any stiffness that is drawn by its shapes."""

    shapes: tuple[str, ...] = ()
    axis: Any = None
    axis_b: Any = None

    @property
    def glyphs(self):
        return self.shapes


@dataclass(eq=False)
class Push(Shown):
    """A force and a torque on b, which it only shows, and a line."""

    force: tuple[float, ...] = (0.0, 0.0, 0.0)
    torque: tuple[float, ...] = (0.0, 0.0, 0.0)

    def loads(self, solution, times, strength):
        place = solution.track(self.b.name).position
        return [Load(place, np.outer(times + 1.0, self.force), np.tile(self.torque, (len(times), 1)))]

    def drawn(self, solution):
        return [np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])]


def yard():
    """Bodies that fall, turning, with what can be drawn between them and on them."""
    m = fm.SpatialModel("yard", gravity=(0.0, 0.0, -9.81))
    stone = m.add_body("stone", mass=12.0, inertia=TILT_TENSOR, position=(1.0, 2.0, 3.0), orientation=TILT)
    stone.attach("handle", (0.0, 0.0, 4.0))
    stone.move(angular_velocity=(1.0, 2.0, 3.0))
    ball = m.add_body("ball", shape=fm.Sphere(diameter=0.8), density=1000.0, position=(4.0, 0.0, 1.0))
    can = m.add_body(
        "can", shape=fm.Cylinder(diameter=0.6, length=2.0, axis=(1.0, 1.0, 0.0), position=(0.3, 0.0, 0.0)),
        density=100.0, position=(-2.0, 0.0, 1.0), orientation=TILT,
    )  # fmt: skip
    post = m.ground.attach("post", (3.0, -1.0, 0.5), TILT)
    m.revolute(post, ball.attach("eye", (-1.0, -1.0, -0.5)), axis="x", name="hinge")
    m.torsion_spring(post, ball.frame, axis="x", stiffness=1.0, name="coil")
    m.bushing(m.ground.attach("mount", (-2.0, 0.0, 1.0)), can.frame, stiffness=(1e3,) * 3 + (1e2,) * 3, name="mount")
    m.add(Shown(m.ground, stone.frame, shapes=("spring",), name="coil spring"))
    m.add(Shown(stone.frame, ball.frame, shapes=("rod",), name="rod"))
    m.add(Push(m.ground, stone.frame, force=(3.0, 4.0, 12.0), torque=(0.0, -2000.0, 0.0), name="push"))
    return m


#: of the box of 12 kg whose edges are 3, 2 and 1 m, in axes that are not its own
TILT_TENSOR = TILT.as_matrix() @ np.diag([5.0, 10.0, 13.0]) @ TILT.as_matrix().T


@pytest.fixture(scope="module")
def falling():
    return fm.simulate(yard(), 0.4, step=0.01, progress=False)


def moved(track, points, k):
    """Points (p, 3) fastened to a frame, at the instant k."""
    return track.position[k] + track.orientation[k].apply(points)


def test_the_box_of_an_inertia():
    half, axes = box_of_inertia(12.0, (*TILT_TENSOR.diagonal(), *TILT_TENSOR[[0, 0, 1], [1, 2, 2]]))
    assert np.allclose(half, [1.5, 1.0, 0.5])
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert np.allclose(np.abs(axes.T @ TILT.as_matrix()), np.eye(3))


def test_what_lies_in_a_round_body_and_what_beside_it():
    """No bar goes to a frame in a body; the corners of the box around a round one are outside of it."""
    on_edge = np.array([[0.99, 0.0, 0.0], [0.7, 0.7, 0.0], [0.0, 0.7, 0.9], [0.8, 0.8, 0.0]])
    for kind, inside in {"cylinder": (1, 1, 1, 0), "sphere": (1, 1, 0, 0), "box": (1, 1, 1, 1)}.items():
        assert Solid(kind, np.zeros(3), np.eye(3), np.ones(3)).holds(on_edge).tolist() == [bool(x) for x in inside]


def test_bodies_have_their_shapes_or_the_box_of_their_inertia(falling):
    t = np.array([0.0, 0.13, 0.4])
    pieces, seen = View(falling).stage(t), falling.at(t)
    for k in range(3):
        stone = only(pieces, "stone", Rigid).points(k)
        own = TILT.inv().apply(seen["stone"].orientation[k].inv().apply(stone - seen["stone"].position[k]))
        box = own[np.all(np.abs(own) < [1.5001, 1.0001, 0.5001], axis=1)]
        assert np.allclose(np.abs(box).max(axis=0), [1.5, 1.0, 0.5], atol=1e-6)
        tip = TILT.inv().apply([0.0, 0.0, 4.0])  # a bar goes to the frame that is fastened to the body
        assert np.linalg.norm(own - tip, axis=1).min() < 0.1, "its end is round that frame"
        beside = own[np.linalg.norm(own - np.clip(own, [-1.5, -1.0, -0.5], [1.5, 1.0, 0.5]), axis=1) > 1e-6]
        assert len(beside) and (np.linalg.norm(beside, axis=1) > 0.6).all(), "it begins at the box, not in its middle"
        ball = only(pieces, "ball", Rigid, "body").points(k) - seen["ball"].position[k]
        assert np.sort(np.linalg.norm(ball, axis=1))[-1] == pytest.approx(1.5, rel=0.02), "with its bar"
        can = only(pieces, "can", Rigid, "body").points(k) - seen["can.center"].position[k]
        axis = seen["can"].orientation[k].apply(np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0))
        along = can @ axis
        assert (along.min(), along.max()) == pytest.approx((-1.0, 1.0), abs=1e-6)
        assert np.linalg.norm(can - np.outer(along, axis), axis=1).max() == pytest.approx(0.3, abs=1e-6)


def test_a_box_is_no_larger_than_what_is_fastened_to_the_body():
    m = fm.SpatialModel("m")
    m.add_body("heavy", mass=1.0, inertia=(10.0, 10.0, 10.0)).attach("hand", (0.3, 0.0, 0.0))
    m.add_point_mass("bob", m.frames["heavy.hand"], 1.0)
    pieces = View(m).stage([0.0])
    assert np.allclose(np.ptp(only(pieces, "heavy").points(0), axis=0), 0.6, atol=0.02)
    assert np.allclose(only(pieces, "bob").points(0).mean(axis=0), [0.3, 0.0, 0.0], atol=1e-3)


def test_joints_lie_along_their_axes(falling):
    t = np.array([0.0, 0.2, 0.4])
    pieces, seen = View(falling).stage(t), falling.at(t)
    size = View(falling).scales.unit
    pin, coil = only(pieces, "hinge"), only(pieces, "coil", Spiral)
    axis = TILT.apply([1.0, 0.0, 0.0])
    for k in range(3):
        away = pin.points(k) - seen["ball.eye"].position[k]
        assert np.abs(away @ axis).max() == pytest.approx(0.03 * size, rel=1e-6)
        assert np.linalg.norm(np.cross(away, axis), axis=1).max() == pytest.approx(0.011 * size, rel=1e-6)
        flat = coil.points(k) - seen["ball.eye"].position[k]  # about the pin, not the mass center
        assert np.abs(flat @ axis).max() < 0.004 * size
    turned = (seen["post"].orientation.inv() * seen["ball"].orientation * TILT).as_rotvec()[:, 0]
    assert np.allclose(np.diff(coil.twist), np.diff(turned))
    assert np.allclose(only(pieces, "mount").poses[:, :3], seen["can"].position)
    ends = only(pieces, "coil spring", Helix).ends
    assert np.allclose(ends[:, 0], 0.0) and np.allclose(ends[:, 1], seen["stone"].position)
    rod = center_line(only(pieces, "rod"), 2, 2)
    assert np.allclose(rod, [seen["stone"].position[2], seen["ball"].position[2]])


@pytest.mark.parametrize("glyph", PIECES_OF_GLYPHS)
def test_shapes_between_two_frames_turn_with_the_mechanism(glyph):
    """Turned and shifted as a whole, a mechanism has the same pieces, turned and shifted."""
    spots = []
    for turn, shift in ((Rotation.identity(), np.zeros(3)), (TILT, np.array([5.0, -7.0, 3.0]))):
        m = fm.SpatialModel("m")
        b = m.add_body(
            "b", mass=1.0, inertia=(0.1, 0.1, 0.1), position=shift + turn.apply([0.4, 0.2, 0.1]),
            orientation=turn * Rotation.from_rotvec([0.2, 0.1, 0.5]),
        )  # fmt: skip
        seat = m.ground.attach("seat", shift, turn)
        m.add(Shown(seat, b.frame, shapes=(glyph,), axis=(0.6, 0.0, 0.8), axis_b=(0.0, 1.0, 0.0), name="pair"))
        solution = View(m).solution
        slides = {"pair": slide(solution, "pair")}
        scales = PictureScales(1.0, 1.0, 1.0, 1.0, np.zeros(3), np.ones(3), slides=slides)
        pieces = joints(solution, scales)
        assert pieces and all(len(p.faces) for p in pieces)
        points = np.concatenate([turn.inv().apply(p.points(0) - shift) for p in pieces])
        spots.append(points.mean(axis=0, keepdims=True) if glyph in ("rod", "spring") else points)
    # rods and coils have no direction of their own across them
    assert np.allclose(spots[0], spots[1], rtol=0.0, atol=2e-3 if glyph in ("rod", "spring") else 1e-9)


def test_sleeves_and_plates_reach_as_far_as_they_are_used():
    m = fm.SpatialModel("m")
    b = m.add_body("b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.move((3.0, 0.0, 4.0))
    m.add(Shown(m.ground, b.frame, shapes=("sleeve",), axis=(0.6, 0.0, 0.8), name="slide"))
    m.add(Shown(m.ground, b.frame, shapes=("table",), axis="z", name="floor"))
    view = View(fm.simulate(m, 1.0, step=0.1, progress=False))
    pieces = view.stage([0.0, 1.0])
    rod = only(pieces, "slide", role="rail")
    reach = rod.points(0) @ [0.6, 0.0, 0.8]
    room = 0.09 * view.scales.unit
    assert not rod.moves
    assert (reach.min(), reach.max()) == pytest.approx((-room, 5.0 + room))
    floor = only(pieces, "floor").points(0)
    edge = 0.05 * view.scales.unit
    assert floor[:, 0].min() == pytest.approx(-edge) and floor[:, 0].max() == pytest.approx(3.0 + edge)
    assert np.abs(floor[:, 1]).max() == pytest.approx(edge)


def test_loads_trails_and_lines_are_where_they_are(falling):
    t = np.array([0.0, 0.4])
    view = View(falling, trails=["stone.handle"], reactions=["hinge"])
    pieces, seen = view.stage(t), falling.at(t)
    push = only(pieces, "push", Arrow)
    assert np.allclose(push.vectors[1] / push.vectors[0], 1.4)
    assert np.allclose(push.vectors[1] / np.linalg.norm(push.vectors[1]), np.array([3.0, 4.0, 12.0]) / 13.0)
    assert np.allclose(push.tails, seen["stone"].position)
    points = push.points(1) - push.tails[1]
    assert np.allclose(points[np.argmax(points @ push.vectors[1])], push.vectors[1], atol=0.01 * view.scales.unit)
    bent = only(pieces, "push", BentArrow)
    assert np.allclose(bent.sweeps / np.linalg.norm(bent.sweeps, axis=1, keepdims=True), [0.0, -1.0, 0.0])
    around = bent.points(0) - bent.places[0]
    assert np.abs(around[:, 1]).max() < 0.015 * view.scales.unit
    shaft = around[: 33 * 10].reshape(33, 10, 3).mean(axis=1)
    assert np.all(np.cross(shaft[:-1], shaft[1:])[:, 1] < 0.0), "right-handed about the torque"
    trail = only(pieces, "stone.handle", Trail)
    rings = trail.points(0).reshape(-1, 6, 3).mean(axis=1)
    assert np.allclose(rings[-1], seen["stone.handle"].position[1])
    assert np.allclose(center_line(only(pieces, "push", role="rod"), 0, 3)[1], [0.0, 1.0, 0.0], atol=0.02)
    grounds = sorted(tuple(p.poses[0, :3]) for p in pieces if p.role == "ground")
    assert grounds == [(-2.0, 0.0, 1.0), (0.0, 0.0, 0.0), (3.0, -1.0, 0.5)]


def test_the_curve_on_which_a_point_stays_moves_with_its_body():
    m = fm.SpatialModel("m")
    bow = m.add_body("bow", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 2.0, 3.0), orientation=TILT)
    wire = np.array([[0.0, 0.0, 0.0], [0.5, 0.2, 0.0], [1.0, 0.0, 0.3]])
    spot = m.ground.attach("spot", bow.frame.position + TILT.apply(wire[1]))
    m.point_on_curve(bow.frame, spot, wire, name="wire")
    line = only(View(m).stage([0.0]), "wire", role="rod").axis[0]
    for point in wire:
        assert np.linalg.norm(line - (np.array([1.0, 2.0, 3.0]) + TILT.apply(point)), axis=1).min() < 0.03
    assert np.allclose(line[[0, -1]], np.array([1.0, 2.0, 3.0]) + TILT.apply(wire[[0, -1]]))


def test_axes_of_frames(falling):
    pieces = View(falling, triads=["can", "post"]).stage([0.1, 0.2])
    arrow = only(pieces, "can", role="axis y")
    reach = arrow.points(1) - falling.at(0.2)["can"].position
    far = reach[np.argmax(np.linalg.norm(reach, axis=1))]
    y = falling.at(0.2)["can"].orientation[0].apply([0.0, 1.0, 0.0])
    assert np.allclose(far / np.linalg.norm(far), y, atol=0.01)
    assert not only(pieces, "post", role="axis z").moves
    names = {p.name for p in View(falling, triads=True).stage([0.0]) if p.role == "axis x"}
    assert names == set(falling.layout.spatial)
    with pytest.raises(NamingError, match="did you mean 'post'"):
        View(falling, triads=["pots"])


def twins():
    """One mechanism as one of the plane, and as one of space in the plane z = 0."""
    flat, deep = fm.PlanarModel("twin", gravity=(0.0, -9.81)), fm.SpatialModel("twin", gravity=(0.0, -9.81, 0.0))
    for m, z in ((flat, ()), (deep, (0.0,))):
        inertia = 0.1 if m is flat else (0.1, 0.1, 0.1)
        body = m.add_body("body", mass=1.0, inertia=inertia, position=(1.0, 0.0, *z))
        m.revolute(m.ground, body.attach("eye", (-1.0, 0.0, *z)), name="hinge")
        body.attach("tip", (0.4, 0.3, *z))
        axis = {} if m is flat else {"axis": "z"}
        m.torsion_spring(m.ground, body.frame, stiffness=2.0, name="coil", **axis)
    return [fm.simulate(m, 0.5, step=0.005, progress=False) for m in (flat, deep)]


def test_the_plane_is_the_special_case():
    """The same mechanism as one of the plane and as one of space: the same pieces."""
    flat, deep = (View(run, trails=["body.tip"], reactions=["hinge"], up=(0, 1, 0), triads=["body"]) for run in twins())
    t = [0.0, 0.21, 0.5]
    one, two = flat.stage(t), deep.stage(t)
    assert np.allclose(camera_of(flat), camera_of(View(deep.solution, camera="tilted")))
    scale = flat.scales.force / deep.scales.force
    assert scale == pytest.approx(1.0, rel=1e-4)
    ratio = deep.scales.unit / flat.scales.unit  # the box of the inertia counts in space only
    for k in range(3):
        arrows = [only(pieces, "hinge", Arrow) for pieces in (one, two)]
        assert np.allclose(arrows[0].vectors[k] * ratio, arrows[1].vectors[k], atol=1e-3)
        triads = [only(pieces, "body", role="axis y").points(k) for pieces in (one, two)]
        center = [view.solution.at(t[k])["body"].position[0] for view in (flat, deep)]
        assert np.allclose(ratio * (triads[0] - placing.in_space(center[0])), triads[1] - center[1], atol=1e-4)
    trails = [only(pieces, "body.tip", Trail) for pieces in (one, two)]
    paths = [trail.points(0).reshape(-1, 6, 3).mean(axis=1) for trail in trails]
    assert np.allclose(paths[0][:, :2], paths[1][:, :2], atol=1e-4)
    assert np.array_equal(trails[0].counts, trails[1].counts)
    assert not [piece for piece in one if piece.role == "axis z"]


def camera_of(view):
    return view.axes


def test_cameras_know_what_is_up(falling):
    assert np.allclose(View(falling).axes[2], np.array([1.0, -1.0, 1.0]) / np.sqrt(3.0)), "isometric"
    assert np.allclose(View(falling, camera="front").axes, [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.allclose(View(falling, camera="top").axes, np.eye(3), atol=1e-15)
    assert np.allclose(View(falling, camera="side").axes[2], [1, 0, 0])
    generator = np.random.default_rng(4)
    for up, back in generator.normal(size=(20, 2, 3)):
        axes = View(falling, camera=back, up=up).axes
        assert np.allclose(axes @ axes.T, np.eye(3)) and np.linalg.det(axes) == pytest.approx(1.0)
        assert np.allclose(axes[2], back / np.linalg.norm(back))
        assert axes[0] @ up == pytest.approx(0.0, abs=1e-12) and axes[1] @ up > 0.0
    m = fm.SpatialModel("m", gravity=(0.0, 9.0, 0.0))
    m.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    assert np.allclose(View(m).scales.up, [0.0, -1.0, 0.0])
    with pytest.raises(ModelError, match="camera must be 3 numbers"):
        View(m, camera=(1.0, 2.0))


def test_normals_along_a_curve_do_not_turn_about_it():
    u = np.linspace(0.0, 4.0 * np.pi, 2001)
    helix = np.column_stack([np.cos(u), np.sin(u), 0.3 * u])
    n = placing.normals(helix)
    t = np.gradient(helix, axis=0)
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    assert np.allclose(np.linalg.norm(n, axis=1), 1.0) and np.abs(np.sum(n * t, axis=1)).max() < 1e-12
    # against the principal normal they turn back by the torsion: 0.3/√(1 + 0.3²) for each radian of u
    out = np.column_stack([-np.cos(u), -np.sin(u), np.zeros_like(u)])
    angle = np.unwrap(np.arctan2(np.sum(np.cross(out, n) * t, axis=1), np.sum(out * n, axis=1)))[5:-5]
    assert np.ptp(angle) == pytest.approx(0.3 / np.sqrt(1.09) * (u[-6] - u[5]), rel=1e-4)
    circle = np.column_stack([np.zeros_like(u), np.cos(u), np.sin(u)])
    assert np.abs(np.diff(placing.normals(circle)[:, 0])).max() < 1e-12


@pytest.mark.filterwarnings("ignore")
@needs_drawing
def test_pictures_pages_and_scenes(falling, tmp_path):
    view = View(falling, trails=["stone.handle"], ghosts=[0.2], triads=["can"])
    seen = pixels(view.screenshot(tmp_path / "still.png", time=0.2, size=(300, 240)))
    assert 0.05 < np.mean(np.any(seen != seen[0, 0], axis=2)) < 0.7
    with view.picture(np.array([0.0, 0.2]), (300, 240), "test") as picture:
        frame = picture.plotter.camera.focal_point
        picture.instant(1)
        image = picture.image()
    assert np.all(np.isfinite(frame)) and np.mean(np.any(image != image[0, 0], axis=2)) > 0.05
    _, head, data = page_parts(view.html(tmp_path / "page.html", pictures=5))
    ball = next(p for p in head["pieces"] if p["name"] == "ball" and not p["flat"] and p["role"] == "body")
    poses = numbers(data, ball["poses"], "<f4").reshape(5, 7)
    local = numbers(data, ball["points"], "<f4").reshape(-1, 3)
    now = only(view.stage(np.linspace(0.0, 0.4, 5)), "ball", Rigid, "body")
    for k in range(5):
        turned = Rotation.from_quat(np.roll(poses[k, 3:], -1)).apply(local) + poses[k, :3]
        assert np.allclose(turned, now.points(k), atol=1e-5)
    scene = json.loads(view.gltf(tmp_path / "scene.gltf").read_text())
    assert len(scene["meshes"]) >= 10


@needs_drawing
def test_what_moves_in_a_film_is_where_a_still_picture_has_it(falling):
    view = View(falling)
    times, size = np.array([0.0, 0.17, 0.4]), (240, 200)
    low, high = view.extent(view.stage(times), 3)
    view.extent = lambda *_: (low, high)
    with view.picture(times, size, "film") as film:
        film.instant(1)
        moving = film.image().astype(int)
    with view.picture(times[1:2], size, "still") as still:
        still.instant(0)
        assert np.mean(np.abs(still.image() - moving).max(axis=2) > 24) < 2e-3


def test_meshes_for_paraview(falling, tmp_path):
    times = np.array([0.0, 0.2, 0.201])
    fm.export_vtk(falling, tmp_path / "vtk", times)
    files = sorted((tmp_path / "vtk").glob("*.vtu"))
    first, second, third = (meshio.read(path) for path in files)
    assert np.allclose(second.points - first.points, second.point_data["displacement"])
    rate = (third.points - second.points) / 0.001
    assert np.allclose(rate, second.point_data["velocity"], atol=0.03)
    triangles = {block.type: block.data for block in second.cells}["triangle"]
    assert len(triangles) > 100
    low = second.points[np.unique(triangles)].min(axis=0)
    handle = falling.at(0.2)["stone.handle"].position[0]
    assert np.linalg.norm(second.points - handle, axis=1).min() < 0.2 and np.all(low < handle + 0.2)
    fm.export_xdmf(falling, tmp_path / "run.xdmf", times)
    with meshio.xdmf.TimeSeriesReader(tmp_path / "run.xdmf") as reader:
        points, cells = reader.read_points_cells()
        assert {block.type for block in cells} == {"line"} and len(points) == len(first.points)
        assert np.allclose(points, first.points)


def test_a_solution_from_a_file_is_seen_as_the_run_was(falling, tmp_path):
    filed = fm.load(falling.save(tmp_path / "run.h5"))
    given = {"forces": False}
    one, two = (View(s, **given).stage([0.1, 0.3]) for s in (falling, filed))
    assert np.array_equal(View(filed, **given).axes, View(falling, **given).axes)
    assert np.array_equal(View(filed, **given).scales.up, -falling.model.gravity / 9.81)
    one = [piece for piece in one if piece.name != "push"]  # a file has no lines of components
    assert [(p.name, p.role) for p in one] == [(p.name, p.role) for p in two]
    for mine, theirs in zip(one, two):
        assert np.allclose(mine.points(1), theirs.points(1), atol=1e-9), mine.name


def test_modes_and_models_in_space_are_seen():
    m = fm.SpatialModel("door", gravity=(0.0, 0.0, -9.81))
    door = m.add_body("door", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    m.revolute(m.ground, door.attach("edge", (-0.5, 0.0, 0.0)), axis="z", name="hinge")
    m.torsion_spring(m.ground, door.frame, axis="z", stiffness=3.0, name="closer")
    view = View(fm.modes(m), mode=0)
    places = only(view.stage(view.frame_times(9)), "door", Rigid).poses[:, :3]
    assert np.ptp(places[:, 1]) > 0.01 and np.ptp(places[:, 2]) < 1e-9
    assert View(m).title(0.0) == "door"

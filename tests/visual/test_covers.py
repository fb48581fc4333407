"""Figures that bend along beams go with the sections, and links of robots show the geometry of their file."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.examples import robots
from flexmb.visual.stage.covers import Cover

SOFT = fm.Material(density=2700.0, youngs_modulus=2e8, poissons_ratio=0.3)
SHAPE = fm.Box((1.2, 0.06, 0.1), position=(0.55, 0.0, 0.02)).colored("#d1472b")


def boom(bends=True, theory="cms"):
    """A soft boom on a hub that turns, whose box begins before the beam and ends beyond it."""
    model = fm.SpatialModel("boom", gravity=(0.0, 0.0, -9.81))
    hub = model.add_body("hub", shape=fm.Sphere(diameter=0.1), density=2000, position=(0.0, 0.0, 0.3))
    root = hub.attach("root", (0.1, 0.0, 0.0))
    section = fm.Rectangle(height=0.03, width=0.02)
    beam = model.add_beam("rod", root, (1.1, 0.0, 0.3), material=SOFT, section=section, theory=theory)
    model.revolute(model.ground.attach("post", (0.0, 0.0, 0.3)), hub.frame, axis="z", name="pin")
    hub.move((0, 0, 0), (0, 0, 2.0))
    model.add_figure("skin", beam.start, SHAPE, bends_along=[beam] if bends else ())
    return model, beam


def of(view, name, times):
    return [piece for piece in view.stage(times) if piece.name == name]


@pytest.fixture(scope="module")
def run():
    model, _ = boom()
    return fm.simulate(model, 0.3, progress=False)


def test_undeformed_it_is_where_a_rigid_figure_is():
    bent, rigid = (fm.View(boom(bends)[0]) for bends in (True, False))
    (cover,), (box,) = of(bent, "skin", [0.0]), of(rigid, "skin", [0.0])
    assert isinstance(cover, Cover) and cover.color == box.color == "#d1472b"
    points, corners = cover.points(0), np.unique(box.points(0).round(12), axis=0)
    for corner in corners:
        assert np.min(np.linalg.norm(points - corner, axis=1)) < 1e-12
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert np.all(points > low - 1e-9) and np.all(points < high + 1e-9)
    assert not of(bent, "rod", [0.0]) and of(rigid, "rod", [0.0])


def test_each_point_goes_with_its_section(run):
    """A vertex at x is where the section at x has it, which the motion of a place on the beam says."""
    (start,) = of(fm.View(boom()[0]), "skin", [0.0])
    (cover,) = of(run.view(), "skin", [0.3])
    before, after = start.points(0), cover.points(0)
    assert np.linalg.norm(run["rod.end"].position[-1][2] - 0.3) > 0.05, "it bends"
    for k in range(0, len(before), 7):
        s = float(np.clip(before[k, 0] - 0.1, 0.0, 1.0))
        place = run[f"rod@{s:.12g}"]
        local = before[k] - [0.1 + s, 0.0, 0.3]
        turn = place.orientation[-1] * fm.assemble(boom()[0]).solution[f"rod@{s:.12g}"].orientation[0].inv()
        assert after[k] == pytest.approx(place.position[-1] + turn.apply(local), abs=2e-4)


def test_a_quantity_colors_it(run):
    (cover,) = of(run.view(color="rod.bending_moment_y"), "skin", [0.3])
    along = run.at([0.3]).along("rod", "bending_moment_y", 41)[0]
    values = cover.values(0)
    x = np.clip(of(fm.View(boom()[0]), "skin", [0.0])[0].points(0)[:, 0] - 0.1, 0.0, 1.0)
    assert values == pytest.approx(np.interp(x, np.linspace(0.0, 1.0, 41), along), abs=1e-9 * np.ptp(along))


def test_it_is_in_files_pages_and_scenes(run, tmp_path):
    run.save(tmp_path / "boom.h5")
    read = fm.load(tmp_path / "boom.h5")
    assert read.layout.bodies["skin"].along == ("rod",)
    (kept,), (own,) = (of(solution.view(), "skin", [0.2]) for solution in (read, run))
    assert kept.points(0) == pytest.approx(own.points(0), abs=5e-4), "a file has half as many places on a beam"
    view = run.view(magnify=3, ghosts=[0.0])
    assert view.html(tmp_path / "boom.html", pictures=5).stat().st_size > 10_000
    assert view.gltf(tmp_path / "boom.glb", pictures=5).stat().st_size > 10_000
    assert fm.export_vtk(run, tmp_path / "boom", times=[0.0, 0.3], solid=True)


def test_edges_are_short_along_the_beam(run):
    (cover,) = of(run.view(), "skin", [0.0])
    corners = of(fm.View(boom()[0]), "skin", [0.0])[0].points(0)[cover.faces]
    assert np.max(np.ptp(corners[:, :, 0], axis=1)) <= 1.0 / 7.0 + 1e-12
    a, b, c = np.moveaxis(corners, 1, 0)
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(1.2 * 0.06 * 0.1), "closed, and outwards"


def test_links_of_robots_show_the_geometry_of_their_file():
    tube = fm.FlexibleLink.beam(fm.Material(2700, 7e10), fm.Tube(outer_diameter=0.04, inner_diameter=0.036))
    file = robots.folder() / "six_joints.urdf"
    robot = fm.read_urdf(file, flexible={"upper": tube, "fore": tube})
    pieces = fm.View(robot).stage([0.0])
    shown = {piece.name: piece for piece in pieces if isinstance(piece, Cover)}
    assert set(shown) == {"upper.figure", "fore.figure"} and {x.color for x in shown.values()} == {"#e8731a"}
    assert not [piece for piece in pieces if piece.role in ("beam", "joint")]
    rigid = fm.View(fm.read_urdf(file)).stage([0.0])
    for link in ("upper", "fore"):
        (own,) = [piece for piece in rigid if piece.name == link]
        box = [points.min(axis=0).tolist() + points.max(axis=0).tolist() for points in (own.points(0),)]
        points = shown[f"{link}.figure"].points(0)
        assert points.min(axis=0).tolist() + points.max(axis=0).tolist() == pytest.approx(box[0], abs=1e-9)
    plain = fm.View(fm.read_urdf(file, flexible={"upper": tube}, meshes=False)).stage([0.0])
    assert "beam" in {piece.role for piece in plain}


def test_branches_share_a_shape():
    model = fm.SpatialModel("fork")
    hub = model.add_body("hub", mass=1.0, inertia=(1e-2,) * 3)
    section = fm.Circle(diameter=0.02)
    beams = [
        model.add_beam(name, hub.frame, end, material=SOFT, section=section)
        for name, end in (("left", (0.0, 0.5, 0.0)), ("right", (0.5, 0.0, 0.0)))
    ]
    corners = [(0, 0, 0.01), (0.5, 0, 0.01), (0, 0.5, 0.01)]
    model.add_figure("web", hub.frame, fm.OpenSurface(corners, [(0, 1, 2)]), bends_along=beams)
    (web,) = of(fm.View(model), "web", [0.0])
    points = web.points(0)
    assert points[:, 2] == pytest.approx(0.01, abs=1e-12)
    sides = np.cross(*(points[web.faces][:, k] - points[web.faces][:, 0] for k in (1, 2)))
    assert 0.5 * np.sum(sides[:, 2]) == pytest.approx(0.125), "the whole triangle"


def test_wrong_input():
    model, beam = boom(bends=False)
    other = model.add_body("other", mass=1.0, inertia=(1e-2,) * 3, position=(0, 1, 0))
    bow = fm.Arc((0, 2, 0), (0.5, 2, 0), 1.0)
    arc = model.add_beam("arc", axis=bow, material=SOFT, section=fm.Circle(diameter=0.02), theory="exact", elements=4)
    for along, frame, message in (
        ([3], beam.start, "figure 'x': bends_along has 3; give beams in space"),
        ([beam], other.frame, "beam 'rod' starts on another node than frame 'other' stands on"),
        ([arc], arc.start, "beam 'arc' is curved or twisted; a figure bends along straight ones"),
    ):
        with pytest.raises(ModelError, match=message):
            model.add_figure("x", frame, SHAPE, bends_along=along)

"""Beams in space have their sections, which bend and twist along with them, and colors of their own quantities."""

from __future__ import annotations

from contextlib import ExitStack

import meshio
import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import NamingError
from flexmb.visual import View
from flexmb.visual.stage import meshes
from flexmb.visual.stage.pieces import BentTube
from tests.visual.pieces import only

SOFT = fm.Material(density=1100.0, youngs_modulus=5e8)


@pytest.fixture(scope="module")
def bent():
    m = fm.SpatialModel("beams", gravity=(0.0, 0.0, -9.81))
    for k, section in enumerate((fm.Rectangle(0.02, 0.06), fm.Circle(diameter=0.03))):
        root = m.ground.attach(f"root {k}", (0.0, 0.3 * k, 0.0))
        beam = m.add_beam(f"beam {k}", root, (1.0, 0.3 * k, 0.0), material=SOFT, section=section, theory="floating")
        m.point_torque(beam.end, (3.0, 0.0, 0.0), name=f"twist {k}")
        m.point_force(beam.end, (0.0, 2.0, 0.0), name=f"push {k}")
    doubts = "'beam 0' bends too far", "'beam 1' bends too far", "its energy balance is off", "the estimated error"
    with ExitStack() as said:
        for doubt in doubts:
            said.enter_context(pytest.warns(fm.errors.AccuracyWarning, match=doubt))
        return fm.simulate(m, 0.2, step=0.005, progress=False)


def test_sections_bend_and_twist_with_their_beam(bent):
    twist = np.abs(bent["beam 0@1.0"].orientation.as_euler("XYZ")[:, 0])
    times = [0.0, float(bent.t[np.argmax(twist)])]
    assert twist.max() > 0.05
    pieces, seen = View(bent).stage(times), bent.at(times)
    strip = only(pieces, "beam 0", BentTube)
    corners = np.array(bent.layout.beams["beam 0"].outline)
    assert sorted(np.ptp(corners, axis=0)) == pytest.approx([0.02, 0.06])
    count, m = strip.axis.shape[1], len(strip.profile.points)
    places = bent.places("beam 0", count)
    for j in (0, count // 2, count - 1):
        here = seen[f"beam 0@{float(places[j])!r}"]
        for k in range(2):
            ring = strip.points(k)[j * m : (j + 1) * m] - here.position[k]
            own = here.orientation[k].inv().apply(ring)
            gaps = np.linalg.norm(own[:, None, 1:] - corners, axis=2)
            assert gaps.min(axis=1).max() < 2e-4 and gaps.min(axis=0).max() < 2e-4
            assert np.abs(own[:, 0]).max() < 2e-3, "sections are across the axis, but for the shape of small angles"
    round_one = only(pieces, "beam 1", BentTube)
    assert np.allclose(np.linalg.norm(round_one.profile.points, axis=1), 0.015)


def test_faces_of_any_polygon_are_whole_and_outward():
    """The volume of a straight tube is the area of its section times its length, also of one that is not convex."""
    angle = np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)])
    path = np.linspace(0.0, 1.0, 5)[:, None] * [0.0, 0.0, 10.0]
    for corners in (angle, angle[::-1]):
        profile = meshes.polygon(corners)
        points = meshes.sweep(path, np.tile([1.0, 0.0, 0.0], (5, 1)), profile)
        a, b, c = (points[meshes.sweep_faces(5, profile)[:, k]] for k in range(3))
        assert np.sum(np.einsum("ij,ij->i", a, np.cross(b, c))) / 6.0 == pytest.approx(40.0)


def test_colors_of_quantities_in_space(bent, tmp_path):
    view = View(bent, color="bending_moment_y")
    strip = only(view.stage([0.2]), "beam 0", BentTube)
    assert np.allclose(strip.quantity, bent.at(0.2).along("beam 0", "bending_moment_y", strip.axis.shape[1]))
    assert view.coloring.title == "bending moment y [Nm]"
    with pytest.raises(NamingError, match="did you mean 'bending_moment_"):
        View(bent, color="bending_moment")
    fm.export_vtk(bent, tmp_path / "vtk", [0.2])
    (path,) = (tmp_path / "vtk").glob("*.vtu")
    torque = meshio.read(path).point_data["torque"]
    assert np.allclose(torque[:41], bent.at(0.2).along("beam 0", "torque", 41)[0])


def test_files_for_paraview_have_the_axes_of_sections(bent, tmp_path):
    fm.export_vtk(bent, tmp_path / "vtk", [0.2])
    fm.export_xdmf(bent, tmp_path / "beams.xdmf", [0.1, 0.2])
    (path,) = (tmp_path / "vtk").glob("*.vtu")
    with meshio.xdmf.TimeSeriesReader(tmp_path / "beams.xdmf") as series:
        series.read_points_cells()
        both = [meshio.read(path).point_data, series.read_data(1)[1]]
    seen = bent.at(0.2)
    for data in both:
        for at, s in ((0, 0.0), (20, 0.5), (40, 1.0)):
            axes = seen[f"beam 0@{s}"].orientation[0].as_matrix()
            assert np.allclose(data["section_y"][at], axes[:, 1]) and np.allclose(data["section_z"][at], axes[:, 2])
        assert np.isfinite(data["section_y"][:82]).all() and np.isnan(data["section_y"][82:]).all()


def test_clamps_have_supports(bent):
    places = sorted(tuple(p.poses[0, :3].tolist()) for p in View(bent).stage([0.0]) if p.role == "ground")
    assert places == [(0.0, 0.0, 0.0), (0.0, 0.3, 0.0)]

"""Beams in space as they are drawn: their outline, which turns with their sections, and unknown sections."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.model.appearance import BeamPlace
from flexmb.visual.stage.pieces import BentTube
from flexmb.visual.stage.stage import beam_profile, fixed_points
from flexmb.visual.view import View

STEEL = fm.Material(7850, 205e9)


def piece_of(run, **options):
    pieces = View(run, **options).stage([run.t[-1]])
    return next(p for p in pieces if isinstance(p, BentTube) and p.role == "beam")


def test_a_strip_is_drawn_with_its_corners_twisted():
    """The corners of the end are those of the section, turned by T L/GJ."""
    m = fm.SpatialModel("m")
    strip = fm.Rectangle(width=0.02, height=0.05)
    rod = m.add_beam("rod", m.ground, (1, 0, 0), material=STEEL, section=strip)
    m.point_torque(rod.end, (0.5 * rod.properties.GJ, 0, 0))
    piece = piece_of(fm.equilibrium(m).solution)
    corners = np.unique(piece.points(0)[-8:].round(9), axis=0)
    turn = 0.5
    wanted = [
        (1.0, y * np.cos(turn) - z * np.sin(turn), y * np.sin(turn) + z * np.cos(turn))
        for y in (-0.025, 0.025)
        for z in (-0.01, 0.01)
    ]
    for corner in wanted:
        # κ₁ is that of small slopes; the end is exact for pure torsion
        assert np.linalg.norm(corners - corner, axis=1).min() < 1e-6


def test_round_sections_and_unknown_ones():
    tube = BeamPlace(1, 1.0, EA=1e6, EI=10.0, EIy=10.0, GJ=8.0, radius=0.04)
    assert np.allclose(np.hypot(*beam_profile(tube, 1.0).points.T), 0.04)
    same = BeamPlace(1, 1.0, EA=1e6, EI=10.0, EIy=10.0, GJ=8.0)
    assert np.allclose(np.hypot(*beam_profile(same, 1.0).points.T), 2.0 * np.sqrt(10.0 / 1e6))
    strip = BeamPlace(1, 1.0, EA=1e6, EI=40.0, EIy=10.0, GJ=8.0)
    sides = np.ptp(beam_profile(strip, 1.0).points, axis=0)
    np.testing.assert_allclose(sides, np.sqrt(12.0 * np.array([40.0, 10.0]) / 1e6))
    thin = BeamPlace(1, 1.0, EA=1e6, EI=4e-2, EIy=1e-6, GJ=1e-6)
    sides = np.ptp(beam_profile(thin, 1.0).points, axis=0)
    assert sides[0] >= 0.012 and sides[1] >= 0.0039, "thick enough to be seen"


def test_colors_ghosts_modes_and_loads_of_beams_in_space(tmp_path):
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    rod = m.add_beam("rod", m.ground, (1, 0, 0), material=STEEL, section=fm.Rectangle(0.01, 0.03))
    m.distributed_load(rod, (0.0, 5.0, -20.0), name="snow")
    run = fm.simulate(m, 0.02, step=1e-3, progress=False)
    piece = piece_of(run, color="rod.bending_moment_y")
    assert piece.values(0).max() == pytest.approx(np.abs(run.along("rod", "bending_moment_y", 41)[-1]).max(), rel=1e-6)
    with pytest.raises(
        fm.errors.NamingError, match=r"no quantity to color by 'bending_moment' \(did you mean 'bending_moment_."
    ):
        View(run, color="bending_moment")
    names = {piece.name for piece in View(run, ghosts=[0.0, 0.01]).stage([0.02])}
    assert {"rod", "snow", "ground"} <= names
    np.testing.assert_allclose(fixed_points(run), [(0, 0, 0)])
    modes = fm.modes(fm.equilibrium(m))
    View(modes, mode=1).screenshot(tmp_path / "mode.png")
    View(run, color="stress", ghosts=[0.0]).screenshot(tmp_path / "run.png")
    assert min(p.stat().st_size for p in tmp_path.glob("*.png")) > 5000
    fm.export_vtk(run, tmp_path / "vtk", times=[0.01])
    assert list((tmp_path / "vtk").glob("*.pvd"))

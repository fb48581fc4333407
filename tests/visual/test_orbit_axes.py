"""Hill's axes and the sun in pictures of craft in orbit."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.visual.view import View

MU, RADIUS, EARTH = 3.986004418e14, 7.0e6, 6378137.0
SUN = (-0.2, -0.95, 0.25)


@pytest.fixture(scope="module")
def run():
    speed = float(np.sqrt(MU / RADIUS))
    field = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, speed, 0), radius=EARTH)
    m = fm.SpatialModel("two craft", gravity=field)
    m.add_body("first", mass=40.0, inertia=(3.0, 4.0, 5.0), position=(0.3, 0, 0.2))
    m.add_body("second", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 5.0, 0))
    m.component("second").move((0.0, 0.01, 0.002))
    return fm.simulate(m, 600.0, progress=False)


def direction(piece, k, start):
    """Where an arrow points, which begins at a place."""
    reach = piece.points(k) - start
    far = reach[np.argmax(np.linalg.norm(reach, axis=1))]
    return far / np.linalg.norm(far)


def arrows(view, times):
    return {p.role: p for p in view.stage(times) if p.role.startswith("orbit") or p.role == "sun"}


@pytest.mark.parametrize("filed", [False, True])
def test_arrows_are_hills_axes_at_the_mass_center(run, tmp_path, filed):
    shown = fm.load(run.save(tmp_path / "run.h5")) if filed else run
    times = [0.0, 300.0]
    found, seen = arrows(View(shown, orbit=True), times), fm.spatial.orbit(run.at(times))
    assert set(found) == {"orbit x", "orbit y", "orbit z"}
    for letter, axis in zip("xyz", np.eye(3)):
        for k in range(2):
            got = direction(found[f"orbit {letter}"], k, seen.center[k])
            np.testing.assert_allclose(got, seen.axes[k].apply(axis), atol=0.01)


def test_the_sun_is_shown_while_it_shines_on_the_craft_that_was_given(run):
    second = run.model.component("second")
    orbit = fm.spatial.orbit(run, of=[second], sun=SUN)
    times = [0.0, 100.0, 400.0]
    view = View(run, orbit=orbit)
    found = arrows(view, times)
    np.testing.assert_allclose(found["orbit x"].poses[:, :3], run.at(times)["second"].position, atol=1e-9)
    np.testing.assert_allclose(direction(found["sun"], 0, orbit.center[0]), SUN / np.linalg.norm(SUN), atol=0.01)
    assert [found["sun"].visible_faces(k) > 0 for k in range(3)] == [True, True, False]
    assert orbit.at(times).light.round(6).tolist() == [1.0, 1.0, 0.0]
    assert view.arrow_scale == "orbit: outwards red, flight green, normal blue, sun gold"
    still = arrows(View(run, orbit=orbit, follow="second"), times)
    np.testing.assert_allclose(still["orbit y"].poses[:, :2], np.tile([0.0, 5.0], (3, 1)), atol=1e-9)


def test_a_state_a_steady_motion_and_a_model_have_an_orbit(run):
    for shown in (run.model, fm.assemble(run.model), fm.equilibrium(rod(), spin=rod().gravity.rate, axis="z")):
        assert len(arrows(View(shown, orbit=True), [0.0])) == 3


def rod():
    field = fm.spatial.CentralGravity(4.0, (100.0, 0, 0), (0, 0.2, 0))
    m = fm.SpatialModel("rod", gravity=field)
    m.add_body("rod", mass=2.0, inertia=(0.6, 5.0, 5.5))
    return m


def test_what_has_no_orbit_says_so(run):
    steady = fm.equilibrium(rod(), spin=rod().gravity.rate, axis="z")
    with pytest.raises(ModelError, match="its times are not those of an orbit"):
        View(fm.complex_modes(steady), orbit=True)
    with pytest.raises(ModelError, match="of another solution"):
        View(run, orbit=fm.spatial.orbit(fm.simulate(rod(), 1.0, progress=False)))
    with pytest.raises(ModelError, match="orbit is 3"):
        View(run, orbit=3)
    plain = fm.SpatialModel("plain")
    plain.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(ModelError, match="has no CentralGravity"):
        View(plain, orbit=True)

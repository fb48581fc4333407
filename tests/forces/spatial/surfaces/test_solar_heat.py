"""Heat of the sun in thin-walled booms: rest, delays, shadow, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.spatial.solar_heat import TubeWall, tube_law
from tests.models.surfaces import FIELD

STEEL = fm.Material(density=7010, youngs_modulus=1.93e11, thermal_expansion=1.629e-5)
GREY = fm.spatial.SurfaceFinish(mirror=0.5, emissivity=0.13)
WALL = {"wall": 2.35e-4, "specific_heat": 502.0, "conductivity": 16.61, "finish": GREY}


def boom(section: Any = None, **options: Any) -> Any:
    m = fm.SpatialModel("craft")
    tube = fm.Tube(outer_diameter=0.022115, inner_diameter=0.021645) if section is None else section
    rod = m.add_beam("boom", m.ground, (5.91, 0, 0), material=STEEL, section=tube)
    return m.solar_heat(rod, **{**WALL, **options})


def test_rates_are_those_of_the_balance_of_heat():
    """ϱ c h Ṫ = α S max(cos φ, 0) − ε σ T⁴ + conduction, on its mean and first harmonic, by cells around."""
    wall = TubeWall(taken=0.8, radiated=9e-12, led=0.04)
    angles = (np.arange(20000) + 0.5) * 2.0 * np.pi / 20000
    T, warm = 400.0, 0.01
    light = wall.taken * np.maximum(np.cos(angles - 0.4), 0.0)
    rate = light - wall.radiated * (T + warm * np.cos(angles - 0.4)) ** 4 - wall.led * warm * np.cos(angles - 0.4)
    y, x = np.array([np.cos(0.4), np.sin(0.4)] * 2), np.array([T, warm * np.cos(0.4), warm * np.sin(0.4)])
    found = tube_law(wall, None, np.array([1.0, 0, 0]))(0.0, y, x)
    want = [rate.mean(), *(2.0 * (f(angles) @ rate) / 20000 for f in (np.cos, np.sin))]
    np.testing.assert_allclose(found, want, rtol=1e-6)


def test_a_boom_stays_warm_in_the_sun_and_bends_away_from_it():
    m = fm.SpatialModel("craft")
    tube = fm.Tube(outer_diameter=0.022115, inner_diameter=0.021645)
    rod = m.add_beam(
        "boom", m.ground, (5.91, 0, 0), material=STEEL, section=tube, damping=fm.StiffnessProportional(0.1)
    )
    m.solar_heat(rod, sun=(0, 0.6, 0.8), name="heat", **WALL)
    run = fm.simulate(m, 200.0, "radau", progress=False)
    assert run["heat.z"][-1] / run["heat.y"][-1] == pytest.approx(0.8 / 0.6, rel=1e-3)
    tip = run["boom.end"].position[-1]
    assert tip[1] / tip[2] == pytest.approx(0.75, rel=2e-3) and tip[2] < -0.1


def test_it_cools_in_the_shadow_and_steps_end_at_its_edges():
    m = fm.SpatialModel("craft", gravity=FIELD)
    rod = m.add_beam(
        "boom", (0, 0, 0), (0, 0, 0.1), material=STEEL, section=fm.Tube(outer_diameter=0.0022, inner_diameter=0.002)
    )
    heat = m.solar_heat(rod, sun=(1.0, 0, 0), eclipse=True, temperature=300.0, name="heat", **{**WALL, "wall": 1e-4})
    assert len(heat.kinks_until(FIELD.period)) == 4
    law = heat.law
    half = 0.5 * FIELD.period
    y, x = np.array([1.0, 0.0, 1.0, 0.0]), np.array([300.0, 0.0, 0.0])
    assert law(0.0, y, x)[1] > 0.0 == law(half, y, x)[1] > law(half, y, x)[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"wall": 0.02}, "wall is 0.02 m, and the radius 0.0110575 m; it must be thin"),
        ({"wall": -1.0}, "wall is -1"),
        ({"sun": (0, 0, 0)}, "length of the direction to the sun is 0"),
        ({"eclipse": True}, "eclipse is the shadow of a central body"),
        ({"finish": None}, "finish is None; give an fm.spatial.SurfaceFinish"),
        ({"finish": fm.spatial.SurfaceFinish()}, "emissivity is 0, so that it comes to no rest"),
        ({"section": fm.Rectangle(width=0.02, height=0.02)}, "the section of beam 'boom' is not round"),
    ],
)
def test_wrong_data_are_named(options: dict[str, Any], says: str):
    with pytest.raises(ModelError, match=says):
        boom(**options)


def test_what_is_no_tube_is_refused():
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ModelError, match="is no beam; give a thin-walled tube"):
        m.solar_heat(body, **WALL)  # type: ignore[arg-type]
    plain = fm.Material(density=7010, youngs_modulus=1.93e11)
    rod = m.add_beam(
        "boom", m.ground, (1, 0, 0), material=plain, section=fm.Tube(outer_diameter=0.02, inner_diameter=0.019)
    )
    with pytest.raises(ModelError, match="has no thermal expansion"):
        m.solar_heat(rod, **WALL)
    assert not [name for name in m.components if "heat" in name]

"""Load paths: closed forms, critical points, branches, and paths that end."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning, EquilibriumError, NamingError
from tests.models.chains import chain
from tests.models.pendulums import SOFT
from tests.models.trusses import truss, truss_force

SLENDER = fm.planar.BeamProperties(EA=1e6, EI=1.0, rhoA=1.0, rhoI=1e-6)


def column(theory: str = "cms", elements: int = 4) -> fm.PlanarModel:
    model = fm.PlanarModel("column")
    rod = model.add_beam("rod", model.ground, (0.0, 1.0), properties=SLENDER, theory=theory, elements=elements)
    model.point_force(rod.end, (0.0, -1.0), name="weight")
    return model


def test_the_path_goes_through_both_limit_points():
    path = fm.equilibrium_path(truss(), factor=12.0, steps=30)
    np.testing.assert_allclose(path.factor, truss_force(path["top.y"]), atol=1e-9)
    assert [c.kind for c in path.critical] == ["limit", "limit"]
    y = np.linspace(-0.3, 0.3, 400001)
    assert path.critical[0].factor == pytest.approx(truss_force(y).max(), rel=1e-9)
    assert path.critical[1].factor == pytest.approx(truss_force(y).min(), rel=1e-9)
    assert path.factor[-1] == 12.0 and path.status == "finished"
    # stable where the closed form falls as the block rises
    np.testing.assert_array_equal(path.stable, np.abs(path["top.y"]) > y[np.argmax(truss_force(y))])


def test_load_control_ends_at_the_limit_point_with_the_path_so_far():
    with pytest.warns(DivergenceWarning, match="limit point"):
        path = fm.equilibrium_path(truss(), factor=12.0, control="load")
    limit = truss_force(np.linspace(0.0, 0.3, 400001)).max()
    assert path.status == "stopped"
    assert path.factor[-1] == pytest.approx(limit, rel=1e-9)
    assert np.all(np.diff(path.factor) > 0.0)
    assert f"{limit:.6g}" in path.message


def test_load_control_without_stability_stops_as_well():
    with pytest.warns(DivergenceWarning):
        path = fm.equilibrium_path(truss(), factor=12.0, control="load", stability=False)
    assert path.status == "stopped" and path.factor[-1] < truss_force(np.linspace(0.0, 0.3, 400001)).max()


def test_wanted_factors_are_points_of_the_path():
    path = fm.equilibrium_path(column(), factor=2.0, at=[0.123, 1.7])
    assert {0.0, 0.123, 1.7, 2.0} <= set(path.factor.tolist())


@pytest.mark.parametrize(
    ("theory", "elements", "tolerance"), [("cms", 4, 2e-6), ("ancf", 32, 1e-4), ("exact", 32, 3e-4)]
)
def test_buckling_load_of_a_cantilever(theory, elements, tolerance):
    first = fm.equilibrium_path(column(theory, elements), factor=3.0).critical[0]
    assert first.kind == "bifurcation"
    # a compressed column is shorter by P/EA and so buckles at a load that is larger by twice that
    assert first.factor == pytest.approx(0.25 * np.pi**2, rel=tolerance + 2.0 * 2.5e-6)
    assert "'rod.end'" in first.motion


def test_a_buckling_load_is_not_lost_in_the_round_off_of_stretching():
    model = fm.PlanarModel("inextensible column")
    given = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
    column = model.add_beam("column", model.ground, (0.0, 1.0), properties=given, theory="ancf", elements=32)
    model.point_force(column.end, (0.0, -1.0))
    assert fm.equilibrium_path(model, factor=2.7).critical[0].factor == pytest.approx(0.25 * np.pi**2, rel=1e-6)


@pytest.mark.parametrize("steps", [11, 12, 24, 26])
def test_a_buckling_load_does_not_depend_on_points_that_slid_along_the_branch(steps):
    """Of the points from which the root is interpolated one slides, the second or third nearest."""
    model = fm.PlanarModel("inextensible column")
    given = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)
    column = model.add_beam("column", model.ground, (0.0, 1.0), properties=given, elements=8)
    model.point_force(column.end, (0.0, -1.0))
    assert fm.equilibrium_path(model, factor=3.0, steps=steps).critical[0].factor == pytest.approx(
        0.25 * np.pi**2, rel=1e-7
    )


def test_two_buckling_loads_on_one_path():
    path = fm.equilibrium_path(column(), factor=24.0, steps=40)
    np.testing.assert_allclose([c.factor for c in path.critical], [0.25 * np.pi**2, 2.25 * np.pi**2], rtol=3e-4)
    assert path.omega_squared.shape[1] == 3


def test_both_branches_mirror_each_other_and_are_stable():
    first = fm.equilibrium_path(column(), factor=3.0).critical[0]
    one = fm.equilibrium_path(column(), factor=3.0, initial=first)
    other = fm.equilibrium_path(column(), factor=3.0, initial=first.reversed())
    assert one.stable[-1] and other.stable[-1]
    assert one["rod.end.x"][-1] == pytest.approx(-other["rod.end.x"][-1], abs=1e-8)
    assert abs(one["rod.end.x"][-1]) > 0.6


def test_gravity_as_the_load_and_the_end_as_computed_at_once():
    model = chain(3)
    for k in range(3):
        model.torsion_spring(
            model.ground if k == 0 else model.frames[f"link{k - 1}"], model.frames[f"link{k}"], stiffness=20.0
        )
    path = fm.equilibrium_path(model, "gravity", stability=False)
    assert path.loads == ["gravity"]
    whole = fm.equilibrium(model)
    assert path["link2.y"][-1] == pytest.approx(whole["link2.y"], abs=1e-9)
    # small loads: the sag is in proportion
    assert path["link2.y"][0] == pytest.approx(0.0, abs=1e-12)


def test_only_the_chosen_loads_are_scaled():
    model = fm.PlanarModel("beam", gravity=(0.0, -1.0))
    rod = model.add_beam("rod", model.ground, (1.0, 0.0), properties=SOFT, theory="cms", elements=2)
    model.point_force(rod.end, (0.0, 0.2), name="lift")
    model.point_torque(rod.end, 0.05, name="twist")
    path = fm.equilibrium_path(model, ["lift"], steps=5)
    model.components["lift"].factor = fm.Constant(0.0)
    without = fm.equilibrium(model)
    assert path["rod.end.y"][0] == pytest.approx(without["rod.end.y"], abs=1e-10)
    assert path["rod.end.y"][-1] > path["rod.end.y"][0]


def test_a_follower_force_bends_a_beam_along_its_path():
    """EI θ'' = −P cos(θ − θ(L)), θ'(L) = 0: seen from the end, an initial value problem."""
    from scipy.integrate import solve_ivp

    model = fm.PlanarModel("follower")
    rod = model.add_beam("rod", model.ground, (1.0, 0.0), properties=SLENDER, theory="cms", elements=8)
    model.point_force(rod.end, (0.0, 2.0), axes="body", name="jet")
    path = fm.equilibrium_path(model, stability=False)
    seen = solve_ivp(lambda s, y: [y[1], -2.0 * np.cos(y[0])], (0, 1), [0.0, 0.0], rtol=1e-11, atol=1e-12)
    assert path["rod.end.angle"][-1] == pytest.approx(-seen.y[0, -1], abs=1e-5)


def test_states_of_a_path_have_the_loads_of_their_point():
    """The modes about them are those whose squares the path has found on its way."""
    model = fm.PlanarModel("follower")
    rod = model.add_beam("rod", model.ground, (1.0, 0.0), properties=SLENDER, theory="cms", elements=2)
    model.point_force(rod.end, (0.0, 2.0), axes="body", name="jet")
    path = fm.equilibrium_path(model)
    for k in (0, len(path) // 2, -1):
        state = path.state(k)
        assert np.max(np.abs(state.system.residual(0.0, state.q, state.v, state.a, state.lam))) < 1e-8
        poles = fm.complex_modes(state).eigenvalues
        np.testing.assert_allclose(np.min(np.abs(poles)) ** 2, path.omega_squared[k, 0], rtol=1e-6)


def test_until_ends_the_path():
    path = fm.equilibrium_path(truss(), factor=12.0, until=lambda state: state["top.y"] < 0.0)
    assert path["top.y"][-1] < 0.0 < path["top.y"][-2]
    assert path.status == "finished"


def test_too_many_points_stop_it():
    with pytest.warns(DivergenceWarning, match="5 points"):
        assert len(fm.equilibrium_path(truss(), factor=12.0, max_points=5)) == 5


def test_pictures(tmp_path):
    path = fm.equilibrium_path(truss(), factor=12.0)
    path.plot("top.y", path=tmp_path / "path.png")
    path.plot("factor", "top.y", path=tmp_path / "other.png")
    path.draw(5, trails="top", path=tmp_path / "shapes.png")
    assert all((tmp_path / f"{name}.png").stat().st_size > 5000 for name in ("path", "other", "shapes"))


# -- wrong input ------------------------------------------------------------------------------------------------------


def test_an_unknown_load_suggests_the_near_one():
    with pytest.raises(NamingError, match="'load'"):
        fm.equilibrium_path(truss(), "laod")


def test_nothing_to_scale():
    model = fm.PlanarModel("bare")
    model.add_beam("rod", model.ground, (1.0, 0.0), properties=SOFT)
    with pytest.raises(fm.FlexmbError, match="nothing to scale"):
        fm.equilibrium_path(model)


def test_a_loose_mechanism_is_told():
    model = fm.PlanarModel("loose")
    body = model.add_body("cart", mass=1.0, inertia=1.0)
    model.prismatic(model.ground, body.frame)
    model.point_force(body.frame, (1.0, 0.0))
    with pytest.raises(EquilibriumError, match="'cart' moves along x"):
        fm.equilibrium_path(model)


def test_gravity_is_restored():
    model = chain(2)
    model.torsion_spring(model.ground, model.frames["link0"], stiffness=50.0)
    model.torsion_spring(model.frames["link0"], model.frames["link1"], stiffness=50.0)
    fm.equilibrium_path(model, "gravity", stability=False)
    assert model.gravity.tolist() == [0.0, -9.81]


def test_wanted_factors_do_not_shorten_the_steps():
    plain = fm.equilibrium_path(column(), factor=2.0)
    wanted = np.linspace(0.1, 1.9, 19)
    path = fm.equilibrium_path(column(), factor=2.0, at=wanted)
    assert set(wanted.tolist()) <= set(path.factor.tolist())
    assert len(path) <= len(plain) + len(wanted)
    for at in ([5.0], -0.1):
        with pytest.raises(fm.FlexmbError, match="outside of the way"):
            fm.equilibrium_path(column(), factor=2.0, at=at)
    with pytest.raises(fm.FlexmbError, match="to is 0"):
        fm.equilibrium_path(column(), factor=0.0)
    with pytest.raises(fm.FlexmbError, match="no point 999"):
        path.state(999)


def test_a_column_that_flutters_is_not_called_stable():
    """Beck's column: 20.05 EI/L²."""
    model = fm.PlanarModel("beck")
    rod = model.add_beam("rod", model.ground, (1.0, 0.0), properties=SLENDER, elements=3)
    jet = model.point_force(rod.end, (-1.0, 0.0), axes="body", name="jet")
    path = fm.equilibrium_path(model, jet, factor=30.0, steps=30)
    first = path.factor[~path.stable].min()
    assert 20.0 < first < 21.1
    np.testing.assert_array_equal(path.flutters, ~path.stable)
    jet.factor = fm.Constant(26.0)
    rest = fm.equilibrium(model)
    assert rest.stable is False and "flutters" in str(rest)

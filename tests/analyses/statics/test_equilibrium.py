"""Places of rest: of mechanisms, of beams, in steady rotation, and what cannot rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import EquilibriumError
from tests.models.chains import chain
from tests.models.pendulums import SOFT, flexible_pendulum

SLENDER = fm.planar.BeamProperties(EA=1e6, EI=1.0, rhoA=1.0, rhoI=1e-6)


def pendulum(angle: float, gravity: float = 9.81) -> fm.PlanarModel:
    model = fm.PlanarModel("pendulum", gravity=(0.0, -gravity))
    place = (np.sin(angle), -np.cos(angle))
    bob = model.add_body("bob", mass=2.0, inertia=0.1, position=place, angle=angle)
    model.revolute(model.ground, bob.attach("pivot", (0.0, 1.0)), name="hinge")
    return model


@settings(max_examples=15, deadline=None)
@given(angle=st.floats(-3.1, 3.1))
def test_a_pendulum_hangs_down_from_wherever_it_starts(angle):
    rest = fm.equilibrium(pendulum(angle))
    assert rest["bob.x"] == pytest.approx(0.0, abs=1e-9)
    assert rest["bob.y"] == pytest.approx(-1.0, abs=1e-9)
    assert rest["hinge.fy"] == pytest.approx(2.0 * 9.81, rel=1e-9)
    # ω² of the physical pendulum
    assert rest.omega_squared[0] == pytest.approx(2.0 * 9.81 / (2.0 + 0.1), rel=1e-9)


def test_a_pendulum_that_stands_on_its_head_falls_or_stays_as_asked():
    stays = fm.equilibrium(pendulum(np.pi), stable=False)
    assert stays["bob.y"] == pytest.approx(1.0, abs=1e-12)
    assert stays.stable is False
    assert stays.omega_squared[0] == pytest.approx(-2.0 * 9.81 / 2.1, rel=1e-9)
    assert "unstable" in str(stays) and "'bob' turns" in str(stays)
    falls = fm.equilibrium(pendulum(np.pi))
    assert falls.stable is True
    assert falls["bob.y"] == pytest.approx(-1.0, abs=1e-9)


@pytest.mark.parametrize("load", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("length", [1e-7, 1e-5, 1.0, 1e4])
def test_a_beam_of_any_size_comes_to_rest(length, load):
    """A cantilever from a ten-millionth of a meter to ten kilometers, in which an angle is no length."""
    depth = 0.02 * length
    EI = 1e11 * depth**4 / 12
    model = fm.PlanarModel("beam")
    given = fm.planar.BeamProperties(EA=1e11 * depth**2, EI=EI, rhoA=2e3 * depth**2)
    rod = model.add_beam("rod", model.ground, (length, 0), properties=given, elements=2)
    model.point_force(rod.end, (0.0, load * EI / length**2))
    rest = fm.equilibrium(model)
    assert rest.stable and rest["rod.end.y"] / length == pytest.approx(load / 3.0, rel=0.01, abs=1e-15)
    if load <= 1e-3:  # beyond it bending shortens and stiffens the beam
        assert rest["rod.end.y"] / length == pytest.approx(load / 3.0, rel=1e-6, abs=1e-15)
        first = (1.8751041 / length) ** 4 * EI / given.rhoA
        assert rest.omega_squared[0] == pytest.approx(first, rel=1e-4)


def test_a_chain_that_starts_level_hangs_straight_down():
    rest = fm.equilibrium(chain(6))
    for k in range(6):
        assert rest[f"link{k}.y"] == pytest.approx(-(k + 0.5), abs=1e-9)
        assert rest[f"hinge{k}.fy"] == pytest.approx(9.81 * (6 - k), rel=1e-9)


def test_residual_of_an_equilibrium_vanishes_and_simulation_stays_there():
    model = flexible_pendulum("ancf", elements=4)
    rest = fm.equilibrium(model)
    state = rest.state
    zero = np.zeros(state.system.n)
    residual = state.system.residual(0.0, state.q, zero, zero, state.lam)
    assert np.max(np.abs(residual)) < 1e-8 * 2000.0
    run = fm.simulate(model, 0.2, initial=rest, progress=False)
    assert np.ptp(run["rod.end.y"]) < 1e-9


@pytest.mark.parametrize(("theory", "elements"), [("cms", 1), ("ancf", 8), ("exact", 8)])
def test_small_sag_of_a_cantilever_under_its_weight(theory, elements):
    """w = ρA g L⁴/(8 EI), with shear and ρA g L²/(2 GA), to first order of a small load."""
    model = fm.PlanarModel("cantilever", gravity=(0.0, -1e-4))
    model.add_beam("rod", model.ground, (1.0, 0.0), properties=SOFT, theory=theory, elements=elements)
    rest = fm.equilibrium(model)
    # the exact beam's nodes carry the load of straight elements: n² + … of the sag (1 + 1/n²) − …
    exact = -0.4 * 1e-4 * (1.0 / (8.0 * 1.5) + (0.0 if theory == "ancf" else 1.0 / (2.0 * SOFT.GA)))
    tolerance = {"cms": 1e-3, "ancf": 1e-6, "exact": 1.1 / elements**2}[theory]
    assert rest["rod.end.y"] == pytest.approx(exact, rel=tolerance)
    assert rest.stable


def test_one_element_and_many_agree_on_a_large_deflection():
    places = []
    for theory, elements in (("cms", 8), ("ancf", 64), ("exact", 128)):
        model = fm.PlanarModel("cantilever")
        rod = model.add_beam("rod", model.ground, (1.0, 0.0), properties=SLENDER, theory=theory, elements=elements)
        model.point_force(rod.end, (0.0, 4.0))
        rest = fm.equilibrium(model)
        places.append((rest["rod.end.x"], rest["rod.end.y"]))
    assert np.ptp(np.array(places), axis=0) == pytest.approx([0.0, 0.0], abs=2e-5)


def test_a_column_beyond_its_load_leans_over_or_stays_straight_as_asked():
    model = fm.PlanarModel("column")
    rod = model.add_beam("rod", model.ground, (1.0, 0.0), properties=SLENDER, theory="cms", elements=4)
    model.point_force(rod.end, (-3.0, 0.0))
    assert fm.equilibrium(model, stable=False).stable is False
    leaning = fm.equilibrium(model)
    assert leaning.stable is True
    assert abs(leaning["rod.end.y"]) > 0.5


def test_drives_and_loads_stand_as_they_do_at_the_time():
    model = fm.PlanarModel("crank", gravity=(0.0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=0.1, center=(0.5, 0.0))
    model.revolute(model.ground, arm.frame)
    model.drive_angle(model.ground, arm.frame, fm.Polynomial([0.0, 1.0]), name="motor")
    rest = fm.equilibrium(model, t=0.7)
    assert rest["arm.angle"] == pytest.approx(0.7, abs=1e-12)
    assert rest.reaction("motor")[1] == pytest.approx(2.0 * 9.81 * 0.5 * np.cos(0.7), rel=1e-10)


def test_a_start_is_taken():
    """A flat spring arch has two places of rest."""
    model = fm.PlanarModel("arch")
    top = model.add_body("top", mass=1.0, inertia=1.0, position=(0.0, 0.2))
    for name, x in (("left", -1.0), ("right", 1.0)):
        model.spring_damper(model.ground.attach(name, (x, 0.0)), top.frame, stiffness=1000.0)
    model.lock(model.ground, top.frame, "angle")
    up = fm.equilibrium(model)
    assert up["top.y"] == pytest.approx(0.2, abs=1e-12)
    below = fm.State(up.state.system, 0.0, np.array([0.0, -0.15, 0.0]), *np.zeros((2, 3)), np.zeros(1))
    assert fm.equilibrium(model, initial=below)["top.y"] == pytest.approx(-0.2, abs=1e-9)


@pytest.mark.parametrize(("theory", "elements"), [("cms", 1), ("ancf", 16), ("exact", 16)])
def test_steady_rotation_stretches_a_bar_as_theory_says(theory, elements):
    """u(L) = L (tan k / k − 1), k² = ρA Ω² L²/EA: a bar whose elements keep their mass."""
    properties = fm.planar.BeamProperties(EA=1e4, EI=1.0, rhoA=1.0, rhoI=1e-4)
    model = fm.PlanarModel("bar")
    rod = model.add_beam("rod", (0.0, 0.0), (1.0, 0.0), properties=properties, theory=theory, elements=elements)
    model.revolute(model.ground, rod.start)
    model.drive_angle(model.ground, rod.start, fm.Polynomial([0.0, 20.0]), name="motor")
    turning = fm.equilibrium(model, spin=20.0)
    k = np.sqrt(400.0 / 1e4)
    stretch = np.tan(k) / k - 1.0
    tolerance = {"cms": 2e-2, "ancf": 1e-4, "exact": 3e-3}[theory]
    assert turning["rod.end.x"] - 1.0 == pytest.approx(stretch, rel=tolerance)
    assert turning.state["rod.end"].vy == pytest.approx(20.0 * turning["rod.end.x"], rel=1e-12)
    assert turning.stable is None
    # the equation of motion holds as it stands
    state = turning.state
    residual = state.system.residual(state.t, state.q, state.v, state.a, state.lam)
    assert np.max(np.abs(residual)) < 1e-7 * 400.0


def test_steady_rotation_about_another_center_with_a_spring():
    """k (r − 1) = m Ω² r"""
    model = fm.PlanarModel("governor")
    bob = model.add_body("bob", mass=2.0, inertia=0.1, position=(4.0, 2.0))
    center = model.ground.attach("center", (3.0, 2.0))
    model.spring_damper(center, bob.frame, stiffness=100.0)
    hub = model.add_body("hub", mass=1.0, inertia=0.1, position=(3.0, 2.0))
    model.revolute(center, hub.frame)
    model.prismatic(hub.frame, bob.frame)
    model.drive_angle(model.ground, hub.frame, fm.Polynomial([0.0, 3.0]), name="motor")
    turning = fm.equilibrium(model, spin=3.0, center=(3.0, 2.0))
    assert turning["bob.x"] - 3.0 == pytest.approx(100.0 / (100.0 - 2.0 * 9.0), rel=1e-10)


# -- what cannot rest -------------------------------------------------------------------------------------------------


def test_a_free_body_is_told_by_its_loose_motions():
    model = fm.PlanarModel("free", gravity=(0.0, -9.81))
    model.add_body("stone", mass=1.0, inertia=1.0)
    with pytest.raises(EquilibriumError, match=r"'stone' moves along x.*'stone' moves along y.*'stone' turns"):
        fm.equilibrium(model)


def test_a_mechanism_that_nothing_holds_is_told_by_its_motion():
    with pytest.raises(EquilibriumError, match=r"nothing resists.*'bob'"):
        fm.equilibrium(pendulum(0.3, gravity=0.0))


@pytest.mark.parametrize("elements", [2, 100])
def test_a_beam_that_floats_is_told(elements):
    model = fm.PlanarModel("floating")
    model.add_beam("rod", (0, 0), (1, 0), properties=SLENDER, theory="ancf", elements=elements)
    with pytest.raises(EquilibriumError, match="nothing resists"):
        fm.equilibrium(model)


def test_weight_does_not_turn_steadily():
    with pytest.raises(fm.FlexmbError, match="weight"):
        fm.equilibrium(pendulum(0.1), spin=3.0)


def test_a_joint_that_does_not_turn_along_is_told():
    model = fm.PlanarModel("held")
    model.add_beam("rod", (0, 0), (1, 0), properties=SLENDER)
    rod = model.components["rod"]
    model.revolute(model.ground, rod.start, name="hub")
    model.drive_angle(model.ground, rod.start, fm.Polynomial([0.0, 2.0]), name="motor")
    with pytest.raises(EquilibriumError, match=r"motor.*does not turn at the spin of 3"):
        fm.equilibrium(model, spin=3.0)


def test_a_state_of_another_mechanism_is_refused():
    other = fm.equilibrium(chain(2))
    with pytest.raises(fm.FlexmbError, match="another mechanism"):
        fm.equilibrium(pendulum(0.1), initial=other)


@pytest.mark.parametrize("theory", ["cms", "exact"])
def test_a_beam_clamped_to_the_ground_does_not_turn(theory):
    model = fm.PlanarModel("clamped")
    model.add_beam("rod", model.ground, (2.0, 0.0), properties=SLENDER, theory=theory)
    with pytest.raises(EquilibriumError, match="'rod' is clamped to a frame that is fixed"):
        fm.equilibrium(model, spin=20.0)

"""Heat in beams: growth, circles, forces between walls, buckling, energy, commands, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies

ALPHA = 1.7e-5
COPPER = fm.Material(density=8250.0, youngs_modulus=1.3e11, poissons_ratio=0.34, thermal_expansion=ALPHA)
BAR = {"material": COPPER, "section": fm.Rectangle(width=0.01, height=0.02)}
LENGTH, WARM = 2.0, 50.0
PLANE, SPACE = ("cms", "exact", "ancf"), ("cms", "exact")
EVERY = [(2, theory) for theory in PLANE] + [(3, theory) for theory in SPACE]
every = pytest.mark.parametrize(("dimension", "theory"), EVERY)


def clamped(dimension, theory, **options):
    """A bar that is clamped at its start."""
    m = fm.PlanarModel("bar") if dimension == 2 else fm.SpatialModel("bar")
    end = (LENGTH, 0, 0)[:dimension]
    return m, m.add_beam("bar", m.ground, end, theory=theory, **BAR, **options)


def walled(dimension, theory, **options):
    """A bar that is clamped at both ends, whose far wall is named."""
    m, bar = clamped(dimension, theory, **options)
    m.weld(m.ground.attach("far", (LENGTH, 0, 0)[:dimension]), bar.end, name="wall")
    return m, bar


def gradient(dimension, y):
    return y if dimension == 2 else (y, 0.0)


@every
def test_a_free_bar_grows_and_has_no_forces(dimension, theory):
    m, bar = clamped(dimension, theory)
    m.thermal_load(bar, 2.0 * WARM, factor=0.5)
    solution = fm.equilibrium(m).solution
    assert solution["bar.end"].position[0, 0] == pytest.approx(LENGTH * (1.0 + ALPHA * WARM), rel=1e-12)
    assert solution["bar@0.3.strain"][0] == pytest.approx(ALPHA * WARM, rel=1e-9)
    assert abs(solution["bar@0.3.axial_force"][0]) < 1e-9 * bar.properties.EA * ALPHA * WARM


#: errors of the end by the length for a circle of 0.5 rad
CIRCLE = {(2, "cms"): 1e-4, (2, "exact"): 2e-4, (2, "ancf"): 1e-6, (3, "cms"): 1e-4, (3, "exact"): 1e-10}


@every
def test_a_gradient_bends_a_free_bar_to_a_circle_away_from_its_warm_side(dimension, theory):
    m, bar = clamped(dimension, theory)
    slope = 0.5 / (ALPHA * LENGTH)
    m.thermal_load(bar, gradient=gradient(dimension, slope))
    solution = fm.equilibrium(m).solution
    radius = -1.0 / (ALPHA * slope)
    wanted = radius * np.array([np.sin(LENGTH / radius), 1.0 - np.cos(LENGTH / radius)])
    assert np.abs(solution["bar.end"].position[0, :2] - wanted).max() < CIRCLE[dimension, theory] * LENGTH
    bent = "bending_moment" if dimension == 2 else "bending_moment_z"
    assert abs(solution[f"bar@0.4.{bent}"][0]) < 2e-3 * bar.properties.EA * 0.01**2 * ALPHA * slope


def test_a_gradient_along_z_bends_it_away_too():
    for theory in SPACE:
        m, bar = clamped(3, theory)
        m.thermal_load(bar, gradient=(0.0, 300.0))
        end = fm.equilibrium(m)["bar.end"].position
        assert end == pytest.approx([LENGTH, 0.0, -0.5 * ALPHA * 300.0 * LENGTH**2], abs=3e-4)
        assert abs(end[2] + 0.5 * ALPHA * 300.0 * LENGTH**2) < 1e-5


@every
def test_walls_press_a_bar_with_the_stress_of_heat(dimension, theory):
    m, bar = walled(dimension, theory)
    m.thermal_load(bar, -WARM, gradient(dimension, 40.0))  # cold, so that it does not buckle
    solution = fm.equilibrium(m).solution
    force, moment = solution.reaction("wall")
    given = bar.properties
    EI = given.EI if dimension == 2 else given.EIz
    assert force[0, 0] == pytest.approx(given.EA * ALPHA * WARM, rel=1e-9)
    assert np.ravel(moment[0])[-1] == pytest.approx(-EI * -ALPHA * 40.0, rel=1e-6)
    bent = "bending_moment" if dimension == 2 else "bending_moment_z"
    assert solution["bar@0.3.axial_force"][0] == pytest.approx(given.EA * ALPHA * WARM, rel=1e-9)
    assert solution[f"bar@0.3.{bent}"][0] == pytest.approx(EI * ALPHA * 40.0, rel=1e-6)
    depth = given.outer_fiber if dimension == 2 else max(y for y, _ in given.outline)
    top = COPPER.youngs_modulus * ALPHA * (WARM + 40.0 * depth)
    assert solution["bar@0.3.stress"][0] == pytest.approx(top, rel=1e-6)


@pytest.mark.parametrize(
    ("dimension", "theory", "off"), [(2, "cms", 1e-4), (2, "exact", 2e-2), (3, "cms", 1e-4), (3, "exact", 1e-3)]
)
def test_a_bar_between_walls_has_no_stiffness_at_4_pi_2_euler(dimension, theory, off):
    """Clamped at both ends it buckles at EA ᾱ τ = 4 π² EI/L² (Euler), less what shear takes."""
    m, bar = walled(dimension, theory, **({"elements": 4, "modes": 2} if theory == "cms" else {"elements": 32}))
    given = bar.properties
    EI, GA = (given.EI, given.GA) if dimension == 2 else (min(given.EIy, given.EIz), given.GAy)
    euler = 4.0 * np.pi**2 * EI / LENGTH**2
    critical = euler / (1.0 + euler / GA) / (given.EA * ALPHA)
    heat = m.thermal_load(bar, critical)

    def stiffness(part):
        heat.factor = part
        heat.check()
        return float(fm.modes(fm.equilibrium(m), 1).omega_squared[0])

    assert abs(stiffness(0.999)) < (1e-3 + off) * stiffness(0.0)
    assert stiffness(0.5) > 0.4 * stiffness(0.0)


@every
def test_the_ledger_of_a_run_balances(dimension, theory):
    m, bar = clamped(dimension, theory, damping=fm.StiffnessProportional(1e-3))
    m.thermal_load(bar, WARM, gradient(dimension, 2000.0), factor=fm.SmoothStep(0.0, 0.05, 0.0, 1.0))
    run = fm.simulate(m, 0.1, step=2e-4)
    energy = run.energy
    assert energy.input[-1] > 0.0
    assert np.abs(energy.balance).max() < 1e-3 * energy.exchanged


def test_states_and_controllers_command_it_and_forces_of_sections_know():
    m, bar = walled(2, "cms")
    heat = m.thermal_load(bar, -WARM, factor=0.0)
    lag = fm.control.transfer_function([1.0], [0.1, 1.0])
    m.add_states("oven", lag, sensors=fm.control.Reference(1.0), commands=heat)
    run = fm.simulate(m, 0.2, step=2e-3)
    wanted = bar.properties.EA * ALPHA * WARM * (1.0 - np.exp(-run.t / 0.1))
    assert run["bar@0.3.axial_force"] == pytest.approx(wanted, abs=1e-3 * wanted[-1])
    assert run.reaction("wall")[0][:, 0] == pytest.approx(wanted, abs=1e-2 * wanted[-1])


def test_at_the_critical_point_of_a_path_the_forces_that_remain_are_those_of_its_factor():
    m, bar = walled(2, "cms", elements=4, modes=2)
    heat = m.thermal_load(bar, WARM)
    euler = 4.0 * np.pi**2 * bar.properties.EI / LENGTH**2
    wanted = euler / (1.0 + euler / bar.properties.GA)
    path = fm.equilibrium_path(m, heat, factor=1.2 * wanted / (bar.properties.EA * ALPHA * WARM))
    assert path.critical[0].kind == "bifurcation"
    assert path.critical[0].value("bar@0.3.axial_force") == pytest.approx(-wanted, rel=2e-3)


def test_along_a_load_path_the_forces_that_remain_follow_the_factor():
    m, bar = clamped(2, "exact")
    heat = m.thermal_load(bar, WARM, 100.0)
    path = fm.equilibrium_path(m, heat, factor=2.0, steps=4)
    assert path["bar@0.5.strain"] == pytest.approx(path.factor * ALPHA * WARM, abs=1e-9)
    assert np.abs(path["bar@0.5.axial_force"]).max() < 1e-6 * bar.properties.EA * ALPHA * WARM
    assert path.state(2)["bar@0.5.strain"] == pytest.approx(path.factor[2] * ALPHA * WARM, abs=1e-9)
    assert abs(path.state(2)["bar@0.5.axial_force"]) < 1e-6 * bar.properties.EA * ALPHA * WARM


def test_a_body_of_a_frame_moves_alike():
    load = {"sun": bodies.ThermalLoad(WARM, gradient=(0.0, 150.0, 100.0))}
    member = bodies.Member(("root", "tip"), COPPER, BAR["section"], elements=4)
    places = {"root": (0, 0, 0), "tip": (LENGTH, 0, 0)}
    body = bodies.from_frame(places, [member], interfaces={"root": "root", "tip": "tip"}, loads=load, modes=4)
    m = fm.SpatialModel("frame")
    framed = m.add_modal_body("bar", body)
    m.weld(m.ground, framed.at("root"))
    framed.at("tip").enter()
    m.body_load(framed, "sun", factor=0.1)
    wanted = fm.equilibrium(m)["bar.tip"].position
    for theory in SPACE:
        other, bar = clamped(3, theory)
        other.thermal_load(bar, WARM, (150.0, 100.0), factor=0.1)
        found = fm.equilibrium(other)["bar.end"].position
        assert np.abs(found - wanted).max() < 1e-3 * np.abs(wanted - [LENGTH, 0, 0]).max()


class TestRefused:
    def test_what_takes_no_heat(self):
        with pytest.raises(fm.errors.ModelError, match="is a FloatingBeam, which takes no heat; use theory='cms'"):
            m, bar = clamped(2, "floating")
            m.thermal_load(bar, 1.0)
        m = fm.SpatialModel("m")
        section = fm.Circle(diameter=0.01)
        bar = m.add_beam("bar", m.ground, (1, 0, 0), material=COPPER, section=section, theory="ancf")
        with pytest.raises(fm.errors.ModelError, match=r"which takes no heat.*from_frame"):
            m.thermal_load(bar, 1.0)
        with pytest.raises(fm.errors.ModelError, match="is not a beam"):
            m.thermal_load(bar.end, 1.0)
        with pytest.raises(fm.errors.ModelError, match="is curved, twisted or tapered"):
            arc = fm.Arc((0, 0, 0), (1, 0, 0), 1.0)
            m.thermal_load(m.add_beam("arc", axis=arc, material=COPPER, section=section, theory="exact"), 1.0)

    def test_a_beam_that_does_not_say_how_it_expands(self):
        m = fm.PlanarModel("m")
        bar = m.add_beam("bar", m.ground, (1, 0), properties=fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=1.0))
        with pytest.raises(fm.errors.ModelError, match="beam 'bar' has no thermal expansion"):
            m.thermal_load(bar, 1.0)

    @pytest.mark.parametrize(
        ("dimension", "given", "match"),
        [(2, ("hot",), "temperature"), (2, (1.0, (1.0, 2.0)), "gradient"), (3, (1.0, 2.0), "gradient"),
         (3, (1.0, "steep"), "gradient"), (2, (float("nan"),), "temperature")],
    )  # fmt: skip
    def test_numbers(self, dimension, given, match):
        m, bar = clamped(dimension, "cms")
        with pytest.raises(fm.errors.ModelError, match=f"load 'thermal_load 1': {match}"):
            m.thermal_load(bar, *given)


STRIP = {"material": COPPER, "section": fm.Rectangle(width=0.002, height=0.02)}


def bent_strip(theory, elements, force, **heat):
    """The end of a heated strip of 1 m with a force along z across its end."""
    m = fm.SpatialModel("strip")
    strip = m.add_beam("strip", m.ground, (1, 0, 0), theory=theory, elements=elements, **STRIP)
    m.thermal_load(strip, **heat)
    m.point_force(strip.end, (0, 0, force))
    return fm.equilibrium(m)["strip.end"].position


@pytest.mark.parametrize(("elements", "off"), [(4, 3e-5), (8, 3e-6)])
@pytest.mark.parametrize("slope", [0.0, 800.0])
def test_a_warm_strip_in_space_bends_as_the_planar_one(slope, elements, off):
    m = fm.PlanarModel("strip")
    section = fm.Rectangle(width=0.02, height=0.002)
    strip = m.add_beam("strip", m.ground, (1, 0), theory="cms", elements=16, material=COPPER, section=section)
    m.thermal_load(strip, 200.0, slope)
    m.point_force(strip.end, (0, 2.0))
    wanted = fm.equilibrium(m)["strip.end"].position
    found = bent_strip("exact", elements, 2.0, temperature=200.0, gradient=(0.0, slope))
    assert np.abs(found[[0, 2]] - wanted).max() < off


def test_heat_of_a_swinging_strip_puts_in_what_it_does_in_another_theory():
    """A pendulum whose temperature swings: its growth against gravity and the pull of its swing, and no zigzag."""
    found = []
    for theory, elements in (("exact", 8), ("cms", 4)):
        m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
        damping = fm.StiffnessProportional(1e-4)
        strip = m.add_beam("strip", (0, 0, 0), (1, 0, 0), theory=theory, elements=elements, damping=damping, **STRIP)
        m.revolute(m.ground, strip.start, axis="y")
        m.thermal_load(strip, 40.0, factor=fm.Harmonic(1.0, 2.0 * np.pi * 20.0))
        run = fm.simulate(m, 0.1, times=np.linspace(0.0, 0.1, 21))
        found.append((run.energy.input, run["strip.end"].position))
    assert np.abs(found[1][0]).max() > 1.0
    assert found[0][0] == pytest.approx(found[1][0], abs=0.02 * np.abs(found[1][0]).max())
    assert found[0][1] == pytest.approx(found[1][1], abs=1e-4)


def test_long_elements_that_bend_are_doubted_where_a_gradient_acts_along_their_stiff_side():
    across = {"gradient": (5000.0, 0.0)}
    wanted = bent_strip("cms", 8, 4.0, **across)
    with pytest.warns(fm.errors.AccuracyWarning, match=r"'strip' is bent so far .* about 0.2 % of its length; .*=12"):
        found = bent_strip("exact", 8, 4.0, **across)
    assert 2e-3 < np.linalg.norm(found - wanted) < 2.5e-3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bent_strip("exact", 12, 4.0, **across)
        bent_strip("exact", 8, 4.0, temperature=200.0, gradient=(0.0, 5000.0))
    assert np.linalg.norm(found - wanted) < 1.1e-3

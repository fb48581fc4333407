"""The classical formulations against the engine and against each other, what they yield, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import FlexmbError, FormulationError, KernelError, ModelError, SolverError
from flexmb.formulations.flexible.boland_flexible import linearized
from flexmb.formulations.flexible.discos import consistent_start
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.papers import CLASSICAL, NAMES
from flexmb.validation.agreement import apart, reactions
from flexmb.validation.one_number import FORCES, engine
from flexmb.validation.random_mechanisms.driven import random_driven, random_driven_state
from tests.models.trees import random_state, random_tree


@settings(max_examples=15, deadline=None)
@given(st.integers(300, 2000))
def test_one_number(seed):
    tree = fm.Tree.of(random_driven(seed))
    x, u = random_driven_state(seed, tree)
    tau = np.random.default_rng(seed).normal(size=tree.nv)
    driven, still = engine(tree, x, u, tau), engine(tree, x, u, 0.0 * tau)
    held = np.array([not joint.endswith(".base") for joint in tree.joints])
    known = reactions(tree, x, still.multipliers)[held]
    taken = [name for name in fm.formulations_of(tree).taken if name in CLASSICAL]
    assert "discos" in taken
    for name in taken:
        formulation = fm.formulation(tree, name)
        at = driven.known
        assert apart(tree.state(x, u, formulation(x, u, tau)).a[at], driven.a[at]) < 1e-9, name
        assert apart(tree.state(x, u, formulation(x, u)).a[at], still.a[at]) < 1e-9, name
        assert set(formulation.about) == set(formulation.yields)
        for what, part in FORCES.items():
            if what in formulation.yields and still.unique:
                assert apart(formulation.yields[what][held], known[:, part]) < 1e-9, name
        if still.unique:
            assert apart(formulation.forces[held], known) < 1e-8, name


@pytest.mark.parametrize("name", CLASSICAL)
def test_forces_outside_are_loads(name):
    """A wrench on links, against the compiled formulation."""
    rng = np.random.default_rng(5)
    for floating in (False, True):
        tree = fm.Tree.of(random_tree(rng, 5, ("revolute", "universal", "spherical"), floating=floating))
        x, u = random_state(rng, tree)
        tau, wrench = rng.normal(size=tree.nv), rng.normal(size=(5, 6))
        formulation, known = fm.formulation(tree, name), fm.formulation(tree, "aba")
        vdot = known(x, u, tau, wrench)
        assert formulation(x, u, tau, wrench) == pytest.approx(vdot, rel=1e-10, abs=1e-10)
        assert formulation.forces == pytest.approx(known.forces, rel=1e-9, abs=1e-9)
        assert formulation.accelerations == pytest.approx(known.accelerations, rel=1e-9, abs=1e-9)


def satellite() -> fm.SpatialModel:
    """A hull with a hinged panel, and a wheel on each."""
    m = fm.SpatialModel("satellite")
    hull = m.add_body("hull", mass=10.0, inertia=(3.0, 2.0, 4.0))
    panel = m.add_body("panel", mass=2.0, inertia=(0.3, 0.2, 0.5), position=(1.5, 0, 0))
    m.revolute(hull.attach("root", (0.5, 0, 0)), panel.attach("edge", (-1, 0, 0)), axis="y", name="hinge")
    m.add_wheel("flywheel", panel.frame, inertia=0.05, axis="x", speed=50.0)
    m.add_wheel("wheel", hull.frame, inertia=0.04, axis=(1, 2, 2), torque=0.3, friction=0.1)
    return m


def test_wheels_by_those_who_know_them():
    tree = fm.Tree.of(satellite())
    rng = np.random.default_rng(4)
    x, u = random_state(rng, tree)
    known = engine(tree, x, u, np.zeros(tree.nv))
    taken = fm.formulations_of(tree).taken
    assert taken == [*FORMULATIONS, "frisch", "discos", "likins-1974"]  # others do not know wheels with angles
    for name in taken:
        assert apart(tree.state(x, u, fm.formulation(tree, name)(x, u)).a, known.a) < 1e-12


def test_gauss_constraint_is_least():
    rng = np.random.default_rng(6)
    tree = fm.Tree.of(random_tree(rng, 4))
    x, u = random_state(rng, tree)
    gibbs, kane = fm.formulation(tree, "gibbs-appell"), fm.formulation(tree, "kane")
    vdot = gibbs(x, u)
    M = fm.TreeDynamics(tree).mass_matrix(x)
    assert gibbs.yields["gauss constraint"][0] < 0.0
    assert gibbs.yields["gauss constraint"][0] == pytest.approx(-0.5 * vdot @ M @ vdot)
    kane(x, u)
    balance = kane.yields["active forces"] + kane.yields["inertia forces"]
    assert balance == pytest.approx(np.zeros(tree.nv), abs=1e-11)


def test_momentum_form_is_the_rate_of_momenta():
    """By differences along the motion of the velocity form."""
    from flexmb.formulations.tree.coordinates import rates_of

    rng = np.random.default_rng(8)
    tree = fm.Tree.of(random_tree(rng, 4, floating=True))
    x, u = random_state(rng, tree)
    jerkovsky, dx, h = fm.formulation(tree, "jerkovsky"), np.zeros(tree.nq), 1e-4
    vdot = jerkovsky(x, u)
    rates = jerkovsky.yields["hinge momentum rates"]
    momenta = []
    rates_of(tree.arrays.joints, x, u, dx)
    for step in (h, -h, 2 * h, -2 * h):
        jerkovsky(x + step * dx, u + step * vdot)
        momenta.append(jerkovsky.yields["hinge momenta"])
    slope = (8 * (momenta[0] - momenta[1]) - (momenta[2] - momenta[3])) / (12 * h)
    assert rates == pytest.approx(slope, rel=1e-7, abs=1e-7)


def test_linear_equations_about_steady_rotation():
    """A panel on a hinge, on a base that turns steadily: frequencies stiffened by the rotation, G skew, A = 0."""
    m = fm.SpatialModel("rotor")
    hub = m.add_body("hub", mass=5.0, inertia=(1.0, 1.0, 2.0))
    m.revolute(m.ground, hub.attach("shaft", (0, 0, 0)), axis="z", name="shaft")
    blade = m.add_body("blade", mass=2.0, inertia=(1e-9, 0.5, 0.5), position=(1.2, 0, 0))
    m.revolute(hub.attach("root", (0.2, 0, 0)), blade.attach("edge", (-1.0, 0, 0)), axis="y", name="flap")
    small = linearized(fm.Tree.of(m), [0.0, 0.0], [3.0, 0.0], [0.0, 0.0])
    spin, J, s, e = 3.0, 0.5 + 2.0, 2.0, 0.2
    assert small.K[1, 1] == pytest.approx(spin**2 * (J + e * s), rel=1e-8)  # Ω² (J + e m l) of a flapping blade
    assert pytest.approx(np.zeros((2, 2)), abs=1e-9) == small.A
    assert pytest.approx(-small.G.T, abs=1e-12) == small.G
    with pytest.raises(FormulationError, match="euler_angles"):
        tree = fm.Tree.of(satellite())
        linearized(tree, tree.start()[0], np.zeros(tree.nv), np.zeros(tree.nv))


def test_linear_equations_of_a_pendulum_in_the_plane():
    m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(0, -1))
    m.revolute(m.ground, rod.attach("top", (0, 1)), name="hinge")
    small = linearized(fm.Tree.of(m), [0.0], [0.0], [0.0])
    assert small.M == pytest.approx(np.array([[1.1]]))
    assert small.K == pytest.approx(np.array([[9.81]]))


def test_linear_equations_of_wheels():
    """A hull that turns about z and y, with a wheel about x on it, whose spin makes of a turn about one
    axis a moment about the other."""
    m = fm.SpatialModel("rotor")
    ring = m.add_body("ring", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.revolute(m.ground, ring.frame, axis="z", name="outer")
    hull = m.add_body("hull", mass=5.0, inertia=(1.0, 1.5, 2.0))
    m.revolute(ring.frame, hull.frame, axis="y", name="inner")
    m.add_wheel("wheel", hull.frame, inertia=0.04, axis="x", torque=0.0)
    tree = fm.Tree.of(m)
    outer, inner, wheel = (tree.names.index(name) for name in ("outer.angle", "inner.angle", "wheel.rotor"))
    v = np.zeros(3)
    v[wheel] = 50.0
    small = linearized(tree, np.zeros(3), v, np.zeros(3))
    M, across = np.zeros((3, 3)), np.zeros((3, 3))
    M[outer, outer], M[inner, inner], M[wheel, wheel] = 0.3 + 2.0, 1.5, 0.04
    across[outer, inner], across[inner, outer] = -0.04 * 50.0, 0.04 * 50.0
    assert small.M == pytest.approx(M, abs=1e-12)
    assert small.G == pytest.approx(across, abs=1e-9)
    assert np.abs(small.K).max() < 1e-9


def test_a_start_obeys_all_rows():
    m = driven(fm.Polynomial([0.2, -0.8, 0.5]))
    tip = m.add_body("tip", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    m.revolute(m.frame("body"), tip.frame, axis="z", name="second")
    tree = fm.Tree.of(m)
    q, v = consistent_start(tree, tree.start()[0], [1.0, 1.0], t=0.5)
    assert q[0] == pytest.approx(0.2 - 0.4 + 0.125)
    assert v[0] == pytest.approx(-0.8 + 0.5)
    M = fm.TreeDynamics(tree).mass_matrix(q)
    assert M[1] @ (v - 1.0) == pytest.approx(0.0, abs=1e-12)  # no impulse in the free hinge
    kane, discos = fm.formulation(tree, "kane"), fm.formulation(tree, "discos")
    assert kane(q, v, t=0.5) == pytest.approx(discos(q, v, t=0.5))
    assert kane(q, v, t=0.5)[0] == pytest.approx(1.0)  # the second derivative of the motion


# -- what they refuse --------------------------------------------------------------------------------------------------


def slider() -> fm.SpatialModel:
    m = fm.SpatialModel("m")
    block = m.add_body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.prismatic(m.ground, block.frame, axis="x", name="rail")
    return m


def looped() -> fm.PlanarModel:
    from flexmb.examples.four_bar import build

    return build()


def bending() -> fm.SpatialModel:
    m = fm.SpatialModel("m")
    steel = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
    beam = m.add_beam("beam", (0, 0, 0), (1, 0, 0), material=steel, section=fm.Rectangle(0.01, 0.01), modes=1)
    m.revolute(m.ground, beam.start, axis="z", name="hinge")
    return m


def skating() -> fm.SpatialModel:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.knife_edge(m.ground, body.frame, name="blade")
    return m


def driven(motion=0.3) -> fm.SpatialModel:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    hinge = m.revolute(m.ground, body.frame, axis="z", name="hinge")
    m.drive_joint(hinge, motion, name="drive")
    return m


@pytest.mark.parametrize(
    ("build", "component", "feature", "name", "others"),
    [
        (slider, "rail", "the base shifts freely", "hooker-1970", "'kane'"),
        (looped, "right top", "hinges form a tree", "jerkovsky", "'discos'"),
        (bending, "beam", "bodies are rigid", "hooker-1970", "'aba'"),
        (bending, "beam", "modes in one frame", "kane", "'aba'"),
        (satellite, "wheel", "no wheels with angles", "kane", "'frisch'"),
        (skating, "blade", "constraints are integrable", "gibbs-appell", "'discos' or 'kane'"),
        (driven, "drive", "no motion is prescribed", "ho", "'discos' or 'kane'"),
    ],
)
def test_outside_of_a_scope_it_says_what_and_who(build, component, feature, name, others):
    tree = fm.Tree.of(build())
    with pytest.raises(FormulationError, match="breaks what it assumes") as error:
        fm.formulation(tree, name)
    said = str(error.value)
    assert f"'{component}'" in said
    assert feature in said
    assert others in said
    row = next(row for row in fm.formulations_of(tree).rows if row.name == name)
    assert not row.takes
    assert any(what == component and feature in why for what, why in row.broken)


def test_every_formulation_refuses_what_it_does_not_take():
    for build in (slider, looped, bending, satellite, skating, driven):
        tree = fm.Tree.of(build())
        table = fm.formulations_of(tree)
        for name in (*FORMULATIONS, *NAMES):
            if name in table.taken:
                fm.formulation(tree, name)
            else:
                with pytest.raises(FormulationError):
                    fm.formulation(tree, name)


def test_what_papers_offer_besides_has_the_same_scope():
    tree = fm.Tree.of(bending())
    with pytest.raises(FormulationError, match=r"consistent start .* 'beam' breaks what it assumes"):
        consistent_start(tree, tree.start()[0], np.zeros(tree.nv))
    tree = fm.Tree.of(looped())
    with pytest.raises(FormulationError, match=r"linear equations .* 'right top' breaks what it assumes"):
        linearized(tree, tree.start()[0], np.zeros(tree.nv), np.zeros(tree.nv))


def test_bad_arguments():
    tree = fm.Tree.of(slider())
    kane = fm.formulation(tree, "kane")
    with pytest.raises(FlexmbError, match="v"):
        kane([0.0], [0.0, 1.0])
    with pytest.raises(FlexmbError, match="wrench"):
        kane([0.0], [0.0], None, np.zeros(3))
    with pytest.raises(FormulationError, match="yields"):
        _ = kane.loop_forces
    with pytest.raises(FormulationError, match="joint_order"):
        fm.formulation(tree, "kane", joint_order=["rail"])
    with pytest.raises(SolverError, match="needs compiled equations"):
        fm.simulate(slider(), 0.1, "radau", formulation="kane")
    with pytest.raises(ModelError, match="choose one of"):
        fm.formulation(tree, "newton")


def test_what_a_force_of_the_user_raises_is_told_by_its_name():
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.revolute(m.ground, body.frame, axis="z")

    def wind(t, frame):
        raise ValueError("no wind at night")

    m.python_force(body.frame, wind, name="wind")
    with pytest.raises(KernelError, match="'wind': its function raised ValueError: no wind at night"):
        fm.formulation(m, "kane")([0.0], [0.0])

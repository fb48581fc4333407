"""The classical formulations of flexible bodies against the engine, the equation of one body against its particles, and
what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import FormulationError
from flexmb.formulations.classical.modal_parts import ModalPart, block_of
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.flexible import boland_flexible
from flexmb.formulations.flexible.ho_herber import one_way
from flexmb.formulations.papers import FLEXIBLE
from flexmb.model.flexible_bodies import FlexibleBody
from flexmb.validation.agreement import apart, reactions
from flexmb.validation.one_number import engine
from flexmb.validation.random_mechanisms.flexible_bodies import random_flexible, random_flexible_state
from flexmb.validation.random_mechanisms.trees import KINDS
from tests.models.particles import Particles

#: of these terms are dropped by construction
ROUGH = "frisch", "ho"


def compare(tree: fm.Tree, x: np.ndarray, u: np.ndarray, names: list[str] | None = None) -> list[str]:
    """Accelerations and hinge forces of all that take a tree against the engine; returns who took it."""
    tau = np.random.default_rng(1).normal(size=tree.nv)
    driven, still = engine(tree, x, u, tau), engine(tree, x, u, 0.0 * tau)
    bodies = tree.arrays.place_of < 0
    held = np.array([not joint.endswith(".base") for joint in tree.joints]) & bodies
    known, at = reactions(tree, x, still.multipliers)[held], driven.known
    taken = [name for name in fm.formulations_of(tree).taken if name in FLEXIBLE and name not in ROUGH]
    for name in taken if names is None else names:
        formulation = fm.formulation(tree, name)
        assert apart(tree.state(x, u, formulation(x, u, tau)).a[at], driven.a[at]) < 1e-9, name
        assert apart(tree.state(x, u, formulation(x, u)).a[at], still.a[at]) < 1e-9, name
        assert set(formulation.about) == set(formulation.yields), name
        if still.unique:
            assert apart(formulation.forces[held], known) < 1e-8, name
            if "hinge forces" in formulation.yields and np.all(bodies):
                assert apart(formulation.yields["hinge forces"][held], known) < 1e-8, name
    return taken


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2000))
def test_one_number(seed):
    kinds = KINDS if seed % 3 else ("revolute", "universal", "spherical")
    tree = fm.Tree.of(random_flexible(seed, kinds, floating=bool(seed % 4)))
    taken = compare(tree, *random_flexible_state(seed, tree))
    assert {"kane", "singh-likins"} <= set(taken)


@pytest.mark.parametrize("slaves", [0, 2])
def test_one_body_is_its_particles(slaves):
    """(★) by Newton's law for particles with any mass matrix: M and the forces for given accelerations."""
    from scipy.spatial.transform import Rotation

    of, rng = Particles.random(slaves=slaves, seed=4), np.random.default_rng(4)
    reduced = of.reduced(damping=0.1)
    damping = 0.2 * np.sqrt(reduced.stiffness)
    numbers = reduced.mass, reduced.first, reduced.products, reduced.slaves, reduced.stiffness, damping
    products = FlexibleBody(np.array([1.0, 0, 0, 0]), *numbers, place=lambda _: None)  # type: ignore[arg-type,return-value]
    axes, R = Rotation.random(random_state=1).as_matrix(), Rotation.random(random_state=2).as_matrix()
    part: Any = ModalPart(products, axes, rng.normal(size=3), [0, 1, 2], None)  # type: ignore[arg-type]
    xi, rates, xidd, w, alpha, a, g = rng.normal(size=(7, 3))
    block = block_of(part, R, xi, rates, g)
    # positions of the nodes about O in ground axes, as functions of ξ
    turned = R @ axes

    def rho(eta: np.ndarray) -> np.ndarray:
        return np.asarray(of.positions(eta) @ turned.T + R @ part.place)

    h, I = 1e-3, np.eye(3)
    slope = np.array([(rho(xi + h * e) - rho(xi - h * e)) / (2 * h) for e in I])  # exact: of second order in ξ
    bend = (rho(xi + h * rates) + rho(xi - h * rates) - 2 * rho(xi)) / h**2
    here, moving = rho(xi), np.einsum("k,kNx->Nx", rates, slope)
    acceleration = a + np.cross(alpha, here) + np.cross(w, np.cross(w, here)) + 2 * np.cross(w, moving)
    acceleration += np.einsum("k,kNx->Nx", xidd, slope) + bend
    f = of.m @ (acceleration - g)
    F, T, Q = f.sum(axis=0), np.cross(here, f).sum(axis=0), np.einsum("kNx,Nx->k", slope, f)
    # the same by (★)
    N = np.einsum("q,qab,b->a", rates, block.N, w)
    h_w, h_v = np.cross(w, block.J @ w) + 2 * N, np.cross(w, np.cross(w, block.s) + 2 * rates @ block.sigma)
    h_xi = -np.einsum("a,pab,b->p", w, block.N, w) + 2 * np.einsum("a,q,qpa->p", w, rates, block.z)
    T_star = block.J @ alpha + np.cross(block.s, a) + xidd @ block.d + h_w - block.T
    F_star = np.cross(alpha, block.s) + block.m * a + xidd @ block.sigma + h_v - block.F
    Q_star = block.d @ alpha + block.sigma @ a + block.e @ xidd + h_xi - block.Q
    assert F_star == pytest.approx(F, rel=1e-8)
    assert T_star == pytest.approx(T, rel=1e-8)
    assert Q_star == pytest.approx(Q + reduced.stiffness * xi + damping * rates, rel=1e-7)


def hub(wheels: bool = False) -> fm.SpatialModel:
    """A hub with two floating beams, of which one carries a body."""
    m = fm.SpatialModel("hub", gravity=(1.0, 2.0, -9.8))
    hub = m.add_body("hub", mass=2.0, inertia=(0.1, 0.2, 0.25))
    made: Any = {"material": fm.Material(1000.0, 2e7), "section": fm.Rectangle(0.03, 0.04), "theory": "floating"}
    root = hub.attach("root", (0.1, 0.2, 0.0), fm.rotation_vector((0.1, 0.2, 0.3)))
    a = m.add_beam("a", root, (1, 0.3, 0.1), modes=2, torsion_modes=1, **made)
    m.add_beam("b", hub.frame, (-1, 0.3, 0.1), modes=1, torsion_modes=2, **made)
    tip = m.add_body("tip", mass=0.4, inertia=(0.1, 0.1, 0.1), position=(1, 0.3, 0.1))
    m.spherical(a.end, tip.frame, name="ball")
    if wheels:
        m.add_wheel("flywheel", hub.frame, inertia=0.05, axis=(2, 1, 0), speed=20.0)
        m.add_wheel("wheel", hub.frame, inertia=0.05, axis=(1, 2, 0), torque=0.3, speed=20.0)
        m.add_wheel("outer", tip.frame, inertia=0.04, axis=(1, 2, 0), torque=0.2, speed=30.0)
    return m


def test_beams_on_a_hub():
    tree = fm.Tree.of(hub())
    assert "kane" in compare(tree, *random_flexible_state(3, tree, 0.1))


def test_nothing_rigid_is_left_of_a_flexible_body():
    tree = fm.Tree.of(random_flexible(1, count=1))
    read = Reader(tree).read
    assert not np.any(read.mass) and not np.any(read.moment) and not np.any(read.inertia)


@pytest.mark.parametrize("seed", [0, 1])
def test_loops(seed):
    tree = fm.Tree.of(random_flexible(seed, loop=True, floating=bool(seed)))
    rng, closing = np.random.default_rng(seed), fm.Loops(tree)
    away = closing.moved(tree.start()[0], 0.1 * rng.normal(size=tree.nv))
    taken = compare(tree, *closing.closed(away, rng.normal(size=tree.nv)))
    assert "kane" in taken and "singh-likins" not in taken


def test_rigid_bodies_of_the_plane_are_left_to_formulations_of_rigid_bodies():
    m = fm.PlanarModel("sled")
    m.add_body("body", mass=1.0, inertia=1.0)
    taken = fm.formulations_of(m).taken
    assert "hooker-1970" in taken and not {"hooker-1975", "likins-1974", "singh-likins"} & set(taken)
    with pytest.raises(FormulationError, match="'sled' breaks what it assumes, that the mechanism moves in space"):
        fm.formulation(m, "hooker-1975")


def test_flexible_bodies_of_the_plane_are_refused_by_name():
    m = fm.PlanarModel("m")
    steel = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
    beam = m.add_beam("beam", (0, 0), (1, 0), material=steel, section=fm.Rectangle(0.01, 0.01), theory="floating")
    m.revolute(m.ground, beam.start, name="hinge")
    with pytest.raises(
        FormulationError, match=r"'beam' breaks what it assumes, .* in one frame, in space; choose 'aba'"
    ):
        fm.formulation(m, "kane")


TURNING = "revolute", "universal", "spherical"


@pytest.mark.parametrize("seed", range(6))
def test_flexible_bodies_at_the_ends_of_trees(seed):
    tree = fm.Tree.of(random_flexible(seed, TURNING, floating=bool(seed % 2), terminal=True, on_rigid=True))
    taken = compare(tree, *random_flexible_state(seed, tree))
    assert "hooker-1975" in taken
    matrix = fm.formulation(tree, "hooker-1975")
    matrix(*random_flexible_state(seed, tree))
    M = matrix.yields["matrix"]
    assert pytest.approx(M.T, abs=1e-14) == M and np.all(np.linalg.eigvalsh(M) > 0.0)


def test_hooker_1975_of_rigid_bodies_is_hooker_1970():
    tree = fm.Tree.of(random_flexible(4, TURNING, count=1, on_rigid=True))
    x, u = random_flexible_state(4, tree)
    assert fm.formulation(tree, "hooker-1975")(x, u) == pytest.approx(fm.formulation(tree, "kane")(x, u))
    from tests.models.trees import random_state, random_tree

    rng = np.random.default_rng(3)
    tree = fm.Tree.of(random_tree(rng, 5, TURNING, floating=True))
    x, u = random_state(rng, tree)
    known = fm.formulation(tree, "hooker-1970")(x, u)
    for name in ("hooker-1975", "likins-1974", "singh-likins"):
        assert fm.formulation(tree, name)(x, u) == pytest.approx(known, rel=1e-9, abs=1e-10), name


@pytest.mark.parametrize("seed", range(4))
def test_appendages_and_rotors(seed):
    """Likins: hinges on rigid parts, rotors on any body; his torques are those of the hinges."""
    tree = fm.Tree.of(random_flexible(seed, TURNING, on_rigid=True, wheel=True))
    x, u = random_flexible_state(seed, tree)
    taken = compare(tree, x, u)
    assert taken == ["discos", "likins-1974"]
    likins, discos = fm.formulation(tree, "likins-1974"), fm.formulation(tree, "discos")
    likins(x, u)
    discos(x, u)
    torques, known = likins.yields["hinge torques"], discos.yields["hinge forces"][:, :3]
    assert torques == pytest.approx(known, rel=1e-8, abs=1e-9)


def test_wheels_on_a_hub_with_beams():
    tree = fm.Tree.of(hub(wheels=True))
    assert compare(tree, *random_flexible_state(3, tree, 0.1)) == ["discos"]
    assert "frisch" in fm.formulations_of(tree).taken


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_frisch_is_exact_in_a_plane_and_of_first_order_else(seed):
    tree = fm.Tree.of(random_flexible(seed, planes=1, slaves=0, floating=bool(seed % 2)))
    compare(tree, *random_flexible_state(seed, tree), names=["frisch"])
    tree = fm.Tree.of(random_flexible(seed, slaves=0, floating=bool(seed % 2)))
    x, u = random_flexible_state(seed, tree, 1e-3)
    frisch, kane, modes, off = fm.formulation(tree, "frisch"), fm.formulation(tree, "kane"), len(tree.nodes.inner), []
    for _ in range(2):
        off.append(apart(frisch(x, u), kane(x, u)))
        x[-modes:] *= 0.25
        u[-modes:] *= 0.25
    assert np.log(off[0] / off[1]) / np.log(4.0) == pytest.approx(1.0, abs=0.05)
    x[-modes:], u[-modes:] = 0.0, 0.0
    assert apart(frisch(x, u), kane(x, u)) < 1e-12


def test_likins_and_hooker_of_a_boom_that_swings():
    """A beam on a hull that floats freely: momentum stays, so the shifts of the base follow from all others."""
    m = fm.SpatialModel("boom")
    hull = m.add_body("hull", mass=3.0, inertia=(0.5, 0.6, 0.7))
    given = fm.spatial.BeamProperties(EA=1e6, EIy=20.0, EIz=30.0, GJ=15.0, rhoA=0.6)
    m.add_beam("boom", hull.frame, (2, 0, 0), properties=given, theory="floating", modes=1, torsion_modes=0)
    tree = fm.Tree.of(m)
    x, u = random_flexible_state(2, tree, 0.05)
    assert {"hooker-1975", "likins-1974"} <= set(compare(tree, x, u))
    singh = fm.formulation(tree, "singh-likins")
    singh(x, u)
    assert singh.yields["mass center"] == pytest.approx(np.zeros((1, 3)), abs=1e-14)


def test_small_motions_of_a_spinning_boom():
    """Boland's matrices of a field of first order: in the plane of rotation the spin softens it, ω² = ω₀² − Ω²."""
    m = fm.SpatialModel("rotor")
    hub = m.add_body("hub", mass=5.0, inertia=(1e6, 1e6, 1e6))
    m.revolute(m.ground, hub.frame, axis="z", name="shaft")
    given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=10.0, GJ=15.0, rhoA=0.6, rhoIp=0.0)
    m.add_beam("boom", hub.frame, (1, 0, 0), properties=given, theory="floating", modes=1, torsion_modes=0)
    tree, spin = fm.Tree.of(m), 5.0
    small = boland_flexible.linearized(tree, np.zeros(3), [spin, 0.0, 0.0], np.zeros(3))
    y, z = tree.names.index("boom.bending_y1"), tree.names.index("boom.bending_z1")
    first = 1.8751040687119611**4 * 10.0 / 0.6
    assert small.K[z, z] / small.M[z, z] == pytest.approx(first, rel=1e-8)
    assert small.K[y, y] / small.M[y, y] == pytest.approx(first - spin**2, rel=1e-7)
    assert pytest.approx(np.zeros((3, 3)), abs=1e-7) == small.A
    assert pytest.approx(-small.G.T, abs=1e-12) == small.G
    assert np.sort(small.eigenvalues.imag)[-1] == pytest.approx(np.sqrt(first), rel=1e-5)
    tree = fm.Tree.of(random_flexible(1, count=2))
    with pytest.raises(FormulationError, match="quaternions are no true coordinates"):
        boland_flexible.linearized(tree, tree.start()[0], np.zeros(tree.nv), np.zeros(tree.nv))


def test_light_freedoms_of_gibbs_and_appell_are_not_lost_beside_heavy_ones():
    """The inertia of a thin beam against torsion is a part 1e-15 of that of its hub."""
    m = fm.SpatialModel("antenna")
    hub = m.add_body("hub", mass=1e3, inertia=(900.0, 1000.0, 1100.0))
    hub.move((1.0, 2.0, 3.0), (0.3, -0.2, 0.5))
    thin = fm.spatial.BeamProperties(EA=1e4, EIy=0.2, EIz=0.3, GJ=0.1, rhoA=1e-3, rhoIy=1e-11, rhoIz=1e-11)
    beam = m.add_beam("beam", (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), properties=thin, theory="floating")
    m.weld(hub.attach("seat", (1.0, 0.0, 0.0)), beam.start)
    tree = fm.Tree.of(m)
    x, u = tree.start()
    u += np.random.default_rng(1).normal(size=tree.nv)
    tau = np.random.default_rng(2).normal(size=tree.nv)
    one, other = (fm.formulation(tree, name)(x, u, tau) for name in ("gibbs-appell", "aba"))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_one_way():
    """Hinges of Ho's formulation move as those of rigid bodies; the small motion is the first order of the whole."""
    tree = fm.Tree.of(random_flexible(5, ("revolute",), count=2, floating=False, slaves=2))
    x, u = random_flexible_state(5, tree)
    modes, ho = len(tree.nodes.inner), fm.formulation(tree, "ho")
    vdot = ho(x, u)
    y, v = x.copy(), u.copy()
    y[-modes:], v[-modes:] = 0.0, 0.0
    M = fm.TreeDynamics(tree).mass_matrix(y)
    assert ho.yields["elastic mass"] == pytest.approx(M, rel=1e-9, abs=1e-12)
    assert ho.yields["elastic load"][:-modes] == pytest.approx(0.0, abs=1e-11)
    assert vdot[:-modes] == pytest.approx(ho(y, v)[:-modes])  # whatever the modes do
    # the rows of the whole motion, by the first two terms of a series in the amplitude
    whole = fm.formulation(tree, "kane")
    step = 1e-4 * np.concatenate([np.zeros(tree.nv - modes), np.ones(modes)])
    rigid = ho(y, v)
    rigid[-modes:] = 0.0
    K, f = ho.yields["elastic stiffness"], ho.yields["elastic load"]

    def left(x: np.ndarray) -> np.ndarray:
        return fm.TreeDynamics(tree).mass_matrix(x) @ (rigid - whole(x, v))

    slope = (left(y + step) - left(y - step)) / 2.0
    assert left(y) == pytest.approx(f, rel=1e-8, abs=1e-9)
    assert slope == pytest.approx(K @ step, rel=1e-5, abs=1e-9)


def test_one_way_runs_need_true_coordinates():
    tree = fm.Tree.of(random_flexible(0, ("spherical",), count=2))
    with pytest.raises(FormulationError, match=r"one-way motion .* quaternions"):
        one_way(tree, [0.0, 0.1], tree.start()[0], np.zeros(tree.nv))


@pytest.mark.parametrize(
    ("options", "name", "why"),
    [
        ({"floating": False, "on_rigid": True}, "likins-1974", "'j0' .* floats freely"),
        ({"loop": True}, "singh-likins", "'closing' breaks what it assumes, that hinges form a tree"),
        ({"wheel": True}, "kane", "'wheel' .*; choose .*'discos'"),
    ],
)
def test_outside_of_a_scope_it_says_what_and_who(options, name, why):
    with pytest.raises(FormulationError, match=why):
        fm.formulation(random_flexible(4, ("revolute",), **options), name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("hooker-1975", "'b' breaks what it assumes, that flexible bodies carry no others"),
        ("likins-1974", "'ball' breaks what it assumes, that hinges stand on what is rigid"),
        ("hooker-1970", "'b' breaks what it assumes, that bodies are rigid; choose .*'singh-likins'"),
    ],
)
def test_flexible_bodies_that_carry_others_are_not_for_all(name, why):
    with pytest.raises(FormulationError, match=why):
        fm.formulation(hub(), name)


def test_beams_of_several_frames_are_refused_by_name():
    m = fm.SpatialModel("m")
    steel = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
    beam = m.add_beam("beam", (0, 0, 0), (1, 0, 0), material=steel, section=fm.Rectangle(0.01, 0.01), modes=1)
    m.revolute(m.ground, beam.start, axis="z", name="hinge")
    for name in FLEXIBLE:
        with pytest.raises(FormulationError, match="'beam' breaks what it assumes, that flexible bodies have modes in"):
            fm.formulation(m, name)


@pytest.mark.parametrize("kind", ["line", "quadratic"])
def test_a_place_says_how_it_moves_with_the_modes(kind):
    """Against the frame that stands there, to the order of the body's field."""
    from scipy.spatial.transform import Rotation

    m, eta = fm.SpatialModel("m"), 1e-3 * np.array([1.0, -2.0, 0.7, 0.4, 1.2, -0.6])
    if kind == "line":
        given = {"material": fm.Material(1000.0, 2e7), "section": fm.Rectangle(0.03, 0.04), "theory": "floating"}
        body = m.add_beam("rod", (0, 0, 0), (1, 0.2, 0.1), modes=2, torsion_modes=2, **given)  # type: ignore[arg-type]
        frame, data = body.end, body.point_data(1.0)
    else:
        tube = fm.Tube(outer_diameter=0.05, inner_diameter=0.046)
        side = fm.bodies.Member(("a", "b"), fm.Material(2700, 70e9, 0.3), tube)
        ends = {"a": (0, 0, 0), "b": (3, 0.5, 0)}
        reduced = fm.bodies.from_frame(ends, [side], interfaces={"a": "a", "b": "b"}, modes=0)
        eta = eta[: reduced.modes]
        body = m.add_modal_body("rod", reduced, amplitudes=eta)
        frame, data = body.at("b"), body.point_data("b")
    system = fm.System(m)
    of = body.flexible_body(np.asarray(body.elements_of(system.assembly).parameters))
    assert of is not None and of.field == ("linear" if kind == "line" else "quadratic") and of.modes == len(eta)
    place = of.place(data)
    if kind == "line":
        assert np.allclose(place.position, (np.linalg.norm((1, 0.2, 0.1)), 0, 0))
        # of a clamped-free function by quadrature: its slope is the rate of its values
        near = [of.place(body.point_data(s)) for s in (1.0, 1.0 - 1e-6)]
        slope = (near[0].translation - near[1].translation) / (near[0].position[0] - near[1].position[0])
        assert np.allclose(slope[1], place.rotation[2], atol=1e-4)
        assert np.allclose(slope[2], -place.rotation[1], atol=1e-4)
        a, b, c = place.rotation @ eta
        psi = place.rotation @ eta + 0.5 * place.rotation2 @ eta @ eta
        whole = Rotation.from_euler("ZYX", (c, b, a))
        assert np.allclose((whole * Rotation.from_rotvec(psi).inv()).as_rotvec(), 0.0, atol=1e-7)
    else:
        s = place.position + place.translation @ eta + 0.5 * place.translation2 @ eta @ eta
        psi = place.rotation @ eta + 0.5 * place.rotation2 @ eta @ eta
        w, *xyz = place.axes
        axes = Rotation.from_rotvec(psi) * Rotation.from_quat([*xyz, w])
        assert np.allclose(frame.position, body.frame.position + s, atol=1e-14)
        assert np.allclose((axes.inv() * frame.orientation).as_rotvec(), 0.0, atol=1e-13)

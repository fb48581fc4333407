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
from flexmb.formulations.flexible.flexible_reader import FlexibleReader
from flexmb.formulations.papers import FLEXIBLE
from flexmb.model.modal_products import ModalProducts
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
    reduced, n = of.reduced(damping=0.1), 3
    still = np.zeros((3, 3)), np.zeros((n, 3)), np.zeros((n, n))
    damping = 0.2 * np.sqrt(reduced.stiffness)
    numbers = reduced.mass, reduced.first, reduced.products, reduced.slaves, reduced.stiffness, damping
    products = ModalProducts(np.array([1.0, 0, 0, 0]), *numbers, *still)
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
    read = FlexibleReader(tree).read
    assert not np.any(read.mass) and not np.any(read.moment) and not np.any(read.inertia)


@pytest.mark.parametrize("seed", [0, 1])
def test_loops(seed):
    tree = fm.Tree.of(random_flexible(seed, loop=True, floating=bool(seed)))
    rng, closing = np.random.default_rng(seed), fm.Loops(tree)
    away = closing.moved(tree.start()[0], 0.1 * rng.normal(size=tree.nv))
    taken = compare(tree, *closing.closed(away, rng.normal(size=tree.nv)))
    assert "kane" in taken and "singh-likins" not in taken


def test_beams_of_several_frames_are_refused_by_name():
    m = fm.SpatialModel("m")
    steel = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
    beam = m.add_beam("beam", (0, 0, 0), (1, 0, 0), material=steel, section=fm.Rectangle(0.01, 0.01), modes=1)
    m.revolute(m.ground, beam.start, axis="z", name="hinge")
    for name in FLEXIBLE:
        with pytest.raises(FormulationError, match="'beam' breaks what it assumes, that flexible bodies have modes in"):
            fm.formulation(m, name)

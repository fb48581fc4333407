"""Wheels of constant speed turn their angular momentum with the link that carries them, in every formulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from tests.models.particles import Particles


def arm(rotor: bool = False) -> fm.SpatialModel:
    """Two links, the second with a wheel that stands askew, and with a driven one too."""
    m: Any = fm.SpatialModel("arm", gravity=(0, 0.3, -9.81))
    upper = m.add_body("upper", mass=2.0, inertia=(0.2, 0.3, 0.25), position=(0.5, 0, 0), center=(0.05, 0.02, -0.01))
    fore = m.add_body("fore", mass=1.0, inertia=(0.1, 0.15, 0.12), position=(1.5, 0, 0))
    m.revolute(m.ground, upper.attach("root", (-0.5, 0, 0)), axis="z", name="shoulder")
    m.revolute(upper.attach("elbow", (0.5, 0, 0)), fore.attach("start", (-0.5, 0, 0)), axis=(0.2, 1, 0.1), name="elbow")
    mount = fore.attach("mount", (0.1, 0.05, 0.2), fm.rotation_vector((0.3, 0.2, -0.4)))
    m.add_wheel("wheel", mount, mass=0.3, inertia=0.05, axis=(1, 0.3, 0.2), speed=200.0, transverse=0.03)
    if rotor:
        m.add_wheel("rotor", fore.frame, inertia=0.02, axis="y", torque=0.1)
    return m


def with_a_reduced_body() -> fm.SpatialModel:
    """Wheels on a reduced body, and at a place of it."""
    m: Any = arm()
    body = m.add_modal_body("blob", Particles.random(seed=3).reduced(damping=0.05), (2.2, 0.1, 0.3))
    m.revolute(m.components["fore"].attach("tip", (0.7, 0.1, 0.3)), body.frame, axis="x", name="wrist")
    m.add_wheel("on body", body.frame, inertia=0.05, axis="x", speed=150.0)
    m.add_wheel("at place", body.at("b"), mass=0.2, inertia=0.02, transverse=0.012, axis="y", speed=-250.0)
    return m


def alone_at_an_interface() -> fm.SpatialModel:
    """A reduced body that floats; at an interface a wheel without mass, and a free one."""
    m: Any = fm.SpatialModel("floating", gravity=(1, -2, -9))
    body = m.add_modal_body("blob", Particles.random(seed=3).reduced())
    m.add_wheel("steady", body.at("b"), inertia=0.02, axis=(1, 0.3, 0.2), speed=-90.0)
    m.add_wheel("free", body.at("b"), mass=0.2, inertia=0.02, transverse=0.012, axis="y", torque=0.1)
    return m


def on_a_beam() -> fm.SpatialModel:
    """Wheels at the end of a beam, within it, and on a body behind it."""
    m: Any = fm.SpatialModel("beam", gravity=(0, 0, -9.81))
    hub = m.add_body("hub", mass=2.0, inertia=(0.2, 0.3, 0.25))
    m.revolute(m.ground, hub.frame, axis="z", name="shaft")
    soft = fm.Material(density=2700, youngs_modulus=7e8, poissons_ratio=0.3)
    root = hub.attach("root", (0.1, 0, 0))
    rod = m.add_beam("rod", root, (1, 0, 0.1), material=soft, section=fm.Circle(diameter=0.02), elements=2)
    tip = m.add_body("tip", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(1, 0, 0.1))
    m.revolute(rod.end, tip.frame, axis="y", name="hinge")
    m.add_wheel("on tip", tip.frame, inertia=0.01, axis=(1, 0, 1), speed=300.0)
    m.add_wheel("at end", rod.end, inertia=0.01, axis="z", speed=300.0)
    m.add_wheel("within", rod.at(0.5), inertia=0.01, transverse=0.006, mass=0.1, axis=(1, 0, 1), speed=300.0)
    return m


MODELS = [arm, lambda: arm(rotor=True), with_a_reduced_body, alone_at_an_interface, on_a_beam]


def by_the_engine(tree: fm.Tree, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """u̇ from JᵀM J u̇ = −Jᵀ r, with the residual r of the system without accelerations of joints."""
    system, J = tree.system, np.zeros((tree.system.n, tree.nv))
    for j, unit in enumerate(np.eye(tree.nv)):
        J[:, j] = tree.state(x, unit).v
    state = tree.state(x, u)
    r = system.residual(0.0, state.q, state.v, state.a)
    return -np.linalg.solve(J.T @ (system.mass_matrix(0.0, state.q) @ J), J.T @ r)


@pytest.mark.parametrize("make", MODELS)
def test_accelerations_and_drives_are_those_of_the_engine(make):
    tree = fm.Tree.of(make())
    dynamics, rng = fm.TreeDynamics(tree), np.random.default_rng(2)
    x, u = tree.start()[0], rng.normal(size=tree.nv)
    x[:2] += 0.3
    ud, size = by_the_engine(tree, x, u), np.abs(by_the_engine(tree, x, u)).max()
    assert np.linalg.solve(dynamics.mass_matrix(x), -dynamics.bias(x, u)) == pytest.approx(ud, abs=1e-11 * size)
    forces = []
    for name in FORMULATIONS:
        found = fm.formulation(tree, name)
        assert found(x, u) == pytest.approx(ud, abs=1e-11 * size)
        forces.append(found.forces)
    assert forces[1:] == pytest.approx(np.array(4 * [forces[0]]), abs=1e-9 * np.abs(forces[0]).max())


def test_momentum_is_that_of_the_engine_and_its_rate_the_force_from_outside():
    dynamics = fm.TreeDynamics(arm())
    x, u = np.array([0.4, -0.3]), np.array([0.7, -1.1])
    state, ud, h = dynamics.tree.state(x, u), np.array([2.0, -3.0]), 1e-5
    L, p = dynamics.tree.system.momentum(0.0, state.q, state.v)[3:], dynamics.momentum(x, u, about=(0, 0, 0))
    assert p[:3] == pytest.approx(L, rel=1e-12)
    still = np.zeros(2)
    at_rest = dynamics.momentum(x, still, about=(0, 0, 0))
    assert np.linalg.norm(at_rest[:3]) == pytest.approx(0.05 * 200.0)
    assert dynamics.momentum_matrix(x, about=(0, 0, 0)) @ u + at_rest == pytest.approx(p, abs=1e-12)
    ahead, behind = (
        dynamics.momentum(x + s * u + 0.5 * s * s * ud, u + s * ud, about=(0, 0, 0)) for s in (h, -h)
    )  # fmt: skip
    rate = dynamics.momentum_rate(x, u, ud, about=(0, 0, 0))
    assert rate == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("make", [arm, with_a_reduced_body])
def test_runs_are_those_in_absolute_coordinates(make, formulation):
    one, other = (
        fm.simulate(make(), 0.1, "radau", tolerance=1e-8, times=[0.0, 0.05, 0.1], progress=False, **more)
        for more in ({}, {"formulation": formulation})
    )
    assert other.q == pytest.approx(one.q, abs=1e-7)
    assert other.multipliers == pytest.approx(one.multipliers, abs=1e-4 * np.abs(one.multipliers).max())
    assert other.trustworthy


def test_computed_torque_holds_an_arm_against_its_wheel():
    """In a chain whose model has the wheel errors obey ë + 2 ω ė + ω² e = 0."""
    m: Any = arm()
    for name in ("shoulder", "elbow"):
        m.joint_force(m.components[name], 0.0, name=f"{name} motor")
    wanted = [0.3 * fm.Harmonic(1.0, 3.0), 0.2 * fm.Harmonic(1.0, 2.0)]
    law = fm.control.ComputedTorque(m, wanted, fm.control.Gains.of(10.0))
    q, v, t = np.array([0.3, -0.2]), np.array([1.0, 2.0]), 0.4
    e, rate = law.errors(q, v, t)
    ud = by_the_engine_under(m, law.drives(q, v, t), q, v)
    second = [f.second_rate(t) for f in wanted] - ud
    assert second + 20.0 * rate + 100.0 * e == pytest.approx(np.zeros(2), abs=1e-9)


def by_the_engine_under(m: Any, tau: np.ndarray, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """u̇ under drives τ, which are zero in the model."""
    bare = arm()
    tree = fm.Tree.of(bare)
    mass = fm.TreeDynamics(tree).mass_matrix(x)
    return by_the_engine(tree, x, u) + np.linalg.solve(mass, tau)

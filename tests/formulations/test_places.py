"""Joints at places within beams: accelerations, forces and runs by every formulation are those of absolute
coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.solvers.coordinates.joints.joint_motion import joint_motion
from flexmb.solvers.coordinates.joints.joint_state import move_joints, speeds_along
from flexmb.validation.agreement import absolute, apart
from flexmb.validation.random_mechanisms.trees_with_beams import SOFT, bent_state, planar_places, spatial_places

PRECISELY: dict[str, Any] = {"times": np.linspace(0.0, 0.1, 3), "tolerance": 1e-10, "progress": False}


def cases() -> list[Any]:
    rng = np.random.default_rng
    return [
        planar_places(),
        planar_places(3),
        planar_places(theory="floating"),
        spatial_places(rng(0)),
        spatial_places(rng(1), 2, floating=True),
        spatial_places(rng(2), theory="floating"),
        crane("cms"),
        crane("exact"),
    ]


def crane(theory: str) -> fm.PlanarModel:
    """A beam on the ground, one end of which does not move."""
    m = fm.PlanarModel("crane", gravity=(1.0, -9.81))
    given: dict[str, Any] = {"material": SOFT, "section": fm.Rectangle(0.03, 0.1), "theory": theory}
    rod = m.add_beam("rod", m.ground, (1.0, 0.0), **given, **({"elements": 3} if theory == "exact" else {}))
    for k, s in enumerate((0.4, 0.6)):
        load = m.add_body(f"load{k}", mass=0.4, inertia=0.01, position=(s, -0.3))
        m.revolute(rod.at(s), load.attach(f"eye{k}", (0, 0.3)), name=f"hook{k}")
    return m


def branches() -> list[Any]:
    """Another beam begins at a place."""
    return [planar_places(2, branch=True), spatial_places(np.random.default_rng(3), branch=True, floating=True)]


@pytest.mark.parametrize("k", range(10))
def test_formulations_give_accelerations_and_forces_of_absolute_coordinates(k):
    rng = np.random.default_rng(10 + k)
    tree = fm.Tree.of((branches() + cases())[k])
    x, u = bent_state(rng, tree)
    tau = rng.normal(size=tree.nv)
    known, _ = absolute(tree, x, u, tau)
    forces = []
    for name in FORMULATIONS:
        formulation = fm.formulation(tree, name)
        assert apart(tree.state(x, u, formulation(x, u, tau)).a, known) < 1e-10, name
        forces.append(formulation.forces)
    for found in forces[1:]:
        assert apart(found, forces[0]) < 1e-11


def test_a_wrench_on_a_place_does_work_there():
    """Its power is that of the drives that it spares."""
    rng = np.random.default_rng(4)
    tree = fm.Tree.of(spatial_places(rng, 2, branch=True))
    x, u = bent_state(rng, tree)
    dynamics, wrench, at_rest = fm.TreeDynamics(tree), np.zeros((len(tree.links), 6)), np.zeros(tree.nv)
    k = tree.links.index("rod@0.3")
    wrench[k] = rng.normal(size=6)
    spared = dynamics.drives(x, u, at_rest) - dynamics.drives(x, u, at_rest, wrench)
    place = tree.state(x, u)["rod@0.3"]  # the origin of its link
    power = wrench[k, :3] @ place.angular_velocity + wrench[k, 3:] @ place.velocity
    assert spared @ u == pytest.approx(power, rel=1e-8)


@pytest.mark.parametrize("k", [0, 1, 3, 4])
def test_dynamics_through_places(k):
    rng = np.random.default_rng(30 + k)
    tree = fm.Tree.of((branches() + cases())[k])
    x, u = bent_state(rng, tree)
    dynamics, loops = fm.TreeDynamics(tree), fm.Loops(tree)
    state, J = tree.state(x, u), loops.columns(x)
    M = tree.system.mass_matrix(0.0, state.q)
    assert apart(dynamics.mass_matrix(x), J.T @ (M @ J)) < 1e-13
    found, known = dynamics.momentum(x, u, about=(0, 0, 0)), tree.system.momentum(0.0, state.q, state.v)
    planar = tree.model.dimension == 2
    order = [3, 4, 2] if planar else [3, 4, 5, 0, 1, 2]
    assert found[order] == pytest.approx(known, abs=1e-12)
    assert dynamics.momentum_matrix(x, about=(0, 0, 0)) @ u == pytest.approx(found, abs=1e-12)
    last = tree.links[-1]
    velocity = (dynamics.jacobian(last, x) @ u)[3 : 5 if planar else 6]
    assert velocity == pytest.approx(state[last].velocity, abs=1e-12)
    with pytest.raises(fm.errors.FormulationError, match=f"'{last}' hangs on a place within a beam"):
        dynamics.jacobian_rate(last, x, u)


def see_saw() -> fm.PlanarModel:
    m = fm.PlanarModel("see-saw", gravity=(0.0, -9.81))
    rod = m.add_beam("rod", (-1.0, 0.0), (1.0, 0.0), material=SOFT, section=fm.Rectangle(0.03, 0.1))
    m.revolute(m.ground.attach("pedestal", (-0.1, 0.0)), rod.at(0.45), name="pivot")
    seat = m.add_body("seat", mass=0.2, inertia=0.01, position=(1.0, 0.0))
    m.revolute(rod.end, seat.frame, name="hinge")
    m.spring_damper(m.ground.attach("post", (-0.6, -1.0)), rod.at(0.2), stiffness=50.0, damping=0.1, name="spring")
    return m


@pytest.mark.parametrize("name", FORMULATIONS)
def test_runs_are_those_of_absolute_coordinates(name):
    for make in (see_saw, lambda: planar_places(2), lambda: branches()[1]):
        known = fm.simulate(make(), 0.1, "dop853", **PRECISELY)
        run = fm.simulate(make(), 0.1, "dop853", formulation=name, **PRECISELY)
        for what in ("q", "v", "a", "multipliers"):
            assert apart(getattr(run, what), getattr(known, what)) < 1e-7, what


@pytest.mark.parametrize("k", [0, 1])
def test_speeds_of_the_system_follow_from_those_of_joints(k):
    """By columns, as Newton's methods ask for them, and link by link."""
    rng = np.random.default_rng(40 + k)
    system = fm.System(branches()[k])
    tree, j = fm.Tree.of(system), joint_motion(system, "aba")
    x, u = bent_state(rng, tree)
    j.x[:], j.u[:] = x, 0.0
    move_joints(j)
    found = np.zeros(system.plan.total)
    speeds_along(j, u, found)
    assert found[: system.n] == pytest.approx(tree.state(x, u).v, abs=1e-13)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "projection", "baumgarte"])
def test_methods_take_places(method):
    more = {"step": 1e-4} if method == "generalized_alpha" else {}
    runs = [
        fm.simulate(planar_places(branch=True), 0.02, method, progress=False, **more, **by)
        for by in ({}, {"formulation": "aba"})
    ]
    ends = [run["leaf"].position[-1] for run in runs]
    assert ends[1] == pytest.approx(ends[0], abs=1e-7)


@pytest.mark.parametrize("name", ["ada", "dca"])
def test_assembly_asks_for_inertia_at_places_within_beams(name):
    """A wheel that only spins has inertia about its axis alone; formulations along the tree take it."""
    m = fm.SpatialModel("shaft", gravity=(0.0, 0.0, -9.81))
    rod = m.add_beam("rod", m.ground, (1.0, 0.0, 0.0), material=SOFT, section=fm.Circle(diameter=0.02))
    m.add_wheel("wheel", rod.at(0.5), inertia=0.01, axis="x", torque=0.1)
    with pytest.raises(
        fm.errors.FormulationError, match=r"stands at 'rod@0.5', a place .* all axes, or take 'aba' or 'lagran"
    ):
        fm.formulation(m, name)(*fm.Tree.of(m).start())
    found = [fm.formulation(m, other)(*fm.Tree.of(m).start()) for other in ("aba", "lagrange")]
    assert found[0] == pytest.approx(found[1], rel=1e-10)

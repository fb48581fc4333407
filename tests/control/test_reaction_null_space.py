"""Motions of the joints that leave the base alone, against inverse dynamics with a floating base, and in runs."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm


def robot(dimension: int, links: int, floats: bool = True):
    """A chain of links on a base that floats, or on the ground."""
    if dimension == 2:
        m = fm.PlanarModel("robot")
        at = m.add_body("base", mass=20.0, inertia=3.0).frame if floats else m.ground
        for k in range(links):
            link = m.add_body(f"link {k}", mass=1.0 + 0.1 * k, inertia=0.1, position=(0.5 + k, 0))
            m.revolute(at, link.attach("a", (-0.5, 0)), name=f"joint {k}")
            at = link.attach("b", (0.5, 0))
        return m
    m = fm.SpatialModel("robot")
    at = m.add_body("base", mass=20.0, inertia=(3.0, 4.0, 5.0)).frame if floats else m.ground
    for k in range(links):
        link = m.add_body(f"link {k}", mass=1.0 + 0.1 * k, inertia=(0.1, 0.12, 0.15), position=(0.5 + k, 0, 0))
        m.revolute(at, link.attach("a", (-0.5, 0, 0)), axis=("z", "y", "x")[k % 3], name=f"joint {k}")
        at = link.attach("b", (0.5, 0, 0))
    return m


@pytest.mark.parametrize(("dimension", "links"), [(2, 5), (3, 9)])
def test_inverse_dynamics_needs_nothing_at_the_base(dimension, links):
    model = robot(dimension, links)
    space, dynamics = fm.control.ReactionNullSpace(model), fm.TreeDynamics(model)
    rng, held = np.random.default_rng(3), len(space.tree.names) - links
    for _ in range(5):
        q = space.tree.start()[0]
        q[-links:] = rng.normal(size=links)
        v = np.zeros(space.tree.nv)
        v[held:] = rng.normal(size=links)
        acceleration = space.accelerations(q, v, rng.normal(size=links))
        vdot = np.concatenate([np.zeros(held), acceleration])
        assert np.abs(dynamics.drives(q, v, vdot)[:held]).max() < 1e-10
        assert np.abs(space.base_force(q, v, acceleration)).max() < 1e-10
        other = rng.normal(size=links)
        needed = dynamics.drives(q, v, np.concatenate([np.zeros(held), other]))[:held]
        assert np.linalg.norm(space.base_force(q, v, other)) > 0.1
        assert np.linalg.norm(needed) > 0.1
        N = space.motions(q)
        assert N.shape == (links, links - (3 if dimension == 2 else 6))
        assert np.abs(space.coupling(q) @ N).max() < 1e-12


def test_a_task_is_done_without_the_base():
    space = fm.control.ReactionNullSpace(robot(3, 9))
    q, v = space.tree.start()
    q[-9:] = np.linspace(-0.5, 0.7, 9)
    v[-9:] = 0.1
    task = np.random.default_rng(1).normal(size=(2, 9))
    found = space.accelerations(q, v, task=task, reached=[0.3, -0.4])
    assert task @ found == pytest.approx([0.3, -0.4], abs=1e-9)
    assert np.abs(space.base_force(q, v, found)).max() < 1e-10


def test_the_force_of_the_ground_is_that_of_the_first_joint():
    """On a fixed base: against the reaction of a run in absolute coordinates."""
    model = robot(3, 7, floats=False)
    for k in range(7):
        model.frames[f"link {k}"].move(velocity=(0, 0, 0))
    space = fm.control.ReactionNullSpace(model)
    q, v = space.tree.start()
    v = np.full(7, 0.3)
    start = space.tree.state(q, v)
    run = fm.simulate(model, 0.2, "radau", initial=start, tolerance=1e-9, progress=False)
    force, moment = run.reaction("joint 0")
    vdot = fm.formulation(model, "aba")(q, v, np.zeros(7))
    wrench = space.base_force(q, v, vdot)
    assert wrench[3:] == pytest.approx(force[0], abs=1e-8)
    at = run["link 0.a"].position[0]
    assert wrench[:3] == pytest.approx(moment[0] + np.cross(at, force[0]), abs=1e-8)


def test_wrong_input_is_refused():
    with pytest.raises(fm.errors.ControlError, match="no motion of its 3 joints leaves the base alone"):
        fm.control.ReactionNullSpace(robot(2, 3)).motions([0, 0, 0, 0.3, 0.5, -0.8])
    with pytest.raises(fm.errors.ControlError, match="its base moves"):
        space = fm.control.ReactionNullSpace(robot(2, 5))
        space.accelerations(space.tree.start()[0], np.ones(8))
    lone = fm.PlanarModel("lone")
    lone.add_body("stone", mass=1.0, inertia=0.1)
    with pytest.raises(fm.errors.ControlError, match="it has no joints"):
        fm.control.ReactionNullSpace(lone)
    with pytest.raises(fm.errors.ControlError, match="give a row of 5 numbers for each"):
        space = fm.control.ReactionNullSpace(robot(2, 5))
        space.accelerations(space.tree.start()[0], np.zeros(8), task=[[1.0, 0.0]], reached=[0.0])

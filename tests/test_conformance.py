"""Every registered family of the plane against the conformance suite, and whole models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmb as fm
from flexmb import testing
from flexmb.elements.planar.rigid_body import RigidBody
from flexmb.system.plan import BLOCK
from tests.models.chains import chain
from tests.models.components import (
    FULL,
    WAVE,
    catalog,
)


@pytest.mark.parametrize("name", catalog())
def test_conformance(name: str) -> None:
    testing.conformance(catalog()[name]())


def test_every_force_is_in_the_catalog() -> None:
    names = {name.split(":")[0] for name in catalog()} | {"DistributedLoad"}
    forces = [name for name in fm.planar.__all__ if getattr(fm.planar, name).__module__.startswith("flexmb.forces.")]
    assert len(forces) > 12 and set(forces) <= names


# -- whole models --------------------------------------------------------------------------------------------


def robot() -> fm.PlanarModel:
    """Beams of two theories, a hinge at a free and one at a fixed frame, a driven motor, springs and loads."""
    m = fm.PlanarModel("robot", gravity=(0.4, -9.81))
    soft = fm.planar.BeamProperties(EA=2e3, EI=1.5, rhoA=0.4, rhoI=2e-4, GA=900.0)
    upper = m.add_beam("upper", (0, 0), (1, 0.2), theory="cms", properties=soft)
    lower = m.add_beam("lower", (1, 0.2), (1.5, -0.5), theory="exact", properties=soft, elements=2)
    tool = m.add_body("tool", mass=0.7, inertia=0.02, position=(1.5, -0.5), center=(0.05, 0.02), angle=0.3)
    m.revolute(m.ground, upper.start, name="shoulder")
    m.revolute(upper.end, lower.start, name="elbow")
    m.weld(lower.end, tool.frame, name="wrist")
    m.motor(m.ground, upper.start, inertia=1e-3, ratio=20.0, stiffness=40.0, damping=0.1, angle=WAVE)
    m.motor(upper.end, lower.start, inertia=1e-3, ratio=-5.0, stiffness=30.0, friction=1e-3, torque=WAVE)
    m.spring_damper(m.ground, tool.attach("tip", (0.1, 0.0)), stiffness=50.0, damping=2.0, free_length=0.4)
    m.bushing(upper.start, lower.end, stiffness=FULL, damping=FULL / 50.0)
    m.point_force(tool.frame, (1.0, -2.0), factor=WAVE, axes="body")
    m.distributed_load(lower, (0.0, -3.0), factor=WAVE)
    return m


@pytest.mark.parametrize("dense_limit", [0, 1000])
def test_a_whole_model(dense_limit: int) -> None:
    testing.check_system(fm.System(robot(), dense_limit=dense_limit))


def swapped(what: str) -> Callable[[fm.System], None]:
    """Two entries of a table of the plan, exchanged."""

    def spoil(system: fm.System) -> None:
        table = getattr(system.plan, what)
        table[[0, 1]] = table[[1, 0]]

    return spoil


def louder(what: str, by: float = 1.0 + 1e-5) -> Callable[[fm.System], None]:
    """A factor on one answer of the system."""

    def spoil(system: fm.System) -> None:
        honest = getattr(system, what)
        setattr(system, what, lambda *x: honest(*x) * by)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (swapped("kmap"), "model 'robot', tangent: ∂r"),
        (swapped("rows"), r"model 'robot', jacobian: ∂g\[shoulder \(x\)\]"),
        (louder("energy"), "model 'robot': power of the residual"),
        (louder("mass_matrix"), "model 'robot': ∂residual/∂a at the state and the mass matrix"),
        (louder("jacobian"), "model 'robot', jacobian: ∂g"),
    ],
)
def test_a_system_put_together_wrongly_is_found(spoil: Callable[[fm.System], None], message: str) -> None:
    system = fm.System(robot())
    spoil(system)
    with pytest.raises(AssertionError, match=message):
        testing.check_system(system)


def test_many_instances_answer_as_one_by_one() -> None:
    """More instances of a family than the loop takes at a time."""
    m = chain(2 * BLOCK + 3)
    system = fm.System(m)
    rng = np.random.default_rng(1)
    q, v, a = (rng.uniform(-1.0, 1.0, system.n) for _ in range(3))
    total = np.zeros(system.n)
    for name, part in m.components.items():
        if isinstance(part, RigidBody):
            own = [system.names.index(f"{name}.{tag}") for tag in ("x", "y", "angle")]
            total[own] += testing.Recorder.of(part, m.gravity).residual(0.0, q[own], v[own], a[own])
    assert np.count_nonzero(total) == system.n
    np.testing.assert_allclose(system.residual(0.0, q, v, a), total, rtol=1e-14)

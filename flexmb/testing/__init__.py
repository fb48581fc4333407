"""The conformance suite: do the kernels of a component agree with one another?

Whoever writes a component, here or in a package of their own, calls :func:`conformance` with one. Every check
compares two kernels, or a kernel with differences of another, at seeded random states; no check knows what the
component is. A failed check is an AssertionError that names the component, the kernel, the entry and the two
numbers.

Two class attributes of a component switch checks off: ``external = True`` (it acts from outside, as a load does,
so its forces need not sum to zero) and ``fixed_in_space = True`` (it depends on directions in space, so its
forces do not simply turn with the whole state).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flexmb.algebra.differences import derivative
from flexmb.model.components import Component
from flexmb.model.model import Model
from flexmb.testing.differences import SEEDS, TOLERANCE, random_state
from flexmb.testing.friction import check_friction
from flexmb.testing.kernels import check_jacobian, check_mass, check_rates, check_shapes, check_tangent
from flexmb.testing.mechanics import (
    check_found,
    check_frame_indifference,
    check_momentum,
    check_power,
    check_rigid_motion,
    check_strength,
)
from flexmb.testing.memory import check_memory
from flexmb.testing.motions import RigidMotion, TrialState
from flexmb.testing.points import check_point, check_point_jacobian
from flexmb.testing.recorded import RecordedInstance
from flexmb.testing.recorder import SLANTED, Recorder, dimension_of
from flexmb.testing.sections import check_section
from flexmb.testing.systems import check_system

__all__ = [
    "RecordedInstance",
    "Recorder",
    "RigidMotion",
    "TrialState",
    "check_found",
    "check_frame_indifference",
    "check_friction",
    "check_jacobian",
    "check_mass",
    "check_memory",
    "check_momentum",
    "check_point",
    "check_point_jacobian",
    "check_power",
    "check_rates",
    "check_rigid_motion",
    "check_section",
    "check_shapes",
    "check_strength",
    "check_system",
    "check_tangent",
    "conformance",
    "derivative",
    "random_state",
]


def conformance(
    part: Component | Model, seeds: Iterable[int] = SEEDS, gravity: Any = None, tol: float = TOLERANCE
) -> None:
    """Run all checks that apply to a component; for a model, on each of its components and then on the whole.

    Arguments: `part`, a component or a model; `seeds` of the random states; `gravity` (2,) or (3,) [m/s²], for the
    checks that weight does not disturb, slanted if not given; `tol`, the largest relative difference between a
    derivative and differences.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> conformance(m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1)))
    """
    seeds = tuple(seeds)
    components = [part] if isinstance(part, Component) else list(part.components.values())
    for component in components:
        heavy = Recorder.of(component, SLANTED[dimension_of(component)] if gravity is None else gravity)
        light = Recorder.of(component)
        check_shapes(heavy, seeds)
        check_memory(heavy, seeds)
        check_tangent(heavy, seeds, tol)
        check_mass(heavy, seeds, tol)
        check_jacobian(heavy, seeds, tol)
        check_rates(heavy, seeds, tol)
        check_friction(heavy, seeds, tol)
        check_point(heavy, seeds, tol)
        check_point_jacobian(heavy, seeds, tol)
        check_section(light, seeds, tol)
        check_power(heavy, seeds, tol)
        check_strength(heavy, seeds, tol)
        check_found(heavy, seeds)
        check_rigid_motion(light, seeds)
        check_momentum(light, seeds, tol)
        check_frame_indifference(light, seeds)
    if not isinstance(part, Component):
        check_system(part, seeds, tol)

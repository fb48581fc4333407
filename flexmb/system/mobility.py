"""Mobility: the motions that the joints and drives of a mechanism leave free.

They span the null space of the Jacobian G, but with flexible bodies most of that space is deformation. So flexible
bodies are first taken as rigid: the columns of Z are the rigid motions of each group of flexible bodies that share
nodes, and the single coordinates of all other parts. The null vectors of G Z are then motions of the mechanism; all
further freedom is deformation.
"""

from __future__ import annotations

import numpy as np
import scipy

from flexmb.algebra.rank import null_vectors
from flexmb.kernels.blocks import ANGLE, ORIENTATION, PLACE
from flexmb.model.components import Component
from flexmb.system.motions import describe_motion
from flexmb.system.rank import redundant_rows
from flexmb.system.system import System

#: largest number of free motions that are described
MOST_DESCRIBED = 6


def describe_mobility(system: System, t: float, q: np.ndarray) -> list[str]:
    """Texts that describe what can still move in a position, one for each of the first six free motions; none if the
    joints and drives hold the mechanism.

    Arguments: `system`; `t` [s]; `q` (n,).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1)
    >>> rail = m.prismatic(m.ground, bob.frame)
    >>> system = fm.System(m)
    >>> describe_mobility(system, 0.0, system.q0)
    ["'bob' moves along x"]
    """
    shapes, flexible = mobility_of_rigid_parts(system, t, q)
    if flexible:  # the motion of a body as a whole is described by its nodes; its other coordinates add nothing
        shapes = shapes * system.assembly.free.mask(PLACE, ANGLE, ORIENTATION)
    texts = [describe_motion(system, shape) for shape in shapes[:MOST_DESCRIBED]]
    texts += [f"{body} can deform" for body in flexible]
    return list(dict.fromkeys(texts))


def mobility_of_rigid_parts(system: System, t: float, q: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Free motions (k, n) of the mechanism with its flexible bodies taken as rigid, and which bodies can deform."""
    n, m = system.n, system.m
    G = scipy.sparse.csc_array(system.jacobian(t, q))
    Z, flexible = rigid_parts(system, q)
    scaled = scipy.sparse.csc_array(scipy.sparse.diags_array(1.0 / system.row_scale) @ G @ Z)
    shapes = (Z @ null_vectors(scaled, 2 * MOST_DESCRIBED)).T  # a few more than are described, to count them
    freedom = n - m + len(redundant_rows(system, t, q))
    return shapes, flexible if freedom > len(shapes) else []


def rigid_parts(system: System, q: np.ndarray) -> tuple[scipy.sparse.csc_array, list[str]]:
    """Z (n, k), whose columns are the rigid motions of the groups of flexible bodies and the single coordinates; and
    the names of the flexible bodies."""
    groups, clamped = rigid_groups(system)
    rigid = system.rigid_motions(q)
    together = np.concatenate([clamped, *groups])
    columns = []
    for k in np.setdiff1d(np.arange(system.n), together):
        column = np.zeros(system.n)
        column[k] = system.scale[k]
        columns.append(column)
    for members in groups:
        for motion in range(len(rigid)):
            column = np.zeros(system.n)
            column[members] = _about(rigid, motion, members, q, system)
            columns.append(column)
    Z = scipy.sparse.csc_array(np.array(columns).reshape(len(columns), system.n).T)
    deforming = [c for c, numbers in flexible_bodies(system) if len(numbers) > len(rigid)]  # a rigid body has no others
    return Z, [f"{c.kind} {c.name!r}" for c in deforming]


def rigid_groups(system: System) -> tuple[list[np.ndarray], np.ndarray]:
    """For each group of flexible bodies that share nodes, the indices of their coordinates, which would move as one
    body if they were rigid; and the indices of those clamped to a fixed node."""
    n = system.n
    group = np.arange(n)
    shared = []
    for _, numbers in flexible_bodies(system):
        free = numbers[numbers < n]
        touched = np.isin(group, group[free])
        group[touched] = -1 if len(free) < len(numbers) or np.any(group[free] < 0) else group[free].min()
        shared.append(free)
    members = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *shared]))
    names = np.unique(group[members])
    return [np.flatnonzero(group == k) for k in names if k >= 0], np.flatnonzero(group < 0)


def flexible_bodies(system: System) -> list[tuple[Component, np.ndarray]]:
    """Bodies that deform, each with the indices of its coordinates, those of fixed nodes included."""
    bodies = []
    for name, component in system.model.components.items():
        own = [i for i in system.instances_of(name) if not len(i.rows) and i.kernels.residual is not None]
        if any(i.kernels.point is not None for i in own):
            bodies.append((component, np.unique(np.concatenate([i.speeds for i in own]))))
    return bodies


def _about(rigid: np.ndarray, motion: int, members: np.ndarray, q: np.ndarray, system: System) -> np.ndarray:
    """A rigid motion of some coordinates: a translation by the mechanism's length, or a unit rotation about the center
    of their points."""
    part = rigid[:, members]
    dimension = 2 if len(rigid) == 3 else 3
    if motion < dimension:
        return part[motion] * system.length_scale
    center = np.array([along @ q[members] / max(along.sum(), 1.0) for along in part[:dimension]])
    axis = np.eye(3)[motion - 3] if dimension == 3 else np.array([0.0, 0.0, 1.0])
    return part[motion] - np.cross(axis, np.append(center, np.zeros(3 - dimension)))[:dimension] @ part[:dimension]

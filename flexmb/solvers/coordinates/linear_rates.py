"""The equations of motion linearized at a state, for linearly implicit methods: u̇ changes by A p + B s for a
displacement p and a change s of the speeds, with A = ∂f/∂x and B = ∂f/∂u of u̇ = f(t, x, u).

In absolute coordinates these are the tangents of the forces and of the constraint forces, with the constraint rows
G s = 0; changes of G itself are left out, so that A is not the exact derivative where rows curve:

    [M  Gᵀ] [u̇]     [K p + D s]
    [G  0 ] [μ ] = − [    0    ]

In joint coordinates A and B are finite differences of the formulation, constraint rows and followers included. A method
asks for the product A p + B s after the matrix of the implicit equation,

    (1 − τ B − τ² A) z = A p + B s,

which is dense in joint coordinates, and [M + τ D + τ² K, Gᵀ; G, 0] in absolute ones.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.algebra.precision import LARGEST
from flexmb.formulations.tree.coordinates import move, rates_of, speeds_of_rates
from flexmb.kernels import charts
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.coordinates.coordinates import JOINTS, Coordinates
from flexmb.solvers.coordinates.joints.joint_motion import sizes
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.coordinates.joints.joint_state import read_joints, recall
from flexmb.solvers.statuses import NOT_FINITE, OK, SINGULAR
from flexmb.system.evaluation import matrix
from flexmb.system.linear import Linear, add_product, enlarged, factorize, linear_for, solve
from flexmb.system.system import System

#: Step of the finite differences for A and B, in units of the model: the root of the round-off.
DIFFERENCE = 1e-7


class At(Variables):
    """State at which A and B were found, and τ of the factors [s]."""

    time: float  # NaN if they are to be found anew
    tau: float


@by_reference
class LinearRates(NamedTuple):
    """A and B, dense in joint coordinates (nv, nv), with the matrix 1 − τ B − τ² A, factorized in `dense`; values of M,
    D and K, divided by the scale of masses, in absolute ones, with the `implicit` matrix and its factors. Scales of
    joint speeds in `unit`; position `x` and speeds `u`, displaced for a difference, and `rest`, the vector that is
    solved for. The pattern of the system's matrix in `colptr` and `rowind`, empty where it is dense."""

    at: At
    A: np.ndarray
    B: np.ndarray
    dense: np.ndarray
    order: np.ndarray
    unit: np.ndarray
    x: np.ndarray
    u: np.ndarray
    rest: np.ndarray
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    implicit: Linear
    colptr: np.ndarray
    rowind: np.ndarray

    @classmethod
    def of(cls, system: System, coordinates: Coordinates) -> Self:
        """Arrays for a system in these coordinates."""
        in_joints, plan, pattern = coordinates.kind == JOINTS, system.plan, system.pattern
        joints = coordinates.joints
        nq, nv = (joints.links.joints.nq, joints.links.joints.nv) if in_joints else (0, 0)
        unit = sizes(joints, system.length_scale)[1] if in_joints else np.zeros(0)
        A, B, dense = np.zeros((3, nv, nv))
        implicit = linear_for(plan, None if in_joints else pattern)
        M, D, K = np.zeros((3, 0 if in_joints else len(implicit.values)))
        none = np.zeros(0, dtype=np.int64)
        colptr, rowind = (none, none) if pattern is None else (pattern.indptr, pattern.indices)
        rest = np.zeros(max(nv, plan.size, 1))
        order = np.zeros(nv, dtype=np.int64)
        at = At.zeros()
        at.time = np.nan
        return cls(at, A, B, dense, order, unit, np.zeros(nq), np.zeros(nv), rest, M, D, K, implicit, colptr, rowind)

    def grown(self, system: System, coordinates: Coordinates) -> Self:
        """The arrays after the matrix of the system got more entries, or its factors more room."""
        made = type(self).of(system, coordinates)
        return made._replace(implicit=enlarged(self.implicit)) if len(made.M) == len(self.M) else made


@inlined
def freedoms(loop):
    """Number of speeds u that are carried: of joints, or of the system."""
    return loop.coordinates.joints.links.joints.nv if loop.coordinates.kind == JOINTS else loop.plan.n


@called(None)
def displacement_of(loop, x, dx, p):
    """p = the displacement for a small change dx of the positions x."""
    if loop.coordinates.kind == JOINTS:
        speeds_of_rates(loop.coordinates.joints.links.joints, x, dx, p)
    else:
        charts.speeds_of(loop.plan.orientations, loop.plan.n, x, dx, p)


@called(None)
def change_by(loop, x, p, dx):
    """dx = the change of the positions x for a small displacement p."""
    if loop.coordinates.kind == JOINTS:
        rates_of(loop.coordinates.joints.links.joints, x, p, dx)
    else:
        charts.rates(loop.plan.orientations, loop.plan.n, x, p, dx)


@called(int)
def prepare(loop, rates, t, tau):
    """Find A and B at the present state at time t, unless they are known there, and factorize the implicit matrix for
    τ; returns OK, SINGULAR, NOT_FINITE or NO_ROOM. `x0` and `u0` of the stage are positions and speeds of the state."""
    if not rates.at.time == t:
        rates.at.time = np.nan
        status = _linearize(loop, rates, t)
        if status != OK:
            return status
        rates.at.time = t
    rates.at.tau = tau
    return _factorize(loop, rates, tau)


@called(int)
def _linearize(loop, rates, t):
    """Find A and B at the present state; returns OK, SINGULAR or NOT_FINITE."""
    if loop.coordinates.kind == JOINTS:
        return _by_differences(loop, rates, t)
    plan, motion, weights = loop.plan, loop.motion, loop.work.weights
    for part in range(3):
        for k in range(4):
            weights[k] = 1.0 / loop.mass if k == part else 0.0
        values = rates.M if part == 0 else (rates.D if part == 1 else rates.K)
        matrix(plan, loop.scratch, t, motion.q, motion.v, motion.a, motion.lam, weights, values)
    return OK


@called(int)
def _by_differences(loop, rates, t):
    """A and B by finite differences of the formulation ahead of the present state."""
    j, stage = loop.coordinates.joints, loop.stage
    nv = j.links.joints.nv
    for k in range(2 * nv):
        of_speed, i = k >= nv, k % nv
        for c in range(nv):
            rates.u[c] = stage.u0[c] if of_speed else 0.0
        eps = DIFFERENCE * (max(rates.unit[i], abs(stage.u0[i])) if of_speed else rates.unit[i])
        rates.u[i] += eps
        loop.counts.evaluations += 1
        if of_speed:
            read_joints(j, stage.x0, rates.u, stage.q, stage.v)
        else:
            move(j.links.joints, stage.x0, rates.u, rates.x)
            read_joints(j, rates.x, stage.u0, stage.q, stage.v)
        if joint_rates(j, loop.scratch, t, stage.q, stage.v, 0.0, 0.0) != 0:
            return SINGULAR
        for c in range(nv):
            slope = (j.ud[c] - j.last.ud[c]) / eps
            if not abs(slope) < LARGEST:
                return NOT_FINITE
            if of_speed:
                rates.B[c, i] = slope
            else:
                rates.A[c, i] = slope
    recall(j, stage.x0, stage.u0)
    return OK


@called(int)
def _factorize(loop, rates, tau):
    """Factorize 1 − τ B − τ² A; returns OK, NO_ROOM or SINGULAR."""
    loop.counts.factorizations += 1
    if loop.coordinates.kind == JOINTS:
        nv = rates.unit.shape[0]
        for i in range(nv):
            for c in range(nv):
                rates.dense[i, c] = -tau * (rates.B[i, c] + tau * rates.A[i, c])
            rates.dense[i, i] += 1.0
        return OK if dense_lu.factor(rates.dense, nv, rates.order) > 0.0 else SINGULAR
    values = rates.implicit.values
    for k in range(values.shape[0]):  # rows and columns of G are 1 + τ + τ² times what they are, which changes μ alone
        values[k] = rates.M[k] + tau * (rates.D[k] + tau * rates.K[k])
    return factorize(loop.plan, rates.implicit)


@called(None)
def implicit_change(loop, rates, p, s, z):
    """z = (1 − τ B − τ² A)⁻¹ (A p + B s), with the factors of :func:`prepare`."""
    rest = rates.rest
    for i in range(rest.shape[0]):
        rest[i] = 0.0
    if loop.coordinates.kind == JOINTS:
        nv = rates.unit.shape[0]
        for i in range(nv):
            for c in range(nv):
                rest[i] += rates.A[i, c] * p[c] + rates.B[i, c] * s[c]
        dense_lu.solve(rates.dense, nv, rates.order, rest)
    else:
        add_product(loop.plan, rates.K, rates.colptr, rates.rowind, -1.0, p, rest)
        add_product(loop.plan, rates.D, rates.colptr, rates.rowind, -1.0, s, rest)
        solve(loop.plan, rates.implicit, rest)
    for i in range(freedoms(loop)):
        z[i] = rest[i]

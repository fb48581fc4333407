"""The coordinates in which methods for ordinary differential equations integrate: positions x and speeds u.

By default x = q and u = v, with ẋ = v, or ½ q ∘ ω for orientations. The two classical formulations, Shimizu (2024),
eqs. (8.2)-(8.4), lead to the same motion: an orientation has three Euler angles, or four Euler parameters p, so that a
body has 6 or 7 coordinates x, and u = ẋ. With the angular velocity ω = W(x) ẋ in body axes, and v = W ẋ in which W is
the identity for all other coordinates, the equations of motion in these coordinates are

    Wᵀ M W ẍ + Wᵀ Gᵀ λ = −Wᵀ (f + M Ẇ ẋ),      G W ẍ = γ − G Ẇ ẋ.

These are the equations for a = v̇ = W ẍ + Ẇ ẋ, multiplied by Wᵀ. So kernels never see x: a and λ are computed as
always, and ẍ follows,

    M a + Gᵀ λ = −f,      G a = γ,      W ẍ = a − Ẇ ẋ.

Euler angles (:mod:`flexmb.kernels.euler_angles`): W is square, and singular where the first and the last axis are
parallel. No motion can pass through such a position in these coordinates, so a run ends before it
(:mod:`flexmb.solvers.runs.singular_angles`).

Euler parameters: ω = 2 vec(p⁻¹ ∘ ṗ), so that W is 3 × 4, and W p = 0. The normalization pᵀ p = 1 is a further row, with
a multiplier μ:

    Wᵀ M W p̈ + Wᵀ Gᵀ λ + 2 p μ = −Wᵀ (f + M Ẇ ṗ),      pᵀ p̈ = −ṗᵀ ṗ  (with Baumgarte − 2α pᵀ ṗ − ½ β² (pᵀ p − 1)).

The first of these, multiplied by pᵀ, gives μ = 0: the normalization exerts no force. From p⁻¹ ∘ ṗ = (σ, ½ ω), with
σ = pᵀ ṗ/pᵀ p, one more derivative solves the rest, also where p is not of unit length:

    p̈ = p ∘ (pᵀ p̈/pᵀ p, ½ α + σ ω)

With a `formulation`, x are joint coordinates and u joint speeds of the mechanism as a tree
(:mod:`flexmb.solvers.coordinates.joints`), and the formulation computes the accelerations. With Euler angles, a
spherical joint or a free base is replaced by three successive rotations in the tree; nodes that share their mass with a
base, such as the further nodes of a beam, keep quaternions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.formulations.tree.coordinates import rates_of
from flexmb.kernels import charts
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.euler_angles import (
    angle_rates,
    angles_of,
    angular_velocity,
    distance_from_singular,
    quaternion_of_angles,
    whole_turns,
)
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import inverse, normalized, product
from flexmb.model import checks
from flexmb.model.orientations import axes_that_turn, checked_sequence
from flexmb.solvers.coordinates.joints.joint_motion import NOTHING, JointMotion, joint_motion
from flexmb.solvers.coordinates.joints.joint_state import carry_joints, joint_changes, read_joints
from flexmb.system.system import System

#: Kinds of coordinates: for orientations a unit quaternion with ω, Euler parameters with their rates, or Euler angles
#: with theirs; or joint coordinates of a tree.
QUATERNIONS, PARAMETERS, ANGLES, JOINTS = range(4)
#: Default sequence of Euler angles: 3-1-3.
CLASSIC = "ZXZ"
#: The values of the option `rotations`, for messages.
_CHOICES = (
    "'euler_parameters', 'euler_angles' for the sequence 'ZXZ' (3-1-3), or 'euler_angles:ZYX' for another one; with a "
    "formulation Euler angles alone; leave it out for unit quaternions"
)


@by_reference
class Coordinates(NamedTuple):
    """The coordinates of a run. `axes` (3,): Euler angles about body axes; `stay`: whether the user gave fixed axes;
    `sign`: the sign that the distance from the singular position keeps
    (:func:`flexmb.kernels.euler_angles.distance_from_singular`). Arrays x have nq entries, u has nq if it is ẋ, else n.
    With Euler angles, the entries for e0 are unused. With joint coordinates, x and u have as many entries as the tree
    in `joints`."""

    kind: int
    axes: np.ndarray
    sign: float
    stay: bool = False
    joints: JointMotion = NOTHING

    @property
    def sequence(self) -> str:
        """The sequence of Euler angles as the user gave it; "" if there are none."""
        if self.kind not in (ANGLES, JOINTS) or self.axes[0] == self.axes[1]:
            return ""
        letters = "".join("XYZ"[axis] for axis in self.axes)
        return letters[::-1].lower() if self.stay else letters


def checked_rotations(rotations: Any, what: str, where: str) -> str:
    """The checked value of the option `rotations`, the coordinates of orientations."""
    kind, colon, sequence = rotations.partition(":") if isinstance(rotations, str) else ("", "", "")
    if kind == "euler_angles":
        checked_sequence(sequence if colon else CLASSIC, f"{where}: {what}")
    elif rotations != "euler_parameters":
        raise SolverError(f"{where}: {what} is {checks.quoted(rotations)}; give {_CHOICES}")
    return str(rotations)


def coordinates_for(rotations: str | None) -> Coordinates:
    """The coordinates for a checked value of the option `rotations`.

    >>> coordinates_for("euler_angles:zyx").axes.tolist()
    [0, 1, 2]
    """
    if rotations is None or rotations == "euler_parameters":
        kind = PARAMETERS if rotations else QUATERNIONS
        return Coordinates(kind, np.zeros(3, dtype=np.int64), 1.0)
    sequence = rotations.partition(":")[2] or CLASSIC
    axes, _ = axes_that_turn(sequence)
    middle = (0.0, 0.5 * np.pi if axes[0] == axes[2] else 0.0, 0.0)
    sign = float(np.sign(distance_from_singular(axes, middle)))
    return Coordinates(ANGLES, np.array(axes, dtype=np.int64), sign, sequence.islower())


def joint_coordinates(system: System, formulation: str | Hybrid, rotations: str | None = None) -> Coordinates:
    """Joint coordinates of a system, with a formulation, by name or with options, for the accelerations; spherical
    joints have Euler angles if the option `rotations` asks for them."""
    angles = coordinates_for(rotations)
    sequence = angles.sequence if angles.kind == ANGLES else None
    return angles._replace(kind=JOINTS, joints=joint_motion(system, formulation, sequence))


@inlined
def width(coordinates, plan):
    """Number of entries of u."""
    if coordinates.kind == JOINTS:
        return coordinates.joints.links.joints.nv
    return plan.n if coordinates.kind == QUATERNIONS else plan.nq


@inlined
def places(coordinates, plan):
    """Number of entries of x."""
    return coordinates.joints.links.joints.nq if coordinates.kind == JOINTS else plan.nq


@inlined
def _four(orientations, k, x):
    i = orientations[k, 0]
    return x[orientations[k, 1]], x[i], x[i + 1], x[i + 2]


@inlined
def _three(orientations, k, x):
    i = orientations[k, 0]
    return x[i], x[i + 1], x[i + 2]


@inlined
def _put_four(orientations, k, p, out):
    i = orientations[k, 0]
    out[orientations[k, 1]], out[i], out[i + 1], out[i + 2] = p


@inlined
def _put_three(orientations, k, u, out):
    i = orientations[k, 0]
    out[i], out[i + 1], out[i + 2] = u


@inlined
def _axes(coordinates):
    return coordinates.axes[0], coordinates.axes[1], coordinates.axes[2]


@inlined
def _within(p, rate):
    """p⁻¹ ∘ ṗ for four numbers p of any length."""
    squared = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
    w = product(inverse(p), rate)
    return w[0] / squared, w[1] / squared, w[2] / squared, w[3] / squared


@called(None)
def read(coordinates, orientations, n, x, u, q, v):
    """Compute q (nq,) and v (n,) from x and u; quaternions are normalized."""
    if coordinates.kind == JOINTS:
        read_joints(coordinates.joints, x, u, q, v)
        return
    for i in range(n):
        q[i] = x[i]
        v[i] = u[i]
    if orientations.shape[0] > 0:
        if coordinates.kind == ANGLES:
            _read_angles(coordinates, orientations, x, u, q, v)
        elif coordinates.kind == PARAMETERS:
            _read_parameters(orientations, x, u, q, v)
        else:
            for k in range(orientations.shape[0]):
                q[orientations[k, 1]] = x[orientations[k, 1]]
            charts.normalize(orientations, q)


@called(None)
def _read_angles(coordinates, orientations, x, u, q, v):
    axes, none = _axes(coordinates), (0.0, 0.0, 0.0)
    for k in range(orientations.shape[0]):
        angles = _three(orientations, k, x)
        _put_four(orientations, k, quaternion_of_angles(axes, angles), q)
        omega, _ = angular_velocity(axes, angles, _three(orientations, k, u), none, none)
        _put_three(orientations, k, omega, v)


@called(None)
def _read_parameters(orientations, x, u, q, v):
    for k in range(orientations.shape[0]):
        p = _four(orientations, k, x)
        w = _within(p, _four(orientations, k, u))
        _put_four(orientations, k, normalized(p), q)
        _put_three(orientations, k, (2.0 * w[1], 2.0 * w[2], 2.0 * w[3]), v)


@called(None)
def carry(coordinates, orientations, n, q, v, x, u):
    """Compute x (nq,) and u from a position q and speeds v; the first and the last Euler angle get the number of whole
    turns with which they are closest to their previous values in x."""
    if coordinates.kind == JOINTS:
        carry_joints(coordinates.joints, q, v, x, u)
        return
    for i in range(n):
        if coordinates.kind != ANGLES:
            x[i] = q[i]
        u[i] = v[i]
    if coordinates.kind == ANGLES:
        _carry_angles(coordinates, orientations, n, q, v, x, u)
        return
    for k in range(orientations.shape[0]):
        x[orientations[k, 1]] = q[orientations[k, 1]]
    if coordinates.kind == PARAMETERS:
        charts.rates(orientations, n, q, v, u)


@called(None)
def _carry_angles(coordinates, orientations, n, q, v, x, u):
    axes, first = _axes(coordinates), 0
    for k in range(orientations.shape[0] + 1):  # coordinates between the orientations
        last = orientations[k, 0] if k < orientations.shape[0] else n
        for i in range(first, last):
            x[i] = q[i]
        first = last + 3
    for k in range(orientations.shape[0]):
        near, angles = _three(orientations, k, x), angles_of(axes, _four(orientations, k, q))
        angles = whole_turns(angles[0], near[0]), angles[1], whole_turns(angles[2], near[2])
        _put_three(orientations, k, angles, x)
        _put_three(orientations, k, angle_rates(axes, angles, _three(orientations, k, v)), u)


@called(None)
def slopes(coordinates, orientations, n, x, u, v, a, alpha, beta, dx, du):
    """Compute ẋ (nq,) and u̇ for x and u, with the speeds v (n,) and accelerations a (n,) of this state; `alpha`,
    `beta` [1/s] are those of Baumgarte.

    Rates of quaternions are ½ x ∘ ω with the numbers x as they are, not normalized: they are then linear in x, and a
    stage that leaves the unit sphere is only scaled. Rates of normalized numbers would rotate a stage too far or not
    far enough, an error that no estimate detects. For joint coordinates u̇ is the present value in the formulation.
    """
    if coordinates.kind == JOINTS:
        rates_of(coordinates.joints.links.joints, x, u, dx)
        for i in range(coordinates.joints.links.joints.nv):
            du[i] = coordinates.joints.ud[i]
        return
    for i in range(n):
        du[i] = a[i]
    if coordinates.kind == QUATERNIONS:
        charts.rates(orientations, n, x, v, dx)
        return
    for i in range(n):
        dx[i] = u[i]
    if coordinates.kind == ANGLES:
        _slopes_of_angles(coordinates, orientations, x, u, a, dx, du)
    else:
        _slopes_of_parameters(orientations, x, u, a, alpha, beta, dx, du)


@called(None)
def _slopes_of_angles(coordinates, orientations, x, u, a, dx, du):
    axes, none = _axes(coordinates), (0.0, 0.0, 0.0)
    for k in range(orientations.shape[0]):
        angles, rates = _three(orientations, k, x), _three(orientations, k, u)
        _, own = angular_velocity(axes, angles, rates, rates, none)
        rest = _three(orientations, k, a)
        rest = rest[0] - own[0], rest[1] - own[1], rest[2] - own[2]
        _put_three(orientations, k, angle_rates(axes, angles, rest), du)
        dx[orientations[k, 1]] = du[orientations[k, 1]] = 0.0


@called(None)
def _slopes_of_parameters(orientations, x, u, a, alpha, beta, dx, du):
    for k in range(orientations.shape[0]):
        p, rate, turn = _four(orientations, k, x), _four(orientations, k, u), _three(orientations, k, a)
        squared = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
        along = p[0] * rate[0] + p[1] * rate[1] + p[2] * rate[2] + p[3] * rate[3]
        size = rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2] + rate[3] * rate[3]
        row = -size - 2.0 * alpha * along - 0.5 * beta * beta * (squared - 1.0)
        w = _within(p, rate)
        s = 2.0 * w[0]
        second = product(
            p, (row / squared, 0.5 * turn[0] + s * w[1], 0.5 * turn[1] + s * w[2], 0.5 * turn[2] + s * w[3])
        )
        _put_four(orientations, k, rate, dx)
        _put_four(orientations, k, second, du)


@called(None)
def changes(coordinates, orientations, n, x, u, q, dx, du, y, dv):
    """Compute the displacement y (n,) of the position q and the change dv (n,) of the speeds for small changes dx and
    du of x and u."""
    if coordinates.kind == JOINTS:
        joint_changes(coordinates.joints, x, dx, du, y, dv)
        return
    for i in range(n):
        dv[i] = du[i]
    if coordinates.kind != ANGLES:
        charts.speeds_of(orientations, n, q, dx, y)
        if coordinates.kind == PARAMETERS:
            _changes_of_speeds(orientations, x, u, dx, du, dv)
        return
    for i in range(n):
        y[i] = dx[i]
    _changes_by_angles(coordinates, orientations, x, u, dx, du, y, dv)


@called(None)
def _changes_of_speeds(orientations, x, u, dx, du, dv):
    for k in range(orientations.shape[0]):
        p = _four(orientations, k, x)
        turned = product(_within(p, _four(orientations, k, dx)), _within(p, _four(orientations, k, u)))
        w = _within(p, _four(orientations, k, du))
        out = 2.0 * (w[1] - turned[1]), 2.0 * (w[2] - turned[2]), 2.0 * (w[3] - turned[3])
        _put_three(orientations, k, out, dv)


@called(None)
def _changes_by_angles(coordinates, orientations, x, u, dx, du, y, dv):
    axes, none = _axes(coordinates), (0.0, 0.0, 0.0)
    for k in range(orientations.shape[0]):
        angles, moved = _three(orientations, k, x), _three(orientations, k, dx)
        turn, _ = angular_velocity(axes, angles, moved, none, none)
        _, change = angular_velocity(axes, angles, _three(orientations, k, u), moved, _three(orientations, k, du))
        _put_three(orientations, k, turn, y)
        _put_three(orientations, k, change, dv)

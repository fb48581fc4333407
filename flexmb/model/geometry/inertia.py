"""Tensors of inertia: what a rigid body can have, and how one about another point or in other axes is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.rotations import rotation_matrix
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.orientations import Orientation, quaternion_of

#: the least of the numbers ∫x² dm, ∫y² dm, ∫z² dm that a repaired inertia has, as a part of the largest
LEAST = 1e-6
#: parts of the largest principal inertia: below the first a smaller one is none, above the second it is too large
_NONE, _ROUNDING = 1e-14, 1e-9


def tensor(inertia: Any, where: str) -> np.ndarray:
    """A tensor of inertia (3, 3) [kg m²], given as itself or by three principal ones."""
    return checks.symmetric(inertia, "inertia", where, 3, "three principal inertias or a matrix (3, 3)")


def check_tensor(J: np.ndarray, where: str, about: str = "its mass center", *, thin: bool = True) -> None:
    """Refuse a tensor about the mass center that no rigid body has: principal inertias are positive, and since they are
    sums of two of the three numbers ∫x² dm, ∫y² dm, ∫z² dm, none is larger than the sum of the other two. A `thin` rod
    may have none about itself."""
    a, b, c = sorted(J.diagonal().tolist())
    possible = _NONE * c < a and c <= (a + b) * (1.0 + _ROUNDING)
    if possible and np.count_nonzero(J) == 3:  # principal axes, which need no eigenvalues
        return
    values, axes = np.linalg.eigh(J)
    small, middle, large = values.tolist()
    rod = thin and abs(small) <= _NONE * large and middle > _NONE * large
    if small <= _NONE * abs(large) and not rod:
        advice = "" if np.any(J) else "; a mass without inertia is a point mass, add_point_mass"
        raise ModelError(
            f"{where}: inertia about {about} has the eigenvalue {small:.6g} about the axis {_shown(axes[:, 0])}; it "
            f"must be positive{advice}"
        )
    if large > (small + middle) * (1.0 + _ROUNDING):
        raise ModelError(
            f"{where}: its principal inertias about {about} are {small:.6g}, {middle:.6g} and {large:.6g}; the last, "
            f"about the axis {_shown(axes[:, 2])}, is larger than the sum of the other two, which no body's is"
        )


def nearest_possible(J: np.ndarray, where: str) -> np.ndarray:
    """The nearest tensor of inertia (3, 3) [kg m²] about the mass center that a rigid body can have.

    A body is described as well by the second moments of its mass,

        Σ = ∫ x xᵀ dm,   J = tr(Σ) 1 − Σ,   and since tr J = 2 tr Σ   Σ = ½ tr(J) 1 − J.

    Every body has uᵀ Σ u = ∫ (u · x)² dm ≥ 0, and every positive Σ is that of some body. In principal axes that is
    J₁ + J₂ − J₃ = 2 Σ₃ ≥ 0, …: the inequalities of :func:`check_tensor`, and J is positive with them. So what bodies
    can have is a convex cone in Σ. With Σ = Q diag(s) Qᵀ the nearest positive matrix in the Frobenius norm is
    Q diag(max(s, 0)) Qᵀ by Higham (1988): a symmetric P ≥ 0 has (QᵀPQ)ᵢᵢ ≥ 0, so ‖P − Σ‖² ≥ Σᵢ min(sᵢ, 0)², which this
    one attains. A body has some extent in each direction, so s is kept at or above 1e-6 of its largest. A possible
    tensor stays as it is.

    >>> nearest_possible(np.diag([0.1, 0.1, 0.3]), "disk").diagonal().round(3).tolist()
    [0.15, 0.15, 0.3]
    >>> nearest_possible(np.diag([1.0, 1.0, 0.0]), "rod").diagonal().round(7).tolist()
    [1.000001, 1.000001, 2e-06]
    """
    try:
        check_tensor(J, where, thin=False)
    except ModelError as error:
        s, Q = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
        if not s[-1] > 0.0:
            raise ModelError(f"{error}, and no possible inertia is near to it; give the one that is meant") from None
        s = np.maximum(s, LEAST * s[-1])
        near = np.sum(s) * np.eye(3) - (Q * s) @ Q.T
        return np.asarray(0.5 * (near + near.T))
    return J


def _shown(axis: np.ndarray) -> str:
    """A direction as messages show it, with its largest number positive."""
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    return "(" + ", ".join(f"{x:.4g}" for x in np.where(np.abs(axis) < 1e-12, 0.0, axis)) + ")"


def steiner(mass: float, arm: np.ndarray) -> np.ndarray:
    """m (d² 1 − d dᵀ): what the tensor about a point has more than the one about the mass center, d from one to the
    other.

    >>> steiner(2.0, np.array([3.0, 0.0, 0.0])).diagonal().tolist()
    [0.0, 18.0, 18.0]
    """
    return np.asarray(mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


def turned(J: np.ndarray, quaternion: Iterable[float]) -> np.ndarray:
    """R J Rᵀ: a tensor in the axes that a quaternion (4,) turns to."""
    R = np.reshape(rotation_matrix(tuple(quaternion)), (3, 3))
    J = R @ J @ R.T
    return np.asarray(0.5 * (J + J.T))


def about_center(
    inertia: Any, mass: float, center: np.ndarray, about: Vector | None, axes: Orientation, where: str
) -> np.ndarray:
    """The tensor (3, 3) [kg m²] about the mass center, in the axes of a body's frame, of one that is given about
    another point (3,) [m] and in other axes, both said in the axes of that frame."""
    J = tensor(inertia, where)
    if axes is not None:
        J = turned(J, quaternion_of(axes, "inertia_axes", where))
    if about is not None:
        arm = center - checks.vector(about, "inertia_about", where, 3)
        J = J - steiner(mass, arm)
        given = "its mass center, once mass times squared distance from inertia_about is taken off,"
        check_tensor(J, where, given if np.any(arm) else "its mass center")
    return J

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

#: parts of the largest principal inertia: below the first a smaller one is none, above the second it is too large
_NONE, _ROUNDING = 1e-14, 1e-9


def tensor(inertia: Any, where: str) -> np.ndarray:
    """A tensor of inertia (3, 3) [kg m²], given as itself or by three principal ones."""
    return checks.symmetric(inertia, "inertia", where, 3, "three principal inertias or a matrix (3, 3)")


def check_tensor(J: np.ndarray, where: str, about: str = "its mass centre") -> None:
    """Refuse a tensor about the mass centre that no rigid body has: principal inertias are positive, and since they are
    sums of two of the three numbers ∫x² dm, ∫y² dm, ∫z² dm, none is larger than the sum of the other two."""
    a, b, c = sorted(J.diagonal().tolist())
    possible = _NONE * c < a and c <= (a + b) * (1.0 + _ROUNDING)
    if possible and np.count_nonzero(J) == 3:  # principal axes, which need no eigenvalues
        return
    values, axes = np.linalg.eigh(J)
    small, middle, large = values.tolist()
    if small <= _NONE * abs(large):
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


def _shown(axis: np.ndarray) -> str:
    """A direction as messages show it, with its largest number positive."""
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    return "(" + ", ".join(f"{x:.4g}" for x in np.where(np.abs(axis) < 1e-12, 0.0, axis)) + ")"


def steiner(mass: float, arm: np.ndarray) -> np.ndarray:
    """m (d² 1 − d dᵀ): what the tensor about a point has more than the one about the mass centre, d from one to the
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


def about_centre(
    inertia: Any, mass: float, center: np.ndarray, about: Vector | None, axes: Orientation, where: str
) -> np.ndarray:
    """The tensor (3, 3) [kg m²] about the mass centre, in the axes of a body's frame, of one that is given about
    another point (3,) [m] and in other axes, both said in the axes of that frame."""
    J = tensor(inertia, where)
    if axes is not None:
        J = turned(J, quaternion_of(axes, "inertia_axes", where))
    if about is not None:
        arm = center - checks.vector(about, "inertia_about", where, 3)
        J = J - steiner(mass, arm)
        given = "its mass centre, once mass times squared distance from inertia_about is taken off,"
        check_tensor(J, where, given if np.any(arm) else "its mass centre")
    return J

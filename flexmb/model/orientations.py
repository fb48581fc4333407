"""How a user says an orientation: SciPy's rotations, matrices, and the numbers of the classics, each under its name.

Four bare numbers may have their scalar first or last, and three may be angles of twelve sequences, about axes that turn
or stay, or a rotation vector. So bare numbers are refused, and each way has a function that gives a
:class:`scipy.spatial.transform.Rotation`, from the axes of what is turned to those in which it is said.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.hints import answers_calls

#: how a user says an orientation: SciPy's rotation, or a matrix (3, 3); nothing for the axes of what it is said in
Orientation = Any

#: the ways, as messages say them
WAYS = (
    "a Rotation of SciPy, a rotation matrix (3, 3), flexmb.euler_angles(sequence, angles), "
    "flexmb.euler_parameters(four numbers, scalar first), flexmb.rotation_vector(...) or flexmb.axes_along(...)"
)
#: what numbers that a user gave may be off, as parts of a unit axis
_ROUNDING = 1e-9
#: directions whose angle is smaller do not say a plane
_PARALLEL = 1e-6


@answers_calls
def euler_angles(sequence: str, angles: Vector = ()) -> scipy.spatial.transform.Rotation:
    """The orientation of three Euler angles [rad], about the axes of a `sequence` like "ZXZ" or "xyz".

    As in SciPy, capital letters are axes that turn along (intrinsic): "ZXZ" turns by φ about z, then by θ about the x
    axis so turned, then by ψ about the z axis turned by both; A = A_z(φ) A_x(θ) A_z(ψ). That is the sequence 3-1-3 of
    Shimizu (2024), eq. (4.50): precession, nutation and spin. Small letters are axes that stay (extrinsic): "xyz" turns
    about x first, then about the y and the z axis of the ground, and is "ZYX" with the angles in reverse.

    >>> euler_angles("ZXZ", (0.5 * np.pi, 0.25 * np.pi, 0.0)).apply([0, 0, 1]).round(6).tolist()
    [0.707107, -0.0, 0.707107]
    """
    checked_sequence(sequence, "euler_angles")
    if isinstance(angles, tuple | list) and not angles:
        raise ModelError(f"euler_angles: the sequence {sequence!r} needs three angles [rad], as its second argument")
    return scipy.spatial.transform.Rotation.from_euler(sequence, checks.vector(angles, "angles", "euler_angles", 3))


def checked_sequence(sequence: Any, where: str) -> str:
    """Three axes of Euler angles, of which no two neighbors are equal."""
    wanted = (
        "three axes, no two neighbors equal: 'ZXZ' for axes that turn along (3-1-3), 'ZYX' for yaw, pitch and roll, "
        "'xyz' for axes that stay"
    )
    if not isinstance(sequence, str):
        raise ModelError(
            f"{where}: Euler angles need a sequence, and {checks.quoted(sequence)} is none; give first {wanted}"
        )
    if len(sequence) != 3 or sequence.lower().strip("xyz") or sequence not in (sequence.lower(), sequence.upper()):
        raise ModelError(f"{where}: there is no sequence {checks.quoted(sequence)}; give {wanted}")
    if sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ModelError(f"{where}: the sequence {sequence!r} turns about one axis twice in a row; give {wanted}")
    return sequence


def axes_that_turn(sequence: str) -> tuple[tuple[int, int, int], slice]:
    """The numbers of the axes of a sequence, said by axes that turn along, and the order of the angles then: turns
    about axes that stay are those about axes that turn along, in reverse.

    >>> axes_that_turn("xyz")
    ((2, 1, 0), slice(None, None, -1))
    """
    order = slice(None, None, 1 if sequence.isupper() else -1)
    first, second, third = ("XYZ".index(letter) for letter in sequence.upper()[order])
    return (first, second, third), order


@answers_calls
def euler_parameters(parameters: Vector) -> scipy.spatial.transform.Rotation:
    """The orientation of four Euler parameters, a unit quaternion with its scalar first: p₀ = cos ½Θ and
    (p₁, p₂, p₃) = u sin ½Θ for a turn by Θ about the axis u; Shimizu (2024), eqs. (6.2)-(6.5).

    >>> euler_parameters((0.6, 0.8, 0, 0)).as_rotvec().round(6).tolist()
    [1.85459, 0.0, 0.0]
    """
    p = checks.vector(parameters, "parameters", "euler_parameters", 4)
    length = float(np.linalg.norm(p))
    if abs(length - 1.0) > _ROUNDING:
        raise ModelError(
            f"euler_parameters: the quaternion {checks.quoted(p.tolist())} has the length {length:.10g}; it must be 1, "
            "scalar part first"
        )
    return rotation_of(p)


@answers_calls
def rotation_vector(vector: Vector) -> scipy.spatial.transform.Rotation:
    """The orientation that a turn by the length of a `vector` (3,) [rad] about its own direction leads to.

    >>> rotation_vector((0, 0, 0.5 * np.pi)).apply([1, 0, 0]).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    return scipy.spatial.transform.Rotation.from_rotvec(checks.vector(vector, "vector", "rotation_vector", 3))


@answers_calls
def axes_along(**directions: Vector) -> scipy.spatial.transform.Rotation:
    """The orientation of axes of which two have given directions, such as differences of points: the first points along
    the direction that is given first, the second lies in the plane of both, on the side of its own.

    >>> axes_along(z=(0, 2, 0), x=(1, 7, 0)).as_matrix().round(6).T.tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    """
    where = "axes_along"
    if len(directions) != 2 or not set(directions) <= set("xyz"):
        raise ModelError(f"{where}: give the directions of two axes, e.g. axes_along(x=(1, 1, 0), y=(0, 1, 0))")
    units = []
    for name, direction in directions.items():
        u = checks.vector(direction, name, where, 3)
        if not u.any():
            raise ModelError(f"{where}: the direction of {name} has the length 0; give one that points somewhere")
        u = u / np.max(np.abs(u))
        units.append(u / np.linalg.norm(u))
    first, second = ("xyz".index(name) for name in directions)
    across = np.cross(*units)
    if np.linalg.norm(across) < _PARALLEL:
        raise ModelError(f"{where}: {' and '.join(directions)} have one direction; give two that span a plane")
    axes = np.zeros((3, 3))
    axes[first] = units[0]
    axes[3 - first - second] = across / np.linalg.norm(across) * (1.0 if (second - first) % 3 == 1 else -1.0)
    axes[second] = np.cross(axes[(second + 1) % 3], axes[(second + 2) % 3])
    return scipy.spatial.transform.Rotation.from_matrix(axes.T)


def quaternion_of(orientation: Orientation, what: str, where: str) -> np.ndarray:
    """Unit quaternion (4,), scalar first, of an orientation that a user gave."""
    if orientation is None:
        return np.array([1.0, 0.0, 0.0, 0.0])
    if not isinstance(orientation, scipy.spatial.transform.Rotation):
        matrix = checks.numbers(orientation, what, where, WAYS)
        if matrix.shape != (3, 3):
            bare = f"{matrix.size} bare numbers may mean many things; " if matrix.shape in ((3,), (4,)) else ""
            raise ModelError(f"{where}: {what} is {checks.quoted(orientation)}: {bare}give {WAYS}")
        off = float(np.max(np.abs(matrix.T @ matrix - np.eye(3))))
        if off > _ROUNDING:
            raise ModelError(
                f"{where}: the columns of the matrix of {what} are not orthogonal unit axes: products of two are off "
                f"by {off:.2g}; flexmb.axes_along makes axes of two directions"
            )
        if np.linalg.det(matrix) < 0.0:
            raise ModelError(
                f"{where}: the axes of the matrix of {what} are left-handed, a mirror image; turn one column about"
            )
        orientation = scipy.spatial.transform.Rotation.from_matrix(matrix)
    if not orientation.single:
        raise ModelError(f"{where}: {what} must be one rotation, not {len(orientation)} of them")
    return scalar_first(orientation)


def rotation_of(quaternions: Any) -> scipy.spatial.transform.Rotation:
    """SciPy's rotations of unit quaternions (…, 4), scalar first."""
    return scipy.spatial.transform.Rotation.from_quat(np.roll(quaternions, -1, axis=-1))


def scalar_first(rotations: scipy.spatial.transform.Rotation) -> np.ndarray:
    """The unit quaternions (…, 4), scalar first, of SciPy's rotations, which have it last."""
    return np.roll(rotations.as_quat(), 1, axis=-1)


def check_unit(quaternion: np.ndarray, what: str, where: str) -> None:
    """Refuse a quaternion that is no rotation."""
    length = math.hypot(*quaternion.tolist())
    if abs(length - 1.0) > _ROUNDING:
        raise ModelError(f"{where}: {what} is a quaternion of the length {length:g}; it must be 1, scalar part first")

"""Checks of what a component adds to the assembly: matching sizes, and kernels that keep the contract.

Without these checks, an error in a user's own component would end in a traceback of the compiler. An index out of range
would not even be noticed, since compiled code does not check indices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from flexmb.errors import KernelError, ModelError
from flexmb.kernels.blocks import ORIENTATION, Block, Numbers, Shape, shape_of
from flexmb.kernels.compilation import plain, python_of
from flexmb.kernels.completion import asked_scratch
from flexmb.kernels.contract import ALL_ROLES, MADE, Kernels
from flexmb.kernels.widths import widths
from flexmb.model import checks
from flexmb.model.components import Component, Rows
from flexmb.system.instances import LEVELS, Instance, InstanceSeries
from flexmb.system.numbering import SCALARS, Numbering

#: a solver needs both kernels of each pair, or neither
_TOGETHER = (("residual", "tangent"), ("constraint", "jacobian"))
#: largest deviation of a quaternion's squared length from 1; smaller deviations are normalized
ROTATION_ACCURACY = 1e-9
#: up to so many instances it is faster to check their coordinates one by one than all at once
_MANY = 16


#: families already checked, by their ids and whether their instances have constraint rows; the reference keeps ids
#: valid
_families: dict[tuple[int, bool], Kernels] = {}


def check_family(where: str, kernels: Any, rows: int) -> None:
    """Check that a family is a :class:`Kernels` with all the kernels it needs, and a constraint if there are rows."""
    if (id(kernels), rows > 0) in _families:
        return
    if not isinstance(kernels, Kernels):
        raise KernelError(
            f"{where}: {kernels!r} is no family of kernels; give flexmb.kernels.contract.Kernels(name, residual, …)"
        )
    for first, second in _TOGETHER:
        if (getattr(kernels, first) is None) != (getattr(kernels, second) is None):
            given, missing = (second, first) if getattr(kernels, first) is None else (first, second)
            raise KernelError(f"{where}: kernels {kernels.name!r} have a {given} but no {missing}; a solver needs both")
    if rows and kernels.constraint is None:
        raise KernelError(
            f"{where}: {rows} constraint rows are given, but kernels {kernels.name!r} have neither a "
            "constraint nor a position"
        )
    if not rows and kernels.constraint is not None:
        raise KernelError(
            f"{where}: kernels {kernels.name!r} have a constraint, but no rows are given; give their names and kinds, "
            "assembly.instance(…, rows=[('x', 'length')])"
        )
    _families[id(kernels), rows > 0] = kernels


def checked_coordinates(
    owner: Component, blocks: Any, initial: Any, speeds: Any, dimension: int
) -> tuple[Shape, list[float], list[float], int]:
    """The shape of blocks, their initial values and speeds as plain lists, and the number of sets of them (0 if there
    are no sets). The blocks need as many values (nq,) and speeds (nv,), or rows of them; all must be finite,
    orientations must be unit quaternions, and the blocks must be those of the plane (2) or of space (3)."""
    shape = _shape(owner, blocks, dimension)
    values = _numbers(owner, "initial values", initial, blocks)
    sets, width = (len(values) if values.ndim == 2 else 0), len(shape.names)
    fits = values.ndim == 1 or (values.ndim == 2 and sets)
    given = wanted = (*values.shape[:-1], width)
    if speeds is None:
        rates = [0.0] * (max(sets, 1) * width)
    else:
        array = _numbers(owner, "initial speeds", speeds, blocks)
        rates, given = array.ravel().tolist(), array.shape
    if not fits or values.shape[-1] != shape.size or given != wanted:
        raise KernelError(
            f"{owner.where}: its blocks have {shape.size} coordinates and {width} speeds, but initial values of the "
            f"shape {values.shape} and speeds of the shape {given} are given; give as many of each"
        )
    if shape.oriented:
        _check_orientations(owner.where, blocks, np.atleast_2d(values))
    return shape, values.ravel().tolist(), rates, sets


def _shape(owner: Component, blocks: Any, dimension: int) -> Shape:
    """The shape of a list of blocks; refuses other objects, and blocks that do not fit the plane or space."""
    for block in blocks if isinstance(blocks, (list, tuple)) else [blocks]:
        if not isinstance(block, Block):
            raise KernelError(
                f"{owner.where}: {checks.quoted(block)} is no block of coordinates; give a list of place(…), "
                "vector(…), angle(…), orientation(…), modal(…) or free(…) of flexmb.kernels.blocks"
            )
    try:
        shape = shape_of(tuple(blocks))
    except TypeError:  # a block made by hand
        raise KernelError(f"{owner.where}: the names of its blocks must be tuples of texts") from None
    except KernelError as error:
        raise KernelError(f"{owner.where}: {error}") from None
    if shape.dimension not in (0, dimension):
        names = ", ".join(shape.names)
        wanted = (
            "are of space, but the model is in the plane: give places and vectors of two names, and angles"
            if dimension == 2
            else "are of the plane, but the model is in space: give places and vectors of three names, and orientations"
        )
        raise KernelError(f"{owner.where}: its coordinates {names} {wanted}")
    return shape


def _numbers(owner: Component, what: str, given: Any, blocks: Sequence[Block]) -> np.ndarray:
    """Initial values or speeds as an array of finite numbers."""
    try:
        values = np.array(given, dtype=float, ndmin=1)
    except (TypeError, ValueError):
        raise KernelError(f"{owner.where}: its {what} are {checks.quoted(given)}; give an array of numbers") from None
    if not checks.all_finite(values):
        entry = tuple(np.argwhere(~np.isfinite(values))[0].tolist())
        names: list[str] = []
        for block in blocks:  # values of an orientation begin with its e0, which is the last of its names
            own = block.names if what == "initial speeds" else block.coordinate_names
            names += own if own is block.names else (own[-1], *own[:-1])
        name = repr(names[entry[-1]]) if entry[-1] < len(names) else f"entry {entry[-1]}"
        raise KernelError(f"{owner.where}: among its {what}, {name} is {values[entry]}; give finite numbers")
    return values


def _check_orientations(where: str, blocks: Sequence[Block], values: np.ndarray) -> None:
    """Refuse orientations that are not unit quaternions."""
    at = 0
    for block in blocks:
        if block.kind == ORIENTATION:
            quaternions = values[:, at : at + 4]
            off = np.abs(np.einsum("ij,ij->i", quaternions, quaternions) - 1.0)
            if np.any(off > ROTATION_ACCURACY):
                numbers = ", ".join(f"{e:.6g}" for e in quaternions[np.argmax(off)])
                raise KernelError(
                    f"{where}: ({numbers}) is no rotation, since its squares do not add up to 1; give a unit "
                    "quaternion, its scalar part first"
                )
        at += block.size


def check_numbers(where: str, coordinates: Numbers, free: Numbering, fixed: Numbering) -> None:
    """Check that indices of coordinates are those that the assembler gave, and that those in q belong to those in v. An
    index may occur twice, as between two frames of one body: forces on it are then added."""
    q, v = coordinates
    if not v.size and not q.size:
        return
    lowest, highest = checks.extremes(v) if v.size else (0, -1)
    if lowest < -len(fixed) or highest >= len(free):
        wrong = v[(v < -len(fixed)) | (v >= len(free))]
        raise KernelError(
            f"{where}: there is no coordinate number {wrong[0]}; give numbers that assembly.node(…) or "
            "assembly.coordinates(…) returned"
        )
    if q is v and not (free.scalars or fixed.scalars):
        return
    q, v = np.atleast_2d(q), np.atleast_2d(v)
    many = len(q) == len(v) > _MANY
    doubtful = np.flatnonzero(~_in_order(q, v, free, fixed)) if many else range(len(v))
    for k in doubtful:
        row = v[k].tolist()
        if len(q) != len(v) or not _belong(q[k].tolist(), row, free, fixed):
            names = ", ".join(free.names[i] if i >= 0 else fixed.names[-1 - i] for i in row)
            raise KernelError(
                f"{where}: its coordinates are not those whose speeds are {names}; hand on whole blocks, as "
                "assembly.node(…) and assembly.coordinates(…) return them"
            )


def _in_order(q: np.ndarray, v: np.ndarray, free: Numbering, fixed: Numbering) -> np.ndarray:
    """Mask of the instances whose indices are whole blocks one after the other, in the order in which they were given
    out, all compared at once. Indices in another order may be valid too, see :func:`_belong`."""
    scalar = np.flatnonzero((q[0] >= SCALARS) | (q[0] < -SCALARS))
    if q.shape[1] - len(scalar) != v.shape[1]:
        return np.zeros(len(v), dtype=bool)
    # which part of which orientation each index is: −1 none, −2, −3, … parts of fixed ones
    wanted, parts = np.full(v.shape, -1), _looked_up(free.parts, v)
    negative = v < 0
    if negative.any():
        of_fixed = _looked_up(fixed.parts, -1 - v[negative])
        parts[negative] = np.where(of_fixed < 0, -1, -2 - of_fixed)
    for k, column in enumerate(scalar.tolist()):
        given = q[:, column, None]
        number = np.where(given < 0, -1 - given, given) - SCALARS
        part = 3 * number + np.arange(3)[: v.shape[1] - column + k]
        wanted[:, column - k : column - k + 3] = np.where(given < 0, -2 - part, part)
    return np.all(np.delete(q, scalar, axis=1) == v, axis=1) & np.all(parts == wanted, axis=1)


def _looked_up(table: dict[int, int], numbers: np.ndarray) -> np.ndarray:
    """The entries of a table for some numbers, −1 where it has none."""
    found = map(table.get, numbers.ravel().tolist(), repeat(-1))
    return np.fromiter(found, np.int64, numbers.size).reshape(numbers.shape)


def _belong(q: list[int], v: list[int], free: Numbering, fixed: Numbering) -> bool:
    """Whether the indices in q are those of the speeds with the indices in v: the same ones, and the scalar part of
    every orientation, all of whose three speeds must be there."""
    wanted = list(v)
    parts: tuple[list[tuple[bool, int]], ...] = ([], [], [])
    for number in v:
        part = free.parts.get(number) if number >= 0 else fixed.parts.get(-1 - number)
        if part is None:
            continue
        parts[part % 3].append((number < 0, part // 3))
        if part % 3 == 0:
            scalar = SCALARS + part // 3
            wanted.append(scalar if number >= 0 else -1 - scalar)
    return sorted(q) == sorted(wanted) and sorted(parts[0]) == sorted(parts[1]) == sorted(parts[2])


def check_row(where: str, row: Any) -> tuple[str, str, str]:
    """Check that a constraint row is a tuple of name, kind and, optionally, level; returns all three."""
    if not (isinstance(row, tuple) and len(row) in (2, 3) and row[1] in ("length", "angle")):
        raise KernelError(f"{where}: constraint row {row!r} is no pair of name and kind, e.g. ('x', 'length')")
    level = row[2] if len(row) == 3 else LEVELS[0]
    if level not in LEVELS:
        raise KernelError(f"{where}: constraint row {row!r} is of level {level!r}; choose one of {', '.join(LEVELS)}")
    return row[0], row[1], level


def check_slot(owner: Component, parameters: np.ndarray, strength: int) -> None:
    """Check that the parameters hold a slot at the index that a component gives for its strength."""
    if owner.strength is None:
        raise KernelError(
            f"{owner.where}: it says where its strength stands, but not which field that is; state it in its class, "
            f"strength = 'factor'"
        )
    width = parameters.shape[1]
    # A slot holds the commanded value, then a function of time: its kind, its length, its data.
    if not 0 <= strength <= width - 4 or not 3.0 <= parameters[0, strength + 2] <= width - strength - 1:
        raise KernelError(
            f"{owner.where}: there is no slot for its strength at parameter {strength} of {width}; put "
            "assembly.strength(self).slot() there, and read it by strength_at"
        )


def check_prescribed(owner: Component, rows: Rows, prescribed: int) -> None:
    """Check that the row which is to follow a prescribed motion is a position row of the instance."""
    if owner.prescribed is None:
        raise KernelError(
            f"{owner.where}: it says which row follows its motion, but not which field that motion is; state it in its "
            "class, prescribed = 'angle'"
        )
    if not 0 <= prescribed < len(rows):
        raise KernelError(
            f"{owner.where}: prescribed is row {prescribed} of {len(rows)}; give the number of one of them"
        )
    if check_row(owner.where, rows[prescribed])[2] != LEVELS[0]:
        raise KernelError(
            f"{owner.where}: row {rows[prescribed][0]!r} is a velocity row and cannot follow its prescribed motion; "
            "only a position row can"
        )


#: families whose kernels have been run as Python, by their ids, the sizes of their instances, and whether a user's own
#: component added them
_checked_families: dict[tuple[int, ...], Kernels] = {}


def check_reach(series: InstanceSeries, q: np.ndarray, v: np.ndarray, dimension: int = 2) -> None:
    """Run the kernels of a user's own family or component once as plain Python, where an index out of range is an
    error; compiled code would read or write arbitrary memory. `dimension`: 2 in the plane, 3 in space."""
    n, m, velocity_rows = series.coordinates.v.shape[1], series.rows.shape[1], series.velocity_rows
    foreign = not type(series.owner).__module__.startswith("flexmb.")
    key = (id(series.kernels), n, m, velocity_rows, series.parameters.shape[1], series.work, foreign)
    if key in _checked_families:
        return
    complete, instance = True, series.instance(0)
    for role in ALL_ROLES:
        function = python_of(getattr(instance.kernels, role))
        if function is not None and function.__qualname__.endswith(MADE):
            continue  # of a kernel that is run itself
        if function is not None and (foreign or not function.__module__.startswith("flexmb.")):
            complete &= _run_as_python(instance, role, function, widths(n, m, velocity_rows, dimension)[role], q, v)
    if complete:
        _checked_families[key] = series.kernels


class _Used(Exception):
    """Raised by what stands for speeds, accelerations and K where positions are computed."""


class _Unknown:
    """Speeds, accelerations and K, of which positions must not make use."""

    def _read(self, *_: Any) -> Any:
        raise _Used

    __getitem__ = __setitem__ = __getattr__ = __len__ = __iter__ = _read


def _run_as_python(
    instance: Instance, role: str, function: Callable[..., Any], width: int, q: np.ndarray, v: np.ndarray
) -> bool:
    """Run a kernel as plain Python; returns whether it ran to its end, and raises a KernelError for an index out of
    range."""
    n, m = len(instance.speeds), len(instance.rows)
    scratch = asked_scratch(instance.kernels, instance.work, n, m)
    iq, iv = instance.coordinates[None, :].copy(), instance.speeds[None, :].copy()
    weights = np.ones(4)
    if role in ("point", "section", "point_jacobian"):
        weights = np.append(instance.owner.point_data(0.3), np.ones(int(role == "point_jacobian")))
    arrays = (
        np.ones((1, width // max(n, 1) if role == "point_jacobian" else m)),
        weights,
        np.zeros((1, width)),
        _Unknown() if role == "position" else np.zeros((1, n, n)),
        np.zeros(max(scratch, 1)),
    )
    moving = (_Unknown(), _Unknown()) if role == "position" else (v.copy(), np.zeros_like(v))
    state = (0.0, q.copy(), *moving)
    try:
        with np.errstate(all="ignore"):
            plain(function)(instance.parameters[None, :].copy(), iq, iv, *state, *arrays)
    except (IndexError, ValueError) as error:
        if isinstance(error, ValueError) and "broadcast" not in str(error):
            return False  # NaN is found by the check of the initial state
        sizes = f"{iq.size} coordinates" if iq.size == n else f"{iq.size} coordinates and {n} speeds"
        raise KernelError(
            f"{instance.owner.where}: {role} of kernels {instance.kernels.name!r} reaches beyond its arrays "
            f"({error}); the instance has {sizes}, {len(instance.parameters)} parameters, {m} constraint "
            f"rows and {scratch} scratch numbers, so its out has {width} and its K {n} × {n} places"
        ) from error
    except _Used:
        raise KernelError(
            f"{instance.owner.where}: position of kernels {instance.kernels.name!r} makes use of v, a or K; positions "
            "depend on q and t alone, and a family with rows that do not gives a constraint"
        ) from None
    except Exception:  # the kernel uses functions that only compiled code can call
        return False
    return True


def check_found(owner: Component, rows: Rows) -> None:
    """Refuse found=True for an instance that has not exactly one row, a position row."""
    if len(rows) != 1 or check_row(owner.where, rows[0])[2] != "position":
        raise KernelError(
            f"{owner.where}: found=True is for an instance with one row, of positions; it has {len(rows)}"
        )


def checked_rows(given: np.ndarray, count: int, where: str) -> np.ndarray:
    """Check indices of constraint rows: all different, and less than `count`."""
    numbers = checks.row(given, "kept_rows", where)
    rows = numbers.astype(np.int64)
    if np.any(rows != numbers) or np.any(rows < 0) or np.any(rows >= count) or len(np.unique(rows)) < len(rows):
        raise ModelError(f"{where}: kept_rows must be different numbers of its {count} constraint rows, from 0 on")
    return rows

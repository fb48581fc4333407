"""Families that leave kernels out: what is missing is made of what is there, for instances of each kind anew.

tangent     of `residual`                       :mod:`flexmb.kernels.derivatives`
constraint  of `position`                       :mod:`flexmb.kernels.positions`
jacobian    of `position`, or of `constraint`
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.errors import KernelError
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.derivatives import MOST, jacobian_of, tangent_of
from flexmb.kernels.dual_arrays import Orientations
from flexmb.kernels.dual_types import LANES
from flexmb.kernels.positions import constraint_from, jacobian_from

#: how many numbers a dual number of second order has, at most
_NUMBERS = 2 * (1 + LANES * MOST)


#: families with kernels that were made, by the ids of those that lack them and what their instances are; kept alive
_made: dict[tuple[Any, ...], tuple[Kernels, Kernels]] = {}


def complete(kernels: Any, coordinates: Any, rows: Any, work: int, where: str) -> tuple[Any, int]:
    """A family with the kernels that it leaves out, and how many scratch numbers an instance then needs; `coordinates`,
    `rows` and `work`, the number of scratch numbers, are those of an instance."""
    if not isinstance(kernels, Kernels):
        return kernels, work
    found = (getattr(kernels, role) for role in ("residual", "tangent", "constraint", "jacobian", "position"))
    residual, tangent, constraint, jacobian, position = found
    settled = (tangent or not residual, constraint or not position, jacobian or not (position or constraint))
    if all(settled):
        return kernels, work
    text = f"{where}: kernels {kernels.name!r} lack derivatives, which are then made; {{}}"
    turns, width = orientations_in(coordinates, text), int(np.shape(joined(coordinates).v)[-1])
    if position and any(len(row) > 2 and row[2] == "velocity" for row in rows or ()):
        raise KernelError(f"{where}: kernels {kernels.name!r} give positions, which a velocity row has not")
    key = (id(kernels), turns, width)
    if key not in _made:
        made: dict[str, Any] = {}
        if residual and not tangent:
            made["tangent"] = tangent_of(residual, turns, width)
        if position and not constraint:
            made["constraint"] = constraint_from(position, turns)
        if position and not jacobian:
            filled = () if kernels.pattern is None else np.flatnonzero(np.any(kernels.pattern.K, axis=1))
            made["jacobian"] = jacobian_from(position, turns, width, tuple(int(c) for c in filled))
        elif constraint and not jacobian:
            made["jacobian"] = jacobian_of(constraint, turns, width)
        _made[key] = kernels, replace(kernels, given=kernels, **made)
    return _made[key][1], work + _NUMBERS * (max(width, len(rows or ())) + work)


def asked_scratch(kernels: Kernels, work: int, width: int, rows: int) -> int:
    """How many scratch numbers a family asked for; `work` is how many an instance has, of `width` speeds and as many
    `rows`."""
    return work if kernels.given is None else (work - _NUMBERS * max(width, rows)) // (1 + _NUMBERS)


def orientations_in(coordinates: Any, message: str = "{}") -> Orientations:
    """The places of orientations among the blocks of an instance, or of many instances.

    >>> place, turn = Numbers(np.arange(3), np.arange(3)), Numbers(np.arange(3, 7), np.arange(3, 6))
    >>> orientations_in([place, turn, place, turn])
    ((3, 3), (10, 9))
    """
    blocks = [coordinates] if isinstance(coordinates, Numbers | np.ndarray) else list(coordinates)
    found, at_q, at_v = [], 0, 0
    for block in blocks:
        q, v = (np.shape(x)[-1] for x in (block if isinstance(block, Numbers) else (block, block)))
        if (q, v) == (4, 3):
            found.append((at_q, at_v))
        elif q != v:
            raise KernelError(message.format("give its coordinates block by block, so that it knows the orientations"))
        at_q, at_v = at_q + q, at_v + v
    return tuple(found)

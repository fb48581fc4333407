"""Steps from axes to axes, and bodies in axes, of which the recursions of a block are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flexmb.formulations.blocks.expressions import Scalar
from flexmb.formulations.blocks.vectors import (
    UNIT,
    ZERO,
    Matrix,
    Symmetric,
    Vector,
    X,
    Y,
    Z,
    plus,
    product,
    symmetric_turned,
    turned_about_z,
)  # fmt: skip

#: motions [ω; v] of shifts and of turns along three axes
SHIFTS: tuple[tuple[Vector, Vector], ...] = ((ZERO, X), (ZERO, Y), (ZERO, Z))
TURNS: tuple[tuple[Vector, Vector], ...] = ((X, ZERO), (Y, ZERO), (Z, ZERO))


@dataclass
class Step:
    """A step of the recursion: the one before it, −1 for what carries the block; R = E T and d; for a turn about z its
    cosine and sine; motions [ω; v] in its own axes, and the `numbers` of their speeds among the unknowns. An amplitude
    of a flexible body moves in several steps."""

    before: int
    E: Matrix
    T: Matrix
    d: Vector
    turn: tuple[Scalar, Scalar] | None = None
    motions: tuple[tuple[Vector, Vector], ...] = ()
    numbers: Sequence[int] = ()
    R: Matrix = field(init=False)

    def __post_init__(self) -> None:
        self.R = product(self.E, self.T)

    def inertia_before(self, J: Symmetric) -> Symmetric:
        """R J Rᵀ."""
        turned = J if self.T is UNIT else symmetric_turned(self.T, J) if self.turn is None else turned_about_z(
            *self.turn, J
        )  # fmt: skip
        return turned if self.E is UNIT else symmetric_turned(self.E, turned)


@dataclass
class Body:
    """Mass, first moment and inertia about the origin, in the axes of a step."""

    m: Scalar
    s: Vector
    J: Symmetric


def together(a: Body | None, b: Body) -> Body:
    """Two bodies as one, in the same axes."""
    return b if a is None else Body(a.m + b.m, plus(a.s, b.s), [x + y for x, y in zip(a.J, b.J)])


def unit_or(axes: list[Scalar]) -> Matrix:
    """A rotation, UNIT if it is that."""
    return UNIT if all(isinstance(a, float) and a == b for a, b in zip(axes, UNIT)) else axes

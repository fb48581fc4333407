"""Bodies with small deflections in a floating frame (:mod:`flexmb.model.flexible_bodies`) in the equations of a block.

In each of the three parts of the field, along the middle and along y and z of its sections, with the vectors s_F of its
functions and ω, α of the body frame and a of its origin, all in its axes, the acceleration of the field and the forces
of inertia on the functions are

    a_F = s̈_F + 2 ω × ṡ_F + α × s_F + ω × (ω × s_F),    f_F = Σ_G P_FG a_G

where a is added to that of the function 1 along the middle. Its f_1 and all Σ s_F × f_F act on the frame, and on an
amplitude that moves s_F along e the part e · f_F. As a rigid body the deflected one has the mass P_11, the first moment
Σ_F P_1F s_F of the middle, and the inertia Σ_FG P_FG (s_F · s_G 1 − s_F s_Gᵀ). The axial displacement due to bending is
left out, as in the element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flexmb.formulations.blocks.expressions import Scalar, cosine, sine
from flexmb.formulations.blocks.structure import BeamShape
from flexmb.formulations.blocks.vectors import (
    ZERO,
    Matrix,
    Symmetric,
    Vector,
    X,
    Y,
    Z,
    cross,
    dot,
    plus,
    times,
)


@dataclass
class Amplitudes:
    """The amplitudes of a body with their rates, and in a derivation with u̇ their second rates (else zeros); `first`:
    the number of the first among the unknowns. y and z come before those of torsion."""

    first: int
    x: Sequence[Scalar]
    rates: Sequence[Scalar]
    second: Sequence[Scalar]


class Part:
    """A part of the field: the products of its functions, their vectors for zero amplitudes, and `moves`, the number of
    an amplitude, that of the function and the vector that it moves."""

    def __init__(self, shape: BeamShape, number: int, products: Sequence[Scalar]) -> None:
        size, vectors = shape.line.sizes[number], shape.line.parts[number]
        self.products = _symmetric(products, size)
        self.still = [ZERO] * size
        for F, f, e in vectors:
            self.still[f] = e if F == 0 else self.still[f]
        self.moves = [(F - 1, f, e) for F, f, e in vectors if F]

    def field(self, x: Sequence[Scalar], still: Sequence[Vector] | None = None) -> list[Vector]:
        """The vectors of amplitudes, added to others."""
        found = list(still or [ZERO] * len(self.still))
        for k, f, e in self.moves:
            found[f] = plus(found[f], times(x[k], e))
        return found

    def weighted(self, F: int, vectors: Sequence[Vector]) -> Vector:
        """Σ_G P_FG v_G."""
        total = ZERO
        for G, v in enumerate(vectors):
            total = plus(total, times(self.products[F][G], v))
        return total


class BentBody:
    """A body of a shape with its parameters, in the order of its marks, and its amplitudes."""

    def __init__(self, shape: BeamShape, marked: dict[str, list[Scalar]], amplitudes: Amplitudes) -> None:
        self.line, self.amplitudes = shape.line, amplitudes
        self.parts = [Part(shape, k, marked[what]) for k, what in enumerate(("middle", "along_y", "along_z"))]
        self.fields = [part.field(amplitudes.x, part.still) for part in self.parts]
        self.stiffness, self.damping = marked["stiffness"], marked["damping"]

    @property
    def numbers(self) -> range:
        """The numbers of its amplitudes among the unknowns."""
        return range(self.amplitudes.first, self.amplitudes.first + self.line.modes)

    # -- the equations -----------------------------------------------------------------------------------------------

    def rigid(self) -> tuple[Scalar, Vector, Symmetric]:
        """Mass, first moment and inertia of the deflected body about the origin of its frame."""
        J: list[Scalar] = [0.0] * 6
        for part, field in zip(self.parts, self.fields):
            for F, (a, b, c) in enumerate(field):
                x, y, z = part.weighted(F, field)
                own = b * y + c * z, a * x + c * z, a * x + b * y, -(a * y), -(a * z), -(b * z)
                J = [one + more for one, more in zip(J, own)]
        middle = self.parts[0]
        return middle.products[0][0], middle.weighted(0, self.fields[0]), J

    def coupling(self, k: int) -> tuple[Vector, Vector]:
        """The forces [n; f] on the frame for a unit second rate of amplitude k."""
        n, f = ZERO, ZERO
        for part, field in zip(self.parts, self.fields):
            for _, G, e in (move for move in part.moves if move[0] == k):
                for F, s in enumerate(field):
                    n = plus(n, times(part.products[F][G], cross(s, e)))
                if part is self.parts[0]:
                    f = times(part.products[0][G], e)
        return n, f

    def own_mass(self, k: int, j: int) -> Scalar:
        """The entry of the mass matrix between two amplitudes, j ≤ k."""
        total: Scalar = 0.0
        for part in self.parts:
            own, other = ([move for move in part.moves if move[0] == i] for i in (k, j))
            for _, F, e in own:
                for _, G, d in other:
                    total = total + dot(e, d) * part.products[F][G]
        return total

    def forces(self, motion: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector, list[Scalar]]:
        """The forces [n; f] on the frame and those on the amplitudes for its motion ω, α, a, with elasticity and
        damping."""
        w, alpha, a = motion
        own, moment, force = self.amplitudes, ZERO, ZERO
        on = [self.stiffness[k] * own.x[k] + self.damping[k] * own.rates[k] for k in range(self.line.modes)]
        for part, field in zip(self.parts, self.fields):
            accelerations = []
            for s, sd, sdd in zip(field, part.field(own.rates), part.field(own.second)):
                turning = plus(cross(alpha, s), cross(w, cross(w, s)))
                accelerations.append(plus(plus(sdd, times(2.0, cross(w, sd))), turning))
            if part is self.parts[0]:
                accelerations[0] = a
            f = [part.weighted(F, accelerations) for F in range(len(field))]
            for s, of_function in zip(field, f):
                moment = plus(moment, cross(s, of_function))
            for k, F, e in part.moves:
                on[k] = on[k] + dot(e, f[F])
            force = f[0] if part is self.parts[0] else force
        return moment, force, on

    # -- places ------------------------------------------------------------------------------------------------------

    def turns(self, marked: dict[str, list[Scalar]]) -> list[Turning]:
        """How a section goes against the frame, turn by turn, at the place with these parameters."""
        n, planes, x = self.line.bending, self.line.planes, self.amplitudes.x
        shapes, slopes, twists = marked["shapes"], marked["slopes"], marked["twists"]
        across = [_sum(b * x[n * p + k] for k, b in enumerate(shapes)) for p in range(planes)]
        angle = _sum(d * x[k] for k, d in enumerate(slopes))
        c, s = cosine(angle), sine(angle)
        d: Vector = (marked["x"][0], across[0] if n else 0.0, across[1] if n and planes > 1 else 0.0)
        back_y: Vector = (s, c, 0.0)
        moved = [(k, times(slopes[k], Z), times(shapes[k], back_y)) for k in range(n)]
        if planes > 1:
            moved += [(n + k, ZERO, times(shapes[k], Z)) for k in range(n)]
        found = [Turning(d, (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), (c, s), moved)]
        if planes > 1 and n:
            angle = _sum(d * x[n + k] for k, d in enumerate(slopes))
            c, s = cosine(angle), sine(angle)
            about_y = [(n + k, times(-slopes[k], Y), ZERO) for k in range(n)]
            found.append(Turning(ZERO, (c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c), None, about_y))
        if twists:
            angle = _sum(t * x[planes * n + k] for k, t in enumerate(twists))
            c, s = cosine(angle), sine(angle)
            about_x = [(planes * n + k, times(t, X), ZERO) for k, t in enumerate(twists)]
            found.append(Turning(ZERO, (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c), None, about_x))
        return found


@dataclass
class Turning:
    """A step by d and a rotation T, of a turn about z with its cosine and sine; `moved`: amplitudes with the motions
    [ω; v] of their rates, in axes behind the turn."""

    d: Vector
    T: Matrix
    turn: tuple[Scalar, Scalar] | None
    moved: list[tuple[int, Vector, Vector]]


def _sum(terms: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total


def _symmetric(above: Sequence[Scalar], size: int) -> list[list[Scalar]]:
    """A symmetric matrix of its entries on and above the diagonal."""
    found: list[list[Scalar]] = [[0.0] * size for _ in range(size)]
    at = 0
    for i in range(size):
        for j in range(i, size):
            found[i][j] = found[j][i] = above[at]
            at += 1
    return found

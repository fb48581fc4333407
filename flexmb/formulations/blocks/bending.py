"""Bodies with small deflections in a floating frame (:mod:`flexmb.model.flexible_bodies`) in the equations of a block.

With the vectors s_F of the functions F = (1, x, b_k) and ω, α, a of the body frame, all in its axes, the acceleration
of the field and the forces of inertia on the amplitudes of F are

    a_1 = a,    a_F = s̈_F + 2 ω × ṡ_F + α × s_F + ω × (ω × s_F),    f_F = Σ_G ρA ∫F G dx a_G

of which f_1 and Σ s_F × f_F act on the frame, and the parts of f_bk across on y_k and z_k. The sections have the
angular momentum h = I ω + Σ h_k ẋ_k besides, which needs the moment ḣ + ω × h, and moments on the amplitudes. As a
rigid body the deflected one has the mass ρA ∫1 dx, the first moment Σ_F ρA ∫F dx s_F, and the inertia
Σ_FG ρA ∫F G dx (s_F · s_G 1 − s_F s_Gᵀ) + I. The axial displacement due to bending is left out, as in the element.
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


class BentBody:
    """A body of a shape with its parameters, in the order of its marks, and its amplitudes."""

    def __init__(self, shape: BeamShape, marked: dict[str, list[Scalar]], amplitudes: Amplitudes) -> None:
        self.shape, self.amplitudes = shape, amplitudes
        n = self.n = shape.bending
        size = 2 + n
        self.mass = _symmetric(marked["mass"], size)
        self.sections, self.momenta, self.twists = marked["sections"], marked["momenta"], marked["twists"]
        half = n * (n + 1) // 2
        self.slopes = [_symmetric(marked["slopes"][half * p : half * (p + 1)], n) for p in range(shape.planes)]
        self.stiffness, self.damping = marked["stiffness"], marked["damping"]
        self.field = self._field(amplitudes.x, X)
        self.moving, self.speeding = (self._field(x, ZERO) for x in (amplitudes.rates, amplitudes.second))

    def _field(self, x: Sequence[Scalar], along: Vector) -> list[Vector]:
        """The vectors s_F of amplitudes."""
        n = self.n
        bent = [(0.0, x[k], x[n + k] if self.shape.planes > 1 else 0.0) for k in range(n)]
        return [ZERO, along, *bent]  # type: ignore[list-item]

    @property
    def numbers(self) -> range:
        """The numbers of its amplitudes among the unknowns."""
        return range(self.amplitudes.first, self.amplitudes.first + self.shape.modes)

    def _axis(self, k: int) -> Vector:
        """The axis about which amplitude k turns the sections."""
        planes, n = self.shape.planes, self.n
        return Z if k < n else Y if k < planes * n else X

    # -- the equations -----------------------------------------------------------------------------------------------

    def rigid(self) -> tuple[Scalar, Vector, Symmetric]:
        """Mass, first moment and inertia of the deflected body about the origin of its frame."""
        m, s, J = self.mass[0][0], ZERO, [self.sections[0], self.sections[1], self.sections[2], 0.0, 0.0, 0.0]
        for F in range(1, 2 + self.n):
            s = plus(s, times(self.mass[0][F], self.field[F]))
            x, y, z = self._weighted(F, self.field)
            a, b, c = self.field[F]
            own = b * y + c * z, a * x + c * z, a * x + b * y, -(a * y), -(a * z), -(b * z)
            J = [one + more for one, more in zip(J, own)]
        return m, s, J

    def _weighted(self, F: int, vectors: Sequence[Vector]) -> Vector:
        """Σ_G ρA ∫F G dx v_G."""
        total = ZERO
        for G, v in enumerate(vectors):
            total = plus(total, times(self.mass[F][G], v))
        return total

    def coupling(self, k: int) -> tuple[Vector, Vector]:
        """The forces [n; f] on the frame for a unit second rate of amplitude k."""
        n = times(self.momenta[k], self._axis(k))
        if k >= self.shape.planes * self.n:
            return n, ZERO
        G, across = 2 + k % self.n, Y if k < self.n else Z
        for F in range(1, 2 + self.n):
            n = plus(n, times(self.mass[F][G], cross(self.field[F], across)))
        return n, times(self.mass[0][G], across)

    def own_mass(self, k: int, j: int) -> Scalar:
        """The entry of the mass matrix between two amplitudes, j ≤ k."""
        n, planes = self.n, self.shape.planes
        if k >= planes * n:
            return self.twists[k - planes * n] if j == k else 0.0
        if k // n != j // n:
            return 0.0
        return self.mass[2 + k % n][2 + j % n] + self.slopes[k // n][k % n][j % n]

    def forces(self, motion: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector, list[Scalar]]:
        """The forces [n; f] on the frame and those on the amplitudes for its motion ω, α, a, with elasticity and
        damping."""
        w, alpha, a = motion
        n, planes, own = self.n, self.shape.planes, self.amplitudes
        accelerations = [a]
        for s, sd, sdd in zip(self.field[1:], self.moving[1:], self.speeding[1:]):
            turning = plus(cross(alpha, s), cross(w, cross(w, s)))
            accelerations.append(plus(plus(sdd, times(2.0, cross(w, sd))), turning))
        f = [self._weighted(F, accelerations) for F in range(2 + n)]
        moment = ZERO
        for s, force in zip(self.field, f):
            moment = plus(moment, cross(s, force))
        h, hd = (
            (self.sections[0] * spin[0], self.sections[1] * spin[1], self.sections[2] * spin[2]) for spin in (w, alpha)
        )
        on_amplitudes: list[Scalar] = []
        for k in range(self.shape.modes):
            axis = times(self.momenta[k], self._axis(k))
            h, hd = plus(h, times(own.rates[k], axis)), plus(hd, times(own.second[k], axis))
            total = dot(axis, alpha)
            if k < planes * n:
                total = total + f[2 + k % n][1 + k // n]
                for j in range(n):
                    total = total + self.slopes[k // n][k % n][j] * own.second[n * (k // n) + j]
            else:
                total = total + self.twists[k - planes * n] * own.second[k]
            on_amplitudes.append(total + self.stiffness[k] * own.x[k] + self.damping[k] * own.rates[k])
        return plus(moment, plus(hd, cross(w, h))), f[0], on_amplitudes

    # -- places ------------------------------------------------------------------------------------------------------

    def turns(self, marked: dict[str, list[Scalar]]) -> list[Turning]:
        """How a section goes against the frame, turn by turn, at the place with these parameters."""
        n, planes, x = self.n, self.shape.planes, self.amplitudes.x
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

"""The equations of motion of a block, by the Newton-Euler recursions of its links in expressions.

Each motion of a joint is a step from axes p to axes i: a rotation R and an arm d, with the motions S u in axes i. For
u̇ = 0, from the step that carries all to the tips,

    ω = Rᵀ ωₚ + S₀ u,    α = Rᵀ αₚ + (Rᵀ ωₚ) × S₀ u,
    a = Rᵀ (aₚ + αₚ × d + ωₚ × (ωₚ × d)) + 2 (Rᵀ ωₚ) × S₁ u

where the ground accelerates upwards in place of gravity; and from the tips, with the forces of Newton and Euler on the
links, h = Sᵀ [n; f]: Luh, Walker and Paul (1980). The mass matrix is that of composite bodies: Walker and Orin (1982).
The first link of a floating block has the accelerations [α; a] in ground axes as its own, and needs the forces
[n; f]: the equations of Takahashi (2012), (4.2).
"""

from __future__ import annotations

from typing import Any

from flexmb.formulations.blocks.bending import Amplitudes, BentBody
from flexmb.formulations.blocks.expressions import Scalar, Sheet, cosine, inverse, sine
from flexmb.formulations.blocks.steps import SHIFTS, TURNS, Body, Step, together, unit_or
from flexmb.formulations.blocks.structure import (
    OF_BODY,
    OF_PLACE,
    BeamShape,
    LinkShape,
    MotionShape,
    Structure,
    WithinShape,
)
from flexmb.formulations.blocks.vectors import (
    UNIT,
    ZERO,
    Matrix,
    Vector,
    Z,
    about_another_point,
    applied,
    back,
    cross,
    dot,
    minus,
    plus,
    product,
    quaternion_matrix,
    symmetric_applied,
    symmetric_turned,
    times,
)
from flexmb.model.ways import BALL, FIXED, FREE, SCREW, SLIDE, TURN

#: which components of [α; a] and [n; f] a first link in the plane has
IN_PLANE = (2, 3, 4)


class Equations:
    """M and h of a block, and the motion of its links; `rates`: with u̇ as further symbols, so that h becomes the
    drives that they need."""

    def __init__(self, structure: Structure, sheet: Sheet, rates: bool = False) -> None:
        self.structure, self.sheet, self.rates = structure, sheet, rates
        self.base = structure.base
        self.steps, self.end_of, self.bodies = list[Step](), list[int](), dict[int, Body]()
        self.bent = dict[int, BentBody]()
        self.ground = self._ground()
        self._parameters = 0
        self._place()
        self._carry_on()

    def _symbols(self, array: str, count: int, first: int = 0) -> Any:
        return tuple(self.sheet.symbol(array, first + k) for k in range(count))

    def _ground(self) -> Matrix:
        """The rotation from the axes of what carries the steps to those of the ground."""
        if not self.structure.floating:
            return UNIT
        if not self.structure.sense:
            return tuple(self._symbols("turn", 9))
        sign = 1.0 if self.structure.sense == "+" else -1.0
        c, s = self._symbols("turn", 2)
        return c, -sign * s, 0.0, s, sign * c, 0.0, 0.0, 0.0, sign

    # -- steps -------------------------------------------------------------------------------------------------------

    def _marked(self, marks: str) -> list[Scalar]:
        """The components with some marks, the next parameters among them."""
        found: list[Scalar] = []
        for mark in marks:
            if mark == "p":
                found.append(self.sheet.symbol("parameters", self._parameters))
                self._parameters += 1
            else:
                found.append({"0": 0.0, "1": 1.0, "-": -1.0}[mark])
        return found

    def _place(self) -> None:
        x = u = 0
        on: dict[tuple[int, int], int] = {}
        for k, link in enumerate(self.structure.links):
            at = self.end_of[link.parent] if link.parent >= 0 else -1
            if link.within is not None:
                at = self._bend(on[link.parent, link.within.body], link.within)
            elif not (self.structure.floating and k == 0):
                for motion in link.motions:
                    x, u = self._append(at, motion, x, u)
                    at = len(self.steps) - 1
            self.end_of.append(at)
            self.bodies[at] = self._body(link)
            for b, shape in enumerate(link.bodies):
                on[k, b] = self._put_bent(at, shape, x, u)
                x, u = x + shape.modes, u + shape.modes

    def _body(self, link: LinkShape) -> Body:
        m, *s = self._marked(link.mass + link.moment)
        return Body(m, (s[0], s[1], s[2]), self._marked(link.inertia))

    def _put_bent(self, at: int, shape: BeamShape, x: int, u: int) -> int:
        """Add the step to the frame of a flexible body on step `at`; returns the index of that step."""
        marked = self._parts(shape, *OF_BODY)
        axes, (bx, by, bz) = marked["axes"], marked["place"]
        self.steps.append(Step(at, unit_or(axes), UNIT, (bx, by, bz)))
        second = self._rates(self.base + u, shape.modes) if self.rates else [0.0] * shape.modes
        own = Amplitudes(self.base + u, self._symbols("x", shape.modes, x), self._symbols("u", shape.modes, u), second)
        self.bent[len(self.steps) - 1] = BentBody(shape, marked, own)
        return len(self.steps) - 1

    def _bend(self, at: int, within: WithinShape) -> int:
        """Add the steps from the frame of a flexible body, at the end of step `at`, to a link within it; returns the
        index of the last."""
        marked, body = self._parts(within, *OF_PLACE), self.bent[at]
        for turning in body.turns(marked):
            numbers = [body.amplitudes.first + k for k, _, _ in turning.moved]
            motions = tuple((e, along) for _, e, along in turning.moved)
            self.steps.append(Step(at, UNIT, turning.T, turning.d, turning.turn, motions, numbers))
            at = len(self.steps) - 1
        px, py, pz = marked["place"]
        self.steps.append(Step(at, unit_or(marked["axes"]), UNIT, (px, py, pz)))
        return len(self.steps) - 1

    def _parts(self, shape: BeamShape | WithinShape, *names: str) -> dict[str, list[Scalar]]:
        """The components of parts of a shape, the next parameters among them."""
        return {name: self._marked(getattr(shape, name)) for name in names}

    def _append(self, at: int, motion: MotionShape, x: int, u: int) -> tuple[int, int]:
        """Add the steps of a motion behind step `at`; returns the numbers of the next coordinate and speed."""
        E = unit_or(self._marked(motion.axes))
        px, py, pz = self._marked(motion.place)
        pitch = self._marked(motion.pitch)[0]
        place, kind, sheet = (px, py, pz), motion.kind, self.sheet
        if kind == FIXED:
            self.steps.append(Step(at, E, UNIT, place))
        elif kind in (BALL, FREE):
            if kind == FREE:
                d = plus(place, applied(E, self._symbols("x", 3, x)))
                self.steps.append(Step(at, E, UNIT, d, None, SHIFTS, self._next(u, 3)))
                at, x, u, E, place = len(self.steps) - 1, x + 3, u + 3, UNIT, ZERO
            e0, e1, e2, e3 = self._symbols("x", 4, x)
            size = e0 * e0 + e1 * e1 + (e2 * e2 + e3 * e3)
            T = quaternion_matrix(e0, e1, e2, e3, 2.0 * inverse(size))
            self.steps.append(Step(at, E, T, place, None, TURNS, self._next(u, 3)))
            return x + 4, u + 3
        else:
            q, along, T, turn = sheet.symbol("x", x), ZERO, UNIT, None
            if kind in (SLIDE, SCREW):
                along = times(pitch, Z)
                place = plus(place, times(q, applied(E, along)))
            if kind in (TURN, SCREW):
                turn = c, s = cosine(q), sine(q)
                T = (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
            own = ((Z if turn else ZERO, along),)
            self.steps.append(Step(at, E, T, place, turn, own, self._next(u, 1)))
            return x + 1, u + 1
        return x, u

    def _next(self, u: int, count: int) -> range:
        """The numbers among the unknowns of `count` speeds from u on."""
        return range(self.base + u, self.base + u + count)

    # -- from what carries the block to the tips -----------------------------------------------------------------------

    def _carry_on(self) -> None:
        """Motion of all steps for u̇ = 0, or with u̇."""
        g = self._symbols("gravity", 2 if self.structure.sense else 3)
        self.gravity: Vector = (g[0], g[1], 0.0 if self.structure.sense else g[2])
        ground, w, alpha, a = self.ground, ZERO, ZERO, minus(ZERO, self.gravity)
        if self.structure.floating:
            spin = self._symbols("spin", 1 if self.structure.sense else 3)
            w = back(ground, (0.0, 0.0, spin[0]) if self.structure.sense else spin)
            if self.rates:
                rates = self._rates(0, self.base)
                full: list[Scalar] = [0.0] * 6
                for i, rate in zip(self._components(), rates):
                    full[i] = rate
                alpha, a = back(ground, (full[0], full[1], full[2])), plus(a, (full[3], full[4], full[5]))
        self.motion: dict[int, tuple[Vector, Vector, Vector]] = {-1: (w, alpha, back(ground, a))}
        for i, step in enumerate(self.steps):
            w, alpha, a = self.motion[step.before]
            a = plus(a, plus(cross(alpha, step.d), cross(w, cross(w, step.d))))
            w, alpha, a = back(step.R, w), back(step.R, alpha), back(step.R, a)
            turning, shifting = self._along(step, [self.sheet.symbol("u", k - self.base) for k in step.numbers])
            alpha, a = plus(alpha, cross(w, turning)), plus(a, times(2.0, cross(w, shifting)))
            if self.rates:
                more = self._along(step, [self.sheet.symbol("rates", k) for k in step.numbers])
                alpha, a = plus(alpha, more[0]), plus(a, more[1])
            self.motion[i] = plus(w, turning), alpha, a

    def _rates(self, first: int, count: int) -> Any:
        return self._symbols("rates", count, first)

    @staticmethod
    def _along(step: Step, u: Any) -> tuple[Vector, Vector]:
        turning, shifting = ZERO, ZERO
        for (e, along), speed in zip(step.motions, u):
            turning, shifting = plus(turning, times(speed, e)), plus(shifting, times(speed, along))
        return turning, shifting

    def _components(self) -> tuple[int, ...]:
        return () if not self.base else IN_PLANE if self.structure.sense else tuple(range(6))

    # -- from the tips back ------------------------------------------------------------------------------------------

    def bias(self) -> list[Scalar]:
        """h (N,): the forces [n; f] on the first link of a floating block in ground axes, and the drives, for u̇ = 0,
        or for `rates`."""
        found: list[Scalar] = [0.0] * (self.base + self.structure.speeds)
        force = {i: (ZERO, ZERO) for i in range(-1, len(self.steps))}
        for i in (*range(len(self.steps) - 1, -1, -1), -1):
            n, f = force[i]
            if i in self.bodies:
                body, (w, alpha, a) = self.bodies[i], self.motion[i]
                n = plus(n, plus(symmetric_applied(body.J, alpha), cross(body.s, a)))
                n = plus(n, cross(w, symmetric_applied(body.J, w)))
                f = plus(f, plus(times(body.m, a), plus(cross(alpha, body.s), cross(w, cross(w, body.s)))))
            if i in self.bent:
                of_n, of_f, on_amplitudes = self.bent[i].forces(self.motion[i])
                n, f = plus(n, of_n), plus(f, of_f)
                for k, force_k in zip(self.bent[i].numbers, on_amplitudes):
                    found[k] = found[k] + force_k
            if i < 0:
                self._add_base(found, (n, f))
                break
            step = self.steps[i]
            for k, motion in zip(step.numbers, step.motions):
                found[k] = found[k] + (dot(motion[0], n) + dot(motion[1], f))
            before, own = force[step.before], self._before(step, (n, f))
            force[step.before] = plus(before[0], own[0]), plus(before[1], own[1])
        return found

    def _add_base(self, into: list[Scalar], force: tuple[Vector, Vector]) -> None:
        six = (*applied(self.ground, force[0]), *applied(self.ground, force[1]))
        for place, i in enumerate(self._components()):
            into[place] = into[place] + six[i]

    @staticmethod
    def _before(step: Step, force: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        """A force in the axes of the step before and about its origin."""
        n, f = applied(step.R, force[0]), applied(step.R, force[1])
        return plus(n, cross(step.d, f)), f

    def mass_matrix(self) -> tuple[list[list[Scalar]], list[Scalar]]:
        """M (N, N), on and below the diagonal, and for each speed the largest its diagonal entry could be of the same
        composite body."""
        size = self.base + self.structure.speeds
        M: list[list[Scalar]] = [[0.0] * (k + 1) for k in range(size)]
        largest: list[Scalar] = [0.0] * size
        composite = dict(self.bodies)
        for i in range(len(self.steps) - 1, -1, -1):
            step = self.steps[i]
            if i in self.bent:
                composite[i] = together(composite.get(i), Body(*self.bent[i].rigid()))
                self._put_amplitudes(step, self.bent[i], M, largest)
            body = composite.get(i, Body(0.0, ZERO, (0.0,) * 6))
            for j, (row, (e, along)) in enumerate(zip(step.numbers, step.motions)):
                force = (
                    plus(symmetric_applied(body.J, e), cross(body.s, along)),
                    plus(times(body.m, along), cross(e, body.s)),
                )
                for column, other in zip(step.numbers[: j + 1], step.motions):
                    _add(M, row, column, dot(other[0], force[0]) + dot(other[1], force[1]))
                trace = body.J[0] + body.J[1] + body.J[2]
                largest[row] = largest[row] + (trace * dot(e, e) + 3.0 * (body.m * dot(along, along)))
                self._towards_base(step, force, M, row)
            J = step.inertia_before(body.J)
            s, J = about_another_point(body.m, applied(step.R, body.s), J, step.d)
            composite[step.before] = together(composite.get(step.before), Body(body.m, s, J))
        if self.base:
            self._base_mass(composite[-1], M, largest)
        return M, largest

    def _put_amplitudes(self, step: Step, body: BentBody, M: list[list[Scalar]], largest: list[Scalar]) -> None:
        """The rows of the amplitudes of a flexible body at the end of a step, as far as it is the body itself that
        moves."""
        for k, row in enumerate(body.numbers):
            for j, column in enumerate(body.numbers[: k + 1]):
                _add(M, row, column, body.own_mass(k, j))
            largest[row] = largest[row] + body.own_mass(k, k)
            self._towards_base(step, body.coupling(k), M, row)

    def _towards_base(self, step: Step, force: tuple[Vector, Vector], M: list[list[Scalar]], row: int) -> None:
        """Add to M what a force in the axes of a step, that of a unit rate of unknown `row`, does on the motions of the
        steps before."""
        while True:
            force = self._before(step, force)
            if step.before < 0:
                break
            step = self.steps[step.before]
            for column, motion in zip(step.numbers, step.motions):
                value = dot(motion[0], force[0]) + dot(motion[1], force[1])
                _add(M, row, column, 2.0 * value if column == row else value)
        self._add_base(M[row], force)

    def _base_mass(self, body: Body, M: list[list[Scalar]], largest: list[Scalar]) -> None:
        """The rows of the first link of a floating block: J, s̃ and m in ground axes."""
        J, (x, y, z), m = symmetric_turned(self.ground, body.J), applied(self.ground, body.s), body.m
        full: list[list[Scalar]] = [
            [J[0], J[3], J[4], 0.0, -z, y],
            [J[3], J[1], J[5], z, 0.0, -x],
            [J[4], J[5], J[2], -y, x, 0.0],
            [0.0, z, -y, m, 0.0, 0.0],
            [-z, 0.0, x, 0.0, m, 0.0],
            [y, -x, 0.0, 0.0, 0.0, m],
        ]
        for row, i in enumerate(self._components()):
            for column, j in enumerate(self._components()[: row + 1]):
                M[row][column] = full[i][j]
            largest[row] = J[0] + J[1] + J[2] if i < 3 else 3.0 * m

    # -- handles -----------------------------------------------------------------------------------------------------

    def handle(self, link: int) -> tuple[list[list[Scalar]], list[Scalar]]:
        """J (6, N) of a link at its origin, in ground axes, and its acceleration (6,) for u̇ = 0."""
        size = self.base + self.structure.speeds
        J: list[list[Scalar]] = [[0.0] * size for _ in range(6)]
        path, at = list[int](), self.end_of[link]
        while at >= 0:
            path.append(at)
            at = self.steps[at].before
        R, place = self.ground, ZERO
        places = {}
        for i in reversed(path):
            place, R = plus(place, applied(R, self.steps[i].d)), product(R, self.steps[i].R)
            places[i] = place, R
        for column, i in enumerate(self._components()):
            e = tuple(1.0 if k == i else 0.0 for k in range(6))
            six = (*e[:3], *(plus((e[3], e[4], e[5]), cross((e[0], e[1], e[2]), place))))
            for k in range(6):
                J[k][column] = six[k]
        for i, (at_i, R_i) in places.items():
            for j, motion in enumerate(self.steps[i].motions):
                e_j = applied(R_i, motion[0])
                six = (*e_j, *plus(applied(R_i, motion[1]), cross(e_j, minus(place, at_i))))
                column = self.steps[i].numbers[j]
                for k in range(6):
                    J[k][column] = J[k][column] + six[k]
        if not path:  # the first link of a floating block
            return J, [0.0] * 6
        _, alpha, a = self.motion[self.end_of[link]]
        return J, [*applied(R, alpha), *plus(applied(R, a), self.gravity)]


def _add(M: list[list[Scalar]], row: int, column: int, value: Scalar) -> None:
    """Add to an entry of a symmetric matrix, of which the part on and below the diagonal is kept."""
    i, j = max(row, column), min(row, column)
    M[i][j] = M[i][j] + value

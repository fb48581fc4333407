"""The attraction of beams by Gauss points, as of slices with the inertia of their sections.

At each Gauss point of an element the kernels `point` and `point_jacobian` of the beam tell the place r of its axis, the
axes Λ of the section and J of (ṙ, ω) there. A slice of the length w has the mass ϱA w, its center at s in the section
and the second moments S w about it, so that it is attracted as a small body is
(:mod:`flexmb.elements.spatial.attraction.pull`), by F and M + s × F at the axis. With J in the axes of the section for
ω, and T the change of these by (δr, y),

    f = −Jᵀ (Λ F, Λ (M + s × F)),     K = −∂(Jᵀ f)/∂q − Jᵀ T J

How many points an element takes is told by its theory, `mass_points`: eight, and two more for each mode.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from flexmb.elements.interior import DATA, HEAD, OWN, force_at, jacobian_in, place_in
from flexmb.elements.spatial.attraction.pull import (
    AttractionAlong,
    column_of,
    extent_energy,
    extent_power,
    pull,
    seen,
)
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import allocation_free, compiled, inlined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned, turned_back
from flexmb.kernels.vectors import NONE, cross, matrix_in, plus, put, vector_in
from flexmb.kernels.widths import SPATIAL_POINT_ROWS as ROWS
from flexmb.kernels.widths import SPATIAL_POINT_WIDTH as WIDTH
from flexmb.model.components import Assembler
from flexmb.model.gravity.falling import MU, SIZE, origin_of, potential, power

#: parameters behind those of the element: the number of places, that of scratch numbers of a place, and those of the
#: field; then of each place its mass, its center (3), S (9), and what the point kernel takes for it
COUNT, ROOM, FIELD, PLACES = 0, 1, 2, 2 + SIZE
CENTER, SECOND, SHAPES = 1, 4, 13
#: scratch numbers besides those of a place: T (6, 6)
CHANGE = 36


class BeamAttraction(AttractionAlong):
    """The attraction of a beam in space, whose `section_mass` tells mass, center and inertia of its sections.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", (-0.5, 0, 0), (0.5, 0, 0), properties=given)
    >>> m.check()["rod"].elements, m.component("gravity of rod").of is rod
    (1, True)
    """

    @property
    def kernels(self) -> Kernels:
        return ATTRACTED_BEAM

    def check(self) -> None:
        self.of.check_places(self.where)
        super().check()

    def assemble(self, assembly: Assembler) -> None:
        beam = self.of
        elements, stations = beam.elements_of(assembly), beam.stations.tolist()
        nodes, weights = np.polynomial.legendre.leggauss(int(beam.mass_points))
        local = 0.5 * (nodes + 1.0)
        data = np.array([beam.point_data(x) for x in local.tolist()]).reshape(len(local), -1)
        rows = []
        for first, last in pairwise(stations):
            place = beam.interior(elements, 0.5 * (first + last))
            own = place.parameters[HEAD + data.shape[1] :]
            lengths = 0.5 * beam.length * (last - first) * weights
            slices = [
                np.concatenate([[L * rhoA], center, L * (0.5 * np.trace(J) * np.eye(3) - J).ravel()])
                for L, (rhoA, center, J) in zip(lengths, map(beam.section_mass, first + (last - first) * local))
            ]
            head = [*place.parameters[:HEAD], *own, len(local), place.work, *self.gravity.parameters]
            rows.append(np.concatenate([head, np.hstack([slices, data]).ravel()]))
        numbers = joined(elements.coordinates)
        coordinates = Numbers(np.atleast_2d(numbers.q), np.atleast_2d(numbers.v))
        room = place.work + CHANGE + ROWS * coordinates.v.shape[1]
        assembly.series(self, self.kernels, coordinates, np.array(rows), room)


@inlined
def starts(p, i):
    """Offsets of the parameters of the field and of the first place, and the number of entries of a place."""
    at = HEAD + int(p[i, OWN])
    return at, at + PLACES, SHAPES + int(p[i, DATA])


@compiled
def slice_at(row, place, turn, r):
    """The center and S of a slice whose section has these axes at the place r, and where its center is."""
    center = vector_in(row, place + CENTER)
    return center, matrix_in(row, place + SECOND), plus(r, turned(turn, center))


@compiled
def _slice(row, place, work):
    """The axes of the section, and the above, of a slice whose place stands in `work`."""
    turn = (work[3], work[4], work[5], work[6])
    return turn, *slice_at(row, place, turn, vector_in(work, 0))


@compiled
def acting(row, at, place, o, turn, center, S, x):
    """The field at a slice, and F and M + s × F, all in the axes of its section."""
    field = seen(row[at + FIELD + MU], o, x, turn)
    force, moment = pull(row[place], NONE, S, *field)
    return field, force, plus(moment, cross(center, force))


@allocation_free
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    o, od, before = NONE, NONE, 0
    for i in range(p.shape[0]):
        at, place, width = starts(p, i)
        o, od = origin_of(p, i, at + FIELD, before, t, o, od)
        before = at + FIELD
        for _ in range(int(p[i, at + COUNT])):
            data = place + SHAPES
            place_in(WIDTH, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, work)
            turn, center, S, x = _slice(p[i], place, work)
            _, force, moment = acting(p[i], at, place, o, turn, center, S, x)
            force, moment = turned(turn, force), turned(turn, moment)
            J, _ = jacobian_in(WIDTH, ROWS, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, 0.0, work)
            for k in range(n):
                for r in range(3):
                    out[i, k] -= force[r] * work[J + r * n + k] + moment[r] * work[J + (3 + r) * n + k]
            place += width


@compiled
def _put_change(m, turn, center, S, field, force, moment, work, T):
    """Fill T (6, 6), behind which J stands in the axes of the section for ω."""
    for j in range(6):
        y, on_place, on_turn = column_of(j, m, center, S, field, turn, force)
        on_turn = plus(on_turn, cross(y, moment))
        for k in range(3):
            work[T + 6 * k + j] = on_place[k]
            work[T + 6 * (3 + k) + j] = on_turn[k]


@allocation_free
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    o, od, before = NONE, NONE, 0
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        at, place, width = starts(p, i)
        T = int(p[i, at + ROOM])
        B, given = T + CHANGE, force_at(WIDTH, p, i)
        o, od = origin_of(p, i, at + FIELD, before, t, o, od)
        before = at + FIELD
        for _ in range(int(p[i, at + COUNT])):
            data = place + SHAPES
            place_in(WIDTH, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, work)
            turn, center, S, x = _slice(p[i], place, work)
            field, force, moment = acting(p[i], at, place, o, turn, center, S, x)
            _put_change(p[i, place], turn, center, S, field, force, moment, work, T)
            put(work, given, turned(turn, force))
            put(work, given + 3, turned(turn, moment))
            J, own = jacobian_in(WIDTH, ROWS, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, w[2], work)
            for k in range(n):
                y = turned_back(turn, (work[J + 3 * n + k], work[J + 4 * n + k], work[J + 5 * n + k]))
                for r in range(3):
                    work[B + r * n + k], work[B + (3 + r) * n + k] = work[J + r * n + k], y[r]
            for k in range(n):
                for r in range(6):
                    change = 0.0
                    for c in range(6):
                        change += work[T + 6 * r + c] * work[B + c * n + k]
                    change *= w[2]
                    for j in range(n):
                        K[i, j, k] -= change * work[B + r * n + j]
                for j in range(n):
                    K[i, j, k] -= work[own + j * n + k]
            place += width


@allocation_free
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    o, od, before = NONE, NONE, 0
    for i in range(p.shape[0]):
        at, place, width = starts(p, i)
        o, od = origin_of(p, i, at + FIELD, before, t, o, od)
        before = at + FIELD
        mu = p[i, at + FIELD + MU]
        for _ in range(int(p[i, at + COUNT])):
            place_in(WIDTH, nq, n, place + SHAPES, HEAD, p, i, iq, iv, t, q, v, a, work)
            turn, _, S, x = _slice(p[i], place, work)
            _, along, k, rho = seen(mu, o, x, turn)
            out[i, 2] += p[i, place] * potential(mu, o, x) + extent_energy(S, along, k)
            out[i, 4] += p[i, place] * power(mu, o, od, x) + extent_power(S, along, k, rho, turned_back(turn, od))
            place += width


#: On the coordinates of an element.
ATTRACTED_BEAM = Kernels("central gravity on a beam", residual=residual, tangent=tangent, energy=energy)

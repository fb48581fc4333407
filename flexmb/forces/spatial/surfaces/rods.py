"""Forces of sunlight and of thin gases on round beams, by Gauss points.

At each Gauss point of an element the kernels `point` and `point_jacobian` of the beam tell the motion of its axis, the
axes Λ of the section and J there. On a slice of the length w acts the force of a round rod along the x-axis of the
section (:mod:`flexmb.forces.spatial.surfaces.laws`), Λ w f(d), of d = Λᵀ s, or of its velocity against a gas,
d = Λᵀ (ṙ − W). It has no moment about the axis. With the turn y of the section and the change of ṙ = J v,

    r = −J_rᵀ Λ w f,     δ(Λ f) = Λ (N δd + y × f),     δd = d × y + Λᵀ δṙ,     ∂ṙ_c/∂q = vᵀ ∂(J_rᵀ e_c)/∂q
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from flexmb.elements.interior import DATA, HEAD, OWN, force_at, jacobian_in, place_in
from flexmb.forces.spatial.surfaces.laws import GAS, LIGHT, NEWTON, SurfaceLaw, across, on_rod
from flexmb.forces.spatial.surfaces.skins import Sides
from flexmb.forces.spatial.surfaces.surroundings import LAW, flow, sunlight
from flexmb.forces.spatial.surfaces.surroundings import SIZE as AROUND
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import allocation_free, compiled, inlined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned, turned_back
from flexmb.kernels.vectors import applied, cross, dot, minus, plus, put, times, vector_in
from flexmb.kernels.widths import SPATIAL_POINT_ROWS as ROWS
from flexmb.kernels.widths import SPATIAL_POINT_WIDTH as WIDTH
from flexmb.model.components import Assembler, Component

#: parameters behind those of the element: the number of places, that of scratch numbers of a place, what surrounds the
#: beam, ϱ_s and ϱ_d; then of each place D w and what the point kernel takes for it
COUNT, ROOM, SURROUNDINGS, OPTICS, PLACES = 0, 1, 2, 2 + AROUND, 4 + AROUND
#: the axis of a section in its own axes
_ALONG = (1.0, 0.0, 0.0)


def put_on_beam(
    owner: Component, beam: Any, diameter: float | None, sides: Sides, assembly: Assembler, kernels: Kernels,
    around: np.ndarray, tail: np.ndarray, tails: tuple[int, ...],
) -> None:  # fmt: skip
    """Add the instances of a beam with a diameter, that of its sections if None, in what surrounds it; behind all
    places stands a `tail`, whose place is added to the numbers `tails` of the surroundings."""
    elements, stations = beam.elements_of(assembly), beam.stations.tolist()
    nodes, weights = np.polynomial.legendre.leggauss(int(beam.mass_points))
    local = 0.5 * (nodes + 1.0)
    data = np.array([beam.point_data(x) for x in local.tolist()]).reshape(len(local), -1)
    rows, at = [], 0
    for first, last in pairwise(stations):
        place = beam.interior(elements, 0.5 * (first + last))
        own = place.parameters[HEAD + data.shape[1] :]
        along = (first + (last - first) * local).tolist()
        sizes = np.array([2.0 * beam.sizes_at(s).radius if diameter is None else diameter for s in along])
        slices = 0.5 * sizes * beam.length * (last - first) * weights
        head = [*place.parameters[:HEAD], *own, len(local), place.work]
        places = np.column_stack([slices, data]).ravel()
        at = len(head) + AROUND + 2 + len(places)
        here = around.copy()
        here[list(tails)] += at
        rows.append(np.concatenate([head, here, sides.optics(None, 1)[0, :2], places, tail]))
    numbers = joined(elements.coordinates)
    coordinates = Numbers(np.atleast_2d(numbers.q), np.atleast_2d(numbers.v))
    room = place.work + ROWS * coordinates.v.shape[1]
    strength = None if owner.strength is None else at
    assembly.series(owner, kernels, coordinates, np.array(rows), room, strength=strength)


@inlined
def _starts(p, i):
    """Offsets of the parameters behind those of the element and of the first place, and how long a place is."""
    at = HEAD + int(p[i, OWN])
    return at, at + PLACES, 1 + int(p[i, DATA])


def rod_kernels(name: str, law: SurfaceLaw, around: Any, moves: bool) -> Kernels:
    """The kernels of a law with what is around the beam; `moves`: it is of its velocity."""
    rod = law.rod

    @compiled
    def push(row, at, place, scale, fixed, work):  # type: ignore[no-untyped-def]
        """The axes of the section whose motion stands in `work`; in these d, the force, and N."""
        turn = (work[3], work[4], work[5], work[6])
        d = turned_back(turn, minus(vector_in(work, 7), fixed) if moves else fixed)
        f, N = on_rod(rod(row, at + SURROUNDINGS + LAW, at + OPTICS, across(d, _ALONG)[1]), d, _ALONG)
        return turn, d, times(scale * row[place], f), N

    @allocation_free
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        nq, n = iq.shape[1], iv.shape[1]
        for i in range(p.shape[0]):
            at, place, width = _starts(p, i)
            scale, fixed = around(p[i], at + SURROUNDINGS, t)
            for _ in range(int(p[i, at + COUNT]) if scale != 0.0 else 0):
                place_in(WIDTH, nq, n, place + 1, HEAD, p, i, iq, iv, t, q, v, a, work)
                turn, _, f, _ = push(p[i], at, place, scale, fixed, work)
                force = turned(turn, f)
                J, _ = jacobian_in(WIDTH, ROWS, nq, n, place + 1, HEAD, p, i, iq, iv, t, q, v, a, 0.0, work)
                for k in range(n):
                    out[i, k] -= force[0] * work[J + k] + force[1] * work[J + n + k] + force[2] * work[J + 2 * n + k]
                place += width

    @allocation_free
    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        nq, n = iq.shape[1], iv.shape[1]
        for i in range(p.shape[0] if w[2] != 0.0 or (moves and w[1] != 0.0) else 0):
            at, place, width = _starts(p, i)
            scale, fixed = around(p[i], at + SURROUNDINGS, t)
            given, G = force_at(WIDTH, p, i), int(p[i, at + ROOM])
            for _ in range(int(p[i, at + COUNT]) if scale != 0.0 else 0):
                data = place + 1
                place_in(WIDTH, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, work)
                turn, d, f, N = push(p[i], at, place, scale, fixed, work)
                for c in range(3 if moves else 0):  # ∂ṙ/∂q
                    for r in range(ROWS):
                        work[given + r] = 1.0 if r == c else 0.0
                    J, own = jacobian_in(WIDTH, ROWS, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, 1.0, work)
                    for k in range(n):
                        total = 0.0
                        for j in range(n):
                            total += v[iv[i, j]] * work[own + j * n + k]
                        work[G + c * n + k] = total
                put(work, given, turned(turn, f))
                put(work, given + 3, (0.0, 0.0, 0.0))
                J, own = jacobian_in(WIDTH, ROWS, nq, n, data, HEAD, p, i, iq, iv, t, q, v, a, w[2], work)
                for k in range(n):
                    y = turned_back(turn, (work[J + 3 * n + k], work[J + 4 * n + k], work[J + 5 * n + k]))
                    dd = times(w[2], cross(d, y))
                    if moves:
                        rate = (work[J + k], work[J + n + k], work[J + 2 * n + k])
                        more = (work[G + k], work[G + n + k], work[G + 2 * n + k])
                        dd = plus(dd, turned_back(turn, plus(times(w[1], rate), times(w[2], more))))
                    df = plus(times(scale * p[i, place], applied(N, dd)), times(w[2], cross(y, f)))
                    change = turned(turn, df)
                    for j in range(n):
                        by = (work[J + j], work[J + n + j], work[J + 2 * n + j])
                        K[i, j, k] -= dot(by, change)
                        if w[2] != 0.0:
                            K[i, j, k] -= work[own + j * n + k]
                place += width

    @allocation_free
    def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            at, place, width = _starts(p, i)
            scale, fixed = around(p[i], at + SURROUNDINGS, t)
            for _ in range(int(p[i, at + COUNT]) if scale != 0.0 else 0):
                place_in(WIDTH, iq.shape[1], iv.shape[1], place + 1, HEAD, p, i, iq, iv, t, q, v, a, work)
                turn, _, f, _ = push(p[i], at, place, scale, fixed, work)
                force = turned(turn, f)
                power = dot(force, vector_in(work, 7))
                carried = dot(force, fixed) if moves else power
                out[i, 3] += carried - power
                out[i, 4] += carried
                place += width

    return Kernels(name, residual=residual, tangent=tangent, energy=energy)


LIT_ROD = rod_kernels("sunlight on a beam", LIGHT, sunlight, False).standing_at(__name__, "LIT_ROD")
NEWTON_ROD = rod_kernels("drag of a beam by Newton's law", NEWTON, flow, True).standing_at(__name__, "NEWTON_ROD")
GAS_ROD = rod_kernels("free molecules on a beam", GAS, flow, True).standing_at(__name__, "GAS_ROD")

"""Distributed load on a beam in space whose theory has no kernels of its own for it.

With J of a place by the beam's kernel `point_jacobian`, the load is  Σ w_g J_gᵀ q_g  over `load_points` Gauss points of
each element.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.interior import DATA, HEAD, OWN, force_at, jacobian_in, place_in
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import allocation_free, inlined
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import cross, dot, put, times, vector_in
from flexmb.kernels.widths import SPATIAL_POINT_ROWS as ROWS
from flexmb.kernels.widths import SPATIAL_POINT_WIDTH as WIDTH
from flexmb.model.components import Assembler

#: parameters behind those of the element: number of places, whether the load turns with the sections, the slot of its
#: factor; behind that slot of each place its force (3) and what the point kernel takes for it
PLACES, TURNS_ALONG, FACTOR = range(3)


def add_load_along(assembly: Assembler, load: BeamLoad) -> None:
    """Add the instances of a load on the elements of a beam."""
    beam: Any = load.beam
    elements, stations = beam.elements_of(assembly), beam.stations.tolist()
    nodes, weights = np.polynomial.legendre.leggauss(int(beam.load_points))
    local = 0.5 * (nodes + 1.0)
    data = np.array([beam.point_data(x) for x in local.tolist()]).reshape(len(local), -1)
    slot = assembly.strength(load).slot()
    rows = []
    for first, last in pairwise(stations):
        place = beam.interior(elements, 0.5 * (first + last))
        own = place.parameters[HEAD + data.shape[1] :]
        along = load.line_load_at(first + (last - first) * local)
        forces = (0.5 * beam.length * (last - first) * weights)[:, None] * along
        head = [*place.parameters[:HEAD], *own, len(local), float(not load.fixed_in_space), *slot]
        rows.append(np.concatenate([head, np.hstack([forces, data]).ravel()]))
    numbers = joined(elements.coordinates)
    coordinates = Numbers(np.atleast_2d(numbers.q), np.atleast_2d(numbers.v))
    at = HEAD + len(own) + FACTOR
    assembly.series(load, LOAD_ALONG, coordinates, np.array(rows), place.work, strength=at)


@inlined
def _sizes(p, i):
    """Where the parameters of the load begin, the first place, and how many numbers a place has."""
    at = HEAD + int(p[i, OWN])
    width = 3 + int(p[i, DATA])
    return at, p.shape[1] - int(p[i, at + PLACES]) * width, width


@inlined
def _load(p, i, at, place, factor, work):
    """The load of a place in the axes of the ground."""
    load = times(factor, vector_in(p[i], place))
    if p[i, at + TURNS_ALONG] == 0.0:
        return load
    return turned((work[3], work[4], work[5], work[6]), load)


@allocation_free
def load_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    for i in range(p.shape[0]):
        at, place, width = _sizes(p, i)
        factor = strength_at(p[i], at + FACTOR, t)
        for _ in range(int(p[i, at + PLACES])):
            if p[i, at + TURNS_ALONG] != 0.0:
                place_in(WIDTH, nq, n, place + 3, HEAD, p, i, iq, iv, t, q, v, a, work)
            load = _load(p, i, at, place, factor, work)
            J, _ = jacobian_in(WIDTH, ROWS, nq, n, place + 3, HEAD, p, i, iq, iv, t, q, v, a, 0.0, work)
            for k in range(n):
                across = load[0] * work[J + k] + load[1] * work[J + n + k] + load[2] * work[J + 2 * n + k]
                out[i, k] -= across
            place += width


@allocation_free
def load_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        at, place, width = _sizes(p, i)
        factor = strength_at(p[i], at + FACTOR, t)
        along = p[i, at + TURNS_ALONG] != 0.0
        force = force_at(WIDTH, p, i)
        for _ in range(int(p[i, at + PLACES])):
            if along:
                place_in(WIDTH, nq, n, place + 3, HEAD, p, i, iq, iv, t, q, v, a, work)
            load = _load(p, i, at, place, factor, work)
            put(work, force, load)
            put(work, force + 3, (0.0, 0.0, 0.0))
            J, own = jacobian_in(WIDTH, ROWS, nq, n, place + 3, HEAD, p, i, iq, iv, t, q, v, a, w[2], work)
            for k in range(n):
                for j in range(n):
                    K[i, j, k] -= work[own + j * n + k]
                if along:
                    change = times(w[2], cross((work[J + 3 * n + k], work[J + 4 * n + k], work[J + 5 * n + k]), load))
                    for j in range(n):
                        K[i, j, k] -= dot((work[J + j], work[J + n + j], work[J + 2 * n + j]), change)
            place += width


@allocation_free
def load_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    for i in range(p.shape[0]):
        at, place, width = _sizes(p, i)
        factor = strength_at(p[i], at + FACTOR, t)
        for _ in range(int(p[i, at + PLACES])):
            place_in(WIDTH, nq, n, place + 3, HEAD, p, i, iq, iv, t, q, v, a, work)
            out[i, 4] += dot(_load(p, i, at, place, factor, work), vector_in(work, 7))
            place += width


LOAD_ALONG = Kernels("load along a beam in space", load_residual, load_tangent, load_energy)

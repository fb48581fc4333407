"""Distributed load on a beam whose theory has no kernels of its own for it, of the plane and of space.

With J of a place by the beam's kernel `point_jacobian`, the load is  Σ w_g J_gᵀ q_g  over `load_points` Gauss points of
each element.
"""

from __future__ import annotations

import math
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
from flexmb.kernels.vectors import cross, times
from flexmb.kernels.widths import POINT_ROWS, POINT_WIDTH, SPATIAL_POINT_ROWS, SPATIAL_POINT_WIDTH
from flexmb.model.components import Assembler

#: parameters behind those of the element: number of places, dimension, whether the load turns with the sections, the
#: slot of its factor; behind that slot of each place its force and what the point kernel takes for it
PLACES, DIMENSION, TURNS_ALONG, FACTOR = range(4)


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
        head = [*place.parameters[:HEAD], *own, len(local), beam.model.dimension, not load.fixed_in_space, *slot]
        rows.append(np.concatenate([head, np.hstack([forces, data]).ravel()]))
    numbers = joined(elements.coordinates)
    coordinates = Numbers(np.atleast_2d(numbers.q), np.atleast_2d(numbers.v))
    at = HEAD + len(own) + FACTOR
    assembly.series(load, LOAD_ALONG, coordinates, np.array(rows), place.work, strength=at)


@inlined
def _sizes(p, i):
    """The dimension, where the parameters of the load begin, the first place, and how many numbers a place has."""
    at = HEAD + int(p[i, OWN])
    d = int(p[i, at + DIMENSION])
    width = d + int(p[i, DATA])
    return d, at, p.shape[1] - int(p[i, at + PLACES]) * width, width


@inlined
def _widths(d):
    """Number of numbers of a point, and of rows of its Jacobian."""
    return (POINT_WIDTH, POINT_ROWS) if d == 2 else (SPATIAL_POINT_WIDTH, SPATIAL_POINT_ROWS)


@inlined
def _load(p, i, d, at, place, factor, work):
    """The load of a place in the axes of the ground."""
    load = times(factor, (p[i, place], p[i, place + 1], p[i, place + 2] if d == 3 else 0.0))
    if p[i, at + TURNS_ALONG] == 0.0:
        return load
    if d == 2:
        c, s = math.cos(work[2]), math.sin(work[2])
        return c * load[0] - s * load[1], s * load[0] + c * load[1], 0.0
    return turned((work[3], work[4], work[5], work[6]), load)


@inlined
def _power(d, load, work, first, stride):
    """The product of a load with a vector in `work`."""
    across = load[0] * work[first] + load[1] * work[first + stride]
    return across + load[2] * work[first + 2 * stride] if d == 3 else across


@inlined
def _turning(d, J, n, k, work):
    """The turn of the place by coordinate k."""
    if d == 2:
        return 0.0, 0.0, work[J + 2 * n + k]
    return work[J + 3 * n + k], work[J + 4 * n + k], work[J + 5 * n + k]


@allocation_free
def load_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    for i in range(p.shape[0]):
        d, at, place, size = _sizes(p, i)
        width, rows = _widths(d)
        factor = strength_at(p[i], at + FACTOR, t)
        for _ in range(int(p[i, at + PLACES])):
            if p[i, at + TURNS_ALONG] != 0.0:
                place_in(width, nq, n, place + d, HEAD, p, i, iq, iv, t, q, v, a, work)
            load = _load(p, i, d, at, place, factor, work)
            J, _ = jacobian_in(width, rows, nq, n, place + d, HEAD, p, i, iq, iv, t, q, v, a, 0.0, work)
            for k in range(n):
                out[i, k] -= _power(d, load, work, J + k, n)
            place += size


@allocation_free
def load_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        d, at, place, size = _sizes(p, i)
        width, rows = _widths(d)
        factor = strength_at(p[i], at + FACTOR, t)
        along = p[i, at + TURNS_ALONG] != 0.0
        force = force_at(width, p, i)
        for _ in range(int(p[i, at + PLACES])):
            if along:
                place_in(width, nq, n, place + d, HEAD, p, i, iq, iv, t, q, v, a, work)
            load = _load(p, i, d, at, place, factor, work)
            for k in range(rows):
                work[force + k] = 0.0
            for k in range(d):
                work[force + k] = load[k]
            J, own = jacobian_in(width, rows, nq, n, place + d, HEAD, p, i, iq, iv, t, q, v, a, w[2], work)
            for k in range(n):
                for j in range(n):
                    K[i, j, k] -= work[own + j * n + k]
                if along:
                    change = times(w[2], cross(_turning(d, J, n, k, work), load))
                    for j in range(n):
                        K[i, j, k] -= _power(d, change, work, J + j, n)
            place += size


@allocation_free
def load_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    nq, n = iq.shape[1], iv.shape[1]
    for i in range(p.shape[0]):
        d, at, place, size = _sizes(p, i)
        width, _ = _widths(d)
        factor = strength_at(p[i], at + FACTOR, t)
        for _ in range(int(p[i, at + PLACES])):
            place_in(width, nq, n, place + d, HEAD, p, i, iq, iv, t, q, v, a, work)
            out[i, 4] += _power(d, _load(p, i, d, at, place, factor, work), work, 3 if d == 2 else 7, 1)
            place += size


LOAD_ALONG = Kernels("load along a beam", load_residual, load_tangent, load_energy)

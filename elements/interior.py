"""Places inside elements: what the welds of frames to them, and the loads at them, share in the plane and in space.

Every element with the kernels `point` and `point_jacobian` has places, r(s) with an orientation. They are called by
their addresses. So an instance stands on the coordinates of the element, then on those of the node that is welded, if
there is one; and has in its row of parameters: the two addresses, what the point kernel takes for the place, the row of
the element, and then its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import inlined
from flexmb.kernels.contract import Kernels, checked_address, run_kernel
from flexmb.kernels.views import matrix_view, stack_view, vector_view
from flexmb.kernels.widths import SIDES

# places of the parameters: addresses of point and point_jacobian, how many numbers the place and the element have
POINT, JACOBIAN, DATA, OWN, HEAD = range(5)


class Interior(NamedTuple):
    """A place of an element as its welds and loads see it: coordinates of the element, the parameters with which
    each of their instances begins, and how much scratch space they need."""

    coordinates: Numbers
    parameters: np.ndarray
    work: int


def interior(
    kernels: Kernels,
    coordinates: Numbers,
    parameters: np.ndarray,
    work: int,
    data: np.ndarray,
    dimension: int,
    where: str,
) -> Interior:
    """The place with the `data` of the point kernel, in an element with these coordinates, parameters and scratch, in
    the plane (`dimension` 2) or in space (3)."""
    n = len(coordinates.v)
    side = SIDES[dimension]
    addresses = [checked_address(kernels, role, where) for role in ("point", "point_jacobian")]
    head = [*addresses, len(data), len(parameters)]
    room = len(side.point) + len(data) + 1 + side.rows + side.rows * n + n * n + work
    return Interior(coordinates, np.concatenate([head, data, parameters]), room)


def places_are_known(kernels: Kernels | None) -> bool:
    """Whether an element of these kernels has places on which frames and loads can stand."""
    return kernels is not None and kernels.point is not None and kernels.point_jacobian is not None


# `work` holds: the point (`width` numbers), data of the place and wk, force (`rows`), J (rows nv), K (nv, nv), scratch
# of the element, which has the first nq coordinates and nv speeds of the instance.


@inlined
def place_of(width, nq, nv, p, i, iq, iv, t, q, v, a, work):
    """Put the motion of the place of an instance to the head of `work`."""
    place_in(width, nq, nv, HEAD, HEAD + int(p[i, DATA]), p, i, iq, iv, t, q, v, a, work)


@inlined
def place_in(width, nq, nv, at_data, at_own, p, i, iq, iv, t, q, v, a, work):
    """The same of an instance with several places: the data of this one and the row of the element begin in the row of
    parameters where it is said."""
    data, own = int(p[i, DATA]), int(p[i, OWN])
    for k in range(width):
        work[k] = 0.0
    run_kernel(
        int(p[i, POINT]),
        matrix_view(p, i * p.shape[1] + at_own, 1, own),
        matrix_view(iq, i * iq.shape[1], 1, nq),
        matrix_view(iv, i * iv.shape[1], 1, nv),
        t,
        q,
        v,
        a,
        matrix_view(work, 0, 1, 0),
        vector_view(p[i], at_data, data),
        matrix_view(work, 0, 1, width),
        stack_view(work, 0, 0, 0, 0),
        vector_view(work, width, len(work) - width),
    )


@inlined
def force_at(width, p, i):
    """Offset in `work` of the force of an instance, as :func:`jacobian_of` needs it."""
    return width + int(p[i, DATA]) + 1


@inlined
def jacobian_of(width, rows, nq, nv, p, i, iq, iv, t, q, v, a, wk, work):
    """Put J and wk ∂(Jᵀf)/∂q of the place of an instance into `work`, with the force f at :func:`force_at`; returns
    where each begins."""
    return jacobian_in(width, rows, nq, nv, HEAD, HEAD + int(p[i, DATA]), p, i, iq, iv, t, q, v, a, wk, work)


@inlined
def jacobian_in(width, rows, nq, nv, at_data, at_own, p, i, iq, iv, t, q, v, a, wk, work):
    """The same of an instance with several places, see :func:`place_in`."""
    data, own = int(p[i, DATA]), int(p[i, OWN])
    given = width
    force = given + data + 1
    at_J = force + rows
    at_K = at_J + rows * nv
    end = at_K + nv * nv
    for k in range(data):
        work[given + k] = p[i, at_data + k]
    work[given + data] = wk
    for k in range(at_J, end if wk != 0.0 else at_K):
        work[k] = 0.0
    run_kernel(
        int(p[i, JACOBIAN]),
        matrix_view(p, i * p.shape[1] + at_own, 1, own),
        matrix_view(iq, i * iq.shape[1], 1, nq),
        matrix_view(iv, i * iv.shape[1], 1, nv),
        t,
        q,
        v,
        a,
        matrix_view(work, force, 1, rows),
        vector_view(work, given, data + 1),
        matrix_view(work, at_J, 1, rows * nv),
        stack_view(work, at_K, 1, nv, nv),
        vector_view(work, end, len(work) - end),
    )
    return at_J, at_K

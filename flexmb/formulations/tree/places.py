"""Links that are welded to interior points of beams, such as frames there to which joints connect other bodies.

The motion of an interior point follows from the coordinates of the beam's element: its kernel `point` gives pose,
velocity and acceleration, its kernel `point_jacobian` the velocity for each speed (:mod:`flexmb.elements.interior`).
The nodes of the element have the arms d from the origins of their links and the rotation R; their speeds are ṙ = v + ω
× d and Rᵀ ω. With inner coordinates z, the velocity of the point is

    V = P Y,      Y = ([ω; v] of the links, ż)

and its acceleration P Ẏ plus what the kernel `point` gives for Ẏ = 0. The node that is welded to the point, with an arm
and axes of its own, is the origin of the link.

A body that hangs by an interface has its frame behind that. For a node at rest in the origin the kernels give the place
p of the interface in the frame, its axes E, velocity ṗ = D ż and spin w = W ż, and for z̈ = 0 their rates p̈ and ẇ. From
the pose r', R', the velocity and the spin Ω of the interface follow those of the frame,

    R = R' Eᵀ,   r = r' − R p,   ω = Ω − R w,   ṙ = ṙ' − ω × R p − R ṗ
    α = Ω̇ − R ẇ − ω × R w,   r̈ = r̈' − α × R p − ω × (ω × R p) − 2 ω × R ṗ − R p̈

so that its column of P for ż_k is [−R W_k; R W_k × R p − R D_k]. Other places of the body move with its frame, their
columns are those in the frame plus what the frame carries along.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.elements.interior import jacobian_of, place_of
from flexmb.formulations.spatial_algebra import six_in
from flexmb.formulations.tree.arrays import Beams, Columns, Nodes, Places
from flexmb.formulations.tree.nodes import moved_by, node_on, put_bearer, put_node
from flexmb.formulations.tree.turns import about_z
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import inverse, product, put_quaternion, quaternion_in, rotation_matrix, turned
from flexmb.kernels.vectors import NONE, applied, cross, minus, plus, put, times, transposed, vector_in
from flexmb.kernels.views import matrix_view
from flexmb.kernels.widths import POINT_ROWS, POINT_WIDTH, SPATIAL_POINT_ROWS, SPATIAL_POINT_WIDTH
from flexmb.system.plan import IQ_AT, NP, NQ, P_AT

if TYPE_CHECKING:
    from flexmb.formulations.tree.graph import Graph, Group
    from flexmb.system.system import System


def places_for(graph: Graph, system: System, nodes: Nodes) -> Places:
    """The interior points of a graph that carry links, with workspace."""
    plan, count = system.plan, len(graph.places)
    numbers: dict[str, list[list[Any]]] = {name: [] for name in ("p", "q", "v", "link", "axis", "row", "speed")}
    parts = []
    inner = {number: k for k, number in enumerate(nodes.inner.tolist())}
    of_inner = [0, *accumulate(len(group.inner) for group in graph.groups)]
    for place in graph.places:
        group, own, wide = graph.groups[place.group], graph.links[place.link].numbers, nodes.numbers_v.shape[1]
        row, at = plan.groups[place.share.group], place.share.place
        speeds = place.share.speeds.tolist()[:-wide]
        first = row[IQ_AT] + at * row[NQ]
        numbers["p"].append(plan.p[row[P_AT] + at * row[NP] : row[P_AT] + (at + 1) * row[NP]].tolist())
        numbers["q"].append(plan.numbers[first : first + row[NQ] - len(own.q)].tolist())
        numbers["v"].append(speeds)
        columns = []
        for k, (link, bearer) in enumerate(zip(group.links, group.bearers)):
            begin = nodes.numbers_v[bearer, 0]
            if begin in speeds:
                columns += [(link, axis, 6 * k + axis, speeds.index(begin)) for axis in range(6)]
        parts.append(6.0 / max(len(columns), 1))
        shift = 6 * len(group.links) - of_inner[place.group]
        columns += [(-1, inner[x], inner[x] + shift, k) for k, x in enumerate(speeds) if x in inner]
        for name, column in zip(("link", "axis", "row", "speed"), zip(*columns)):
            numbers[name].append(list(column))
    begin = np.searchsorted([place.group for place in graph.places], np.arange(len(graph.groups) + 1))
    total = system.plan.total
    beams = Beams(
        _joined(numbers["p"], float), _ends(numbers["p"]), _joined(numbers["q"]), _ends(numbers["q"]),
        _joined(numbers["v"]), _ends(numbers["v"]), np.array(parts),
        frame=np.array([_frame_of(graph.groups[place.group]) for place in graph.places], dtype=np.int64),
        backwards=np.array([place.backwards for place in graph.places], dtype=np.int64),
    )  # fmt: skip
    columns_of = Columns(_ends(numbers["link"]), *(_joined(numbers[name]) for name in ("link", "axis", "row", "speed")))
    return Places(
        begin.astype(np.int64), np.array([place.link for place in graph.places], dtype=np.int64), beams, columns_of,
        nodes, q=system.initial.copy(), v=np.zeros(total), a=np.zeros(total),
        work=np.zeros(max(system.assembly.work, 1)), angle=np.zeros(count), at=np.zeros((count, 7)),
        motion=np.zeros((count, 6)), rates=np.zeros((count, 6)),
    )  # fmt: skip


def _frame_of(group: Group) -> int:
    """The link of the frame of a body that hangs, −1 for another group."""
    return group.bearers[0] if group.hangs else -1


def _joined(rows: list[list[Any]], kind: type = np.int64) -> np.ndarray:
    return np.array([x for row in rows for x in row], dtype=kind)


def _ends(rows: list[list[Any]]) -> np.ndarray:
    return np.array([0, *accumulate(map(len, rows))], dtype=np.int64)


@called(None)
def move_place(places, c):
    """Compute pose, velocity and acceleration of interior point c from q, v and a of its element in the buffers of
    `places`."""
    p, iq, iv = _element_of(places.beams, c)
    width, nq, nv = p.shape[1], iq.shape[1], iv.shape[1]
    q, v, a, work = places.q, places.v, places.a, places.work
    if places.nodes.dimension == 2:
        place_of(POINT_WIDTH, nq, nv, p, 0, iq, iv, 0.0, q, v, a, work)
        angle = work[2] - p[0, width - 1]
        r, axes = (work[0], work[1], 0.0), about_z(angle)
        w, speed = (0.0, 0.0, work[5]), (work[3], work[4], 0.0)
        alpha, rate = (0.0, 0.0, work[8]), (work[6], work[7], 0.0)
        places.angle[c] = angle
    else:
        place_of(SPATIAL_POINT_WIDTH, nq, nv, p, 0, iq, iv, 0.0, q, v, a, work)
        r, axes = vector_in(work, 0), product(quaternion_in(work, 3), inverse(quaternion_in(p[0], width - 4)))
        speed, w, rate, alpha = vector_in(work, 7), vector_in(work, 10), vector_in(work, 13), vector_in(work, 16)
    back = times(-1.0, _arm(places.beams, places.nodes.dimension, c, axes))
    speed, rate = moved_by(w, alpha, speed, rate, back)
    put(places.at[c], 0, plus(r, back))
    put_quaternion(places.at[c], 3, axes)
    put(places.motion[c], 0, w)
    put(places.motion[c], 3, speed)
    put(places.rates[c], 0, alpha)
    put(places.rates[c], 3, rate)


@called(None)
def carry_place(links, moving, c, x, u):
    """Move interior point c with the nodes of its beam, whose links do not accelerate, and with the inner coordinates,
    and compute the columns of its P."""
    places, columns, joints, frame = links.places, links.places.columns, links.joints, links.places.beams.frame[c]
    for j in range(columns.first[c], columns.first[c + 1]):
        k = columns.link[j]
        if k < 0:
            i, number = columns.axis[j] - joints.inner, places.nodes.inner[columns.axis[j]]
            places.q[number], places.v[number], places.a[number] = x[joints.nq + i], u[joints.nv + i], 0.0
        elif columns.axis[j] == 0 and frame < 0:
            put_node(places.nodes, moving, k, places.q, places.v, places.a)
    if frame >= 0 and places.beams.backwards[c] != 0:
        _hang_frame(places, c, moving)
        return
    if frame >= 0:
        put_bearer(places.nodes, moving, frame, places.q, places.v, places.a)
    move_place(places, c)
    _put_columns(places, c, moving.at, moving.carried)
    if frame >= 0:
        _carry_along(links, moving, c, frame)


@compiled
def _hang_frame(places, c, moving):
    """Compute pose, velocity, acceleration and columns of the frame of a body that hangs, point c, from the motion of
    the interface."""
    nodes, beams, columns, own = places.nodes, places.beams, places.columns, places.own[c]
    p, iq, iv = _element_of(beams, c)
    nq, nv, width = iq.shape[1], iv.shape[1], p.shape[1]
    q, v, a, work, plane = places.q, places.v, places.a, places.work, nodes.dimension == 2
    to_q, to_v = nodes.numbers_q[own], nodes.numbers_v[own]
    for i in range(to_q.shape[0]):
        q[to_q[i]] = 0.0
    for i in range(to_v.shape[0]):
        v[to_v[i]] = a[to_v[i]] = 0.0
    if not plane:
        q[to_q[3]] = 1.0
    head = columns.link[columns.first[c]]
    d, axes = node_on(nodes, moving.at, head)
    omega, speed = six_in(moving.motion, head)
    if plane:
        place_of(POINT_WIDTH, nq, nv, p, 0, iq, iv, 0.0, q, v, a, work)
        angle = moving.angle[head] + nodes.angle[head] + p[0, width - 1] - work[2]
        places.angle[c] = angle
        R = about_z(angle)
        u = turned(about_z(moving.angle[head] + nodes.angle[head]), (p[0, width - 3], p[0, width - 2], 0.0))
        s, w = (work[0], work[1], 0.0), (0.0, 0.0, work[5])
        sd, sdd, wd = (work[3], work[4], 0.0), (work[6], work[7], 0.0), (0.0, 0.0, work[8])
    else:
        place_of(SPATIAL_POINT_WIDTH, nq, nv, p, 0, iq, iv, 0.0, q, v, a, work)
        R = product(product(axes, quaternion_in(p[0], width - 4)), inverse(quaternion_in(work, 3)))
        u = turned(axes, vector_in(p[0], width - 7))
        s, w = vector_in(work, 0), vector_in(work, 10)
        sd, sdd, wd = vector_in(work, 7), vector_in(work, 13), vector_in(work, 16)
    s, w, sd, sdd, wd = turned(R, s), turned(R, w), turned(R, sd), turned(R, sdd), turned(R, wd)
    arm = minus(plus(d, u), s)  # from the origin of the head to the frame
    spin = minus(omega, w)
    alpha = minus(times(-1.0, wd), cross(spin, w))
    at_point, rate = moved_by(omega, NONE, speed, NONE, plus(d, u))
    velocity = minus(at_point, plus(cross(spin, s), sd))
    _, swung = moved_by(spin, alpha, NONE, NONE, s)
    rate = minus(rate, plus(swung, plus(times(2.0, cross(spin, sd)), sdd)))
    put(places.at[c], 0, plus(vector_in(moving.at[head], 0), arm))
    put_quaternion(places.at[c], 3, R)
    put(places.motion[c], 0, spin)
    put(places.motion[c], 3, velocity)
    put(places.rates[c], 0, alpha)
    put(places.rates[c], 3, rate)
    if plane:
        first, _ = jacobian_of(POINT_WIDTH, POINT_ROWS, nq, nv, p, 0, iq, iv, 0.0, q, v, a, 0.0, work)
    else:
        first, _ = jacobian_of(SPATIAL_POINT_WIDTH, SPATIAL_POINT_ROWS, nq, nv, p, 0, iq, iv, 0.0, q, v, a, 0.0, work)
    for j in range(columns.first[c], columns.first[c + 1]):
        if columns.link[j] >= 0:
            _put_rigid(moving.carried, j, columns.axis[j], arm)
            continue
        of_w, of_v = _moved(work, first, nv, columns.speed[j], plane)
        of_w = turned(R, of_w)
        put(moving.carried[j], 0, times(-1.0, of_w))
        put(moving.carried[j], 3, minus(cross(of_w, s), turned(R, of_v)))


@compiled
def _put_rigid(P, j, axis, arm):
    """Write the motion at the end of an arm for a unit motion of its start."""
    e = (1.0 if axis % 3 == 0 else 0.0), (1.0 if axis % 3 == 1 else 0.0), (1.0 if axis % 3 == 2 else 0.0)
    put(P[j], 0, e if axis < 3 else NONE)
    put(P[j], 3, cross(e, arm) if axis < 3 else e)


@compiled
def _carry_along(links, moving, c, frame):
    """Let the columns of point c of a body that hangs be those of the head: what moves the frame carries the point."""
    columns, P = links.places.columns, moving.carried
    back = columns.first[links.place_of[frame]]
    head = columns.link[back]
    on_head = minus(vector_in(links.places.at[c], 0), vector_in(moving.at[head], 0))
    on_frame = minus(vector_in(links.places.at[c], 0), vector_in(moving.at[frame], 0))
    for j in range(columns.first[c], columns.first[c + 1]):
        if columns.link[j] >= 0:
            _put_rigid(P, j, columns.axis[j], on_head)
        else:
            (e, along), (w, v) = six_in(P, j), six_in(P, back + j - columns.first[c])
            put(P[j], 0, plus(e, w))
            put(P[j], 3, plus(along, plus(v, cross(w, on_frame))))


@compiled
def _element_of(beams, c):
    """Parameters, indices of the coordinates and indices of the speeds of the element of an interior point."""
    return (
        matrix_view(beams.p, beams.p_at[c], 1, beams.p_at[c + 1] - beams.p_at[c]),
        matrix_view(beams.numbers_q, beams.q_at[c], 1, beams.q_at[c + 1] - beams.q_at[c]),
        matrix_view(beams.numbers_v, beams.v_at[c], 1, beams.v_at[c + 1] - beams.v_at[c]),
    )


@compiled
def _arm(beams, dimension, c, axes):
    """The arm from the welded node, the link's origin, to the interior point, in ground axes."""
    end = beams.p_at[c + 1]
    if dimension == 2:
        return turned(axes, (beams.p[end - 3], beams.p[end - 2], 0.0))
    return turned(axes, vector_in(beams.p, end - 7))


@called(None)
def _put_columns(places, c, at, P):
    """Compute the columns `P` (…, 6) of interior point c; after :func:`move_place`. `at` (n, 7) are the poses of the
    links."""
    p, iq, iv = _element_of(places.beams, c)
    nq, nv = iq.shape[1], iv.shape[1]
    q, v, a, work, plane = places.q, places.v, places.a, places.work, places.nodes.dimension == 2
    if plane:
        first, _ = jacobian_of(POINT_WIDTH, POINT_ROWS, nq, nv, p, 0, iq, iv, 0.0, q, v, a, 0.0, work)
    else:
        first, _ = jacobian_of(SPATIAL_POINT_WIDTH, SPATIAL_POINT_ROWS, nq, nv, p, 0, iq, iv, 0.0, q, v, a, 0.0, work)
    arm = _arm(places.beams, places.nodes.dimension, c, quaternion_in(places.at[c], 3))
    columns = places.columns
    for j in range(columns.first[c], columns.first[c + 1]):
        k, axis, i = columns.link[j], columns.axis[j], columns.speed[j]
        w, speed = NONE, NONE
        if k < 0:
            w, speed = _moved(work, first, nv, i, plane)
        elif places.beams.frame[c] >= 0:
            continue  # of the head, see :func:`_carry_along`
        elif plane and (axis < 2 or axis == 5):
            put(P[j], 0, NONE)
            put(P[j], 3, NONE)
            P[j, axis] = places.beams.part[c]
            continue
        else:
            e = (1.0 if axis % 3 == 0 else 0.0), (1.0 if axis % 3 == 1 else 0.0), (1.0 if axis % 3 == 2 else 0.0)
            to_q = places.nodes.numbers_q[k]
            shift, turn = e, NONE
            if axis < 3:
                shift, turn = cross(e, minus(_node_at(q, to_q, plane), vector_in(at[k], 0))), e
            if plane:
                parts = shift[0], shift[1], turn[2], 0.0, 0.0, 0.0
            else:
                of = (q[to_q[3]], q[to_q[4]], q[to_q[5]], q[to_q[6]])
                turn = applied(transposed(rotation_matrix(of)), turn)
                parts = shift[0], shift[1], shift[2], turn[0], turn[1], turn[2]
            for part in range(3 if plane else 6):
                of_w, of_v = _moved(work, first, nv, i + part, plane)
                w, speed = plus(w, times(parts[part], of_w)), plus(speed, times(parts[part], of_v))
        put(P[j], 0, w)
        put(P[j], 3, minus(speed, cross(w, arm)))


@compiled
def _node_at(q, numbers, plane):
    return q[numbers[0]], q[numbers[1]], 0.0 if plane else q[numbers[2]]


@compiled
def _moved(work, at, nv, i, plane):
    """ω and ṙ of an interior point for unit speed i of its element."""
    if plane:
        return (0.0, 0.0, work[at + 2 * nv + i]), (work[at + i], work[at + nv + i], 0.0)
    return (
        (work[at + 3 * nv + i], work[at + 4 * nv + i], work[at + 5 * nv + i]),
        (work[at + i], work[at + nv + i], work[at + 2 * nv + i]),
    )

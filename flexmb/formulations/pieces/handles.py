"""Pieces of a mechanism and the handles at which other pieces act on them.

The motion of a piece at its handles is linear in the forces F on them: Featherstone (1999), Takahashi (2012), (2.4),

    V̇ᵢ = Σⱼ Φᵢⱼ Fⱼ + Bᵢ

A handle is a node of a link: V̇ᵢ (6,) are the accelerations [α; a] of its origin and Fᵢ (6,) the forces [n; f] on it,
in ground axes. A rigid link has one handle, whatever the number of joints on it, with the inverse Φ of its inertia:
with mass m, mass center c and inertia J about it, and c̃ x = c × x,

    Φ = [J⁻¹, −J⁻¹ c̃; c̃ J⁻¹, 1/m − c̃ J⁻¹ c̃]

A body with several nodes, whose coordinates have the mass matrix M and whose nodes move by J, has Φ = J M⁻¹ Jᵀ. Forces
known beforehand, drives τ of the joints included, enter B. Accelerations are relative to the accelerations of the links
for q̈ = 0, so that B of the ground is zero and a joint demands S q̈ = V̇_b − V̇_a about the origin of b. A row E of a
step is a reaction direction of a joint expressed as forces on the handles on both its sides, so that E V̇ is the
acceleration at which the joint opens in that direction.
"""

from __future__ import annotations

from flexmb.formulations.condensing import answer, invert
from flexmb.formulations.groups import gather
from flexmb.formulations.newton_euler import from_outside, own_force, weigh_link
from flexmb.formulations.pieces.images import place_image
from flexmb.formulations.pieces.maps import force_maps
from flexmb.formulations.pieces.symbolic import finish_blocks, start_blocks
from flexmb.formulations.spatial_algebra import (
    NOTHING,
    force_at,
    force_to_motion_at,
    full,
    motion_at,
    multiple,
    nine_in,
    power,
    put_six,
    six_in,
    sum_of,
    symmetric_in,
    symmetric_turned,
)
from flexmb.formulations.tree.reading import speeds_of
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import NONE, cross, minus, plus, times, vector_in

# -- from the state to pieces ----------------------------------------------------------------------------------------


@called(int)
def prepare(links, room, x, u, tau, wrench):
    """Compute B and Φ of all links, whose motion is in `room.moving`, and the rows of all joints. Returns −1, or the
    index of the link whose joint is singular."""
    begin(links, room, x, u, wrench)
    for k in range(links.parent.shape[0]):
        if room.blocks.inner[k] == 0 and put_joint(links, room, k, tau, room.images.S) < 0:
            return k
    for k in range(links.parent.shape[0]):
        put_link(links, room, k)
    failed = start_blocks(links, room, x, u, tau)
    if failed >= 0:
        return failed
    if room.blocks.groups > 0:
        status = _start_groups(links, room, tau)
        if status != 0:
            return status - 1
    return prepare_loops(links, room, x, u)


@called(None)
def begin(links, room, x, u, wrench):
    """Compute the masses of the links in ground axes, and copy the external forces on them to `room.wrench`, together
    with the moments of wheels of constant speed on links in groups and blocks, whose own equations do not know them."""
    for k in range(links.parent.shape[0]):
        if room.blocks.of[k] < 0:
            weigh_link(links, room.moving, k)
    if room.blocks.groups > 0:
        gather(links, room.groups, room.moving, x, u)
    for k in range(links.parent.shape[0]):
        if links.group[k] != -1 or room.blocks.of[k] >= 0:
            put_six(room.wrench, k, from_outside(links, room.moving, wrench, k))
        else:
            put_six(room.wrench, k, six_in(wrench, k))


@called(int)
def put_joint(links, room, k, tau, S):
    """Compute the rows of the joint of link k, and add the forces of its drives to both of its links. Returns −1 if its
    motions are linearly dependent. S is scratch (12, 6)."""
    moving = room.moving
    if links.place_of[k] >= 0:
        _put_weld(links, room, k)
        return 0
    first, last = moving.speeds[k], moving.speeds[k + 1]
    for j in range(first, last):
        for c in range(6):
            S[j - first, c] = moving.columns[j, c]
    if _maps(room, k, last - first, first, S) < 0:
        return -1
    force = NOTHING
    for j in range(first, last):
        force = sum_of(force, multiple(tau[j], six_in(room.joints.T_a, j)))
    put_six(room.joints.forces, k, force)
    put_six(room.wrench, k, sum_of(six_in(room.wrench, k), force))
    parent, arm = links.parent[k], vector_in(moving.arm[k], 0)
    if parent >= 0:
        back = multiple(-1.0, force_at(force, arm))
        put_six(room.wrench, parent, sum_of(six_in(room.wrench, parent), back))
    bias = six_in(moving.bias, k)
    for i in range(room.schedule.row_first[k], room.schedule.row_first[k] + room.schedule.rows[k]):
        t = six_in(room.joints.T, i)
        put_six(room.joints.outer, i, t)
        put_six(room.joints.inner, i, multiple(-1.0, force_at(t, arm)))
        room.steps.right[i] = power(t, bias)
    return 0


@compiled
def _put_weld(links, room, k):
    """Write the rows that weld link k, if it belongs to a group itself, to an interior point of a beam."""
    if links.group[k] == -1:
        return  # a handle of the beam itself
    row = room.schedule.row_first[k]
    put_six(room.joints.forces, k, NOTHING)
    for i in range(6):
        for c in range(6):
            room.joints.T[row + i, c] = room.joints.outer[row + i, c] = 1.0 if c == i else 0.0
            room.joints.inner[row + i, c] = -room.joints.T[row + i, c]
        room.steps.right[row + i] = 0.0


@called(int)
def prepare_loops(links, room, x, u):
    """Compute the rows of the joints that close loops, at the images of links. Returns −1, or the index of a link at a
    singular joint."""
    images, n = room.images, links.parent.shape[0]
    count = images.of.shape[0]
    if count == 0:
        return -1
    for i in range(links.joints.nq):
        images.x[i] = x[i]
    for i in range(links.joints.nv):
        images.u[i] = u[i]
    moving = room.moving
    for k in range(count):
        place_image(images, moving, k)
        joint = n + k
        base = images.links.joints.at_v[images.links.joints.first[joint]]
        a, b = images.links.parent[joint], images.of[k]
        if _maps(room, joint, speeds_of(images.links.joints, joint), base, images.S) < 0:
            return a if a > b else b
        put_six(room.joints.forces, joint, NOTHING)
        at, gap = vector_in(moving.at[joint], 0), six_in(images.gap, k)
        arm_a, arm_b = NONE, NONE
        if a >= 0:
            arm_a = minus(at, vector_in(moving.at[a], 0))
        if b >= 0:
            arm_b = minus(plus(at, gap[1]), vector_in(moving.at[b], 0))
        off = sum_of(multiple(room.stabilize[0], six_in(images.opening, k)), multiple(room.stabilize[1], gap))
        off = sum_of(off, six_in(images.bias, k))
        for i in range(room.schedule.row_first[joint], room.schedule.row_first[joint] + room.schedule.rows[joint]):
            t = six_in(room.joints.T, i)
            put_six(room.joints.outer, i, force_at(t, arm_b))
            put_six(room.joints.inner, i, multiple(-1.0, force_at(t, arm_a)))
            room.steps.right[i] = -power(t, off)
    return -1


@compiled
def _maps(room, joint, count, base, S):
    """Compute T_a and T of a joint from its motions S; returns −1 if these are linearly dependent."""
    row, rows = room.schedule.row_first[joint], room.schedule.rows[joint]
    for j in range(count):
        for c in range(6):
            room.joints.S[base + j, c] = S[j, c]
    status = force_maps(S, count, base, room.joints.T_a, room.joints.T, row)
    if rows > 6 - count:  # six rows: the unit directions in place of T
        for i in range(6):
            for c in range(6):
                room.joints.T[row + i, c] = 1.0 if c == i else 0.0
    return status


@called(None)
def put_link(links, room, k):
    """Compute Φ and B of a rigid link with one handle at its origin."""
    if links.group[k] != -1 or links.place_of[k] >= 0 or room.blocks.of[k] >= 0:
        return
    moving = room.moving
    m, moment = links.mass[k], vector_in(moving.moment[k], 0)
    g = links.gravity[0], links.gravity[1], links.gravity[2]
    n, f = sum_of(six_in(room.wrench, k), multiple(-1.0, six_in(moving.gyroscopic, k)))
    force = plus(n, cross(moment, g)), plus(f, times(m, g))
    A = symmetric_turned(nine_in(moving.rotation, k), symmetric_in(room.inverse, k))
    w = 1.0 / m
    none = 0.0 * m
    nine = none, none, none, none, none, none, none, none, none
    J, H, M = force_to_motion_at((A, nine, (w, w, w, none, none, none)), times(w, moment))
    J, M = full(J), full(M)
    phi, at = room.handles.phi, room.schedule.phi_at[room.handles.piece[k]]
    for i in range(3):
        for j in range(3):
            phi[at + 6 * i + j] = J[3 * i + j]
            phi[at + 6 * i + 3 + j] = H[3 * i + j]
            phi[at + 6 * (3 + j) + i] = H[3 * i + j]
            phi[at + 6 * (3 + i) + 3 + j] = M[3 * i + j]
    put_six(room.handles.B, room.handles.entry[k], phi_applied(phi, at, force))


@compiled
def _start_groups(links, room, tau):
    """Compute Φ and B of groups, whose nodes and interior points are the handles. Returns 0, or the number from 1 of a
    link without inertia."""
    groups, places = room.groups, links.places
    for k in range(links.parent.shape[0]):
        put_six(room.accelerations, k, NOTHING)
    for g in range(groups.size.shape[0]):
        if room.blocks.of[groups.link[groups.first[g]]] >= 0:
            continue
        p = room.handles.piece[groups.link[groups.first[g]]]
        for c in range(places.begin[g], places.begin[g + 1]):
            k = places.own[c]
            put_six(room.handles.on_places, c, six_in(room.wrench, k) if links.group[k] == -1 else NOTHING)
        status = invert(links, groups, room.moving, g, room.handles.phi, room.schedule.phi_at[p])
        if status != 0:
            return status
        answer(
            links,
            groups,
            room.moving,
            g,
            room.wrench,
            room.handles.on_places,
            tau,
            room.accelerations,
            room.handles.found,
        )
        for k in range(groups.first[g], groups.first[g + 1]):
            put_six(room.handles.B, room.handles.entry[groups.link[k]], six_in(room.handles.found, groups.link[k]))
        for c in range(places.begin[g], places.begin[g + 1]):
            put_six(room.handles.B, room.handles.place_entry[c], six_in(room.handles.found, places.own[c]))
    return 0


@compiled
def phi_applied(phi, at, force):
    """Φ F of a piece with one handle, whose Φ begins at index `at`."""
    n, f = force
    x = (
        phi[at] * n[0] + phi[at + 1] * n[1] + phi[at + 2] * n[2],
        phi[at + 6] * n[0] + phi[at + 7] * n[1] + phi[at + 8] * n[2],
        phi[at + 12] * n[0] + phi[at + 13] * n[1] + phi[at + 14] * n[2],
    )
    y = (
        phi[at + 3] * f[0] + phi[at + 4] * f[1] + phi[at + 5] * f[2],
        phi[at + 9] * f[0] + phi[at + 10] * f[1] + phi[at + 11] * f[2],
        phi[at + 15] * f[0] + phi[at + 16] * f[1] + phi[at + 17] * f[2],
    )
    z = (
        phi[at + 18] * n[0] + phi[at + 19] * n[1] + phi[at + 20] * n[2],
        phi[at + 24] * n[0] + phi[at + 25] * n[1] + phi[at + 26] * n[2],
        phi[at + 30] * n[0] + phi[at + 31] * n[1] + phi[at + 32] * n[2],
    )
    w = (
        phi[at + 21] * f[0] + phi[at + 22] * f[1] + phi[at + 23] * f[2],
        phi[at + 27] * f[0] + phi[at + 28] * f[1] + phi[at + 29] * f[2],
        phi[at + 33] * f[0] + phi[at + 34] * f[1] + phi[at + 35] * f[2],
    )
    return plus(x, y), plus(z, w)


# -- after disassembly -----------------------------------------------------------------------------------------------


@called(None)
def finish(links, room, tau, ud):
    """Compute the accelerations of the links, u̇ = T_aᵀ (V̇_b − V̇_a − bias) of the joints, and u̇ of the inner
    coordinates of groups."""
    moving, groups = room.moving, room.groups
    n = links.parent.shape[0]
    for k in range(n):
        if room.blocks.of[k] >= 0:
            continue
        if links.group[k] == -1 and links.place_of[k] < 0:
            entry, phi = room.handles.entry[k], room.schedule.phi_at[room.handles.piece[k]]
            A = sum_of(six_in(room.handles.B, entry), phi_applied(room.handles.phi, phi, six_in(room.handles.F, entry)))
            put_six(room.accelerations, k, A)
        else:
            put_six(room.wrench, k, sum_of(six_in(room.wrench, k), six_in(room.handles.F, room.handles.entry[k])))
            put_six(room.accelerations, k, NOTHING)
    places = links.places
    for c in range(places.own.shape[0]):
        k, on = places.own[c], six_in(room.handles.F, room.handles.place_entry[c])
        put_six(room.handles.on_places, c, six_in(room.wrench, k) if links.group[k] == -1 else on)
    for g in range(groups.size.shape[0]):
        if room.blocks.of[groups.link[groups.first[g]]] >= 0:
            continue
        answer(
            links, groups, moving, g, room.wrench, room.handles.on_places, tau, room.accelerations, room.handles.found
        )
        for k in range(groups.first[g], groups.first[g + 1]):
            put_six(room.accelerations, groups.link[k], six_in(room.handles.found, groups.link[k]))
        for c in range(places.begin[g], places.begin[g + 1]):
            k = places.own[c]
            if links.group[k] == -1:
                alpha, a = six_in(room.handles.found, k)
                put_six(room.accelerations, k, (alpha, a))
                own = own_force(links, moving, (alpha, minus(a, vector_in(links.gravity, 0))), k)
                put_six(room.joints.forces, k, sum_of(own, multiple(-1.0, six_in(room.handles.on_places, c))))
    for i in range(links.joints.inner):
        ud[links.joints.nv - links.joints.inner + i] = groups.rates[i]
    finish_blocks(links, room, ud)
    for k in range(n):
        if room.blocks.inner[k] != 0:
            continue
        parent, A = links.parent[k], six_in(room.accelerations, k)
        if parent >= 0:
            carried = motion_at(six_in(room.accelerations, parent), times(-1.0, vector_in(moving.arm[k], 0)))
            A = sum_of(A, multiple(-1.0, carried))
        A = sum_of(A, multiple(-1.0, six_in(moving.bias, k)))
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            ud[j] = power(A, six_in(room.joints.T_a, j))

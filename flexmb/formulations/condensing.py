"""Groups of links with coupled mass, condensed onto the head node, which a joint carries, or inverted as bodies with
handles: equations (2) and (3) of :mod:`flexmb.formulations.groups`."""

from __future__ import annotations

from flexmb.algebra.envelope import backwards, factorize, forwards, reduce_row
from flexmb.formulations.carried import (
    add_force,
    add_inertia,
    carried_alone,
    carried_sum,
)
from flexmb.formulations.newton_euler import own_force
from flexmb.formulations.spatial_algebra import (
    NOTHING,
    inertia_applied,
    inertia_in,
    multiple,
    nine_in,
    put_six,
    rigid_inertia,
    six_in,
    sum_of,
    symmetric_in,
)
from flexmb.formulations.tree.moving import acceleration_without
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import NONE, applied, minus, plus, vector_in
from flexmb.kernels.views import matrix_view, vector_view


@called(int)
def condense(links, groups, moving, g, inertias, forces, tau):
    """Write the condensed inertia Iᴬ (21 numbers) and force pᴬ of group g into the rows of its head. On entry the rows
    of all its links in `inertias` and `forces` hold those of what they carry, less external forces; τ (nv,) are drives.
    Returns zero, or the number from 1 of a link that can turn or shift without any inertia."""
    size, at = groups.size[g], groups.row_at[g]
    rest = size - 6
    S = matrix_view(groups.matrix, groups.at[g], size, size)
    L = matrix_view(groups.factors.L, groups.at[g], size, size)
    begins, y = vector_view(groups.factors.begins, at, size), vector_view(groups.factors.solution, at, size)
    _with_loads(links, groups, moving, g, inertias, forces, tau, S, L, y)
    failed = factorize(L, begins, rest)
    if failed >= 0:
        return _link_of(groups, g, failed) + 1
    forwards(L, begins, 0, rest, y)
    head = groups.link[groups.first[g]]
    for i in range(6):
        row = rest + i
        reduce_row(L, begins, row, rest)
        force = y[row]
        for k in range(begins[row], rest):
            force -= L[row, k] * y[k]
        forces[head, i] = force
        for j in range(i + 1):
            entry = L[row, rest + j]
            for k in range(max(begins[row], begins[rest + j]), rest):
                entry -= L[row, k] * L[rest + j, k]
            inertias[head, _place(j, i)] = entry
    return 0


@compiled
def _link_of(groups, g, place):
    """The link to which a row of the factors of a group belongs; for an inner coordinate the head."""
    first = groups.first[g]
    for i in range(6 * (groups.first[g + 1] - first)):
        if groups.factors.place[groups.row_at[g] + i] == place:
            return groups.link[first + i // 6]
    return groups.link[first]


@compiled
def _place(i, j):
    """Position of the entry i ≤ j of an inertia [J, H; Hᵀ, M] in its array of 21 numbers."""
    if i < 3 and j >= 3:
        return 6 + 3 * i + j - 3
    at = 0 if j < 3 else 15
    i, j = i % 3, j % 3
    return at + (i if i == j else 2 + i + j)


@compiled
def _with_loads(links, groups, moving, g, inertias, forces, tau, S, L, y):
    """L: S plus the inertias of what the links carry, in the order of the factors. y: p plus the forces of these, less
    the drives of the group's other links and inner coordinates."""
    size, row_at = groups.size[g], groups.row_at[g]
    first, last = groups.first[g], groups.first[g + 1]
    place = vector_view(groups.factors.place, row_at, size)
    put_in_order(groups, g, S, L)
    for i in range(size):
        y[place[i]] = groups.force[row_at + i]
    g_up = -links.gravity[0], -links.gravity[1], -links.gravity[2]
    for c in range(links.places.begin[g], links.places.begin[g + 1]):
        link = links.places.own[c]
        A = inertia_in(inertias, link)
        add_inertia(links.places.columns, moving, c, A, place, L)
        of_place = inertia_applied(A, carried_alone(links, moving, c, g_up))
        add_force(links.places.columns, moving, c, sum_of(six_in(forces, link), of_place), place, y)
    for k in range(first, last):
        link, row = groups.link[k], 6 * (k - first)
        for i in range(6):
            y[place[row + i]] += forces[link, i]
        for i in range(3):
            for j in range(3):
                here = i if i == j else 2 + i + j
                if j <= i:
                    L[place[row + i], place[row + j]] += inertias[link, here]
                    L[place[row + 3 + i], place[row + 3 + j]] += inertias[link, 15 + here]
                L[place[row + 3 + i], place[row + j]] += inertias[link, 6 + 3 * j + i]
    _add_drives(links, groups, moving, g, -1.0, tau, place, y)


@compiled
def _add_drives(links, groups, moving, g, sign, tau, place, y):
    """Add to y, times `sign`, the drives τ of a group's links except the head and of its inner coordinates."""
    first, last = groups.first[g], groups.first[g + 1]
    for k in range(first + 1, last):
        own, row = moving.speeds[groups.link[k]], 6 * (k - first)
        if groups.kernels.nodes.dimension == 2:
            y[place[row + 2]] += sign * tau[own + 2]
            y[place[row + 3]] += sign * tau[own]
            y[place[row + 4]] += sign * tau[own + 1]
        else:
            n = applied(nine_in(groups.turn, k), (tau[own + 3], tau[own + 4], tau[own + 5]))
            for i in range(3):
                y[place[row + i]] += sign * n[i]
                y[place[row + 3 + i]] += sign * tau[own + i]
    row, own = 6 * (last - first), links.joints.nv - links.joints.inner + groups.inner[g]
    for i in range(groups.size[g] - row):
        y[place[row + i]] += sign * tau[own + i]


@compiled
def put_in_order(groups, g, S, L):
    """Copy the entries of S inside the envelope to L, in the order of the factors."""
    at = groups.row_at[g]
    for row in range(groups.size[g]):
        i = groups.factors.row[at + row]
        for column in range(groups.factors.begins[at + row], row + 1):
            L[row, column] = S[i, groups.factors.row[at + column]]


@called(None)
def expand(links, groups, moving, g, accelerations, ud):
    """After :func:`condense`, from the acceleration of the head of group g: the accelerations of its other links, their
    u̇, and u̇ of its inner coordinates. Gravity is represented by a ground that accelerates upwards."""
    y = vector_view(groups.factors.solution, groups.row_at[g], groups.size[g])
    for k in range(groups.size[g] - 6):
        y[k] = -y[k]
    _expand(links, groups, moving, g, accelerations, vector_in(links.gravity, 0), ud)


@compiled
def _expand(links, groups, moving, g, accelerations, gravity, ud):
    """As :func:`expand`, where the solution buffer holds L⁻¹ (F − p) of all unknowns but the head."""
    size, first, last = groups.size[g], groups.first[g], groups.first[g + 1]
    rest, row_at = size - 6, groups.row_at[g]
    L = matrix_view(groups.factors.L, groups.at[g], size, size)
    begins, y = vector_view(groups.factors.begins, row_at, size), vector_view(groups.factors.solution, row_at, size)
    head = groups.link[first]
    for i in range(6):
        for k in range(begins[rest + i], rest):
            y[k] -= L[rest + i, k] * accelerations[head, i]
    backwards(L, begins, rest, y)
    for k in range(first + 1, last):
        link = groups.link[k]
        for i in range(6):
            accelerations[link, i] = y[groups.factors.place[row_at + 6 * (k - first) + i]]
        put_free_rates(links, groups, moving, k, link, accelerations, gravity, ud)
    row, own = 6 * (last - first), links.joints.nv - links.joints.inner + groups.inner[g]
    for i in range(size - row):
        ud[own + i] = groups.rates[groups.inner[g] + i] = y[groups.factors.place[row_at + row + i]]


@called(int)
def halve(links, groups, moving, g, wrench, tau, y, at):
    """After :func:`condense`, the inward half of (R) in :mod:`flexmb.formulations.aba` for group g: writes into y, from
    `at` on, L⁻¹ times the forces on all unknowns but the head, and into the row of the head the force that remains for
    it. Forces `wrench` (n, 6) on the other links and on interior points, and drives τ (nv,) of the group, are set to
    zero. Returns the index after the last entry of y."""
    size, row_at, first, last = groups.size[g], groups.row_at[g], groups.first[g], groups.first[g + 1]
    rest, wide = size - 6, 3 if groups.kernels.nodes.dimension == 2 else 6
    L = matrix_view(groups.factors.L, groups.at[g], size, size)
    begins, place = vector_view(groups.factors.begins, row_at, size), vector_view(groups.factors.place, row_at, size)
    x = vector_view(groups.factors.solution, row_at, size)
    for i in range(size):
        x[i] = 0.0
    for c in range(links.places.begin[g], links.places.begin[g + 1]):
        link = links.places.own[c]
        add_force(links.places.columns, moving, c, six_in(wrench, link), place, x)
        put_six(wrench, link, NOTHING)
    _add_drives(links, groups, moving, g, 1.0, tau, place, x)
    for k in range(first, last):
        link = groups.link[k]
        for i in range(6):
            x[place[6 * (k - first) + i]] += wrench[link, i]
            wrench[link, i] = 0.0
        for j in range(wide if k > first else 0):
            tau[moving.speeds[link] + j] = 0.0
    own = links.joints.nv - links.joints.inner + groups.inner[g]
    for i in range(size - 6 * (last - first)):
        tau[own + i] = 0.0
    start = 0
    while start < rest and x[start] == 0.0:
        start += 1
    forwards(L, begins, start, rest, x)
    for k in range(rest):
        y[at + k] = x[k]
    for i in range(6):
        force = x[rest + i]
        for k in range(max(begins[rest + i], start), rest):
            force -= L[rest + i, k] * x[k]
        wrench[groups.link[first], i] = force
    return at + rest


@called(None)
def join(links, groups, moving, g, accelerations, y, at, ud):
    """The outward half: :func:`expand` for the numbers y that :func:`halve` wrote, without gravity."""
    x = vector_view(groups.factors.solution, groups.row_at[g], groups.size[g])
    for k in range(groups.size[g] - 6):
        x[k] = y[at + k]
    _expand(links, groups, moving, g, accelerations, NONE, ud)


@compiled
def put_free_rates(links, groups, moving, k, link, accelerations, gravity, ud):
    """u̇ of a link with a free joint from the ground, number k among the links of groups, from its acceleration;
    `gravity` (3,) is added to it."""
    at = moving.speeds[link]
    if groups.kernels.nodes.dimension == 2:
        ud[at], ud[at + 1] = accelerations[link, 3] + gravity[0], accelerations[link, 4] + gravity[1]
        ud[at + 2] = accelerations[link, 2]
        return
    R, alpha = nine_in(groups.turn, k), vector_in(accelerations[link], 0)
    for i in range(3):
        ud[at + i] = accelerations[link, 3 + i] + gravity[i]
        ud[at + 3 + i] = R[i] * alpha[0] + R[3 + i] * alpha[1] + R[6 + i] * alpha[2]


# -- as a body with handles ------------------------------------------------------------------------------------------


@called(int)
def invert(links, groups, moving, g, phi, at):
    """Write the inverse inertia Φ of group g into phi from `at` on, six rows for each of its nodes and interior points;
    leaves the factors of S, to which the inertia of links on the interior points is added. Returns zero, or the number
    from 1 of a link that can turn or shift without any inertia."""
    places = links.places
    size, row_at = groups.size[g], groups.row_at[g]
    S = matrix_view(groups.matrix, groups.at[g], size, size)
    L = matrix_view(groups.factors.L, groups.at[g], size, size)
    begins, y = vector_view(groups.factors.begins, row_at, size), vector_view(groups.factors.solution, row_at, size)
    put_in_order(groups, g, S, L)
    place = vector_view(groups.factors.place, row_at, size)
    for c in range(places.begin[g], places.begin[g + 1]):
        link = places.own[c]
        A = rigid_inertia(links.mass[link], vector_in(moving.moment[link], 0), symmetric_in(moving.inertia, link))
        add_inertia(links.places.columns, moving, c, A, place, L)
    head = groups.link[groups.first[g]]
    if groups.bearer[groups.first[g]] != head:  # the interface by which it hangs may have mass of its own
        A = rigid_inertia(links.mass[head], vector_in(moving.moment[head], 0), symmetric_in(moving.inertia, head))
        for j in range(6):
            unit = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2)), (1.0 * (j == 3), 1.0 * (j == 4), 1.0 * (j == 5))
            n, f = inertia_applied(A, unit)
            for i in range(j, 6):
                L[max(place[i], place[j]), min(place[i], place[j])] += n[i] if i < 3 else f[i - 3]
    failed = factorize(L, begins, size)
    if failed >= 0:
        return _link_of(groups, g, failed) + 1
    nodes = 6 * (groups.first[g + 1] - groups.first[g])
    wide = nodes + 6 * (places.begin[g + 1] - places.begin[g])
    for c in range(wide):
        start = 0
        for i in range(size):
            y[i] = 0.0
        if c < nodes:
            start = place[c]
            y[start] = 1.0
        else:
            on = places.begin[g] + (c - nodes) // 6
            for j in range(places.columns.first[on], places.columns.first[on + 1]):
                y[place[places.columns.row[j]]] += moving.carried[j, (c - nodes) % 6]
        forwards(L, begins, start, size, y)
        backwards(L, begins, size, y)
        for i in range(c, wide):
            value = 0.0
            if i < nodes:
                value = y[place[i]]
            else:
                on = places.begin[g] + (i - nodes) // 6
                for j in range(places.columns.first[on], places.columns.first[on + 1]):
                    value += moving.carried[j, (i - nodes) % 6] * y[place[places.columns.row[j]]]
            phi[at + wide * i + c] = phi[at + wide * c + i] = value
    return 0


@called(None)
def answer(links, groups, moving, g, forces, on_places, tau, known, found):
    """Accelerations of the nodes and interior points of group g, beyond those in `known` (n, 6), written to `found`
    (n, 6), under forces (n, 6) on its links, forces `on_places` (C, 6) on its interior points and drives τ (nv,) of its
    inner coordinates; z̈ is written to groups.rates. After :func:`invert`. Accelerations are absolute."""
    places, gravity = links.places, vector_in(links.gravity, 0)
    size, first, last = groups.size[g], groups.first[g], groups.first[g + 1]
    row_at = groups.row_at[g]
    S = matrix_view(groups.matrix, groups.at[g], size, size)
    L = matrix_view(groups.factors.L, groups.at[g], size, size)
    p, place = vector_view(groups.force, row_at, size), vector_view(groups.factors.place, row_at, size)
    begins, y = vector_view(groups.factors.begins, row_at, size), vector_view(groups.factors.solution, row_at, size)
    row, own = 6 * (last - first), links.joints.nv - links.joints.inner + groups.inner[g]
    for i in range(size):
        total = -p[i]
        for j in range(row):
            down = links.gravity[j % 6 - 3] if j % 6 >= 3 else 0.0
            total -= S[i, j] * (known[groups.link[first + j // 6], j % 6] - down)
        total += forces[groups.link[first + i // 6], i % 6] if i < row else tau[own + i - row]
        y[place[i]] = total
    head = groups.link[first]
    if groups.bearer[first] != head:
        alpha, a = six_in(known, head)
        n, f = own_force(links, moving, (alpha, minus(a, gravity)), head)
        for i in range(3):
            y[place[i]] -= n[i]
            y[place[3 + i]] -= f[i]
    for c in range(places.begin[g], places.begin[g + 1]):
        alpha, a = acceleration_without(links, moving, known, NONE, places.own[c], groups.kernels.none, 0)
        force = six_in(on_places, c)
        if links.group[places.own[c]] == -1:  # the equations of a group of its own know the forces of its motion
            own = own_force(links, moving, (alpha, minus(a, gravity)), places.own[c])
            force = sum_of(force, multiple(-1.0, own))
        add_force(links.places.columns, moving, c, force, place, y)
    forwards(L, begins, 0, size, y)
    backwards(L, begins, size, y)
    for k in range(first, last):
        for i in range(6):
            found[groups.link[k], i] = y[place[6 * (k - first) + i]]
    for i in range(size - row):
        groups.rates[groups.inner[g] + i] = y[place[row + i]]
    for c in range(places.begin[g], places.begin[g + 1]):
        beyond = carried_sum(links.places.columns, moving, c, found, NONE, groups.rates, 0)
        alpha, a = acceleration_without(links, moving, known, NONE, places.own[c], groups.kernels.none, 0)
        was = six_in(known, places.own[c])
        alpha, a = minus(plus(alpha, beyond[0]), was[0]), minus(plus(a, beyond[1]), was[1])
        put_six(found, places.own[c], (alpha, a))

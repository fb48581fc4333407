"""The mechanism as a whole: its mass, its mass center, its momenta, and what its surroundings do to it beside weight.

Where everything moves as one rigid body, a place x moves by e + θ × x, a direction by θ × d, and an orientation by θ.
With the speeds Zᵀ (e, θ) that this gives to all coordinates, those of fixed frames among them (a clamped beam has mass
there too), any forces r on the coordinates have the resultant and the moment about the origin Z r. So

    Z M Z_eᵀ e = (m e, m c × e)        mass m and mass center c
    Z M v = (P, L)                     momentum, and angular momentum about the origin
    Z (M a + f) = (F, N)               their rates less weight and its moment

f are the velocity-dependent, elastic and gravity forces of whatever has inertia; elastic forces within a body have no
resultant. By the laws of momentum, F and N are the forces and moments of the ground, of loads and of all else outside.
Those of loads, which stand on no other frame, are known by themselves: without them F and N are those of what carries
the mechanism. Only kernels with inertia and of loads are evaluated, so that joints and springs cost nothing.

At rest f is elastic forces and weight, with the resultant −m g and the moment −m c × g. So with v = 0

    Z (M (g + e) + f) = (m e, m c × e)        Z (M v + f) = (P − m g, L − m c × g)

take one pass each, and the mass, which does not change, none. Where it may change, as in a tank, and where kernels with
inertia do more at rest, M x is the difference of two passes.

Derivatives are those of M x, which the tangents of the kernels know, and those of the levers Z.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import cross, plus, put, times, vector_in
from flexmb.kernels.views import vector_view
from flexmb.system.runs import COUNT, RUN, SLOPES, SPEEDS, SPEEDS_AT, call_run, residual_of

#: what :func:`whole_now` finds: mass, first moment m c, momentum P and angular momentum L about the origin, force F and
#: moment N about the origin of all outside but weight, and those of loads; in the plane with zeros
MASS, MOMENT, MOMENTUM, ANGULAR, FORCE, TORQUE, LOAD, LOAD_TORQUE, WIDTH = 0, 1, 4, 7, 10, 13, 16, 19, 22

#: what of these :func:`whole_now` is asked for, each of which takes a pass over all kernels with inertia: the mass with
#: the first moment across x, or that across y; momenta, of which L needs both first moments; F and N; those of loads;
#: and the mass alone
ACROSS_X, ACROSS_Y, MOMENTA, FORCES, LOADS, WEIGHT = 1, 2, 4, 8, 16, 32
EVERYTHING = ACROSS_X | ACROSS_Y | MOMENTA | FORCES | LOADS | WEIGHT
#: behind the momenta of wheels: whether kernels with inertia do no more at rest than they weigh; the mass; gravity
PLAIN, KNOWN_MASS, GRAVITY, KNOWN = 0, 1, 2, 5
#: how many vectors (total,) :func:`whole_now` needs, and :func:`whole_slopes` besides
ROOM, MORE_ROOM = 9, 6


@inlined
def _loads_at(table, at):
    """Where the runs of loads begin in a table (:func:`flexmb.system.whole_tables.whole_table`)."""
    return at + 2 + RUN * table[at + 1]


@inlined
def _places_at(table, at):
    """Where the numbers of places begin."""
    loads = _loads_at(table, at)
    return loads + 1 + RUN * table[loads]


@called(None)
def levers(table, at, q, n, Z):
    """Z (6 n,), row by row: the resultant of forces on all n coordinates, and their moment about the origin; `table`
    from `at` on is that of :func:`flexmb.system.whole_tables.whole_table`."""
    for k in range(6 * n):
        Z[k] = 0.0
    size, at = table[at], _places_at(table, at)
    places, directions, turning = table[at], table[at + 1], table[at + 2]
    at += 3
    for k in range(places + directions):
        i, j = table[at], table[at + 1]
        at += 2
        x, y = q[j], q[j + 1]
        if k < places:
            for axis in range(size):
                Z[axis * n + i + axis] = 1.0
        Z[5 * n + i], Z[5 * n + i + 1] = -y, x
        if size == 3:
            z = q[j + 2]
            Z[3 * n + i + 1], Z[3 * n + i + 2] = -z, y
            Z[4 * n + i], Z[4 * n + i + 2] = z, -x
    for _ in range(turning):
        i, j, scalar = table[at], table[at + 1], table[at + 2]
        at += 3
        if size == 3:
            R = (q[scalar], q[j], q[j + 1], q[j + 2])
            for axis in range(3):
                e = turned(R, (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0))
                Z[3 * n + i + axis], Z[4 * n + i + axis], Z[5 * n + i + axis] = e[0], e[1], e[2]
        else:
            Z[5 * n + i] = 1.0


@called(None)
def add_lever_slopes(table, at, q, r, n, sign, columns, first, width, out, to):
    """Add `sign` times the derivatives of Z by positions, times the forces r (n,), to six rows of `width` numbers from
    out[to] on; the number of a speed has the column columns[first + number], −1 for none."""
    size, at = table[at], _places_at(table, at)
    places, directions, turning = table[at], table[at + 1], table[at + 2]
    at += 3
    for _ in range(places + directions):
        i = table[at]
        at += 2
        fx, fy, fz = sign * r[i], sign * r[i + 1], sign * r[i + 2] if size == 3 else 0.0
        for axis in range(size):
            c = columns[first + i + axis]
            if c >= 0:  # e × f
                out[to + 3 * width + c] += 0.0 if axis == 0 else fz if axis == 1 else -fy
                out[to + 4 * width + c] += -fz if axis == 0 else 0.0 if axis == 1 else fx
                out[to + 5 * width + c] += fy if axis == 0 else -fx if axis == 1 else 0.0
    for _ in range(turning if size == 3 else 0):
        i, j, scalar = table[at], table[at + 1], table[at + 2]
        at += 3
        R, x, y, z = (q[scalar], q[j], q[j + 1], q[j + 2]), sign * r[i], sign * r[i + 1], sign * r[i + 2]
        for axis in range(3):
            c = columns[first + i + axis]
            if c >= 0:  # R (e × m)
                e = turned(R, (0.0, -z, y) if axis == 0 else (z, 0.0, -x) if axis == 1 else (-y, x, 0.0))
                for row in range(3):
                    out[to + (3 + row) * width + c] += e[0] if row == 0 else e[1] if row == 1 else e[2]


@called(None)
def _resultant(Z, r, n, out, to):
    """Z r, six numbers from out[to] on."""
    for row in range(6):
        total = 0.0
        for j in range(n):
            total += Z[row * n + j] * r[j]
        out[to + row] = total


@inlined
def _translate(table, at, places, known, known_at, by_gravity, axis, moved):
    """Accelerations of one along an axis, with those of gravity if `by_gravity`."""
    moved[:] = 0.0
    for k in range(table[places]):
        for c in range(table[at]):
            g = known[known_at + GRAVITY + c] if by_gravity else 0.0
            moved[table[places + 3 + 2 * k] + c] = g + (1.0 if c == axis else 0.0)


@called(None)
def whole_now(plan, scratch, table, at, asked, known, known_at, t, q, v, a, room, out):
    """out (WIDTH,): the mechanism as a whole in one state, zero where it is not `asked` for. `known` from `known_at` on
    (total + KNOWN,): :func:`flexmb.system.whole_tables.whole_known`; `room` (ROOM total,) is scratch."""
    n, still = plan.total, scratch.still
    r0, r, moved, Z = room[:n], room[n : 2 * n], room[2 * n : 3 * n], room[3 * n : 9 * n]
    inertia, places = at + 1, _places_at(table, at)
    behind = known_at + n
    plain = known[behind + PLAIN] != 0.0
    levers(table, at, q, n, Z)
    out[:] = 0.0  # of what stood there before a part may be NaN, and formulas multiply all by their directions
    if plain:
        out[MASS] = known[behind + KNOWN_MASS]
    elif asked & (ACROSS_X | ACROSS_Y | MOMENTA | WEIGHT) != 0:
        residual_of(plan, scratch, table, inertia, t, q, v, still, r0)  # with v, on whose states a mass may depend
    for axis in range(2):
        wanted = ACROSS_X | (0 if plain else WEIGHT) if axis == 0 else ACROSS_Y
        if asked & wanted == 0:
            continue
        _translate(table, at, places, known, behind, plain, axis, moved)
        if plain:
            residual_of(plan, scratch, table, inertia, t, q, still, moved, r)
        else:
            _times_mass(plan, scratch, table, inertia, t, q, v, moved, r0, r)
        _resultant(Z, r, n, out, MOMENTUM)
        if not plain:
            out[MASS] = out[MOMENTUM + axis]
        if axis == 0:  # m c × e_x = m (0, c_z, −c_y)
            out[MOMENT + 1], out[MOMENT + 2] = -out[ANGULAR + 2], out[ANGULAR + 1]
        else:  # m c × e_y = m (−c_z, 0, c_x)
            out[MOMENT] = out[ANGULAR + 2]
    if asked & MOMENTA != 0:
        if plain:
            residual_of(plan, scratch, table, inertia, t, q, still, v, r)
        else:
            _times_mass(plan, scratch, table, inertia, t, q, v, v, r0, r)
        for j in range(n):
            r[j] += known[known_at + j]
        _resultant(Z, r, n, out, MOMENTUM)
        if plain:
            g, moment = vector_in(known, behind + GRAVITY), vector_in(out, MOMENT)
            put(out, MOMENTUM, plus(vector_in(out, MOMENTUM), times(out[MASS], g)))
            put(out, ANGULAR, plus(vector_in(out, ANGULAR), cross(moment, g)))
    if asked & FORCES != 0:
        residual_of(plan, scratch, table, inertia, t, q, v, a, r)
        _resultant(Z, r, n, out, FORCE)
    if asked & LOADS != 0:
        add_loads(plan, scratch, table, at, t, q, v, a, r, Z, out)


@called(None)
def add_loads(plan, scratch, table, at, t, q, v, a, r, Z, out):
    """The force and moment of loads, with the levers Z; r (total,) is scratch."""
    residual_of(plan, scratch, table, _loads_at(table, at), t, q, v, a, r)
    for j in range(plan.total):
        r[j] = -r[j]
    _resultant(Z, r, plan.total, out, LOAD)


@inlined
def _times_mass(plan, scratch, table, runs, t, q, v, x, r0, r):
    """r = M x, with r0 = f."""
    residual_of(plan, scratch, table, runs, t, q, v, x, r)
    for j in range(r.shape[0]):
        r[j] -= r0[j]


@called(None)
def _add_slopes_of(plan, scratch, runs, at, sign, t, q, v, a, w, Z, columns, first, width, out):
    """Add Z K, with K the tangents of the runs at runs[at + 1] with the weights w, to six rows of `width` numbers."""
    n, none = plan.total, vector_view(scratch.lam, 0, 0)
    for k in range(runs[at]):
        own = at + 1 + k * RUN
        nv = runs[own + SPEEDS]
        for i in range(runs[own + COUNT]):
            call_run(plan, scratch, runs, own, SLOPES, i, i + 1, 0, nv, t, q, v, a, none, w)
            base = runs[own + SPEEDS_AT] + i * nv
            for j in range(nv):
                for row in range(6):
                    lever = sign * Z[row * n + plan.numbers[base + j]]
                    for c in range(nv) if lever != 0.0 else range(0):
                        column = columns[first + plan.numbers[base + c]]
                        if column >= 0:
                            out[row * width + column] += lever * scratch.K[j * nv + c]


@called(None)
def whole_slopes(
    plan, scratch, table, at, asked, known, known_at, t, q, v, a, w, columns, first, width, room, more, out
):
    """Add wd ∂/∂v + wk ∂/∂q of the numbers of :func:`whole_now`, which has filled the levers in the `room`, but for F
    and N, to `out` (WIDTH, width); `columns` as in :func:`add_lever_slopes`; `more` (6 width,) and w (3,) are scratch,
    w = (0, wd, wk)."""
    n, still, by_speed = plan.total, scratch.still, w[1]
    r0, r, moved, Z = room[:n], room[n : 2 * n], room[2 * n : 3 * n], room[3 * n : 9 * n]
    inertia, loads, places = at + 1, _loads_at(table, at), _places_at(table, at)
    across_x = ACROSS_X | (0 if known[known_at + n + PLAIN] != 0.0 else WEIGHT)
    residual_of(plan, scratch, table, inertia, t, q, v, still, r0)
    for what in range(4):  # across x, across y, momenta, loads
        if asked & (across_x if what == 0 else ACROSS_Y if what == 1 else MOMENTA if what == 2 else LOADS) == 0:
            continue
        more[:] = 0.0
        runs, sign = (loads, -1.0) if what == 3 else (inertia, 1.0)
        x = a
        if what < 2:
            _translate(table, at, places, known, known_at + n, False, what, moved)
            x = moved
        elif what == 2:
            x = v
            w[0] = by_speed  # M v by v is M, too
        residual_of(plan, scratch, table, runs, t, q, v, x, r)
        _add_slopes_of(plan, scratch, table, runs, sign, t, q, v, x, w, Z, columns, first, width, more)
        w[0] = 0.0
        if what < 3:
            _add_slopes_of(plan, scratch, table, runs, -1.0, t, q, v, still, w, Z, columns, first, width, more)
            for j in range(n):
                r[j] -= r0[j] - (known[known_at + j] if what == 2 else 0.0)
        add_lever_slopes(table, at, q, r, n, sign * w[2], columns, first, width, more, 0)
        for c in range(width):
            if what == 0:
                out[MASS * width + c] += more[c]
                out[(MOMENT + 1) * width + c] -= more[5 * width + c]
                out[(MOMENT + 2) * width + c] += more[4 * width + c]
            elif what == 1:
                out[MASS * width + c] += more[width + c] if asked & across_x == 0 else 0.0
                out[MOMENT * width + c] += more[5 * width + c]
            else:
                to = MOMENTUM if what == 2 else LOAD
                for row in range(6):
                    out[(to + row) * width + c] += more[row * width + c]

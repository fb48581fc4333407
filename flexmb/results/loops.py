"""Compiled loops over all times of a solution: points and sections of beams, forces of joints, energies."""

from __future__ import annotations

import math

from flexmb.kernels import charts, euler_angles
from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import vector_in
from flexmb.system import evaluation
from flexmb.system.accelerations import accelerations
from flexmb.system.friction import add_friction
from flexmb.system.linear import NO_ROOM, OK


@compiled
def _copy_row(x, row):
    for j in range(row.shape[0]):
        x[j] = row[j]


@compiled
def _copy_state(full, q, v, a):
    _copy_row(full[0], q)
    _copy_row(full[1], v)
    _copy_row(full[2], a)


@compiled
def turn_within_steps(orientations, q, v, a, left, right, taken, h, part, out, v_out):
    """Put orientations into the positions out (k, nq), and their speeds into v_out (k, n), each at a `part` (k,) of a
    step of length h (k,) between two rows of q, v and a, the numbers of which are in `left` and `right`; `taken` (k, n)
    says where accelerations count."""
    for k in range(out.shape[0]):
        i, j = left[k], right[k]
        charts.turn_within(orientations, q[i], v[i], a[i], q[j], v[j], a[j], taken[k], h[k], part[k], out[k], v_out[k])


@compiled
def angles_of_track(axes, t, e, omega, last, angles, rates):
    """Euler angles (k, 3) about axes that turn along, and their rates (k, 3), of unit quaternions e (k, 4) and angular
    velocities ω (k, 3) in own axes at times t (k,): the first ones as :func:`flexmb.kernels.euler_angles.angles_of` has
    them, the others those that go on steadily from the ones before, which are in the memory `last`. NaN where they are
    not determined."""
    for k in range(e.shape[0]):
        q, w = (e[k, 0], e[k, 1], e[k, 2], e[k, 3]), (omega[k, 0], omega[k, 1], omega[k, 2])
        if euler_angles.read_angles(axes, q, w, t[k], last) == euler_angles.LOST:
            angles[k], rates[k] = math.nan, math.nan
            begun = last[euler_angles.LAST_TIME] == last[euler_angles.LAST_TIME]
            x0 = vector_in(last, euler_angles.LAST_ANGLES)
            x = euler_angles.angles_near(axes, q, x0) if begun else euler_angles.angles_of(axes, q)
            angles[k, 1] = x[1]
            continue
        for j in range(3):
            angles[k, j] = last[euler_angles.LAST_ANGLES + j]
            rates[k, j] = last[euler_angles.LAST_RATES + j]


@compiled
def point_track(plan, scratch, group, place, full, t, q, v, a, w, out):
    """out (k, …): the motion of a point of one instance; `w` is what its point kernel takes.

    `full` (3, total_q) holds q, v, a with the entries of fixed frames at the tail.
    """
    for k in range(t.shape[0]):
        _copy_state(full, q[k], v[k], a[k])
        evaluation.points(plan, scratch, group, place, t[k], full[0], full[1], full[2], w, out[k])


@compiled
def section_track(plan, scratch, group, place, full, t, q, v, a, w, out):
    """out (k, …): strains and forces of the section at a point of one instance; see :func:`point_track`."""
    for k in range(t.shape[0]):
        _copy_state(full, q[k], v[k], a[k])
        evaluation.sections(plan, scratch, group, place, t[k], full[0], full[1], full[2], w, out[k])


@compiled
def forces_of_instance(plan, scratch, group, place, full, parts, t, q, v, a, lam, places, held, w, out):
    """out (k, nv): the force of one instance, see :func:`flexmb.system.evaluation.instance_force`, while controllers
    hold `held` (k, places.size) at these places of the parameters."""
    for k in range(t.shape[0]):
        for j in range(places.shape[0]):
            plan.p[places[j]] = held[k, j]
        _copy_state(full, q[k], v[k], a[k])
        evaluation.instance_force(
            plan, scratch, group, place, parts, t[k], full[0], full[1], full[2], lam[k], w, out[k]
        )


@compiled
def _energies_now(plan, scratch, full, t, lam, w, g, out):
    """The six numbers of :func:`energy_track` at the state in `full`, added to out (6,)."""
    evaluation.energies(plan, scratch, t, full[0], full[1], full[3], w, out)
    if plan.friction > 0:
        full[2] = 0.0
        add_friction(plan, scratch, t, full[0], full[1], full[3], lam, full[2])
        for j in range(plan.total):
            out[3] += full[1, j] * full[2, j]
    if g.shape[1] > 0:
        evaluation.constraints(plan, scratch, t, full[0], full[3], full[3], w, g[0], g[1], g[2])
        power = 0.0
        for j in range(g.shape[1]):
            power += lam[j] * g[1, j]
        out[5] = power


@compiled
def energy_track(plan, scratch, full, t, q, v, lam, w, g, places, held, out):
    """out (k, 6): kinetic, strain, potential energy, dissipated and input power, and the power λᵀ g_t of drives. What
    friction by the joints' own forces takes is dissipated.

    `full` (4, total_q): q, v, forces of friction, and a row that stays zero; `g` (3, m) is scratch. The velocity error
    is ġ = G v + g_t, so that g_t is what the constraint kernels give at speed zero. `held` (k, places.size): what
    controllers hold at these places of the parameters.
    """
    for k in range(t.shape[0]):
        for j in range(places.shape[0]):
            plan.p[places[j]] = held[k, j]
        _copy_row(full[0], q[k])
        _copy_row(full[1], v[k])
        _energies_now(plan, scratch, full, t[k], lam[k], w, g, out[k])


@compiled
def balance_of(plan, scratch, full, t, q, v, lam, w, g, momenta, spin, picked, e, out):
    """out (5,): the largest amount left over in the balance of energy, the largest exchanged of any kind, the largest
    total, the first and the last, from the instants of a motion that were `picked` (p,), with the multipliers
    lam (p, m) there.
    Whether they tell it.

    The work between two instants at the distance h follows from the powers P and their rates at both,

        W = h (P₀ + P₁)/2 + h² (Ṗ₀ − Ṗ₁)/12,

    rates from the powers at the instants beside. Wheels of constant speed have the `momenta` (n,) and, at rest, the
    energy `spin`. Scratch is e (p, 6).
    """
    count = picked.shape[0]
    powered = False
    for k in range(count):
        i = picked[k]
        _copy_row(full[0], q[i])
        _copy_row(full[1], v[i])
        for j in range(6):
            e[k, j] = 0.0
        _energies_now(plan, scratch, full, t[i], lam[k], w, g, e[k])
        powered = powered or e[k, 3] != 0.0 or e[k, 4] != 0.0 or e[k, 5] != 0.0
    if powered and count < 3:
        return False
    # what was dissipated, put in, and done by drives until the instant; the rates of the three powers there
    lost, given, driven = 0.0, 0.0, 0.0
    rates, before = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    start, spun_at_start = 0.0, 0.0
    most_kinetic, most_strain, most_potential = -math.inf, -math.inf, -math.inf
    least_strain, least_potential = math.inf, math.inf
    left, passed, largest = 0.0, 0.0, 0.0
    for k in range(count):
        i = picked[k]
        spun = spin
        for j in range(momenta.shape[0]):
            spun += v[i, j] * momenta[j]
        kinetic = e[k, 0] + spun
        total = kinetic + e[k, 1] + e[k, 2]
        if k == 0:
            start, spun_at_start = total, spun
            out[3] = total
        out[4] = total
        if powered:
            if k > 0 and t[i] == t[picked[k - 1]]:  # at an event there are two times at one instant
                return False
            before, rates = rates, (
                _rate(t, e, picked, k, 3), _rate(t, e, picked, k, 4), _rate(t, e, picked, k, 5)
            )  # fmt: skip
            if k > 0:
                h = t[i] - t[picked[k - 1]]
                lost += 0.5 * h * (e[k - 1, 3] + e[k, 3]) + h * h / 12.0 * (before[0] - rates[0])
                given += 0.5 * h * (e[k - 1, 4] + e[k, 4]) + h * h / 12.0 * (before[1] - rates[1])
                driven += 0.5 * h * (e[k - 1, 5] + e[k, 5]) + h * h / 12.0 * (before[2] - rates[2])
        by_drives = driven + spun - spun_at_start
        over = abs(total - start + lost - given - by_drives)
        if not over < math.inf:
            return False
        left, largest = max(left, over), max(largest, abs(total))
        passed = max(passed, abs(lost), abs(given), abs(by_drives))
        most_kinetic = max(most_kinetic, kinetic)
        most_strain, least_strain = max(most_strain, e[k, 1]), min(least_strain, e[k, 1])
        most_potential, least_potential = max(most_potential, e[k, 2]), min(least_potential, e[k, 2])
    out[0], out[2] = left, largest
    out[1] = max(most_kinetic, most_strain - least_strain, most_potential - least_potential, passed)
    return True


@compiled
def balance_of_commanded(plan, scratch, full, t, q, v, none, w, no_rows, g, places, held, momenta, spin, e, out):
    """As :func:`balance_of`, from all instants (k,) of a motion under controllers, of which the steps (k − 1) have the
    commands `held` (k − 1, places.size) in the parameters `places`: the work of a step is its length times the mean of
    the powers at both ends, with its own commands at both. Where rows do
    work it is not told; `g` (3, m) for rows that may. `none` (0,), `no_rows` (3, 0); scratch is e (2, 6)."""
    lost, given, start, spun_at_start = 0.0, 0.0, 0.0, 0.0
    most, least = (-math.inf, -math.inf, -math.inf), (math.inf, math.inf)
    left, passed, largest = 0.0, 0.0, 0.0
    for k in range(t.shape[0]):
        _copy_row(full[0], q[k])
        _copy_row(full[1], v[k])
        if g.shape[1] > 0:
            evaluation.constraints(plan, scratch, t[k], full[0], full[3], full[3], w, g[0], g[1], g[2])
            for j in range(g.shape[1]):
                if g[1, j] != 0.0:
                    return False
        changed = k == 0
        for j in range(places.shape[0]):
            changed = changed or (k < held.shape[0] and held[k, j] != held[k - 1, j])
        for j in range(6):
            e[1, j] = 0.0
        _energies_now(plan, scratch, full, t[k], none, w, no_rows, e[1])  # with the commands of the step that ends here
        if k > 0:
            h = t[k] - t[k - 1]
            lost += 0.5 * h * (e[0, 3] + e[1, 3])
            given += 0.5 * h * (e[0, 4] + e[1, 4])
        spun = spin
        for j in range(momenta.shape[0]):
            spun += v[k, j] * momenta[j]
        total = e[1, 0] + spun + e[1, 1] + e[1, 2]
        if k == 0:
            start, spun_at_start = total, spun
            out[3] = total
        out[4] = total
        by_drives = spun - spun_at_start
        over = abs(total - start + lost - given - by_drives)
        if not over < math.inf:
            return False
        left, largest = max(left, over), max(largest, abs(total))
        passed = max(passed, abs(lost), abs(given), abs(by_drives))
        most = max(most[0], e[1, 0] + spun), max(most[1], e[1, 1]), max(most[2], e[1, 2])
        least = min(least[0], e[1, 1]), min(least[1], e[1, 2])
        if changed and k < held.shape[0]:
            for j in range(places.shape[0]):
                plan.p[places[j]] = held[k, j]
            for j in range(6):
                e[1, j] = 0.0
            _energies_now(plan, scratch, full, t[k], none, w, no_rows, e[1])
        for j in range(6):
            e[0, j] = e[1, j]
    out[0], out[2] = left, largest
    out[1] = max(most[0], most[1] - least[0], most[2] - least[1], passed)
    return True


@compiled
def _rate(t, e, picked, k, column):
    """The rate of e[:, column] at instant number k: that of the parabola through the instants beside it, at the first
    and at the last that of the line."""
    last = picked.shape[0] - 1
    if k == 0:
        return (e[1, column] - e[0, column]) / (t[picked[1]] - t[picked[0]])
    behind = t[picked[k]] - t[picked[k - 1]]
    slope = (e[k, column] - e[k - 1, column]) / behind
    if k == last:
        return slope
    ahead = t[picked[k + 1]] - t[picked[k]]
    return (ahead * slope + behind * (e[k + 1, column] - e[k, column]) / ahead) / (behind + ahead)


@compiled
def multipliers(plan, scratch, linear, mass, full, t, q, v, work, places, held, guess, lam):
    """Put the multipliers of states into lam (k, m), which holds an estimate of them and keeps it where the equations
    of motion do not determine them, while controllers hold `held` (k, places.size) at these places of the parameters.
    The number of states that there was room for. `full` (3, total_q): q, v, a; `guess` (m,) is scratch."""
    for k in range(t.shape[0]):
        for j in range(places.shape[0]):
            plan.p[places[j]] = held[k, j]
        _copy_row(full[0], q[k])
        _copy_row(full[1], v[k])
        _copy_row(guess, lam[k])
        status = accelerations(plan, scratch, linear, mass, t[k], full[0], full[1], full[2], guess, work, 0.0, 0.0)
        if status == NO_ROOM:
            return k
        fine = status == OK
        for j in range(plan.m):
            fine = fine and abs(guess[j]) < math.inf
        if fine:
            _copy_row(lam[k], guess)
    return t.shape[0]

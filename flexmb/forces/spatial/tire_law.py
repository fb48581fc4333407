"""The law of a tire in space (:mod:`flexmb.forces.tire`), with its changes by all coordinates and speeds.

The point of the rim that is deepest in the plane of body a, its normal n and the directions t₁ ahead and t₂ aside are
those of a wheel that rolls (:mod:`flexmb.joints.spatial.rows.rolling_rows`), g its distance; p is the place above it in
the plane, at which the forces act. With the center c of the wheel

    δ = −g,   V = ṙ_b + ω_b × (p − r_b) − ṙ_a − ω_a × (p − r_a),   V_x = t₁ · (ċ − ṙ_a − ω_a × (p − r_a))
    N = k δ (1 + c δ̇/N₀) ≥ 0,   F = N n + F₁ t₁ + F₂ t₂

The wheel rolls freely on its loaded radius. All changes, by coordinates and by speeds, come along with the quantities:
those of p, n, t₁ and t₂ from the rows of rolling, and from them by the chain rule.

What the tread stores is N/N₀ Σ ½ kᵢ uᵢ² at a constant load. Since the load changes, the ledger counts the power
N/N₀ Σ kᵢ uᵢ u̇ᵢ, with which it stores, as negative input, and as input what it gives back.
"""

from __future__ import annotations

from flexmb.forces.contact_law import push
from flexmb.forces.tire import DAMPED, GRIP, LENGTH, LOAD, SMOOTH, STIFF, speed, tread
from flexmb.joints.spatial.rows.rolling_rows import contact
from flexmb.kernels.compilation import compiled
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import cross, dot, minus, plus, times, vector_in

#: parameters: those of :func:`~flexmb.joints.spatial.rows.rolling_rows.contact` (18), of the law (8), vertical k and
#: c/N₀
ARM_B, LAW, VERTICAL = 4, 18, 26


@compiled
def motion(row, A, B, r_a, r_b, v_a, w_a, v_b, w_b, step_a, turn_a, step_b, turn_b, v_a_by, w_a_by, v_b_by, w_b_by):
    """g, p − r_a, p − r_b, c − r_b, n, t₁, t₂, V, V_x, and their changes where the bodies move by step_a, step_b, turn
    by turn_a, turn_b and their velocities in the axes of the ground change by v_a_by …"""
    g, deep, n, t1, t2, deep_by, n_by, t1_by, t2_by = contact(row, A, B, r_a, r_b, step_a, turn_a, step_b, turn_b)
    of_b = plus(step_b, cross(turn_b, minus(deep, r_b)))
    of_a = plus(step_a, cross(turn_a, minus(deep, r_a)))
    g_by = dot(n, minus(of_b, of_a))
    p = minus(deep, times(g, n))
    p_by = minus(deep_by, plus(times(g_by, n), times(g, n_by)))
    to_a, to_b = minus(p, r_a), minus(p, r_b)
    to_a_by, to_b_by = minus(p_by, step_a), minus(p_by, step_b)
    arm = turned(B, vector_in(row, ARM_B))
    arm_by = cross(turn_b, arm)
    road = plus(v_a, cross(w_a, to_a))
    road_by = plus(v_a_by, plus(cross(w_a_by, to_a), cross(w_a, to_a_by)))
    V = minus(plus(v_b, cross(w_b, to_b)), road)
    V_by = minus(plus(v_b_by, plus(cross(w_b_by, to_b), cross(w_b, to_b_by))), road_by)
    going = minus(plus(v_b, cross(w_b, arm)), road)
    going_by = minus(plus(v_b_by, plus(cross(w_b_by, arm), cross(w_b, arm_by))), road_by)
    Vx, Vx_by = dot(t1, going), dot(t1_by, going) + dot(t1, going_by)
    return (
        (g, to_a, to_b, arm, n, t1, t2, V, Vx),
        (g_by, to_a_by, to_b_by, arm_by, n_by, t1_by, t2_by, V_by, Vx_by),
    )


@compiled
def slips(now, by):
    """V · t₁, V · t₂ and their changes."""
    V, V_by = now[7], by[7]
    x, y = dot(now[5], V), dot(now[6], V)
    return x, y, dot(by[5], V) + dot(now[5], V_by), dot(by[6], V) + dot(now[6], V_by)


@compiled
def leaving(row, now, by):
    """How fast the tread is left behind, as a part of its deflection, ahead and aside, and the changes."""
    x, y, x_by, y_by = slips(now, by)
    smooth = row[LAW + SMOOTH]
    rolls, rolls_1, _ = speed(now[8] * now[8], smooth)
    slides, slides_1, _ = speed(x * x + y * y, smooth)
    rolls_by, slides_by = 2.0 * rolls_1 * now[8] * by[8], 2.0 * slides_1 * (x * x_by + y * y_by)
    slip_x, slip_y = row[LAW + STIFF] / row[LAW + GRIP], row[LAW + STIFF + 1] / row[LAW + GRIP]
    return (
        rolls / row[LAW + LENGTH] + slip_x * slides,
        rolls / row[LAW + LENGTH + 1] + slip_y * slides,
        rolls_by / row[LAW + LENGTH] + slip_x * slides_by,
        rolls_by / row[LAW + LENGTH + 1] + slip_y * slides_by,
    )


@compiled
def row_values(row, now, by, u, ud, u_by, ud_by):
    """The two rows, and their changes."""
    x, y, x_by, y_by = slips(now, by)
    c_x, c_y, c_x_by, c_y_by = leaving(row, now, by)
    return (
        ud[0] + c_x * u[0] + x,
        ud[1] + c_y * u[1] + y,
        ud_by[0] + c_x_by * u[0] + c_x * u_by[0] + x_by,
        ud_by[1] + c_y_by * u[1] + c_y * u_by[1] + y_by,
    )


@compiled
def load_on(row, now, by):
    """N and its change."""
    N, by_gap, by_rate = push(now[0], dot(now[4], now[7]), row[VERTICAL], 1.0, row[VERTICAL + 1])
    return N, by_gap * by[0] + by_rate * (dot(by[4], now[7]) + dot(now[4], by[7]))


@compiled
def force_of(row, now, by, u, ud, u_by, ud_by):
    """F and its change."""
    N, N_by = load_on(row, now, by)
    c_x, c_y, c_x_by, c_y_by = leaving(row, now, by)
    share = 1.0 / row[LAW + LOAD]
    k_x, k_y, d = row[LAW + STIFF], row[LAW + STIFF + 1], row[LAW + DAMPED]
    x, x_by = tread(k_x, d, u[0], ud[0], c_x, u_by[0], ud_by[0], c_x_by)
    y, y_by = tread(k_y, d, u[1], ud[1], c_y, u_by[1], ud_by[1], c_y_by)
    way = plus(now[4], plus(times(share * x, now[5]), times(share * y, now[6])))
    way_by = plus(by[4], plus(times(share * x, by[5]), times(share * y, by[6])))
    way_by = plus(way_by, plus(times(share * x_by, now[5]), times(share * y_by, now[6])))
    return times(N, way), plus(times(N_by, way), times(N, way_by))


@compiled
def pulls(row, now, by, u, u_by, on_x, on_y):
    """For multipliers of the rows: the vectors that they put at p and at c, and their changes."""
    x, y, x_by, y_by = slips(now, by)
    smooth = row[LAW + SMOOTH]
    _, rolls_1, rolls_2 = speed(now[8] * now[8], smooth)
    _, slides_1, slides_2 = speed(x * x + y * y, smooth)
    slip_x, slip_y = on_x * row[LAW + STIFF] / row[LAW + GRIP], on_y * row[LAW + STIFF + 1] / row[LAW + GRIP]
    left_x, left_y = on_x / row[LAW + LENGTH], on_y / row[LAW + LENGTH + 1]
    slide, slide_by = slip_x * u[0] + slip_y * u[1], slip_x * u_by[0] + slip_y * u_by[1]
    left, left_by = left_x * u[0] + left_y * u[1], left_x * u_by[0] + left_y * u_by[1]
    of_slip = 2.0 * slides_1 * slide
    of_slip_by = 2.0 * slides_1 * slide_by + 4.0 * slides_2 * (x * x_by + y * y_by) * slide
    Vx = now[8]
    of_roll = 2.0 * rolls_1 * Vx * left
    of_roll_by = 2.0 * rolls_1 * Vx * left_by + (2.0 * rolls_1 + 4.0 * rolls_2 * Vx * Vx) * by[8] * left
    x_all, y_all = on_x + of_slip * x, on_y + of_slip * y
    x_all_by, y_all_by = of_slip_by * x + of_slip * x_by, of_slip_by * y + of_slip * y_by
    at_p = plus(times(x_all, now[5]), times(y_all, now[6]))
    at_p_by = plus(
        plus(times(x_all_by, now[5]), times(x_all, by[5])), plus(times(y_all_by, now[6]), times(y_all, by[6]))
    )
    return at_p, times(of_roll, now[5]), at_p_by, plus(times(of_roll_by, now[5]), times(of_roll, by[5]))

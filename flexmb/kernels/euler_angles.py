"""Euler angles of all sequences inside kernels: three hinges in series, each about an axis of the body turned so far.

    R = R_i(φ) R_j(θ) R_k(ψ),      neighbors of the axes i, j, k differ

`axes` holds the numbers i, j, k (0, 1, 2 for x, y, z) and `x` the angles (φ, θ, ψ). Turns about fixed axes are the same
in reverse order. Angular velocities add up along the hinges, and so do their changes; in the axes after each hinge,

    ω₁ = e_i φ̇,      ω₂ = R_jᵀ ω₁ + e_j θ̇,      ω = R_kᵀ ω₂ + e_k ψ̇

With d = R_jᵀ e_i and w = R_k ω = d φ̇ + e_j θ̇ + e_k ψ̇, where e_j is normal to d and to e_k, the rates are

    θ̇ = w · e_j,      φ̇ = (w × e_k) · e_j / s,      ψ̇ = (d × w) · e_j / s,      s = (d × e_k) · e_j

s is sin θ where i = k (3-1-3: Shimizu (2024), eq. (4.50)), and ± cos θ otherwise. Where s = 0 the first axis and the
last one are parallel, so that φ and ψ are not determined, nor their rates.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, inlined
from flexmb.kernels.rotations import inverse, product, quaternion_at, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import cross, dot, minus, plus, put, times, vector_at, vector_in

#: Euler angles are not determined where |s| is below this
SINGULAR = 1e-7


@compiled
def _unit(axis):
    return 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0


@compiled
def _turn(axis, angle):
    """The quaternion of a turn about an axis."""
    e = times(math.sin(0.5 * angle), _unit(axis))
    return math.cos(0.5 * angle), e[0], e[1], e[2]


@compiled
def quaternion_of_angles(axes, x):
    """The unit quaternion of Euler angles."""
    return product(product(_turn(axes[0], x[0]), _turn(axes[1], x[1])), _turn(axes[2], x[2]))


@compiled
def angles_of(axes, q):
    """The Euler angles of a unit quaternion: φ and ψ between −π and π; θ from 0 to π, or, if the three axes differ,
    from −½π to ½π.

    With e_m = e_i × e_j, the components of R e_k along e_i, e_j and e_m determine φ and θ, those of Rᵀ e_i determine ψ.
    """
    e_i, e_j, e_k = _unit(axes[0]), _unit(axes[1]), _unit(axes[2])
    e_m = cross(e_i, e_j)
    last, first = turned(q, e_k), turned_back(q, e_i)
    if axes[0] == axes[2]:
        phi = math.atan2(dot(e_j, last), -dot(e_m, last))
        psi = math.atan2(dot(e_j, first), dot(e_m, first))
        theta = math.atan2(math.hypot(dot(e_j, last), dot(e_m, last)), dot(e_i, last))
        return phi, theta, psi
    side = dot(e_m, e_k)
    phi = math.atan2(-side * dot(e_j, last), side * dot(e_m, last))
    psi = math.atan2(-side * dot(e_j, first), dot(e_i, first))
    theta = math.atan2(side * dot(e_i, last), math.hypot(dot(e_j, last), dot(e_m, last)))
    return phi, theta, psi


@compiled
def distance_from_singular(axes, x):
    """s, the sine of the angle between the first and the last axis, with its sign."""
    e_j = _unit(axes[1])
    return dot(cross(turned_back(_turn(axes[1], x[1]), _unit(axes[0])), _unit(axes[2])), e_j)


@compiled
def angular_velocity(axes, x, rates, dx, d_rates):
    """ω in body axes from the rates of Euler angles, and its change for given changes of the angles and of their rates:
    δ(Rᵀ ω) = Rᵀ δω + (Rᵀ ω) × e δ(angle)."""
    e = _unit(axes[0])
    omega, change = times(rates[0], e), times(d_rates[0], e)
    for hinge in range(1, 3):
        e, turn = _unit(axes[hinge]), _turn(axes[hinge], x[hinge])
        omega, change = turned_back(turn, omega), turned_back(turn, change)
        change = plus(change, plus(times(dx[hinge], cross(omega, e)), times(d_rates[hinge], e)))
        omega = plus(omega, times(rates[hinge], e))
    return omega, change


@compiled
def angle_rates(axes, x, omega):
    """The rates of Euler angles from ω in body axes; infinite or NaN at a singular position."""
    e_j, e_k = _unit(axes[1]), _unit(axes[2])
    d = turned_back(_turn(axes[1], x[1]), _unit(axes[0]))
    w = turned(_turn(axes[2], x[2]), omega)
    s = dot(cross(d, e_k), e_j)
    return dot(cross(w, e_k), e_j) / s, dot(w, e_j), dot(cross(d, w), e_j) / s


@compiled
def whole_turns(angle, near):
    """An angle plus the whole turns that bring it closest to `near`."""
    return angle + 2.0 * math.pi * math.floor((near - angle) / (2.0 * math.pi) + 0.5)


@compiled
def angles_near(axes, q, near):
    """The Euler angles of a unit quaternion that are closest to `near`: (φ + π, −θ, ψ + π) are the same orientation as
    (φ, θ, ψ), or, if the three axes differ, (φ + π, π − θ, ψ + π); and whole turns may be added to each."""
    phi, theta, psi = angles_of(axes, q)
    other = -theta if axes[0] == axes[2] else math.pi - theta
    one = (whole_turns(phi, near[0]), whole_turns(theta, near[1]), whole_turns(psi, near[2]))
    two = (
        whole_turns(phi + math.pi, near[0]), whole_turns(other, near[1]), whole_turns(psi + math.pi, near[2])
    )  # fmt: skip
    off_one, off_two = minus(one, near), minus(two, near)
    return one if dot(off_one, off_one) <= dot(off_two, off_two) else two


@compiled
def angles_going_on(axes, q, omega, h, x0, u0):
    """The Euler angles of a unit quaternion that continue the angles x0 with rates u0 of a time h before; their
    prediction by the mean of the rates at both times; and the largest change of a rate times h."""
    u = angle_rates(axes, angles_of(axes, q), omega)
    u1 = u[1] if abs(u[1] - u0[1]) < abs(u[1] + u0[1]) else -u[1]
    u = (u[0], u1, u[2])
    near, change = plus(x0, times(0.5 * h, plus(u0, u))), minus(u, u0)
    return angles_near(axes, q, near), near, h * max(abs(change[0]), max(abs(change[1]), abs(change[2])))


# -- one reading after another ---------------------------------------------------------------------------------------

#: columns of a memory: the time of the last reading, up to three angles, and their rates; NaN before the first
LAST_TIME, LAST_ANGLES, LAST_RATES, MEMORY = 0, 1, 4, 7
#: largest difference between an angle and its prediction from the last reading and the rates [rad]
DOUBTFUL = 0.5 * math.pi
#: largest half of the difference between the angles since the last reading by either rate alone [rad]. If the rate only
#: rises or only falls in between, the prediction is off by no more than that, so one within DOUBTFUL is no turn off; of
#: rates that differ by more it may agree by chance
AGREEING = 2.0 * math.pi - DOUBTFUL
#: what :func:`read_angles` finds: angles, the nearest ones to the last where it is not sure, none
SURE, UNSURE, LOST = range(3)


@inlined
def turn_of(row, at, iq, iv, q, v):
    """The unit quaternion of a frame, and its angular velocity in its own axes: of one on the node at the head of iq,
    against the ground, or against another one on the node behind that. `row` from `at` on: their axes on the nodes."""
    e = product(quaternion_at(q, iq, 3), quaternion_in(row, at))
    omega = turned_back(quaternion_in(row, at), vector_at(v, iv, 3))
    if iq.shape[0] == 7:
        return e, omega
    on_a = product(quaternion_at(q, iq, 10), quaternion_in(row, at + 4))
    spin_a = turned_back(e, turned(quaternion_at(q, iq, 10), vector_at(v, iv, 9)))
    return product(inverse(on_a), e), minus(omega, spin_a)


@compiled
def read_angles(axes, q, omega, t, last):
    """Put the Euler angles of a unit quaternion, which go on from those of the last reading, and their rates into the
    memory `last` (MEMORY,); SURE, UNSURE or LOST, where they are not determined and the memory stays."""
    x, sure = angles_of(axes, q), True
    if not abs(distance_from_singular(axes, x)) >= SINGULAR:
        return LOST
    if last[LAST_TIME] == last[LAST_TIME]:
        x0 = vector_in(last, LAST_ANGLES)
        x, near, change = angles_going_on(axes, q, omega, t - last[LAST_TIME], x0, vector_in(last, LAST_RATES))
        off = minus(x, near)
        sure = max(abs(off[0]), max(abs(off[1]), abs(off[2]))) <= DOUBTFUL and 0.5 * change <= AGREEING
        if not sure:
            x = angles_near(axes, q, x0)
    last[LAST_TIME] = t
    put(last, LAST_ANGLES, x)
    put(last, LAST_RATES, angle_rates(axes, x, omega))
    return SURE if sure else UNSURE

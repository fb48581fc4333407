"""On–off control of one axis by jets with a shortest pulse, in closed form.

A body of inertia J turns freely, J θ̈ = M, and two jets give M = ∓F ℓ. The jet against +θ opens a time δ after
θ + τ θ̇ = d, for a pulse of T; the other one likewise for −θ. A pulse changes the rate by Δ = F ℓ T/J. A limit cycle
of single pulses has the rate r before one jet and −s, s = Δ − r, before the other; it is symmetric for r = Δ/2. The
jets open at the angles d − τ r + r δ and −(d − τ s + s δ), and while they are on the angle moves by (r − s) T/2.
Between them the body drifts, and

    period = 2 T + (d − τ r + r δ + (r − s) T/2 + d − τ s + s δ)/s + (d − τ r + r δ − (r − s) T/2 + d − τ s + s δ)/r
"""

from __future__ import annotations


def cycle(
    rate: float, change: float, dead: float, ahead: float, pulse: float, delay: float
) -> tuple[float, float, float]:
    """The period [s], and the largest and the lowest angle [rad], of the limit cycle of a rate r before the first jet:
    `change` Δ of a pulse, threshold `dead` d, `ahead` τ.

    >>> [round(x, 9) for x in cycle(0.005, 0.01, 0.02, 2.0, 0.1, 0.02)]
    [8.28, 0.010225, -0.010225]
    """
    r, s = rate, change - rate
    upper, lower = dead - ahead * r + r * delay, -(dead - ahead * s + s * delay)
    shift = 0.5 * (r - s) * pulse
    period = 2.0 * pulse + (upper + shift - lower) / s + (upper - lower - shift) / r
    turn = 0.5 * r * r * pulse / change  # until the rate is zero
    back = 0.5 * s * s * pulse / change
    return period, upper + turn, lower - back

"""The amplitudes of a reduced body inside kernels, of the plane and of space (:mod:`flexmb.bodies.reduced_body`)."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled


@compiled
def fill_amplitudes(row, n, many, at_T, at_B, at_q, first_q, at_v, first_v, q, v, a, work):
    """Fill f = (1, η, ζ), ḟ and f̈ at the head of `work`, and from `at_B` on Tη, Tη̇, Tη̈ (n_s, n) each.

    With ζ_m = ½ ηᵀT^mη:  ζ̇ = ηᵀTη̇,  ζ̈ = ηᵀTη̈ + η̇ᵀTη̇.  T begins at row[at_T]; η stands in q at the numbers
    at_q[first_q …], its rates in v and a at at_v[first_v …]."""
    slaves = many - 1 - n
    work[0], work[many], work[2 * many] = 1.0, 0.0, 0.0
    for k in range(n):
        work[1 + k] = q[at_q[first_q + k]]
        work[many + 1 + k] = v[at_v[first_v + k]]
        work[2 * many + 1 + k] = a[at_v[first_v + k]]
    for m in range(slaves):
        value, rate, second = 0.0, 0.0, 0.0
        for k in range(n):
            x, y, z = 0.0, 0.0, 0.0
            first = at_T + (m * n + k) * n
            for j in range(n):
                entry = row[first + j]
                x += entry * work[1 + j]
                y += entry * work[many + 1 + j]
                z += entry * work[2 * many + 1 + j]
            own = at_B + m * n + k
            work[own], work[own + slaves * n], work[own + 2 * slaves * n] = x, y, z
            value += 0.5 * x * work[1 + k]
            rate += x * work[many + 1 + k]
            second += x * work[2 * many + 1 + k] + y * work[many + 1 + k]
        own = 1 + n + m
        work[own], work[many + own], work[2 * many + own] = value, rate, second

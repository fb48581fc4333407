"""The amplitudes of a reduced body inside kernels, of the plane and of space (:mod:`flexmb.bodies.reduced_body`), and
sections of a body by its modes: strains that are linear in the amplitudes, forces that are linear in the strains."""

from __future__ import annotations

import math

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


@compiled
def along_modes(row, k, slopes, n, q, at_q, first_q):
    """row[k] + Σ_j A_j η_j, with the n numbers A from row[slopes] on."""
    total = row[k]
    for j in range(n):
        total += row[slopes + j] * q[at_q[first_q + j]]
    return total


@compiled
def fill_slopes(w, shapes, rows, n, q, at_q, first_q, work):
    """Fill D = Φ + ηᵀT and W = Φʳ + ηᵀTʳ, (rows, n), at the head of `work`, and behind them what η moves,
    Φη + ½ ηᵀTη. From w[shapes] on stand Φ and Φʳ, behind them T and Tʳ."""
    for c in range(rows):
        first, second = shapes + c * n, shapes + rows * n + c * n * n
        moved = 0.0
        for k in range(n):
            total = along_modes(w, first + k, second + k * n, n, q, at_q, first_q)
            work[c * n + k] = total
            moved += 0.5 * (w[first + k] + total) * q[at_q[first_q + k]]
        work[rows * n + c] = moved


@compiled
def fill_rates(w, shapes, rows, n, v, a, at_v, first_v, work):
    """Fill the rates of what η moves, and their rates, (2 rows,), behind what :func:`fill_slopes` fills; returns where
    they begin."""
    at = rows * (n + 1)
    for c in range(rows):
        second = shapes + rows * n + c * n * n
        rate, up = 0.0, 0.0
        for k in range(n):
            row = second + k * n
            bend = 0.0
            for j in range(n):
                bend += w[row + j] * v[at_v[first_v + j]]
            rate += work[c * n + k] * v[at_v[first_v + k]]
            up += work[c * n + k] * a[at_v[first_v + k]] + bend * v[at_v[first_v + k]]
        work[at + c], work[at + rows + c] = rate, up
    return at


@compiled
def fill_section(row, law, w, shapes, strains, forces, n, q, at_q, v, at_v, first_q, first_v, out):
    """Fill ε = E η and behind them F = C (ε + β ε̇), or nan for a force whose row of C is zero. E (strains, n) stands in
    w from `shapes` on, C (forces, strains) and β in the row of parameters from `law` on; η in q at the numbers
    at_q[first_q …], its rates in v at at_v[first_v …]."""
    beta = row[law + forces * strains]
    for f in range(forces):
        out[strains + f] = math.nan
    for e in range(strains):
        strain, rate = 0.0, 0.0
        for k in range(n):
            strain += w[shapes + e * n + k] * q[at_q[first_q + k]]
            rate += w[shapes + e * n + k] * v[at_v[first_v + k]]
        out[e] = strain
        for f in range(forces):
            stiffness = row[law + f * strains + e]
            if stiffness != 0.0:
                own = stiffness * (strain + beta * rate)
                before = out[strains + f]
                out[strains + f] = own if math.isnan(before) else before + own

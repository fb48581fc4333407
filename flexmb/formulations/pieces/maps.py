"""Motion and force subspaces of a joint: its free motions S, the reactions that it carries, T, and the forces of its
drives, T_a.

S (6, nJ) has the motions [ω; v] of its speeds, see :mod:`flexmb.formulations.tree.moving`. A force on
the joint is F = T_a τ + T λ with, Takahashi (2012), eq. (2.7),

    T_aᵀ S = 1,   Tᵀ S = 0

so that τ has the power τᵀ q̇ and λ none. Of all such T_a the one in the column space of S is taken. With S = Q₁ R, and
Q₂ such that [Q₁ Q₂] is orthogonal, from Householder reflections,

    T_a = Q₁ R⁻ᵀ,   T = Q₂

In the code all three are stored by rows: S[j] is the motion of speed j.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, compiled


@called(int)
def force_maps(S, count, first, Ta, T, row):
    """Write T_a into Ta[first : first + count] and T into T[row : row + 6 − count], for the motions S (count, 6), which
    are overwritten. Returns −1 if the motions are linearly dependent, else 0. S has at least seven rows."""
    beta = S[6]
    for j in range(count):
        size, left = 0.0, 0.0
        for c in range(6):
            size += S[j, c] * S[j, c]
        for c in range(j, 6):
            left += S[j, c] * S[j, c]
        if not left > 1e-24 * size:
            return -1
        pivot = -math.copysign(math.sqrt(left), S[j, j])
        # reflection 1 − beta v vᵀ with v = s − pivot e_j, scaled to v_j = 1, in S[j, j:]; R in the entries before it,
        # R_jj in T_a[j, j]
        head = S[j, j] - pivot
        for c in range(j + 1, 6):
            S[j, c] /= head
        S[j, j] = 1.0
        beta[j] = -head / pivot
        for i in range(j + 1, count):
            _reflect(S, j, beta[j], S[i])
        Ta[first + j, j] = pivot
    if count == 1:  # Q₁ and Q₂ are the columns of 1 − beta v vᵀ
        pivot = 1.0 / Ta[first, 0]
        for k in range(6):
            out, x = T[row + k - 1] if k > 0 else Ta[first], -beta[0] * S[0, k]
            for c in range(6):
                out[c] = x * S[0, c]
            out[k] += 1.0
        for c in range(6):
            Ta[first, c] *= pivot
        return 0
    for k in range(count, 6):
        out = T[row + k - count]
        for c in range(6):
            out[c] = 1.0 if c == k else 0.0
        for j in range(count - 1, -1, -1):
            _reflect(S, j, beta[j], out)
    # rows of R⁻¹ Q₁ᵀ from the last one back: T_a[i] = (Q₁[i] − Σ R_ij T_a[j]) / R_ii
    for i in range(count - 1, -1, -1):
        out, pivot = Ta[first + i], Ta[first + i, i]
        for c in range(6):
            out[c] = 1.0 if c == i else 0.0
        for j in range(i, -1, -1):
            _reflect(S, j, beta[j], out)
        for j in range(i + 1, count):
            for c in range(6):
                out[c] -= S[j, i] * Ta[first + j, c]
        for c in range(6):
            out[c] /= pivot
    return 0


@compiled
def _reflect(S, j, beta, x):
    """x (6,) ← (1 − beta v vᵀ) x, with v in S[j, j:]."""
    share = 0.0
    for c in range(j, 6):
        share += S[j, c] * x[c]
    share *= beta
    for c in range(j, 6):
        x[c] -= share * S[j, c]

"""The six frequencies of a rigid body on four equal springs, in closed form.

The springs, of the stiffness (k₁, k₂, k₃) each along the body's axes, stand at (±b, ±d, −h) from the mass center. The
planes of symmetry part the motions: along the third axis; about it; along the first with the turn about the second;
along the second with the turn about the first. With weight m g against the third axis every spring carries m g/4, and a
turn θ lets the mass center sink by h θ²/2 against the springs' ends:

    ω² = 4 k₃/m,       ω² = 4 (k₁ d² + k₂ b²)/J₃
    [m 0; 0 J₂] and [4 k₁, 4 k₁ h; 4 k₁ h, 4 (k₁ h² + k₃ b²) − m g h]
    [m 0; 0 J₁] and [4 k₂, −4 k₂ h; −4 k₂ h, 4 (k₂ h² + k₃ d²) − m g h]

(a turn θ about the second axis moves the ends by −h θ along the first). Each pair has
2 ω² = p + q ± √((p − q)² + 4 r²) with p = K₁₁/M₁₁, q = K₂₂/M₂₂, r² = K₁₂²/(M₁₁ M₂₂).
"""

from __future__ import annotations

import numpy as np


def squares(
    mass: float, inertia: np.ndarray, stiffness: np.ndarray, corner: tuple[float, float, float], gravity: float = 0.0
) -> np.ndarray:
    """ω² (6,) [1/s²], ascending; `corner` (b, d, h) [m], `gravity` [m/s²] against the third axis."""
    one, two, three = stiffness
    b, d, h = corner
    weight = mass * gravity * h
    found = [4.0 * three / mass, 4.0 * (one * d**2 + two * b**2) / inertia[2]]
    for along, across, moment in ((one, b, inertia[1]), (two, d, inertia[0])):
        p = 4.0 * along / mass
        q = (4.0 * (along * h**2 + three * across**2) - weight) / moment
        r2 = (4.0 * along * h) ** 2 / (mass * moment)
        root = np.sqrt((p - q) ** 2 + 4.0 * r2)
        found += [0.5 * (p + q + root), 0.5 * (p + q - root)]
    return np.sort(found)

"""Heat on the elements of a beam, in every theory that has kernels for it.

A temperature τ above that without stress, with a gradient across the section, strains a section freely by

    in the plane  ε = ᾱ τ,  κ = −ᾱ ∂τ/∂y,          in space  ε = ᾱ τ,  κ_y = ᾱ ∂τ/∂z,  κ_z = −ᾱ ∂τ/∂y

so that its forces are N = EA (ε_total − ε) and so on. What is subtracted, EA ε and
EI κ, is a load: it does the work  ∫ (EA ε δε_total + EI κ δκ_total) dx  on the strains of the theory, whatever these
are. With the factor f(t) its power is input power.

The row of parameters of an instance is that of its element, then the forces EA ε and EI κ (in space EIy κ_y, EIz κ_z),
the slot of the factor, and where the forces begin. The kernel `section` of a family of heat gives what a factor of 1
takes from the strains and forces that the element's own kernel `section` knows.
"""

from __future__ import annotations

from flexmb.kernels.compilation import compiled
from flexmb.kernels.slots import strength_at


@compiled
def forces_at(p, i):
    """Offset of the thermal forces among the parameters of an instance."""
    return int(p[i, p.shape[1] - 1])


@compiled
def factor_at(p, i, count, t):
    """The factor of heat at the time t; it has so many forces."""
    return strength_at(p[i], int(p[i, p.shape[1] - 1]) + count, t)


@compiled
def power_of(row, iv, i, v):
    """The power of forces that stand in a row (nv,) as in a residual, on the left of the equation of motion."""
    total = 0.0
    for k in range(iv.shape[1]):
        total -= row[k] * v[iv[i, k]]
    return total

"""The attraction of beams whose mass lies along a cubic between two nodes: what exact and ANCF beams share.

Their kinetic energy is that of a line of mass r = Σ N_a x_a, with the cubics N_a of Hermite and four vectors x_a that
follow from the nodes. The same line is attracted, at four Gauss points with the masses m_g, by

    f_a = Σ_g N_a(η_g) m_g a(r_g),     −∂f_a/∂x_b = −Σ_g N_a N_b m_g G(r_g)

The points integrate N_a N_b exactly. So in a field that is linear over an element, where a = a₀ + G r, the forces are
those of its mass matrix times the field, as in free fall they have to be; and where it is not, their error is 4e-11 of
the forces of an element that is bent by half a radian, 1e-9 by 1.5 rad.
"""

from __future__ import annotations

from flexmb.elements.spatial.exact.parameters import CUBICS
from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import plus, times

POINTS = len(CUBICS)


@compiled
def along(N, x):
    """Σ N_a x_a."""
    first = plus(times(N[0], x[0]), times(N[1], x[1]))
    return plus(first, plus(times(N[2], x[2]), times(N[3], x[3])))


@compiled
def cubics_at(g):
    """The cubics N_a at a Gauss point."""
    return CUBICS[g, 0], CUBICS[g, 1], CUBICS[g, 2], CUBICS[g, 3]


@compiled
def added(f, N, force):
    """f_a + N_a times a force."""
    return (
        plus(f[0], times(N[0], force)),
        plus(f[1], times(N[1], force)),
        plus(f[2], times(N[2], force)),
        plus(f[3], times(N[3], force)),
    )

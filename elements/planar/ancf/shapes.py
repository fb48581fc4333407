"""Parameters of an ANCF cable element in the plane, see :mod:`flexmb.elements.planar.ancf_cable`."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled

# places of the parameters of an element
GX, GY, LENGTH, EA, EI, RHO_A, BETA = range(7)


@compiled
def local(iq, i, il, z):
    """d, A, B of an element from a vector of coordinates or speeds."""
    dx = (z[iq[i, 4]] - z[iq[i, 0]]) * il
    dy = (z[iq[i, 5]] - z[iq[i, 1]]) * il
    return dx, dy, z[iq[i, 2]] - dx, z[iq[i, 3]] - dy, z[iq[i, 6]] - dx, z[iq[i, 7]] - dy

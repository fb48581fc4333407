"""Heat on the exact beam in space, see :mod:`flexmb.elements.heat`.

The forces n = (N, 0, 0) and m = (0, My, Mz) are constant along an element and turn with its sections, as its strains
do, so they act on the nodes as the stresses of :mod:`flexmb.elements.spatial.exact.elastic` do. A circle that a
gradient makes is exact with any number of elements. With a temperature as well, the law of the element, which is that
of a force N in a curved beam, bends it too little by  N² l²/(12 GA EI),  N = EA ᾱ τ: an error that falls with l².
"""

from __future__ import annotations

from flexmb.elements.heat import factor_at, forces_at, power_of
from flexmb.elements.spatial.exact.elastic import forces_of_stresses
from flexmb.elements.spatial.exact.inertia import add_forces
from flexmb.elements.spatial.exact.places import of_section, strains_of
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import minus, put, times
from flexmb.kernels.views import vector_view


@compiled
def _on_nodes(p, i, iq, q, factor):
    """The force on the second node in the axes of the ground, and the moments on both in their own axes."""
    at = forces_at(p, i)
    force, moment = (factor * p[i, at], 0.0, 0.0), (0.0, factor * p[i, at + 1], factor * p[i, at + 2])
    return forces_of_stresses(p, i, iq, q, force, moment)


@compiled
def _put(p, i, iq, t, q, row):
    """Put the forces of heat into a row (12,)."""
    force, one, two = _on_nodes(p, i, iq, q, -factor_at(p, i, 3, t))
    for k in range(12):
        row[k] = 0.0
    add_forces(row, times(-1.0, force), one, force, two)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, out[i])


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    row = vector_view(work, 0, 12)
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, row)
        out[i, 4] = power_of(row, iv, i, v)


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Strains of a section are those of its forces and those of heat."""
    for i in range(p.shape[0]):
        at = forces_at(p, i)
        force, _, moment = _on_nodes(p, i, iq, q, 1.0)
        n, m = of_section(p, i, iq, q, w[0], force, moment)
        strain, curvature = strains_of(p, i, w[0], n, m)
        free = strains_of(p, i, w[0], (p[i, at], 0.0, 0.0), (0.0, p[i, at + 1], p[i, at + 2]))
        put(out[i], 0, minus(strain, free[0]))
        put(out[i], 3, minus(curvature, free[1]))
        put(out[i], 6, n)
        put(out[i], 9, m)


SPATIAL_EXACT_HEAT = Kernels("heat on an exact beam in space", residual, energy=energy, section=section)

"""The attraction of ANCF cables, whose coordinates are those of the cubics along which their mass lies, see
:mod:`flexmb.elements.spatial.attraction.cubics`."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.elements.spatial.attraction.cubics import POINTS, added, along, cubics_at
from flexmb.elements.spatial.attraction.pull import AttractionAlong
from flexmb.elements.spatial.exact.parameters import gauss_weights
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import NONE, add_block, put, times, vector_at
from flexmb.model.components import Assembler
from flexmb.model.gravity.falling import MU, SIZE, attraction, gradient, origin_of, potential, power

#: parameters behind those of the field: the length, and the masses of the Gauss points
LENGTH, MASSES = SIZE, SIZE + 1


class CableAttraction(AttractionAlong):
    """The attraction of an ANCF cable.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> rope = fm.spatial.BeamProperties(EA=1e4, EIy=1.0, EIz=1.0, GJ=1.0, rhoA=0.5)
    >>> rod = m.add_beam("rod", (3.0, 0, 0), (5.0, 0, 0), properties=rope, theory="ancf", elements=1)
    >>> system = fm.System(m)  # the mass 1 at 8 from the center, but for 1/7 and 1/9 at its ends
    >>> float(system.residual(0.0, system.q0, system.v0, 0.0 * system.v0)[[0, 6]].sum().round(6))
    -0.186508
    """

    def assemble(self, assembly: Assembler) -> None:
        cable: Any = self.of
        L = cable.length / int(cable.elements)
        row = [*self.gravity.parameters, L, *(float(cable.properties.rhoA) * L * gauss_weights())]
        assembly.series(self, ATTRACTED_CABLE, joined(cable.elements_of(assembly).coordinates), np.array(row))


@compiled
def _vectors(p, i, iq, q):
    """x_a: places, and slopes times the length."""
    L = p[i, LENGTH]
    return (
        vector_at(q, iq[i], 0),
        times(L, vector_at(q, iq[i], 3)),
        vector_at(q, iq[i], 6),
        times(L, vector_at(q, iq[i], 9)),
    )


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0]):
        o, od = origin_of(p, i, 0, 0, t, o, od)
        x, f = _vectors(p, i, iq, q), (NONE, NONE, NONE, NONE)
        for g in range(POINTS):
            N = cubics_at(g)
            pulled, _, _, _ = attraction(p[i, MU], o, along(N, x))
            f = added(f, N, times(-p[i, MASSES + g], pulled))
        put(out[i], 0, f[0])
        put(out[i], 3, times(p[i, LENGTH], f[1]))
        put(out[i], 6, f[2])
        put(out[i], 9, times(p[i, LENGTH], f[3]))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        o, od = origin_of(p, i, 0, 0, t, o, od)
        x, L = _vectors(p, i, iq, q), p[i, LENGTH]
        for g in range(POINTS):
            N = cubics_at(g)
            _, k, _, n = attraction(p[i, MU], o, along(N, x))
            G, m = gradient(k, n), -w[2] * p[i, MASSES + g]
            N = (N[0], L * N[1], N[2], L * N[3])
            for c in range(4):
                for d in range(4):
                    add_block(K[i], 3 * c, 3 * d, m * N[c] * N[d], G)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0]):
        o, od = origin_of(p, i, 0, 0, t, o, od)
        x = _vectors(p, i, iq, q)
        for g in range(POINTS):
            place = along(cubics_at(g), x)
            out[i, 2] += p[i, MASSES + g] * potential(p[i, MU], o, place)
            out[i, 4] += p[i, MASSES + g] * power(p[i, MU], o, od, place)


#: On the coordinates of an element.
ATTRACTED_CABLE = Kernels("central gravity on an ANCF cable", residual=residual, tangent=tangent, energy=energy)

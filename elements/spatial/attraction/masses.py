"""The attraction of what stands on one node: rigid bodies, point masses, wheels, rotors.

With the arm s of the mass center on the node, the field is that of the mass center, where c = 0
(:mod:`flexmb.elements.spatial.attraction.pull`); on the node act R F and M + s × F.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmb.elements.spatial.attraction.pull import (
    Attraction,
    column_of,
    extent_energy,
    extent_power,
    pull,
    seen,
)
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import NONE, cross, matrix_in, plus, put, times, vector_at, vector_in
from flexmb.model.components import Assembler
from flexmb.model.gravity.falling import MU, SIZE, origin_of, potential, power

#: parameters: those of the field, the mass, the arm (3) of the mass center, S (9) about it
MASS, ARM, SECOND = SIZE, SIZE + 1, SIZE + 4


class Lump(NamedTuple):
    """A mass on a node: the node, the mass [kg], the arm (3,) [m] of its center and the tensor of inertia (3, 3)
    [kg m²] about that, both in the axes of the node."""

    node: Any
    mass: float
    arm: np.ndarray
    tensor: np.ndarray


@dataclass(eq=False)
class MassAttraction(Attraction):
    """The attraction of a part that has a method `lump`, which gives a :class:`Lump`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> ball = m.add_body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(4.0, 0, 0))
    >>> (fm.System(m).residual(0.0, [4.0, 0, 0, 1, 0, 0, 0], [0] * 6, [0] * 6)[:3] + 0.0).round(9).tolist()
    [-0.375, 0.0, 0.0]
    """

    def places(self) -> list[Any]:
        of = self.of.lump()
        return [of.node.position + np.array(turned(tuple(of.node.orientation), tuple(of.arm)))]

    def assemble(self, assembly: Assembler) -> None:
        of = self.of.lump()
        S = 0.5 * np.trace(of.tensor) * np.eye(3) - of.tensor
        p = np.concatenate([self.gravity.parameters, [of.mass], of.arm, S.ravel()])
        assembly.instance(self, ATTRACTED_MASS, assembly.node(of.node), p)


@compiled
def _at(row, q, iq):
    """The orientation, the arm, S, and the place of the mass center."""
    turn, arm = quaternion_at(q, iq, 3), vector_in(row, ARM)
    return turn, arm, matrix_in(row, SECOND), plus(vector_at(q, iq, 0), turned(turn, arm))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0]):
        row = p[i]
        o, od = origin_of(p, i, 0, 0, t, o, od)
        turn, arm, S, x = _at(row, q, iq[i])
        force, moment = pull(row[MASS], NONE, S, *seen(row[MU], o, x, turn))
        put(out[i], 0, times(-1.0, turned(turn, force)))
        put(out[i], 3, times(-1.0, plus(moment, cross(arm, force))))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        row = p[i]
        o, od = origin_of(p, i, 0, 0, t, o, od)
        turn, arm, S, x = _at(row, q, iq[i])
        field = seen(row[MU], o, x, turn)
        force, _ = pull(row[MASS], NONE, S, *field)
        for j in range(6):
            _, on_place, on_turn = column_of(j, row[MASS], arm, S, field, turn, force)
            for k in range(3):
                K[i, k, j] -= w[2] * on_place[k]
                K[i, 3 + k, j] -= w[2] * on_turn[k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0]):
        row = p[i]
        o, od = origin_of(p, i, 0, 0, t, o, od)
        turn, _, S, x = _at(row, q, iq[i])
        _, n, k, rho = seen(row[MU], o, x, turn)
        out[i, 2] = row[MASS] * potential(row[MU], o, x) + extent_energy(S, n, k)
        out[i, 4] = row[MASS] * power(row[MU], o, od, x) + extent_power(S, n, k, rho, turned_back(turn, od))


#: On the coordinates of a node.
ATTRACTED_MASS = Kernels("central gravity on a mass", residual=residual, tangent=tangent, energy=energy)

"""The attraction of a small body in a field that is linear over it, and what changes it, in the axes of the body.

A body with the mass m, the first moments c = ∫ s dm and the second moments S = ∫ s sᵀ dm about the origin of its frame
(of a rigid one ½ tr J 1 − J) is attracted in the field g of its frame, G = −k (1 − 3 n nᵀ) with ρ, all in its axes, by

    V = m φ − g·c − ½ tr(G S) = m φ − g·c + ½ k (tr S − 3 n·S n)
    F = m g + G c + (3 k/2 ρ) [(tr S − 5 n·S n) n + 2 S n],     M = c × g + 3 k (S n) × n

which is MacCullagh's formula, Hughes (1986), in tensors: what it leaves is of the second order in the size of the body
over ρ. As the frame moves by e and turns by y, both in its own axes,

    δn = (e − n n·e)/ρ − y × n,   δρ = n·e,   δk = −3 k n·e/ρ,   δg = G e − y × g

V is a potential of the place and the turn alone, so that energy and angular momentum about the center are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled, inlined
from flexmb.kernels.rotations import turned, turned_back
from flexmb.kernels.vectors import NONE, applied, cross, dot, minus, plus, times
from flexmb.model.components import Component
from flexmb.model.gravity.falling import attraction
from flexmb.model.gravity.fields import CentralGravity


@dataclass(eq=False)
class Attraction(Component):
    """The attraction of a part of a model by its central gravity, a load with a potential energy, which the model makes
    and keeps itself.

    Arguments: `of`, the component that is attracted; `gravity`, the :class:`flexmb.spatial.CentralGravity`.
    """

    of: Any
    gravity: CentralGravity
    kind = "gravity"
    dimension = 3
    external = True
    fixed_in_space = True

    def parts(self) -> list[Component]:
        return [self.of]

    def places(self) -> list[Any]:
        """The places (3,) [m] at which the part has mass at the start, as far as its nodes tell."""
        return [node.position for node in self.of.nodes()]

    def check(self) -> None:
        least = self.gravity.radius or 0.0
        for place in self.places():
            distance = float(np.linalg.norm(self.gravity.position + place))
            if distance <= least:
                what = f"within the radius {least:g} m of the central body" if least else "in the center of attraction"
                raise ModelError(f"{self.of.where} starts {distance:g} m from the center, {what}; move it away")


class AttractionAlong(Attraction):
    """The attraction of a beam, which has mass at all places along it."""

    def places(self) -> list[Any]:
        return [self.of.undeformed_at(s)[0] for s in self.of.stations.tolist()]


@compiled
def seen(mu, o, x, turn):
    """g, n, k and ρ at the place x, the first two in axes that are turned against those of the ground."""
    g, k, rho, n = attraction(mu, o, x)
    return turned_back(turn, g), turned_back(turn, n), k, rho


@compiled
def _along(S, n):
    """S n, n·S n and tr S."""
    Sn = applied(S, n)
    return Sn, dot(n, Sn), S[0] + S[4] + S[8]


@compiled
def gradient_times(k, n, u):
    """G u."""
    return times(k, minus(times(3.0 * dot(n, u), n), u))


@compiled
def pull(m, c, S, g, n, k, rho):
    """F and M."""
    Sn, along, trace = _along(S, n)
    second = times(1.5 * k / rho, plus(times(trace - 5.0 * along, n), times(2.0, Sn)))
    force = plus(plus(times(m, g), gradient_times(k, n, c)), second)
    return force, plus(cross(c, g), times(3.0 * k, cross(Sn, n)))


@compiled
def moved(e, y, g, n, k, rho):
    """δg, δn and δk."""
    ahead = dot(n, e)
    toward = minus(times(1.0 / rho, minus(e, times(ahead, n))), cross(y, n))
    return minus(gradient_times(k, n, e), cross(y, g)), toward, -3.0 * k * ahead / rho


@compiled
def pull_change(m, c, S, g, n, k, rho, e, y):
    """δF and δM."""
    dg, dn, dk = moved(e, y, g, n, k, rho)
    Sn, along, trace = _along(S, n)
    Sdn = applied(S, dn)
    first = plus(times(dk, minus(times(3.0 * dot(n, c), n), c)),
                 times(3.0 * k, plus(times(dot(n, c), dn), times(dot(dn, c), n))))  # fmt: skip
    bracket = plus(times(trace - 5.0 * along, n), times(2.0, Sn))
    change = plus(minus(times(trace - 5.0 * along, dn), times(10.0 * dot(dn, Sn), n)), times(2.0, Sdn))
    second = times(1.5 * k / rho, minus(change, times(4.0 * dot(n, e) / rho, bracket)))
    moment = plus(times(3.0 * dk, cross(Sn, n)), times(3.0 * k, plus(cross(Sdn, n), cross(Sn, dn))))
    return plus(plus(times(m, dg), first), second), plus(cross(c, dg), moment)


@inlined
def unit(k):
    """The unit vector e_k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@compiled
def column_of(j, m, arm, S, field, turn, force):
    """Changes with a place that has the mass m at an arm, as it moves along the axis j of the ground, or turns
    about its own axis j − 3: y, and the changes of the force in the axes of the ground and of M + s × F in its
    own. `force` is F."""
    if j < 3:
        e, y = turned_back(turn, unit(j)), NONE
    else:
        y = unit(j - 3)
        e = cross(y, arm)
    df, dm = pull_change(m, NONE, S, field[0], field[1], field[2], field[3], e, y)
    return y, turned(turn, plus(df, cross(y, force))), plus(dm, cross(arm, df))


@compiled
def extent_energy(S, n, k):
    """−½ tr(G S)."""
    _, along, trace = _along(S, n)
    return 0.5 * k * (trace - 3.0 * along)


@compiled
def extent_power(S, n, k, rho, od):
    """Rate of this energy as the origin moves at ȯ, in the axes of the body, while the body stands still."""
    Sn, along, trace = _along(S, n)
    rate = dot(n, od)
    turning = times(1.0 / rho, minus(od, times(rate, n)))
    return -1.5 * k * rate / rho * (trace - 3.0 * along) - 3.0 * k * dot(turning, Sn)

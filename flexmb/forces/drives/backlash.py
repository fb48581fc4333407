"""Gears with backlash: an elastic shaft with inner damping that ends in a gap, Nordin, Galić and Gutman (1997)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.forces.about_axis import AboutAxis
from flexmb.forces.drives.first_order import add_state
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler

#: The moment rises to its value over this last part of half the gap: a jump would be no equation that implicit methods
#: can solve. It shifts the instant of a touch by this part of the time that the tooth takes through the gap.
TOUCH = 1e-7


@dataclass(eq=False)
class Backlash(AboutAxis):
    """An elastic shaft that ends in a gap, as the teeth of gears have one, between two frames, about an axis.

    Its twist is δ = s − s₀, the angle s of b against a less the one in which the shaft is free and the gap centred. The
    tooth stands at z in the gap, |z| ≤ g/2; the shaft has no mass, so that it relaxes where the tooth touches nothing
    as in Nordin, Galić and Gutman (1997):

        ż = δ̇ + k (δ − z)/c            while |z| < g/2, or where this leads the tooth away from the side it touches
        ż = 0                           else
        M = k (δ − z) + c (δ̇ − ż)      on a, −M on b

    In the gap M is zero, at a side it only presses; ½ k (δ − z)² is stored. z is a state of first order, 'NAME.tooth'.
    Where the tooth touches M jumps by c δ̇, over the last 1e-7 of half the gap, in which methods take short steps: an
    explicit method, "dop853", finds its way with the fewest. Analyses of rest refuse a state of first order.

    Arguments: frames `a`, `b`; `stiffness` k [Nm/rad]; `damping` c [Nms/rad], more than zero: without it the end of
    the shaft would have no equation; `gap` g [rad], from one side to the other, zero or more; `load` [Nm], the moment
    M that the shaft carries at the start: 0 where the gap is centred, else the tooth is pressed to the side by which
    the load is held, and the frames stand in the model as they do under this load; `axis`, in space: 'x', 'y', 'z' or
    a direction (3,), in the axes of frame a.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("shaft")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=0.1)
    >>> axle = m.revolute(m.ground, wheel.frame)
    >>> gear = m.backlash(m.ground, wheel.frame, stiffness=100.0, damping=0.5, gap=0.02, name="gear")
    >>> push = m.point_torque(wheel.frame, 1.0)
    >>> run = fm.simulate(m, 4.0, "dop853", tolerance=1e-9, progress=False)
    >>> round(float(run["wheel.angle"][-1]), 3), round(float(run["gear.tooth"][-1]), 6)  # 0.01 + 1/100 at rest
    (0.02, 0.01)
    """

    _: KW_ONLY
    stiffness: float
    damping: float
    gap: float
    load: float = 0.0
    kind = "spring"
    glyphs = ("spiral",)

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.positive, self.where, "stiffness", "damping")
        checks.check_fields(self, checks.not_negative, self.where, "gap")
        checks.check_fields(self, checks.number, self.where, "load")

    def assemble(self, assembly: Assembler) -> None:
        turn = self.turn(assembly)
        add_gear(assembly, self, turn.coordinates, turn.weights, turn.start, self.law())

    def law(self) -> GearLaw:
        """Numbers of the shaft and its gap."""
        return GearLaw(self.stiffness, self.damping, self.gap, self.load)


@dataclass(frozen=True)
class GearLaw:
    """The numbers of a shaft with a gap, see :class:`Backlash`."""

    stiffness: float
    damping: float
    gap: float
    load: float

    @property
    def side(self) -> float:
        """Position of the tooth in the gap at the start."""
        return 0.5 * self.gap * float(np.sign(self.load))


def add_gear(
    assembly: Assembler,
    owner: Any,
    coordinates: Sequence[Numbers],
    weights: Sequence[float],
    start: float,
    law: GearLaw,
) -> None:
    """Add a shaft with a gap on a sum of coordinates with their weights, which is `start` in the model: then the shaft
    carries its load."""
    size = max(law.gap, abs(law.load) / law.stiffness) or 1.0
    own = add_state(assembly, owner, "tooth", law.side, size)
    free = start - law.side - law.load / law.stiffness
    p = np.array([*weights, free, law.stiffness, law.damping, 0.5 * law.gap])
    assembly.instance(owner, GEAR, [*coordinates, own], p, label="gear")


#: places behind the weights: the sum without twist, stiffness, damping, half the gap
FREE, STIFFNESS, DAMPING, HALF = range(4)


@compiled
def _twist(row, iq, iv, q, v):
    """Number of coordinates: δ, δ̇, and z, the last speed."""
    n = iv.shape[0] - 1
    twist, rate = -row[n + FREE], 0.0
    for j in range(n):
        twist += row[j] * q[iq[j]]
        rate += row[j] * v[iv[j]]
    return n, twist, rate, v[iv[n]]


@compiled
def gear(row, n, twist, rate, z):
    """M and ż, their derivatives by r, the rate of a tooth that touches nothing, those by z, and the twist of the
    shaft."""
    k, c, half = row[n + STIFFNESS], row[n + DAMPING], row[n + HALF]
    within = min(max(z, -half), half)
    bent = twist - within
    r = rate + k / c * bent
    ahead, wide = (z if r >= 0.0 else -z), TOUCH * half
    touch, slope = 1.0, 0.0  # how far the tooth touches the side to which it goes, and its derivative by z
    if half > 0.0:
        touch = min(max((ahead - half) / wide + 1.0, 0.0), 1.0)
        if 0.0 < touch < 1.0:
            slope = 1.0 / wide if r >= 0.0 else -1.0 / wide
    of_z = -k / c if -half < z < half else 0.0  # of r
    moment, zd = touch * c * r, (1.0 - touch) * r
    return moment, zd, touch * c, 1.0 - touch, slope * c * r + touch * c * of_z, (1.0 - touch) * of_z - slope * r, bent


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, twist, rate, z = _twist(p[i], iq[i], iv[i], q, v)
        moment, zd, _, _, _, _, _ = gear(p[i], n, twist, rate, z)
        for j in range(n):
            out[i, j] = p[i, j] * moment
        out[i, n] = -zd


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, twist, rate, z = _twist(p[i], iq[i], iv[i], q, v)
        _, _, moment_r, zd_r, moment_z, zd_z, _ = gear(p[i], n, twist, rate, z)
        slope = w[2] * p[i, n + STIFFNESS] / p[i, n + DAMPING] + w[1]  # of r by the sum of coordinates
        for j in range(n):
            for m in range(n):
                K[i, j, m] += moment_r * slope * p[i, j] * p[i, m]
            K[i, j, n] += w[1] * moment_z * p[i, j]
            K[i, n, j] -= zd_r * slope * p[i, j]
        K[i, n, n] -= w[1] * zd_z


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, twist, rate, z = _twist(p[i], iq[i], iv[i], q, v)
        moment, zd, _, _, _, _, bent = gear(p[i], n, twist, rate, z)
        k = p[i, n + STIFFNESS]
        out[i, 1] = 0.5 * k * bent * bent
        out[i, 3] = moment * rate - k * bent * (rate - zd)


#: A shaft with a gap on a sum of coordinates; the last speed is the state z.
GEAR = Kernels("gear with backlash", residual=residual, tangent=tangent, energy=energy)

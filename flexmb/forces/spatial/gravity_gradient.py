"""Gravity of a central body that weakens with the distance: the force on a body of some extent, and the torque.

To the second order in the size of the body over its distance ρ = |u| from the center; MacCullagh's formula, Hughes
(1986). With u from the center to the mass center and the tensor J about that, both in the axes of the body:

    V = −μ m/ρ − μ/(2 ρ³) (tr J − 3 u · J u/ρ²)
    ∂V/∂u = c u + κ J u,     c = μ m/ρ³ + (3 μ/2 ρ⁵) (tr J − 5 u · J u/ρ²),   κ = 3 μ/ρ⁵
    H = ∂²V/∂u² = c 1 + c₂ u uᵀ − 5 κ/ρ² (u (J u)ᵀ + J u uᵀ) + κ J
    c₂ = −3 μ m/ρ⁵ + (15 μ/2 ρ⁷) (7 u · J u/ρ² − tr J)

Since u = Rᵀ (r − r₀) + s, with the node r and the arm s from there to the mass center, a change (δr, y) of the node
makes δu = Rᵀ δr + d̃ y, d = u − s. So on the node, as terms of the residual,

    force  R ∂V/∂u,     moment  −κ u × J u + s × ∂V/∂u,     in the axes of the ground and of the body

In this form the torque, a difference of forces that are 10¹² times larger in an orbit, is computed without loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.offset_mass import SpatialMass, six, tensor_in
from flexmb.elements.spatial.tank import Tank
from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    IDENTITY,
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.components import Assembler, Component

#: parameters: μ, the center (3), the mass, the arm of the mass center (3), the tensor (xx, yy, zz, xy, xz, yz)
MU, CENTER, MASS, ARM, TENSOR = 0, 1, 4, 5, 8


@dataclass(eq=False)
class GravityGradient(Component):
    """The attraction of a central body on a body in space: −μ m r/|r|³ on its mass, and what its extent adds to that,
    with the torque 3 μ r × J r/|r|⁵.

    It is the whole gravity of that central body: a model in orbit has no other `gravity`. It has a potential energy,
    and the attracted body moves in its orbit: give it the speed of that, √(μ/|r|) on a circle. All that has mass has to
    be attracted; a model with beams, reduced bodies or tanks is refused, since it does not know these.

    Arguments: `body`, a body, a point mass or a wheel with mass; `mu` μ [m³/s²], the gravitational constant
    times the central mass, 3.986004e14 of the earth; `center` (3,) [m] of the central body, which is fixed in space.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("orbit")
    >>> rod = m.add_body("rod", mass=2.0, inertia=(0.1, 5.0, 5.0), position=(10.0, 0, 0))
    >>> rod.move((0, 10.0**0.5, 0), (0, 0, 0.1 * 10.0**0.5))
    >>> pull = m.gravity_gradient(rod, 100.0)
    >>> run = fm.simulate(m, 1.0, step=0.01)
    >>> bool(run.energy.error < 1e-6)
    True
    """

    body: SpatialMass
    mu: float
    _: KW_ONLY
    center: Any = (0.0, 0.0, 0.0)
    kind = "force"
    dimension = 3
    external = True
    fixed_in_space = True
    attracts = True

    def parts(self) -> list[Component]:
        return [self.body] if isinstance(self.body, SpatialMass) else []

    def check(self) -> None:
        if not isinstance(self.body, SpatialMass):
            raise ModelError(
                f"{self.where}: it acts on bodies, point masses and wheels, not on {checks.quoted(self.body)}"
            )
        if isinstance(self.body, Tank):
            raise ModelError(
                f"{self.where}: {self.body.where} loses mass, which the attraction of a central body does not know; "
                "let a run end before it has lost much, and go on with a lighter body"
            )
        checks.check_fields(self, checks.positive, self.where, "mu")
        if self.body.frame.model.gravity.is_central:
            raise ModelError(
                f"{self.where}: the model has a CentralGravity, about whose center it is in orbit and which attracts "
                "all of it already; leave this out, or give the model no gravity, where the center is within it"
            )
        self.center = checks.vector(self.center, "center", self.where, 3)
        if not self.own_size:
            raise ModelError(f"{self.where}: {self.body.where} starts in the center of attraction; move one of them")

    @property
    def own_size(self) -> float:
        """The distance [m] of the body from the center at the start: the orbit is a part of the mechanism."""
        node = self.body.frame.node
        place = node.position + turned(tuple(node.orientation), tuple(self.body.arm()))
        return float(np.linalg.norm(place - self.center))

    def check_masses(self, masses: Sequence[Component]) -> None:
        """Refuse masses that the same central body does not attract."""
        everyone = self.body.frame.model.components.values()
        same = [x for x in everyone if isinstance(x, GravityGradient) and x._source == self._source]
        left = [x for x in masses if x not in [one.body for one in same]]
        if not left or same[0] is not self:
            return
        known = [x for x in left if isinstance(x, SpatialMass) and not isinstance(x, Tank)]
        advice = []
        if known:
            advice.append("give each body, point mass and wheel a gravity_gradient of its own, with this mu and center")
        if len(known) < len(left):
            advice.append("beams, reduced bodies and tanks it does not attract: make several rigid bodies of them")
        raise ModelError(
            f"{self.where}: a central body attracts all that has mass, and in this model it does not attract "
            f"{', '.join(x.where for x in left)}; {'; '.join(advice)}"
        )

    @property
    def _source(self) -> tuple[float, ...]:
        """μ and the center."""
        return (float(self.mu), *np.asarray(self.center, dtype=float).tolist())

    def assemble(self, assembly: Assembler) -> None:
        body = self.body
        p = np.array([self.mu, *self.center, body.mass, *body.arm(), *six(body.node_tensor())])
        assembly.instance(self, GRAVITY_GRADIENT, assembly.node(body.frame.node), p)


@compiled
def _seen(row, q, at_q):
    """The orientation of the node, and u."""
    orientation = quaternion_at(q, at_q, 3)
    away = minus(vector_at(q, at_q, 0), vector_in(row, CENTER))
    return orientation, plus(turned_back(orientation, away), vector_in(row, ARM))


@compiled
def _factors(row, u, J, Ju):
    """c, κ, tr J, u · J u/ρ² and ρ²."""
    square = dot(u, u)
    mu = row[MU] / (square * math.sqrt(square))
    trace = J[0] + J[4] + J[8]
    along = dot(u, Ju) / square
    return mu * (row[MASS] + 1.5 * (trace - 5.0 * along) / square), 3.0 * mu / square, trace, along, square


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        orientation, u = _seen(row, q, iq[i])
        J = tensor_in(row, TENSOR)
        Ju = applied(J, u)
        c, kappa, _, _, _ = _factors(row, u, J, Ju)
        slope = plus(times(c, u), times(kappa, Ju))
        put(out[i], 0, turned(orientation, slope))
        put(out[i], 3, plus(times(-kappa, cross(u, Ju)), cross(vector_in(row, ARM), slope)))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        block = K[i]
        orientation, u = _seen(row, q, iq[i])
        J = tensor_in(row, TENSOR)
        Ju = applied(J, u)
        c, kappa, trace, along, square = _factors(row, u, J, Ju)
        arm = vector_in(row, ARM)
        c2 = kappa * (2.5 * (7.0 * along - trace) / square - row[MASS])
        mixed = outer(u, Ju)
        # the part of H that a turn about the center changes, without what is as large as the force
        bent = combined(kappa, J, -5.0 * kappa / square, mixed)
        rest = combined(c2, outer(u, u), -5.0 * kappa / square, transposed(mixed))
        H = combined(1.0, combined(1.0, bent, 1.0, rest), c, IDENTITY)
        R = rotation_matrix(orientation)
        Rt = transposed(R)
        lever = tilde(minus(u, arm))
        # −(∂V/∂u)~ + H d̃ = −κ (J u)~ + (κ J − 5 κ/ρ² u (J u)ᵀ) ũ − H s̃, all else cancels
        turning = combined(-kappa, tilde(Ju), 1.0, matrix_product(bent, tilde(u)))
        turning = combined(1.0, turning, -1.0, matrix_product(H, tilde(arm)))
        # B of the moment's change B δu
        by_u = combined(-kappa, matrix_product(tilde(u), J), kappa, tilde(Ju))
        by_u = combined(1.0, by_u, 5.0 * kappa / square, outer(cross(u, Ju), u))
        by_u = combined(1.0, by_u, 1.0, matrix_product(tilde(arm), H))
        add_block(block, 0, 0, w[2], matrix_product(R, matrix_product(H, Rt)))
        add_block(block, 0, 3, w[2], matrix_product(R, turning))
        add_block(block, 3, 0, w[2], matrix_product(by_u, Rt))
        add_block(block, 3, 3, w[2], matrix_product(by_u, lever))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        _, u = _seen(row, q, iq[i])
        J = tensor_in(row, TENSOR)
        square = dot(u, u)
        extent = J[0] + J[4] + J[8] - 3.0 * dot(u, applied(J, u)) / square
        out[i, 2] = -row[MU] / math.sqrt(square) * (row[MASS] + 0.5 * extent / square)


GRAVITY_GRADIENT = Kernels("gravity of a central body", residual=residual, tangent=tangent, energy=energy)

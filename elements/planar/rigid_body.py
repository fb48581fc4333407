"""Rigid body: inertia on a frame, with the center of mass at any place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks, given_names
from flexmb.model.appearance import BodyPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame, Node, rotation


@dataclass(eq=False)
class RigidBody(Component):
    """A rigid body: mass and inertia on a frame.

    With the center of mass at c in the frame's node axes, s = A(θ) c and s⊥ for s turned by +90° (for c = 0:
    Skyenginlab (n.d.), eqs. (4), (5)):

        R̈_c = R̈ + s⊥ θ̈ − s θ̇²
        r_R = m (R̈_c − g),      r_θ = J θ̈ + s⊥ · m (R̈_c − g)

    Arguments: `name`; `frame`; `mass` [kg]; `inertia` about the center of mass [kg m²]; `center` (2,) [m], the center
    of mass in the frame's axes.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0), center=(0.1, 0))
    >>> bob.mass, bob.center.tolist(), bob.frame.name
    (2.0, [0.1, 0.0], 'bob')
    """

    name: str = field()
    frame: Frame
    mass: float
    inertia: float
    center: Any = (0.0, 0.0)
    kind = "body"

    @property
    def own_frame(self) -> Frame:
        return self.frame

    def frames(self) -> list[Frame]:
        return [self.frame]

    def nodes(self) -> list[Node]:
        return [self.frame.node]

    def check(self) -> None:
        where = self.where
        checks.check_fields(self, checks.positive, where, "mass")
        checks.check_fields(self, checks.not_negative, where, "inertia")
        self.center = checks.vector(self.center, "center", where)
        if self.frame.node.fixed:
            raise ModelError(f"{where}: frame {self.frame.name!r} is fixed; a body there cannot move")

    def place(self) -> BodyPlace:
        cx, cy = map(float, self.center)
        return BodyPlace(self.frame.name, (cx, cy), float(self.mass))

    def attach(self, name: str, offset: tuple[float, float] = (0.0, 0.0), angle: float = 0.0) -> Frame:
        """A named frame on the body: `offset` (2,) [m] and `angle` [rad] in the axes of the body's frame."""
        return self.frame.attach(f"{self.name}.{given_names.name(name, f'frame on {self.where}')}", offset, angle)

    def move(
        self, velocity: Any = None, angular_velocity: float | None = None, *, against: Frame | None = None
    ) -> None:
        """Initial velocity (2,) [m/s] of the body's frame and angular velocity [rad/s], see
        :meth:`flexmb.planar.Frame.move`: what is given, zero too, is kept as far as joints allow, the rest is found."""
        self.frame.move(velocity, angular_velocity, against=against)

    def assemble(self, assembly: Assembler) -> None:
        center = np.asarray(self.center)
        if self.frame.offset_angle != 0.0:
            center = rotation(self.frame.offset_angle) @ center
        (ox, oy), (cx, cy) = self.frame.offset.tolist(), center.tolist()
        p = np.array([*assembly.gravity.tolist(), self.mass, self.inertia, ox + cx, oy + cy])
        assembly.instance(self, RIGID_BODY, assembly.node(self.frame.node), p)


# coordinates: x, y, θ of the frame's node; parameters: gravity (2,), m, J, c (2,)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        gx, gy, m, J = p[i, 0], p[i, 1], p[i, 2], p[i, 3]
        sx, sy = frame_arm(p[i], 4, q[iq[i, 2]])
        om = v[iv[i, 2]]
        al = a[iv[i, 2]]
        fx = m * (a[iv[i, 0]] - sy * al - sx * om * om - gx)
        fy = m * (a[iv[i, 1]] + sx * al - sy * om * om - gy)
        out[i, 0] = fx
        out[i, 1] = fy
        out[i, 2] = J * al + sx * fy - sy * fx


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        gx, gy, m, J = p[i, 0], p[i, 1], p[i, 2], p[i, 3]
        sx, sy = frame_arm(p[i], 4, q[iq[i, 2]])
        om = v[iv[i, 2]]
        al = a[iv[i, 2]]
        # derivatives of the force (fx, fy) with respect to the angle, weights included
        dx = m * (-w[0] * sy - 2.0 * w[1] * sx * om + w[2] * (-sx * al + sy * om * om))
        dy = m * (w[0] * sx - 2.0 * w[1] * sy * om + w[2] * (-sy * al - sx * om * om))
        ax = a[iv[i, 0]] - gx
        ay = a[iv[i, 1]] - gy
        K[i, 0, 0] += w[0] * m
        K[i, 1, 1] += w[0] * m
        K[i, 0, 2] += dx
        K[i, 1, 2] += dy
        K[i, 2, 0] -= w[0] * m * sy
        K[i, 2, 1] += w[0] * m * sx
        # s⊥·f = m (|c|² α + s⊥·(R̈ − g)): the centrifugal part has no moment
        K[i, 2, 2] += w[0] * (J + m * (p[i, 4] * p[i, 4] + p[i, 5] * p[i, 5])) - w[2] * m * (sx * ax + sy * ay)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        gx, gy, m, J = p[i, 0], p[i, 1], p[i, 2], p[i, 3]
        sx, sy = frame_arm(p[i], 4, q[iq[i, 2]])
        om = v[iv[i, 2]]
        vx = v[iv[i, 0]] - sy * om
        vy = v[iv[i, 1]] + sx * om
        out[i, 0] = 0.5 * (m * (vx * vx + vy * vy) + J * om * om)
        out[i, 2] = -m * (gx * (q[iq[i, 0]] + sx) + gy * (q[iq[i, 1]] + sy))


RIGID_BODY = Kernels("rigid body", residual=residual, tangent=tangent, energy=energy)

"""Masses in space on any node: point masses, and bodies whose mass center is not their node.

    F = m (r̈ + R (α × s + ω × (ω × s)) − g)            force, in the axes of the ground
    M = J α + ω × J ω + s × Rᵀ F                        moment about the node, in its axes

with the arm s from the node to the mass center and J about that center, both in the axes of the node; ω and α too.
Since Rᵀ F changes by (Rᵀ F) × y when the node turns by y, while α × s + ω × (ω × s) does not,

    ∂F/∂y = −m R d̃,     ∂M/∂y = s̃ (m Rᵀ (r̈ − g))~,     d = α × s + ω × (ω × s)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.elements.spatial.attraction.masses import Lump, MassAttraction
from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    turning_acceleration,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import BodyPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.gravity.fields import CentralGravity
from flexmb.model.spatial_frames import Frame, SpatialNode

#: where in a row of parameters gravity (3), mass, the tensor of inertia (xx, yy, zz, xy, xz, yz) and the arm (3) begin
GRAVITY, MASS, INERTIA, ARM = 0, 3, 4, 10


@dataclass(eq=False)
class SpatialMass(Component):
    """What has a mass on a frame in space: bodies, point masses, wheels; weight and the attraction of a central body
    act on it.

    Arguments: `name`; `frame`; `mass` [kg].
    """

    name: str = field()
    frame: Frame
    mass: float
    kind = "body"
    dimension = 3

    @property
    def own_frame(self) -> Frame:
        return self.frame

    def frames(self) -> list[Frame]:  # type: ignore[override]
        return [self.frame]

    def nodes(self) -> list[SpatialNode]:  # type: ignore[override]
        return [self.frame.node]

    def arm(self) -> np.ndarray:
        """Mass center (3,) [m] from the node, in the axes of the node."""
        return self.frame.offset

    def node_tensor(self) -> np.ndarray:
        """Tensor of inertia (3, 3) [kg m²] about the mass center, in the axes of the node."""
        return np.zeros((3, 3))

    def lump(self) -> Lump:
        """Mass on the node, as a central gravity attracts it."""
        return Lump(self.frame.node, float(self.mass), self.arm(), self.node_tensor())

    def attraction(self, gravity: CentralGravity) -> Component | None:
        return MassAttraction(self, gravity)

    def check(self) -> None:
        checks.check_fields(self, checks.positive, self.where, "mass")
        self.refuse_fixed()

    def refuse_fixed(self) -> None:
        """Refuse a frame that is fixed in space."""
        if self.frame.node.fixed:
            raise ModelError(f"{self.where}: frame {self.frame.name!r} is fixed; a {self.kind} there cannot move")


@dataclass(eq=False)
class PointMass(SpatialMass):
    """A mass without extent, on a frame in space: on a body, on a beam, anywhere.

    It has no inertia of its own against turning, so something else on its node must have one; a mass that is to fly
    alone is a small :class:`~flexmb.Sphere`.

    Arguments: `name`; `frame`; `mass` [kg].

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.01, 0.1, 0.1))
    >>> m.add_point_mass("weight", rod.attach("end", (0.5, 0, 0)), 0.2).mass
    0.2
    """

    def place(self) -> BodyPlace:
        return BodyPlace(self.frame.name, (0.0, 0.0, 0.0), float(self.mass))

    def holds_turn(self, node: Any, axis: np.ndarray) -> bool:
        return self.stands_on(node) and self.frame.node.is_lever(self.frame.offset, axis)

    def assemble(self, assembly: Assembler) -> None:
        put_mass(self, assembly)


def six(J: np.ndarray) -> list[float]:
    """The numbers xx, yy, zz, xy, xz, yz of a tensor, as parameters hold them."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J.astype(float).tolist()
    return [xx, yy, zz, xy, xz, yz]


def put_mass(owner: SpatialMass, assembly: Assembler, J: np.ndarray | None = None) -> None:
    """Add a mass to the node under its frame; with a tensor (3, 3) [kg m²] about its center, in the axes of the node,
    in place of its own."""
    tensor = owner.node_tensor() if J is None else J
    p = np.array([*assembly.gravity.tolist(), owner.mass, *six(tensor), *owner.arm().tolist()])
    assembly.instance(owner, OFFSET_MASS, assembly.node(owner.frame.node), p, label="mass")


@compiled
def tensor_in(row, k):
    """A tensor in a row of parameters, from row[k] on."""
    xx, yy, zz = vector_in(row, k)
    xy, xz, yz = vector_in(row, k + 3)
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


@compiled
def put_inertia(answer, gravity, m, J, arm, orientation, shift, omega, alpha):
    """Fill in the forces (6,) of a mass m with the arm and the tensor J; `shift` is r̈ of the node."""
    swung = turning_acceleration(omega, alpha, arm)
    shift = minus(shift, gravity)
    put(answer, 0, times(m, plus(shift, turned(orientation, swung))))
    pull = times(m, plus(turned_back(orientation, shift), swung))
    turning = plus(applied(J, alpha), cross(omega, applied(J, omega)))
    put(answer, 3, plus(turning, cross(arm, pull)))


@compiled
def add_inertia_tangent(block, w, gravity, m, J, arm, orientation, shift, omega, alpha):
    """Add the tangent (6, 6) of :func:`put_inertia`."""
    R = rotation_matrix(orientation)
    lever = tilde(arm)
    # d = α × s + ω × (ω × s):  ∂d/∂α = −s̃,  ∂d/∂ω = −(ω × s)~ − ω̃ s̃
    speed = cross(omega, arm)
    swung = plus(cross(alpha, arm), cross(omega, speed))
    by_omega = combined(-1.0, tilde(speed), -1.0, tilde_product(omega, arm))
    change = combined(-w[0], lever, w[1], by_omega)
    shift = turned_back(orientation, minus(shift, gravity))
    for k in range(3):
        block[k, k] += w[0] * m
    add_block(block, 0, 3, m, matrix_product(R, combined(1.0, change, -w[2], tilde(swung))))
    add_block(block, 3, 0, w[0] * m, matrix_product(lever, transposed(R)))
    gyroscopic = combined(1.0, matrix_product(tilde(omega), J), -1.0, tilde(applied(J, omega)))
    add_block(block, 3, 3, 1.0, combined(w[0], J, w[1], gyroscopic))
    add_block(block, 3, 3, m, combined(1.0, matrix_product(lever, change), w[2], tilde_product(arm, shift)))


@compiled
def put_energies(answer, gravity, m, J, arm, orientation, place, velocity, omega):
    """Fill in the kinetic energy of such a mass, and the potential one of its weight; `velocity` is that of the
    node."""
    velocity = plus(velocity, turned(orientation, cross(omega, arm)))
    answer[0] = 0.5 * (m * dot(velocity, velocity) + dot(omega, applied(J, omega)))
    answer[2] = -m * dot(gravity, plus(place, turned(orientation, arm)))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        given = vector_in(row, GRAVITY), row[MASS], tensor_in(row, INERTIA), vector_in(row, ARM)
        orientation, shift = quaternion_at(q, iq[i], 3), vector_at(a, iv[i], 0)
        put_inertia(out[i], *given, orientation, shift, vector_at(v, iv[i], 3), vector_at(a, iv[i], 3))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        given = vector_in(row, GRAVITY), row[MASS], tensor_in(row, INERTIA), vector_in(row, ARM)
        orientation, shift = quaternion_at(q, iq[i], 3), vector_at(a, iv[i], 0)
        add_inertia_tangent(K[i], w, *given, orientation, shift, vector_at(v, iv[i], 3), vector_at(a, iv[i], 3))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        given = vector_in(row, GRAVITY), row[MASS], tensor_in(row, INERTIA), vector_in(row, ARM)
        orientation, place = quaternion_at(q, iq[i], 3), vector_at(q, iq[i], 0)
        put_energies(out[i], *given, orientation, place, vector_at(v, iv[i], 0), vector_at(v, iv[i], 3))


OFFSET_MASS = Kernels("mass with an arm", residual=residual, tangent=tangent, energy=energy)

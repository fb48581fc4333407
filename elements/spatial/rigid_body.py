"""Rigid body in space: inertia on a node in its mass centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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
    plus,
    put,
    tilde,
    tilde_product,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import BodyPlace
from flexmb.model.components import Assembler, Component
from flexmb.model.orientations import Orientation
from flexmb.model.spatial_frames import SpatialFrame, SpatialNode

#: where in a row of parameters gravity (3), mass and the tensor of inertia (xx, yy, zz, xy, xz, yz) begin
GRAVITY, MASS, INERTIA = 0, 3, 4


@dataclass(eq=False)
class SpatialBody(Component):
    """A rigid body in space, on a frame whose node is its mass centre.

        m (r̈ − g) = f,      J ω̇ + ω × J ω = M,      ω, M in the axes of the body

    Arguments: `name`; `frame`, on a node of its own; `mass` [kg]; `inertia` [kg m²] about the mass centre in the axes
    of the body: three principal ones, or a symmetric matrix (3, 3).

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m", gravity=(0, 0, -9.81))
    >>> m.add_body("brick", mass=2.0, inertia=(0.1, 0.2, 0.3)).tensor().diagonal().tolist()
    [0.1, 0.2, 0.3]
    """

    frame: SpatialFrame
    mass: float
    inertia: Any
    kind = "body"
    dimension = 3

    def frames(self) -> list[SpatialFrame]:  # type: ignore[override]
        return [self.frame]

    def nodes(self) -> list[SpatialNode]:  # type: ignore[override]
        return [self.frame.node]

    def tensor(self) -> np.ndarray:
        """The tensor of inertia (3, 3) [kg m²] about the mass centre, in the axes of the body."""
        wanted = "three principal inertias or a matrix (3, 3)"
        return checks.symmetric_matrix(self.inertia, "inertia", self.where, 3, wanted)

    def check(self) -> None:
        checks.check_fields(self, checks.positive, self.where, "mass")
        small, middle, large = np.linalg.eigvalsh(self.tensor())
        if large > (small + middle) * (1.0 + 1e-9):
            raise ModelError(
                f"{self.where}: its principal inertias are {small:g}, {middle:g} and {large:g}; none of a body is "
                "larger than the sum of the other two"
            )
        if self.frame.node.fixed:
            raise ModelError(f"{self.where}: frame {self.frame.name!r} is fixed; a body there cannot move")
        if not self.frame.is_node:
            raise ModelError(f"{self.where}: frame {self.frame.name!r} has an offset; the node is the mass centre")

    def place(self) -> BodyPlace:
        return BodyPlace(self.frame.name, (0.0, 0.0, 0.0), float(self.mass))

    def point_data(self, s: float) -> tuple[float, float, float]:
        """What the kernels `point` and `point_jacobian` take for a place at `s` [m] along the x-axis of the body; they
        take any other arm (3,) [m] in its axes as well."""
        return (s, 0.0, 0.0)

    def attach(self, name: str, offset: Any = (0.0, 0.0, 0.0), orientation: Orientation = None) -> SpatialFrame:
        """A named frame on the body: `offset` (3,) [m] and `orientation` in its axes."""
        return self.frame.attach(f"{self.name}.{checks.name(name, f'frame on {self.where}')}", offset, orientation)

    def move(
        self, velocity: Any = (0.0, 0.0, 0.0), angular_velocity: Any = (0.0, 0.0, 0.0), *, axes: str = "ground"
    ) -> None:
        """Initial velocity (3,) [m/s] of the mass centre and angular velocity (3,) [rad/s], in the axes of the ground,
        or with `axes="body"` in its own."""
        self.frame.move(velocity, angular_velocity, axes=axes)

    def assemble(self, assembly: Assembler) -> None:
        J = self.tensor()
        six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        p = np.array([*assembly.gravity.tolist(), self.mass, *six])
        assembly.instance(self, SPATIAL_RIGID_BODY, assembly.node(self.frame.node), p)


@compiled
def inertia_in(row):
    """The tensor of inertia about the mass centre, in the axes of the body."""
    xx, yy, zz = vector_in(row, INERTIA)
    xy, xz, yz = vector_in(row, INERTIA + 3)
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        answer = out[i]
        J = inertia_in(row)
        omega = vector_at(v, at_v, 3)
        moment = plus(applied(J, vector_at(a, at_v, 3)), cross(omega, applied(J, omega)))
        for k in range(3):
            answer[k] = row[MASS] * (a[at_v[k]] - row[GRAVITY + k])
        put(answer, 3, moment)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        block = K[i]
        J = inertia_in(row)
        omega = vector_at(v, at_v, 3)
        for k in range(3):
            block[k, k] += w[0] * row[MASS]
        gyroscopic = combined(1.0, matrix_product(tilde(omega), J), -1.0, tilde(applied(J, omega)))
        add_block(block, 3, 3, 1.0, combined(w[0], J, w[1], gyroscopic))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        velocity = vector_at(v, at_v, 0)
        omega = vector_at(v, at_v, 3)
        answer[0] = 0.5 * (row[MASS] * dot(velocity, velocity) + dot(omega, applied(inertia_in(row), omega)))
        answer[2] = -row[MASS] * dot(vector_in(row, GRAVITY), vector_at(q, at_q, 0))


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        orientation = quaternion_at(q, at_q, 3)
        arm = turned(orientation, (w[0], w[1], w[2]))
        omega = turned(orientation, vector_at(v, at_v, 3))
        alpha = turned(orientation, vector_at(a, at_v, 3))
        speed = cross(omega, arm)
        put(answer, 0, plus(vector_at(q, at_q, 0), arm))
        for k in range(4):
            answer[3 + k] = orientation[k]
        put(answer, 7, plus(vector_at(v, at_v, 0), speed))
        put(answer, 10, omega)
        put(answer, 13, plus(vector_at(a, at_v, 0), plus(cross(alpha, arm), cross(omega, speed))))
        put(answer, 16, alpha)


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Of the point with the arm s in the axes of the body:  J = (1, −R s̃; 0, R),  Jᵀ f = (F, s × Rᵀ F + Rᵀ M)  of the
    force F and the moment M, and since Rᵀ F changes by (Rᵀ F) × y,  ∂(Jᵀ f)/∂y = s̃ (Rᵀ F)~ + (Rᵀ M)~."""
    for i in range(p.shape[0]):
        answer = out[i]
        orientation = quaternion_at(q, iq[i], 3)
        arm = (w[0], w[1], w[2])
        R = rotation_matrix(orientation)
        lever = matrix_product(R, tilde(arm))
        for j in range(3):
            answer[7 * j] = 1.0
            for k in range(3):
                answer[6 * j + 3 + k] = -lever[3 * j + k]
                answer[6 * j + 21 + k] = R[3 * j + k]
        if w[3] != 0.0:
            force = turned_back(orientation, vector_in(lam[i], 0))
            moment = turned_back(orientation, vector_in(lam[i], 3))
            add_block(K[i], 3, 3, w[3], combined(1.0, tilde_product(arm, force), 1.0, tilde(moment)))


SPATIAL_RIGID_BODY = Kernels(
    "rigid body in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    point_jacobian=point_jacobian,
)

"""Rigid body in space: inertia on a node in its mass center."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.elements.spatial.offset_mass import (
    GRAVITY,
    INERTIA,
    MASS,
    SpatialMass,
    put_mass,
    six,
    tensor_in,
)
from flexmb.errors import ModelError
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels, Pattern
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
from flexmb.model.components import Assembler
from flexmb.model.geometry.inertia import check_tensor, tensor
from flexmb.model.geometry.inertia import turned as turned_tensor
from flexmb.model.geometry.shapes import Shape
from flexmb.model.orientations import Orientation
from flexmb.model.spatial_frames import Frame


@dataclass(eq=False)
class RigidBody(SpatialMass):
    """A rigid body in space, on a frame, with its mass center at any place.

        m (r̈ − g) = f,      J ω̇ + ω × J ω = M,      r of the mass center; ω, M in the axes of the body

    That is where the node of the frame is the mass center, as `add_body` makes it. On another node a body is a
    :mod:`mass with an arm <flexmb.elements.spatial.offset_mass>`.

    Arguments: `name`; `frame`; `mass` [kg]; `inertia` [kg m²] about the mass center in the axes of the frame: three
    principal ones, or a symmetric matrix (3, 3); that of a thin rod about itself may be zero, (m l²/12, m l²/12, 0),
    where joints hold this turn, which is refused by name elsewhere; `center` (3,) [m] of mass in the axes of the frame;
    `shape`, what it looks like, a :class:`~flexmb.model.geometry.shapes.Shape` in these axes.

    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m", gravity=(0, 0, -9.81))
    >>> m.add_body("brick", mass=2.0, inertia=(0.1, 0.2, 0.25)).tensor().diagonal().tolist()
    [0.1, 0.2, 0.25]
    """

    inertia: Any
    center: Any = (0.0, 0.0, 0.0)
    shape: Shape | None = None

    def tensor(self) -> np.ndarray:
        """The tensor of inertia (3, 3) [kg m²] about the mass center, in the axes of its frame."""
        return tensor(self.inertia, self.where)

    def node_tensor(self) -> np.ndarray:
        return turned_tensor(self.tensor(), self.frame.axes) if self.frame.axes[0] != 1.0 else self.tensor()

    def arm(self) -> np.ndarray:
        center = np.asarray(self.center, dtype=float).tolist()
        return self.frame.offset + np.array(turned(tuple(self.frame.axes.tolist()), tuple(center)))

    def check(self) -> None:
        super().check()
        check_tensor(self.tensor(), self.where)
        self.center = checks.vector(self.center, "center", self.where, 3)
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise ModelError(f"{self.where}: shape is {checks.quoted(self.shape)}; give a Box, a Cylinder, a Sphere, …")

    def place(self) -> BodyPlace:
        shape = None if self.shape is None else self.shape.drawn
        center = tuple(np.asarray(self.center, dtype=float).tolist())
        return BodyPlace(self.frame.name, center, float(self.mass), shape, tuple(six(self.tensor())))

    def point_data(self, s: float) -> tuple[float, float, float]:
        """What the kernels `point` and `point_jacobian` take for a place at `s` [m] along the x-axis of the node; they
        take any other arm (3,) [m] in its axes as well."""
        return (s, 0.0, 0.0)

    def attach(self, name: str, offset: Any = (0.0, 0.0, 0.0), orientation: Orientation = None) -> Frame:
        """A named frame on the body: `offset` (3,) [m] and `orientation` in the axes of its frame, from its origin."""
        return self.frame.attach(f"{self.name}.{checks.name(name, f'frame on {self.where}')}", offset, orientation)

    def move(
        self, velocity: Any = None, angular_velocity: Any = None, *, axes: str = "ground", against: Any = None
    ) -> None:
        """Initial velocity (3,) [m/s] of its frame and angular velocity (3,) [rad/s], in the axes of the ground, or
        with `axes="body"` in its own, or `against` a frame, see :meth:`flexmb.spatial.Frame.move`: what is given, zero
        too, is kept as far as joints allow, the rest is found."""
        self.frame.move(velocity, angular_velocity, axes=axes, against=against)

    def assemble(self, assembly: Assembler) -> None:
        if any(self.arm().tolist()):
            put_mass(self, assembly)
            return
        p = np.array([*assembly.gravity.tolist(), self.mass, *six(self.node_tensor())])
        assembly.instance(self, SPATIAL_RIGID_BODY, assembly.node(self.frame.node), p)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_v = iv[i]
        answer = out[i]
        J = tensor_in(row, INERTIA)
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
        J = tensor_in(row, INERTIA)
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
        answer[0] = 0.5 * (row[MASS] * dot(velocity, velocity) + dot(omega, applied(tensor_in(row, INERTIA), omega)))
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


_K = np.eye(6, dtype=bool)
_K[3:, 3:] = True

SPATIAL_RIGID_BODY = Kernels(
    "rigid body in space",
    residual=residual,
    tangent=tangent,
    energy=energy,
    point=point,
    point_jacobian=point_jacobian,
    pattern=Pattern(_K, np.zeros((0, 6), dtype=bool)),
)

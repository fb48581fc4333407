"""Force and torque on a frame in space, each component a function of time."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.forces.frame_load import FrameLoad
from flexmb.forces.spatial.load_in_axes import (
    ARM,
    FACTOR,
    IN_BODY,
    TURN,
    given_load,
    load_parameters,
    three_components,
)
from flexmb.forces.spatial.place_load import put_place_load
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, quaternion_in, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    add_block,
    cross,
    dot,
    matrix_product,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    vector_at,
    vector_in,
)
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.frames import AXES
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.spatial_frames import Frame
from flexmb.model.ways import SMALL


@dataclass(eq=False)
class _SpatialLoad(FrameLoad):
    """A load that acts on a frame from outside, with three components."""

    frame: Frame
    dimension = 3
    strength = "factor"
    #: the name of the field with the three components
    what = ""

    def family(self) -> tuple[Kernels, int]:
        """Its kernels on a node, and the first block of the node that they take: 0 of a force, 1 of a torque."""
        raise NotImplementedError

    def check(self) -> None:
        super().check()
        self.axes = checks.choice(self.axes, AXES, "axes", self.where)
        checks.check_fields(self, as_function, self.where, "factor")
        checks.check_fields(self, three_components, self.where, self.what)

    def has_part(self, directions: np.ndarray) -> bool:
        """Whether a sum of its components is not zero; `directions` (3,) are what a unit of each adds to it."""
        given = getattr(self, self.what)
        parts = [x for x, part in zip(directions, given) if not (isinstance(part, float) and part == 0.0)]
        return max(map(abs, parts), default=0.0) > SMALL

    def components(self) -> list[TimeFunction]:
        """The three components of the force, functions of time [N]."""
        return [as_function(x, self.what, self.where) for x in getattr(self, self.what)]

    def functions(self) -> list[TimeFunction]:
        return [*super().functions(), *self.components()]

    def assemble(self, assembly: Assembler) -> None:
        slot, load = assembly.strength(self).slot(), getattr(self, self.what)
        on_node, first = self.family()
        in_body = not self.fixed_in_space
        place = self.place_on_beam(assembly)
        if place is not None:
            p = load_parameters(np.zeros(3), (1.0, 0.0, 0.0, 0.0), in_body, load, slot)
            put_place_load(self, 3 * first, assembly, place, p)
        else:
            p = load_parameters(self.frame.offset, self.frame.axes, in_body, load, slot)
            assembly.instance(self, on_node, assembly.node(self.frame.node)[first:], p, strength=FACTOR)

    def shown(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (k, 3), and the load (k, 3) in the axes of the ground."""
        track: Any = solution.track(self.frame.name)
        load = strength[:, None] * np.stack([f(times) for f in self.components()], axis=1)
        orientation: Rotation = track.orientation
        return track.position, load if self.fixed_in_space else orientation.apply(load)


@dataclass(eq=False)
class PointForce(_SpatialLoad):
    """A force on the origin of a frame in space.

        F = f(t) (F₁(t), F₂(t), F₃(t)) along the axes of the ground, or those of the frame (`axes="body"`)

    Its power F·ṙ is input power, also that of a constant force, which has no potential energy here (weight is the
    model's `gravity`).

    Arguments: `frame`; `force` (3,) [N], each a number or a function of time; `factor` f, a number or a
    function of time, which controllers and load paths command; `axes`, "ground" or "body".

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> m.point_force(body.frame, (0, -5, fm.Harmonic(2.0, 10.0)), name="push").axes
    'ground'
    """

    force: Any
    _: KW_ONLY
    factor: TimeFunction | float = 1.0
    axes: str = "ground"
    what = "force"
    turning = False

    def family(self) -> tuple[Kernels, int]:
        return SPATIAL_FORCE, 0

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        if not super().twists(node, axis):
            return False
        arm = self.frame.position - self.frame.node.position
        about = self.frame.orientation.inv().apply(np.cross(axis, arm)) / np.linalg.norm(arm)
        return self.fixed_in_space or self.has_part(about)

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        return [Load(*self.shown(solution, times, strength))]


@dataclass(eq=False)
class PointTorque(_SpatialLoad):
    """A torque on a frame in space.

        M = f(t) (M₁(t), M₂(t), M₃(t)) about the axes of the ground, or those of the frame (`axes="body"`)

    Its power M·ω is input power. A constant torque about axes of the ground has no potential.

    Arguments: `frame`; `torque` (3,) [Nm], each a number or a function of time; `factor` f, a number or a
    function of time, which controllers and load paths command; `axes`, "ground" or "body".

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> m.point_torque(body.frame, (0, 0, 2.0), axes="body").name
    'point_torque 1'
    """

    torque: Any
    _: KW_ONLY
    factor: TimeFunction | float = 1.0
    axes: str = "ground"
    what = "torque"

    def family(self) -> tuple[Kernels, int]:
        return SPATIAL_TORQUE, 1

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        on_beam = node is None and self.beam is not None
        if not (on_beam or self.stands_on(node)):
            return False
        return self.fixed_in_space or self.has_part(self.frame.orientation.inv().apply(axis))

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        places, torques = self.shown(solution, times, strength)
        return [Load(places, torques=torques)]


@compiled
def _on_body(row, t, orientation):
    """The load in the axes of the body."""
    given = given_load(row, t)
    if row[IN_BODY] != 0.0:
        return turned(quaternion_in(row, TURN), given)
    return turned_back(orientation, given)


@kernel
def force_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        answer = out[i]
        orientation = quaternion_at(q, iq[i], 3)
        force = _on_body(row, t, orientation)
        put(answer, 0, times(-1.0, turned(orientation, force)))
        put(answer, 3, cross(force, vector_in(row, ARM)))


@kernel
def force_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        block = K[i]
        orientation = quaternion_at(q, iq[i], 3)
        force = _on_body(row, t, orientation)
        if row[IN_BODY] != 0.0:  # the force turns with its arm, so its moment in the axes of the body is constant
            add_block(block, 0, 3, w[2], matrix_product(rotation_matrix(orientation), tilde(force)))
        else:
            add_block(block, 3, 3, -w[2], tilde_product(vector_in(row, ARM), force))


@kernel
def force_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        answer = out[i]
        orientation = quaternion_at(q, iq[i], 3)
        force = _on_body(row, t, orientation)
        speed = plus(
            turned_back(orientation, vector_at(v, iv[i], 0)), cross(vector_at(v, iv[i], 3), vector_in(row, ARM))
        )
        answer[4] = dot(force, speed)


@kernel
def torque_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        answer = out[i]
        put(answer, 0, times(-1.0, _on_body(row, t, quaternion_at(q, iq[i], 0))))


@kernel
def torque_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        block = K[i]
        if row[IN_BODY] == 0.0:
            add_block(block, 0, 0, -w[2], tilde(_on_body(row, t, quaternion_at(q, iq[i], 0))))


@kernel
def torque_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        answer = out[i]
        answer[4] = dot(_on_body(row, t, quaternion_at(q, iq[i], 0)), vector_at(v, iv[i], 0))


SPATIAL_FORCE = Kernels("point force in space", residual=force_residual, tangent=force_tangent, energy=force_energy)
SPATIAL_TORQUE = Kernels(
    "point torque in space", residual=torque_residual, tangent=torque_tangent, energy=torque_energy
)

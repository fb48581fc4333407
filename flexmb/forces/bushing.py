"""Bushing: springs and dampers in the axes of a frame, for directions and rotations of the plane or of space."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.planar.bushing import BUSHING
from flexmb.forces.spatial import bushing as space
from flexmb.kernels.rotations import inverse, product, turned_back
from flexmb.model import checks
from flexmb.model.appearance import JointPlace, PairPlace
from flexmb.model.components import Assembler
from flexmb.model.doubted import Assembled, Doubt
from flexmb.model.frames import rotation
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of
from flexmb.model.pairs import PairComponent, pair_coordinates, pair_offsets

#: kernels in the plane and in space, and their scratch numbers
KERNELS = {2: (BUSHING, 9), 3: (space.SPATIAL_BUSHING, space.WORK)}
#: how many directions and rotations it has, and what messages say of them
DIRECTIONS = {2: 3, 3: 6}
WANTED = {
    2: "three finite numbers (x, y, angle) or a matrix (3, 3)",
    3: "six finite numbers (along x, y, z, about x, y, z) or a matrix (6, 6)",
}
#: rotation [rad] in space from which on results are doubted, a tenth before half a turn
LARGEST = 0.9 * math.pi


@dataclass(eq=False)
class Bushing(PairComponent):
    """An elastic bearing between two frames, whose stiffness lies in the axes of frame a, in the plane or in space.

        u = A_aᵀ (r_b − r_a),   (N, M) = S e + C ė

        in the plane:  e = (u, δ) − e₀,   δ = θ_b − θ_a
        in space:      e = (u − u₀, φ),   exp φ = A_aᵀ A_b A₀ᵀ,   φ̇ = T⁻¹(φ) ω_b − T⁻ᵀ(φ) ω_a,
                       ω in the axes of the frames, b turned back by A₀

    N (in the axes of a) acts on a and −N on b, both at the point r_b. In the plane M acts on a and −M on b; in space
    the moment T⁻¹(φ) M acts on a and −T⁻ᵀ(φ) M on b, each in its own axes. So forces and moments balance however large
    u and φ are. Strain energy ½ eᵀ S e, dissipated power ėᵀ C ė.

    In space the rotation vector φ goes the shorter way; beyond half a turn it jumps to the other side, and the moment
    with it; a run warns of rotations that come near. For turns about a hinge take a
    :class:`~flexmb.forces.torsion_spring.TorsionSpring`.

    Arguments: frames `a`, `b`; `stiffness` S, three numbers in the plane (x [N/m], y [N/m], angle [Nm/rad]),
    six in space (along x, y, z [N/m], about x, y, z [Nm/rad]), or a symmetric matrix (3, 3), (6, 6) without negative
    eigenvalue, none when not given; `damping` C, likewise; `free`, the position without force, the initial one when not
    given: e₀ (3,) [m, m, rad] in the plane, u₀ (3,) [m] in space; `free_orientation` A₀, in space: the orientation of b
    in the axes of a without moment, likewise.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> m.bushing(m.ground, body.frame, stiffness=(1e5, 1e5, 10.0)).matrix("stiffness").shape
    (3, 3)
    >>> m = fm.SpatialModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> m.bushing(m.ground, body.frame, stiffness=(1e5, 1e5, 1e5, 10.0, 10.0, 10.0)).matrix("stiffness").shape
    (6, 6)
    """

    _: KW_ONLY
    stiffness: Any = None
    damping: Any = None
    free: Any = None
    free_orientation: Orientation = None
    dimension = None
    kind = "bushing"
    glyphs = ("bushing",)

    def place(self) -> PairPlace:
        measured = ("x", "y", "angle") if self.stands_in == 2 else ("x", "y", "z", "rx", "ry", "rz")
        if self.stands_in == 2:
            joint = JointPlace((0.0,), (self.a.angle - self.b.angle,), measured, acts=measured)
        else:
            a, b = (tuple(frame.quaternion) for frame in self.frames())  # type: ignore[attr-defined]
            joint = JointPlace((1.0, 0.0, 0.0, 0.0), product(inverse(b), a), measured, acts=measured)
        return PairPlace(self.a.name, self.b.name, self.glyphs, joint=joint)

    def check(self) -> None:
        super().check()
        self.matrix("stiffness")
        self.matrix("damping")
        if self.free is not None:
            self.free = checks.vector(self.free, "free", self.where, 3)
        if self.stands_in == 2 and self.free_orientation is not None:
            raise ModelError(f"{self.where}: free_orientation is for space; in the plane free ends with the angle")
        quaternion_of(self.free_orientation, "free_orientation", self.where)

    def matrix(self, what: str) -> np.ndarray:
        """The matrix (3, 3), in space (6, 6), of 'stiffness' or 'damping'."""
        given, size = getattr(self, what), DIRECTIONS[self.stands_in]
        if given is None:
            return np.zeros((size, size))
        return checks.symmetric_matrix(given, what, self.where, size, WANTED[self.stands_in])

    def twists(self, node: Any, axis: np.ndarray) -> bool:
        """Its force acts on b at the origin of that, so without rotations it turns b by the arm alone."""
        if not super().twists(node, axis) or node is None:
            return False
        about = any(np.any(self.matrix(what)[3:]) for what in ("stiffness", "damping"))
        return about or self.a.node is node or bool(node.is_lever(self.b.offset, axis))

    def assemble(self, assembly: Assembler) -> None:
        before = self._in_plane() if self.stands_in == 2 else self._in_space()
        p = np.concatenate([*before, *(self.matrix(what).ravel() for what in ("stiffness", "damping"))])
        kernels, work = KERNELS[self.stands_in]
        assembly.instance(self, kernels, pair_coordinates(assembly, self.a, self.b), p, work=work)

    def _in_plane(self) -> list[np.ndarray]:
        """The parameters of its frames and of its free position in the plane."""
        place = rotation(self.a.angle).T @ (self.b.position - self.a.position)
        free = np.array([*place, self.b.angle - self.a.angle]) if self.free is None else self.free
        return [pair_offsets(self.a, self.b), free]

    def _in_space(self) -> list[Any]:
        """The same in space."""
        frames: list[Any] = self.frames()
        a, b = (tuple(frame.quaternion) for frame in frames)
        place = turned_back(a, tuple(self.b.position - self.a.position)) if self.free is None else self.free
        rest = product(inverse(a), b)
        if self.free_orientation is not None:
            rest = tuple(quaternion_of(self.free_orientation, "free_orientation", self.where))
        axes_b = product(tuple(frames[1].axes), inverse(rest))
        return [self.a.offset, self.b.offset, frames[0].axes, axes_b, place]

    def doubts(self, system: Assembled, q: np.ndarray) -> list[Doubt]:
        """A warning if its rotation in space comes near half a turn, where the moment jumps."""
        if self.stands_in == 2:
            return []
        (instance,) = system.instances_of(self.name)
        p, numbers = instance.parameters, instance.coordinates
        A = rotation_of(q[:, numbers[3:7]]) * rotation_of(p[space.AXES_A : space.AXES_B])
        B = rotation_of(q[:, numbers[10:14]]) * rotation_of(p[space.AXES_B : space.FREE])
        angles = (A.inv() * B).magnitude()
        if not np.max(angles) > LARGEST:
            return []
        text = (
            f"{self.where} turns by up to {np.max(angles):.3g} rad; at half a turn its moment jumps to the other side; "
            "for turns about a hinge take a torsion spring"
        )
        return [Doubt(int(np.argmax(angles > LARGEST)), text)]

"""The data of a CMS beam element in space: its shapes, the layout of its parameters and of its coordinates.

Coordinates of an element: those of its two nodes, each a place and an orientation, then the amplitudes of its modes,
axial, of bending along y and along z, and of torsion. Local coordinates, in this order, are

    c = (ū4;  ξx;  v'₁, v'₂, ξv;  w'₁, w'₂, ξw;  φ, ξt)

where φ is half of the twist of the end against the start, so that sections are turned by (2η − 1) φ + Σ ξt τ_k(η).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from flexmb.elements.cms_shapes import (
    FIELDS,
    Bending,
    ElementShapes,
    bubble_factors,
    bubbles,
    element_shapes,
    gauss,
)
from flexmb.kernels.blocks import Block, modal
from flexmb.model.damping import Damping, ModalDamping, StiffnessProportional
from flexmb.model.geometry.spatial_properties import BeamProperties

# places of the parameters of an instance
GRAVITY, LENGTH, EA, GJ, EIY, EIZ, RHO_A = 0, 3, 4, 5, 6, 7, 8
RHO_IP, RHO_IY, RHO_IZ, FOLD, BETA, AXES1, AXES2 = 9, 10, 11, 12, 13, 14, 18
AXIAL, ALONG_Y, ALONG_Z, TORSION, FUNCTIONS, FIELD, MODAL, STRAIN_POINTS, DISK_POINTS = range(22, 31)
#: shear stiffnesses, 0 of a plane without shear
GAY, GAZ = 31, 32
#: whether both planes have the same shapes
ROUND = 33
TABLE = 34

#: numbers of the moving frame of an element in its scratch space, and of a change of its motion, see
#: :mod:`flexmb.elements.spatial.cms.frame`
FRAME, KEPT = 96, 18


@dataclass(frozen=True)
class SpatialCmsElement:
    """A straight uniform element of the CMS beam in space.

    Arguments: `length` [m]; `properties`; numbers of modes of bending along y (in x–y, stiffness EIz) and along z (in
    x–z, stiffness EIy), of torsion and along the axis; `field` of :data:`flexmb.elements.cms_shapes.FIELDS`; `damping`;
    whether it has `shear`.
    """

    length: float
    properties: BeamProperties
    along_y: int = 2
    along_z: int = 2
    torsion: int = 1
    axial: int = 0
    field: str = "second_order"
    damping: Damping | None = None
    shear: bool = True

    @property
    def modes(self) -> int:
        """How many modal coordinates it has."""
        return self.axial + self.along_y + self.along_z + self.torsion

    @property
    def width(self) -> int:
        """The number of speeds of an element: those of its two nodes, and its own."""
        return 12 + self.modes

    @property
    def local(self) -> int:
        """The number of local coordinates c."""
        return 6 + self.modes

    @property
    def bending(self) -> int:
        """The larger number of bending modes of the two planes; the shapes are those of so many."""
        return max(self.along_y, self.along_z)

    @property
    def planes(self) -> tuple[ElementShapes, ElementShapes]:
        """The shapes of bending along y and along z, which are those of the planar element: the same if shear is as
        flexible against bending in both planes."""
        p, L2 = self.properties, self.length**2
        shears = (p.EIz / (p.GAy * L2), p.EIy / (p.GAz * L2)) if self.shear else (0.0, 0.0)
        y, z = (element_shapes(self.length, self.axial, self.bending, self.field, shear) for shear in shears)
        return y, z

    @property
    def shapes(self) -> ElementShapes:
        """The shapes along y, whose axial ones and whose Gauss points are those along z too."""
        return self.planes[0]

    @property
    def is_round(self) -> bool:
        """Whether both planes have the same shapes."""
        return self.planes[0] is self.planes[1]

    def functions(self, eta: np.ndarray) -> np.ndarray:
        """The functions of which places are sums: 1; η, Φx, H_ij; b, at places η (n,). H and b are there twice, along y
        and along z, if they differ."""
        y, z = (shapes.functions(eta) for shapes in self.planes)
        if self.is_round:
            return y
        at_H, at_b = 2 + self.axial, y.shape[1] - 2 - self.bending
        return np.hstack([y[:, :at_b], z[:, at_H:at_b], y[:, at_b:], z[:, at_b:]])

    @cached_property
    def gram(self) -> np.ndarray:
        """Integrals over the length of the products of all functions."""
        if self.is_round:
            return self.shapes.gram
        values = self.functions(self.shapes.x / self.length)
        return np.asarray(values.T @ (self.shapes.weights[:, None] * values))

    def amplitudes(self, tag: str = "") -> tuple[Block, ...]:
        """The blocks of its modal coordinates; `tag` stands before their names."""
        return _amplitudes(tag, self.axial, self.along_y, self.along_z, self.torsion)

    @property
    def work(self) -> int:
        """How many scratch numbers its kernels need: those of the tangent, in its order."""
        nb, nc, nf, columns = 2 + self.bending, self.local, len(self.gram), self.width
        n, fields = nc - 1 - self.axial, 6 * nb + 3 * (nf - 1 - (nb if self.is_round else 2 * nb))
        motion = FRAME + 3 * nc + fields + 6 * nf + 15 + nc
        changes = fields + (KEPT + 3 * nc + 6 * nf + 6 + nc) * columns + 2 * nc * nc
        # one behind the other in the same place: elastic forces, disks, and rows of the instance
        elastic = 4 * nc + 141 + 6 * n
        disks = (18 + n) * (6 + 3 * n) + 90 if len(self.disk_points) else 0
        return motion + changes + max(elastic, disks, columns * columns + 15 + nc)

    def sections(self, eta: np.ndarray) -> np.ndarray:
        """Rows (n, 2 (nv + nw + nt)): the turns of sections at places η (n,) for units of the coordinates of bending
        along y and along z, ψ, and of torsion, τ; then their derivatives by x."""
        L, bent = self.length, self._bent(eta)
        twists, rates = bubbles(self.torsion, eta)
        turns = [*(x.turn for x in bent), 2.0 * eta - 1.0, twists]
        return np.column_stack([*turns, *(x.bend for x in bent), np.full(len(eta), 2.0 / L), rates / L])

    def _bent(self, eta: np.ndarray) -> list[Bending]:
        """The bending shapes along y (nv) and along z (nw) at places η."""
        numbers = 2 + self.along_y, 2 + self.along_z
        return [Bending(*(x[:, :n] for x in shapes.bent(eta))) for n, shapes in zip(numbers, self.planes)]

    def parameters(self, gravity: np.ndarray, axes1: np.ndarray, axes2: np.ndarray) -> np.ndarray:
        """The parameters (np,) of an instance; `axes1`, `axes2` are the quaternions from the axes of its section to
        those of its nodes. Their signs must be such that the twist between the nodes is the small one."""
        p = self.properties
        head = np.zeros(TABLE)
        head[GRAVITY : GRAVITY + 3] = gravity
        head[[LENGTH, EA, GJ, EIY, EIZ, RHO_A]] = self.length, p.EA, p.GJ, p.EIy, p.EIz, p.rhoA
        head[[RHO_IP, RHO_IY, RHO_IZ]] = p.polar_inertia, p.rhoIy, p.rhoIz
        head[FOLD] = 0.5 * (p.EIy + p.EIz) / self.length
        head[BETA] = self.damping.beta if isinstance(self.damping, StiffnessProportional) else 0.0
        head[AXES1 : AXES1 + 4], head[AXES2 : AXES2 + 4] = axes1, axes2
        head[[AXIAL, ALONG_Y, ALONG_Z, TORSION]] = self.axial, self.along_y, self.along_z, self.torsion
        head[[FUNCTIONS, FIELD]] = len(self.gram), FIELDS.index(self.field)
        head[ROUND] = self.is_round
        sheared = zip(self.planes, (p.GAy, p.GAz))
        head[[GAY, GAZ]] = [GA if plane.shear else 0.0 for plane, GA in sheared]
        head[MODAL] = isinstance(self.damping, ModalDamping)
        strain, disk = self.strain_points, self.disk_points
        head[[STRAIN_POINTS, DISK_POINTS]] = len(strain), len(disk)
        S = [np.zeros_like(x.S_end) if self.field == "chord" else x.S_end for x in self.planes]
        modal_damping = self.modal_damping if head[MODAL] else np.zeros(0)
        parts = [head, self.axial_stiffness, *S, p.rhoA * self.gram, *self.remainders, modal_damping, strain, disk]
        return np.concatenate([np.ravel(part) for part in parts])

    @cached_property
    def axial_stiffness(self) -> np.ndarray:
        """Stiffnesses [N/m] of the axial modes."""
        return self.properties.EA / self.length * self.shapes.axial_factors / 2

    @cached_property
    def strain_points(self) -> np.ndarray:
        """A weight [m] and a row of :meth:`sections` for each Gauss point of the strain energy."""
        eta, weights = gauss(5 + 2 * max(self.bending, self.torsion))
        return np.column_stack([weights * self.length, self.sections(eta)])

    @cached_property
    def straight(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stiffnesses of the straight element in bending along y and along z, for EI = 1 and with shear, and in torsion
        for GJ = 1."""
        L, bent = self.length, []
        for shapes, n in zip(self.planes, (2 + self.along_y, 2 + self.along_z)):
            near, far = shapes.end_factors
            K = np.zeros((n, n))
            K[:2, :2] = np.array([[near, far], [far, near]]) / L
            K[range(2, n), range(2, n)] = shapes.bending_factors[: n - 2] / L**3
            bent.append(K)
        return bent[0], bent[1], np.diag([4.0, *bubble_factors(self.torsion)]) / L

    @cached_property
    def remainders(self) -> list[np.ndarray]:
        """What the Gauss points of the strain energy leave out of :attr:`straight`: the shear energy, and little else;
        with it the straight element is exact."""
        weights, rows = self.strain_points[:, 0], self.strain_points[:, 1:]
        rates, first = rows[:, rows.shape[1] // 2 :], self.places()[0][0]
        own = [rates[:, place - first] for place in self.places()]
        return [whole - x.T @ (weights[:, None] * x) for whole, x in zip(self.straight, own)]

    @cached_property
    def disk_points(self) -> np.ndarray:
        """The same for each Gauss point of the rotary inertia; none without that."""
        p = self.properties
        eta, weights = gauss(5 + self.bending + 3 * self.torsion)
        rows = np.column_stack([weights * self.length, self.sections(eta)])
        return rows if p.polar_inertia or p.rhoIy or p.rhoIz else rows[:0]

    def point_data(self, s: float) -> np.ndarray:
        """The argument `w` of the kernels of a place s ∈ [0, 1]: x, η, Φx; b along y and along z; H of both; Φx'; the
        row of :meth:`sections`; the second derivatives by x of ψ, and 0 for those of τ, which no shear force takes."""
        return _point_data(self, float(s))

    @cached_property
    def stiffness(self) -> np.ndarray:
        """The stiffness matrix of the local coordinates of the straight element at rest."""
        p, nc = self.properties, self.local
        K = np.zeros((nc, nc))
        K[0, 0] = p.EA / self.length
        K[range(1, 1 + self.axial), range(1, 1 + self.axial)] = self.axial_stiffness
        v, w, t = self.places()
        for place, stiffness, part in zip((v, w, t), (p.EIz, p.EIy, p.GJ), self.straight):
            K[np.ix_(place, place)] = stiffness * part
        return K

    def places(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers in c of the coordinates of bending along y, along z, and of torsion."""
        sizes = np.cumsum([1 + self.axial, 2 + self.along_y, 2 + self.along_z, 1 + self.torsion])
        return tuple(np.arange(a, b) for a, b in itertools.pairwise(sizes))  # type: ignore[return-value]

    @cached_property
    def at_rest(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the straight element at rest: local coordinates by those of the instance, T (nc, 12 + modes), in the axes
        of the beam, and its mass matrix by the latter."""
        p, L, m = self.properties, self.length, self.axial
        nc, n = self.local, self.width
        v, w, t = self.places()
        T = np.zeros((nc, n))
        T[0, [0, 6]] = -1.0, 1.0
        for k, node in enumerate((3, 9)):
            T[v[k], [node + 2, 1, 7]] = 1.0, 1 / L, -1 / L
            T[w[k], [node + 1, 2, 8]] = -1.0, 1 / L, -1 / L
        T[t[0], [3, 9]] = -0.5, 0.5
        own = [*range(1, 1 + m), *v[2:], *w[2:], *t[1:]]
        T[own, range(12, n)] = 1.0
        mass = np.zeros((n, n))
        eta = self.shapes.x / L
        for weight, row, bv, bw in zip(
            self.shapes.weights, self.shapes.at(eta), *(x.deflection for x in self._bent(eta))
        ):
            x = row[0]
            place = np.zeros((3, n))
            place[:, :3] = np.eye(3)
            place[1, [1, 7]] += np.array([-1.0, 1.0]) * x / L
            place[2, [2, 8]] += np.array([-1.0, 1.0]) * x / L
            place[0] += row[1] * T[0] + row[2 : 2 + m] @ T[1 : 1 + m]
            place[1] += bv @ T[v]
            place[2] += bw @ T[w]
            mass += p.rhoA * weight * place.T @ place
        for row in self.disk_points:
            turn = np.zeros((3, n))
            turn[0, [3, 9]] = 0.5
            turn[0] += row[1 + t - v[0]] @ T[t]
            turn[1, [2, 8]] = 1 / L, -1 / L
            turn[2, [1, 7]] = -1 / L, 1 / L
            turn[1] -= row[1 + w - v[0]] @ T[w]
            turn[2] += row[1 + v - v[0]] @ T[v]
            mass += row[0] * turn.T @ np.diag([p.polar_inertia, p.rhoIy, p.rhoIz]) @ turn
        return T, mass

    @cached_property
    def modal_damping(self) -> np.ndarray:
        """The damping matrix (nc, nc) of :class:`flexmb.ModalDamping`: of the modes of the free element."""
        import scipy.linalg

        assert isinstance(self.damping, ModalDamping)
        T, mass = self.at_rest
        # without rotary inertia turning about the axis has no mass; a little makes these modes fast
        least = 1e-12 * self.properties.rhoA * self.length**3
        inertia = mass + np.diag(np.where(np.diag(mass) < least, least, 0.0))
        squared, modes = scipy.linalg.eigh(T.T @ self.stiffness @ T, inertia)
        ratios = self.damping.values(self.local)
        C = np.zeros_like(mass)
        for k in range(self.local):  # the six lowest are the rigid motions
            momentum = inertia @ modes[:, 6 + k]
            C += 2.0 * ratios[k] * math.sqrt(max(squared[6 + k], 0.0)) * np.outer(momentum, momentum)
        back = np.linalg.pinv(T)
        return back.T @ C @ back


@lru_cache(maxsize=2048)
def _point_data(element: SpatialCmsElement, s: float) -> np.ndarray:
    """:meth:`SpatialCmsElement.point_data`; kept, since each picture asks for the places of the one before."""
    eta, m, numbers = np.array([s]), element.axial, (2 + element.along_y, 2 + element.along_z)
    first = element.shapes.along(eta)[0]
    H = [x.shortening(eta)[0, :n, :n].ravel() for x, n in zip(element.planes, numbers)]
    stretched, bent = element.shapes.strains(eta)[0, :m], element._bent(eta)
    b, changes = ([getattr(x, what)[0] for x in bent] for what in ("deflection", "change"))
    return np.concatenate([first, *b, *H, stretched, element.sections(eta)[0], *changes, np.zeros(1 + element.torsion)])


@lru_cache(maxsize=1024)
def _amplitudes(tag: str, axial: int, along_y: int, along_z: int, torsion: int) -> tuple[Block, ...]:
    kinds = (("axial", axial), ("bending_y", along_y), ("bending_z", along_z))
    blocks = [modal([f"{tag}{what}{k + 1}" for what, count in kinds for k in range(count)])]
    if torsion:
        blocks.append(modal([f"{tag}torsion{k + 1}" for k in range(torsion)], "angle"))
    return tuple(block for block in blocks if block.names)

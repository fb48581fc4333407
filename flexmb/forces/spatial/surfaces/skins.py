"""The faces of a body as its kernels take them: flat patches, faces alone, rods and balls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from flexmb.bodies.meshes.finish import WIDTH, SurfaceFinish
from flexmb.bodies.meshes.painting import faces_on
from flexmb.bodies.meshes.skin import face_areas, skin_of
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import ModelError
from flexmb.model.appearance import BodyShape
from flexmb.model.geometry.surfaces import looks_outwards
from flexmb.model.orientations import rotation_of

#: decimals of unit normals that faces of a flat patch share
ALIKE = 9
#: corners of the faces of a box, by the signs of its half edges, counter-clockwise from outside
_BOX = (
    ((1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)),
    ((-1, -1, -1), (-1, -1, 1), (-1, 1, 1), (-1, 1, -1)),
    ((-1, 1, -1), (-1, 1, 1), (1, 1, 1), (1, 1, -1)),
    ((-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)),
    ((-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)),
    ((-1, -1, -1), (-1, 1, -1), (1, 1, -1), (1, -1, -1)),
)


class Records(NamedTuple):
    """Numbers of modes and slaves of a body, its T^m, and the records of its patches, faces, rods and balls, as
    :mod:`flexmb.forces.spatial.surfaces.faces` says."""

    modes: int
    slaves: np.ndarray
    patches: list[np.ndarray]
    faces: list[np.ndarray]
    rods: list[np.ndarray]
    balls: list[np.ndarray]

    def row(self, around: np.ndarray) -> np.ndarray:
        """The parameters of an instance, but for what stands behind them."""
        groups = self.patches, self.faces, self.rods, self.balls
        head = [self.modes, len(self.slaves), *map(len, groups)]
        return np.concatenate([head, around, self.slaves.ravel(), *(x for group in groups for x in group)])


class Sides(NamedTuple):
    """How the surface of a body is finished, front and, of shells, back; None: as the body itself says; which numbers
    of a finish a law reads; in which region; and for whom."""

    finish: SurfaceFinish | None
    back: SurfaceFinish | None
    read: tuple[int, int]
    region: Any
    where: str

    def optics(self, own: np.ndarray | None, count: int) -> np.ndarray:
        """The numbers that are read, of the outer and of the inner side (count, 4)."""
        if self.finish is not None or own is None:
            front = self.finish or SurfaceFinish()
            own = np.tile([*front.numbers, *(self.back or front).numbers], (count, 1))
        return np.asarray(own[:, [*self.read, *(WIDTH + k for k in self.read)]])


def of_reduced(body: ReducedBody, sides: Sides) -> Records:
    """The records of a reduced body with a mesh in space."""
    where, mesh = sides.where, body.mesh
    if mesh is None:
        raise ModelError(f"{where}: its reduced body has no mesh, and so no faces; make it with a mesh")
    skin = skin_of(mesh, where)
    if mesh.finishes is not None and len(mesh.finishes) != len(skin.triangles):
        raise ModelError(
            f"{where}: its mesh has {len(mesh.finishes)} finishes and {len(skin.triangles)} faces; paint it by "
            "fm.bodies.painted"
        )
    chosen = faces_on(mesh.nodes, skin.triangles, sides.region, where)
    optics = sides.optics(mesh.finishes, len(skin.triangles))[chosen]
    triangles, is_shell = skin.triangles[chosen], skin.is_shell[chosen]
    shapes = np.zeros((1 + body.modes + len(body.slaves), *mesh.nodes.shape))
    shapes[0], shapes[1 : 1 + body.modes] = mesh.nodes, mesh.shapes.transpose(2, 0, 1)
    if mesh.slave_shapes.shape[2]:
        shapes[1 + body.modes :] = mesh.slave_shapes.transpose(2, 0, 1)
    return _of_triangles(shapes, body.slaves, body.modes, triangles, optics, is_shell)


def of_shape(shape: BodyShape, offset: np.ndarray, axes: Any, sides: Sides) -> Records:
    """The records of a rigid body's shape, in the axes of a node on which the body's frame lies at an `offset`, with
    its `axes`, a quaternion."""
    found = Records(0, np.zeros((0, 0, 0)), [], [], [], [])
    for piece in shape.pieces:
        turn = rotation_of(axes) * rotation_of(piece.axes)
        place = offset + rotation_of(axes).apply(piece.position)
        _add_piece(found, piece, place, turn, sides)
    if not any(map(len, found[2:])):
        raise ModelError(f"{sides.where}: its shape has no faces; give a shape with some")
    return found


def of_plate(area: float, arm: np.ndarray, normals: list[np.ndarray], sides: Sides) -> Records:
    """The records of a plate, a face for each of its sides that counts."""
    faces = [np.concatenate([sides.optics(None, 1)[0, :2], area * n, arm]) for n in normals]
    return Records(0, np.zeros((0, 0, 0)), [], faces, [], [])


def _add_piece(found: Records, piece: BodyShape, place: np.ndarray, turn: Any, sides: Sides) -> None:
    """Add the records of one shape that is no compound."""
    optics = sides.optics(None, 1)[0]
    if sides.region is not None and piece.kind not in ("box", "surface"):
        raise ModelError(
            f"{sides.where}: a region chooses faces by their corners, and a {piece.kind} is round; leave region out, "
            "or give the body a surface of triangles"
        )
    if piece.kind == "sphere":
        found.balls.append(np.array([*optics[:2], *place, 0.25 * np.pi * piece.sizes[0] ** 2]))
        return
    if piece.kind in ("cylinder", "hollow cylinder"):  # the bore sees nothing
        *diameters, length = piece.sizes
        axis = turn.apply((0.0, 0.0, 1.0))
        found.rods.append(np.array([*optics[:2], *place, *axis, diameters[0] * length]))
        ring = 0.25 * np.pi * (diameters[0] ** 2 - sum(d * d for d in diameters[1:]))
        for sign in (0.5, -0.5):
            found.faces.append(np.array([*optics[:2], *(2.0 * sign * ring * axis), *(place + sign * length * axis)]))
        return
    if piece.kind == "box":
        points = np.array(_BOX).reshape(-1, 3) * 0.5 * np.array(piece.sizes)
        triangles = np.concatenate([4 * np.arange(6)[:, None] + half for half in ((0, 1, 2), (0, 2, 3))])
        is_open = False
    else:
        points, triangles = np.asarray(piece.vertices), np.asarray(piece.faces)
        outside = looks_outwards(points, triangles)
        if outside is False:
            raise ModelError(f"{sides.where}: the faces of its surface are turned inwards; turn them round")
        is_open = outside is None
        if is_open and sides.back is None:
            raise ModelError(
                f"{sides.where}: the surface of its body is open, so that it has an inner side; close it, or give that "
                "side its finish, back=…"
            )
        if np.any(face_areas(points[triangles]) == 0.0):
            raise ModelError(f"{sides.where}: faces of its surface have no area and no normal; take them out")
    chosen = triangles[faces_on(points, triangles, sides.region, sides.where)]
    shapes = (place + turn.apply(points))[None]
    is_shell = np.full(len(chosen), is_open)
    made = _of_triangles(shapes, found.slaves, 0, chosen, np.tile(optics, (len(chosen), 1)), is_shell)
    found.faces.extend(made.faces)


def _of_triangles(
    shapes: np.ndarray, slaves: np.ndarray, n: int, triangles: np.ndarray, optics: np.ndarray, is_shell: np.ndarray
) -> Records:
    """The records of triangles on nodes that move by shapes (many, N, 3), the first the places themselves."""
    corners = shapes[: 1 + n, triangles]  # (1 + n, f, 3, 3)
    one, two = corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0]
    areas = 0.5 * (np.cross(one[:1], two) + np.cross(one, two[:1]))  # a_k; twice a₀
    areas[0] *= 0.5
    middles = shapes[:, triangles].mean(axis=2)  # (many, f, 3)
    finishes = optics[:, :2]
    if is_shell.any():
        areas = np.concatenate([areas, -areas[:, is_shell]], axis=1)
        middles = np.concatenate([middles, middles[:, is_shell]], axis=1)
        finishes = np.concatenate([finishes, optics[is_shell, 2:]])
        triangles = np.concatenate([triangles, triangles[is_shell] + shapes.shape[1]])  # not joined to the outer side
    found = Records(n, slaves, [], [], [], [])
    for own in _patches(areas[0], triangles, finishes):
        a, head = areas[:, own], finishes[own[0]]
        size = np.linalg.norm(a[0], axis=1)
        middle = np.einsum("Ffc,f->Fc", middles[:, own], size / size.sum())
        flat = np.concatenate([head, a.sum(axis=1).ravel(), middle.ravel()])
        if len(own) == 1 or not n:  # of a rigid patch all faces have one force, at its middle
            found.faces.append(flat)
            continue
        left, right = (
            middles[:, own].transpose(0, 2, 1).reshape(-1, len(own)),
            a.transpose(1, 0, 2).reshape(len(own), -1),
        )
        B = (left @ right).reshape(len(middles), 3, 1 + n, 3).transpose(0, 2, 1, 3)
        found.patches.append(np.concatenate([flat, B.ravel()]))
    return found


def _patches(areas: np.ndarray, triangles: np.ndarray, finishes: np.ndarray) -> list[np.ndarray]:
    """The numbers of the faces of each flat patch: of one normal and finish, and joined by nodes."""
    normals = areas / np.linalg.norm(areas, axis=1, keepdims=True)
    keys = np.hstack([np.round(normals, ALIKE) + 0.0, finishes])
    _, kind = np.unique(keys, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    # nodes of a patch are joined through its faces: a node counts once for each kind of face on it
    flat = (kind[:, None] * (triangles.max() + 1) + triangles).ravel()
    _, node = np.unique(flat, return_inverse=True)
    node = node.reshape(-1, 3)
    ends = np.concatenate([node[:, [0, 1]], node[:, [1, 2]]])
    size = int(node.max()) + 1
    _, label = connected_components(sp.coo_array((np.ones(len(ends)), tuple(ends.T)), (size, size)), directed=False)
    own = label[node[:, 0]]
    order = np.argsort(own, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(own[order])) + 1)

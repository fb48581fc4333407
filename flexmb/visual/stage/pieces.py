"""Pieces of a picture: meshes that stand still, move as a rigid body, grow, or bend, at k instants."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from flexmb.results.pictures.deforming import DeformingMesh, only
from flexmb.visual.stage.meshes import (
    HEAD_LENGTH,
    Profile,
    arrow,
    circle,
    split_at_edges,
    stretched,
    sweep,
    sweep_faces,
    tip,
)
from flexmb.visual.stage.placing import Y, Z, along, in_space, normals, placed, steady_reference

if TYPE_CHECKING:
    from pyvista import PolyData


@dataclass
class Piece:
    """A mesh that shows one component: its name, its role (a key of :class:`~flexmb.visual.rendering.look.Look`), its
    faces (f, 3), and `number`, which chooses among the colors of bodies, or a `color` '#rrggbb' of its own; `on`
    (k,): at which instants it is drawn, if not at all."""

    name: str
    role: str
    faces: np.ndarray
    number: int = field(default=0, kw_only=True)
    color: str = field(default="", kw_only=True)
    on: np.ndarray | None = field(default=None, kw_only=True)

    @property
    def moves(self) -> bool:
        """Whether the piece changes from instant to instant."""
        return True

    @property
    def behind(self) -> float:
        """How far the piece is moved back behind others in the same place: 1 for the rearmost, negative for the
        front."""
        return 0.0

    def points(self, k: int) -> np.ndarray:
        """Points (p, 3) [m] at the instant k."""
        raise NotImplementedError

    def values(self, k: int) -> np.ndarray | None:
        """The quantity (p,) that colors the piece at the instant k, if there is one."""
        return None

    def visible_faces(self, k: int) -> int:
        """The number of faces, from the first on, that are drawn at the instant k."""
        return len(self.faces) if self.on is None or self.on[k] else 0


@dataclass
class Rigid(Piece):
    """A rigid mesh at poses (k, 7), see :mod:`flexmb.visual.stage.placing`; a mesh that stands still has one pose
    only."""

    local: np.ndarray
    poses: np.ndarray

    @classmethod
    def of(
        cls,
        name: str,
        role: str,
        mesh: PolyData,
        poses: np.ndarray,
        number: int = 0,
        *,
        size: float = 1.0,
        color: str = "",
    ) -> Rigid:
        """A mesh, enlarged by a factor `size`, that moves along poses (k, 7)."""
        points, several = size * np.asarray(mesh.points), np.atleast_2d(poses)
        return cls(name, role, mesh.regular_faces, points, several, number=number, color=color)

    @property
    def moves(self) -> bool:
        return len(self.poses) > 1

    def points(self, k: int) -> np.ndarray:
        return placed(self.local, self.poses[min(k, len(self.poses) - 1)])


@dataclass
class InFront(Rigid):
    """A rigid mesh that is drawn in front of all else, such as an axis of a frame inside a body."""

    behind = -0.4


@dataclass
class Trail(Piece):
    """The path of a point as a thread that grows: its points (p, 3), and the number of faces drawn at each instant."""

    path: np.ndarray
    counts: np.ndarray

    #: the number of points around the thread
    ring = 6

    @classmethod
    def of(
        cls, name: str, t: np.ndarray, path: np.ndarray, times: np.ndarray, radius: float, flat: bool = False
    ) -> Trail:
        """The path (p, 3) of a point at the times t (p,), drawn at `times` (k,); `flat`: it is one in the plane."""
        profile = circle(radius, cls.ring)
        points = sweep(path, normals(path, Z if flat else None), profile)[: len(path) * cls.ring]
        faces = sweep_faces(len(path), profile)[: (len(path) - 1) * 2 * cls.ring]
        passed = np.clip(np.searchsorted(t, times + 1e-9 * (t[-1] - t[0]), side="right") - 1, 0, len(path) - 1)
        return cls(name, "trail", faces, points, 2 * cls.ring * passed)

    def points(self, k: int) -> np.ndarray:
        return self.path

    def visible_faces(self, k: int) -> int:
        return int(self.counts[k])


@dataclass
class BentTube(Piece):
    """A tube along a path (k, p, 3), colored by a quantity (k, p) if one is given; `flat`: the path lies in the
    plane; `sides` (k, p, 3): the unit directions of the section's y, where it turns about the path as a beam does;
    `widths` (p, 2): the shares of the profile along y and z of a beam that tapers."""

    axis: np.ndarray
    profile: Profile
    quantity: np.ndarray | None = None
    flat: bool = field(default=False, kw_only=True)
    sides: np.ndarray | None = field(default=None, kw_only=True)
    widths: np.ndarray | None = field(default=None, kw_only=True)

    @classmethod
    def of(
        cls,
        name: str,
        role: str,
        axis: np.ndarray,
        profile: Profile,
        quantity: np.ndarray | None = None,
        sides: np.ndarray | None = None,
        widths: np.ndarray | None = None,
    ) -> BentTube:
        """A tube along an axis (k, p, 2), or (k, p, 3) in space."""
        faces = sweep_faces(axis.shape[1], profile)
        return cls(
            name, role, faces, in_space(axis), profile, quantity, flat=axis.shape[2] == 2, sides=sides, widths=widths
        )

    def normals(self, k: int) -> np.ndarray:
        """The unit directions (p, 3) of the section's y at the instant k."""
        return normals(self.axis[k], Z if self.flat else None) if self.sides is None else self.sides[k]

    def points(self, k: int) -> np.ndarray:
        return sweep(self.axis[k], self.normals(k), self.profile, self.widths)

    def values(self, k: int) -> np.ndarray | None:
        if self.quantity is None:
            return None
        m = len(self.profile.points)
        row = self.quantity[k]
        return np.concatenate([np.repeat(row, m), np.full(m, row[0]), np.full(m, row[-1])])


@dataclass
class Deforming(Piece):
    """The surface of a body that deforms, colored by its deformation or by a stress if one is named in `colored`."""

    mesh: DeformingMesh
    colored: str = ""

    @classmethod
    def of(cls, mesh: DeformingMesh, number: int, *, colored: str) -> Deforming:
        """The surface of a mesh, without the nodes inside of the body."""
        used, faces = np.unique(mesh.shown.faces, return_inverse=True)
        split, faces = split_at_edges(in_space(mesh.shown.nodes[used]), np.reshape(faces, (-1, 3)))
        used = used[split]
        shown = only(mesh.shown, used, faces)
        own = None if mesh.stresses is None else mesh.stresses[used]
        of_surface = replace(mesh, shown=shown, stresses=own)
        return cls(mesh.name, "body", shown.faces, of_surface, colored, number=number)

    def points(self, k: int) -> np.ndarray:
        return in_space(self.mesh.points(k))

    def values(self, k: int) -> np.ndarray | None:
        return self.mesh.quantity(self.colored, k) if self.colored else None


@dataclass
class Helix(Piece):
    """A coil spring between two points (k, 2, 3)."""

    ends: np.ndarray
    radius: float
    profile: Profile
    reference: np.ndarray

    turns = 8
    count = 8 * 14 + 1

    @classmethod
    def of(cls, name: str, ends: np.ndarray, radius: float, wire: float) -> Helix:
        """A coil of a radius; `wire`: the radius of its wire [m]."""
        profile = circle(wire, 8)
        reference = steady_reference(ends[:, 1] - ends[:, 0])
        return cls(name, "spring", sweep_faces(cls.count, profile), ends, radius, profile, reference)

    def points(self, k: int) -> np.ndarray:
        a, b = self.ends[k]
        _, across, side = along(b - a, self.reference).T
        u = np.linspace(0.0, 1.0, self.count)
        coil = np.clip((u - 0.12) / 0.76, 0.0, 1.0)
        reach = self.radius * np.clip(np.minimum(u, 1.0 - u) / 0.12, 0.0, 1.0) ** 2
        phase = 2.0 * np.pi * self.turns * coil
        out = np.cos(phase)[:, None] * across + np.sin(phase)[:, None] * side
        path = a + u[:, None] * (b - a) + reach[:, None] * out
        return sweep(path, out, self.profile)


@dataclass
class Spiral(Piece):
    """A flat spiral spring in the plane across the z of its poses (k, 7), from their x-axis to a `twist` (k,) [rad]
    beyond."""

    poses: np.ndarray
    twist: np.ndarray
    radius: float
    profile: Profile

    count = 73

    @classmethod
    def of(cls, name: str, poses: np.ndarray, twist: np.ndarray, radius: float, wire: float) -> Spiral:
        """A spiral of an outer radius; `wire`: the radius of its wire [m]."""
        profile = circle(wire, 8)
        return cls(name, "spring", sweep_faces(cls.count, profile), poses, twist, radius, profile)

    def points(self, k: int) -> np.ndarray:
        u = np.linspace(0.0, 1.0, self.count)
        turn = u * (self.twist[k] + 5.0 * np.pi)
        path = in_space(self.radius * ((0.35 + 0.65 * u) * np.array([np.cos(turn), np.sin(turn)])).T)
        return placed(sweep(path, normals(path, Z), self.profile), self.poses[k])


@dataclass
class Arrow(Piece):
    """An arrow from places (k, 3) along vectors (k, 3), both in meters of the picture; it is drawn in front of all
    else."""

    tails: np.ndarray
    vectors: np.ndarray
    local: np.ndarray
    radius: float
    reference: np.ndarray

    behind = -0.5

    @classmethod
    def of(cls, name: str, role: str, tails: np.ndarray, vectors: np.ndarray, radius: float) -> Arrow:
        """An arrow with a shaft of a radius [m]."""
        mesh, reference = arrow(), steady_reference(vectors)
        return cls(name, role, mesh.regular_faces, tails, vectors, np.asarray(mesh.points), radius, reference)

    def points(self, k: int) -> np.ndarray:
        vector = self.vectors[k]
        local = stretched(self.local, float(np.linalg.norm(vector)), self.radius)
        return local @ along(vector, self.reference).T + self.tails[k]

    def visible_faces(self, k: int) -> int:
        return len(self.faces) if np.any(self.vectors[k]) else 0


@dataclass
class BentArrow(Piece):
    """A bent arrow for a torque about places (k, 3), whose angles [rad] and directions are those of the vectors
    `sweeps` (k, 3); it is drawn in front of all else."""

    places: np.ndarray
    sweeps: np.ndarray
    radius: float
    profile: Profile
    tip: np.ndarray
    reference: np.ndarray

    behind = -0.5
    count = 33

    @classmethod
    def of(cls, name: str, role: str, places: np.ndarray, sweeps: np.ndarray, radius: float, wire: float) -> BentArrow:
        """An arrow on a circle of a radius; `wire`: the radius of its shaft [m]."""
        profile = circle(wire, 10)
        head = tip()
        first = (cls.count + 2) * len(profile.points)
        faces = np.concatenate([sweep_faces(cls.count, profile), first + np.asarray(head.regular_faces)])
        points, reference = np.asarray(head.points), steady_reference(sweeps, Y)
        return cls(name, role, faces, places, sweeps, radius, profile, points, reference)

    def points(self, k: int) -> np.ndarray:
        sweep_of = self.sweeps[k]
        angle = float(np.linalg.norm(sweep_of))
        # the arrow begins below on the right, and turns to the left as seen against its torque
        axis, right, up = along(sweep_of, self.reference).T
        axes = np.column_stack([right, up, axis])
        turn = angle * np.linspace(0.0, 1.0, self.count) - 0.25 * np.pi
        path = in_space(self.radius * np.array([np.cos(turn), np.sin(turn)]).T)
        wire = float(np.max(self.profile.points))
        length = min(HEAD_LENGTH * wire, angle * self.radius)
        # the axis of the head is a chord of the circle
        direction = turn[-1] + 0.5 * np.pi + 0.5 * length / self.radius
        chord = np.array([np.cos(direction), np.sin(direction), 0.0])
        cone = length / HEAD_LENGTH * self.tip @ along(chord).T + path[-1]
        tube = sweep(path, normals(path, Z), self.profile)
        return np.concatenate([tube, cone]) @ axes.T + self.places[k]

    def visible_faces(self, k: int) -> int:
        return len(self.faces) if np.any(self.sweeps[k]) else 0


@dataclass
class Ghost(Piece):
    """A piece as it is at one instant, drawn pale and behind all else; `layer`, from 0 to 1, says how far behind."""

    piece: Piece
    instant: int
    layer: float

    @classmethod
    def of(cls, piece: Piece, instant: int, layer: float = 1.0) -> Ghost:
        """A piece at an instant."""
        return cls(piece.name, piece.role, piece.faces, piece, instant, layer, number=piece.number, color=piece.color)

    @property
    def behind(self) -> float:
        return self.layer

    @property
    def moves(self) -> bool:
        return False

    def points(self, k: int) -> np.ndarray:
        return self.piece.points(self.instant)

    def visible_faces(self, k: int) -> int:
        return self.piece.visible_faces(self.instant)

    def values(self, k: int) -> np.ndarray | None:
        return self.piece.values(self.instant)

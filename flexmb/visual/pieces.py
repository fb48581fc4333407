"""Pieces of a picture: meshes that stand still, move as a rigid body, grow, or bend, at k instants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flexmb.visual.meshes import (
    HEAD_LENGTH,
    Profile,
    arrow,
    circle,
    flat_normals,
    in_space,
    placed,
    stretched,
    sweep,
    sweep_faces,
    tip,
)

if TYPE_CHECKING:
    from pyvista import PolyData


@dataclass
class Piece:
    """A mesh that shows one component: its name, its role (a key of :class:`~flexmb.visual.look.Look`), its faces (f,
    3), and `number`, which chooses among the colours of bodies."""

    name: str
    role: str
    faces: np.ndarray
    number: int = field(default=0, kw_only=True)

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
        """The quantity (p,) that colours the piece at the instant k, if there is one."""
        return None

    def visible_faces(self, k: int) -> int:
        """The number of faces, from the first on, that are drawn at the instant k."""
        return len(self.faces)


@dataclass
class Rigid(Piece):
    """A rigid mesh at places (k, 3): x, y [m], angle [rad]; a mesh that stands still has one place only."""

    local: np.ndarray
    places: np.ndarray

    @classmethod
    def of(
        cls, name: str, role: str, mesh: PolyData, places: np.ndarray, number: int = 0, *, size: float = 1.0
    ) -> Rigid:
        """A mesh, enlarged by a factor `size`, that moves along places (k, 3)."""
        return cls(name, role, mesh.regular_faces, size * np.asarray(mesh.points), np.atleast_2d(places), number=number)

    @property
    def moves(self) -> bool:
        return len(self.places) > 1

    def points(self, k: int) -> np.ndarray:
        return placed(self.local, self.places[min(k, len(self.places) - 1)])


@dataclass
class Trail(Piece):
    """The path of a point as a thread that grows: its points (p, 3), and the number of faces drawn at each instant."""

    path: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, name: str, t: np.ndarray, path: np.ndarray, times: np.ndarray, radius: float, z: float) -> Trail:
        """The path (p, 2) of a point at the times t (p,), drawn at `times` (k,) at a height z [m]."""
        profile = circle(radius, 6)
        points = sweep(in_space(path, z), flat_normals(path), profile)[: len(path) * 6]
        faces = sweep_faces(len(path), profile)[: (len(path) - 1) * 12]
        passed = np.clip(np.searchsorted(t, times + 1e-9 * (t[-1] - t[0]), side="right") - 1, 0, len(path) - 1)
        return cls(name, "trail", faces, points, 12 * passed)

    def points(self, k: int) -> np.ndarray:
        return self.path

    def visible_faces(self, k: int) -> int:
        return int(self.counts[k])


@dataclass
class BentTube(Piece):
    """A tube along a path (k, p, 2) in the plane, coloured by a quantity (k, p) if one is given."""

    axis: np.ndarray
    profile: Profile
    quantity: np.ndarray | None = None

    @classmethod
    def of(
        cls, name: str, role: str, axis: np.ndarray, profile: Profile, quantity: np.ndarray | None = None
    ) -> BentTube:
        """A tube along an axis (k, p, 2)."""
        return cls(name, role, sweep_faces(axis.shape[1], profile), axis, profile, quantity)

    def points(self, k: int) -> np.ndarray:
        return sweep(in_space(self.axis[k]), flat_normals(self.axis[k]), self.profile)

    def values(self, k: int) -> np.ndarray | None:
        if self.quantity is None:
            return None
        m = len(self.profile.points)
        row = self.quantity[k]
        return np.concatenate([np.repeat(row, m), np.full(m, row[0]), np.full(m, row[-1])])


@dataclass
class Helix(Piece):
    """A coil spring between two points (k, 2, 2)."""

    ends: np.ndarray
    radius: float
    profile: Profile

    turns = 8
    count = 8 * 14 + 1

    @classmethod
    def of(cls, name: str, ends: np.ndarray, radius: float, wire: float) -> Helix:
        """A coil of a radius; `wire`: the radius of its wire [m]."""
        profile = circle(wire, 8)
        return cls(name, "spring", sweep_faces(cls.count, profile), ends, radius, profile)

    def points(self, k: int) -> np.ndarray:
        a, b = self.ends[k]
        along = b - a
        length = float(np.hypot(*along))
        e = along / length if length > 0.0 else np.array([1.0, 0.0])
        u = np.linspace(0.0, 1.0, self.count)
        coil = np.clip((u - 0.12) / 0.76, 0.0, 1.0)
        reach = self.radius * np.clip(np.minimum(u, 1.0 - u) / 0.12, 0.0, 1.0) ** 2
        phase = 2.0 * np.pi * self.turns * coil
        across = np.array([-e[1], e[0], 0.0])
        out = np.cos(phase)[:, None] * across + np.sin(phase)[:, None] * np.array([0.0, 0.0, 1.0])
        path = in_space(a + u[:, None] * along) + reach[:, None] * out
        return sweep(path, out, self.profile)


@dataclass
class Spiral(Piece):
    """A flat spiral spring about a point: places (k, 2) and the angles (k, 2) of its inner and outer end [rad]."""

    places: np.ndarray
    angles: np.ndarray
    radius: float
    profile: Profile

    count = 73

    @classmethod
    def of(cls, name: str, places: np.ndarray, angles: np.ndarray, radius: float, wire: float) -> Spiral:
        """A spiral of an outer radius; `wire`: the radius of its wire [m]."""
        profile = circle(wire, 8)
        return cls(name, "spring", sweep_faces(cls.count, profile), places, angles, radius, profile)

    def points(self, k: int) -> np.ndarray:
        inner, outer = self.angles[k]
        u = np.linspace(0.0, 1.0, self.count)
        turn = inner + u * (outer - inner + 5.0 * np.pi)
        path = self.places[k] + self.radius * ((0.35 + 0.65 * u) * np.array([np.cos(turn), np.sin(turn)])).T
        return sweep(in_space(path), flat_normals(path), self.profile)


@dataclass
class Arrow(Piece):
    """An arrow from places (k, 2) along vectors (k, 2), both in metres of the picture; it is drawn in front of all
    else."""

    tails: np.ndarray
    vectors: np.ndarray
    local: np.ndarray
    radius: float

    behind = -0.5

    @classmethod
    def of(cls, name: str, role: str, tails: np.ndarray, vectors: np.ndarray, radius: float) -> Arrow:
        """An arrow with a shaft of a radius [m]."""
        mesh = arrow()
        return cls(name, role, mesh.regular_faces, tails, vectors, np.asarray(mesh.points), radius)

    def points(self, k: int) -> np.ndarray:
        x, y = self.vectors[k]
        local = stretched(self.local, float(np.hypot(x, y)), self.radius)
        return placed(local, np.array([*self.tails[k], np.arctan2(y, x)]))

    def visible_faces(self, k: int) -> int:
        return len(self.faces) if np.hypot(*self.vectors[k]) > 0.0 else 0


@dataclass
class BentArrow(Piece):
    """A bent arrow for a torque about places (k, 2), with angles `sweeps` (k,) [rad], positive counter-clockwise; it is
    drawn in front of all else."""

    places: np.ndarray
    sweeps: np.ndarray
    radius: float
    profile: Profile
    tip: np.ndarray

    behind = -0.5
    count = 33

    @classmethod
    def of(cls, name: str, role: str, places: np.ndarray, sweeps: np.ndarray, radius: float, wire: float) -> BentArrow:
        """An arrow on a circle of a radius; `wire`: the radius of its shaft [m]."""
        profile = circle(wire, 10)
        head = tip()
        first = (cls.count + 2) * len(profile.points)
        faces = np.concatenate([sweep_faces(cls.count, profile), first + np.asarray(head.regular_faces)])
        return cls(name, role, faces, places, sweeps, radius, profile, np.asarray(head.points))

    def points(self, k: int) -> np.ndarray:
        angle = float(self.sweeps[k])
        sign = 1.0 if angle >= 0.0 else -1.0
        start = -0.25 * np.pi if sign > 0.0 else 1.25 * np.pi
        turn = start + angle * np.linspace(0.0, 1.0, self.count)
        path = self.places[k] + self.radius * np.array([np.cos(turn), np.sin(turn)]).T
        wire = float(np.max(self.profile.points))
        length = min(HEAD_LENGTH * wire, abs(angle) * self.radius)
        # the axis of the head is a chord of the circle
        direction = turn[-1] + sign * (0.5 * np.pi + 0.5 * length / self.radius)
        cone = placed(length / HEAD_LENGTH * self.tip, np.array([*path[-1], direction]))
        tube = sweep(in_space(path), flat_normals(path), self.profile)
        return np.concatenate([tube, cone])

    def visible_faces(self, k: int) -> int:
        return len(self.faces) if self.sweeps[k] != 0.0 else 0


@dataclass
class Ghost(Piece):
    """A piece as it is at one instant, drawn pale and behind all else; `layer`, from 0 to 1, says how far behind."""

    piece: Piece
    instant: int
    layer: float

    @classmethod
    def of(cls, piece: Piece, instant: int, layer: float = 1.0) -> Ghost:
        """A piece at an instant."""
        return cls(piece.name, piece.role, piece.faces, piece, instant, layer, number=piece.number)

    @property
    def behind(self) -> float:
        return self.layer

    @property
    def moves(self) -> bool:
        return False

    def points(self, k: int) -> np.ndarray:
        return self.piece.points(self.instant)

    def values(self, k: int) -> np.ndarray | None:
        return self.piece.values(self.instant)

"""Pictures that go along with a point: everything is shifted by how far the point has come, along the ground."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmb.results.recorded import Recorded
from flexmb.visual.stage.pieces import Ghost, Piece, Rigid
from flexmb.visual.stage.placing import in_space


@dataclass
class Carried(Piece):
    """A piece that is shifted by (k, 3) [m]."""

    piece: Piece
    shift: np.ndarray

    @property
    def behind(self) -> float:
        return self.piece.behind

    def points(self, k: int) -> np.ndarray:
        return self.piece.points(k) + self.shift[k]

    def values(self, k: int) -> np.ndarray | None:
        return self.piece.values(k)

    def visible_faces(self, k: int) -> int:
        return self.piece.visible_faces(k)


@dataclass
class CarriedGhost(Ghost):
    """A ghost that is shifted by (k, 3) [m]."""

    shift: np.ndarray

    @property
    def moves(self) -> bool:
        return True

    def points(self, k: int) -> np.ndarray:
        return super().points(k) + self.shift[k]


def way_back(shown: Recorded, start: Recorded, followed: str, up: np.ndarray) -> np.ndarray:
    """By how much pictures of a solution are shifted (k, 3) [m] so that a point stays above its first place."""
    path, first = (in_space(solution.track(followed).position) for solution in (shown, start))
    way = path - first[0]
    return way @ np.outer(up, up) - way


def carried(piece: Piece, shift: np.ndarray) -> Piece:
    """A piece shifted by (k, 3) [m]."""
    if isinstance(piece, Ghost):
        given = (piece.name, piece.role, piece.faces, piece.piece, piece.instant, piece.layer, shift)
        return CarriedGhost(*given, number=piece.number, color=piece.color)
    if isinstance(piece, Rigid):
        poses = np.repeat(piece.poses, len(shift), axis=0) if len(piece.poses) == 1 else piece.poses.copy()
        poses[:, 0:3] += shift
        return replace(piece, poses=poses)
    return Carried(piece.name, piece.role, piece.faces, piece, shift, number=piece.number, color=piece.color)

"""The scene of a view as a glTF document: each piece of the stage as what glTF has for its motion.

Rigid pieces are meshes below nodes that move; those that move alike share a node. Tubes that bend are skins
(:mod:`flexmb.visual.gltf.skins`); bodies that deform, springs and arrows have targets
(:mod:`flexmb.visual.gltf.targets`). Below the root node, which bears the name of the model and turns what is up in the
picture into y, all numbers are coordinates of the model [m].
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb
from flexmb.errors import ModelError
from flexmb.machine import files
from flexmb.machine.threads import one_thread
from flexmb.model import checks
from flexmb.results.sources import MOST_PLACES
from flexmb.visual.following import Carried
from flexmb.visual.gltf.colors import Painted, painted
from flexmb.visual.gltf.document import Document
from flexmb.visual.gltf.skins import Skin, skin_of_trail, skin_of_tube
from flexmb.visual.gltf.surfaces import Targets, packed, packed_targets, plain, plain_targets, surface
from flexmb.visual.gltf.targets import Shape, shape_of_mesh, shape_of_points
from flexmb.visual.gltf.tracks import Tracks, constant
from flexmb.visual.rendering.render import Viewed
from flexmb.visual.stage.pieces import BentTube, Deforming, Piece, Rigid, Trail
from flexmb.visual.stage.placing import Y

#: the largest distance of a vertex from where the picture has it that fewer or shorter numbers may cause, as a part of
#: the size of the mechanism
NEAR = 4e-4
#: the number of pictures of a scene when not given
PICTURES = 121


@one_thread
def write_scene(view: Viewed, path: Any, time: Any, pictures: Any, pace: Any) -> Path:
    """Write what a view shows as a scene that plays, or as one that stands still at a time [s], see
    :meth:`flexmb.View.gltf`."""
    target = files.path_to_write(path, "scene", (".glb", ".gltf"))
    where = f"scene {target}"
    pace = checks.positive(pace, "pace", where)
    if pictures is not None:
        pictures = checks.count(pictures, "pictures", where, least=2, most=MOST_PLACES)
    if time is not None and (pictures is not None or pace != 1.0):
        raise ModelError(
            f"{where}: at a time it stands still, so it has no {'pictures' if pictures is not None else 'pace'}; leave "
            "out one of both"
        )
    times = view.frame_times(pictures or PICTURES) if time is None else np.array([checks.number(time, "time", where)])
    pieces = view.stage(times)
    view.extent(pieces, len(times))  # a view in which nothing is seen is refused
    scene = Scene(view, times, view.seconds(pace))
    for piece in pieces:
        scene.add(piece)
    with files.replaced(target, "scene") as sink:
        scene.document.write(sink, target.suffix.lower())
    return target


class Scene:
    """A glTF document in which pieces of a stage are entered one after the other."""

    def __init__(self, view: Viewed, times: np.ndarray, seconds: float) -> None:
        self.view, self.count = view, len(times)
        self.document = Document(view.solution.name, f"flexmb {flexmb.__version__}")
        span = float(times[-1] - times[0])
        clock = (times - times[0]) * (seconds / span) if span > 0.0 else np.zeros(1)
        self.tracks = Tracks(self.document, clock)
        self.tolerance = NEAR * view.scales.unit
        self.document.extras = {"title": view.title(float(times[0])), "arrows": view.arrow_scale}
        if view.coloring is not None:
            self.document.extras |= {"color": view.coloring.title, "limits": list(view.coloring.limits)}
        self.turn, _ = Rotation.align_vectors(Y[None], view.scales.up[None])
        self.upright = np.eye(4)
        self.upright[:3, :3] = self.turn.as_matrix()
        self.root = self.tracks.placed(None, view.solution.name or "model", np.zeros((1, 3)), self.turn.as_quat()[None])
        self.holders: dict[bytes, int] = {}

    def add(self, piece: Piece) -> None:
        """Enter a piece, if it is ever seen."""
        shift = np.zeros((1, 3))
        if isinstance(piece, Carried):
            shift, piece = piece.shift, piece.piece
        on = np.array([piece.visible_faces(k) > 0 for k in range(self.count)])
        if isinstance(piece, BentTube):  # lines that are nowhere at an instant are not drawn
            on &= np.all(np.isfinite(piece.axis), axis=(1, 2))[np.minimum(np.arange(self.count), len(piece.axis) - 1)]
        if not np.any(on):
            return
        seen = np.flatnonzero(on)
        colors = painted(piece, self.view, on)
        parent = self.root if len(shift) == 1 else self._holder(None, shift, np.array([[0.0, 0.0, 0.0, 1.0]]))
        match piece:
            case Rigid():
                places, turns = piece.poses[:, 0:3], piece.poses[:, [4, 5, 6, 3]]
                self._shown(piece, self._holder(piece.name, places, turns), piece.local, piece.faces, on, colors)
            case Deforming() if self.count > 1 and piece.mesh.bends is None:  # magnified ones bend in no one frame
                self._deforming(piece, parent, on, colors)
            case BentTube() if self.count > 1 and not (constant(piece.axis[seen]) and _steady_sides(piece, seen)):
                holder = self._visible(self.document.node(parent, name=piece.name), on)
                skin = skin_of_tube(self.tracks, holder, self.upright, piece, on)
                self._skinned(piece, skin, piece.points(int(seen[0])), piece.faces, colors)
            case Trail() if self.count > 1 and not constant(piece.counts):
                holder = self.document.node(parent, name=f"{piece.name} path")
                skin = skin_of_trail(self.tracks, holder, self.upright, piece)
                drawn = int(piece.counts.max())
                self._skinned(piece, skin, piece.path, piece.faces[:drawn], colors)
            case _ if piece.moves and not isinstance(piece, BentTube | Trail) and self.count > 1:
                self._changing(piece, parent, on, colors)
            case _:
                k = int(seen[0])
                used, faces = np.unique(piece.faces[: piece.visible_faces(k)], return_inverse=True)
                points = piece.points(k)[used]
                self._shown(piece, parent, points, np.reshape(faces, (-1, 3)), on, _of_points(colors, used))

    # -- nodes ----------------------------------------------------------------------------------------------------

    def _holder(self, name: str | None, places: np.ndarray, turns: np.ndarray) -> int:
        """The node that moves along places (k, 3) and unit quaternions (k, 4), scalar last; made once."""
        if len(places) == 1 and not np.any(places) and np.all(turns == [0.0, 0.0, 0.0, 1.0]):
            return self.root
        key = np.ascontiguousarray(places).tobytes() + np.ascontiguousarray(turns).tobytes()
        if key not in self.holders:
            self.holders[key] = self.tracks.placed(self.root, name, places, turns)
        return self.holders[key]

    def _visible(self, node: int, on: np.ndarray) -> int:
        """A node that vanishes while a piece is not `on`."""
        self.tracks.shown(node, on)
        return node

    # -- pieces ---------------------------------------------------------------------------------------------------

    def _shown(
        self, piece: Piece, holder: int, points: np.ndarray, faces: np.ndarray, on: np.ndarray, colors: Painted
    ) -> None:
        """A mesh that goes along with a node."""
        mesh, weights = surface(self.document, piece.name, plain(self.document, points, faces), faces, colors)
        node = self._visible(self._of_mesh(holder, piece, mesh), on)
        self.tracks.weighted(node, weights)

    def _of_mesh(self, parent: int | None, piece: Piece, mesh: int, **entry: Any) -> int:
        extras = {"part": piece.name, "role": piece.role}
        return self.document.node(parent, name=f"{piece.name} {piece.role}", mesh=mesh, extras=extras, **entry)

    def _deforming(self, piece: Deforming, parent: int, on: np.ndarray, colors: Painted) -> None:
        """A body that deforms: a quarter of what is allowed goes to its slave shapes, a half to shorter numbers."""
        shape = shape_of_mesh(piece.mesh, 0.25 * self.tolerance)
        holder = self._framed(piece, parent, shape)
        attributes, middle, half = packed(self.document, shape.mean, piece.faces)
        targets = packed_targets(self.document, shape.targets, shape.weights, shape.names, half, 0.5 * self.tolerance)
        mesh, weights = surface(self.document, piece.name, attributes, piece.faces, colors, targets)
        node = self._of_mesh(holder, piece, mesh, translation=middle.tolist(), scale=[half] * 3)
        self.tracks.weighted(self._visible(node, on), weights)

    def _changing(self, piece: Piece, parent: int, on: np.ndarray, colors: Painted) -> None:
        """Any other piece that changes its shape."""
        points = np.array([piece.points(int(k)) for k in np.flatnonzero(on)])
        shape = shape_of_points(points, on, 0.5 * self.tolerance)
        holder = self._framed(piece, parent, shape)
        attributes = plain(self.document, shape.mean, piece.faces)
        targets: Targets = plain_targets(self.document, shape.targets, shape.weights, shape.names)
        mesh, weights = surface(self.document, piece.name, attributes, piece.faces, colors, targets)
        node = self._of_mesh(holder, piece, mesh)
        self.tracks.weighted(self._visible(node, on), weights)

    def _framed(self, piece: Piece, parent: int, shape: Shape) -> int:
        """The node that moves as the frame of a shape does."""
        if parent == self.root:
            return self._holder(piece.name, shape.places, shape.turns)
        return self.tracks.placed(parent, piece.name, shape.places, shape.turns)

    def _skinned(self, piece: Piece, skin: Skin, points: np.ndarray, faces: np.ndarray, colors: Painted) -> None:
        """A mesh with a skin. It stands in the axes of the scene, since joints alone move it."""
        number, attributes = skin.written(self.document, piece.name)
        attributes = plain(self.document, self.turn.apply(points), faces) | attributes
        mesh, weights = surface(self.document, piece.name, attributes, faces, colors)
        self.tracks.weighted(self._of_mesh(None, piece, mesh, skin=number), weights)


def _steady_sides(tube: BentTube, seen: Sequence[int] | np.ndarray) -> bool:
    return tube.sides is None or constant(tube.sides[seen])


def _of_points(colors: Painted, used: np.ndarray) -> Painted:
    """The colors of some of the points alone."""
    if colors.vertices is None:
        return colors
    targets = colors.targets[:, used] if len(colors.targets) else colors.targets
    return Painted(colors.color, colors.vertices[used], targets, colors.weights)

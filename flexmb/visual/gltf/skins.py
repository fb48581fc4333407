"""Skins: tubes that bend with one joint for each ring of points, and threads that grow.

Each ring of a tube is rigid, so it goes along with one joint that has the place and the orientation of the section. At
the first instant a vertex is where the picture has it, and the inverse bind matrix of its joint brings it from there to
the axes of the joint. A thread that grows has a joint for each stretch that is drawn from one picture on; before, the
joint's scale is zero, so that the stretch is a point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.visual.gltf.document import VERTICES, Document
from flexmb.visual.gltf.targets import last_seen
from flexmb.visual.gltf.tracks import Tracks
from flexmb.visual.stage.meshes import Profile, sweep
from flexmb.visual.stage.pieces import BentTube, Trail

#: a profile of the middle of a ring and of two unit vectors across it
ACROSS = Profile(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.zeros((0, 2), dtype=int))


@dataclass(frozen=True, eq=False)
class Skin:
    """The nodes of the joints of a skin, their matrices (j, 4, 4) from the axes of a joint to those of the scene when
    the vertices stand where they are given, and the joint (p,) of each vertex."""

    joints: list[int]
    bound: np.ndarray
    of_vertices: np.ndarray

    def written(self, document: Document, name: str) -> tuple[int, dict[str, int]]:
        """The skin in a document, and the attributes of its vertices."""
        inverse = np.linalg.inv(self.bound).transpose(0, 2, 1)  # columns first
        inverse[:, :, 3] = [0.0, 0.0, 0.0, 1.0]
        matrices = document.numbers(inverse, "f4")
        skin = document.add("skins", {"name": name, "joints": self.joints, "inverseBindMatrices": matrices})
        joints, weights = np.zeros((2, len(self.of_vertices), 4))
        joints[:, 0], weights[:, 0] = self.of_vertices, 255.0
        kind = "u1" if len(self.joints) <= 256 else "u2"
        return skin, {
            "JOINTS_0": document.numbers(joints, kind, VERTICES),
            "WEIGHTS_0": document.numbers(weights, "u1", VERTICES, normalized=True),
        }


def skin_of_tube(tracks: Tracks, holder: int, upright: np.ndarray, tube: BentTube, on: np.ndarray) -> Skin:
    """A joint for each ring of a tube, below a node `holder`, at the instants (k,) at which it is `on`; between them it
    stays as it was last. `upright` (4, 4) turns the model into the axes of the scene."""
    count, seen, last = len(tube.axis[0]), np.flatnonzero(on), last_seen(on)
    frames = np.empty((len(seen), count, 3, 3))
    for j, k in enumerate(seen):
        rings = sweep(tube.axis[k], tube.normals(int(k)), ACROSS)[: 3 * count].reshape(count, 3, 3)
        normal, across = rings[:, 1] - rings[:, 0], rings[:, 2] - rings[:, 0]
        frames[j] = np.stack([np.cross(normal, across), normal, across], axis=2)
    joints, bound = [], np.tile(np.eye(4), (count, 1, 1))
    bound[:, :3, :3], bound[:, :3, 3] = frames[0], tube.axis[seen[0]]
    for i in range(count):
        turns = Rotation.from_matrix(frames[:, i]).as_quat()
        joints.append(tracks.placed(holder, f"{tube.name} section {i}", tube.axis[seen[last], i], turns[last]))
    m = len(tube.profile.points)
    of_vertices = np.repeat([*range(count), 0, count - 1], m)
    return Skin(joints, upright @ bound, of_vertices)


def skin_of_trail(tracks: Tracks, holder: int, upright: np.ndarray, trail: Trail) -> Skin:
    """A joint for each stretch of a trail that becomes visible at once."""
    m = trail.ring
    last = trail.counts // (2 * m)  # the last ring that is drawn at each instant
    rings = len(trail.path) // m
    starts = np.unique(np.concatenate([[0], last[last > 0][:-1] + 1]))  # the first ring alone is no stretch
    starts = starts[starts <= min(int(last[-1]), rings - 1)]
    middles = trail.path.reshape(rings, m, 3).mean(axis=1)
    joints, bound = [], np.tile(np.eye(4), (len(starts), 1, 1))
    for j, start in enumerate(starts):
        middle = middles[max(start - 1, 0)]  # a stretch that is not drawn yet closes the one before it
        bound[j, :3, 3] = middle
        still = np.array([[0.0, 0.0, 0.0, 1.0]])
        joint = tracks.placed(holder, f"{trail.name} stretch {j}", middle[None], still)
        tracks.shown(joint, last >= max(start, 1))
        joints.append(joint)
    of_rings = np.clip(np.searchsorted(starts, np.arange(rings), side="right") - 1, 0, None)
    return Skin(joints, upright @ bound, np.repeat(of_rings, m))

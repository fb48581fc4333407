"""A small reader of glTF 2.0 that plays files: where their vertices are at a time, and in which colors.

It follows the text of the specification alone, and knows nothing of how flexmb writes such files."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np

KINDS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Player:
    """A file that plays: its JSON as `head`, and its meshes at a time."""

    def __init__(self, path):
        data = path.read_bytes()
        if path.suffix == ".glb":
            magic, version, size = struct.unpack_from("<4sII", data)
            assert (magic, version, size) == (b"glTF", 2, len(data))
            length, kind = struct.unpack_from("<I4s", data, 12)
            assert kind == b"JSON"
            self.head = json.loads(data[20 : 20 + length])
            begin = 20 + length
            length, kind = struct.unpack_from("<I4s", data, begin)
            assert kind == b"BIN\0" and begin + 8 + length == len(data)
            self.buffer = data[begin + 8 :]
        else:
            self.head = json.loads(data)
            uri = self.head["buffers"][0]["uri"]
            self.buffer = base64.b64decode(uri.partition(",")[2])
        assert len(self.buffer) == self.head["buffers"][0]["byteLength"]
        self.parents = {c: k for k, node in enumerate(self.head["nodes"]) for c in node.get("children", ())}
        self.animation = (self.head.get("animations") or [{"channels": [], "samplers": []}])[0]

    def numbers(self, index):
        """The numbers of an accessor, as they are meant."""
        accessor = self.head["accessors"][index]
        width, kind = WIDTHS[accessor["type"]], np.dtype(KINDS[accessor["componentType"]])
        if "bufferView" not in accessor:
            return np.zeros((accessor["count"], width))
        view = self.head["bufferViews"][accessor["bufferView"]]
        first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", width * kind.itemsize)
        raw = np.ndarray((accessor["count"], width), kind, self.buffer, first, (stride, kind.itemsize))
        if "max" in accessor:
            assert raw.max(axis=0).tolist() == accessor["max"] and raw.min(axis=0).tolist() == accessor["min"]
        if accessor.get("normalized"):
            return np.maximum(raw / np.iinfo(kind).max, -1.0)
        return raw.astype(float if kind.kind == "f" else np.int64)

    @property
    def seconds(self):
        """How long the motion lasts [s]."""
        return max(self.numbers(s["input"])[-1, 0] for s in self.animation["samplers"])

    def changed(self, node, path, start, time):
        """A property of a node at a time."""
        for channel in self.animation["channels"]:
            if channel["target"] != {"node": node, "path": path}:
                continue
            sampler = self.animation["samplers"][channel["sampler"]]
            t = self.numbers(sampler["input"])[:, 0]
            assert t[0] == 0.0 and np.all(np.diff(t) > 0.0)
            rows = self.numbers(sampler["output"]).reshape(len(t), -1)
            k = int(np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(t) - 1))
            if k == len(t) - 1 or sampler.get("interpolation") == "STEP":
                return rows[k]
            part = (time - t[k]) / (t[k + 1] - t[k])
            a, b = rows[k], rows[k + 1]
            if path != "rotation":
                return (1.0 - part) * a + part * b
            turn = float(a @ b)
            b, angle = np.sign(turn or 1.0) * b, np.arccos(min(abs(turn), 1.0))
            if angle < 1e-6:
                return a
            return (np.sin((1.0 - part) * angle) * a + np.sin(part * angle) * b) / np.sin(angle)
        return np.array(start, dtype=float)

    def matrix(self, node, time):
        """The matrix of a node against the scene."""
        entry = self.head["nodes"][node]
        x, y, z, w = self.changed(node, "rotation", entry.get("rotation", [0, 0, 0, 1]), time)
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        own = np.eye(4)
        own[:3, :3] = turn * self.changed(node, "scale", entry.get("scale", [1, 1, 1]), time)
        own[:3, 3] = self.changed(node, "translation", entry.get("translation", [0, 0, 0]), time)
        return own if node not in self.parents else self.matrix(self.parents[node], time) @ own

    def meshes(self):
        """The nodes with meshes."""
        return [k for k, node in enumerate(self.head["nodes"]) if "mesh" in node]

    def primitive(self, node):
        (primitive,) = self.head["meshes"][self.head["nodes"][node]["mesh"]]["primitives"]
        return primitive

    def faces(self, node):
        return self.numbers(self.primitive(node)["indices"]).reshape(-1, 3)

    def attribute(self, node, what, time):
        """The attribute of the vertices of a node's mesh with its targets added at a time; None if there is none."""
        primitive = self.primitive(node)
        if what not in primitive["attributes"]:
            return None
        base = self.numbers(primitive["attributes"][what])
        targets = primitive.get("targets", [])
        weights = self.weights(node, time)
        assert len(weights) == len(targets)
        for weight, target in zip(weights, targets, strict=True):
            if what in target:
                base = base + weight * self.numbers(target[what])
        return base

    def weights(self, node, time):
        """The weights of the targets of a node's mesh at a time."""
        mesh = self.head["meshes"][self.head["nodes"][node]["mesh"]]
        return self.changed(node, "weights", mesh.get("weights", []), time)

    def vertices(self, node, time):
        """Where the vertices of a node's mesh are in the scene at a time."""
        points = np.column_stack([self.attribute(node, "POSITION", time), np.ones(self._count(node))])
        entry = self.head["nodes"][node]
        if "skin" not in entry:
            return (points @ self.matrix(node, time).T)[:, :3]
        skin = self.head["skins"][entry["skin"]]
        inverse = self.numbers(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        own = np.array([self.matrix(joint, time) for joint in skin["joints"]]) @ inverse
        attributes = self.primitive(node)["attributes"]
        joints, weights = (self.numbers(attributes[x]) for x in ("JOINTS_0", "WEIGHTS_0"))
        assert np.allclose(weights.sum(axis=1), 1.0)
        blended = np.einsum("pj,pjab->pab", weights, own[joints])
        return np.einsum("pab,pb->pa", blended, points)[:, :3]

    def _count(self, node):
        return self.head["accessors"][self.primitive(node)["attributes"]["POSITION"]]["count"]


def farthest(view, path, times, instants):
    """The largest distance of the vertices of a playing file from the mesh of a view with pictures at `times`, at some
    of its `instants`, for each piece by its name and role."""
    player, pieces = Player(path), view.stage(times)
    # the smallest turn that brings what is up to y
    up, y = view.scales.up, np.array([0.0, 1.0, 0.0])
    axis, cosine = np.cross(up, y), up @ y
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + cross + cross @ cross / (1.0 + cosine)
    found = {}
    for k in instants:
        # times have four bytes a number: a little later, so that all jumps of this picture are over
        time = 0.0 if len(times) == 1 else player.seconds * (k / (len(times) - 1) + 1e-6)
        shown = {}
        for node in player.meshes():
            entry = player.head["nodes"][node]
            shown.setdefault((entry["extras"]["part"], entry["extras"]["role"]), []).append(
                (player.vertices(node, time), player.faces(node))
            )
        for piece in pieces:
            faces = piece.faces[: piece.visible_faces(k)]
            key = piece.name, piece.role
            used = np.unique(faces)
            if not len(used):
                if piece.moves and key in shown:  # it is there at other times, and nowhere now
                    assert any(_area(points, own) < 1e-12 for points, own in shown[key]), key
                continue
            wanted = piece.points(k)[used] @ turn.T
            # what is drawn in part has all of its points, or those that are used
            same = [x[used] if len(x) > used[-1] else x for x, _ in shown[key] if len(x) >= len(used)]
            off = min(float(np.max(np.linalg.norm(x - wanted, axis=1))) for x in same if len(x) == len(wanted))
            found[key] = max(found.get(key, 0.0), off)
    return found


def _area(points, faces):
    """The area of triangles."""
    a, b, c = points[faces].transpose(1, 0, 2)
    return 0.5 * np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1))

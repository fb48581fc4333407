"""A glTF 2.0 document in the making (Khronos 2021): lists of numbers in one buffer, and the JSON that describes them.

A list of numbers is an accessor of the document, and lies in a view of the buffer. Equal lists are written once. A file
with the ending .glb has the buffer behind the JSON; one with .gltf has it within, as base64: either is one file.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.machine import files
from flexmb.machine.files import Sink

#: numbers of the types of components, and of the types of accessors by their width
COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
#: what views of the buffer are for
VERTICES, INDICES = 34962, 34963
#: the largest number of bytes of a .glb, whose length is an unsigned number of four bytes
MOST_BYTES = 2**32 - 1


class Document:
    """Nodes, meshes, materials, skins and one animation, and the buffer with their numbers.

    >>> document = Document("pendulum", "flexmb")
    >>> document.add("nodes", {"name": "rod"}), document.numbers(np.zeros((2, 3)), "f4", VERTICES, bounds=True)
    (0, 0)
    """

    def __init__(self, name: str, generator: str) -> None:
        self.name, self.generator = name, generator
        self.lists: dict[str, list[dict[str, Any]]] = {}
        self.extensions: set[str] = set()
        self.roots: list[int] = []
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self.extras: dict[str, Any] = {}
        self.buffer = bytearray()
        self._known: dict[tuple[Any, ...], int] = {}
        self._names: set[str] = set()

    # -- lists of numbers -------------------------------------------------------------------------------------

    def numbers(
        self,
        values: np.ndarray,
        kind: str,
        target: int | None = None,
        *,
        normalized: bool = False,
        bounds: bool = False,
    ) -> int:
        """The accessor of numbers (n,) or (n, width) of a `kind` of :data:`COMPONENTS`; `normalized`: integers that
        stand for numbers from −1 or 0 to 1; `bounds`: the least and the largest are written too."""
        rows = np.ascontiguousarray(values, dtype=f"<{kind}").reshape(len(values), -1)
        key = (rows.tobytes(), rows.shape, kind, target, normalized, bounds)
        if key in self._known:
            return self._known[key]
        size = rows.itemsize * rows.shape[1]
        # the places of vertices in the buffer begin at multiples of four bytes
        stride = -(-size // 4) * 4 if target == VERTICES else size
        padded = rows.view("u1").reshape(len(rows), size)
        if stride > size:
            padded = np.concatenate([padded, np.zeros((len(rows), stride - size), dtype="u1")], axis=1)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": padded.size}
        if target is not None:
            view["target"] = target
        if target == VERTICES:
            view["byteStride"] = stride
        self.buffer += padded.tobytes()
        self.buffer += bytes(-len(self.buffer) % 4)
        accessor: dict[str, Any] = {
            "bufferView": self.add("bufferViews", view),
            "componentType": COMPONENTS[kind],
            "count": len(rows),
            "type": SHAPES[rows.shape[1]],
        }
        if normalized:
            accessor["normalized"] = True
        if bounds:
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self._known[key] = self.add("accessors", accessor)
        return self._known[key]

    def zeros(self, count: int, kind: str, *, normalized: bool = False, bounds: bool = False) -> int:
        """The accessor of vectors (count, 3) that are zero, which take no room in the buffer."""
        accessor: dict[str, Any] = {"componentType": COMPONENTS[kind], "count": count, "type": "VEC3"}
        if normalized:
            accessor["normalized"] = True
        if bounds:
            accessor |= {"min": [0, 0, 0], "max": [0, 0, 0]}
        return self._once("accessors", accessor)

    def _once(self, kind: str, entry: dict[str, Any]) -> int:
        """The number of an entry that is made only once."""
        key = (kind, json.dumps(entry, sort_keys=True))
        if key not in self._known:
            self._known[key] = self.add(kind, entry)
        return self._known[key]

    # -- nodes and their motion ---------------------------------------------------------------------------------

    def add(self, kind: str, entry: dict[str, Any]) -> int:
        """Append an entry to one of the lists of the document; returns its number."""
        entries = self.lists.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def node(self, parent: int | None, **entry: Any) -> int:
        """A new node below a parent, or at the root of the scene. One that has the name of another gets a number too,
        since some readers, such as three.js, find what moves by its name alone."""
        given = {key: value for key, value in entry.items() if value is not None}
        if "name" in given:
            given["name"] = self._own_name(given["name"])
        number = self.add("nodes", given)
        if parent is None:
            self.roots.append(number)
        else:
            self.lists["nodes"][parent].setdefault("children", []).append(number)
        return number

    def _own_name(self, name: str) -> str:
        """A name that no other node has, also when a reader leaves out all signs."""
        count, own = 1, name
        while (plain := "".join(filter(str.isalnum, own)).lower()) in self._names:
            count += 1
            own = f"{name} no {count}"
        self._names.add(plain)
        return own

    def material(self, color: np.ndarray) -> int:
        """The material of a color (3,), linear, from 0 to 1; both sides of a surface are seen."""
        base = [*np.round(color, 5).tolist(), 1.0]
        shine = {"baseColorFactor": base, "metallicFactor": 0.0, "roughnessFactor": 0.6}
        return self._once("materials", {"pbrMetallicRoughness": shine, "doubleSided": True})

    def moves(self, node: int, path: str, clock: int, values: int, *, jumps: bool = False) -> None:
        """The accessor `values` moves the `path` of a node, 'translation', 'rotation', 'scale' or 'weights', at the
        times of the accessor `clock`, between which it is linear, or constant where it `jumps`."""
        sampler: dict[str, Any] = {"input": clock, "output": values}
        if jumps:
            sampler["interpolation"] = "STEP"
        self.samplers.append(sampler)
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    # -- the file -----------------------------------------------------------------------------------------------

    def head(self, uri: str | None = None) -> bytes:
        """The JSON of the document; `uri`: where its buffer is, if not behind it."""
        scene: dict[str, Any] = {"nodes": self.roots}
        if self.name:
            scene["name"] = self.name
        if self.extras:
            scene["extras"] = self.extras
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": self.generator},
            "scene": 0,
            "scenes": [scene],
            **self.lists,
        }
        if self.channels:
            motion = {"name": "motion", "channels": self.channels, "samplers": self.samplers}
            content["animations"] = [motion]
        if self.extensions:
            content["extensionsUsed"] = content["extensionsRequired"] = sorted(self.extensions)
        buffer = {"byteLength": len(self.buffer)} | ({} if uri is None else {"uri": uri})
        content["buffers"] = [buffer]
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()

    def write(self, sink: Sink, ending: str) -> None:
        """Write the document as a .glb or a .gltf."""
        if ending == ".gltf":
            data = base64.b64encode(self.buffer).decode("ascii")
            sink.write(self.head(f"data:application/octet-stream;base64,{data}"))
            return
        head = self.head()
        head += b" " * (-len(head) % 4)
        size = 12 + 8 + len(head) + 8 + len(self.buffer)
        if size > MOST_BYTES:
            raise ModelError(
                f"scene {sink.path.name}: it takes {files.size_text(size)}, and a .glb has at most "
                f"{files.size_text(MOST_BYTES)}; give fewer pictures"
            )
        sink.write(struct.pack("<4sII", b"glTF", 2, size))
        sink.write(struct.pack("<I4s", len(head), b"JSON") + head)
        sink.write(struct.pack("<I4s", len(self.buffer), b"BIN\0"))
        sink.write(self.buffer)

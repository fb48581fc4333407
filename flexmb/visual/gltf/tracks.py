"""Motion of nodes: where they are at the times of the pictures, as tracks of an animation.

A translation is written with four bytes a number, a rotation with two, ±32767 for ±1: an error of 3·10⁻⁵ rad.
What does not change has no track.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.visual.gltf.document import Document

#: the integer that stands for 1 where two bytes make a number, and where one does
SHORT, BYTE = 32767, 127


def steady(quaternions: np.ndarray) -> np.ndarray:
    """Quaternions (k, 4) with the signs by which each is nearest to the one before, since q and −q turn alike.

    >>> steady(np.array([[1.0, 0, 0, 0], [-0.8, -0.6, 0, 0], [0.6, 0.8, 0, 0]])).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, -0.0, -0.0], [0.6, 0.8, 0.0, 0.0]]
    """
    turned = np.einsum("ki,ki->k", quaternions[1:], quaternions[:-1]) < 0.0
    signs = np.where(np.cumsum(turned) % 2, -1.0, 1.0)
    return np.concatenate([quaternions[:1], signs[:, None] * quaternions[1:]])


def constant(values: np.ndarray) -> bool:
    """Whether all rows of (k, …) are equal."""
    return bool(np.all(values == values[0]))


class Tracks:
    """Makes nodes that move at the times [s] of an animation, in a document."""

    def __init__(self, document: Document, times: np.ndarray) -> None:
        self.document, self.count = document, len(times)
        self._times = times

    @property
    def clock(self) -> int:
        """The accessor of the times."""
        return self.document.numbers(self._times, "f4", bounds=True)

    def placed(self, parent: int | None, name: str | None, places: np.ndarray, turns: np.ndarray) -> int:
        """A node at places (k, 3) [m] with unit quaternions (k, 4), scalar last."""
        turns = steady(turns)
        entry: dict[str, Any] = {"name": name}
        if np.any(places[0]):
            entry["translation"] = places[0].tolist()
        if not np.allclose(turns[0], [0.0, 0.0, 0.0, 1.0], rtol=0.0, atol=1e-12):
            entry["rotation"] = (turns[0] / np.linalg.norm(turns[0])).tolist()
        node = self.document.node(parent, **entry)
        if not constant(places):
            self.document.moves(node, "translation", self.clock, self.document.numbers(places, "f4"))
        if not constant(turns):
            short = self.document.numbers(np.rint(SHORT * turns), "i2", normalized=True)
            self.document.moves(node, "rotation", self.clock, short)
        return node

    def shown(self, node: int, on: np.ndarray) -> None:
        """Let a node vanish, by a scale of zero, at the instants (k,) at which it is not `on`."""
        if np.all(on):
            return
        entry = self.document.lists["nodes"][node]
        size = np.array(entry.get("scale", [1.0, 1.0, 1.0]))
        changes = np.concatenate([[0], 1 + np.flatnonzero(np.diff(on))])
        times = self.document.numbers(self._times[changes], "f4", bounds=True)
        sizes = self.document.numbers(on[changes][:, None] * size, "f4")
        self.document.moves(node, "scale", times, sizes, jumps=True)

    def weighted(self, node: int, weights: np.ndarray) -> None:
        """Let the weights (k, n) of the targets of a node's mesh change."""
        if constant(weights):
            return
        self.document.moves(node, "weights", self.clock, self.document.numbers(weights.ravel(), "f4"))

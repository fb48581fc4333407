"""Solids of bodies in space, and what else is fastened to their nodes, in the axes of the nodes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from flexmb.model.appearance import BodyPlace, BodyShape, SpinPlace
from flexmb.results.recorded import Recorded
from flexmb.visual.stage.placing import about, matrix

#: a rod is drawn at least this part of its length thick
THIN = 0.02


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid in the axes of its node: its `kind` ('box', 'cylinder', 'hollow cylinder', 'sphere', 'surface', or
    'point' and 'flywheel' without size), its middle (3,) [m], its axes (3, 3) as columns, half its sizes (3,) [m] along
    them, the `inner` radius of what is hollow [m], and of a surface its points (p, 3) [m] about the middle and its
    faces. A wheel turns about `hub` (3,) [m] as `spin` says, whose axis is one in the axes of the node here. `color`:
    '#rrggbb', or empty for one that the look of the picture chooses."""

    kind: str
    center: np.ndarray
    axes: np.ndarray
    half: np.ndarray
    inner: float = 0.0
    vertices: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    faces: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    spin: SpinPlace | None = None
    hub: np.ndarray = field(default_factory=lambda: np.zeros(3))
    color: str = ""

    def corners(self) -> np.ndarray:
        """The corners (8, 3) of the box around it."""
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        return self.center + (signs * self.half) @ self.axes.T

    def holds(self, points: np.ndarray) -> np.ndarray:
        """Whether points (p, 3) lie in it, in the box around a surface; to what is hollow bars go as spokes do."""
        if self.kind == "hollow cylinder":
            return np.zeros(len(points), dtype=bool)
        local = np.abs((points - self.center) @ self.axes)
        half = self.half + 1e-6 * float(np.max(self.half))
        if self.kind in ("cylinder", "sphere"):
            round_axes = 2 if self.kind == "cylinder" else 3
            local[:, 0] = np.linalg.norm(local[:, :round_axes], axis=1)
        return np.all(local <= half, axis=1)

    def bar_start(self, end: np.ndarray) -> np.ndarray:
        """Where a bar to a place (3,) outside of it begins: at the nearest place of a box, since a bar along a thin
        plate would show; else in its middle."""
        if self.kind != "box":
            return self.center
        return self.center + self.axes @ np.clip(self.axes.T @ (end - self.center), -self.half, self.half)


@dataclass(frozen=True, eq=False)
class LoadedNode:
    """A node with all that is fastened to it: names of its `frames`, their places `ends` (c, 3) [m] in the axes of the
    node, and the `solids` of its bodies by name, one or more each. A fixed one has solids and no ends. `whole`: a body
    on it is a compound, which shows all that there is, so that bars would only hide it."""

    frames: list[str]
    ends: np.ndarray
    solids: dict[str, list[Solid]]
    whole: bool = False

    @property
    def every_solid(self) -> list[Solid]:
        """The solids of all its bodies."""
        return [solid for several in self.solids.values() for solid in several]

    @property
    def carrier(self) -> str:
        """The name of the first body that does not turn on the node, which carries all else; empty if there is none."""
        return next((name for name, solids in self.solids.items() if solids[0].spin is None), "")

    def bars(self) -> list[np.ndarray]:
        """Both ends (2, 3) of the bars to the frames outside of all its solids: from its first body, or its origin."""
        if self.whole:
            return []
        solids = self.every_solid
        first = next((several[0] for name, several in self.solids.items() if name == self.carrier), None)
        hub = np.zeros(3) if first is None else first.center
        ends = np.unique(self.ends.round(12), axis=0)
        inside = np.linalg.norm(ends - hub, axis=1) <= 1e-9 * (1.0 + np.max(np.abs(ends), initial=0.0))
        for solid in solids:
            inside |= solid.holds(ends)
        return [np.array([hub if first is None else first.bar_start(end), end]) for end in ends[~inside]]


def loaded_nodes(solution: Recorded) -> list[LoadedNode]:
    """The nodes in space with what is fastened to each: those that move, and fixed ones that carry figures."""
    layout = solution.layout
    frames: dict[tuple[int, ...], list[str]] = {}
    carrying = {layout.node_of(body.frame) for body in layout.bodies.values()}
    for name, place in layout.spatial.items():
        if not layout.is_fixed(name) or place.coordinates in carrying:
            frames.setdefault(place.coordinates, []).append(name)
    on_node: dict[tuple[int, ...], dict[str, BodyPlace]] = {}
    for name, body in layout.bodies.items():
        on_node.setdefault(layout.node_of(body.frame), {})[name] = body
    nodes = []
    for numbers, several in frames.items():
        ends = np.array([layout.spatial[name].offset for name in several if not layout.is_fixed(name)]).reshape(-1, 3)
        solids = {}
        for name, body in on_node.get(numbers, {}).items():
            if body.mesh is not None or body.along:  # its mesh is drawn, or its shape as it bends
                continue
            place = layout.spatial[body.frame]
            solids[name] = _solid(body, np.array(place.offset), matrix(np.array(place.axes)), ends)
        on_it = on_node.get(numbers, {}).values()
        whole = any(body.mesh or body.along or (body.shape and body.shape.kind == "compound") for body in on_it)
        nodes.append(LoadedNode(several, ends, solids, whole))
    return nodes


def _solid(body: BodyPlace, offset: np.ndarray, axes: np.ndarray, ends: np.ndarray) -> list[Solid]:
    """The solids of a body on a frame with an offset (3,) and axes (3, 3) on its node: the shape that it has, or else
    the box that has its mass and inertia; reduced, if it would reach farther than all that is fastened to the body."""
    if body.spin is not None:
        return _wheel(body, body.spin, offset, axes)
    if body.shape is not None:
        return [shaped(piece, offset, axes) for piece in body.shape.pieces]
    center = offset + axes @ np.array(body.center)
    if not body.inertia:
        return [Solid("point", center, axes, np.zeros(3))]
    half, own = box_of_inertia(body.mass, body.inertia)
    if np.sort(half)[1] < THIN * np.max(half):  # a rod without thickness would not be seen
        half = np.maximum(half, THIN * np.max(half))
    reach = float(np.max(np.linalg.norm(ends - center, axis=1), initial=0.0))
    if reach > 0.0 and np.max(half) > reach:
        half = half * (reach / np.max(half))
    return [Solid("box", center, axes @ own, half)]


def _wheel(body: BodyPlace, spin: SpinPlace, offset: np.ndarray, axes: np.ndarray) -> list[Solid]:
    """The solids of a wheel: its shape, the disk that has its mass and inertia, or a small flywheel if it has none."""
    on_node = axes @ np.array(spin.axis)
    turning = replace(spin, axis=tuple(on_node.tolist()))
    if body.shape is not None:
        return [replace(shaped(piece, offset, axes), spin=turning, hub=offset) for piece in body.shape.pieces]
    kind, half = "flywheel", np.zeros(3)
    if body.mass > 0.0:
        kind, half = "cylinder", disk_of_inertia(body.mass, spin.inertia, spin.transverse)
    return [Solid(kind, offset, about(on_node), half, spin=turning, hub=offset)]


def disk_of_inertia(mass: float, axial: float, transverse: float) -> np.ndarray:
    """Half the sizes (3,) [m] of the homogeneous disk of a mass [kg], with the inertia J₁ about its axis and J₂ across
    [kg m²]: r² = 2 J₁/m, h² = 12 J₂/m − 3 r²; h is zero, a thin disk, where J₂ is unknown.

    >>> disk_of_inertia(2.0, 4.0, 2.0 + 1.5).round(12).tolist()  # r = 2, h = 3
    [2.0, 2.0, 1.5]
    """
    square = 2.0 * axial / mass
    height = np.sqrt(max(12.0 * transverse / mass - 3.0 * square, 0.0))
    return np.array([np.sqrt(square), np.sqrt(square), 0.5 * height])


def box_of_inertia(mass: float, inertia: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Half the edges (3,) [m] of the homogeneous box that has a mass [kg] and an inertia (xx, yy, zz, xy, xz, yz)
    [kg m²], and its axes (3, 3) as columns, which are the principal ones: a² = 6 (I₂ + I₃ − I₁)/m.

    >>> box_of_inertia(12.0, (5.0, 10.0, 13.0, 0.0, 0.0, 0.0))[0].tolist()  # edges 3, 2, 1
    [1.5, 1.0, 0.5]
    """
    xx, yy, zz, xy, xz, yz = inertia
    principal, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return np.sqrt(np.maximum(1.5 * (np.sum(principal) - 2.0 * principal) / mass, 0.0)), axes


def bending_solids(solution: Recorded) -> dict[str, list[Solid]]:
    """The solids of figures that bend along beams, in the axes of their nodes and undeformed, by name."""
    found = {}
    for name, body in solution.layout.bodies.items():
        if body.along and body.shape is not None:
            place = solution.layout.spatial[body.frame]
            on_node = np.array(place.offset), matrix(np.array(place.axes))
            found[name] = [shaped(piece, *on_node) for piece in body.shape.pieces]
    return found


def shaped(shape: BodyShape, offset: np.ndarray, axes: np.ndarray) -> Solid:
    """The solid of a shape on a frame with an offset (3,) and axes (3, 3) on its node."""
    own = axes @ matrix(np.array(shape.axes))
    middle = offset + axes @ np.array(shape.position)
    sizes, color = np.array(shape.sizes), shape.color
    match shape.kind:
        case "cylinder":
            return Solid("cylinder", middle, own, 0.5 * sizes[[0, 0, 1]], color=color)
        case "hollow cylinder":
            return Solid("hollow cylinder", middle, own, 0.5 * sizes[[0, 0, 2]], inner=0.5 * sizes[1], color=color)
        case "sphere":
            return Solid("sphere", middle, own, 0.5 * sizes[[0, 0, 0]], color=color)
        case "surface":
            assert shape.vertices is not None and shape.faces is not None
            low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
            between = 0.5 * (low + high)
            half, vertices = 0.5 * (high - low), shape.vertices - between
            return Solid("surface", middle + own @ between, own, half, 0.0, vertices, shape.faces, color=color)
    return Solid("box", middle, own, 0.5 * sizes, color=color)

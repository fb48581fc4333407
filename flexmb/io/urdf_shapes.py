"""Shapes of the links of a URDF: its visual geometry, boxes, cylinders, spheres, and meshes in files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.io.urdf_file import LinkData, place_of
from flexmb.machine import files
from flexmb.model.geometry.shapes import Box, CompoundShape, Cylinder, OpenSurface, Shape, Sphere
from flexmb.model.orientations import rotation_of


class Figures:
    """The shapes of links, and what is `missing` of them: sentences that name the link and say why.

    Arguments: `source`, the URDF file, among whose folders `package://` is looked for; `packages`: folders of packages
    by name; `colors` of named materials (4,); `triangles`: the most that a link is drawn with.
    """

    def __init__(
        self, source: Path, packages: Mapping[str, str | Path], colors: Mapping[str, np.ndarray], triangles: int
    ) -> None:
        self.source, self.colors, self.triangles = source.resolve(), colors, triangles
        self.packages = {name: Path(folder) for name, folder in packages.items()}
        self.missing: list[str] = []
        self._read: dict[Path, list[tuple[np.ndarray, np.ndarray, str]]] = {}

    def of(self, link: LinkData) -> CompoundShape | None:
        """The shape of a link; None if it has none, or none that can be drawn."""
        parts: list[Shape] = []
        for visual in link.visuals:
            color = self._color(visual.material)
            if color is not None and color[3] <= 0.0:
                continue  # what is transparent is not seen
            try:
                several = list(self._parts(visual))
            except files.DAMAGE as why:
                self.missing.append(f"{link.where}: {_text(why)}")
                continue
            text = "" if color is None else _hexadecimal(color[:3])
            parts += [shape.colored(text) if text else shape for shape in several]
        return CompoundShape(self._thinned(parts)) if parts else None

    def _parts(self, visual: Any) -> Iterator[Shape]:
        """The shapes of one visual element, colored as their file says."""
        place, geometry = place_of(visual.origin, "visual"), visual.geometry
        at = place.position
        if geometry.box is not None:
            yield Box(geometry.box.size, position=at, orientation=place.rotation)
        elif geometry.cylinder is not None:
            axis = place.rotation.apply([0.0, 0.0, 1.0])
            yield Cylinder(radius=geometry.cylinder.radius, length=geometry.cylinder.length, axis=axis, position=at)
        elif geometry.sphere is not None:
            yield Sphere(radius=geometry.sphere.radius, position=at)
        else:
            scale = np.ones(3) * (1.0 if geometry.mesh.scale is None else geometry.mesh.scale)
            for points, faces, color in self._meshes(self.found(geometry.mesh.filename)):
                turned = faces[:, ::-1] if np.prod(scale) < 0.0 else faces
                shape = OpenSurface(points * scale, turned, position=at, orientation=place.rotation)
                yield shape.colored(color) if color else shape

    def surfaces(self, element: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The points (p, 3) [m] and triangles (f, 3) of one visual or collision element, in the axes of its link."""
        import trimesh

        place, geometry = place_of(element.origin, "geometry"), element.geometry
        if geometry.mesh is not None:
            scale = np.ones(3) * (1.0 if geometry.mesh.scale is None else geometry.mesh.scale)
            given = [(scale * points, faces) for points, faces, _ in self._meshes(self.found(geometry.mesh.filename))]
        else:
            box, cylinder = geometry.box, geometry.cylinder
            if box is not None:
                solid = trimesh.creation.box(box.size)
            elif cylinder is not None:
                solid = trimesh.creation.cylinder(cylinder.radius, cylinder.length)
            else:
                solid = trimesh.creation.icosphere(radius=geometry.sphere.radius)
            given = [(np.asarray(solid.vertices), np.asarray(solid.faces))]
        for points, faces in given:
            yield place.rotation.apply(points) + place.position, faces

    def found(self, name: str | None) -> Path:
        """The file of a mesh."""
        if not name:
            raise ModelError("a mesh has no file name")
        above = list(self.source.parents)
        kind, separator, rest = name.partition("://")
        if not separator:
            tried = [self.source.parent / name]
        elif kind == "file":
            tried = [Path(rest)]
        elif kind in ("package", "model"):
            package, _, inside = rest.partition("/")
            if package in self.packages:
                tried = [self.packages[package] / inside]
            else:
                roots = [Path(x) for x in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if x]
                tried = [folder / inside for folder in above if folder.name == package]
                tried += [folder / rest for folder in (*above, *roots)]
                tried += [folder / inside for folder in above]
        else:
            raise ModelError(f"mesh {name!r} is not in a file of this machine")
        for path in tried:
            if path.is_file():
                return path
        hint = (
            "; say where the package is, packages={'NAME': folder}"
            if kind in ("package", "model") and separator
            else ""
        )
        raise ModelError(f"there is no file for the mesh {name!r}{hint}")

    def _meshes(self, path: Path) -> list[tuple[np.ndarray, np.ndarray, str]]:
        """Points (p, 3) [m], triangles (f, 3) and color of each mesh in a file."""
        if path not in self._read:
            import trimesh

            kind = path.suffix.lower()
            if kind == ".dae":
                try:
                    import collada  # noqa: F401
                except ImportError:
                    raise ModelError(
                        f"{path.name} is read by the package pycollada: pip install 'flexmb[urdf]'"
                    ) from None
            scene: Any = trimesh.load(str(path), force="scene")
            factor, times, _ = str(scene.metadata.get("units", "")).partition(" * meters")
            size = float(factor) if times else 1.0
            meshes = []
            for node in scene.graph.nodes_geometry:
                matrix, name = scene.graph.get(node)
                mesh = scene.geometry[name]
                if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
                    continue
                points = size * (np.asarray(mesh.vertices) @ matrix[:3, :3].T + matrix[:3, 3])
                faces = np.asarray(mesh.faces, dtype=np.int64)
                faces = faces[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0.0 else faces
                meshes.append((points, faces, _mesh_color(mesh)))
            if not meshes:
                raise ModelError(f"{path.name} has no triangles")
            self._read[path] = meshes
        return self._read[path]

    def _color(self, material: Any) -> np.ndarray | None:
        """The color (4,) of a visual element, if its material says one."""
        if material is None:
            return None
        given = self.colors.get(material.name) if material.color is None else np.asarray(material.color.rgba)
        return None if given is None or len(given) != 4 or not np.all(np.isfinite(given)) else given

    def _thinned(self, parts: list[Shape]) -> list[Shape]:
        """Parts with fewer triangles, if they have more than are drawn."""
        counts = [0 if part.drawn.faces is None else len(part.drawn.faces) for part in parts]
        total = sum(counts)
        if total <= self.triangles:
            return parts
        return [
            _decimated(part, 1.0 - self.triangles / total) if count > 100 else part
            for part, count in zip(parts, counts)
        ]


def _decimated(part: Shape, reduction: float) -> Shape:
    """A surface of which a part of the triangles is taken away."""
    import pyvista as pv

    drawn = part.drawn
    assert drawn.vertices is not None and drawn.faces is not None
    points, number = np.unique(
        drawn.vertices, axis=0, return_inverse=True
    )  # files give each triangle points of its own
    faces = number.reshape(-1)[drawn.faces]
    faces = faces[~(faces == np.roll(faces, 1, axis=1)).any(axis=1)]
    if not len(faces):
        return part
    mesh = pv.PolyData.from_regular_faces(points, faces)
    less = mesh.decimate(reduction)
    if len(less.regular_faces) < 4:
        return part
    new = OpenSurface(
        np.array(less.points, dtype=float),
        less.regular_faces,
        position=drawn.position,
        orientation=rotation_of(drawn.axes),
    )
    return new.colored(drawn.color) if drawn.color else new


def _mesh_color(mesh: Any) -> str:
    """The color of a mesh, of several the mean; empty if its file says none."""
    visual = mesh.visual
    if not getattr(visual, "defined", False):
        return ""
    material = getattr(visual, "material", None)
    if material is not None and getattr(material, "image", None) is None:
        return _hexadecimal(np.asarray(material.main_color)[:3] / 255.0)
    colors = visual.to_color().vertex_colors if material is not None else visual.vertex_colors
    return _hexadecimal(np.mean(np.asarray(colors, dtype=float).reshape(-1, 4)[:, :3], axis=0) / 255.0)


def _hexadecimal(color: np.ndarray) -> str:
    """A color (3,) from 0 to 1 as '#rrggbb'."""
    return "#" + "".join(f"{round(255.0 * float(np.clip(x, 0.0, 1.0))):02x}" for x in color)


def _text(why: BaseException) -> str:
    """One line of what went wrong."""
    return str(why).strip().splitlines()[0] if str(why).strip() else type(why).__name__

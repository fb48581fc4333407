"""Meshes for ParaView and other programs that read VTK or XDMF files.

Every instant has the same points and cells: the axes of beams, outlines of bodies and rigid arms (in space their
surfaces), links and springs as lines between their two points, fixed places as single points. Points carry

- `displacement` [m] since the first of the times, and `velocity` [m/s] (NaN on roads),
- on the meshes of bodies: `deformation` [m], how far they are from where a rigid body had them, and where they are
  known stresses [Pa]: `von_mises`, `principal_stresses` (3,), the largest first, and components `stress_xx` … in the
  axes of the mesh, which turn with the body,
- on beams: `strain` [–], `curvature` [1/m], `axial_force` [N], `shear_force` [N], `bending_moment` [Nm] and, where area
  and outer fiber are known, `stress`, `stress_top` and `stress_bottom` [Pa], as far as the beam's theory has them.
  In space these are the quantities of :data:`flexmb.kernels.widths.SPACE`, and there are `section_y` and `section_z`,
  the unit vectors of the axes of the section (in ParaView: Glyph). Elsewhere these are NaN.

Cells carry `kind` (see :data:`~flexmb.visual.solid_parts.KINDS`) and `part`, the number of the beam, body … in the
order of the model.

With `solid` the cells are triangles around all parts as a view shows them, in the plane too: plates, blocks, pins,
tubes of beams, springs, supports. Points carry the `displacement`, and the arrays above on the surfaces of bodies and
tubes of beams, but no velocity. What is not there at an instant, such as a joint that is off, is a single point then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from flexmb.errors import ModelError
from flexmb.io import meshes
from flexmb.machine import files
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.results.beams.sections import section_units
from flexmb.results.pictures.deforming import deforming
from flexmb.results.pictures.outlines import carriers
from flexmb.results.pictures.roads import roads
from flexmb.results.pictures.scene import component_lines
from flexmb.results.recorded import Recorded
from flexmb.results.sources import MOST_PLACES
from flexmb.visual.measures import bounds
from flexmb.visual.solid_parts import KINDS, SolidPart, Triangles, mesh_data, solid_parts, triangles_of
from flexmb.visual.stage.beam_sections import places_drawn, section_axes
from flexmb.visual.stage.bodies import bodies, wheel_angle
from flexmb.visual.stage.pieces import Rigid
from flexmb.visual.stage.placing import in_space, node_poses, rotations
from flexmb.visual.stage.solids import Solid, loaded_nodes
from flexmb.visual.stage.stage import fixed_points
from flexmb.visual.subject import subject_of


@dataclass
class Skeleton:
    """Points (k, p, 3) [m] and their velocities at k times; cells by type, each the numbers of its points, its kind and
    its part; quantities of sections (k, p) and their axes (k, p, 3) by name."""

    t: np.ndarray
    points: np.ndarray
    velocity: np.ndarray
    cells: dict[str, list[tuple[list[int], int, int]]]
    sections: dict[str, np.ndarray]
    names = ()

    def point_data(self, k: int) -> dict[str, np.ndarray]:
        """The data of the points at the instant k."""
        data = {"displacement": self.points[k] - self.points[0], "velocity": self.velocity[k]}
        return data | {name: values[k] for name, values in self.sections.items()}

    def blocks(self) -> list[tuple[str, np.ndarray]]:
        """The cells of each type."""
        return [(shape, np.array([row for row, _, _ in cells])) for shape, cells in self.cells.items()]

    def cell_data(self) -> dict[str, list[np.ndarray]]:
        """The data of the cells, a list a type."""
        kinds = [np.array([kind for _, kind, _ in cells]) for cells in self.cells.values()]
        parts = [np.array([part for _, _, part in cells]) for cells in self.cells.values()]
        return {"kind": kinds, "part": parts}


@answers_calls
def export_vtk(
    solution: Any,
    folder: str | Path,
    times: Sequence[float] | np.ndarray | None = None,
    *,
    points: int = 41,
    solid: bool = False,
) -> Path:
    """Write one .vtu file for each time into a folder, and the collection `<folder>/<model>.pvd` that lists them with
    their times. Returns the path of the collection, which ParaView opens as an animation.

    Arguments: `solution`, or anything that has one; `folder`, made if it is not there; `times` [s], those of the
    solution when not given; `points` along a beam; `solid`: all parts as a view shows them, triangles around them, in
    the plane too. Each time is a .vtm file then, with a block for each part by its name.

    >>> import tempfile
    >>> import flexmb as fm
    >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = m.add_beam("rod", (0, 0), (1, 0), properties=fm.planar.BeamProperties(EA=1e5, EI=10, rhoA=1))
    >>> hinge = m.revolute(m.ground, rod.start, name="hinge")
    >>> run = fm.simulate(m, 0.1, step=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export_vtk(run, folder, [0.0, 0.05, 0.1]).read_text().count("<DataSet ")
    3
    """
    meshes.library()  # a missing library is reported before any file is made
    motion = _solution_at(solution, times)
    target = files.path_from(folder, "folder", "export")
    where = f"export to {target}"
    points = checks.count(points, "points", where, least=2, most=MOST_PLACES)
    stem = _file_name(motion.name) or "model"
    names = [f"{stem}_{k:0{len(str(len(motion.t) - 1))}d}" for k in range(len(motion.t))]
    if checks.flag(solid, "solid", where):
        parts = solid_parts(subject_of(solution).solution, motion, points)
        files.folder_to_write(target, "export to")
        shown = _write_blocks(target, stem, names, parts)
    else:
        skeleton = skeleton_of(motion, points)
        files.folder_to_write(target, "export to")
        shown = [f"{name}.vtu" for name in names]
        for k, file in enumerate(shown):
            with files.replaced(target / file, "export to") as sink:
                meshes.write_vtu(
                    sink.path, skeleton.points[k], skeleton.blocks(), skeleton.point_data(k), skeleton.cell_data()
                )
    lines = [
        f'    <DataSet timestep="{float(t)!r}" group="" part="0" file={quoteattr(file)}/>'
        for t, file in zip(motion.t, shown)
    ]
    text = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">']
    text += ["  <Collection>", *lines, "  </Collection>", "</VTKFile>", ""]
    return files.write_text(target / f"{stem}.pvd", "export to", "\n".join(text))


def _file_name(name: str) -> str:
    """A name without signs that files cannot have."""
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)


def _write_blocks(target: Path, stem: str, names: list[str], parts: list[SolidPart]) -> list[str]:
    """Write a .vtm file for each time, whose blocks are parts by name in .vtu files; one that stands still has one file
    for all times. Returns the names of the .vtm files."""
    of_parts: list[list[str]] = []
    for number, part in enumerate(parts):
        own = f"{number:0{len(str(len(parts) - 1))}d}_{_file_name(part.name)}"
        written = [f"{stem}_{own}"] if part.still else [f"{name}_{own}" for name in names]
        kinds = {"kind": [part.kinds]}
        for k, file in enumerate(written):
            with files.replaced(target / f"{file}.vtu", "export to") as sink:
                meshes.write_vtu(sink.path, part.points[k], [("triangle", part.faces)], part.point_data(k), kinds)
        of_parts.append(written * len(names) if part.still else written)
    for k, name in enumerate(names):
        blocks = [
            f'    <DataSet index="{j}" name={quoteattr(part.name)} file={quoteattr(f"{of_parts[j][k]}.vtu")}/>'
            for j, part in enumerate(parts)
        ]
        text = ['<?xml version="1.0"?>', '<VTKFile type="vtkMultiBlockDataSet" version="1.0">']
        text += ["  <vtkMultiBlockDataSet>", *blocks, "  </vtkMultiBlockDataSet>", "</VTKFile>", ""]
        files.write_text(target / f"{name}.vtm", "export to", "\n".join(text))
    return [f"{name}.vtm" for name in names]


@answers_calls
def export_xdmf(
    solution: Any,
    path: str | Path,
    times: Sequence[float] | np.ndarray | None = None,
    *,
    points: int = 41,
    solid: bool = False,
) -> Path:
    """Write a time series into one .xdmf file, with its numbers in `<name>_data.h5` beside it.

    The file holds the points once, as they are at the first of the times; `displacement` says how far each has moved
    (in ParaView: Warp By Vector). All cells are lines, so a body is its outline, in space the
    edges of its triangles; with `solid` all are triangles, as a view shows the parts, and an Information of the file
    lists their names by number. Arguments as in :func:`export_vtk`.

    >>> import tempfile
    >>> import flexmb as fm
    >>> from flexmb import examples
    >>> run = fm.simulate(examples.load("pendulum").build(), 0.1, step=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(fm.export_xdmf(run, f"{folder}/pendulum.xdmf", [0.0, 0.1]).read_text().count("<Time "))
    2
    """
    meshes.library()
    target = files.path_to_write(path, "export to", (".xdmf",))
    motion = _solution_at(solution, times)
    where = f"export to {target}"
    points = checks.count(points, "points", where, least=2, most=MOST_PLACES)
    # the writer of time series fails for several kinds of cells
    shown: Skeleton | Triangles
    if checks.flag(solid, "solid", where):
        shown = triangles_of(solid_parts(subject_of(solution).solution, motion, points))
    else:
        shown = skeleton_of(motion, points, lines=True)
    numbers = target.with_name(f"{target.stem}_data.h5")
    with (
        files.replaced(target, "export to") as text,
        files.replaced(numbers, "export to") as sink,
        meshes.xdmf_series(text, sink, numbers.name, shown.points[0], shown.blocks(), shown.names) as write,
    ):
        for k, t in enumerate(motion.t):
            write(float(t), point_data=shown.point_data(k), cell_data=shown.cell_data())
    return target


def skeleton_of(solution: Recorded, points: int = 41, *, lines: bool = False) -> Skeleton:
    """Points, cells and data of a solution at its times; with `lines` all cells are lines, also outlines and points."""
    steps = len(solution.t)
    places: list[np.ndarray] = []
    speeds: list[np.ndarray] = []
    cells: dict[str, list[tuple[list[int], int, int]]] = {}
    sections: dict[str, list[tuple[int, np.ndarray]]] = {}
    count = part = 0

    def add(
        kind: str,
        place: np.ndarray,
        speed: np.ndarray,
        closed: bool = False,
        faces: np.ndarray | None = None,
        blocks: Sequence[tuple[str, np.ndarray]] = (),
    ) -> int:
        """Add a polyline (k, c, 2 or 3), filled when it is closed, or `faces` (f, 3) between points, or cells in
        `blocks`; returns the number of its first point."""
        nonlocal count, part
        first, size = count, place.shape[1]
        for block, numbers in () if lines else blocks:
            cells.setdefault(block, []).extend((row, KINDS[kind], part) for row in (first + numbers).tolist())
        if blocks and not lines:
            shape, rows = blocks[0][0], []
        elif faces is not None and lines:
            edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
            shape, rows = "line", (first + np.unique(edges, axis=0)).tolist()
        elif faces is not None:
            shape, rows = "triangle", (first + faces).tolist()
        elif lines:
            rows = [[first + j, first + (j + 1) % size] for j in range(size if closed and size != 2 else size - 1)]
            shape, rows = "line", rows or [[first, first]]
        elif size == 1:
            shape, rows = "vertex", [[first]]
        elif closed and size > 2:
            shape, rows = "triangle", [[first, first + j, first + j + 1] for j in range(1, size - 1)]
        else:
            shape, rows = "line", [[first + j, first + j + 1] for j in range(size - 1)]
        cells.setdefault(shape, []).extend((row, KINDS[kind], part) for row in rows)
        places.append(place)
        speeds.append(speed)
        count += size
        part += 1
        return first

    for name in solution.layout.beams:
        n = places_drawn(solution, name, points)
        rates = ("vx", "vy", "vz")[: solution.layout.dimension]
        speed = np.stack([solution.along(name, rate, n) for rate in rates], axis=2)
        first = add("beam", solution.axis(name, n), speed)
        for quantity in section_units(solution.layout):
            try:
                sections.setdefault(quantity, []).append((first, solution.along(name, quantity, n)))
            except ModelError:  # the theory of this beam has no such quantity
                continue
        if solution.layout.dimension == 3:
            for axis, directions in zip(("section_y", "section_z"), section_axes(solution, name, n)):
                sections.setdefault(axis, []).append((first, directions))
    if solution.layout.dimension == 2:
        for carrier in carriers(solution):
            place = carrier.outline(solution)
            carried, moving = solution.q[:, carrier.numbers], solution.v[:, carrier.numbers]
            x, y = np.moveaxis(place - carried[:, None, 0:2], 2, 0)
            turn = moving[:, 2:3]
            speed = np.stack([moving[:, 0:1] - turn * y, moving[:, 1:2] + turn * x], axis=2)
            add("body" if carrier.body else "arm", place, speed, closed=True)
    else:
        for kind, place, speed, faces in _solids(solution):
            add(kind, place, speed, faces=faces)
    for mesh in deforming(solution, stressed=True):
        place = np.stack([mesh.points(k) for k in range(steps)])
        speed = np.stack([mesh.velocities(k) for k in range(steps)])
        first = add("body", place, speed, faces=mesh.shown.faces, blocks=mesh.shown.cells)
        for name, values in mesh_data(mesh, steps, solution.layout.dimension).items():
            sections.setdefault(name, []).append((first, values))
    for pair in solution.layout.pairs.values():
        for glyph, kind in (("rod", "link"), ("spring", "spring")):
            if glyph not in pair.glyphs:
                continue
            ends = [solution.track(pair.a), solution.track(pair.b)]
            place = np.stack([end.position for end in ends], axis=1)
            add(kind, place, np.stack([end.velocity for end in ends], axis=1))
    for several in component_lines(solution).values():
        for line in several:
            add("line", line, line_rates(line, solution.t))
    for several in roads(solution).values():
        for line in several:
            add("line", line, np.full_like(line, np.nan))  # the piece that is drawn goes along in steps
    for ground in fixed_points(solution):
        place = np.tile(ground, (steps, 1, 1))
        add("ground", place, np.zeros_like(place))
    if not count:
        raise ModelError(f"export of {solution.where}: there is nothing to be seen in it; add a body or a beam")
    data = {}
    for quantity, rows in sections.items():
        width = rows[0][1].shape[2:] if rows else ()
        values = np.full((steps, count, *width), np.nan)
        for first, row in rows:
            values[:, first : first + row.shape[1]] = row
        data[quantity] = values
    return Skeleton(
        solution.t, in_space(np.concatenate(places, axis=1)), in_space(np.concatenate(speeds, axis=1)), cells, data
    )


def line_rates(line: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The velocities (k, p, d) of a line by differences of its places, since a component gives none; both sides of an
    instant that stands in `t` twice have the same. Zero where there is one instant only."""
    once, first, back = np.unique(t, return_index=True, return_inverse=True)
    return np.gradient(line[first], once, axis=0)[back] if len(once) > 1 else np.zeros_like(line)


def _solids(solution: Recorded) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """The surfaces of bodies and arms in space: their kind, points and velocities (k, c, 3), and faces (f, 3)."""
    low, high = bounds(solution)
    frames: dict[str, str] = {}
    wheels: dict[str, Solid] = {}
    for node in loaded_nodes(solution):
        frames |= dict.fromkeys((*node.solids, *node.frames), node.frames[0])
        wheels |= {name: solids[0] for name, solids in node.solids.items() if solids[0].spin is not None}
    for piece in bodies(solution, float(np.max(high - low))):
        assert isinstance(piece, Rigid)
        place = np.array([piece.points(k) for k in range(len(solution.t))])
        frame = solution.track(frames[piece.name])
        arms, omega = place - frame.position[:, None], frame.angular_velocity
        speed = frame.velocity[:, None] + np.cross(omega[:, None], arms)
        if (wheel := wheels.get(piece.name)) is not None and wheel.spin is not None:
            carrier = node_poses(solution, frames[piece.name])
            turn = rotations(carrier)
            spin = turn.apply(wheel.spin.axis) * wheel_angle(solution, wheel.spin)[1][:, None]
            hub = carrier[:, 0:3] + turn.apply(wheel.hub)
            speed += np.cross(spin[:, None], place - hub[:, None])
        yield "body" if piece.role == "motor" else piece.role, place, speed, piece.faces


def _solution_at(shown: Any, times: Sequence[float] | np.ndarray | None) -> Recorded:
    solution = subject_of(shown).solution
    return solution if times is None else solution.at(times)

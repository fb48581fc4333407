"""Sizes of scenes in glTF, and the time in which they are written: a bracket with 20 modes and 30 000 nodes on its
surface, which bends by millimeters, as it is and in colors; a chain of beams. Then those of other files of the same.

The bracket is reduced on a coarse mesh, and its modes are interpolated to the nodes of a fine one, since what is
measured is what the surface takes.

python -m flexmb.validation.performance.pictures.scenes
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import LinearNDInterpolator

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.full_models.meshed_elements import scikit_fem
from flexmb.machine.files import size_text
from flexmb.visual.view import PAGE_PICTURES

ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
#: edge of a brick of the fine mesh [m], end of the run [s], pictures
FINE, T_END, PICTURES = 0.99e-3, 0.05, 1000


def bracket(edge: float) -> Any:
    """A mesh of an L of two plates, 0.1 × 0.06 m and 0.12 × 0.06 m, 8 mm thick, of bricks with an edge [m]."""
    skfem = scikit_fem()
    thick, y = (np.linspace(0.0, size, max(1, round(size / edge)) + 1) for size in (0.008, 0.06))
    x, z = (np.linspace(0.008, size, round((size - 0.008) / edge) + 1) for size in (0.1, 0.12))
    foot = skfem.MeshHex.init_tensor(np.concatenate([thick[:-1], x]), y, thick)
    return foot + skfem.MeshHex.init_tensor(thick, y, z)


def fine_body() -> bodies.ReducedBody:
    """The bracket, bolted at its foot, with 20 modes at the nodes of the fine mesh."""
    foot = bodies.on_plane((0, 0, 0), (0, 0, 1)) & bodies.in_box((0.05, -1.0, -1.0), (0.09, 1.0, 1.0))
    seat = bodies.on_plane((0, 0, 0), (1, 0, 0)) & bodies.in_box((-1.0, 0.01, 0.08), (1.0, 0.05, 0.115))
    how = bodies.Reduction(damping=0.01, progress=False)
    reduced = bodies.from_mesh(
        bracket(8e-3), ALUMINIUM, interfaces={"foot": foot, "seat": seat}, modes=14, reduction=how
    )
    given, mesh = bracket(FINE), reduced.mesh
    assert mesh is not None
    corners = given.t.T[:, [7, 4, 1, 5, 6, 2, 0, 3]]  # from scikit-fem's order to meshio's
    nodes = given.p.T + mesh.nodes.min(axis=0) - given.p.min(axis=1)
    slaves = mesh.shapes[:, :, :0] if mesh.slave_shapes is None else mesh.slave_shapes
    both = np.concatenate([mesh.shapes, slaves], axis=2)
    inside = LinearNDInterpolator(mesh.nodes, both.reshape(len(mesh.nodes), -1))
    shapes = np.nan_to_num(inside(nodes)).reshape(len(nodes), *both.shape[1:])
    n = mesh.shapes.shape[2]
    fine = bodies.BodyMesh(nodes, [("hexahedron", corners)], shapes[..., :n], shapes[..., n:])
    return replace(reduced, mesh=fine)


def shaken() -> fm.Solution:
    """A run of the bracket under a push that bends it by millimeters."""
    model = fm.SpatialModel("bracket", gravity=(0, 0, -9.81))
    part = model.add_modal_body("bracket", fine_body())
    model.weld(model.ground.attach("bed", part.at("foot").position), part.at("foot"))
    model.point_force(part.at("seat"), (400.0, 100.0, 0.0), name="push")
    return fm.simulate(model, T_END, progress=False)


def chain() -> fm.Solution:
    """A chain of six soft beams in space that falls."""
    model, rubber = fm.SpatialModel("chain", gravity=(0, 0, -9.81)), fm.Material(1200.0, 2e7, 0.45)
    last = model.ground.attach("top", (0, 0, 0))
    for j in range(6):
        ends = (j, 0, 0), (j + 1.0, 0, 0)
        beam = model.add_beam(
            f"link{j}", *ends, material=rubber, section=fm.Circle(diameter=0.05), theory="exact", elements=3
        )
        model.spherical(last, beam.start, name=f"ball{j}")
        last = beam.end
    return fm.simulate(model, 1.0, progress=False)


def written(view: fm.View, folder: Path, **given: Any) -> tuple[int, float]:
    """The size of a scene [byte], and the time in which it is written, the best of two [s]."""
    took = []
    for _ in range(2):
        begin = time.perf_counter()
        path = view.gltf(folder / "scene.glb", **given)
        took.append(time.perf_counter() - begin)
    return path.stat().st_size, min(took)


def others(run: fm.Solution, view: fm.View, folder: Path) -> dict[str, int]:
    """The sizes of other files of a run [byte]: a picture, a film of two seconds, a page, a folder for ParaView."""
    pace = view.seconds(1.0) / 2.0
    times = view.frame_times(PAGE_PICTURES).tolist()
    fm.export_vtk(run, folder / run.name, times=times, solid=True)
    made = {
        "picture": view.screenshot(folder / "picture.png", size=800),
        "film": view.movie(folder / "film.gif", fps=20, pace=pace, size=480),
        "page": view.html(folder / "page.html"),
        "for ParaView": folder / run.name,
    }
    return {what: sum(x.stat().st_size for x in _files(path)) for what, path in made.items()}


def _files(path: Path) -> list[Path]:
    """The file itself; all files in a folder."""
    return [x for x in path.rglob("*") if x.is_file()] if path.is_dir() else [path]


def main() -> None:
    """Print a table of sizes and times."""
    run = shaken()
    mesh = run.layout.bodies["bracket"].mesh
    assert mesh is not None
    surface, n = len(np.unique(mesh.faces)), mesh.slaves.shape[1]
    print(f"bracket: {surface} nodes on its surface, {n} modes, {len(mesh.slaves)} slaves")
    with tempfile.TemporaryDirectory() as place:
        for name, view in (
            ("bracket", fm.View(run)),
            ("bracket, deformation in colors", fm.View(run, color="deformation")),
            ("chain of six beams", fm.View(chain())),
        ):
            for pictures in (121, PICTURES):
                size, took = written(view, Path(place), pictures=pictures)
                print(f"{name}, {pictures} pictures: {size_text(size)}, {took:.2f} s", flush=True)
        swung = chain()
        for name, shown, view in (("bracket", run, fm.View(run)), ("chain of six beams", swung, fm.View(swung))):
            for what, size in others(shown, view, Path(place)).items():
                print(f"{name}, {what}: {size_text(size)}", flush=True)


if __name__ == "__main__":
    main()

"""How many pictures a second a view draws off screen of a body with a fine mesh, magnified and colored, and what takes
the time of each.

The body is the bracket of the demo with its modes as they are, on a mesh of `NODES` nodes to which their shapes are
interpolated: what a picture costs depends on the numbers of nodes and modes alone.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.interpolate import LinearNDInterpolator, NearestNDInterpolator

import flexmb as fm
from flexmb.bodies import BodyMesh
from flexmb.bodies.full_models.meshed_elements import scikit_fem
from flexmb.examples import bracket
from flexmb.visual.stage.meshes import vertex_normals

#: elements along the plates, across them and through them, of the fine mesh; width and height of a picture [pixel]
ALONG, ACROSS, THROUGH, SIZE = 95, 60, 8, (800, 600)
#: so many pictures are drawn in turn, and the best of so many repetitions counts
PICTURES, REPEATS = 20, 3


def fine_bracket(along: int = ALONG, across: int = ACROSS, through: int = THROUGH) -> fm.bodies.ReducedBody:
    """The reduced bracket with a finer mesh."""
    skfem = scikit_fem()
    body = bracket.solid()
    x, z = (
        np.concatenate([np.linspace(0, 0.008, through + 1), np.linspace(0.008, size, along)[1:]])
        for size in (0.1, 0.12)
    )
    y, thick = np.linspace(0.0, 0.06, across + 1), np.linspace(0.0, 0.008, through + 1)
    mesh = skfem.MeshHex.init_tensor(x, y, thick) + skfem.MeshHex.init_tensor(thick, y, z[through:])
    given: Any = body.mesh
    frame = np.eye(3) if body.orientation is None else body.orientation
    origin = np.zeros(3) if body.origin is None else body.origin
    nodes = (mesh.p.T - origin) @ frame
    both = [LinearNDInterpolator, NearestNDInterpolator]
    shapes = []
    for coarse in (given.shapes, given.slave_shapes):
        inside, near = (kind(given.nodes, coarse.reshape(len(coarse), -1))(nodes) for kind in both)
        shapes.append(np.where(np.isnan(inside), near, inside).reshape(len(nodes), 3, -1))
    cells = mesh.t.T
    return replace(body, mesh=BodyMesh(nodes, [("hexahedron", _turned(nodes, cells))], *shapes))


def _turned(nodes: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Cells (c, 8) of a tensor mesh with their nodes in the order of meshio: by their places."""
    places = nodes[cells]
    low = places.min(axis=1, keepdims=True)
    bits = places > low + 0.5 * (places.max(axis=1, keepdims=True) - low)
    wanted = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    number = bits @ [1, 2, 4]
    at = np.argsort(number, axis=1)
    return np.take_along_axis(cells, at[:, [a + 2 * b + 4 * c for a, b, c in wanted]], axis=1)


def run_of(body: fm.bodies.ReducedBody) -> Any:
    """The bracket bolted down, and released from a bend."""
    model = fm.SpatialModel("bracket")
    bend = np.zeros(body.modes)
    bend[0] = 1e-3
    part = model.add_modal_body("bracket", body, amplitudes=bend)
    model.weld(model.ground.attach("bed", part.at("foot").position), part.at("foot"))
    return fm.simulate(model, 2e-3, step=1e-4, progress=False)


def measured(view: fm.View, count: int = PICTURES, repeats: int = REPEATS) -> dict[str, float]:
    """The least processor time [s] of a picture, summed over threads: of all of it, and of what it consists of; and its
    least `wall` time. Without a graphics card VTK draws by the processor, in threads."""
    times = view.frame_times(count)
    best: dict[str, float] = {}

    def note(what: str, begun: float) -> None:
        best[what] = min(best.get(what, np.inf), (time.process_time() - begun) / count)

    with view.picture(times, SIZE, "benchmark", smooth="fxaa") as picture:
        (piece,) = (piece for piece, _, _ in picture.parts if piece.name == "bracket" and piece.role == "body")
        picture.instant(0)
        picture.image()
        for _ in range(repeats):
            start = time.perf_counter()
            begun = time.process_time()
            for k in range(count):
                picture.instant(k)
                picture.image()
            note("all", begun)
            best["wall"] = min(best.get("wall", np.inf), (time.perf_counter() - start) / count)
            begun = time.process_time()
            for k in range(count):
                places = piece.points(k)
                piece.values(k)
            note("places and colors", begun)
            begun = time.process_time()
            for _ in range(count):
                vertex_normals(places, piece.faces)
            note("normals", begun)
            begun = time.process_time()
            for _ in range(count):
                picture.plotter.render()
            note("drawing by VTK", begun)
            picture.plotter.renderer.SetUseFXAA(False)
            begun = time.process_time()
            for _ in range(count):
                picture.plotter.render()
            note("drawing without smooth edges", begun)
            picture.plotter.renderer.SetUseFXAA(True)
    best["points"], best["triangles"] = float(len(piece.points(0))), float(len(piece.faces))
    return best


def main() -> None:
    """Print a table for meshes of several sizes."""
    for sizes in ((24, 15, 2), (48, 30, 4), (ALONG, ACROSS, THROUGH)):
        body = fine_bracket(*sizes)
        view = fm.View(run_of(body), color="displacement", magnify=50)
        found = measured(view)
        points, triangles = int(found.pop("points")), int(found.pop("triangles"))
        parts = ", ".join(f"{what} {1e3 * seconds:.1f} ms" for what, seconds in found.items())
        size = f"{len(body.mesh.nodes)} nodes, {points} points, {triangles} triangles"
        print(f"{size}: {1.0 / found['wall']:.1f} a second; {parts}")


if __name__ == "__main__":
    main()

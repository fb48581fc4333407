"""The pieces of rigid bodies and rigid arms."""

from __future__ import annotations

import numpy as np

from flexmb.results import names
from flexmb.results.outlines import carriers
from flexmb.results.solution import Solution
from flexmb.visual import meshes
from flexmb.visual.pieces import Piece, Rigid
from flexmb.visual.placing import node_poses, planar_poses, rotations
from flexmb.visual.solids import Solid, loaded_nodes


def bodies(solution: Solution, unit: float) -> list[Piece]:
    """Bodies and rigid arms, such as offsets on beams."""
    return _in_plane(solution, unit) if solution.layout.dimension == 2 else _in_space(solution, unit)


def _in_plane(solution: Solution, unit: float) -> list[Piece]:
    """Plates around all that is fastened to a node. A body of one point is a ball, or a disc if it turns on a pin. Of
    several in one place, each is smaller than the one before."""
    layout = solution.layout
    blocks = {layout.node_of(pair.b) for pair in layout.pairs.values() if "slider" in pair.glyphs}
    on_pins = {layout.node_of(x) for pair in layout.pairs.values() if "pin" in pair.glyphs for x in (pair.a, pair.b)}
    r = 0.019 * unit
    pieces: list[Piece] = []
    taken: dict[tuple[float, ...], int] = {}
    number = 0
    for carrier in carriers(solution):
        half = unit * (0.0125, 0.0105, 0.0145)[number % 3]
        places = names.node_columns(solution, carrier.numbers)[:, 0:3]
        poses = planar_poses(places)
        if not carrier.body:
            mesh = meshes.plate(carrier.shape, 0.55 * r, 0.7 * half)
            pieces.append(Rigid.of(carrier.name, "arm", mesh, poses))
        elif len(carrier.shape) > 1:
            pieces.append(Rigid.of(carrier.name, "body", meshes.plate(carrier.shape, r, half), poses, number))
        elif carrier.numbers not in blocks:  # a slider draws its own block
            path = carrier.outline(solution)[:, 0]
            spot = tuple((path[[0, -1]] / unit).round(6).ravel().tolist())
            earlier = taken.get(spot, 0)
            taken[spot] = earlier + 1
            shrink = 0.84**earlier
            if carrier.numbers in on_pins:
                mesh = meshes.cylinder(0.0342 * shrink, 0.0165 - 0.005 * shrink)
            else:
                mesh = meshes.ball(0.0285 * shrink)
            poses = planar_poses(np.column_stack([path, places[:, 2]]))
            pieces.append(Rigid.of(carrier.name, "body", mesh, poses, number, size=unit))
        number += carrier.body
    return pieces


def _in_space(solution: Solution, unit: float) -> list[Piece]:
    """Solids, with a bar to each frame that is fastened to the body and lies outside of it."""
    pieces: list[Piece] = []
    number = 0
    for node in loaded_nodes(solution):
        poses = node_poses(solution, node.frames[0])
        bars = [meshes.bar(ends, 0.0075 * unit) for ends in node.bars()]
        if not node.solids and bars:
            pieces.append(Rigid.of(node.frames[0], "arm", meshes.merged(bars), poses))
        for name, solid in node.solids.items():
            mesh = _mesh(solid, unit)
            pieces.append(Rigid.of(name, "body", meshes.merged([mesh, *bars]), poses, number))
            bars = []
            number += 1
    return pieces


def _mesh(solid: Solid, unit: float) -> meshes.PolyData:
    """The surface of a solid; one without size is a ball, and none is thinner than can be seen."""
    half = np.maximum(solid.half, 0.004 * unit)
    match solid.kind:
        case "point":
            mesh, half = meshes.ball(0.0285), np.full(3, unit)
        case "sphere":
            mesh = meshes.ball(1.0)
        case "cylinder":
            mesh = meshes.drum()
        case "hollow cylinder":
            mesh, half = meshes.ring(solid.inner, float(half[0]), float(half[2])), np.ones(3)
        case "surface":
            mesh, half = meshes.surface(solid.vertices, solid.faces), np.ones(3)
        case _:
            mesh = meshes.cube()
    return meshes.moved(mesh, solid.axes * half, solid.center)


def corners(solution: Solution) -> list[np.ndarray]:
    """The corners (k, c, 3) [m] of what stands on each node in space, over time."""
    out = []
    for node in loaded_nodes(solution):
        poses = node_poses(solution, node.frames[0])
        points = np.concatenate([node.ends, *(solid.corners() for solid in node.solids.values())])
        out.append(poses[:, None, 0:3] + points @ rotations(poses).as_matrix().transpose(0, 2, 1))
    return out

"""The pieces of rigid bodies and rigid arms."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.model.appearance import SpinPlace
from flexmb.model.orientations import scalar_first
from flexmb.results.pictures.outlines import carriers
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.spatial_track import products
from flexmb.visual.stage import meshes
from flexmb.visual.stage.pieces import InFront, Piece, Rigid
from flexmb.visual.stage.placing import X, about, node_poses, planar_poses, rotations
from flexmb.visual.stage.solids import Solid, loaded_nodes

#: a round body that turns by less than this in a run has no mark by which one sees it turn [rad]
SEEN_TO_TURN = 0.3
#: how far marks stand out of a body, and half their width at least and at most, as parts of its radius
PROUD, HALF_MARK, WIDEST_MARK = 0.006, 0.045, 0.2
#: half the width of a mark, as a part of the mechanism's size, of which narrower ones look like dashes
SEEN_MARK = 0.0025
#: how many points a round body has around it
AROUND = 72
#: kinds of solids that look the same as they turn
ROUND = ("cylinder", "hollow cylinder", "sphere")


def bodies(solution: Recorded, unit: float, marked: Collection[str] = ()) -> list[Piece]:
    """Bodies and rigid arms, such as offsets on beams; round bodies that are `marked` with a mark by which one sees
    them turn."""
    return _in_plane(solution, unit) if solution.layout.dimension == 2 else _in_space(solution, unit, marked)


def _in_plane(solution: Recorded, unit: float) -> list[Piece]:
    """Plates around all that is fastened to a node. A body of one point is a ball, or a disk if it turns on a pin. Of
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
        places = solution.q[:, carrier.numbers]
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


def _in_space(solution: Recorded, unit: float, marked: Collection[str]) -> list[Piece]:
    """Solids, with a bar to each frame that is fastened to the body and lies outside of it."""
    pieces: list[Piece] = []
    number = 0
    for node in loaded_nodes(solution):
        poses = node_poses(solution, node.frames[0])
        bars = [meshes.bar(ends, 0.0075 * unit) for ends in node.bars()]
        if not node.carrier and bars:
            pieces.append(Rigid.of(node.frames[0], "arm", meshes.merged(bars), poses))
        if solution.layout.is_fixed(node.frames[0]):
            poses = poses[:1]
        for name, solids in node.solids.items():
            for solid in solids:
                if solid.kind == "flywheel":
                    wheel = meshes.moved(meshes.flywheel(), unit * solid.axes, solid.center)
                    pieces.append(InFront.of(name, "motor", wheel, wheel_poses(solution, poses, solid)))
                    continue
                own = poses if solid.spin is None else wheel_poses(solution, poses, solid)
                held = bars if name == node.carrier and solid is solids[0] else []
                mesh = meshes.merged([mesh_of(solid, unit), *held])
                pieces.append(Rigid.of(name, "body", mesh, own, number, color=solid.color))
                if name in marked:
                    pieces.append(Rigid.of(name, "mark", _mark(solid, unit), own, number))
            number += not (solids[0].kind == "flywheel")
    return pieces


def wheel_angle(solution: Recorded, spin: SpinPlace) -> tuple[np.ndarray, np.ndarray]:
    """The angle (k,) [rad] of a wheel against the body that carries it, and its rate. At rest, where times are none,
    wheels of constant speed are shown as they are at the start."""
    if spin.rotor:
        return solution.coordinate(spin.rotor), solution.series(f"{spin.rotor} rate").values
    rate = np.full(len(solution.t), 0.0 if solution.still else spin.speed)
    return rate * solution.t, rate


def wheel_poses(solution: Recorded, carriers: np.ndarray, solid: Solid) -> np.ndarray:
    """Poses (k, 7) of a wheel on nodes at poses `carriers` (k, 7), turned about its axis."""
    assert solid.spin is not None
    angle, axis = wheel_angle(solution, solid.spin)[0], np.array(solid.spin.axis)
    turn = Rotation.from_rotvec(angle[:, None] * axis)
    arm = solid.hub - turn.apply(solid.hub)
    places = carriers[:, 0:3] + rotations(carriers).apply(arm)
    return np.column_stack([places, products(carriers[:, 3:7], scalar_first(turn))])


def turning_bodies(solution: Recorded) -> frozenset[str]:
    """The round bodies of a run that turn so far about their own axes that one should see it."""
    found = set()
    if solution.still or len(solution.t) < 2:
        return frozenset()
    for node in loaded_nodes(solution):
        track = solution.track(node.frames[0])
        turns = rotations(node_poses(solution, node.frames[0]))
        for name, solids in node.solids.items():
            solid = solids[0]
            if len(solids) > 1 or solid.kind not in ROUND:
                continue
            if solid.kind == "sphere":
                rate = np.linalg.norm(track.angular_velocity, axis=1)
            else:
                rate = np.sum(track.angular_velocity * turns.apply(solid.axes[:, 2]), axis=1)
            if solid.spin is not None:
                rate = rate + wheel_angle(solution, solid.spin)[1]
            if np.trapezoid(np.abs(rate), solution.t) > SEEN_TO_TURN:
                found.add(name)
    return frozenset(found)


def _mark(solid: Solid, unit: float) -> meshes.PolyData:
    """A band on a round solid: from the middle of one face to its rim, along the side, and back on the other face;
    around a sphere two of them."""
    half = np.maximum(solid.half, 0.004 * unit)
    r, proud = half[0], PROUD * half[0]
    narrow = min(max(HALF_MARK * r, SEEN_MARK * unit), WIDEST_MARK * r)
    if solid.kind == "sphere":
        band = np.diag([r + 2.0 * proud, r + 2.0 * proud, narrow])
        both = [meshes.moved(meshes.drum(AROUND), axes @ band) for axes in (np.eye(3), about(X))]
        return meshes.moved(meshes.merged(both), solid.axes, solid.center)
    first, last = (solid.inner - proud if solid.inner else 0.0), r + proud
    sizes = np.diag([0.5 * (last - first), narrow, half[2] + proud])
    middle = solid.center + solid.axes[:, 0] * 0.5 * (first + last)
    return meshes.moved(meshes.cube(), solid.axes @ sizes, middle)


def mesh_of(solid: Solid, unit: float) -> meshes.PolyData:
    """The surface of a solid; one without size is a ball, and none is thinner than can be seen."""
    half = np.maximum(solid.half, 0.004 * unit)
    match solid.kind:
        case "point":
            mesh, half = meshes.ball(0.0285), np.full(3, unit)
        case "sphere":
            mesh = meshes.ball(1.0, AROUND)
        case "cylinder":
            mesh = meshes.drum(AROUND)
        case "hollow cylinder":
            mesh, half = meshes.ring(solid.inner, float(half[0]), float(half[2]), AROUND), np.ones(3)
        case "surface":
            mesh, half = meshes.surface(solid.vertices, solid.faces), np.ones(3)
        case _:
            mesh = meshes.cube()
    return meshes.moved(mesh, solid.axes * half, solid.center)


def corners(solution: Recorded) -> list[np.ndarray]:
    """The corners (k, c, 3) [m] of what stands on each node in space, over time."""
    out = []
    for node in loaded_nodes(solution):
        poses = node_poses(solution, node.frames[0])
        points = np.concatenate([node.ends, *(solid.corners() for solid in node.every_solid)])
        out.append(poses[:, None, 0:3] + points @ rotations(poses).as_matrix().transpose(0, 2, 1))
    return out

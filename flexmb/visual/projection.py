"""Mechanisms in space as drawings in the plane: all points along the direction to the viewer, outlines of bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.plots.scene import Scene
from flexmb.results.pictures.deforming import deforming
from flexmb.results.pictures.roads import roads, still_roads
from flexmb.results.pictures.scene import component_lines
from flexmb.results.recorded import Recorded
from flexmb.visual.cameras import checked_camera, checked_direction, up_of
from flexmb.visual.stage.beam_sections import places_drawn
from flexmb.visual.stage.joints import SLIDING, hanging, is_rope
from flexmb.visual.stage.placing import node_poses, rotations
from flexmb.visual.stage.solids import Solid, loaded_nodes
from flexmb.visual.stage.stage import fixed_points

#: directions in which the outline of a body is found
DIRECTIONS = np.stack([f(2.0 * np.pi * np.arange(72) / 72.0) for f in (np.cos, np.sin)], axis=1)
#: places at which a beam is drawn at least
POINTS_OF_BEAM = 41
#: shapes that are drawn as a point at frame b, those of :data:`flexmb.model.appearance.GLYPHS`
POINTS = {"pin", "ball", "cage", "cross", "bushing"}


def projected(solution: Recorded, camera: Any = None, up: Any = None) -> Scene:
    """The scene of a mechanism in space as a camera sees it from far away; `camera` and `up` as
    :func:`~flexmb.visual.cameras.checked_camera` takes them."""
    where = f"drawing of {solution.where}"
    upward = up_of(solution) if up is None else checked_direction(up, "up", where)
    axes = checked_camera(solution, camera, upward, where)
    layout, view = solution.layout, axes[:2].T
    scene = Scene(solution.t, labels=_labels(axes))
    drawn = {name: places_drawn(solution, name, POINTS_OF_BEAM) for name in layout.beams}
    for name, count in drawn.items():
        scene.put("beams", name, solution.axis(name, count) @ view)
    still = still_roads(solution)
    scene.roads = [line @ view for lines in still.values() for line in lines]
    moving = [item for item in roads(solution).items() if item[0] not in still]
    for name, lines in (*component_lines(solution).items(), *moving):
        on = solution.is_on(name)[:, None, None]
        for line in lines:
            scene.put("lines", name, np.where(on, line @ view, np.nan))
    bodies: list[tuple[float, str, np.ndarray]] = []
    for node in loaded_nodes(solution):
        if layout.is_fixed(node.frames[0]):
            continue  # a figure that stands still, such as a floor, would cover all with its outlines
        poses = node_poses(solution, node.frames[0])
        turns = rotations(poses).as_matrix()
        for ends in node.bars():
            bar = poses[:, None, 0:3] + ends @ np.transpose(turns, (0, 2, 1))
            scene.put("arms", node.carrier or node.frames[0], bar @ view)
        for name, solids in node.solids.items():
            for solid in solids:
                points = poses[:, None, 0:3] + points_of(solid) @ np.transpose(turns, (0, 2, 1))
                bodies.append((float(np.mean(points @ axes[2])), name, outline(points @ view)))
    for mesh in deforming(solution, few=True):
        points = np.stack([mesh.points(k) for k in range(len(solution.t))])
        bodies.append((float(np.mean(points @ axes[2])), mesh.name, outline(points @ view)))
    for _, name, points in sorted(bodies, key=lambda body: body[0]):
        scene.put("bodies", name, points)
    for name, pair in layout.pairs.items():
        on = solution.is_on(name)
        if not on.any():
            continue
        spots = np.stack([solution.track(frame).position for frame in (pair.a, pair.b)], axis=1)
        spots = np.where(on[:, None, None], spots, np.nan)
        ends, glyphs = spots @ view, set(pair.glyphs)
        if is_rope(pair):
            assert pair.stop is not None
            scene.put("lines", name, hanging(spots, pair.stop.upper, upward) @ view)
        elif "rod" in glyphs:
            scene.put("rods", name, ends)
        if "spring" in glyphs:
            scene.put("springs", name, ends)
        if SLIDING & glyphs:
            scene.put("blocks", name, ends[:, 1:])
            if layout.is_fixed(pair.a):
                scene.guides.append(ends[:, 1])
        elif POINTS & glyphs:
            scene.put("pins", name, ends[:, 1:])
    scene.grounds = [point @ view for point in fixed_points(solution)]
    return scene


def points_of(solid: Solid) -> np.ndarray:
    """Points (p, 3) [m] of a solid in the axes of its node, whose hull is its own."""
    turn = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros(48)], axis=1)
    match solid.kind:
        case "point" | "flywheel":
            return solid.center[None]
        case "surface":
            return solid.center + solid.vertices @ solid.axes.T
        case "cylinder" | "hollow cylinder":
            local = np.concatenate([circle + [0.0, 0.0, z] for z in (-1.0, 1.0)])
        case "sphere":
            rings = [np.array([np.cos(h), np.cos(h), 1.0]) * (circle + [0.0, 0.0, np.sin(h)]) for h in 0.5 * turn[:25]]
            local = np.concatenate([*rings, *(ring * [1.0, 1.0, -1.0] for ring in rings)])
        case _:
            return solid.corners()
    return solid.center + (solid.half * local) @ solid.axes.T


def outline(points: np.ndarray) -> np.ndarray:
    """The corners (k, 72, 2) of the convex hulls of points (k, p, 2), some of them more than once; the point itself
    where there is one only."""
    if points.shape[1] == 1:
        return points
    far = np.argmax(points @ DIRECTIONS.T, axis=1)
    return np.take_along_axis(points, far[:, :, None], axis=1)


def _labels(axes: np.ndarray) -> tuple[str, str]:
    """What the axes of a drawing show: axes of the ground, or directions of the picture."""
    names = []
    for direction, plain in zip(axes[:2], ("to the right [m]", "up [m]")):
        k = int(np.argmax(np.abs(direction)))
        along = abs(direction[k]) > 1.0 - 1e-12
        names.append(f"{'−' if direction[k] < 0.0 else ''}{'xyz'[k]} [m]" if along else plain)
    return names[0], names[1]

"""The scene of a solution: what a picture in the plane shows of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmb.errors import ModelError
from flexmb.plots.scene import Scene
from flexmb.results.pictures.deforming import deforming, only, outlines
from flexmb.results.pictures.outlines import carriers
from flexmb.results.recorded import Recorded


def scene_of(solution: Recorded) -> Scene:
    """The scene at the times of a solution in the plane."""
    scene = Scene(solution.t)
    layout = solution.layout
    n = solution.q.shape[1]
    for name in layout.beams:
        scene.put("beams", name, solution.axis(name))
    for name, lines in component_lines(solution).items():
        for line in lines:
            scene.put("lines", name, np.where(solution.is_on(name)[:, None, None], line, np.nan))
    for carrier in carriers(solution):
        scene.put("bodies" if carrier.body else "arms", carrier.name, carrier.outline(solution))
    for mesh in deforming(solution):
        for nodes in outlines(mesh.shown):
            around = replace(mesh, shown=only(mesh.shown, nodes, mesh.shown.faces[:0]))
            scene.put("bodies", mesh.name, np.stack([around.points(k) for k in range(len(solution.t))]))
    place = {name: solution.track(name).position[:, None, :] for name in layout.frames}
    fixed = {name for name, frame in layout.frames.items() if frame.numbers[0] >= n}
    used = {f"{beam}.{tag}" for beam in layout.beams for tag in ("start", "end")}
    everywhere = place
    for name, pair in layout.pairs.items():
        on = solution.is_on(name)
        if not on.any():
            continue
        # what is off has no place in a picture
        place = {frame: np.where(on[:, None, None], everywhere[frame], np.nan) for frame in (pair.a, pair.b)}
        both = np.concatenate([place[pair.a], place[pair.b]], axis=1)
        if "rod" in pair.glyphs:
            scene.put("rods", name, both)
        if "spring" in pair.glyphs:
            scene.put("springs", name, both)
        if "pin" in pair.glyphs:
            scene.put("pins", name, place[pair.b])
        if "slider" in pair.glyphs and (pair.a in fixed) != (pair.b in fixed):
            moving = pair.b if pair.a in fixed else pair.a
            scene.put("blocks", name, place[moving])
            scene.guides.append(place[moving][:, 0])
        else:
            used |= {pair.a, pair.b}
    standing = {tuple(everywhere[name][0, 0].round(12)) for name in fixed & used}
    scene.grounds = [np.array(point) for point in sorted(standing)]
    return scene


def component_lines(solution: Recorded) -> dict[str, list[np.ndarray]]:
    """The lines (k, p, 2) [m], in space (k, p, 3), that components give of themselves, by name. A solution from a file
    has none."""
    if solution.model is None:
        return {}
    by_name = {}
    k, d = len(solution.t), solution.layout.dimension
    for name, component in solution.model.components.items():
        lines = [np.asarray(line, dtype=float) for line in component.drawn(solution)]
        for line in lines:
            if line.shape[-1:] != (d,) or line.shape[:-2] not in ((), (k,)) or line.ndim < 2 or line.shape[-2] < 2:
                raise ModelError(
                    f"{component.where}: drawn gave a line of shape {line.shape}; it must be (times, points, {d}), "
                    f"here ({k}, p, {d}), or (p, {d}) of what stands still, with two points at least"
                )
        if lines:
            by_name[name] = [np.broadcast_to(line, (k, *line.shape[-2:])) for line in lines]
    return by_name

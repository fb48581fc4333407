"""The stage: all pieces of a picture of a solution, at its times. The modules `render` and `page` draw them.

A plane mechanism lies in the plane z = 0 and gets a thickness: a beam that of its section, all else one in proportion
to the size of the mechanism. In space bodies have their shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.bodies.stresses import needed_elasticity
from flexmb.errors import ModelError, NamingError
from flexmb.model import given_names
from flexmb.model.appearance import BeamPlace
from flexmb.results.beams.along import along_units
from flexmb.results.pictures.deforming import DEFORMATION, deforming
from flexmb.results.pictures.displacement import DISPLACEMENT
from flexmb.results.pictures.outlines import carriers
from flexmb.results.pictures.roads import roads
from flexmb.results.pictures.scene import component_lines, scene_of
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.stress_track import stress_names
from flexmb.visual.stage import meshes
from flexmb.visual.stage.arrows import arrows, selected_loads
from flexmb.visual.stage.beam_sections import places_drawn, section_axes
from flexmb.visual.stage.bodies import bodies
from flexmb.visual.stage.covers import covered, covers
from flexmb.visual.stage.joints import SLIDING, joints
from flexmb.visual.stage.meshes import stretched
from flexmb.visual.stage.pieces import BentTube, Deforming, InFront, Piece, Rigid, Trail
from flexmb.visual.stage.placing import about, along, fastened, in_space, poses, upright
from flexmb.visual.stage.scales import PictureScales, Selection


def stage(
    solution: Recorded, selection: Selection, scales: PictureScales, ghosts: Recorded | None = None
) -> list[Piece]:
    """All pieces at the times of a solution, fixed ones first, with roads that reach below `ghosts`; :func:`trails`
    makes the trails."""
    pieces = [*_grounds(solution, scales), *joints(solution, scales)]
    pieces += bodies(solution, scales.thickness, scales.marked)
    known = (DEFORMATION, DISPLACEMENT, *stress_names(solution.layout.dimension))
    of_mesh = selection.quantity if selection.quantity in known else None
    stressed = of_mesh not in (None, DEFORMATION, DISPLACEMENT)
    for number, mesh in enumerate(deforming(solution, stressed=stressed, displaced=selection.displaced)):
        colored = of_mesh if of_mesh and mesh.name in selection.colored else ""
        pieces.append(Deforming.of(mesh, number, colored=colored))
    pieces += covers(solution, selection, scales)
    pieces += [*_beams(solution, selection, scales), *_lines(solution, scales, ghosts)]
    for name, role, load in selected_loads(solution, selection):
        pieces += arrows(load, name, role, scales)
    return pieces


def _lines(solution: Recorded, scales: PictureScales, ghosts: Recorded | None) -> list[Piece]:
    """The lines of components and roads: threads, a third as thick as the thinnest beam."""
    thread = meshes.circle(0.0022 * scales.thickness, 8)
    pieces: list[Piece] = []
    for role, given in (("rod", component_lines(solution)), ("rail", roads(solution, ghosts))):
        for name, lines in given.items():
            on = solution.is_on(name)
            pieces += [replace(BentTube.of(name, role, line, thread), on=on) for line in lines]
    return pieces


def trails(dense: Recorded, keys: Sequence[str], times: np.ndarray, unit: float) -> list[Piece]:
    """The paths of points through the times of a dense solution, each as far as the point has come at `times`."""
    if len(dense.t) < 2:
        return []
    layout, flat = dense.layout, dense.layout.dimension == 2
    plates = {carrier.numbers for carrier in carriers(dense) if len(carrier.shape) > 1} if flat else set()
    pieces: list[Piece] = []
    for key in keys:
        frame = layout.bodies[key].frame if key in layout.bodies else key
        # the path of a point on a plate is drawn in front of the plate, where it is visible
        z = 0.017 * unit if frame in layout.frames and layout.frames[frame].numbers in plates else 0.0
        pieces.append(Trail.of(key, dense.t, in_space(dense.track(key).position, z), times, 0.0022 * unit, flat))
    return pieces


def triads(solution: Recorded, wanted: Sequence[str], unit: float) -> list[Piece]:
    """The axes of frames as arrows in front of all else: x red, y green, z blue; in the plane x and y."""
    local = stretched(np.asarray(meshes.arrow().points), 0.09 * unit, 0.0024 * unit)
    pieces: list[Piece] = []
    for name in wanted:
        own = poses(solution.track(name))
        own = own[:1] if solution.layout.is_fixed(name) else own
        for letter, axis in list(zip("xyz", np.eye(3)))[: solution.layout.dimension]:
            points = local @ along(axis).T
            pieces.append(InFront(name, f"axis {letter}", meshes.arrow().regular_faces, points, own))
    return pieces


def colorable(solution: Recorded, wanted: str) -> tuple[str, tuple[str, ...]]:
    """The quantity and the beams that 'bending_moment' or 'rod.bending_moment' colors; 'deformation' colors the meshes
    of bodies, and so do their stresses, 'von_mises'; 'displacement' colors both."""
    layout, units = solution.layout, along_units(solution.layout)
    if not isinstance(wanted, str):
        raise ModelError(f"{solution.where}: color is {wanted!r}; give the name of a quantity, 'bending_moment' …")
    beam, dot, quantity = wanted.rpartition(".")
    meshed = tuple(name for name, body in layout.bodies.items() if body.mesh is not None)
    of_meshes = (DEFORMATION, *stress_names(layout.dimension)) if meshed else ()
    bending = (*meshed, *layout.beams)
    if quantity == DISPLACEMENT and bending:
        if dot and beam not in bending:
            known = [f"{name}.{quantity}" for name in bending]
            raise given_names.unknown(wanted, known, "quantity to color by", solution.where)
        return quantity, (beam,) if dot else bending
    if quantity in of_meshes:
        if dot and beam not in meshed:
            known = [f"{name}.{quantity}" for name in meshed]
            raise given_names.unknown(wanted, known, "quantity to color by", solution.where)
        chosen = (beam,) if dot else meshed
        if quantity != DEFORMATION:
            stressed = tuple(name for name in chosen if getattr(layout.bodies[name].mesh, "elasticity", ()))
            if not stressed:
                needed_elasticity(layout.bodies[chosen[0]].mesh, f"{solution.where}, body {chosen[0]!r}")
            chosen = stressed
        return quantity, chosen
    if dot and beam not in layout.beams:
        known = [f"{name}.{quantity}" for name in layout.beams]
        raise given_names.unknown(wanted, [*known, *units], "quantity to color by", solution.where)
    if quantity not in units:
        known = [f"{beam}.{x}" for x in units] if dot else [*of_meshes, DISPLACEMENT, *units]
        raise given_names.unknown(wanted, known, "quantity to color by", solution.where)
    if dot:
        solution.along(beam, quantity, 2)
        return quantity, (beam,)
    if not layout.beams:
        raise ModelError(f"{solution.where}: it has no beams that {wanted!r} could color; leave out color")
    colored, refusal = [], None
    for name in layout.beams:
        try:
            solution.along(name, quantity, 2)
            colored.append(name)
        except ModelError as why:
            refusal = why
    if not colored and refusal is not None:
        raise refusal
    return quantity, tuple(colored)


def colors_in(solution: Recorded, color: dict[str, Any]) -> dict[str, Any]:
    """The `color` that a user wants, with all that belongs to it, in a run beside another one; nothing where that run
    has nothing of the kind."""
    try:
        colorable(solution, color["color"])
    except (ModelError, NamingError):
        return dict.fromkeys(color)
    return color


def beam_profile(beam: BeamPlace, unit: float) -> meshes.Profile:
    """The section of a beam as it is drawn.

    With I = EI/EA · A and c the outer fiber, a section with I = A c²/3 is a rectangle of height 2c and width A/(2c);
    any other is drawn round with the radius c. If c is not known the radius is that of the full circle with the same
    bending and axial stiffness, 2 √(EI/EA). To be visible, every beam has a radius of at least 6/1000 of the
    mechanism's size; one of unknown section has at most 25/1000. In space the section is round, or its outline, with y
    along the first axis of the profile; if neither is known and EIy and EIz differ, it is the rectangle of this
    stiffness, √(12 EIz/EA) along y and √(12 EIy/EA) along z. Of what has corners the larger half is at least 6/1000,
    the smaller one 2/1000.
    """
    least = 0.006 * unit
    if beam.EIy > 0.0:
        return _spatial_profile(beam, unit, least)
    c = beam.outer_fiber
    if c > 0.0 and beam.area > 0.0 and beam.EA > 0.0:
        if abs(3.0 * beam.EI / (beam.EA * c * c) - 1.0) < 1e-6:
            return meshes.rectangle(max(2.0 * c, 2.0 * least), max(beam.area / (2.0 * c), 2.0 * least))
        return meshes.circle(max(c, least))
    radius = 2.0 * np.sqrt(beam.EI / beam.EA) if beam.EA > 0.0 else 0.0
    return meshes.circle(max(c, least) if c > 0.0 else min(max(radius, least), 0.025 * unit))


def _spatial_profile(beam: BeamPlace, unit: float, least: float) -> meshes.Profile:
    """The section of a beam in space."""
    if beam.radius > 0.0:
        return meshes.circle(max(beam.radius, least), 24)
    if beam.outline:
        corners = np.array(beam.outline)
        size = np.maximum(np.ptp(corners, axis=0), 1e-300)
        return meshes.polygon(corners * _thick_enough(size, least) / size)
    sides = np.sqrt(12.0 * np.array([beam.EI, beam.EIy]) / beam.EA)
    if abs(sides[0] / sides[1] - 1.0) < 1e-6:
        return meshes.circle(min(max(sides[0] / np.sqrt(3.0), least), 0.025 * unit))
    sides *= min(1.0, 0.05 * unit / sides.max())
    return meshes.rectangle(*_thick_enough(sides, least).tolist())


def _thick_enough(sides: np.ndarray, least: float) -> np.ndarray:
    """The sides (2,) of a section that are to be seen."""
    return np.maximum(sides * max(1.0, 2.0 * least / sides.max()), 2.0 * least / 3.0)


def _beams(solution: Recorded, selection: Selection, scales: PictureScales) -> list[Piece]:
    pieces: list[Piece] = []
    shown_otherwise = covered(solution)
    for name, beam in solution.layout.beams.items():
        if name in shown_otherwise:
            continue
        points = places_drawn(solution, name, selection.points)
        quantity = None
        if selection.quantity is not None and name in selection.colored:
            quantity = selection.color_along(solution, name, points)
        profile = beam_profile(beam, scales.unit)
        profile = replace(profile, points=scales.thickness_factor * profile.points)
        sides = section_axes(solution, name, points)[0] if solution.layout.dimension == 3 else None
        widths = taper_at(beam, solution.places(name, points))
        pieces.append(BentTube.of(name, "beam", solution.axis(name, points), profile, quantity, sides, widths))
    return pieces


def taper_at(beam: BeamPlace, places: np.ndarray) -> np.ndarray | None:
    """The shares (p, 2) of the section of a beam along y and z at places s (p,); None of a uniform one."""
    if not beam.taper:
        return None
    s, y, z = np.array(beam.taper).T
    return np.column_stack([np.interp(places, s, y), np.interp(places, s, z)])


def _grounds(solution: Recorded, scales: PictureScales) -> list[Piece]:
    """A support at every fixed place to which something is fastened."""
    unit = scales.thickness
    if solution.layout.dimension == 3:
        upward = fastened(upright(np.array(fixed_points(solution)).reshape(-1, 3)), np.zeros(3), about(scales.up))
        return [Rigid.of("ground", "ground", meshes.foot(0.028), pose, size=unit) for pose in upward]
    foot, hatch = meshes.support(0.028, 0.022)
    pieces: list[Piece] = []
    for pose in upright(np.array(fixed_points(solution)).reshape(-1, 2)):
        parts = (("ground", foot), ("hatch", hatch))
        pieces += [Rigid.of("ground", role, mesh, pose, size=unit) for role, mesh in parts]
    return pieces


def fixed_points(solution: Recorded) -> list[np.ndarray]:
    """The fixed places to which something is fastened that needs a support."""
    layout = solution.layout
    if layout.dimension == 2:
        return scene_of(solution.at(solution.t[:1])).grounds
    apart = SLIDING | {"rolling"}
    ends = (f"{beam}.{tag}" for beam in layout.beams for tag in ("start", "end"))
    used = {frame for frame in ends if frame in layout.spatial and layout.is_fixed(frame)}
    # joints that shapes show, and what stands between the same frames
    shown = {(p.a, p.b) for p in layout.pairs.values() if not p.glyphs and p.joint is not None and p.joint.coordinates}
    for pair in layout.pairs.values():
        if not pair.glyphs and (pair.a, pair.b) in shown:
            continue
        fixed = [frame for frame in (pair.a, pair.b) if layout.is_fixed(frame)]
        if not fixed or apart & set(pair.glyphs) or pair.contact is not None:
            continue
        a, b = (solution.track(frame).position[0] for frame in (pair.a, pair.b))
        # what is drawn as nothing at its frame a holds b there only if b is there, as in a weld
        if set(pair.glyphs) - {"motor"} or np.linalg.norm(b - a) <= 1e-6 * (1.0 + np.linalg.norm(a)):
            used.update(fixed)
    return [np.array(place) for place in sorted({tuple(solution.track(x).position[0].round(12)) for x in used})]

"""The pieces of joints, springs and motors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.model.appearance import PairPlace
from flexmb.model.orientations import scalar_first
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.spatial_track import products
from flexmb.visual.stage import meshes
from flexmb.visual.stage.hinges import HALF, LONG, PROUD, RADIUS, THIN
from flexmb.visual.stage.pieces import BentTube, Helix, Piece, Rigid, Spiral
from flexmb.visual.stage.placing import (
    X,
    Z,
    about,
    along,
    fastened,
    in_space,
    matrix,
    planar_poses,
    poses,
    rotations,
    upright,
)
from flexmb.visual.stage.scales import PictureScales, Slide

#: places in a joint, and along which of its axes they are
PLACES_ALONG = {"x": 0, "y": 1, "z": 2, "position": 2}
#: the shapes that slide, and need to know how far
SLIDING = {"slider", "sleeve", "screw", "table"}


def joints(solution: Recorded, scales: PictureScales) -> list[Piece]:
    """The pieces of all that is drawn between two frames, while it takes part; several pins in one place are one
    piece."""
    pieces: list[Piece] = []
    taken: set[tuple] = set()
    for name, pair in solution.layout.pairs.items():
        on = solution.is_on(name)
        if not on.any():
            continue
        for glyph, pieces_of in PIECES_OF_GLYPHS.items():
            if glyph not in pair.glyphs:
                continue
            if glyph == "pin":
                poses_of = _on_axis(solution, name)
                spot = (tuple(poses_of[0].round(9)), tuple(poses_of[-1].round(9)))
                if spot in taken and on.all():
                    continue
                taken |= {spot} if on.all() else set()
            pieces += _while_on(pieces_of(solution, name, scales), on)
        if pair.stop is not None and pair.joint is not None and _joint_is_drawn(solution, name):
            pieces += _while_on(_stop(solution, name, scales), on)
    return pieces


def _while_on(pieces: list[Piece], on: np.ndarray) -> list[Piece]:
    """Pieces that are drawn only while their component takes part."""
    for piece in [] if on.all() else pieces:
        piece.on = on
    return pieces


def _rod(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A rod, or the rope that a distance with an upper limit alone is."""
    pair = solution.layout.pairs[name]
    if is_rope(pair):
        assert pair.stop is not None
        line = hanging(in_space(_ends(solution, name)), pair.stop.upper, scales.up)
        return [BentTube.of(name, "rod", line, meshes.circle(0.0035 * scales.thickness))]
    return [BentTube.of(name, "rod", _ends(solution, name), meshes.circle(0.006 * scales.thickness, 12))]


def is_rope(pair: PairPlace) -> bool:
    """Whether a pair is a rope: a distance with an upper limit alone."""
    return "rod" in pair.glyphs and pair.stop is not None and pair.stop.lower <= 0.0


def hanging(ends: np.ndarray, length: float, up: np.ndarray) -> np.ndarray:
    """Points (k, p, 3) of a rope of a length [m] between two points (k, 2, 3): a parabola that hangs down by so much
    that it is as long."""
    u = np.linspace(0.0, 1.0, 33)[:, None]
    chord = ends[:, :1] + u * (ends[:, 1:] - ends[:, :1])
    sag = -4.0 * u * (1.0 - u) * up
    low, high = np.zeros(len(ends)), np.full(len(ends), length)
    for _ in range(40):
        depth = 0.5 * (low + high)
        points = chord + depth[:, None, None] * sag
        longer = np.sum(np.linalg.norm(np.diff(points, axis=1), axis=2), axis=1) > length
        low, high = np.where(longer, low, depth), np.where(longer, depth, high)
    return np.asarray(chord + low[:, None, None] * sag)


def _joint_is_drawn(solution: Recorded, stop: str) -> bool:
    """Whether the joint that a stop limits is drawn; if not, meshes of its bodies show both."""
    pair = solution.layout.pairs[stop]
    return any(other.glyphs and (other.a, other.b) == (pair.a, pair.b) for other in solution.layout.pairs.values())


def _stop(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """The limits of a joint: collars on a's axis, or pins around it between which a pointer on b turns."""
    pair, u = solution.layout.pairs[name], scales.thickness
    assert pair.stop is not None and pair.joint is not None
    limits = [(x, side) for x, side in ((pair.stop.lower, -1.0), (pair.stop.upper, 1.0)) if np.isfinite(x)]
    a, b = (poses(track) for track in _tracks(solution, name))
    on_a, on_b = (matrix(np.array(axes)) for axes in (pair.joint.axes_a, pair.joint.axes_b))
    place = PLACES_ALONG.get(pair.stop.measure)
    if place is not None:
        collar = meshes.moved(meshes.ring(0.0, 0.03, 0.004), u * about(np.eye(3)[place]))
        shift = on_a[:, place]
        collars = [meshes.moved(collar, on_a, (x + side * 0.042 * u) * shift) for x, side in limits]
        where = a[:1] if solution.layout.is_fixed(pair.a) else a
        return [Rigid.of(name, "rail", meshes.merged(collars), where)] if collars else []
    if pair.stop.measure != "angle" or any(abs(x) > np.pi for x, _ in limits):
        return []
    pointer = meshes.bar(np.array([np.zeros(3), 0.055 * X]), 0.005)
    turned = fastened(b, np.zeros(3), on_b)
    pins = []
    for x, side in limits:
        angle = x + side * 0.22  # the pointer and the pin have some thickness
        spot = 0.05 * np.array([np.cos(angle), np.sin(angle), 0.0])
        pins.append(meshes.bar(np.array([spot - 0.014 * Z, spot + 0.014 * Z]), 0.006))
    fixed = fastened(np.column_stack([turned[:, 0:3], a[:, 3:7]]), np.zeros(3), on_a)
    return [
        Rigid.of(name, "joint", pointer, turned, size=u),
        Rigid.of(name, "rail", meshes.merged(pins), fixed, size=u),
    ]


def _spring(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    ends = in_space(_ends(solution, name))
    return [Helix.of(name, ends, 0.018 * scales.thickness, 0.0034 * scales.thickness)]


def _spiral(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A flat spring about the axis, whose inner end turns with frame a and whose outer end turns with frame b."""
    a, b = _tracks(solution, name)
    size = scales.thickness
    if solution.layout.dimension == 2:
        inner, twist = planar_poses(np.column_stack([b.position, a.angle])), b.angle - a.angle
    else:
        on_a, on_b = _axes(solution, name)
        inner, outer = fastened(poses(a), np.zeros(3), on_a), fastened(poses(b), np.zeros(3), on_b)
        inner[:, 0:3] = _tracks(solution, _pin_of(solution, name))[1].position
        x, y = (rotations(inner).inv() * rotations(outer)).as_matrix()[:, 0:2, 0].T
        twist = np.unwrap(np.arctan2(y, x))
        if (reach := scales.hinges.get(_pin_of(solution, name))) is not None:
            # beside the bodies, near the end of their pin: within them its coils would seem to float before them
            inner[:, 0:3] += rotations(inner).apply([0.0, 0.0, reach[1] + 0.4 * PROUD * scales.unit])
            size *= 0.65 if reach[1] - reach[0] > LONG * scales.unit else 1.0
    return [Spiral.of(name, inner, twist, 0.042 * size, 0.0034 * size)]


def _bushing(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    ring = meshes.ring(0.013, 0.027, 0.018)
    return [Rigid.of(name, "bushing", ring, _on_axis(solution, name), size=scales.thickness)]


def _motor(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A ring with two lugs that turns with frame b, about the pin between the same bodies, and its rotor."""
    pin, own = _pin_of(solution, name), poses(_tracks(solution, name)[1])
    places = own
    if solution.layout.dimension == 3:
        places = fastened(own, np.zeros(3), _axes(solution, name)[1])
    places = np.column_stack([in_space(_tracks(solution, pin)[1].position), places[:, 3:7]])
    lugs = [meshes.box(0.012, 0.01, 0.0175).translate((x, 0.0, 0.0)) for x in (0.027, -0.027)]
    ring = meshes.merged([meshes.ring(0.018, 0.026, 0.0175), *lugs])
    pieces: list[Piece] = [Rigid.of(name, "motor", ring, places, size=scales.thickness)]
    rotor = solution.layout.pairs[name].rotor
    if rotor:
        # on a, behind the ring, with a shaft to it
        shaft = meshes.cylinder(0.006, 0.022).translate((0.0, 0.0, -0.022))
        disk = meshes.merged([meshes.flywheel().scale(0.56).translate((0.0, 0.0, -0.034)), shaft])
        turns = Rotation.from_rotvec(np.outer(solution.coordinate(rotor), Z))
        stator = fastened(poses(_tracks(solution, name)[0]), np.zeros(3), _axes(solution, name)[0])
        turned = np.column_stack([places[:, 0:3], products(stator[:, 3:7], scalar_first(turns))])
        pieces.append(Rigid.of(name, "rotor", disk, turned, size=scales.thickness))
    return pieces


def _slider(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """The block of a slide, and its rails."""
    u = scales.thickness
    flat = solution.layout.dimension == 2
    block = meshes.box(0.085, 0.055, 0.016) if flat else meshes.moved(meshes.cube(), np.diag([0.034, 0.02, 0.02]))
    pieces: list[Piece] = [Rigid.of(name, "arm", block, _on_slide(solution, name, scales), size=u)]
    first, last = scales.slides[name].first - 0.075 * u, scales.slides[name].last + 0.075 * u
    shape = np.array([[first, 0.0], [last, 0.0]])
    rail = meshes.plate(shape, 0.0045 * u, 0.0045 * u)
    beside = (0.033 if flat else 0.025) * u
    rails = [rail.translate((0.0, y, 0.0)) for y in (beside, -beside)]
    return [*pieces, _on_a(solution, name, "rail", meshes.merged(rails), scales)]


def _sleeve(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A round sleeve on b, and the rod on a in it."""
    u, slide_of = scales.thickness, scales.slides[name]
    sleeve = meshes.moved(meshes.ring(0.0135, 0.023, 0.036), about(X))
    ends = np.array([[slide_of.first - 0.09 * u, 0.0, 0.0], [slide_of.last + 0.09 * u, 0.0, 0.0]])
    rod = _on_a(solution, name, "rail", meshes.bar(ends, 0.011 * u), scales)
    return [Rigid.of(name, "joint", sleeve, _on_slide(solution, name, scales), size=u), rod]


def _screw(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A nut on b, and the threaded rod on a."""
    u, slide_of = scales.thickness, scales.slides[name]
    nut = meshes.moved(meshes.drum(6), np.diag([0.027, 0.027, 0.02]))
    half, middle = 0.5 * (slide_of.last - slide_of.first) + 0.07 * u, 0.5 * (slide_of.last + slide_of.first)
    rod = meshes.moved(meshes.thread(0.011 * u, half, max(3, round(half / (0.012 * u)))), about(X))
    lying = _on_a(solution, name, "rail", rod.translate((middle, 0.0, 0.0)), scales)
    nut_at = fastened(poses(_tracks(solution, name)[1]), np.zeros(3), _axes(solution, name)[1])
    return [Rigid.of(name, "joint", nut, nut_at, size=u), lying]


def _table(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A plate on a, across the axis, as far as b travels on it."""
    u, slide_of = scales.thickness, scales.slides[name]
    half, middle = 0.5 * (slide_of.high - slide_of.low) + 0.05 * u, 0.5 * (slide_of.high + slide_of.low)
    plate = meshes.moved(meshes.cube(), np.diag([0.003 * u, *half]), (slide_of.first, *middle))
    return [_on_a(solution, name, "rail", plate, scales)]


def _ball(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    return [Rigid.of(name, "joint", meshes.ball(0.0185), _on_axis(solution, name), size=scales.thickness)]


def _cage(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A ball in a ring."""
    cage = meshes.merged([meshes.ball(0.0185), meshes.ring(0.021, 0.029, 0.009)])
    return [Rigid.of(name, "joint", cage, _on_axis(solution, name), size=scales.thickness)]


def _cross(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """Two pins through one point: one along the axis of a, and one along that of b."""
    place = in_space(_tracks(solution, name)[1].position)
    pieces: list[Piece] = []
    for track, axes in zip(_tracks(solution, name), _axes(solution, name)):
        turned = fastened(poses(track), np.zeros(3), axes)
        turned[:, 0:3] = place
        pieces.append(Rigid.of(name, "joint", meshes.cylinder(0.0085, 0.036), turned, size=scales.thickness))
    return pieces


def _pin(solution: Recorded, name: str, scales: PictureScales) -> list[Piece]:
    """A pin; it is thinner in the block of a slide."""
    radius = 0.0085 if "slider" in solution.layout.pairs[name].glyphs else RADIUS
    half, u = 0.021 if solution.layout.dimension == 2 else HALF, scales.thickness
    mesh = meshes.cylinder(radius, half)
    if (reach := scales.hinges.get(name)) is not None:
        low, high = min(reach[0] / u - PROUD, -half), max(reach[1] / u + PROUD, half)
        radius = THIN if high - low > LONG else radius
        mesh = meshes.cylinder(radius, 0.5 * (high - low)).translate((0.0, 0.0, 0.5 * (high + low)))
    return [Rigid.of(name, "joint", mesh, _on_axis(solution, name), size=u)]


#: how each of :data:`flexmb.model.appearance.GLYPHS` is drawn; the pin comes last, in front of its block
PIECES_OF_GLYPHS = {
    "rod": _rod,
    "spring": _spring,
    "spiral": _spiral,
    "bushing": _bushing,
    "motor": _motor,
    "slider": _slider,
    "sleeve": _sleeve,
    "screw": _screw,
    "table": _table,
    "ball": _ball,
    "cage": _cage,
    "cross": _cross,
    "pin": _pin,
}


def _tracks(solution: Recorded, name: str) -> tuple[Any, Any]:
    pair = solution.layout.pairs[name]
    return solution.track(pair.a), solution.track(pair.b)


def _ends(solution: Recorded, name: str) -> np.ndarray:
    """The origins (k, 2, 2) of both frames, in space (k, 2, 3)."""
    return np.stack([track.position for track in _tracks(solution, name)], axis=1)


def _axes(solution: Recorded, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The axes (3, 3) of a pair, as columns, in frame a and in frame b, the third along its axis; z where it says no
    other."""
    pair = solution.layout.pairs[name]
    given = (Z if axis is None else np.array(axis) for axis in (pair.axis, pair.axis_b))
    on_a, on_b = map(about, given)
    return on_a, on_b


def _on_axis(solution: Recorded, name: str) -> np.ndarray:
    """Poses (k, 7) at frame b of a piece whose z is along the axis of the pair, which turns with frame a."""
    a, b = _tracks(solution, name)
    if solution.layout.dimension == 2:
        return upright(b.position)
    axis = products(
        poses(a)[:, 3:7], fastened(upright(np.zeros((1, 3))), np.zeros(3), _axes(solution, name)[0])[:, 3:7]
    )
    return np.column_stack([b.position, axis])


def _on_slide(solution: Recorded, name: str, scales: PictureScales) -> np.ndarray:
    """Poses (k, 7) at frame b of a piece whose x is along the direction in which it slides; it turns with frame a."""
    a, b = _tracks(solution, name)
    turned = fastened(poses(a), np.zeros(3), along(scales.slides[name].direction))
    return np.column_stack([in_space(b.position), turned[:, 3:7]])


def _on_a(solution: Recorded, name: str, role: str, mesh: meshes.PolyData, scales: PictureScales) -> Piece:
    """A piece along the direction in which a pair slides; it lies on the ground or moves with frame a."""
    a = solution.layout.pairs[name].a
    places = fastened(poses(solution.track(a)), np.zeros(3), along(scales.slides[name].direction))
    return Rigid.of(name, role, mesh, places[:1] if solution.layout.is_fixed(a) else places)


def _pin_of(solution: Recorded, drive: str) -> str:
    """The joint between the two bodies that a drive turns; the drive itself if there is none."""
    layout = solution.layout

    def nodes(name: str) -> set[tuple[int, ...]]:
        return {layout.node_of(layout.pairs[name].a), layout.node_of(layout.pairs[name].b)}

    pins = (name for name, pair in layout.pairs.items() if "pin" in pair.glyphs and nodes(name) == nodes(drive))
    return next(pins, drive)


def slide(solution: Recorded, name: str) -> Slide:
    """How a joint slides: along the axis that it states, or else, in the plane, in the direction in which its block
    moves."""
    pair = solution.layout.pairs[name]
    path = solution.relative(pair.b, pair.a).position
    if path.shape[1] == 3:
        direction = _axes(solution, name)[0][:, 2]
    elif pair.axis is not None:
        direction = np.array([np.cos(pair.axis), np.sin(pair.axis)])
    else:
        away = path - path[0]
        far = away[np.argmax(np.hypot(*away.T))]
        turn = float(np.arctan2(far[1], far[0]))
        direction = np.array([np.cos(turn), np.sin(turn)])
    along_it, across = path @ direction, np.zeros((1, 2))
    if path.shape[1] == 3:
        across = path @ along(direction)[:, 1:]
    ends = [float(along_it.min()), float(along_it.max())]
    for other in solution.layout.pairs.values():
        if other.stop is not None and other.stop.measure == "position" and (other.a, other.b) == (pair.a, pair.b):
            ends += [x for x in (other.stop.lower, other.stop.upper) if np.isfinite(x)]
    return Slide(min(ends), max(ends), in_space(direction), across.min(axis=0), across.max(axis=0))

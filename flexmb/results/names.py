"""From names to numbers over time: 'rod.end', 'rod@0.25', 'rod.end.y', 'rod@0.5.curvature', 'hinge.fx', 'energy.total',
'rod.bending1', 'rod.bending1 rate', 'servo.motor', 'hinge.angle', 'slide.rate', 'hinge.acceleration'; in space
'top.ZXZ1'; of meshes 'bracket.von_mises', 'bracket@17.von_mises'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from flexmb.bodies.fields import PAIRS
from flexmb.bodies.stresses import needed_elasticity, von_mises
from flexmb.errors import NamingError
from flexmb.forces.contact_force import is_hard
from flexmb.joints.touching import ACROSS, NORMAL
from flexmb.model import given_names
from flexmb.model.hints import AnswersCalls
from flexmb.plots.words import Quantity
from flexmb.quantities.of_contacts import of_stop, stop_units
from flexmb.quantities.of_frames import TURNS
from flexmb.quantities.of_system import whole_units
from flexmb.quantities.places import InLayout
from flexmb.results import meaning as meanings
from flexmb.results.asked import joint_frames, quantity_of
from flexmb.results.beams.means import is_mean, warn_if_it_varies
from flexmb.results.beams.sections import section_units, section_values
from flexmb.results.beams.shears import warn_if_twisted
from flexmb.results.layout import Layout
from flexmb.results.meaning import PRESSING, RATE, Meaning, asked_of, meaning, spot_of, track_units
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.columns import frame_columns
from flexmb.results.tracks.contact_track import ContactTrack, StopTrack, contact_track
from flexmb.results.tracks.joint_track import JointTrack
from flexmb.results.tracks.spatial_track import Track as SpatialTrack
from flexmb.results.tracks.stress_track import StressTrack, stress_names
from flexmb.results.tracks.track import SEEN_FROM, Track, seen_from


@dataclass(frozen=True, eq=False)
class Series(metaclass=AnswersCalls):
    """One quantity over time: its full name, its unit, and its values (k,). A quantity that jumps between the times of
    the solution also has a `course`: times and values of its line, with both sides of every jump. `mean`: whether it is
    a mean over an element of a beam, or made of one.

    >>> import flexmb as fm
    >>> from flexmb import examples
    >>> run = fm.simulate(examples.load("pendulum").build(), 0.1, step=0.01)
    >>> height = run.series("rod.end.y")
    >>> height.name, height.unit, height.values.shape
    ('rod.end.y', 'm', (11,))
    """

    name: str
    unit: str
    values: np.ndarray
    course: tuple[np.ndarray, np.ndarray] | None = None
    mean: bool = False

    def __repr__(self) -> str:
        extent = (
            f", {np.nanmin(self.values):.6g} … {np.nanmax(self.values):.6g}" if np.isfinite(self.values).any() else ""
        )
        return f"Series({self.name!r} [{self.unit}], {len(self.values)} values{extent})"

    @property
    def axis(self) -> Quantity:
        """What the axis of a picture shows."""
        return Quantity(f"{self.name}{', element mean' if self.mean else ''}", self.unit, self.values)


def beam_name(solution: Recorded, key: Any) -> str:
    """The name of a beam of a solution, given as a text or as the beam itself."""
    name = key_name(solution, key)
    if name not in solution.layout.beams:
        raise given_names.unknown(name, solution.layout.beams, "beam", solution.where)
    return name


def key_name(solution: Recorded, key: Any) -> str:
    """The name of whatever a solution is asked for: a text, a frame, a body or a point of a beam."""
    if isinstance(key, str):
        return key
    name = getattr(key, "name", None)
    if isinstance(name, str):
        return name
    raise NamingError(f"{solution.where}: {key!r} is no name; give a text, a frame, a body or a point of a beam")


def find_track(solution: Recorded, name: str) -> Any:
    """The track of a frame, a body or a point of a beam, also as seen from another one; None if there is none of that
    name."""
    layout, spot = solution.layout, spot_of(solution.layout, name)
    if spot is None:
        return None
    one, against, to = name.partition(SEEN_FROM)
    if against:
        return seen_from(find_track(solution, one), find_track(solution, to))
    if spot.beam:
        return point_track(solution, spot.beam, spot.s, name)
    node, place = node_motion(solution, spot.frame), layout.spatial.get(spot.frame)
    if place is not None:
        return SpatialTrack(spot.frame, solution.t, frame_columns(solution.t, node, place.offset, place.axes))
    return Track(spot.frame, solution.t, frame_columns(solution.t, node, layout.frames[spot.frame].offset))


def point_track(solution: Recorded, beam: str, s: float, name: str = "") -> Any:
    """The track of the point s of a beam."""
    kind = Track if solution.layout.dimension == 2 else SpatialTrack
    return kind(name or f"{beam}@{s:g}", solution.t, solution.source.point(solution, beam, s))


def find_joint(solution: Recorded, name: str) -> JointTrack | None:
    """The motion in a joint; None if there is none of that name, or nothing is measured in it."""
    pair = solution.layout.pairs.get(name)
    if pair is None or pair.joint is None or not pair.joint.coordinates:
        return None
    joint = joint_frames(solution.layout, name, {})
    return JointTrack(name, joint, solution, find_joint(solution.original, name) if solution.original else None)


def find_touch(solution: Recorded, name: str) -> ContactTrack | StopTrack | None:
    """What a contact or a stop does; None if there is none of that name."""
    pair = solution.layout.pairs.get(name)
    if pair is None or (pair.contact is None and pair.stop is None):
        return None
    if pair.contact is None:
        assert pair.stop is not None
        between, places = joint_frames(solution.layout, name, {}), InLayout(solution.layout)
        own = {what: of_stop(between, what, places).over(solution) for what in stop_units(pair.stop)}
        return StopTrack(name, solution.t, place=pair.stop, **own)
    on = np.array([name not in off for off in solution.source.off(solution)])
    a, b = (find_track(solution, end) for end in (pair.a, pair.b))
    borne = solution.reaction(name, pair.b) if is_hard(pair.contact) else None
    return contact_track(name, pair.contact, a, b, on, borne)


def find_stress(solution: Recorded, name: str) -> StressTrack | None:
    """The stresses of a body, 'bracket.von_mises'; None for other names."""
    body, _, what = name.rpartition(".")
    place = solution.layout.bodies.get(body)
    if place is None or place.mesh is None or what not in stress_names(solution.layout.dimension):
        return None
    return stress_track(solution, body, what)


def stress_track(solution: Recorded, body: str, what: str) -> StressTrack:
    """A stress of a body that has a mesh."""
    place = solution.layout.bodies[body]
    mesh = place.mesh
    assert mesh is not None
    needed_elasticity(mesh, f"{solution.where}, body {body!r}")
    eta = np.stack([solution.coordinate(mode) for mode in mesh.modes], axis=1)
    off = None
    if mesh.left_out is not None:
        stress = np.einsum("pcl,kl->kpc", mesh.left_out, _inertia_loads(solution, place.frame))
        off = np.max(von_mises(stress), axis=1)
    return StressTrack(f"{body}.{what}", what, solution.t, eta, mesh, off)


class FrameMotion(NamedTuple):
    """How the frame of a body moves: `axes` (k, d, d), its unit vectors as columns; in these axes r̈ − gravity (k, d), α
    and ω (k, 3), in the plane (k, 1), and the gradient (k, d, d) of gravity, which is zero but for central gravity."""

    axes: np.ndarray
    acceleration: np.ndarray
    alpha: np.ndarray
    omega: np.ndarray
    gradient: np.ndarray


def frame_motion(solution: Recorded, frame: str) -> FrameMotion:
    """The motion of the frame of a body."""
    track, layout = find_track(solution, frame), solution.layout
    gravity = np.array(layout.gravity) if layout.gravity else np.zeros(layout.dimension)
    gradient = np.zeros((len(solution.t), layout.dimension, layout.dimension))
    if layout.central is not None:
        gravity = layout.central.acceleration(solution.t, track.position)
        gradient = layout.central.gradient(solution.t, track.position)
    if layout.dimension == 2:
        c, s = np.cos(track.angle), np.sin(track.angle)
        axes = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], axis=1)
        alpha, omega = track.angular_acceleration[:, None], track.angular_velocity[:, None]
    else:
        axes = track.orientation.as_matrix()
        alpha, omega = (
            track.orientation.apply(x, inverse=True) for x in (track.angular_acceleration, track.angular_velocity)
        )
    gradient = np.einsum("kxi,kxy,kyj->kij", axes, gradient, axes)
    return FrameMotion(axes, np.einsum("kxd,kx->kd", axes, track.acceleration - gravity), alpha, omega, gradient)


def _inertia_loads(solution: Recorded, frame: str) -> np.ndarray:
    """What loads of inertia of a body go with, in the axes of its frame: r̈ − gravity, α and ω_iω_j, (k, 12); in the
    plane (k, 4). In central gravity, whose gradient is G without a trace, ω ωᵀ − G is in the place of ω ωᵀ: the same
    accelerations follow from it."""
    _, u, alpha, w, gradient = frame_motion(solution, frame)
    pairs = PAIRS if w.shape[1] == 3 else PAIRS[:1]
    turning = np.einsum("ki,kj->kij", w, w)
    if w.shape[1] == 3:
        turning -= gradient
    return np.hstack([u, alpha, *(turning[:, i, j, None] for i, j in pairs)])


def joint_coordinates(layout: Layout) -> list[str]:
    """Names of the coordinates of all joints: 'hinge.angle'."""
    joints = {name: pair.joint for name, pair in layout.pairs.items() if pair.joint is not None and not pair.joint.acts}
    return [f"{name}.{what}" for name, place in joints.items() for what in place.coordinates]


def node_motion(solution: Recorded, frame: str) -> tuple[np.ndarray, ...]:
    """Coordinates, speeds and accelerations (k, …) of the node under a frame; angular velocities in space in its own
    axes."""
    layout, k = solution.layout, len(solution.t)
    place = layout.spatial.get(frame)
    q, v = (place.coordinates, place.speeds) if place else (layout.node_of(frame),) * 2
    if not layout.is_fixed(frame):
        return solution.q[:, q], solution.v[:, v], solution.a[:, v]
    own = layout.fixed[np.array(q) - solution.q.shape[1]]
    return np.tile(own, (k, 1)), np.zeros((k, len(v))), np.zeros((k, len(v)))


def find_series(solution: Recorded, name: str) -> Series | None:
    """One quantity by its name; None if there is none of that name."""
    known = meaning(solution.layout, name)
    if known is not None:
        mean = known.kind == meanings.SECTION and is_mean(solution, known.spot.beam, known.what)
        return Series(name, known.unit, _values(solution, known), mean=mean)
    for log in solution.control.values():
        signal = name.removeprefix(f"{log.name}.")
        if signal != name and signal in log.signals:
            t = solution.t
            return Series(name, log.unit(signal), log.at(signal, t), log.course(signal, float(t[0]), float(t[-1])))
    return None


def _values(solution: Recorded, known: Meaning) -> np.ndarray:
    """The values (k,) of a quantity."""
    of, what, spot = known.of, known.what, known.spot
    match known.kind:
        case meanings.ENERGY:
            return getattr(solution.energy, what)
        case meanings.WHOLE if what == "margin":
            return solution.support().margin  # which says why there is none
        case meanings.PLACE:
            track = find_track(solution, of)
            return track.turn(what) if solution.layout.dimension == 3 and what in TURNS else getattr(track, what)
        case meanings.SECTION:
            warn_if_it_varies(solution, spot.beam, spot.s, what)
            warn_if_twisted(solution, spot.beam, what)
            return section_values(solution, spot.beam, spot.s, what)
        case meanings.MOTION if (joint := find_joint(solution, of)) is not None:
            return getattr(joint, what)
        case meanings.FORCE if what in PRESSING:
            return _pressing(solution, of, what)
        case meanings.FORCE if of not in solution.layout.pairs:
            solution.reaction(of)  # which says on what frame its force could be asked for
        case meanings.STRESS:
            stress = stress_track(solution, of, what)
            return stress.values if spot.s is None else stress.at(spot.s)
        case meanings.COORDINATE:
            return solution.q[:, solution.layout.coordinates.index(of)]
    quantity = quantity_of(solution.layout, known)
    assert quantity is not None
    return quantity.over(solution)


def _pressing(solution: Recorded, joint: str, what: str) -> np.ndarray:
    """A quantity (k,) of :data:`PRESSING`, of a joint that rolls."""
    rows, multipliers = solution.layout.rows, solution.multipliers
    own = solution.layout.rows_of(joint)
    if what == "normal_force":
        return -multipliers[:, next(k for k in own if rows[k][1] == NORMAL)]
    return np.asarray(np.linalg.norm(multipliers[:, [k for k in own if rows[k][1] in ACROSS]], axis=1))


def unknown_name(solution: Recorded, name: str, series: bool = False) -> NamingError:
    """The error for a name that nothing has, with the names that come near."""
    layout = solution.layout
    places = track_names(solution)
    quantities, sections = track_units(layout), section_units(layout)
    shown = quantities_shown(layout.dimension)
    head, _, tail = name.rpartition(".")
    signals = [f"{log.name}.{signal}" for log in solution.control.values() for signal in log.signals]
    controller = next((x for x in solution.control if name == x or name.startswith(f"{x}.")), None)
    known = [*places, *layout.coordinates, *layout.states]
    coordinates = [x for x in layout.coordinates if x.startswith(f"{head}.")] if head in layout.pairs else []
    of_coordinates = [*coordinates, *(f"{coordinate}{RATE}" for coordinate in coordinates)]
    if controller is not None:
        known = [f"{controller}.{signal}" for signal in solution.control[controller].signals]
    elif own := [*(f"{head}.{what}" for what in asked_of(layout, head) if what not in TURNS), *of_coordinates]:
        known = own
    elif head.partition(".")[0] == "whole":
        known = [f"whole.{quantity}" for quantity in whole_units(layout.dimension)]
    elif tail in quantities:
        known = [f"{place}.{tail}" for place in places]
    elif name.endswith(RATE):
        known = [f"{coordinate}{RATE}" for coordinate in layout.coordinates]
    elif tail in sections:
        known = [
            f"{place}.{tail}" for beam in layout.beams for place in (f"{beam}.start", f"{beam}@0.5", f"{beam}.end")
        ]
    elif series:
        known += [*(f"{place}.{quantity}" for place in places for quantity in shown), *signals]
    if series and is_track(solution, name):
        return NamingError(
            f"{solution.where}: {name!r} is a place; ask for one of its quantities, e.g. {name + '.x'!r} or "
            f"{f'{name}.{shown[-1]}'!r}"
        )
    what = "quantity" if series else "frame, body, point or quantity"
    return given_names.unknown(name, dict.fromkeys(known), what, solution.where)


def quantities_shown(dimension: int) -> tuple[str, ...]:
    """What says where a frame is and how it is turned."""
    return ("x", "y", "angle") if dimension == 2 else ("x", "y", "z", "e0", "e1", "e2", "e3")


def track_names(solution: Recorded) -> list[str]:
    """Names of frames and bodies, and of one point of each beam."""
    layout = solution.layout
    names = [*layout.frames, *layout.spatial, *layout.inner, *layout.bodies, *(f"{beam}@0.5" for beam in layout.beams)]
    return list(dict.fromkeys(names))


def is_track(solution: Recorded, name: str) -> bool:
    """Whether a name is that of a track."""
    layout = solution.layout
    beam = name.rpartition("@")[0]
    return name in (*layout.frames, *layout.spatial, *layout.bodies, *layout.inner) or beam in layout.beams

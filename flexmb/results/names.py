"""From names to numbers over time: 'rod.end', 'rod@0.25', 'rod.end.y', 'rod@0.5.curvature', 'hinge.fx', 'energy.total',
'rod.bending1', 'rod.bending1 rate', 'servo.motor'; in space 'hinge.angle', 'slide.rate', 'top.ZXZ1'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.joints.touching import ACROSS, NORMAL
from flexmb.kernels.widths import POINT_WIDTH
from flexmb.model import checks
from flexmb.results import loops
from flexmb.results.contact_track import CONTACT_UNITS, ContactTrack, StopTrack, contact_track, stop_track, stop_units
from flexmb.results.joint_track import JointTrack, joint_units
from flexmb.results.layout import Layout, SpatialPlace
from flexmb.results.ledger import ENTRIES
from flexmb.results.recorded import Recorded
from flexmb.results.sections import section_units, section_values
from flexmb.results.spatial_track import TURNS, SpatialTrack, joint_seen, spatial_frame_track
from flexmb.results.track import SPATIAL_UNITS, UNITS, Track, frame_track

#: what follows the name of a coordinate in the name of its rate
RATE = " rate"
#: what can be asked of a joint, and its unit, for 2 and 3 coordinates of a place; force and moment in space are sizes
FORCES = {
    2: {"fx": "N", "fy": "N", "moment": "Nm", "force": "N"},
    3: {**dict.fromkeys(("fx", "fy", "fz", "force"), "N"), **dict.fromkeys(("mx", "my", "mz", "moment"), "Nm")},
}
#: what can besides be asked of what rolls, in the words of contacts: sizes, positive where the surfaces press
PRESSING = {"normal_force": "N", "friction_force": "N"}
ENERGIES = (*ENTRIES, "total", "balance")


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity over time: its full name, its unit, and its values (k,). A quantity that jumps between the times of
    the solution also has a `course`: times and values of its line, with both sides of every jump."""

    name: str
    unit: str
    values: np.ndarray
    course: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def axis(self) -> tuple[str, np.ndarray]:
        """What the axis of a picture says, and the values."""
        return f"{self.name} [{self.unit}]", self.values


def beam_name(solution: Recorded, key: Any) -> str:
    """The name of a beam of a solution, given as a text or as the beam itself."""
    name = key_name(solution, key)
    if name not in solution.layout.beams:
        raise checks.unknown(name, solution.layout.beams, "beam", solution.where)
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
    """The track of a frame, a body or a point of a beam; None if there is none of that name."""
    layout = solution.layout
    if name in layout.spatial:
        return _spatial_track(solution, name)
    if name in layout.frames:
        place = layout.frames[name]
        return frame_track(node_columns(solution, place.numbers), np.array(place.offset), name, solution.t)
    if name in layout.bodies:
        return find_track(solution, layout.bodies[name].frame)
    point = find_point(solution, name)
    return None if point is None else point_track(solution, *point, name)


def point_track(solution: Recorded, beam: str, s: float, name: str = "") -> Any:
    """The track of the point s of a beam."""
    kind = Track if solution.layout.dimension == 2 else SpatialTrack
    return kind(name or f"{beam}@{s:g}", solution.t, solution.source.point(solution, beam, s))


def _spatial_track(solution: Recorded, name: str) -> SpatialTrack:
    """The track of a frame in space."""
    place = solution.layout.spatial[name]
    node = spatial_node_columns(solution, place)
    return spatial_frame_track(*node, np.array(place.offset), np.array(place.axes), name, solution.t)


def find_joint(solution: Recorded, name: str) -> JointTrack | None:
    """The motion in a joint of space; None if there is none of that name, or nothing is measured in it."""
    pair = solution.layout.pairs.get(name)
    if pair is None or pair.joint is None or not pair.joint.coordinates:
        return None
    place = pair.joint
    a, b = (_spatial_track(solution, end) for end in (pair.a, pair.b))
    seen = joint_seen(a, b, place.axes_a, place.axes_b, name)
    counted = solution.coordinate(place.counted) if place.counted else None
    return JointTrack(name, place, seen, counted, find_joint(solution.whole, name) if solution.whole else None)


def find_touch(solution: Recorded, name: str) -> ContactTrack | StopTrack | None:
    """What a contact or a stop does; None if there is none of that name."""
    pair = solution.layout.pairs.get(name)
    if pair is None or (pair.contact is None and pair.stop is None):
        return None
    on = np.array([name not in off for off in solution.source.off(solution)])
    if pair.stop is not None and pair.joint is not None:
        joint = find_joint(solution, name)
        value, rate = (getattr(joint, what) for what in (pair.stop.measure, "rate"))
        return StopTrack(name, solution.t, value, rate, pair.stop, on)
    a, b = (find_track(solution, end) for end in (pair.a, pair.b))
    if pair.contact is not None:
        return contact_track(name, pair.contact, a, b, on)
    return None if pair.stop is None else stop_track(name, pair.stop, a, b, on)


def touch_units(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of what can be asked of a contact or of a stop; none for other names."""
    pair = layout.pairs.get(name)
    if pair is not None and pair.contact is not None:
        return {what: unit for what, unit in CONTACT_UNITS.items() if what != "fz" or layout.dimension == 3}
    return stop_units(pair.stop) if pair is not None and pair.stop is not None else {}


def joint_quantities(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of what is measured in a joint of space; none for other names."""
    pair = layout.pairs.get(name)
    return joint_units(pair.joint) if pair is not None and pair.joint is not None else {}


def joint_coordinates(layout: Layout) -> list[str]:
    """Names of the coordinates of all joints of space: 'hinge.angle'."""
    joints = {name: pair.joint for name, pair in layout.pairs.items() if pair.joint is not None}
    return [f"{name}.{what}" for name, place in joints.items() for what in place.coordinates]


def spatial_node_columns(solution: Recorded, place: SpatialPlace) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates (k, 7), speeds and accelerations (k, 6) of the node under a frame in space."""
    if place.speeds[0] < solution.v.shape[1]:
        return solution.q[:, place.coordinates], solution.v[:, place.speeds], solution.a[:, place.speeds]
    k, own = len(solution.t), solution.layout.fixed[np.array(place.coordinates) - solution.q.shape[1]]
    return np.tile(own, (k, 1)), np.zeros((k, 6)), np.zeros((k, 6))


def find_point(solution: Recorded, name: str) -> tuple[str, float] | None:
    """The beam and the place s that a name like 'rod@0.25', 'rod.start' or 'rod.end' means; None for other names."""
    beam, at, where = name.rpartition("@")
    if not at:
        beam, _, tag = name.rpartition(".")
        where = {"start": "0", "end": "1"}.get(tag, "")
    if beam not in solution.layout.beams or not where:
        return None
    try:
        s = float(where)
    except ValueError:
        return None
    if not 0.0 <= s <= 1.0:
        raise NamingError(
            f"{solution.where}: point {where} is off beam {beam!r}; give a fraction of its length, 0 to 1"
        )
    return beam, s


def find_series(solution: Recorded, name: str) -> Series | None:
    """One quantity by its name; None if there is none of that name."""
    layout = solution.layout
    head, _, tail = name.rpartition(".")
    if head == "energy" and tail in ENERGIES:
        return Series(name, "J", getattr(solution.energy, tail))
    quantities, sections, forces = track_units(layout), section_units(layout), row_forces(layout, head)
    if tail in quantities and (track := find_track(solution, head)) is not None:
        return Series(name, quantities[tail], getattr(track, tail))
    if layout.dimension == 3 and tail in TURNS and (track := find_track(solution, head)) is not None:
        unit, values = TURNS[tail]
        return Series(name, unit, values(track))
    if tail in sections and (point := find_point(solution, head)) is not None:
        return Series(name, sections[tail], section_values(solution, *point, tail))
    of_touch = touch_units(layout, head)
    if tail in of_touch:
        return Series(name, of_touch[tail], getattr(find_touch(solution, head), tail))
    of_joint = joint_quantities(layout, head)
    if tail in of_joint:
        return Series(name, of_joint[tail], getattr(find_joint(solution, head), tail))
    if tail in PRESSING and tail in forces:
        return Series(name, forces[tail], _pressing(solution, head, tail))
    if tail in forces:
        return Series(name, forces[tail], _force(tail, *solution.reaction(head)))
    if name in layout.coordinates:
        k = layout.coordinates.index(name)
        return Series(name, layout.units(k)[0], solution.q[:, k])
    if name.endswith(RATE) and (of := name.removesuffix(RATE)) in layout.coordinates:
        return Series(name, layout.units(layout.coordinates.index(of))[1], coordinate_rate(solution, of))
    for log in solution.control.values():
        signal = name.removeprefix(f"{log.name}.")
        if signal != name and signal in log.signals:
            t = solution.t
            return Series(name, log.unit(signal), log.at(signal, t), log.course(signal, float(t[0]), float(t[-1])))
    return None


def coordinate_rate(solution: Recorded, name: str) -> np.ndarray:
    """The rate (k,) of a coordinate: its speed, or of a number of an orientation that of ½ q ∘ ω."""
    k, orientations = solution.layout.coordinates.index(name), solution.layout.orientations
    if not np.any(orientations[:, 1] == k) and not np.any((orientations[:, 0] <= k) & (k < orientations[:, 0] + 3)):
        return solution.v[:, k]
    rates = np.empty_like(solution.q)
    loops.coordinate_rates(orientations, *(np.ascontiguousarray(x) for x in (solution.q, solution.v)), rates)
    return rates[:, k]


def row_forces(layout: Layout, name: str) -> dict[str, str]:
    """Names and units of the forces that the constraint rows of a component put on frames; none for other names."""
    if not layout.has_reaction(name):
        return {}
    rows = {layout.rows[k][1] for k in layout.rows_of(name)}
    return FORCES[layout.dimension] | (PRESSING if NORMAL in rows and not rows.isdisjoint(ACROSS) else {})


def _pressing(solution: Recorded, joint: str, what: str) -> np.ndarray:
    """A quantity (k,) of :data:`PRESSING`, of a joint that rolls."""
    rows, multipliers = solution.layout.rows, solution.multipliers
    own = solution.layout.rows_of(joint)
    if what == "normal_force":
        return -multipliers[:, next(k for k in own if rows[k][1] == NORMAL)]
    return np.asarray(np.linalg.norm(multipliers[:, [k for k in own if rows[k][1] in ACROSS]], axis=1))


def _force(what: str, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """A quantity (k,) of :data:`FORCES`, of the force of a joint and its moment."""
    if what == "force":
        return np.linalg.norm(force, axis=1) if force.shape[1] == 3 else np.hypot(*force.T)
    if what == "moment":
        return np.linalg.norm(moment, axis=1) if moment.ndim == 2 else moment
    return (force if what[0] == "f" else moment)[:, "xyz".index(what[1])]


def unknown_name(solution: Recorded, name: str, series: bool = False) -> NamingError:
    """The error for a name that nothing has, with the names that come near."""
    layout = solution.layout
    places = track_names(solution)
    quantities, sections = track_units(layout), section_units(layout)
    shown = quantities_shown(layout.dimension)
    head, _, tail = name.rpartition(".")
    signals = [f"{log.name}.{signal}" for log in solution.control.values() for signal in log.signals]
    controller = next((x for x in solution.control if name == x or name.startswith(f"{x}.")), None)
    known = [*places, *layout.coordinates]
    if controller is not None:
        known = [f"{controller}.{signal}" for signal in solution.control[controller].signals]
    elif is_track(solution, head):
        of_beam = sections if find_point(solution, head) else ()
        known = [f"{head}.{quantity}" for quantity in (*quantities, *of_beam)]
    elif of_touch := touch_units(layout, head):
        known = [f"{head}.{quantity}" for quantity in of_touch]
    elif of_rows := row_forces(layout, head):
        known = [f"{head}.{quantity}" for quantity in (*joint_quantities(layout, head), *of_rows)]
    elif head == "energy":
        known = [f"energy.{quantity}" for quantity in ENERGIES]
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
    return checks.unknown(name, dict.fromkeys(known), what, solution.where)


def track_units(layout: Layout) -> dict[str, str]:
    """The unit of every quantity of a track of a mechanism."""
    return UNITS if layout.dimension == 2 else SPATIAL_UNITS


def quantities_shown(dimension: int) -> tuple[str, ...]:
    """What says where a frame is and how it is turned."""
    return ("x", "y", "angle") if dimension == 2 else ("x", "y", "z", "e0", "e1", "e2", "e3")


def track_names(solution: Recorded) -> list[str]:
    """Names of frames and bodies, and of one point of each beam."""
    layout = solution.layout
    names = [*layout.frames, *layout.spatial, *layout.bodies, *(f"{beam}@0.5" for beam in layout.beams)]
    return list(dict.fromkeys(names))


def is_track(solution: Recorded, name: str) -> bool:
    """Whether a name is that of a track."""
    layout = solution.layout
    beam = name.rpartition("@")[0]
    return name in (*layout.frames, *layout.spatial, *layout.bodies) or beam in layout.beams


def node_columns(solution: Recorded, numbers: tuple[int, int, int]) -> np.ndarray:
    """The motion (k, 9) of a node, in the columns of a track."""
    n = solution.q.shape[1]
    out = np.zeros((len(solution.t), POINT_WIDTH))
    for c, number in enumerate(numbers):
        if number >= n:
            out[:, c] = solution.layout.fixed[number - n]
        else:
            out[:, c], out[:, c + 3], out[:, c + 6] = (x[:, number] for x in (solution.q, solution.v, solution.a))
    return out

"""From names to numbers over time: 'rod.end', 'rod@0.25', 'rod.end.y', 'rod@0.5.curvature', 'hinge.fx', 'energy.total',
'rod.bending1', 'rod.bending1 rate', 'servo.motor'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.kernels.widths import POINT, POINT_WIDTH
from flexmb.model import checks
from flexmb.results.ledger import ENTRIES
from flexmb.results.recorded import Recorded
from flexmb.results.sections import SECTION_UNITS, section_values
from flexmb.results.spatial_track import SPATIAL_UNITS, SpatialTrack, spatial_frame_track
from flexmb.results.track import UNITS, Track, frame_track

#: what follows the name of a coordinate in the name of its rate
RATE = " rate"
#: what can be asked of a joint, and its unit
FORCES = {"fx": "N", "fy": "N", "moment": "Nm", "force": "N"}
#: units of coordinates and of their rates, by kind
UNITS_OF_KINDS = {"length": ("m", "m/s"), "angle": ("rad", "rad/s"), "relative angle": ("rad", "rad/s")}
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
    if point is None:
        return None
    return Track(name, solution.t, solution.source.point(solution, *point))


def _spatial_track(solution: Recorded, name: str) -> SpatialTrack:
    """The track of a frame in space."""
    place, fixed = solution.layout.spatial[name], solution.layout.fixed
    moving = place.speeds[0] < solution.v.shape[1]
    if moving:
        q, v, a = solution.q[:, place.coordinates], solution.v[:, place.speeds], solution.a[:, place.speeds]
    else:
        own = fixed[np.array(place.coordinates) - solution.q.shape[1]]
        q, v, a = np.tile(own, (len(solution.t), 1)), *np.zeros((2, len(solution.t), 6))
    return spatial_frame_track(q, v, a, np.array(place.offset), np.array(place.axes), name, solution.t)


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
    if tail in SPATIAL_UNITS and isinstance(track := find_track(solution, head), SpatialTrack):
        return Series(name, SPATIAL_UNITS[tail], track.column(tail))
    if tail in UNITS and isinstance(track := find_track(solution, head), Track):
        return Series(name, UNITS[tail], getattr(track, tail))
    if tail in SECTION_UNITS and (point := find_point(solution, head)) is not None:
        return Series(name, SECTION_UNITS[tail], section_values(solution, *point, tail))
    if tail in FORCES and layout.rows_of(head):
        force, moment = solution.reaction(head)
        values = {"fx": force[:, 0], "fy": force[:, 1], "moment": moment, "force": np.hypot(*force.T)}[tail]
        return Series(name, FORCES[tail], values)
    if name in layout.coordinates:
        k = layout.coordinates.index(name)
        return Series(name, UNITS_OF_KINDS.get(layout.kinds[k], ("–", "1/s"))[0], solution.q[:, k])
    if name.endswith(RATE) and (of := name.removesuffix(RATE)) in layout.coordinates:
        k = layout.coordinates.index(of)
        if any(k in place.coordinates[3:] for place in layout.spatial.values()):
            return None  # speeds of orientations are angular velocities
        return Series(name, UNITS_OF_KINDS.get(layout.kinds[k], ("–", "1/s"))[1], solution.v[:, k])
    for log in solution.control.values():
        signal = name.removeprefix(f"{log.name}.")
        if signal != name and signal in log.signals:
            t = solution.t
            return Series(name, log.unit(signal), log.at(signal, t), log.course(signal, float(t[0]), float(t[-1])))
    return None


def unknown_name(solution: Recorded, name: str, series: bool = False) -> NamingError:
    """The error for a name that nothing has, with the names that come near."""
    layout = solution.layout
    places = track_names(solution)
    head, _, tail = name.rpartition(".")
    signals = [f"{log.name}.{signal}" for log in solution.control.values() for signal in log.signals]
    controller = next((x for x in solution.control if name == x or name.startswith(f"{x}.")), None)
    known = [*places, *layout.coordinates]
    if controller is not None:
        known = [f"{controller}.{signal}" for signal in solution.control[controller].signals]
    elif is_track(solution, head):
        of_beam = SECTION_UNITS if find_point(solution, head) else ()
        known = [f"{head}.{quantity}" for quantity in (*POINT, "speed", *of_beam)]
    elif layout.rows_of(head):
        known = [f"{head}.{quantity}" for quantity in FORCES]
    elif head == "energy":
        known = [f"energy.{quantity}" for quantity in ENERGIES]
    elif tail in UNITS:
        known = [f"{place}.{tail}" for place in places]
    elif name.endswith(RATE):
        known = [f"{coordinate}{RATE}" for coordinate in layout.coordinates]
    elif tail in SECTION_UNITS:
        known = [
            f"{place}.{tail}" for beam in layout.beams for place in (f"{beam}.start", f"{beam}@0.5", f"{beam}.end")
        ]
    elif series:
        known += [*(f"{place}.{quantity}" for place in places for quantity in ("x", "y", "angle")), *signals]
    if series and is_track(solution, name):
        return NamingError(
            f"{solution.where}: {name!r} is a place; ask for one of its quantities, e.g. {name + '.x'!r} or "
            f"{name + '.angle'!r}"
        )
    what = "quantity" if series else "frame, body, point or quantity"
    return checks.unknown(name, dict.fromkeys(known), what, solution.where)


def track_names(solution: Recorded) -> list[str]:
    """Names of frames and bodies, and of one point of each beam."""
    layout = solution.layout
    names = [*layout.frames, *layout.bodies, *(f"{beam}@0.5" for beam in layout.beams)]
    return list(dict.fromkeys(names))


def is_track(solution: Recorded, name: str) -> bool:
    """Whether a name is that of a track."""
    layout = solution.layout
    beam = name.rpartition("@")[0]
    return name in layout.frames or name in layout.bodies or beam in layout.beams


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

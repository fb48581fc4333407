"""How a solution is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from flexmb import __version__
from flexmb.errors import NamingError
from flexmb.machine import files
from flexmb.machine.files import Sink
from flexmb.machine.interruption import interruptible
from flexmb.model import checks
from flexmb.model.appearance import BodyShape, PairPlace
from flexmb.results.between_steps.nodes import StoredSteps
from flexmb.results.energy.ledger import ENTRIES
from flexmb.results.events import EventRecord
from flexmb.results.recorded import Recorded
from flexmb.results.sources import MOST_PLACES
from flexmb.results.store import head
from flexmb.results.store.controllers import draft_control_state

if TYPE_CHECKING:
    import h5py

UNITS = "SI: m, s, kg, N, J; angles in rad"
#: the numbers of a node in space that a file holds for each frame on it
NODE_NUMBERS = {"coordinates": 7, "speeds": 6}
#: what a file calls the parts of an event's state, and lists of texts of events
EVENT_STATES = {"coordinates": "q", "speeds": "v", "accelerations": "a", "multipliers": "multipliers"}
EVENT_TEXTS = ("done", "on", "off", "impulses")
#: the axes of a pair in space by the names that files give them
AXES_IN_SPACE = {"axes_on_a": "axis", "axes_on_b": "axis_b"}
#: the least number of bytes that HDF5 needs for a group or a block of numbers, and for the head of the file
OBJECT, BEGINNING = 256, 2048


@interruptible
def save(solution: Recorded, path: str | Path, points: int = 21, inside: bool = True) -> Path:
    """Write a solution; an old file at the path is replaced in one step, when the new one is complete on disk.

    Points of beams are computed and written one after the other, so that memory holds the motion of one point only,
    beside the solution itself.
    """
    import h5py

    points = checks.count(points, "points", f"save {solution.where}", least=2, most=MOST_PLACES)
    target = files.path_to_write(path, "save")
    draft = draft_of(solution, points, inside)
    with files.replaced(target, "save") as sink:
        sink.expect(draft.size)
        # h5py ends the process when a full disk keeps it from closing a file: so it gets a sink that never fails
        with h5py.File(sink, "w", userblock_size=head.LENGTH) as file:
            draft.write(file, h5py.string_dtype(), sink)
        if sink.failure is None:
            head.seal(cast(BinaryIO, sink), sink.size)
    return target


@dataclass
class RowSource:
    """Numbers that are computed row by row."""

    shape: tuple[int, ...]
    row: Callable[[int], np.ndarray | None]


@dataclass
class Draft:
    """What a file will hold, by name. Its size is known before anything is written."""

    attributes: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, np.ndarray | RowSource] = field(default_factory=dict)
    texts: dict[str, np.ndarray] = field(default_factory=dict)

    def add_texts(self, name: str, texts: Sequence[str], columns: int = 0) -> None:
        """Add texts, in rows of `columns` texts each if it is not zero."""
        values = np.array([storable_name(text) for text in texts], dtype=object)
        self.texts[name] = values.reshape(-1, columns) if columns else values

    @property
    def size(self) -> int:
        """The least number of bytes of the file; HDF5 may need some more for itself."""
        numbers = sum(8 * int(np.prod(x.shape)) for x in self.numbers.values())
        texts = sum(16 * x.size + sum(len(text.encode()) for text in x.flat) for x in self.texts.values())
        return BEGINNING + OBJECT * (len(self.attributes) + len(self.numbers) + len(self.texts)) + numbers + texts

    def write(self, file: h5py.File, text: Any, sink: Sink) -> None:
        """Write all of it into an open file."""
        for name, values in self.attributes.items():
            file.require_group(name).attrs.update(values)
        for name, texts in self.texts.items():
            file.create_dataset(name, data=texts, shape=texts.shape, dtype=text)
        for name, x in self.numbers.items():
            if isinstance(x, np.ndarray):
                file.create_dataset(name, data=x)
            else:
                rows = file.create_dataset(name, shape=x.shape, dtype=np.float64)
                for k in range(x.shape[0]):
                    rows[k] = x.row(k)
                    if sink.failure is not None:
                        raise sink.failure


def draft_of(solution: Recorded, points: int, inside: bool = True) -> Draft:
    """All that a file holds of a solution, with beams at `points` places along each, and with the states `inside` of
    steps if the method makes them again."""
    layout, draft = solution.layout, Draft()
    draft.attributes["/"] = {
        "format": head.FORMAT,
        "format_version": head.FORMAT_VERSION,
        "flexmb_version": __version__,
        "model": storable_name(layout.model),
        "units": UNITS,
        "status": solution.status,
        "message": _storable_text(solution.message),
        "still": solution.still,
        "order": solution.order,
        "time_label": _storable_text(solution.time_label),
        "load_time": np.nan if solution.load_time is None else solution.load_time,
        "dimension": layout.dimension,
    }
    draft.add_texts("doubts", [_storable_text(text) for text in solution.doubts])
    if solution.earlier_events:
        draft.add_texts("earlier_events", [storable_name(name) for name in solution.earlier_events])
    if solution.statistics is not None:
        draft.attributes["statistics"] = solution.statistics.as_dict()
    draft.numbers |= {
        "time": solution.t,
        "coordinates": solution.q,
        "speeds": solution.v,
        "accelerations": solution.a,
        "multipliers": solution.multipliers,
    }
    not_unique = solution.source.rows_not_unique(solution)
    if not_unique:
        draft.numbers["rows_not_unique"] = np.array(not_unique, dtype=np.int64)
    _draft_layout(solution, draft)
    _draft_along_and_forces(solution, draft, "", points)
    for k, (name, places) in enumerate(_interior(solution).items()):
        draft.attributes[f"interior/{k}"] = {"name": storable_name(name)}
        draft.add_texts(f"interior/{k}/frames", list(places))
    for k, (name, frame, along) in enumerate(_forces(solution)):
        own = {"joint": storable_name(name), "frame": storable_name(frame), "along": along}
        draft.attributes[f"forces/{k}"] = own
    if inside and solution.again is not None and not solution.still:
        _draft_inside(solution, draft, points)
    for k, log in enumerate(solution.control.values()):
        at = f"control/{k}"
        draft.attributes[at] = {"name": storable_name(log.name), "delay": log.delay}
        draft.numbers |= {f"{at}/t": log.t, f"{at}/y": log.y, f"{at}/u": log.u}
        units, count = [log.unit(signal) for signal in log.signals], len(log.sensors)
        draft.add_texts(f"{at}/sensors", log.sensors)
        draft.add_texts(f"{at}/commands", log.commands)
        draft.add_texts(f"{at}/sensor_units", units[:count])
        draft.add_texts(f"{at}/command_units", units[count:])
        draft_control_state(draft, at, log)
    epochs = solution.source.taking_part(solution)
    for number, epoch in enumerate(epochs if any(x.off or x.measured for x in epochs) else ()):
        at = f"epochs/{number}"
        draft.attributes[at] = {"first": epoch.first}
        draft.add_texts(f"{at}/off", sorted(epoch.off))
        for k, (name, values) in enumerate(epoch.measured.items()):
            draft.attributes[f"{at}/measured/{k}"] = {"name": storable_name(name)}
            draft.numbers[f"{at}/measured/{k}/values"] = np.concatenate(values)
            draft.numbers[f"{at}/measured/{k}/lengths"] = np.array([len(x) for x in values], dtype=np.int64)
    _draft_events([x for x in solution.events if isinstance(x, EventRecord)], draft)
    draft.attributes["energy"] = {"still": solution.energy.still}
    draft.numbers |= {f"energy/{name}": getattr(solution.energy, name) for name in ENTRIES}
    for group in ("blocks", "beams", "forces", "control"):
        draft.attributes.setdefault(group, {})
    return draft


def _forces(solution: Recorded) -> list[tuple[str, str, bool]]:
    """The joints whose forces a file holds, with the frames on which they act, and whether they are those along the
    coordinates."""
    layout = solution.layout
    joints = [joint for joint in layout.joints() if joint in layout.pairs and layout.has_reaction(joint)]
    joints_of = {name: pair.joint for name, pair in layout.pairs.items() if pair.joint is not None}
    moving = [name for name, joint in joints_of.items() if joint.coordinates and not joint.acts]
    of = [*((joint, False) for joint in joints), *((joint, True) for joint in moving)]
    return [(joint, layout.pairs[joint].b, along) for joint, along in of]


def _interior(solution: Recorded) -> dict[str, dict[str, Any]]:
    """Bodies with places that have a name and no node: by the names of these places what the body calls them."""
    found: dict[str, dict[str, Any]] = {}
    for name, (body, place) in solution.layout.inner.items():
        found.setdefault(body, {})[name] = place
    return found


def _motion(solution: Recorded, name: str, places: Sequence[Any]) -> RowSource:
    """The motion (p, k, …) of places of a beam or body."""
    shape = (len(places), len(solution.t), len(solution.layout.widths.point))
    return RowSource(shape, lambda k: solution.source.point(solution, name, places[k]))


def _draft_along_and_forces(solution: Recorded, draft: Draft, under: str, points: int) -> None:
    """The motion of beams and of places within bodies, the forces of joints and the mechanism as a whole at the times
    of a solution, `under` a group."""
    for k, name in enumerate(solution.layout.beams):
        _draft_beam(solution, draft, f"{under}beams/{k}", name, points)
    for k, (name, places) in enumerate(_interior(solution).items()):
        draft.numbers[f"{under}interior/{k}/motion"] = _motion(solution, name, list(places.values()))
    for k, of in enumerate(_forces(solution)):
        draft.numbers[f"{under}forces/{k}/values"] = solution.source.node_force(solution, *of)
    whole = solution.source.whole(solution)
    if whole is not None:
        draft.numbers[f"{under}whole"] = whole


def _draft_inside(solution: Recorded, draft: Draft, points: int) -> None:
    """The states at nodes inside of steps, those that are made again."""
    assert solution.again is not None
    steps = StoredSteps.of(solution.t, solution.q, solution.v, solution.again)
    if steps is None:
        return
    there = solution._at(steps.times(solution.t), steps)
    there.q, there.v, there.a, there.basic_multipliers = steps.states  # behind what jumps at the start of a step
    draft.numbers |= {
        "inside/steps": steps.steps,
        "inside/panels": steps.panels,
        "inside/coordinates": steps.states.q,
        "inside/speeds": steps.states.v,
        "inside/accelerations": steps.states.a,
        "inside/multipliers": there.multipliers,
    }
    _draft_along_and_forces(there, draft, "inside/", points)


def _draft_events(events: Sequence[EventRecord], draft: Draft) -> None:
    """What events did; nothing where there were none."""
    if not events:
        return
    draft.add_texts("events/names", [text for x in events for text in (x.name, x.quantity, x.direction)], 3)
    draft.numbers["events/values"] = np.array([(x.t, x.value, x.lost) for x in events])
    for what, state in EVENT_STATES.items():
        draft.numbers[f"events/{what}"] = np.array([getattr(x, state) for x in events])
    for what in EVENT_TEXTS:
        given = [(k, text) for k, x in enumerate(events) for text in getattr(x, what)]
        draft.numbers[f"events/{what}_of"] = np.array([k for k, _ in given], dtype=np.int64)
        draft.add_texts(f"events/{what}", [text for _, text in given])
    impulses = [np.concatenate([linear, np.atleast_1d(a)]) for x in events for linear, a in x.impulses.values()]
    if impulses:
        draft.numbers["events/impulse_values"] = np.array(impulses)


def _draft_layout(solution: Recorded, draft: Draft) -> None:
    layout = solution.layout
    draft.add_texts("names/coordinates", layout.coordinates)
    draft.add_texts("names/kinds", layout.kinds)
    draft.numbers["names/fixed"] = layout.fixed
    for k, ((kind, size), first) in enumerate(layout.blocks.items()):
        draft.attributes[f"blocks/{k}"] = {"kind": kind, "size": size}
        draft.numbers[f"blocks/{k}/first"] = first
    draft.add_texts("names/rows", [text for row in layout.rows for text in row], 3)
    if layout.levels:
        draft.add_texts("names/levels", layout.levels)
    if layout.gravity:
        draft.numbers["names/gravity"] = np.array(layout.gravity)
    if (field := layout.central) is not None:
        draft.numbers["names/central"] = np.array([field.mu, *field.position, *field.velocity, field.radius or 0.0])
    frames, bodies, pairs = layout.frames.values(), layout.bodies.values(), layout.pairs.values()
    draft.add_texts("frames/names", list(layout.frames))
    draft.numbers["frames/numbers"] = np.array([f.numbers for f in frames], dtype=np.int64).reshape(-1, 3)
    draft.numbers["frames/offsets"] = np.array([f.offset for f in frames], dtype=float).reshape(-1, 3)
    places = layout.spatial.values()
    draft.add_texts("places/names", list(layout.spatial))
    for what, width in NODE_NUMBERS.items():
        draft.numbers[f"places/{what}"] = np.array([getattr(p, what) for p in places], dtype=np.int64).reshape(
            -1, width
        )
    draft.numbers["places/offsets"] = np.array([p.offset for p in places], dtype=float).reshape(-1, 3)
    draft.numbers["places/axes"] = np.array([p.axes for p in places], dtype=float).reshape(-1, 4)
    draft.add_texts("bodies/names", list(layout.bodies))
    draft.add_texts("bodies/frames", [body.frame for body in bodies])
    centers = [body.center for body in bodies]
    draft.numbers["bodies/centers"] = np.array(centers, dtype=float).reshape(-1, layout.dimension)
    draft.numbers["bodies/masses"] = np.array([body.mass for body in bodies], dtype=float)
    _draft_shapes(draft, [(name, body.shape) for name, body in layout.bodies.items() if body.shape is not None])
    for k, (name, spin) in enumerate((name, body.spin) for name, body in layout.bodies.items() if body.spin):
        draft.attributes[f"spins/{k}"] = {"body": storable_name(name), "rotor": storable_name(spin.rotor)}
        draft.numbers[f"spins/{k}/numbers"] = np.array([*spin.axis, spin.inertia, spin.transverse, spin.speed])
    for k, (name, along) in enumerate((name, body.along) for name, body in layout.bodies.items() if body.along):
        draft.attributes[f"covers/{k}"] = {"body": storable_name(name)}
        draft.add_texts(f"covers/{k}/beams", list(along))
    for k, (name, mesh) in enumerate((name, body.mesh) for name, body in layout.bodies.items() if body.mesh):
        draft.attributes[f"meshes/{k}"] = {"body": storable_name(name), "loaded": int(mesh.loaded)}
        draft.add_texts(f"meshes/{k}/modes", mesh.modes)
        for what in ("nodes", "shapes", "slaves"):
            draft.numbers[f"meshes/{k}/{what}"] = np.asarray(getattr(mesh, what), dtype=float)
        draft.numbers[f"meshes/{k}/faces"] = mesh.faces.astype(np.int64)
        for j, (kind, cells) in enumerate(mesh.cells):
            draft.attributes[f"meshes/{k}/cells/{j}"] = {"kind": kind}
            draft.numbers[f"meshes/{k}/cells/{j}/nodes"] = cells.astype(np.int64)
        for what in (x for x in ("left_out", "origin", "orientation") if getattr(mesh, x) is not None):
            draft.numbers[f"meshes/{k}/{what}"] = np.asarray(getattr(mesh, what), dtype=float)
        draft.add_texts(f"meshes/{k}/interfaces/names", list(mesh.interfaces))
        for what, values in zip(("places", "axes"), mesh.interface_arrays(layout.dimension)):
            draft.numbers[f"meshes/{k}/interfaces/{what}"] = values
        for j, own in enumerate(mesh.elasticity):
            for what in ("gradients", "weights", "to_nodes"):
                draft.numbers[f"meshes/{k}/elasticity/{j}/{what}"] = np.asarray(getattr(own, what), dtype=float)
            draft.numbers[f"meshes/{k}/elasticity/{j}/constants"] = np.array([*own.lame, own.across])
            draft.numbers[f"meshes/{k}/elasticity/{j}/density"] = np.array([own.density])
    if layout.dimension == 3:
        given = [body.inertia or (np.nan,) * 6 for body in bodies]
        draft.numbers["bodies/inertias"] = np.array(given, dtype=float).reshape(-1, 6)
    draft.add_texts("pairs/names", list(layout.pairs))
    draft.add_texts("pairs/a", [pair.a for pair in pairs])
    draft.add_texts("pairs/b", [pair.b for pair in pairs])
    draft.add_texts("pairs/glyphs", [" ".join(pair.glyphs) for pair in pairs])
    _draft_touches(draft, layout.pairs)
    joints = {name: pair.joint for name, pair in layout.pairs.items() if pair.joint is not None}
    draft.add_texts("joints/names", list(joints))
    for what in ("axes_a", "axes_b"):
        of_joints = np.array([getattr(joint, what) for joint in joints.values()], dtype=float)
        draft.numbers[f"joints/{what}"] = of_joints.reshape(-1, 4 if layout.dimension == 3 else 1)
    draft.add_texts("joints/coordinates", [" ".join(joint.coordinates) for joint in joints.values()])
    draft.add_texts("joints/counted", [joint.counted for joint in joints.values()])
    draft.add_texts("joints/acts", [" ".join(joint.acts) for joint in joints.values()])
    if layout.dimension == 2:
        axes = [np.nan if pair.axis is None else pair.axis for pair in pairs]
        draft.numbers["pairs/axes"] = np.array(axes, dtype=float)
        return
    if any(pair.rotor for pair in pairs):
        draft.add_texts("pairs/rotors", [pair.rotor for pair in pairs])
    for what, axis in AXES_IN_SPACE.items():
        directions = [getattr(pair, axis) or (np.nan,) * 3 for pair in pairs]
        draft.numbers[f"pairs/{what}"] = np.array(directions, dtype=float).reshape(-1, 3)


def _draft_touches(draft: Draft, pairs: dict[str, PairPlace]) -> None:
    """Contacts, tires, stops and what pulls along a line; a file of a mechanism without any has nothing of them."""
    contacts = {name: pair.contact for name, pair in pairs.items() if pair.contact is not None}
    for k, (name, contact) in enumerate(contacts.items()):
        draft.attributes[f"contacts/{k}"] = {"pair": storable_name(name), "swapped": contact.swapped}
        draft.numbers[f"contacts/{k}/rows"] = np.array(contact.rows, dtype=float)
    for what in ("line", "tire"):
        own = {name: getattr(pair, what) for name, pair in pairs.items() if getattr(pair, what) is not None}
        for k, (name, numbers) in enumerate(own.items()):
            draft.attributes[f"{what}s/{k}"] = {"pair": storable_name(name)}
            draft.numbers[f"{what}s/{k}/numbers"] = np.array(numbers, dtype=float)
    stops = {name: pair.stop for name, pair in pairs.items() if pair.stop is not None}
    for k, (name, stop) in enumerate(stops.items()):
        draft.attributes[f"stops/{k}"] = {"pair": storable_name(name), "measure": stop.measure}
        draft.numbers[f"stops/{k}/numbers"] = np.array([stop.lower, stop.upper, *(stop.law or [np.nan] * 3)])


def _draft_shapes(draft: Draft, shapes: Sequence[tuple[str, BodyShape]]) -> None:
    """The shapes of bodies, the parts of a compound one by one; a file of bodies without any has nothing of them."""
    parts = [(body, piece, bool(shape.parts)) for body, shape in shapes for piece in shape.pieces]
    for k, (body, shape, is_part) in enumerate(parts):
        draft.attributes[f"shapes/{k}"] = {"body": storable_name(body), "kind": shape.kind, "color": shape.color}
        draft.attributes[f"shapes/{k}"]["part"] = is_part
        draft.numbers[f"shapes/{k}/sizes"] = np.array(shape.sizes, dtype=float)
        draft.numbers[f"shapes/{k}/place"] = np.array([*shape.position, *shape.axes], dtype=float)
        if shape.vertices is not None and shape.faces is not None:
            draft.numbers[f"shapes/{k}/vertices"] = np.asarray(shape.vertices, dtype=float)
            draft.numbers[f"shapes/{k}/faces"] = np.asarray(shape.faces, dtype=np.int64)


def _draft_beam(solution: Recorded, draft: Draft, at: str, name: str, points: int) -> None:
    source, widths = solution.source, solution.layout.widths
    places = [float(s) for s in source.places(name, points)]
    sizes = asdict(solution.layout.beams[name])
    tables = {what: sizes.pop(what) for what in ("outline", "taper")}
    draft.attributes[at] = {
        "name": storable_name(name),
        "columns": list(widths.point),
        "section_columns": list(widths.section),
        **sizes,
    }
    for what, table in tables.items():
        if table:
            draft.numbers[f"{at}/{what}"] = np.array(table)
    draft.numbers[f"{at}/s"] = np.array(places)
    draft.numbers[f"{at}/motion"] = _motion(solution, name, places)
    if source.section(solution, name, places[0]) is not None:
        draft.numbers[f"{at}/sections"] = RowSource(
            (len(places), len(solution.t), len(widths.section)), lambda k: source.section(solution, name, places[k])
        )


def storable_name(name: str) -> str:
    """The name itself, or an error if no file can hold it."""
    if not checks.storable(name):
        raise NamingError(f"save: the name {name!r} has a character that no file can hold; give another name")
    return name


def _storable_text(text: str) -> str:
    """A text in which escapes replace the characters that no file can hold."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()

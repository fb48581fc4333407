"""How a solution is read and checked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from flexmb.errors import ResultFileError
from flexmb.kernels.widths import SIDES
from flexmb.machine import files
from flexmb.model.appearance import (
    COLOR,
    GLYPHS,
    JOINT_COORDINATES,
    SHAPES,
    BeamPlace,
    BodyPlace,
    BodyShape,
    JointPlace,
    PairPlace,
)
from flexmb.model.hints import answers_calls
from flexmb.results.energy.ledger import ENTRIES
from flexmb.results.events import EventRecord, Impulses
from flexmb.results.layout import FramePlace, Layout, SpatialPlace
from flexmb.results.solution import Solution
from flexmb.results.sources import TakingPart
from flexmb.results.statistics import Statistics
from flexmb.results.store import head
from flexmb.results.store.controllers import read_control_log
from flexmb.results.store.file_source import FileSource
from flexmb.results.store.hdf5 import Contents, check_heaps
from flexmb.results.store.inside import read_central, read_inside
from flexmb.results.store.moving_parts import (
    parts,
    read_covers,
    read_interior,
    read_meshes,
    read_rotors,
    read_spins,
    read_touches,
)
from flexmb.results.store.writing import AXES_IN_SPACE, EVENT_STATES, EVENT_TEXTS, NODE_NUMBERS
from flexmb.system.instances import LEVELS
from flexmb.system.whole import WIDTH


@answers_calls
def load(path: str | Path) -> Solution:
    """A solution from the file that :meth:`flexmb.Solution.save` wrote. Whatever is wrong with the file, the
    error is a :class:`~flexmb.errors.ResultFileError`.

    The names of frames, bodies, joints, coordinates and of the points of beams in the file work as after the run, but
    there is no model.

    >>> import tempfile
    >>> import flexmb as fm
    >>> from flexmb import examples
    >>> run = fm.simulate(examples.load("pendulum").build(), 0.1, step=0.01)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = fm.load(run.save(f"{folder}/pendulum.h5"))
    >>> bool(abs(again["rod.end.y"] - run["rod.end.y"]).max() < 1e-12)
    True
    """
    source = files.path_to_read(path, "load")
    where = f"load {source}"
    try:
        raw = open(source, "rb")
    except OSError as why:
        raise ResultFileError(f"{where}: the file cannot be read ({files.reason(why)})") from None
    with raw:
        size = os.fstat(raw.fileno()).st_size
        with files.parsing(where):
            head.check(raw, where)
            check_heaps(raw, where)
            with h5py.File(raw, "r") as file:
                contents = Contents(file, raw, size, where)
                _check_format(contents)
                return _Reader(contents, source).solution()


def _check_format(contents: Contents) -> None:
    """Refuse what is no solution, or one of another format."""
    if contents.attribute("", "format", "") != head.FORMAT:
        raise ResultFileError(f"{contents.where}: this HDF5 file is not a solution of flexmb")
    stated = int(contents.attribute("", "format_version"))
    head.check_version(stated, str(contents.attribute("", "flexmb_version", "?")), contents.where)


class _Reader:
    """Reads the parts of a file, and checks that they fit together."""

    def __init__(self, contents: Contents, file: Path) -> None:
        self.contents, self.file = contents, file
        self.numbers, self.texts, self.fail = contents.numbers, contents.texts, contents.fail

    def parts(self, group: str) -> Iterator[str]:
        """The numbered parts of a group, in their order."""
        return parts(self.contents, group)

    def names(self, name: str) -> list[str]:
        """Names, no two the same."""
        names = self.texts(name)
        if len(set(names)) < len(names):
            raise self.fail(name, "has a name twice")
        return names

    def name_of(self, part: str, what: str = "name") -> str:
        """A name among the attributes of a part."""
        return str(self.contents.attribute(part, what))

    def color_of(self, part: str) -> str:
        """The color of a shape; empty where pictures choose it."""
        color = str(self.contents.attribute(part, "color", ""))
        if color and not COLOR.fullmatch(color):
            raise self.fail(f"{part}/color", "is no color")
        return color

    def layout(self, nq: int, n: int, m: int) -> Layout:
        """Names and numbers of a mechanism with nq coordinates, n speeds and m multipliers."""
        fixed = self.numbers("names/fixed", (None,))
        layout = Layout(
            self.name_of("", "model"),
            self.texts("names/coordinates", (nq,)),
            self.texts("names/kinds", (n,)),
            fixed,
            [tuple(row) for row in self.texts("names/rows", (m, 3))],
            dimension=int(self.contents.attribute("", "dimension", 2)),
            levels=self.texts("names/levels", (m,)) if self.contents.has("names/levels") else [],
        )
        if not set(layout.levels) <= set(LEVELS):
            raise self.fail("names/levels", "has a level that there is not")
        if layout.dimension not in SIDES:
            raise self.fail("dimension", f"is {layout.dimension}")
        if self.contents.has("names/gravity"):
            layout.gravity = tuple(self.numbers("names/gravity", (layout.dimension,)).tolist())
        if self.contents.has("names/central"):
            layout.central = read_central(self.contents)
        self.read_blocks(layout, nq, n)
        self.read_spatial_frames(layout, nq, n)
        names = self.names("frames/names")
        numbers = self.numbers("frames/numbers", (len(names), 3), "i")
        offsets = self.numbers("frames/offsets", (len(names), 3))
        if np.any(numbers < 0) or np.any(numbers >= nq + len(fixed)):
            raise self.fail("frames/numbers", "names coordinates that there are not")
        for name, number, offset in zip(names, numbers.tolist(), offsets.tolist()):
            layout.frames[name] = FramePlace(tuple(number), tuple(offset))
        names = self.names("bodies/names")
        count = (len(names),)
        centers = self.numbers("bodies/centers", (len(names), layout.dimension)).tolist()
        frames, masses = self.texts("bodies/frames", count), self.numbers("bodies/masses", count).tolist()
        inertias, shapes = self.tuples("bodies/inertias", len(names), 6), self.shapes(names)
        spins, covers = read_spins(self.contents, names, layout.coordinates), read_covers(self.contents, names)
        meshes = read_meshes(self.contents, names, layout.coordinates, layout.dimension)
        for name, frame, center, mass, inertia in zip(names, frames, centers, masses, inertias):
            given = (shapes.get(name), inertia or (), spins.get(name), meshes.get(name), covers.get(name, ()))
            layout.bodies[name] = BodyPlace(frame, tuple(center), mass, *given)
        layout.pairs = self.pairs()
        self.read_joints(layout)
        read_touches(self.contents, layout.pairs)
        read_rotors(self.contents, layout.pairs, layout.coordinates)
        ends = [frame for pair in layout.pairs.values() for frame in (pair.a, pair.b)]
        for frame in [*(body.frame for body in layout.bodies.values()), *ends]:
            if frame not in layout.frames and frame not in layout.spatial:
                raise self.fail("frames/names", f"lacks {frame!r}")
        return layout

    def read_blocks(self, layout: Layout, nq: int, n: int) -> None:
        """The blocks of the coordinates."""
        for at in self.parts("blocks"):
            size = int(self.contents.attribute(at, "size"))
            first = self.numbers(f"{at}/first", (None,), "i")
            if size < 1 or np.any(first < 0) or np.any(first > n - size):
                raise self.fail(f"{at}/first", "names coordinates that there are not")
            layout.blocks[self.name_of(at, "kind"), size] = first
        if np.any(np.diff(layout.orientations[:, 0]) < 3) or n + len(layout.orientations) != nq:
            raise self.fail("blocks", f"do not say what the {nq} coordinates with {n} speeds are")

    def read_spatial_frames(self, layout: Layout, nq: int, n: int) -> None:
        """The frames in space."""
        if not self.contents.has("places"):
            return
        names = self.names("places/names")
        count = len(names)
        q, v = (self.numbers(f"places/{what}", (count, width), "i") for what, width in NODE_NUMBERS.items())
        offsets, axes = self.numbers("places/offsets", (count, 3)), self.numbers("places/axes", (count, 4))
        moving = v < n
        same = np.all(moving == moving[:, :1]) and np.all((q < nq) == moving[:, :1])
        if np.any(q < 0) or np.any(v < 0) or np.any(q >= nq + len(layout.fixed)) or not same:
            raise self.fail("places/coordinates", "name coordinates that there are not")
        for name, *given in zip(names, q.tolist(), v.tolist(), offsets.tolist(), axes.tolist()):
            layout.spatial[name] = SpatialPlace(*map(tuple, given))

    def shapes(self, bodies: list[str]) -> dict[str, BodyShape]:
        """The shapes of bodies by their names, of those that have one."""
        found: dict[str, BodyShape] = {}
        for at in self.parts("shapes"):
            body, kind = self.name_of(at, "body"), self.name_of(at, "kind")
            if body not in bodies or kind not in SHAPES or kind == "compound":
                raise self.fail(at, f"is the {kind!r} of {body!r}, which there is not")
            sizes = tuple(self.numbers(f"{at}/sizes", (len(SHAPES[kind]),)).tolist())
            place = tuple(self.numbers(f"{at}/place", (7,)).tolist())
            vertices = faces = None
            if kind == "surface":
                vertices = self.numbers(f"{at}/vertices", (None, 3))
                faces = self.numbers(f"{at}/faces", (None, 3), "i")
                if not len(faces) or np.any(faces < 0) or np.any(faces >= len(vertices)):
                    raise self.fail(f"{at}/faces", "names no vertices, or some that there are not")
            one = BodyShape(kind, sizes, place[:3], place[3:], vertices, faces, self.color_of(at))
            if bool(self.contents.attribute(at, "part", False)):
                earlier = found[body].parts if body in found else ()
                one = BodyShape("compound", parts=(*earlier, one))
            found[body] = one
        return found

    def pairs(self) -> dict[str, PairPlace]:
        """What stands between two frames."""
        names = self.names("pairs/names")
        count = (len(names),)
        a, b = self.texts("pairs/a", count), self.texts("pairs/b", count)
        glyphs = [tuple(text.split()) for text in self.texts("pairs/glyphs", count)]
        if not all(glyph in GLYPHS for several in glyphs for glyph in several):
            raise self.fail("pairs/glyphs", "has a glyph that there is not")
        if self.contents.has("pairs/axes"):
            axes = [None if np.isnan(axis) else axis for axis in self.numbers("pairs/axes", count).tolist()]
            return {name: PairPlace(*given) for name, *given in zip(names, a, b, glyphs, axes)}
        both = [self.tuples(f"pairs/{what}", len(names), 3) for what in AXES_IN_SPACE]
        return {name: PairPlace(*given) for name, *given in zip(names, a, b, glyphs, *both)}

    def tuples(self, name: str, count: int, size: int) -> list[tuple[float, ...] | None]:
        """Rows of numbers; None for each row that a file lacks."""
        if not self.contents.has(name):
            return [None] * count
        rows = self.numbers(name, (count, size))
        return [None if np.any(np.isnan(row)) else tuple(row.tolist()) for row in rows]

    def read_joints(self, layout: Layout) -> None:
        """What is measured in joints."""
        names = self.names("joints/names")
        count = (len(names),)
        width = 4 if layout.dimension == 3 else 1
        axes_a, axes_b = (self.numbers(f"joints/{what}", (len(names), width)) for what in ("axes_a", "axes_b"))
        coordinates = [tuple(text.split()) for text in self.texts("joints/coordinates", count)]
        counted = self.texts("joints/counted", count)
        acts = [tuple(text.split()) for text in self.texts("joints/acts", count)]
        if not all(what in JOINT_COORDINATES for several in (*coordinates, *acts) for what in several):
            raise self.fail("joints/coordinates", "has a coordinate that there is not")
        if not set(counted) <= {"", *layout.coordinates} or not set(names) <= set(layout.pairs):
            raise self.fail("joints", "name coordinates or pairs that there are not")
        for name, *given in zip(names, axes_a.tolist(), axes_b.tolist(), coordinates, counted, acts):
            place = JointPlace(tuple(given[0]), tuple(given[1]), *given[2:])
            layout.pairs[name] = replace(layout.pairs[name], joint=place)

    def solution(self) -> Solution:
        """The whole solution."""
        attribute = self.contents.attribute
        t = self.numbers("time", (None,))
        k = len(t)
        if k == 0:
            raise self.fail("time", "holds no times")
        q, v = self.numbers("coordinates", (k, None)), self.numbers("speeds", (k, None))
        n = v.shape[1]
        lam = self.numbers("multipliers", (k, None))
        layout = self.layout(q.shape[1], n, lam.shape[1])
        solution = Solution(
            layout,
            self.file_source(layout, k),
            t,
            q,
            v,
            self.numbers("accelerations", (k, n)),
            lam,
            status=str(attribute("", "status")),
            message=str(attribute("", "message")),
            statistics=self.statistics(),
            still=bool(attribute("", "still", False)),
            order=int(attribute("", "order", 2)),
        )
        if self.contents.has("inside"):
            solution.again = read_inside(self.contents, solution)
        solution.time_label = str(attribute("", "time_label", solution.time_label))
        load_time = float(attribute("", "load_time", np.nan))
        solution.load_time = None if np.isnan(load_time) else load_time
        solution.doubts = self.texts("doubts") if self.contents.has("doubts") else []
        solution.events = self.events(solution)
        solution.earlier_events = self.names("earlier_events") if self.contents.has("earlier_events") else []
        for at in self.parts("control"):
            log = read_control_log(self.contents, at)
            solution.control[log.name] = log
        return solution

    def file_source(self, layout: Layout, k: int) -> FileSource:
        """What the file holds at k times besides coordinates. This adds the beams and places within bodies to the
        layout."""
        source, widths = FileSource(str(self.file)), layout.widths
        if self.contents.has("rows_not_unique"):
            rows = self.numbers("rows_not_unique", (None,), "i")
            if np.any(rows < 0) or np.any(rows >= len(layout.rows)):
                raise self.fail("rows_not_unique", "names constraint rows that there are not")
            source.not_unique = rows.tolist()
        for at in self.parts("beams"):
            name = self.name_of(at)
            numbers = [what.name for what in fields(BeamPlace)[1:-2]]
            sizes: dict[str, Any] = {what: float(self.contents.attribute(at, what, 0.0)) for what in numbers}
            tables: dict[str, Any] = {
                what: tuple(map(tuple, self.numbers(f"{at}/{what}", (None, width)).tolist()))
                for what, width in (("outline", 2), ("taper", 3))
                if self.contents.has(f"{at}/{what}")
            }
            layout.beams[name] = BeamPlace(int(self.contents.attribute(at, "elements")), **sizes, **tables)
            s = self.numbers(f"{at}/s", (None,))
            if len(s) == 0:
                raise self.fail(f"{at}/s", "holds no places")
            source.beams[name] = s, self.numbers(f"{at}/motion", (len(s), k, len(widths.point)))
            if self.contents.has(f"{at}/sections"):
                source.sections[name] = self.numbers(f"{at}/sections", (len(s), k, len(widths.section)))
        read_interior(self.contents, layout, source, k)
        for at in self.parts("forces"):
            of = self.name_of(at, "joint"), bool(self.contents.attribute(at, "along", False))
            source.forces[of] = self.name_of(at, "frame"), self.numbers(f"{at}/values", (k, widths.rows))
        layout.reacting = [name for name, along in source.forces if not along and not layout.rows_of(name)]
        source.still = float(self.contents.attribute("energy", "still", 0.0))
        source.energy = {name: self.numbers(f"energy/{name}", (k,)) for name in ENTRIES}
        if self.contents.has("whole"):
            source.of_whole = self.numbers("whole", (k, WIDTH))
        source.epochs = self.epochs(k)
        return source

    def epochs(self, k: int) -> list[TakingPart]:
        """The parts of a run between which components were switched."""
        found: list[TakingPart] = []
        for at in self.parts("epochs"):
            first = int(self.contents.attribute(at, "first"))
            if not (found[-1].first if found else -1) < first < k or (not found and first):
                raise self.fail(f"{at}/first", f"is {first}")
            measured = dict(self.measured(part) for part in self.parts(f"{at}/measured"))
            found.append(TakingPart(first, frozenset(self.names(f"{at}/off")), measured))
        return found or [TakingPart(0)]

    def measured(self, at: str) -> tuple[str, list[np.ndarray]]:
        """The name of a component that took what it found, and the parameters of its instances."""
        lengths, values = self.numbers(f"{at}/lengths", (None,), "i"), self.numbers(f"{at}/values", (None,))
        if np.any(lengths < 0) or lengths.sum() != len(values):
            raise self.fail(f"{at}/lengths", "do not fit the values")
        return self.name_of(at), np.split(values, np.cumsum(lengths)[:-1])

    def events(self, solution: Solution) -> list[EventRecord]:
        """What events did in the run."""
        if not self.contents.has("events"):
            return []
        texts = np.array(self.texts("events/names", (None, 3)), dtype=object).reshape(-1, 3)
        count = len(texts)
        values = self.numbers("events/values", (count, 3))
        layout, n = solution.layout, solution.v.shape[1]
        widths = (solution.q.shape[1], n, n, len(layout.rows))
        states = [self.numbers(f"events/{what}", (count, width)) for what, width in zip(EVENT_STATES, widths)]
        lists = {what: self.event_texts(what, count) for what in EVENT_TEXTS}
        size = layout.widths.rows
        place = layout.dimension
        given = sum(map(len, lists["impulses"]))
        impulses = iter(self.numbers("events/impulse_values", (given, size)) if given else ())
        found = []
        for k, (name, quantity, direction) in enumerate(texts):
            t, value, lost = values[k].tolist()
            of_joints = {joint: next(impulses) for joint in lists["impulses"][k]}
            parts = {joint: (x[:place], float(x[2]) if place == 2 else x[place:]) for joint, x in of_joints.items()}
            own = Impulses(partial(dict, parts))
            q, v, a, lam = (x[k].copy() for x in states)
            on, off = (tuple(lists[what][k]) for what in ("on", "off"))
            done = lists["done"][k]
            found.append(EventRecord(name, t, quantity, value, direction, done, q, v, a, lam, on, off, own, lost))
        return found

    def event_texts(self, what: str, count: int) -> list[list[str]]:
        """The texts of this kind of each event."""
        texts = self.texts(f"events/{what}")
        numbers = self.numbers(f"events/{what}_of", (len(texts),), "i")
        if np.any(numbers < 0) or np.any(numbers >= count):
            raise self.fail(f"events/{what}_of", "names events that there are not")
        out: list[list[str]] = [[] for _ in range(count)]
        for k, text in zip(numbers.tolist(), texts):
            out[k].append(text)
        return out

    def statistics(self) -> Statistics | None:
        """The statistics of the run, if the file has them."""
        if not self.contents.has("statistics"):
            return None
        given = {name: self.contents.attribute("statistics", name, x) for name, x in Statistics().as_dict().items()}
        return Statistics(**{name: type(x)(given[name]) for name, x in Statistics().as_dict().items()})

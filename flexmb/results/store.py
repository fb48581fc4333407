"""Solutions as HDF5 files: plain numbers and texts with names, no code, readable by any HDF5 tool.

    /                  attributes format, format_version, flexmb_version, model, units, status, message
    /time (k,)         /coordinates, /speeds, /accelerations (k, n)         /multipliers (k, m)
    /names/…           coordinates, kinds (n,); fixed: values of the coordinates of fixed frames; rows (m, 3)
    /frames/…          names (f,), numbers (f, 3) of the coordinates of the frame's node, offsets (f, 3)
    /bodies/…          names, frames, centers (b, 2), masses        /pairs/…  names, kinds, a, b: joints and forces
    /beams/0, 1, …     attributes name, elements, length, EA, EI, area, outer_fibre, columns, section_columns;
                       places s (p,), motion (p, k, 9), sections (p, k, 5) if the beam's theory has them
    /forces/0, 1, …    attributes joint, frame; values (k, 3): force on the frame's node, moment about the node
    /energy/…          the ledger, (k,) each               /statistics  attributes

All numbers are float64 with a check sum on every block.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from flexmb.errors import ResultFileError
from flexmb.model import checks
from flexmb.results.layout import BeamPlace, BodyPlace, FramePlace, Layout, PairPlace
from flexmb.results.ledger import ENTRIES
from flexmb.results.sections import SECTION_COLUMNS
from flexmb.results.sources import Filed
from flexmb.results.track import COLUMNS

if TYPE_CHECKING:
    from flexmb.control.controller import ControlLog
    from flexmb.results.solution import Solution

FORMAT = "flexmb solution"
FORMAT_VERSION = 2  # 1 has no sections of beams
UNITS = "SI: m, s, kg, N, J; angles in rad"


# -- writing ----------------------------------------------------------------------------------------------------------


def save(solution: Solution, path: str | Path, points: int = 21) -> Path:
    """Write a solution; what stood at the path is replaced in one go, when all is on disk."""
    points = checks.count(points, "points", f"save {solution.where}", least=2)
    target = Path(path)
    if not target.parent.is_dir():
        raise ResultFileError(f"save {target}: there is no folder {str(target.parent)!r}; make it first")
    with _whole(target) as temporary, h5py.File(temporary, "w") as file:
        _write(file, solution, points)
    return target


@contextlib.contextmanager
def _whole(target: Path) -> Iterator[str]:
    """A temporary file beside the target that takes its place if nothing goes wrong."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as why:
        raise ResultFileError(f"save {target}: {why.strerror}") from None
    os.close(handle)
    try:
        yield temporary
        with contextlib.suppress(OSError):
            mode = target.stat().st_mode if target.exists() else 0o666 & ~_umask()
            os.chmod(temporary, mode)
        _sync(temporary)
        os.replace(temporary, target)
    except OSError as why:
        raise ResultFileError(f"save {target}: {why}") from why
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    with contextlib.suppress(OSError):  # not every file system can
        _sync(str(target.parent))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(file: h5py.File, solution: Solution, points: int) -> None:
    from flexmb import __version__

    layout = solution.layout
    file.attrs.update(
        format=FORMAT,
        format_version=FORMAT_VERSION,
        flexmb_version=__version__,
        model=layout.model,
        units=UNITS,
        status=solution.status,
        message=solution.message,
        still=solution.still,
    )
    _texts(file, "doubts", solution.doubts)
    if solution.statistics is not None:
        file.create_group("statistics").attrs.update(solution.statistics.as_dict())
    for name, values in zip(
        ("time", "coordinates", "speeds", "accelerations", "multipliers"),
        (solution.t, solution.q, solution.v, solution.a, solution.multipliers),
    ):
        _numbers(file, name, values)
    group = file.create_group("names")
    _texts(group, "coordinates", layout.coordinates)
    _texts(group, "kinds", layout.kinds)
    _numbers(group, "fixed", layout.fixed)
    _texts(group, "rows", [text for row in layout.rows for text in row], 3)
    group = file.create_group("frames")
    _texts(group, "names", list(layout.frames))
    _numbers(group, "numbers", np.array([f.numbers for f in layout.frames.values()], dtype=np.int64).reshape(-1, 3))
    _numbers(group, "offsets", np.array([f.offset for f in layout.frames.values()], dtype=float).reshape(-1, 3))
    group = file.create_group("bodies")
    bodies = layout.bodies.values()
    _texts(group, "names", list(layout.bodies))
    _texts(group, "frames", [body.frame for body in bodies])
    _numbers(group, "centers", np.array([body.center for body in bodies], dtype=float).reshape(-1, 2))
    _numbers(group, "masses", np.array([body.mass for body in bodies], dtype=float))
    group = file.create_group("pairs")
    _texts(group, "names", list(layout.pairs))
    for what in ("kind", "a", "b"):
        _texts(group, what, [getattr(pair, what) for pair in layout.pairs.values()])
    beams = file.create_group("beams")
    for k, (name, beam) in enumerate(layout.beams.items()):
        group = beams.create_group(str(k))
        group.attrs.update(name=name, columns=list(COLUMNS), section_columns=list(SECTION_COLUMNS), **asdict(beam))
        places = solution.source.places(name, points)
        _numbers(group, "s", places)
        _numbers(group, "motion", np.array([solution.source.point(solution, name, float(s)) for s in places]))
        sections = [solution.source.section(solution, name, float(s)) for s in places]
        if all(values is not None for values in sections):
            _numbers(group, "sections", np.array(sections))
    forces = file.create_group("forces")
    for k, name in enumerate(joint for joint in layout.joints() if joint in layout.pairs):
        group = forces.create_group(str(k))
        frame = layout.pairs[name].b
        group.attrs.update(joint=name, frame=frame)
        _numbers(group, "values", solution.source.node_force(solution, name, frame))
    controllers = file.create_group("control")
    for k, log in enumerate(solution.control.values()):
        group = controllers.create_group(str(k))
        group.attrs.update(name=log.name, delay=log.delay)
        for what in ("t", "y", "u"):
            _numbers(group, what, getattr(log, what))
        _texts(group, "sensors", log.sensors)
        _texts(group, "commands", log.commands)
    group = file.create_group("energy")
    group.attrs["still"] = solution.energy.still
    for name in ENTRIES:
        _numbers(group, name, getattr(solution.energy, name))


def _numbers(group: h5py.Group, name: str, values: np.ndarray) -> None:
    if values.size:
        group.create_dataset(name, data=values, chunks=True, fletcher32=True)
    else:
        group.create_dataset(name, data=values)


def _texts(group: h5py.Group, name: str, texts: list[str], columns: int = 0) -> None:
    values = np.array(texts, dtype=object)
    if columns:
        values = values.reshape(-1, columns)
    group.create_dataset(name, data=values, shape=values.shape, dtype=h5py.string_dtype())


# -- reading ----------------------------------------------------------------------------------------------------------


def load(path: str | Path) -> Solution:
    """Read a solution; whatever is wrong with the file is a ResultFileError in words."""
    source = Path(path)
    if not source.is_file():
        raise ResultFileError(f"load {source}: there is no such file")
    try:
        if not h5py.is_hdf5(source):
            raise ResultFileError(f"load {source}: this is not an HDF5 file, or it lost its beginning")
        with h5py.File(source, "r") as file:
            _check_format(file, source)
            return _Reader(file, source).solution()
    except ResultFileError:
        raise
    except Exception as why:
        reason = "it is cut short" if "truncated" in str(why) else f"it is damaged or cut short ({why})"
        raise ResultFileError(f"load {source}: the file cannot be read; {reason}") from why


def _check_format(file: h5py.File, source: Path) -> None:
    if file.attrs.get("format") != FORMAT:
        raise ResultFileError(f"load {source}: this HDF5 file is not a solution of flexmb")
    version = int(file.attrs["format_version"])
    if version > FORMAT_VERSION:
        raise ResultFileError(
            f"load {source}: it is written in format {version} by flexmb {file.attrs.get('flexmb_version')}, "
            f"this flexmb reads formats up to {FORMAT_VERSION}; use a newer flexmb"
        )


class _Reader:
    """Reads the parts of a file and looks whether they fit together."""

    def __init__(self, file: h5py.File, source: Path) -> None:
        self.file, self.source = file, source

    def fail(self, name: str, what: str) -> ResultFileError:
        return ResultFileError(f"load {self.source}: the file is damaged, {name!r} {what}")

    def dataset(self, name: str) -> h5py.Dataset:
        part: Any = self.file
        for step in name.split("/"):
            if not isinstance(part, h5py.Group) or step not in part:
                raise self.fail(name, "is missing")
            if not isinstance(part.get(step, getlink=True), h5py.HardLink):
                raise self.fail(name, "points to another place or file")
            part = part[step]
        if not isinstance(part, h5py.Dataset) or part.external or part.is_virtual:
            raise self.fail(name, "is not a plain data set")
        return part

    def numbers(self, name: str, shape: tuple[int | None, ...], kind: str = "f") -> np.ndarray:
        part = self.dataset(name)
        if part.dtype.kind != kind or part.dtype.itemsize != 8:
            raise self.fail(name, f"holds {part.dtype} instead of numbers of 8 bytes")
        if len(part.shape) != len(shape) or any(w is not None and w != g for w, g in zip(shape, part.shape)):
            raise self.fail(name, f"has the shape {part.shape}, which does not fit the rest")
        if part.id.get_storage_size() < part.nbytes:
            raise self.fail(name, "is not all there")
        return part[()]

    def texts(self, name: str, shape: tuple[int | None, ...] = (None,)) -> list[Any]:
        part = self.dataset(name)
        if h5py.check_string_dtype(part.dtype) is None:
            raise self.fail(name, "holds no texts")
        if len(part.shape) != len(shape) or any(w is not None and w != g for w, g in zip(shape, part.shape)):
            raise self.fail(name, f"has the shape {part.shape}, which does not fit the rest")
        return part.asstr()[()].tolist() if part.size else []

    def layout(self, n: int, m: int) -> Layout:
        fixed = self.numbers("names/fixed", (None,))
        layout = Layout(
            str(self.file.attrs["model"]),
            self.texts("names/coordinates", (n,)),
            self.texts("names/kinds", (n,)),
            fixed,
            [tuple(row) for row in self.texts("names/rows", (m, 3))],
        )
        names = self.texts("frames/names")
        numbers = self.numbers("frames/numbers", (len(names), 3), "i")
        offsets = self.numbers("frames/offsets", (len(names), 3))
        if np.any(numbers < 0) or np.any(numbers >= n + len(fixed)):
            raise self.fail("frames/numbers", "names coordinates that there are not")
        for name, number, offset in zip(names, numbers.tolist(), offsets.tolist()):
            layout.frames[name] = FramePlace(tuple(number), tuple(offset))
        names = self.texts("bodies/names")
        count = (len(names),)
        centers = self.numbers("bodies/centers", (len(names), 2)).tolist()
        bodies = zip(names, self.texts("bodies/frames", count), centers, self.numbers("bodies/masses", count).tolist())
        for name, frame, center, mass in bodies:
            layout.bodies[name] = BodyPlace(frame, tuple(center), mass)
        names = self.texts("pairs/names")
        parts = [self.texts(f"pairs/{what}", (len(names),)) for what in ("kind", "a", "b")]
        for name, kind, a, b in zip(names, *parts):
            layout.pairs[name] = PairPlace(kind, a, b)
        ends = [frame for pair in layout.pairs.values() for frame in (pair.a, pair.b)]
        for frame in [*(body.frame for body in layout.bodies.values()), *ends]:
            if frame not in layout.frames:
                raise self.fail("frames/names", f"lacks {frame!r}")
        return layout

    def solution(self) -> Solution:
        from flexmb.results.solution import Solution
        from flexmb.solvers.statistics import Statistics

        file = self.file
        t = self.numbers("time", (None,))
        k = len(t)
        q = self.numbers("coordinates", (k, None))
        n = q.shape[1]
        lam = self.numbers("multipliers", (k, None))
        layout = self.layout(n, lam.shape[1])
        filed = Filed(str(self.source))
        for number in sorted(file["beams"], key=int):
            attributes = file["beams"][number].attrs
            name = str(attributes["name"])
            sizes = {what.name: attributes.get(what.name, 0.0) for what in fields(BeamPlace)[1:]}
            layout.beams[name] = BeamPlace(int(attributes["elements"]), **{w: float(x) for w, x in sizes.items()})
            s = self.numbers(f"beams/{number}/s", (None,))
            filed.beams[name] = s, self.numbers(f"beams/{number}/motion", (len(s), k, len(COLUMNS)))
            if "sections" in file["beams"][number]:
                shape = (len(s), k, len(SECTION_COLUMNS))
                filed.sections[name] = self.numbers(f"beams/{number}/sections", shape)
        for number in file["forces"]:
            attributes = file["forces"][number].attrs
            values = self.numbers(f"forces/{number}/values", (k, 3))
            filed.forces[str(attributes["joint"])] = str(attributes["frame"]), values
        filed.still = float(file["energy"].attrs.get("still", 0.0))
        filed.energy = {name: self.numbers(f"energy/{name}", (k,)) for name in ENTRIES}
        statistics = None
        if "statistics" in file:
            known = Statistics().as_dict()
            given = {name: x for name, x in file["statistics"].attrs.items() if name in known}
            statistics = Statistics(**{name: type(known[name])(x) for name, x in given.items()})
        solution = Solution(
            layout,
            filed,
            t,
            q,
            self.numbers("speeds", (k, n)),
            self.numbers("accelerations", (k, n)),
            lam,
            status=str(file.attrs["status"]),
            message=str(file.attrs["message"]),
            statistics=statistics,
            still=bool(file.attrs.get("still", False)),
        )
        solution.doubts = self.texts("doubts") if "doubts" in file else []
        for number in sorted(file["control"], key=int) if "control" in file else ():
            solution.control[str(file["control"][number].attrs["name"])] = self.control_log(number)
        return solution

    def control_log(self, number: str) -> ControlLog:
        from flexmb.control.controller import ControlLog

        at = f"control/{number}"
        attributes = self.file[at].attrs
        sensors, commands = self.texts(f"{at}/sensors"), self.texts(f"{at}/commands")
        t = self.numbers(f"{at}/t", (None,))
        y = self.numbers(f"{at}/y", (len(t), len(sensors)))
        u = self.numbers(f"{at}/u", (len(t), len(commands)))
        return ControlLog(str(attributes["name"]), t, y, u, sensors, commands, float(attributes["delay"]))

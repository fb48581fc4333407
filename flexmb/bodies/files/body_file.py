"""Reduced bodies as HDF5 files: plain numbers with names, readable by any HDF5 tool.

    /                   attributes format, format_version, flexmb_version, units, mass, report, check_sum
    /body/…             first, products, stiffness, slaves, damping, origin, orientation, quartic: arguments of
                        :class:`flexmb.bodies.ReducedBody`
    /interfaces/0, 1, … attribute name; position, orientation, translation, rotation, translation2, rotation2
    /loads/0, 1, …      attribute name; force, moment, modal, moment_shapes, second
    /unit_loads/…       spin, acceleration, angular_acceleration, if there are any
    /mesh/…             nodes, shapes, slave_shapes, left_out, finishes; cells/0, 1, …: attribute kind, that of meshio,
                        nodes (c, nodes of each); elasticity/0, 1, …: gradients, weights, to_nodes, constants (λ, μ,
                        across), density

The check sum is SHA-256 over all names, shapes and numbers, so that a file that was changed is refused; what is read is
checked as the arguments of a body are.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from flexmb import __version__
from flexmb.bodies.meshes.body_mesh import BodyMesh
from flexmb.bodies.reduced_body import Interface, ModalLoad, ReducedBody, UnitLoadStiffness
from flexmb.bodies.stresses import ElasticCells
from flexmb.errors import ModelError, ResultFileError
from flexmb.machine import files
from flexmb.model.hints import answers_calls

FORMAT, FORMAT_VERSION = "flexmb reduced body", 1
UNITS = "SI: m, s, kg, N; angles in rad"
#: arrays of each part
BODY = ("first", "products", "stiffness", "slaves", "damping", "origin", "orientation", "quartic")
INTERFACE = ("position", "orientation", "translation", "rotation", "translation2", "rotation2")
LOAD = ("force", "moment", "modal", "moment_shapes", "second")
UNIT_LOADS = ("spin", "acceleration", "angular_acceleration")
CELLS = ("gradients", "weights", "to_nodes")
#: arrays of a mesh that it need not have
OF_MESH = ("left_out", "finishes")


@answers_calls
def save(body: Any, path: str | Path) -> Path:
    """Write a reduced body into an HDF5 file; an old file at the path is replaced when the new one is complete.

    >>> import tempfile
    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.04)
    >>> side = fm.bodies.Member(("a", "b"), steel, tube)
    >>> rod = fm.bodies.from_frame({"a": (0, 0, 0), "b": (1, 0, 0)}, [side], interfaces={"end": "b"}, modes=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load(save(rod, f"{folder}/rod.h5"))
    >>> bool(np.all(again.products == rod.products)), list(again.interfaces)
    (True, ['end'])
    """
    import h5py

    if not isinstance(body, ReducedBody):
        raise ModelError(f"save of a reduced body: {type(body).__name__} is no flexmb.bodies.ReducedBody")
    target = files.path_to_write(path, "save")
    numbers, names = _parts(body)
    with files.replaced(target, "save") as sink:
        sink.expect(sum(x.nbytes for x in numbers.values()))
        with h5py.File(sink, "w") as file:
            for name, values in numbers.items():
                file.create_dataset(name, data=values)
            for group, name in names.items():
                file.require_group(group).attrs["name"] = name
            file.attrs.update({
                "format": FORMAT, "format_version": FORMAT_VERSION, "flexmb_version": __version__, "units": UNITS,
                "mass": body.mass, "report": body.report, "check_sum": _check_sum(numbers, names, body.mass),
            })  # fmt: skip
    return target


@answers_calls
def load(path: str | Path) -> ReducedBody:
    """A reduced body from the file that :func:`save` wrote; what is wrong with a file is said by a
    :class:`~flexmb.errors.ResultFileError`.

    >>> import tempfile
    >>> import flexmb as fm
    >>> P = np.zeros((2, 2, 3, 3))
    >>> P[0, 0], P[1, 1] = np.diag([0.3, 0.2, 0.1]), np.diag([0.0, 1.0, 0.0])
    >>> rod = fm.bodies.ReducedBody(2.0, np.zeros((2, 3)), P, stiffness=[1e4])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(save(rod, f"{folder}/rod.h5")).mass
    2.0
    """
    import h5py

    source = files.path_to_read(path, "load")
    where = f"load {source}"
    with files.parsing(where):
        with h5py.File(source, "r") as file:
            found = dict(file.attrs)
            if found.get("format") != FORMAT:
                raise ResultFileError(f"{where}: this HDF5 file is no reduced body of flexmb")
            if int(found["format_version"]) > FORMAT_VERSION:
                raise ResultFileError(
                    f"{where}: it is written in format {found['format_version']} by flexmb {found['flexmb_version']}, "
                    f"this flexmb reads formats up to {FORMAT_VERSION}; use a newer flexmb"
                )
            numbers, names = _read(file, source.stat().st_size, where)
        mass = float(found["mass"])
        if _check_sum(numbers, names, mass) != found["check_sum"]:
            raise ResultFileError(
                f"{where}: the file is damaged, it does not fit its check sum: it was changed after it was written; "
                "take another copy"
            )
        return _body(numbers, names, mass, str(found["report"]))


def _read(file: Any, size: int, where: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """All arrays of an open file, which are plain and not larger than the file, and the names of groups."""
    numbers: dict[str, np.ndarray] = {}
    names: dict[str, str] = {}

    def visit(name: str, part: Any) -> None:
        if "name" in part.attrs:
            names[name] = str(part.attrs["name"])
        if hasattr(part, "shape"):
            if part.compression is not None or part.external or part.is_virtual or part.nbytes > size:
                raise ResultFileError(f"{where}: the file is damaged, {name!r} is no plain array of its own")
            numbers[name] = np.asarray(part[()])

    file.visititems(visit)  # follows no links to other files
    return numbers, names


def _parts(body: ReducedBody) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of a body by their names in a file, and the names of groups."""
    numbers: dict[str, np.ndarray] = {f"body/{what}": getattr(body, what) for what in BODY}
    names: dict[str, str] = {}
    for kind, things, arrays in (("interfaces", body.interfaces, INTERFACE), ("loads", body.loads, LOAD)):
        for k, (name, thing) in enumerate(things.items()):  # type: ignore[attr-defined]
            names[f"{kind}/{k}"] = name
            numbers |= {f"{kind}/{k}/{what}": getattr(thing, what) for what in arrays}
    if body.unit_load_stiffness is not None:
        numbers |= {f"unit_loads/{what}": getattr(body.unit_load_stiffness, what) for what in UNIT_LOADS}
    mesh = body.mesh
    if mesh is not None:
        numbers |= {f"mesh/{what}": getattr(mesh, what) for what in ("nodes", "shapes", "slave_shapes")}
        given = {what: getattr(mesh, what) for what in OF_MESH}
        numbers |= {f"mesh/{what}": values for what, values in given.items() if values is not None}
        for k, (kind, cells) in enumerate(mesh.cells):
            names[f"mesh/cells/{k}"] = kind
            numbers[f"mesh/cells/{k}/nodes"] = cells
        for k, own in enumerate(mesh.elasticity):
            numbers |= {f"mesh/elasticity/{k}/{what}": getattr(own, what) for what in CELLS}
            numbers[f"mesh/elasticity/{k}/constants"] = np.array([*own.lame, own.across])
            numbers[f"mesh/elasticity/{k}/density"] = np.array([own.density])
    plain = {
        key: np.ascontiguousarray(x, dtype=np.int64 if x.dtype.kind == "i" else float) for key, x in numbers.items()
    }
    return plain, names


def _check_sum(numbers: dict[str, np.ndarray], names: dict[str, str], mass: float) -> str:
    """SHA-256 of all arrays and names."""
    found = hashlib.sha256(np.float64(mass).tobytes())
    for group, name in sorted(names.items()):
        found.update(f"{group}={name}\n".encode())
    for name, values in sorted(numbers.items()):
        found.update(f"{name}{values.shape}{values.dtype.kind}\n".encode())
        found.update(values.tobytes())
    return found.hexdigest()


def _body(numbers: dict[str, np.ndarray], names: dict[str, str], mass: float, report: str) -> ReducedBody:
    """The body of arrays and names, checked as its arguments are."""

    def arrays(at: str, what: tuple[str, ...]) -> dict[str, np.ndarray]:
        return {name: numbers[f"{at}/{name}"] for name in what}

    def parts(group: str) -> list[str]:
        found = {key[len(group) + 1 :].split("/")[0] for key in numbers if key.startswith(f"{group}/")}
        return [f"{group}/{k}" for k in sorted(found, key=int)]

    mesh = None
    if "mesh/nodes" in numbers:
        elasticity = []
        for at in parts("mesh/elasticity"):
            lam, mu, across = numbers[f"{at}/constants"].tolist()
            density = numbers.get(f"{at}/density", np.array([np.nan])).item()  # older files have none
            elasticity.append(ElasticCells(**arrays(at, CELLS), lame=(lam, mu), across=across, density=density))
        cells = [(names[at], numbers[f"{at}/nodes"]) for at in parts("mesh/cells")]
        own = arrays("mesh", ("nodes", "shapes", "slave_shapes"))
        own |= {what: numbers[f"mesh/{what}"] for what in OF_MESH if f"mesh/{what}" in numbers}
        mesh = BodyMesh(cells=cells, elasticity=tuple(elasticity), **own)
    return ReducedBody(
        mass, **arrays("body", BODY), interfaces={names[at]: Interface(**arrays(at, INTERFACE)) for at in
        parts("interfaces")}, loads={names[at]: ModalLoad(**arrays(at, LOAD)) for at in parts("loads")},
        unit_load_stiffness=UnitLoadStiffness(**arrays("unit_loads", UNIT_LOADS)) if "unit_loads/spin" in numbers else
        None, mesh=mesh, report=report,
    )  # fmt: skip

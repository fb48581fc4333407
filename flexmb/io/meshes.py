"""Meshes in files of VTK and XDMF.

The package meshlane writes them where it is installed, else meshio. Meshlane descends from meshio, which has had no
release since January 2024.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from flexmb.errors import MissingExtraError

#: packages with the same interface, the preferred one first
LIBRARIES = ("meshlane", "meshio")

#: the cells of each type; a row holds the numbers of a cell's points
Cells = Sequence[tuple[str, np.ndarray]]


def library() -> ModuleType:
    """The package that reads and writes meshes.

    >>> library().__name__ in LIBRARIES
    True
    """
    for name in LIBRARIES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise MissingExtraError(f"meshes are written by the package {' or '.join(LIBRARIES)}: pip install {LIBRARIES[0]}")


def write_vtu(
    path: Path,
    points: np.ndarray,
    cells: Cells,
    point_data: Mapping[str, np.ndarray],
    cell_data: Mapping[str, Sequence[np.ndarray]],
) -> None:
    """Write a mesh into a .vtu file: points (p, 3) [m], cells, data of the points (p, …), and of the cells by type.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "bar.vtu"
    ...     write_vtu(file, np.eye(3)[:2], [("line", np.array([[0, 1]]))], {"speed": np.ones(2)}, {})
    ...     library().read(file).point_data["speed"].tolist()
    [1.0, 1.0]
    """
    library().Mesh(points, cells, point_data=point_data, cell_data=cell_data).write(path, "vtu", binary=True)


@contextmanager
def xdmf_series(text: Any, numbers: Any, name: str, points: np.ndarray, cells: Cells) -> Iterator[Callable[..., None]]:
    """Write a mesh with data that change in time into two open files: `text` (.xdmf), and `numbers` (HDF5), which the
    text calls `name`. The context gives `write(t, point_data=…, cell_data=…)`, to be called for each time [s] in
    turn."""
    import h5py

    # by default the writer would put its numbers into the working directory
    writer = library().xdmf.TimeSeriesWriter(name, data_format="HDF")
    writer.filename, writer.h5_filename = text, name
    with h5py.File(numbers, "w") as writer.h5_file:
        writer.write_points_cells(points, cells)
        yield writer.write_data
        writer.__exit__(None, None, None)

"""Meshes of files, by meshio or what descends from it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.machine import files

#: bytes of a PLY file in which its head ends
LONGEST_HEAD = 1 << 20


def mesh_of_file(library: ModuleType, source: Path, where: str) -> Any:
    """The mesh in a file that a package reads.

    >>> import tempfile
    >>> import meshio
    >>> path = Path(tempfile.mkdtemp()) / "part.vtu"
    >>> _ = path.write_bytes(b"<VTKFile")
    >>> mesh_of_file(meshio, path, "part.vtu")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    flexmb.errors.ModelError: part.vtu: the file cannot be read, it is cut short, damaged or of another kind ...
    """
    if source.suffix.lower() == ".ply":
        with files.parsing(where, ModelError), source.open("rb") as file:
            if b"end_header" not in file.read(LONGEST_HEAD):  # its reader would look for it without end
                raise ModelError(f"{where}: the head of this PLY file has no end; it is cut short, take another copy")
    with files.parsing(where, ModelError), np.errstate(over="ignore"):  # STL of text, taken for a number of triangles
        return library.read(source)

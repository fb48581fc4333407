"""Result files of older versions of flexmb."""

from __future__ import annotations

import gzip
from pathlib import Path

#: result files of a pendulum, written by older versions of flexmb; that of format 2 has a controller, that of format 6
#: is in space
FILES = Path(__file__).parent / "results" / "files"


def file_of_format(version, folder):
    """A result file written by the version of flexmb that had this format."""
    path = folder / f"format{version}.h5"
    path.write_bytes(gzip.decompress((FILES / f"{path.name}.gz").read_bytes()))
    return path

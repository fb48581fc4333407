"""The first 512 bytes of a result file, a few lines of text: what it is, how long it is, and its check sum.

    flexmb solution
    format 6
    flexmb 0.1.0
    bytes 6261296
    CRC-32 0a1b2c3d

The check sum covers the lines before it, and all that follows the head.
"""

from __future__ import annotations

import os
import re
import zlib
from typing import BinaryIO

from flexmb import __version__
from flexmb.errors import ResultFileError
from flexmb.machine.files import size_text

FORMAT = "flexmb solution"
FORMAT_VERSION = 7
#: length of the head [byte]; HDF5 looks for the beginning of its part at 0, 512, 1024, … bytes
LENGTH = 512

_HDF5 = b"\x89HDF\r\n\x1a\n"
_LINES = re.compile(rb"(flexmb solution\nformat (\d+)\nflexmb ([^\n]*)\nbytes (\d+)\n)CRC-32 ([0-9a-f]{8})\n\0*")
_NEWER = re.compile(rb"flexmb solution\nformat (\d+)\nflexmb ([^\n]*)\n")
_BLOCK = 1 << 20


def seal(file: BinaryIO, size: int) -> None:
    """Write the head of a file that is complete otherwise."""
    lines = f"{FORMAT}\nformat {FORMAT_VERSION}\nflexmb {__version__}\nbytes {size}\n".encode()
    lines += f"CRC-32 {_check_sum(file, lines):08x}\n".encode()
    file.seek(0)
    file.write(lines.ljust(LENGTH, b"\0"))


def check(file: BinaryIO, where: str) -> None:
    """Raise an error if a file is not complete, or of another format."""
    file.seek(0)
    head = file.read(LENGTH)
    if head.startswith(_HDF5):
        raise ResultFileError(f"{where}: this HDF5 file has no head, so that it is not a solution of flexmb")
    if not head.startswith(f"{FORMAT}\n".encode()):
        raise ResultFileError(f"{where}: this is not an HDF5 file, or it lost its beginning")
    lines = _LINES.fullmatch(head)
    if lines is None:
        newer = _NEWER.match(head)
        if newer is not None:
            check_version(int(newer[1]), newer[2].decode(errors="replace"), where)
        raise ResultFileError(f"{where}: the file is damaged, its first lines cannot be read; take another copy")
    size, complete = os.fstat(file.fileno()).st_size, int(lines[4])
    if size < complete:
        raise ResultFileError(
            f"{where}: the file is cut short: {size_text(size)} of {size_text(complete)} are there; take another copy"
        )
    if size > complete or _check_sum(file, lines[1]) != int(lines[5], 16):
        raise ResultFileError(
            f"{where}: the file is damaged, it does not fit its check sum: it was changed after it was written; take "
            "another copy"
        )
    check_version(int(lines[2]), lines[3].decode(errors="replace"), where)


def check_version(version: int, program: str, where: str) -> None:
    """Raise an error for any other format than this; those before it were written by no release."""
    if version != FORMAT_VERSION:
        instead = "use a newer flexmb" if version > FORMAT_VERSION else "run the model again"
        raise ResultFileError(
            f"{where}: it is written in format {version} by flexmb {program}, this flexmb reads format "
            f"{FORMAT_VERSION}; {instead}"
        )


def _check_sum(file: BinaryIO, lines: bytes) -> int:
    """CRC-32 of the first lines and of all that follows the head."""
    value = zlib.crc32(lines)
    file.seek(LENGTH)
    while block := file.read(_BLOCK):
        value = zlib.crc32(block, value)
    return value

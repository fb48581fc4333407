"""Reading HDF5 files without trusting them.

A file may be wrong by accident or on purpose: it may state sizes that it does not have, point to data in other files,
or give one block a thousand names. So only data in the file itself that are not compressed are read, and never more
bytes than the file has.
"""

from __future__ import annotations

import math
import mmap
import struct
from typing import Any, BinaryIO

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5l, h5o, h5z

from flexmb.errors import ResultFileError

#: the entry of a block for a text of variable length: its length, and where its letters are
_REFERENCE = np.dtype([("length", "<u4"), ("place", "<u8"), ("number", "<u4")])
#: how a heap of texts begins, and how a piece of it begins: with its number and its length
_HEAP, _PIECE = b"GCOL\x01\0\0\0", struct.Struct("<H6xQ")
#: marks a value that must not be missing
_NEEDED: Any = object()


def check_heaps(raw: BinaryIO, where: str) -> None:
    """Check the heaps in which HDF5 keeps texts: a piece without length would keep HDF5 busy for ever."""
    with mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as file:
        place = file.find(_HEAP)
        while place >= 0:
            length = int.from_bytes(file[place + 8 : place + 16], "little")
            end, piece = place + length, place + 16
            while piece + 16 <= end <= len(file):
                number, size = _PIECE.unpack(file[piece : piece + 16])
                step = 16 + -(-size // 8) * 8 if number else size  # number 0: free space
                if step < 16:
                    break
                piece += step
            if end > len(file) or end - piece >= 16 or piece > end:
                raise ResultFileError(f"{where}: the file is damaged, its texts do not fit together; take another copy")
            place = file.find(_HEAP, place + 8)


class Contents:
    """Groups, attributes, numbers and texts of an open HDF5 file, by name; `raw` is the same file as bytes."""

    def __init__(self, file: h5py.File, raw: BinaryIO, size: int, where: str) -> None:
        self.file, self.raw, self.size, self.where = file, raw, size, where
        self.left = size

    def fail(self, name: str, what: str) -> ResultFileError:
        """The error that says what is wrong with a part."""
        return ResultFileError(f"{self.where}: the file is damaged, {name!r} {what}")

    # -- groups and attributes -----------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether there is a part of that name."""
        head, _, tail = name.rpartition("/")
        group = self._group(head)  # kept alive here, since its links do not keep it
        return group.links.exists(tail.encode())

    def members(self, name: str) -> list[str]:
        """Names of the parts of a group; an empty list if there is no such group."""
        return list(h5py.Group(self._group(name))) if self.has(name) else []

    def attribute(self, group: str, name: str, default: Any = _NEEDED) -> Any:
        """An attribute of a group: a number, a truth value or a text."""
        parent = self._group(group)
        if not h5a.exists(parent, name.encode()):
            if default is _NEEDED:
                raise self.fail(f"{group}/{name}".strip("/"), "is missing")
            return default
        one = h5a.open(parent, name.encode())
        if one.shape != () or one.get_storage_size() > self.size:
            raise self.fail(f"{group}/{name}".strip("/"), "is more than one value")
        value = h5py.Group(parent).attrs[name]
        if isinstance(value, bytes):
            value = value.decode()
        if isinstance(value, str):
            self._count_bytes(len(value), name)
        elif not isinstance(value, np.bool_ | np.integer | np.floating):
            raise self.fail(f"{group}/{name}".strip("/"), "is neither a number nor a text")
        return value

    def _group(self, name: str) -> h5g.GroupID:
        part = self._part(name)
        if not isinstance(part, h5g.GroupID):
            raise self.fail(name, "is no group")
        return part

    def _part(self, name: str) -> Any:
        """The part with a name, reached by links within the file only."""
        part: Any = h5g.open(self.file.id, b"/")
        for step in filter(None, name.split("/")):
            # the link itself is examined, since h5py's own methods would open what it points to
            if not isinstance(part, h5g.GroupID) or not part.links.exists(step.encode()):
                raise self.fail(name, "is missing")
            if part.links.get_info(step.encode()).type != h5l.TYPE_HARD:
                raise self.fail(name, "points to another place or file")
            part = h5o.open(part, step.encode())
        return part

    # -- blocks --------------------------------------------------------------------------------------------

    def numbers(self, name: str, shape: tuple[int | None, ...], kind: str = "f") -> np.ndarray:
        """Numbers of 8 bytes, in an array of the given shape, where None stands for any length."""
        block = self._block(name)
        if block.dtype.kind != kind or block.dtype.itemsize != 8:
            raise self.fail(name, f"holds {block.dtype} instead of numbers of 8 bytes")
        self._check_shape(name, block, shape)
        self._check_room(name, block, 8)
        return np.asarray(h5py.Dataset(block)[()], dtype={"f": np.float64, "i": np.int64}[kind])

    def texts(self, name: str, shape: tuple[int | None, ...] = (None,)) -> list[Any]:
        """Texts, as nested lists."""
        block = self._block(name)
        kind = h5py.check_string_dtype(block.dtype)
        if kind is None or kind.length is not None:
            raise self.fail(name, "holds no texts")
        self._check_shape(name, block, shape)
        count = self._check_room(name, block, _REFERENCE.itemsize)
        if count == 0:
            return np.zeros(block.shape).tolist()
        place = block.get_offset()
        if place is None:
            raise self.fail(name, "is not in one piece")
        self.raw.seek(place)
        references = np.frombuffer(self.raw.read(count * _REFERENCE.itemsize), dtype=_REFERENCE)
        self._count_bytes(int(references["length"].sum(dtype=np.uint64)), name)
        return h5py.Dataset(block).asstr()[()].tolist()

    def _block(self, name: str) -> h5d.DatasetID:
        block = self._part(name)
        if not isinstance(block, h5d.DatasetID):
            raise self.fail(name, "is no data set")
        made = block.get_create_plist()
        if made.get_layout() not in (h5d.CONTIGUOUS, h5d.CHUNKED) or made.get_external_count():
            raise self.fail(name, "is not a plain data set")
        if any(made.get_filter(k)[0] != h5z.FILTER_FLETCHER32 for k in range(made.get_nfilters())):
            raise self.fail(name, "is compressed or otherwise encoded")
        return block

    def _check_shape(self, name: str, block: h5d.DatasetID, shape: tuple[int | None, ...]) -> None:
        if len(block.shape) != len(shape) or any(w is not None and w != g for w, g in zip(shape, block.shape)):
            raise self.fail(name, f"has the shape {block.shape}, which does not fit the rest")

    def _check_room(self, name: str, block: h5d.DatasetID, width: int) -> int:
        """The number of entries of a block, each of `width` bytes. All of them must be in the file."""
        count = math.prod(map(int, block.shape))
        made = block.get_create_plist()
        chunk = math.prod(map(int, made.get_chunk())) if made.get_layout() == h5d.CHUNKED else 0
        there = not count or count * width <= block.get_storage_size() <= self.size
        if max(count, chunk) * width > self.size or not there:
            raise self.fail(name, "is not all there")
        self._count_bytes(count * width, name)
        return count

    def _count_bytes(self, size: int, name: str) -> None:
        """Count bytes that are read, and refuse more than the file has."""
        self.left -= size
        if self.left < 0:
            raise self.fail(name, "and what is before it are more than the file has bytes")

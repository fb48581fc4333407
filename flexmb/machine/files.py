"""Files that are written whole or not at all.

A new file is written beside the old one, under a hidden name with .part in it. When all of it is on disk it replaces
the old file in one step; if the process ends before that, the old file stays. A link stays a link, and the file behind
it is replaced; permissions of the old file are kept. A .part file is locked while it is written. One without a lock was
left by a process that was killed; the next process that writes the same file removes it.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

try:
    import fcntl
except ImportError:  # a system without such locks does not remove open files anyway
    fcntl = None  # type: ignore[assignment]

from flexmb.errors import FlexmbError, ModelError, ResultFileError
from flexmb.machine.interruption import sheltered

#: errors of a full disk, of the limit of a file's size, of a quota
NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
#: beginnings of paths to the streams and files that a process has open
OPEN_STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
#: what readers of other packages raise for bytes that they do not understand: any exception, and some end the process
DAMAGE = (Exception, SystemExit)
#: longest name [bytes] that leaves room for the other parts of the name of a .part file
LONGEST_NAME = 200
#: bytes of text that are written at once
BUFFER = 1 << 20


# -- paths ------------------------------------------------------------------------------------------------------------


def path_from(value: Any, what: str, where: str) -> Path:
    """The path of a file, given as a text or a Path."""
    try:
        text = os.fspath(value)
        if not isinstance(text, str):
            raise TypeError
    except TypeError:
        raise ModelError(f"{where}: {what} must be a text or a Path, not {value!r}") from None
    if not text:
        raise ModelError(f"{where}: {what} is empty; give the name of a file")
    try:
        whole = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        whole = False
    if not whole:
        raise ModelError(f"{where}: {what} {text!r} has a character that no path can have; leave it out")
    return Path(text)


def path_to_write(path: Any, what: str, endings: Sequence[str] = ()) -> Path:
    """The path of a file that can be written, with one of the `endings` if any are given; `what` begins messages."""
    target = path_from(path, "path", what)
    where = f"{what} {target}"
    if endings and target.suffix.lower() not in endings:
        raise ModelError(f"{where}: the ending {target.suffix!r} is unknown; use {' or '.join(endings)}")
    folder = _mode(target.parent, where)
    if folder == 0:
        raise ResultFileError(f"{where}: there is no folder {str(target.parent)!r}; make it first")
    if folder != stat.S_IFDIR:
        raise ResultFileError(f"{where}: {str(target.parent)!r} is {_kind(folder)}, not a folder; give another name")
    if _mode(target, where) == stat.S_IFDIR or os.fspath(path).endswith("/"):
        raise ResultFileError(f"{where}: this is a folder; give the name of a file")
    return target


def path_to_read(path: Any, what: str) -> Path:
    """The path of a file that exists."""
    source = path_from(path, "path", what)
    where = f"{what} {source}"
    mode = _mode(source, where)
    if mode == 0:
        missing = "no such file" if _mode(source.parent, where) else f"no folder {str(source.parent)!r}"
        raise ResultFileError(f"{where}: there is {missing}; look for its name")
    if mode != stat.S_IFREG:
        raise ResultFileError(f"{where}: this is {_kind(mode)}; give the name of a file")
    return source


def folder_to_write(path: Any, what: str) -> Path:
    """The path of a folder, which is made if it does not exist."""
    folder = path_from(path, "folder", what)
    where = f"{what} {folder}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ResultFileError(
            f"{where}: this is {_kind(_mode(folder, where))}, not a folder; give another name"
        ) from None
    except OSError as why:
        raise ResultFileError(f"{where}: the folder cannot be made ({reason(why)}); give another name") from None
    return folder


def reason(why: OSError) -> str:
    """The system's text for a failure, without names of files that a user does not know."""
    return why.strerror or str(why)


@contextlib.contextmanager
def parsing(where: str, error: type[FlexmbError] = ResultFileError) -> Iterator[None]:
    """Answer whatever a library raises for bytes that it does not understand with an `error` that names the file.

    >>> with parsing("read part.stl"):
    ...     int.from_bytes(b"solid", "middle")
    Traceback (most recent call last):
    flexmb.errors.ResultFileError: read part.stl: the file cannot be read, it is cut short, damaged or of another kind \
(byteorder must be either 'little' or 'big'); take another copy
    """
    try:
        yield
    except FlexmbError:
        raise
    except DAMAGE as why:
        said = " ".join(str(why).split())[:200] or type(why).__name__
        raise error(
            f"{where}: the file cannot be read, it is cut short, damaged or of another kind ({said}); take another copy"
        ) from why


def _mode(path: Path, where: str) -> int:
    """The kind of file at a path, as `stat` gives it; 0 if there is none."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as why:
        raise ResultFileError(f"{where}: {reason(why)}; give another name") from None


def _kind(mode: int) -> str:
    kinds = {stat.S_IFREG: "a file", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(mode, "a device")


# -- files in the making ----------------------------------------------------------------------------------------------


class Sink(io.RawIOBase):
    """A file whose writing never fails: bytes that find no room are counted and dropped, and the end reports them.

    An error in the middle of a file makes some libraries end the whole process, so they must not see one. `path` is the
    name of the file, for programs that open it themselves.
    """

    def __init__(self, raw: io.FileIO, path: Path, *, stream: bool = False) -> None:
        super().__init__()
        self.raw, self.path, self.stream = raw, path, stream
        self.place = self.size = self.expected = 0
        self.failure: OSError | None = None

    def expect(self, size: int) -> None:
        """Announce the number of bytes to come; an error if the disk has less room (some file systems do not tell)."""
        self.expected = size
        disk = shutil.disk_usage(self.path.parent)
        if disk.total and size > disk.free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def readable(self) -> bool:
        return not self.stream

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return not self.stream

    def tell(self) -> int:
        return self.place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self.place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.place, os.SEEK_END: self.size}[whence]
        return self.place

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        count = len(view)
        if self.failure is None:
            try:
                if not self.stream:
                    self.raw.seek(self.place)
                while view:
                    view = view[self.raw.write(view) or 0 :]
            except OSError as why:
                self.failure = why
        self.place += count
        self.size = max(self.size, self.place)
        return count

    def readinto(self, buffer: Any) -> int:
        """The bytes at this place; zeros for those that were dropped."""
        view = memoryview(buffer).cast("B")[: max(0, self.size - self.place)]
        self.raw.seek(self.place)
        count = self.raw.readinto(view) or 0
        view[count:] = bytes(len(view) - count)
        self.place += len(view)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        self.size = self.place if size is None else size
        if self.failure is None:
            try:
                self.raw.truncate(self.size)
            except OSError as why:
                self.failure = why
        return self.size

    def failed(self, where: str, why: OSError) -> ResultFileError:
        """The error to raise for a failure; if there is no room, it tells how much is missing."""
        if self.stream or why.errno not in NO_ROOM:
            return ResultFileError(f"{where}: the file cannot be written ({reason(why)})")
        written = os.stat(self.raw.fileno())
        # the part that is written will be freed; of a quota nothing more is known
        room = getattr(written, "st_blocks", 0) * 512
        if why.errno == errno.EFBIG:
            room, place = written.st_size, "in a file of this process (its limit of sizes)"
        else:
            place = f"on the disk of folder {str(self.path.parent)!r}"
            room += shutil.disk_usage(self.path.parent).free if why.errno == errno.ENOSPC else 0
        size = max(self.size, self.expected)
        if size <= room:  # another program writes the file and does not tell its size
            return ResultFileError(
                f"{where}: {size_text(room)} are no room for it {place}; free more, or save elsewhere"
            )
        return ResultFileError(
            f"{where}: there is no room {place}: it takes {size_text(size)}, {size_text(size - room)} are "
            "missing; free as much, or save elsewhere"
        )


for _method in (Sink.tell, Sink.seek, Sink.write, Sink.readinto, Sink.truncate):
    sheltered(_method)  # HDF5 calls them and takes Ctrl-C for an error of the file; what saves is interruptible


@contextlib.contextmanager
def replaced(target: Path, what: str, *, streams: bool = False) -> Iterator[Sink]:
    """A new file that replaces the one at `target` if nothing goes wrong. Devices and pipes are refused; with
    `streams` they are written to directly."""
    where = f"{what} {target}"
    real = _file_to_replace(target, where, streams)
    if real is None:
        with _streamed(target, where) as sink:
            yield sink
        return
    try:
        _remove_remnants(real)
        raw, part = _new_part(real)
    except OSError as why:
        raise ResultFileError(
            f"{where}: no file can be made in folder {str(real.parent)!r} ({reason(why)}); give another name"
        ) from None
    sink = Sink(raw, part)
    try:
        try:
            yield sink
            if sink.failure is None:
                _keep_permissions(part, real)
                sync(raw.fileno())
        except Exception as why:
            if sink.failure is None and not isinstance(why, OSError):
                raise
            raise sink.failed(where, sink.failure or why) from None  # type: ignore[arg-type]
        if sink.failure is not None:
            raise sink.failed(where, sink.failure)
        if fcntl is None:
            raw.close()
        try:
            os.replace(part, real)
        except OSError as why:
            raise ResultFileError(f"{where}: the old file cannot be replaced ({reason(why)})") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raw.close()
    with contextlib.suppress(OSError):  # not every file system can put a folder on disk
        folder = os.open(real.parent, os.O_RDONLY)
        try:
            sync(folder)
        finally:
            os.close(folder)


@contextlib.contextmanager
def text_to(sink: Sink) -> Iterator[TextIO]:
    """Text in UTF-8 for a file."""
    text = io.TextIOWrapper(io.BufferedWriter(sink, BUFFER), encoding="utf-8", newline="", errors="backslashreplace")
    try:
        yield text
    finally:
        text.detach().detach()  # type: ignore[attr-defined]


def write_text(target: Path, what: str, text: str) -> Path:
    """Write a text to a file."""
    with replaced(target, what) as sink, text_to(sink) as file:
        file.write(text)
    return target


def sync(handle: int) -> None:
    """Wait until all is on disk."""
    os.fsync(handle)


def size_text(size: float) -> str:
    """A number of bytes in words.

    >>> size_text(812), size_text(6261296), size_text(2.5e9)
    ('812 bytes', '6.26 MB', '2.5 GB')
    """
    for unit, one in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= one:
            return f"{size / one:.3g} {unit}" if size < 1000.0 * one else f"{size / one:.0f} {unit}"
    return f"{size:.0f} bytes"


def _file_to_replace(target: Path, where: str, streams: bool) -> Path | None:
    """The file to replace, behind all links; None for a device or a pipe, which is written to directly."""
    opened = str(target.absolute()).startswith(OPEN_STREAMS)
    mode = _mode(target, where)
    if opened or mode not in (0, stat.S_IFREG):
        if streams and mode != stat.S_IFDIR:
            return None
        kind = "something that this process has open" if opened else _kind(mode)
        raise ResultFileError(f"{where}: this is {kind}, which no file can replace; give the name of a file")
    real = Path(os.path.realpath(target))
    if real.is_symlink() or not real.parent.is_dir():
        raise ResultFileError(f"{where}: this is a link to {str(real)!r}, where no file can be; give another name")
    if mode and not os.access(real, os.W_OK):
        raise ResultFileError(f"{where}: the old file is protected against writing; permit it, or give another name")
    return real


@contextlib.contextmanager
def _streamed(target: Path, where: str) -> Iterator[Sink]:
    try:
        raw = io.FileIO(target, "w")
    except OSError as why:
        raise ResultFileError(f"{where}: it cannot be written to ({reason(why)})") from None
    with raw:
        sink = Sink(raw, target, stream=True)
        yield sink
        if sink.failure is not None:
            raise sink.failed(where, sink.failure)


def _new_part(real: Path) -> tuple[io.FileIO, Path]:
    """A new file beside the one that it will replace, locked."""
    ending = real.suffix if len(real.suffix) < 16 else ""
    while True:
        path = real.with_name(f".{_stem(real)}.{secrets.token_hex(4)}.part{ending}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        raw = io.FileIO(os.open(path, flags, 0o666), "r+")
        if fcntl is None:
            return raw, path
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(raw.fileno(), fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(raw.fileno())):
                return raw, path
        raw.close()  # another process removed it as a remnant before it was locked


def _remove_remnants(real: Path) -> None:
    """Remove .part files of the same file that killed processes have left."""
    remnant = re.compile(rf"\.{re.escape(_stem(real))}\.[a-z0-9_]{{8}}\.part({re.escape(real.suffix)})?")
    with os.scandir(real.parent) as entries:
        remnants = [e.path for e in entries if remnant.fullmatch(e.name) and e.is_file(follow_symlinks=False)]
    for path in remnants:
        with contextlib.suppress(OSError):  # locked by its writer, or owned by another user
            if fcntl is None:
                os.unlink(path)
                continue
            handle = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(handle)


def _stem(real: Path) -> str:
    """The name of a file, cut if the name of its .part file would be too long."""
    return real.name if len(os.fsencode(real.name)) <= LONGEST_NAME else real.name[: LONGEST_NAME // 4]


def _keep_permissions(part: Path, real: Path) -> None:
    """Give the new file the owner, group and permissions of the old one, as far as the system allows."""
    with contextlib.suppress(FileNotFoundError):
        old = os.stat(real)
        if hasattr(os, "chown"):
            for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
                with contextlib.suppress(OSError):
                    os.chown(part, owner, group)
        with contextlib.suppress(OSError):
            os.chmod(part, stat.S_IMODE(old.st_mode))

"""Output files: every file that `tw` writes for its user is written by this module.

- A regular file is written beside its target, as `.NAME.PROCESS-N.tw.part`, and renamed at the end,
  replacing an existing file and keeping its mode and owner. A symbolic link is followed. A folder
  is built the same way; it must be absent or empty, because replacing a folder would delete other
  files.
- `-` is stdout. An existing FIFO, device or socket is written through and never replaced.
- A new file is readable to those who may read the warehouse it is made from (`no_more_readable`).
- Parts are locked while they are written; those of killed processes are deleted by the next write
  into the same folder.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO, Final

from warehouse.errors import ExportError
from warehouse.processes import is_alive

try:
    import fcntl
except ImportError:  # not available on this system: parts are not swept
    fcntl = None  # type: ignore[assignment]

STDOUT: Final = Path("-")
_STDOUT_NAMES = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
_BUFFER_BYTES = 1 << 20
_PART = re.compile(r"\..+\.(\d+)-\d+\.tw\.part")
_NAME_BYTES = 200  # of the target's name in that of a part; file systems allow 255 in all
#: A new part is not locked for a moment; its process may be one of another machine.
_SETTLED_S = 60.0
_READ_WRITE = 0o666
_numbers = itertools.count()

#: Permissions that a new file may have, apart from the umask.
_allowed: ContextVar[int] = ContextVar("allowed", default=_READ_WRITE)


@contextmanager
def no_more_readable(source: Path) -> Iterator[None]:
    """Creates files within the block with at most the permissions of `source`, if it exists.

    Files that exist keep their mode.
    """
    before = _allowed.get()
    with suppress(OSError):
        _allowed.set(before & source.stat().st_mode)
    try:
        yield
    finally:
        _allowed.set(before)


def is_stdout(path: Path) -> bool:
    """Whether a target is standard output: `-` or /dev/stdout."""
    return os.fspath(path) in _STDOUT_NAMES


def is_stream(path: Path) -> bool:
    """Whether a target is written through: stdout, or an existing FIFO, device or socket.

    A stream cannot be read back and has no manifest beside it.
    """
    if is_stdout(path):
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # no file can have the name
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def whole_file(
    path: Path, *, is_seeking: bool = False, keeps_mode: bool = True
) -> Iterator[BinaryIO]:
    """Opens a file that replaces `path` when the block succeeds; gzip if the name ends in .gz.

    A stream is written through; with `is_seeking`, for formats that move within their file, once
    the block has succeeded. Without `keeps_mode` an existing file gets the mode of a new one.
    Raises ExportError when it cannot be written; an existing file is then kept.
    """
    with _failing(path), _plain(path, is_seeking, keeps_mode) as plain:
        if path.suffix == ".gz":
            with _gzip(plain) as packed:
                yield packed
        else:
            yield plain


def new_file(path: Path, content: bytes) -> bool:
    """Creates a file with all of its content, unless it exists; returns whether it did.

    Of several processes that create it, also on other machines, one succeeds. The content is
    written under another name, which is then linked, so that no reader sees a part of it. Raises
    OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(6)}.tw.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # no hard links on this file system
            return _new_in_place(path, content)
        return True
    finally:
        part.unlink(missing_ok=True)


def _new_in_place(path: Path, content: bytes) -> bool:
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        return False
    return True


@contextmanager
def whole_copy(path: Path) -> Iterator[Path]:
    """Yields the path of an empty file that replaces `path` when the block succeeds.

    For programs that open files by name. A stream receives the content at the end. Raises
    ExportError.
    """
    with _failing(path):
        if is_stream(path):
            with tempfile.TemporaryDirectory(prefix="tw-") as folder:
                copy = Path(folder, "copy")
                copy.touch(0o600)
                yield copy
                with copy.open("rb") as source, _stream(path) as target:
                    shutil.copyfileobj(source, target, _BUFFER_BYTES)
        else:
            with _part_file(path, keeps_mode=True) as (part, _):
                yield part


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Creates a folder that appears at `path` when the block succeeds.

    Raises ExportError when it cannot be created or `path` is occupied.
    """
    refuse_occupied(path)
    with _failing(path):
        real = _real(path)
        _sweep(real.parent)
        part = _part(real)
        part.mkdir(mode=_folder_mode())
        try:
            with _locked(os.open(part, os.O_RDONLY)):
                yield part
                os.replace(part, real)  # also replaces an empty folder
        except ExportError as error:  # of a file in it
            message = error.message.replace(os.fspath(part), os.fspath(path))
            raise ExportError(message, hint="Name another folder.") from error
        finally:
            shutil.rmtree(part, ignore_errors=True)


def refuse_occupied(path: Path) -> None:
    """Raises ExportError unless `path` does not exist or is an empty folder."""
    _refuse_stdout(path)
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists():
        hint = "Name another folder, or remove that one." if path.is_dir() else "Name a new folder."
        raise ExportError(f"{path} exists and is not an empty folder", hint=hint)


def make_folder(path: Path, *, parents: bool = False) -> None:
    """Creates a folder to which files are added, unless it exists. Raises ExportError."""
    _refuse_stdout(path)
    try:
        path.mkdir(parents=parents, exist_ok=True)
    except OSError as error:
        raise ExportError(
            f"the folder {path} cannot be created: {error.strerror}", hint="Name another folder."
        ) from error


def _refuse_stdout(path: Path) -> None:
    if is_stdout(path):
        raise ExportError("a folder cannot be written to stdout", hint="Name a folder with -o.")


def file_stem(name: str) -> str:
    """Converts the name of a run or trace to a file stem that is valid on any system."""
    stem = re.sub(r"[^\w.+-]+", "_", name).strip("._")
    return stem[:100] or "trace"


@contextmanager
def _plain(path: Path, is_seeking: bool, keeps_mode: bool) -> Iterator[BinaryIO]:
    """Opens the target without compression."""
    if not is_stream(path):
        with _part_file(path, keeps_mode) as (_, file):
            yield file
    elif is_seeking:
        with tempfile.TemporaryFile() as spool:
            yield spool
            spool.seek(0)
            with _stream(path) as target:
                shutil.copyfileobj(spool, target, _BUFFER_BYTES)
    else:
        with _stream(path) as target:
            yield target


@contextmanager
def _stream(path: Path) -> Iterator[BinaryIO]:
    """Opens stdout, or a file that is neither created, truncated nor made the terminal."""
    if is_stdout(path):
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    with open(descriptor, "wb", buffering=_BUFFER_BYTES) as file:
        yield file


@contextmanager
def _part_file(path: Path, keeps_mode: bool) -> Iterator[tuple[Path, BinaryIO]]:
    """Creates a part and renames it to the target at the end."""
    real = _real(path)
    before = _replaced(real) if keeps_mode else None
    _sweep(real.parent)
    part = _part(real)
    mode = _allowed.get() if before is None else 0o600
    descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode & _READ_WRITE)
    try:
        with _locked(descriptor, is_closing=False), open(descriptor, "wb", _BUFFER_BYTES) as file:
            if before is not None:
                _take_over(descriptor, before)
            yield part, file
            file.flush()
            os.replace(part, real)
    finally:
        part.unlink(missing_ok=True)


def _real(path: Path) -> Path:
    """Follows symbolic links; raises OSError for a loop."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


def _replaced(real: Path) -> os.stat_result | None:
    """Returns the status of the file to replace, if any; raises OSError if it may not be."""
    try:
        found = real.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(real, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


def _take_over(descriptor: int, before: os.stat_result) -> None:
    """Sets the owner, as far as permitted, and the mode of a file to those of its predecessor."""
    with suppress(OSError, AttributeError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    with suppress(AttributeError):  # Windows, before Python 3.13
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _part(real: Path) -> Path:
    """Returns the hidden temporary name, unique to this process."""
    name = os.fsdecode(os.fsencode(real.name)[:_NAME_BYTES])
    return real.with_name(f".{name}.{os.getpid()}-{next(_numbers)}.tw.part")


def _folder_mode() -> int:
    """The permissions of a new folder: who may read it may enter it."""
    allowed = _allowed.get() & _READ_WRITE
    return 0o700 | allowed | (allowed & 0o444) >> 2


@contextmanager
def _locked(descriptor: int, *, is_closing: bool = True) -> Iterator[None]:
    """Marks a part as being written, until its descriptor is closed."""
    try:
        if fcntl is not None:
            with suppress(OSError):  # not supported by this file system
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        if is_closing:
            os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Deletes the parts that killed processes left in a folder."""
    if fcntl is None:
        return
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if name.endswith(".tw.part")]
        for name in names:
            if found := _PART.fullmatch(name):
                with suppress(OSError):
                    _sweep_part(folder / name, int(found[1]))


def _sweep_part(part: Path, pid: int) -> None:
    """Deletes a part unless its process is writing it; raises OSError if it is."""
    descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_alive(pid) and time.time() - os.fstat(descriptor).st_mtime < _SETTLED_S:
            return
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink()
            part.with_name(part.name + ".wal").unlink(missing_ok=True)  # of a copied warehouse
    finally:
        os.close(descriptor)


@contextmanager
def _gzip(plain: BinaryIO) -> Iterator[BinaryIO]:
    from isal import igzip

    # No time or name in the gzip header: the same trace gives the same bytes.
    opened: Any = igzip.IGzipFile
    with opened(filename="", fileobj=plain, mode="wb", compresslevel=2, mtime=0) as packed:
        yield packed


@contextmanager
def _failing(path: Path) -> Iterator[None]:
    """Converts OSError to ExportError; a reader that closed stdout is not a failure."""
    _must_be_a_name(path)
    try:
        yield
    except OSError as error:
        if isinstance(error, BrokenPipeError) and is_stdout(path):
            raise
        raise _cannot_write(path, error) from error


def _must_be_a_name(path: Path) -> None:
    """Raises ExportError for a text that no file system takes as a name."""
    try:
        is_name = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise ExportError(f"{os.fspath(path)!r} cannot be written: it is not a name of a file")


def _cannot_write(path: Path, error: OSError) -> ExportError:
    reason = error.strerror or error
    if is_stdout(path):
        return ExportError(f"stdout cannot be written: {reason}")
    is_homeless = isinstance(error, FileNotFoundError)
    return ExportError(
        f"{path} cannot be written: {reason}",
        hint=f"Create the folder {path.parent} first." if is_homeless else "Name another file.",
    )

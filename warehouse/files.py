"""Atomic output: files and folders that are written completely or not at all.

A file is written beside its target, as `.NAME.PROCESS.part`, and renamed at the end, replacing an
existing file. A folder is built the same way; it must be absent or empty, because replacing a
folder would delete other files.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from warehouse.errors import ExportError

_BUFFER_BYTES = 1 << 20


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a file that replaces `path` when the block succeeds; gzip if the name ends in .gz.

    Raises ExportError when it cannot be written; an existing file is then kept.
    """
    part = _part(path)
    try:
        with open(part, "wb", buffering=_BUFFER_BYTES) as plain:
            if path.suffix == ".gz":
                with _gzip(plain) as packed:
                    yield packed
            else:
                yield plain
        os.replace(part, path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        part.unlink(missing_ok=True)


def _part(path: Path) -> Path:
    """Returns the hidden temporary name, unique to this process."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def _gzip(plain: BinaryIO) -> Iterator[BinaryIO]:
    from isal import igzip

    # No time or name in the gzip header: the same trace gives the same bytes.
    opened: Any = igzip.IGzipFile
    with opened(filename="", fileobj=plain, mode="wb", compresslevel=2, mtime=0) as packed:
        yield packed


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Creates a folder that appears at `path` when the block succeeds.

    Raises ExportError when it cannot be created or `path` is occupied.
    """
    refuse_occupied(path)
    part = _part(path)
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        yield part
        os.replace(part, path)  # also replaces an empty folder
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def refuse_occupied(path: Path) -> None:
    """Raises ExportError unless `path` does not exist or is an empty folder."""
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists():
        raise ExportError(
            f"{path} exists and is not an empty folder",
            hint="Name another folder with -o, or remove that one.",
        )


def file_stem(name: str) -> str:
    """Converts the name of a run or trace to a file stem that is valid on any system."""
    stem = re.sub(r"[^\w.+-]+", "_", name).strip("._")
    return stem[:100] or "trace"


def _cannot_write(path: Path, error: OSError) -> ExportError:
    is_homeless = isinstance(error, FileNotFoundError)
    return ExportError(
        f"{path} cannot be written: {error.strerror or error}",
        hint=f"Create the folder {path.parent} first." if is_homeless else "Name another with -o.",
    )

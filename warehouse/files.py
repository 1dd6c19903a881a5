"""Output files that appear whole or not at all; knows nothing of what is in them.

A file is written beside its place, as `.NAME.PROCESS.part`, and renamed at the end, over an older
file of that name as `cp` does. A folder is built likewise, and has to be absent or empty before,
because replacing a folder would delete files we know nothing of.
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
    """A new file that takes its name when the block ends well; gzip when the name ends in .gz.

    Raises ExportError when it cannot be written; whatever was there before then stays.
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
    """Where it grows: hidden, and this process's own, as another may write the same file."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


@contextmanager
def _gzip(plain: BinaryIO) -> Iterator[BinaryIO]:
    from isal import igzip

    # No time and no name in the header: the same trace gives the same bytes.
    opened: Any = igzip.IGzipFile
    with opened(filename="", fileobj=plain, mode="wb", compresslevel=2, mtime=0) as packed:
        yield packed


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder that takes its name when the block ends well.

    Raises ExportError when it cannot be made or something is there already.
    """
    refuse_occupied(path)
    part = _part(path)
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        yield part
        os.replace(part, path)  # over an empty folder, too
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def refuse_occupied(path: Path) -> None:
    """Raises ExportError unless there is nothing at `path`, or an empty folder."""
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists():
        raise ExportError(
            f"{path} exists and is not an empty folder",
            hint="Name another folder with -o, or remove that one.",
        )


def file_stem(name: str) -> str:
    """A run's or trace's name as the beginning of a file name, on any system."""
    stem = re.sub(r"[^\w.+-]+", "_", name).strip("._")
    return stem[:100] or "trace"


def _cannot_write(path: Path, error: OSError) -> ExportError:
    is_homeless = isinstance(error, FileNotFoundError)
    return ExportError(
        f"{path} cannot be written: {error.strerror or error}",
        hint=f"Make the folder {path.parent} first." if is_homeless else "Name another with -o.",
    )

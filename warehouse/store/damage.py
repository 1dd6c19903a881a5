"""Recognises damage of a warehouse file in DuckDB's errors, and reports it in one sentence.

DuckDB stores a checksum with each block, so that damage is found where it is read. Its errors are
`Corrupt database file: computed checksum ... in block at location N` for changed bytes, and
`Could not read enough bytes from file ...: ... from location N` for missing ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb

from warehouse.errors import InvalidDatabase, UnwritableDatabase

_CHANGED = re.compile(
    r"computed checksum \d+ does not match stored checksum \d+ in block at location (\d+)"
    r"|Corrupt WAL file|Failure while replaying WAL"
)
_UNWRITABLE = re.compile(
    r'(?:Could not (?:write|truncate|sync|create|move)|Cannot (?:open|create))[^"]*"([^"]+)":? (.+)'
)
_MISSING = re.compile(r'Could not read enough bytes from file "(.*)": .* from location (\d+)')


def raise_if_no_file(path: Path) -> None:
    """Raises InvalidDatabase for a folder, pipe or device in place of a warehouse or its log."""
    if not path.is_file():
        kind = "folder" if path.is_dir() else "pipe or device"
        raise InvalidDatabase(f"{path} is a {kind}, not a warehouse")
    log = path.with_name(f"{path.name}.wal")
    if log.exists() and not log.is_file():  # DuckDB would wait for what a pipe never gives
        raise InvalidDatabase(
            f"{log} is not a regular file, and DuckDB would read it as the log of {path}"
        )


def of(path: Path, error: BaseException) -> InvalidDatabase | None:
    """Returns the damage of the file that caused an error, if that is its cause."""
    for each in _causes(error):
        if isinstance(each, InvalidDatabase):
            return each
        found = place(each)
        if found is not None and _is_of(path, str(each)):
            return sentence(path, f"the file {found}")
    return None


def place(error: BaseException) -> str | None:
    """Returns what is damaged, and where, as a phrase; None for other errors."""
    is_text_of_user = isinstance(error, duckdb.InvalidInputException)  # as of error('...')
    if is_text_of_user or not isinstance(error, duckdb.Error | OSError):
        return None
    if changed := _CHANGED.search(str(error)):
        return "holds invalid data" + _at(changed[1])
    if missing := _MISSING.search(str(error)):
        return "ends early or cannot be read" + _at(missing[2])
    return None


def sentence(path: Path, what: str) -> InvalidDatabase:
    """Returns the error that all commands report for a damaged file."""
    return InvalidDatabase(
        f"{path} is damaged: {what}",
        hint=f"`tw check --file --db {path}` lists the damaged tables. "
        "Restore the file from a backup, or import the traces again into a new one.",
    )


def raise_if_found(path: Path, error: BaseException) -> None:
    """Raises InvalidDatabase if an error is due to damage of the file."""
    found = of(path, error)
    if found is not None and found is not error:
        raise found from error


def unwritable(error: BaseException) -> UnwritableDatabase | None:
    """Returns the failure to write a file that caused an error of DuckDB, if that is its cause."""
    for each in _causes(error):
        found = _UNWRITABLE.search(str(each)) if isinstance(each, duckdb.Error) else None
        if found and not isinstance(each, duckdb.InvalidInputException):
            return UnwritableDatabase(
                f"{found[1]} cannot be written: {found[2]}", hint="The warehouse is unchanged."
            )
    return None


def _at(location: str | None) -> str:
    return f" at byte {int(location):,}" if location else ""


def _is_of(path: Path, text: str) -> bool:
    """Whether missing bytes are missing in this file, not in one of DuckDB's scratch files."""
    missing = _MISSING.search(text)
    return missing is None or Path(missing[1]).name.startswith(path.name)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yields an error and those it was raised for, also where `from None` hides them."""
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__

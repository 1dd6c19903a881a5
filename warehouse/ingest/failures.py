"""Converts every failure of one source to one error, so that the other sources are imported.

An importer or plug-in may fail in any way; nothing it raises may end the import of other files.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import duckdb

from warehouse.errors import TwError, UnexpectedFailure

T = TypeVar("T")
_INTERRUPTED = "Query interrupted"  # how DuckDB reports Ctrl-C
_REPORT = "This is a defect of tw or of the importer: please report it"


def attempt(label: str, verb: str, work: Callable[[], T]) -> T | TwError:
    """Returns the result of `work`, or its failure; `verb` completes "LABEL could not be ...".

    Interrupts are raised.
    """
    try:
        return work()
    except TwError as error:
        return error
    except Exception as error:  # noqa: BLE001 - an importer may raise anything
        raise_interrupt(error)
        return _converted(f"{label} could not be {verb}", error)


def raise_interrupt(error: Exception) -> None:
    """Raises an exception that stands for Ctrl-C, also where its handling led to another error.

    For example, a generator that a thread of DuckDB still runs cannot be closed.
    """
    earlier: BaseException | None = error
    while earlier is not None:
        if isinstance(earlier, KeyboardInterrupt):
            raise earlier
        if isinstance(earlier, RuntimeError) and str(earlier) == _INTERRUPTED:
            raise earlier
        earlier = earlier.__cause__ or earlier.__context__


def _converted(what: str, error: Exception) -> TwError:
    if isinstance(error, OSError):
        return TwError(f"{what}: {error.strerror or error}")
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return TwError(f"{what}: out of memory", hint="Raise --memory-limit, or use fewer --jobs.")
    first = next(iter(str(error).splitlines()), "") or "no message"
    if isinstance(error, duckdb.IOException):
        return TwError(f"{what}: {first}", hint="Is the disk full?" if "rit" in first else None)
    return UnexpectedFailure(
        f"{what}: {type(error).__name__}: {first}",
        hint=f"{_REPORT}, with the file if you can; --debug writes the traceback to a log file.",
        traceback="".join(traceback.format_exception(error)),
    )


def log(error: TwError | None, path: Path) -> None:
    """Appends the traceback of an unexpected failure to a log file, and names it in the hint."""
    if not isinstance(error, UnexpectedFailure):
        return
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(
                f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {error.message}\n{error.traceback}\n"
            )
    except OSError as failure:
        error.hint = f"{_REPORT}. {path} cannot be written: {failure.strerror}."
    else:
        error.hint = f"{_REPORT}, with {path}."

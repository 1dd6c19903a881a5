"""Reports text that DuckDB cannot take: names and paths that are not Unicode.

A file name or an argument may have bytes that are not UTF-8; Python has them as lone surrogates.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from warehouse.errors import DatabaseError, UsageError

_SURROGATE = re.compile("[\ud800-\udfff]")
#: The message of DuckDB, which names the character in two ways.
_REFUSED = re.compile(r"cannot encode str as UTF-8, surrogate '\\u(\w{4})' at position (\d+)")


def must_be_a_path(path: Path) -> None:
    """Raises DatabaseError for a path that DuckDB cannot open."""
    if _SURROGATE.search(os.fspath(path)):
        raise DatabaseError(
            f"the path {os.fspath(path)!r} is not UTF-8, so no warehouse can be there",
            hint="Rename the file, or the folder.",
        )


def refused(error: BaseException) -> UsageError | None:
    """Returns the text that caused an error of DuckDB, if that is its cause."""
    found = _REFUSED.search(str(error))
    if found is None:
        return None
    return UsageError(
        f"character {int(found[2]) + 1:,} of a name is not a Unicode character "
        f"(U+{found[1].upper()})",
        hint="Names are UTF-8.",
    )


def raise_if_refused(error: BaseException) -> None:
    """Raises UsageError if an error is due to text that is not Unicode."""
    found = refused(error)
    if found is not None:
        raise found from None

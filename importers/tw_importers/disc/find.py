"""Finds logs with dumped clusters, and the programs and archives that belong to them.

Files are found by their base names anywhere below the folder of the log. A folder with programs and
archives alone works, too.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tw_importers.disc.log import TEMPORARY
from warehouse.ingest.importer import Capture, Listing, Part

_LOG = re.compile(r".*\.(?:log|txt|err|out)(?:\.gz)?")
_PROGRAM = re.compile(r".*\.(?:input|pb)(?:\.gz)?")
_ARCHIVE = re.compile(r".*\.(?:tar|tar\.gz|tgz)")
_LINE = re.compile(
    rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: [IWEF](?: +\d+)? [^\s:]+:\d+\] "
    rb"(?:Force remove_after_compile|TaoCompilationCache initiate|arg #\d+ proto filename: "
    rb"|tar (?:the cluster input|input proto)|tao_compiler_input: |print ins/outs)",
    re.M,
)


def is_log(head: bytes) -> bool:
    """Whether a line of BladeDISC is in the first 64 KiB."""
    return _LINE.search(head) is not None


def is_program(head: bytes) -> bool:
    """Whether a file begins with options whose first is a device of BladeDISC."""
    return head[:1] == b"\x0a" and b"MLIR_" in head[2:16]


def keeps_archive(name: str, members: Sequence[str] | None) -> bool:
    """Whether an archive has values of arguments, by the names of temporary files."""
    if TEMPORARY.fullmatch(posixpath.basename(name)):
        return True
    return bool(members) and all(map(TEMPORARY.fullmatch, members or ()))


def find(listing: Listing) -> Iterator[Capture]:
    """A capture for each log with its dumps, and one for dumps without a log."""
    dumps = [name for name in listing.names if _is_dump(listing, name)]
    logs = [
        name
        for name in listing.names
        if _LOG.fullmatch(name) and (_has_dumps(name, dumps) or is_log(listing.head(name)))
        and not TEMPORARY.fullmatch(posixpath.basename(name))
    ]  # fmt: skip
    taken: set[str] = set()
    for log in logs:
        folder = posixpath.dirname(log)
        own = [name for name in dumps if name not in taken and _is_below(name, folder)]
        taken.update(own)
        yield _capture(folder, [log], own)
    alone = defaultdict(list)
    for name in dumps:
        if name not in taken:
            alone[posixpath.dirname(name)].append(name)
    for folder, names in sorted(alone.items()):
        if any(_PROGRAM.fullmatch(name) for name in names):
            yield _capture(folder, [], names)


def _is_dump(listing: Listing, name: str) -> bool:
    """Temporary files by their names; else programs by content, and archives beside them."""
    if TEMPORARY.fullmatch(posixpath.basename(name)) and name.endswith((".tar", ".input")):
        return True
    if _PROGRAM.fullmatch(name):
        return is_program(listing.head(name))
    return bool(_ARCHIVE.fullmatch(name)) and any(
        posixpath.dirname(other) == posixpath.dirname(name)
        and _PROGRAM.fullmatch(other)
        and is_program(listing.head(other))
        for other in listing.names
    )


def _has_dumps(log: str, dumps: Sequence[str]) -> bool:
    """In a long log the first line of BladeDISC comes late: dumps beside it mark it as well."""
    folder = posixpath.dirname(log)
    near = (folder, posixpath.join(folder, "dump"))
    return any(posixpath.dirname(name) in near for name in dumps)


def _is_below(name: str, folder: str) -> bool:
    return not folder or name.startswith(f"{folder}/")


def _capture(folder: str, logs: Sequence[str], dumps: Sequence[str]) -> Capture:
    start = f"{folder}/" if folder else ""
    parts = [Part(name.removeprefix(start), "log") for name in logs]
    for name in dumps:
        role = "data" if _ARCHIVE.fullmatch(name) else "program"
        parts.append(Part(name.removeprefix(start), role))
    return Capture(folder, tuple(parts))

"""Finds logs with dumped clusters, and the files that belong to them.

Files are found by their base names anywhere below the folder of the log. A folder with dumps alone
works, too: programs and archives, statistics, or dumps of torch_blade.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tw_importers.disc import names as named
from tw_importers.disc.names import TEMPORARY
from warehouse.ingest.importer import Capture, Listing, Part

_LOG = re.compile(r".*\.(?:log|txt|err|out)(?:\.gz)?")
_PROGRAM = re.compile(r".*\.(?:input|pb)(?:\.gz)?")
_ARCHIVE = re.compile(r".*\.(?:tar|tar\.gz|tgz)")
_PREFIX = rb"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}: [IWEF](?: +\d+)? [^\s:]+:\d+\] "
_TENSORFLOW = re.compile(_PREFIX, re.M)
_LINE = re.compile(
    _PREFIX + rb"(?:Force remove_after_compile|TaoCompilationCache initiate"
    rb"|arg #\d+ proto filename: |tar (?:the cluster input|input proto)|tao_compiler_input: "
    rb"|print ins/outs)"
    rb"|replay toolkit dump (?:TorchScript program and data|cluster) on: ",
    re.M,
)
_WORDS = (
    b"Force remove_after_compile", b"TaoCompilationCache initiate", b" proto filename: ", b"tar ",
    b"tao_compiler_input: ", b"print ins/outs", b"replay toolkit dump ",
)  # fmt: skip


def is_log(head: bytes) -> bool:
    """Whether a line of BladeDISC is in the first 64 KiB."""
    # Without these words the expression would look at each place of binary files.
    return any(word in head for word in _WORDS) and _LINE.search(head) is not None


def is_program(head: bytes) -> bool:
    """Whether a file begins with options whose first is a device of BladeDISC."""
    return head[:1] == b"\x0a" and b"MLIR_" in head[2:16]


def keeps_archive(name: str, members: Sequence[str] | None) -> bool:
    """Whether an archive has values of arguments, by the names of temporary files, or of torch."""
    if TEMPORARY.fullmatch(posixpath.basename(name)) or named.is_torch_archive(name, members):
        return True
    return bool(members) and all(map(TEMPORARY.fullmatch, members or ()))


def find(listing: Listing) -> Iterator[Capture]:
    """A capture for each log with its dumps, and one for dumps without a log."""
    dumps = _dumps(listing)
    logs = [name for name in listing.names if _LOG.fullmatch(name) and name not in dumps]
    logs = [name for name in logs if not TEMPORARY.fullmatch(posixpath.basename(name))]
    sure = [name for name in logs if is_log(listing.head(name))]
    # Logs of inner folders take their dumps first.
    for folder, names in sorted(_by_folder(sure).items(), key=lambda each: -each[0].count("/")):
        own = {name: dumps.pop(name) for name in list(dumps) if _is_below(name, folder)}
        for together in [names] if own else [[name] for name in names]:
            yield _capture(folder, together, own)
    for folder, names in _by_folder(name for name in logs if name not in sure).items():
        near = (folder, posixpath.join(folder, "dump"))
        if any(_place(name, role) in near for name, role in dumps.items()):
            own = {name: dumps.pop(name) for name in list(dumps) if _is_below(name, folder)}
            yield _capture(folder, _likely(listing, names), own)
    yield from _alone(dumps)


def _dumps(listing: Listing) -> dict[str, str]:
    """The dumped files, and what they are; archives of other names are beside programs."""
    found = {name: role for name in listing.names if (role := _role(listing, name))}
    folders = {posixpath.dirname(name) for name, role in found.items() if role == "program"}
    for name in listing.names:
        if name not in found and _ARCHIVE.fullmatch(name) and posixpath.dirname(name) in folders:
            found[name] = "data"
    return {name: found[name] for name in listing.names if name in found}


def _role(listing: Listing, name: str) -> str | None:
    """The role of a dumped file, None for others: by name if temporary, else by content."""
    if named.is_torch_file(name):
        return "torch"
    if TEMPORARY.fullmatch(posixpath.basename(name)) and name.endswith((".tar", ".input")):
        return "data" if name.endswith(".tar") else "program"
    if (found := named.statistics_role(name)) is not None:
        is_ours = found != "statistics" or named.is_statistics(listing.head(name))
        return found if is_ours else None
    is_named = _PROGRAM.fullmatch(name) is not None
    return "program" if is_named and is_program(listing.head(name)) else None


def _likely(listing: Listing, names: Sequence[str]) -> list[str]:
    """In a long log the first line of BladeDISC comes late: dumps beside it mark it as well.

    Of several texts, those with lines of TensorFlow, else those that are called logs, if any.
    """
    if len(names) == 1:
        return list(names)
    tensorflow = [name for name in names if _TENSORFLOW.search(listing.head(name))]
    return tensorflow or [name for name in names if ".log" in posixpath.basename(name)]


def _alone(dumps: Mapping[str, str]) -> Iterator[Capture]:
    """Dumps without a log; archives alone are none."""
    folders: dict[str, dict[str, str]] = defaultdict(dict)
    for name, role in dumps.items():
        folders[_place(name, role)][name] = role
    for folder, own in sorted(folders.items()):
        if any(role != "data" for role in own.values()):
            yield _capture(folder, [], own)


def _place(name: str, role: str) -> str:
    """The folder of a dump; a dump of torch_blade is a folder itself."""
    folder = posixpath.dirname(name)
    return posixpath.dirname(folder) if role == "torch" else folder


def _by_folder(names: Iterator[str] | Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(posixpath.dirname(name), []).append(name)
    return found


def _is_below(name: str, folder: str) -> bool:
    return not folder or name.startswith(f"{folder}/")


def _capture(folder: str, logs: Sequence[str], dumps: Mapping[str, str]) -> Capture:
    start = f"{folder}/" if folder else ""
    parts = [Part(name.removeprefix(start), "log") for name in logs]
    parts += [Part(name.removeprefix(start), role) for name, role in dumps.items()]
    return Capture(folder, tuple(parts))

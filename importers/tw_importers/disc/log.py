"""Finds what a log says of dumped clusters and of their runs, in blocks of whole lines.

A record is a line with a prefix (date, severity, perhaps a thread, file and line) and the lines
without one that follow. Wording: tao_bridge/kernels/tao_compilation_cache.cc, disc_launch.cc and
launch_base.cc of BladeDISC, from January 2022 on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from warehouse.ingest.importer import ByteReader

_BLOCK: Final = 4 << 20
_LONGEST_LINE: Final = 16 << 20  # longer ones are cut
_PREFIX: Final = (
    rb"^(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}): [IWEF](?: +(?P<thread>\d+))? [^\s:]+:\d+\] "
)
_RECORD: Final = re.compile(
    _PREFIX + rb"(?:arg #(?P<n>\d+) proto filename: (?P<member>\S+)"
    rb"|tar the cluster input tensors with protobuf format to: (?P<tar>\S+)"
    rb"|(?P<old_tar>tar input proto files of the cluster for debug:)"
    rb"|tao_compiler_input: (?P<program>\S+)"
    rb"|cluster: (?P<fallback>\S+) fallbacks to TF as (?P<reason>[^\r\n]*)"
    rb"|(?P<run>print ins/outs)"
    rb"|>> input tensor #(?P<input>\d+)@\[(?P<shape>(?:-?\d{1,18}(?:, *-?\d{1,18})*)?)\]"
    rb"|\tTensor<type: (?P<type>\w+) "
    rb"|(?P<outputs>num outputs #)"
    rb"|(?P<other>Force remove_after_compile|TaoCompilationCache initiate))",
    re.M,
)
_CONTINUED: Final = re.compile(rb"[^\r\n]*\r?\n(?P<text>(?:[ \t][^\n]*\n)*)")
_OLD_TAR: Final = re.compile(rb"tar file path:\s*(\S+)")
_MEMBER: Final = re.compile(rb"`basename ([^`\s]+)`")
_TORCH_WORDS: Final = b"replay toolkit dump "
_TORCH: Final = re.compile(
    _TORCH_WORDS + rb"(?:TorchScript program and data|cluster) on: ([^\s,]+)"
)
#: The name of a temporary file: host, thread (hex), process and microseconds since the epoch (hex).
TEMPORARY: Final = re.compile(
    r"tempfile-(?P<host>.+)-(?P<thread>[0-9a-f]{1,15})-(?P<pid>\d{1,18})-(?P<micros>[0-9a-f]{1,13})"
    r"(?:\.tar|\.input)?"
)


@dataclass
class Archive:
    """An archive of the values of a cluster's arguments, as announced."""

    path: str
    at: int  # microseconds of local time
    members: list[str]


@dataclass
class Run:
    """An execution of a cluster, which the log does not name."""

    at: int  # microseconds of local time
    thread: int | None
    shapes: list[list[int]] = field(default_factory=list)
    types: list[str] = field(default_factory=list)


@dataclass
class Log:
    """What a log tells, in its order; times are microseconds of local time since 1970."""

    archives: list[Archive] = field(default_factory=list)
    programs: dict[str, int] = field(default_factory=dict)  # path -> time of the line
    fallbacks: list[tuple[str, str]] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    torch_dumps: dict[str, None] = field(default_factory=dict)  # folders that torch_blade wrote
    n_records: int = 0


def read(reader: ByteReader, log: Log | None = None) -> Log:
    """Reads a whole log, after others of a capture.

    Memory is that of a block and of what is found.
    """
    log, threads = log or Log(), dict[int | None, Run]()
    for block in _blocks(reader):
        for found in _TORCH.finditer(block) if _TORCH_WORDS in block else ():
            log.n_records += 1
            log.torch_dumps[_text(found[1])] = None
        for found in _RECORD.finditer(block):
            log.n_records += 1
            _take(log, found, block, threads)
    return log


def _blocks(reader: ByteReader) -> Iterator[bytes]:
    """Blocks that end before a record, so that its lines stay together."""
    rest = b""
    while more := reader.read(_BLOCK):
        data = rest + more
        cut = data.rfind(b"\n2")
        if cut < 0 or cut < len(data) - _LONGEST_LINE:
            cut = data.rfind(b"\n") if len(data) > _LONGEST_LINE else -1
        yield data[: cut + 1]
        rest = data[cut + 1 :]
    yield rest


def _take(log: Log, found: re.Match[bytes], block: bytes, threads: dict[int | None, Run]) -> None:
    at = _micros(found["at"])
    if found["tar"] or found["old_tar"]:
        continued = _CONTINUED.match(block, found.end())
        text = continued["text"] if continued else b""
        old = _OLD_TAR.search(text)
        path = found["tar"] or (old[1] if old else b"")
        names = [_base(each) for each in _MEMBER.findall(text)]
        members = [name for name in names if name != _base(path)]  # it is created, then moved
        log.archives.append(Archive(_text(path), at, members))
    elif found["program"]:
        log.programs[_text(found["program"])] = at
    elif found["fallback"]:
        log.fallbacks.append((_text(found["fallback"]), _text(found["reason"])))
    else:
        _take_run(log, found, at, threads)


def _take_run(log: Log, found: re.Match[bytes], at: int, threads: dict[int | None, Run]) -> None:
    """Adds a line to its run; runs of several threads are separated if the log has thread ids."""
    thread = int(found["thread"]) if found["thread"] else None
    if found["run"]:
        threads[thread] = Run(at, thread)
        log.runs.append(threads[thread])
    elif (run := threads.get(thread)) is None:
        return
    elif found["input"]:
        run.shapes.append([int(each) for each in found["shape"].split(b",") if each.strip()])
    elif found["type"] and len(run.types) < len(run.shapes):
        run.types.append(_text(found["type"]))
    elif found["outputs"]:
        del threads[thread]


def _micros(text: bytes) -> int:
    try:
        moment = datetime.strptime(text.decode(), "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def _base(path: bytes) -> str:
    return _text(path).rpartition("/")[2]


def _text(text: bytes) -> str:
    return text.decode(errors="replace")

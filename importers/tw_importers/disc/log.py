"""Finds what a log says of dumped clusters and of their runs, in blocks of whole lines.

A record is a line with a prefix (date, severity, perhaps a thread, file and line) and the lines
without one that follow. Wording: tao_bridge/kernels/tao_compilation_cache.cc, disc_launch.cc and
launch_base.cc of BladeDISC, from January 2022 on.

Most of a long log are runs, whose lines follow each other: these are taken at once (runs.py). All
other text that may have a record, such as runs of several threads, is read record by record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tw_importers.disc.runs import PREFIX, Runs, micros, take_whole, text
from warehouse.ingest.importer import ByteReader

_BLOCK: Final = 4 << 20
_LONGEST_LINE: Final = 16 << 20  # longer ones are cut
_RECORD: Final = re.compile(
    PREFIX + rb"(?:arg #(?P<n>\d+) proto filename: (?P<member>\S+)"
    rb"|tar the cluster input tensors with protobuf format to: (?P<tar>\S+)"
    rb"|(?P<old_tar>tar input proto files of the cluster for debug:)"
    rb"|tao_compiler_input: (?P<program>\S+)"
    rb"|tao_compiler exits with errcode (?P<code>-?\d{1,9}) in (?P<seconds>\d{1,9}(?:\.\d{1,9})?) "
    rb"seconds to compile (?P<compiled>[^\s:]+)"
    rb"|(?P<failed>failed to launch: |\[\[ ERROR \]\]: )(?P<why>[^\r\n]*)"
    rb"|cluster: (?P<fallback>\S+) fallbacks to TF as (?P<reason>[^\r\n]*)"
    rb"|(?P<run>print ins/outs)"
    rb"|>> input tensor #(?P<input>\d+)@\[(?P<shape>(?:-?\d{1,18}(?:, *-?\d{1,18})*)?)\]"
    rb"|\tTensor<type: (?P<type>\w+) "
    rb"|(?P<outputs>num outputs #)"
    rb"|(?P<other>Force remove_after_compile|TaoCompilationCache initiate))",
    re.M,
)
#: One of these is in each record that does not belong to a run.
_RARE: Final = (b"proto filename: ", b"tar the cluster input", b"tar input proto files",
                b"tao_compiler_input: ", b" fallbacks to TF as ", b"Force remove_after_compile",
                b"TaoCompilationCache initiate", b"tao_compiler exits with errcode ",
                b"failed to launch: ", b"[[ ERROR ]]: ")  # fmt: skip
_CONTINUED: Final = re.compile(rb"[^\r\n]*\r?\n(?P<text>(?:[ \t][^\n]*\n)*)")
_OLD_TAR: Final = re.compile(rb"tar file path:\s*(\S+)")
_MEMBER: Final = re.compile(rb"`basename ([^`\s]+)`")
_TORCH_WORDS: Final = b"replay toolkit dump "
_TORCH: Final = re.compile(
    _TORCH_WORDS + rb"(?:TorchScript program and data|cluster) on: ([^\s,]+)"
)
#: The beginning of a line that TensorFlow or BladeDISC writes, and ends; programs write others.
_LINE: Final = re.compile(rb"2\d{3}-\d\d-\d\d |\tTensor<|\[DISC\] ")
_PHASE_WORDS: Final = b" takes: "  # of lines that the compiler prints itself
_PHASE: Final = re.compile(rb"\[DISC\] (\w{1,100}) takes: (\d{1,9}(?:\.\d{1,9})?(?:e-?\d\d)?) s")


@dataclass
class Archive:
    """An archive of the values of a cluster's arguments, as announced."""

    path: str
    at: int  # microseconds of local time
    members: list[str]


@dataclass
class Log:
    """What a log tells, in its order; times are microseconds of local time since 1970."""

    archives: list[Archive] = field(default_factory=list)
    programs: dict[str, int] = field(default_factory=dict)  # path -> time of the line
    fallbacks: list[tuple[str, str]] = field(default_factory=list)
    compilations: list[tuple[str, int, float]] = field(default_factory=list)  # function, code, s
    failures: list[str] = field(default_factory=list)  # of launches
    phases: dict[str, float] = field(default_factory=dict)  # of the compiler: seconds
    runs: Runs = field(default_factory=Runs)
    torch_dumps: dict[str, None] = field(default_factory=dict)  # folders that torch_blade wrote
    n_records: int = 0
    n_cut: int = 0  # logs that end inside a line


def read(reader: ByteReader, log: Log | None = None) -> Log:
    """Reads a whole log, after others of a capture.

    Memory is that of a block and of what is found.
    """
    log = log or Log()
    for block in _blocks(reader):
        for found in _TORCH.finditer(block) if _TORCH_WORDS in block else ():
            log.n_records += 1
            log.torch_dumps[text(found[1])] = None
        for found in _PHASE.finditer(block) if _PHASE_WORDS in block else ():
            phase = text(found[1])
            log.phases[phase] = log.phases.get(phase, 0.0) + float(found[2])
        n_runs = len(log.runs)
        rest = take_whole(block, log.runs, partial(_read_records, log))
        log.n_records += len(log.runs) - n_runs
        _read_rare(log, rest)
    log.n_cut += bool(_LINE.match(block, block.rfind(b"\n") + 1))
    log.runs.close()
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


def _read_rare(log: Log, block: bytes) -> None:
    """Reads the records that do not belong to runs, which certain words identify."""
    places = set()
    for words in _RARE:
        at = block.find(words)
        while at >= 0:
            places.add(block.rfind(b"\n", 0, at) + 1)
            at = block.find(words, at + 1)
    for place in sorted(places):
        if found := _RECORD.match(block, place):
            log.n_records += 1
            _take(log, found, block)


def _read_records(log: Log, block: bytes) -> None:
    for found in _RECORD.finditer(block):
        log.n_records += 1
        _take(log, found, block)


def _take(log: Log, found: re.Match[bytes], block: bytes) -> None:
    at = micros(found["at"])
    if found["tar"] or found["old_tar"]:
        continued = _CONTINUED.match(block, found.end())
        lines = continued["text"] if continued else b""
        old = _OLD_TAR.search(lines)
        path = found["tar"] or (old[1] if old else b"")
        names = [_base(each) for each in _MEMBER.findall(lines)]
        members = [name for name in names if name != _base(path)]  # it is created, then moved
        log.archives.append(Archive(text(path), at, members))
    elif found["program"]:
        log.programs[text(found["program"])] = at
    elif found["compiled"]:
        compiled = text(found["compiled"]), int(found["code"]), float(found["seconds"])
        log.compilations.append(compiled)
    elif found["failed"]:
        log.failures.append(text(found["why"]))
    elif found["fallback"]:
        log.fallbacks.append((text(found["fallback"]), text(found["reason"])))
    else:
        log.runs.take(found, at)


def _base(path: bytes) -> str:
    return text(path).rpartition("/")[2]

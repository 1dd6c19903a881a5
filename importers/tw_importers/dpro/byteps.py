"""Reads the logs of BytePS servers and of the links to them, or the timelines dPRO makes of them.

Each line of a log is the begin or the end of a message (ps-lite's vans) or of an operation of a
server; byteps.sql gives them meaning. Formats: github.com/joapolarbear/dpro at ac5e4ed,
dpro/bps_helper; docs/dpro.md.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files

import msgspec
import pyarrow as pa

from tw_importers.trace_event import read as trace_event
from warehouse.errors import CorruptTrace, UsageError
from warehouse.ingest.importer import ByteReader, Part, Parts, Problem, Scratch, TraceFacts
from warehouse.store import statements

_FOLDER = files(__package__)
_BLOCK = 8 << 20  # bytes of whole lines stored at once
_LONGEST = 1 << 20  # bytes of a line; more is damage
_RANK = re.compile(r"_(\d+)\.[^.]*$")
_HEADER = re.compile(rb"\s*role=(worker|server),id=(\d+)")
_KEYS = re.compile(r"^(.*?):((?:\s+\d+)+)\s*$", re.MULTILINE)
_MAX_STEP = 1_000_000_000

OPTIONS = {
    "profile_start_step": "BytePS: step before the first that counts, which is 10 if not given",
    "profile_duration": "BytePS: number of steps that count; 10 if not given",
}


def read(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads all logs of a trial, or the timelines made of them."""
    first, n_steps = _window(scratch)
    statements.execute(scratch.connection, trace_event.MACROS.read_text())
    statements.execute(scratch.connection, (_FOLDER / "macros.sql").read_text())
    statements.execute(scratch.connection, (_FOLDER / "byteps_tables.sql").read_text())
    facts = TraceFacts(format="dpro")
    scratch.connection.execute(
        "INSERT INTO byteps_window VALUES ($first, $n)", {"first": first, "n": n_steps}
    )
    last_lines: list[tuple[int, int]] = []  # file and number of those without line end
    for number, part in enumerate(parts.parts):
        if part.role == "keys":
            facts.problems += _store_keys(parts, part.name, scratch)
        elif posixpath.basename(part.name).split(".")[1] == "json":
            _store_timeline(parts, part, scratch, facts)
        else:
            with parts.open(part.name) as stream:
                last = _store_lines(stream, number, part, scratch)
            last_lines += [] if last is None else [(number, last)]
    statements.execute(scratch.connection, (_FOLDER / "byteps.sql").read_text())
    trace_event.create_kinds(scratch)
    _report(scratch, facts)
    for number, line in last_lines:
        found = scratch.connection.execute(
            "FROM unreadable_line WHERE file_n = $file AND line_n = $line",
            {"file": number, "line": line},
        ).fetchall()
        facts.problems.append(_end(parts.parts[number].name, bool(found), scratch))
    window = {"van": _van(parts.parts), "first_step": first, "n_steps": n_steps}
    facts.metadata_json = msgspec.json.encode(window).decode()
    trace_event.describe_traces(scratch, [facts.metadata_json])
    return facts


def _window(scratch: Scratch) -> tuple[int, int]:
    """The first step that counts, and how many do."""
    start = _number(scratch, "profile_start_step")
    duration = _number(scratch, "profile_duration")
    return 10 if start is None else start + 1, 10 if duration is None else duration


def _number(scratch: Scratch, name: str) -> int | None:
    text = scratch.options.get(name)
    if text is None:
        return None
    if not text.isdecimal() or int(text) > _MAX_STEP:
        raise UsageError(
            f"{name} must be a whole number, not {text!r}", hint=f"Write --option {name}=5."
        )
    return int(text)


def _van(parts: Sequence[Part]) -> str:
    """The transport (van of ps-lite), by the name of the log: RDMA if it begins with rdma_."""
    names = [posixpath.basename(part.name) for part in parts if part.role == "links"]
    return "rdma" if any(name.startswith("rdma_") for name in names) else "zmq"


def _store_lines(stream: ByteReader, number: int, part: Part, scratch: Scratch) -> int | None:
    """Stores a log by lines, and who wrote it; returns the number of a line without line end."""
    found = _RANK.search(part.name)
    rank = int(found.group(1)) % (1 << 31) if found else 0
    role, node, n_lines = "server" if part.role == "servers" else None, None, 0
    ends_line = True
    for block in _blocks(stream, part.name):
        if role is None:
            header = _HEADER.match(block)
            role, node = (
                (header.group(1).decode(), header.group(2).decode()) if header else ("", "")
            )
        scratch.connection.execute(
            "INSERT INTO log_line SELECT $file, $n + row_number() OVER () - 1, $role, trim(line) "
            "FROM (SELECT unnest(string_split($text, chr(10))) AS line)",
            {
                "file": number,
                "n": n_lines,
                "role": part.role,
                "text": block.removesuffix(b"\n").decode(errors="replace"),
            },
        )
        ends_line = block.endswith(b"\n")
        n_lines += block.count(b"\n") + (not ends_line)
    scratch.connection.execute(
        "INSERT INTO log_file VALUES ($file, $name, $role, $node, $rank)",
        {"file": number, "name": part.name, "role": role or None, "node": node, "rank": rank},
    )
    return None if ends_line else n_lines - 1


def _end(name: str, is_cut: bool, scratch: Scratch) -> Problem:
    """The problem of a last line without line end; raises CorruptTrace if it is cut, and strict."""
    if not is_cut:
        meaning = f"the last line of {name} has no line end; its last value may be cut"
        return Problem("no_line_end", meaning, 1)
    if scratch.is_strict:
        raise CorruptTrace(f"{name} ends inside a line", hint="Copy or record it again.")
    return Problem("truncated", f"{name} ends inside a line", 1, severity="error")


def _blocks(stream: ByteReader, name: str) -> Iterator[bytes]:
    """The content in blocks of whole lines, and what follows the last line feed."""
    rest, offset = b"", 0
    while data := stream.read(_BLOCK):
        data, offset = rest + data, offset + len(data)
        cut = data.rfind(b"\n")
        rest = data[cut + 1 :]
        if cut >= 0:
            yield data[: cut + 1]
        if len(rest) > _LONGEST:
            raise CorruptTrace(
                f"{name}: a line is longer than 1 MiB",
                hint="It is not a BytePS log; copy or record it again.",
                offset=offset - len(rest),
            )
    if rest:
        yield rest


def _store_keys(parts: Parts, name: str, scratch: Scratch) -> list[Problem]:
    """Which tensor each key belongs to; several keys are its partitions."""
    content = parts.read(name).decode(errors="replace")
    rows = [
        (text.strip(), key, part)
        for text, keys in _KEYS.findall(content)
        for part, key in enumerate(keys.split())
    ]
    columns: list[tuple[object, ...]] = list(zip(*rows, strict=True)) or [(), (), ()]
    table = pa.table({
        "tensor": pa.array(columns[0], pa.string()), "key": pa.array(columns[1], pa.string()),
        "part": pa.array(columns[2], pa.int64()),
    })  # fmt: skip
    scratch.connection.register("rows", table)
    scratch.connection.execute("INSERT INTO key_tensor FROM rows")
    scratch.connection.unregister("rows")
    last = content.rpartition("\n")[2]
    return [_end(name, not _KEYS.fullmatch(last), scratch)] if last else []


def _store_timeline(parts: Parts, part: Part, scratch: Scratch, facts: TraceFacts) -> None:
    """Adds the events of a timeline that dPRO made of such logs."""
    with parts.open(part.name) as stream:
        try:
            found = trace_event.read_document(stream, scratch, "dpro")
        except CorruptTrace as error:
            raise CorruptTrace(
                f"{part.name}: {error.message}", hint=error.hint, offset=error.offset
            ) from None
    facts.problems += found.problems
    scratch.connection.execute(
        "INSERT INTO timeline_event BY NAME SELECT $role AS role, seq, ph, name, pid, tid, ts_ns, "
        "json_extract_string(args, '$.name') AS label FROM event",
        {"role": part.role},
    )


def _report(scratch: Scratch, facts: TraceFacts) -> None:
    """Reports lines that are not records; raises CorruptTrace instead if strict."""
    rows = scratch.connection.execute(
        "SELECT count(*) OVER (), f.name, l.line_n + 1, left(l.line, 80) "
        "FROM unreadable_line AS l JOIN log_file AS f ON f.file_n = l.file_n "
        "ORDER BY l.file_n, l.line_n LIMIT 1"
    ).fetchall()
    for count, name, line, example in rows:
        meaning = f"lines that are not BytePS records were left out, the first is {name}:{line}"
        if scratch.is_strict:
            raise CorruptTrace(
                f"line {line} of {name} is not a BytePS record",
                hint="Import it without --strict to leave such lines out.",
            )
        facts.problems.append(Problem("unreadable_line", meaning, count, example=example))

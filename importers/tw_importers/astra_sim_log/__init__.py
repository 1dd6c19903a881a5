"""ASTRA-sim's log of a simulation: when each node of each NPU was issued, and when it was done.

One line an event, as `issue,sys->id=0, tick=10, node->id=3, node->name=..., node->type=4` or, of
older versions, `issue,npu=0,cycle=10,node=3,name=...`, perhaps behind what a logger writes; lines
of other kinds are the simulator's own and not used. A tick is a nanosecond, or a cycle of the
frequency given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

import pyarrow as pa

from warehouse.errors import CorruptTrace, UsageError
from warehouse.ingest import batches
from warehouse.ingest.importer import (
    NESTING,
    ByteReader,
    FileImporter,
    Problem,
    Scratch,
    TraceFacts,
)

_FOLDER = files(__package__)
_EVENT = re.compile(rb"(?m)^(?:[^\n]*[ \]])?(?:issue|callback),(?:[^=,\n]+=\d+, ?){3}[^=,\n]+=")
# Newer versions, which name keys as sys->id, end a line with the type; older ones with the name.
_WHOLE = re.compile(
    rb"(?:issue|callback),(?:(?=[^=,]+->).*, ?[^=,]+type=\d+\s*|(?:\w+=\d+, ?){3}\w+=.+)\Z"
)
_BLOCK_BYTES = 1 << 20
_LONGEST_LINE = 1 << 24
_LINE = pa.schema([("line", pa.binary())])


def sniff(head: bytes, name: str) -> int:
    """Certain if a line reports that a node was issued or finished."""
    # Without these words the expression would look at each place of binary files.
    has_words = b"issue," in head or b"callback," in head
    return 90 if has_words and _EVENT.search(head) else 0


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Writes the lines to the scratch table `log`, in their order; SQL takes them apart."""
    _setting(scratch)
    last: list[bytes] = []  # text behind the last line end

    def lines_in_blocks() -> Iterator[pa.RecordBatch]:
        rest = b""
        while block := reader.read(_BLOCK_BYTES):
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                raise CorruptTrace("a line of a log is longer than 16 MiB")
            yield pa.record_batch([pa.array(lines, pa.binary())], schema=_LINE)
        yield pa.record_batch([pa.array([rest] if rest else [], pa.binary())], schema=_LINE)
        last.append(rest)

    statement = (
        "CREATE TABLE log AS SELECT row_number() OVER () - 1 AS seq, "
        "TRY(decode(line)) AS line FROM line WHERE octet_length(line) > 0"
    )
    batches.run(scratch.connection, statement, "line", _LINE, lines_in_blocks())
    return TraceFacts(format="astra_sim_log", problems=_end_problems(b"".join(last), scratch))


def _end_problems(last: bytes, scratch: Scratch) -> list[Problem]:
    """Problems of text behind the last line end; raises CorruptTrace if it is cut, and strict."""
    if not last:
        return []
    example = last[:200].decode(errors="replace")
    if _WHOLE.search(last):
        meaning = "the last line has no line end; its last value may be cut"
        return [Problem("no_line_end", meaning, 1, None, example)]
    if scratch.is_strict:
        raise CorruptTrace("the file ends inside a line", hint="Copy or record it again.")
    return [Problem("truncated", "the file ends inside a line", 1, None, example, "error")]


def _setting(scratch: Scratch) -> None:
    text = scratch.options.get("frequency_mhz", "1000")
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        raise UsageError(
            f"frequency_mhz must be a whole number of MHz up to 999999, not {text!r}",
            hint="Write --option frequency_mhz=1500.",
        )
    scratch.connection.execute(
        "CREATE TABLE setting AS SELECT $mhz::BIGINT AS frequency_mhz", {"mhz": int(text)}
    )


ASTRA_SIM_LOG = FileImporter(
    name="astra_sim_log",
    title="ASTRA-sim's log of issued and finished nodes",
    version=1,
    sniff=sniff,
    read=read,
    prepare=(_FOLDER / "prepare.sql", NESTING),
    normalize=(_FOLDER / "normalize.sql",),
    options={"frequency_mhz": "ticks in a microsecond, where they are an NPU's cycles  [1000]"},
)

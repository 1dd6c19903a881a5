"""Reads dumps into the scratch tables `record`, `frame`, `group_config`, `group_status`.

Rows are created one by one, because a dump is a tree of Python values once it is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pyarrow as pa

from tw_importers.pickled.plain import as_json
from tw_importers.pickled.unpickle import Unpickler
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, NotTogether, Problem, Scratch, TraceFacts

_BLOCK_BYTES = 1 << 20
_MAX_BYTES = 1 << 28  # of a dump; one of 2,000 records with their stacks has about 1 MB
_MAX_JSON = 1 << 24  # characters of values kept as JSON, beyond 64 for each byte of the dump
_INT64 = range(-(1 << 63), 1 << 63)
_MAJOR_VERSION = 2


def _schema(integers: str, texts: str) -> pa.Schema:
    return pa.schema(
        [(name, pa.int64()) for name in integers.split()]
        + [(name, pa.string()) for name in texts.split()]
    )


SCHEMAS = {
    "record": _schema("trace_n record_n stack_n", "args"),
    "frame": _schema("trace_n stack_n depth line", "file function"),
    "group_config": _schema("trace_n", "name args"),
    "group_status": _schema("trace_n", "number args"),
    "source_trace": _schema("trace_n n_records n_invalid", ""),
}


def read(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads one dump; raises CorruptTrace if it is none."""
    dumps = Dumps(scratch)
    facts = dumps.read(reader)
    dumps.finish()
    return facts


class Dumps:
    """Reads one dump after the other; each becomes a trace."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
        self._n_dumps = 0

    def add(self, reader: ByteReader) -> TraceFacts:
        """Reads the next dump; raises NotTogether for one without records."""
        facts = self.read(reader)
        if not self._rows["source_trace"][-1]["n_records"]:
            raise NotTogether
        return facts

    def read(self, reader: ByteReader) -> TraceFacts:
        """Reads the next dump, also one without records."""
        dump = _Dump(self._n_dumps, *_document(reader))
        facts = dump.facts()
        for name, rows in dump.rows.items():
            self._rows[name] += rows
        self._n_dumps += 1
        return facts

    def finish(self) -> None:
        """Creates the scratch tables."""
        connection = self._scratch.connection
        for name, rows in self._rows.items():
            connection.register("rows", pa.Table.from_pylist(rows, schema=SCHEMAS[name]))
            connection.execute(f"CREATE TABLE {name} AS FROM rows")
            connection.unregister("rows")


def _document(reader: ByteReader) -> tuple[Any, int]:
    """Returns the value of a pickle or of JSON, and its size in bytes."""
    source = _Counted(reader)
    head = source.read(_BLOCK_BYTES)
    if head[:1] == b"\x80":
        return Unpickler(_Joined(head, source), lambda _, __: False).load(), source.n_bytes
    blocks = [head]
    while block := source.read(_BLOCK_BYTES):
        blocks.append(block)
    try:
        return msgspec.json.decode(b"".join(blocks)), source.n_bytes
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorruptTrace(f"invalid JSON: {error}", hint="Copy it again.") from None


class _Counted:
    """Counts the bytes of a dump, and refuses one that is too large to be held in memory."""

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader
        self.n_bytes = 0

    def read(self, size: int, /) -> bytes:
        block = self._reader.read(size)
        self.n_bytes += len(block)
        if self.n_bytes > _MAX_BYTES:
            raise CorruptTrace(
                f"more than {_MAX_BYTES >> 20} MiB, which no flight recorder writes",
                offset=self.n_bytes,
            )
        return block


class _Joined:
    """A block that was read, and what follows it."""

    def __init__(self, head: bytes, reader: ByteReader) -> None:
        self._head, self._reader = head, reader

    def read(self, size: int, /) -> bytes:
        if not self._head:
            return self._reader.read(size)
        block, self._head = self._head[:size], self._head[size:]
        return block


class _Dump:
    """The rows of one dump."""

    def __init__(self, trace_n: int, root: Any, n_bytes: int) -> None:
        self._trace_n = trace_n
        self._root = root if isinstance(root, dict) else {"entries": root}  # version 1: a list
        entries = self._root.pop("entries", [])
        if not isinstance(entries, list) or not (entries or "version" in self._root):
            raise CorruptTrace(
                "not a dump of a flight recorder: it has neither a version nor entries"
            )
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
        self._left = _MAX_JSON + 64 * n_bytes  # characters of JSON
        self._stacks: dict[tuple[Any, ...], int] = {}
        self._stack_of: dict[int, int | None] = {}  # by id() of a list
        self._n_invalid = 0
        self._records(entries)
        self._groups()
        self.rows["source_trace"].append(
            {"trace_n": trace_n, "n_records": len(entries), "n_invalid": self._n_invalid}
        )

    def facts(self) -> TraceFacts:
        """Returns what the dump says of itself."""
        version = self._root.get("version")
        facts = TraceFacts(
            format="flight_recorder",
            format_version=str(version)[:32] if isinstance(version, str | int | float) else None,
            metadata_json=self._json(self._root),
        )
        major = str(version).partition(".")[0]
        if major.isdigit() and int(major) > _MAJOR_VERSION:
            facts.problems.append(
                Problem(
                    "unknown_version",
                    f"version {facts.format_version} of the dump is newer than any known one",
                    1,
                )
            )
        return facts

    def _records(self, entries: list[Any]) -> None:
        seen: set[int] = set()  # a pickle may say the same record many times in a few bytes
        for record_n, entry in enumerate(entries):
            if type(entry) is not dict or id(entry) in seen:
                self._n_invalid += 1
                continue
            seen.add(id(entry))
            self.rows["record"].append(self._record(entry, record_n))

    def _record(self, entry: dict[Any, Any], record_n: int) -> dict[str, Any]:
        stack_n = self._stack(entry.pop("frames", None))
        return {
            "trace_n": self._trace_n, "record_n": record_n, "stack_n": stack_n,
            "args": self._json(entry),
        }  # fmt: skip

    def _stack(self, frames: Any) -> int | None:
        """Returns the number of a stack, the same for equal ones; new ones become rows."""
        if type(frames) is not list or not frames:
            return None
        if id(frames) not in self._stack_of:
            calls = tuple(
                (_text(each.get("filename")), _integer(each.get("line")), _text(each.get("name")))
                for each in frames
                if type(each) is dict
            )
            self._stack_of[id(frames)] = self._number(calls)
        return self._stack_of[id(frames)]

    def _number(self, calls: tuple[Any, ...]) -> int:
        number = self._stacks.get(calls)
        if number is None:
            number = self._stacks[calls] = len(self._stacks)
            self.rows["frame"] += [
                {"trace_n": self._trace_n, "stack_n": number, "depth": depth, "file": file,
                 "line": line, "function": function}
                for depth, (file, line, function) in enumerate(calls)
            ]  # fmt: skip
        return number

    def _groups(self) -> None:
        """Adds the process groups, and how far each has come."""
        for name, config in _items(self._root.get("pg_config")):
            self.rows["group_config"].append(
                {"trace_n": self._trace_n, "name": name, "args": self._json(config)}
            )
        for number, status in _items(self._root.get("pg_status")):
            self.rows["group_status"].append(
                {"trace_n": self._trace_n, "number": number, "args": self._json(status)}
            )

    def _json(self, value: Any) -> str:
        text = as_json(value)
        self._left -= len(text)
        if self._left < 0:
            raise CorruptTrace("the values of the dump repeat each other without end")
        return text


def _items(value: Any) -> Iterable[tuple[str, dict[Any, Any]]]:
    """Returns the entries of a dict of dicts; others are in the metadata only."""
    items = value.items() if type(value) is dict else ()
    return [(str(key), each) for key, each in items if type(each) is dict]


def _integer(value: Any) -> int | None:
    return value if type(value) is int and value in _INT64 else None


def _text(value: Any) -> str | None:
    return value if type(value) is str else None

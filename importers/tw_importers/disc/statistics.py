"""Reads what the bridge of BladeDISC counts and times of its clusters, beside what it dumps.

Files: FINISH.txt, end.txt or begin.txt (JSON, TAO_DUMP_LEVEL with TAO_UPLOAD_TOOL_PATH),
call_timestamps.csv (TAO_MAX_DUMP_TIMESTAMP_RECORD), sess_NN.perf and xla_func_…_shape_N, written by
tao_bridge/kernels/tao_compilation_info_collector.cc. Times are microseconds; the signature of a
shape is the hash that a dumped program has as func_hash. Out: `total`, `process`, `session`,
`operation` and `call_text`, the texts of call_timestamps.csv.
"""

from __future__ import annotations

import codecs
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import pyarrow as pa
from pyarrow import csv

from tw_importers.disc import rows
from warehouse.ingest import batches
from warehouse.ingest.importer import ByteReader, Scratch

_ORDER: Final = ("begin.txt", "end.txt", "FINISH.txt")  # the last one has all that is known
_LARGEST_JSON: Final = 64 << 20  # bytes; 100,000 shapes, the most that are counted, have half of it
_LONGEST_SHAPE: Final = 64 << 10  # bytes
_COLUMNS: Final = (
    "func_id", "signature", "call_idx", "tao_launch_op_begin", "tao_launch_op_end",
    "cache_compile_begin", "cache_compile_end", "exec_run_begin", "exec_run_end", "func_run_begin",
    "func_run_end", "enter_fallback", "other_tags",
)  # fmt: skip
_LARGEST: Final = (1 << 63) - 1
_SECRET: Final = ("env", "command", "cwd")
_OWN_TABLES: Final = ("calls", "sessions", "op_summary")
#: Of a shape in the JSON: its key, the column, and what the value is.
_COUNTED: Final = {
    "count": ("n_calls", "count"), "compile_pass_index": ("first_compiled_call", "count"),
    "tao_run_count": ("n_runs", "count"), "tao_run_total_latency": ("run_ns", "us"),
    "tf_run_count": ("n_tensorflow_runs", "count"),
    "tf_run_total_latency": ("tensorflow_ns", "us"),
    "tao_launch_op_total_latency": ("launch_ns", "us"),
    "get_compile_cache_total_latency": ("lookup_ns", "us"),
    "compile_queue_latency": ("compile_queue_ns", "us"),
    "compile_main_latency": ("compile_ns", "us"),
}  # fmt: skip
_INTEGERS: Final = [(name, pa.int64()) for name, _ in _COUNTED.values()]
TABLES: Final = {
    "total": pa.schema(
        [("func_id", pa.string()), ("signature", pa.string()), ("compile_status", pa.string()),
         ("shape_file", pa.string()), ("shape_text", pa.string()), *_INTEGERS]
    ),
    "process": pa.schema(
        [("file", pa.string()), ("began_us", pa.int64()), ("ended_us", pa.int64()),
         ("gpu_model", pa.string()), ("n_gpus", pa.int64()), ("version", pa.string()),
         ("n_unsampled_calls", pa.int64()), ("other_json", pa.string()),
         ("environment", pa.string())]
    ),
    "session": pa.schema(
        [("session", pa.int64()), ("began_us", pa.int64()), ("ended_us", pa.int64()),
         ("elapsed_us", pa.int64()), ("saved_us", pa.int64()), ("speedup", pa.float64())]
    ),
    "operation": pa.schema(
        [("op", pa.string()), ("n_nodes", pa.int64()), ("n_unclustered", pa.int64())]
    ),
}  # fmt: skip
_CALL_TEXT: Final = pa.schema([(name, pa.string()) for name in _COLUMNS])


class Statistics:
    """All that is counted and timed of the clusters of a capture."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._documents: dict[str, dict[str, Any]] = {}
        self._shapes: dict[str, str] = {}
        self._sessions: dict[int, dict[str, Any]] = {}
        self.defects: list[tuple[str, str]] = []
        self.n_files = 0
        scratch.connection.register("rows", _CALL_TEXT.empty_table())
        scratch.connection.execute("CREATE TABLE call_text AS FROM rows")
        scratch.connection.unregister("rows")

    def take(self, kind: str, name: str, reader: ByteReader) -> None:
        """Reads a file of a kind that `names.statistics_role` returns."""
        self.n_files += 1
        base = posixpath.basename(name)
        if kind == "call times":
            self._take_calls(base, reader)
        elif kind == "statistics":
            self._take_document(base, reader)
        elif kind == "session":
            self._take_session(base, reader)
        else:
            text = _start(reader, _LONGEST_SHAPE).decode(errors="replace")
            self._shapes[base] = text.replace("\0", "")

    def finish(self, *, keeps_environment: bool) -> None:
        """Creates the scratch tables."""
        found = max(self._documents, key=_ORDER.index, default=None)
        document = self._documents.get(found, {}) if found else {}
        made = {
            "total": list(self._totals(document)),
            "process": [_process(found, document, keeps_environment)] if found else [],
            "session": self._all_sessions(document),
            "operation": list(_operations(document)),
        }
        for name, schema in TABLES.items():
            rows.create(self._scratch, name, schema, made[name])

    def _take_calls(self, name: str, reader: ByteReader) -> None:
        """Keeps all columns as texts: a line that the end of the process cut off is one line.

        Lines before one that cannot be read are kept.
        """
        n_invalid = 0

        def skip(_: csv.InvalidRow) -> str:
            nonlocal n_invalid
            n_invalid += 1
            return "skip"

        def lines() -> Iterator[pa.RecordBatch]:
            try:
                yield from csv.open_csv(
                    _File(reader),
                    parse_options=csv.ParseOptions(quote_char=False, invalid_row_handler=skip),
                    convert_options=csv.ConvertOptions(
                        column_types=_CALL_TEXT, include_columns=_COLUMNS,
                        include_missing_columns=True, strings_can_be_null=False,
                    ),
                )  # fmt: skip
            except (pa.ArrowException, ValueError) as error:
                why = str(error).splitlines()[0]
                self.defects.append(("call_times_unreadable", f"{name}: {why}"))

        statement = "INSERT INTO call_text FROM lines"
        batches.run(self._scratch.connection, statement, "lines", _CALL_TEXT, lines())
        self.defects += [("call_time_invalid", name)] * n_invalid

    def _take_document(self, name: str, reader: ByteReader) -> None:
        content = _start(reader, _LARGEST_JSON + 1)
        if len(content) > _LARGEST_JSON:
            why = f"it has over {_LARGEST_JSON:,} bytes"
        else:
            try:
                document = msgspec.json.decode(content)
                if isinstance(document, dict):
                    self._documents[name] = document
                    return
                why = "it is not an object"
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                why = str(error)
        self.defects.append(("statistics_unreadable", f"{name}: {why}"))

    def _take_session(self, name: str, reader: ByteReader) -> None:
        """One line: elapsed and saved microseconds, a cycle in seconds, and factors."""
        texts = _start(reader, 1 << 20).decode(errors="replace").split(",")
        numbers = [_number(each) for each in texts[:4]]
        if len(numbers) < 4 or None in numbers[:2]:
            self.defects.append(("session_unreadable", name))
            return
        elapsed, saved, _, speedup = numbers
        n = int(name.removeprefix("sess_").removesuffix(".perf")[:9])
        self._sessions[n] = {
            "session": n,
            "elapsed_us": _micros(elapsed),
            "saved_us": _micros(saved),
            "speedup": speedup,
        }

    def _all_sessions(self, document: Mapping[str, Any]) -> list[dict[str, Any]]:
        of_document = document.get("sessions")
        for n, each in enumerate(of_document if isinstance(of_document, list) else []):
            if isinstance(each, dict):
                known = self._sessions.setdefault(n, {"session": n})
                known["began_us"] = _micros(each.get("begin_us"))
                known["ended_us"] = _micros(each.get("end_us"))
        return [self._sessions[n] for n in sorted(self._sessions)]

    def _totals(self, document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        for func_id, function in _items(document.get("calls")):
            for signature, shape in _items(_items_of(function).get("shapes")):
                found = _items_of(shape)
                status, file = found.get("compile_status"), found.get("shape")
                row: dict[str, Any] = {
                    "func_id": func_id,
                    "signature": signature,
                    "compile_status": status if isinstance(status, str) else None,
                    "shape_file": file if isinstance(file, str) else None,
                    "shape_text": self._shapes.get(file) if isinstance(file, str) else None,
                }
                for key, (column, unit) in _COUNTED.items():
                    row[column] = _integer(found.get(key), 1000 if unit == "us" else 1)
                yield row


def _process(name: str, document: Mapping[str, Any], keeps: bool) -> dict[str, Any]:
    missed = _items_of(document.get("miss_sampled"))
    model, version = document.get("gpu_model"), document.get("tao_build_version")
    secret = {key: document[key] for key in _SECRET if key in document}
    other = {key: value for key, value in document.items() if key not in (*_SECRET, *_OWN_TABLES)}
    return {
        "file": name,
        "began_us": _micros(document.get("begin_us")),
        "ended_us": _micros(document.get("end_us")),
        "gpu_model": model if isinstance(model, str) else None,
        "n_gpus": _integer(document.get("gpu_count")),
        "version": version if isinstance(version, str) else None,
        "n_unsampled_calls": _integer(missed.get("call_count")),
        "other_json": msgspec.json.encode(other).decode(),
        "environment": msgspec.json.encode(secret).decode() if keeps else None,
    }


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    summary = _items_of(document.get("op_summary"))
    nodes, unclustered = (_items_of(summary.get(key)) for key in ("all", "unclustered_op"))
    for op in dict.fromkeys((*nodes, *unclustered)):
        yield {
            "op": op,
            "n_nodes": _integer(nodes.get(op)),
            "n_unclustered": _integer(unclustered.get(op)),
        }


def _items(value: object) -> Iterator[tuple[str, Any]]:
    yield from _items_of(value).items()


def _items_of(value: object) -> Mapping[str, Any]:
    """An object of JSON; an empty one is null in the files."""
    return value if isinstance(value, dict) else {}


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) <= _LARGEST else None  # no NaN either


def _integer(value: object, factor: int = 1) -> int | None:
    """A number times a factor, if the result has 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not -_LARGEST <= value <= _LARGEST:  # nor NaN
        return None
    found = int(value) * factor
    return found if abs(found) <= _LARGEST else None


def _micros(value: object) -> int | None:
    """Microseconds whose nanoseconds have 64 bits."""
    return _integer(value) if _integer(value, 1000) is not None else None


def _start(reader: ByteReader, size: int) -> bytes:
    """At most `size` bytes; the rest is read, too, for its length."""
    blocks, n = [], 0
    while block := reader.read(1 << 20):
        if n < size:
            blocks.append(block[: size - n])
            n += len(block)
    return b"".join(blocks)


class _File:
    """The methods of a file that PyArrow calls; what is not UTF-8 becomes U+FFFD."""

    closed = False

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waiting = b""

    def read(self, size: int) -> bytes:
        while not self._waiting and (block := self._reader.read(size)):
            self._waiting = self._decoder.decode(block).encode()
        self._waiting = self._waiting or self._decoder.decode(b"", final=True).encode()
        given, self._waiting = self._waiting[:size], self._waiting[size:]
        return given

"""What TensorFlow's recordings contain, from babeltrace2's text and protobuf read byte by byte.

Nothing here reads our tables. Times are nanoseconds since the epoch, or since the profile began.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.babeltrace import Event, golden
from tests.support.chakra_wire import fields
from tests.support.profile_oracle import union

_Message = list[tuple[int, Any]]  # numbers and values of fields


@dataclass(frozen=True)
class Span:
    """A slice of a thread, or an operation that no thread has (thread None)."""

    thread: Any
    name: str
    start: int
    end: int


@dataclass
class Work:
    """Work of a device; `call` launched it, `op` is the operator it belongs to."""

    device: int
    stream: Any
    kind: str
    name: str
    start: int
    end: int
    call: Span | None = None
    op: str | None = None


@dataclass
class Recording:
    """A trace: `spans` are all slices of threads, among them the operators."""

    work: list[Work] = field(default_factory=list)
    operators: list[Span] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    steps: list[Span] = field(default_factory=list)
    peaks: dict[tuple[str, int], int] = field(default_factory=dict)
    first_ns: int | None = None  # of the first event, where times do not count since the epoch

    def self_times(self) -> dict[str, int]:
        """Time of operators by name, without the slices directly inside of them."""
        own: dict[str, int] = defaultdict(int)
        operators = set(self.operators)
        for span, inner in nested(self.spans):
            if span in operators:
                own[span.name] += max(span.end - span.start - inner, 0)
        for span in self.operators:
            if span.thread is None:
                own[span.name] += span.end - span.start
        return own


def nested(spans: Sequence[Span]) -> Iterator[tuple[Span, int]]:
    """Each slice with the time of those directly inside of it, on its thread."""
    threads: dict[Any, list[Span]] = defaultdict(list)
    for span in spans:
        if span.thread is not None:
            threads[span.thread].append(span)
    for found in threads.values():
        opened: list[tuple[Span, list[int]]] = []
        for span in sorted(found, key=lambda span: (span.start, -span.end)):
            while opened and (opened[-1][0].end < span.end or opened[-1][0].end <= span.start):
                outer, inner = opened.pop()
                yield outer, sum(inner)
            if opened:
                opened[-1][1].append(span.end - span.start)
            opened.append((span, []))
        yield from ((outer, sum(inner)) for outer, inner in opened)


def busy_ns(work: Sequence[Work]) -> int:
    return sum(b - a for a, b in union((each.start, each.end) for each in work))


# --- LTTng ---------------------------------------------------------------------------------------

_PAIRS = (("_entry", "_exit"), ("_start", "_end"), ("_begin", "_end"))
_ACROSS_THREADS = ("tensorflowTracer:async_operation", "tensorflowTracer:rdv")
_DISPATCH = "interceptionTracer:aql_kernel_dispatch_packet_submitted"
_LAUNCHES = {"kernel": ("hipLaunchKernel", "clEnqueueNDRangeKernel", "307", _DISPATCH),
             "memcpy": ("hipMemcpy", "clEnqueueWrite", "clEnqueueRead", "41")}  # fmt: skip
_ON_DEVICE = ("cudaTracer:kernel", "cudaTracer:memcpy", "hcTracer:kernel", "hcTracer:async_memcpy",
              "hcTracer:async_memcpyslo", "interceptionTracer:kernel", "openclTracer:kernel",
              "openclTracer:device")  # fmt: skip


def lttng(path: Path, host: str, clock_offset_ns: int) -> Recording:
    """The events of one host; the offset is that of its monotonic clock."""
    found = Recording()
    events = [event for event in golden(path) if event.host == host]
    pairs = _paired(events)
    for stem, begin, end in pairs:
        _add_span(found, stem, begin, end)
    found.spans += [
        Span(event.context["vtid"], _DISPATCH, event.ns, event.ns)
        for event in events if event.name == _DISPATCH
    ]  # fmt: skip
    for stem, begin, end in pairs:
        if stem in _ON_DEVICE and not stem.startswith("opencl"):
            found.work.append(_work(stem, begin, end, _shift(stem, events, clock_offset_ns)))
    opencl = [each for each in pairs if each[0] in ("openclTracer:kernel", "openclTracer:device")]
    if opencl:
        delta = _opencl_delta(events, pairs)
        found.work += [_work(*each, delta) for each in opencl]
    _launch(found)
    found.peaks = _peaks(events)
    return found


def _paired(events: Sequence[Event]) -> list[tuple[str, Event, Event]]:
    """Begins and ends; an end closes the last begin before it, of what crosses threads the first.

    What has lost its other half is paired with itself: it has no duration.
    """
    opened: dict[Any, list[Event]] = defaultdict(list)
    found = []
    for event in events:
        for first, last in _PAIRS:
            if event.name.endswith(first):
                opened[_key(event.name.removesuffix(first), event)].append(event)
                break
            if event.name.endswith(last):
                stem = event.name.removesuffix(last)
                before = opened[_key(stem, event)]
                place = 0 if stem in _ACROSS_THREADS else -1
                found.append((stem, before.pop(place) if before else event, event))
                break
    return found + [(key[0], each, each) for key, rest in opened.items() for each in rest]


def _key(stem: str, event: Event) -> tuple[Any, ...]:
    name = event.payload.get("name")
    if stem == "tensorflowTracer:session":
        return stem, event.payload["count"]
    if stem in _ON_DEVICE or stem in _ACROSS_THREADS:
        return stem, name, event.payload.get("queue_id")
    return stem, name, event.context.get("vtid")


def _add_span(found: Recording, stem: str, begin: Event, end: Event) -> None:
    name, thread = begin.payload.get("name", stem), begin.context.get("vtid")
    span = Span(thread, name, begin.ns, end.ns)
    if stem == "tensorflowTracer:async_operation":
        found.operators.append(Span(None, name, begin.ns, end.ns))
        return
    if stem in _ON_DEVICE or begin.payload.get("rendezvous_key"):
        return
    if stem.startswith("cudaTracer:"):
        payload = begin.payload
        thread = payload["threadId"]
        span = Span(("cupti", thread), name, payload["timestamp"], end.payload["timestamp"])
    if stem == "tensorflowTracer:operation":
        found.operators.append(span)
    if stem == "tensorflowTracer:session":
        found.steps.append(Span(thread, str(begin.payload["count"]), begin.ns, end.ns))
    found.spans.append(span)


def _shift(stem: str, events: Sequence[Event], clock_offset_ns: int) -> int:
    if stem.startswith("hcTracer"):
        return clock_offset_ns
    if stem.startswith("interceptionTracer"):
        return max(event.ns for event in events if "hsa_init" in event.payload.values())
    return 0


def _work(stem: str, begin: Event, end: Event, shift: int) -> Work:
    unit = 1000 if stem.startswith("cudaTracer") else 1
    kind = "kernel" if stem.endswith(":kernel") else "memcpy"
    stream = kind if unit == 1000 or stem.startswith("hcTracer") else begin.payload.get("queue_id")
    first, last = (each.payload["timestamp"] * unit + shift for each in (begin, end))
    name = begin.payload["name"] or begin.payload.get("tf_name", "device")
    return Work(0, stream, kind, name, first, last)


def _opencl_delta(events: Sequence[Event], pairs: Sequence[tuple[str, Event, Event]]) -> int:
    """The middle of the interval that the calls allow: work is queued during its call."""
    calls = [
        (begin.ns, end.ns) for stem, begin, end in pairs
        if stem == "openclTracer:function" and "Enqueue" in begin.payload["name"]
    ]  # fmt: skip
    entries, exits = sorted(call[0] for call in calls), sorted(call[1] for call in calls)
    queued = sorted(
        event.payload["timestamp"] for event in events
        if event.name.startswith("openclTracer:") and event.name.endswith("_queued")
    )  # fmt: skip
    low: int = max(ns - at for ns, at in zip(entries, queued, strict=True))
    high: int = min(ns - at for ns, at in zip(exits, queued, strict=True))
    return (low + high) // 2


def _launch(found: Recording) -> None:
    """The n-th work of a kind is launched by its n-th call, inside of the innermost operator."""
    for kind, names in _LAUNCHES.items():
        calls = sorted(
            (span for span in found.spans if span.name.startswith(names)), key=lambda s: s.start
        )
        work = sorted((each for each in found.work if each.kind == kind), key=lambda w: w.start)
        if len(calls) != len(work):
            continue
        for each, call in zip(work, calls, strict=True):
            each.call = call
            inside = [
                op for op in found.operators
                if op.thread == call.thread and op.start <= call.start < op.end
            ]  # fmt: skip
            each.op = max(inside, key=lambda op: op.start).name if inside else None


def _peaks(events: Sequence[Event]) -> dict[tuple[str, int], int]:
    """The most bytes of each allocator, device and pool."""
    used: dict[tuple[str, int], int] = defaultdict(int)
    most: dict[tuple[str, int], int] = {}
    pools: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in events:
        payload, name = event.payload, event.name.split(":", 1)[1]
        if name == "bfc_allocator_stats":
            key, used[key] = ("gpu_allocator", 0), payload["bytes_in_use"]
        elif name in ("memory_allocate", "memory_deallocate"):
            key = ("gpu", int(payload["device"].rsplit(":", 1)[1]))
            used[key] += payload["bytes"]
        elif name == "pool_memory_allocate":
            key = ("hsa_pool", payload["handle"])
            pools[payload["ptr"]].append((payload["handle"], payload["size"]))
            used[key] += payload["size"]
        elif name == "pool_memory_free" and pools[payload["ptr"]]:
            handle, size = pools[payload["ptr"]].pop()
            key = ("hsa_pool", handle)
            used[key] -= size
        else:
            continue
        most[key] = max(most.get(key, used[key]), used[key])
    return most


# --- XPlane --------------------------------------------------------------------------------------


def xplane(path: Path) -> Recording:
    """The planes of one host: XSpace has its planes in field 1."""
    found = Recording()
    calls: dict[int, Span] = {}
    work: list[tuple[Work, int | None]] = []
    for name, lines in _planes(path.read_bytes()):
        for line_id, line, events in lines:
            if name.startswith("/device:GPU:") and line.startswith("Stream #"):
                ordinal = int(name.rsplit(":", 1)[1])
                work += [(_kernel(ordinal, line, e), e.stats.get("correlation_id")) for e in events]
            elif not name.startswith("/device:"):
                _add_host(found, (name, line_id), events, calls)
    for each, number in work:
        each.call = calls.get(number) if number is not None else None
        found.work.append(each)
    found.first_ns = min([each.start for each in found.spans] + [w.start for w in found.work])
    return found


@dataclass
class _XEvent:
    name: str
    full_name: str
    start: int
    end: int
    is_instant: bool
    is_aggregate: bool
    stats: dict[str, Any]


def _kernel(ordinal: int, line: str, event: _XEvent) -> Work:
    kind = "memcpy" if "memcpy_details" in event.stats else "kernel"
    kind = "memset" if "memset_details" in event.stats else kind
    return Work(ordinal, line, kind, event.name, event.start, event.end)


def _add_host(
    found: Recording, thread: Any, events: Sequence[_XEvent], calls: dict[int, Span]
) -> None:
    for event in events:
        is_end = event.full_name.startswith("end: ") and "hlo_op" not in event.stats
        if event.is_aggregate or is_end:
            continue
        span = Span(thread, event.name, event.start, event.end)
        found.spans.append(span)
        if "correlation_id" in event.stats:
            calls[event.stats["correlation_id"]] = span
        elif "step_num" in event.stats:
            found.steps.append(Span(thread, str(event.stats["step_num"]), event.start, event.end))
        elif event.full_name in ("MemoryAllocation", "MemoryDeallocation"):
            allocator = event.stats["allocator_name"]
            is_gpu = allocator.startswith("GPU_")
            key = ("gpu", int(allocator.split("_")[1])) if is_gpu else ("cpu", -1)
            used = event.stats["bytes_allocated"]
            found.peaks[key] = max(found.peaks.get(key, used), used)
        elif not event.full_name.startswith("$") and (
            not event.is_instant or "hlo_op" in event.stats
        ):
            found.operators.append(span)


def _planes(data: bytes) -> Iterator[tuple[str, list[tuple[int, str, list[_XEvent]]]]]:
    """Planes: 2 name, 3 lines, 4 names of events, 5 of statistics (maps of id and message)."""
    for number, _, body in fields(data):
        if number != 1:
            continue
        plane = _read(body)
        stat_names = {}
        for key, message in _map(plane, 5):
            stat_names[key] = _text(_first(message, 2, b""))
        names = {}
        for key, message in _map(plane, 4):
            name, display = _text(_first(message, 2, b"")), _text(_first(message, 4, b""))
            names[key] = (name, display or name, _stats(message, 5, stat_names))
        lines = []
        for value in _all(plane, 3):
            line = _read(value)
            at_ns = _signed(_first(line, 3, 0))
            events = [_event(each, at_ns, names, stat_names) for each in _all(line, 4)]
            name = _text(_first(line, 11, b"")) or _text(_first(line, 2, b""))
            lines.append((_signed(_first(line, 1, 0)), name, events))
        yield _text(_first(plane, 2, b"")), lines


def _event(data: bytes, at_ns: int, names: dict[int, Any], stat_names: dict[int, str]) -> _XEvent:
    message = _read(data)
    full_name, name, shared = names[_signed(_first(message, 1, 0))]
    first = at_ns * 1000 + _signed(_first(message, 2, 0))
    duration = _signed(_first(message, 3, 0))
    stats = {**shared, **_stats(message, 4, stat_names)}
    is_aggregate = any(n == 5 for n, _ in message)
    end = (first + duration) // 1000
    return _XEvent(name, full_name, first // 1000, end, duration == 0, is_aggregate, stats)


def _stats(message: _Message, number: int, names: dict[int, str]) -> dict[str, Any]:
    """A statistic: 1 its name; 2 double, 3 unsigned, 4 signed, 5 text, 6 bytes, 7 a name."""
    read: dict[int, Callable[[Any], Any]] = {
        2: lambda v: struct.unpack("<d", struct.pack("<Q", v) if isinstance(v, int) else v)[0],
        3: int, 4: _signed, 5: _text, 6: bytes, 7: lambda v: names.get(v, ""),
    }  # fmt: skip
    found = {}
    for value in _all(message, number):
        stat = _read(value)
        name = names.get(_signed(_first(stat, 1, 0)), "")
        for n, each in stat:
            if n in read:
                found[name] = read[n](each)
    return found


def _map(message: _Message, number: int) -> Iterator[tuple[int, _Message]]:
    for value in _all(message, number):
        entry = _read(value)
        yield _signed(_first(entry, 1, 0)), _read(_first(entry, 2, b""))


def _all(message: _Message, number: int) -> list[Any]:
    return [value for n, value in message if n == number]


def _first(message: _Message, number: int, default: Any) -> Any:
    return next((value for n, value in message if n == number), default)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _text(value: bytes) -> str:
    return bytes(value).decode(errors="replace")


# --- RunMetadata ---------------------------------------------------------------------------------


def run_metadata(path: Path) -> Recording:
    """Step statistics (1): devices (1) with a name (1) and nodes (2).

    Of a node: 1 name, 2 and 5 its start and length in microseconds, 13 and 16 in ns, 6 memory
    with records (6) of a time and bytes, 8 a label that begins with its name and type. Nodes that
    overlap are on different threads.
    """
    found = Recording()
    records: list[tuple[int, int, int | None]] = []
    for statistics in _all(_read(path.read_bytes()), 1):
        for device in map(_read, _all(_read(statistics), 1)):
            assert "/stream:" not in _text(_first(device, 1, b""))
            for node in map(_read, _all(device, 2)):
                start = _first(node, 13, 0) or _first(node, 2, 0) * 1000
                length = _first(node, 16, 0) or _first(node, 5, 0) * 1000
                label = re.match(r".* = ([^(]+)\(", _text(_first(node, 8, b"")))
                name = label[1] if label else _text(_first(node, 1, b""))
                found.operators.append(Span(None, name, start, start + length))
                at_ns = start + (_first(node, 15, 0) or _first(node, 4, 0) * 1000)
                records += _memory(at_ns, map(_read, _all(node, 6)))
    if records:
        found.peaks["cpu", -1] = _peak(records)
    return found


def _memory(at_ns: int, allocators: Iterable[_Message]) -> Iterator[tuple[int, int, int | None]]:
    """Times, and bytes allocated or released; None where all bytes in use were read instead."""
    for allocator in allocators:
        for record in map(_read, _all(allocator, 6)):
            yield _first(record, 1, 0) * 1000, 0, _signed(_first(record, 2, 0))
        if used := _first(allocator, 5, 0):
            yield at_ns, used, None


def _peak(records: list[tuple[int, int, int | None]]) -> int:
    """The most bytes in use; before the first reading, those less the changes until then."""
    records = sorted(records, key=lambda record: record[0])
    used = 0
    for _, total, change in records:
        if change is None:
            used += total
            break
        used -= change
    else:
        used = 0
    most = None
    for _, total, change in records:
        used = total if change is None else used + change
        most = used if most is None else max(most, used)
    assert most is not None
    return most


def _read(data: bytes) -> _Message:
    return [(number, value) for number, _, value in fields(data)]

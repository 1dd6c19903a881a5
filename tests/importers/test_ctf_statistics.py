"""CSV files of random sessions equal those of tensorflow-profiler's rules, event by event."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support.sharing import slow

UUID = list(range(16))
TEXT = {"type": "null-terminated-string"}
CLASSES = {  # id, name, text fields; all have a number besides
    1: "session_start", 2: "session_end", 3: "operation_start", 4: "operation_end",
    5: "async_operation_start", 6: "async_operation_end",
}  # fmt: skip
Event = tuple[int, int, str, int, int]  # time, class, name, count, thread


def number(length: int, **more: Any) -> dict[str, Any]:
    return {"type": "fixed-length-unsigned-integer", "length": length, "alignment": 8,
            "byte-order": "little-endian", **more}  # fmt: skip


def structure(*members: tuple[str, Any]) -> dict[str, Any]:
    classes = [{"name": name, "field-class": kind} for name, kind in members]
    return {"type": "structure", "member-classes": classes}


def write(folder: Path, events: list[Event]) -> None:
    folder.mkdir()
    fields = [("cat", TEXT), ("name", TEXT)]
    fragments: list[dict[str, Any]] = [
        {"type": "preamble", "version": 2, "uuid": UUID},
        {"type": "trace-class", "environment": {"hostname": "h", "tracer_buffering_scheme": "uid"},
         "packet-header-field-class": structure(
             ("magic", number(32, roles=["packet-magic-number"])))},
        {"type": "clock-class", "id": "c", "name": "c", "frequency": 10**9,
         "offset-from-origin": {"seconds": 1_700_000_000, "cycles": 0}},
        {"type": "data-stream-class", "id": 0, "default-clock-class-id": "c",
         "event-record-header-field-class": structure(
             ("id", number(8, roles=["event-record-class-id"])),
             ("t", number(64, roles=["default-clock-timestamp"]))),
         "event-record-common-context-field-class": structure(("vtid", number(32)))},
    ]  # fmt: skip
    for n, name in CLASSES.items():
        last = ("count", number(32)) if n < 3 else ("placement", TEXT)
        fragments.append(
            {"type": "event-record-class", "id": n, "name": f"tensorflowTracer:{name}",
             "payload-field-class": structure(*fields, last)}
        )  # fmt: skip
    (folder / "metadata").write_text("".join(f"\x1e{json.dumps(each)}\n" for each in fragments))
    packet = struct.pack("<I", 0xC1FC1FC1)
    for at, kind, name, count, thread in events:
        packet += struct.pack("<BQI", kind, at, thread) + b"c\0" + name.encode() + b"\0"
        packet += struct.pack("<I", count) if kind < 3 else b"/device:GPU:0\0"
    (folder / "stream").write_bytes(packet)


def program(seed: int) -> list[Event]:
    """Sessions, some of which overlap, with operations on three threads; some ends are missing."""
    chance = random.Random(seed)
    events: list[Event] = []
    now, names = 1000, [f"op{n}" for n in range(4)]
    for count in range(chance.randrange(3, 12)):
        begin, end = now, now + chance.randrange(2_000, 9_000)
        run = "DirectSession::Run", count, 1
        events += [(begin, 1, *run), (end, 2, *run)]
        for thread in (2, 3, 4):
            at = begin + thread
            while at < end - 900 and chance.random() < 0.9:
                length = chance.choice((10, 10, 7, chance.randrange(1, 800)))
                kind = chance.choice((3, 3, 5))
                name = chance.choice(names)
                events.append((at, kind, name, 0, thread))
                if kind == 5 or chance.random() < 0.95:
                    events.append((at + length, kind + 1, name, 0, thread))
                at += length + 3 * chance.randrange(1, 90)
        now = end + 100 if chance.random() < 0.6 else (begin + end) // 2 + 1
    return sorted(events)


def statistics(events: list[Event]) -> list[str]:
    """stats.csv: an end closes the first open begin of its key; means are updated one by one."""
    begun: dict[int, list[Event]] = {1: [], 3: []}
    states: dict[int, list[tuple[int, int, str, int]]] = {1: [], 3: []}
    for event in events:
        at, kind, name, count, _ = event
        if kind in begun:
            begun[kind].append(event)
        elif kind - 1 in begun:
            waiting = begun[kind - 1]
            first = next(e for e in waiting if (e[3] == count if kind == 2 else e[2] == name))
            waiting.remove(first)
            states[kind - 1].append((first[0], at, name, len(states[1]) + 1))
    lines = ["begin_timestamp;end_timestamp;name;duration;session"]
    for module, kind in (("sessions", 1), ("operations", 3), ("cuda_kernels", 0)):
        lines += [f"MODULE;{module}", "", ""]
        means: dict[str, tuple[float, int]] = {}
        found = [state for state in states.get(kind, []) if state[3] not in (1, 2)]
        for begin, end, name, session in sorted(found, key=lambda s: s[1] - s[0], reverse=True):
            begin_ns, end_ns = (1_700_000_000 * 10**9 + at for at in (begin, end))
            lines.append(f"{begin_ns};{end_ns};{name};{end - begin};{session}")
            (mean, n), duration = means.get(name, (0, 0)), end - begin
            means[name] = ((mean * n + duration) / (n + 1) if n else duration, n + 1)
        lines.append("")
        order = sorted(means, key=means.__getitem__, reverse=True)
        lines += [f";;{name};{means[name][0]};{means[name][1]}" for name in order] + ["", "", ""]
    return lines


def latencies(events: list[Event], inputs: dict[str, list[str]]) -> list[str]:
    """latencies.csv: from the k-th begin of a session to the next end of any session."""
    lines = ["session id;operation;latency;nb inputs"]
    for session in range(3, 10):
        starts: dict[str, int] = {}
        ends: dict[str, int] = {}
        n, is_inside = 0, False
        for at, kind, name, *_ in events:
            if kind == 1:
                n += 1
                is_inside = is_inside or n == session
            is_inside = is_inside and kind != 2
            if is_inside and kind in (3, 5):
                starts[name] = at
            if is_inside and kind in (4, 6):
                ends[name] = at
        waits = {
            name: max(0, starts[name] - max(ends[each] for each in sources if each in ends))
            for name, sources in inputs.items()
            if name in starts and any(each in ends for each in sources)
        }
        for name, wait in sorted(waits.items(), key=lambda each: each[1], reverse=True):
            lines.append(f"{session};{name};{wait};{len(inputs[name])}")
        lines.append("")
    return lines


INPUTS = {"op1": ["op0"], "op2": ["op0", "op1", "op9"], "op3": ["op3"]}


@pytest.mark.parametrize("seed", [1, *map(slow, range(2, 8))])
def test_csv_files_of_random_sessions_are_those_of_the_rules(
    seed: int, tw: Tw, tmp_path: Path
) -> None:
    events = program(seed)
    write(tmp_path / "trace", events)
    nodes = ""
    for name in ("op0", *INPUTS):
        inputs = "".join(f'  input: "{each}"\n' for each in INPUTS.get(name, []))
        nodes += f'node {{\n  name: "{name}"\n{inputs}}}\n'
    (tmp_path / "graph.pbtxt").write_text(nodes)
    assert tw("import", "trace").code in (0, 6)
    assert tw("export", "tensorflow-csv", "-o", "csv", "--graph", "graph.pbtxt").code == 0

    found = {f.stem: f.read_text().splitlines() for f in (tmp_path / "csv").glob("*.csv")}
    assert found["stats"] == statistics(events)
    assert found["latencies"] == latencies(events, INPUTS)

"""The statements that are compared with trace_processor, the traces, and what is compared.

Both programs read the same file. It is the part of a recording that both read alike:
trace_processor leaves out slices that overlap without nesting, loses integers beyond 64 bits,
numbers processes that have texts for numbers as it likes, and nests slices without length
differently. `docs/perfetto-sql.md` lists these differences.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "kineto"
TRACES = {
    "cpu_run": DATA / "cpu_run" / "trace.json.gz",
    "gpu_handwritten": DATA / "gpu_handwritten" / "trace.json",
    "ddp_rank0": DATA / "ddp_two_ranks" / "rank0.json.gz",
    "demo_rank0": HERE.parents[1] / "warehouse" / "demo_data" / "ddp_rank0.json.gz",
}
N_SHOWN = 8  # rows of an answer that a golden file spells out; a hash stands for all


def statements() -> dict[str, str]:
    """Statements by what they are about: the comment line before each in `*.sql`."""
    found = {}
    for file in sorted(HERE.glob("*.sql")):
        parts = re.split(r"^-- (.*)$", file.read_text("utf-8"), flags=re.MULTILINE)[1:]
        for title, sql in zip(parts[::2], parts[1::2], strict=True):
            assert title not in found
            found[title] = sql.strip()
    return found


def read_alike(path: Path) -> dict[str, Any]:
    """A recording without what the two programs read differently."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    document: dict[str, Any] = json.loads(raw)
    numbers: dict[str, int] = defaultdict(lambda: 900_001 + len(numbers))
    events = [e for e in document["traceEvents"] if e.get("ph") not in ("b", "e", "n", "S", "F")]
    for event in events:
        for key in ("pid", "tid"):
            if isinstance(event.get(key), str):
                event[key] = numbers[event[key]]
    document["traceEvents"] = [e for e in _nested(events) if "18446744073709551615" not in str(e)]
    return document


def _nested(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events without slices that cross others or have no length."""
    dropped = set()
    by_thread = defaultdict(list)
    for n, event in enumerate(events):
        if event.get("ph") != "X":
            continue
        if not event.get("dur", 0) > 0:
            dropped.add(n)
            continue
        start = round(event["ts"] * 1000)
        place = event["pid"], max(event["tid"], -1)
        by_thread[place].append((start, -(start + round(event["dur"] * 1000)), n))
    for spans in by_thread.values():
        ends: list[int] = []
        for start, negative_end, n in sorted(spans):
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and -negative_end > ends[-1]:
                dropped.add(n)
            else:
                ends.append(-negative_end)
    return [event for n, event in enumerate(events) if n not in dropped]


def write_read_alike(name: str, path: Path) -> None:
    """Writes one of the traces as both programs get it."""
    text = json.dumps(read_alike(TRACES[name]), ensure_ascii=False, indent=0)
    path.write_text(text, "utf-8")


def comparable(sql: str, rows: list[list[Any]]) -> list[list[Any]]:
    """Rows as JSON can hold them: reals to ten digits, and sorted where the statement does not."""
    found = [[_comparable(value) for value in row] for row in rows]
    if not re.search(r"\border\s+by\b", sql, re.IGNORECASE):
        found.sort(key=lambda row: json.dumps(row))
    return found


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else float(f"{value:.10g}")
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{16,19}", value):
        return int(value)  # the tool writes integers beyond 53 bits as texts
    return value


def summary(rows: list[list[Any]]) -> dict[str, Any]:
    """What a golden file keeps of an answer."""
    text = json.dumps(rows, ensure_ascii=False)
    return {
        "n": len(rows),
        "rows": rows[:N_SHOWN],
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }

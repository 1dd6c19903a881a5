"""Links in one file that holds the events of several ranks, each with its own numbers.

Ranks run one program, so they count correlation ids, External ids and arrows alike; a rank is late
by less than its devices have work for.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration
from warehouse.ingest import pipeline
from warehouse.store import database

Event = dict[str, Any]
STYLES = ("devices", "shifted pids", "pids of text")
LINKS = """
    SELECT k.kind, k.confidence, f.args_json->>'$.mark', t.args_json->>'$.mark'
    FROM link AS k JOIN slice AS f ON f.id = k.from_id JOIN slice AS t ON t.id = k.to_id
    WHERE k.kind IN ('launch', 'forward_backward')"""


def slice_of(category: str, place: Event, ts: int, dur: int, args: Event) -> Event:
    times = {"ts": ts, "dur": dur}
    return {"ph": "X", "cat": category, "name": category, **place, **times, "args": args}


def rank_events(seed: int, rank: int) -> list[Event]:
    """Operators that launch kernels, with arrows to the operators of their gradients."""
    chance, program = random.Random(f"{seed} {rank}"), random.Random(seed)
    host, device = chance.randint(0, 60) + 40 * rank, 0
    events: list[Event] = []
    for n in range(1, 41):
        start, is_back = host, n > 20
        host += 4 + chance.randint(0, 5)
        device = max(device, start + 3 + chance.randint(1, 4))
        length = program.choice([1, 3, 30])
        named = {"External id": n, "mark": f"{rank} {n}"}
        number = {"Sequence number": 41 - n if is_back else n, "Fwd thread id": int(is_back)}
        called = named | {"correlation": 100 + n}
        work = called | {"device": rank, "stream": 7}
        thread = {"pid": 500 + rank, "tid": 1 + is_back}
        arrow = {"ph": "f" if is_back else "s", "cat": "fwdbwd", "id": number["Sequence number"]}
        events += [
            {**arrow, **thread, "name": "fwdbwd", "ts": start},
            slice_of("cpu_op", thread, start, host - start, named | number),
            slice_of("cuda_runtime", thread, start + 1, 2, called),
            slice_of("kernel", {"pid": rank, "tid": 7}, device, length, work),
        ]
        device += length
        if n % 10 == 0:  # the host waits for the device
            host = max(host, device) + 1
    return events


def merged(seed: int, style: str) -> str:
    events = []
    for rank in range(3):
        for event in rank_events(seed, rank):
            if style == "shifted pids":
                event["pid"] += 100_000 * rank
            elif style == "pids of text":
                event["pid"] = f"rank {rank}: {event['pid']}"
            events.append(event)
    return json.dumps({"schemaVersion": 1, "traceEvents": events})


@pytest.mark.parametrize("style", [STYLES[0], *map(integration, STYLES[1:])])
def test_links_in_a_merged_file_stay_in_their_process(tmp_path: Path, style: str) -> None:
    paths = [tmp_path / f"job{seed}.json" for seed in range(4)]
    for seed, path in enumerate(paths):
        path.write_text(merged(seed, style))
    db = tmp_path / "w.duckdb"
    pipeline.import_paths(paths, db=db, options=pipeline.Options())
    n_right: Counter[str] = Counter()
    with database.Reader(db) as reader:
        for kind, confidence, cause, effect in reader.connection.execute(LINKS).fetchall():
            rank, n = effect.split()
            truth = effect if kind == "launch" else f"{rank} {41 - int(n)}"
            assert cause == truth or confidence == 0.5, (kind, cause, effect)
            n_right[kind] += cause == truth
    assert n_right == {"launch": 4 * 3 * 40, "forward_backward": 4 * 3 * 20}

"""Times import, link and both exports of one large pair of an execution trace and a timeline.

    python benchmarks/chakra.py PAIR_FOLDER [--copies 100] [--set default] [--keep FOLDER]

PAIR_FOLDER contains host_et.json(.gz) and kineto.json(.gz). Copies of them, shifted in time and
with distinct ids, form a large recording: 100 copies of two steps of a small CNN are 51,200 nodes.
Every command runs in a separate process. Prints seconds, megabytes of peak memory, and the ratio to
Chakra's tools: if chakra_trace_link and chakra_converter are on the PATH, they run on the same
files, otherwise figures recorded on a similar machine for a pair of this size are used.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from paired import Usage, line, run, say

#: Seconds and megabytes of chakra_trace_link and chakra_converter 1.0.0: 52 and 26 MB, 2 cores.
RECORDED = {"link": Usage(45.5, 45.5, 824.0), "convert": Usage(11.4, 11.4, 669.0)}
LIMIT_S, LIMIT_MB = 5.7, 400.0
_ROOTS = 2  # ids of the process and of the first thread, which all copies share


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        host, device = enlarge(options.pair, folder, options.copies)
        ours = _ours(host, device, folder, options.set)
        peers = _peers(host, device, folder)
    return _report(ours, peers)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("pair", type=Path)
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--set", default="default")
    parser.add_argument("--keep", type=Path, help="folder to keep all files in")
    return parser.parse_args()


def enlarge(pair: Path, folder: Path, copies: int) -> tuple[Path, Path]:
    """The pair repeated, as two plain JSON files."""
    host, device = _read(pair, "host_et"), _read(pair, "kineto")
    write_json(folder / "host_et.json", {**host, "nodes": _nodes(host["nodes"], copies)})
    events = _events(device["traceEvents"], copies)
    write_json(folder / "kineto.json", {**device, "traceEvents": events})
    return folder / "host_et.json", folder / "kineto.json"


def write_json(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document))


def _read(pair: Path, stem: str) -> Any:
    packed = pair / f"{stem}.json.gz"
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else None
    return json.loads(text or (pair / f"{stem}.json").read_bytes())


def _nodes(nodes: list[dict[str, Any]], copies: int) -> list[dict[str, Any]]:
    stride = max(node["id"] for node in nodes)
    n_functions = max(_attribute(node, "rf_id") for node in nodes)
    made = []
    for n in range(copies):
        for node in nodes:
            if node["id"] > _ROOTS:
                made.append(_shifted(node, n * stride, n * n_functions))
    return [*made, *(node for node in nodes if node["id"] <= _ROOTS)]


def _attribute(node: dict[str, Any], name: str) -> int:
    return next((each["value"] for each in node["attrs"] if each["name"] == name), 0)


def _shifted(node: dict[str, Any], by: int, functions: int) -> dict[str, Any]:
    parent = node["ctrl_deps"]
    attributes = [
        {**each, "value": each["value"] + functions} if each["name"] == "rf_id" else each
        for each in node["attrs"]
    ]
    parent += by if parent > _ROOTS else 0
    return {**node, "id": node["id"] + by, "ctrl_deps": parent, "attrs": attributes}


def _events(events: list[dict[str, Any]], copies: int) -> list[dict[str, Any]]:
    timed = [event for event in events if event.get("ph") != "M"]
    span = max(event["ts"] + event.get("dur", 0) for event in timed)
    span += 1000 - min(event["ts"] for event in timed)
    keys = ("External id", "Record function id", "correlation", "Ev Idx")
    strides = {key: 1 + max(event.get("args", {}).get(key, 0) for event in timed) for key in keys}
    strides["Record function id"] -= 1  # ids count from 1, as in the execution trace
    made = [event for event in events if event.get("ph") == "M"]
    for n in range(copies):
        for event in timed:
            args = dict(event.get("args", {}))
            args.update({key: args[key] + n * strides[key] for key in keys if key in args})
            moved = {**event, "ts": round(event["ts"] + n * span, 3), "args": args}
            if "id" in event:
                moved["id"] = event["id"] + n * strides["correlation"]
            made.append(moved)
    return made


def _ours(host: Path, device: Path, folder: Path, link_set: str) -> dict[str, Usage]:
    db = folder / "bench.duckdb"
    tw = [sys.executable, "-c", "from warehouse.cli import main; main()"]
    where = ["--db", str(db)]
    options = ["--set", link_set, *where, "-o"]
    commands = {
        "import and link": ["import", "-q", "--run", "bench", *where, str(host), str(device)],
        "ET+": ["export", "chakra-etplus", *options, str(folder / "et.json")],
        ".et": ["export", "chakra-et", *options, str(folder / "rank.0.et")],
    }
    return {name: measured([*tw, *command]) for name, command in commands.items()}


def _peers(host: Path, device: Path, folder: Path) -> dict[str, Usage]:
    if not shutil.which("chakra_trace_link"):
        say("chakra_trace_link is not on the PATH: using recorded times.")
        return RECORDED
    linked = str(folder / "peer.json")
    link = ["chakra_trace_link", "--rank", "0", "--chakra-host-trace", str(host)]
    link += ["--chakra-device-trace", str(device.absolute()), "--output-file", linked]
    convert = ["chakra_converter", "PyTorch", "--input", linked, "--output", f"{folder}/peer.et"]
    return {"link": measured(link), "convert": measured(convert)}


def measured(command: list[str]) -> Usage:
    """The resources that a command used; exits if it fails.

    CPU seconds that are much lower than the seconds times the number of processors show that the
    machine was busy.
    """
    try:
        return run(command)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(command[:4])} failed: {error.output.decode()[-500:]}")


def _report(ours: dict[str, Usage], peers: dict[str, Usage]) -> int:
    for whose, figures in (("ours", ours), ("Chakra", peers)):
        say(whose)
        for name, used in figures.items():
            line(name, used)
    total, peak = sum(u.wall_s for u in ours.values()), max(u.peak_mb for u in ours.values())
    theirs = sum(used.wall_s for used in peers.values())
    say(f"total {total:.2f} s, {theirs / total:.1f} times as fast as Chakra's {theirs:.1f} s")
    say(f"limits: {LIMIT_S} s and {LIMIT_MB:.0f} MB; peak {peak:.0f} MB")
    say(f"load average {os.getloadavg()[0]:.2f}")
    return int(total > LIMIT_S or peak > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())

"""Damages files of GPU profilers (rocprof, rocprofv3, rocpd, nvprof) and looks what comes of them.

    python -m tests.importers.fuzz_gpu_profiles SEED COUNT

prints what came of COUNT files, and leaves each that broke a rule in the working folder. The rules:
decoding ends in success, perhaps with problems, or in an error of ours; in ten seconds of one
processor.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.importers import test_nvprof as nvprof
from tests.importers import test_nvprof_csv as nvprof_csv
from tests.importers import test_rocpd as rocpd
from tests.importers import test_rocprof as rocprof
from tests.importers import test_rocprofv3_csv as rocprofv3_csv
from tests.importers import test_rocprofv3_json as rocprofv3_json
from tests.importers.fuzz_trace_event import mutated
from tests.support.failures import keep_failures
from warehouse.errors import TraceError
from warehouse.ingest import decode
from warehouse.ingest.decode import Settings
from warehouse.ingest.sources import Source

LIMIT_S = 10
TOKENS = (b",", b'"', b"\n", b"-1", b"9" * 30, b"1.5", b"\xff", b"0x", b"", b"Agent 9", b"nan")


def seeds(folder: Path) -> list[tuple[str, bytes]]:
    """An importer and a small whole file of its own, for each kind of file."""
    rocpd.write(folder / "rocpd", rocpd.recording(10), rocpd.recording(20))
    for minor in (0, 1):
        newer = (rocpd.in_schema_4(rocpd.recording(pid), minor) for pid in (10, 20))
        rocpd.write(folder / f"rocpd_4_{minor}", *newer)
    nvprof.write(folder / "nvprof", nvprof.OURS)
    whole = rocprofv3_csv.OURS["whole"]
    return [
        ("rocpd", (folder / "rocpd").read_bytes()),
        ("rocpd", (folder / "rocpd_4_0").read_bytes()),
        ("rocpd", (folder / "rocpd_4_1").read_bytes()),
        ("nvprof", (folder / "nvprof").read_bytes()),
        ("rocprofv3_json", rocprofv3_json.document(100, 200).encode()),
        ("nvprof_csv", nvprof_csv.OLD.encode()),
        ("nvprof_csv", nvprof_csv.MANY.encode()),
        ("rocprof", rocprof.OURS["v1"]["results.csv"].encode()),
        ("rocprof", rocprof.OURS["v2"]["results_9.csv"].encode()),
        *(("rocprofv3_csv", text.encode()) for name, text in whole.items() if "stats" not in name),
    ]


def damaged(importer: str, data: bytes, chosen: random.Random) -> bytes:
    """The file with some defects of a kind that suits it."""
    if importer.endswith("json"):
        return mutated(data, chosen)
    content = bytearray(data)
    for _ in range(chosen.choice((1, 1, 2, 4, 10))):
        at, kind = chosen.randrange(len(content) + 1), chosen.randrange(10)
        if kind < 4 and at < len(content):
            content[at] = chosen.choice((0, 1, 13, 44, 127, 128, 255, chosen.randrange(256)))
        elif kind < 7:
            token = chosen.choice(TOKENS)
            content[at : at + chosen.choice((0, len(token)))] = token
        elif kind < 9:
            del content[at : at + chosen.choice((1, 5, 50))]
        elif chosen.random() < 0.3:
            del content[at:]
    return bytes(content)


def run(importer: str, data: bytes, folder: Path) -> str:
    """Decodes one file; says what came of it. Raises what must not be raised."""
    path, began = folder / "t", time.process_time()
    path.write_bytes(data)
    try:
        decoded = decode.decode(Source(path), ("",), importer, folder / "s", Settings(threads=1))
    except TraceError as error:
        result = type(error).__name__
    else:
        result = "with problems" if decoded.facts.problems else "decoded"
    shutil.rmtree(folder / "s", ignore_errors=True)
    assert time.process_time() - began < LIMIT_S, "it took too long"
    return result


def fuzz(seed: int, count: int) -> tuple[Counter[str], list[tuple[str, bytes]]]:
    """Runs `count` damaged files; returns what came of them, and those that broke a rule."""
    chosen, results = random.Random(seed), Counter[str]()
    bad: list[tuple[str, bytes]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = seeds(folder)
        for n in range(count):
            importer, data = whole[n % len(whole)]
            data = damaged(importer, data, chosen)
            try:
                results[f"{importer}: {run(importer, data, folder)}"] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
                results[f"{importer}: {type(error).__name__}: {str(error)[:200]}"] += 1
                bad.append((importer, data))
    return results, bad


if __name__ == "__main__":
    outcome, files = fuzz(int(sys.argv[1]), int(sys.argv[2]))
    for what, n in sorted(outcome.items()):
        sys.stdout.write(f"{n:8} {what}\n")
    keep_failures({f"{who}-{sys.argv[1]}-{n}": content for n, (who, content) in enumerate(files)})

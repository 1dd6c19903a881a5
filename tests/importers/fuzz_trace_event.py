"""A seeded mutator of Trace Event JSON and what every import of its files must do.

    python tests/importers/fuzz_trace_event.py SEED COUNT

prints what came of COUNT files, and leaves each that broke a rule in the working folder. The
rules: an import ends in success, perhaps with problems, or in an error of ours; in ten seconds.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.support.failures import keep_failures
from warehouse.errors import TraceError
from warehouse.ingest import decode, formats
from warehouse.ingest.decode import Settings
from warehouse.ingest.sources import Source

DATA = Path(__file__).parent.parent / "data" / "kineto"
LIMIT_S = 10
TOKENS = (
    b"NaN", b"-Infinity", b'"\\ud800"', b"\xff", b"\0", b"{", b"}", b"[", b"]", b'"', b",", b"\\",
    b"9" * 30, b"-1", b"1e400", b"null", b"true", b"{}", b"[]", b'""', b'"traceEvents":[', b"1e-5",
    b'"ph":"B"', b'"ph":"E"', b'"ph":"C"', b'"ph":"e"', b'"args":5', b'"args":{"":1}', b":", b"-0",
    b'"id2":{"local":1}', b'"id2":{"global":"x"}', b"0.0005", b"\\u0000", b"\r\n", b"},{",
    b"9223372036854775807", b"-9e18", b"1.7976931348623157e308", b'"ph":"f","bp":"e"',
)  # fmt: skip
VALUE = re.compile(rb'(?<=:)\s*("[^"]*"|[-\d.]+)')


def seeds() -> list[bytes]:
    """Small documents: real ones, cut short, and one with every phase."""
    recorded = json.loads(gzip.decompress((DATA / "ddp_two_ranks" / "rank0.json.gz").read_bytes()))
    recorded["traceEvents"] = recorded["traceEvents"][:60]
    every_phase = [
        {"ph": phase, "name": "n", "cat": "c", "pid": 1, "tid": 2, "ts": n + 0.5, "dur": 1,
         "id": "0x1", "args": {"a": 1, "": 2, "*": 3}}
        for n, phase in enumerate("XBEbneiIRsftCMSTFpNOD(")
    ]  # fmt: skip
    return [
        (DATA / "gpu_handwritten" / "trace.json").read_bytes(),
        json.dumps(recorded).encode(),
        json.dumps(every_phase).encode(),
    ]


def mutated(document: bytes, chosen: random.Random) -> bytes:
    """The document with one to ten defects."""
    data = bytearray(document)
    for _ in range(chosen.choice((1, 1, 2, 4, 10))):
        at, token = chosen.randrange(len(data) + 1), chosen.choice(TOKENS)
        kind = chosen.randrange(16)
        if kind < 3 and at < len(data):
            data[at] ^= 1 << chosen.randrange(8)
        elif kind < 6:
            data[at:at] = token
        elif kind < 8:
            del data[at : at + chosen.choice((1, 1, 5, 50, 500))]
        elif kind < 10:
            data[at : at + len(token)] = token
        elif kind < 12:
            other = chosen.randrange(len(data) + 1)
            data[at:at] = data[other : other + chosen.choice((5, 50, 500))]
        elif kind < 15 and (found := VALUE.search(bytes(data), at)):
            data[found.start() : found.end()] = token
        elif kind == 15 and chosen.random() < 0.3:
            del data[at:]
    return bytes(data)


def run(data: bytes, folder: Path) -> str:
    """Decodes one file; says what came of it. Raises what must not be raised."""
    path, began = folder / "t.json", time.perf_counter()
    path.write_bytes(data)
    source = Source(path)
    try:
        importer = formats.choose(source)
        decoded = decode.decode(source, ("",), importer.name, folder / "s", Settings(threads=1))
    except TraceError as error:
        result = type(error).__name__
    else:
        result = "with problems" if decoded.facts.problems else "imported"
    shutil.rmtree(folder / "s", ignore_errors=True)
    assert time.perf_counter() - began < LIMIT_S, "it took too long"
    return result


def fuzz(seed: int, count: int) -> tuple[Counter[str], list[bytes]]:
    """Runs `count` mutated files; returns what came of them, and those that broke a rule."""
    chosen, results, bad = random.Random(seed), Counter[str](), []
    documents = seeds()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            data = mutated(chosen.choice(documents), chosen)
            try:
                results[run(data, Path(folder))] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
                results[f"{type(error).__name__}: {str(error)[:100]}"] += 1
                bad.append(data)
    return results, bad


if __name__ == "__main__":
    outcome, files = fuzz(int(sys.argv[1]), int(sys.argv[2]))
    for what, n in outcome.most_common():
        sys.stdout.write(f"{n:8} {what}\n")
    keep_failures({f"{sys.argv[1]}-{n}.json": content for n, content in enumerate(files)})

"""Compares decoding and importing a CTF trace with babeltrace2, in one run.

    python benchmarks/import_ctf.py SESSION [--pairs N] [--bt2 PYTHON] [--decode-limit-s S]
        [--import-limit-s S] [--limit-mb MB]

SESSION is a session of LTTng, such as 1 M events of TensorFlow. babeltrace2 prints it as
text; with --bt2, an interpreter with its Python bindings also reads all fields. Prints wall time,
processor time and peak memory, and the ratio to each limit.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from paired import Usage, compare, line, run, say

_DECODE = """
import sys

from pathlib import Path
from tw_importers.ctf.find import find
from tw_importers.ctf.read import Session

class Files:
    def __init__(self, root):
        self.root = Path(root)
        self.names = [str(p.relative_to(root)) for p in sorted(self.root.rglob("*")) if p.is_file()]
    def head(self, name):
        return self.open(name).read(1 << 16)
    def open(self, name):
        return (self.root / name).open("rb")
    def read(self, name):
        return (self.root / name).read_bytes()

files = Files(sys.argv[1])
for capture in find(files):
    inside = Files(files.root / capture.folder)
    inside.parts = capture.parts
    session = Session(inside)
    session.read_metadata()
    print(sum(len(batch) for batch in session.events()))
"""
_BT2 = """
import sys, bt2
n = 0
for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if type(message) is bt2._EventMessageConst:
        for name, value in message.event.payload_field.items():
            str(value)
        n += 1
print(n)
"""


def main() -> None:
    options = _options()
    session = str(options.session)
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "bench.duckdb"

        def imported() -> Usage:
            db.unlink(missing_ok=True)
            return run([sys.executable, "-m", "warehouse", "import", "--db", str(db), session])

        def decoded() -> Usage:
            return run([sys.executable, "-c", _DECODE, session])

        decoding, importing = decoded(), imported()
        line("decode to Arrow", decoding)
        line("import", importing)
        _limit("decode, processor time", decoding.cpu_s, options.decode_limit_s, "s")
        _limit("import, processor time", importing.cpu_s, options.import_limit_s, "s")
        _limit("import, memory", importing.peak_mb, options.limit_mb, "MB")
        if shutil.which("babeltrace2"):
            compare(
                "decoding against babeltrace2 printing text", decoded, "babeltrace2",
                lambda: run(["babeltrace2", session]), options.pairs,
            )  # fmt: skip
        if options.bt2:
            compare(
                "decoding against the Python bindings of babeltrace2", decoded, "bt2",
                lambda: run([options.bt2, "-c", _BT2, session]), 1,
            )  # fmt: skip


def _limit(what: str, value: float, limit: float, unit: str) -> None:
    say(f"{what}: {value:.2f} {unit} of {limit:g} {unit}, ratio {value / limit:.2f}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("session", type=Path)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--bt2")
    parser.add_argument("--decode-limit-s", type=float, default=1.6)
    parser.add_argument("--import-limit-s", type=float, default=4.0)
    parser.add_argument("--limit-mb", type=float, default=600)
    return parser.parse_args()


if __name__ == "__main__":
    main()

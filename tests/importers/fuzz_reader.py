"""Runs the compiled reader on damaged documents under the address and undefined sanitizers.

    python -m tests.importers.fuzz_reader SEED COUNT

compiles fuzz_reader.c, which includes reader.c, with the C compiler in CC (default cc), and ends
with the sanitizer's report if one finds something.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz.family import families

HARNESS = Path(__file__).with_suffix(".c")
_FLAGS = (
    "-g", "-O1", "-std=c99", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)  # fmt: skip


def build(folder: Path) -> Path:
    """Compiles the harness; raises CalledProcessError where there are no sanitizers."""
    program = folder / "fuzz_reader"
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*compiler, *_FLAGS, str(HARNESS), "-o", str(program)], check=True)
    return program


def run(program: Path, seed: int, count: int) -> str:
    """Runs `count` executions; raises CalledProcessError if one fails."""
    files = []
    documents = [
        seed["t.json"] for name in ("kineto", "chrome") for seed in families()[name].seeds()
    ]
    for n, document in enumerate(documents):
        file = program.with_name(f"seed-{n}.json")
        file.write_bytes(document)
        files.append(str(file))
    command = [str(program), str(seed), str(count), *files]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.stdout.write(run(build(Path(place)), int(sys.argv[1]), int(sys.argv[2])))

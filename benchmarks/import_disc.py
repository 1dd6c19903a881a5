"""Measures the import of a long log of BladeDISC with many dumps, against limits.

    python benchmarks/import_disc.py [--log-mb MB] [--dumps N] [--threads N] [--folder DIR]
        [--limit-s S] [--limit-mb MB] [--runs N]

The log and the dumps are generated: a program of 60 nodes and three tensors of 16 KB for each dump,
and a log that mostly has the blocks that DISC_DEBUG prints for each run of a cluster. With
--threads above 1 the lines of several threads are interleaved. Prints wall time, processor time,
peak memory and load.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from paired import line, median, run, say

from tw_importers.disc.messages import messages

_START = datetime(2024, 3, 1, 12, 0, 0, tzinfo=UTC)
_FLOAT, _PARAMETER = 1, 14
_NODES, _ARGUMENTS, _SIZE = 60, 3, 64
_CACHE = "/work/tao/tao_bridge/kernels/tao_compilation_cache.cc"
_LAUNCH = "/work/tao/tao_bridge/kernels/launch_base.cc"
_OPS = ("MatMul", "AddV2", "Mul", "Relu", "Tanh", "BiasAdd", "Softmax", "Sub")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        job, db = Path(name) / "job", Path(name) / "bench.duckdb"
        n_bytes = generate(job, options.dumps, options.log_mb * 10**6, options.threads)
        say(f"log of {n_bytes / 1e6:,.0f} MB with {options.dumps:,} dumps; load {_load()}")
        usages = []
        for _ in range(options.runs):
            db.unlink(missing_ok=True)
            usages.append(
                run([sys.executable, "-m", "warehouse", "import", "--db", str(db), str(job)])
            )
            line("import", usages[-1])
        found = median(usages)
        say(f"load afterwards {_load()}")
        for what, value, limit, unit in (
            ("wall time", found.wall_s, options.limit_s, "s"),
            ("memory", found.peak_mb, options.limit_mb, "MB"),
        ):
            say(f"{what}: {value:.2f} {unit} of {limit:g} {unit}, ratio {value / limit:.2f}")


def generate(job: Path, n_dumps: int, n_log_bytes: int, n_threads: int = 1) -> int:
    """Writes a job: its log and its dumps. Returns the size of the log."""
    (job / "dump").mkdir(parents=True)
    names = [_dump(job / "dump", n) for n in range(n_dumps)]
    draw, written, step = random.Random(0), 0, 0
    every = max(1, n_log_bytes // (n_dumps + 1))
    with (job / "train.log").open("wb") as log:
        written += log.write(
            f"{_at(0)}: I {_CACHE}:571] Force remove_after_compile = false due to DISC_DEBUG is on"
            "\n".encode()
        )  # fmt: skip
        n_dumped = 0
        while written < n_log_bytes or n_dumped < n_dumps:
            if n_dumped < n_dumps and written >= n_dumped * every:
                written += log.write(_announced(n_dumped, names[n_dumped]).encode())
                n_dumped += 1
            blocks = [
                _run(draw, step, 0 if n_threads == 1 else 40_001 + n) for n in range(n_threads)
            ]
            written += log.write("".join(_interleaved(draw, blocks)).encode())
            written += log.write(f"step {step} loss {draw.random():.6f}\n".encode())
            step += 1
    return written


def _micros(n: int) -> int:
    return int((_START + timedelta(seconds=n)).timestamp()) * 1_000_000


def _at(n: int, micros: int = 0) -> str:
    return f"{_START + timedelta(seconds=n):%Y-%m-%d %H:%M:%S}.{micros:06d}"


def _dump(folder: Path, n: int) -> tuple[list[str], str, str]:
    """Writes a program and an archive; returns names of members, archive and program."""
    start = _micros(n)
    members = [f"tempfile-gpu-box-07-217fa700-29301-{start + k:x}" for k in range(_ARGUMENTS)]
    archive = f"tempfile-gpu-box-07-217fa700-29301-{start + 10:x}.tar"
    program = f"tempfile-gpu-box-07-217fa700-29301-{start + 20:x}.input"
    (folder / program).write_bytes(_program(n, members))
    values = np.random.default_rng(n)
    with tarfile.open(folder / archive, "w", format=tarfile.GNU_FORMAT) as target:
        for member in members:
            tensor = messages().new("Tensor")
            tensor.dtype = _FLOAT
            for _ in range(2):
                tensor.shape.dim.add().size = _SIZE
            tensor.tensor_content = values.random(_SIZE * _SIZE, np.float32).tobytes()
            content = tensor.SerializeToString()
            info = tarfile.TarInfo(member)
            info.size = len(content)
            target.addfile(info, io.BytesIO(content))
    return members, archive, program


def _program(n: int, members: list[str]) -> bytes:
    """A chain of operations; every fifth dump has the graph of the first."""
    made, library, called = (messages().new(name) for name in ("Program", "Library", "Called"))
    name, draw = f"cluster_{n}", random.Random(n if n % 5 else 0)
    called.name = name.encode()
    function = library.function.add()
    function.signature.name = name.encode()
    shape = messages().new("Shape")
    for _ in range(2):
        shape.dim.add().size = _SIZE
    for k, member in enumerate(members):
        port = function.signature.input_arg.add()
        port.name, port.type = f"arg_{k}".encode(), _FLOAT
        argument = made.args.add()
        argument.type, argument.kind = _FLOAT, _PARAMETER
        argument.shape, argument.value_proto_file = shape.SerializeToString(), member.encode()
    before = "arg_0"
    for k in range(_NODES):
        node = function.node_def.add()
        node.name, node.op = f"node_{k}".encode(), draw.choice(_OPS).encode()
        node.input.extend([before.encode(), f"arg_{k % _ARGUMENTS}".encode()])
        node.device = b"/job:localhost/replica:0/task:0/device:GPU:0"
        before = f"node_{k}:z:0"
    out = function.signature.output_arg.add()
    out.name, out.type = b"out", _FLOAT
    returned = function.ret.add()
    returned.key, returned.value = b"out", before.encode()
    made.function = called.SerializeToString()
    made.options.device_type, made.options.func_hash = b"MLIR_GPU", n + 1
    made.options.library = library.SerializeToString()
    return bytes(made.SerializeToString())


def _announced(n: int, names: tuple[list[str], str, str]) -> str:
    members, archive, program = names
    lines = [
        f"{_at(n, k)}: I {_CACHE}:896] arg #{k} proto filename: {member}"
        for k, member in enumerate(members)
    ]
    listed = " ".join(f"`basename /tmp/{member}`" for member in members)
    lines.append(
        f"{_at(n, 10)}: I {_CACHE}:912] tar the cluster input tensors with protobuf format to: "
        f"/tmp/{archive}\n\tcmd: tar -C `dirname /tmp/{archive}` -cf `basename /tmp/{archive}` "
        f"{listed} ; mv `basename /tmp/{archive}` /tmp/{archive}"
    )
    lines.append(f"{_at(n, 500_000)}: I {_CACHE}:937] tao_compiler_input: /tmp/{program}")
    return "\n".join(lines) + "\n"


def _run(draw: random.Random, step: int, thread: int) -> list[str]:
    """The lines of a run, in one of 64 shapes; values differ each time."""
    sizes = [(draw.choice((16, 32, 48, 64)), 64), (64, draw.choice((32, 64, 128, 256))), (64,)]
    start = f"{_at(step // 20, thread)}: I{thread:8d}" if thread else f"{_at(step // 20)}: I"
    lines = [
        f"{start} {_LAUNCH.replace('launch_base', 'disc_launch')}:62] print ins/outs\n",
        f"{start} {_LAUNCH}:322] num inputs #{len(sizes)}:\n",
    ]
    for k, size in enumerate(sizes):
        shape = "[" + ",".join(map(str, size)) + "]"
        values = " ".join(f"{draw.random():.6f}" for _ in range(4))
        lines.append(f"{start} {_LAUNCH}:324] >> input tensor #{k}@{shape} [\n")
        lines.append(
            f"{start} {_LAUNCH}:328] \tTensor<type: float shape: {shape} values: {values}...>\n]\n"
        )
    lines.append(f"{start} {_LAUNCH}:334] num outputs #1:\n")
    lines.append(f"{start} {_LAUNCH}:341] >> output tensor #0@[64,64] [\n")
    lines.append(
        f"{start} {_LAUNCH}:345] \tTensor<type: float shape: [64,64] values: 0.5 0.25...>\n]\n"
    )
    return lines


def _interleaved(draw: random.Random, blocks: list[list[str]]) -> Iterator[str]:
    """The lines of all blocks, each in its order."""
    places = [iter(block) for block in blocks]
    order = [n for n, block in enumerate(blocks) for _ in block]
    if len(blocks) > 1:
        draw.shuffle(order)
    for n in order:
        yield next(places[n])


def _load() -> str:
    return " ".join(f"{each:.2f}" for each in os.getloadavg())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--log-mb", type=int, default=1000)
    parser.add_argument("--dumps", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--limit-s", type=float, default=15)
    parser.add_argument("--limit-mb", type=float, default=400)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()

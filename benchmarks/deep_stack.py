"""Writes a Kineto trace with one thread of deeply nested Python calls: the worst case for nesting.

    python benchmarks/deep_stack.py OUT.json.gz [SLICES]

Every call makes two calls down to a fixed depth: the thread is a forest of full binary trees.
Children lie inside their parents.
"""

from __future__ import annotations

import sys
from typing import IO

from isal import igzip

DEPTH = 18  # a tree has 2^18 - 1 calls
HEAD = '{"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": ['
EVENT = (
    '\n  {{"ph": "X", "cat": "python_function", "name": "train.py({line}): f{line}", '
    '"pid": 1, "tid": 1, "ts": {us}.{ns:03d}, "dur": {dur}.{dns:03d}, '
    '"args": {{"Python id": {n}, "Python parent id": {parent}, "Ev Idx": {n}}}}},'
)
END = '\n  {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "p"}}\n]}\n'


def write_tree(out: IO[bytes], first: int, start_ns: int, limit: int) -> int:
    """Writes one tree, parents before children as the profiler does; returns the calls written."""
    stack = [(start_ns, (1 << DEPTH) * 4, 0, "null")]
    n = 0
    lines: list[str] = []
    while stack and n < limit:
        ts, dur, depth, parent = stack.pop()
        number = first + n
        lines.append(
            EVENT.format(
                line=depth * 7 + n % 5, us=ts // 1000, ns=ts % 1000, dur=dur // 1000,
                dns=dur % 1000, n=number, parent=parent,
            )
        )  # fmt: skip
        n += 1
        if depth + 1 < DEPTH:
            half = dur // 2 - 1
            stack.append((ts + half + 1, half, depth + 1, str(number)))
            stack.append((ts + 1, half, depth + 1, str(number)))
    out.write("".join(lines).encode())
    return n


def main() -> None:
    path, n_slices = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
    written, start_ns = 0, 1_000_000_000
    with igzip.open(path, "wb", compresslevel=1) as out:  # type: ignore[no-untyped-call]
        out.write(HEAD.encode())
        while written < n_slices:
            written += write_tree(out, written, start_ns, n_slices - written)
            start_ns += (1 << DEPTH) * 4 + 1000
        out.write(END.encode())
    sys.stdout.write(f"{path}: {written:,} slices\n")


if __name__ == "__main__":
    main()

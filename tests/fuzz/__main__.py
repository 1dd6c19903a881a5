"""Damages inputs of all importers at random and reports those that break a rule.

    python -m tests.fuzz --family NAME --executions N --seed S   readers, about a millisecond each
    python -m tests.fuzz --family NAME --imports N --seed S      whole imports, SQL and commit
    python -m tests.fuzz --all --minutes M                       both, for all families
    python -m tests.fuzz --reproduce FOLDER                      one find again

Inputs depend on the seed and the number of the execution alone. Finds are minimised and stored in
tests/data/fuzz, whose files all tests run again; with TW_TEST_DATA, small recordings are seeds as
well, and finds are stored in a temporary folder, because they may contain parts of recordings.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import engine, finds, supervise
from tests.fuzz.family import Family, families
from tests.fuzz.finds import Mode

_MANY = 1 << 40
_SHARE_OF_READERS = 0.4  # of the time of a family, where both are run


def main() -> int:
    chosen = _arguments()
    if chosen.list:
        for family in families().values():
            sys.stdout.write(f"{family.name:16} {family.structure:9} {family.importer or 'any'}\n")
        return 0
    if chosen.reproduce:
        return _reproduce(chosen.reproduce, chosen.family)
    corpus = (
        Path(tempfile.mkdtemp(prefix="fuzz-")) if "TW_TEST_DATA" in os.environ else finds.CORPUS
    )
    names = list(families()) if chosen.all else chosen.family or []
    n_finds, until = 0, time.monotonic() + (chosen.minutes or 1e6) * 60
    for n, name in enumerate(names):
        share = (until - time.monotonic()) / (len(names) - n)
        n_finds += _fuzz(families()[name], chosen, time.monotonic() + share, corpus)
    return 1 if n_finds else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--family", action="append", choices=list(families()), metavar="NAME")
    parser.add_argument("--all", action="store_true", help="all families")
    parser.add_argument("--list", action="store_true", help="list the families")
    parser.add_argument("--executions", type=int, help="of the reader of each family")
    parser.add_argument("--imports", type=int, help="whole imports of each family")
    parser.add_argument("--minutes", type=float, help="time for all families together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reproduce", type=Path, metavar="PATH", help="a folder or file of a find")
    chosen = parser.parse_args()
    if not (chosen.list or chosen.reproduce or chosen.all or chosen.family):
        parser.error("--family, --all, --list or --reproduce is required")
    if chosen.executions is None and chosen.imports is None:
        is_timed = chosen.minutes is not None
        chosen.executions, chosen.imports = (_MANY, _MANY) if is_timed else (10_000, 0)
    return chosen


def _fuzz(family: Family, chosen: argparse.Namespace, until: float, corpus: Path) -> int:
    """Runs both modes of a family; prints a line for each and returns the number of defects."""
    now, n_finds = time.monotonic(), 0
    counts: dict[Mode, int] = {"reader": chosen.executions or 0, "import": chosen.imports or 0}
    share = _SHARE_OF_READERS if all(counts.values()) else 1.0
    ends = {"reader": now + (until - now) * share, "import": until}
    for mode, count in counts.items():
        if count:
            n_finds += _run(family, mode, chosen.seed, count, ends[mode], corpus)
    return n_finds


def _run(family: Family, mode: Mode, seed: int, count: int, until: float, corpus: Path) -> int:
    began = time.monotonic()
    result, cpu_s = supervise.run(family, mode, seed, count, until)
    elapsed = max(time.monotonic() - began, 1e-9)
    _report(family.name, mode, result.n_done, result.ends, elapsed, cpu_s)
    for find in result.finds.values():
        folder = finds.store(find, corpus)
        n = result.n_broken[find.what]
        sys.stdout.write(f"  FIND ({n} times) {find.what}\n    {find.text[:300]}\n    {folder}\n")
    sys.stdout.flush()
    return len(result.finds)


def _report(
    name: str, mode: Mode, n: int, ends: Counter[str], elapsed: float, cpu_s: float
) -> None:
    shown = ", ".join(f"{count:,} {end}" for end, count in ends.most_common())
    sys.stdout.write(
        f"{name} {mode}: {n:,} in {elapsed:.0f} s ({n / elapsed:,.0f}/s, "
        f"{1e3 * cpu_s / max(n, 1):.2f} CPU ms each): {shown}\n"
    )
    sys.stdout.flush()


def _reproduce(path: Path, names: Sequence[str] | None) -> int:
    """Runs one input in both modes, in this process, with the full traceback of what it breaks."""
    found = names[0] if names else next((p.name for p in path.parents if p.name in families()), "")
    if found not in families():
        raise SystemExit(f"{path} is in no folder of a family: add --family NAME")
    family, files = families()[found], finds.load(path)
    with tempfile.TemporaryDirectory() as folder:
        modes: tuple[Mode, ...] = ("reader", "import")
        for mode in modes:
            ends = engine.ends(family, mode, [files], Path(folder))
            sys.stdout.write(f"{mode}: {', '.join(ends)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs mutated inputs of one family by their numbers; the same seed gives the same inputs."""

from __future__ import annotations

import gzip
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.fuzz import finds, imports, readers
from tests.fuzz.family import Family, Files
from tests.fuzz.finds import Find, Mode
from tests.fuzz.mutate import FEW_EDITS, N_EDITS, mutated
from warehouse.ingest.streams import GZIP_MAGIC

TOGETHER = 10  # inputs of one whole import
_LARGEST_RECORDING = 300 << 10
_BEGINNING = 24 << 10  # of recorded files that may be cut
_MINIMISING_S = 20.0


@dataclass
class Result:
    """What came of some executions: how they ended, and what broke a rule."""

    ends: Counter[str] = field(default_factory=Counter)
    finds: dict[str, Find] = field(default_factory=dict)  # the first of each defect
    n_broken: Counter[str] = field(default_factory=Counter)
    n_done: int = 0

    def add(self, find: Find) -> None:
        self.finds.setdefault(find.what, find)
        self.n_broken[find.what] += 1


@cache
def seeds(family: Family) -> list[Files]:
    """The sound inputs of a family, the finds of before, and recordings where there are any."""
    return [*family.seeds(), *(files for _, files in finds.corpus(family.name)), *_recorded(family)]


def _recorded(family: Family) -> list[Files]:
    folder = os.environ.get("TW_TEST_DATA")
    if not folder:
        return []
    paths = (path for glob in family.recordings for path in sorted(Path(folder).glob(glob)))
    inputs = [_recording(path, family.structure == "sqlite") for path in paths]
    return [files for files in inputs if sum(map(len, files.values())) <= _LARGEST_RECORDING]


def _recording(path: Path, is_whole: bool) -> Files:
    """A recorded file or folder, unpacked; of files that can be cut, the beginnings."""
    below = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
    files = {each.relative_to(path.parent).as_posix(): each.read_bytes() for each in below}
    whole = {
        name: gzip.decompress(content) if content.startswith(GZIP_MAGIC) else content
        for name, content in files.items()
    }
    return {n: text if is_whole else text[:_BEGINNING] for n, text in whole.items()}


def input_of(family: Family, seed: int, mode: Mode, number: int) -> Files:
    """The input of an execution."""
    rng = random.Random(f"{seed}/{family.name}/{mode}/{number}")
    return mutated(family, seeds(family), rng, FEW_EDITS if mode == "import" else N_EDITS)


def run(
    family: Family,
    mode: Mode,
    seed: int,
    numbers: range,
    folder: Path,
    *,
    until: float = float("inf"),
    on_start: Callable[[int], None] = lambda number: None,
) -> Result:
    """Executes inputs by their numbers; ends early at the time `until` (time.monotonic)."""
    result, step = Result(), TOGETHER if mode == "import" else 1
    for first in range(numbers.start, numbers.stop, step):
        if time.monotonic() > until:
            break
        on_start(first)
        some = range(first, min(first + step, numbers.stop))
        inputs = [input_of(family, seed, mode, number) for number in some]
        execute(family, mode, inputs, folder, result)
        result.n_done += len(some)
    return result


def execute(
    family: Family, mode: Mode, inputs: Sequence[Files], folder: Path, result: Result
) -> None:
    """Runs inputs and adds how they end; what broke a rule is searched among them and minimised."""
    try:
        result.ends.update(ends(family, mode, inputs, folder))
        return
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is searched for
        whole = error
    broken = [files for files in inputs if len(inputs) > 1 and _what(family, mode, files, folder)]
    for files in broken or [_together(inputs)]:
        error_of = _error(family, mode, files, folder) or whole
        find = Find(family.name, mode, files, finds.describe(error_of), str(error_of))
        if find.what not in result.finds:
            find.files = _minimised(family, find, folder)
        result.add(find)


def _minimised(family: Family, find: Find, folder: Path) -> Files:
    def is_same(files: Files) -> bool:
        return _what(family, find.mode, files, folder) == find.what

    return finds.minimised(find.files, is_same, _MINIMISING_S)


def _together(inputs: Sequence[Files]) -> Files:
    if len(inputs) == 1:
        return inputs[0]
    return {f"n{n}/{name}": text for n, files in enumerate(inputs) for name, text in files.items()}


def ends(family: Family, mode: Mode, inputs: Sequence[Files], folder: Path) -> list[str]:
    if mode == "import":
        return imports.run(family, inputs, folder)
    return [readers.run(family, files, folder) for files in inputs]


def _error(family: Family, mode: Mode, files: Files, folder: Path) -> Exception | None:
    try:
        ends(family, mode, [files], folder)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is searched for
        return error
    return None


def _what(family: Family, mode: Mode, files: Files, folder: Path) -> str | None:
    """What an input breaks; None if nothing."""
    error = _error(family, mode, files, folder)
    return finds.describe(error) if error else None

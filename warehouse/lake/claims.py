"""Ids of a lake: claimed by creating files, without a server and without a lock.

    DIR/_claim/trace/<key>.json     a trace by the SHA-256 of its source files, and its id
    DIR/_claim/trace_id/<id>.json   an id that is taken
    DIR/_claim/run/<key>.json       a run by its name and job, and its id
    DIR/_claim/run_id/<id>.json

Each file is created exclusively, first the id, then the key: who loses the key gives the id back.
Two machines that import the same files get the same id, and only one of them commits.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import socket
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from warehouse.errors import DatabaseError, InvalidDatabase
from warehouse.files import new_file
from warehouse.lake import layout
from warehouse.lake.layout import Lake

#: `trace_id << 32 | n` is exact in a double below it.
MAX_ID: Final = (1 << 21) - 1
_NUMBER = re.compile(r"(\d+)\.json")


@dataclass(frozen=True)
class Claim:
    """Who has an id, and since when."""

    id: int
    key: str
    host: str
    pid: int
    time: float

    @property
    def holder(self) -> str:
        return f"process {self.pid} of {self.host}"

    @property
    def age_s(self) -> float:
        """Seconds since it was made, by this machine's clock."""
        return time.time() - self.time

    @property
    def is_mine(self) -> bool:
        return (self.host, self.pid) == (socket.gethostname(), os.getpid())


def trace_key(sha256: Sequence[str], *more: str) -> str:
    """The key of a trace by its source files; `more` tells apart traces of the same files."""
    return _digest([sorted(set(sha256)), *more])


def run_key(name: str, job_id: str | None, number: int) -> str:
    """The key of a run; `number` tells apart runs of the same name."""
    return _digest([name, job_id, number])


def _digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:32]


def claim(lake: Lake, kind: str, key: str) -> Claim:
    """Claims an id for a key, or returns the claim that exists. `kind` is trace or run."""
    path = path_of(lake, kind, key)
    while True:
        if (found := read(path)) is not None:
            return found
        made = _number(lake, kind, key)
        if new_file(path, _content(made)):
            return made
        number_path(lake, kind, made.id).unlink(missing_ok=True)


def take_over(lake: Lake, kind: str, claimed: Claim) -> Claim:
    """Replaces the holder of a claim. If two do so, both write, and one of them commits."""
    made = _mine(claimed.id, claimed.key)
    layout.replace(path_of(lake, kind, claimed.key), _content(made))
    return made


def release(lake: Lake, kind: str, key: str) -> None:
    """Removes a claim and its id."""
    path = path_of(lake, kind, key)
    found = read(path)
    path.unlink(missing_ok=True)
    if found is not None:
        number_path(lake, kind, found.id).unlink(missing_ok=True)


def read(path: Path) -> Claim | None:
    """Returns a claim; None if there is none. Raises InvalidDatabase if it is damaged."""
    try:
        return Claim(**json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise InvalidDatabase(
            f"{path} is damaged: it is not a claim of a lake",
            hint="Remove it, and import its trace again.",
        ) from error


def path_of(lake: Lake, kind: str, key: str) -> Path:
    return lake.folder / "_claim" / kind / f"{key}.json"


def number_path(lake: Lake, kind: str, number: int) -> Path:
    return lake.folder / "_claim" / f"{kind}_id" / f"{number}.json"


def all_of(lake: Lake, kind: str) -> list[Claim]:
    """All claims of a kind, by id."""
    paths = (lake.folder / "_claim" / kind).glob("*.json")
    return sorted(filter(None, map(read, paths)), key=lambda each: each.id)


def numbers(lake: Lake, kind: str) -> list[int]:
    """All ids of a kind that are taken."""
    paths = (lake.folder / "_claim" / f"{kind}_id").glob("*.json")
    return sorted(int(match[1]) for path in paths if (match := _NUMBER.fullmatch(path.name)))


def _number(lake: Lake, kind: str, key: str) -> Claim:
    """Takes the id after the highest that is taken."""
    number = max(numbers(lake, kind), default=0) + 1
    while number <= MAX_ID:
        made = _mine(number, key)
        if new_file(number_path(lake, kind, number), _content(made)):
            return made
        number += 1  # another process was faster
    raise DatabaseError(
        f"the lake {lake.folder} has used all {MAX_ID:,} ids of a {kind}",
        hint="Begin another lake.",
    )


def _mine(number: int, key: str) -> Claim:
    return Claim(number, key, socket.gethostname(), os.getpid(), time.time())


def _content(made: Claim) -> bytes:
    return (json.dumps(asdict(made)) + "\n").encode()

"""Ids of a lake: claimed by creating files, without a server and without a lock.

    DIR/_claim/trace/<key>.json     a trace by the SHA-256 of its source files, and its id
    DIR/_claim/trace_id/<id>.json   an id that is taken
    DIR/_claim/run/<key>.json       a run by its name and job, and its id
    DIR/_claim/run_id/<id>.json
    DIR/_claim/place/               ranks of runs, see `runs`

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
from typing import Final

from warehouse.errors import DatabaseError, InvalidDatabase
from warehouse.lake import layout
from warehouse.lake.layout import Lake
from warehouse.processes import is_alive

#: `trace_id << 32 | n` is exact in a double below it.
MAX_ID: Final = (1 << 21) - 1
#: After how many seconds a claim without commit may be taken over.
DEFAULT_AGE_S: Final = 3600.0
_NUMBER = re.compile(r"(\d+)\.json")
_CLAIM = re.compile(r"[\w-]+\.json")


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
    return digest([sorted(set(sha256)), *more])


def run_key(name: str, job_id: str | None, number: int) -> str:
    """The key of a run; `number` tells apart runs of the same name."""
    return digest([name, job_id, number])


def claim(lake: Lake, kind: str, key: str) -> Claim:
    """Claims an id for a key, or returns the claim that exists. `kind` is trace or run."""
    path = path_of(kind, key)
    while True:
        if (found := read(lake, path)) is not None:
            return found
        mine = _number(lake, kind, key)
        if lake.storage.create(path, content_of(mine)):
            return mine
        lake.storage.remove(number_path(kind, mine.id))


def take_over(lake: Lake, kind: str, claimed: Claim) -> Claim:
    """Replaces the holder of a claim. If two do so, both write, and one of them commits."""
    mine = made(claimed.id, claimed.key)
    lake.storage.replace(path_of(kind, claimed.key), content_of(mine))
    return mine


def release(lake: Lake, kind: str, key: str) -> None:
    """Removes a claim and its id."""
    path = path_of(kind, key)
    found = read(lake, path)
    lake.storage.remove(path)
    if found is not None:
        lake.storage.remove(number_path(kind, found.id))


def read(lake: Lake, path: str) -> Claim | None:
    """Returns a claim; None if there is none. Raises InvalidDatabase if it is damaged."""
    with layout.reading(lake.name):
        content = lake.storage.read(path)
    return None if content is None else _parsed(lake, path, content)


def _parsed(lake: Lake, path: str, content: bytes) -> Claim:
    try:
        return Claim(**json.loads(content))
    except (ValueError, TypeError) as error:
        raise InvalidDatabase(
            f"{lake.full(path)} is damaged: it is not a claim of a lake",
            hint="Remove it, and import its trace again.",
        ) from error


def path_of(kind: str, key: str) -> str:
    return f"_claim/{kind}/{key}.json"


def number_path(kind: str, number: int) -> str:
    return f"_claim/{kind}_id/{number}.json"


def all_of(lake: Lake, kind: str) -> list[Claim]:
    """All claims of a kind, by id."""
    return sorted(by_path(lake, kind).values(), key=lambda each: each.id)


def by_path(lake: Lake, kind: str) -> dict[str, Claim]:
    """All claims of a kind."""
    with layout.reading(lake.name):
        names = (name for name in lake.storage.names(f"_claim/{kind}") if _CLAIM.fullmatch(name))
        contents = lake.storage.read_all([f"_claim/{kind}/{name}" for name in names])
    return {path: _parsed(lake, path, content) for path, content in contents.items()}


def numbers(lake: Lake, kind: str) -> list[int]:
    """All ids of a kind that are taken."""
    with layout.reading(lake.name):
        names = lake.storage.names(f"_claim/{kind}_id")
    return sorted(int(match[1]) for name in names if (match := _NUMBER.fullmatch(name)))


def _number(lake: Lake, kind: str, key: str) -> Claim:
    """Claims the lowest id above all claimed ones."""
    number = max(numbers(lake, kind), default=0) + 1
    while number <= MAX_ID:
        mine = made(number, key)
        if lake.storage.create(number_path(kind, number), content_of(mine)):
            return mine
        number += 1  # another process was faster
    raise DatabaseError(
        f"the lake {lake.name} has used all {MAX_ID:,} ids of a {kind}",
        hint="Begin another lake.",
    )


def is_abandoned(lake: Lake, claimed: Claim, age_s: float = DEFAULT_AGE_S) -> bool:
    """Whether the trace of a claim or place has no commit, and its holder is gone or late."""
    of_trace = read(lake, path_of("trace", claimed.key))
    number = None if of_trace is None else of_trace.id
    if number is not None and lake.storage.size(lake.trace_commit_path(number)) is not None:
        return False
    return claimed.age_s > age_s or is_dead(claimed)


def is_dead(claimed: Claim) -> bool:
    """Whether the holder of a claim was a process of this machine that has ended."""
    return claimed.host == socket.gethostname() and not is_alive(claimed.pid)


def made(number: int, key: str) -> Claim:
    """A claim of this process, now."""
    return Claim(number, key, socket.gethostname(), os.getpid(), time.time())


def content_of(claimed: Claim) -> bytes:
    """The content of the file of a claim."""
    return (json.dumps(asdict(claimed)) + "\n").encode()


def digest(values: object) -> str:
    """A text that differs where the values do."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:32]

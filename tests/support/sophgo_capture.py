"""Writes captures of Sophgo TPUs from a program of commands, and says what must be read of them.

One clock for all engines of a core. Each capture begins with the preamble of two rounds, whose
last TIU record is the instant all cores have in common.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from pathlib import Path

CODES = {"TIU": 0, "GDMA": 1, "SDMA": 3}  # engine codes of AKS in command words
_BLOCKS = {"TIU": 3, "GDMA": 4, "SDMA": 11}
_U32 = 0xFFFFFFFF
PREAMBLE = 2


def block(kind: int, payload: bytes) -> bytes:
    return struct.pack("<II", kind, len(payload)) + payload


def tiu_record(start: int, end: int, number: int, conflicts: int = 0) -> bytes:
    return struct.pack("<4I", start & _U32, end & _U32, number, conflicts << 1)


def dma_record(start: int, end: int, number: int, n_bytes: int) -> bytes:
    words = [start & _U32, end & _U32, number, 0, 0, 0, 0, 0, 0, 0, n_bytes, 0, 0, 1, 0, 0]
    return struct.pack("<16I", *words)


def word(kind: int, value: int) -> bytes:
    return struct.pack("<I", kind | (value & 0x1FFFFFF) << 7)


def node(engine: str, type_code: int, function: int, info: int = 0) -> bytes:
    return struct.pack("<I", 1 | CODES[engine] << 7 | type_code << 10 | function << 15 | info << 20)


def name_words(name: str) -> bytes:
    text = name.encode()
    return word(0, len(text)) + text + b"\0" * (-len(text) % 4)


@dataclass
class Truth:
    """A record as it must be found; times in ns after the first one of the capture."""

    engine: str
    core: int
    start: int
    end: int
    kernel: str | None
    n_bytes: int
    is_lost: bool = False


@dataclass
class CoreWriter:
    """The file of one core, command after command."""

    core: int
    first_cycle: int
    has_words: bool = True
    records: dict[str, list[bytes]] = field(default_factory=lambda: {e: [] for e in CODES})
    words: list[bytes] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CODES, 0))
    truth: list[Truth] = field(default_factory=list)
    kernel: str | None = None
    now: int = 0  # cycles since first_cycle

    def __post_init__(self) -> None:
        for n in range(PREAMBLE):
            at = 600 * n
            self._write("GDMA", at, at + 11, 0, (6, 3))
            self._write("TIU", at + 450, at + 485, 0, (15, 9))
            self._write("SDMA", at + 20, at + 31, 0, (6, 3))
        self.now = 600 * PREAMBLE

    @property
    def sync(self) -> int:
        """Cycles from first_cycle to the instant all cores share."""
        return 600 * (PREAMBLE - 1) + 485

    def command(self, engine: str, gap: int, length: int, n_bytes: int, is_lost: bool) -> None:
        start = self.now + gap
        self.now = start + length
        code = (3, 2) if engine == "TIU" else (0, 0)
        self._write(engine, start, self.now, n_bytes, code, is_lost)
        n_moved = 0 if engine == "TIU" else n_bytes
        kernel = self.kernel if self.has_words else None
        self.truth.append(Truth(engine, self.core, start, self.now, kernel, n_moved, is_lost))

    def _write(
        self, engine: str, start: int, end: int, n_bytes: int, code: tuple[int, int],
        is_lost: bool = False,
    ) -> None:  # fmt: skip
        begin, finish, number = self.first_cycle + start, self.first_cycle + end, self.numbers
        if not is_lost:
            made = (
                tiu_record(begin, finish, number[engine] & 0xFFFF)
                if engine == "TIU"
                else dma_record(begin, finish, number[engine] & 0xFFFF, n_bytes)
            )
            self.records[engine].append(made)
        number[engine] += 1
        self.words.append(node(engine, *code, 2 << 6 if engine != "TIU" else 1))

    def begin_kernel(self, name: str) -> None:
        self.kernel = name
        self.words.append(name_words(name))

    def end_kernel(self) -> None:
        self.kernel = None
        self.words.append(word(15, 0))

    def restart(self) -> None:
        for engine in CODES:
            self.numbers[engine] = 0
            self.words.append(struct.pack("<I", 12 | CODES[engine] << 7))

    def bytes(self, rotate: int = 0) -> bytes:
        """The file; `rotate`: so many of the newest TIU records come first, as in a lapped ring."""
        found = dict(self.records)
        if rotate:
            found["TIU"] = found["TIU"][-rotate:] + found["TIU"][:-rotate]
        blocks = [block(_BLOCKS[e], b"".join(made)) for e, made in found.items() if made]
        return b"".join([*blocks, *([block(5, b"".join(self.words))] if self.has_words else [])])


def write(folder: Path, cores: list[CoreWriter], profile: str = "arch=8800\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "global.profile").write_text(profile)
    for core in cores:
        (folder / f"cdmlib0_{core.core}.profile").write_bytes(core.bytes())
    return folder


def program(rng: random.Random, n_cores: int, first_cycles: list[int]) -> list[CoreWriter]:
    """Random kernels on every core: gaps, restarts of ids between kernels, a few lost records."""
    cores = [CoreWriter(n, first_cycles[n]) for n in range(n_cores)]
    for core in cores:
        for n in range(rng.randrange(1, 5)):
            core.begin_kernel(f"kernel_{rng.randrange(3)}{'é' * rng.randrange(3)}")
            n_commands = rng.randrange(2, 9)
            for step in range(n_commands):
                for engine in CODES:
                    # The first and last of a section say how long it is.
                    is_lost = 0 < step < n_commands - 1 and rng.random() < 0.1
                    n_bytes = rng.randrange(1, 1 << 20)
                    core.command(
                        engine, rng.randrange(1, 90), rng.randrange(1, 900), n_bytes, is_lost
                    )
            core.end_kernel()
            core.now += rng.choice([10, 5_000, 1_000_000])
            if n % 2 == 0:
                core.restart()
    return cores


def expected(cores: list[CoreWriter]) -> list[tuple[str, int, int, int, str | None, int]]:
    """All records that were not lost: engine, core, ts, dur, kernel, bytes, sorted."""
    kept = [(c, t) for c in cores for t in c.truth if not t.is_lost]
    first = min(t.start - c.sync for c, t in kept)
    return sorted(
        (
            (t.engine, t.core, t.start - c.sync - first, t.end - t.start, t.kernel, t.n_bytes)
            for c, t in kept
        ),
        key=str,
    )

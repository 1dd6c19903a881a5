"""The command stream: 32-bit words that describe the work given to each engine, as columns.

Almost every word is a command by itself. Names of kernels and references to descriptors take
further words, so which words are commands is known only from left to right: those few places are
found first, everything else is done at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tw_importers.sophgo.blocks import Block
from tw_importers.sophgo.decode import Chip
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.records import Ints

FUNC, NODE, DES_TIU, DES_CDMA, ID_RESET, RVT_NODE, BATCH, FUNC_END = 0, 1, 8, 11, 12, 13, 14, 15
_KNOWN = frozenset({*range(16), 100, 127})
_DES = range(DES_TIU, DES_CDMA + 1)
_STEP = 4  # positions are 4 apart, so that what follows a word has room behind it
_INSERTED, _RESTART = 1, 2
MODES = ("TDI", "RVT", "DES")
TDI, RVT, DES, NO_MODE = 0, 1, 2, -1


@dataclass
class Commands:
    """Commands of one engine of a core, or of one port, in the order they were given.

    A reference to descriptors is one row: `n_images` of the ones at `key`. `id` is the engine's
    running number. `word` holds type, function and info as in bits 7 to 31. -1 stands for none.
    """

    id: Ints
    word: Ints
    mode: Ints
    scope: Ints
    batch: Ints
    extra: Ints  # number of its image in DYN_EXTRA
    key: Ints
    n_images: Ints

    def __len__(self) -> int:
        return len(self.id)

    @property
    def is_des(self) -> NDArray[np.bool_]:
        return np.asarray(self.mode == DES)

    def take(self, which: slice | NDArray[np.bool_]) -> Commands:
        return Commands(*(getattr(self, name)[which] for name in _COLUMNS))

    @staticmethod
    def none() -> Commands:
        return Commands(*(np.empty(0, np.int64) for _ in _COLUMNS))

    @staticmethod
    def joined(parts: list[Commands]) -> Commands:
        if not parts:
            return Commands.none()
        if len(parts) == 1:  # nearly always; shared, as columns are never written to afterwards
            return parts[0]
        return Commands(*(np.concatenate([getattr(p, name) for p in parts]) for name in _COLUMNS))


_COLUMNS = tuple(Commands.__dataclass_fields__)


@dataclass
class Scopes:
    """Kernel names in the order they were met over all files of a capture: scope n is names[n]."""

    names: list[str] = field(default_factory=list)


@dataclass
class Stream:
    """What the DYN_DATA blocks of one file hold: commands by engine, and by port for CDMA."""

    engines: dict[str, list[Commands]] = field(default_factory=dict)
    ports: dict[int, list[Commands]] = field(default_factory=dict)

    def of_engine(self, engine: str) -> Commands:
        return Commands.joined(self.engines.get(engine, []))

    def of_port(self, port: int) -> Commands:
        return Commands.joined(self.ports.get(port, []))


def read(
    block: Block, chip: Chip, scopes: Scopes, into: Stream, has_extra: bool, file: str,
    defects: Defects,
) -> None:  # fmt: skip
    """Reads a DYN_DATA block; ids start at 0 and no kernel is open at its beginning."""
    n_words, rest = divmod(len(block.payload), 4)
    if rest:
        what = f"a command word has only {rest} bytes; skipped"
        defects.warn("cut_word", file, block.offset + 4 * n_words, what)
    words = np.frombuffer(block.payload, "<u4", n_words).astype(np.int64)
    marks = _marks(words, block, scopes, file, defects)
    tables = _Tables(words, marks, chip, has_extra)
    for engine, codes in _engine_codes(chip).items():
        into.engines.setdefault(engine, []).append(tables.commands(codes, None))
    cdma = [chip.engine_codes["CDMA"]] if "CDMA" in chip.engine_codes else []
    for port in tables.ports(cdma):
        into.ports.setdefault(port, []).append(tables.commands(cdma, port))


def _engine_codes(chip: Chip) -> dict[str, list[int]]:
    codes = chip.engine_codes
    sdma = [codes[name] for name in ("SDMA", "VSDMA") if name in codes]
    return {"TIU": [codes["BD"]], "GDMA": [codes["GDMA"]], "SDMA": sdma}


@dataclass
class _Marks:
    """Positions, in words, of what is not a command."""

    type: Ints  # of each word; -1 for those that belong to the word before
    scope_at: Ints
    scope: Ints  # from that place on; -1: no kernel
    des_at: Ints


def _marks(words: Ints, block: Block, scopes: Scopes, file: str, defects: Defects) -> _Marks:
    kinds = words & 0x7F
    long = np.flatnonzero((kinds == FUNC) | ((kinds >= DES_TIU) & (kinds <= DES_CDMA)))
    ends, names, des = np.flatnonzero(kinds == FUNC_END), [], []
    next_free = 0
    # From left to right: whether a word is a command depends on the long ones before it.
    for at in long.tolist():
        if at < next_free:
            continue
        length = (int(words[at]) >> 7) if kinds[at] == FUNC else 4
        next_free = at + 1 + (length + 3) // 4
        if next_free > len(words):
            what = f"what belongs to the command word runs {4 * (next_free - len(words))} bytes "
            defects.refuse("cut_command", file, block.offset + 4 * at, what + "past its block")
            next_free = len(words)
        if kinds[at] == FUNC:
            text = words[at + 1 : next_free].astype("<u4").tobytes()[:length]
            names.append((at, len(scopes.names)))
            scopes.names.append(text.decode("utf-8", "replace"))
        elif next_free == at + 2:
            des.append(at)
        kinds[at + 1 : next_free] = -1
    _check_kinds(kinds, block, file, defects)
    ends = ends[kinds[ends] == FUNC_END]
    starts = np.concatenate([np.array([n for n, _ in names], np.int64), ends])
    scope = np.concatenate([np.array([s for _, s in names], np.int64), np.full(len(ends), -1)])
    order = np.argsort(starts, kind="stable")
    return _Marks(kinds, starts[order], scope[order], np.array(des, np.int64))


def _check_kinds(kinds: Ints, block: Block, file: str, defects: Defects) -> None:
    unknown = np.flatnonzero(~np.isin(kinds, [*_KNOWN, -1]))
    if len(unknown):
        at = block.offset + 4 * int(unknown[0])
        what = f"unknown kind of command word: {int(kinds[unknown[0]])}"
        more = f", and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        defects.refuse("unknown_command", file, at, what + more)


class _Tables:
    """The words of a block taken apart, so that the commands of one engine can be picked out."""

    def __init__(self, words: Ints, marks: _Marks, chip: Chip, has_extra: bool) -> None:
        kinds = marks.type
        self._words, self._marks, self._chip = words, marks, chip
        self._at = np.flatnonzero((kinds == NODE) | (kinds == RVT_NODE))
        nodes = words[self._at]
        self._engine, self._word = nodes >> 7 & 7, nodes >> 7
        self._mode = np.where(kinds[self._at] == RVT_NODE, RVT, TDI)
        self._resets = np.flatnonzero(kinds == ID_RESET)
        self._extra = np.full(len(nodes), -1)
        if has_extra:  # one image for each immediate command of any engine
            is_tdi = self._mode == TDI
            self._extra[is_tdi] = np.arange(is_tdi.sum())
        self._batches = np.flatnonzero(kinds == BATCH)
        self._wraps = _rvt_wraps(self, chip)

    def ports(self, codes: list[int]) -> list[int]:
        nodes = self._word[np.isin(self._engine, codes)] >> 21
        des = self._des(None, is_cdma=True)
        return sorted({*nodes.tolist(), *(self._words[des + 1] >> 28).tolist()})

    def _des(self, engine: str | None, is_cdma: bool = False) -> Ints:
        at = self._marks.des_at
        kind = DES_CDMA if is_cdma else _DES[("TIU", "GDMA", "SDMA").index(engine or "TIU")]
        return np.asarray(at[self._words[at] & 0x7F == kind])

    def commands(self, codes: list[int], port: int | None) -> Commands:
        """The commands of engines with these codes, in order, with the ids they were given."""
        mine = np.isin(self._engine, codes)
        if port is not None:
            mine &= self._word >> 21 == port
            des = self._des(None, is_cdma=True)
            des = des[self._words[des + 1] >> 28 == port]
        else:
            des = self._des(self._engine_name(codes))
        inserted = self._inserted(codes) if port is None else np.empty(0, np.int64)
        at = np.concatenate([self._at[mine] * _STEP, des * _STEP, inserted])
        order = np.argsort(at, kind="stable")
        columns = self._columns(mine, des, inserted, codes, port)
        columns.id = self._ids(at[order], codes, port)[np.argsort(order, kind="stable")]
        columns.scope, columns.batch = self._context(at, len(inserted))
        return columns.take(order)  # type: ignore[arg-type]

    def _engine_name(self, codes: list[int]) -> str:
        return next(name for name, each in _engine_codes(self._chip).items() if each == codes)

    def _columns(
        self, mine: NDArray[np.bool_], des: Ints, inserted: Ints, codes: list[int],
        port: int | None,
    ) -> Commands:  # fmt: skip
        n_nodes, n_des, n_new = int(mine.sum()), len(des), len(inserted)
        none = np.full(n_nodes + n_des + n_new, -1)
        second = self._words[des + 1] if n_des else des
        counts = second & 0xFFFFFFF if port is not None else second
        is_tiu = codes == [self._chip.engine_codes["BD"]]
        sync = codes[0] | (15 if is_tiu else 6) << 3 | 3 << 8 if codes else 0
        return Commands(
            id=none,
            word=np.concatenate([self._word[mine], np.full(n_des, -1), np.full(n_new, sync)]),
            mode=np.concatenate([self._mode[mine], np.full(n_des, DES), np.full(n_new, NO_MODE)]),
            scope=none,
            batch=none,
            extra=np.concatenate([self._extra[mine], np.full(n_des + n_new, -1)]),
            key=np.concatenate([np.full(n_nodes, -1), self._words[des] >> 7, np.full(n_new, -1)]),
            n_images=np.concatenate([np.full(n_nodes, -1), counts, np.full(n_new, -1)]),
        )

    def _ids(self, at: Ints, codes: list[int], port: int | None) -> Ints:
        """Rank since the last restart: a reset of this engine, a descriptor, or an RVT wrap."""
        resets = self._words[self._resets]
        is_mine = np.isin(resets >> 7 & 7, codes)
        if port is not None:
            is_mine &= resets >> 28 == port
        restarts = [self._resets[is_mine] * _STEP, self._marks.des_at * _STEP]
        if port is None and codes[0] in self._wrapping():
            restarts.append(self._wraps + _RESTART)
        restart = np.sort(np.concatenate(restarts))
        # Restarts count for what follows; a descriptor is itself the last one before its restart.
        before = np.searchsorted(restart, at, side="left")
        last = (
            np.where(before > 0, restart[np.maximum(before - 1, 0)], -1)
            if len(restart)
            else (np.full(len(at), -1))
        )
        return np.asarray(np.arange(len(at)) - np.searchsorted(at, last, side="right"))

    def _wrapping(self) -> list[int]:
        return [self._chip.engine_codes["BD"], self._chip.engine_codes["GDMA"]]

    def _inserted(self, codes: list[int]) -> Ints:
        return self._wraps + _INSERTED if codes[0] in self._wrapping() else np.empty(0, np.int64)

    def _context(self, at: Ints, n_inserted: int) -> tuple[Ints, Ints]:
        """The kernel scope and the batch each command is in; inserted ones are in none."""
        place = at // _STEP
        scope = _latest(self._marks.scope_at, self._marks.scope, place)
        batch = _latest(self._batches, self._words[self._batches] >> 7, place)
        if n_inserted:
            scope[-n_inserted:] = batch[-n_inserted:] = -1
        return scope, batch


def _latest(at: Ints, value: Ints, place: Ints) -> Ints:
    if not len(at):
        return np.full(len(place), -1)
    found = np.searchsorted(at, place, side="right") - 1
    return np.where(found >= 0, value[np.maximum(found, 0)], -1)


def _rvt_wraps(tables: _Tables, chip: Chip) -> Ints:
    """Where the hardware restarts the counters of TIU and GDMA by itself, for RVT commands.

    It does so when the next id of TIU has reached a limit; each restart moves the next one, so
    they are found one after the other. Positions of the commands they follow.
    """
    limit = chip.constant("rvt_wrap_id")
    wraps = tables._wraps = np.empty(0, np.int64)
    while limit > 0:
        tiu = tables.commands([chip.engine_codes["BD"]], None)
        if not (tiu.id >= limit - 1).any():
            return wraps
        after = _next_wrap(tables, limit)
        if after is None:
            return wraps
        wraps = tables._wraps = np.append(wraps, after)
    return wraps


def _next_wrap(tables: _Tables, limit: int) -> int | None:
    codes = tables._chip.engine_codes
    mine = np.isin(tables._engine, [codes["BD"], codes["GDMA"]])
    at, mode = tables._at[mine] * _STEP, tables._mode[mine]
    tiu_at = tables._at[tables._engine == codes["BD"]] * _STEP
    inserted = np.sort(np.concatenate([tiu_at, tables._wraps + _INSERTED]))

    all_at = np.sort(np.concatenate([inserted, tables._des("TIU") * _STEP]))
    ids = tables._ids(all_at, [codes["BD"]], None)
    last = np.searchsorted(all_at, at, side="right") - 1
    next_id = np.where(last >= 0, ids[np.maximum(last, 0)] + 1, 0)
    hits = at[(mode == RVT) & (next_id == limit) & ~np.isin(at, tables._wraps)]
    return int(hits[0]) if len(hits) else None

"""All cores and ports of a capture: bound to their commands, on one time.

The order of the steps is that of the vendor's tool, because each sees what the one before left:
preamble, anchoring of CDMA, edges, binding, alignment of cores, and the profiler's own pairs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from tw_importers.sophgo import bind
from tw_importers.sophgo.bind import Bound
from tw_importers.sophgo.commands import Commands
from tw_importers.sophgo.core import ENGINES, Core, Port
from tw_importers.sophgo.decode import Chip
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.images import Store
from tw_importers.sophgo.profile import Profile
from tw_importers.sophgo.records import Ints, Monitor

_ID_DROP = 10  # ids of one launch are written out of order by less


@dataclass
class Lane:
    """One engine of a core, or one port, as it goes into the timeline."""

    core: int | None
    port: int | None
    engine: str
    bound: Bound
    commands: Commands
    first_command: int  # number of the first of them over the capture


@dataclass
class Timeline:
    """A whole capture."""

    profile: Profile
    lanes: list[Lane] = field(default_factory=list)
    commands: list[Commands] = field(default_factory=list)  # in the order of their numbers
    sync_ns: list[int | None] = field(default_factory=list)  # of each core, on its own counter
    offsets_ns: list[int] = field(default_factory=list)  # subtracted from each core's times
    origin_ns: int = 0  # of ts = 0, on the time of the first core that has a sync point
    tail_ns: int = 0  # the end of the last record, before pairs at the ends are dropped
    dropped: dict[str, int] = field(default_factory=Counter)
    n_commands: int = 0
    n_without_image: int = 0

    engine_of: list[str] = field(default_factory=list)  # of each of `commands`
    anchored: set[int] = field(default_factory=set)  # ports on the time of the cores
    port_offsets_ns: dict[int, int] = field(default_factory=dict)  # to add to each port's times

    def number(self, engine: str, commands: Commands) -> int:
        """Numbers commands; returns the first number."""
        self.engine_of.append(engine)
        first = self.n_commands
        self.n_commands += len(commands)
        self.commands.append(commands)
        return first


@dataclass
class _CoreWork:
    """A core while it is being processed."""

    core: Core
    monitors: dict[str, Monitor]
    commands: dict[str, Commands]


def build(
    profile: Profile, cores: list[Core], ports: list[Port], store: Store, hz: tuple[int, int, int],
    defects: Defects,
) -> Timeline:  # fmt: skip
    """Binds and aligns; `hz` are the counters of TIU, of GDMA and SDMA, and of CDMA."""
    line = Timeline(profile)
    for core in cores:
        for engine, monitor in core.monitors.items():
            monitor.to_ns(hz[0] if engine == "TIU" else hz[1])
    for port in ports:
        port.monitor.to_ns(hz[2])
    work = [_without_preamble(line, core) for core in cores]
    anchor = _anchor_cdma(line, work, ports, defects)
    for each in work:
        _bind_core(line, each, store)
    for port in ports:
        line.lanes.append(_bind_port(line, port, work, anchor, store, defects))
    meaning = (
        "commands behind the last register image, for which only the command word is available"
    )
    defects.find("missing_image", "warning", line.n_without_image, meaning)
    _align(line, anchor)
    _drop_sync_ends(line, store)
    for lane in line.lanes:
        for reason, n in lane.bound.dropped.items():
            line.dropped[reason] += n
    return line


def _chip(line: Timeline) -> Chip:
    return line.profile.chip


def _without_preamble(line: Timeline, core: Core) -> _CoreWork:
    """Notes the sync point of a core and takes the preamble off all its streams."""
    chip, init = _chip(line), _chip(line).constant("preamble_records")
    strays = chip.constant("stray_tiu_records")
    monitors = dict(core.monitors)
    tiu = monitors["TIU"]
    if line.profile.is_bmodel and strays:
        if len(tiu) >= strays:
            tiu = tiu.take(slice(strays, None))
        if len(tiu) >= strays:
            line.dropped["stray records of TIU"] += 2 * strays
            tiu = tiu.take(slice(None, len(tiu) - strays))
        monitors["TIU"] = tiu
    line.sync_ns.append(_sync_point(tiu, init, bool(strays), line.profile.is_bmodel))
    for engine in ENGINES:
        line.dropped["preamble"] += min(init, len(monitors[engine]))
        monitors[engine] = monitors[engine].take(slice(init, None))
    commands = {engine: core.stream.of_engine(engine).take(slice(init, None)) for engine in ENGINES}
    return _CoreWork(core, monitors, commands)


def _sync_point(tiu: Monitor, init: int, has_strays: bool, is_bmodel: bool) -> int | None:
    """The end of the wait that all cores leave together.

    It is the last of the preamble. Chips without one begin with a send and a wait; where the
    vendor's tool takes the last record of all instead, which ends when it likes, we take the wait.
    """
    if not len(tiu):
        return None
    if init:
        return int(tiu.end[min(init, len(tiu)) - 1])
    if has_strays:
        return int(tiu.end[1]) if len(tiu) >= 2 else (None if is_bmodel else int(tiu.end[0]))
    return int(tiu.end[0])


def _anchor_cdma(
    line: Timeline, work: list[_CoreWork], ports: list[Port], defects: Defects
) -> int | None:
    """Puts ports on the time of the core that sent them their first message, and returns it.

    When profiling begins, the last core sends one message to each port, which waits for it.
    """
    if line.profile.is_bmodel or not ports:
        return None
    init = _chip(line).constant("preamble_records")
    with_sdma = [each for each in work if len(each.monitors["SDMA"])]
    last = next((e for e in work if e.core.core == _chip(line).constant("cores") - 1), None)
    anchor = last if last in with_sdma else with_sdma[-1] if with_sdma else None
    for port in ports:
        if len(port.monitor) > 1:
            n_read = len(port.monitor)
            port.monitor = _repaired(port.monitor, init)
            n_dropped = n_read - len(port.monitor)
            line.dropped["CDMA records before a launch or written twice"] += n_dropped
        if len(port.monitor) < 2:
            continue
        sdma = anchor.monitors["SDMA"] if anchor else None
        if anchor is None or sdma is None or not len(sdma):
            defects.find("cdma_not_anchored", "warning", 1, "CDMA ports for which no core recorded "
                         "a message; they begin with the capture")  # fmt: skip
            continue
        port.monitor.start -= (offset := int(port.monitor.end[0] - sdma.end[0]))
        port.monitor.end -= offset
        line.dropped["preamble"] += min(init, len(port.monitor)) + 1
        port.monitor = port.monitor.take(slice(init, None))
        anchor.monitors["SDMA"] = sdma.take(slice(1, None))
        anchor.commands["SDMA"] = anchor.commands["SDMA"].take(slice(1, None))
        line.anchored.add(port.port)
        line.port_offsets_ns[port.port] = -offset
    return anchor.core.core if anchor else None


def _repaired(monitor: Monitor, init: int) -> Monitor:
    """A port's records by launch: what came before is dropped, in each launch ids rise.

    Both directions are written as they end, a little out of order; a record written twice is kept
    in its longer form. The `init` records before the first launch are the pair to anchor by.
    """
    ones = np.flatnonzero(monitor.id == 1)
    if not len(ones):
        return monitor
    first = int(ones[0])
    ids = monitor.id[first:]
    launch = np.zeros(len(ids), np.int64)
    launch[1:] = np.cumsum(ids[:-1] - ids[1:] > _ID_DROP)
    took = (monitor.end - monitor.start)[first:]
    rank = np.lexsort((np.arange(len(ids)), -took, ids, launch))
    is_first = np.ones(len(ids), bool)
    is_first[1:] = (np.diff(launch[rank]) != 0) | (np.diff(ids[rank]) != 0)
    head = np.arange(max(first - init, 0), first)
    return monitor.take(np.concatenate([head, first + rank[is_first]]))


def _bind_core(line: Timeline, work: _CoreWork, store: Store) -> None:
    core, profile = work.core, line.profile
    bounds = {engine: bind.unbound(monitor) for engine, monitor in work.monitors.items()}
    tiu = bounds["TIU"]
    if not profile.is_bmodel:
        if len(work.commands["TIU"]):
            bind.trim_edges(tiu, work.commands["TIU"])
        elif _chip(line).constant("stray_tiu_records"):
            is_idle = not len(bounds["GDMA"]) and not len(bounds["SDMA"])
            if not bind.trim_strays(tiu) and is_idle:
                tiu.keep(slice(0, 0), "stray records of TIU")
        tiu.sync = bind.sync_by_counters(tiu.monitor)
    for engine in ENGINES:
        bound, commands = bounds[engine], work.commands[engine]
        first, extra, kv = _numbered(line, core, engine, commands, store)
        blocks = [store.stream(b, engine, core.file) for b in core.des.get(engine, [])]
        if blocks:
            blocks = [_counted(line, images, store) for images in blocks]
            bind.bind_images(bound, blocks)
            if not bound.is_bound.any() and _chip(line).constant("stray_tiu_records"):
                bind.bind_by_id(bound, blocks)
        bind.bind_commands(bound, commands, kv, extra)
        is_complete = (
            blocks and not len(commands)
            if profile.is_bmodel
            else (engine == "TIU" and len(commands))
        )
        if is_complete:
            bind.drop_unbound_ends(bound)
        line.lanes.append(Lane(core.core, None, engine, bound, commands, first))


def _counted(line: Timeline, images: Ints, store: Store) -> Ints:
    """The images of a chain without its end, if the chip does not count that as a command."""
    if len(images) and not _chip(line).constant("trailing_end_counted"):
        chip, codes = _chip(line), store.type_codes()
        if codes[images[-1]] == chip.constant("dma_sys_type"):
            return images[:-1]
    return images


def _numbered(
    line: Timeline, core: Core, engine: str, commands: Commands, store: Store
) -> tuple[int, Ints, dict[tuple[int, int], Ints]]:
    """Numbers commands; returns the first, images of DYN_EXTRA by place, and those of descriptors.

    Images that RVT commands or ports might have are not looked at.
    """
    extra = np.full(len(core.extra_begin), -1)
    places = commands.extra[(commands.extra >= 0) & (commands.extra < len(extra))]
    if engine != "CDMA" and len(places):
        begins, ends = core.extra_begin[places], core.extra_end[places]
        extra[places] = store.singles(core.extra, engine, begins, ends, core.file)
    kv = {}
    des = commands.is_des
    keys = set(zip(commands.key[des].tolist(), commands.n_images[des].tolist(), strict=True))
    for key in sorted(keys & core.kv.keys()):
        kv[key] = store.stream(core.kv[key], engine, core.file)
    line.n_without_image += int((commands.extra >= len(extra)).sum())
    return line.number(engine, commands), extra, kv


def _bind_port(
    line: Timeline, port: Port, work: list[_CoreWork], anchor: int | None, store: Store,
    defects: Defects,
) -> Lane:  # fmt: skip
    """Binds a port to the core whose commands match its records."""
    init = _chip(line).constant("preamble_records")
    bound, tried, first = bind.unbound(port.monitor), [Commands.none()], line.n_commands
    claims = np.zeros(len(bound), np.int64)
    for each in [] if line.profile.is_bmodel else work:
        commands = each.core.stream.of_port(port.port)
        commands = commands.take(slice(init if each.core.core == anchor else 0, None))
        begin, extra, kv = _numbered(line, each.core, "CDMA", commands, store)
        one = bind.unbound(port.monitor)
        bind.bind_commands(one, commands, kv, extra)
        found = one.is_bound
        claims += found
        # Commands of all cores are numbered on, so a place among them is one in the joined ones.
        for name in ("command", "image", "_by_descriptor"):
            getattr(bound, name)[found] = getattr(one, name)[found]
        bound.command[found & (one.command >= 0)] += begin - first
        bound.submit_core[found] = each.core.core
        tried.append(commands)
    _unclaim(bound, claims > 1)
    n_unknown = int((claims != 1).sum())
    if any(map(len, tried)) and 2 * n_unknown >= len(bound):
        defects.find("unmatched_cdma", "warning", n_unknown, "CDMA records without a command, or "
                     "with with matching commands on several cores")  # fmt: skip
    return Lane(None, port.port, "CDMA", bound, Commands.joined(tried), first)


def _unclaim(bound: Bound, which: np.ndarray) -> None:
    for name in ("command", "image", "submit_core"):
        getattr(bound, name)[which] = -1
    bound._by_descriptor[which] = False


def _align(line: Timeline, anchor: int | None) -> None:
    """One time for all cores: their sync points are one instant; the first record is at 0."""
    base = next((ns for ns in line.sync_ns if ns is not None), None)
    line.offsets_ns = [0 if ns is None or base is None else ns - base for ns in line.sync_ns]
    filled = [lane for lane in line.lanes if len(lane.bound)]
    is_on_time = [x.port is None or x.port in line.anchored for x in filled]
    on_time = [lane for lane, is_on in zip(filled, is_on_time, strict=True) if is_on]
    for lane in on_time:
        core = lane.core if lane.core is not None else anchor
        if core is not None:
            _shift(line, lane, line.offsets_ns[core])
    line.origin_ns = min((int(x.bound.monitor.start.min()) for x in on_time), default=0)
    for lane, is_on in zip(filled, is_on_time, strict=True):
        if not is_on:  # on no core's time: it begins when the capture does
            _shift(line, lane, int(lane.bound.monitor.start.min()) - line.origin_ns)
        lane.bound.monitor.start -= line.origin_ns
        lane.bound.monitor.end -= line.origin_ns
    line.tail_ns = max((int(x.bound.monitor.end[-1]) for x in filled), default=0)


def _shift(line: Timeline, lane: Lane, ns: int) -> None:
    """Puts a lane on the time of the first core with a sync point."""
    lane.bound.monitor.start -= ns
    lane.bound.monitor.end -= ns
    if lane.port is not None:
        line.port_offsets_ns[lane.port] = line.port_offsets_ns.get(lane.port, 0) - ns


def _drop_sync_ends(line: Timeline, store: Store) -> None:
    chip, types = _chip(line), store.type_codes()
    sync = {"TIU": "tiu_sys_type", "GDMA": "dma_sys_type", "SDMA": "dma_sys_type"}
    has_cdma = False
    # Ports first: whether any of their records is left decides for the cores.
    for lane in sorted(line.lanes, key=lambda lane: lane.port is None):
        code = chip.constant(sync.get(lane.engine, "cdma_sys_type"))
        is_sync = bind.is_sync(lane.bound, lane.commands, types, code)
        bind.drop_sync_ends(lane.bound, is_sync, keeps_short=has_cdma and lane.port is None)
        has_cdma = has_cdma or (lane.port is not None and len(lane.bound) > 0)

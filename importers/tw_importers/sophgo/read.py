"""Reads a capture into scratch tables: see tables.py for what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tw_importers.sophgo import profile as profiles
from tw_importers.sophgo import tables, timeline
from tw_importers.sophgo.core import read_core, read_port
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.images import Store
from tw_importers.sophgo.layers import read_layers
from tw_importers.sophgo.model import Capture
from tw_importers.sophgo.names import CDMA_FILE, CORE_FILE, PROFILE_FILE
from tw_importers.sophgo.profile import Profile
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Parts, Scratch, TraceFacts

_DEVICE = re.compile(r"dev(\d+)")


def read(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads all files of a capture and writes them to the scratch database.

    Raises CorruptTrace with file and offset where the capture is cut, overflowed or not understood.
    """
    defects = Defects(scratch.is_lenient, scratch.is_strict)
    capture, line, store, hz = understand(parts, scratch.options, defects)
    tables.write(scratch, capture, line, store, hz, defects)
    found = _DEVICE.search(parts.folder_name)
    return TraceFacts(
        format="sophgo",
        format_version=capture.profile.chip.name,
        rank=int(found[1]) if found else None,
        metadata_json=json.dumps(_metadata(capture, line), ensure_ascii=False),
        problems=defects.problems,
    )


def understand(
    parts: Parts, options: Mapping[str, str], defects: Defects
) -> tuple[Capture, timeline.Timeline, Store, tuple[int, int, int]]:
    """All of a capture but the database: what was read, on one time, images, and frequencies."""
    capture = _read_files(parts, defects)
    hz = _frequencies(capture.profile, options.get("tiu_freq"))
    store = Store(capture.profile.chip, defects)
    line = timeline.build(capture.profile, capture.cores, capture.ports, store, hz, defects)
    return capture, line, store, hz


def _read_files(parts: Parts, defects: Defects) -> Capture:
    names = [part.name for part in parts.parts]
    if PROFILE_FILE not in names:
        raise CorruptTrace(
            f"{PROFILE_FILE} not found beside {names[0]}",
            hint="It names the chip. Copy it from the device as well.",
        )
    profile = profiles.parse(parts.read(PROFILE_FILE), PROFILE_FILE, defects)
    capture = Capture(profile)
    for name in (name for name in names if CDMA_FILE.fullmatch(name)):
        _read_port(capture, parts, name, defects)
    for core, name in enumerate(name for name in names if CORE_FILE.fullmatch(name)):
        data = parts.read(name)
        read = read_core(data, name, core, profile.chip, capture.scopes, defects)
        capture.cores.append(read)
        for engine, monitor in read.monitors.items():
            _check_count(profile, (core, engine.lower()), len(monitor), name, len(data), defects)
    if not capture.cores and not capture.ports:
        raise CorruptTrace("the capture has no core or port file for its chip")
    capture.layers = read_layers(parts, names, defects)
    return capture


def _read_port(capture: Capture, parts: Parts, name: str, defects: Defects) -> None:
    found = CDMA_FILE.fullmatch(name)
    assert found
    port, n_ports = int(found[1]), capture.profile.chip.constant("cdma_ports")
    if port >= n_ports:
        what = f"port {port}, but {capture.profile.chip.name} has {n_ports} CDMA ports"
        defects.refuse("unknown_port", name, 0, what)
        return
    data = parts.read(name)
    read = read_port(data, name, port, capture.profile.chip, defects)
    capture.ports.append(read)
    _check_count(capture.profile, (port, "cdma"), len(read.monitor), name, len(data), defects)


def _check_count(
    profile: Profile, which: tuple[int, str], n: int, name: str, end: int, defects: Defects
) -> None:
    """Fewer records than were counted on the device: the file was cut between two blocks."""
    expected = profile.n_records.get(which, 0)
    if n < expected:
        what = f"the file ends with {n:,} of the {expected:,} {which[1].upper()} records that"
        defects.refuse("missing_records", name, end, f"{what} {PROFILE_FILE} counts")


def _frequencies(profile: Profile, requested: str | None) -> tuple[int, int, int]:
    """Hz of the counters of TIU, of GDMA and SDMA, and of CDMA.

    Engines of a chip that run at one frequency share one counter, so the frequency of TIU also
    applies to GDMA and SDMA; CDMA has a counter of its own.
    """
    constants = profile.chip.constants
    tiu = profiles.mhz_of(requested) if requested else profile.tiu_mhz or constants["tiu_mhz"]
    dma = tiu if constants["tiu_mhz"] == constants["dma_mhz"] else constants["dma_mhz"]
    return round(tiu * 1e6), round(dma * 1e6), round(constants["dma_mhz"] * 1e6)


def _metadata(capture: Capture, line: timeline.Timeline) -> dict[str, Any]:
    has_words = any(core.has_words for core in capture.cores)
    has_extra = any(len(core.extra_begin) for core in capture.cores)
    return {
        "global_profile": capture.profile.values,
        "chip": capture.profile.chip.name,
        "is_bmodel": capture.profile.is_bmodel,
        "capture_mode": 2 if has_extra else int(has_words),
        "tail_ns": line.tail_ns,
        "tail_offset_ns": capture.profile.tail_offset_ns,
        "model": capture.layers.model if capture.layers else None,
    }

"""Captures whose vendor's outputs are at hand, and how to read those outputs.

`out37/` of a case is what the vendor's tool 0.3.7 made of it. Where that is wrong, `DEFECTS` says
why: the number is that of the list in docs/sophgo.md.
"""

from __future__ import annotations

import itertools
import json
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.support.sharing import WarehouseCache
from warehouse.query import session
from warehouse.query.selection import Selection

CASES = (
    "aks_m0_8core_cdma",
    "aks_m1_8core_cdma",
    "aks_m1_timewrap",
    "aks_m2_8core",
    "bm1688_m1_2core",
)
#: Cases that say little that the others do not.
MORE_CASES = (
    "aks_bmodel", "aks_bmodel_layers", "aks_deskv", "aks_m0_1core", "aks_m0_idwrap", "aks_m0_ring",
    "aks_m1_1core", "aks_m1_lost", "aks_m1_nowrap_ref", "aks_m1_timewrap2", "aksv_m1_4core",
    "aksv_m1_rvt", "aksv_m2_4core_cdma",
)  # fmt: skip
#: Cases the vendor's tool gets wrong, and which defect it is.
DEFECTS = {"aks_m1_timewrap": 1, "aks_m0_8core_cdma": 3, "bm1688_m1_2core": 6}


@dataclass
class Cases:
    """A warehouse for each case, as a run of its name, made when it is first asked for."""

    imported: WarehouseCache
    data: Path

    def theirs(self, case: str, name: str) -> str:
        return (self.data / case / "out37" / name).read_text(encoding="utf-8")

    @contextmanager
    def opened(self, case: str) -> Iterator[session.Session]:
        path = self.imported((case, [self.data / case / "input"]))
        with session.opened(session.Place(path), Selection(runs=(case,))) as one:
            yield one


def slices_of(path: Path) -> list[dict[str, Any]]:
    """What a Perfetto file says: a slice or a counter's value a row, tracks as paths."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    tracks: dict[int, Any] = {}
    rows: list[dict[str, Any]] = []
    begun: dict[int, list[Any]] = defaultdict(list)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField("track_event"):
            continue
        event, place = packet.track_event, _path(tracks, packet.track_event.track_uuid)
        if event.type == event.TYPE_SLICE_BEGIN:
            begun[event.track_uuid].append((packet.timestamp, event))
        elif event.type == event.TYPE_SLICE_END:
            ts, first = begun[event.track_uuid].pop()
            rows.append(_slice(place, ts, packet.timestamp - ts, first))
        elif event.type == event.TYPE_COUNTER:
            value = event.double_counter_value
            rows.append({"track": place, "ts": packet.timestamp, "value": value})
    return rows


def _path(tracks: dict[int, Any], uuid: int) -> str:
    names = []
    while uuid in tracks:
        names.append(tracks[uuid].name)
        uuid = tracks[uuid].parent_uuid
    return "/".join(reversed(names))


def _slice(track: str, ts: int, dur: int, event: Any) -> dict[str, Any]:
    return {
        "track": track,
        "ts": ts,
        "dur": dur,
        "name": event.name,
        "cat": list(event.categories),
        "args": {each.name: _value(each) for each in event.debug_annotations},
    }


def _value(annotation: Any) -> Any:
    if annotation.dict_entries:
        return {each.name: _value(each) for each in annotation.dict_entries}
    kind = annotation.WhichOneof("value")
    return getattr(annotation, kind) if kind else None


def counted(rows: list[dict[str, Any]]) -> Counter[str]:
    """Rows as a bag: the order of keys does not matter, the number of equal rows does."""
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_REFERENCE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class Workbook:
    """The cells of a workbook, from its XML, as a spreadsheet shows them."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            self._parts = {name: archive.read(name) for name in archive.namelist()}
        targets = {
            each.attrib["Id"]: each.attrib["Target"].removeprefix("/xl/")
            for each in self._tree("xl/_rels/workbook.xml.rels")
        }
        self.sheets = {
            each.attrib["name"]: targets[each.attrib[_REFERENCE]]
            for each in self._tree("xl/workbook.xml").iter(f"{_MAIN}sheet")
        }
        shared = self._parts.get("xl/sharedStrings.xml")
        items = list(ElementTree.fromstring(shared)) if shared else []
        self._texts = ["".join(item.itertext()) for item in items]

    def _tree(self, name: str) -> ElementTree.Element:
        return ElementTree.fromstring(self._parts[name])

    def rows(self, sheet: str) -> list[list[Any]]:
        """All rows; None where a cell is empty."""
        found: list[list[Any]] = []
        for row in self._tree(f"xl/{self.sheets[sheet]}").iter(f"{_MAIN}row"):
            cells: list[Any] = []
            for cell in row:
                place = _column_of(cell.attrib["r"])
                cells += [None] * (place - len(cells)) + [self._value(cell)]
            found.append(cells)
        return found

    def _value(self, cell: ElementTree.Element) -> Any:
        text = "".join(cell.itertext())
        if cell.get("t") == "s":
            return self._texts[int(text)]
        if cell.get("t") in ("inlineStr", "str"):
            return text
        return float(text) if text else None

    def table(self, sheet: str, first: str) -> list[dict[str, Any]]:
        """The rows below the one that begins with (or has) the heading `first`, by heading."""
        rows = self.rows(sheet)
        start = next(n for n, row in enumerate(rows) if first in row)
        names = rows[start]
        return [
            {name: value for name, value in itertools.zip_longest(names, row) if name}
            for row in rows[start + 1 :]
        ]


def _column_of(reference: str) -> int:
    """The place of a cell called like AB12, from 0."""
    place = 0
    for letter in itertools.takewhile(str.isalpha, reference):
        place = place * 26 + ord(letter) - ord("A") + 1
    return place - 1

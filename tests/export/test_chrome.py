"""The Chrome export: what came from Trace Event JSON comes back the same, number texts included.

Compared as multisets of events with every number as its text; the order of events and of keys and
white space are not kept, and are not compared.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import attached
from tests.support.sharing import WarehouseCache, slow
from warehouse.errors import ExportError
from warehouse.export import manifest, registry
from warehouse.export.chrome import load
from warehouse.export.chrome.together import export_together
from warehouse.export.chrome.trace import export_chrome, export_chrome_folder
from warehouse.ingest.pipeline import import_paths
from warehouse.query import scope, session
from warehouse.query.selection import Selection
from warehouse.store import database

T = 1 << 32
DATA = Path(__file__).parent.parent / "data" / "kineto"

EVERY_PHASE = [
    '{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}',
    '{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":2,"ts":10.500,"dur":1.000}',
    '{"ph":"X","cat":"","name":"é \\"quoted\\" \\\\ \\n","pid":1,"tid":2,"ts":12.000,"dur":0.001,'
    '"args":{"id":18446744073709551615,"x":1.50,"y":1e3,"deep":{"a":[null,true]}}}',
    '{"ph":"X","name":"no category","pid":"Spans","tid":"text","ts":13.000,"dur":-2.500}',
    '{"ph":"X","name":"id","id":9007199254740993,"pid":1,"tid":2,"ts":14.000,"dur":1.000}',
    '{"ph":"X","name":"no thread","ts":14.000,"dur":1.000}',
    '{"ph":"X","name":"no end","pid":1,"tid":2,"ts":14.250}',
    '{"ph":"X","name":"other style","pid":1,"tid":2,"ts":14,"dur":1.0000001}',
    '{"ph":"X","name":"unknown key","pid":1,"tid":2,"ts":15.000,"dur":1.000,"tts":7}',
    '{"ph":"B","name":"open","pid":1,"tid":3,"ts":16.000}',
    '{"ph":"E","pid":1,"tid":3,"ts":17.000}',
    '{"ph":"B","name":"never closed","pid":1,"tid":3,"ts":18.000}',
    '{"ph":"i","cat":"mark","name":"now","s":"t","pid":1,"tid":2,"ts":19.000}',
    '{"ph":"i","name":"bare","pid":1,"tid":2,"ts":19.001}',
    '{"ph":"I","name":"old","pid":1,"tid":2,"ts":19.002}',
    '{"ph":"b","cat":"a","id":"0x1","name":"async","pid":1,"tid":2,"ts":20.000}',
    '{"ph":"e","cat":"a","id":"0x1","name":"async","pid":1,"tid":2,"ts":21.000}',
    '{"ph":"C","name":"memory","pid":1,"ts":22.000,"args":{"used":1.50,"free":2}}',
    '{"ph":"s","cat":"f","name":"arrow","id":3,"pid":1,"tid":2,"ts":10.600}',
    '{"ph":"t","cat":"f","name":"arrow","id":3,"pid":1,"tid":2,"ts":12.000}',
    '{"ph":"f","bp":"e","cat":"f","name":"arrow","id":3,"pid":1,"tid":2,"ts":14.100}',
    '{"ph":"N","id":"0x2","name":"object","pid":1,"tid":2,"ts":23.000}',
    '{"ph":"?","name":"who knows","pid":1,"tid":2,"ts":24.000}',
]


def exported(source: Path, tmp_path: Path) -> Path:
    """Imports a file into a new warehouse and exports it again."""
    import_paths([source], db=tmp_path / "w.duckdb")
    with database.Reader(tmp_path / "w.duckdb") as reader:
        return export_chrome(reader.connection, tmp_path / "again.json").path


def document(path: Path) -> Any:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return json.loads(text, parse_int=number, parse_float=number, parse_constant=number)


def number(text: str) -> tuple[str, str]:
    return ("number", text)


def events(document: Any) -> Counter[str]:
    found = document if isinstance(document, list) else document["traceEvents"]
    return Counter(json.dumps(event, sort_keys=True) for event in found)


@pytest.mark.parametrize(
    "name",
    [
        slow("cpu_run/trace.json.gz"),
        slow("ddp_two_ranks/rank0.json.gz"),
        slow("ddp_two_ranks/rank1.json.gz"),
        "gpu_handwritten/trace.json",
    ],
)
def test_a_kineto_trace_comes_back_event_for_event(name: str, tmp_path: Path) -> None:
    before, after = document(DATA / name), document(exported(DATA / name, tmp_path))

    assert events(after) == events(before)
    assert after | {"traceEvents": 0} == before | {"traceEvents": 0}


@pytest.mark.parametrize(
    ("head", "tail"),
    [slow("[", "]"), ('{"schemaVersion": 1, "traceEvents": [', '], "after": {"x": 1.50}}')],
)
def test_events_of_every_phase_come_back(head: str, tail: str, tmp_path: Path) -> None:
    source = tmp_path / "source.json"
    source.write_text(head + ",\n".join(EVERY_PHASE) + tail, encoding="utf-8")

    before, after = document(source), document(exported(source, tmp_path))

    assert events(after) == events(before)
    assert type(after) is type(before)


def test_a_part_of_a_trace_has_no_records_of_other_times(tmp_path: Path) -> None:
    source = tmp_path / "source.json"
    records = [
        ("B", "before", 0), ("E", "before", 1), ("B", "across", 2), ("E", "across", 12),
        ("B", "inside", 13), ("E", "inside", 14), ("b", "earlier", 3), ("e", "earlier", 4),
        ("b", "asynchronous", 5), ("e", "asynchronous", 15), ("N", "object", 3), ("B", "after", 20),
        ("E", "after", 21), ("i", "mark", 11), ("i", "past mark", 20),
    ]  # fmt: skip
    source.write_text(json.dumps([
        {"ph": "X", "name": "whole", "pid": 1, "tid": 2, "ts": 0, "dur": 30},
        *({"ph": phase, "name": name, "cat": "c", "pid": 1, "tid": 1, "ts": ts}
          | ({"id": 7} if phase in "beN" else {}) for phase, name, ts in records),
        *({"ph": "C", "name": "load", "pid": 1, "ts": ts, "args": {"cpu": ts}}
          for ts in (1, 9, 12, 25)),
    ]))  # fmt: skip
    import_paths([source], db=tmp_path / "w.duckdb")

    with database.Reader(tmp_path / "w.duckdb") as reader:
        part = scope.resolve(reader.connection, Selection(from_ns=10_000, to_ns=20_000))
        scope.apply(reader.connection, part)
        written = export_chrome(reader.connection, tmp_path / "part.json")

    found = [e for e in json.loads(written.path.read_bytes()) if e["ph"] != "M"]
    assert Counter((e["name"], e["ts"], e.get("dur")) for e in found if e["ph"] != "C") == Counter([
        ("whole", 0, 30), ("across", 2, 10), ("inside", 13, 1), ("asynchronous", 5, 10),
        ("mark", 11, None),
    ])  # fmt: skip
    assert [e["ts"] for e in found if e["ph"] == "C"] == [9, 12]  # 9: in effect at the start
    assert not written.is_restored


@pytest.mark.parametrize(
    ("ns", "fixed3", "shortest_float", "shortest"),
    [
        (0, "0.000", "0.0", "0"),
        (12_000, "12.000", "12.0", "12"),
        (12_450, "12.450", "12.45", "12.45"),
        (12_400, "12.400", "12.4", "12.4"),
        (12_045, "12.045", "12.045", "12.045"),
        (5, "0.005", "0.005", "0.005"),
        (-5, "-0.005", "-0.005", "-0.005"),
        (-2_500, "-2.500", "-2.5", "-2.5"),
        (
            1_752_829_956_515_358_123,
            "1752829956515358.123",
        )
        + ("1752829956515358.123",) * 2,
    ],
)
def test_numbers_are_printed_as_the_writer_did(
    ns: int, fixed3: str, shortest_float: str, shortest: str
) -> None:
    with attached() as connection:
        connection.execute(load("macros"))

        printed = connection.execute(
            "SELECT list(printed_microseconds($ns, style) ORDER BY n)"
            " FROM (VALUES (1, 'fixed3'), (2, 'shortest_float'), (3, 'shortest')) AS s(n, style)",
            {"ns": ns},
        ).fetchall()

    assert printed == [([fixed3, shortest_float, shortest],)]


def test_other_timelines_become_a_plain_trace(warehouse: Any, slices: Any, tmp_path: Path) -> None:
    connection = warehouse(
        slices((0, 0, 0, 1500, "call", 0, "X", '{"k": 1}'), (1, 1, 2000, -1, "open")),
        f"INSERT INTO link VALUES ({T}, 1, 1, {T}, {T + 1}, 'x', 'r', 1, 'default', 'q', 1)",
        f"INSERT INTO counter VALUES ({T}, 1, {T + 3}, 5, 1.5)",
        "UPDATE slice SET phase = NULL",
    )

    written = export_chrome(connection, tmp_path / "x.json")

    shown = json.loads((tmp_path / "x.json").read_text())
    timeline = [(e["ph"], e["name"], e.get("ts"), e.get("dur")) for e in shown if e["ph"] != "M"]
    assert timeline == [
        ("X", "call", 1000.0, 1.5),
        ("B", "open", 1002.0, None),
        ("C", "memory", 1000.005, None),
        ("s", "x", 1000.0, None),
        ("f", "x", 1002.0, None),
    ]
    names = {e["args"]["name"] for e in shown if e["ph"] == "M"}
    assert names == {"python", "device", "main", "stream 7", "request"}
    assert not written.is_restored


def test_leftover_records_of_other_formats_are_no_events(
    warehouse: Any, slices: Any, tmp_path: Path
) -> None:
    connection = warehouse(
        slices((0, 0, 0, 1500, "call"), (1, 1, 2000, 10, "kernel")),
        "INSERT INTO source_event (id, trace_id, phase, event_text) VALUES "
        f"""({T}, 1, 'end', '{{"line":"worker/1","name":"end: op","start_ns":5}}'),"""
        f"({T + 1}, 1, 'cut', '{{\"line')",
        "UPDATE slice SET phase = NULL",
    )

    written = export_chrome(connection, tmp_path / "x.json")

    shown = json.loads((tmp_path / "x.json").read_text())
    assert [e["name"] for e in shown if e["ph"] != "M"] == ["call", "kernel"]
    assert not written.is_restored


def test_a_drifting_clock_is_aligned_in_the_middle_of_its_trace(
    warehouse: Any, slices: Any, tmp_path: Path
) -> None:
    """Both record one moment, on clocks that are then 300 ns apart, 200 ns of them by drift."""
    other = 2 << 32
    connection = warehouse(
        slices((0, 0, 1_000_000, 10, "moment")),
        "INSERT INTO run SELECT * REPLACE (2 AS id, 'other' AS name) FROM run",
        f"INSERT INTO trace SELECT * REPLACE (2 AS id, 2 AS run_id, {other} AS clock_id, "
        "2000000 AS end_ts) FROM trace",
        f"INSERT INTO track SELECT * REPLACE (id + {other - T} AS id, 2 AS trace_id) FROM track",
        f"INSERT INTO slice SELECT * REPLACE (id + {other - T} AS id, 2 AS trace_id, "
        f"track_id + {other - T} AS track_id, 999700 AS ts) FROM slice",
        f"INSERT INTO clock (id, trace_id, name, offset_ns, drift) "
        f"VALUES ({other}, 2, 'host', 100, 2e-4)",
    )

    export_together(connection, tmp_path / "x.json")

    shown = json.loads((tmp_path / "x.json").read_text())
    assert [e["ts"] for e in shown if e["ph"] == "X"] == [1000.0, 1000.0]


def test_an_arrow_to_a_slice_that_began_before_ends_inside_it(
    warehouse: Any, slices: Any, tmp_path: Path
) -> None:
    """A wait begins before the work it waits for; readers drop arrows that end before."""
    connection = warehouse(
        slices((0, 0, 100, 900, "wait", 0), (1, 1, 400, 300, "kernel")),
        f"INSERT INTO link VALUES ({T}, 1, 1, {T + 1}, {T}, 'wait', 'r', 1, 'default', 'q', 1)",
        "UPDATE slice SET phase = NULL",
    )

    export_chrome(connection, tmp_path / "x.json")

    shown = json.loads((tmp_path / "x.json").read_text())
    assert [(e["ph"], e["ts"] - 1000) for e in shown if e["ph"] in "sf"] == [
        ("s", pytest.approx(0.4)), ("f", pytest.approx(0.4)),
    ]  # fmt: skip


@pytest.mark.slow
def test_events_of_a_large_trace_come_in_stored_order(tmp_path: Path) -> None:
    event = '{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":2,"ts":%d.000,"dur":1.000}'
    source = tmp_path / "large.json"
    source.write_text("[" + ",\n".join(event % n for n in range(400_000)) + "]")

    stamps = [each["ts"][1] for each in document(exported(source, tmp_path))]

    assert stamps == [f"{n}.000" for n in range(400_000)]


@pytest.mark.integration
def test_several_traces_need_a_folder(tmp_path: Path, imported_files: WarehouseCache) -> None:
    with database.Reader(imported_files((None, [DATA / "ddp_two_ranks"]))) as reader:
        with pytest.raises(ExportError, match="holds one trace, but 2 are in scope") as caught:
            export_chrome(reader.connection, tmp_path / "x.json")
        files = export_chrome_folder(reader.connection, tmp_path / "traces")

    assert "--rank" in str(caught.value.hint)
    assert [file.path.name for file in files] == ["rank0.json.gz", "rank1.json.gz"]
    for name in ("rank0.json.gz", "rank1.json.gz"):
        before = document(DATA / "ddp_two_ranks" / name)
        assert events(document(tmp_path / "traces" / name)) == events(before)


@pytest.mark.integration
def test_one_rank_of_several_can_be_chosen(tmp_path: Path, imported_files: WarehouseCache) -> None:
    with database.Reader(imported_files((None, [DATA / "ddp_two_ranks"]))) as reader:
        chosen = scope.resolve(reader.connection, Selection(ranks=(1,)))
        scope.apply(reader.connection, chosen)
        export_chrome(reader.connection, tmp_path / "x.json.gz")

    before = document(DATA / "ddp_two_ranks" / "rank1.json.gz")
    assert events(document(tmp_path / "x.json.gz")) == events(before)


def test_the_checksum_in_the_manifest_is_that_of_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_paths([DATA / "gpu_handwritten" / "trace.json"], db=tmp_path / "w.duckdb")
    monkeypatch.delattr(manifest, "sha256")  # which reads the file again
    with session.opened(session.Place(tmp_path / "w.duckdb"), Selection()) as opened:
        registry.export(opened, "chrome", tmp_path / "again.json", {"is_folder": False})

    made = manifest.read(tmp_path / "again.json")

    assert made.sha256 == hashlib.sha256((tmp_path / "again.json").read_bytes()).hexdigest()

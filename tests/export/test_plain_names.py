"""Names in a Perfetto file: written once and meant by numbers, or plain in every packet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.export.perfetto.trace import export_perfetto
from warehouse.query.session import Place, opened

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"


def packets(path: Path) -> Any:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    return Trace.FromString(path.read_bytes()).packet


def test_a_plain_file_says_the_same_and_needs_no_state(
    read: Any, tmp_path: Path, imported_files: WarehouseCache
) -> None:
    db = imported_files(GPU)
    plain, interned = tmp_path / "plain.pftrace", tmp_path / "interned.pftrace"
    with opened(Place(db)) as session:
        export_perfetto(session.connection, plain, with_interning=False)
        export_perfetto(session.connection, interned)

    assert read(plain).shown() == read(interned).shown()
    assert [each.args for each in read(plain).slices] == [
        each.args for each in read(interned).slices
    ]
    assert not any(packet.interned_data.ByteSize() for packet in packets(plain))
    events = [packet.track_event for packet in packets(plain) if packet.HasField("track_event")]
    assert all(event.name for event in events if event.type == event.TYPE_SLICE_BEGIN)


@pytest.mark.integration
def test_the_command_has_both(tw: Tw, tmp_path: Path) -> None:
    tw("import", KINETO / "gpu_handwritten" / "trace.json", "--jobs", "1")
    for option in ("--plain", "--interned"):
        assert tw("export", "perfetto", option, "-o", f"a{option}.pftrace").code == 0

    assert Path("a--plain.pftrace").stat().st_size > Path("a--interned.pftrace").stat().st_size
    assert tw("verify", "a--plain.pftrace").code == 0

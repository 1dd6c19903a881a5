"""Writes the summary of a TPU capture as text: the vendor's table, and further tables.

The first table has the columns, widths and lines of the vendor's `summary.txt`; an unknown figure
is `-`. Below it come engines with work, idle time and traffic, the links, and how much of
moving data computing hides. All figures are of the queries `tpu_summary`, `tpu_engine_summary`,
`tpu_bandwidth`, `tpu_link`, `tpu_overlap` and `tpu_device_overlap`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import ExportError
from warehouse.files import whole_file

if TYPE_CHECKING:
    from warehouse.query.session import Session

Row = Mapping[str, Any]
WIDTH = 190
_GIGA, _MICRO = 1e9, 1e3


@dataclass(frozen=True)
class _Cell:
    title: str
    width: int
    text: Callable[[Row], str]


def _number(name: str, scale: float, decimals: int) -> Callable[[Row], str]:
    def text(row: Row) -> str:
        value = row[name]
        return "-" if value is None else f"{value / scale:.{decimals}f}"

    return text


def _percent(name: str) -> Callable[[Row], str]:
    return lambda row: "-" if row[name] is None else f"{row[name]:.2%}"


def _cycles(engine: str, frequency: str) -> Callable[[Row], str]:
    """Cycles of a core; for the total, the maximum over cores, as time."""

    def text(row: Row) -> str:
        cycles = row[f"{engine}_cycles"]
        return (
            str(cycles) if row["core"] is not None else f"{cycles / row[frequency] * 1e6:.3f}(us)"
        )

    return text


def _name(row: Row) -> str:
    return "Overall" if row["core"] is None else str(row["core"])


def _unit(row: Row) -> str:
    if row["core"] is not None:
        return str(row["core"])
    return "chip" if row.get("port") is None else f"port {row['port']}"


_VENDORS = (
    _Cell("CoreId", 7, _name),
    _Cell("Parallelism(%)", 14, _percent("parallelism")),
    _Cell("totalTime(us)", 14, _number("total_ns", _MICRO, 3)),
    _Cell("TiuWorkingRatio", 15, _percent("tiu_working_ratio")),
    _Cell("totalTiuCycle", 14, _cycles("tiu", "tiu_hz")),
    _Cell("uArchURate", 10, _percent("uarch_rate")),
    _Cell("totalGdmaCycle", 16, _cycles("gdma", "dma_hz")),
    _Cell("GdmaDdrAvgBW(GB/s)", 18, _number("gdma_ddr_bytes_per_s", _GIGA, 2)),
    _Cell("GdmaL2AvgBW(GB/s)", 18, _number("gdma_l2_bytes_per_s", _GIGA, 2)),
    _Cell("totalSdmaCycle", 16, _cycles("sdma", "dma_hz")),
    _Cell("SdmaDdrAvgBW(GB/s)", 18, _number("sdma_ddr_bytes_per_s", _GIGA, 2)),
)
_ENGINES = (
    _Cell("CoreId", 7, _unit),
    _Cell("Engine", 6, lambda row: str(row["engine"])),
    _Cell("Commands", 10, lambda row: str(row["n_commands"])),
    _Cell("Work(us)", 13, _number("work_ns", _MICRO, 3)),
    _Cell("Sync(us)", 13, _number("sync_ns", _MICRO, 3)),
    _Cell("Idle(us)", 13, _number("idle_ns", _MICRO, 3)),
    _Cell("Utilization", 11, _percent("utilization")),
    _Cell("DdrReadBW(GB/s)", 15, _number("ddr_read", _GIGA, 2)),
    _Cell("DdrWriteBW(GB/s)", 16, _number("ddr_write", _GIGA, 2)),
    _Cell("DdrTotalBW(GB/s)", 16, _number("ddr_total", _GIGA, 2)),
    _Cell("OfPeak", 8, _percent("ddr_share")),
    _Cell("L2TotalBW(GB/s)", 15, _number("l2_total", _GIGA, 2)),
    _Cell("LmemTotalBW(GB/s)", 17, _number("lmem_total", _GIGA, 2)),
)
_LINKS = (
    _Cell("Port", 7, lambda row: str(row["port"])),
    _Cell("Way", 6, lambda row: str(row["direction"])),
    _Cell("Commands", 10, lambda row: str(row["n_commands"])),
    _Cell("Work(us)", 13, _number("work_ns", _MICRO, 3)),
    _Cell("Sync(us)", 13, _number("sync_ns", _MICRO, 3)),
    _Cell("Data(MiB)", 13, _number("bytes", 1 << 20, 3)),
    _Cell("BW(GB/s)", 11, _number("bytes_per_s", _GIGA, 2)),
    _Cell("Replays", 15, lambda row: str(row["n_replays"])),
    _Cell("Stalled", 16, _percent("stall_share")),
)
_SHARES = (
    _Cell("CoreId", 7, _unit),
    _Cell("Compute(us)", 14, _number("compute_ns", _MICRO, 3)),
    _Cell("Transfer(us)", 14, _number("transfer_ns", _MICRO, 3)),
    _Cell("Overlap(us)", 14, _number("overlap_ns", _MICRO, 3)),
    _Cell("Exposed(us)", 14, _number("exposed_transfer_ns", _MICRO, 3)),
    _Cell("Neither(us)", 14, _number("neither_ns", _MICRO, 3)),
    _Cell("Compute(%)", 11, _percent("compute_share")),
    _Cell("Transfer(%)", 11, _percent("transfer_share")),
    _Cell("Overlap(%)", 11, _percent("overlap_share")),
)


def export_summary(session: Session, path: Path) -> str:
    """Writes the summary, and returns it; raises ExportError."""
    summary = text(session)
    with whole_file(path) as file:
        file.write(summary.encode())
    return summary


def text(session: Session) -> str:
    """Returns the summaries of all captures in scope; raises ExportError without captures."""
    summaries = _rows(session, "tpu_summary")
    if not summaries:
        raise ExportError(
            "no TPU capture in scope",
            hint="`tw runs` lists what the warehouse holds.",
        )
    clocks = {row["trace_id"]: row for row in _rows(session, "tpu_chip")}
    engines, links = _engines(session), _rows(session, "tpu_link")
    whole = [row | {"core": None} for row in _rows(session, "tpu_device_overlap")]
    shares = _rows(session, "tpu_overlap") + whole
    trace_ids = list(dict.fromkeys(row["trace_id"] for row in summaries))
    names = {row["trace_id"]: row["name"] for row in _rows(session, "traces")}
    lines: list[str] = []
    for trace_id in trace_ids:
        if len(trace_ids) > 1:
            lines += [f"{names[trace_id]}", ""]
        clock = {hz: clocks.get(trace_id, {}).get(hz) or _GIGA for hz in ("tiu_hz", "dma_hz")}
        lines += _vendors([row | clock for row in summaries if row["trace_id"] == trace_id])
        for title, cells, rows in (
            ("Engines", _ENGINES, engines),
            ("CDMA", _LINKS, links),
            ("Compute and transfer", _SHARES, shares),
        ):
            lines += _table(title, cells, [row for row in rows if row["trace_id"] == trace_id])
    return "\n".join(lines) + "\n"


def _rows(session: Session, query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = session.run(session.queries.find(query)).table().to_pylist()
    return rows


def _engines(session: Session) -> list[dict[str, Any]]:
    """Returns engines with their traffic."""
    place = ("trace_id", "engine", "core", "port")
    memory = {"DDR": "ddr", "L2M": "l2", "LMEM": "lmem"}
    traffic: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _rows(session, "tpu_bandwidth"):
        short = memory[row["memory"]]
        traffic.setdefault(tuple(row[key] for key in place), {}).update(
            {
                f"{short}_read": row["read_bytes_per_s"],
                f"{short}_write": row["write_bytes_per_s"],
                f"{short}_total": row["total_bytes_per_s"],
                f"{short}_share": row["peak_share"],
            }
        )
    figures = ("read", "write", "total", "share")
    empty = {f"{short}_{what}": None for short in memory.values() for what in figures}
    return [
        {**empty, **row, **traffic.get(tuple(row[key] for key in place), {})}
        for row in _rows(session, "tpu_engine_summary")
    ]


def _line(cells: Sequence[_Cell], texts: Iterator[str]) -> str:
    return " | ".join(f"{each:>{cell.width}}" for cell, each in zip(cells, texts, strict=True))


def _vendors(rows: Sequence[Row]) -> list[str]:
    """Returns the vendor's table: a line per core, then the total."""
    double, single = "=" * WIDTH, "-" * WIDTH
    head = _line(_VENDORS, (cell.title for cell in _VENDORS))
    lines = [_line(_VENDORS, (cell.text(row) for cell in _VENDORS)) for row in rows]
    return [double, "Summary", double, head, single, *lines[:-1], single, lines[-1], double]


def _table(title: str, cells: Sequence[_Cell], rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    head = _line(cells, (cell.title for cell in cells))
    lines = [_line(cells, (cell.text(row) for cell in cells)) for row in rows]
    return ["", title, "-" * WIDTH, head, "-" * WIDTH, *lines, "-" * WIDTH]

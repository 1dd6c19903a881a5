"""Presentations: how exports show timelines of a format, if it differs from the default.

An importer's package registers a `Presentation` in the entry-point group
`trace_warehouse.presentations`, under the value of `trace.format`. `prepare` loads those of the
formats in scope and creates TEMP tables, which the SQL of exporters and of the Perfetto dialect
joins:

- `display_trace (trace_id, is_flat, starts_at_zero, names_streams_by_device)`
- `display_track (track_id, parent_track_id, group_device_id, group_name)`: tracks that lie under
  another track, or under the group of a device; of these, only tracks that hold slices, or are
  parents of such tracks, are exported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from warehouse import plugins

if TYPE_CHECKING:
    import duckdb

    from warehouse.export.perfetto.interning import InternedStrings

PRESENTATIONS: Final = "trace_warehouse.presentations"


class Arguments(Protocol):
    """Arguments of slices that are stored in columns of detail tables rather than as JSON."""

    #: SQL for the category shown; `{arguments}` is the alias of `query`, `{otherwise}` the default.
    category: str

    def query(self, connection: duckdb.DuckDBPyConnection) -> str | None:
        """Returns a SELECT with `slice_id` and a column for each argument; None without rows."""
        ...

    def json_query(self, connection: duckdb.DuckDBPyConnection) -> str | None:
        """Returns a SELECT of `slice_id`, `args_json` and what `category` reads."""
        ...

    def encode(self, batch: Any, names: InternedStrings) -> list[Any]:
        """Encodes the columns of `query` as debug_annotations fields: one array a part, one value
        (or null) a slice."""
        ...


@dataclass(frozen=True)
class Counter:
    """A counter drawn beside a track of slices; its values have `-track_id` as their track."""

    track_id: int
    name: str
    unit: str


@dataclass(frozen=True)
class AddedSlices:
    """Slices that are not stored, on tracks of their own: rows of a query of the library.

    It returns `trace_id, process_id, track_name, sort_index, start_ns, dur_ns, name, category,
    args_json`, and runs if the table has rows.
    """

    query: str
    table: str


@dataclass(frozen=True)
class Presentation:
    """How timelines of one format are shown.

    `tracks` is a SELECT of the columns of `display_track`. `counters` returns the counters to draw,
    `counter_values` a SELECT of `track_id, ts, value` (ts in ns, with `{lift_ns}` added) over the
    TEMP table `export_trace`.
    """

    is_flat: bool = False  # slices that overlap at all are shown on lanes of their own
    starts_at_zero: bool = False  # times count from the start of the trace while it has no offset
    names_streams_by_device: bool = False  # stream names repeat on the devices of a process
    is_interned: bool = True  # the default of Perfetto exports: names are written once
    listed_category: str | None = None  # category of slices that a workbook lists by engine
    detail_views: tuple[str, ...] = ()  # views over tables in parts, exported like tables
    tracks: str | None = None
    arguments: Callable[[], Arguments] | None = None
    counters: Callable[[duckdb.DuckDBPyConnection], list[Counter]] | None = None
    counter_values: str | None = None
    added_slices: AddedSlices | None = None


def detail_views() -> list[str]:
    """Returns the detail views of all installed presentations, sorted."""
    found = (
        plugins.load(PRESENTATIONS, name, Presentation) for name in plugins.names(PRESENTATIONS)
    )
    return sorted({view for each in found if each is not None for view in each.detail_views})


def of_scope(connection: duckdb.DuckDBPyConnection) -> dict[str, Presentation]:
    """Returns the presentations of the formats in scope, by format."""
    rows = connection.execute("SELECT DISTINCT format FROM trace ORDER BY format").fetchall()
    found = {
        str(format): plugins.load(PRESENTATIONS, str(format), Presentation) for (format,) in rows
    }
    return {format: each for format, each in found.items() if each is not None}


def prepare(connection: duckdb.DuckDBPyConnection) -> dict[str, Presentation]:
    """Creates the TEMP tables `display_trace` and `display_track` for the scope.

    Returns the presentations of the formats in scope, by format.
    """
    found = of_scope(connection)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE display_trace (trace_id BIGINT, is_flat BOOLEAN, "
        "starts_at_zero BOOLEAN, names_streams_by_device BOOLEAN)"
    )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE display_track (track_id BIGINT, parent_track_id BIGINT, "
        "group_device_id BIGINT, group_name VARCHAR)"
    )
    for format, each in found.items():
        connection.execute(
            "INSERT INTO display_trace SELECT id, ?, ?, ? FROM trace WHERE format = ?",
            [each.is_flat, each.starts_at_zero, each.names_streams_by_device, format],
        )
        if each.tracks:
            connection.execute(f"INSERT INTO display_track {each.tracks}")
    return found


def arguments(
    connection: duckdb.DuckDBPyConnection, presentations: dict[str, Presentation]
) -> list[tuple[Arguments, str]]:
    """Returns the argument encoders with rows in scope, each with its SELECT."""
    found = []
    for each in presentations.values():
        if each.arguments is not None:
            encoder = each.arguments()
            if query := encoder.query(connection):
                found.append((encoder, query))
    return found

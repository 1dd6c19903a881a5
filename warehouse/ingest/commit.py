"""The part of an import that holds the warehouse: one transaction a trace, then one a run.

Everything slow was done before (`warehouse.ingest.decode`); what is left is to give the trace its
ids, to insert, to link, and to write down what was read and what was not used. Links between the
traces of a run are created once, when all traces are committed: creating them for each trace would
take time quadratic in the number of ranks.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from warehouse import __version__
from warehouse.errors import DuplicateTrace, TwError
from warehouse.ingest import formats, pairing
from warehouse.ingest.decode import Decoded, Settings, scratch_connection, set_variable
from warehouse.ingest.importer import Importer
from warehouse.library import macros
from warehouse.link import linkers
from warehouse.store import database

#: Every table whose rows belong to one trace, children first.
TRACE_TABLES = (
    "source_event", "flow_point", "counter", "cpu_op", "launch", "gpu_op", "collective",
    "annotation", "step", "python_call", "memory_event", "memory_block",
    "memory_segment", "call_frame", "metric", "tpu_command_extra", "tpu_tiu_record",
    "tpu_dma_record", "tpu_dma_bm1688_record", "tpu_cdma_record", "tpu_operation", "tpu_layer",
    "rpc", "tensor_use", "process_group", "graph_edge", "graph_node", "tensor", "graph", "slice",
    "track", "thread", "process", "device", "clock", "import_problem", "import_stat", "source_file",
)  # fmt: skip
_GENERIC_STEMS = re.compile(r"(?i)(?:trace|traces|kineto|timeline|profile|rank[-_]?\d+)\Z")
#: What a file's name ends with and does not tell it from others: the ending proper, of letters (.v2
#: and .1699 are part of the name), behind it how it is compressed, before it the words profilers
#: put there. Only one ending proper: a.before.json and a.after.json are not both `a`.
_ENDINGS = re.compile(
    r"(?i)(?<=.)(?:\.(?:trace|pt|raw))*(?:\.[a-z]+)?(?:\.(?:gz|bz2|xz|zst|lz4))?\Z"
)
_RANK = re.compile(r"(?i)rank[-_]?(\d+)")
_NPU = re.compile(r"\.(\d+)\.et(?:\.gz)?\Z")  # Chakra's files: <job>.<rank>.et


_ONE = ("import",)  # stands for the job of all sources of an import


@dataclass
class RunChoice:
    """Which run new traces go to: the one named, or one for each job among the sources.

    `is_one`: all sources are one job, whatever they say.
    """

    name: str | None = None
    rank: int | None = None
    is_one: bool = False
    of_job: dict[tuple[object, ...], int] = field(default_factory=dict)
    timelines: list[int] = field(default_factory=list)  # traces of this import graphs may belong to

    def key(self, decoded: Decoded) -> tuple[object, ...] | None:
        """Equal for sources of one job, as far as the files tell; None when they do not."""
        facts = decoded.facts
        if facts.job_id is not None:
            return ("job", facts.job_id)
        if trace_rank(decoded, self)[0] is None:
            return None
        folder = decoded.source.path.parent
        if _RANK.search(folder.name):  # a folder for each rank
            folder = folder.with_name(_RANK.sub("rank", folder.name))
        return ("folder", str(folder), facts.world_size, facts.backend)

    def remember(self, decoded: Decoded, done: Committed) -> None:
        """That a source of this job is in this run now."""
        if key := self.key(decoded):
            self.of_job[key] = done.run_id
        if self.is_one:
            self.of_job[_ONE] = done.run_id
        if formats.by_name(decoded.importer_name).kind == "timeline":
            self.timelines.append(done.trace_id)


@dataclass
class Committed:
    """A trace that is now in the warehouse."""

    trace_id: int
    run_id: int
    run_name: str
    counts: dict[str, int]  # events, slices, counters, links, ...
    unused: dict[str, int]  # reason -> events
    problems: dict[str, int]  # kind -> count
    seconds: dict[str, float]
    leaves_unlinked: bool  # whether there are runs whose traces `link_runs` is to link


def commit(
    decoded: Decoded,
    db: Path,
    settings: Settings,
    choice: RunChoice,
    *,
    replace: bool = False,
    wait_s: float = database.DEFAULT_WAIT_S,
    is_last: bool = False,
) -> Committed:
    """Inserts a decoded source as one trace, wholly or not at all.

    A graph that is the last of an import is linked in the same transaction, where its run is the
    only one to link. Raises DuplicateTrace when another import of the same bytes came first and
    `replace` is off.
    """
    importer = formats.by_name(decoded.importer_name)
    connection = decoded.opened(settings)
    try:
        waiting = time.perf_counter()
        # On any failure the store rolls the transaction back.
        with database.attach_for_writing(connection, db, wait_s=wait_s):
            decoded.seconds["wait"] = time.perf_counter() - waiting
            locked = time.perf_counter()
            macros.keep_stored(connection)
            connection.execute("BEGIN")
            done = _insert(connection, importer, decoded, choice, replace, locked)
            links = is_last and importer.kind == "graph" and done.leaves_unlinked
            if links and not _is_linked_too(connection, done):
                connection.execute("ROLLBACK")
                connection.execute("BEGIN")
                done = _insert(connection, importer, decoded, choice, replace, locked)
            connection.execute("COMMIT")
        choice.remember(decoded, done)
        done.seconds["lock"] = time.perf_counter() - locked
        return done
    finally:
        # The scratch database is deleted: its last tables need not be written to its file.
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.close()


def _is_linked_too(connection: duckdb.DuckDBPyConnection, done: Committed) -> bool:
    """Links the run of the graph just inserted; False where that failed and is to be undone.

    Linked nodes go to the end of the table that has the graph's: in a transaction of their own, all
    texts of the graph would be compressed twice. (True, too, where there is more to link than this
    run: `link_runs` does that, each run in a transaction of its own.)
    """
    if [run_id for run_id, _ in linkers.unlinked_runs(connection)] != [done.run_id]:
        return True
    try:
        linkers.link_run(connection, linkers.linkers(), done.run_id)
    except (duckdb.Error, TwError):
        return False  # `link_runs` tries again, and says what is wrong
    done.leaves_unlinked = False
    return True


def link_runs(
    db: Path, folder: Path, settings: Settings, *, wait_s: float = database.DEFAULT_WAIT_S
) -> None:
    """Links the traces of every run whose traces changed since, each run in one transaction.

    These are the runs of this import, and those of one that was killed before it came to this.
    Raises TwError when it cannot be done; the traces are in the warehouse all the same.
    """
    connection = scratch_connection(folder, settings)
    which = "runs"
    try:
        with database.attach_for_writing(connection, db, wait_s=wait_s):
            known = linkers.linkers()
            for run_id, name in linkers.unlinked_runs(connection):
                which = f"run {name!r}"
                connection.execute("BEGIN")
                linkers.link_run(connection, known, run_id)
                connection.execute("COMMIT")
    except (duckdb.Error, TwError) as error:
        first = str(error).splitlines()[0]
        raise TwError(
            f"the traces of {which} are in the warehouse but not linked to each other: {first}",
            hint="`tw link --all` links them, and so does the next import.",
        ) from None
    finally:
        connection.close()


def _insert(
    connection: duckdb.DuckDBPyConnection,
    importer: Importer,
    decoded: Decoded,
    choice: RunChoice,
    replace: bool,
    locked: float,
) -> Committed:
    touched = _make_room(connection, decoded, replace)
    trace_id = _next_id(connection, "trace")
    run_id, run_name = _run(connection, decoded, choice, touched)
    set_variable(connection, "trace_id", trace_id)
    set_variable(connection, "first_id", trace_id << 32)
    set_variable(connection, "metadata_json", decoded.facts.metadata_json or "{}")
    _insert_trace(connection, importer, decoded, choice, trace_id, run_id)
    for script in importer.normalize:
        connection.execute(script.read_text())
    pairing.pair_run(connection, run_id)
    normalized = time.perf_counter()
    known = linkers.linkers()
    linkers.link_trace(connection, known, trace_id, run_id)
    for each in sorted({run_id, *touched}):
        linkers.unlink_run(connection, each)
    seconds = {
        **decoded.seconds,
        "write": normalized - locked,
        "link": time.perf_counter() - normalized,
    }
    _insert_problems(connection, decoded, trace_id)
    _insert_stats(connection, decoded, trace_id, seconds)
    return Committed(
        trace_id, run_id, run_name, _counts(connection, trace_id),
        _named_counts(connection, "SELECT reason, n FROM scratch.unused"),
        _named_counts(
            connection,
            f"SELECT kind, count FROM import_problem WHERE trace_id = {trace_id}",
        ),
        seconds,
        leaves_unlinked=bool(linkers.unlinked_runs(connection)),
    )  # fmt: skip


def _make_room(connection: duckdb.DuckDBPyConnection, decoded: Decoded, replace: bool) -> set[int]:
    """Removes the earlier import of the same bytes, or refuses; returns the runs it was in."""
    # Of a capture all files must be the same: it may share some of them with another.
    rows = connection.execute(
        "SELECT trace_id FROM source_file GROUP BY trace_id "
        "HAVING list_sort(list(DISTINCT sha256)) = ?",
        [sorted({file.sha256 for file in decoded.files})],
    ).fetchall()
    if rows and not replace:
        raise DuplicateTrace(f"{decoded.source.label} is in the warehouse already")
    return {delete_trace(connection, int(trace_id)) for (trace_id,) in rows}


def delete_trace(connection: duckdb.DuckDBPyConnection, trace_id: int) -> int:
    """Removes a trace, its links, and its run when it was the last of it; within a transaction.

    Returns the run: what links its other traces is to be made anew (`link.unlink_run`, then
    `link.link_run`).
    """
    (run_id,) = database.one(connection, "SELECT run_id FROM trace WHERE id = ?", [trace_id])
    first, last = trace_id << 32, (trace_id + 1) << 32
    connection.execute(
        "DELETE FROM link WHERE trace_id = $t OR (trace_id IS NULL AND ("
        "from_id BETWEEN $first AND $last - 1 OR to_id BETWEEN $first AND $last - 1))",
        {"t": trace_id, "first": first, "last": last},
    )
    for table in TRACE_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE trace_id = ?", [trace_id])
    connection.execute("DELETE FROM trace WHERE id = ?", [trace_id])
    pairing.forget(connection, trace_id)
    connection.execute("DELETE FROM run WHERE id NOT IN (SELECT run_id FROM trace)")
    connection.execute("DELETE FROM tag WHERE run_id NOT IN (SELECT id FROM run)")
    return int(run_id)


def _next_id(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    (number,) = database.one(connection, f"SELECT coalesce(max(id), 0) + 1 FROM {table}")
    return int(number)


def trace_rank(decoded: Decoded, choice: RunChoice) -> tuple[int | None, str | None]:
    """The rank, as the user said, as the file says, or as its name says; and which of these."""
    if choice.rank is not None:
        return choice.rank, "option"
    if decoded.facts.rank is not None:
        return decoded.facts.rank, "file"
    name = decoded.source.file_name
    found = _RANK.search(name) or _NPU.search(name)
    return (int(found.group(1)), "file_name") if found else (None, None)


def _run(
    connection: duckdb.DuckDBPyConnection, decoded: Decoded, choice: RunChoice, replaced: set[int]
) -> tuple[int, str]:
    """The run of the new trace, made if need be: (id, name).

    `replaced`: where the same bytes were before.
    """
    key = choice.key(decoded)
    if choice.name is not None:
        rows = connection.execute("SELECT id FROM run WHERE name = ?", [choice.name]).fetchall()
        if rows:
            return int(rows[0][0]), choice.name
        return _new_run(connection, decoded, choice.name), choice.name
    if choice.is_one and _ONE in choice.of_job:
        (run_name,) = database.one(
            connection, "SELECT name FROM run WHERE id = ?", [choice.of_job[_ONE]]
        )
        return choice.of_job[_ONE], str(run_name)
    pair = _timeline_of(connection, decoded, choice)
    if pair.timeline is not None:
        rows = connection.execute(
            "SELECT id, name FROM run WHERE id = ?", [pair.timeline.run_id]
        ).fetchall()
        return int(rows[0][0]), str(rows[0][1])
    run_id = choice.of_job.get(key) if key and pair.problem is None else None
    if run_id is None and decoded.facts.job_id is not None:
        rows = connection.execute(
            "SELECT max(id) FROM run WHERE job_id = ?", [decoded.facts.job_id]
        ).fetchall()
        run_id = rows[0][0]
    if run_id is None and len(replaced) == 1:
        (run_id,) = replaced
    if run_id is not None:
        rows = connection.execute(
            "SELECT name, (SELECT count(*) FROM trace "
            "WHERE run_id = run.id AND rank IS NOT DISTINCT FROM ? AND kind = ?) "
            "FROM run WHERE id = ?",
            [trace_rank(decoded, choice)[0], formats.by_name(decoded.importer_name).kind, run_id],
        ).fetchall()
        # None: it was dropped meanwhile. The same rank twice is another run of the same program.
        if rows and rows[0][1] == 0:
            return run_id, str(rows[0][0])
    name = _free_name(connection, _suggested_name(decoded, key is not None))
    return _new_run(connection, decoded, name), name


def _timeline_of(
    connection: duckdb.DuckDBPyConnection, decoded: Decoded, choice: RunChoice
) -> pairing.Pair:
    """The timeline a graph belongs to, if that was imported with it."""
    if formats.by_name(decoded.importer_name).kind != "graph" or not choice.timelines:
        return pairing.Pair()
    source = decoded.source
    place = f"{source.origin}/{source.member}" if source.member else source.origin
    rank, rule = trace_rank(decoded, choice)
    ids = ", ".join(map(str, choice.timelines))
    known = pairing.timelines(connection, f"t.id IN ({ids})")
    ranks = _common_ranks(connection) if len(known) > 1 else frozenset()
    graph = pairing.Graph(decoded.facts.pid, rank, rule, pairing.folder_of(place), ranks)
    pair = pairing.decide(graph, known, share_run=False)
    problem = pair.problem if pair.timeline is None else None
    if problem is not None and problem not in decoded.facts.problems:
        decoded.facts.problems.append(problem)
    return pair


def _common_ranks(connection: duckdb.DuckDBPyConnection) -> frozenset[int]:
    """Ranks a graph may be of by the process groups it names, where its importer knows any."""
    (n,) = database.one(
        connection,
        "SELECT count(*) FROM duckdb_tables() "
        "WHERE database_name = 'scratch' AND table_name = 'process_group'",
    )
    groups = "(SELECT ranks AS ranks_json FROM scratch.process_group)"
    return pairing.common_ranks(connection, groups) if n else frozenset()


def _new_run(connection: duckdb.DuckDBPyConnection, decoded: Decoded, name: str) -> int:
    run_id = _next_id(connection, "run")
    facts = decoded.facts
    connection.execute(
        "INSERT INTO run VALUES (?, ?, 'measured', ?, ?, ?, NULL, now() AT TIME ZONE 'UTC', NULL)",
        [run_id, name, facts.job_id, facts.world_size, facts.backend],
    )
    return run_id


def stem(file_name: str) -> str:
    """What a file's name says of its content, without the endings that say how it is stored."""
    return _ENDINGS.sub("", file_name).lstrip(".") or "trace"


def _stem(decoded: Decoded) -> str:
    return stem(decoded.source.file_name)


def _suggested_name(decoded: Decoded, is_rank: bool) -> str:
    """The file's stem, or its folder's name when the stem says no more than "trace"."""
    stem = _stem(decoded)
    if is_rank and (npu := _NPU.search(decoded.source.file_name)):
        return decoded.source.file_name[: npu.start()] or stem
    if (is_rank and _RANK.search(stem)) or _GENERIC_STEMS.match(stem):
        inner = Path(decoded.source.members[-1]) if decoded.source.members else decoded.source.path
        folder = inner.parent.name or decoded.source.path.name.split(".")[0]
        return folder or stem
    return stem


def _free_name(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    taken = {str(n) for (n,) in connection.execute("SELECT name FROM run").fetchall()}
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def _insert_trace(
    connection: duckdb.DuckDBPyConnection,
    importer: Importer,
    decoded: Decoded,
    choice: RunChoice,
    trace_id: int,
    run_id: int,
) -> None:
    facts, first_id = decoded.facts, trace_id << 32
    rank, rule = trace_rank(decoded, choice)
    first_ns, last_ns = database.one(connection, "SELECT first_ns, last_ns FROM scratch.origin")
    connection.execute(
        "INSERT INTO trace BY NAME SELECT $id AS id, $run AS run_id, $name AS name, "
        "$rank AS rank, $host AS host_name, $format AS format, $format_version AS format_version, "
        "$importer AS importer, $importer_version AS importer_version, $tw AS tw_version, "
        "now() AT TIME ZONE 'UTC' AS imported_at, "
        "$base AS base_ns, $source_base AS source_base_ns, $start AS start_ts, "
        "$end AS end_ts, $kind AS kind, $rule AS rank_rule, "
        "$clock AS clock_id, $ts_style AS ts_style, $dur_style AS dur_style, "
        "$metadata AS metadata_json",
        {
            "id": trace_id, "run": run_id, "name": _stem(decoded),
            "rank": rank, "rule": rule, "kind": importer.kind, "host": facts.host_name,
            "format": facts.format, "format_version": facts.format_version,
            "importer": importer.name, "importer_version": importer.version, "tw": __version__,
            "base": facts.source_base_ns + first_ns, "source_base": facts.source_base_ns,
            "start": None if importer.kind == "graph" else 0,
            "end": None if importer.kind == "graph" else last_ns - first_ns,
            "clock": first_id, "ts_style": facts.ts_style,
            "dur_style": facts.dur_style, "metadata": facts.metadata_json,
        },
    )  # fmt: skip
    connection.execute(
        "INSERT INTO clock VALUES (?, ?, 'host', NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        [first_id, trace_id],
    )
    for n, file in enumerate(decoded.files):
        connection.execute(
            "INSERT INTO source_file VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                first_id + n, trace_id, file.source.origin, file.source.member, file.role,
                file.n_stored_bytes, file.n_content_bytes, file.sha256,
            ],
        )  # fmt: skip


def _insert_problems(
    connection: duckdb.DuckDBPyConnection, decoded: Decoded, trace_id: int
) -> None:
    lost = {"unreadable_event", "not_an_event", "truncated", "metadata", "trailing_text",
            "truncated_gzip", "corrupt_gzip", "damaged_page", "damaged_row"}  # fmt: skip
    rows = [
        [p.kind, "error" if p.kind in lost else "warning", p.count, p.offset, p.example, p.meaning]
        for p in decoded.facts.problems
    ]
    rows += [
        [str(kind), str(severity), int(count), None, None, str(meaning)]
        for kind, severity, count, meaning in connection.execute(
            "SELECT kind, severity, count, meaning FROM scratch.problem WHERE count > 0"
        ).fetchall()
    ]
    for n, row in enumerate(rows, _count(connection, "import_problem", trace_id)):
        connection.execute(
            "INSERT INTO import_problem VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(trace_id << 32) + n, trace_id, *row],
        )


def _insert_stats(
    connection: duckdb.DuckDBPyConnection,
    decoded: Decoded,
    trace_id: int,
    seconds: dict[str, float],
) -> None:
    stats: list[tuple[str, str | None, float, str]] = [
        ("content", None, decoded.n_content_bytes, "byte"),
        *((name, None, value, "count") for name, value in _counts(connection, trace_id).items()),
        *(("unused", reason, n, "count") for reason, n in _named_counts(
            connection, "SELECT reason, n FROM scratch.unused").items()),
        *(("seconds", stage, value, "s") for stage, value in seconds.items()),
    ]  # fmt: skip
    # After what linking has written down of itself.
    for n, (name, detail, value, unit) in enumerate(
        stats, _count(connection, "import_stat", trace_id)
    ):
        connection.execute(
            "INSERT INTO import_stat VALUES (?, ?, ?, ?, ?, ?)",
            [(trace_id << 32) + n, trace_id, name, detail, value, unit],
        )


def _counts(connection: duckdb.DuckDBPyConnection, trace_id: int) -> dict[str, int]:
    (n_events,) = database.one(connection, "SELECT count(*) FROM scratch.event")
    return {
        "events": int(n_events),
        "slices": _count(connection, "slice", trace_id),
        "counter_values": _count(connection, "counter", trace_id),
        "flow_points": _count(connection, "flow_point", trace_id),
        "links": _count(connection, "link", trace_id),
        **{
            name: n
            for name, table in (("nodes", "graph_node"), ("edges", "graph_edge"),
                                ("tensors", "tensor"))
            if (n := _count(connection, table, trace_id))
        },
    }  # fmt: skip


def _count(connection: duckdb.DuckDBPyConnection, table: str, trace_id: int) -> int:
    (n,) = database.one(connection, f"SELECT count(*) FROM {table} WHERE trace_id = ?", [trace_id])
    return int(n)


def _named_counts(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, int]:
    return {str(name): int(n) for name, n in connection.execute(sql).fetchall()}

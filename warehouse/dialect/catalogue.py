"""Perfetto's tables in `tables.sql`: names, columns, types. A test compares both."""

from __future__ import annotations

from warehouse.dialect.scope import Column
from warehouse.dialect.values import Type

#: Hidden column beside a slice's arg_set_id: the arguments.
HIDDEN_ARGS = "tw args"

_SLICE = "id ts dur track_id category:t name:t depth parent_id arg_set_id:a thread_ts thread_dur"
_TEXTS = {
    "slice": f"{_SLICE} thread_instruction_count thread_instruction_delta cat:t slice_id",
    "process": "upid id pid name:t start_ts end_ts parent_upid uid android_appid android_user_id "
    "cmdline:t arg_set_id machine_id",
    "thread": "utid id tid name:t start_ts end_ts upid is_main_thread is_idle machine_id "
    "arg_set_id",
    "track": "id name:t type:t dimension_arg_set_id parent_id source_arg_set_id machine_id "
    "track_group_id",
    "thread_track": "id name:t type:t parent_id source_arg_set_id machine_id utid",
    "process_track": "id name:t type:t parent_id source_arg_set_id machine_id upid",
    "counter_track": "id name:t parent_id type:t dimension_arg_set_id source_arg_set_id "
    "machine_id unit:t description:t",
    "process_counter_track": "id name:t type:t parent_id source_arg_set_id machine_id unit:t "
    "description:t upid",
    "counter": "id ts track_id value:r arg_set_id",
    "counters": "id ts track_id value:r arg_set_id name:t unit:t",
    "instant": "ts track_id name:t arg_set_id:a",
    "trace_bounds": "start_ts end_ts",
    "flow": "id slice_out slice_in trace_id arg_set_id",
    "args": "id arg_set_id flat_key:t key:t int_value string_value:t real_value:r value_type:t "
    "display_value:t",
    "thread_slice": "id ts dur category:t name:t track_id track_name:t thread_name:t utid tid "
    "is_main_thread process_name:t upid pid depth parent_id arg_set_id:a thread_ts thread_dur",
    "process_slice": "id ts dur category:t name:t track_id track_name:t process_name:t upid pid "
    "depth parent_id arg_set_id:a thread_ts thread_dur",
    "thread_or_process_slice": "id ts dur category:t name:t track_id track_name:t thread_name:t "
    "utid tid process_name:t upid pid depth parent_id arg_set_id:a",
    "sched": "id ts dur cpu utid end_state:t priority ucpu ts_end",
    "sched_slice": "id ts dur cpu utid end_state:t priority ucpu",
    "thread_state": "id ts dur cpu utid state:t io_wait blocked_function:t waker_utid waker_id "
    "irq_context ucpu",
    "metadata": "id name:t key_type:t int_value str_value:t machine_id trace_id",
    "stats": "name:t idx severity:t source:t value description:t",
}
_TYPES = {"": Type.INT, "a": Type.INT, "t": Type.TEXT, "r": Type.REAL}


def _columns(text: str) -> list[Column]:
    found = []
    for each in text.split():
        name, _, kind = each.partition(":")
        hidden = HIDDEN_ARGS if kind == "a" else None
        found.append(Column(name, _TYPES[kind], _TYPES[kind], hidden))
    return found


TABLES: dict[str, list[Column]] = {name: _columns(text) for name, text in _TEXTS.items()}
ALIASES = {"slices": "slice"}
#: Modules of trace_processor whose tables are always available here.
BUILT_IN = ("prelude", "slices.slices", "slices.with_context")
#: The columns of ancestor_slice and descendant_slice.
RELATIVE_COLUMNS = [c for c in TABLES["slice"] if c.name not in ("cat", "slice_id")]

#: Tables of trace_processor without data in these traces, with hints.
INSTEAD = {
    "ftrace_event": "These traces have no kernel events; slices are in slice.",
    "raw": "These traces have no kernel events; slices are in slice.",
    "gpu_slice": "Kernels are in slice, with category 'kernel'.",
    "gpu_track": "The streams of a GPU are in thread_track.",
    "cpu_counter_track": "Counters are in counter_track and process_counter_track.",
    "sqlite_master": "The page docs/perfetto-sql.md lists the tables.",
}

_RELATIVE = ", ".join(f'r."{c.name}"' for c in RELATIVE_COLUMNS) + f', r."{HIDDEN_ARGS}"'
_FORWARD = """
SELECT parent_id AS origin, id AS target FROM slice WHERE parent_id IS NOT NULL
UNION ALL SELECT slice_out, slice_in FROM perfetto_flow"""
_BACKWARD = """
SELECT id AS origin, parent_id AS target FROM slice WHERE parent_id IS NOT NULL
UNION ALL SELECT slice_in, slice_out FROM perfetto_flow"""


def _reached(start: str, edges: str, name: str) -> str:
    return (
        f"{name}(id) AS (SELECT {start} UNION SELECT e.target FROM {name} "
        f"JOIN ({edges}) AS e ON e.origin = {name}.id)"
    )


def ancestors(start: str) -> str:
    """Returns SQL for the ancestors of the slice `start`."""
    return (
        f"WITH RECURSIVE up(id) AS (SELECT {start} UNION SELECT s.parent_id FROM up "
        "JOIN slice AS s ON s.id = up.id WHERE s.parent_id IS NOT NULL) "
        f"SELECT {_RELATIVE} FROM up JOIN perfetto_slice AS r ON r.id = up.id "
        f"WHERE up.id <> {start}"
    )


def descendants(start: str) -> str:
    """Returns SQL for the descendants of the slice `start`."""
    return (
        f"WITH RECURSIVE down(id) AS (SELECT {start} UNION SELECT s.id FROM down "
        "JOIN slice AS s ON s.parent_id = down.id AND (s.extra_json IS NULL "
        "OR coalesce(s.extra_json ->> 's', '') NOT IN ('g', 'p'))) "
        f"SELECT {_RELATIVE} FROM down JOIN perfetto_slice AS r ON r.id = down.id "
        f"WHERE down.id <> {start}"
    )


def following_flows(start: str) -> str:
    """Returns SQL for flows reached from a slice by following flows and descendants."""
    return (
        f"WITH RECURSIVE {_reached(start, _FORWARD, 'reached')} "
        "SELECT f.* FROM perfetto_flow AS f WHERE f.slice_out IN (SELECT id FROM reached)"
    )


def preceding_flows(start: str) -> str:
    """Returns SQL for flows reached from a slice by following flows backward and ancestors."""
    return (
        f"WITH RECURSIVE {_reached(start, _BACKWARD, 'reached')} "
        "SELECT f.* FROM perfetto_flow AS f WHERE f.slice_in IN (SELECT id FROM reached)"
    )


def connected_flows(start: str) -> str:
    """Returns SQL for the flows of chains that begin or end at a slice."""
    forward = "SELECT slice_out AS origin, slice_in AS target FROM perfetto_flow"
    backward = "SELECT slice_in AS origin, slice_out AS target FROM perfetto_flow"
    return (
        f"WITH RECURSIVE {_reached(start, forward, 'after')}, "
        f"{_reached(start, backward, 'before')} "
        "SELECT f.* FROM perfetto_flow AS f WHERE f.slice_out IN (SELECT id FROM after) "
        "OR f.slice_in IN (SELECT id FROM before)"
    )


def reached_by_flows(start: str) -> str:
    """Returns SQL for the slices that a depth-first search along flows reaches from a slice.

    In such a search the path to a slice is the least by the ids of its flows, so each slice keeps
    the least path found so far, and the slice before it.
    """
    return (
        "WITH RECURSIVE tree(id, parent_id, path) USING KEY (id) AS ("
        f"SELECT {start}, CAST(NULL AS BIGINT), CAST([] AS BIGINT[]) UNION "
        "SELECT f.slice_in, arg_min(tree.id, list_append(tree.path, f.id)), "
        "min(list_append(tree.path, f.id)) "
        "FROM tree JOIN perfetto_flow AS f ON f.slice_out = tree.id "
        "LEFT JOIN recurring.tree AS r ON r.id = f.slice_in "
        "WHERE r.id IS NULL OR r.path > list_append(tree.path, f.id) GROUP BY f.slice_in) "
        "SELECT id AS node_id, parent_id AS parent_node_id FROM tree"
    )


#: Table functions: their SQL for an argument, and their columns.
TABLE_FUNCTIONS = {
    "ancestor_slice": (ancestors, RELATIVE_COLUMNS),
    "descendant_slice": (descendants, RELATIVE_COLUMNS),
    "following_flow": (following_flows, TABLES["flow"]),
    "preceding_flow": (preceding_flows, TABLES["flow"]),
    "directly_connected_flow": (connected_flows, TABLES["flow"]),
    "connected_flow": (connected_flows, TABLES["flow"]),  # its name in older versions
    "_reached_by_flow": (reached_by_flows, _columns("node_id parent_node_id")),  # slices.flow
}

"""Records the reference tables of queries: `python -m tests.support.make_reference DATA [SET...]`.

DATA is the folder of recordings outside of the repository. Sets that exist are kept, with their
ids, unless they are named; a new set gets the next free ids. Digests are written afterwards, by
`tw queries check --write-lock`.
"""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
import zipfile
from pathlib import Path

import duckdb
from pyarrow import parquet

from tests.support import snapshots
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.library import library
from warehouse.query import reference, session
from warehouse.query.cases import find_cases
from warehouse.query.selection import Selection
from warehouse.store import catalog, database, migrate

TESTS = Path(__file__).parents[1]
RECORDED = "TIMESTAMP '2026-01-01'"
#: Traces of each set: paths below tests/data, or below DATA.
SOURCES = {
    "bladedisc": ["bladedisc/ok"],
    "chakra": ["execution_trace/gpu_cnn/kineto.json.gz", "execution_trace/gpu_cnn/host_et.json.gz"],
    "ctf": ["ctf/cuda/trace.tar.gz"],
    "disc_replay": ["gpu/nsys_replay_synthetic/replay_capture_range.sqlite", "bladedisc/dup"],
    "dpro": ["dpro/nccl_ring_2x1_tiny"],
    "flight_recorder": ["flight_recorder/gloo_missing"],
    "kineto": ["kineto/gpu_handwritten/trace.json"],
    "kineto_cpu": ["kineto/cpu_run/trace.json.gz"],
    "kineto_ranks": ["kineto/ddp_two_ranks/rank0.json.gz", "kineto/ddp_two_ranks/rank1.json.gz"],
    "memory_timeline": ["memory_timeline/cpu_run/timeline.raw.json.gz"],
    "nsys": ["gpu/nsys_replay_synthetic/replay_full.sqlite"],
    "nvprof": ["gpu/nvprof_replay/replay_v9.nvvp"],
    "rocm": ["gpu/rocpd_synthetic/replay_results.db"],
    "sophgo": ["bigtpu/aks_m1_8core_cdma/input"],
    "sophgo_layers": ["bigtpu/aks_bmodel_layers/input"],
    "xplane": ["xplane/jax"],
}
#: Cases of queries that find nothing in recordings, such as checks; by set, which stay as they are.
CASES = {
    "cases": (
        "check_clock_contradiction", "check_clock_interval", "check_clock_offset",
        "check_correlation_reuse", "check_empty_trace", "check_graph_backward", "check_id_unique",
        "check_kernel_class", "check_rank_range", "check_reference", "check_repeated_work",
        "check_same_rank", "check_stale_link", "check_step_gap", "check_step_sets",
        "check_unfinished_slice", "check_work_before_launch", "communication_volume",
        "cuda_memcpy_sync", "cuda_memset_sync", "gpu_gaps", "gpu_time_by_python_frame", "inbox",
        "memory_by_frame", "memory_fragmentation", "mpi_event_sum", "nvtx_startend_sum",
        "openacc_sum", "openmp_sum", "python_flame", "step_statistics",
    ),
    "cases_captures": ("link_graph_capture",),
    "cases_compiled": ("compiled_work",),
    "cases_diagnose": (
        "finding_below_roofline", "finding_data_loading", "finding_low_precision",
        "finding_slow_collective", "finding_recompilation", "finding_unaligned_shape",
        "finding_memory_limit", "finding_fragmentation",
    ),
    "cases_buckets": ("finding_bucket_size",),
    "cases_disc": ("cluster_problems",),
    "cases_disc_times": ("cluster_times",),
    "cases_graph": ("replay_graph_node",),
    "cases_inference": ("inference_step",),
    "cases_leaf": ("check_leaf_slice",),
    "cases_model": ("device_prediction", "fused_sample", "model_prediction", "precision_sample"),
    "cases_pipeline": ("pipeline_bubble",),
    "cases_predicted": ("predicted_path",),
    "cases_ranks": ("check_collective_doubt",),
    "cases_replay": (
        "check_lost_events", "prediction_summary", "replay_error", "replay_problem", "tf_queue",
        "tf_rpc", "what_if_batch", "what_if_buckets", "what_if_insert", "what_if_world_size",
    ),
}  # fmt: skip
CASE_STEP = 16  # ids of traces and runs set aside for each case


def main(data: Path, named: list[str]) -> None:
    sets = [*SOURCES, "memory_snapshot", *CASES]
    missing = [name for name in sets if name in named or name not in reference.sets()]
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "reference.duckdb"
        for name in missing:
            (reference.folder() / f"{name}.zip").unlink(missing_ok=True)
        reference.build(db)
        for name in missing:
            if name in CASES:
                add_cases(db, name)
            else:
                record(db, name, sources(name, data, Path(folder)))
            write(db, name)


def sources(name: str, data: Path, folder: Path) -> list[Path]:
    if name == "memory_snapshot":
        path = folder / "snapshot.pickle.gz"
        path.write_bytes(gzip.compress(snapshots.make(1).pickled()))
        return [path]
    places = [(TESTS / "data" / each, data / each) for each in SOURCES[name]]
    return [ours if ours.exists() else theirs for ours, theirs in places]


def record(db: Path, name: str, paths: list[Path]) -> None:
    """Imports files as the run `name`, without what differs each time."""
    outcomes = pipeline.import_paths(
        [str(path) for path in paths], db=db, options=Options(run=name, jobs=1)
    )
    assert {each.status for each in outcomes} - {"ignored"} == {"imported"}, outcomes
    with database.writer(db) as connection:
        for statement in (
            f"UPDATE run SET created_at = {RECORDED} WHERE name = '{name}'",
            f"UPDATE trace SET imported_at = {RECORDED}, tw_version = '0'",
            "UPDATE source_file SET path = parse_filename(path)",
            "UPDATE import_stat SET value = 0 "
            "WHERE name IN ('seconds', 'cpu_seconds', 'typed_events')",
        ):
            connection.execute(statement)


def add_cases(db: Path, name: str) -> None:
    """Adds the rows of cases, with ids shifted so that they do not meet those of other sets."""
    chosen = {case.query: case for case in reversed(find_cases(TESTS / "queries" / "cases"))}
    with database.writer(db) as connection:
        (first,) = database.one(connection, "SELECT max(id) FROM trace")
        for place, query in enumerate(CASES[name], 1):
            with duckdb.connect() as case:
                migrate.upgrade(case)
                for file in chosen[query].inputs():
                    for statement in case.extract_statements(file.read_text()):
                        case.execute(statement).fetchall()
                case.execute(
                    "UPDATE run SET name = concat_ws('/', ?, id, name)", [f"{name}/{query}"]
                )
                copy(case, connection, int(first) + place * CASE_STEP)


def copy(case: duckdb.DuckDBPyConnection, target: duckdb.DuckDBPyConnection, by: int) -> None:
    for table in catalog.tables(case):
        if table.kind != "table" or table.name == "schema_migration":
            continue
        columns = [
            f'{shifted(column, table.name, by)} AS "{column.name}"'
            for column in catalog.columns(case, table.name)
        ]
        rows = case.sql(f'SELECT {", ".join(columns)} FROM "{table.name}"').to_arrow_table()
        if rows.num_rows:
            target.register("case_rows", rows)
            target.execute(f'INSERT INTO "{table.name}" BY NAME FROM case_rows')
            target.unregister("case_rows")


def shifted(column: catalog.Column, table: str, by: int) -> str:
    """A column as SQL; ids of rows of a trace hold the trace's id above bit 32."""
    name = f'"{column.name}"'
    if column.type != "BIGINT":
        return name
    if column.unit in ("ref run.id", "ref trace.id") or (
        column.unit == "id" and table in ("run", "trace")
    ):
        return f"{name} + {by}"
    if column.unit == "id" or column.unit.startswith("ref "):
        # Cases may count ids from 0: those become ids of their first trace.
        return (
            f"CASE WHEN {name} < 0 THEN {name} - {by << 32} "
            f"WHEN {name} < {1 << 32} THEN {name} + {(by + 1) << 32} ELSE {name} + {by << 32} END"
        )
    return name


def write(db: Path, name: str) -> None:
    """Stores the rows of one set: those of its runs; in `cases`, also those that belong to none."""
    path = reference.folder() / f"{name}.zip"
    with (
        session.opened(session.Place(db), Selection(runs=("all",)), library.load()) as opened,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        reference.choose(opened, name)
        related = catalog.relation_tables(opened.connection)
        for table in catalog.tables(opened.connection):
            rows = opened.connection.sql(f'FROM "{table.name}"').to_arrow_table()
            is_own = table.name not in ("schema_migration", "query_version")
            is_own &= table.name != "inbox_file" or name == "cases"
            # Rows of no scope would be part of every set.
            is_own &= table.name not in related or name == "disc_replay"
            is_own &= not table.name.startswith("cost_model") or name == "cases_model"
            if table.kind == "table" and rows.num_rows and is_own:
                content = io.BytesIO()
                parquet.write_table(rows, content, compression="none", write_statistics=False,
                                    store_schema=False)  # fmt: skip
                info = zipfile.ZipInfo(f"{table.name}.parquet", (2026, 1, 1, 0, 0, 0))
                file.writestr(info, content.getvalue(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

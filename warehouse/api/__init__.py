"""The Python API: the verbs and options of the command line.

    import warehouse

    wh = warehouse.open("traces.duckdb")
    wh.import_("traces/")
    wh.scope(run="latest", rank=0).query("utilization_over_time", bucket_ns="10ms").df()
    wh.scope(run="latest").export("perfetto", "run.pftrace")

Outside a `with` block the file is locked only while a method runs, so that other processes can
write between calls. Inside, it is locked throughout, which saves reopening it and shows a
consistent state; methods that write cannot be called there.
"""

from warehouse.api.warehouse import Warehouse, open_warehouse

__all__ = ["Warehouse", "open_warehouse"]

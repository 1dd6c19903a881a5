"""Small Trace Event documents and statements about them that trace_processor answers as well.

The cases follow the diff tests of Perfetto's JSON importer; documents and statements are our own.
"""

from __future__ import annotations

from typing import NamedTuple

SLICES = "SELECT name, ts, dur, depth FROM slice ORDER BY ts, dur DESC, name"
ARGUMENTS = """
SELECT s.name, a.key, a.string_value, a.int_value
FROM slice AS s JOIN args AS a USING (arg_set_id)
ORDER BY s.name, a.key
"""
COUNTERS = """
SELECT t.name, p.pid, c.ts, c.value
FROM counter AS c
JOIN process_counter_track AS t ON t.id = c.track_id
JOIN process AS p USING (upid)
ORDER BY t.name, c.ts
"""
THREADS = """
SELECT s.name, t.tid, t.name AS thread_name, p.pid, p.name AS process_name
FROM slice AS s
JOIN thread_track AS k ON k.id = s.track_id
JOIN thread AS t USING (utid)
LEFT JOIN process AS p USING (upid)
ORDER BY s.ts, s.name
"""
FLOWS = """
SELECT o.name AS "from", i.name AS "to"
FROM flow AS f JOIN slice AS o ON o.id = f.slice_out JOIN slice AS i ON i.id = f.slice_in
ORDER BY o.ts, i.ts
"""


ANY = '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1}]'


class Case(NamedTuple):
    """A document and a statement."""

    document: str
    sql: str


CASES = {
    "an end closes the begin of its name": Case(
        """[
        {"ph":"B","name":"outer","pid":1,"tid":1,"ts":0},
        {"ph":"B","name":"inner","pid":1,"tid":1,"ts":1},
        {"ph":"E","name":"outer","pid":1,"tid":1,"ts":5},
        {"ph":"B","name":"next","pid":1,"tid":1,"ts":6},
        {"ph":"E","name":"next","pid":1,"tid":1,"ts":8}]""",
        SLICES,
    ),
    "an end whose begin was lost closes nothing": Case(
        """[
        {"ph":"B","name":"a","pid":1,"tid":1,"ts":1},
        {"ph":"E","name":"lost","pid":1,"tid":1,"ts":2},
        {"ph":"B","name":"b","pid":1,"tid":1,"ts":3},
        {"ph":"E","name":"b","pid":1,"tid":1,"ts":4},
        {"ph":"E","name":"a","pid":1,"tid":1,"ts":9}]""",
        SLICES,
    ),
    "categories of begin and end differ": Case(
        """[
        {"ph":"B","name":"a","cat":"x","pid":1,"tid":1,"ts":1},
        {"ph":"E","name":"a","cat":"y","pid":1,"tid":1,"ts":2},
        {"ph":"E","name":"a","pid":1,"tid":1,"ts":3}]""",
        SLICES,
    ),
    "an end without a name closes the last begin": Case(
        """[
        {"ph":"B","name":"a","pid":1,"tid":1,"ts":0},
        {"ph":"B","name":"b","pid":1,"tid":1,"ts":1},
        {"ph":"E","pid":1,"tid":1,"ts":5},
        {"ph":"E","name":"a","pid":1,"tid":1,"ts":6}]""",
        SLICES,
    ),
    "slices of one time nest by length": Case(
        """[
        {"ph":"X","name":"child","ts":1,"dur":5,"pid":1},
        {"ph":"X","name":"parent","ts":1,"dur":10,"pid":1,"tid":1}]""",
        SLICES,
    ),
    "a document that ends early": Case(
        """[
        {"name":"check","ph":"X","ts":4619295550.000,"dur":8000.000,"pid":306339,"tid":3},""",
        SLICES,
    ),
    "a comma behind the last event": Case(
        """{"displayTimeUnit":"ms","traceEvents":[
        {"name":"a","ph":"X","tid":0,"ts":3473608.458,"dur":295555.500},
        {"name":"b","ph":"X","tid":0,"ts":4890.000,"dur":3764289.708},
        ]}""",
        SLICES,
    ),
    "async slices of one id and several names": Case(
        """[
        {"ph":"b","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":0,"args":{"of":1}},
        {"ph":"b","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":10,"args":{"of":2}},
        {"ph":"e","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":15},
        {"ph":"e","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":40},
        {"ph":"n","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":20}]""",
        SLICES,
    ),
    "async slices that overlap": Case(
        """[
        {"ph":"b","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":0},
        {"ph":"b","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":10},
        {"ph":"e","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":20},
        {"ph":"e","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":40}]""",
        SLICES,
    ),
    "arguments of overlapping async slices": Case(
        """[
        {"ph":"b","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":0,"args":{"begin":"a"}},
        {"ph":"b","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":10,"args":{"begin":"b"}},
        {"ph":"e","name":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":20,"args":{"end":"b"}},
        {"ph":"e","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":40,"args":{"end":"a"}}]""",
        ARGUMENTS,
    ),
    "ids mean the same in all processes": Case(
        """[
        {"ph":"b","name":"a","cat":"c","id":"0x5","pid":1,"tid":1,"ts":0},
        {"ph":"e","name":"a","cat":"c","id":"0x5","pid":2,"tid":1,"ts":3},
        {"ph":"b","name":"b","cat":"c","id2":{"global":"g"},"pid":1,"tid":1,"ts":5},
        {"ph":"e","name":"b","cat":"c","id2":{"global":"g"},"pid":2,"tid":1,"ts":7}]""",
        SLICES,
    ),
    "local ids belong to one process": Case(
        """[
        {"ph":"b","name":"a","cat":"c","id2":{"local":"1"},"pid":1,"tid":1,"ts":0},
        {"ph":"e","name":"a","cat":"c","id2":{"local":"1"},"pid":2,"tid":1,"ts":3}]""",
        SLICES,
    ),
    "categories separate async slices": Case(
        """[
        {"ph":"b","name":"a","cat":"c","id":1,"pid":1,"tid":1,"ts":0},
        {"ph":"e","name":"a","cat":"d","id":1,"pid":1,"tid":1,"ts":3}]""",
        SLICES,
    ),
    "without a thread, the main thread of the process is meant": Case(
        """[
        {"ph":"M","name":"process_name","pid":33,"args":{"name":"job"}},
        {"ph":"X","name":"by pid","pid":33,"ts":0,"dur":1},
        {"ph":"X","name":"by both","pid":33,"tid":33,"ts":2,"dur":1},
        {"ph":"X","name":"other","pid":33,"tid":34,"ts":4,"dur":1}]""",
        THREADS,
    ),
    "names of threads and processes": Case(
        """[
        {"ph":"B","pid":30,"tid":31,"ts":790,"name":"a","cat":"c"},
        {"ph":"E","pid":30,"tid":31,"ts":815,"name":"a","cat":"c"},
        {"ph":"M","pid":30,"tid":0,"ts":830,"name":"process_name","args":{"name":"P"}},
        {"ph":"M","pid":30,"tid":31,"ts":840,"name":"thread_name","args":{"name":"T"}},
        {"ph":"B","pid":30,"tid":32,"ts":900,"name":"b"},
        {"ph":"E","pid":30,"tid":32,"ts":950}]""",
        THREADS,
    ),
    "texts as process and thread": Case(
        """[{"pid":"foo","tid":"bar","ts":5.1,"dur":500.1,"name":"n","ph":"X","cat":"aaa"}]""",
        "SELECT s.ts, s.dur, t.name, p.name FROM slice AS s JOIN thread_track AS k"
        " ON k.id = s.track_id JOIN thread AS t USING (utid) LEFT JOIN process AS p USING (upid)",
    ),
    "threads that only counters and async slices name": Case(
        """[
        {"ph":"C","name":"c","pid":1,"tid":5,"ts":0,"args":{"v":1}},
        {"ph":"b","name":"a","cat":"c","id":1,"pid":1,"tid":6,"ts":0},
        {"ph":"e","name":"a","cat":"c","id":1,"pid":1,"tid":7,"ts":3}]""",
        "SELECT t.tid, p.pid FROM thread AS t JOIN process AS p USING (upid)"
        " WHERE p.pid = 1 ORDER BY t.tid",
    ),
    "counters with an id": Case(
        """[
        {"ph":"C","name":"c","id":"g1","pid":1,"ts":0,"args":{"v":1,"w":2.5}},
        {"ph":"C","name":"c","id":"g2","pid":1,"ts":1,"args":{"v":3}},
        {"ph":"C","name":"c","pid":1,"ts":2,"args":{"v":4}}]""",
        COUNTERS,
    ),
    "numbers of counters written as texts": Case(
        """[{"ph":"C","name":"c","pid":3,"tid":4,"ts":3,"args":{
        "leading_dot":".75","trailing_dot":"246.","zero":"01.23","octal":"050","plus":"+10.5"}}]""",
        COUNTERS,
    ),
    "flows of version 2": Case(
        """[
        {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":2,"bind_id":"0x1","flow_out":true},
        {"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":2,"bind_id":"0x1","flow_in":true,
         "flow_out":true},
        {"ph":"B","name":"c","pid":1,"tid":3,"ts":8,"bind_id":"0x1","flow_in":true},
        {"ph":"E","name":"c","pid":1,"tid":3,"ts":9},
        {"ph":"X","name":"d","pid":1,"tid":4,"ts":9,"dur":1,"bind_id":"0x1","flow_in":true}]""",
        FLOWS,
    ),
    "flows with several ends": Case(
        """[
        {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":2},
        {"ph":"s","name":"f","cat":"c","id":1,"pid":1,"tid":1,"ts":1},
        {"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":2},
        {"ph":"f","bp":"e","name":"f","cat":"c","id":1,"pid":1,"tid":2,"ts":6},
        {"ph":"X","name":"d","pid":1,"tid":3,"ts":8,"dur":2},
        {"ph":"f","bp":"e","name":"f","cat":"c","id":1,"pid":1,"tid":3,"ts":9}]""",
        FLOWS,
    ),
    "all flows that lead to or from a slice": Case(
        """[
        {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":2,"bind_id":"0x1","flow_out":true},
        {"ph":"X","name":"b","pid":1,"tid":2,"ts":5,"dur":2,"bind_id":"0x1","flow_in":true},
        {"ph":"X","name":"b","pid":1,"tid":2,"ts":8,"dur":2,"bind_id":"0x2","flow_out":true},
        {"ph":"X","name":"d","pid":1,"tid":4,"ts":11,"dur":1,"bind_id":"0x2","flow_in":true}]""",
        "SELECT o.name AS a, i.name AS b"
        " FROM directly_connected_flow((SELECT id FROM slice WHERE name = 'd')) AS f"
        " JOIN slice AS o ON o.id = f.slice_out JOIN slice AS i ON i.id = f.slice_in",
    ),
    "thread time of begins and ends": Case(
        """[
        {"ph":"B","name":"a","pid":1,"tid":1,"ts":0,"tts":10},
        {"ph":"E","name":"a","pid":1,"tid":1,"ts":9,"tts":14.5},
        {"ph":"X","name":"b","pid":1,"tid":1,"ts":10,"dur":5,"tts":15,"tdur":2.25},
        {"ph":"X","name":"c","pid":1,"tid":1,"ts":20,"dur":5}]""",
        "SELECT name, thread_ts, thread_dur FROM slice ORDER BY ts",
    ),
    "instants of thread, process and trace": Case(
        """[
        {"ph":"I","pid":10,"tid":11,"ts":300,"name":"global","s":"g"},
        {"ph":"I","pid":10,"tid":0,"ts":310,"name":"process","s":"p","args":{"x":"y"}},
        {"ph":"I","pid":10,"tid":11,"ts":320,"name":"thread","s":"t"},
        {"ph":"i","pid":10,"tid":12,"ts":330,"name":"default"},
        {"ph":"R","pid":10,"tid":11,"ts":340,"name":"r","s":"g"}]""",
        "SELECT s.name, s.ts, s.dur, k.type FROM slice AS s JOIN track AS k ON k.id = s.track_id"
        " ORDER BY s.ts",
    ),
    "a table of values": Case(ANY, "SELECT * FROM (VALUES (1, 'a'), (2, 'b'))"),
    "the order of a union by a qualified column": Case(
        """[{"ph":"X","name":"b","pid":1,"tid":1,"ts":0,"dur":1},
        {"ph":"X","name":"a","pid":1,"tid":1,"ts":2,"dur":1}]""",
        "SELECT s.name FROM slice AS s WHERE ts = 0 UNION ALL"
        " SELECT s.name FROM slice AS s WHERE ts > 0 ORDER BY s.name",
    ),
    "a view that is replaced": Case(
        ANY,
        "CREATE PERFETTO VIEW v AS SELECT 1 AS x; CREATE OR REPLACE PERFETTO VIEW v AS"
        " SELECT 2 AS y; SELECT * FROM v",
    ),
    "a table that is replaced": Case(
        ANY,
        "CREATE PERFETTO TABLE t AS SELECT 1 AS x; CREATE OR REPLACE PERFETTO TABLE t AS"
        " SELECT 2 AS y; SELECT * FROM t",
    ),
    "no scheduling and no thread states": Case(
        """[{"ph":"X","name":"b","pid":1,"tid":1,"ts":0,"dur":1}]""",
        "SELECT (SELECT count(*) FROM sched) AS a, (SELECT count(*) FROM thread_state) AS b",
    ),
    "records that failed are in the statistics": Case(
        """[{"ph":"C","name":"c","pid":1,"ts":0,"args":{"v":"no number"}},
        {"ph":"E","name":"a","pid":1,"tid":1,"ts":0}]""",
        "SELECT name, value FROM stats WHERE value > 0"
        " AND name IN ('json_parser_failure', 'misplaced_end_event') ORDER BY name",
    ),
    "slices that never end contain the last one": Case(
        """[{"ph":"B","name":"a","pid":1,"tid":1,"ts":10},
        {"ph":"B","name":"b","pid":1,"tid":1,"ts":20},
        {"ph":"X","name":"c","pid":1,"tid":1,"ts":20,"dur":0}]""",
        SLICES,
    ),
    "metadata of the trace": Case(
        """[{"ph":"X","name":"b","pid":1,"tid":1,"ts":0,"dur":1}]""",
        "SELECT str_value FROM metadata WHERE name = 'trace_type'",
    ),
}

#: Cases where the answer differs from trace_processor's, with the reason and the rows.
DIFFERENT: dict[str, tuple[str, list[list[object]]]] = {
    "async slices that overlap": (
        "async slices may overlap; trace_processor ends the inner one with the outer one",
        [["a", 0, 20000, 0], ["b", 10000, 30000, 0]],
    ),
}

"""Perfetto's protobuf messages, with the fields that are read.

Annotations of events are left as bytes: many are equal to others of their sequence.

Field numbers: github.com/google/perfetto, protos/perfetto/trace/: trace_packet.proto,
track_event/*.proto, interned_data/interned_data.proto, clock_snapshot.proto,
trace_packet_defaults.proto, ps/process_tree.proto.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tw_importers.protobuf.declared import Messages

_DECLARED: Final = {
    "Annotation": {
        "name_iid": (1, "uint64"), "name": (10, "bytes"), "bool": (2, "bool?"),
        "uint": (3, "uint64?"), "int": (4, "int64?"), "double": (5, "double?"),
        "text": (6, "bytes?"), "pointer": (7, "uint64?"), "nested": (8, "Nested?"),
        "json": (9, "bytes?"), "text_iid": (17, "uint64?"), "proto": (14, "bytes"),
        "entries": (11, "Annotation*"), "values": (12, "Annotation*"),
    },
    "Nested": {
        "keys": (2, "bytes*"), "values": (3, "Nested*"), "items": (4, "Nested*"),
        "int": (5, "int64?"), "double": (6, "double?"), "bool": (7, "bool?"),
        "text": (8, "bytes?"),
    },
    "Legacy": {
        "name_iid": (1, "uint64"), "phase": (2, "int32"), "duration_us": (3, "int64"),
        "unscoped_id": (6, "uint64?"), "local_id": (10, "uint64?"), "global_id": (11, "uint64?"),
        "id_scope": (7, "bytes"), "pid_override": (18, "int32"), "tid_override": (19, "int32"),
    },
    "Event": {
        "category_iids": (3, "uint64*"), "categories": (22, "bytes*"), "name_iid": (10, "uint64"),
        "name": (23, "bytes"), "type": (9, "int32"), "track_uuid": (11, "uint64"),
        "int_value": (30, "int64"), "double_value": (44, "double"),
        "counters": (31, "uint64*"), "counter_values": (12, "int64*"),
        "double_counters": (45, "uint64*"), "double_counter_values": (46, "double*"),
        "flows_old": (36, "uint64*"), "flows": (47, "fixed64*"),
        "last_flows_old": (42, "uint64*"), "last_flows": (48, "fixed64*"),
        "annotations": (4, "bytes*"), "task": (5, "Task"), "log": (21, "Log"),
        "location": (33, "Location"), "location_iid": (34, "uint64"),
        "correlation": (52, "uint64?"), "correlation_text": (53, "bytes?"),
        "correlation_iid": (54, "uint64?"),
        "delta_us": (1, "int64"), "absolute_us": (16, "int64"), "legacy": (6, "Legacy"),
    },
    "Location": {
        "iid": (1, "uint64"), "file": (2, "bytes"), "function": (3, "bytes"),
        "line": (4, "uint32"),
    },
    "Task": {"location_iid": (1, "uint64")},
    "Log": {"location_iid": (1, "uint64"), "body_iid": (2, "uint64"), "priority": (3, "int32")},
    "Name": {"iid": (1, "uint64"), "name": (2, "bytes")},
    "Interned": {
        "categories": (1, "Name*"), "names": (2, "Name*"), "keys": (3, "Name*"),
        "locations": (4, "Location*"), "log_bodies": (20, "Name*"), "texts": (29, "Name*"),
        "correlations": (43, "Name*"),
    },
    "Process": {
        "pid": (1, "int32"), "command": (2, "bytes*"), "name": (6, "bytes"),
        "sort_index": (3, "int32"), "labels": (8, "bytes*"),
    },
    "Thread": {
        "pid": (1, "int32"), "tid": (2, "int64"), "name": (5, "bytes"),
        "sort_index": (3, "int32"), "reference_us": (6, "int64"),
    },
    "Counter": {
        "type": (1, "int32"), "unit": (3, "int32"), "unit_name": (6, "bytes"),
        "multiplier": (4, "int64"), "is_incremental": (5, "bool"),
    },
    "Track": {
        "uuid": (1, "uint64"), "parent": (5, "uint64"), "name": (2, "bytes"),
        "static_name": (10, "bytes"), "description": (14, "bytes"), "process": (3, "Process"),
        "thread": (4, "Thread"), "counter": (8, "Counter"), "rank": (12, "int32"),
    },
    "Clock": {
        "id": (1, "uint32"), "timestamp": (2, "uint64"), "is_incremental": (3, "bool"),
        "unit_ns": (4, "uint64"),
    },
    "Clocks": {"clocks": (1, "Clock*"), "primary": (2, "int32")},
    "EventDefaults": {
        "track_uuid": (11, "uint64"), "counters": (31, "uint64*"),
        "double_counters": (45, "uint64*"),
    },
    "Defaults": {"clock": (58, "uint32"), "event": (11, "EventDefaults")},
    "TreeProcess": {"pid": (1, "int32"), "command": (3, "bytes*")},
    "TreeThread": {"tid": (1, "int32"), "name": (2, "bytes"), "pid": (3, "int32")},
    "Tree": {"processes": (1, "TreeProcess*"), "threads": (2, "TreeThread*")},
    "Extensions": {"files": (1, "bytes"), "packed": (2, "bytes")},
    "Packet": {
        "timestamp": (8, "uint64"), "clock": (58, "uint32"), "event": (11, "Event"),
        "track": (60, "Track"), "process": (43, "Process"), "thread": (44, "Thread"),
        "tree": (2, "Tree"), "clocks": (6, "Clocks"), "sequence": (10, "uint32"),
        "interned": (12, "Interned"), "flags": (13, "uint32"), "cleared": (41, "bool"),
        "defaults": (59, "Defaults"), "dropped": (42, "uint32"), "compressed": (50, "bytes"),
        "extensions": (72, "bytes"),
    },
}  # fmt: skip


@cache
def messages() -> Messages:
    """The classes of the messages."""
    return Messages("trace_warehouse.perfetto", _DECLARED)

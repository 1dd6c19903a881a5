"""XProf's protobuf messages, with what is read piece by piece left as bytes.

Statistics of events are bytes, too: most are equal to others of the plane.

Field numbers: github.com/openxla/xla, third_party/tsl/tsl/profiler/protobuf/xplane.proto,
and for compiled modules xla/service/hlo.proto and xla/xla_data.proto.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tw_importers.protobuf.declared import Messages

_DECLARED: Final = {
    "Statistic": {
        "metadata_id": (1, "int64"), "double": (2, "double?"), "uint64": (3, "uint64?"),
        "int64": (4, "int64?"), "text": (5, "bytes?"), "bytes": (6, "bytes?"),
        "ref": (7, "uint64?"),
    },
    "Event": {
        "metadata_id": (1, "int64"), "offset_ps": (2, "int64"), "duration_ps": (3, "int64"),
        "stats": (4, "bytes*"), "num_occurrences": (5, "int64"),
    },
    "Line": {
        "id": (1, "int64"), "name": (2, "bytes"), "timestamp_ns": (3, "int64"),
        "events": (4, "Event*"), "display_id": (10, "int64"), "display_name": (11, "bytes"),
    },
    "EventMetadata": {
        "id": (1, "int64"), "name": (2, "bytes"), "metadata": (3, "bytes"),
        "display_name": (4, "bytes"), "stats": (5, "Statistic*"),
    },
    "StatMetadata": {"id": (1, "int64"), "name": (2, "bytes")},
    "EventEntry": {"key": (1, "int64"), "value": (2, "EventMetadata")},
    "StatEntry": {"key": (1, "int64"), "value": (2, "StatMetadata")},
    "Computation": {"instructions": (2, "Instruction*")},
    "Instruction": {
        "name": (1, "bytes"), "opcode": (2, "bytes"), "metadata": (7, "OpMetadata"),
        "fusion_kind": (11, "bytes"), "window": (15, "Window"),
    },
    "OpMetadata": {
        "op_type": (1, "bytes"), "op_name": (2, "bytes"), "source_file": (3, "bytes"),
        "source_line": (4, "int64"), "stack_frame_id": (15, "int64"),
    },
    "Frames": {
        "files": (1, "bytes*"), "locations": (3, "Location*"), "frames": (4, "Frame*"),
    },
    "Location": {"file_id": (1, "int64"), "line": (3, "int64")},
    "Frame": {"location_id": (1, "int64")},
    "Window": {"dimensions": (1, "WindowDimension*")},
    "WindowDimension": {"window_dilation": (5, "int64"), "base_dilation": (6, "int64")},
}  # fmt: skip


@cache
def messages() -> Messages:
    """The classes of the messages."""
    return Messages("trace_warehouse.xplane", _DECLARED)

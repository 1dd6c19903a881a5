"""TensorFlow's messages of a step: who ran what, when, and which tensors and memory it had.

Field numbers: github.com/tensorflow/tensorflow, core/framework: step_stats.proto,
tensor_description.proto, tensor_shape.proto, allocation_description.proto.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tw_importers.protobuf.declared import Messages

_DECLARED: Final = {
    "Node": {
        "node_name": (1, "bytes"), "all_start_micros": (2, "int64"),
        "op_start_rel_micros": (3, "int64"), "op_end_rel_micros": (4, "int64"),
        "all_end_rel_micros": (5, "int64"), "memory": (6, "Memory*"), "output": (7, "Output*"),
        "timeline_label": (8, "bytes"), "scheduled_micros": (9, "int64"),
        "thread_id": (10, "uint32"), "all_start_nanos": (13, "int64"),
        "op_start_rel_nanos": (14, "int64"), "op_end_rel_nanos": (15, "int64"),
        "all_end_rel_nanos": (16, "int64"), "scheduled_nanos": (17, "int64"),
    },
    "Memory": {
        "allocator_name": (1, "bytes"), "total_bytes": (2, "int64"), "peak_bytes": (3, "int64"),
        "live_bytes": (4, "int64"), "bytes_in_use": (5, "int64"), "records": (6, "Allocation*"),
    },
    "Allocation": {"alloc_micros": (1, "int64"), "alloc_bytes": (2, "int64")},
    "Output": {"slot": (1, "int32"), "tensor": (3, "Tensor")},
    "Tensor": {"dtype": (1, "int32"), "shape": (2, "Shape"), "allocation": (4, "Storage")},
    "Shape": {"dim": (2, "Dimension*"), "is_unknown": (3, "bool")},
    "Dimension": {"size": (1, "int64")},
    "Storage": {
        "requested_bytes": (1, "int64"), "allocated_bytes": (2, "int64"),
        "allocator_name": (3, "bytes"), "ptr": (6, "uint64"),
    },
    "ThreadName": {"key": (1, "uint32"), "value": (2, "bytes")},
}  # fmt: skip

#: Names of DataType (core/framework/types.proto).
TYPES: Final = (
    "invalid", "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64",
    "int64", "bool", "qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16",
    "complex128", "float16", "resource", "variant", "uint32", "uint64", "float8_e5m2",
    "float8_e4m3fn",
)  # fmt: skip


@cache
def messages() -> Messages:
    """The classes of the messages."""
    # Loaded here, because every import asks whether a file is of this format.
    from tw_importers.protobuf.declared import Messages

    return Messages("trace_warehouse.tf_run_metadata", _DECLARED)

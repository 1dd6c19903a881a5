"""Messages of a dumped cluster: BladeDISC's compiler input, and what it holds of TensorFlow's.

Field numbers: github.com/alibaba/BladeDISC, tao/tao_bridge/tao_compiler_input.proto;
github.com/tensorflow/tensorflow, core/framework: function.proto, op_def.proto, node_def.proto,
attr_value.proto, tensor.proto, tensor_shape.proto. Values of attributes stay bytes: they are
compared, not read.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tw_importers.protobuf.declared import Messages

_DECLARED: Final = {
    "Program": {
        "options": (1, "Options"), "function": (2, "bytes"), "args": (3, "Argument*"),
        "env": (4, "Entry*"),
    },
    "Options": {
        "device_type": (1, "bytes"), "device_ordinal": (2, "int32"), "library": (3, "bytes"),
        "graph_def_version": (4, "int32"), "func_hash": (6, "uint64"),
        "output_placements": (16, "bytes*"),
    },
    "Argument": {
        "type": (2, "int32"), "shape": (3, "bytes"), "constant_value": (4, "bytes"),
        "name": (5, "bytes"), "kind": (10, "int32"), "resource_kind": (11, "int32"),
        "value_proto_file": (20, "bytes"),
    },
    "Entry": {"key": (1, "bytes"), "value": (2, "bytes")},
    "Library": {"function": (1, "Function*")},
    "Function": {
        "signature": (1, "Signature"), "node_def": (3, "Node*"), "ret": (4, "Entry*"),
    },
    "Signature": {"name": (1, "bytes"), "input_arg": (2, "Port*"), "output_arg": (3, "Port*")},
    "Port": {"name": (1, "bytes"), "type": (3, "int32"), "type_attr": (4, "bytes")},
    "Node": {
        "name": (1, "bytes"), "op": (2, "bytes"), "input": (3, "bytes*"), "device": (4, "bytes"),
        "attr": (5, "Entry*"),
    },
    "Attribute": {"func": (10, "Called")},
    "Called": {"name": (1, "bytes"), "attr": (2, "Entry*")},
    "Shape": {"dim": (2, "Dimension*"), "unknown_rank": (3, "bool")},
    "Dimension": {"size": (1, "int64")},
    "Tensor": {
        "dtype": (1, "int32"), "shape": (2, "Shape"), "tensor_content": (4, "bytes"),
        "half_val": (13, "int32*"), "float_val": (5, "float*"), "double_val": (6, "double*"),
        "int_val": (7, "int32*"), "string_val": (8, "bytes*"), "int64_val": (10, "int64*"),
        "bool_val": (11, "bool*"), "uint32_val": (16, "uint32*"), "uint64_val": (17, "uint64*"),
    },
}  # fmt: skip

#: Names and sizes of DataType (core/framework/types.proto).
TYPES: Final = {
    1: ("float32", 4), 2: ("float64", 8), 3: ("int32", 4), 4: ("uint8", 1), 5: ("int16", 2),
    6: ("int8", 1), 7: ("string", None), 8: ("complex64", 8), 9: ("int64", 8), 10: ("bool", 1),
    11: ("qint8", 1), 12: ("quint8", 1), 13: ("qint32", 4), 14: ("bfloat16", 2),
    15: ("qint16", 2), 16: ("quint16", 2), 17: ("uint16", 2), 18: ("complex128", 16),
    19: ("float16", 2), 20: ("resource", None), 21: ("variant", None), 22: ("uint32", 4),
    23: ("uint64", 8), 24: ("float8_e5m2", 1), 25: ("float8_e4m3fn", 1), 29: ("int4", 1),
    30: ("uint4", 1),  # in memory and in files a byte for each
}  # fmt: skip
#: ArgumentKind, and where a replay puts arguments of the kind.
KINDS: Final = {
    10: ("invalid", None), 11: ("constant", "const"), 12: ("resource", "gpu"),
    13: ("constant_resource", "gpu"), 14: ("parameter", "gpu"), 15: ("token", "gpu"),
    16: ("tensor_list", "gpu"), 17: ("fixed_shape", "cpu"), 18: ("host", "cpu"),
}  # fmt: skip


@cache
def messages() -> Messages:
    """The classes of the messages."""
    return Messages("trace_warehouse.disc", _DECLARED)


def type_name(number: int) -> str:
    """The name of a data type; of a reference type that of its value."""
    return TYPES.get(number % 100, (f"type {number}", None))[0]

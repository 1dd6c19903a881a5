"""TensorFlow's messages of a graph, and the words for the values of attributes.

Field numbers: github.com/tensorflow/tensorflow, core/framework: graph.proto, node_def.proto,
attr_value.proto, tensor.proto, tensor_shape.proto. Values of tensors are not read.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from tw_importers.protobuf.declared import Messages
from tw_importers.tf_run_metadata.messages import TYPES

_SCALARS: Final = {
    "s": (2, "bytes"), "i": (3, "int64"), "f": (4, "float"), "b": (5, "bool"),
    "type": (6, "int32"), "shape": (7, "Shape"), "tensor": (8, "Tensor"),
}  # fmt: skip
_DECLARED: Final = {
    "Node": {
        "name": (1, "bytes"), "op": (2, "bytes"), "input": (3, "bytes*"), "device": (4, "bytes"),
        "attr": (5, "Entry*"),
    },
    "Entry": {"key": (1, "bytes"), "value": (2, "Value")},
    "Value": {
        **{name: (number, f"{kind}?") for name, (number, kind) in _SCALARS.items()},
        "list": (1, "List?"), "placeholder": (9, "bytes?"), "func": (10, "Called?"),
    },
    "List": {
        **{name: (number, f"{kind}*") for name, (number, kind) in _SCALARS.items()},
        "func": (9, "Called*"),
    },
    "Called": {"name": (1, "bytes")},
    "Shape": {"dim": (2, "Dimension*"), "unknown_rank": (3, "bool")},
    "Dimension": {"size": (1, "int64")},
    "Tensor": {"dtype": (1, "int32"), "tensor_shape": (2, "Shape")},
    "Library": {"function": (1, "bytes*")},
}  # fmt: skip
_OTHER_WORDS: Final = {"float": "float32", "double": "float64", "half": "float16"}
_REFERENCE: Final = 100  # added to the number of a type: a reference to a value of it


@cache
def messages() -> Messages:
    """The classes of the messages."""
    return Messages("trace_warehouse.tf_graph", _DECLARED)


def type_of_number(number: int) -> str:
    """The name of a data type, such as float32; of a reference float32_ref."""
    plain = number % _REFERENCE
    name = TYPES[plain] if 0 <= plain < len(TYPES) else f"type {plain}"
    return f"{name}_ref" if number >= _REFERENCE else name


def type_of_word(word: str) -> str:
    """The name of a data type of the text format, such as DT_FLOAT or DT_FLOAT_REF."""
    if word.isdecimal():
        return type_of_number(int(word))
    name = word.removeprefix("DT_").lower()
    plain = name.removesuffix("_ref")
    return _OTHER_WORDS.get(plain, plain) + name[len(plain) :]

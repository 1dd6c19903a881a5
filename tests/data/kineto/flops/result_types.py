"""Writes result_types.json: element sizes of results of elementwise operators of torch 2.13.

    python result_types.py

A line is the operator, name and lack of dimensions of each input (null: one input only), and the
element size of the result in bytes.
"""

import itertools
import json
from pathlib import Path

import torch

TYPES = {
    "bool": torch.bool, "unsigned char": torch.uint8, "short int": torch.int16, "int": torch.int32,
    "long int": torch.int64, "c10::Half": torch.float16, "c10::BFloat16": torch.bfloat16,
    "float": torch.float32, "double": torch.float64, "c10::complex<float>": torch.complex64,
}  # fmt: skip
UNDEFINED = {(op, "bool") for op in ("neg", "abs", "relu")}
UNDEFINED |= {(op, "c10::complex<float>") for op in ("abs", "relu")}
lines = []
for one, other in itertools.product(TYPES, TYPES):
    for is_scalar in ((False, False), (False, True), (True, False)):
        a, b = (
            torch.ones(() if without else (2, 3), dtype=TYPES[kind])
            for kind, without in zip((one, other), is_scalar, strict=True)
        )
        if torch.result_type(a, b) is torch.complex32:  # products of it are not defined
            continue
        for op in ("mul", "div"):
            size = getattr(torch, op)(a, b).element_size()
            lines.append([op, one, is_scalar[0], other, is_scalar[1], size])
for kind, op in itertools.product(TYPES, ("exp", "sqrt", "neg", "abs", "relu", "reciprocal")):
    if (op, kind) not in UNDEFINED:
        size = getattr(torch, op)(torch.ones((2, 3), dtype=TYPES[kind])).element_size()
        lines.append([op, kind, False, None, False, size])
text = "[\n" + ",\n".join(map(json.dumps, lines)) + "\n]\n"
Path(__file__).with_suffix(".json").write_text(text)

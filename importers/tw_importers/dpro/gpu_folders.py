"""Operators that dPRO's `train_gpu` measured on several GPUs: a model of `device` without any run.

A folder has the GPU in its name (or in that of the folder above), with three files: `name.txt`,
lines `fp32:['op', …]` and `fp16:[…]`; `avg.txt`, a line with `BS=<batch>:` and the precision,
then lists of mean times in ms and of their variances in the order of the names; and
`metadata.json` (also below `.metadata`), types and shapes of the operators.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from warehouse.errors import QueryError, UsageError
from warehouse.model.files import ModelFiles
from warehouse.model.fitting import Samples, fit, usable
from warehouse.model.models import Model

FEATURES = ("flops_ns", "bytes_ns")
#: What `cost_model.query` says of these models.
QUERY = "measured on GPUs"
#: Peak rates of data sheets: operations/s in fp32 and fp16 (dense matrices), and bytes/s.
_RATES = {
    "v100": (15.7e12, 125e12, 900e9),
    "a100": (19.5e12, 312e12, 1555e9),
    "p100": (10.6e12, 21.2e12, 732e9),
    "1080ti": (11.3e12, 0.177e12, 484e9),
    "t4": (8.1e12, 65e12, 320e9),
}
_TYPES = {"fp32": ("float32", 4), "fp16": ("float16", 2)}
_HEADER = re.compile(r"BS=(\d+):.*(fp32|fp16)|(fp32|fp16).*BS=(\d+):")
_SPREAD = 0.2  # largest standard deviation by mean of a usable time
_SIZES_TO_HOLD_OUT = 10


@dataclass(frozen=True)
class _Row:
    group: str
    dur_ns: float
    flops: float
    n_bytes: float
    gpu: str
    precision: str


def fitted(path: Path, name: str) -> Model:
    """Fits a model to the folders below a path; raises UsageError, QueryError."""
    folders = _folders(path)
    gpus = {gpu for _, gpu in folders}
    if len(gpus) == 1:
        raise QueryError(
            f"{path} has operators of one GPU only ({gpus.pop()}), which predict no other",
            hint="Add a folder of another GPU, or fit `tw model fit operator` to runs of this one.",
        )
    rows = [row for folder, gpu in folders for row in _rows(folder, gpu)]
    times = np.array([row.dur_ns for row in rows])
    features = np.array([_features(row) for row in rows]).reshape(len(rows), len(FEATURES))
    kept = usable(times, features)
    if not kept.any():
        raise QueryError(
            f"nothing to fit: no Conv2D or MatMul in {path} has a time and known sizes",
            hint="avg.txt has the mean times in ms, metadata.json the shapes.",
        )
    usable_rows = [row for row, is_kept in zip(rows, kept, strict=True) if is_kept]
    groups = [row.group for row in usable_rows]
    samples = Samples(groups, times[kept], features[kept], FEATURES, _held_out(usable_rows))
    return Model(
        name, QUERY, hashlib.sha256(QUERY.encode()).hexdigest(), FEATURES, _provenance(folders),
        len(groups), int((~kept).sum()), tuple(fit(samples)),
    )  # fmt: skip


def _folders(path: Path) -> list[tuple[Path, str]]:
    """Folders with measurements, and their GPUs."""
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", hint="Name one with a folder for each GPU.")
    found = sorted({*path.glob("*/name.txt"), *path.glob("*/*/name.txt")})
    if not found:
        raise UsageError(
            f"{path} has no folder of a GPU with name.txt, avg.txt and metadata.json",
            hint="Name the folder above, such as one with v100/ and a100/.",
        )
    return [(each.parent, _gpu(each.parent, path)) for each in found]


def _gpu(folder: Path, root: Path) -> str:
    text = str(folder.relative_to(root)).lower()
    for gpu in _RATES:
        if gpu in text:
            return gpu
    raise UsageError(
        f"{folder} names no GPU of known peak rates", hint=f"Known are {', '.join(_RATES)}."
    )


def _rows(folder: Path, gpu: str) -> Iterator[_Row]:
    names = {key: text.split(", ") for key, text in _lists(folder / "name.txt")}
    operators = _metadata(folder)
    for precision, batch, times, variances in _times(folder / "avg.txt"):
        known = [name.strip("'\"") for name in names.get(precision, [])]
        if len(known) != len(times):
            raise UsageError(
                f"{folder / 'avg.txt'} has {len(times)} times of batch {batch} in {precision}, "
                f"name.txt {len(known)} names",
                hint="Each name has a time, in the same order.",
            )
        for index, (name, ms) in enumerate(zip(known, times, strict=True)):
            size = _size(operators.get(name), batch)
            if size is None:
                continue
            is_steady = index >= len(variances) or variances[index] <= (_SPREAD * ms) ** 2
            kind, flops, values = size
            data_type, width = _TYPES[precision]
            yield _Row(
                f"{kind} {data_type}", ms * 1e6 if is_steady else math.nan, flops, values * width,
                gpu, precision,
            )  # fmt: skip


def _lists(path: Path) -> Iterator[tuple[str, str]]:
    for line in _text(path).splitlines():
        label, _, rest = line.partition(":")
        for precision in _TYPES:
            if precision in label:
                yield precision, rest.strip().removeprefix("[").removesuffix("]")


def _times(path: Path) -> Iterator[tuple[str, int, list[float], list[float]]]:
    """Precision, batch size, times and variances."""
    lines = [line.strip() for line in _text(path).splitlines()]
    for index, line in enumerate(lines):
        header = _HEADER.search(line)
        if header is None:
            continue
        batch, precision = int(header[1] or header[4]), header[2] or header[3]
        lists = [_numbers(each, path) for each in lines[index + 1 : index + 3] if each[:1] == "["]
        if lists:
            yield precision, batch, lists[0], lists[1] if len(lists) > 1 else []


def _numbers(line: str, path: Path) -> list[float]:
    try:
        return [float(each) for each in line.strip("[]").split(",") if each.strip()]
    except ValueError:
        raise UsageError(
            f"{path} has a line that is not a list of numbers: {line[:60]!r}",
            hint="Times follow their header as [0.12, 0.34].",
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise UsageError(
            f"{path} cannot be read: {reason}",
            hint="A folder of a GPU has name.txt, avg.txt and metadata.json.",
        ) from None


def _metadata(folder: Path) -> dict[str, Any]:
    path = folder / ".metadata" / "metadata.json"
    path = path if path.exists() else folder / "metadata.json"
    try:
        found = json.loads(_text(path))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError(
            f"{path} is not a JSON object of operators",
            hint="It has the type, the inputs and the outputs of each operator by its name.",
        )
    return found


def _size(operator: Any, batch: int) -> tuple[str, float, float] | None:
    """Kind, operations and values of an operator at a batch size; None if it has no line."""
    try:
        kind = operator["op"]
        data, weights = (each["shape"] for each in operator["input"][:2])
        out = operator["output"][0]["shape"]
        inner = math.prod(weights[:3]) if kind == "Conv2D" else weights[0]
        if kind not in ("Conv2D", "MatMul") or len(weights) != (4 if kind == "Conv2D" else 2):
            return None
        n_in, n_out = (batch * math.prod(each[1:]) for each in (data, out))
        return kind, 2.0 * n_out * inner, float(n_in + n_out + math.prod(weights))
    except (LookupError, TypeError, ValueError, OverflowError):
        return None


def _features(row: _Row) -> tuple[float, float]:
    fp32, fp16, bytes_per_s = _RATES[row.gpu]
    rate = fp32 if row.precision == "fp32" else fp16
    return row.flops * 1e9 / rate, row.n_bytes * 1e9 / bytes_per_s


def _held_out(rows: list[_Row]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """About a fifth of the sizes of groups that have ten or more."""
    sizes: dict[str, set[tuple[float, float]]] = {}
    for row in rows:
        sizes.setdefault(row.group, set()).add((row.flops, row.n_bytes))

    def is_held_out(row: _Row) -> bool:
        digest = hashlib.md5(f"{row.flops} {row.n_bytes}".encode(), usedforsecurity=False)
        return (
            len(sizes[row.group]) >= _SIZES_TO_HOLD_OUT and int(digest.hexdigest()[:8], 16) % 5 == 0
        )

    return np.array([is_held_out(row) for row in rows])


def _provenance(folders: list[tuple[Path, str]]) -> str:
    files = [folder / "avg.txt" for folder, _ in folders]
    return json.dumps(
        [
            {"file": str(each), "sha256": hashlib.sha256(each.read_bytes()).hexdigest()}
            for each in files
        ]
    )


FILES = ModelFiles(fitted)

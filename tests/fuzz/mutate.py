"""Damages inputs at random: edits of their structure, of their bytes, and of their set of files."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.fuzz import (
    edit_binary,
    edit_bytes,
    edit_json,
    edit_protobuf,
    edit_sqlite,
    edit_text,
)
from tests.fuzz.family import Family, Files, Structure

Edit = Callable[[bytes, random.Random, bytes], bytes]
N_EDITS = (1, 1, 1, 2, 2, 4, 8)
FEW_EDITS = (1, 1, 1, 2)  # what has more is mostly refused before any SQL runs
_LARGEST = 1 << 20  # bytes of a file; repeated edits may double it
_BY_STRUCTURE: dict[Structure, Edit] = {
    "json": edit_json.edit,
    "csv": edit_text.edit,
    "lines": edit_text.edit,
    "sqlite": edit_sqlite.edit,
    "protobuf": edit_protobuf.edit,
    "blocks": edit_binary.edit_block,
    "pickle": edit_binary.edit_pickle,
    "archive": edit_binary.edit_archive,
}


def mutated(
    family: Family, seeds: Sequence[Files], rng: random.Random, n_edits: Sequence[int] = N_EDITS
) -> Files:
    """A seed with some edits, as many as one of `n_edits`; another seed is what they splice in."""
    files, other = dict(rng.choice(seeds)), rng.choice(seeds)
    structured = _BY_STRUCTURE[family.structure]
    for _ in range(rng.choice(n_edits)):
        if len(files) > 1 and rng.random() < 0.1:
            files = _rearranged(files, rng)
        name = rng.choice(sorted(files))
        edit = structured if rng.random() < 0.65 else edit_bytes.edit
        source = other[rng.choice(sorted(other))] if rng.random() < 0.5 else files[name]
        files[name] = edit(files[name], rng, source)[:_LARGEST]
    return files


def _rearranged(files: Files, rng: random.Random) -> Files:
    """The capture without a file, with one of another name, or with two contents exchanged."""
    one, other = rng.sample(sorted(files), 2)
    how = rng.randrange(3)
    if how == 0:
        return {name: content for name, content in files.items() if name != one}
    if how == 1:
        return {**files, _numbered(one, rng): files[one]}
    return {**files, one: files[other], other: files[one]}


def _numbered(name: str, rng: random.Random) -> str:
    """The name with another number, or the same."""
    digits = [at for at, letter in enumerate(name) if letter.isdigit()]
    if not digits:
        return name
    at = rng.choice(digits)
    return name[:at] + rng.choice("0123459") + name[at + 1 :]

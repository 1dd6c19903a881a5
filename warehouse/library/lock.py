"""The contract of each query version, and the lock file that keeps them: queries/LOCK.toml.

A contract is the name, version, grain, parameters and columns with their units. Texts may change as
long as the contract and the rows on the reference tables stay the same (see
`warehouse.query.reference`).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse import files
from warehouse.errors import ContractError
from warehouse.library.signature import Contract
from warehouse.resources import sql_folder

if TYPE_CHECKING:
    from warehouse.library.library import Library

_COMMENT = "# The contract of each query version; written by `tw queries check --write-lock`.\n"


def lock_path() -> Path:
    """The lock file of the program's queries."""
    return sql_folder("queries") / "LOCK.toml"


def read(path: Path) -> dict[str, Contract]:
    """The contract of each locked version; empty where the file does not exist.

    Raises ContractError if it cannot be parsed, as after a merge that kept both sides.
    """
    try:
        values = tomllib.loads(path.read_text()) if path.exists() else {}
        return {key: _contract(each) for key, each in values.items()}
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ContractError(
            f"{path} cannot be read: {error}",
            hint="If a merge left a version in it twice, keep the released one and run "
            "`tw queries check --write-lock`.",
        ) from None


def _contract(values: Mapping[str, Sequence[str]]) -> Contract:
    return Contract(
        tuple(values["grain"]), tuple(values.get("parameters", ())), tuple(values["columns"])
    )


def problems(library: Library, locked: Mapping[str, Contract]) -> list[str]:
    """Versions that are new, changed or missing: "name@version: what"."""
    ours = contracts(library)
    found = []
    for key, contract in ours.items():
        if key not in locked:
            found.append(f"{key}: is not in LOCK.toml; add it with --write-lock")
            continue
        changes = "; ".join(contract.differences(locked[key]))
        if changes:
            found.append(f"{key}: contract changed without a new version: {changes}")
    names = {key.partition("@")[0] for key in ours}
    missing = [key for key in sorted(locked.keys() - ours) if key.partition("@")[0] not in names]
    return found + [f"{key}: is in LOCK.toml and has no file" for key in missing]


def write(library: Library, path: Path) -> list[str]:
    """Adds new versions and drops removed ones; returns the keys added.

    Contracts that are locked already stay as they are. Raises ContractError as `read` does.
    """
    locked, ours = read(path), contracts(library)
    kept = {key: locked.get(key, contract) for key, contract in ours.items()}
    gone = {key for key in locked.keys() - ours if key.partition("@")[0] not in _names(ours)}
    kept |= {key: locked[key] for key in gone}
    with files.whole_file(path) as file:
        file.write((_COMMENT + "".join(_section(key, kept[key]) for key in sorted(kept))).encode())
    return [key for key in ours if key not in locked]


def _names(keys: Mapping[str, object]) -> set[str]:
    return {key.partition("@")[0] for key in keys}


def _section(key: str, contract: Contract) -> str:
    lines = [f'\n["{key}"]']
    for name in ("grain", "parameters", "columns"):
        values = getattr(contract, name)
        if values or name != "parameters":
            lines.append(f"{name} = [{', '.join(map(json.dumps, values))}]")
    return "\n".join(lines) + "\n"


def contracts(library: Library) -> dict[str, Contract]:
    """The contract of each of the program's query versions, by key."""
    return {
        key: Contract.of(query.header)
        for key, query in sorted(library.queries.items())
        if query.origin == "built-in" and query.header is not None
    }

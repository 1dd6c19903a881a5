"""Cost models of a warehouse: fitted to the rows of a query, stored, and used by queries.

A model NAME is fitted to the query NAME_sample, or to any query with columns `model_group`,
`dur_ns` and `is_held_out`: its other columns of type DOUBLE are the features.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse import __version__
from warehouse.errors import QueryError, UsageError
from warehouse.model.fitting import CONSTANT, GroupFit, Samples, fit, usable
from warehouse.query.result import QueryResult
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from warehouse.library.library import Query
    from warehouse.query.session import Place, Session

_ENDING = "_sample"
_REQUIRED = {"model_group": "VARCHAR", "dur_ns": "DOUBLE", "is_held_out": "BOOLEAN"}


@dataclass(frozen=True)
class Model:
    """A model before it is stored."""

    name: str
    query: str  # name@version
    query_digest: str
    features: tuple[str, ...]
    traces: str  # JSON
    n_samples: int
    n_unusable: int
    groups: tuple[GroupFit, ...]


def fit_and_store(
    place: Place,
    opened: Callable[[], AbstractContextManager[Session]],
    kind: str,
    *,
    name: str | None = None,
    replace: bool = False,
) -> Model:
    """Fits a model to the runs in scope of a session, and stores it under a name.

    Raises UsageError for an unknown kind or a name that is taken, QueryError if there is nothing
    to fit.
    """
    name = name or kind
    with database.Reader(place.path, wait_s=place.wait_s) as reader:
        _refuse_taken(reader.connection, name, replace)
    with opened() as session:
        model = fitted(session, kind, name)
    store(place, model, replace=replace)
    return model


def store(place: Place, model: Model, *, replace: bool) -> None:
    """Stores a model; raises UsageError if its name is taken and not to be replaced."""
    with (
        database.writer(place.path, wait_s=place.wait_s) as connection,
        database.transaction(connection),
    ):
        _refuse_taken(connection, model.name, replace)
        _store(connection, model)


def fitted(session: Session, kind: str, name: str) -> Model:
    """Fits a model to the runs in scope; raises UsageError, QueryError."""
    query = _query_of(session, kind)
    features = _features(query)
    table = session.run(query).table()
    if table.num_rows == 0:
        raise QueryError(
            f"nothing to fit: {_name(query)} has no rows for the runs in scope",
            hint=f"`tw queries show {_name(query)}` describes what it needs.",
        )
    samples, n_unusable = _samples(table, features)
    if not samples.groups:
        raise QueryError(
            f"nothing to fit: no row of {_name(query)} has a time and known features",
            hint=f"`tw query {_name(query)}` lists the rows.",
        )
    return Model(
        name, str(query.key), query.digest, features, json.dumps(session.traces),
        len(samples.groups), n_unusable, tuple(fit(samples)),
    )  # fmt: skip


def kinds(session: Session) -> list[str]:
    """The kinds of models that the library has queries for."""
    return sorted(
        name.removesuffix(_ENDING)
        for name, query in session.queries.newest.items()
        if name.endswith(_ENDING) and not _lacking(query)
    )


def all_models(session: Session) -> QueryResult:
    """The models of the warehouse."""
    return _result(session, "model_list", {})


def lines(session: Session, name: str) -> QueryResult:
    """The lines of a model; raises UsageError if there is none of that name."""
    _refuse_unknown(session, name)
    return _result(session, "model_show", {"model": name})


def _result(session: Session, name: str, values: dict[str, str]) -> QueryResult:
    query = session.queries.find(name)
    assert query.header is not None
    table = session.run(query, values).table()
    return QueryResult(table, query.header.columns, session.manifest(query, values))


def _refuse_unknown(session: Session, name: str) -> None:
    rows = session.run("SELECT name FROM cost_model ORDER BY name").rows()
    names = [str(each) for (each,) in rows]
    if name not in names:
        known = f"Models: {', '.join(names)}." if names else "`tw model fit` makes models."
        raise UsageError(f"model {name!r} not found", hint=known)


def _query_of(session: Session, kind: str) -> Query:
    query = session.queries.newest.get(kind + _ENDING) or session.queries.newest.get(kind)
    if query is None:
        raise UsageError(
            f"model {kind!r} not found",
            hint=f"Models: {', '.join(kinds(session))}; or name a query of samples.",
        )
    lacking = _lacking(query)
    if lacking:
        raise UsageError(
            f"query {_name(query)} has no column {lacking[0]} of type {_REQUIRED[lacking[0]]}",
            hint=f"A query of samples has the columns {', '.join(_REQUIRED)}, and features.",
        )
    return query


def _name(query: Query) -> str:
    return query.header.name if query.header else "the statement"


def _lacking(query: Query) -> list[str]:
    columns = query.header.columns if query.header else ()
    types = {each.name: each.type for each in columns}
    return [name for name, type in _REQUIRED.items() if types.get(name) != type]


def _features(query: Query) -> tuple[str, ...]:
    columns = query.header.columns if query.header else ()
    names = [each.name for each in columns if each.type == "DOUBLE"]
    return tuple(name for name in names if name not in _REQUIRED and name != CONSTANT)


def _samples(table: pa.Table, features: tuple[str, ...]) -> tuple[Samples, int]:
    """The usable rows as arrays, and the number of others."""

    def floats(name: str) -> Any:
        return table[name].to_numpy(zero_copy_only=False).astype(np.float64)

    times = floats("dur_ns")
    values = np.column_stack([np.empty((len(times), 0)), *(floats(each) for each in features)])
    is_held_out = table["is_held_out"].to_numpy(zero_copy_only=False).astype(bool)
    kept = usable(times, values)
    names = table["model_group"].to_pylist()
    groups = [name for name, is_kept in zip(names, kept, strict=True) if is_kept]
    samples = Samples(groups, times[kept], values[kept], features, is_held_out[kept])
    return samples, int((~kept).sum())


def _refuse_taken(connection: duckdb.DuckDBPyConnection, name: str, replace: bool) -> None:
    taken = connection.execute("SELECT 1 FROM cost_model WHERE name = ?", [name]).fetchall()
    if taken and not replace:
        raise UsageError(
            f"model {name!r} exists", hint="Choose another name, or replace it with --replace."
        )


def _store(connection: duckdb.DuckDBPyConnection, model: Model) -> None:
    for table in ("cost_model_group", "cost_model_term"):
        connection.execute(
            f"DELETE FROM {table} WHERE model_id IN (SELECT id FROM cost_model WHERE name = ?)",
            [model.name],
        )
    connection.execute("DELETE FROM cost_model WHERE name = ?", [model.name])
    model_id = database.next_id(connection, "cost_model")
    connection.execute(
        "INSERT INTO cost_model VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, now() AT TIME ZONE 'UTC')",
        [
            model_id, model.name, model.query, model.query_digest,
            json.dumps(model.features), model.traces, model.n_samples, model.n_unusable,
            __version__,
        ],
    )  # fmt: skip
    for group in model.groups:
        connection.execute(
            "INSERT INTO cost_model_group VALUES (?, ?, ?, ?, ?, ?)",
            [model_id, group.group, group.n_fitted, group.n_held_out, group.error, group.problem],
        )
        connection.executemany(
            "INSERT INTO cost_model_term VALUES (?, ?, ?, ?, ?, ?)",
            [
                [model_id, group.group, t.feature, t.coefficient, t.least, t.most]
                for t in group.terms
            ],
        )

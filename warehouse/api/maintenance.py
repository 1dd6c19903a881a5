"""Methods of `Warehouse` that write to the warehouse or copy it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from warehouse.errors import UsageError
from warehouse.query.selection import Names, Selection, select

if TYPE_CHECKING:
    from warehouse.ingest.pipeline import Outcome
    from warehouse.link.rebuild import LinkCount
    from warehouse.query.session import Place, Session
    from warehouse.store.copying import VacuumResult
    from warehouse.store.info import Info
    from warehouse.store.removal import Age
    from warehouse.store.tags import Tag


class Maintenance:
    """Imports, links, tags, removes and copies. All methods raise DatabaseError."""

    _place: Place
    _selection: Selection

    def _session(self) -> AbstractContextManager[Session]:
        raise NotImplementedError

    def _must_not_be_held(self) -> None:
        raise NotImplementedError

    def import_(
        self,
        *paths: str | os.PathLike[str],
        run: str | None = None,
        rank: int | None = None,
        format: str | None = None,
        on_duplicate: Literal["skip", "replace", "error"] = "skip",
        jobs: int | None = None,
        strict: bool = False,
        lenient: bool = False,
        option: dict[str, str] | None = None,
    ) -> list[Outcome]:
        """Imports files, folders, globs and archives; returns an outcome per source, in order.

        A source that fails is not stored; its outcome has the error.
        """
        from warehouse.ingest import pipeline
        from warehouse.ingest.decode import Settings

        self._must_not_be_held()
        options = pipeline.Options(
            run=run,
            rank=rank,
            format=format,
            on_duplicate=on_duplicate,
            jobs=jobs,
            wait_s=self._place.wait_s,
            settings=Settings(
                is_strict=strict, is_lenient=lenient, options=tuple((option or {}).items())
            ),
        )
        return pipeline.import_paths(
            [os.fspath(path) for path in paths], db=self._place.path, options=options
        )

    def link(self) -> list[LinkCount]:
        """Rebuilds the links of the runs in scope; returns counts per run and kind."""
        from warehouse.link import rebuild

        self._must_not_be_held()
        with self._session() as opened:
            run_ids = opened.seen.run_ids
        done = rebuild.relink(self._place.path, run_ids, wait_s=self._place.wait_s)
        return [each for counts in done for each in counts]

    def drop(self, *, run: Names = (), trace: Names = ()) -> tuple[str, ...]:
        """Removes runs or traces; returns the names removed, as RUN/TRACE.

        Raises UsageError when nothing is selected, ScopeError when nothing matches.
        """
        if not run and not trace:
            raise UsageError("nothing selected", hint="Give run or trace.")
        return self._remove(select(run=run, trace=trace))

    def prune(
        self,
        *,
        older_than: timedelta | None = None,
        keep_tagged: bool = False,
        keep_last: int = 0,
        run: Names = "all",
        dry_run: bool = False,
    ) -> tuple[str, ...]:
        """Removes old runs; returns the names removed (or, with `dry_run`, to remove)."""
        from warehouse.store.removal import Age

        age = Age(older_than, keep_tagged, keep_last)
        return self._remove(select(run=run), age, dry_run=dry_run)

    def _remove(
        self, chosen: Selection, age: Age | None = None, *, dry_run: bool = False
    ) -> tuple[str, ...]:
        from warehouse.store import removal

        self._must_not_be_held()
        path, wait_s = self._place.path, self._place.wait_s
        plan = removal.plan(path, wait_s, chosen, age)
        if plan.names and not dry_run:
            removal.remove(path, wait_s, chosen, plan, age)
        return plan.names

    def tag(self, name: str, *, run: Names = "latest", move: bool = False) -> tuple[str, ...]:
        """Tags runs; with `move`, only these runs. Returns the names of the tagged runs."""
        from warehouse.store import tags

        self._must_not_be_held()
        return tags.put(
            self._place.path, name, select(run=run), moves=move, wait_s=self._place.wait_s
        )

    def untag(self, name: str, *, run: Names = ()) -> tuple[str, ...]:
        """Removes a tag from runs, by default from all; returns their names."""
        from warehouse.store import tags

        self._must_not_be_held()
        chosen = select(run=run) if run else None
        return tags.take(self._place.path, name, chosen, wait_s=self._place.wait_s)

    def tags(self) -> list[Tag]:
        """Returns all tags with their runs."""
        from warehouse.store import tags

        return tags.tags(self._place.path, wait_s=self._place.wait_s)

    def vacuum(self) -> VacuumResult:
        """Compacts the warehouse file; returns its sizes before and after, in bytes."""
        from warehouse.store import copying

        self._must_not_be_held()
        return copying.vacuum(self._place.path, wait_s=self._place.wait_s)

    def backup(self, target: str | os.PathLike[str], *, force: bool = False) -> int:
        """Copies the warehouse to a file; returns its size in bytes.

        Raises UsageError if the file exists and `force` is off.
        """
        from warehouse.store import copying

        return copying.backup(
            self._place.path, Path(target), replaces=force, wait_s=self._place.wait_s
        )

    def info(self) -> Info:
        """Returns size and contents of the warehouse file."""
        from warehouse.query import session
        from warehouse.store import info

        with session.opened(self._place, Selection(runs=("all",), with_captures=True)) as opened:
            return info.read(opened)

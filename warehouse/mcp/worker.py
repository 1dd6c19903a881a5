"""The process that computes answers: killed at the time limit, and restarted for the next call.

A query can be interrupted, a replay and other Python code cannot: killing the process stops both.
Its output goes to stderr, as stdout belongs to the protocol.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from typing import TYPE_CHECKING, Any

from warehouse.errors import QueryError, QueryTimeout, TwError, UnexpectedFailure
from warehouse.mcp.answers import TOOLS, Answers, Limits

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from warehouse.query.session import Place

#: Time beyond the limit of a query, in which the process itself reports it.
GRACE_S = 5.0
START_S = 60.0


class Worker:
    """Answers calls one after the other in a process of its own."""

    def __init__(self, place: Place, limits: Limits) -> None:
        self._place, self._limits = place, limits
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Returns what the tool returns; raises TwError, QueryTimeout at the time limit."""
        with self._lock:
            try:
                pipe = self._started()
                pipe.send((tool, arguments))
                if not pipe.poll(self._limits.timeout_s + GRACE_S):
                    raise QueryTimeout(
                        f"{tool} did not end within {self._limits.timeout_s:g} s",
                        hint="Reduce the scope with run, trace, rank, from and to.",
                    )
                answer = pipe.recv()
            except BaseException as error:
                self.close()
                if isinstance(error, EOFError | OSError):
                    raise QueryError(
                        f"{tool}: its process ended", hint="Memory may have run out."
                    ) from None
                raise
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _started(self) -> Connection:
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            return self._pipe
        self.close()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self._place, self._limits), daemon=True
        )
        self._process.start()
        theirs.close()
        if not self._pipe.poll(START_S):
            raise QueryTimeout(f"the query process did not start within {START_S:g} s")
        self._pipe.recv()
        return self._pipe


def _serve(pipe: Connection, place: Place, limits: Limits) -> None:
    os.dup2(2, 1)
    answers = Answers(place, limits)
    pipe.send("ready")
    while True:
        try:
            tool, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(_answer(answers, tool, arguments))


def _answer(answers: Answers, tool: str, arguments: dict[str, Any]) -> Any:
    try:
        return TOOLS[tool](answers, **arguments)
    except TwError as error:
        return error
    except Exception as error:  # noqa: BLE001 - the server goes on
        return UnexpectedFailure(f"{tool} failed: {type(error).__name__}: {error}")

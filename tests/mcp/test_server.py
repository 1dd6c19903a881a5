"""The server as a client of the protocol sees it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.mcp.answers import TOOLS, Answers, Limits
from warehouse.query.session import Place

# Not imported while tests are collected: that takes every worker seconds.
pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="the extra mcp is not installed")
BYTES_PER_TOKEN = 3  # fewer than tokenizers of language models need for English and names


class Direct:
    """Calls answers in this process."""

    def __init__(self, path: Path) -> None:
        self._answers = Answers(Place.of(path), Limits())

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        return TOOLS[tool](self._answers, **arguments)


def ask(path: Path, question: Callable[[Any], Awaitable[Any]]) -> Any:
    """Asks a server in this process."""
    from mcp.client.client import Client

    from warehouse.mcp.server import serve

    async def asked() -> Any:
        async with Client(serve(Direct(path), Limits())) as client:
            return await question(client)

    return asyncio.run(asked())


def test_the_catalogue_fits_in_eight_thousand_tokens(imported_files: WarehouseCache) -> None:
    async def question(client: Any) -> tuple[Any, Any]:
        return await client.list_tools(), await client.call_tool("list_queries", {})

    tools, queries = ask(imported_files(GPU), question)

    described = json.dumps([each.model_dump(exclude_none=True) for each in tools.tools])
    assert {each.name for each in tools.tools} == TOOLS.keys()
    assert all(each.annotations.read_only_hint for each in tools.tools)
    assert (len(described) + len(queries.content[0].text)) / BYTES_PER_TOKEN < 8_000


def test_answers_are_json_and_mistakes_are_errors(imported_files: WarehouseCache) -> None:
    async def question(client: Any) -> list[Any]:
        return [
            await client.call_tool("run_query", {"name": "utilization", "scope": {"rank": "0"}}),
            await client.call_tool("run_query", {"name": "utilisation"}),
            await client.call_tool("run_query", {"name": "utilization", "scope": {"ranks": "0"}}),
            await client.call_tool("run_sql", {"statement": "DROP TABLE slice"}),
        ]

    good, unknown, scope, statement = ask(imported_files(GPU), question)

    assert json.loads(good.content[0].text)["query"].startswith("utilization@")
    assert unknown.is_error and "Did you mean 'utilization'" in unknown.content[0].text
    assert scope.is_error and "ranks" in scope.content[0].text
    assert statement.is_error and "must be read-only" in statement.content[0].text


def test_hostile_names_are_inert(tmp_path: Path, tw: Callable[..., Any]) -> None:
    name = "\x1b]0;owned\x07\u202e<script>alert(1)</script>\r\n"
    event = {"ph": "X", "cat": "cpu_op", "name": name, "ts": 1, "dur": 1, "pid": 1, "tid": 1}
    trace = tmp_path / "hostile.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event]}))
    assert tw("import", trace, "--db", tmp_path / "w.duckdb").code == 0

    async def question(client: Any) -> Any:
        return await client.call_tool("run_sql", {"statement": "SELECT name FROM slice"})

    text = ask(tmp_path / "w.duckdb", question).content[0].text

    assert json.loads(text)["rows"] == [[name]]
    assert text.isascii() and text.isprintable()


@pytest.mark.integration
def test_over_stdio_a_call_that_does_not_end_is_ended_and_the_next_one_answered(
    imported_files: WarehouseCache, tmp_path: Path
) -> None:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    slow = "SELECT max(md5(a.range::VARCHAR)) FROM range(10000000000) AS a"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "warehouse", "mcp", "--db", str(imported_files.copy(tmp_path / "w", GPU)),
              "--timeout", "1"],
        cwd=str(Path(__file__).parents[2]),
        env=dict(os.environ),
    )  # fmt: skip

    async def asked() -> list[Any]:
        async with Client(stdio_client(server)) as client:
            return [
                await client.call_tool("run_sql", {"statement": slow}),
                await client.call_tool("find_queries", {"words": "busy"}),
            ]

    ended, answered = asyncio.run(asked())

    assert ended.is_error and "did not end within 1 s" in ended.content[0].text
    assert "utilization@" in answered.content[0].text

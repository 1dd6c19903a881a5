"""`tw open`: the file is handed to the Perfetto UI once, and to nobody else."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlparse

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.cli import serve
from warehouse.errors import ExportError, UsageError

if TYPE_CHECKING:
    from tests.conftest import Tw


class Serving:
    """A server in a thread, on a free port."""

    def __init__(self, path: Path, patience_s: float = 30.0) -> None:
        pages: Queue[str] = Queue()
        self.was_fetched: bool | None = None
        self._thread = threading.Thread(target=self._run, args=(path, pages.put, patience_s))
        self._thread.start()
        self.page = pages.get(timeout=30)
        (self.url,) = parse_qs(urlparse(urlparse(self.page).fragment.lstrip("!/")).query)["url"]

    def _run(self, path: Path, on_ready: Callable[[str], None], patience_s: float) -> None:
        self.was_fetched = serve.serve(path, on_ready, port=0, patience_s=patience_s)

    def join(self) -> bool | None:
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.was_fetched


def ask(url: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), b""


def test_the_browser_gets_the_file_and_the_server_ends(tmp_path: Path) -> None:
    path = tmp_path / "my run.pftrace"
    path.write_bytes(bytes(range(256)) * 10_000)

    serving = Serving(path)
    assert serving.page.startswith("https://ui.perfetto.dev/#!/?url=http://127.0.0.1:")
    status, headers, body = ask(serving.url, Origin=serve.UI)

    assert (status, body) == (200, path.read_bytes())
    assert headers["Access-Control-Allow-Origin"] == "https://ui.perfetto.dev"
    assert headers["Vary"] == "Origin"
    assert serving.join() is True


def test_nothing_else_is_served(tmp_path: Path) -> None:
    (tmp_path / "run.pftrace").write_bytes(b"trace")
    (tmp_path / "secret").write_bytes(b"secret")
    serving = Serving(tmp_path / "run.pftrace")
    root = serving.url.removesuffix("run.pftrace")

    assert ask(f"{root}secret")[0] == 404
    assert ask(f"{root}..%2Fsecret")[0] == 404
    assert ask(root)[0] == 404
    assert ask(serving.url, Host="evil.example:9001")[0] == 404
    status, headers, _ = ask(serving.url, "OPTIONS", Origin=serve.UI)
    assert (status, headers["Access-Control-Allow-Private-Network"]) == (204, "true")
    assert ask(serving.url, "HEAD")[:1] == (200,)
    assert ask(serving.url)[2] == b"trace"
    assert serving.join() is True


def test_patience_ends(tmp_path: Path) -> None:
    (tmp_path / "run.pftrace").write_bytes(b"trace")
    assert Serving(tmp_path / "run.pftrace", patience_s=0.2).join() is False


def test_a_taken_port_and_a_missing_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "run.pftrace").write_bytes(b"trace")
    serving = Serving(tmp_path / "run.pftrace")
    port = urlparse(serving.url).port
    assert port is not None
    with pytest.raises(ExportError, match=f"port {port} is in use"):
        serve.serve(tmp_path / "run.pftrace", print, port=port)
    ask(serving.url)
    assert serving.join()
    with pytest.raises(UsageError, match="not found"):
        serve.serve(tmp_path / "none.pftrace", print, port=0)


def test_the_command_exports_prints_and_waits(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported_files.copy(tmp_path / "traces.duckdb", GPU)
    served: list[bytes] = []

    def fetch(path: Path, on_ready: Callable[[str], None], *, patience_s: float) -> bool:
        on_ready("https://page")
        served.append(path.read_bytes())
        return path.name == "gpu.pftrace"

    monkeypatch.setattr(serve, "serve", fetch)
    ran = tw("open", "--no-browser")

    assert (ran.code, ran.out) == (0, "https://page\n")
    assert len(served[0]) > 1000
    assert "85 slices" in ran.err
    assert f"ssh -L {serve.PORT}:127.0.0.1:{serve.PORT} " in ran.err


@pytest.mark.parametrize("display", ["", ":0"])
def test_a_browser_is_started_only_where_there_is_a_display(
    tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, display: str
) -> None:
    launched: list[str] = []
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)

    def launch(address: str) -> int:
        launched.append(address)
        return 0

    monkeypatch.setattr("click.launch", launch)
    monkeypatch.setattr(serve, "serve", lambda path, on_ready, patience_s: on_ready("page") or True)
    (tmp_path / "t.pftrace").write_bytes(b"")

    ran = tw("open", tmp_path / "t.pftrace")

    assert (ran.out, launched) == (("", ["page"]) if display else ("page\n", []))

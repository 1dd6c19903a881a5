"""Drives a headless Chromium over the pipe of its DevTools protocol, with the standard library.

`Browser` starts one; `page(path)` opens a file and gives what tests need: values of expressions,
keys, the pointer, screenshots, and what the console printed. `TW_CHROMIUM` names the program where
it is not on the path.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.conftest import CHROMIUM

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TIMEOUT_S = 60


def program() -> str | None:
    """The browser to drive, if there is one."""
    given = os.environ.get(CHROMIUM)
    return given or next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """A headless browser with a profile of its own; a context manager."""

    def __init__(self, command: str) -> None:
        self._profile = tempfile.TemporaryDirectory(
            prefix="tw-browser-", ignore_cleanup_errors=True
        )
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        options = "--headless=new --no-sandbox --disable-gpu --no-first-run --hide-scrollbars"
        # The protocol's pipes are file descriptors 3 and 4, which only a shell can name.
        script = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, command, *options.split(), "--remote-debugging-pipe",
             f"--user-data-dir={self._profile.name}", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._in = os.fdopen(ours_in, "rb", buffering=0)
        self._out = os.fdopen(ours_out, "wb", buffering=0)
        self._rest = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            self.send("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._in.close()
        self._out.close()
        self._profile.cleanup()

    def _messages(self) -> Iterator[dict[str, Any]]:
        """What the browser says, each message ended by a zero byte."""
        while True:
            *whole, self._rest = self._rest.split(b"\0")
            for index, text in enumerate(whole):
                if index + 1 < len(whole):  # the caller may stop at any message
                    self._rest = b"\0".join([*whole[index + 1 :], self._rest])
                    yield json.loads(text)
                    break
                yield json.loads(text)
            else:
                piece = os.read(self._in.fileno(), 1 << 20)
                assert piece, "the browser is gone"
                self._rest += piece

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol and returns its result."""
        self._number += 1
        call: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            call["sessionId"] = session
        self._out.write(json.dumps(call).encode() + b"\0")
        for message in self._messages():
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                return dict(message["result"])
            if "method" in message:
                self.events.append(message)
        raise AssertionError("the browser is gone")

    def page(
        self, path: Path, *, dark: bool = False, width: int = 1400, height: int = 1000
    ) -> Page:
        """Opens a file and waits until it is loaded and painted."""
        return Page(self, path, dark=dark, width=width, height=height)


class Page:
    """An open page."""

    def __init__(
        self, browser: Browser, path: Path, *, dark: bool, width: int, height: int
    ) -> None:
        self._browser = browser
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.send("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self._first_event = len(browser.events)
        started = time.monotonic()
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.wait(
            "document.readyState === 'complete' && performance.getEntriesByType('paint').length > 0"
        )
        self.seconds = time.monotonic() - started

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.send(method, self._session, **parameters)

    def value(self, expression: str) -> Any:
        """What an expression gives in the page; raises AssertionError where it throws."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a condition holds."""
        end = time.monotonic() + _TIMEOUT_S
        while not self.value(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def settle(self) -> None:
        """Until what was asked for is painted."""
        self.value(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def text(self, selector: str) -> str:
        return str(self.value(f"document.querySelector({json.dumps(selector)}).textContent"))

    def key(self, key: str, modifiers: int = 0) -> None:
        text = {"text": key} if len(key) == 1 else {}
        for kind, more in (("keyDown", text), ("keyUp", {})):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **more)
        self.settle()

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.settle()

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def pdf(self, path: Path) -> None:
        path.write_bytes(
            base64.b64decode(
                self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
            )
        )

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings on the console, exceptions, and whatever was asked of a network."""
        found = []
        for event in self._browser.events[self._first_event :]:
            method, values = event["method"], event["params"]
            if event.get("sessionId") != self._session:
                continue
            if method == "Runtime.exceptionThrown":
                found.append(str(values["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and values["type"] in (
                "error",
                "warning",
                "assert",
            ):
                found.append(str(values["args"]))
            elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
                found.append(values["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not values["request"]["url"].startswith(
                ("file:", "data:")
            ):
                found.append(values["request"]["url"])
        return found

"""A real browser without a window, driven over two pipes: nothing listens anywhere."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ARTEFACTS = os.environ.get("MANENT_ARTEFACTS", "")
"""Where screenshots are kept; read at import: tests have surroundings of their own."""

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
    "--no-first-run", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--mute-audio",
    "--disable-dev-shm-usage", "--force-color-profile=srgb", "--window-size=1100,900",
    # A page in a frame stays in the process of its host, where one session reaches both.
    "--disable-site-isolation-trials", "--disable-features=IsolateSandboxedIframes",
)  # fmt: skip
_WAIT_SECONDS = 60
_WRAPPER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """A running browser. Every event it tells of is kept in ``events``."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, fro: int) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self.bound: Callable[[str], None] = lambda payload: None
        self._to = to
        self._from = fro
        self._rest = b""
        self._next = 0

    def send(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol and return what it says."""
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        deadline = time.monotonic() + _WAIT_SECONDS
        while (answer := self._read(deadline)) is not None:
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])
        raise AssertionError(f"{method}: no answer")

    def wait(self, seconds: float = 0.05) -> None:
        """Take in what the browser tells for that long."""
        deadline = time.monotonic() + seconds
        while self._read(deadline) is not None:
            pass

    def _read(self, deadline: float) -> dict[str, Any] | None:
        while b"\0" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                return None
            chunk = os.read(self._from, 1 << 20)
            assert chunk, "the browser is gone"
            self._rest += chunk
        raw, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        if "method" in message:
            self.events.append(message)
        return message

    def tab(self, width: int = 1000, height: int = 800) -> Tab:
        """Open an empty page."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        found = Tab(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            found.send(f"{domain}.enable")
        found.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        return found


class Tab:
    """One page, and the frames in it."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser = browser
        self.session = session

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol for this page."""
        return self.browser.send(method, self.session, **params)

    def show(self, html: str) -> None:
        """Show a document."""
        frame = self.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self.send("Page.setDocumentContent", frameId=frame, html=html)

    def go(self, url: str) -> None:
        """Go to an address."""
        assert not self.send("Page.navigate", url=url).get("errorText")
        self.until("document.readyState === 'complete'")

    def run(self, script: str, *, frame: bool = False) -> Any:
        """Evaluate an expression, in the page or in its (last) frame; return its value."""
        given: dict[str, Any] = {"returnByValue": True, "awaitPromise": True}
        if frame:
            given["contextId"] = self._context()
        said = self.send("Runtime.evaluate", expression=script, **given)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def _context(self) -> int:
        contexts = {}
        for event in self.browser.events:
            params = event["params"]
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.executionContextCreated":
                contexts[params["context"]["id"]] = params["context"]
            elif event["method"] == "Runtime.executionContextDestroyed":
                contexts.pop(params["executionContextId"], None)
        top = self.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        inner = [
            number
            for number, context in contexts.items()
            if context["auxData"].get("frameId") != top and context["auxData"].get("isDefault")
        ]
        assert inner, "there is no frame"
        return inner[-1]

    def until(self, script: str, *, frame: bool = False, seconds: float = 20) -> None:
        """Wait until an expression holds."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(AssertionError):
                if self.run(script, frame=frame):
                    return
            self.browser.wait()
        raise AssertionError(f"never: {script}")

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        """Press and release a key."""
        given: dict[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **given)
        self.send("Input.dispatchKeyEvent", type="keyUp", **given)

    def scheme(self, name: str) -> None:
        """Say that the person prefers a ``light`` or a ``dark`` page."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.send("Emulation.setEmulatedMedia", features=features)

    def picture(self, name: str) -> bytes:
        """Return a screenshot; it is kept where artefacts are."""
        data = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        if ARTEFACTS:
            folder = Path(ARTEFACTS)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.png").write_bytes(data)
        return data

    def complaints(self) -> list[str]:
        """Return what the browser logged as an error, and every uncaught exception."""
        found = []
        for event in self.browser.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(str(params["entry"]["text"]))
        return found

    def requests(self) -> list[str]:
        """Return the address of everything that was asked of a network."""
        sent = [
            e["params"] for e in self.browser.events if e["method"] == "Network.requestWillBeSent"
        ]
        urls = [str(params["request"]["url"]) for params in sent]
        return [url for url in urls if not url.startswith(("about:", "data:"))]


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """Run a browser for the block; skips the test where none is installed."""
    program = next((found for name in _PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no browser is installed (Debian: chromium)")
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        heard, to = os.pipe()
        fro, told = os.pipe()
        command = [program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"]
        # The browser reads on 3 and writes on 4, whatever the pipes are called here.
        moved = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (heard, told)]
        wrapped = [sys.executable, "-c", _WRAPPER, *map(str, moved), *command]
        process = subprocess.Popen(
            wrapped, pass_fds=moved, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": profile},
        )  # fmt: skip
        for end in moved:
            os.close(end)
        os.close(heard)
        os.close(told)
        browser = Browser(process, to, fro)
        try:
            yield browser
        finally:
            with contextlib.suppress(AssertionError, OSError):
                browser.send("Browser.close")
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(to)
            os.close(fro)

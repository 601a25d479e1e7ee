"""A real Chromium, driven over a pair of pipes in its own protocol, without any driver between."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def program() -> str | None:
    """Path of the browser; the variable ``BDDSUDOKU_BROWSER`` names another one."""
    named = os.environ.get("BDDSUDOKU_BROWSER")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


class Chrome:
    """A browser with one page after the other.

    Args:
        program: the browser.
        profile: a folder for its own files.
    """

    def __init__(self, program: str, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def wire() -> None:
            a, b = os.dup(to_read), os.dup(to_write)  # neither may be 3 or 4 by chance
            os.dup2(a, 3)
            os.dup2(b, 4)

        self._process = subprocess.Popen(
            [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
                f"--user-data-dir={profile}", "about:blank",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=wire,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._rest = b""
        self._number = 0
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        """End the browser."""
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """One command and its result; events that come between are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            got = self._next()
            if got.get("id") == self._number:
                assert "error" not in got, got
                result: dict[str, Any] = got["result"]
                return result
            self.events.append(got)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._from, 1 << 20)
            assert piece, "the browser has ended"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        got: dict[str, Any] = json.loads(line)
        return got

    def page(self, url: str, width: int = 1200, height: int = 900, dark: bool = False) -> Page:
        """A new tab."""
        return Page(self, url, width, height, dark)


class Page:
    """A tab."""

    def __init__(self, chrome: Chrome, url: str, width: int, height: int, dark: bool) -> None:
        self.chrome = chrome
        target = chrome.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = chrome.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", features=[scheme])
        self.do("Emulation.setFocusEmulationEnabled", enabled=True)
        self.do("Page.navigate", url=url)

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the browser's protocol."""
        return self.chrome.call(method, self.session, **params)

    def value(self, expression: str) -> Any:
        """What an expression gives; promises are waited for."""
        found = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = 240) -> Any:
        """Until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.value(f"Boolean({expression})"):
                return found
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {expression}\n{self.text()}")

    def key(self, key: str, modifiers: int = 0) -> None:
        """A key with Alt 1, Ctrl 2, Shift 8."""
        named = {"Backspace": 8, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        named |= {"Home": 36, "End": 35, "Enter": 13, "Tab": 9, "Escape": 27}
        number = named.get(key, ord(key[0].upper()))
        code = f"Digit{key}" if key.isdigit() else key if len(key) > 1 else f"Key{key.upper()}"
        about: dict[str, Any] = {
            "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers,
        }  # fmt: skip
        text = {"text": "\r"} if key == "Enter" else {}  # what presses a button
        self.do("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **about, **text)
        self.do("Input.dispatchKeyEvent", type="keyUp", **about)

    def middle(self, selector: str, scroll: bool = True) -> tuple[float, float]:
        """The middle of an element in the window, scrolled to it."""
        x, y = self.value(
            f"(() => {{ const e = document.querySelector({selector!r});"
            + (" e.scrollIntoView({block: 'center'});" if scroll else "")
            + " const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return x, y

    def click(self, selector: str) -> None:
        """The mouse on the middle of an element."""
        self.drag([selector])

    def drag(self, selectors: Sequence[str], *, release: bool = True) -> None:
        """The mouse pressed on an element, moved over others, and let go on the last."""
        x, y = self.middle(selectors[0])

        def mouse(type_: str) -> None:
            more = {"buttons": 1} if type_ == "mouseMoved" else {"clickCount": 1}
            self.do("Input.dispatchMouseEvent", type=type_, x=x, y=y, button="left", **more)

        mouse("mousePressed")
        for selector in selectors[1:]:
            x, y = self.middle(selector, scroll=False)
            mouse("mouseMoved")
        if release:
            mouse("mouseReleased")

    def touch(self, selectors: Sequence[str]) -> None:
        """A finger put on an element, moved over others, and lifted from the last."""
        points = [self.middle(s, scroll=not i) for i, s in enumerate(selectors)]
        for i, (x, y) in enumerate(points):
            where = [{"x": x, "y": y}]
            self.do(
                "Input.dispatchTouchEvent",
                type="touchMove" if i else "touchStart",
                touchPoints=where,
            )
        self.do("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def text(self) -> str:
        """What is to be read."""
        return str(self.value("document.body.innerText"))

    def shot(self, path: Path) -> None:
        """A picture of the whole page."""
        found = self.do("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def complaints(self) -> list[str]:
        """Errors in the console, exceptions, and requests that left this machine."""
        out = []
        self.value("0")
        for event in self.chrome.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                out.append(json.dumps(params["exceptionDetails"])[:2000])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                out.append(json.dumps(params["args"])[:2000])
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                out.append(json.dumps(params["entry"])[:2000])
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("http://127.0.0.1:", "data:", "blob:")):
                    out.append(url)
        return out

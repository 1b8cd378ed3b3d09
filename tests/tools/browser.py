"""A browser without a window, spoken to by its DevTools protocol over two pipes: what a page shows, asks for and says.

In: pages as files. Out: `Visit`: what was requested, what went wrong, and the answers of scripts, pictures and PDFs.
It ends with this process, whose end breaks the pipes.
"""

import base64
import json
import os
import subprocess
import tempfile
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exporter.time_limits import END_S
from hil.report.pdf import browser_command

PIPED = 'exec "${@:3}" 3<&"$1" 4>&"$2"'
"""The browser reads commands from descriptor 3 and answers on 4."""
END = b"\0"  # of a message


@dataclass
class Visit:
    """What happened while a page was open."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Browser:
    """One browser with one tab."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="kinefix-browser-", ignore_cleanup_errors=True)
        command = [
            *browser_command(program, Path(self._profile.name)),
            "--hide-scrollbars",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        read_end, self._commands = os.pipe()
        answers, write_end = os.pipe()
        shell = ["bash", "-c", PIPED, "bash", str(read_end), str(write_end), *command]
        self._process = subprocess.Popen(
            shell, pass_fds=(read_end, write_end), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(read_end)
        os.close(write_end)
        self._answers = os.fdopen(answers, "rb", buffering=0)
        self._rest = b""
        self._messages: deque[dict[str, Any]] = deque()
        self._number = 0
        self._session = ""
        self.visit = Visit()
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{room}.enable")

    def close(self) -> None:
        """End it."""
        with suppress(OSError):
            os.close(self._commands)
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()
        self._profile.cleanup()

    def open(self, page: Path, *, scheme: str = "light", media: str = "screen", width: int = 1000) -> Visit:
        """Load a page in a scheme and a medium, as wide as this in CSS pixels and as high as it needs."""
        self.visit = Visit()
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", media=media, features=features)
        self._size(width, 800)
        self._ask("Page.navigate", url=page.resolve().as_uri())
        self._wait_for("Page.loadEventFired")
        self._size(width, int(self.evaluate("document.documentElement.scrollHeight")))
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self.visit

    def evaluate(self, script: str) -> Any:
        """What a script says of the page."""
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def picture(self, height: int | None = None, top: int = 0, scale: float = 1.0) -> bytes:
        """A PNG of the page as it was opened: all of it, or so many CSS pixels from a place on."""
        size = self.evaluate("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        high = size[1] - top if height is None else height
        clip = {"x": 0, "y": top, "width": size[0], "height": high, "scale": scale}
        return base64.b64decode(self._ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"])

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self._ask("Page.printToPDF", preferCSSPageSize=True)["data"])

    def _size(self, width: int, height: int) -> None:
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _ask(self, method: str, **values: object) -> dict[str, Any]:
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": values}
        if self._session:
            message["sessionId"] = self._session
        rest = json.dumps(message).encode() + END
        while rest:
            rest = rest[os.write(self._commands, rest) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])
            self._note(answer)

    def _wait_for(self, event: str) -> None:
        while (message := self._next()).get("method") != event:
            self._note(message)

    def _next(self) -> dict[str, Any]:
        while END not in self._rest:
            chunk = self._answers.read(1 << 16)
            assert chunk, "the browser has ended"
            self._rest += chunk
        message, _, self._rest = self._rest.partition(END)
        return dict(json.loads(message))

    def _note(self, message: dict[str, Any]) -> None:
        values = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.visit.requests.append(values["request"]["url"])
            case "Network.loadingFailed":
                self.visit.errors.append(f"loading failed: {values['errorText']}")
            case "Runtime.exceptionThrown":
                self.visit.errors.append(f"exception: {values['exceptionDetails']['text']}")
            case "Runtime.consoleAPICalled" if values["type"] in ("error", "assert", "warning"):
                self.visit.errors.append(f"console: {values['args']}")
            case "Log.entryAdded" if values["entry"]["level"] in ("error", "warning"):
                self.visit.errors.append(f"log: {values['entry']['text']}")

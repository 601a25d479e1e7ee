"""The local page: four small files, and questions whose answers come line by line.

Needs the extra ``explore`` (Starlette and uvicorn).
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bddsudoku.explore.answering import Event
from bddsudoku.explore.desk import MEMORY, SECONDS, Desk
from bddsudoku.explore.guard import Guard, Prompt

_LARGEST_BODY = 512 << 10
_BODY_SECONDS = 10.0
_SESSIONS = 16
"""Tabs that are remembered; of more, the one that was silent longest is forgotten."""
_BEAT = 5.0
"""Seconds without an event after which an empty line asks whether anybody still listens."""
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FILES = {
    "/": ("page.html", "text/html"),
    "/page.js": ("page.js", "text/javascript"),
    "/board.js": ("board.js", "text/javascript"),
    "/board.css": ("board.css", "text/css"),
}


def new_token() -> str:
    """A token that nobody guesses: 192 bits."""
    return secrets.token_urlsafe(24)


class _TooLarge(Exception):
    """The body of a request."""


class Desks:
    """The sessions' desks.

    Args:
        memory: bytes for one question.
        seconds: for one question.
    """

    def __init__(self, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        self._memory, self._seconds = memory, seconds
        self._desks: dict[str, Desk] = {}

    def __getitem__(self, session: str) -> Desk:
        if session not in self._desks:
            if len(self._desks) >= _SESSIONS:
                oldest = min(self._desks, key=lambda name: self._desks[name].used)
                self._desks.pop(oldest).stop()
            self._desks[session] = Desk(self._memory, self._seconds)
        return self._desks[session]

    def stop(self) -> None:
        """End all questions."""
        for desk in self._desks.values():
            desk.stop()


def application(
    token: str,
    hosts: list[str],
    opening: str = "",
    *,
    desks: Desks | None = None,
) -> Guard:
    """The page and its questions as an ASGI application.

    Args:
        token: the first part of every path.
        hosts: the server's own names with their ports.
        opening: the text of the puzzle to begin with.
        desks: where the sessions' questions are answered.
    """
    desks = desks or Desks()
    static = {
        path: ((files("bddsudoku.explore") / "static" / name).read_bytes(), type_)
        for path, (name, type_) in _FILES.items()
    }

    async def file(request: Request) -> Response:
        body, type_ = static[request.url.path]
        return Response(body, media_type=type_)

    async def start(_: Request) -> Response:
        return JSONResponse({"text": opening})

    async def ask(request: Request) -> Response:
        try:
            body = await asyncio.wait_for(_body(request), _BODY_SECONDS)
            asked = json.loads(body)
            session = asked["session"]
            if not isinstance(session, str) or not _SESSION.fullmatch(session):
                raise ValueError
        except _TooLarge:
            return Response("too large\n", 413)
        except TimeoutError:
            return Response("too slow\n", 408)
        except (ValueError, KeyError, TypeError, RecursionError):
            return Response("expected a question\n", 400)
        if asked.get("kind") == "stop":
            desks[session].stop()
            return Response(status_code=204)
        return StreamingResponse(_lines(desks[session], asked), media_type="application/x-ndjson")

    routes = [Route(path, file, methods=["GET"]) for path in _FILES]
    app = Starlette(
        routes=[
            *routes,
            Route("/start", start, methods=["GET"]),
            Route("/ask", ask, methods=["POST"]),
        ],
    )
    return Guard(app, token, hosts)


async def _body(request: Request) -> bytes:
    """The body, while it is small.

    Raises:
        _TooLarge: it is not.
        ValueError: it is no JSON by its own account (so that no other page can send it unasked).
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError
    if int(request.headers.get("content-length", "0")) > _LARGEST_BODY:
        raise _TooLarge
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > _LARGEST_BODY:
            raise _TooLarge
    return bytes(found)


async def _lines(desk: Desk, asked: dict[str, Any]) -> AsyncIterator[bytes]:
    """The events of an answer, a line each; whoever stops listening ends the question."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[Event] = asyncio.Queue()

    def tell(event: Event) -> None:
        try:
            loop.call_soon_threadsafe(events.put_nowait, event)
        except RuntimeError:  # the server has ended
            context.stop.set()

    context = desk.ask(asked, tell)
    try:
        while True:
            try:
                event = await asyncio.wait_for(events.get(), _BEAT)
            except TimeoutError:
                yield b"\n"
                continue
            yield json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            if event["kind"] == "end":
                return
    finally:
        context.stop.set()


class Server:
    """Binds to the loopback address, then serves until it is told to end.

    Args:
        opening: the text of the puzzle to begin with.
        port: 0 takes a free one.
        memory: bytes for one question.
        seconds: for one question.

    Attributes:
        url: of the page, token included.

    Raises:
        OSError: the port is taken.
    """

    def __init__(
        self,
        opening: str = "",
        port: int = 0,
        *,
        memory: int = MEMORY,
        seconds: float = SECONDS,
    ) -> None:
        self._desks = Desks(memory, seconds)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
            self._socket.listen()  # who asks before the server runs waits, and is not refused
        except OSError:
            self._socket.close()
            raise
        port = self._socket.getsockname()[1]
        token = new_token()
        hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
        self.url = f"http://127.0.0.1:{port}/{token}/"
        config = uvicorn.Config(
            application(token, hosts, opening, desks=self._desks),
            log_level="error",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            loop="asyncio",
            http=Prompt,
            h11_max_incomplete_event_size=16 << 10,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    def run(self) -> None:
        """Serve until :meth:`stop`, or until a signal raises in this thread.

        Signals are left to the program: its command line has an answer to them.
        """
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
        serving = threading.Thread(target=self._serve, name="server", daemon=True)
        serving.start()
        try:
            while serving.is_alive():
                serving.join(1)
        finally:
            self.stop()
            serving.join(3)
            self._socket.close()

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def stop(self) -> None:
        """End serving and all questions, soon."""
        self._desks.stop()
        self._server.should_exit = True

    def wait_until_started(self, seconds: float = 10.0) -> bool:
        """Whether it has begun to serve within so many seconds."""
        end = time.monotonic() + seconds
        while not self._server.started and time.monotonic() < end:
            time.sleep(0.01)
        started: bool = self._server.started
        return started


def warm_up() -> None:
    """Load the kernels that the first answers need, while the browser opens."""
    from bddsudoku.context import Context
    from bddsudoku.explore.answering import Answers
    from bddsudoku.explore.boards import board_record, read_board

    for line in _WARM:
        board = board_record(read_board(line)[0])
        for kind in ("board", "hints"):
            for _ in Answers().events(
                {"kind": kind, "board": board}, Context().reporting(lambda *_: None)
            ):
                pass


_WARM = (
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    "..3.....2.7..2..3.5.....8...5..42.6.6..15.....4.9...1...2.7...5.6..8....8........",
    "000000010400000000020000000000050400008000300001090000000400200050100000000806007",
)

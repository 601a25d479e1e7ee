"""The local web server of the live board: static files, and answers as streams of JSON lines.

Every path begins with a token that nobody can guess; without it, and under other names of this
machine, there is nothing.

Needs the extra ``explore`` (Starlette and uvicorn). ``Any`` stands for JSON.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from bddsudoku.context import Context
from bddsudoku.explore.board_questions import answer, board_record, read_first_puzzle
from bddsudoku.explore.live_board import Event
from bddsudoku.explore.session import MEMORY, SECONDS, Session

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""Headers of every response: the page loads nothing from elsewhere, and its address stays here."""
_MAX_SESSIONS = 16
"""Sessions (browser tabs) at most; of more, the least recently used is ended."""
_HEARTBEAT_SECONDS = 5.0
"""Seconds without an event after which an empty line probes whether the client still listens."""
_MEDIA_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


class SessionPool:
    """The sessions of the browser tabs, by name, the least recently used first."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._memory = memory
        self._sessions: dict[str, Session] = {}

    def __getitem__(self, name: str) -> Session:
        session = self._sessions.pop(name, None) or Session(self._memory, SECONDS)
        self._sessions[name] = session  # the last in the order
        if len(self._sessions) > _MAX_SESSIONS:
            self._sessions.pop(next(iter(self._sessions))).stop()
        return session

    def stop(self) -> None:
        """Stop the answers that the sessions are computing."""
        for session in self._sessions.values():
            session.stop()


def asgi_application(
    token: str, first_puzzle: str = "", *, sessions: SessionPool | None = None
) -> Starlette:
    """Make the ASGI application that serves files and answers questions.

    Args:
        token: the first part of every path.
        first_puzzle: the text of the first puzzle.
        sessions: the sessions; by default new ones.
    """
    sessions = sessions or SessionPool()

    async def serve_answer(request: Request) -> Response:
        try:
            question = json.loads(await request.body())
            session = sessions[str(question["session"])]
        except (ValueError, KeyError, TypeError, RecursionError):
            return Response("expected a question\n", 400, HEADERS)
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[Event] = asyncio.Queue()

        def enqueue(event: Event) -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(events.put_nowait, event)

        context = session.ask(question, enqueue)
        if context is None:
            return Response(status_code=204)
        lines = _json_lines(events, context.stop)
        return StreamingResponse(lines, headers=HEADERS, media_type="application/x-ndjson")

    routes = [
        Route("/start", JSONResponse({"text": first_puzzle}, headers=HEADERS)),
        Route("/ask", serve_answer, methods=["POST"]),
    ]
    for file in (files("bddsudoku.explore") / "static").iterdir():
        path = "/" if file.name == "page.html" else f"/{file.name}"
        type_ = _MEDIA_TYPES[file.name.rpartition(".")[2]]
        routes.append(Route(path, Response(file.read_bytes(), 200, HEADERS, type_)))
    this_machine = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])
    return Starlette(routes=[Mount(f"/{token}", routes=routes)], middleware=[this_machine])


async def _json_lines(events: asyncio.Queue[Event], stop: threading.Event) -> AsyncIterator[bytes]:
    """Yield the events of an answer as JSON lines; closing the stream stops the computation."""
    try:
        while True:
            try:
                event = await asyncio.wait_for(events.get(), _HEARTBEAT_SECONDS)
            except TimeoutError:
                yield b"\n"
                continue
            yield json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            if event["kind"] == "end":
                return
    finally:
        stop.set()


class Server:
    """The web server of the live board on the loopback address.

    Args:
        first_puzzle: the text of the first puzzle.
        port: bound at once; 0 for a free one.
        memory: bytes for one question.

    Attributes:
        url: the address of the page, token included.

    Raises:
        OSError: the port is in use.
    """

    def __init__(self, first_puzzle: str = "", port: int = 0, *, memory: int = MEMORY) -> None:
        self._sessions = SessionPool(memory)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind(("127.0.0.1", port))
            self._socket.listen()  # early requests wait until the server runs
        except OSError:
            self._socket.close()
            raise
        port = self._socket.getsockname()[1]
        token = secrets.token_urlsafe(24)  # nobody guesses 192 bits
        self.url: str = f"http://127.0.0.1:{port}/{token}/"
        config = uvicorn.Config(
            asgi_application(token, first_puzzle, sessions=self._sessions),
            log_level="error",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            loop="asyncio",
            http="h11",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        sockets = {"sockets": [self._socket]}
        self._thread = threading.Thread(target=self._server.run, kwargs=sockets, daemon=True)

    def run(self) -> None:
        """Serve until :meth:`stop` is called, or until a signal raises an error in this thread.

        Signals are handled by the program (:mod:`bddsudoku.cli.lifecycle`).
        """
        threading.Thread(target=warm_up_answers, name="warm-up", daemon=True).start()
        self._thread.start()
        try:
            while self._thread.is_alive():
                time.sleep(0.1)  # (an interrupted join would take the thread for ended)
        finally:
            self.stop()
            self._thread.join(3)
            self._socket.close()

    def stop(self) -> None:
        """Ask the server and all sessions to end; returns at once."""
        self._sessions.stop()
        self._server.should_exit = True


def warm_up_answers() -> None:
    """Compile or load the machine code of the first answers, while the browser opens."""
    for line in _WARM_UP_PUZZLES:
        board = board_record(read_first_puzzle(line)[0])
        for kind in ("board", "hints"):
            context = Context().with_progress(lambda *_: None)
            answer({"kind": kind, "board": board}, context, lambda _: None)


_WARM_UP_PUZZLES = (
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    "..3.....2.7..2..3.5.....8...5..42.6.6..15.....4.9...1...2.7...5.6..8....8........",
    "000000010400000000020000000000050400008000300001090000000400200050100000000806007",
    "1...............\nthermo r2c1 r3c1",
)

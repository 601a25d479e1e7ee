"""The local web server of the live board: static files, and answers as streams of JSON lines.

The server answers only requests that have the token and come from its own page; all others get a
short 403 without details. These checks are plain ASGI around the application, so that they hold for
every route.

Needs the extra ``explore`` (Starlette and uvicorn). ``Any`` stands for JSON and ASGI messages.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from bddsudoku.explore.board_questions import Event
from bddsudoku.explore.session import MEMORY, SECONDS, Session

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Headers of every response."""


class AccessGuard:
    """ASGI middleware that checks host, origin and token, and removes the token from the path."""

    def __init__(
        self, app: Callable[[Scope, Receive, Send], Awaitable[None]], token: str, hosts: list[str]
    ) -> None:
        self._app = app
        self._token = token
        self._hosts = {host.encode("ascii") for host in hosts}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an ASGI request on to the application, or refuse it."""
        path = self._authorised_path(scope)
        if path is None:
            refusal = PlainTextResponse("forbidden\n", 403, {"connection": "close"})
            await refusal(scope, receive, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        await self._app(
            {**scope, "path": path, "raw_path": path.encode()}, receive, send_with_headers
        )

    def _authorised_path(self, scope: Scope) -> str | None:
        """Return a request's path without the access token; None if the request is refused."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        header_values: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            header_values.setdefault(name, []).append(value)
        if len(header_values.get(b"host", [])) != 1 or header_values[b"host"][0] not in self._hosts:
            return None
        if not self._origins.issuperset(header_values.get(b"origin", [])):
            return None
        if not {b"same-origin", b"none"}.issuperset(header_values.get(b"sec-fetch-site", [])):
            return None
        path: str = scope["path"]
        token, slash, rest = path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        return "/" + rest


_MAX_BODY_BYTES = 512 << 10
_MAX_SESSIONS = 16
"""Sessions (browser tabs) at most; of more, the least recently used is ended."""
_HEARTBEAT_SECONDS = 5.0
"""Seconds without an event after which an empty line probes whether the client still listens."""
_SESSION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MEDIA_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


class _BodyTooLarge(Exception):
    """Raised for a request whose body is too large."""


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
    token: str,
    hosts: list[str],
    first_puzzle: str = "",
    *,
    sessions: SessionPool | None = None,
) -> AccessGuard:
    """Make the ASGI application that serves files and answers questions, guarded by a token.

    Args:
        token: the first part of every path.
        hosts: allowed values of the header ``host``.
        first_puzzle: the text of the first puzzle.
        sessions: the sessions; by default new ones.
    """
    sessions = sessions or SessionPool()
    static = {
        "/" if file.name == "page.html" else f"/{file.name}": (
            file.read_bytes(),
            _MEDIA_TYPES[file.name.rpartition(".")[2]],
        )
        for file in (files("bddsudoku.explore") / "static").iterdir()
    }

    async def serve_file(request: Request) -> Response:
        body, type_ = static[request.url.path]
        return Response(body, media_type=type_)

    async def serve_opening(_: Request) -> Response:
        return JSONResponse({"text": first_puzzle})

    async def serve_answer(request: Request) -> Response:
        try:
            question = json.loads(await _read_body(request))
            session = question["session"]
            if not isinstance(session, str) or not _SESSION_NAME.fullmatch(session):
                raise ValueError
        except _BodyTooLarge:
            return Response("too large\n", 413)
        except (ValueError, KeyError, TypeError, RecursionError):
            return Response("expected a question\n", 400)
        if question.get("kind") == "stop":
            sessions[session].stop()
            return Response(status_code=204)
        return StreamingResponse(
            _answer_as_json_lines(sessions[session], question), media_type="application/x-ndjson"
        )

    routes = [Route(path, serve_file) for path in static]
    routes += [Route("/start", serve_opening), Route("/ask", serve_answer, methods=["POST"])]
    return AccessGuard(Starlette(routes=routes), token, hosts)


async def _read_body(request: Request) -> bytes:
    """Read the body of a request; raise an error unless the body is small JSON.

    A page of another origin cannot send JSON without permission.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError
    if int(request.headers.get("content-length", "0")) > _MAX_BODY_BYTES:
        raise _BodyTooLarge
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > _MAX_BODY_BYTES:
            raise _BodyTooLarge
    return bytes(found)


async def _answer_as_json_lines(session: Session, question: dict[str, Any]) -> AsyncIterator[bytes]:
    """Yield the events of an answer as JSON lines; closing the stream stops the computation."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[Event] = asyncio.Queue()

    def enqueue(event: Event) -> None:
        try:
            loop.call_soon_threadsafe(events.put_nowait, event)
        except RuntimeError:  # the server has ended
            context.stop.set()

    context = session.ask(question, enqueue)
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
        context.stop.set()


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
        hosts = [f"127.0.0.1:{port}", f"localhost:{port}"]
        self.url = f"http://127.0.0.1:{port}/{token}/"
        config = uvicorn.Config(
            asgi_application(token, hosts, first_puzzle, sessions=self._sessions),
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

    def run(self) -> None:
        """Serve until :meth:`stop` is called, or until a signal raises an error in this thread.

        Signals are handled by the program (:mod:`bddsudoku.cli.lifecycle`).
        """
        threading.Thread(target=warm_up_answers, name="warm-up", daemon=True).start()
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
        """Ask the server and all sessions to end; returns at once."""
        self._sessions.stop()
        self._server.should_exit = True


def warm_up_answers() -> None:
    """Compile or load the machine code of the first answers, while the browser opens."""
    from bddsudoku.context import Context
    from bddsudoku.explore.board_questions import BoardAnswerer, board_record, read_first_puzzle

    for line in _WARM_UP_PUZZLES:
        board = board_record(read_first_puzzle(line)[0])
        for kind in ("board", "hints"):
            for _ in BoardAnswerer().events(
                {"kind": kind, "board": board}, Context().with_progress(lambda *_: None)
            ):
                pass


_WARM_UP_PUZZLES = (
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    "..3.....2.7..2..3.5.....8...5..42.6.6..15.....4.9...1...2.7...5.6..8....8........",
    "000000010400000000020000000000050400008000300001090000000400200050100000000806007",
)

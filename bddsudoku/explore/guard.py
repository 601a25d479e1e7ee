"""Who may speak to the local server: those who have the token, and come from its own page.

Everything else gets a short 403 that tells nothing. The rules are plain ASGI around the
application, so that no route can be without them. Before that a connection has little time to say
what it wants, and of those that say nothing few are kept: nobody can keep the page's own out.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

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
"""Sent with every answer."""


_HEAD_SECONDS = 5.0
"""Seconds that a new connection has for the head of its first request."""
_SILENT = 128
"""Connections without one; of more, the oldest is closed."""


class Prompt(H11Protocol):
    """A connection whose first request must come soon.

    Who lacks the token is refused as soon as the head is there, and the connection closed with
    that; so no others can pile up.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head; close those who have waited longest if there are many."""
        super().connection_made(transport)
        self._begun = self.loop.time()
        self.loop.call_later(_HEAD_SECONDS, self._end)
        silent = [c for c in self.connections if isinstance(c, Prompt) and c._is_silent]
        for connection in sorted(silent, key=lambda c: c._begun)[:-_SILENT]:
            connection.transport.close()

    @property
    def _is_silent(self) -> bool:
        """Whether no head has come yet."""
        return not (self.cycle or self.transport.is_closing())

    def _end(self) -> None:
        if self._is_silent:
            self.transport.close()


class Guard:
    """Lets requests through whose host, origin and token are right.

    Args:
        app: what they are for; it sees paths without the token.
        token: the first part of every path.
        hosts: values of ``Host`` that are this server's own.
    """

    def __init__(
        self, app: Callable[[Scope, Receive, Send], Awaitable[None]], token: str, hosts: list[str]
    ) -> None:
        self._app = app
        self._token = token
        self._hosts = {host.encode("ascii") for host in hosts}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection, as ASGI wants it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path = self._inner(scope) if scope["type"] == "http" else None
        if path is None:
            await _refuse(scope, receive, send)
            return

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, sent)

    def _inner(self, scope: Scope) -> str | None:
        """The path below the token; None for who may not ask."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        sites = [value for name, value in headers if name == b"sec-fetch-site"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return None
        if any(origin not in self._origins for origin in origins):
            return None
        if any(site not in (b"same-origin", b"none") for site in sites):
            return None
        path: str = scope["path"]
        token, slash, rest = path.removeprefix("/").partition("/")
        if not slash or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        return "/" + rest


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [
        (b"content-type", b"text/plain"),
        (b"content-length", b"10"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": b"forbidden\n"})

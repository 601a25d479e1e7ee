"""The server of the live board: access, requests, sessions and its end."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

from bddsudoku import Puzzle  # noqa: E402
from bddsudoku.explore import server as served  # noqa: E402

TOKEN = "a-token"
HOST = "127.0.0.1:8000"
SMALL = {"box": [2, 2], "cells": [1] + [0] * 15}
SLOW = {"box": [4, 4], "cells": [0] * 256}


def request(method: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> Any:
    """One request to the application itself, without a socket."""
    app = served.asgi_application(TOKEN, "1...............")

    async def sent() -> Any:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
            return await client.request(method, path, headers=headers, **more)

    return asyncio.run(sent())


def ask(question: object, **headers: str) -> Any:
    return request(
        "POST", f"/{TOKEN}/ask", {"content-type": "application/json"} | headers,
        content=json.dumps(question).encode(),
    )  # fmt: skip


@pytest.mark.parametrize("name", ["", "page.js", "board.js", "board.css", "start"])
def test_files_are_served_and_kept_to_themselves(name: str) -> None:
    reply = request("GET", f"/{TOKEN}/{name}")
    assert reply.status_code == 200
    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert not [name for name in reply.headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["/", "/ask", "/board.js", "/a-toke/", "/a-tokenn/", "/A-TOKEN/", "//", "/x/a-token/",
     "/\u00e9/", "/?token=a-token"],
)  # fmt: skip
def test_without_the_token_there_is_nothing(method: str, path: str) -> None:
    reply = request(method, path)
    assert reply.status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", ""])
def test_other_hosts_get_nothing(host: str) -> None:
    assert request("GET", f"/{TOKEN}/", {"host": host}).status_code == 400
    assert ask({"session": "s", "kind": "read", "side": 4}, host=host).status_code == 400


def test_the_page_itself_may_ask() -> None:
    own = {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    reply = ask({"session": "s", "kind": "board", "board": SMALL}, **own)
    assert reply.status_code == 200
    kinds = [json.loads(line)["kind"] for line in reply.text.splitlines() if line]
    wanted = {"statement", "possible", "marginals", "end"}
    assert {*kinds} - {"progress"} == wanted
    local = {"host": "localhost:8000", "origin": "http://localhost:8000"}
    assert ask({"session": "s", "kind": "read", "side": 4}, **local).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"3", b"{", b"\xff", b"{}", b"[" * 100_000],
)
def test_what_is_no_question(body: bytes) -> None:
    reply = request("POST", f"/{TOKEN}/ask", {"content-type": "application/json"}, content=body)
    assert reply.status_code == 400


def test_sessions_are_forgotten_and_ended() -> None:
    sessions = served.SessionPool()
    first = sessions["s0"]
    over = threading.Event()
    context = first.ask(
        {"kind": "board", "board": SLOW}, lambda e: e["kind"] == "end" and over.set()
    )
    for i in range(1, 40):
        assert sessions[f"s{i}"] is sessions[f"s{i}"]
    assert context.stop.is_set()
    assert over.wait(30)
    sessions.stop()


@pytest.fixture
def running() -> Iterator[Any]:
    server = served.Server("1...............")
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    server.stop()
    thread.join(10)
    assert not thread.is_alive()


def test_a_question_that_nobody_waits_for_ends(running: Any) -> None:
    body = {"session": "s", "kind": "board", "board": SLOW}
    with (
        httpx.Client(trust_env=False) as client,
        client.stream("POST", f"{running.url}ask", json=body) as reply,
    ):
        next(reply.iter_lines())
        work_lock = running._sessions["s"].locks["count"]
        assert work_lock.locked()
    assert work_lock.acquire(timeout=20)


def test_a_question_is_stopped(running: Any) -> None:
    body = {"session": "s", "kind": "board", "board": SLOW}
    with (
        httpx.Client(trust_env=False) as client,
        client.stream("POST", f"{running.url}ask", json=body) as reply,
    ):
        lines = reply.iter_lines()
        next(lines)
        stop = {"session": "s", "kind": "stop"}
        assert client.post(f"{running.url}ask", json=stop).status_code == 204
        last = [json.loads(line) for line in lines if line][-2:]
    assert last[0]["limit"] == "stop"
    assert last[1] == {"kind": "end"}


def test_it_listens_on_the_loopback_address_alone(running: Any) -> None:
    port = int(re.findall(r":(\d+)/", running.url)[0])
    assert running._socket.getsockname() == ("127.0.0.1", port)
    with pytest.raises(OSError, match="in use"):
        served.Server(port=port)
    with socket.create_connection(("127.0.0.1", port), 5) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 400")


@contextmanager
def command(*args: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bddsudoku", "explore", *args],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_command_serves_until_it_is_interrupted() -> None:
    with command("1...............", "--no-browser") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", url)
        with httpx.Client(trust_env=False) as client:
            deadline = time.monotonic() + 20
            while True:
                try:
                    reply = client.get(f"{url}start")
                    break
                except httpx.TransportError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
        assert Puzzle.parse(reply.json()["text"]) == Puzzle.parse("1...............")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "Traceback" not in errors


def test_bad_puzzles_and_ports_are_one_line() -> None:
    with command("no/such/file", "--no-browser") as process:
        out, errors = process.communicate(timeout=60)
        assert (process.returncode, out, errors.count("\n")) == (1, "", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with command("--no-browser", "--port", str(taken.getsockname()[1])) as process:
            out, errors = process.communicate(timeout=60)
            assert (process.returncode, out, errors.count("\n")) == (1, "", 1)

"""Texts in other encodings than UTF-8: every kind of input, and everything that is printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]

BOARD = "# ä\n1...............\n"
INPUTS = {
    ("count", "{}"): (BOARD, "72"),
    ("count", "{}", "--layout", "2x2"): (BOARD * 70, "\n".join(["72"] * 70)),
    ("formula", "{}", "count"): ("# ä\nsymbol a b  // ä\na | b\n", "3"),
    ("formula", "{}", "count", "--engine", "frontier"): ("c ä\np cnf 2 1\n1 2 0\n", "3"),
    ("formula", "{}", "count", "--project", "x2"): ("* ä\n+1 x1 +1 x2 >= 1 ;\n", "2"),
    ("cover", "{}", "count"): ("| ä\na b | c\na\nb c\na b\n", "2"),
    ("cover", "{}", "count", "--engine", "dlx"): ('{"items": ["a"], "options": [["a"]]}', "1"),
    ("numberlink", "{}", "count"): ("# ä\n1.2\n...\n1.2\n", "7"),
    ("tiling", "2x3", "count", "--pieces", "{}"): ("; ä\nL:\n#.\n##\n", "2"),
    ("tiling", "{}", "count", "--pieces", "I2"): ("##\n##\n##\n", "3"),
    ("generate", "--rules", "{}", "--layout", "2x2", "--hints", "8"): ("# ä\ndiagonals\n", None),
    ("generate", "--pattern", "{}", "--inside", "--layout", "2x2"): ("####\n" * 4, None),
    ("rank", "1...............", "{}"): ("1234341221434321\n", "0"),
}
"""A command for each kind of input: the text of its file, and what it prints."""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
@pytest.mark.parametrize("command", INPUTS, ids=" ".join)
def test_every_input_is_read_in_every_encoding(
    run: Run, tmp_path: Path, command: tuple[str, ...], encoding: str
) -> None:
    text, answer = INPUTS[command]
    ending = ".cnf" if "p cnf" in text else ".opb" if "x1" in text else ".txt"
    path = tmp_path / f"input{ending}"
    path.write_bytes(text.encode(encoding))
    found = run(*(str(path) if word == "{}" else word for word in command))
    assert answer in (None, found.stdout.strip())


@pytest.mark.parametrize("command", INPUTS, ids=" ".join)
@pytest.mark.parametrize("data", [b"1\xe4\n", b"1\n\xff\xfe\n", b"\0", b"# \0", b"\xff\xfe1"])
def test_other_bytes_are_refused_with_their_place(
    run: Run, tmp_path: Path, command: tuple[str, ...], data: bytes
) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)
    refused = run(*(str(path) if word == "{}" else word for word in command), code=1)
    wide = data.startswith(b"\xff")
    assert refused.stderr.startswith(f"bddsudoku: {path}")
    assert ("valid UTF-16" if wide else "expected UTF-8 text, found byte 0x") in refused.stderr
    assert wide or "line " in refused.stderr


EVERY_HELP = """
import sys
sys.path.insert(0, sys.argv[1])
from commands import leaves
from bddsudoku.cli import main
for names in [(), *(names for names, _ in leaves())]:
    try:
        main([*names, "--help"])
    except SystemExit as end:
        assert not end.code, names
"""


@pytest.mark.parametrize("encoding", ["latin-1", "cp437", "koi8-r", "cp1251"])
def test_every_help_is_written_in_every_encoding(encoding: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", EVERY_HELP, str(Path(__file__).parent)],
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ("with rules, …" if encoding == "cp1251" else "with rules, ...") in ended.stdout.decode(
        encoding
    )


def test_names_that_an_encoding_lacks_are_escaped_as_in_json(shell: Run, tmp_path: Path) -> None:
    path = tmp_path / "cover"
    path.write_text("あ \U0001f600\nあ \U0001f600\n", encoding="utf-8")
    for command, printed in {
        ("cover", str(path), "enumerate"): "あ 😀\n",
        ("cover", str(path), "enumerate", "--json"): '{"cover": ["あ 😀"], "numbers": [1]}\n',
        ("tiling", "1x2", "draw", "--pieces", "I2"): "┌───────┐\n│       │\n└───────┘\n",
    }.items():
        ended = shell(*command, encoding="ascii")
        escaped = (c if c < "\x80" else json.dumps(c).strip('"') for c in printed)
        assert (ended.returncode, ended.stdout) == (0, "".join(escaped))

"""The page about JSON lists exactly the members that every command prints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from commands import COMMANDS, FILES, leaves
from figures import FIGURE_1_SOLUTION

from bddsudoku.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
MEMBERS = re.compile(r"^\| `([^`]+)` \| ([a-z, ]+) \|", re.M)
ABOVE = re.compile(r"^Of those above: (.*)\.$", re.M)
LEFT_OUT = {"report", "explore", "draw", "numberlink draw", "example", "mcp", "warm-up"}
MORE = {
    "analyse": [
        ("settled.txt",),
        ("11..............",),
        ("wide.txt",),
        ("123456" + "." * 30, "--max-memory", "64KiB"),
    ],
    "build": [
        ("wide.txt", "--max-nodes", "20"),
        ("wide.txt", "--schedule", "block>cell>row>column"),
    ],
    "compile": [("wide.txt",), ("wide.txt", "--engine", "components")],
    "count": [
        ("wide.txt", "--engine", "bdd", "--max-memory", "1MiB"),
        ("wide.txt", "--limit", "2"),
        ("1...............", "--up-to-symmetry"),
    ],
    "hints": [("variant.txt",), ("settled.txt",), ("11..............",)],
    "rules": [("variant.txt",), ("." * 256, "--each", "1ms")],
    "minimal": [
        (FIGURE_1_SOLUTION, "--time-limit", "3"),
        ("1.3434..........", "--for", "r1c2=2"),
    ],
    "unavoidable": [(FIGURE_1_SOLUTION, "--size", "10")],
    "check": [("wide.txt",)],
    "canonical": [("wide.txt", "--distinct"), ("regions.txt", "--map")],
}
"""Further runs of commands, for members that are not always present."""


def documented() -> dict[str, dict[str, set[str]]]:
    """Command → member → types."""
    head, *parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    common = dict(MEMBERS.findall(head))
    found: dict[str, dict[str, set[str]]] = {}
    for part in parts:
        name, _, text = part.partition("\n")
        members = dict(MEMBERS.findall(text))
        above = ABOVE.search(text)
        members |= {m: common[m] for m in re.findall(r"`(\w+)`", above[1] if above else "")}
        found[name] = {member: set(types.split(", ")) for member, types in members.items()}
    return found


KNOWN = documented()


def type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "digits" if value.isdigit() else "text"
    return {bool: "boolean", int: "integer", float: "number", list: "list", dict: "object"}[
        type(value)
    ]


def members(value: Any, known: set[str], path: str = "") -> Iterator[tuple[str, Any]]:
    """The members of an object as far as the page goes into it."""
    deeper = any(name.startswith((f"{path}.", f"{path}[]")) for name in known) or not path
    pattern = next((p for p in known if fnmatchcase(path, p.replace("[]", "[[][]]"))), None)
    below = deeper or any(fnmatchcase(path, p.rpartition(".")[0]) for p in known)
    if pattern is not None or not below:
        yield pattern or path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from members(inner, known, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value:
            yield from members(inner, known, f"{path}[]")
    else:
        yield path, value


def printed(arguments: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code in (0, 3), done.output
    lines = done.stdout.splitlines()
    assert lines
    for line in lines:
        yield json.loads(line)


def test_every_command_is_there() -> None:
    names = {" ".join(path) for path, _ in leaves()}
    assert {*KNOWN} == names - LEFT_OUT


@pytest.mark.parametrize("name", KNOWN)
def test_members(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bddsudoku.authoring.unavoidable.HITTING_NODES", 1 << 14)
    for file, text in FILES.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    variant = "1...............\ndiagonals\ncage 5 r1c2 r1c3\n"
    (tmp_path / "variant.txt").write_text(variant, encoding="utf-8")
    regions = "# layout: 2x2\n1...............\nregions 1112132233243444\ndiagonals\n"
    (tmp_path / "regions.txt").write_text(regions, encoding="utf-8")
    known = KNOWN[name]
    seen: set[str] = set()
    for arguments in (COMMANDS[name].whole, *((name, *more) for more in MORE.get(name, ()))):
        for record in printed(arguments):
            for member, value in members(record, {*known}):
                assert member in known, f"{name} prints {member}, and the page does not say so"
                found, described = type_of(value), known[member]
                fits = {found} | ({"text"} if found == "digits" else set())
                fits |= {"number"} if found == "integer" else set()
                assert fits & described, f"{name}: {member} is {value!r}, not {described}"
                seen.add(member)
    assert seen == {*known}, f"{name} prints no {sorted({*known} - seen)}"

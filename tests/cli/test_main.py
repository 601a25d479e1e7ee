from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result

Run = Callable[..., Result]


def test_help_starts_without_any_heavy_module() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from bddsudoku.cli import main\n"
        "CliRunner().invoke(main, ['--help'])\n"
        "print([m for m in ('numpy', 'numba', 'dd', 'matplotlib', 'tqdm') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_help_is_quick(shell: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """In CPU time, which a busy machine does not lengthen much; bare Python takes some 0.02 s."""
    times = []
    for _ in range(3):
        before = os.times()
        assert shell("--help").returncode == 0
        after = os.times()
        children = after.children_user + after.children_system
        times.append(children - before.children_user - before.children_system)
    assert min(times) < 0.3


def test_lists_at_the_end_are_written_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    from bddsudoku.cli.command_base import emit_json

    record = {"a": "[]", "b": [], "c": {"d": []}}
    lists = {"e": ['"', "ü"], "f": [], "g": ["[]"]}
    emit_json(record | {key: iter(items) for key, items in lists.items()})
    shown = capsys.readouterr().out
    assert shown == json.dumps(record | lists, ensure_ascii=False) + "\n"
    emit_json({"e": iter([])})
    assert capsys.readouterr().out == '{"e": []}\n'


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("cuont", "x"), "No such command 'cuont'. Did you mean 'count'?"),
        (("solve", "x"), "No such command 'solve'. Did you mean 'enumerate'?"),
        (("analyze", "x"), "No such command 'analyze'. Did you mean 'analyse'?"),
        (("Hints", "x"), "No such command 'Hints'. Did you mean 'hints'?"),
        (("cover", "x", "solve"), "No such command 'solve'. Did you mean 'enumerate'?"),
        (("count", "x", "--engine", "frontir"), "called 'frontir'. Did you mean 'frontier'?"),
        (("count", "x", "--engine", "DLX"), "called 'DLX'. Did you mean 'dlx'?"),
        (("check", "x", "--engine", "brute"), "called 'brute'. Did you mean 'brute-force'?"),
        (("count", "x", "--engine", "quick"), "'quick' is not one of 'auto', "),
    ],
)
def test_a_word_that_is_almost_right_is_named(run: Run, typed: list[str], meant: str) -> None:
    assert meant in run(*typed, code=2).stderr


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("termo r1c1 r1c2", "'thermo'"),
        ("kropki r1c1 r1c2", "'kropkiwhite' or 'kropkiblack'"),
        ("anti-knight", "'antiknight'"),
        ("Anti Knights", "'antiknight'"),
        ("german whispers r1c1 r1c2", "'germanwhispers'"),
        ("German-Whisper: r1c1 r1c2", "'germanwhispers'"),
        ("x-sums 10 r0c1", "'xsum'"),
        ("cages 10 r1c1 r1c2", "'cage'"),
        ("quick r1c1 r1c2", ""),
    ],
)
def test_a_rule_that_is_almost_right_is_named(run: Run, line: str, near: str) -> None:
    shown = run("count", "-", stdin=f"{'.' * 81}\n{line}\n", code=1).stderr
    name = line.split()[0].lower()
    ending = f". Did you mean {near}?" if near else ""
    assert shown == f"bddsudoku: <standard input>, line 2: no rule is called {name!r}{ending}\n"


@pytest.mark.parametrize(
    ("old", "said"),
    [
        (("generate", "--form", "grid", "--seed", "1"), "--form is called --format"),
        (("marginals", "12343412214343..", "--csv"), "--csv is called --format=csv"),
        (("minimal", "12343412214343..", "--limit=1"), "--limit is called --first"),
        (("unavoidable", "1234341221434321", "--size=4", "--limit", "1"), "--limit is called --f"),
        (("tiling", "2x2", "draw", "--pieces", "I2", "--number=1"), "--number is called --index"),
    ],
)
def test_old_spellings_of_options_go_on_working(run: Run, old: tuple[str, ...], said: str) -> None:
    done = run(*old)
    assert done.stderr.startswith(f"bddsudoku: {said}")
    assert done.stdout


def test_a_new_name_is_no_old_one(run: Run) -> None:
    assert run("tiling", "2x2", "sample", "--pieces", "I2", "--number", "2").stdout.count("\n") == 2
    assert "is called" not in run("enumerate", "12343412214343..", "--limit", "1").stderr

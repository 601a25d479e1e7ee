from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest


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
    ("typed", "meant"), [("cuont", "count"), ("solve", "enumerate"), ("analyze", "analyse")]
)
def test_a_command_that_is_almost_right_is_named(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from bddsudoku.cli import main

    with pytest.raises(SystemExit) as ended:
        main([typed, "x"])
    assert ended.value.code == 2
    assert f"No such command '{typed}'. Did you mean '{meant}'?" in capsys.readouterr().err

"""Without an optional dependency, a message names what to install."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from bddsudoku.cli import main
from bddsudoku.errors import BackendUnavailable
from bddsudoku.explore import board_widget


@pytest.mark.parametrize("module", ["starlette", "uvicorn"])
def test_one_line(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith("bddsudoku.explore.server") or name.partition(".")[0] == module:
            monkeypatch.delitem(sys.modules, name)

    class Hidden:
        """A finder that knows of no such module."""

        def find_spec(self, name: str, *_: object) -> None:
            if name.partition(".")[0] in ("starlette", "uvicorn"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])
    result = CliRunner().invoke(main, ["explore", "--no-browser"])
    assert result.exit_code == 1
    assert "pip install starlette uvicorn" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_widget_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "bddsudoku.explore.widget", raising=False)
    with pytest.raises(BackendUnavailable, match=r"pip install anywidget"):
        board_widget("1...............")

"""The command line, called in this process (fast) or as people call it (real exit codes)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result


@pytest.fixture
def run() -> Callable[..., Result]:
    """``run("count", puzzle)``: click's result with separate stdout and stderr."""
    from bddsudoku.cli import main

    def call(*arguments: str, stdin: str | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(main, arguments, input=stdin, prog_name="bddsudoku")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, (result.stdout, result.stderr)
        return result

    return call


@pytest.fixture
def json_of(run: Callable[..., Result]) -> Callable[..., list[dict[str, Any]]]:
    """The JSON objects that a command prints, one a line."""

    def call(*arguments: str, **options: Any) -> list[dict[str, Any]]:
        result = run(*arguments, "--json", **options)
        return [json.loads(line) for line in result.stdout.splitlines()]

    return call


@pytest.fixture
def shell() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The real program in a real process."""

    def call(
        *arguments: str, stdin: str = "", encoding: str = "utf-8"
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "bddsudoku", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            env=os.environ | {"PYTHONIOENCODING": encoding},
            check=False,
        )

    return call

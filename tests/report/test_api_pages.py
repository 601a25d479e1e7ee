from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pdoc", reason="API pages need the extra: pip install 'bddsudoku[docs]'")


@pytest.mark.slow
def test_they_build_without_a_warning(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "docs" / "api.py"
    done = subprocess.run(
        [sys.executable, str(script), "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert index.count("<li>") > 100
    page = (tmp_path / "bddsudoku" / "solver" / "removals.html").read_text(encoding="utf-8")
    assert "removal_answers" in page

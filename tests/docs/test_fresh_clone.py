"""A newcomer types what stands in README, the tutorials and the index of the experiments."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from page_run import PageRun
from snippets import ROOT, Command, blocks

INDEX = ROOT / "experiments" / "README.md"
TYPED = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorial").glob("*[!a].md"))]
QUICK = re.findall(r"^\| `(\w+\.py)` .*\| (?:`([^`]*)`)? ?\|$", INDEX.read_text("utf-8"), re.M)


def git(*words: str, at: Path) -> str:
    done = subprocess.run(["git", *words], cwd=at, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.slow
def test_everything_runs_in_a_fresh_clone_and_leaves_no_trace(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no repository here")
    clone = tmp_path / "clone"
    git("clone", "-q", str(ROOT), str(clone), at=tmp_path)
    for page in TYPED:
        empty = tmp_path / page.stem / "empty"
        empty.mkdir(parents=True)
        with PageRun(page.name, empty.parent, clone, empty) as run:
            assert run.run(blocks(page))
    (tmp_path / "index").mkdir()
    with PageRun(INDEX.name, tmp_path / "index", clone, clone) as run:
        assert run.run(blocks(INDEX))
        assert len(QUICK) > 15
        for script, words in QUICK:
            command = f"python experiments/{script} {words}"
            if words.startswith(("CHECKOUT", "DIRECTORY")):
                told = f"[…]\n{script}: error: no[…]"
            elif "--quick" in words:
                told = f"Your own results, kept in build/results/{Path(script).stem}.jsonl;[…]\n[…]"
            else:
                told = ""
            run.run_command(Command(command, told, 0))
    assert git("status", "--porcelain", at=clone) == ""

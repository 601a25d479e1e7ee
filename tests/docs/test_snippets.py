"""Every command and Python block of README and the pages has the output shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from page_run import PageRun
from snippets import ROOT, STRANGERS, blocks, is_slow, pages

PAGES = [
    pytest.param(
        page,
        id=page.relative_to(ROOT).as_posix(),
        marks=[pytest.mark.slow] if is_slow(page) else [],
    )
    for page in pages()
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    with PageRun(page.relative_to(ROOT).as_posix(), tmp_path) as run:
        run.run(blocks(page))


@pytest.mark.slow
def test_after_warm_up_no_command_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache))
    subprocess.run([sys.executable, "-m", "bddsudoku", "warm-up"], cwd=ROOT, check=True)
    compiled = {file.name for file in cache.rglob("*.*-*")}
    assert len(compiled) > 50
    wide = "000000010400000000020000000000050407008000300001090000000400200050100000000806000"
    subprocess.run([sys.executable, "-m", "bddsudoku", "minimal", wide], cwd=ROOT, check=True)
    shown = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorial").glob("*[!a].md"))]
    for page in shown:
        (tmp_path / page.stem).mkdir()
        with PageRun(page.name, tmp_path / page.stem) as run:
            run.run(blocks(page))
        assert {file.name for file in cache.rglob("*.*-*")} == compiled, page


def test_nothing_looks_like_a_command_and_is_none() -> None:
    for page in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "README.ja.md"):
        for block in blocks(page):
            assert block.kind not in STRANGERS, f"{page}, line {block.line}"


def test_few_blocks_are_left_out() -> None:
    every = [block for page in pages() for block in blocks(page) if block.kind != "text"]
    assert sum(bool(block.not_run) for block in every) <= max(6, len(every) // 8)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "reference").glob("*.md")), ids=str)
def test_examples_of_reference_pages_are_run(page: Path) -> None:
    """A text that is no output is a file, which a command below it reads."""
    told = blocks(page)
    commands = "".join(block.text for block in told if block.kind == "console")
    for block in told:
        assert not block.not_run, f"{page}, line {block.line}"
        assert block.kind != "text" or (block.title and block.title in commands), (
            f"line {block.line}"
        )

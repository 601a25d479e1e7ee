"""The tester of snippets tells a page that is right from one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_run import BrokenSnippetError, PageRun
from shown import matches
from snippets import commands, parsed

RIGHT = """
Text.

```console
$ cat board.txt
1...
.3..
..4.
....
$ bddsudoku count board.txt
6
$ test -f data/paper/35.txt
```

<!-- no test: it does not end -->
```console
$ sleep 1000
```

```python
from pathlib import Path
lines = Path("board.txt").read_text().splitlines()
len(lines)     # 4
lines[0]       # the first of them
```

```python
print(lines[1])
print("a second line")
```
```text
.3..
[…]
```
"""


def run(text: str, folder: Path) -> int:
    with PageRun("page.md", folder) as page:
        return page.run(parsed(text))


def test_a_page_that_is_right(tmp_path: Path) -> None:
    assert run(RIGHT, tmp_path) == 3


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("\n6\n", "\n7\n"),
        ("\n6\n", "\n6\n6\n"),
        ("test -f data", "test -f date"),
        ("count board.txt", "count border.txt"),
        ("# 4", "# 5"),
        ("len(lines) ", "length(lines)"),
        ("print(lines[1])", "print(lines[2])"),
        ("print(lines[1])", "import os; os._exit(0)"),
        ("[…]", ""),
    ],
)
def test_a_page_that_is_broken(right: str, wrong: str, tmp_path: Path) -> None:
    assert right in RIGHT
    with pytest.raises(BrokenSnippetError, match=r"page\.md, line \d+"):
        run(RIGHT.replace(right, wrong), tmp_path)


def test_a_failure_is_shown_with_what_it_said(tmp_path: Path) -> None:
    said = "bddsudoku: nothing.txt: cannot be read: […]\n"
    text = f"```console\n$ bddsudoku count nothing.txt\n{said}```\n"
    assert run(text, tmp_path / "a") == 1
    with pytest.raises(BrokenSnippetError, match="exit code"):
        run(text.replace(said, ""), tmp_path / "b")


def test_commands_over_several_lines() -> None:
    text = "```console\n$ a \\\n  b\nshown\n$ cat > f <<END\n$ x\nEND\n$ c\n```\n"
    (block,) = parsed(text)
    assert [(c.text, c.shown, c.line) for c in commands(block)] == [
        ("a \\\n  b", "shown", 2),
        ("cat > f <<END\n$ x\nEND", "", 5),
        ("c", "", 8),
    ]


@pytest.mark.parametrize(
    ("shown", "same", "other"),
    [
        ("done in 1.2 s", "done in 890 ms", "done in 1.2 steps"),
        ("dd 0.6.0 of 2026-11-22", "dd 0.6.1 of 2025-01-01", "dd 0.6 of 2026-11-22"),
        ("4 MiB in /tmp/abc/x", "1,234.5 KiB in /tmp/def/y", "4 MiB in abc/x"),
        ("a\n[…]\nd […] f", "a\nb\nc\nd e f", "a\nb\nc"),
        (
            "nodes    seconds\n-----  ---------\n  414      1.234",
            "nodes    seconds\n-----  ---------\n  414     12.345",
            "nodes    seconds\n-----  ---------\n  415      1.234",
        ),
        ("12 solutions", "12 solutions", "13 solutions"),
        ("a\n\nb", "a\n\nb\n", "a\nb"),
    ],
)
def test_only_what_varies_is_not_compared(shown: str, same: str, other: str) -> None:
    assert matches(shown, same)
    assert not matches(shown, other)

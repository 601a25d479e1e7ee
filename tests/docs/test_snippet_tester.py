"""The tester of code blocks accepts a correct page and rejects a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_run import BrokenSnippetError, PageRun
from snippets import parsed

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
        ("test -f data", "test -f date"),
        ("# 4", "# 5"),
        ("[…]", ""),
    ],
)
def test_a_page_that_is_broken(right: str, wrong: str, tmp_path: Path) -> None:
    assert right in RIGHT
    with pytest.raises(BrokenSnippetError, match=r"page\.md, line \d+"):
        run(RIGHT.replace(right, wrong), tmp_path)

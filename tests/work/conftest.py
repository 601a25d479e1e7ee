from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bddsudoku.work import Processes

sys.path.insert(0, str(Path(__file__).parent))  # where children find the tasks, too


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    """Two processes."""
    with Processes(2) as found:
        yield found

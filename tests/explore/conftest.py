"""A server of the live board for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_page import SMALL, serving


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(SMALL) as (address, _):
        yield address

"""Settings for all tests; its presence puts this folder on the import path of the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from chrome import Chrome, program
from hypothesis import HealthCheck, settings

from bddsudoku.jit import kernel_cache


def register(name: str, examples: int) -> None:
    settings.register_profile(
        name,
        deadline=None,  # the first call of a compiled function is slow
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=True,  # the same run for everybody; --hypothesis-profile=default searches on
    )


register("project", 25)
register("thorough", 100)  # with the slow tests


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile(config.getoption("--hypothesis-profile", None) or "project")


@pytest.fixture(autouse=True, scope="session")
def no_message_about_compiling() -> None:
    """Which test compiles a kernel first is chance: none of this process says so on stderr."""
    kernel_cache._MESSAGE_DELAY = 1e6


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """A real browser, where there is one."""
    found = program()
    if found is None or os.name != "posix":
        pytest.skip("no Chromium here: `make browser` installs one")
    browser = Chrome(found, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()

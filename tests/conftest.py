"""Settings for all tests; its presence puts this folder on the import path of the tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings


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

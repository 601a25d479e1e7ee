"""Settings for all tests; its presence puts this folder on the import path of the tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "project",
    deadline=None,  # the first call of a compiled function is slow
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,  # the same run for everybody; --hypothesis-profile=default searches on
)
settings.load_profile("project")

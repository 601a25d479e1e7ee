"""A decomposable diagram on the command line: made, saved, and asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import run

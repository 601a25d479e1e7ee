"""How much memory there is: of the machine, of a container."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bddsudoku.cli import main
from bddsudoku.context import Context
from bddsudoku.engine.bands.band_plan import memory_limit_bytes
from bddsudoku.engine.frontier.state_table import ResourceAccounts
from bddsudoku.work import resources as memory
from bddsudoku.work.resources import available_memory, memory_allowance

GIB = 1 << 30
UNLIMITED = 9223372036854771712


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine of 32 GiB of which 16 are free."""
    put(tmp_path, "proc/meminfo", f"MemTotal: {32 << 20} kB\nMemAvailable: {16 << 20} kB\n")
    return tmp_path


def put(root: Path, name: str, text: object) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(f"{text}\n", encoding="utf-8")


def group(root: Path, name: str, limit: object, use: int, cache: int = 0) -> None:
    """A control group of version 2."""
    folder = f"sys/fs/cgroup/{name}"
    put(root, f"{folder}/memory.max", limit)
    put(root, f"{folder}/memory.current", use)
    put(root, f"{folder}/memory.stat", f"anon 1\ninactive_file {cache}")


def old_group(root: Path, name: str, limit: int, use: int, cache: int = 0) -> None:
    """A control group of version 1."""
    folder = f"sys/fs/cgroup/memory/{name}"
    put(root, f"{folder}/memory.limit_in_bytes", limit)
    put(root, f"{folder}/memory.usage_in_bytes", use)
    put(root, f"{folder}/memory.stat", f"inactive_file 5\ntotal_inactive_file {cache}")


def test_a_machine_without_groups(root: Path) -> None:
    assert available_memory(root) == 16 * GIB
    put(root, "proc/self/cgroup", "0::/")
    assert available_memory(root) == 16 * GIB


def test_the_limit_of_a_container(root: Path) -> None:
    put(root, "proc/self/cgroup", "0::/")  # it sees its own group as the topmost
    group(root, "", 2 * GIB, GIB // 2)
    assert available_memory(root) == 2 * GIB - GIB // 2
    group(root, "", 2 * GIB, 2 * GIB, cache=GIB)  # that much is files read before
    assert available_memory(root) == GIB
    group(root, "", GIB, 2 * GIB)
    assert available_memory(root) == 0
    group(root, "", "max", GIB)
    assert available_memory(root) == 16 * GIB
    group(root, "", 64 * GIB, GIB)
    assert available_memory(root) == 16 * GIB


def test_the_least_of_all_groups_above(root: Path) -> None:
    put(root, "proc/self/cgroup", "0::/user.slice/job:1/step")
    group(root, "user.slice/job:1/step", "max", GIB)
    group(root, "user.slice/job:1", 6 * GIB, 2 * GIB)
    group(root, "user.slice", 5 * GIB, 2 * GIB)
    assert available_memory(root) == 3 * GIB


def test_version_1(root: Path) -> None:
    lines = ["5:cpu,cpuacct:/docker/a1", "4:memory:/docker/a1", "0::/system.slice"]
    put(root, "proc/self/cgroup", "\n".join(lines))
    old_group(root, "docker", UNLIMITED, 30 * GIB)
    old_group(root, "docker/a1", 3 * GIB, 2 * GIB, cache=GIB // 2)
    assert available_memory(root) == GIB + GIB // 2


def test_the_group_that_a_container_cannot_see_by_its_name(root: Path) -> None:
    put(root, "proc/self/cgroup", "4:memory:/docker/a1\n0::/../elsewhere")
    old_group(root, "", 2 * GIB, GIB)
    assert available_memory(root) == GIB


@pytest.mark.parametrize(("free", "most"), [(4 * GIB, int(3.4 * GIB)), (100 * GIB, 8 * GIB)])
def test_what_is_taken_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, free: int, most: int
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: free)
    assert memory_allowance() == int(free * 0.85)
    assert memory_allowance(8 * GIB) == most
    assert ResourceAccounts().memory == int(free * 0.85)
    assert ResourceAccounts(Context(max_memory=7)).memory == 7
    assert memory_limit_bytes(None) == most
    assert memory_limit_bytes(9 * GIB) == 9 * GIB


def test_commands_keep_to_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("count", "1" + "." * 80, "--engine", "bands")
    monkeypatch.setattr(memory, "available_memory", lambda: 1 << 20)
    stopped = CliRunner().invoke(main, asked)
    assert (stopped.exit_code, "the memory limit is 870 KiB" in stopped.stderr) == (3, True)
    assert CliRunner().invoke(main, [*asked, "--max-memory", "8GiB"]).exit_code == 0


def test_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert memory_allowance() is None
    assert memory_allowance(8 * GIB) == 8 * GIB

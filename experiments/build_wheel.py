"""Build a wheel with machine code: ``make wheel``.

All kernels are compiled for a baseline CPU (x86-64-v3 on x86, else LLVM's generic one) into the
folder of the wheel in which :mod:`bddsudoku.jit` looks for them. Another CPU without the baseline's
features, another Python and another numba compile their own. Its tags name Python and platform.

    python experiments/build_wheel.py [FOLDER]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from bddsudoku.jit.kernel_cache import BASELINE_CPU, SHIPPED_FOLDER

ROOT = Path(__file__).parent.parent


def compile_kernels(folder: Path) -> list[Path]:
    """Compile every kernel for the baseline CPU, with its files below a folder."""
    baseline = {"NUMBA_CPU_NAME": BASELINE_CPU, "NUMBA_CPU_FEATURES": ""}
    environment = os.environ | baseline | {"NUMBA_CACHE_DIR": str(folder)}
    words = [sys.executable, "-m", "bddsudoku", "warm-up"]
    subprocess.run(words, env=environment, cwd=ROOT, check=True)
    return [path for path in folder.rglob("*") if path.is_file()]


def build_wheel(target: Path) -> Path:
    """Build the wheel and return its path."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "checkout"
        unused = ("__pycache__", "*.egg-info", SHIPPED_FOLDER.name)
        shutil.copytree(
            ROOT / "bddsudoku", copy / "bddsudoku", ignore=shutil.ignore_patterns(*unused)
        )
        for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in"):
            shutil.copy(ROOT / name, copy)
        shipped = copy / SHIPPED_FOLDER.relative_to(ROOT)
        shipped.mkdir()
        for path in compile_kernels(Path(temporary) / "kernels"):
            shutil.copy(path, shipped)
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        code = (
            "import sys; from setuptools import build_meta; print(build_meta.build_wheel("
            "sys.argv[1], {'--build-option': sys.argv[2:]}))"
        )
        tags = [f"--python-tag={python}", f"--plat-name={platform}"]
        done = subprocess.run(
            [sys.executable, "-c", code, str(target.resolve()), *tags],
            cwd=copy, check=True, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
    return target / done.stdout.split()[-1]


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", nargs="?", type=Path, default=Path("dist"))
    print(build_wheel(options.parse_args().folder))

"""Execute notebooks from top to bottom in fresh kernels: ``make notebooks``.

What comes out goes to another folder; ``--output experiments/notebooks`` renews what is committed
and shown in the site. An exception in any cell ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from bddsudoku.file_io import open_atomic_text

HERE = Path(__file__).parent


def execute(path: Path, output: Path, timeout: int = 300) -> float:
    """Run one notebook and write it, with its outputs, into a folder.

    Args:
        path: the notebook.
        output: the folder.
        timeout: seconds for any one cell.

    Returns:
        Seconds that it took.

    Raises:
        CellExecutionError: a cell failed; the notebook is written as far as it came.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(HERE)}},
    )
    begin = time.perf_counter()
    try:
        client.execute()
    finally:
        output.mkdir(parents=True, exist_ok=True)
        with open_atomic_text(output / path.name) as file:
            nbformat.write(notebook, file)
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*", type=Path, help="by default all of this folder")
    parser.add_argument("--output", type=Path, default=Path("build/notebooks"))
    given = parser.parse_args()
    total = 0.0
    for path in given.notebooks or sorted(HERE.glob("*.ipynb")):
        try:
            seconds = execute(path, given.output)
        except CellExecutionError as error:
            print(f"{path.name}: {error}", file=sys.stderr)
            raise SystemExit(1) from None
        total += seconds
        print(f"{path.name}: {seconds:.1f} s", flush=True)
    print(f"all: {total:.1f} s, results in {given.output}")


if __name__ == "__main__":
    main()

"""An interrupt at any moment of a set operation raises its error and changes nothing.

Compiled code must never go on with what a signal's handler has broken off.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize("moments", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_an_interrupted_operation_raises_the_error_and_changes_nothing(moments: int) -> None:
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs a timer")
    done = subprocess.run([sys.executable, __file__, str(moments)], capture_output=True, text=True)
    assert done.returncode == 0, done
    assert done.stdout.split() == [*operations()]


def operations() -> dict[str, Callable[[], int]]:
    """Operations on sets and diagrams; each returns the size of its result."""
    import bddsudoku
    from bddsudoku.diagrams import measures, transform, zdd_apply

    whole: Any = bddsudoku.solve(bddsudoku.Puzzle.parse("1" + "." * 15))
    some, others = whole.given({(1, 1): 2}), whole.given({(1, 1): 3})
    family = (some | others).diagram
    return {
        "union": lambda: (some | others).count(),
        "intersection": lambda: (whole & some).count(),
        "difference": lambda: (whole - some).count(),
        "restriction": lambda: transform.restrict(family, [3]).size,
        "BDD": lambda: measures.node_count(family, "cbdd"),
        "hitting": lambda: zdd_apply.minimal_hitting_sets(some.diagram).size,
    }


def interrupt_operations(moments: int) -> None:
    """Repeat each operation until an alarm, handled as Ctrl-C is, breaks it off; print its name."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for name, operation in operations().items():
        usual = operation()
        for moment in range(moments):
            try:
                signal.setitimer(signal.ITIMER_REAL, random.Random(moment).uniform(1e-4, 1e-2))
                while True:
                    assert operation() == usual
            except KeyboardInterrupt:
                assert operation() == usual
        print(name)


if __name__ == "__main__":
    interrupt_operations(int(sys.argv[1]))

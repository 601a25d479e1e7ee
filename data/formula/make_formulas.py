"""Makes the knapsacks and the subset sum of this folder: ``python data/formula/make_formulas.py``.

Weights are drawn with the number of items as seed, so the files come out the same again.
"""

from __future__ import annotations

import random
from pathlib import Path

from bddsudoku.file_io import write_text

HERE = Path(__file__).parent


def table(name: str, numbers: list[int]) -> str:
    """``w[1..3] = {…}`` on lines of 16 numbers."""
    rows = [", ".join(map(str, numbers[i : i + 16])) for i in range(0, len(numbers), 16)]
    return f"{name}[1..{len(numbers)}] = {{" + ",\n    ".join(rows) + "}"


def weights(count: int, most: int) -> list[int]:
    """Random weights; the seed is their number."""
    return [random.Random(count * 1000 + i).randint(1, most) for i in range(count)]


def knapsack(count: int, most: int) -> None:
    """What fits into a knapsack of a third of the sum of all weights."""
    w = weights(count, most)
    write_text(
        HERE / f"knapsack_{count}.formula",
        f"# Selections of {count} items, weights up to {most}, that fit into a knapsack of a\n"
        "# third of the sum of all weights.\n"
        f"{table('w', w)}\n"
        f"symbol x[1..{count}]\n"
        f"load: sum(w[i] * x[i] for i in 1..{count}) <= {sum(w) // 3}\n",
    )


def subset_sum(count: int, most: int) -> None:
    """Subsets that add up to half of the sum."""
    w = weights(count, most)
    write_text(
        HERE / f"subset_sum_{count}.formula",
        f"# Subsets of {count} numbers that add up to half of the sum of all (rounded down).\n"
        f"{table('w', w)}\n"
        f"symbol x[1..{count}]\n"
        f"half: sum(w[i] * x[i] for i in 1..{count}) == {sum(w) // 2}\n",
    )


if __name__ == "__main__":
    knapsack(20, 100)
    knapsack(100, 1000)
    subset_sum(40, 200)

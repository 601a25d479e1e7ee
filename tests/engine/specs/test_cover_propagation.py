"""Unit propagation of the exact-cover step against sets of Python, also with many items."""

from __future__ import annotations

import numpy as np
import pytest

from bddsudoku.engine.specs.exact_cover import CoverParams, propagate
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.model import Model, OneHot, Variable


def random_cover(items: int, options: int, rng: np.random.Generator) -> Model:
    """Options of two to four items, each item in some of them."""
    members: list[list[int]] = [[] for _ in range(items)]
    for option in range(options):
        for item in rng.choice(items, int(rng.integers(2, 5)), replace=False).tolist():
            members[item].append(option)
    constraints = [OneHot("item", str(n), tuple(held)) for n, held in enumerate(members) if held]
    return Model(tuple(Variable(f"o{n}", n) for n in range(options)), tuple(constraints))


def plainly(items: list[set[int]], left: set[int], option: int) -> set[int] | None:
    """Options that are left when one is taken and whatever follows; None if some item has none."""
    left, queue, done = set(left), [option], {option}
    while queue:
        taken = queue.pop()
        for item in items:
            if taken in item:
                left -= item - {taken}
        if not done <= left:
            return None
        for item in items:
            rest = item & left
            if not rest:
                return None
            if len(rest) == 1 and not rest <= done:
                done |= rest
                queue += rest
    return left


def words_of(left: set[int], words: int) -> list[int]:
    """A set of options as the step holds it, last word first."""
    out = [0] * words
    for option in left:
        out[words - 1 - option // 64] |= 1 << option % 64
    return out


def options_in(row: list[int]) -> set[int]:
    """The same, back."""
    words = len(row)
    return {
        64 * (words - 1 - n) + bit
        for n, word in enumerate(row)
        for bit in range(64)
        if word >> bit & 1
    }


@pytest.mark.parametrize(("items", "options"), [(12, 30), (60, 130), (300, 1000), (530, 1800)])
@pytest.mark.parametrize("seed", range(3))
def test_every_option_leaves_what_singles_leave(items: int, options: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    spec = model_spec(random_cover(items, options, rng))
    params = spec.params.cover
    assert isinstance(params, CoverParams)
    words = params.conflict.shape[1]
    assert params.touch.shape[1] % 4 == 0
    held = [options_in(row) for row in params.of_item.tolist()]
    held = [item for item in held if item]
    base = params.words
    assert spec.root_level == 0
    start = options_in(spec.root[base:].tolist())  # singles have been placed
    work = np.full(spec.scratch, 0xDEAD, np.uint64)  # nothing is left there that matters
    alive = dead = 0
    for option in rng.permutation(sorted(start))[:8].tolist():
        left = start
        for taken in [option, *rng.permutation(options)[:200].tolist()]:
            if taken not in left:
                continue
            row = np.zeros((1, base + words), np.uint64)
            row[0, base:] = words_of(left, words)
            work[params.queue] = taken
            found = propagate(params, row, 0, base, words, work, params.queue, 1)
            expected = plainly(held, left, taken)
            assert found == (expected is not None)
            if expected is None:
                dead += 1
                break
            alive += 1
            assert options_in(row[0, base:].tolist()) == expected
            left = expected
    assert alive
    assert dead

"""The path spec against a plain depth-first search, known counts, and itself mirrored."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise

import pytest
from oracles import sets_of

from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.frontier.spec import Spec
from bddsudoku.errors import ModelError
from bddsudoku.numberlink.specs import (
    best_symmetry,
    candidates,
    path_spec,
    unbalanced,
)
from bddsudoku.sets.solutionset import SolutionSet

Pairs = tuple[tuple[int, int], ...]
# OEIS A007764: self-avoiding walks between opposite corners of n x n cells
WALKS = {2: 2, 3: 12, 4: 184, 5: 8512, 6: 1262816, 7: 575780564, 10: 41044208702632496804}


def near(width: int, height: int, cell: int) -> Iterator[int]:
    y, x = divmod(cell, width)
    for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
        if 0 <= u < width and 0 <= v < height:
            yield v * width + u


@cache
def walks(width: int, height: int, start: int, goal: int) -> tuple[tuple[int, ...], ...]:
    """All simple paths between two cells: the plainest search there is."""
    out = []

    def go(path: list[int]) -> None:
        if path[-1] == goal:
            out.append(tuple(path))
            return
        for cell in near(width, height, path[-1]):
            if cell not in path:
                go([*path, cell])

    go([start])
    return tuple(out)


def edges_of(width: int, path: tuple[int, ...]) -> frozenset[int]:
    out = set()
    for a, b in pairwise(path):
        out.add(2 * min(a, b) + (1 if width == 1 or abs(a - b) != 1 else 0))
    return frozenset(out)


def touches(width: int, height: int, path: tuple[int, ...]) -> bool:
    place = {cell: i for i, cell in enumerate(path)}
    return any(
        abs(place[n] - i) > 1 for cell, i in place.items() for n in near(width, height, cell)
        if n in place
    )  # fmt: skip


def solutions(
    width: int, height: int, pairs: Pairs, cover: bool = False, no_touch: bool = False
) -> set[frozenset[int]]:
    """Edge sets of all solutions, by trying all walks for all pairs."""
    terminals = {c for pair in pairs for c in pair}
    found: set[frozenset[int]] = set()

    def place(k: int, used: frozenset[int], edges: frozenset[int]) -> None:
        if k == len(pairs):
            if not cover or len(used) == width * height:
                found.add(edges)
            return
        for path in walks(width, height, *pairs[k]):
            cells = frozenset(path)
            if cells & used or cells & (terminals - set(pairs[k])):
                continue
            if not (no_touch and touches(width, height, path)):
                place(k + 1, used | cells, edges | edges_of(width, path))

    place(0, frozenset(), frozenset())
    return found


def family(spec: Spec) -> frozenset[frozenset[int]]:
    """The sets of a small diagram, one by one."""
    return sets_of(compile_spec(spec, threads=1).diagram)


def all_pairs(cells: int, count: int) -> Iterator[Pairs]:
    """Every placement of that many pairs."""
    if count == 1:
        yield from ((pair,) for pair in combinations(range(cells), 2))
        return
    for a, b, c, d in combinations(range(cells), 4):
        yield from (((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c)))


SMALL = [(w, h) for w in range(1, 5) for h in range(1, 4) if w * h > 1]


@pytest.mark.parametrize(("width", "height"), SMALL)
@pytest.mark.parametrize("count", [1, 2])
def test_every_small_board(width: int, height: int, count: int) -> None:
    cells = width * height
    if cells < 2 * count:
        pytest.skip("no room")
    for i, pairs in enumerate(all_pairs(cells, count)):
        free = solutions(width, height, pairs)
        covering = solutions(width, height, pairs, cover=True)
        assert covering <= free
        # the whole family for either rule in turn, the number alone for the other; a mirror each
        whole, other = (False, True) if i % 2 else (True, False)
        wanted = {False: free, True: covering}
        spec = path_spec(width, height, pairs, cover=whole, symmetry=i % 8)
        assert family(spec) == wanted[whole], (pairs, whole)
        spec = path_spec(width, height, pairs, cover=other, symmetry=(i + 3) % 8)
        assert count_spec(spec, threads=1) == len(wanted[other]), (pairs, other)
        if unbalanced(width, height, pairs):
            assert not covering


@pytest.mark.parametrize(("width", "height"), [(3, 3), (4, 3), (2, 5)])
def test_paths_that_do_not_touch_themselves(width: int, height: int) -> None:
    for count in (1, 2):
        for i, pairs in enumerate(all_pairs(width * height, count)):
            if i % (1 if count == 1 else 5):
                continue
            cover = i % 3 == 0
            spec = path_spec(width, height, pairs, no_touch=True, cover=cover, symmetry=i % 8)
            wanted = solutions(width, height, pairs, cover, no_touch=True)
            assert family(spec) == wanted, (pairs, cover)


@pytest.mark.parametrize(("width", "height", "count"), [(4, 4, 2), (4, 4, 3), (5, 4, 4), (3, 6, 4)])
def test_samples_of_larger_boards(width: int, height: int, count: int) -> None:
    rng = random.Random(width * 100 + height * 10 + count)
    some = 0
    for i in range(30):
        cells = rng.sample(range(width * height), 2 * count)
        pairs = tuple(zip(cells[::2], cells[1::2], strict=True))
        for cover in (False, True):
            wanted = solutions(width, height, pairs, cover)
            some += bool(wanted)
            spec = path_spec(width, height, pairs, cover=cover, symmetry=i % 8)
            assert family(spec) == wanted, (pairs, cover)
            apart = solutions(width, height, pairs, cover, no_touch=True)
            spec = path_spec(width, height, pairs, no_touch=True, cover=cover, symmetry=(i + 5) % 8)
            assert family(spec) == apart, (pairs, cover)
    assert some


@pytest.mark.parametrize("side", sorted(WALKS))
def test_walks_from_corner_to_corner(side: int) -> None:
    spec = path_spec(side, side, [(0, side * side - 1)])
    assert count_spec(spec) == WALKS[side]


def test_pruning_changes_no_count_and_saves_states() -> None:
    rng = random.Random(7)
    saved = 0
    for i in range(60):
        width, height = rng.choice([(6, 6), (7, 5), (8, 4)])
        cells = rng.sample(range(width * height), 2 * rng.randint(2, 6))
        pairs = list(zip(cells[::2], cells[1::2], strict=True))
        cover = i % 2 == 0
        pruned = compile_spec(path_spec(width, height, pairs, cover=cover), threads=1)
        plain = compile_spec(path_spec(width, height, pairs, cover=cover, planar=False), threads=1)
        assert pruned.diagram == plain.diagram, (width, height, pairs, cover)
        assert pruned.states <= plain.states
        saved += plain.states - pruned.states
    assert saved > 1000


@pytest.mark.slow
def test_states_of_two_words_lead_to_the_same_solutions() -> None:
    """Sweeps along the longer side, where the plugs do not fit into one word, and the shorter."""
    rng = random.Random(3)
    some = 0
    for i in range(12):
        width, height = rng.choice([(17, 3), (16, 4)])
        cells = rng.sample(range(width * height), 2 * rng.randint(6, 9))
        pairs = list(zip(cells[::2], cells[1::2], strict=True))
        if i % 3:  # neighbours in a column, or hardly any board has a solution
            cells = rng.sample([c for c in range(width * (height - 1)) if c // width % 2 == 0], 7)
            pairs = [(c, c + width) for c in cells]
        for cover in (False, True):
            wide = path_spec(width, height, pairs, cover=cover)
            narrow = path_spec(width, height, pairs, cover=cover, symmetry=4)
            assert (wide.max_words, narrow.max_words) == (2, 1)
            count = count_spec(wide)
            assert count == count_spec(narrow)
            some += count > 1
            for spec in (wide, narrow):
                assert SolutionSet(compile_spec(spec).diagram).count() == count
    assert some > 5


def test_pairs_that_cross_at_the_rim_have_no_solution() -> None:
    for n in (2, 5, 12):
        spec = path_spec(n, n, [(0, n * n - 1), (n - 1, n * n - n)])
        assert count_spec(spec) == 0
        # known before the first cell
        assert compile_spec(spec).states == 0


def test_more_pairs_than_one_word_holds() -> None:
    # 40 vertical dominoes: 6 bits a plug, two words
    width, height = 20, 4
    pairs = [
        (r * width + c, (r + 1) * width + c) for r in range(0, height, 2) for c in range(width)
    ]
    spec = path_spec(width, height, pairs, cover=True)
    assert spec.max_words > 1
    assert family(spec) == {frozenset(2 * a + 1 for a, _ in pairs)}
    # long ones: each pair down a column
    pairs = [(c, 3 * width + c) for c in range(width)]
    assert count_spec(path_spec(width, height, pairs)) == 1
    assert count_spec(path_spec(width, height, pairs, symmetry=4)) == 1


def test_predicted_orientation_is_one_along_the_shorter_side() -> None:
    pairs = [(0, 40), (5, 77), (33, 60)]
    assert best_symmetry(13, 6, pairs) & 4
    assert not best_symmetry(6, 13, pairs) & 4
    # the board is its own mirror image: one picture and its mirrored rows are left
    assert candidates(5, 5, [(0, 24)]) == ([0], {0: 1})
    assert candidates(5, 5, [(12, 0), (24, 11)]) == ([0, 2, 4, 5], {0: 1, 2: 3, 4: 6, 5: 7})
    assert candidates(6, 5, [(0, 1)]) == ([4, 5], {4: 6, 5: 7})


def test_bad_pairs_are_refused() -> None:
    for pairs in ([], [(0, 0)], [(0, 1), (1, 2)], [(0, 9)], [(-1, 3)]):
        with pytest.raises(ModelError):
            path_spec(3, 3, pairs)
    with pytest.raises(ModelError):
        path_spec(0, 3, [(0, 1)])

"""Hypothesis strategies: boards, puzzles with known solutions, masks, models with known covers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from bddsudoku.model import Model, OneHot, Variable
from bddsudoku.model.model import PuzzleDefinition
from bddsudoku.model.ordering import DefinitionOrigin
from bddsudoku.puzzle.sudoku import Layout, Puzzle

SHAPES = [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3), (2, 5), (5, 2), (3, 4), (4, 3), (2, 6)]
LARGE_SHAPES = [(4, 4), (2, 8), (5, 5), (3, 7)]


def layouts(largest: int = 12) -> st.SearchStrategy[Layout]:
    """Board shapes up to a side."""
    fitting = [s for s in SHAPES + LARGE_SHAPES if s[0] * s[1] <= largest]
    return st.sampled_from(fitting).map(lambda s: Layout(*s))


def shuffled_grid(layout: Layout, rng: random.Random) -> Puzzle:
    """A full grid: the cyclic one, relabelled, with lines shuffled within and between bands."""
    h, w, n = layout.box_rows, layout.box_columns, layout.n
    digits = rng.sample(range(1, n + 1), n)

    def order(groups: int, size: int) -> list[int]:
        return [
            g * size + i
            for g in rng.sample(range(groups), groups)
            for i in rng.sample(range(size), size)
        ]

    rows, columns = order(w, h), order(h, w)
    return Puzzle([digits[((r % h) * w + r // h + c) % n] for r in rows for c in columns], layout)


@st.composite
def solved_grids(draw: st.DrawFn, layout: Layout | None = None, largest: int = 12) -> Puzzle:
    """Grids without open cells and without clashes."""
    shape = draw(layouts(largest)) if layout is None else layout
    return shuffled_grid(shape, random.Random(draw(st.integers(0, 2**32))))


@st.composite
def solved_puzzles(
    draw: st.DrawFn, layout: Layout | None = None, hints: tuple[int, int] | None = None
) -> tuple[Puzzle, Puzzle]:
    """Puzzles with one of their solutions.

    ``hints`` bounds the number of hints; the rest of the solution is open.
    """
    solution = draw(solved_grids(layout))
    cells = solution.layout.cell_count
    low, high = hints or (0, cells)
    count = draw(st.integers(low, high))
    rng = random.Random(draw(st.integers(0, 2**32)))
    open_cells = rng.sample(range(cells), cells - count)
    return solution.without(*open_cells), solution


@st.composite
def puzzles(draw: st.DrawFn, largest: int = 12) -> Puzzle:
    """Any hints at all, most of the time clashing."""
    layout = draw(layouts(largest))
    n, cells = layout.n, layout.cell_count
    ratio = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    rng = random.Random(draw(st.integers(0, 2**32)))
    return Puzzle([rng.randint(1, n) if rng.random() < ratio else 0 for _ in range(cells)], layout)


@st.composite
def pencil_masks(
    draw: st.DrawFn, layout: Layout | None = None, extra: tuple[int, int] = (0, 3)
) -> tuple[list[int], Puzzle]:
    """Candidate masks (bit d - 1 for digit d) with one of the grids that they allow.

    ``extra`` bounds how many candidates a cell has beside the solution's digit.
    """
    solution = draw(solved_grids(layout))
    n = solution.n
    rng = random.Random(draw(st.integers(0, 2**32)))
    masks = []
    for digit in solution.cells:
        others = rng.sample(range(n), min(n, rng.randint(*extra)))
        masks.append(1 << (digit - 1) | sum(1 << o for o in others))
    return masks, solution


def model_of(options: Sequence[Sequence[int]], primary: int, secondary: int = 0) -> Model:
    """A model from options as item numbers; items from ``primary`` on may stay uncovered.

    It is defined by its options, so that brute force can take it.
    """
    variables = tuple(Variable(f"o{i}", i) for i in range(len(options)))
    constraints = tuple(
        OneHot(
            "item" if item < primary else "spare",
            str(item),
            tuple(i for i, o in enumerate(options) if item in o),
            at_most=item >= primary,
        )
        for item in range(primary + secondary)
    )
    words = PuzzleDefinition(tuple(range(primary)), dict(enumerate(options)))
    return Model(variables, constraints).with_origin(DefinitionOrigin(words))


@st.composite
def exact_covers(draw: st.DrawFn, items: int = 9, distractors: int = 14) -> tuple[Model, list[int]]:
    """Models with one of their covers (as ascending option numbers).

    The primary items are cut into pieces, some pieces take secondary items along, and random
    options are mixed in.
    """
    primary = draw(st.integers(1, items))
    secondary = draw(st.integers(0, 3))
    rng = random.Random(draw(st.integers(0, 2**32)))
    order = rng.sample(range(primary), primary)
    pieces: list[list[int]] = []
    while order:
        size = rng.randint(1, min(4, len(order)))
        pieces.append(order[:size])
        order = order[size:]
    for spare in range(primary, primary + secondary):
        if rng.random() < 0.5:
            rng.choice(pieces).append(spare)
    others = []
    for _ in range(draw(st.integers(0, distractors))):
        mixed = rng.sample(range(primary), rng.randint(1, min(4, primary)))
        mixed += [s for s in range(primary, primary + secondary) if rng.random() < 0.3]
        others.append(mixed)
    options = [(p, True) for p in pieces] + [(o, False) for o in others]
    rng.shuffle(options)
    model = model_of([sorted(o) for o, _ in options], primary, secondary)
    return model, [i for i, (_, chosen) in enumerate(options) if chosen]


@st.composite
def models(draw: st.DrawFn, items: int = 7, options: int = 12) -> Model:
    """Any exact cover problems, often without a cover, sometimes with items nobody covers."""
    primary = draw(st.integers(0, items))
    secondary = draw(st.integers(0, 3))
    if primary == 0:
        return model_of([], 0, secondary)
    chosen = draw(
        st.lists(
            st.tuples(
                st.sets(st.integers(0, primary - 1), min_size=1, max_size=4),
                st.sets(st.integers(primary, primary + secondary - 1), max_size=2)
                if secondary
                else st.just(set()),
            ),
            max_size=options,
        )
    )
    return model_of([sorted(a | b) for a, b in chosen], primary, secondary)

"""One face for every engine, so that one suite can be run against all of them.

An engine is asked two things of a model: how many solutions, and which (as sets of the keys that
are true, those of ``fixed`` among them). References that share nothing with any engine stand
beside it: exhaustive search over assignments, and the 288 grids of the 4×4 board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product
from typing import Any

from bddsudoku.engine import backtrack, bands, dlx
from bddsudoku.engine.conjunction import available_backends, build
from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.specs.exact_cover import cover_spec
from bddsudoku.limits import Limits
from bddsudoku.model import Model, OneHot, candidates, singles, substitute
from bddsudoku.puzzle.sudoku import Layout, Puzzle, full_model
from bddsudoku.solutions.diagram import Diagram
from bddsudoku.solutions.solutionset import SolutionSet

Solutions = frozenset[frozenset[int]]


LISTED = 3000
"""Solution lists are made up to this length."""


@dataclass(frozen=True)
class Engine:
    """What the suite knows of an engine.

    Attributes:
        name: for messages.
        solve: the number of solutions of a model, and all of them unless there are more than
            :data:`LISTED`.
        sudoku_only: needs a family ``cell`` that holds every variable exactly once.
        ordinary_only: knows the 9×9 board with 3×3 blocks and nothing else.
        slow: asked fewer questions.
    """

    name: str
    solve: Callable[[Model], tuple[int, Solutions | None]]
    sudoku_only: bool = False
    ordinary_only: bool = False
    slow: bool = False

    def __repr__(self) -> str:
        return self.name


def _searched(count: int, model: Model, covers: Iterable[Any]) -> tuple[int, Solutions | None]:
    """What a search found, told in keys; ``covers`` is only run when it is short."""
    if count > LISTED:
        return count, None
    fixed = frozenset(v.key for v in model.fixed)
    found = [fixed | {model.variables[v].key for v in cover.tolist()} for cover in covers]
    assert len(set(found)) == len(found) == count
    return count, frozenset(found)


def _held(model: Model, diagram: Diagram, count: int) -> tuple[int, Solutions | None]:
    """What a diagram holds; ``count`` comes from the engine itself."""
    found = SolutionSet(diagram, fixed=[v.key for v in model.fixed])
    assert found.count() == count
    if count > LISTED:
        return count, None
    listed = [frozenset(keys) for keys in found]
    assert len(listed) == len(set(listed)) == count
    return count, frozenset(listed)


def _dlx(model: Model, **options: Any) -> tuple[int, Solutions | None]:
    result = dlx.count(model, **options)
    assert result.exact
    return _searched(result.count, model, dlx.covers(model, **options))


def _backtrack(model: Model) -> tuple[int, Solutions | None]:
    result = backtrack.count(model, slots="cell")
    assert result.exact
    return _searched(result.count, model, backtrack.solutions(model, slots="cell"))


def _frontier(model: Model) -> tuple[int, Solutions | None]:
    return _held(model, compile_spec(cover_spec(model)).diagram, count_spec(cover_spec(model)))


def _upward(model: Model) -> list[int]:
    """A schedule that keeps products small: constraints by their first variable, last first."""
    live = [i for i, c in enumerate(model.constraints) if not c.is_trivial]
    return sorted(live, key=lambda i: max(model.constraints[i].variables[:1], default=-1))[::-1]


def _conjunction(backend: str) -> Engine:
    def solve(model: Model) -> tuple[int, Solutions | None]:
        # A small manager starts many times faster than one of the default size.
        room = Limits(memory=(64 if len(model.variables) < 150 else 1024) << 20)
        built = build(model, _upward(model), backend=backend, limits=room)
        return _held(model, built.diagram(), built.count())

    return Engine(f"conjunction-{backend}", solve, slow=backend == "autoref")


def _masks(model: Model) -> list[int]:
    """Candidate masks of a 9×9 model: what its variables and fixed variables allow."""
    masks = [0] * 81
    if model.is_contradictory:
        return masks
    for v in (*model.variables, *model.fixed):
        masks[v.key // 9] |= 1 << v.key % 9
    return masks


def _bands(model: Model) -> tuple[int, Solutions | None]:
    masks = _masks(model)
    count = bands.count(masks)
    if count > LISTED:
        return count, None
    grids = bands.BandSet(masks).unrank_many(range(count))
    found = {frozenset(c * 9 + int(d) - 1 for c, d in enumerate(g)) for g in grids}
    assert len(found) == count
    return count, frozenset(found)


ENGINES: Sequence[Engine] = (
    Engine("dlx", _dlx),
    Engine("dlx-without-mrv", lambda m: _dlx(m, mrv=False, seed=1), slow=True),
    Engine("backtrack", _backtrack, sudoku_only=True),
    Engine("frontier", _frontier),
    *(_conjunction(backend) for backend in available_backends()),
    Engine("bands", _bands, sudoku_only=True, ordinary_only=True),
)


def engines_for(model: Model, *, ordinary: bool = False, slow: bool = True) -> list[Engine]:
    """The engines that can take a model; ``ordinary`` models are those of plain 9×9 puzzles."""
    held = [v for c in model.constraints if c.family == "cell" for v in c.variables]
    slotted = sorted(held) == list(range(len(model.variables))) and "cell" in model.families
    return [
        e
        for e in ENGINES
        if (slotted or not e.sudoku_only)
        and (ordinary or not e.ordinary_only)
        and (slow or not e.slow)
    ]


# References


def exhaustive(model: Model) -> Solutions:
    """All solutions by trying every assignment; for models of some twelve variables."""
    fixed = frozenset(v.key for v in model.fixed)
    found = set()
    for bits in product((0, 1), repeat=len(model.variables)):
        for c in model.constraints:
            total = sum(bits[v] for v in c.variables)
            if not (total <= c.total if c.at_most else total == c.total):
                break
        else:
            found.add(fixed | {v.key for v, bit in zip(model.variables, bits, strict=True) if bit})
    return frozenset(found)


@lru_cache(maxsize=1)
def all_four_by_four() -> tuple[tuple[int, ...], ...]:
    """The grids of the 4×4 board: all products of four row permutations, tested house by house."""
    grids = []
    rows = list(permutations((1, 2, 3, 4)))
    for a, b in product(rows, rows):
        if any(x == y for x, y in zip(a, b, strict=True)) or {*a[:2], *b[:2]} != {1, 2, 3, 4}:
            continue
        for c, d in product(rows, rows):
            columns = zip(a, b, c, d, strict=True)
            if {*c[:2], *d[:2]} == {1, 2, 3, 4} and all(len(set(col)) == 4 for col in columns):
                grids.append(a + b + c + d)
    return tuple(grids)


def grids_with(hints: dict[int, int]) -> Solutions:
    """The 4×4 grids that have some hints, as sets of keys."""
    return frozenset(
        frozenset(c * 4 + d - 1 for c, d in enumerate(g))
        for g in all_four_by_four()
        if all(g[c] == d for c, d in hints.items())
    )


# Models that no puzzle of the package makes


def diagonal_model(puzzle: Puzzle, *, at_most: bool, allocation: str = "candidates") -> Model:
    """A puzzle whose two diagonals hold every digit once, or at most once."""
    n = puzzle.n
    base = full_model(puzzle.layout)
    extra = [
        OneHot("diagonal", f"{name} {d}", tuple(sorted(c * n + d for c in cells)), at_most=at_most)
        for name, cells in (
            ("down", [i * n + i for i in range(n)]),
            ("up", [i * n + n - 1 - i for i in range(n)]),
        )
        for d in range(n)
    ]
    model = Model(base.variables, base.constraints + tuple(extra))
    hints = [c * n + d - 1 for c, d in puzzle.hints.items()]
    model = substitute(model, hints, settle=("cell",))
    return singles(model) if allocation == "singles" else candidates(model)


def latin_model(n: int) -> Model:
    """Latin squares: no blocks."""
    return full_model(Layout(1, n), ("cell", "row", "column"))


def masked_model(masks: Sequence[int], layout: Layout, allocation: str = "candidates") -> Model:
    """A board whose cells allow some digits only (bit d - 1 for digit d)."""
    n = layout.n
    base = full_model(layout)
    keep = [v for v in range(len(base.variables)) if masks[v // n] >> v % n & 1]
    index = {v: i for i, v in enumerate(keep)}
    model = Model(
        tuple(base.variables[v] for v in keep),
        tuple(
            OneHot(c.family, c.label, tuple(index[v] for v in c.variables if v in index))
            for c in base.constraints
        ),
    )
    return singles(model) if allocation == "singles" else candidates(model)

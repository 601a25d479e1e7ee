"""One suite over the engine protocol: every registered engine, and a few in other settings.

An engine is asked how many solutions a model has, and which, in every way that it offers: as a
diagram, as a list, as a set of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from oracles import Solutions, number_of_sets, sets_of
from toys.diagonals import Diagonals

from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.engine.brute_force import BruteForceSearch
from bddsudoku.engine.conjunction import available_backends, build
from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.protocol import (
    Compiled,
    DiagramEngine,
    Engine,
    ListingEngine,
    SetEngine,
    engines,
    register,
    unregister,
)
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.errors import LimitReached
from bddsudoku.model import Model, forward_check, substitute, unit_propagate
from bddsudoku.puzzle.formula import Problem, cnf_lines
from bddsudoku.puzzle.sudoku import Layout, Puzzle, empty_board_model
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.sets.decoder import PlainGridDecoder

LISTED = 3000
"""Solution lists are made up to this length."""
MOST_CONJOINED = 400
"""Variables of a model up to which constraints are conjoined in this process."""
SEARCHED = 2_000_000
"""Brute force takes part where it needs no more nodes."""

Answer = tuple[int, Solutions | None]


class Shuffled(dlx.DlxEngine):
    """Dancing links, options shuffled."""

    name = "dlx-shuffled"

    def count(self, model: Model, context: Context, progress: Any = None) -> int:
        return dlx.count(forward_check(model), seed=1).count

    def solutions(self, model: Model, context: Context, **options: Any) -> Iterator[Any]:
        model = forward_check(model)
        keys, fixed = [v.key for v in model.variables], [v.key for v in model.fixed]
        for cover in dlx.covers(model, seed=1):
            yield np.sort([*fixed, *(keys[v] for v in cover)])


class FrontierAsItIs(DiagramEngine):
    """The frontier on the very model, in the model's own order."""

    name = "frontier-as-it-is"

    def count(self, model: Model, context: Context, progress: Any = None) -> int:
        return count_spec(model_spec(forward_check(model)))

    def diagram(self, model: Model, context: Context, *_: Any, order: str = "auto") -> Compiled:
        model = forward_check(model)
        done = compile_spec(model_spec(model))
        return Compiled(done.diagram, tuple(v.key for v in model.fixed))


class Conjunction(DiagramEngine):
    """A backend in this process, constraints by their first variable, last first."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.name = f"conjunction-{backend}"  # type: ignore[misc]

    def built(self, model: Model) -> Any:
        live = [i for i, c in enumerate(model.constraints) if not c.is_trivial]
        live.sort(key=lambda i: max(model.constraints[i].variables[:1], default=-1), reverse=True)
        # A small manager starts many times faster than one of the default size.
        room = Context(max_memory=(64 if len(model.variables) < 150 else 1024) << 20)
        return build(model, live, backend=self.backend, context=room)

    def count(self, model: Model, context: Context, progress: Any = None) -> int:
        return int(self.built(forward_check(model)).count())

    def diagram(self, model: Model, context: Context, *_: Any, order: str = "auto") -> Compiled:
        model = forward_check(model)
        return Compiled(self.built(model).diagram(), tuple(v.key for v in model.fixed))


SETTINGS: Sequence[Engine] = (
    Shuffled(),
    FrontierAsItIs(),
    *(Conjunction(backend) for backend in available_backends()),
)
SLOW = {"dlx-shuffled": 1, "bdd": 2}
"""Asked fewer questions, or far fewer: ``bdd`` starts a process for every one."""


def takers(model: Model, *, patience: int = 1) -> list[Engine]:
    """The engines that can take a model, in all settings that are not too slow."""
    return [
        e
        for e in (*engines(), *SETTINGS)
        if SLOW.get(e.name, 0) <= patience and e.refuses(model) is None and not hopeless(e, model)
    ]


def hopeless(engine: Engine, model: Model) -> bool:
    """Whether brute force would search, or a conjunction of a nearly empty board grow, too long."""
    if engine.name.startswith("conjunction"):
        return len(model.variables) > MOST_CONJOINED
    if engine.name != "brute-force":
        return False
    try:
        list(BruteForceSearch(model).run(Context(), node_limit=SEARCHED))
    except LimitReached:
        return True
    return False


def answer(engine: Engine, model: Model) -> Answer:
    """What an engine says in all ways that it has; solutions unless there are many."""
    count = engine.count(model, Context())
    answer_lists: list[Sequence[frozenset[int]]] = []
    if isinstance(engine, DiagramEngine):
        made = engine.diagram(model, Context())
        assert number_of_sets(made.diagram) == count
        if count <= LISTED:
            answer_lists.append([s | set(made.fixed) for s in sets_of(made.diagram)])
    if isinstance(engine, ListingEngine) and count <= LISTED:
        answer_lists.append(
            [frozenset(keys.tolist()) for keys in engine.solutions(model, Context())]
        )
    if isinstance(engine, SetEngine) and not engine.uses_components:
        decoder = SudokuDecoder(Layout())
        held = engine.solution_set(model, Context(), decoder=decoder)
        assert held.count() == count
        if count <= LISTED:
            answer_lists.append([frozenset(decoder.encode(held.unrank(i))) for i in range(count)])
    if isinstance(engine, SetEngine) and engine.uses_components and not unconstrained(model):
        # Any model's keys as a grid of one row: a cell for every key, with a symbol or without.
        keys = 1 + max((v.key for v in (*model.variables, *model.fixed)), default=0)
        cells = PlainGridDecoder(1, keys, "1")
        fallen = engine.solution_set(model, Context(), decoder=cells)
        assert fallen.count() == count
        if count <= LISTED:
            members = [fallen.unrank(i) for i in range(count)]
            assert [fallen.rank(m) for m in members[:100]] == list(range(min(count, 100)))
            answer_lists.append([frozenset(cells.encode(m)) for m in members])
    for solutions in answer_lists:
        assert len(solutions) == count, engine.name
        assert frozenset(solutions) == frozenset(answer_lists[0]), engine.name
    return count, frozenset(answer_lists[0]) if answer_lists else None


def unconstrained(model: Model) -> bool:
    """Whether some variable stands in no constraint."""
    return len({v for c in model.constraints for v in c.variables}) < len(model.variables)


def agree(model: Model, *, patience: int = 1, expected: int | None = None) -> Solutions | None:
    """All engines that can take the model give one count and one list of solutions."""
    answers = {e.name: answer(e, model) for e in takers(model, patience=patience)}
    counts = {name: count for name, (count, _) in answers.items()}
    assert len(set(counts.values())) == 1, counts
    if expected is not None:
        assert set(counts.values()) == {expected}
    first = answers["dlx"][1]
    for name, (_, found) in answers.items():
        assert found is None or found == first, name
    return first


# Models that no puzzle of the package makes


def propagated(model: Model, allocation: str) -> Model:
    """A model under ``candidates`` or ``singles``."""
    return unit_propagate(model) if allocation == "singles" else forward_check(model)


def diagonal_model(puzzle: Puzzle, *, at_most: bool, allocation: str = "candidates") -> Model:
    """A puzzle whose two diagonals hold every digit once, or at most once."""
    return propagated(Diagonals(puzzle, at_most).model(), allocation)


def latin_model(n: int) -> Model:
    """Latin squares: no blocks."""
    return empty_board_model(Layout(1, n), ("cell", "row", "column"))


def masked_model(masks: Sequence[int], layout: Layout, allocation: str = "candidates") -> Model:
    """A board whose cells allow some digits only (bit d - 1 for digit d)."""
    n = layout.n
    struck = [c * n + d for c, mask in enumerate(masks) for d in range(n) if not mask >> d & 1]
    return propagated(substitute(empty_board_model(layout), (), false=struck), allocation)


# Witnesses from outside


def dimacs_of(text: str) -> tuple[int, list[list[int]], list[int] | None]:
    """A DIMACS file by the letter: variables, clauses, the variables that are counted (or all)."""
    variables, numbers, counted = 0, [], None
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["p", "cnf"]:
            variables = int(words[2])
        elif words[:3] == ["c", "p", "show"]:
            counted = [int(w) for w in words[3:] if w != "0"]
        elif words and words[0] != "c":
            numbers += map(int, words)
    clauses: list[list[int]] = [[]]
    for n in numbers:
        if n:
            clauses[-1].append(n)
        else:
            clauses.append([])
    assert clauses.pop() == []
    return variables, clauses, counted


def ganak_count(text: str) -> int:
    """What Ganak counts in a DIMACS file; the caller has seen that it is installed."""
    import pyganak

    variables, clauses, counted = dimacs_of(text)
    counter = pyganak.Counter()
    # One more variable, which is not counted: of none at all it says 1, whatever the clauses.
    counter.new_vars(variables + 1)
    counter.add_clauses(clauses)
    counter.set_sampling_set(range(1, variables + 1) if counted is None else counted)
    return int(counter.count())


def written(problem: Problem) -> str:
    """A problem in DIMACS CNF."""
    return "\n".join(cnf_lines(problem.names, problem.constraints, problem.projection))


def written_model(model: Model, counted: Sequence[int] | None = None) -> str:
    """A model in DIMACS CNF, with the positions that are counted."""
    return "\n".join(cnf_lines([v.name for v in model.variables], model.constraints, counted))


# Toys: whatever stands in tests/toys takes part


def toys() -> list[Any]:
    """The modules of the folder: ``ENGINE`` is an engine, ``EXAMPLES`` are puzzles with counts."""
    names = sorted(path.stem for path in (Path(__file__).parent / "toys").glob("*.py"))
    return [import_module(f"toys.{name}") for name in names]


def refusals(model: Model) -> dict[str, str]:
    """The names of the engines that refuse a model, with their reasons."""
    return {e.name: why for e in engines() if (why := e.refuses(model)) is not None}


@contextmanager
def toy_engines() -> Iterator[list[str]]:
    """The toy engines are registered inside; their names."""
    added = [toy.ENGINE for toy in toys() if hasattr(toy, "ENGINE")]
    for engine in added:
        register(engine)
    try:
        yield [engine.name for engine in added]
    finally:
        for engine in added:
            unregister(engine.name)

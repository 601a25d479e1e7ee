"""What the protocol promises: a puzzle or an engine is one file; no engine gets a strange board."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from conformance import refusals, toy_engines
from oracles import Solutions, diagonals, fillings, houses, keys_of, masks_of
from strategies import model_of
from toys.diagonals import Diagonals
from toys.disjoint import Disjoint

from bddsudoku import Layout, Puzzle
from bddsudoku.context import Context
from bddsudoku.engine import bitboard as short_run
from bddsudoku.engine.bands import BandSet
from bddsudoku.engine.portfolio import choose_counting_engine, choose_set
from bddsudoku.engine.protocol import (
    DiagramEngine,
    Engine,
    ListingEngine,
    SetEngine,
    engine_names,
    engines,
    engines_that_take,
    find_engine,
    register,
    smallest_model,
    unregister,
)
from bddsudoku.errors import BddSudokuError
from bddsudoku.model import Model, OneHot, substitute, unit_propagate
from bddsudoku.model.model import Origin
from bddsudoku.puzzle.sudoku import allocate, empty_board_model
from bddsudoku.solver import (
    check,
    compile_set,
    count,
    count_detailed,
    solve,
)
from bddsudoku.solver import (
    iterate_solution_keys as found_keys,
)
from bddsudoku.solver.comparison import warm_up

# Toys


@pytest.fixture
def toys() -> Iterator[None]:
    with toy_engines():
        yield


FREE = model_of([[0]] * 30 + [[1]] * 20 + [[i] for i in range(2, 30) for _ in range(9)], 30)


@pytest.mark.parametrize("kind", [Engine, DiagramEngine, ListingEngine, SetEngine])
@pytest.mark.parametrize("model", [FREE, allocate(Puzzle([0] * 81)), allocate(Puzzle([0] * 16))])
def test_engines_are_left_out_unseen_only_where_they_would_refuse(
    model: Model, kind: type[Engine]
) -> None:
    found = [e.name for e in engines_that_take(model, kind)]
    taking = (e for e in engines() if isinstance(e, kind) and e.refuses(model) is None)
    assert found == [e.name for e in taking if e.in_portfolio]


@pytest.mark.usefixtures("toys")
def test_an_engine_of_one_file_is_found_everywhere() -> None:
    expected = 600 * 9**28
    assert engine_names()[-1] == "disjoint"
    assert "disjoint" in {e.name for e in engines_that_take(FREE, Engine)}
    auto = count_detailed(FREE)
    assert (auto.count, auto.engine, auto.why) == (
        expected,
        "disjoint",
        "its constraints are independent",
    )
    assert count(FREE, "disjoint") == expected
    assert check(FREE, ["frontier", "disjoint"]).agree is True
    small = model_of([[0], [0], [1]], 2)
    runs = check(small).runs
    assert {"frontier", "bdd", "dlx", "search", "brute-force", "disjoint"} <= {
        run.engine for run in runs
    }
    assert {run.count for run in runs} == {2}
    warm_up("disjoint")
    assert find_engine("disjoint").count(smallest_model(), Context()) == 4
    assert "shares a variable" in refusals(allocate(Puzzle([0] * 81)))["disjoint"]
    with pytest.raises(BddSudokuError, match="cannot take this: row a 1 shares a variable"):
        count(Puzzle([0] * 16), "disjoint")
    with pytest.raises(BddSudokuError, match="holds no set"):
        solve(small, "disjoint")


def test_names_are_taken_once_and_given_back() -> None:
    for taken in ("dlx", "disjoint"):
        with toy_engines():
            again = Disjoint()
            again.name = taken  # type: ignore[misc]
            with pytest.raises(BddSudokuError, match=f"already called '{taken}'"):
                register(again)
    with pytest.raises(BddSudokuError, match="no engine is called 'disjoint'"):
        find_engine("disjoint")
    with pytest.raises(BddSudokuError, match="'dlx' is an engine of an installed package"):
        unregister("dlx")
    assert "disjoint" not in engine_names()


def test_a_puzzle_of_one_file_is_asked_everything() -> None:
    puzzle = Diagonals(Puzzle([1] + [0] * 15))
    assert count(puzzle) == 12
    runs = check(puzzle).runs
    assert {run.count for run in runs} == {12}
    assert {"frontier", "bdd", "dlx", "search", "brute-force"} <= {run.engine for run in runs}
    grids = {grid.line for grid in solve(puzzle)}
    assert grids == {grid.line for grid in compile_set(puzzle)}
    groups = houses(Layout(2, 2)) + diagonals(4)
    assert grids == {
        "".join(map(str, g)) for g in fillings(masks_of(puzzle.puzzle.cells, 4), groups)
    }
    assert len(list(found_keys(puzzle))) == 12


# Boards that are almost the classic one

PUZZLE = Puzzle.parse(
    "8..2.6.7...78.92..5...3...1...5.372837592814628....539..8...3.27..3......53..2..7"
)
HOUSES = houses(Layout())
BOARD = empty_board_model(Layout())


def fitting(groups: list[list[int]]) -> Solutions:
    return frozenset(keys_of(g, 9) for g in fillings(masks_of(PUZZLE.cells, 9), groups))


PLAIN = fitting(HOUSES)
BLOCKS = (18, 19, 21, 22)
"""Four blocks whose digits the other houses do not settle."""


def hinted(board: Model) -> Model:
    return substitute(board, [c * 9 + d - 1 for c, d in PUZZLE.hints.items()])


def with_one_more(extra: OneHot) -> Model:
    return hinted(Model(BOARD.variables, (*BOARD.constraints, extra)))


def without(*gone: tuple[str, str]) -> Model:
    kept = tuple(c for c in BOARD.constraints if (c.family, c.label) not in gone)
    assert len(kept) == len(BOARD.constraints) - len(gone)
    return hinted(Model(BOARD.variables, kept))


PAIR = (58 * 9 + 6, 65 * 9 + 1)
APART = OneHot("extra", "pair", PAIR, at_most=True)
"""r7c5 is not 7 or r8c3 is not 2."""

NOT_CLASSIC: dict[str, tuple[Callable[[], Model], Solutions, str]] = {
    "diagonals": (
        lambda: Diagonals(PUZZLE).model(),
        fitting(HOUSES + diagonals(9)),
        "diagonal down 0 is no rule",
    ),
    "one more constraint": (
        lambda: with_one_more(APART),
        frozenset(s for s in PLAIN if not s.issuperset(PAIR)),
        "extra pair is no rule",
    ),
    "one constraint fewer": (lambda: without(("row", "a 1")), PLAIN, "more rules than this one"),
    "four blocks fewer": (
        lambda: without(*((c.family, c.label) for c in BOARD.constraints if in_blocks(c))),
        fitting([h for i, h in enumerate(HOUSES) if i not in BLOCKS]),
        "more rules than this one",
    ),
}


def in_blocks(c: OneHot) -> bool:
    cells = [v // 9 for v in c.variables]
    return c.family == "block" and cells in [HOUSES[b] for b in BLOCKS]


CLASSIC_ONLY = ("bands", "bitboard")


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing gets into the engines of the classic board."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a strange board was handed to an engine of the classic one")

    monkeypatch.setattr(BandSet, "__init__", never)
    monkeypatch.setattr(short_run.BitboardSearch, "__init__", never)
    monkeypatch.setattr("bddsudoku.engine.bitboard.engine.BitboardSearch", never)


def takers(name: str) -> list[str]:
    """Brute force takes what says what it is: of these the toy."""
    refused = {"singles", *CLASSIC_ONLY, *["brute-force"] * (not name.startswith("diagonals"))}
    return [e for e in engine_names() if e not in refused]


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize("name", NOT_CLASSIC)
@pytest.mark.parametrize(
    "propagate", [pytest.param(substitute, marks=pytest.mark.slow), unit_propagate]
)
def test_bands_refuse_a_strange_board_and_auto_knows(
    name: str, propagate: Callable[..., Model]
) -> None:
    make, expected, why = NOT_CLASSIC[name]
    model = propagate(make(), ()) if propagate is substitute else propagate(make())
    for closed_to in CLASSIC_ONLY:
        assert why in refusals(model)[closed_to]
        with pytest.raises(BddSudokuError, match=f"{closed_to} cannot take this: .*{why}"):
            count(model, closed_to)
        with pytest.raises(BddSudokuError, match=why):
            solve(model, closed_to)
        refused = check(model, [closed_to, "dlx"])
        assert refused.finished == 1
        assert why in str(refused.runs[0].limit)
    assert choose_counting_engine(model, Context()).engine not in CLASSIC_ONLY
    assert choose_set(model, Context()).engine not in CLASSIC_ONLY
    assert count(model) == count_detailed(model).count == len(expected)
    for engine_name in ("auto", "dlx", "frontier", "bdd"):
        assert {frozenset(keys) for keys in solve(model, engine_name)} == expected
    assert {frozenset(keys.tolist()) for keys in found_keys(model)} == expected


@pytest.mark.usefixtures("closed")
@pytest.mark.parametrize("name", NOT_CLASSIC)
def test_a_strange_board_is_counted_by_all_others(name: str) -> None:
    make, expected, _ = NOT_CLASSIC[name]
    model = make()
    agreed = check(model)
    assert [run.engine for run in agreed.runs] == takers(name)
    assert {run.count for run in agreed.runs} == {len(expected)}
    for lister in engines_that_take(model, ListingEngine):
        assert {frozenset(k.tolist()) for k in lister.solutions(model, Context())} == expected


def test_the_classic_board_is_recognised_however_it_comes() -> None:
    by_hand = Model(BOARD.variables, BOARD.constraints)
    shuffled = Model(BOARD.variables, BOARD.constraints[::-1])
    for model in (
        allocate(PUZZLE),
        allocate(PUZZLE, "singles"),
        hinted(by_hand),
        unit_propagate(hinted(shuffled)),
        pickle.loads(pickle.dumps(allocate(PUZZLE, "candidates"))),
    ):
        assert not {*CLASSIC_ONLY} & {*refusals(model)}
        assert {count(model, name) for name in ("bands", "bitboard", "dlx")} == {len(PLAIN)}


def test_what_a_model_comes_from_cannot_be_claimed() -> None:
    """Fields of a model that is changed by hand do not pass on what board it was."""
    model = allocate(PUZZLE, "candidates")
    changed = replace(model, constraints=(*model.constraints, OneHot("extra", "", (0, 1), 1, True)))
    assert changed.base is None
    assert type(changed.origin) is Origin
    assert changed.assumptions == ()
    assert {*refusals(changed)} >= {"brute-force", *CLASSIC_ONLY}
    with pytest.raises(TypeError, match="base"):
        Model(model.variables, model.constraints, base=BOARD)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="origin"):
        replace(changed, origin=model.origin)

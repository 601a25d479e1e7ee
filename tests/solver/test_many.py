"""Lists of puzzles from Python: every form that they come in, against engines that know nothing
of lists."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from figures import SEVENTEEN
from strategies import shuffled_grid

from bddsudoku.context import Context
from bddsudoku.engine import board_lists, dlx
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.solver import sources
from bddsudoku.solver.bulk_solving import count_each, count_many, solve_many, true_candidates_many
from bddsudoku.solver.dispatch import count_detailed

CLASSIC = Layout()
CLASH = "11" + "." * 79
EMPTY = "." * 81
GRIDS = 6670903752021072936960


def puzzles_of(seed: int, number: int, hints: tuple[int, int]) -> list[Puzzle]:
    """Puzzles with a solution, some digits of which are given."""
    rng = random.Random(seed)
    return [
        shuffled_grid(CLASSIC, rng).without(*rng.sample(range(81), 81 - rng.randint(*hints)))
        for _ in range(number)
    ]


def digits_of(puzzles: list[Puzzle]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.array([p.cells for p in puzzles], dtype=np.uint8)


def masks_of(puzzles: list[Puzzle]) -> np.ndarray[tuple[int, int], np.dtype[np.uint16]]:
    rows = [[1 << d - 1 if d else 0x1FF for d in p.cells] for p in puzzles]
    return np.array(rows, dtype=np.uint16)


PUZZLES = puzzles_of(1, 40, (24, 40))
COUNTS = [dlx.count(allocate(p, "singles")).count for p in PUZZLES]


class TestForms:
    """The same list in other forms than those of test_forms."""

    @pytest.mark.parametrize("form", ["not contiguous", "candidates", "mixed"])
    def test_every_form(self, form: str) -> None:
        found: Any = {
            "not contiguous": np.asfortranarray(digits_of(PUZZLES)),
            "candidates": [Puzzle.from_masks(m, CLASSIC) for m in masks_of(PUZZLES).tolist()],
            "mixed": [p if i % 3 else p.line for i, p in enumerate(PUZZLES)],
        }[form]
        counts = count_many(found, jobs=len(form) % 4 or None)
        assert counts.dtype == np.uint64
        assert counts.tolist() == COUNTS

    @pytest.mark.parametrize(("jobs", "most"), [(1, 8), (3, 8)])
    def test_a_stream_is_read_as_it_is_asked_for(
        self, monkeypatch: pytest.MonkeyPatch, jobs: int, most: int
    ) -> None:
        monkeypatch.setattr(sources, "LIST_CHUNK", 4)
        read = 0

        def lines() -> Iterator[str]:
            nonlocal read
            while True:
                read += 1
                yield SEVENTEEN

        counts = count_each(lines(), jobs=jobs)
        assert [next(counts) for _ in range(6)] == [1] * 6
        assert 8 <= read <= most
        counts.close()  # type: ignore[attr-defined]
        assert read <= most

    @pytest.mark.parametrize("jobs", [1, 3])
    def test_results_before_a_failing_source(
        self, monkeypatch: pytest.MonkeyPatch, jobs: int
    ) -> None:
        monkeypatch.setattr(sources, "LIST_CHUNK", 4)

        def lines() -> Iterator[str]:
            yield from [SEVENTEEN] * 10
            raise OSError("the source is gone")

        counts = count_each(lines(), jobs=jobs)
        assert [next(counts) for _ in range(8)] == [1] * 8
        with pytest.raises(OSError, match="the source is gone"):
            next(counts)


class TestCounts:
    """Limits, large counts, and other engines."""

    @pytest.mark.parametrize("limit", [0, 1, 2, 1000, None])
    def test_limits(self, limit: int | None) -> None:
        most = limit if limit is not None else 1 << 60
        for form in (digits_of(PUZZLES), PUZZLES):
            assert count_many(form, limit).tolist() == [min(c, most) for c in COUNTS]
        assert count_many(["." * 16, "1" * 16], limit).tolist() == [min(288, most), 0]

    def test_a_negative_limit(self) -> None:
        with pytest.raises(ValueError, match="0 or more as limit, found -1"):
            count_many(PUZZLES, -1)

    def test_past_64_bits(self) -> None:
        found = count_many([SEVENTEEN, EMPTY, CLASH])
        assert found.dtype == object
        assert found.tolist() == [1, GRIDS, 0]
        assert all(type(count) is int for count in found)
        assert count_many([SEVENTEEN, EMPTY], 3).tolist() == [1, 3]

    def test_what_a_short_search_does_not_settle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for nodes in ("MAX_SEARCH_NODES", "LIST_NODES"):
            monkeypatch.setattr(board_lists, nodes, 1)
        assert count_many(PUZZLES).tolist() == COUNTS
        assert count_many(masks_of(PUZZLES), 3, masks=True).tolist() == [min(c, 3) for c in COUNTS]


class TestErrors:
    """What is no puzzle, and which one it is."""

    @pytest.mark.parametrize(
        ("bad", "words"),
        [
            ("12", "12|2 symbols|2 cells"),
            (SEVENTEEN[:-1] + "&", "&"),
            (SEVENTEEN + "\r" + SEVENTEEN, "one puzzle"),
            (SEVENTEEN + "\n" + SEVENTEEN, "one puzzle"),
            (SEVENTEEN[:-1] + "\ud800", ""),
            ("", "no puzzle"),
        ],
    )
    @pytest.mark.parametrize("at", [0, 5, 9])
    def test_bad_lines(
        self, monkeypatch: pytest.MonkeyPatch, bad: str, words: str, at: int
    ) -> None:
        monkeypatch.setattr(sources, "LIST_CHUNK", 4)
        lines = [SEVENTEEN] * 10
        lines[at] = bad
        counts = count_each(lines)
        assert list(islice(counts, at - at % 4)) == [1] * (at - at % 4)
        for asked in (list, solve_many, true_candidates_many):
            with pytest.raises(PuzzleFormatError, match=f"puzzle {at}: .*({words})"):
                asked(counts if asked is list else lines)  # type: ignore[operator]

    def test_one_is_not_many(self) -> None:
        with pytest.raises(TypeError, match="found one Puzzle"):
            count_many(Puzzle.parse(SEVENTEEN))  # type: ignore[arg-type]
        for one in ([*range(9)] * 9, [[0] * 9] * 9, np.zeros((9, 9), int), np.zeros(81, int)):
            with pytest.raises(TypeError, match=r"expected many puzzles, found one .*\[puzzle\]"):
                count_many(one)  # type: ignore[arg-type]
        with pytest.raises(PuzzleFormatError, match="puzzle 0"):
            count_many([f"{SEVENTEEN}\n{SEVENTEEN}", ""])
        with pytest.raises(TypeError, match=r"puzzle 1: expected a puzzle .*, found 3"):
            count_many([SEVENTEEN, 3])  # type: ignore[list-item]

    def test_arrays_that_are_none_of_boards(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sources, "LIST_CHUNK", 4)
        boards = digits_of(PUZZLES)
        boards[9, 4] = 10
        with pytest.raises(PuzzleFormatError, match="board 9, r1c5: expected digits from 0 to 9"):
            count_many(boards)
        with pytest.raises(PuzzleFormatError, match=r"board 9, r1c5: .* found 10 \(.*masks=True"):
            count_many(boards.astype(np.uint16))
        with pytest.raises(PuzzleFormatError, match=r"puzzle 0: .*r1c1: expected .*, found \d\.0"):
            count_many(boards.astype(np.float64))
        with pytest.raises(PuzzleFormatError, match="found -1"):
            count_many(np.full((1, 81), -1))
        with pytest.raises(PuzzleFormatError, match="candidate masks from 0 to 511, found 512"):
            count_many(np.full((1, 81), 512), masks=True)

    @pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", ">i4", "u8", "i8"])
    def test_the_type_of_an_array_decides_nothing(self, kind: str) -> None:
        digits = digits_of(PUZZLES).astype(kind)
        first = true_candidates_many(digits)
        assert count_many(digits).tolist() == [*count_each(digits)] == COUNTS
        assert solve_many(digits).counts.tolist() == [min(c, 2) for c in COUNTS]
        if kind[-1] != "1":
            masks = masks_of(PUZZLES).astype(kind)
            assert (
                count_many(masks, masks=True).tolist() == [*count_each(masks, masks=True)] == COUNTS
            )
            assert solve_many(masks, masks=True).counts.tolist() == [min(c, 2) for c in COUNTS]
            assert (true_candidates_many(masks, masks=True) == first).all()

    def test_masks_by_their_type_alone_are_on_their_way_out(self) -> None:
        with pytest.warns(DeprecationWarning, match="masks=True"):
            assert count_many(masks_of(PUZZLES)).tolist() == COUNTS

    @pytest.mark.parametrize("asked", [solve_many, true_candidates_many])
    def test_classic_boards_only(self, asked: object) -> None:
        with pytest.raises(PuzzleFormatError, match="puzzle 2: expected a classic 9x9 board"):
            asked([SEVENTEEN, CLASH, "." * 16])  # type: ignore[operator]


class TestSolutions:
    """One of each, and what stands in some."""

    @pytest.mark.parametrize("limit", [0, 1, 2, None])
    def test_solutions_fit(self, limit: int | None) -> None:
        puzzles = [*PUZZLES, Puzzle.parse(CLASH)]
        counts, solutions = solve_many(puzzles, limit)
        most = limit if limit is not None else 1 << 60
        assert counts.tolist() == [min(c, most) for c in [*COUNTS, 0]]
        for puzzle, number, row in zip(puzzles, counts, solutions.tolist(), strict=True):
            if not number:
                assert not any(row)
                continue
            assert Puzzle(row, CLASSIC).is_solution
            assert all(row[cell] == digit for cell, digit in puzzle.hints.items())

    def test_true_candidates(self) -> None:
        puzzles = [*(p for p, c in zip(PUZZLES, COUNTS, strict=True) if c < 5000)]
        assert len(puzzles) > 10
        found = true_candidates_many([*puzzles, Puzzle.parse(CLASH)])
        assert not found[-1].any()
        for puzzle, row in zip(puzzles, found.tolist(), strict=False):
            wanted = [0] * 81
            for keys in dlx.DlxEngine().solutions(allocate(puzzle, "singles"), Context()):
                for key in keys.tolist():
                    wanted[key // 9] |= 1 << key % 9
            assert row == wanted


def test_a_limit_beyond_what_can_be_visited() -> None:
    """The empty board has more solutions than anybody visits: all are counted instead."""
    empty = Puzzle([0] * 81)
    number = 6_670_903_752_021_072_936_960
    found = count_detailed(empty, context=Context(None, 60), limit=10**12)
    assert (found.count, found.exact) == (10**12, False)
    assert count_many([empty], 10**22).tolist() == [number]
    whole = count_detailed(empty, context=Context(None, 60), limit=10**22)
    assert (whole.count, whole.exact) == (number, True)

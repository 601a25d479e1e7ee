"""The methods of experiments by themselves."""

from __future__ import annotations

from typing import Any

from bddsudoku import Puzzle, count
from bddsudoku.engine.bitboard import count_many
from bddsudoku.puzzle import Layout, known_rules, rule_from_line

FOUR = Layout(2, 2)


def test_every_rule_is_placed(load: Any) -> None:
    variant_effects = load("variant_effects")

    own = {n for n, rule in known_rules().items() if rule.__module__.startswith("bddsudoku.")}
    assert variant_effects.PLACED.keys() == own - {"chaos", "chaosarrow"}, (
        "all but those of regions to be found, which need further cells"
    )
    for name, line in variant_effects.PLACED.items():
        assert rule_from_line(line).name == name


def test_all_grids_are_all_grids(load: Any) -> None:
    variant_effects = load("variant_effects")

    assert len({*variant_effects.all_grids(FOUR)}) == 288
    assert len(variant_effects.first_grids(Layout(2, 3))) * 720 == 28_200_960


def test_patterns_count_as_looking_at_all_grids_does(load: Any) -> None:
    variant_effects = load("variant_effects")

    for name, line in variant_effects.PLACED.items():
        if name == "entropic":
            continue
        rule = rule_from_line(line)
        held = sum(rule.holds(Puzzle(g, FOUR)) for g in variant_effects.all_grids(FOUR))
        assert variant_effects.plain_count(rule, FOUR) == held, line
        if name not in variant_effects.CONSECUTIVE:
            assert variant_effects.patterns_count(rule, FOUR) == held, line


def test_a_list_is_what_its_name_says(load: Any) -> None:
    puzzle_lists = load("puzzle_lists")
    for kind in puzzle_lists.KINDS:
        lines = puzzle_lists.make(kind, 20, 3)
        assert len(set(lines)) == 20
        assert lines == puzzle_lists.make(kind, 20, 3)
        counts = count_many(puzzle_lists.digits_of(lines)).counts
        if kind == "2 to 1,555 solutions":
            assert counts.min() >= 2
            assert counts.max() <= 1555
        else:
            assert (counts == 1).all()


def test_boards_without_hints_have_one_solution_and_no_rule_too_many(load: Any) -> None:
    boards = load("variant_boards")
    puzzle = boards.make("thermometer, antiknight, no hints", 2)
    assert puzzle.hint_count == 0
    assert count(puzzle) == 1
    *_, last = puzzle.rules
    assert count(puzzle.without(last), "search") > 1

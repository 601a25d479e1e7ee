"""Variants counted, made from a seed, and what rules leave of all grids."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bddsudoku import Puzzle, count
from bddsudoku.puzzle import Layout, known_rules, rule_from_line

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
FOUR = Layout(2, 2)


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))


@pytest.mark.slow
def test_a_small_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import variants

    arguments = ["--quick", "--bdd-limit", "1", "--budget", "0", "--time-limit", "60"]
    arguments += ["--output", str(tmp_path / "out.jsonl"), "--table", str(tmp_path / "out.md")]
    arguments += ["--only", "antiking", "--only", "zipper"]
    assert variants.main(arguments) == 0
    told = capsys.readouterr()
    assert "15 hints, antiking" in told.out
    assert "zipper r1c1 r2c2 r3c3" in (tmp_path / "out.md").read_text(encoding="utf-8")
    assert "all hold" in told.err


def test_every_rule_is_placed() -> None:
    import variant_effects

    own = {n for n, rule in known_rules().items() if rule.__module__.startswith("bddsudoku.")}
    assert variant_effects.PLACED.keys() == own
    for name, line in variant_effects.PLACED.items():
        assert rule_from_line(line).name == name


def test_all_grids_are_all_grids() -> None:
    import variant_effects

    assert len({*variant_effects.all_grids(FOUR)}) == 288
    assert len(variant_effects.first_grids(Layout(2, 3))) * 720 == 28_200_960


def test_patterns_count_as_looking_at_all_grids_does() -> None:
    import variant_effects

    for name, line in variant_effects.PLACED.items():
        if name == "entropic":
            continue
        rule = rule_from_line(line)
        held = sum(rule.holds(Puzzle(g, FOUR)) for g in variant_effects.all_grids(FOUR))
        assert variant_effects.plain_count(rule, FOUR) == held, line
        if name not in variant_effects.CONSECUTIVE:
            assert variant_effects.patterns_count(rule, FOUR) == held, line


def test_symmetries_keep_the_number_of_grids() -> None:
    import variant_effects

    classes = variant_effects.fillings()
    assert (len(classes), sum(classes.values())) == (74, 4752)
    rng = random.Random(1)
    moves = [*variant_effects._moves()]
    other = rng.choice(list(classes))
    numbers = set()
    for move in rng.sample(moves, 4):
        cells = [0] * 81
        for i, digit in enumerate(variant_effects._moved(other, *move)):
            cells[i * 9 + i], cells[i * 9 + 8 - i] = i + 1, digit
        numbers.add(count(Puzzle(cells), "bands"))
    assert len(numbers) == 1


@pytest.mark.parametrize(
    "kind",
    [
        "killer",
        "thermometer",
        pytest.param("sandwich", marks=pytest.mark.slow),
        "jigsaw",
        "windoku",
    ],
)
def test_puzzles_that_are_made_have_one_solution(kind: str) -> None:
    import variant_boards

    puzzle = variant_boards.make(kind, 2)
    assert variant_boards.make(kind, 2) == puzzle
    assert variant_boards.at_most_two(puzzle) == 1
    made = variant_boards.made({"kind": kind, "seed": 2}, print)
    assert Puzzle.parse(made["puzzle"]) == puzzle
    near = Puzzle.parse(made["near"])
    assert near.hint_count + len(near.rules) < puzzle.hint_count + len(puzzle.rules)


def test_dissections() -> None:
    import variant_boards

    assert [len({*variant_boards.dissections(n)}) for n in (1, 2, 3, 4)] == [1, 2, 10, 117]


def test_what_is_shown() -> None:
    import variants

    assert variants.cell({"seconds": 0.01234}) == "0.0123"
    assert variants.cell({"limit": "time"}) == "× time"
    assert variants.cell({"limit": "refused"}) is None
    assert variants.share(0, 288) == "0"
    assert variants.share(144, 288) == "50.0 %"
    assert variants.share(48, 28_200_960) == "0.0002 %"

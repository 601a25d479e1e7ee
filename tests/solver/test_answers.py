"""Answers as objects, their JSON form and their tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bddsudoku import Context, Puzzle, check, hint_impact, rule_impact
from bddsudoku.authoring import (
    minimal_subsets,
    reason_answers,
    reasons,
    region_cells,
    solution_grid,
    subset_answers,
    unavoidable_answers,
    unavoidable_sets,
)
from bddsudoku.solver.answers import Additions, Answer

FOUR = Puzzle.parse("1....2.........4")
HUGE = 6670903752021072936960
NOTHING = {"dead": None, "always_equal": None, "always_different": None}


def answers() -> dict[str, Answer]:
    clash, grid = Puzzle.parse("11.............."), solution_grid(Puzzle.parse("1234341221434321"))
    return {
        "many": hint_impact(FOUR),
        "one": hint_impact(grid),
        "outside": hint_impact(Puzzle.parse("# cells: D 2\n1....2.........4\ncage 3 D1 D2\n")),
        "none": hint_impact(clash),
        "rules": rule_impact(FOUR.with_rule("diagonals", "cage 3 r1c1 r1c2")),
        "stopped": rule_impact(Puzzle([0] * 81), each=1e-9),
        "engines": check(FOUR, ["dlx", "bands"]),
        "minimal": subset_answers(minimal_subsets(grid)),
        "bounds": subset_answers(minimal_subsets(grid, Context(nodes=20))),
        "reasons": reason_answers(reasons(clash, None)),
        "unavoidable": unavoidable_answers(unavoidable_sets(grid, region_cells(grid, rows=[1, 2]))),
        "huge": Additions(
            **NOTHING,
            count=HUGE,
            marginals=np.array([[[HUGE, 0]]], dtype=object),
            unique=(),
            next=None,
        ),
    }


@pytest.mark.parametrize("answer", answers().values(), ids=answers())
def test_json_says_the_same(answer: Answer) -> None:
    record = json.loads(json.dumps(answer.to_dict()))
    back = type(answer).from_dict(record)
    assert back == answer
    assert back.to_dict() == record == answer.to_dict()
    if isinstance(answer, Additions) and isinstance(back, Additions):
        assert back.marginals.dtype == answer.marginals.dtype
        assert (back.marginals == answer.marginals).all()


def test_counts_are_text_and_other_numbers_are_not() -> None:
    found = hint_impact(FOUR).to_dict()
    assert found["count"] == found["marginals"][0][0][0] == "6"
    assert found["without"][0] == {"cell": "r1c1", "digit": 1, "count": "18", "redundant": False}
    assert found["next"]["shortest"]["at_most"] == 1
    assert "pairs_open" not in found
    sizes = subset_answers(minimal_subsets(FOUR)).to_dict()["minimal"]["sizes"]
    assert sizes == {"3": "1"}


def test_members_by_name_go_on_working() -> None:
    with pytest.warns(DeprecationWarning, match=r"write \.count .* or \.to_dict\(\)\['count'\]"):
        assert hint_impact(FOUR)["count"] == "6"

"""The set of all solutions of a board."""

from __future__ import annotations

from pathlib import Path

import pytest

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.numberlink import Board, Links, parse_board
from bddsudoku.numberlink.link_sets import LinkSet, compile_links, count_links, load_link_set
from bddsudoku.sets.solutionset import SolutionSet

DATA = Path(__file__).parents[2] / "data" / "numberlink"
BOARD = parse_board(".....\n...12\n.....\n..31.\n2...3")


@pytest.fixture(scope="module")
def solutions() -> LinkSet:
    return compile_links(BOARD).solutions


def test_every_member_is_a_solution_and_has_its_rank(solutions: LinkSet) -> None:
    assert solutions.count() == count_links(BOARD).count == 169
    found = list(solutions)
    assert len(set(found)) == 169
    for i, links in enumerate(found):
        assert isinstance(links, Links)
        assert links in solutions
        assert solutions.rank(links) == i
        assert solutions.unrank(i) == links
    wires = [links.wire for links in found]
    least, shortest = solutions.shortest()
    most, longest = solutions.longest()
    assert (least, most) == (min(wires), max(wires))
    assert (shortest.wire, longest.wire) == (least, most)
    marginals = solutions.edge_marginals()
    assert sorted(marginals) == list(BOARD.edges)
    for edge, number in marginals.items():
        assert number == sum(edge in links.edges for links in found)
        assert solutions.restrict(true=[edge]).count() == number
        assert solutions.restrict(false=[edge]).count() == 169 - number


def test_rules_give_subsets(solutions: LinkSet) -> None:
    cover = compile_links(BOARD.with_rule("cover")).solutions
    assert 0 < cover.count() < 169
    assert cover < solutions
    assert (cover & solutions).board == BOARD.with_rule("cover")
    assert (cover | solutions).board == BOARD
    assert set(solutions) - set(cover) == set(solutions - cover)
    for links in cover:
        assert 0 not in links.pair_by_cell


def test_a_foreign_solution_is_no_member(solutions: LinkSet) -> None:
    other = Board(5, 5, BOARD.pairs[:1])
    links = compile_links(other).solutions.sample(1, 1)[0]
    assert links not in solutions
    assert "nonsense" not in solutions
    with pytest.raises(ValueError, match="not one of"):
        solutions.rank(links)


def test_saved_and_loaded(solutions: LinkSet, tmp_path: Path) -> None:
    path = tmp_path / "board.zset"
    solutions.save(path)
    again = LinkSet.load(path)
    assert again == solutions
    assert again.board == BOARD
    assert again.info == solutions.info
    assert load_link_set(path) == solutions
    assert load_link_set(tmp_path / "nothing") is None
    assert load_link_set(DATA / "nl_q07.txt") is None
    SolutionSet(solutions.diagram).save(path)
    with pytest.raises(PuzzleFormatError, match="not of Numberlink"):
        load_link_set(path)


def test_every_picture_gives_the_same_set(solutions: LinkSet) -> None:
    for symmetry in range(8):
        compiled = compile_links(BOARD, symmetry=symmetry)
        assert compiled.solutions.info["symmetry"] == symmetry
        assert compiled.solutions == solutions
        assert count_links(BOARD, symmetry=symmetry).count == 169


def test_reached_limits_are_reported() -> None:
    board = Board.of_cells(12, 12, [(0, 143)])
    with pytest.raises(LimitReached) as stop:
        count_links(board, Context(time_limit=0.05))
    assert stop.value.limit == "time"
    with pytest.raises(LimitReached) as stop:
        compile_links(board, Context(max_memory=1 << 22))
    assert stop.value.limit == "memory"

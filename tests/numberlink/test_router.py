"""The router: valid or unknown, never wrong; seeds, limits, the perimeter rule."""

from __future__ import annotations

import random

import pytest

from bddsudoku.numberlink import Board, parse_board
from bddsudoku.numberlink.router import Perimeter, route

# joined straight, pair 1 walls pair 2 in; the other order (that of the text), or rip-up, solves it
WALLED = parse_board("..2.\n1..1\n.2..\n....")


def threaded(rng: random.Random, width: int, height: int, pairs: int) -> Board:
    """A board with a known solution: the ends of disjoint random walks."""
    while True:
        used: set[int] = set()
        ends = []
        board = Board.of_cells(width, height, [(0, 1)])
        for _ in range(pairs):
            free = [c for c in range(width * height) if c not in used]
            if not free:
                break
            path = [rng.choice(free)]
            for _ in range(rng.randint(1, width + height)):
                near = [c for c in board.neighbours[path[-1]] if c not in used and c not in path]
                if not near:
                    break
                path.append(rng.choice(near))
            if len(path) > 1:
                used.update(path)
                ends.append((path[0], path[-1]))
        if len(ends) == pairs:
            return Board.of_cells(width, height, ends)


def test_order_matters_to_plain_search_but_not_to_negotiation() -> None:
    turned = Board.of_cells(4, 4, WALLED.cell_pairs[::-1])
    first = route(turned, rip_up=False)
    assert (first.status, first.why, first.links) == ("unknown", "blocked", None)
    assert route(WALLED, rip_up=False).status == "solved"
    found = route(WALLED)
    assert found.status == "solved"
    assert found.links is not None
    assert found.rounds >= 1
    actions = [step.action for step in found.steps]
    assert "rip-up" in actions
    assert actions[-1] == "solved"


def test_two_hundred_solvable_boards() -> None:
    rng = random.Random(2014)
    solved = dict.fromkeys(("plain", "negotiated", "perimeter"), 0)
    for i in range(200):
        board = threaded(rng, 8, 8, rng.randint(3, 9))
        for name, options in (
            ("plain", {"rip_up": False}),
            ("negotiated", {"time_limit": 10.0}),
            ("perimeter", {"perimeter": True, "time_limit": 10.0}),
        ):
            found = route(board, seed=i, max_rounds=300, **options)  # type: ignore[arg-type]
            if found.links is None:
                assert found.status == "unknown"
                assert found.why in ("blocked", "rounds", "time")
            else:
                assert board.fault(found.links.edges) is None
                solved[name] += 1
    assert solved["plain"] < solved["negotiated"]
    assert solved["negotiated"] > 180
    assert solved["perimeter"] > 180


def test_the_same_seed_does_the_same() -> None:
    board = threaded(random.Random(5), 10, 10, 11)
    one, two = (route(board, seed=3, max_rounds=40) for _ in range(2))
    assert one.steps == two.steps
    assert (one.links, one.rounds, one.searches, one.expanded) == (
        two.links,
        two.rounds,
        two.searches,
        two.expanded,
    )


def test_limits_end_in_unknown() -> None:
    crossing = parse_board("1.2\n...\n2.1")
    found = route(crossing, max_rounds=7)
    assert (found.status, found.why) == ("unknown", "rounds")
    assert found.rounds <= 7
    found = route(crossing, max_rounds=10**9, time_limit=0.05)
    assert (found.status, found.why) == ("unknown", "time")
    assert found.seconds < 5
    shut = parse_board("12.\n2..\n..1")
    assert route(shut).why == "blocked"
    assert route(shut, perimeter=True).status == "unknown"


def test_covering_and_not_touching() -> None:
    board = parse_board("1...\n....\n....\n...1").with_rule("cover")
    assert route(board).status == "unknown"  # the chessboard forbids it
    board = parse_board("1....\n.....\n.....\n....1").with_rule("cover")
    found = route(board, seed=1)
    assert found.links is not None
    assert 0 not in found.links.pair_by_cell
    rng = random.Random(8)
    for i in range(40):
        board = threaded(rng, 7, 7, 5).with_rule(no_touch=True)
        answer = route(board, seed=i, max_rounds=200)
        assert answer.links is None or board.fault(answer.links.edges) is None


def test_the_perimeter_rule_is_refused_under_cover() -> None:
    with pytest.raises(ValueError, match="only solution"):
        route(WALLED.with_rule("cover"), perimeter=True)


def test_forced_steps_keep_every_solution() -> None:
    # forced steps are deductions: every solution agrees with them
    from bddsudoku.numberlink.link_sets import compile_links

    rng = random.Random(11)
    forced = 0
    for _ in range(60):
        board = threaded(rng, 6, 6, rng.randint(3, 7))
        state = Perimeter(board, set(range(36)), dict(enumerate(board.cell_pairs)))
        step = state.forced_step()
        if step is None:
            continue
        forced += 1
        k, which, near = step
        solutions = compile_links(board).solutions
        assert solutions
        edge = board.edge(board.cell_pairs[k][which], near)
        assert solutions.edge_marginals()[edge] == solutions.count()
    assert forced

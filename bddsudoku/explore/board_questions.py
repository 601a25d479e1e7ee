"""Answers to the questions of the live board; an answer is a sequence of events.

A question has a ``kind`` and, for most, a ``board``. Events have a ``kind``, too;
numbers of solutions are decimal strings, because they pass 2⁵³. An error is an event ``error`` with
one line, a reached limit an event ``limit``; both end the answer. ``Any`` stands for JSON.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from itertools import chain, islice
from secrets import randbelow
from typing import TYPE_CHECKING, Any

from bddsudoku.authoring.small_reason import small_reason
from bddsudoku.authoring.sufficient_subsets import Claim
from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError, LimitReached, PuzzleFormatError
from bddsudoku.explore.exports import export
from bddsudoku.explore.live_board import Event, LiveBoard, SendEvent
from bddsudoku.puzzle.sudoku.grid import Puzzle, empty_board
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import parse_groups
from bddsudoku.puzzle.sudoku.puzzle_info import NO_INFO, PuzzleInfo
from bddsudoku.puzzle.sudoku.rule_catalogue import rule_catalogue, setters_names
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.puzzle.sudoku.svg.rule_icon import rule_icon
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.puzzle.sudoku.text.rule_lines import board_with_rules, layout_lines
from bddsudoku.solver.hint_analysis import clue_ablation, counts_without_each_rule

if TYPE_CHECKING:
    from bddsudoku.sets.grid_family import GridFamily

_OUTSIDE = "# cells: "
"""What the line of a group of cells outside the grid begins with."""


def board_record(puzzle: Puzzle, info: PuzzleInfo = NO_INFO) -> dict[str, Any]:
    """Make the JSON object from which the page's JavaScript draws a puzzle and asks questions.

    Returns:
        ``n``, ``box`` (rows, columns), ``lines`` (cells outside the grid, which the page shows but
        does not change; blocks of other shapes, extra houses), ``cells``,
        ``masks`` (candidates of each cell as bits; None without pencil marks), ``rules`` (their
        lines) and ``symbols``: of these :func:`puzzle_from_record` makes the puzzle again.
        ``info``: title, author and rules in words; ``houses``: their cells; ``ground``: the board
        and the marks of its rules as SVG; ``about``: a sentence for each rule; ``lit``: the cells
        that each is about.
    """
    layout = puzzle.layout
    outside = [f"{_OUTSIDE}{group.text}" for group in layout.groups]
    return {
        "n": layout.grid.n,
        "box": [layout.box_rows, layout.box_columns],
        "lines": [*outside, *layout_lines(layout)],
        "cells": list(puzzle.cells),
        "masks": None if puzzle.candidates is None else list(puzzle.candidates),
        "rules": [rule.text for rule in puzzle.rules],
        "about": [rule.about for rule in puzzle.rules],
        "lit": [cells_of_rule(rule, layout) for rule in puzzle.rules],
        "symbols": layout.symbols,
        "info": info._asdict(),
        "houses": [list(house.cells) for house in layout.houses],
        "ground": empty_board_svg(puzzle),
    }


def empty_board_svg(puzzle: Puzzle) -> str:
    """Draw the board with the marks of the rules and no hints in the grid, as SVG."""
    layout, count = puzzle.layout, puzzle.layout.grid_cell_count
    cells = [*[layout.blank] * count, *puzzle.cells[count:]]
    return board_svg(Puzzle(cells, layout, rules=puzzle.rules), size=40, title="")


def read_first_puzzle(text: str) -> tuple[Puzzle, PuzzleInfo, list[str]]:
    """Read the first puzzle in a text of any form; return it, its title, and notes about it."""
    first, *others = islice(read_puzzles(io.StringIO(text, newline=None), name="text"), 2)
    more = ["the first of several puzzles"] if others else []
    info = PuzzleInfo.from_comments(first.comments)
    return first.puzzle, info._replace(title=info.title or first.name), [*first.notes, *more]


@lru_cache(maxsize=64)
def _board_with_rules(
    box: tuple[int, int], house_lines: tuple[str, ...], rules: tuple[str, ...]
) -> Puzzle:
    """Make the empty board with given blocks, and with houses and rules from lines of text."""
    outside = [line for line in house_lines if line.startswith(_OUTSIDE)]
    texts = (line.removeprefix(_OUTSIDE) for line in outside)
    groups = tuple(group for text in texts for group in parse_groups(text))
    lines = (line for line in (*house_lines, *rules) if line not in outside)
    return board_with_rules(((None, line) for line in lines), Layout(*box, groups=groups))


def puzzle_from_record(board: Mapping[str, Any]) -> Puzzle:
    """Make the puzzle from its JSON object: the inverse of :func:`board_record`.

    Raises:
        PuzzleFormatError: hints, candidates, houses or rules do not fit the board.
    """
    lines, rules = (tuple(board.get(name) or ()) for name in ("lines", "rules"))
    frame = _board_with_rules(tuple(board["box"]), lines, rules)
    return Puzzle(board["cells"], frame.layout, board.get("masks"), frame.rules)


BoardQuestion = Mapping[str, Any]

_SECONDS_PER_COUNT = 20.0
"""Seconds for each count without one hint or rule, and for a smallest reason, at most."""
_LIMITS = {"time": "it takes too long", "memory": "it takes too much memory"}
"""What a limit means, for people; of the others they know as little as of the first."""


def answer(
    question: BoardQuestion,
    context: Context,
    send: SendEvent,
    live_board: Callable[[Puzzle], LiveBoard] = LiveBoard,
) -> None:
    """Send the events of the answer to a question; if it is malformed, an event ``error``.

    Args:
        question: as the page sends it.
        context: limits of the answer.
        send: is called with each event, by several threads; the last is of kind ``end``.
        live_board: what is known of the board of the question.
    """
    kind = str(question.get("kind"))
    try:
        if kind == "read":
            send(_read(question))
        elif kind in _ANSWERS or kind == "board":
            live = live_board(puzzle_from_record(question["board"]))
            if kind == "board":
                live.tell(context, send)
            else:
                send(_ANSWERS[kind](live, question, context))
        else:
            raise PuzzleFormatError(f"kind: expected one of read, board, {', '.join(_ANSWERS)}")
    except LimitReached as error:
        limit = "memory" if error.limit in ("states", "nodes") else error.limit
        send({"kind": "limit", "limit": limit, "text": _LIMITS.get(limit, _LIMITS["time"])})
    except MemoryError:
        send({"kind": "limit", "limit": "memory", "text": _LIMITS["memory"]})
    except BddSudokuError as error:
        send({"kind": "error", "text": str(error)})
    send({"kind": "end"})


def _read(question: BoardQuestion) -> Event:
    """The board that was read, and the tools for drawing rules on it."""
    side, board = question.get("side"), question.get("board")
    notes: list[str] = []
    info = NO_INFO
    if isinstance(board, Mapping):
        puzzle, info = puzzle_from_record(board), _info_of(board)
    elif type(side) is int:
        puzzle = empty_board(Layout.of_size(side))
    else:
        puzzle, info, notes = read_first_puzzle(question["text"])
    tools, record = rule_tools(puzzle.layout), board_record(puzzle, info)
    return {"kind": "read", "board": record, "notes": notes, "tools": tools}


def _draw(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """The empty board and the marks of its rules, as SVG."""
    return {"kind": "ground", "ground": empty_board_svg(live.puzzle)}


def _rule(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """A rule that was read from text, and the board with this rule."""
    rule = rule_from_line(question["line"])
    if rule in live.puzzle.rules:
        raise PuzzleFormatError(f"{rule.text} is on the board already")
    puzzle = live.puzzle.with_rule(rule)
    return {
        "kind": "rule",
        "text": rule.text,
        "about": rule.about,
        "lit": cells_of_rule(rule, puzzle.layout),
        "ground": empty_board_svg(puzzle),
    }


def _check(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """The digits that each cell has in some solution."""
    return {"kind": "check", "masks": live.true_masks(context)}


def _hints(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """The number of solutions without each hint."""
    total = live.exact_count(context)
    found = clue_ablation(live.puzzle, total, context, each=_SECONDS_PER_COUNT)
    context.check()
    counts = [row["count"] for row in found.to_dict()["without"]]
    cells = list(live.puzzle.hints)
    return {"kind": "hints", "count": str(total), "cells": cells, "without": counts}


def _rules(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """The number of solutions without each rule."""
    total, rules = live.exact_count(context), live.puzzle.rules
    counts: list[str | None] = []
    for number in counts_without_each_rule(live.puzzle, context, _SECONDS_PER_COUNT):
        counts.append(None if number is None else str(number))
        context.check_and_report(len(counts), len(rules))
    texts = [rule.text for rule in rules]
    return {"kind": "rules", "count": str(total), "rules": texts, "without": counts}


def _reason(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """Few hints and rules that force a digit, or from which it follows that there is no solution.

    ``smallest`` tells whether no smaller set does, ``smaller`` how many were ruled out.
    """
    puzzle, cell = live.puzzle, question["cell"]
    mask = live.true_masks(context)[cell]
    claim = Claim(cell, mask.bit_length()) if mask else None
    if mask & (mask - 1):
        name = puzzle.layout.cell_name(cell)
        raise PuzzleFormatError(f"{name} has several digits in the solutions")
    found = small_reason(puzzle, claim, context, seconds=_SECONDS_PER_COUNT)
    return {
        "kind": "reason",
        "cells": list(found.reason.hints),
        "rules": [rule.text for rule in found.reason.rules],
        "smallest": found.is_smallest,
        "smaller": str(found.ruled_out),
    }


def _sample(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """A solution, drawn uniformly where their set is known; else a search finds it, at random."""
    if live.solutions is not None and live.count:
        return _solution(live.solutions, randbelow(live.count), live.count)
    cells = None if live.count == 0 else live.find_one(context, randbelow(1 << 31))
    if cells is None:
        raise PuzzleFormatError("there is no solution to draw")
    count = None if live.count is None else str(live.count)
    return {"kind": "solution", "index": None, "count": count, "cells": cells}


def _unrank(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """The solution that has a given number, from 0."""
    index = question.get("index")
    if not isinstance(index, str) or not index.isdecimal() or len(index) > 400:
        raise PuzzleFormatError("index: expected a whole number, 0 or more")
    if live.solutions is None or live.count is None:
        raise PuzzleFormatError("solutions have numbers once all of them are known")
    if live.count <= int(index):
        message = f"no solution has number {index}: there are {live.count}, from 0"
        raise PuzzleFormatError(message)
    return _solution(live.solutions, int(index), live.count)


def _solution(solutions: GridFamily, index: int, count: int) -> Event:
    cells = list(solutions.unrank(index).cells)
    return {"kind": "solution", "index": str(index), "count": str(count), "cells": cells}


def _export(live: LiveBoard, question: BoardQuestion, context: Context) -> Event:
    """A file, a picture or a link (:mod:`.exports`)."""
    info = _info_of(question["board"])
    return export(live, question.get("form"), question.get("content"), info, context)


_ANSWERS: dict[str, Callable[[LiveBoard, BoardQuestion, Context], Event]] = {
    "draw": _draw,
    "rule": _rule,
    "check": _check,
    "hints": _hints,
    "rules": _rules,
    "reason": _reason,
    "sample": _sample,
    "unrank": _unrank,
    "export": _export,
}
"""Answers of one event to questions about a board, by the question's kind."""


def _info_of(board: Mapping[str, Any]) -> PuzzleInfo:
    """Title, author and rules in words of a board's JSON object."""
    said = board.get("info") or {}
    return PuzzleInfo(*(str(said.get(name, "")) for name in PuzzleInfo._fields))


# -- tools -----------------------------------------------------------------------------------------

_WRITTEN = {"QUOTED", "RULES"}
"""Kinds of fields that cannot be entered on the board; rules with them are written as lines."""


def rule_tools(layout: Layout) -> list[dict[str, Any]]:
    """Describe the tools that draw rules on a board, as JSON values, what is usual first.

    Returns:
        For every rule that can be drawn what is known of it
        (:func:`~bddsudoku.puzzle.sudoku.rule_catalogue.rule_catalogue`), with all words under which
        it is looked for as ``aliases``, the names of the kinds of its ``fields``, and an ``icon``,
        an SVG.
    """
    tools = [
        row
        | {
            "fields": [*row["fields"].values()],
            "aliases": [*row["aliases"], *row["search"]],
            "icon": _icon(row["example"]),
        }
        for row in rule_catalogue(layout.grid)
        if _WRITTEN.isdisjoint(row["fields"].values())
    ]
    rank = {name: place for place, name in enumerate(setters_names())}
    return sorted(tools, key=lambda tool: rank.get(tool["name"], len(rank)))


@cache
def _icon(example: str) -> str:
    """The icon of a rule, by a line of it; "" where its cells are none of the 9x9 board."""
    with suppress(PuzzleFormatError):
        return rule_icon(rule_from_line(example), Layout())
    return ""


@lru_cache(maxsize=1024)
def cells_of_rule(rule: Rule, layout: Layout) -> tuple[int, ...]:
    """Return the cells, in order, that a rule is about: those it names, or all it constrains."""
    n = layout.digit_count
    places = chain.from_iterable(rule.place_lists)
    named = {layout.cell(place) for place in places if layout.has_cell(place)}
    if not named:
        named = {v // n for constraint in rule.constraints(layout) for v in constraint.variables}
    return tuple(sorted(named))

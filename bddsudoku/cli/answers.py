"""Answers that several commands give in the same words: counts, drawn and compiled solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bddsudoku.cli.common import How, fail, note, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import opened
from bddsudoku.errors import LimitReached
from bddsudoku.solver.question import count_record

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.solver import Counted, Solved
    from bddsudoku.solver.question import Agreement


def tell_count(
    how: How,
    head: dict[str, Any],
    count: Callable[[Context], Counted],
    context: Context,
    unit: str = "step",
) -> Counted | None:
    """Print a count; × and None when a limit stopped it, which is told on standard error.

    Args:
        how: whether as JSON.
        head: first members of the JSON object.
        count: counts, and reports to the context it is given.
        context: the limits.
        unit: what ``total`` is a number of.
    """
    try:
        with progress_bar("counting", unit=unit) as progress:
            answer = count(context.reporting(progress))
    except LimitReached as stop:
        how.tell(head | limit_record(stop), "×")
        note(f"bddsudoku: {stop}")
        return None
    record = count_record(answer)
    how.tell(head | record, count_text(record))
    return answer


def limit_record(stop: LimitReached) -> dict[str, Any]:
    """What stands in place of a count that a limit ended, for JSON objects."""
    return {"count": None, "exact": False, "limit": str(stop)}


def end_check(agree: bool, compared: bool) -> None:
    """End ``check``: exit code 1 where engines disagree, 3 where too few have counted."""
    if not agree:
        fail("the engines disagree")
    if not compared:
        fail("fewer than two engines counted", EXIT_LIMIT)


def is_cut(result: Agreement) -> bool:
    """Whether there is nothing to compare because something has stopped engines."""
    return result["agree"] is None and any(run["limit"] for run in result["runs"])


def open_counts(answers: Mapping[str, Any]) -> str | None:
    """Which limit is told where counts of hints or rules stayed open at one; None where none did.

    Args:
        answers: of :func:`bddsudoku.solver.hint_answers` or :func:`~bddsudoku.solver.rule_answers`.
    """
    rows = (row for key in ("rules", "without") for row in answers.get(key, ()))
    if answers["count"] is None or any(row["count"] is None for row in rows):
        return "a limit was reached: what it left open shows ×"
    return None


def count_text(answer: Mapping[str, Any]) -> str:
    """A record of a count, for people; ``2 or more`` where counting was to end there."""
    if answer["count"] is None:
        return "×"
    return str(answer["count"]) + ("" if answer["exact"] else " or more")


def write_each(lines: Iterable[str], output: str | None) -> None:
    """Write lines as they come, to a file or standard output."""
    with opened(output) as target:
        for line in lines:
            target.write(line)


def drawn(solutions: Any, number: int, seed: int | None) -> Iterator[Any]:
    """So many uniform random solutions; an empty set is told and ends the command."""
    from bddsudoku.solver.output import draws

    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    return draws(solutions, number, seed)


def cost_record(solved: Solved) -> dict[str, int]:
    """What a compiled set cost and how large it is, for JSON objects."""
    cost, solutions = solved.cost, solved.solutions
    assert cost is not None
    return {
        "variables": cost.variables,
        "nodes": solutions.node_count("zdd"),
        "bdd_nodes": solutions.node_count("bdd"),
        "states": cost.states,
        "width": cost.width,
        "peak_bytes": cost.peak_bytes,
    }


def tell_compiled(
    how: How, record: dict[str, Any], sentence: str, solutions: Any, output: str | None
) -> None:
    """Save a compiled set where a file is named, and print what it cost.

    Args:
        how: whether as JSON.
        record: the JSON object; ``count`` and ``nodes`` are told to people, too.
        sentence: what else people are told, continuing ``162 solutions in 1,234 ZDD nodes``.
        solutions: the set.
        output: where it is saved; None for nowhere.
    """
    if output is not None:
        solutions.save(output)
        record = record | {"output": output}
    plural = "" if record["count"] == "1" else "s"
    text = f"{record['count']} solution{plural} in {record['nodes']:,} ZDD nodes{sentence}"
    how.tell(record, text)
    if output is not None and not how.as_json:
        note(f"saved to {output}")

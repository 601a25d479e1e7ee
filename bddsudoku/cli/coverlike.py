"""What ``cover`` and ``tiling`` share: the actions on a model, their options and their output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from bddsudoku.cli.check import EACH
from bddsudoku.cli.common import (
    AT_MOST,
    EXIT_BAD_DATA,
    EXIT_LIMIT,
    HOW_MANY,
    emit_json,
    fail,
    json_option,
    limit_options,
    note,
    progress_bar,
)
from bddsudoku.cli.outputs import opened, target_option
from bddsudoku.errors import LimitReached
from bddsudoku.solver import engine_names

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.solver import Solved

__all__ = ["Asked", "Options", "check", "compile_", "count", "enumerate_", "options", "sample"]

ONE_BOARD = ("singles", "quick", "bands")
"""Engines that know Sudoku only."""

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Asked:
    """What is asked about.

    Attributes:
        head: members of every JSON object.
        model: the constraints (a Model).
        decoder: the puzzle's decoder.
        saved: the set, when a file of one was given.
        text: a solution for people.
        data: a solution for programs.
    """

    head: dict[str, Any]
    model: Any
    decoder: Any
    saved: Any
    text: Callable[[Any], str]
    data: Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Options:
    """The options of every action; see :func:`options` for their meaning."""

    engine: str
    engines: tuple[str, ...]
    limit: int | None
    number: int
    seed: int | None
    output: str | None
    limits: Limits
    as_json: bool


_ONLY_FOR = {
    "engines": ("count", "check", "compile", "sample", "draw"),
    "limit": ("enumerate",),
    "number": ("sample",),
    "seed": ("enumerate", "sample", "draw"),
    "output": ("enumerate", "compile", "draw"),
}


def options(function: Callable[P, R]) -> Callable[P, R]:
    """click's options for :class:`Options`."""
    for option in (
        click.option(
            "--engine",
            "engines",
            multiple=True,
            type=click.Choice(["auto", *(n for n in engine_names() if n not in ONE_BOARD)]),
            help="Who does it (sets: frontier, dlx, search); check: only these, several times.",
        ),
        click.option("--limit", type=AT_MOST, help="enumerate: stop after N solutions."),
        click.option("-n", "number", type=HOW_MANY, help="sample: how many.  [default: 1]"),
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            help="sample, draw: the same seed draws the same; enumerate: order.",
        ),
        target_option(
            "--output",
            what="A file: for compile the saved set, otherwise the solutions.",
            stream=True,
        ),
        limit_options(),
        json_option,
    ):
        function = option(function)
    return function


def gather(action: str, values: dict[str, Any]) -> Options:
    """The options as one object; those that the action does not know are wrong usage."""
    for name, actions in _ONLY_FOR.items():
        if values[name] not in (None, ()) and action not in actions:
            shown = {"engines": "--engine", "number": "-n"}.get(name, f"--{name}")
            raise click.UsageError(f"{shown} goes with {' or '.join(actions)}, not with {action}")
    engines = values["engines"]
    if action != "check" and len(engines) > 1:
        raise click.UsageError(f"{action} takes one --engine")
    if action not in ("count", "check") and set(engines) & {"bdd", "backtrack"}:
        raise click.UsageError(f"{action} takes --engine frontier or dlx")
    if action == "check" and "auto" in engines:
        raise click.UsageError("check compares engines: name them, or leave --engine out")
    return Options(
        engine=engines[0] if engines else "auto",
        engines=engines,
        limit=values["limit"],
        number=1 if values["number"] is None else values["number"],
        seed=values["seed"],
        output=values["output"],
        limits=values["limits"],
        as_json=values["as_json"],
    )


def count(asked: Asked, given: Options) -> None:
    """Print the exact number."""
    from bddsudoku.solver import Counted, counted

    try:
        if asked.saved is not None:
            answer = Counted(asked.saved.count(), "saved", "a saved set", 0.0)
        else:
            with progress_bar("counting") as progress:
                answer = counted(asked.model, given.engine, given.limits, progress)
    except LimitReached as stop:
        if given.as_json:
            emit_json(asked.head | {"count": None, "exact": False, "limit": str(stop)})
        else:
            click.echo("×")
        fail(str(stop), EXIT_LIMIT)
    if given.as_json:
        emit_json(
            asked.head
            | {
                "count": str(answer.count),
                "exact": True,
                "engine": answer.engine,
                "why": answer.why,
                "seconds": round(answer.seconds, 6),
            }
        )
    else:
        click.echo(answer.count)


def enumerate_(asked: Asked, given: Options) -> None:
    """Stream the solutions."""
    from bddsudoku.solver import keys_of

    if asked.saved is not None:
        found = iter(asked.saved) if given.limit is None else islice(asked.saved, given.limit)
    else:
        found = (
            asked.decoder.decode(keys)
            for keys in keys_of(asked.model, given.limits, limit=given.limit, seed=given.seed)
        )
    with opened(given.output) as target:
        if given.as_json:
            import json

            for solution in found:
                target.write(json.dumps(asked.data(solution), ensure_ascii=False) + "\n")
        else:
            for solution in found:
                target.write(asked.text(solution) + "\n")


def compile_(asked: Asked, given: Options) -> None:
    """Compile, tell what it cost, save."""
    compiled = compiled_of(asked, given)
    solutions, cost = compiled.solutions, compiled.cost
    assert cost is not None
    record = asked.head | {
        "count": str(solutions.count()),
        "exact": True,
        "engine": compiled.engine,
        "variables": cost.variables,
        "nodes": solutions.node_count("zdd"),
        "bdd_nodes": solutions.node_count("bdd"),
        "states": cost.states,
        "width": cost.width,
        "peak_bytes": cost.peak_bytes,
        "seconds": round(compiled.seconds, 6),
    }
    if given.output is not None:
        solutions.save(given.output)
        record["output"] = given.output
    if given.as_json:
        emit_json(record)
        return
    plural = "" if record["count"] == "1" else "s"
    click.echo(
        f"{record['count']} solution{plural} in {record['nodes']:,} ZDD nodes "
        f"({record['bdd_nodes']:,} as a BDD), {record['variables']:,} variables; "
        f"{compiled.engine}, {compiled.seconds:.2f} s"
    )
    if given.output is not None:
        note(f"saved to {given.output}")


def sample(asked: Asked, given: Options) -> None:
    """Draw solutions, each exactly as likely as any other."""
    from bddsudoku.solver.output import draws

    solutions = set_of(asked, given)
    if given.number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    for solution in draws(solutions, given.number, given.seed):
        if given.as_json:
            emit_json(asked.head | {"seed": given.seed} | asked.data(solution))
        else:
            click.echo(asked.text(solution))


def check(asked: Asked, given: Options) -> None:
    """Every engine that can, side by side; exit code 1 if two disagree."""
    from bddsudoku.report.tables import table
    from bddsudoku.solver import check as check_all

    result = check_all(
        asked.model,
        given.engines or None,
        given.limits,
        each=EACH if given.limits.seconds is None else None,
        saved=None if asked.saved is None else asked.saved.count(),
    )
    if given.as_json:
        emit_json(asked.head | result)
    else:
        rows = [
            [r["engine"], r["count"] or "×", f"{r['seconds']:.2f} s", r["limit"] or ""]
            for r in result["runs"]
        ]
        click.echo(table(rows, ["engine", "count", "time", "limit"], align="lrrl"))
        verdict = {True: "all agree", False: "THEY DISAGREE", None: "nothing to compare"}
        click.echo(verdict[result["agree"]])
    if result["agree"] is False:
        raise SystemExit(EXIT_BAD_DATA)


def set_of(asked: Asked, given: Options) -> Any:
    """The set of all solutions."""
    return asked.saved if asked.saved is not None else compiled_of(asked, given).solutions


def compiled_of(asked: Asked, given: Options) -> Solved:
    """Compile the model, with a bar."""
    from bddsudoku.solver import Question, solved

    question = Question(asked.model, asked.decoder)
    with progress_bar("compiling") as progress:
        return solved(question, given.engine, limits=given.limits, progress=progress)


def read_source(argument: str) -> tuple[str, str]:
    """The text of a path or of standard input (``-``), and what to call it.

    Raises:
        PuzzleFormatError: it is not UTF-8.
    """
    from bddsudoku.solver.source import Source

    with Source(argument) as source:
        return source.text(), source.name

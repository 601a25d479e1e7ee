"""``bddsudoku formula FILE ACTION``: constraints that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli import coverlike
from bddsudoku.cli.common import command, emit_json, fail, note, progress_bar

if TYPE_CHECKING:
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.solver import SolutionSet

__all__ = ["formula"]

_ACTIONS = ("count", "enumerate", "build", "compile", "sample", "marginals", "check", "print")


@click.command()
@click.argument("file")
@click.argument("action", type=click.Choice(_ACTIONS))
@click.option(
    "--project",
    "names",
    multiple=True,
    metavar="NAMES",
    help="Count assignments of these variables only (names, with commas between them).",
)
@click.option("--schedule", metavar="SPEC", help="build: order of the families, e.g. 'row>*'.")
@click.option(
    "--backend",
    type=click.Choice(["auto", "cudd", "oxidd", "autoref"]),
    default="auto",
    help="build: the BDD package.",
)
@coverlike.options
@command
def formula(
    file: str,
    action: str,
    names: tuple[str, ...],
    schedule: str | None,
    backend: str,
    **values: Any,
) -> None:
    """Written constraints: FILE is in the language, .opb, .cnf, or - for standard input.

    \b
    count      the exact number of assignments that satisfy all statements
    enumerate  the assignments, one a line
    build      the BDD by conjunction, statement by statement, with its trace
    compile    the set of all assignments as a ZDD; --output saves it
    sample     exactly uniform random assignments
    marginals  for every variable and value: in how many assignments?
    check      every engine that can, side by side; exit code 1 if two disagree
    print      every statement: its kind, bounds, BDD size, sum of products, map
    """
    if schedule is not None and action != "build":
        raise click.UsageError(f"--schedule goes with build, not with {action}")
    if values["output"] is not None and action in ("build", "marginals", "print"):
        raise click.UsageError(f"--output does not go with {action}")
    problem = _problem(file, names)
    if action == "print":
        _print(problem, values["as_json"])
        return
    model = _model(problem)
    if action == "build":
        _build(file, model, schedule, None if backend == "auto" else backend, values)
        return
    given = coverlike.gather("compile" if action == "marginals" else action, values)
    asked = _asked(file, problem, model)
    if problem.projection is not None:
        asked = _looked_through(asked, problem, given, action)
    if action == "marginals":
        _marginals(problem, coverlike.set_of(asked, given), given.as_json, file)
        return
    {
        "count": coverlike.count,
        "enumerate": coverlike.enumerate_,
        "compile": coverlike.compile_,
        "sample": coverlike.sample,
        "check": coverlike.check,
    }[action](asked, given)


def _problem(file: str, names: tuple[str, ...]) -> Problem:
    """The problem in a file, looked at through the named variables."""
    from bddsudoku.errors import ModelError
    from bddsudoku.puzzle.formula import Problem

    if file == "-":
        text, name = coverlike.read_source(file)
        problem = Problem.parse(text, name)
    else:
        problem = Problem.read(file)
    for remark in problem.notes:
        note(remark)
    try:
        for name in (n.strip() for given in names for n in given.split(",")):
            problem.project(name)
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--project") from None
    return problem


def _model(problem: Problem) -> Any:
    from bddsudoku.solver import model_of

    return model_of(problem.variables, problem.constraints)


def _asked(file: str, problem: Problem, model: Any) -> coverlike.Asked:
    def text(solution: dict[str, int]) -> str:
        return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"

    head = {
        "formula": file,
        "variables": len(problem.names),
        "statements": len(problem.statements) or len(problem.constraints),
    }
    return coverlike.Asked(
        head, model, problem.decoder(), None, text, lambda solution: {"assignment": solution}
    )


def _looked_through(
    asked: coverlike.Asked, problem: Problem, given: coverlike.Options, action: str
) -> coverlike.Asked:
    """The projected set in place of the model; engines that hold no set cannot project."""
    from dataclasses import replace

    from bddsudoku.solver import projected

    if action == "check":
        fail("a projected count has one engine, the diagram: there is nothing to compare", 2)
    if given.engine not in ("auto", "frontier", "dlx", "search"):
        fail(f"engine {given.engine} cannot project; take frontier", 2)
    found = coverlike.compiled_of(asked, given).solutions
    return replace(asked, saved=projected(found, problem.projection or ()))


def _build(
    file: str, model: Any, schedule: str | None, backend: str | None, values: dict[str, Any]
) -> None:
    """The trace of a conjunction."""
    from bddsudoku.cli.build import trace_page
    from bddsudoku.solver import build_model
    from bddsudoku.solver.build import steps_to_json

    with progress_bar("conjoining") as progress:
        result = build_model(
            model, schedule, backend=backend, limits=values["limits"], progress=progress
        )
    record = {
        "puzzle": file,
        "count": str(result.count()),
        "exact": True,
        "engine": "bdd",
        "variables": len(model.variables),
        "nodes": result.nodes,
        "peak_nodes": max((s.nodes for s in result.steps), default=0),
        "schedule": schedule or "as written",
        "backend": result.backend,
        "backend_version": result.backend_version,
        "seconds": round(result.seconds, 6),
        "peak_rss": result.peak_rss,
    }
    if values["as_json"]:
        emit_json(record | {"steps": steps_to_json(result.steps)})
    else:
        click.echo("\n".join(trace_page(record, result.steps, True)))


def _marginals(problem: Problem, found: SolutionSet, as_json: bool, file: str) -> None:
    """How often every variable has every value."""
    from bddsudoku.report.tables import table

    total = found.count()
    true = dict(zip(found.keys.tolist(), (int(n) for n in found.marginals()), strict=True))
    counted = problem.projection
    rows: list[tuple[str, int, int]] = []
    inside: set[int] = set()
    for name, integer in problem.integers.items():
        inside.update(integer.members)
        if counted is None or set(integer.members) & set(counted):
            rows += [
                (name, value, true.get(key, 0))
                for value, key in zip(integer.values, integer.members, strict=True)
            ]
    for key, name in enumerate(problem.names):
        if key not in inside and (counted is None or key in counted):
            held = true.get(key, 0)
            rows += [(name, 0, total - held), (name, 1, held)]
    if as_json:
        nested: dict[str, dict[str, str]] = {}
        for name, value, number in rows:
            nested.setdefault(name, {})[str(value)] = str(number)
        emit_json({"formula": file, "count": str(total), "exact": True, "marginals": nested})
        return
    shown = [(name, value, f"{number:,}") for name, value, number in rows if number]
    click.echo(table(shown, ["variable", "value", "assignments"], align="lrr"))


def _print(problem: Problem, as_json: bool) -> None:
    """Every statement as its reader may want to see it."""
    from bddsudoku.errors import LimitReached
    from bddsudoku.puzzle.formula.printing import (
        bdd_size,
        exact_bounds,
        sum_of_products,
        truth_map,
    )
    from bddsudoku.puzzle.formula.values import Distinct
    from bddsudoku.solver import Formula

    for statement in problem.statements:
        name = f"{statement.family} {statement.label}".strip()
        try:
            bounds: list[int] | None = None
            if not isinstance(statement.said, Distinct):
                bounds = list(exact_bounds(statement.said))
            size: int | None = bdd_size(statement.expression)
            products = sum_of_products(statement.expression, problem.names)
        except LimitReached as stop:
            size, products = None, f"… ({stop})"
        variables = len(Formula("", "", statement.expression).variables)
        mapped = truth_map(statement.expression, problem.names) if variables <= 6 else None
        if as_json:
            emit_json(
                {
                    "statement": name,
                    "line": statement.line,
                    "variables": variables,
                    "bounds": bounds,
                    "bdd_nodes": size,
                    "products": products,
                }
            )
            continue
        click.echo(f"{name}: {variables} variables, {'×' if size is None else size} BDD nodes")
        if bounds is not None and bounds not in ([0, 1], [1, 1], [0, 0]):
            click.echo(f"  values from {bounds[0]} to {bounds[1]}")
        click.echo(f"  {products}")
        if mapped:
            click.echo("\n".join("  " + line for line in mapped.splitlines()))

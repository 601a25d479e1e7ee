"""``bddsudoku formula FILE ACTION``: constraints that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli import coverlike
from bddsudoku.cli.actions import acting_on, asking
from bddsudoku.cli.common import How, command, emit_json, note, progress_bar

if TYPE_CHECKING:
    from bddsudoku.puzzle.formula import Problem

__all__ = ["formula"]


@acting_on("file")
def formula() -> None:
    """Written constraints: FILE is in the language, .opb, .cnf, or - for standard input."""


def _problem(file: str, names: tuple[str, ...] = ()) -> Problem:
    """The problem in a file, looked at through the named variables."""
    from bddsudoku.errors import ModelError
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.solver.source import Source

    if file == "-":
        with Source(file) as source:
            problem = Problem.parse(source.text(), source.name)
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


def _read(file: str, names: tuple[str, ...]) -> tuple[coverlike.Asked, Problem]:
    """What the problem in a file asks, and the problem."""
    from bddsudoku.solver import model_of

    problem = _problem(file, names)

    def text(solution: dict[str, int]) -> str:
        return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"

    def data(solution: dict[str, int]) -> dict[str, Any]:
        return {"assignment": solution}

    head = {
        "formula": file,
        "variables": len(problem.names),
        "statements": len(problem.statements) or len(problem.constraints),
    }
    model, projection = model_of(problem.variables, problem.constraints), problem.projection
    asked = coverlike.Asked(head, model, problem.decoder(), text, data, projection=projection)
    return asked, problem


def _asked(file: str, names: tuple[str, ...]) -> coverlike.Asked:
    return _read(file, names)[0]


_project_option = click.option(
    "--project",
    "names",
    multiple=True,
    metavar="NAMES",
    help="Count assignments of these variables only (names, with commas between them).",
)
_about_formula = asking(_asked, _project_option)

formula.add_command(coverlike.count(_about_formula, "assignments that satisfy all statements"))
formula.add_command(coverlike.enumerate_(_about_formula, "assignments"))


@formula.command()
@click.option("--schedule", metavar="SPEC", help="Order of the families, e.g. 'row>*'.")
@click.option(
    "--backend",
    type=click.Choice(["auto", "cudd", "oxidd", "autoref"]),
    default="auto",
    show_default=True,
    help="The BDD package.",
)
@command()
@click.pass_obj
def build(file: str, schedule: str | None, backend: str, how: How) -> None:
    """The BDD by conjunction, statement by statement, with its trace."""
    from bddsudoku.cli.build import trace_page
    from bddsudoku.solver import build_model, model_of
    from bddsudoku.solver.build import steps_to_json

    problem = _problem(file)
    model = model_of(problem.variables, problem.constraints)
    chosen = None if backend == "auto" else backend
    with progress_bar("conjoining") as progress:
        result = build_model(model, schedule, backend=chosen, limits=how.limits, progress=progress)
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
    text = "\n".join(trace_page(record, result.steps, True))
    how.tell(record | {"steps": steps_to_json(result.steps)}, text)


formula.add_command(coverlike.compile_(_about_formula, "assignments"))
formula.add_command(coverlike.sample(_about_formula, "assignments"))


@formula.command()
@coverlike.engine_option()
@command()
@asking(_read, _project_option)
def marginals(read: tuple[coverlike.Asked, Problem], engine: str, how: How) -> None:
    """For every variable and value: in how many assignments?"""
    from bddsudoku.report.tables import table

    asked, problem = read
    found = asked.set_of(engine, how)
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
    if how.as_json:
        nested: dict[str, dict[str, str]] = {}
        for name, value, number in rows:
            nested.setdefault(name, {})[str(value)] = str(number)
        emit_json(
            {
                "formula": asked.head["formula"],
                "count": str(total),
                "exact": True,
                "marginals": nested,
            }
        )
        return
    shown = [(name, value, f"{number:,}") for name, value, number in rows if number]
    click.echo(table(shown, ["variable", "value", "assignments"], align="lrr"))


formula.add_command(coverlike.check(_about_formula, "assignments"))


@formula.command("print")
@command()
@click.pass_obj
def print_(file: str, how: How) -> None:
    """Every statement: its kind, bounds, BDD size, sum of products, map."""
    from bddsudoku.errors import LimitReached
    from bddsudoku.puzzle.formula.printing import (
        bdd_size,
        exact_bounds,
        sum_of_products,
        truth_map,
    )
    from bddsudoku.puzzle.formula.values import Distinct
    from bddsudoku.solver import Formula

    problem = _problem(file)
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
        if how.as_json:
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

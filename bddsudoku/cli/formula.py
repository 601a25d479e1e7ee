"""``bddsudoku formula FILE ACTION``: constraints that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli import actions
from bddsudoku.cli.actions import acting_on, asking
from bddsudoku.cli.common import How, command, emit_json, note, progress_bar
from bddsudoku.numbers import grouped, to_decimal

if TYPE_CHECKING:
    from bddsudoku.puzzle.formula import FormulaDecoder, Problem
    from bddsudoku.solver.source import Source


@acting_on("file")
def formula() -> None:
    """Written constraints.

    FILE is in the language, .opb, .cnf, a saved set, or - for standard input.
    """


def _problem(source: Source) -> Problem:
    """The problem in a file; what a reader should be told is told."""
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.puzzle.formula.problem import ending_of
    from bddsudoku.solver.source import STDIN

    ending = "" if source.name == STDIN else ending_of(source.name)
    problem = Problem.parse(source.text(), source.name, ending=ending)
    for remark in problem.notes:
        note(remark)
    return problem


def _demanded(file: str, how: How) -> Problem:
    """The problem in a file that must not be a saved set."""
    from bddsudoku.solver.source import Source

    with Source(file, how.context) as source:
        if source.is_set:
            actions.without_statements()
        return _problem(source)


def _asked(file: str, names: tuple[str, ...], how: How) -> actions.Asked:
    """What the problem in a file asks, looked at through the named variables; or a saved set."""
    from bddsudoku.errors import ModelError
    from bddsudoku.solver import question_of
    from bddsudoku.solver.source import Source, load_assignments

    head: dict[str, Any] = {"formula": file}
    with Source(file, how.context) as source:
        saved = load_assignments(source)
        if saved is not None:
            if names:
                raise click.UsageError("a saved set has its projection; leave --project out")
            head |= {"variables": len(saved.decoder.names), "statements": None}
            return actions.Asked(head, None, _text, _data, saved)
        problem = _problem(source)
    try:
        for name in (n.strip() for given in names for n in given.split(",")):
            problem.project(name)
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--project") from None
    head |= {
        "variables": len(problem.names),
        "statements": len(problem.statements) or len(problem.constraints),
    }
    return actions.Asked(head, question_of(problem), _text, _data)


def _text(solution: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"


def _data(solution: dict[str, int]) -> dict[str, Any]:
    return {"assignment": solution}


_project_option = click.option(
    "--project",
    "names",
    multiple=True,
    metavar="NAMES",
    help="Count assignments of these variables only (names, with commas between them).",
)
_about_formula = asking(_asked, _project_option)

formula.add_command(actions.count(_about_formula, "assignments that satisfy all statements"))
formula.add_command(actions.enumerate_(_about_formula, "assignments"))


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
    from bddsudoku.engine.conjunction.trace import steps_to_json
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.solver import build_model, question_of

    question = question_of(_demanded(file, how))
    model = question.model
    chosen = None if backend == "auto" else backend
    with progress_bar("conjoining") as progress:
        result = build_model(
            model, schedule, backend=chosen, context=how.context.reporting(progress)
        )
    number = result.count()
    if question.projection is not None:
        number = question.set_of(Compiled(result.diagram())).count()
    record = {
        "puzzle": file,
        "count": to_decimal(number),
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


formula.add_command(actions.compile_(_about_formula, "assignments"))
formula.add_command(actions.sample(_about_formula, "assignments"))


@formula.command()
@actions.engine_option()
@command()
@_about_formula
def marginals(asked: actions.Asked, engine: str, how: How) -> None:
    """For every variable and value: in how many assignments?"""
    from bddsudoku.report.tables import table

    found = asked.set_of(engine, how)
    variables: FormulaDecoder = found.decoder
    total = found.count()
    true = dict(zip(found.keys.tolist(), (int(n) for n in found.marginals()), strict=True))
    counted = range(len(variables.names)) if variables.counted is None else variables.counted
    rows: list[tuple[str, int, int]] = []
    inside: set[int] = set()
    for name, values, first in variables.integers:
        members = range(first, first + len(values))
        inside.update(members)
        if not set(counted).isdisjoint(members):
            rows += [(name, v, true.get(k, 0)) for v, k in zip(values, members, strict=True)]
    for key in counted:
        if key not in inside:
            held = true.get(key, 0)
            rows += [(variables.names[key], 0, total - held), (variables.names[key], 1, held)]
    if how.as_json:
        nested: dict[str, dict[str, str]] = {}
        for name, value, number in rows:
            nested.setdefault(name, {})[str(value)] = to_decimal(number)
        emit_json(
            {
                "formula": asked.head["formula"],
                "count": to_decimal(total),
                "exact": True,
                "marginals": nested,
            }
        )
        return
    shown = [(name, value, grouped(number)) for name, value, number in rows if number]
    click.echo(table(shown, ["variable", "value", "assignments"], align="lrr"))


formula.add_command(actions.check(_about_formula, "assignments"))


@formula.command("print")
@command()
@click.pass_obj
def print_(file: str, how: How) -> None:
    """Every statement: its kind, bounds, BDD size, sum of products, map."""
    from bddsudoku.errors import LimitReached
    from bddsudoku.model.constraints import Formula
    from bddsudoku.model.mtbdd import value_range
    from bddsudoku.puzzle.formula.printing import (
        bdd_size,
        sum_of_products,
        truth_map,
    )
    from bddsudoku.puzzle.formula.values import Distinct

    problem = _demanded(file, how)
    for statement in problem.statements:
        name = f"{statement.family} {statement.label}".strip()
        try:
            bounds: list[int] | None = None
            if not isinstance(statement.said, Distinct):
                bounds = list(value_range(statement.said))
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

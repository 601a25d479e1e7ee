"""Command ``bddsudoku formula FILE ACTION``: constraints that users write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.actions import Asked, acting_on, engine_option, without_statements
from bddsudoku.cli.build import built_record, trace_page
from bddsudoku.cli.common import Given, Record, note
from bddsudoku.cli.options import backend_option
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.numbers import grouped, to_decimal

if TYPE_CHECKING:
    from bddsudoku.puzzle.formula import FormulaDecoder, Problem
    from bddsudoku.solver.source import Source


def _problem(source: Source) -> Problem:
    """Read the problem in a file and print the notes of its parser."""
    from bddsudoku.puzzle.formula import Problem
    from bddsudoku.puzzle.formula.problem import ending_of
    from bddsudoku.solver.source import STDIN

    ending = "" if source.name == STDIN else ending_of(source.name)
    problem = Problem.parse(source.text(), source.name, ending=ending)
    for remark in problem.notes:
        note(remark)
    return problem


def _demanded(given: Given) -> tuple[Given, Problem]:
    """Read the problem in a file; a saved set, which has no statements, ends the command."""
    from bddsudoku.solver.source import Source

    with Source(given.puzzle, given.context) as source:
        if source.is_set:
            without_statements()
        return given, _problem(source)


def _assignments(given: Given, names: tuple[str, ...]) -> Asked:
    """Read FILE: a problem, projected to the named variables if any, or a saved set."""
    from bddsudoku.solver import question_of
    from bddsudoku.solver.source import Source, load_assignments

    head: Record = {"formula": given.puzzle}
    with Source(given.puzzle, given.context) as source:
        saved = load_assignments(source)
        if saved is not None:
            if names:
                raise click.UsageError("a saved set has its projection; leave --project out")
            head |= {"variables": len(saved.decoder.names), "statements": None}
            return Asked(given, head, None, _text, _data, saved)
        problem = _problem(source)
    try:
        for name in ",".join(names).split(",") if names else ():
            problem.project(name.strip())
    except ModelError as error:
        raise click.BadParameter(str(error), param_hint="--project") from None
    head |= {
        "variables": len(problem.names),
        "statements": len(problem.statements) or len(problem.constraints),
    }
    return Asked(given, head, question_of(problem), _text, _data)


def _text(solution: dict[str, int]) -> str:
    return " ".join(f"{name}={value}" for name, value in solution.items()) or "(nothing)"


def _data(solution: dict[str, int]) -> Record:
    return {"assignment": solution}


@acting_on(
    "file",
    _assignments,
    click.option(
        "--project",
        "names",
        multiple=True,
        metavar="NAMES",
        help="Count assignments of these variables only (names, with commas between them).",
    ),
)
def formula() -> None:
    """Formulas: constraints that you write in a file.

    FILE is in the language, .opb, .cnf, a saved set, or - for standard input.
    """


formula.take("assignments that satisfy all statements", "count")
formula.take("assignments", "enumerate")


@formula.action(
    "build",
    click.option("--schedule", metavar="SPEC", help="Order of the families, e.g. 'row>*'."),
    backend_option(what="The BDD package."),
    ask=_demanded,
    asks=(),
)
def build(asked: tuple[Given, Problem], schedule: str | None, backend: str) -> None:
    """The BDD by conjunction, statement by statement, with its trace."""
    from bddsudoku.engine.conjunction.result import steps_to_json
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.solver import build_model, question_of

    given, problem = asked
    question = question_of(problem)
    model = question.model
    chosen = None if backend == "auto" else backend
    with given.reporting("conjoining") as context:
        result = build_model(model, schedule, backend=chosen, context=context)
    number = result.count()
    if question.projection is not None:
        number = question.set_of(Compiled(result.diagram())).count()
    record = {
        "puzzle": given.puzzle,
        "engine": "bdd",
        "variables": len(model.variables),
        "schedule": schedule or "as written",
        **built_record(result, number),
    }
    text = "\n".join(trace_page(record, result.steps, True))
    given.tell(record | {"steps": steps_to_json(result.steps)}, text)


formula.take("assignments", "compile", "sample")


@formula.action("marginals", engine_option())
def marginals(asked: Asked, engine: str) -> None:
    """For every variable and value: the number of assignments that have it."""
    from bddsudoku.report.tables import table

    found = asked.set_of(engine)
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
    nested: dict[str, dict[str, str]] = {}
    for name, value, number in rows:
        nested.setdefault(name, {})[str(value)] = to_decimal(number)
    shown = [(name, value, grouped(number)) for name, value, number in rows if number]
    record = {"formula": asked.given.puzzle, "count": to_decimal(total), "exact": True}
    text = table(shown, ["variable", "value", "assignments"], align="lrr")
    asked.given.tell(record | {"marginals": nested}, text)


formula.take("assignments", "check")


@formula.action("print", ask=_demanded, asks=())
def print_(asked: tuple[Given, Problem]) -> None:
    """Every statement: its kind, bounds, BDD size, sum of products, map."""
    from bddsudoku.model.constraints import Formula
    from bddsudoku.model.mtbdd import value_range
    from bddsudoku.puzzle.formula.printing import bdd_size, sum_of_products, truth_map
    from bddsudoku.puzzle.formula.values import Distinct

    given, problem = asked
    for statement in problem.statements:
        name = f"{statement.family} {statement.label}".strip()
        bounds = size = None
        try:
            if not isinstance(statement.said, Distinct):
                bounds = list(value_range(statement.said))
            size = bdd_size(statement.expression)
            products = sum_of_products(statement.expression, problem.names)
        except LimitReached as stop:
            size, products = None, f"… ({stop})"
        variables = len(Formula("", "", statement.expression).variables)
        record = {
            "statement": name,
            "line": statement.line,
            "variables": variables,
            "bounds": bounds,
            "bdd_nodes": size,
            "products": products,
        }
        lines = [f"{name}: {variables} variables, {'×' if size is None else size} BDD nodes"]
        if bounds is not None and bounds not in ([0, 1], [1, 1], [0, 0]):
            lines.append(f"  values from {bounds[0]} to {bounds[1]}")
        lines.append(f"  {products}")
        if variables <= 6 and not given.as_json:
            drawn = truth_map(statement.expression, problem.names)
            lines += [f"  {line}" for line in (drawn or "").splitlines()]
        given.tell(record, "\n".join(lines))

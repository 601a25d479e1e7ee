"""The actions of ``bddsudoku numberlink`` that ask the set of all solutions."""

from __future__ import annotations

from itertools import islice

import click

from bddsudoku.cli.common import EXIT_LIMIT, emit_json, fail, note, progress_bar
from bddsudoku.cli.numberlink.answers import write, writer
from bddsudoku.cli.numberlink.asked import Asked, solved
from bddsudoku.cli.outputs import opened
from bddsudoku.errors import LimitReached
from bddsudoku.writing import write_text

__all__ = ["compile_", "count", "draw", "enumerate_", "marginals", "sample"]


def count(asked: Asked) -> None:
    """Print the exact number; a limit prints × and ends with exit code 3."""
    from time import perf_counter

    from bddsudoku.solver import count_links

    began = perf_counter()
    try:
        if asked.saved is not None or asked.values["use"] or asked.values["avoid"]:
            number = solved(asked)[0].count()
        else:
            with progress_bar("counting", unit="cell") as progress:
                number = count_links(asked.board, asked.values["limits"], progress).count
    except LimitReached as stop:
        if asked.values["as_json"]:
            emit_json(asked.head | {"count": None, "exact": False, "limit": str(stop)})
        else:
            click.echo("×")
        fail(str(stop), EXIT_LIMIT)
    if asked.values["as_json"]:
        emit_json(
            asked.head
            | {
                "count": str(number),
                "exact": True,
                "engine": "frontier" if asked.saved is None else "saved",
                "seconds": round(perf_counter() - began, 6),
            }
        )
    else:
        click.echo(number)


def enumerate_(asked: Asked) -> None:
    """Write the solutions in the order of the set."""
    writer(asked)  # wrong usage is told before the work
    solutions, _ = solved(asked)
    limit = asked.values["limit"]
    write(asked, solutions if limit is None else islice(solutions, limit))


def sample(asked: Asked) -> None:
    """Write uniform random solutions."""
    from bddsudoku.solver.output import draws

    writer(asked)
    solutions, _ = solved(asked)
    number = 1 if asked.values["number"] is None else asked.values["number"]
    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    seed = asked.values["seed"]
    write(asked, draws(solutions, number, seed), seed=seed)


def marginals(asked: Asked) -> None:
    """For every edge print in how many solutions it is used."""
    solutions, _ = solved(asked)
    board = asked.board
    counts = solutions.edge_marginals()
    total = solutions.count()
    names = {
        edge: "-".join(board.cell_name(cell) for cell in board.ends(edge)) for edge in board.edges
    }
    if asked.values["as_json"]:
        emit_json(
            asked.head
            | {
                "count": str(total),
                "exact": True,
                "marginals": {names[e]: str(counts.get(e, 0)) for e in board.edges},
            }
        )
    else:
        click.echo("edge,count")
        for edge in board.edges:
            click.echo(f"{names[edge]},{counts.get(edge, 0)}")
    if asked.values["plot"] is not None:
        from bddsudoku.puzzle.numberlink.drawing import marginals_svg

        share = {e: n / total for e, n in counts.items() if n}
        write_text(asked.values["plot"], marginals_svg(board, share) + "\n")
        note(f"picture written to {asked.values['plot']}")


def compile_(asked: Asked) -> None:
    """Compile the set, tell what it cost, save it."""
    solutions, compiled = solved(asked)
    record = asked.head | {
        "count": str(solutions.count()),
        "exact": True,
        "engine": "frontier" if compiled else "saved",
        "variables": solutions.diagram.levels,
        "nodes": solutions.node_count("zdd"),
        "shortest": solutions.shortest()[0] if solutions else None,
        "longest": solutions.longest()[0] if solutions else None,
    }
    if compiled is not None:
        record |= {
            "symmetry": solutions.info["symmetry"],
            "states": compiled.states,
            "width_of_states": compiled.width,
            "peak_bytes": compiled.peak_bytes,
            "seconds": round(compiled.seconds, 6),
        }
    if asked.values["output"] is not None:
        solutions.save(asked.values["output"])
        record["output"] = asked.values["output"]
    if asked.values["as_json"]:
        emit_json(record)
        return
    plural = "" if record["count"] == "1" else "s"
    line = (
        f"{record['count']} solution{plural} in {record['nodes']:,} ZDD nodes, "
        f"{record['variables']:,} variables"
    )
    if solutions:
        line += f"; wire {record['shortest']} to {record['longest']}"
    if compiled is not None:
        line += (
            f"; {compiled.states:,} states, at most {compiled.width:,} a level; "
            f"{compiled.seconds:.2f} s"
        )
    click.echo(line)
    if asked.values["output"] is not None:
        note(f"saved to {asked.values['output']}")


def draw(asked: Asked) -> None:
    """Write the board, or the solution of a number, as SVG."""
    if asked.values["as_json"]:
        raise click.UsageError("draw writes SVG: --json does not go with it")
    index = asked.values["index"]
    if index is None:
        if asked.values["use"] or asked.values["avoid"]:
            raise click.UsageError("--use and --avoid choose among solutions: name one by --index")
        picture = asked.board._repr_svg_()
    else:
        solutions, _ = solved(asked)
        total = solutions.count()
        if index >= total:
            fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
        picture = solutions.unrank(index)._repr_svg_()
    with opened(asked.values["output"]) as target:
        target.write(picture + "\n")

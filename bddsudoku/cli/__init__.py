"""The command line: parsing of arguments and printing only; one module for each command group.

Commands are imported when they are called, so that ``bddsudoku --help`` starts fast.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from bddsudoku import __version__
from bddsudoku.cli.examples import examples_of
from bddsudoku.cli.lifecycle import (
    raise_on_first_signal,
    replace_standard_streams,
    report_errors_in_one_line,
)
from bddsudoku.cli.options import refuse_unknown_command

__all__ = ["main"]

# section of the help → command → (module, one line of help)
_SECTIONS = {
    "The set of solutions": {
        "analyse": ("page_commands", "The main job: everything worth knowing about a puzzle."),
        "count": ("count_commands", "The exact number of solutions."),
        "enumerate": ("set_commands", "The solutions themselves: lines, grids, CSV, npy, Parquet."),
        "sample": ("set_commands", "Exactly uniform random solutions."),
        "draw": ("set_commands", "The board, or one of its solutions, as SVG."),
        "rank": ("set_commands", "The number of a solution within the set."),
        "unrank": ("set_commands", "The solution with a given number."),
        "marginals": ("set_commands", "For every cell and digit: in how many solutions?"),
        "report": ("page_commands", "One self-contained HTML page about a puzzle."),
        "explore": (
            "page_commands",
            "The board in the browser: counts and marginals at every step.",
        ),
    },
    "Hints, rules, puzzles": {
        "hints": ("impact_commands", "What every hint contributes, and which one to add."),
        "rules": ("impact_commands", "What every rule and every hint contributes, as counts."),
        "minimal": ("impact_commands", "The minimal subsets of the hints with the same solutions."),
        "unavoidable": ("author_commands", "Sets of cells of a grid of which one must be given."),
        "generate": ("author_commands", "Puzzles to order: minimal, symmetric, with rules, …"),
        "neighbours": ("symmetry_commands", "Puzzles that differ from one in a few hints."),
        "canonical": ("symmetry_commands", "One line for all puzzles that look the same."),
    },
    "Diagrams and engines": {
        "compile": ("set_commands", "Compile the solution set into a ZDD and save it."),
        "build": (
            "build_command",
            "Build the BDD by conjunction, as in the paper; trace every step.",
        ),
        "check": ("set_commands", "Every engine that can, side by side."),
        "mcp": ("mcp_command", "Answer programs and agents: Model Context Protocol, stdio."),
        "warm-up": ("warm_up_command", "Compile all kernels, before a question needs them."),
    },
    "Other problems": {
        "cover": ("problem_commands", "Exact covers in Knuth's text format or JSON."),
        "tiling": ("problem_commands", "Polyomino tilings of a board."),
        "formula": ("problem_commands", "Constraints that you write, in files."),
        "numberlink": ("numberlink_command", "Numberlink: count, enumerate, sample, draw."),
        "example": ("examples", "A puzzle or problem of the tutorial, or a list of them."),
    },
}
_COMMANDS = {name: where for section in _SECTIONS.values() for name, where in section.items()}
_OLD_OPTIONS = (
    ("generate", "--form", "--format"),
    ("marginals", "--csv", "--format=csv"),
    ("minimal", "--limit", "--first"),
    ("unavoidable", "--limit", "--first"),
    ("tiling draw", "--number", "--index"),
)
"""Words of a command line, an old spelling of an option there, and what it is called now."""


class _LazyGroup(click.Group):
    """A click group that imports the module of a command only when that command is used.

    All commands start here, so that streams, signals and errors are handled in one place
    (:mod:`bddsudoku.cli.lifecycle`).
    """

    def main(  # type: ignore[override]  # fewer parameters than click's
        self, args: Sequence[str] | None = None, prog_name: str = "bddsudoku", **extra: Any
    ) -> None:
        """Run the command line with the stream, signal and error handling of its process."""
        with (
            replace_standard_streams(),
            report_errors_in_one_line(),
            raise_on_first_signal(ends_process=args is None),
        ):
            self._main_shell_completion(extra, prog_name)
            line = _with_new_spellings(sys.argv[1:] if args is None else args)
            with self.make_context(prog_name, line, **extra) as context:
                self.invoke(context)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            refuse_unknown_command(ctx, cmd_name, _COMMANDS)
            return None
        module = import_module(f"bddsudoku.cli.{_COMMANDS[cmd_name][0]}")
        function = cmd_name.replace("-", "_")
        command = getattr(module, f"{function}_", None) or getattr(module, function)
        assert isinstance(command, click.Command)
        if not isinstance(command, click.Group):
            command.epilog = examples_of(cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in section.items()])


def _with_new_spellings(line: Sequence[str]) -> list[str]:
    """Replace the old spellings of options in a command line, and say what they are called now."""
    words = list(line)
    for command, old, new in _OLD_OPTIONS:
        for at, word in enumerate(words if {*command.split()} <= {*words} else ()):
            option, equals, value = word.partition("=")
            if option == old:
                click.echo(f"bddsudoku: {old} is called {new} now", err=True)
                words[at] = f"{new}{equals}{value}"
    return words


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bddsudoku")
def main() -> None:
    """All solutions of a Sudoku: counted exactly, enumerated, sampled, queried and measured.

    PUZZLE is a path, - for standard input, or the puzzle itself as one argument. Results go to
    standard output, progress and messages to standard error. Exit codes: 0 answered (no solution
    is an answer, too), 1 bad puzzle data, 2 wrong usage, 3 a limit was reached. The help of each
    command ends with examples; the files in them are printed by 'bddsudoku example NAME'.
    """

"""A small call of every command, for the tests of streams and files. A test compares it with the
program, so that no command and no option that names a file to write can be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from bddsudoku.cli import main
from bddsudoku.cli.examples import example_text

WIDE = "1.......4......."  # 24 solutions
SETTLED = "12343412214343.."
FILES = {
    "wide.txt": f"{WIDE}\n",
    "settled.txt": f"{SETTLED}\n",
    "cover.txt": "a b | c\na\nb\na b c\n",
    "board.txt": "A..A\n....\nB..B\n",
    "pattern.txt": "##.#\n#.##\n####\n.##.\n",
    "near.txt": example_text("puzzle.txt"),
    "some.formula": "symbol a b c\na + b + c == 1\n",
}
"""Files that the commands read, in the folder where they run."""


@dataclass(frozen=True)
class Command:
    """A command line that ends without error.

    Attributes:
        arguments: the command line; it writes no file but those of ``needs``.
        writes: option → ending of the file that it names.
        reads: which argument is the file that is read, in place of which ``-`` may stand.
        needs: further arguments of commands that always write; ``{}`` is the file.
    """

    arguments: tuple[str, ...]
    writes: tuple[tuple[str, str], ...] = ()
    reads: int = 1
    needs: tuple[str, ...] = ()

    @property
    def whole(self) -> tuple[str, ...]:
        """The command line, complete."""
        return self.arguments + tuple(part.format("always.html") for part in self.needs)

    def writing(self, option: str, path: str) -> tuple[str, ...]:
        """The command line with one more file to write."""
        return (*self.arguments, option, path)

    def reading(self, name: str) -> tuple[str, ...]:
        """The command line with another input."""
        whole = list(self.whole)
        whole[self.reads] = name
        return tuple(whole)


def _acting(first: tuple[str, ...], last: tuple[str, ...], **actions: Any) -> dict[str, Command]:
    """Commands whose second argument says what to do: action → (more arguments, writes)."""
    return {
        f"{first[0]} {action}": Command((*first, action, *last, *more), writes)
        for action, (more, writes) in actions.items()
    }


SAVED = (("--output", ".set"),)
COMPILED = (*SAVED, ("--dot", ".dot"), ("--plot", ".png"))
TEXT = (("--output", ".txt"),)
COMMANDS = {
    "analyse": Command(("analyse", "settled.txt"), (("--plot", ".svg"),)),
    "count": Command(("count", "wide.txt")),
    "enumerate": Command(("enumerate", "wide.txt"), TEXT),
    "enumerate npy": Command(("enumerate", "wide.txt", "--format", "npy"), (("--output", ".npy"),)),
    "enumerate json": Command(("enumerate", "wide.txt", "--json"), TEXT),
    "build": Command(("build", "wide.txt")),
    "compile": Command(("compile", "wide.txt"), COMPILED),
    "sample": Command(("sample", "wide.txt", "-n", "3", "--seed", "1"), TEXT),
    "draw": Command(("draw", "wide.txt", "--index", "3"), (("--output", ".svg"),)),
    "rank": Command(("rank", "settled.txt", "1234341221434321")),
    "unrank": Command(("unrank", "wide.txt", "5")),
    "marginals": Command(("marginals", "wide.txt"), (("--plot", ".pdf"),)),
    "hints": Command(("hints", "wide.txt")),
    "rules": Command(("rules", "settled.txt", "--each", "5")),
    "minimal": Command(("minimal", "settled.txt", "-n", "2", "--seed", "1"), SAVED),
    "unavoidable": Command(("unavoidable", "settled.txt", "--rows", "1,2"), SAVED),
    "check": Command(("check", "wide.txt")),
    "neighbours": Command(("neighbours", "near.txt")),
    "canonical": Command(("canonical", "wide.txt", "--map")),
    "generate": Command(
        (
            "generate",
            "--pattern",
            "pattern.txt",
            "--inside",
            "--layout",
            "2x2",
            "-n",
            "2",
            "--seed",
            "1",
        ),
        reads=2,
    ),
    "example": Command(("example", "three.formula")),
    "warm-up": Command(("warm-up",)),
    "report": Command(
        ("report", "settled.txt"), (("--output", ".html"),), needs=("--output", "{}")
    ),
    **_acting(
        ("cover", "cover.txt"),
        (),
        count=((), ()),
        enumerate=((), TEXT),
        compile=((), COMPILED),
        sample=(("-n", "3"), TEXT),
        rank=(("a b c",), ()),
        unrank=(("0",), ()),
        marginals=((), ()),
        check=((), ()),
    ),
    **_acting(
        ("tiling", "3x4"),
        ("--pieces", "I2"),
        count=((), ()),
        enumerate=((), TEXT),
        compile=((), COMPILED),
        sample=(("-n", "3"), TEXT),
        unrank=(("1",), ()),
        draw=((), (("--output", ".svg"),)),
        check=((), ()),
    ),
    **_acting(
        ("formula", "some.formula"),
        (),
        count=((), ()),
        enumerate=((), TEXT),
        build=((), ()),
        compile=((), COMPILED),
        sample=(("-n", "3"), TEXT),
        rank=(("a=1 b=0 c=0",), ()),
        unrank=(("1",), ()),
        marginals=((), ()),
        check=((), ()),
    ),
    **_acting(
        ("numberlink", "board.txt"),
        (),
        count=((), ()),
        enumerate=((), TEXT),
        sample=((), TEXT),
        unrank=(("1",), ()),
        marginals=((), (("--plot", ".svg"),)),
        compile=((), COMPILED),
        draw=((), (("--output", ".svg"),)),
    ),
}
WRITERS = {
    f"{name} {option}": (command, option, ending)
    for name, command in COMMANDS.items()
    for option, ending in command.writes
}


def leaves(
    group: click.Group = main, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command of the program and its names."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command

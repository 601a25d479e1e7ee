"""Commands with a subject and an action: whose options are whose, help, completion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from cli.commands import COMMANDS, FILES
from click.shell_completion import ShellComplete
from click.testing import Result

from bddsudoku.cli import main
from bddsudoku.cli.actions import ActionGroup

Run = Callable[..., Result]

GROUPS = {
    name: group
    for name in main.list_commands(click.Context(main))
    if isinstance(group := main.get_command(click.Context(main), name), ActionGroup)
}
ACTIONS = {
    f"{name} {action}": (group, command)
    for name, group in GROUPS.items()
    for action, command in group.commands.items()
}


def options_of(command: click.Command) -> set[str]:
    """Every spelling of every option."""
    return {spelled for p in command.params for spelled in (*p.opts, *p.secondary_opts)}


def test_the_four_groups() -> None:
    assert set(GROUPS) == {"cover", "tiling", "formula", "numberlink"}
    assert set(ACTIONS) <= set(COMMANDS)


@pytest.mark.parametrize("line", ACTIONS)
def test_an_option_of_other_actions_is_distinguished_from_an_unknown_one(
    run: Run, line: str
) -> None:
    name, action = line.split()
    group, command = ACTIONS[line]
    for option in set().union(*map(options_of, group.commands.values())) - options_of(command):
        error_text = run(name, "none", action, option, code=2).stderr.splitlines()[-1]
        takers = [a for a, c in group.commands.items() if option in options_of(c)]
        assert error_text.startswith(f"Error: {option} goes with ")
        assert error_text.endswith(f", not with {action}")
        assert error_text[len(f"Error: {option} goes with ") :].split(", not")[0].replace(
            " or ", ", "
        ) == ", ".join(takers)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument '"),
        (("none",), "Missing command"),
        (("none", "count", "more"), "Got unexpected extra argument (more)"),
        (("none", "count", "--nix"), "No such option"),
        (("none", "count", "--max-memory"), "requires an argument"),
    ],
)
def test_wrong_usage(run: Run, name: str, arguments: tuple[str, ...], message: str) -> None:
    result = run(name, *arguments, code=2)
    assert message in result.stderr
    assert result.stdout == ""


def test_any_subject(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that begins with a dash, or is called like an action."""
    monkeypatch.chdir(tmp_path)
    text = FILES["cover.txt"]
    usual = run("cover", "-", "count", stdin=text).stdout
    for name, *before in (("-odd", "--"), ("count",)):
        Path(name).write_text(text)
        assert run("cover", *before, name, "count").stdout == usual


def test_completion_knows_the_actions() -> None:
    shell = ShellComplete(main, {}, "bddsudoku", "_COMPLETE")
    assert {item.value for item in shell.get_completions(["cover", "file"], "c")} == {
        "count",
        "compile",
        "check",
    }

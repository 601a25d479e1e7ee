"""Commands with a subject and an action: whose options are whose, where they may stand, help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from cli.commands import COMMANDS, FILES, leaves
from click.shell_completion import ShellComplete
from click.testing import Result

from bddsudoku.cli import main
from bddsudoku.cli.actions import Actions, acting_on, asking

Run = Callable[..., Result]

GROUPS = {
    name: group
    for name in main.list_commands(click.Context(main))
    if isinstance(group := main.get_command(click.Context(main), name), Actions)
}
ACTIONS = {
    f"{name} {action}": (group, command)
    for name, group in GROUPS.items()
    for action, command in group.commands.items()
}


def options_of(command: click.Command) -> dict[str, click.Option]:
    """Every spelling of every option."""
    return {
        spelled: param
        for param in command.params
        if isinstance(param, click.Option)
        for spelled in (*param.opts, *param.secondary_opts)
    }


FOREIGN = [
    (line, option, param)
    for line, (group, command) in ACTIONS.items()
    for option, param in {
        spelled: param
        for other in group.commands.values()
        for spelled, param in options_of(other).items()
    }.items()
    if option not in options_of(command)
]


def value_of(param: click.Option) -> tuple[str, ...]:
    if param.is_flag:
        return ()
    return (str(param.type.choices[0]),) if isinstance(param.type, click.Choice) else ("1",)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_four_groups() -> None:
    assert set(GROUPS) == {"cover", "tiling", "formula", "numberlink"}
    assert set(ACTIONS) <= set(COMMANDS)


@pytest.mark.parametrize("name", GROUPS)
def test_an_option_takes_a_value_with_every_action_or_with_none(name: str) -> None:
    """Otherwise the line could not be read before the action is known."""
    taking: dict[str, set[tuple[bool, int]]] = {}
    for command in GROUPS[name].commands.values():
        for option, param in options_of(command).items():
            taking.setdefault(option, set()).add((param.is_flag, param.nargs))
    assert all(len(ways) == 1 for ways in taking.values()), taking


@pytest.mark.parametrize(("line", "option", "param"), FOREIGN)
def test_an_option_of_other_actions_is_told_from_an_unknown_one(
    run: Run, line: str, option: str, param: click.Option
) -> None:
    name, action = line.split()
    told = run(name, "none", action, option, *value_of(param), code=2).stderr
    assert f"Error: {option} goes with " in told
    assert told.endswith(f", not with {action}\n")
    takers = [a for a, c in GROUPS[name].commands.items() if option in options_of(c)]
    assert told.split("goes with ")[1].split(", not")[0].replace(" or ", ", ") == ", ".join(takers)
    # before the action, too, and in one word
    first = run(name, option, *value_of(param), "none", action, code=2).stderr
    assert first.splitlines()[-1] == told.splitlines()[-1]


@pytest.mark.parametrize("line", ACTIONS)
def test_options_stand_anywhere(run: Run, here: Path, line: str) -> None:
    """Limits that no run comes near are options of every action."""
    name, action, *options = [*COMMANDS[line].arguments[:1], *COMMANDS[line].arguments[2:]]
    subject = COMMANDS[line].arguments[1]
    options += ["--seed", "3"] if "--seed" in options_of(ACTIONS[line][1]) else []
    one, two = ["--max-memory", "7GiB"], ["--time-limit=1h"]
    heard = run(name, subject, action, *options, *one, *two)
    silent = "check", "build", "compile"  # tell times
    for placed in (
        [*options, *one, subject, *two, action],
        [*one, subject, *options, action, *two],
        [subject, *two, action, *one, *options],
    ):
        again = run(name, *placed)
        assert action in silent or again.stdout == heard.stdout


@pytest.mark.parametrize("line", ACTIONS)
def test_help_of_an_action(run: Run, line: str) -> None:
    name, action = line.split()
    command = ACTIONS[line][1]
    text = run(name, "none", action, "--help").stdout
    assert text.startswith(f"Usage: bddsudoku {name} ")
    assert f" {action} [OPTIONS]" in text.splitlines()[0]
    told = {word.strip(",") for word in text.split() if word.startswith("-")}
    assert {o for p in options_of(command).values() for o in p.opts} <= {
        part for word in told for part in word.split("/")
    }
    assert not any(f"{other}:" in text for other in GROUPS[name].commands)
    assert all(param.help for param in options_of(command).values())
    for other in ([action, "--help"], ["--help", "none", action], [action, "-h"]):
        assert run(name, *other).stdout == text


@pytest.mark.parametrize("name", GROUPS)
def test_help_of_a_group(run: Run, name: str) -> None:
    text = run(name, "--help").stdout
    for action, command in GROUPS[name].commands.items():
        (line,) = [part for part in text.splitlines() if part.split()[:1] == [action]]
        assert command.help
        assert line.split()[1] in command.help
    assert f"{name} ACTION --help" in text
    assert run(name, "none", "--help").stdout == run(name, "-h").stdout == text


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument '"),
        (("--json",), "Missing argument '"),
        (("none",), "Missing argument 'ACTION'. Choose from: count, "),
        (("none", "--json"), "Missing argument 'ACTION'. Choose from: count, "),
        (("none", "solve"), "'solve' is not one of 'count', "),
        (("none", "count", "more"), "Got unexpected extra argument (more)"),
        (("--nix", "none", "count"), "No such option"),
        (("none", "--nix", "count"), "No such option"),
        (("none", "count", "--nix"), "No such option"),
        (("none", "count", "--max-memory"), "requires an argument"),
        (("none", "--max-memory"), "requires an argument"),
        (("none", "count", "--json=1"), "does not take a value"),
    ],
)
def test_wrong_usage(run: Run, name: str, arguments: tuple[str, ...], message: str) -> None:
    result = run(name, *arguments, code=2)
    assert result.stderr.startswith((f"Usage: bddsudoku {name} ", "Error: Option "))
    assert message in result.stderr
    assert result.stdout == ""


def test_a_subject_may_begin_with_a_dash(run: Run, here: Path) -> None:
    (here / "-odd").write_text(FILES["cover.txt"])
    usual = run("cover", "cover.txt", "count").stdout
    assert run("cover", "--", "-odd", "count").stdout == usual
    assert run("cover", "-", "count", stdin=FILES["cover.txt"]).stdout == usual


def test_a_subject_may_be_called_like_an_action(run: Run, here: Path) -> None:
    (here / "count").write_text(FILES["cover.txt"])
    assert run("cover", "count", "count").stdout == run("cover", "cover.txt", "count").stdout


def test_completion_knows_the_actions() -> None:
    shell = ShellComplete(main, {}, "bddsudoku", "_COMPLETE")
    assert {item.value for item in shell.get_completions(["cover", "file"], "c")} == {
        "count",
        "compile",
        "check",
    }


NO_FILES = {
    "--layout", "--order", "--schedule", "--scheduler", "--region", "--once-only", "--project",
    "--use", "--avoid", "--hints", "--rows", "--columns", "--boxes", "--digits",
}  # fmt: skip
"""Options that take a text of another kind."""


def test_completion_offers_files_wherever_one_may_stand() -> None:
    shell = ShellComplete(main, {}, "bddsudoku", "_COMPLETE")
    offered = 0
    for path, command in leaves():
        before = [*path[:1], "x", *path[1:]] if len(path) > 1 else [*path]
        if len(path) > 1:
            (item,) = shell.get_completions([*path[:1]], "da")
            assert (item.type, item.value) == ("file", "da"), path
        for param in command.params:
            name = param.opts[0]
            if isinstance(param, click.Option):
                other = param.is_flag or isinstance(param.type, (click.Choice, click.IntRange))
                if other or param.type.name in ("SIZE", "SECONDS") or name in NO_FILES:
                    continue
                found = shell.get_completions([*before, name], "da")
            elif isinstance(param.type, click.IntRange):
                continue
            else:
                found = shell.get_completions(before, "da")
                before.append("x")
            assert [(item.type, item.value) for item in found] == [("file", "da")], (path, name)
            offered += 1
    assert offered > 50


def test_what_an_action_is_asked_about() -> None:
    heard: list[object] = []

    @acting_on("thing")
    def group() -> None:
        """Things."""

    def ask(thing: str, size: int) -> str:
        return f"{thing} of {size}"

    @group.command()
    @click.option("--loud", is_flag=True)
    @asking(ask, click.option("--size", type=int, default=1))
    def say(asked: str, loud: bool) -> None:
        """Say it."""
        heard.append((asked, loud))

    group.main(["--loud", "box", "--size", "3", "say"], standalone_mode=False)
    assert heard == [("box of 3", True)]

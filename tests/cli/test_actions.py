"""Commands with a subject and an action: whose options are whose, help, completion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from cli.commands import COMMANDS, FILES
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


def test_the_four_groups() -> None:
    assert set(GROUPS) == {"cover", "tiling", "formula", "numberlink"}
    assert set(ACTIONS) <= set(COMMANDS)


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


@pytest.mark.parametrize(
    ("subject", "last"),
    [
        (("wide.txt",), ()),
        (("cover", "cover.txt"), ()),
        (("formula", "some.formula"), ()),
        (("tiling", "3x4"), ("--pieces", "I2")),
        (("numberlink", "board.txt"), ()),
    ],
    ids=lambda words: words[0] if words else "",
)
def test_every_subject_is_enumerated_numbered_and_sampled(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    subject: tuple[str, ...],
    last: tuple[str, ...],
) -> None:
    """All numbers unranked are what ``enumerate`` lists; ``rank`` is the inverse."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)

    def ask(action: str, *words: str, code: int = 0) -> str:
        before = (action, *subject) if len(subject) == 1 else (*subject, action)
        return run(*before, *words, *last, code=code).stdout

    number = int(ask("count"))
    found = [ask("unrank", str(index)) for index in range(number)]
    assert sorted("".join(found).split()) == sorted(ask("enumerate").split())
    assert len(set(found)) == number
    assert ask("sample", "--seed", "1") in found
    assert not ask("unrank", str(number), code=2)
    if subject[0] not in ("tiling", "numberlink"):
        assert ask("rank", found[-1].strip()) == f"{number - 1}\n"
        assert ask("marginals", "--format", "csv").splitlines()[0].endswith(",count")

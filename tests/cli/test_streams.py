"""Every command with every kind of bad file to write, closed stream, full disk and sudden end.

Nothing may be lost, nothing left behind; every end is one line and an exit code.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from cli.commands import COMMANDS, FILES, WIDE, WRITERS, leaves
from cli.forked import CLOSED, Ended, Program

from bddsudoku.cli.outputs import Target

pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists() or not hasattr(os, "fork"), reason="needs Linux"
)

NO_INPUT = "bddsudoku: <standard input>: cannot be read: Bad file descriptor"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    folder = tmp_path_factory.mktemp("program")
    fill(folder)
    warm: list[tuple[str, ...]] = [command.whole for command in COMMANDS.values()]
    warm += [c.writing(o, f"warm{ending}") for c, o, ending in WRITERS.values()]
    with Program(warm, folder) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path


def fill(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text)


def listing(folder: Path) -> dict[str, tuple[Any, ...]]:
    """What is where: kind, permissions, where links lead, what files hold."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[str(path)] = ("link", os.readlink(path))
        else:
            found[str(path)] = (mode, path.read_bytes() if stat.S_ISREG(mode) else None)
    return found


def well_ended(ended: Ended, *codes: int) -> None:
    """One of the codes, and neither a traceback nor Python's complaints at its end."""
    assert ended.code in codes, ended
    assert "Traceback" not in ended.err, ended
    assert "Exception ignored" not in ended.err, ended


def messages(ended: Ended) -> list[str]:
    """Messages about what went wrong."""
    return [line for line in ended.err.splitlines() if line.startswith(("bddsudoku:", "Error:"))]


def steady(text: str) -> str:
    """Without figures, which are times in part, and what their width changes."""
    return re.sub(r"[\d,.]+( ms| s| MiB| KiB)?|[\s-]+", "", text)


# -- nothing is forgotten ------------------------------------------------------------------------


def test_every_command_and_action_is_in_the_table() -> None:
    # What serves a page does not end by itself: tests/explore.
    ending = [path for path, _ in leaves() if path != ("explore",)]
    assert {" ".join(path) for path in ending} <= set(COMMANDS)
    assert {c.arguments[0] for c in COMMANDS.values()} == {path[0] for path in ending}


def test_every_option_for_a_file_to_write_is_in_the_table() -> None:
    for path, command in leaves():
        mine = [c for name, c in COMMANDS.items() if f"{name} ".startswith(" ".join(path) + " ")]
        tried = {option for c in mine for option, _ in c.writes}
        for param in command.params:
            assert not isinstance(param.type, click.Path | click.File), param
            if isinstance(param.type, Target):
                assert tried & set(param.opts), (path, param.opts)


# -- files to write ------------------------------------------------------------------------------


def place_nothing(folder: Path, ending: str) -> str:
    return f"new{ending}"


def place_older(folder: Path, ending: str) -> str:
    (folder / f"old{ending}").write_text("old")
    (folder / f"old{ending}").chmod(0o640)
    return f"old{ending}"


def place_link(folder: Path, ending: str) -> str:
    place_older(folder, ending)
    (folder / f"link{ending}").symlink_to(f"old{ending}")
    return f"link{ending}"


def place_missing(folder: Path, ending: str) -> str:
    return f"missing/new{ending}"


def place_folder(folder: Path, ending: str) -> str:
    (folder / f"folder{ending}").mkdir()
    return f"folder{ending}"


def place_slash(folder: Path, ending: str) -> str:
    return f"new{ending}/"


def place_read_only(folder: Path, ending: str) -> str:
    (folder / f"old{ending}").write_text("old")
    (folder / f"old{ending}").chmod(0o444)
    return f"old{ending}"


def place_link_to_read_only(folder: Path, ending: str) -> str:
    place_read_only(folder, ending)
    (folder / f"link{ending}").symlink_to(f"old{ending}")
    return f"link{ending}"


def place_ring(folder: Path, ending: str) -> str:
    (folder / f"ring{ending}").symlink_to(f"ring{ending}")
    return f"ring{ending}"


def place_nowhere(folder: Path, ending: str) -> str:
    (folder / f"link{ending}").symlink_to("missing/new")
    return f"link{ending}"


def place_long(folder: Path, ending: str) -> str:
    return "x" * 300 + ending


def place_below_a_file(folder: Path, ending: str) -> str:
    return f"wide.txt/new{ending}"


def place_no_such_system_file(folder: Path, ending: str) -> str:
    return f"/proc/new{ending}"


def place_full(folder: Path, ending: str) -> str:
    (folder / f"full{ending}").symlink_to("/dev/full")
    return f"full{ending}"


def place_device(folder: Path, ending: str) -> str:
    (folder / f"null{ending}").symlink_to("/dev/null")
    return f"null{ending}"


REFUSED = (
    place_missing,
    place_folder,
    place_slash,
    place_read_only,
    place_link_to_read_only,
    place_ring,
    place_nowhere,
    place_long,
    place_below_a_file,
    place_no_such_system_file,
)


@pytest.mark.parametrize("name", WRITERS)
def test_what_cannot_be_written_is_refused_and_nothing_changes(
    program: Program, tmp_path: Path, name: str
) -> None:
    command, option, ending = WRITERS[name]
    for place in REFUSED:
        folder = tmp_path / place.__name__
        folder.mkdir()
        fill(folder)
        target = place(folder, ending)
        before = listing(folder)
        ended = program.run(command.writing(option, target), folder)
        well_ended(ended, 2)
        assert len(messages(ended)) == 1, (place, ended)
        assert not ended.out
        assert listing(folder) == before, place


@pytest.mark.parametrize("name", WRITERS)
def test_files_are_made_replaced_and_followed(program: Program, tmp_path: Path, name: str) -> None:
    command, option, ending = WRITERS[name]
    texts = []
    for place in (place_nothing, place_older, place_link):
        folder = tmp_path / place.__name__
        folder.mkdir()
        fill(folder)
        target = place(folder, ending)
        before = listing(folder)
        well_ended(program.run(command.writing(option, target), folder), 0)
        after = listing(folder)
        real = str((folder / target).resolve())
        assert after.keys() == before.keys() | {real}
        assert {p for p in before if before[p] != after[p]} <= {real}
        mode, text = after.pop(real)
        assert stat.S_IMODE(mode) == (0o640 if real in before else 0o666 & ~umask())
        texts.append(text)
        assert is_whole(folder / target)
    if ending not in (".html", ".set", ".pdf") and "sample" not in name:  # these tell times
        assert texts[0] == texts[1] == texts[2]


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_whole(path: Path) -> bool:
    """Whether a file that a command wrote is complete."""
    data = path.read_bytes()
    match path.suffix:
        case ".set":
            from bddsudoku.diagrams.files import load

            return load(path) is not None
        case ".npy":
            return bool(np.load(path).shape == (24, 16))
        case ".png":
            return data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")
        case ".pdf":
            return data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF")
        case ".svg":
            return data.rstrip().endswith(b"</svg>")
        case ".html":
            return data.rstrip().endswith(b"</html>")
        case ".dot":
            return data.endswith(b"}\n")
        case _:
            return data.endswith(b"\n")


@pytest.mark.parametrize("name", WRITERS)
def test_devices_and_pipes_are_written_to_and_a_full_disk_is_told(
    program: Program, folder: Path, name: str
) -> None:
    command, option, ending = WRITERS[name]
    null, full = place_device(folder, ending), place_full(folder, ending)
    pipe = folder / f"pipe{ending}"
    os.mkfifo(pipe)
    got: list[bytes] = []
    before = listing(folder)
    well_ended(program.run(command.writing(option, null), folder), 0)
    ended = program.run(command.writing(option, full), folder)
    well_ended(ended, 1)
    assert messages(ended) == [f"bddsudoku: {full}: No space left on device"]
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    well_ended(program.run(command.writing(option, pipe.name), folder), 0)
    reader.join()
    assert listing(folder) == before
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    copy = folder / f"copy{ending}"
    copy.write_bytes(got[0])
    assert is_whole(copy)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("place", [place_nothing, place_older])
def test_a_disk_that_fills_up_leaves_everything_as_it_was(
    program: Program, folder: Path, name: str, place: Callable[[Path, str], str]
) -> None:
    command, option, ending = WRITERS[name]
    target = place(folder, ending)
    before = listing(folder)
    ended = program.run(command.writing(option, target), folder, file_size=5)
    well_ended(ended, 1)
    assert listing(folder) == before


@pytest.mark.parametrize("name", WRITERS)
def test_wrong_input_and_limits_leave_an_older_file(
    program: Program, folder: Path, name: str
) -> None:
    command, option, ending = WRITERS[name]
    target = place_older(folder, ending)
    (folder / "wrong.txt").write_text("12\n3x\n")
    (folder / "several.txt").write_text(f"{WIDE}\n{'1' * 15}\n")
    before = listing(folder)
    for wrong in ("wrong.txt", "several.txt", "missing.txt", "wrong.txt/x", "."):
        arguments = list(command.writing(option, target))
        arguments[command.reads] = wrong
        well_ended(program.run(arguments, folder), 1, 2)
        assert listing(folder) == before, wrong
    late = program.run((*command.writing(option, target), "--time-limit", "1ms"), folder)
    well_ended(late, 0, 3)
    if late.code == 3:
        assert listing(folder) == before


@pytest.mark.parametrize("form", ["npy", "csv", "line", "grid"])
def test_enumerate_may_read_what_it_writes(program: Program, folder: Path, form: str) -> None:
    source = folder / "wide.txt"
    well_ended(
        program.run(("enumerate", "wide.txt", "--format", form, "--output", "other"), folder), 0
    )
    well_ended(
        program.run(("enumerate", "wide.txt", "--format", form, "--output", "wide.txt"), folder), 0
    )
    assert source.read_bytes() == (folder / "other").read_bytes()


def test_a_saved_set_may_be_replaced_by_what_is_made_from_it(
    program: Program, folder: Path
) -> None:
    """It is mapped into memory while it is replaced."""
    for arguments in (
        ("compile", "wide.txt", "--output", "wide.set"),
        ("compile", "wide.set", "--output", "wide.set"),
        ("enumerate", "wide.set", "--output", "wide.txt"),
        ("enumerate", "wide.set", "--output", "wide.set"),
        ("cover", "cover.txt", "compile", "--output", "cover.set"),
        ("cover", "cover.set", "compile", "--output", "cover.set"),
        ("cover", "cover.set", "enumerate", "--output", "cover.set"),
        ("numberlink", "board.txt", "compile", "--output", "board.set"),
        ("numberlink", "board.set", "compile", "--output", "board.set"),
        ("numberlink", "board.set", "enumerate", "--output", "board.set"),
    ):
        well_ended(program.run(arguments, folder), 0)
    assert (folder / "wide.txt").read_bytes() == (folder / "wide.set").read_bytes()
    assert len((folder / "wide.txt").read_text().splitlines()) == 24


def test_npy_of_two_puzzles_leaves_nothing(program: Program, folder: Path) -> None:
    (folder / "two.txt").write_text(f"{WIDE}\n{WIDE}\n")
    before = listing(folder)
    for more in (("--output", "two.npy"), ()):
        ended = program.run(("enumerate", "two.txt", "--format", "npy", *more), folder)
        well_ended(ended, 1)
        assert not ended.out
        assert "one array" in ended.err
        assert listing(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("compile", "two.txt", "--output", "two.set"),
        ("analyse", "two.txt", "--plot", "two.svg"),
    ],
)
def test_several_puzzles_for_one_file_are_refused_first(
    program: Program, folder: Path, arguments: tuple[str, ...]
) -> None:
    (folder / "two.txt").write_text(f"{WIDE}\n{WIDE}\n")
    before = listing(folder)
    ended = program.run(arguments, folder)
    well_ended(ended, 2)
    assert not ended.out
    assert listing(folder) == before


@pytest.mark.parametrize("name", WRITERS)
def test_standard_output_by_name_is_written_to(program: Program, folder: Path, name: str) -> None:
    command, option, ending = WRITERS[name]
    (folder / f"stdout{ending}").symlink_to("/dev/stdout")
    well_ended(program.run(command.writing(option, f"new{ending}"), folder), 0)
    out = folder / "out"
    with out.open("wb") as stream:
        stream.write(b"before\n")
        stream.flush()
        arguments = command.writing(option, f"stdout{ending}")
        well_ended(program.run(arguments, folder, stdout=stream.fileno()), 0)
    assert out.read_bytes().startswith(b"before\n")
    assert out.stat().st_size >= (folder / f"new{ending}").stat().st_size * 0.9


# -- sudden ends ---------------------------------------------------------------------------------


def ended_suddenly(
    program: Program, folder: Path, name: str, number: int, moments: int, rng: random.Random
) -> None:
    command, option, ending = WRITERS[name]
    for _ in range(2):  # the first one on a machine may compile, or look for fonts
        whole = program.run(command.writing(option, f"x{ending}"), folder)
        well_ended(whole, 0)
        (folder / f"x{ending}").unlink()
        if whole.seconds < 1:
            break
    usual = whole.seconds
    for moment in range(moments if usual < 1 else max(2, moments // 2)):
        place = place_older if moment % 2 else place_nothing
        target = folder / place(folder, ending)
        process = program.start(command.writing(option, target.name), folder)
        time.sleep(rng.uniform(0, 1.1 * usual))
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
        ended = program.end()
        assert ended.code in (0, -number, 128 + number)
        left = {p.name for p in folder.iterdir()} - {*FILES, target.name}
        if number == signal.SIGKILL:
            assert all(re.fullmatch(r"\.bddsudoku-.*\.partial", n) for n in left)
        else:
            assert not left
            assert "Traceback" not in ended.err, ended
        if target.exists():
            assert target.read_bytes() == b"old" or is_whole(target)
        else:
            assert place is place_nothing
        for path in folder.iterdir():
            if path.name not in FILES:
                path.unlink()


@pytest.mark.parametrize("name", WRITERS)
def test_killed_at_any_moment_the_target_is_absent_old_or_whole(
    program: Program, folder: Path, name: str
) -> None:
    ended_suddenly(program, folder, name, signal.SIGKILL, 4, random.Random(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_ended_at_twenty_moments(
    program: Program, folder: Path, name: str, number: signal.Signals
) -> None:
    ended_suddenly(program, folder, name, number, 20, random.Random(f"{name} {number}"))


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (signal.SIGINT, "interrupted"),
        (signal.SIGTERM, "terminated"),
        (signal.SIGHUP, "hung up"),
    ],
)
def test_an_interrupted_stream_says_how_many_lines_were_written(
    program: Program, folder: Path, number: signal.Signals, word: str
) -> None:
    out, into = os.pipe()
    process = program.start(("sample", "wide.txt", "-n", "1000000000"), folder, stdout=into)
    os.close(into)
    lines = 0
    with open(out, "rb") as stream:
        lines += stream.read(1_000_000).count(b"\n")
        os.kill(process, number)
        lines += stream.read().count(b"\n")
    ended = program.end()
    well_ended(ended, 128 + number)
    assert ended.err == f"bddsudoku: {word}; {lines:,} lines were written\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_file_is_not_there(
    program: Program, folder: Path, number: signal.Signals
) -> None:
    (folder / "empty.txt").write_text("." * 36 + "\n")
    before = listing(folder)
    process = program.start(
        ("enumerate", "empty.txt", "--format", "npy", "--output", "all.npy"), folder
    )
    time.sleep(1)
    os.kill(process, number)
    ended = program.end()
    well_ended(ended, 128 + number)
    assert len(messages(ended)) == 1
    assert listing(folder) == before


# -- standard streams ----------------------------------------------------------------------------


@contextlib.contextmanager
def opened(path: str | Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def answer_is_lost(program: Program, folder: Path, arguments: tuple[str, ...]) -> Ended:
    """Standard output closed, full, of the wrong kind, or with nobody who reads it; the usual
    end."""
    usual = program.run(arguments, folder)
    well_ended(usual, 0)
    code = 1 if usual.out else 0
    with opened("/dev/full", os.O_WRONLY) as full:
        for stream, why in ((CLOSED, "Bad file descriptor"), (full, "No space left on device")):
            ended = program.run(arguments, folder, stdout=stream)
            well_ended(ended, code)
            if usual.out:
                (line,) = messages(ended)
                assert re.fullmatch(rf"bddsudoku: standard output: {why}(; .* written)?", line), (
                    ended
                )
    with opened(os.devnull, os.O_RDONLY) as mute:
        ended = program.run(arguments, folder, stdin=CLOSED, stdout=mute, stderr=CLOSED)
        well_ended(ended, code)
    reader, writer = os.pipe()
    os.close(reader)
    ended = program.run(arguments, folder, stdout=writer)
    os.close(writer)
    well_ended(ended, 0)
    assert not messages(ended)
    return usual


def only_messages_are_lost(
    program: Program, folder: Path, arguments: tuple[str, ...], usual: Ended
) -> None:
    """Answers come whatever becomes of the messages, and of an input that nobody reads."""
    with opened("/dev/full", os.O_WRONLY) as full:
        for streams in (
            {"stderr": CLOSED},
            {"stderr": full},
            {"stdin": CLOSED, "stderr": CLOSED},
        ):
            ended = program.run(arguments, folder, **streams)
            well_ended(ended, usual.code)
            if "sample" not in arguments:
                assert steady(ended.out) == steady(usual.out), streams


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_with_every_bad_stream(program: Program, folder: Path, name: str) -> None:
    arguments = COMMANDS[name].whole
    usual = answer_is_lost(program, folder, arguments)
    only_messages_are_lost(program, folder, arguments, usual)


@pytest.mark.parametrize("name", [*sorted({c.arguments[0] for c in COMMANDS.values()}), None])
def test_help_with_every_bad_stream(program: Program, folder: Path, name: str | None) -> None:
    first = () if name is None else (name,)
    usual = answer_is_lost(program, folder, (*first, "--help"))
    for stream in (CLOSED, None):
        well_ended(program.run((*first, "--no-such-option"), folder, stderr=stream), 2)
    if name is None:
        only_messages_are_lost(program, folder, ("--help",), usual)
        usual = answer_is_lost(program, folder, ("--version",))
        only_messages_are_lost(program, folder, ("--version",), usual)
        only_messages_are_lost(program, folder, (), program.run((), folder))


@pytest.mark.parametrize("name", COMMANDS)
def test_standard_input_that_is_closed_is_told(program: Program, folder: Path, name: str) -> None:
    arguments = COMMANDS[name].reading("-")
    before = listing(folder)
    with opened(os.devnull, os.O_WRONLY) as mute:
        for stream in (CLOSED, mute):
            ended = program.run(arguments, folder, stdin=stream)
            well_ended(ended, 1)
            assert messages(ended) in (
                [NO_INPUT],
                ["bddsudoku: standard input: Bad file descriptor"],
            )
    ended = program.run(arguments, folder)  # nothing to read
    well_ended(ended, 1)
    assert len(messages(ended)) == 1
    assert listing(folder) == before


READERS = {
    "a formula": ("formula", "{}", "count"),
    "a formula to build": ("formula", "{}", "build"),
    "an exact cover": ("cover", "{}", "count"),
    "a tiling": ("tiling", "{}", "count", "--pieces", "I2"),
    "pieces": ("tiling", "3x4", "count", "--pieces", "{}"),
    "a Numberlink board": ("numberlink", "{}", "count"),
    "a pattern": ("generate", "--pattern", "{}"),
    "rules": ("generate", "--rules", "{}"),
    "puzzles": ("count", "{}"),
    "a grid": ("rank", WIDE, "{}"),
}
"""What reads a file, and where its name stands."""


@pytest.mark.parametrize("name", READERS)
def test_input_without_an_end_is_refused(program: Program, folder: Path, name: str) -> None:
    ended = program.run([a.format("/dev/zero") for a in READERS[name]], folder, data=1 << 30)
    well_ended(ended, 1)
    (line,) = messages(ended)
    assert line.startswith("bddsudoku: /dev/zero, line 1")
    if name in ("puzzles", "a grid"):  # as long as there are puzzles, they are answered
        return
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    program.start(
        [*(a.format("pipe") for a in READERS[name]), "--max-memory", "300MiB"], folder, data=1 << 30
    )
    with contextlib.suppress(BrokenPipeError), pipe.open("wb") as writer:
        for _ in range(1 << 10):  # a program that reads all of it has too little memory
            writer.write(b"ab c\n" * (1 << 18))
    ended = program.end()
    well_ended(ended, 3)
    assert messages(ended) == [
        "bddsudoku: memory limit reached while pipe was read: it has more than 4,915,200 bytes"
    ]


@pytest.mark.parametrize("name", READERS)
def test_input_that_never_comes_obeys_the_time_limit(
    program: Program, folder: Path, name: str
) -> None:
    with opened_for_both(folder / "pipe"):
        arguments = [a.format("pipe") for a in READERS[name]]
        ended = program.run([*arguments, "--time-limit", "0.2"], folder)
    well_ended(ended, 3)
    assert messages(ended) == ["bddsudoku: time limit of 0.2 s reached"]


@contextlib.contextmanager
def opened_for_both(path: Path) -> Iterator[None]:
    """A named pipe into which nothing is written and which nobody closes."""
    os.mkfifo(path)
    with opened(path, os.O_RDWR):
        yield


def test_a_closed_stream_is_not_taken_for_the_file_that_is_opened_next(
    program: Program, folder: Path
) -> None:
    """Descriptor 1 or 2 would otherwise be the set, and the messages would go into it."""
    for streams in ({"stdout": CLOSED}, {"stderr": CLOSED}, {"stdin": CLOSED, "stderr": CLOSED}):
        program.run(("compile", "wide.txt", "--output", "new.set"), folder, **streams)
        assert is_whole(folder / "new.set")
        (folder / "new.set").unlink()


def test_characters_that_the_output_does_not_have_are_told(
    shell_in: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    ended = shell_in("numberlink", "board.txt", "enumerate", env={"PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 1
    assert ended.stderr.startswith("bddsudoku: ")
    assert "cannot be written in ascii" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


# -- the real thing, in a new interpreter ----------------------------------------------------------


@pytest.fixture
def shell_in(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """``shell_in("count", …, after="2>&-")``: the real program with a shell's redirections."""

    def call(
        *arguments: str, after: str = "", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            ["bash", "-c", f'"$@" {after}', "bash", sys.executable, "-m", "bddsudoku", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | (env or {}),
            check=False,
        )
        # The first process on a machine says that it compiles.
        told = [
            line for line in ended.stderr.splitlines(True) if "compiling the kernels" not in line
        ]
        ended.stderr = "".join(told)
        return ended

    return call


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("arguments", "after", "code", "out", "err"),
    [
        (
            ("count", "-"),
            "<&-",
            1,
            "",
            f"{NO_INPUT}\n",
        ),
        (("count", WIDE), ">&-", 1, "", "bddsudoku: standard output: Bad file descriptor\n"),
        (("count", WIDE), "2>&-", 0, "24\n", ""),
        (("count", WIDE), "<&- >&- 2>&-", 1, "", ""),
        (
            ("--help",),
            "> /dev/full",
            1,
            "",
            "bddsudoku: standard output: No space left on device\n",
        ),
        (("--help",), "2>&- > /dev/full", 1, "", ""),
        (("--version",), "| true", 0, "", ""),
        (("enumerate", "." * 36), "| head -n 2 | wc -l", 0, "2\n", ""),
        (("build", WIDE, "--json"), "<&- 2>&- | wc -l", 0, "1\n", ""),
    ],
)
def test_bad_streams_in_a_new_interpreter(
    shell_in: Callable[..., subprocess.CompletedProcess[str]],
    arguments: tuple[str, ...],
    after: str,
    code: int,
    out: str,
    err: str,
) -> None:
    """Its start and its end, too."""
    ended = shell_in(*arguments, after=f"{after}; exit ${{PIPESTATUS[0]}}")
    said = "\n".join(
        line for line in ended.stderr.splitlines() if not line.startswith(("dlx:", "frontier:"))
    )
    assert (ended.returncode, ended.stdout, said.strip()) == (code, out, err.strip())


_IN_A_FINALISER = """
import os, signal, time
from bddsudoku.cli.entry import in_one_line, signals_unwind, standard_streams

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)

with standard_streams(), in_one_line(), signals_unwind(ending=True):
    Late()
    time.sleep(20)
    print("went on")
"""


_WHILE_PYTHON_COMPILES = """
import signal
from bddsudoku.cli import entry

came = lost = 0

def ring(number, frame):
    global came
    came += 1
    raise entry._Unwinding

signal.signal(signal.SIGALRM, ring)
for i in range(200):
    came = 0
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 * (i + 1))
        compile("x = 2**64\\n" * 300, "", "exec")  # works powers out, where signals are looked at
        lost += came
        signal.setitimer(signal.ITIMER_REAL, 0)
    except entry._Unwinding:
        pass
print(lost)
"""


def test_a_signal_while_python_compiles_is_not_lost() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _WHILE_PYTHON_COMPILES], capture_output=True, text=True, check=False
    )
    assert told.stdout == "0\n", told.stderr


def test_a_signal_in_a_finaliser_is_not_lost() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _IN_A_FINALISER], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stdout) == (128 + signal.SIGTERM, "")
    assert told.stderr == "bddsudoku: terminated\n"

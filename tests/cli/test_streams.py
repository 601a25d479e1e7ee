"""Every command with files that cannot be written, closed streams, a full disk and sudden ends.

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
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from cli.commands import COMMANDS, FILES, WIDE, WRITERS, leaves
from cli.forked import CLOSED, Ended, Program

pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists() or not hasattr(os, "fork"), reason="needs Linux"
)

NO_INPUT = "bddsudoku: <standard input>: cannot be read: Bad file descriptor"
SOME = (
    "count", "enumerate", "enumerate npy", "enumerate json", "build", "sample", "hints",
    "minimal", "generate", "cover sample", "tiling draw", "formula build",
    "numberlink draw",
)  # fmt: skip
"""Commands with different ways of reading and printing."""
FIRST = (
    "enumerate --output", "enumerate npy --output", "compile --output", "compile --dot",
    "compile --plot", "marginals --plot", "tiling draw --output", "report --output",
)  # fmt: skip
"""A command for each kind of file that is written."""
GRID = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
DATA = Path(__file__).parents[2] / "data"
LONG = (
    f"minimal {DATA}/paper/35.txt",
    f"unavoidable {GRID} --size 9",
    f"analyse {DATA}/paper/30.txt",
    f"count {DATA}/sizes/12x12.txt --engine frontier",
    f"hints {DATA}/paper/18.txt",
    f"build {DATA}/paper/28.txt",
    f"enumerate {'.' * 36} --output all.txt",
    f"report {DATA}/paper/33.txt --output page.html",
    f"check {DATA}/paper/30.txt",
    f"formula {DATA}/formula/magic_4.formula count",
    f"numberlink {DATA}/numberlink/many_10x10.txt count",
    "generate -n 100",
)
"""Commands that take some seconds."""
SIGNALS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    folder = tmp_path_factory.mktemp("program")
    fill(folder)
    warm: list[tuple[str, ...]] = [COMMANDS[name].whole for name in SOME]
    for command, option, ending in map(WRITERS.__getitem__, FIRST):
        warm.append(command.writing(option, f"warm{ending}"))
    warm += [COMMANDS["cover compile"].whole, COMMANDS["formula count"].whole]
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
    """What is where: kind and permissions, and what regular files hold."""
    return {
        str(path): (mode, path.read_bytes() if stat.S_ISREG(mode) else None)
        for path in sorted(folder.rglob("*"))
        for mode in (path.lstat().st_mode,)
    }


def well_ended(ended: Ended, *codes: int) -> None:
    """Assert one of the exit codes, without a traceback or warnings of Python."""
    assert ended.code in codes, ended
    assert "Traceback" not in ended.err, ended
    assert "Exception ignored" not in ended.err, ended


def messages(ended: Ended) -> list[str]:
    """Messages about what went wrong."""
    return [line for line in ended.err.splitlines() if line.startswith(("bddsudoku:", "Error:"))]


def steady(text: str) -> str:
    """Remove figures, which may be times, and spaces that depend on their width."""
    return re.sub(r"[\d,.]+( ms| s| MiB| KiB)?|[\s-]+", "", text)


@contextlib.contextmanager
def opened(path: str | Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


# -- nothing is forgotten ------------------------------------------------------------------------


def test_every_command_and_every_file_to_write_is_in_the_table() -> None:
    for path, command in leaves():
        if path in (("explore",), ("mcp",)):  # servers do not end by themselves
            continue
        assert " ".join(path) in COMMANDS
        mine = [c for name, c in COMMANDS.items() if f"{name} ".startswith(" ".join(path) + " ")]
        tried = {option for c in mine for option, _ in c.writes}
        for param in command.params:
            assert not isinstance(param.type, click.Path | click.File), param
            if param.type.name == "FILE":
                assert tried & set(param.opts), (path, param.opts)


# -- files to write ------------------------------------------------------------------------------


def older(folder: Path, ending: str, mode: int = 0o640) -> str:
    """A file that is there already."""
    path = folder / f"old{ending}"
    path.write_text("old")
    path.chmod(mode)
    return path.name


@pytest.mark.parametrize("name", FIRST)
def test_what_cannot_be_written_is_refused_and_nothing_changes(
    program: Program, folder: Path, name: str
) -> None:
    command, option, ending = WRITERS[name]
    read_only = older(folder, ending, 0o444)
    (folder / f"link{ending}").symlink_to(read_only)
    before = listing(folder)
    for target in (f"missing/new{ending}", f"link{ending}"):
        ended = program.run(command.writing(option, target), folder)
        well_ended(ended, 2)
        assert len(messages(ended)) == 1, (target, ended)
        assert not ended.out
        assert listing(folder) == before, target


@pytest.mark.parametrize("name", FIRST)
def test_files_are_made_replaced_and_followed(program: Program, folder: Path, name: str) -> None:
    command, option, ending = WRITERS[name]
    (folder / f"link{ending}").symlink_to(older(folder, ending))
    texts = []
    for target, real in ((f"link{ending}", f"old{ending}"), (f"new{ending}", f"new{ending}")):
        before = listing(folder)
        well_ended(program.run(command.writing(option, target), folder), 0)
        changed = listing(folder)
        mode, text = changed.pop(str(folder / real))
        before.pop(str(folder / real), None)
        assert changed == before
        assert stat.S_IMODE(mode) == (0o640 if target.startswith("link") else 0o666 & ~umask())
        assert is_whole(folder / real)
        texts.append(text)
    if ending not in (".html", ".set", ".pdf") and "sample" not in name:  # these tell times
        assert texts[0] == texts[1]


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_whole(path: Path) -> bool:
    """Whether a file that a command wrote is complete."""
    data = path.read_bytes()
    match path.suffix:
        case ".set":
            from bddsudoku.diagrams.set_files import load

            return load(path) is not None
        case ".npy":
            return bool(np.load(path).shape == (24, 16))
        case ".png":
            return data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")
    ends = {".pdf": b"%%EOF", ".svg": b"</svg>", ".html": b"</html>", ".dot": b"}"}
    return data.endswith(b"\n") and data.rstrip().endswith(ends.get(path.suffix, b""))


@pytest.mark.parametrize("name", FIRST)
def test_pipes_and_devices_are_written_to_and_stay(
    program: Program, folder: Path, name: str
) -> None:
    command, option, ending = WRITERS[name]
    (folder / f"full{ending}").symlink_to("/dev/full")
    pipe = folder / f"pipe{ending}"
    os.mkfifo(pipe)
    before = listing(folder)
    ended = program.run(command.writing(option, f"full{ending}"), folder)
    well_ended(ended, 1)
    assert messages(ended) == [f"bddsudoku: full{ending}: No space left on device"]
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    well_ended(program.run(command.writing(option, pipe.name), folder), 0)
    reader.join()
    assert listing(folder) == before
    (folder / f"out{ending}").write_bytes(got[0])
    assert is_whole(folder / f"out{ending}")


@pytest.mark.parametrize("name", FIRST)
def test_an_older_file_stays_after_every_other_code_than_0(
    program: Program, folder: Path, name: str
) -> None:
    command, option, ending = WRITERS[name]
    (folder / "wrong.txt").write_text("12\n3x\n")
    arguments = command.writing(option, older(folder, ending))
    asked = list(arguments)
    asked[command.reads] = "wrong.txt"
    before = listing(folder)
    with opened("/dev/full", os.O_WRONLY) as full:
        for words, more, codes in (
            (asked, {}, (1,)),
            (arguments, {"file_size": 5}, (1,)),
            ((*arguments, "--time-limit", "1ms"), {}, (0, 3)),
            (arguments, {"stdout": full}, (0, 1)),
        ):
            ended = program.run(words, folder, **more)
            well_ended(ended, *codes)
            assert ended.code == 0 or listing(folder) == before, (words, more)


def test_what_is_read_may_be_what_is_written(program: Program, folder: Path) -> None:
    """A text is read line by line, a set is mapped into memory while it is replaced."""
    for form in ("npy", "csv"):
        fill(folder)
        for target in ("other", "wide.txt"):
            asked = ("enumerate", "wide.txt", "--format", form, "--output", target)
            well_ended(program.run(asked, folder), 0)
        assert (folder / "wide.txt").read_bytes() == (folder / "other").read_bytes()
    fill(folder)
    for asked in (
        ("compile", "wide.txt", "--output", "wide.set"),
        ("compile", "wide.set", "--output", "wide.set"),
        ("enumerate", "wide.set", "--output", "wide.set"),
        ("cover", "cover.txt", "compile", "--output", "cover.set"),
        ("cover", "cover.set", "enumerate", "--output", "cover.set"),
    ):
        well_ended(program.run(asked, folder), 0)
    assert len((folder / "wide.set").read_text().splitlines()) == 24


# -- sudden ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize("moments", [3, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("command", LONG)
def test_a_signal_at_any_moment_ends_a_command_with_one_line(
    program: Program, folder: Path, command: str, moments: int
) -> None:
    before, rng = listing(folder), random.Random(command)
    for number, word in islice(cycle(SIGNALS.items()), moments):
        process = program.start(command.split(), folder)
        time.sleep(rng.uniform(0.05, moments / 10))
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
        ended = program.end()
        # 3: at a limit of its own; a negative code before handlers are set
        well_ended(ended, 0, 3, 128 + number, -number)
        assert ended.code <= 3 or messages(ended)[-1].startswith(f"bddsudoku: {word}")
        if ended.code == 0:  # it was done before the signal came, and has written its file
            (folder / "page.html").unlink(missing_ok=True)
        assert listing(folder) == before


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupted_stream_says_how_many_lines_were_written(
    program: Program, folder: Path, number: signal.Signals
) -> None:
    out, into = os.pipe()
    process = program.start(("sample", "wide.txt", "-n", "1000000000"), folder, stdout=into)
    os.close(into)
    with open(out, "rb") as stream:
        lines = stream.read(1_000_000).count(b"\n")
        os.kill(process, number)
        lines += stream.read().count(b"\n")
    ended = program.end()
    well_ended(ended, 128 + number)
    assert ended.err == f"bddsudoku: {SIGNALS[number]}; {lines:,} lines were written\n"


# -- standard streams ----------------------------------------------------------------------------


def with_every_bad_stream(program: Program, folder: Path, arguments: tuple[str, ...]) -> None:
    """Answers that are lost are told, those that nobody reads any more are not; answers come
    whatever becomes of the messages, and of an input that nobody reads."""
    usual = program.run(arguments, folder)
    well_ended(usual, 0)
    code = 1 if usual.out else 0
    with opened("/dev/full", os.O_WRONLY) as full, opened(os.devnull, os.O_RDONLY) as mute:
        for stream, why in ((CLOSED, "Bad file descriptor"), (full, "No space left on device")):
            ended = program.run(arguments, folder, stdout=stream)
            well_ended(ended, code)
            if usual.out:
                (line,) = messages(ended)
                assert re.fullmatch(rf"bddsudoku: standard output: {why}(; .* written)?", line)
        ended = program.run(arguments, folder, stdin=CLOSED, stdout=mute, stderr=CLOSED)
        well_ended(ended, code)
        streams: dict[str, int]
        for streams in ({"stderr": full}, {"stdin": CLOSED, "stderr": CLOSED}):
            ended = program.run(arguments, folder, **streams)
            well_ended(ended, 0)
            if "sample" not in arguments:
                assert steady(ended.out) == steady(usual.out), streams
    reader, writer = os.pipe()
    os.close(reader)
    ended = program.run(arguments, folder, stdout=writer)
    os.close(writer)
    well_ended(ended, 0)
    assert not messages(ended)


@pytest.mark.parametrize("name", SOME)
def test_every_command_with_every_bad_stream(program: Program, folder: Path, name: str) -> None:
    with_every_bad_stream(program, folder, COMMANDS[name].whole)


@pytest.mark.parametrize("name", SOME)
def test_closed_standard_input_is_reported(program: Program, folder: Path, name: str) -> None:
    arguments = COMMANDS[name].reading("-")
    before = listing(folder)
    for stream in (CLOSED, None):  # None: nothing to read
        ended = program.run(arguments, folder, stdin=stream)
        well_ended(ended, 1)
        (line,) = messages(ended)
        assert line == NO_INPUT or stream is None
    assert listing(folder) == before


READERS = {
    "a formula": ("formula", "{}", "count"),
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
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    with opened(pipe, os.O_RDWR):  # nothing is written into it, and nobody closes it
        arguments = [a.format("pipe") for a in READERS[name]]
        ended = program.run([*arguments, "--time-limit", "0.2"], folder)
    well_ended(ended, 3)
    assert messages(ended) == ["bddsudoku: time limit of 0.2 s reached"]


def test_a_closed_stream_is_not_taken_for_the_file_that_is_opened_next(
    program: Program, folder: Path
) -> None:
    """Descriptor 1 or 2 would otherwise be the set, and the messages would go into it."""
    for streams in ({"stdout": CLOSED}, {"stderr": CLOSED}, {"stdin": CLOSED, "stderr": CLOSED}):
        ended = program.run(("compile", "wide.txt", "--output", "new.set"), folder, **streams)
        if "stdout" in streams:  # its results could not be written
            assert (ended.code, (folder / "new.set").exists()) == (1, False)
        else:
            assert is_whole(folder / "new.set")
            (folder / "new.set").unlink()


@pytest.mark.parametrize("name", WRITERS)
def test_no_file_is_called_minus(program: Program, folder: Path, name: str) -> None:
    command, option, _ = WRITERS[name]
    ended = program.run(command.writing(option, "-"), folder)
    assert (ended.code, (folder / "-").exists()) in ((0, False), (2, False))
    assert ended.code == 0 or "expected a file, found - (a file of that name is ./-)" in ended.err


GRID = "123456789456789123789123456214365897365897214897214365531642978642978531978531642"


@pytest.mark.parametrize(
    "arguments",
    [
        ("minimal", GRID, "--time-limit", "2", "--output", "old.set"),
        ("unavoidable", GRID, "--size", "6", "--output", "old.set"),
        ("analyse", "." * 81, "--no-hints", "--time-limit", "1", "--plot", "old.svg"),
    ],
)
def test_a_file_stays_where_a_limit_ends_the_command(
    program: Program, folder: Path, arguments: tuple[str, ...]
) -> None:
    (folder / arguments[-1]).write_text("old")
    well_ended(program.run(arguments, folder), 3)
    assert (folder / arguments[-1]).read_text() == "old"


# -- the real thing, in a new interpreter ----------------------------------------------------------


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("arguments", "after", "code", "out", "err"),
    [
        (("count", "-"), "<&-", 1, "", f"{NO_INPUT}\n"),
        (("count", WIDE), "<&- >&- 2>&-", 1, "", ""),
        (("enumerate", "." * 36), "| head -n 2 | wc -l", 0, "2\n", ""),
    ],
)
def test_bad_streams_in_a_new_interpreter(
    folder: Path, arguments: tuple[str, ...], after: str, code: int, out: str, err: str
) -> None:
    """Its start and its end, too."""
    line = f'"$@" {after}; exit ${{PIPESTATUS[0]}}'
    ended = subprocess.run(
        ["bash", "-c", line, "bash", sys.executable, "-m", "bddsudoku", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    expected = [
        line
        for line in ended.stderr.splitlines(True)
        if not line.startswith(("dlx:", "frontier:", "bddsudoku: compiling"))
    ]
    assert (ended.returncode, ended.stdout, "".join(expected).strip()) == (code, out, err.strip())


_IN_A_FINALISER = """
import os, signal, time
from bddsudoku.cli import lifecycle

class Late:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.1)

streams, errors = lifecycle.replace_standard_streams(), lifecycle.report_errors_in_one_line()
with streams, errors, lifecycle.raise_on_first_signal(ends_process=True):
    Late()
    time.sleep(20)
    print("went on")
"""


def test_a_signal_is_never_lost() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _IN_A_FINALISER], capture_output=True, text=True, check=False
    )
    expected = ended.returncode, ended.stdout, ended.stderr
    assert expected == (128 + signal.SIGTERM, "", "bddsudoku: terminated\n")

"""Atomic writing of files, and reading of texts of bounded length."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from types import FrameType

import pytest

from bddsudoku import file_io as files
from bddsudoku.cli.lifecycle import ResultWriter
from bddsudoku.context import Context
from bddsudoku.diagrams import set_files as saved
from bddsudoku.errors import DamagedFileError, LimitReached, PuzzleFormatError
from bddsudoku.file_io import (
    open_atomic,
    open_atomic_text,
    parse_json,
    read_stream_text,
    read_text,
    remove_partial_files,
    require_writable,
    write_text,
)
from bddsudoku.puzzle.exact_cover import ExactCover


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Run a test without root's right to write everywhere."""
    if os.geteuid() == 0:
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


def listing(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    """Every name with its mode and, for regular files, what is in it."""
    return {
        p.name: (p.lstat().st_mode, p.read_bytes() if p.is_file() and not p.is_symlink() else None)
        for p in folder.iterdir()
    }


@pytest.mark.parametrize("older", [b"old", None])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_everything_as_it_was(
    tmp_path: Path, older: bytes | None, error: type[BaseException]
) -> None:
    target = tmp_path / "file"
    if older is not None:
        target.write_bytes(older)
    before = listing(tmp_path)

    def stumble() -> None:
        with open_atomic_text(target) as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        stumble()
    assert listing(tmp_path) == before
    assert not files._partial_files


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o222])
def test_an_older_file_keeps_its_permissions_and_owner(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "file"
    target.touch()
    if os.geteuid() == 0:
        os.chown(target, 65534, 65533)
    target.chmod(mode)
    before = target.stat()
    write_text(target, "new")
    after = target.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real = tmp_path / "there" / "file"
    real.write_text("old")
    (tmp_path / "link").symlink_to("there/file")
    (tmp_path / "second").symlink_to(tmp_path / "link")
    (tmp_path / "dangling").symlink_to("there/other")
    write_text(tmp_path / "second", "new")
    write_text(tmp_path / "dangling", "new, too")
    assert real.read_text() == "new"
    assert (tmp_path / "there" / "other").read_text() == "new, too"
    assert all((tmp_path / name).is_symlink() for name in ("link", "second", "dangling"))


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("folder", IsADirectoryError, "directory"),
        ("link", IsADirectoryError, "directory"),
        ("", FileNotFoundError, "No such file"),
        ("folder/", IsADirectoryError, "directory"),
        ("new/", FileNotFoundError, "No such file"),
        ("file/", NotADirectoryError, "Not a directory"),
        ("file/x", NotADirectoryError, "Not a directory"),
        ("missing/x", FileNotFoundError, "there is no folder"),
        ("read-only", PermissionError, "denied"),
        ("x" * 256, OSError, "name too long"),
        (".", IsADirectoryError, "directory"),
        ("ring", OSError, "symbolic links"),
    ],
)
def test_what_cannot_be_written_is_refused_first(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    error: type[OSError],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("link").symlink_to("folder")
    Path("ring").symlink_to("ring")
    Path("file").write_text("old")
    Path("read-only").write_text("old")
    Path("read-only").chmod(0o444)
    before = listing(tmp_path)
    for call in (require_writable, lambda path: write_text(path, "new")):
        with pytest.raises(error, match=says) as caught:
            call(name)
        assert caught.value.filename == name
    assert listing(tmp_path) == before


def test_a_folder_that_takes_nothing_is_refused_first(as_nobody: None) -> None:
    for call in (require_writable, lambda path: write_text(path, "new")):
        with pytest.raises(PermissionError, match="no file can be made in its folder"):
            call("/new")


@pytest.mark.parametrize("name", ["/dev/fd/1", "link"])
def test_our_own_descriptors_are_not_opened_anew(tmp_path: Path, name: str) -> None:
    """What stands in the file behind standard output stays there."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    program = (
        "import os, sys; from bddsudoku.file_io import require_writable, write_text\n"
        "sys.stdout.write('before\\n'); sys.stdout.flush()\n"
        "require_writable(sys.argv[1]); write_text(sys.argv[1], 'by name\\n')\n"
        "sys.stdout.write('after\\n')"
    )
    if not os.path.lexists(tmp_path / name):
        pytest.skip("no such name here")
    with (tmp_path / "out").open("w") as out:
        out.write("first\n")
        out.flush()
        subprocess.run([sys.executable, "-c", program, tmp_path / name], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "first\nbefore\nby name\nafter\n"


def test_unfinished_files_can_be_discarded_from_any_thread(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with suppress(FileNotFoundError), open_atomic(target) as file:
        file.write(b"new")
        thread = threading.Thread(target=remove_partial_files)
        thread.start()
        thread.join()
        assert list(listing(tmp_path)) == ["file"]
        assert target.read_text() == "old"
    assert list(listing(tmp_path)) == ["file"]


def test_a_forked_child_leaves_its_parents_file_alone(tmp_path: Path) -> None:
    with open_atomic(tmp_path / "file") as file:
        file.write(b"new")
        file.flush()
        if (child := os.fork()) == 0:
            remove_partial_files()
            os._exit(0)
        os.waitpid(child, 0)
    assert (tmp_path / "file").read_text() == "new"


def killed_at(step: int, target: Path) -> bool:
    """Write in a child that kills itself at a step of the module; return whether it did."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            seen = 0

            def trace(frame: object, event: str, arg: object) -> object:
                nonlocal seen
                if frame.f_code.co_filename != files.__file__:  # type: ignore[attr-defined]
                    return None
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return trace

            sys.settrace(trace)  # type: ignore[arg-type]
            with open_atomic(target) as file:
                for _ in range(5):
                    file.write(b"new" * 50_000)
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert status == 0 or os.WIFSIGNALED(status)
    return status != 0


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("older", [b"old", None])
def test_killed_at_any_line_the_target_is_absent_old_or_whole(
    tmp_path: Path, older: bytes | None, every: int
) -> None:
    target = tmp_path / "file"
    whole = b"new" * 250_000
    seen = set()
    for step in range(1, 2000, every):
        for left in tmp_path.iterdir():
            left.unlink()
        if older is not None:
            target.write_bytes(older)
        killed = killed_at(step, target)
        names = {p.name for p in tmp_path.iterdir()} - {"file"}
        assert all(n.startswith(".bddsudoku-") and n.endswith(".partial") for n in names)
        assert len(names) <= 1
        text = target.read_bytes() if target.exists() else None
        assert text in (older, whole), step
        seen.add(text)
        if not killed:
            assert text == whole
            assert not names
            break
    assert step > 50
    assert seen == {older, whole}


def test_lines_are_counted_and_errors_name_standard_output() -> None:
    out, into = os.pipe()
    stream = ResultWriter(io.FileIO(into, "wb"), 1 << 10)
    stream.write(memoryview(b"a\nb\n"))
    stream.flush()
    assert (stream.lines, os.read(out, 10)) == (2, b"a\nb\n")
    os.close(out)
    stream.write(b"x")
    for refused in (stream.flush, lambda: stream.write(b"x" * 200_000)):
        with pytest.raises(BrokenPipeError) as caught:
            refused()
        assert caught.value.filename == "standard output"
    stream.raw.close()


def test_interrupted_again_and_again_nothing_is_written_twice() -> None:
    """A handler that raises while the system takes bytes, as SIGINT's does."""

    class Bell(Exception):
        pass

    def ring(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_name == "write":
            raise Bell

    out, into = os.pipe()
    got: list[bytes] = []

    def read() -> None:
        with open(out, "rb", 0) as file:
            while piece := file.read(1 << 12):
                got.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    stream = ResultWriter(io.FileIO(into, "wb"), 1 << 17)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    passed, rung, end = 0, 0, time.monotonic() + 0.4
    try:
        while time.monotonic() < end:
            with suppress(Bell):
                passed += 1
                rung += 1
                stream.write(b"%07d\n" % passed * 2000)
                rung -= 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    stream.flush()
    stream.close()
    reader.join()
    runs = [(int(n), sum(1 for _ in group)) for n, group in groupby(b"".join(got).split())]
    assert rung > 3
    assert [n for n, _ in runs] == sorted({n for n, _ in runs})
    assert all(length == 2000 for _, length in runs)
    assert passed - rung <= len(runs) <= passed


# -- reading ----------------------------------------------------------------------------------


class Endless(io.RawIOBase):
    """An endless stream of the same bytes; reading too many of them fails the test.

    Attributes:
        given: bytes that were read.
    """

    def __init__(self, data: bytes, head: bytes = b"", pause: float = 0.0) -> None:
        self.given = 0
        self._head, self._data, self._pause = head, data, pause

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        assert self.given < 1 << 27, "somebody reads on and on"
        time.sleep(self._pause)
        piece = (self._head or self._data * (len(buffer) // len(self._data)))[: len(buffer)]
        self._head = b""
        buffer[: len(piece)] = piece
        self.given += len(piece)
        return len(piece)


def test_a_text_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffa ü\r\nb".encode())
    assert read_text(path) == "a ü\r\nb"
    assert read_stream_text(io.BytesIO(b""), "x") == ""
    assert read_stream_text(io.BytesIO(b"x" * 100), "x", max_bytes=100) == "x" * 100


@pytest.mark.parametrize("most", [1000, 1 << 20])
def test_endless_input_is_refused(most: int) -> None:
    source = Endless(b"a b\n")
    with pytest.raises(
        PuzzleFormatError, match=rf"^x: expected at most {most:,} bytes, found more$"
    ):
        read_stream_text(source, "x", max_bytes=most)
    assert source.given <= most + (1 << 20)


def test_a_text_obeys_the_memory_limit() -> None:
    source = Endless(b"a b\n")
    with pytest.raises(LimitReached, match=r"^memory limit reached while x was read") as stop:
        read_stream_text(source, "x", Context(max_memory=300 << 20))
    assert stop.value.limit == "memory"
    assert source.given < 6 << 20
    assert len(read_stream_text(io.BytesIO(b"a" * 1000), "x", Context(max_memory=64_000))) == 1000


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"\0", "line 1, column 1", "0x00"),
        (b"a\nbc\xffd\n", "line 2, column 3", "0xff"),
        (b"# \xff\na\0b\n", "line 2, column 2", "0x00"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(data: bytes, place: str, byte: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        read_stream_text(io.BytesIO(data), "x")
    assert str(caught.value) == f"x, {place}: expected UTF-8 text, found byte {byte}"


def test_a_saved_set_through_a_pipe_ends_where_it_says(tmp_path: Path) -> None:
    from bddsudoku import solve

    path = tmp_path / "cover.set"
    solve(ExactCover("ab", ["a", "b"])).save(path)
    whole = path.read_bytes()
    assert saved.load(saved.read_set_bytes(io.BytesIO(whole), "x")).count == saved.load(path).count
    source = Endless(b"\0", head=whole)
    with pytest.raises(DamagedFileError, match="longer than it should be"):
        saved.load(saved.read_set_bytes(source, "x"), name="x")  # type: ignore[arg-type]
    assert source.given < 4 << 20
    with pytest.raises(DamagedFileError, match="damaged: the first bytes"):
        saved.read_set_bytes(Endless(b"\0", head=whole[:20]), "x")  # type: ignore[arg-type]
    with pytest.raises(LimitReached, match="memory limit reached while x was read"):
        saved.read_set_bytes(io.BytesIO(whole), "x", Context(max_memory=len(whole) - 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "x, line 1, column 2: expected JSON: "),
        ("[1,\n2,]", "x, line 2, column 3: expected JSON: "),
        ("[" * 100_000, "x: expected JSON: it is nested too deep"),
        ('{"a": 1, "b": 2, "a": 1}', "x: expected JSON: the name 'a' stands twice"),
        ("9" * 5000, "x: expected JSON: a number has more than 4,300 digits"),
    ],
)
def test_wrong_json_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        parse_json(text, "x")
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


# -- nobody goes another way ---------------------------------------------------------------------

ROOT = Path(__file__).parent.parent
_WRITES = re.compile(
    r"""\b(?:open|fdopen)\([^()]*(?:\([^()]*\)[^()]*)*["'][rb]*[wax+][bt+]*["']|\.open\(["'][wax]
    |\.(?:write_text|write_bytes|savefig|tofile)\(
    |\b(?:os|shutil|np|numpy)\.(?:replace|rename|link|copy|copyfile|move|save|savez|savetxt)\(""",
    re.VERBOSE,
)
_ALLOWED = {
    "bddsudoku/work/task.py": 1,  # frames into a pipe
    "bddsudoku/cli/lifecycle.py": 1,  # the null device
    "bddsudoku/jit/kernel_cache.py": 1,  # the cache of machine code: never anybody's file
    "bddsudoku/cli/warm_up_command.py": 1,  # small uses in a temporary folder
    "bddsudoku/report/plots.py": 2,  # a picture into a buffer; into what this module has opened
    "experiments/build_wheel.py": 2,  # a wheel in the tree's dist
    "experiments/first_use.py": 2,  # small puzzles in a temporary folder
    "experiments/harness.py": 1,  # results, one by one
    "experiments/list_forms.py": 1,  # lists in a temporary folder
    "experiments/showing.py": 1,  # a picture into what this module opened
    "docs/hooks.py": 1,  # the site that is being built
    "docs/pictures/_drawing.py": 1,  # pictures of that site
}
"""Number of permitted calls in each file that write, or look like it."""


def test_nothing_writes_files_by_itself() -> None:
    found: dict[str, int] = {}
    for folder in ("bddsudoku", "experiments", "data", "docs"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            calls = len(_WRITES.findall(path.read_text(encoding="utf-8")))
            if calls and path != Path(files.__file__):
                found[str(path.relative_to(ROOT))] = calls
    assert found == _ALLOWED

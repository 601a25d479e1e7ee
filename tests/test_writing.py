"""Files are written whole or not at all: the module by itself, with and without nameless files."""

from __future__ import annotations

import ast
import errno
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
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import pytest

from bddsudoku import streams
from bddsudoku import writing as module
from bddsudoku.streams import Stream, line_count
from bddsudoku.writing import (
    discard_unfinished,
    require_writable,
    write_text,
    writing,
    writing_text,
)

OURS = {module.__file__, streams.__file__}


@pytest.fixture(params=["nameless", "named"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to a file that is not there yet; file systems differ in what they can."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("no nameless files here")
    return str(request.param)


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Without root's right to write everywhere."""
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


def test_the_older_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with writing(target) as file:
        file.write(b"new " * 100_000)
        file.flush()
        assert target.read_text() == "old"
    assert target.read_bytes() == b"new " * 100_000
    assert list(listing(tmp_path)) == ["file"]


def test_a_new_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    with writing_text(tmp_path / "file") as file:
        file.write("so ein\nKäse")
        assert not (tmp_path / "file").exists()
    assert (tmp_path / "file").read_bytes() == "so ein\nKäse".encode()


@pytest.mark.parametrize("older", [b"old", None])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, OSError])
def test_an_error_leaves_everything_as_it_was(
    tmp_path: Path, older: bytes | None, error: type[BaseException]
) -> None:
    target = tmp_path / "file"
    if older is not None:
        target.write_bytes(older)
    before = listing(tmp_path)

    def stumble_in_text() -> None:
        with writing_text(target) as file:
            file.write("half")
            raise error

    def stumble() -> None:
        with writing(target) as file:
            file.write(b"half")
            raise error

    for call in (stumble_in_text, stumble):
        with pytest.raises(error):
            call()
    assert listing(tmp_path) == before
    assert not module._unfinished


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_new_file_has_the_permissions_of_an_ordinary_one(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "ours", "")
        (tmp_path / "usual").touch()
    finally:
        os.umask(before)
    ours, usual = (stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("ours", "usual"))
    assert ours == usual == 0o666 & ~mask


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


def test_links_in_a_ring_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for call in (require_writable, lambda path: write_text(path, "")):
        with pytest.raises(OSError, match="symbolic links") as caught:
            call(tmp_path / "a")
        assert caught.value.errno == errno.ELOOP


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


def test_in_a_sticky_folder_only_owners_replace(as_nobody: None) -> None:
    """A file that everybody may write, but whose name only its owner may take away."""
    if os.geteuid() != 65534:
        pytest.skip("takes two users")
    with TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o1777)
        os.seteuid(0)
        target = Path(folder, "file")
        target.write_text("old")
        target.chmod(0o666)
        os.chown(folder, 0, 0)
        os.seteuid(65534)
        for call in (require_writable, lambda path: write_text(path, "new")):
            with pytest.raises(PermissionError):
                call(target)
        assert os.listdir(folder) == ["file"]
        os.seteuid(0)


def test_the_name_in_an_error_is_the_one_that_was_given(tmp_path: Path) -> None:
    """Also when the target becomes a folder meanwhile, or its folder goes away."""
    folder = tmp_path / "folder"
    folder.mkdir()

    def meanwhile(act: Callable[[], None]) -> None:
        with writing(folder / "file") as file:
            file.write(b"new")
            act()

    def remove() -> None:
        for left in folder.iterdir():
            left.unlink()
        folder.rmdir()

    with pytest.raises(OSError) as caught:
        meanwhile((folder / "file").mkdir)
    assert caught.value.filename == str(folder / "file")
    assert [p.name for p in folder.iterdir()] == ["file"]
    (folder / "file").rmdir()
    with pytest.raises(FileNotFoundError) as caught:
        meanwhile(remove)
    assert caught.value.filename == str(folder / "file")


def test_somebody_else_may_make_the_file_meanwhile(tmp_path: Path) -> None:
    with writing(tmp_path / "file") as file:
        file.write(b"ours")
        (tmp_path / "file").write_text("theirs")
    assert listing(tmp_path).keys() == {"file"}
    assert (tmp_path / "file").read_text() == "ours"


def test_what_is_read_may_be_what_is_written(tmp_path: Path) -> None:
    target = tmp_path / "file"
    lines = "".join(f"{i}\n" for i in range(200_000))
    target.write_text(lines)
    with target.open() as source, writing_text(target) as file:
        for line in source:
            file.write(line)
    assert target.read_text() == lines


def test_devices_and_pipes_are_written_to_and_stay(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    require_writable(pipe)
    write_text(pipe, "through\n")
    reader.join()
    assert got == [b"through\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_text(os.devnull, "away")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full disk")
def test_a_full_disk_is_named_and_its_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    require_writable(tmp_path / "full")
    with pytest.raises(OSError, match="No space left") as caught:
        write_text(tmp_path / "full", "much")
    assert caught.value.filename == str(tmp_path / "full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_an_interrupted_stream_says_how_far_it_came(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()

    def stumble() -> None:
        with writing_text(pipe) as file:
            file.write("a\nb\nc\n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        stumble()
    reader.join()
    assert got == [b"a\nb\nc\n"]
    assert caught.value.__notes__ == [f"3 lines were written to {pipe}"]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_our_own_descriptors_are_not_opened_anew(tmp_path: Path, name: str, way: str) -> None:
    """What stands in the file behind standard output stays there."""
    (tmp_path / "link").symlink_to("/dev/stdout")
    program = (
        "import os, sys; from bddsudoku.writing import require_writable, write_text\n"
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


def test_a_closed_descriptor_is_refused() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"), writing("/dev/fd/987"):
        pass


def test_unfinished_files_can_be_discarded_from_any_thread(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with suppress(FileNotFoundError), writing(target) as file:
        file.write(b"new")
        thread = threading.Thread(target=discard_unfinished)
        thread.start()
        thread.join()
        assert list(listing(tmp_path)) == ["file"]
        assert target.read_text() == "old"
    assert list(listing(tmp_path)) == ["file"]


def test_a_forked_child_leaves_its_parents_file_alone(tmp_path: Path) -> None:
    with writing(tmp_path / "file") as file:
        file.write(b"new")
        file.flush()
        if (child := os.fork()) == 0:
            discard_unfinished()
            os._exit(0)
        os.waitpid(child, 0)
    assert (tmp_path / "file").read_text() == "new"


_WRITER = """
import os, signal, sys, time
from bddsudoku.writing import writing
if sys.argv[2] == "named":
    del os.O_TMPFILE
if sys.argv[3] == "pipe":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
if sys.argv[3] == "int":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
with writing(sys.argv[1]) as file:
    file.write(b"new")
    file.flush()
    print("now", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("name", ["int", "term", "hup", "pipe"])
def test_signals_that_end_the_process_leave_nothing(tmp_path: Path, way: str, name: str) -> None:
    number = signal.Signals[f"SIG{name.upper()}"]
    target = tmp_path / "file"
    target.write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, target, way, name], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"now\n"
        writer.send_signal(number)
        assert writer.wait(20) == -number
    assert {n: text for n, (_, text) in listing(tmp_path).items()} == {"file": b"old"}


def test_handlers_are_put_back_and_those_of_others_stay(tmp_path: Path) -> None:
    def others(number: int, frame: object) -> None: ...

    before = signal.signal(signal.SIGTERM, others), signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with writing(tmp_path / "file"):
            assert signal.getsignal(signal.SIGTERM) is others
            assert signal.getsignal(signal.SIGHUP) is module._end
        assert signal.getsignal(signal.SIGTERM) is others
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGHUP, before[1])


def test_other_threads_write_too(tmp_path: Path) -> None:
    thread = threading.Thread(target=write_text, args=(tmp_path / "file", "new"))
    thread.start()
    thread.join()
    assert (tmp_path / "file").read_text() == "new"


def killed_at(step: int, target: Path, way: str) -> bool:
    """Write in a child that kills itself at the given step of these modules; whether it did."""
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            seen = 0

            def trace(frame: object, event: str, arg: object) -> object:
                nonlocal seen
                if frame.f_code.co_filename not in OURS:  # type: ignore[attr-defined]
                    return None
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return trace

            sys.settrace(trace)  # type: ignore[arg-type]
            with writing(target) as file:
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
    tmp_path: Path, way: str, older: bytes | None, every: int
) -> None:
    target = tmp_path / "file"
    whole = b"new" * 250_000
    seen = set()
    for step in range(1, 2000, every):
        for left in tmp_path.iterdir():
            left.unlink()
        if older is not None:
            target.write_bytes(older)
        killed = killed_at(step, target, way)
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
    assert step > 100
    assert seen == {older, whole}


def test_lines_are_counted_as_the_system_takes_them() -> None:
    out, into = os.pipe()
    stream = Stream(into, "the pipe")
    rng = random.Random(1)
    lines = 0
    for _ in range(50):
        text = bytes(rng.choices(b"ab\n", k=rng.randrange(50)))
        before = stream.lines
        stream.write(memoryview(text))
        assert stream.lines == before
        stream.flush()
        lines += text.count(b"\n")
        assert stream.lines == lines
    os.close(out)
    stream.write(b"\n")
    with pytest.raises(BrokenPipeError) as caught:
        stream.flush()
    assert (stream.lines, caught.value.filename) == (lines, "the pipe")
    stream.give_up()
    assert stream.closed


def test_a_stream_that_would_block_is_waited_for() -> None:
    out, into = os.pipe()
    os.set_blocking(into, False)
    got: list[bytes] = []

    def read() -> None:
        with open(out, "rb") as file:
            got.append(file.read())

    reader = threading.Thread(target=read)
    with Stream(into, "the pipe") as stream:
        reader.start()
        for i in range(100_000):
            stream.write(b"%d\n" % i)
    reader.join()
    assert got == [b"".join(b"%d\n" % i for i in range(100_000))]
    assert stream.lines == 100_000


def test_interrupted_again_and_again_nothing_is_written_twice() -> None:
    """A handler that raises at any moment of a write, as SIGINT's does."""

    class Bell(Exception):
        pass

    def ring(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_filename == streams.__file__:
            raise Bell

    out, into = os.pipe()
    got: list[bytes] = []

    def read() -> None:
        with open(out, "rb", 0) as file:
            while piece := file.read(1 << 16):
                got.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    stream = Stream(into, "the pipe")
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    passed, rung, end = 0, 0, time.monotonic() + 0.4
    try:
        while time.monotonic() < end:
            try:
                stream.write(b"%07d\n" % passed * 2000)
                passed += 1
                stream.flush()
            except Bell:
                rung += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    stream.flush()
    lines = stream.lines
    stream.close()
    reader.join()
    text = b"".join(got)
    assert rung > 20
    assert lines == text.count(b"\n")
    # A write that was interrupted before it was taken is made anew, with the same number.
    runs = [(n, sum(1 for _ in group)) for n, group in groupby(text.split())]
    assert [int(n) for n, _ in runs] == sorted({int(n) for n, _ in runs})
    assert all(length % 2000 == 0 for _, length in runs)
    assert sum(length for _, length in runs) <= 2000 * (passed + rung)


_ON_A_SMALL_DISK = """
mount -t tmpfs -o size=64k none "$1" || exit 77
cd "$1" || exit 77
printf old > file
"$0" -c '
import os, sys
from bddsudoku.writing import writing
if sys.argv[1] == "named":
    del os.O_TMPFILE
for name in ("file", "new"):
    try:
        with writing(name) as file:
            for _ in range(100):
                file.write(b"much" * 1000)
    except OSError as error:
        print(error)
print(sorted(os.listdir()), open("file").read())
' "$2"
"""


def test_a_disk_that_fills_up_loses_nothing(tmp_path: Path, way: str) -> None:
    """A real one, of 64 KiB, where we may mount one for ourselves."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    told = subprocess.run(
        ["unshare", "-m", "sh", "-c", _ON_A_SMALL_DISK, sys.executable, tmp_path, way],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    if told.returncode in (1, 77):
        pytest.skip(f"no mounts here: {told.stderr}")
    assert told.stdout == (
        "[Errno 28] No space left on device: 'file'\n"
        "[Errno 28] No space left on device: 'new'\n"
        "['file'] old\n"
    )


def test_line_counts_are_said_properly() -> None:
    assert line_count(1) == "1 line was written"
    assert line_count(1234) == "1,234 lines were written"


# -- nobody goes another way ---------------------------------------------------------------------

ROOT = Path(__file__).parent.parent
_WRITES = {"write_text", "write_bytes", "savefig", "tofile", "save_figure"}
_MOVES = {"replace", "rename", "link", "copy", "copyfile", "move"}
_ALLOWED = {
    "bddsudoku/work/serving.py": 1,  # frames into a pipe
    "bddsudoku/work/journal.py": 2,  # appends; a lock
    "bddsudoku/cli/entry.py": 1,  # the null device
    "bddsudoku/jit/folders.py": 1,  # the cache of machine code: never anybody's file
    "bddsudoku/report/plots.py": 2,  # a picture into a buffer; into what this module has opened
    "bddsudoku/report/html_parts.py": 1,  # a picture into a buffer
    "experiments/showing.py": 1,  # a picture into what this module opened
    "docs/hooks.py": 1,  # the site that is being built
    "docs/pictures/_drawing.py": 1,  # pictures of that site
}
"""Calls that look like the writing of a file, and are none, or are meant."""


def writing_calls(path: Path) -> Iterator[ast.Call]:
    """Calls that open a file for writing, write one, or move one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else attribute
        modes = [
            a.value
            for a in [*node.args, *(k.value for k in node.keywords if k.arg == "mode")]
            if isinstance(a, ast.Constant) and isinstance(a.value, str)
        ]
        of_module = isinstance(owner, ast.Name) and owner.id in ("os", "shutil", "np", "numpy")
        if (
            (
                name in ("open", "fdopen")
                and any(re.fullmatch(r"[wax+bt]*[wax+][bt]*", m) for m in modes)
            )
            or attribute in _WRITES
            or (of_module and attribute in _MOVES | {"save", "savez", "savetxt"})
        ):
            yield node


def test_nothing_writes_files_by_itself() -> None:
    found: dict[str, int] = {}
    for folder in ("bddsudoku", "experiments", "data", "docs"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path != Path(module.__file__) and (calls := list(writing_calls(path))):
                own = [c for c in calls if ast.unparse(c.func) not in ("harness.save_figure",)]
                if own:
                    found[str(path.relative_to(ROOT))] = len(own)
    assert found == _ALLOWED

"""Journals: what is done stays done, whatever happens in between."""

from __future__ import annotations

import json
import multiprocessing
import os
import zlib
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from working import journaled, open_journals

from bddsudoku.cli import main
from bddsudoku.errors import BddSudokuError, DamagedFileError
from bddsudoku.work import Journal, LocalRunner, Task


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1.5, -(1 << 200), "ä\n", {"$int": "5"}, {}],
    ],
)
def test_values_come_back_as_they_were(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "journal"
    with Journal(path, {}) as journal:
        journal.add("12", [value])
    with Journal(path, {}) as journal:
        (back,) = cast("list[Any]", journal.value("12"))
    assert back == value


def test_what_json_cannot_hold_is_told(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "journal", {}) as journal,
        pytest.raises(BddSudokuError, match=r"cannot be kept in a journal: .* object"),
    ):
        journal.add("12", [object()])


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path, {"what": "squares"})
    tasks = [Task("working:square", n) for n in range(5)]
    done = [o.result() for o in journaled(LocalRunner(), journal).run(tasks[:3])]
    journal.close()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"key": "12')  # a process killed in the middle of a line
    again = Journal(path, {"what": "squares"})
    assert again.was_truncated
    assert len(again) == 3
    found = list(journaled(LocalRunner(), again).run(tasks, ordered=True))
    assert done == [0, 1, 4]
    assert [o.result() for o in found] == [0, 1, 4, 9, 16]
    assert [o.where for o in found] == ["journal"] * 3 + ["here"] * 2
    again.close()
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [set(r) for r in records[1:]] == [{"key", "value", "seconds", "where", "crc"}] * 5


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal", {}) as journal:
        (found,) = journaled(LocalRunner(), journal).run([Task("working:wrong")])
        assert str(found.error) == "no such thing"
        assert len(journal) == 0


def test_another_question_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    Journal(path, {"what": "squares"}).close()
    with pytest.raises(BddSudokuError, match=r"a journal of another question: .*squares.*, not"):
        Journal(path, {"what": "cubes"})
    with monkeypatch.context() as patch:
        patch.setattr("bddsudoku.work.journal.code_stamp", lambda: "0.1.0 (sources 0123456789ab)")
        with pytest.raises(BddSudokuError, match="written by other code") as caught:
            Journal(path, {"what": "squares"})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        b"000000010400000000\n",
        b"a note",
        b"{}",
        b"{}\n{}\n",
        b'{"one": "line of JSON"}',
        b"[" * 9999 + b"\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\0" * 2000,
        b'{"journal": "bddsudoku", "format": 3, "code": "0.9',  # the beginning of another head
    ],
    ids=range(9),
)
def test_a_file_that_is_no_journal_is_left_as_it_is(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(text)
    with pytest.raises(BddSudokuError, match="file: expected a journal of bddsudoku, or no file"):
        Journal(path, {"what": "squares"})
    assert path.read_bytes() == text


def test_journals_of_the_older_format_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text('{"journal": "bddsudoku", "code": "1.0.0 (sources 12)", "question": {}}\n')
    with pytest.raises(BddSudokuError, match=r"another format, written by 1\.0\.0 .*begin anew"):
        Journal(path, {})


def filled(path: Path) -> list[bytes]:
    """A journal of three squares; its lines."""
    with Journal(path, {"what": "squares"}) as journal:
        list(journaled(LocalRunner(), journal).run([Task("working:square", n) for n in range(3)]))
    return path.read_bytes().splitlines(keepends=True)


def test_a_head_that_was_cut_off_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    head, *_ = filled(path)
    for size in (0, 1, 20, len(head) - 1):
        path.write_bytes(head[:size])
        with Journal(path, {"what": "squares"}) as journal:
            assert (len(journal), journal.was_truncated) == (0, size > 0)
        assert path.read_bytes() == head


def test_nothing_but_a_last_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    lines = filled(path)
    for cut in range(1, len(lines[3]) + 1):
        path.write_bytes(b"".join(lines)[:-cut])
        with Journal(path, {"what": "squares"}) as journal:
            assert (len(journal), journal.was_truncated) == (2, cut < len(lines[3]))
        assert path.read_bytes() == b"".join(lines[:3])


DAMAGES = {
    "line 2: expected a line of JSON": (1, b"{", b"\n{"),
    "line 3: expected a line of JSON": (2, b', "seconds"', b"\n"),
    "line 3: its checksum is wrong": (2, b'"value": 1', b'"value": 7'),
    "line 4: its checksum is wrong": (3, b'"value"', b'"other"'),
    "line 1: its checksum is wrong": (0, b"squares", b"cubes"),
}
"""What stands at the beginning of a line, and what somebody wrote instead."""


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_refused_with_its_number(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "journal"
    lines = filled(path)
    number, old, new = DAMAGES[damage]
    lines[number] = lines[number].replace(old, new, 1)
    path.write_bytes(b"".join(lines))
    with pytest.raises(DamagedFileError, match=f"journal, {damage}") as caught:
        Journal(path, {"what": "squares"})
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"key": 12, "value": 5}, "expected the members key and value"),
    ],
)
def test_values_that_nobody_wrote_are_refused(
    tmp_path: Path, record: dict[str, Any], message: str
) -> None:
    path = tmp_path / "journal"
    Journal(path, {}).close()
    text = json.dumps(record)[:-1].encode()
    with path.open("ab") as file:
        file.write(b'%b, "crc": "%08x"}\n' % (text, zlib.crc32(text)))
    with pytest.raises(DamagedFileError, match=f"journal, line 2: {message}") as caught:
        Journal(path, {})
    assert "\n" not in str(caught.value)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("folder", "pipe", "link", "/dev/full"):
        if Path(tmp_path, name).exists():
            with pytest.raises(BddSudokuError, match=f"{name}: expected a regular file"):
                Journal(tmp_path / name, {})


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "journal"
    with pytest.raises(FileNotFoundError, match="there is no folder") as caught:
        Journal(path, {})
    assert caught.value.filename == str(path)
    outcome = CliRunner().invoke(main, ["count", "1" + "." * 15, "--journal", str(path)])
    assert outcome.exit_code == 1
    assert outcome.stderr == f"bddsudoku: {path}: there is no folder {path.parent}\n"
    assert not path.parent.exists()


def test_a_disk_that_is_full_leaves_whole_lines(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "journal"
    with Journal(path, {}) as journal:
        journal.add("first", 1)
        before = path.read_bytes()
        context = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 40, context[1]))
        try:
            with pytest.raises(OSError, match="File too large") as caught:
                journal.add("second", "much" * 100)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, context)
        assert caught.value.filename == str(path)
        assert path.read_bytes() == before
        journal.add("third", 3)
    with Journal(path, {}) as journal:
        assert [key in journal for key in ("first", "second", "third")] == [True, False, True]


def test_commands_keep_hints_puzzle_by_puzzle(tmp_path: Path) -> None:
    puzzles, path = tmp_path / "list.txt", tmp_path / "journal"
    boards = ["1" + "." * 15, "12.." + "." * 12, "123." + "." * 12, "1...2..." + "." * 8]
    puzzles.write_text("\n".join(boards), encoding="utf-8")
    asked = ["hints", str(puzzles), "--journal", str(path)]
    outcome = CliRunner().invoke(main, asked)
    assert outcome.exit_code == 0
    assert len(path.read_bytes().splitlines()) == 1 + len(boards)
    path.write_bytes(path.read_bytes()[:-9])
    again = CliRunner().invoke(main, asked)
    assert (again.stdout, again.exit_code) == (outcome.stdout, 0)
    assert f"{path}: the last line was cut off and is dropped\n" in again.stderr
    assert f"{path}: 3 parts are done already\n" in again.stderr
    refused = CliRunner().invoke(main, ["hints", str(puzzles), "--journal", str(puzzles)])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "expected a journal of bddsudoku, or no file\n" in refused.stderr
    assert puzzles.read_text(encoding="utf-8") == "\n".join(boards)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    journal = Journal(tmp_path / "journal", {})
    with pytest.raises(BddSudokuError, match="another process is writing"):
        Journal(tmp_path / "journal", {})
    journal.close()
    Journal(tmp_path / "journal", {}).close()


def test_two_processes_on_one_new_journal_are_never_both_let_in(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    spawning = multiprocessing.get_context("spawn")
    barrier, let_in = spawning.Barrier(2), spawning.Array("i", 40)
    arguments = (str(tmp_path), len(let_in), barrier, let_in)
    both = [spawning.Process(target=open_journals, args=arguments) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
        process.close()
    assert set(let_in[:]) == {1}
    for path in tmp_path.iterdir():
        with Journal(path, {"what": "squares"}) as journal:
            assert len(journal) == 1


def test_a_journal_whose_file_is_replaced_keeps_its_own(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    path, moved = tmp_path / "journal", tmp_path / "moved"
    with Journal(path, {}) as journal:
        path.rename(moved)
        with Journal(path, {}) as other:
            journal.add("1", 1)
            other.add("2", 2)
    for left in (path, moved):
        with Journal(left, {}) as found:
            assert len(found) == 1

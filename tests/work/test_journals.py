"""Journals: what is done stays done, whatever happens in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bddsudoku.errors import BddSudokuError
from bddsudoku.work import Here, Journal, Task
from bddsudoku.work.encoding import from_json, to_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.sampled_from(["$int", "$dict", "$array"]), inner)
    ),
)


@given(VALUES)
def test_values_come_back_as_they_were(value: object) -> None:
    text = json.dumps(to_json(value))
    back = from_json(json.loads(text))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12, dtype=np.uint16).reshape(3, 4)[:, ::2],
        np.zeros((0, 81), dtype=np.uint8),
        np.array([[1 << 70, -3], [0, 1 << 62]], dtype=object),
        np.array(5.5),
        np.array([True, False]),
    ],
)
def test_arrays_come_back_as_they_were(array: Any) -> None:
    back = from_json(json.loads(json.dumps(to_json(array))))
    assert isinstance(back, np.ndarray)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert (back == array).all()


def test_what_json_cannot_hold_is_told() -> None:
    with pytest.raises(BddSudokuError, match="a object cannot be kept in a journal"):
        to_json([object()])


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    journal = Journal(path, {"what": "squares"})
    tasks = [Task("working:square", n) for n in range(5)]
    done = [o.result() for o in Here().run(tasks[:3], journal=journal)]
    journal.close()
    with path.open("a", encoding="utf-8") as file:
        file.write('{"key": "12')  # a process killed in the middle of a line
    again = Journal(path, {"what": "squares"})
    assert len(again) == 3
    found = list(Here().run(tasks, ordered=True, journal=again))
    assert done == [0, 1, 4]
    assert [o.result() for o in found] == [0, 1, 4, 9, 16]
    assert [o.where for o in found] == ["journal"] * 3 + ["here"] * 2
    again.close()
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [set(r) for r in records[1:]] == [{"key", "value", "seconds", "where"}] * 5


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal", {}) as journal:
        (found,) = Here().run([Task("working:wrong")], journal=journal)
        assert str(found.error) == "no such thing"
        assert len(journal) == 0


def test_another_question_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    Journal(path, {"what": "squares"}).close()
    with pytest.raises(BddSudokuError, match=r"a journal of another question: .*squares.*, not"):
        Journal(path, {"what": "cubes"})
    text = path.read_text(encoding="utf-8").replace("sources ", "sources 0")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BddSudokuError, match="written by other code") as caught:
        Journal(path, {"what": "squares"})
    assert "\n" not in str(caught.value)
    path.write_text("000000010400000000\n", encoding="utf-8")
    with pytest.raises(BddSudokuError, match="expected a journal of bddsudoku"):
        Journal(path, {"what": "squares"})
    assert path.read_text(encoding="utf-8") == "000000010400000000\n"


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    journal = Journal(tmp_path / "journal", {})
    with pytest.raises(BddSudokuError, match="another process is writing"):
        Journal(tmp_path / "journal", {})
    journal.close()
    Journal(tmp_path / "journal", {}).close()

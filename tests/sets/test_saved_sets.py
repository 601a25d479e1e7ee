from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import diagram_of, families, power_set
from hypothesis import given, settings

from bddsudoku import compile_set, solve
from bddsudoku.diagrams import set_files as files
from bddsudoku.errors import BddSudokuError, DamagedFileError
from bddsudoku.numberlink import Board as LinkBoard
from bddsudoku.numberlink.link_sets import compile_links, load_link_set
from bddsudoku.puzzle.exact_cover import ExactCover
from bddsudoku.puzzle.formula import Problem
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.tiling import Board, Tiling
from bddsudoku.puzzle.tiling.polyomino import pieces
from bddsudoku.sets.decoder import KeyDecoder
from bddsudoku.sets.gridset import GridSet, set_from_stored
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver import sources

DECODERS = {SudokuDecoder.kind: SudokuDecoder.from_dict}


def load(path: Path, decoders: Any = None, *, verify: bool = True) -> Any:
    return set_from_stored(files.load(path, verify=verify), decoders)


@pytest.fixture
def solutions() -> GridSet:
    """Two grids that differ in a rectangle of four cells."""
    found = solve(Puzzle.parse("..343412..434321"), "frontier")
    return GridSet(found.diagram, found.decoder, fixed=found.fixed, info={"engine": "a test"})


@pytest.fixture
def path(solutions: GridSet, tmp_path: Path) -> Path:
    target = tmp_path / "set.bss"
    solutions.count()
    solutions.save(target)
    return target


def test_round_trip(solutions: GridSet, path: Path) -> None:
    for verify in (True, False):
        loaded = load(path, DECODERS, verify=verify)
        assert type(loaded) is GridSet
        assert loaded.diagram == solutions.diagram
        assert loaded.fixed == solutions.fixed
        assert loaded.info == solutions.info
        assert loaded.decoder.puzzle == solutions.decoder.puzzle
        assert (loaded.count(), loaded) == (2, solutions)
        assert "2 solutions" in repr(loaded)
        base = loaded.diagram.low
        assert not base.flags.writeable
        while base.base is not None and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap), "mapped, not read"
    assert GridSet.load(path, DECODERS) == solutions
    assert np.array_equal(load(path)[0], np.array(solutions[0].cells).reshape(4, 4))
    with pytest.raises(DamagedFileError, match="holds a GridSet, not a SolutionSet"):
        SolutionSet.load(path, DECODERS)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@settings(deadline=None, max_examples=30)
@given(families())
def test_families_of_any_kind(tmp_path_factory, drawn) -> None:
    target = tmp_path_factory.mktemp("set") / "s"
    s = SolutionSet(diagram_of(*drawn), KeyDecoder("edges"), fixed=[99, 98])
    s.save(target)
    loaded = SolutionSet.load(target)
    assert loaded == s
    assert loaded.diagram == s.diagram
    assert list(loaded) == list(s)


def test_counts_of_any_length(tmp_path: Path) -> None:
    levels = 20_000
    s = SolutionSet(power_set(levels))
    assert s.count() == 1 << levels
    assert repr(s)
    s.save(tmp_path / "s")
    assert load(tmp_path / "s").count() == 1 << levels


@pytest.mark.parametrize("part", [0.0, 0.01, 0.2, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("verify", [True, False])
def test_truncated_files_are_refused(path: Path, part: float, verify: bool) -> None:
    data = path.read_bytes()
    cut = path.with_name("cut")
    cut.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(DamagedFileError, match=r"truncated|not a saved") as caught:
        load(cut, DECODERS, verify=verify)
    assert "\n" not in str(caught.value)
    assert str(cut) in str(caught.value)


def test_a_flipped_bit_is_found_wherever_it_is(path: Path) -> None:
    data = path.read_bytes()
    flipped = path.with_name("flipped")
    for at in (*range(0, 700, 5), *range(700, len(data), 13)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        flipped.write_bytes(changed)
        with pytest.raises(DamagedFileError):
            load(flipped, DECODERS)


@pytest.mark.parametrize(
    "data", [b"", b"\x89BSS", b"PK\x03\x04" + bytes(200), b"1" * 81, b"\0" * 64]
)
def test_foreign_files_are_refused(tmp_path: Path, data: bytes) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(data)
    with pytest.raises(DamagedFileError, match="not a saved solution set"):
        load(foreign)


def header_of(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return json.loads(data[32 : 32 + struct.unpack("<I", data[12:16])[0]])


def with_header(path: Path, text: bytes, version: int = files.VERSION) -> Path:
    """The file with another header, of at most as many bytes, whose checksums are right."""
    data = path.read_bytes()
    size = struct.unpack("<I", data[12:16])[0]
    assert len(text) <= size
    text = text.ljust(size)
    preamble = struct.pack("<8sIIQI", data[:8], version, size, len(data), zlib.crc32(text))
    out = path.with_name("rewritten")
    out.write_bytes(preamble + struct.pack("<I", zlib.crc32(preamble)) + text + data[32 + size :])
    return out


def rewritten(path: Path, change) -> Path:
    """The file with a changed header, see :func:`with_header`."""
    header = header_of(path)
    version = change(header) or files.VERSION
    return with_header(path, json.dumps(header).encode(), version)


def section(**changes):
    return lambda header: header["sections"]["low"].update(changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: 2, "format version 2; this release reads version 1"),
        (lambda h: h.update(root=99999), "do not fit together"),
        (lambda h: h.update(root=2), "no canonical diagram"),
        (lambda h: h.update(sections=None), "makes no sense"),
        (lambda h: h["decoder"].update(puzzle="9" * 16), "makes no sense"),
        (lambda h: h.update(fixed=[99999]), "makes no sense"),
        (section(offset=-64), "section low"),
        (section(offset=1 << 40), "past the end"),
        (section(items=3), "do not fit together"),
        (section(dtype="<i8"), "section low"),
    ],
)
def test_headers_that_lie_are_refused(path: Path, change, message: str) -> None:
    with pytest.raises(DamagedFileError, match=message) as caught:
        load(rewritten(path, change), DECODERS)
    assert "\n" not in str(caught.value)


def test_arrays_that_lie_are_refused(path: Path, solutions: GridSet) -> None:
    """A child out of range with a right checksum would crash what runs on the arrays."""
    data = bytearray(path.read_bytes())
    size = struct.unpack("<I", data[12:16])[0]
    place = json.loads(data[32 : 32 + size])["sections"]["high"]
    at, span = place["offset"], place["bytes"]
    data[at + 8 : at + 12] = struct.pack("<I", 1 << 30)
    path.write_bytes(data)
    lying = rewritten(
        path,
        lambda h: h["sections"]["high"].update(crc32=zlib.crc32(data[at : at + span])),
    )
    with pytest.raises(DamagedFileError, match="no canonical diagram"):
        load(lying, DECODERS)


@pytest.mark.parametrize("count", ["0x49", "x", None])
def test_the_count_in_a_header_is_not_believed(path: Path, count: str | None) -> None:
    loaded = load(rewritten(path, lambda h: h.update(count=count)), DECODERS)
    assert (loaded.count(), len(list(loaded))) == (2, 2)


def test_a_header_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.set"
    wide = SolutionSet(power_set(2), info={"room": " " * 2000})
    wide.save(path)
    with pytest.raises(DamagedFileError, match="the header is not JSON"):
        load(with_header(path, b"[" * 1100))


SAVED = {
    "grid": (Puzzle.parse("1...............\nthermo r2c2 r2c3"), "frontier", sources.load),
    "decomposed": (Puzzle.parse("1..............."), "components", sources.load),
    "cover": (ExactCover("ab", ["a", "b", "ab"]), "frontier", sources.load_covers),
    "tiling": (
        Tiling(Board.parse("2x3"), pieces("L3,I2")), "frontier", sources.load_covers
    ),
    "formula": (
        Problem.parse("symbol a b\ninteger c in 1..3\na | b | (c == 2)\n"),
        "frontier", sources.load_assignments,
    ),
    "links": (LinkBoard.parse("1.2\n...\n1.2\n"), "", load_link_set),
}  # fmt: skip


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a JSON value."""
    inner: Any = enumerate(value) if isinstance(value, list) else ()
    for key, child in value.items() if isinstance(value, dict) else inner:
        yield (*above, key)
        yield from places(child, (*above, key))


@pytest.mark.parametrize("kind", SAVED)
def test_every_other_type_at_every_place_of_a_header(tmp_path: Path, kind: str) -> None:
    puzzle, engine, read = SAVED[kind]
    path = tmp_path / "some.set"
    made: Any = solve(puzzle, engine) if engine else compile_links(puzzle).solutions
    made.info["room"] = "x" * 64
    made.save(path)
    refused = 0
    for place in places(header_of(path)):
        for value in (None, True, -1, 1.5, 10**30, "x", [], [5], [[1]], {}, {"a": 1}):
            header = header_of(path)
            inner: Any = header
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            try:
                changed = read(with_header(path, json.dumps(header).encode()))
                assert isinstance(changed.count(), int), (place, value)
                list(changed)
                hash(changed.space)
            except BddSudokuError:
                refused += 1
    assert refused > 100


def test_a_set_without_an_ordered_diagram_is_not_compiled(tmp_path: Path) -> None:
    solve(Puzzle([0] * 16), "components").save(tmp_path / "dnnf.set")
    with pytest.raises(BddSudokuError, match="expected a set on a ZDD"):
        compile_set(tmp_path / "dnnf.set")

"""The file format of saved solution sets: one file with checksums, loaded by memory mapping.

Layout, all numbers little-endian:

====== ======= ====================================================================================
offset bytes   meaning
====== ======= ====================================================================================
0      8       magic ``89 42 53 53 0D 0A 1A 0A`` ("BSS" between bytes that text modes mangle)
8      4       format version, 1
12     4       H, length of the header (a multiple of 64 less 32, padded with spaces)
16     8       length of the whole file
24     4       CRC-32 of the header
28     4       CRC-32 of bytes 0 to 27
32     H       header: one JSON object
32 + H …       sections, each padded with zeros to a multiple of 64 bytes
====== ======= ====================================================================================

The header's members: ``set`` (the kind of set: ``GridSet``, ``SolutionSet`` or ``DnnfGridSet``),
``root``, ``count`` (hexadecimal; None if it was never computed), ``fixed`` (keys true in every
solution), ``decoder`` (the description of the puzzle's decoder: for Sudoku layout and puzzle line),
``info`` (any), and ``sections``: for each array its ``dtype``, ``offset``, number of ``items``,
``bytes`` with padding, and ``crc32`` of those bytes. The arrays are

* of a ZDD (:class:`bddsudoku.diagrams.zdd.Diagram`) ``labels`` (int64, the key of every level, top
  first: the order), ``variable`` (uint16), ``low`` and ``high`` (uint32), terminals included;
* of a decision-DNNF (:class:`bddsudoku.diagrams.dnnf.DecisionDnnf`) ``labels``,
  ``branch_at``, ``child_at``, ``literal_at`` (int64), ``child`` and ``literal`` (int32).

Loading maps the sections instead of reading them. Magic, version, header checksum and file length
are always checked, which is instant and detects foreign and truncated files. By default every byte
and the arrays' structure are checked as well (one sequential pass, some 0.1 s for 10**7 nodes), so
that a damaged file can neither crash a kernel nor give wrong results; ``verify=False`` omits this
for trusted files.

``Any`` stands for JSON values and for the arguments of a decoder of any puzzle.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams.canonical import CANONICAL, classify_node_order
from bddsudoku.diagrams.dnnf import DecisionDnnf
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import BddSudokuError, DamagedFileError
from bddsudoku.file_io import MAGIC, Readable, open_atomic, read_chunks
from bddsudoku.jit.decorators import U8, AnyArray

VERSION = 1

_PREAMBLE = struct.Struct("<8sIIQI")
_HEADER_STRUCT = 32
_ALIGN = 64
_ZDD_ARRAYS = (("labels", "<i8"), ("variable", "<u2"), ("low", "<u4"), ("high", "<u4"))
_DNNF_ARRAYS = (
    ("labels", "<i8"), ("branch_at", "<i8"), ("child_at", "<i8"), ("literal_at", "<i8"),
    ("child", "<i4"), ("literal", "<i4"),
)  # fmt: skip

DecoderFactory = Callable[[Mapping[str, Any]], Any]
"""Makes a decoder from its saved description, e.g. ``SudokuDecoder.from_dict``."""


@dataclass(frozen=True, eq=False)
class StoredSet:
    """The contents of a file of a saved solution set.

    Attributes:
        kind: the kind of set, such as ``GridSet``.
        diagram: the family.
        fixed: keys that are true in every solution.
        count: number of solutions; None if it was never computed, and in a set that was loaded.
        decoder: the decoder's description.
        info: any further data.
        source: the file that it was read from, for messages.
    """

    kind: str
    diagram: Diagram | DecisionDnnf
    fixed: tuple[int, ...]
    count: int | None
    decoder: Mapping[str, Any]
    info: Mapping[str, Any]
    source: str | Path | None = None


def save(stored: StoredSet, path: str | Path) -> None:
    """Write a set to a file atomically: the file appears only when it is complete.

    Args:
        stored: the set; its arrays may be mapped from the file that is replaced.
        path: the file (see :mod:`bddsudoku.file_io`).

    Raises:
        OSError: the file cannot be written.
    """
    diagram = stored.diagram
    described = _DNNF_ARRAYS if isinstance(diagram, DecisionDnnf) else _ZDD_ARRAYS
    parts: list[Any] = []
    sections: dict[str, dict[str, Any]] = {}
    for name, dtype in described:
        array = np.ascontiguousarray(getattr(diagram, name), dtype=dtype)
        padding = bytes(-array.nbytes % _ALIGN)
        parts += [array.data, padding]
        sections[name] = {
            "dtype": dtype,
            "offset": 0,
            "items": len(array),
            "bytes": array.nbytes + len(padding),
            "crc32": zlib.crc32(padding, zlib.crc32(array.data)),
        }
    header = {
        "set": stored.kind,
        "root": diagram.root,
        "count": None if stored.count is None else hex(stored.count),
        "fixed": list(stored.fixed),
        "decoder": stored.decoder,
        "info": stored.info,
        "sections": sections,
    }
    # offsets depend on the header's length, and that on the offsets: reserve their digits
    header_bytes = _HEADER_STRUCT + len(json.dumps(header).encode()) + 20 * len(sections)
    header_bytes += -header_bytes % _ALIGN
    at = header_bytes
    for section in sections.values():
        section["offset"] = at
        at += section["bytes"]
    text = json.dumps(header).encode().ljust(header_bytes - _HEADER_STRUCT)
    preamble = _PREAMBLE.pack(MAGIC, VERSION, len(text), at, zlib.crc32(text))
    with open_atomic(path) as file:
        file.write(preamble + struct.pack("<I", zlib.crc32(preamble)) + text)
        for part in parts:
            file.write(part)


def load(source: str | Path | U8, *, verify: bool = True, name: str | None = None) -> StoredSet:
    """Load the content of a saved set's file; its arrays are mapped into memory, not copied.

    Args:
        source: a path, or all bytes of a file (mapped, or read from a pipe).
        verify: check every byte and the diagram's structure. Without it only the header and the
            file's length are checked; untrusted files should be verified.
        name: name of the source in messages when it is bytes.

    Raises:
        DamagedFileError: the file is foreign, of another version, truncated or damaged.
        OSError: the file cannot be read.
    """
    if isinstance(source, (str, Path)):
        named: str | Path = Path(source)
        raw = _map_file(source)
    else:
        named, raw = name or "<bytes>", source
    header = _read_header(named, raw)
    with decoding_errors_as_damage(named):
        return StoredSet(
            header["set"],
            _read_diagram(named, header, raw, verify),
            header["fixed"],
            None,  # it may be wrong: a set is counted
            header["decoder"],
            header["info"],
            named,
        )


@contextmanager
def decoding_errors_as_damage(source: str | Path | None) -> Iterator[None]:
    """A ``with`` block for decoding a file's header, in which errors become DamagedFileError.

    Raises:
        DamagedFileError: in place of every error that data of another form cause.
    """
    try:
        yield
    except DamagedFileError:
        raise
    except (
        BddSudokuError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
        ValueError,
    ) as error:  # fmt: skip
        raise DamagedFileError(f"{source}: the header makes no sense ({error})") from None


def _map_file(path: str | Path) -> U8:
    """Map a file's bytes into memory, or read them if it is empty or not a regular file."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size:
            return np.memmap(file, dtype=np.uint8, mode="r")
        return read_set_bytes(file, str(path))


def read_set_bytes(stream: Readable, name: str, context: Context = UNLIMITED) -> U8:
    """Read the bytes of a saved set from a stream, and one more if more follow, to show the excess.

    Args:
        stream: open for binary reading.
        name: name of the stream in messages.
        context: limits of time and memory.

    Raises:
        DamagedFileError: the stream does not begin as a saved set.
        LimitReached: a limit of the context is reached.
        OSError: the stream cannot be read.
    """
    data = bytearray()
    length: int | None = None
    for chunk in read_chunks(stream, name, context):
        data += chunk
        if length is None and len(data) >= _HEADER_STRUCT:
            _, length, _ = _read_preamble(name, data[:_HEADER_STRUCT])
        if context.max_memory is not None and len(data) > context.max_memory:
            raise context.limit_error(f"while {name} was read", limit="memory")
        if length is not None and len(data) > length:
            del data[length + 1 :]
            break
    raw = np.frombuffer(data, dtype=np.uint8)
    raw.flags.writeable = False
    return raw


def _read_preamble(source: str | Path, preamble: bytes | bytearray) -> tuple[int, int, int]:
    """Check the first 32 bytes; return header length, file length and the header's CRC-32."""
    if preamble[:8] != MAGIC:
        raise DamagedFileError(f"{source}: not a saved solution set")
    if len(preamble) < _HEADER_STRUCT:
        raise DamagedFileError(f"{source}: truncated: {len(preamble)} bytes, no header")
    _, version, size, length, checksum = _PREAMBLE.unpack(preamble[:28])
    if struct.unpack("<I", preamble[28:])[0] != zlib.crc32(preamble[:28]):
        raise DamagedFileError(f"{source}: damaged: the first bytes do not match their checksum")
    if version != VERSION:
        raise DamagedFileError(
            f"{source}: format version {version}; this release reads version {VERSION}"
        )
    return size, length, checksum


def _read_header(source: str | Path, raw: U8) -> dict[str, Any]:
    """Check a saved set's length and header checksum; return the header, parsed from JSON."""
    size, length, checksum = _read_preamble(source, raw[:_HEADER_STRUCT].tobytes())
    if len(raw) != length:
        how = "truncated" if len(raw) < length else "longer than it should be"
        raise DamagedFileError(f"{source}: {how}: {len(raw)} bytes instead of {length}")
    text = raw[_HEADER_STRUCT : _HEADER_STRUCT + size].tobytes()
    if zlib.crc32(text) != checksum:
        raise DamagedFileError(f"{source}: damaged: the header does not match its checksum")
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedFileError(f"{source}: the header is not JSON") from None
    if not isinstance(header, dict):
        raise DamagedFileError(f"{source}: the header is not a JSON object")
    return header


def _read_diagram(
    source: str | Path, header: dict[str, Any], raw: U8, verify: bool
) -> Diagram | DecisionDnnf:
    """Make the diagram as a view of a saved set's bytes; check all of these if ``verify``."""

    def section(name: str, dtype: str) -> AnyArray:
        found = header["sections"][name]
        offset, items, span = (int(found[key]) for key in ("offset", "items", "bytes"))
        nbytes = items * np.dtype(dtype).itemsize
        if found["dtype"] != dtype or offset % _ALIGN or min(offset, items) < 0:
            raise DamagedFileError(f"{source}: section {name} is not what it should be")
        if not (nbytes <= span and offset + span <= len(raw)):
            raise DamagedFileError(f"{source}: section {name} reaches past the end of the file")
        if verify and zlib.crc32(raw[offset : offset + span].data) != found["crc32"]:
            raise DamagedFileError(f"{source}: damaged: section {name} does not match its checksum")
        array = raw[offset : offset + nbytes].view(dtype).view(np.ndarray)
        return array.astype(np.dtype(dtype).newbyteorder("="), copy=False)

    is_dnnf = "branch_at" in header["sections"]
    root = int(header["root"])
    parts: list[Any] = [section(*each) for each in (_DNNF_ARRAYS if is_dnnf else _ZDD_ARRAYS)]
    parts.append(root)
    if is_dnnf:
        found = DecisionDnnf(*parts)
        if not found.is_well_formed:  # always checked, because kernels rely on it
            raise DamagedFileError(f"{source}: the arrays are no decision-DNNF")
        return found
    d = Diagram(*parts)
    size = d.size
    if not (len(d.low) == len(d.high) == size >= 2 and 0 <= root < size and d.levels < 0xFFFF):
        raise DamagedFileError(f"{source}: the sections do not fit together")
    if verify and not (
        (d.variable[:2] == d.levels).all()
        and d.low[:2].tolist() == d.high[:2].tolist() == [0, 1]
        and len(np.unique(d.labels)) == d.levels
        and classify_node_order(d.variable, d.low, d.high, root, d.levels, np.zeros(size, np.uint8))
        == CANONICAL
    ):
        raise DamagedFileError(f"{source}: the arrays are no canonical diagram")
    return d

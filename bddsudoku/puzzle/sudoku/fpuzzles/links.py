"""Links that hold a puzzle, and the compressed text in them."""

from __future__ import annotations

import re
from urllib.parse import unquote

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.fpuzzles.lzstring import decompress_from_base64

_HOST = re.compile(r"^(?:https?://)?[\w-]+(?:\.[\w-]+)+")
_QUERY = re.compile(r"[?&](load|id|puzzleid|puzzle)=([^&\#]*)")
_BARE = re.compile(r"(?:^|/)((?:fpuz(?:zles)?|sc[lf]|ctc)[^?&\#]{6,}|N4[^?&\#]*)")
_PREFIX = re.compile(r"fpuz(?:zles)?|sc[lf]|ctc")

_LINK = re.compile(
    r"""(?:https?://)?(?:[\w-]+\.)*(?:f-puzzles\.com|sudokupad\.app|crackingthecryptic\.com)(?:[/?]|$)
    | (?:fpuz(?:zles)?|sc[lf]|ctc)?N4Ig\S | fpuz(?:zles)?N4""",
    re.VERBOSE,
)
"""LZString makes N4Ig of the first letters of JSON."""


def is_link(text: str) -> bool:
    """Whether a text begins like a link to f-puzzles or SudokuPad, or like its compressed part."""
    return _LINK.match(text) is not None


def unpacked(link: str) -> str:
    """The JSON in a link, or in its compressed part alone.

    Raises:
        PuzzleFormatError: it holds none, or a drawing, or cannot be unpacked.
    """
    link = link.strip()
    payload = _payload(link)
    prefix = _PREFIX.match(payload)
    if prefix is not None and not prefix[0].startswith("fpuz"):
        raise PuzzleFormatError(
            f"a SudokuPad export ({prefix[0]}…) holds a drawing, from which rules cannot be told; "
            "export the puzzle to f-puzzles"
        )
    # A space is what some programs make of the sign + in a link.
    packed = payload[prefix.end() :] if prefix is not None else payload
    packed = re.sub(r"[\r\n\t]", "", packed).replace(" ", "+")
    if not packed:
        raise PuzzleFormatError("the link to f-puzzles holds no puzzle")
    try:
        return decompress_from_base64(packed)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"f-puzzles link: {error}") from None


def _payload(link: str) -> str:
    """What stands for the puzzle in a link."""
    query = _QUERY.search(link)
    if query is not None and query[1] == "id":
        raise PuzzleFormatError(
            "a short link to f-puzzles (?id=…) names a puzzle on a server, which is not asked; "
            "open it there and copy the long link (?load=…)"
        )
    if query is not None and (query[1] == "load" or _BARE.match(unquote(query[2]))):
        return unquote(query[2])
    found = _BARE.search(unquote(_HOST.sub("", link)))
    if found is None:
        site = "SudokuPad" if "f-puzzles" not in link else "f-puzzles"
        raise PuzzleFormatError(f"a link to {site} that holds no puzzle; it is on a server")
    return found[1]

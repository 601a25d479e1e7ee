"""Links that contain an f-puzzles puzzle, compressed in LZString's base64 form of LZ78.

The compressed text is a stream of codes. Each code has as many bits as the largest code possible
at its position, the lowest bit first. Codes 0 and 1 introduce a new letter, in 8 or 16 further
bits; 2 is the end; codes from 3 on are numbers of words. Words, in order of appearance, are the
new letters and, after every code but the first, the previous code's word with one more letter
(LZ78). A letter is a unit of UTF-16. Six bits, the highest first, make a base64 symbol.
"""

from __future__ import annotations

import re
from struct import iter_unpack
from urllib.parse import unquote

from bddsudoku.errors import PuzzleFormatError

MAX_BYTES = 4 << 20
"""Limit on the letters of a decompressed text."""
_SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BITS = {symbol: format(value, "06b") for value, symbol in enumerate(_SYMBOLS)}
_LETTER, _WIDE_LETTER, _END, _WORDS = 0, 1, 2, 3
_HOST = re.compile(r"^(?:https?://)?[\w-]+(?:\.[\w-]+)+")
_QUERY = re.compile(r"[?&](load|id|puzzleid|puzzle)=([^&\#]*)")
_BARE = re.compile(r"(?:^|/)((?:fpuz(?:zles)?|sc[lf]|ctc)[^?&\#]{6,}|N4[^?&\#]*)")
_PREFIX = re.compile(r"fpuz(?:zles)?|sc[lf]|ctc")


OWN_LINK = "bddsudoku:"
"""What begins a link that holds the compressed text of any puzzle, with its title and rules."""


def pack_own_link(text: str) -> str:
    """A link of our own with the text of a puzzle."""
    return OWN_LINK + compress_to_base64(text)


def unpack_own_link(link: str) -> str:
    """The text in a link of our own.

    Raises:
        PuzzleFormatError: it is damaged.
    """
    return decompress_from_base64(link.removeprefix(OWN_LINK))


def unpack_link(link: str) -> str:
    """The JSON text compressed in a link to f-puzzles, or in the data part of such a link.

    Raises:
        PuzzleFormatError: the link contains no puzzle or only a drawing, or is damaged.
    """
    link = link.strip()
    payload = _compressed_part(link)
    prefix = _PREFIX.match(payload)
    if prefix is not None and not prefix[0].startswith("fpuz"):
        raise PuzzleFormatError(
            f"a SudokuPad export ({prefix[0]}…) holds a drawing, from which rules cannot be told; "
            "export the puzzle to f-puzzles"
        )
    # Some programs turn the sign + of a link into a space.
    packed = payload[prefix.end() :] if prefix is not None else payload
    packed = re.sub(r"[\r\n\t]", "", packed).replace(" ", "+")
    if not packed:
        raise PuzzleFormatError("the link to f-puzzles holds no puzzle")
    try:
        return decompress_from_base64(packed)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"f-puzzles link: {error}") from None


def _compressed_part(link: str) -> str:
    """The part of a link that is the compressed puzzle."""
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


# LZString


def _next_code_width(code_count: int) -> int:
    """Number of bits of the next LZString code; ``code_count``: codes and new letters so far."""
    return (code_count + 2).bit_length()


def decompress_from_base64(text: str) -> str:
    """Decompress a text from LZString's base64 form, whose padding (``=``) may be missing.

    Raises:
        PuzzleFormatError: the text is cut off or malformed, or has more than :data:`MAX_BYTES`
            letters when decompressed.
    """
    try:
        bits = "".join(map(_BITS.__getitem__, text.rstrip("=")))
    except KeyError as error:
        raise PuzzleFormatError(
            f"expected base64 (A-Z a-z 0-9 + /), found {error.args[0]!a}"
        ) from None
    at = 0

    def take(width: int) -> int:
        nonlocal at
        at += width
        if at > len(bits):
            raise PuzzleFormatError("the compressed text is cut off")
        return int(bits[at - width : at][::-1], 2)

    words: list[str] = []
    found: list[str] = []
    before = ""
    spent = length = 0
    while (code := take(_next_code_width(spent))) != _END:
        spent += 1
        if code in (_LETTER, _WIDE_LETTER):
            word = chr(take(8 if code == _LETTER else 16))
            words.append(word)
            spent += 1
        elif code - _WORDS < len(words):
            word = words[code - _WORDS]
        elif code - _WORDS == len(words) and before:
            word = before + before[0]
        else:
            raise PuzzleFormatError("this is no compressed text: it names a word that is not there")
        if before:
            words.append(before + word[0])
        found.append(word)
        before = word
        length += len(word)
        if length > MAX_BYTES:
            raise PuzzleFormatError(f"the compressed text has more than {MAX_BYTES:,} letters")
    units = "".join(found).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def compress_to_base64(text: str) -> str:
    """Compress a text to LZString's base64 form, as its ``compressToBase64`` does."""
    bits: list[str] = []
    codes: dict[str, int] = {}
    fresh: set[str] = set()
    spent = 0

    def put(value: int, width: int) -> None:
        bits.append(format(value, f"0{width}b")[::-1])

    def put_word(word: str) -> int:
        """Write a word's code, or a new letter; return the number of codes and letters written."""
        if word not in fresh:
            put(codes[word], _next_code_width(spent))
            return 1
        fresh.remove(word)
        wide = ord(word) > 0xFF
        put(_WIDE_LETTER if wide else _LETTER, _next_code_width(spent))
        put(ord(word), 16 if wide else 8)
        return 2

    word = ""
    for (unit,) in iter_unpack("<H", text.encode("utf-16-le", "surrogatepass")):
        letter = chr(unit)
        if letter not in codes:
            codes[letter] = len(codes) + _WORDS
            fresh.add(letter)
        if word + letter in codes:
            word += letter
            continue
        spent += put_word(word)
        codes[word + letter] = len(codes) + _WORDS
        word = letter
    if word:
        spent += put_word(word)
    put(_END, _next_code_width(spent))
    stream = "".join(bits)
    stream += "0" * (6 - len(stream) % 6)  # at least one bit, as in LZString
    symbols = [_SYMBOLS[int(stream[i : i + 6], 2)] for i in range(0, len(stream), 6)]
    return "".join(symbols) + "=" * (-len(symbols) % 4)

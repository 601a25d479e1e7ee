"""LZString's base64 form, in which links carry text.

A stream of codes, each with as many bits as the largest one possible at its place needs, the
lowest bit first: 0 and 1 bring a letter that was not there before, in 8 or 16 bits more, 2 is the
end, and from 3 on they name words. Words are the new letters and, after every code but the first,
what the code before stood for with one more letter, in the order in which they come up (LZ78). A
letter is a unit of UTF-16. Six bits make a symbol of base64, the highest first.
"""

from __future__ import annotations

from bddsudoku.errors import PuzzleFormatError

MOST = 4 << 20
"""Letters that a text may have when it is unpacked."""
_SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_BITS = {symbol: format(value, "06b") for value, symbol in enumerate(_SYMBOLS)}
_LETTER, _WIDE_LETTER, _END, _WORDS = 0, 1, 2, 3


def _width(spent: int) -> int:
    """Bits of a code.

    Args:
        spent: codes before it, and new letters before it.
    """
    return (spent + 2).bit_length()


class _Codes:
    """Takes numbers off a stream of bits.

    Args:
        text: base64, without what fills it up.

    Raises:
        PuzzleFormatError: a symbol is not of base64.
    """

    def __init__(self, text: str) -> None:
        try:
            self._bits = "".join(map(_BITS.__getitem__, text))
        except KeyError as error:
            raise PuzzleFormatError(
                f"expected base64 (A-Z a-z 0-9 + /), found {error.args[0]!a}"
            ) from None
        self._at = 0

    def take(self, width: int) -> int:
        """The next number.

        Raises:
            PuzzleFormatError: there are not so many bits left.
        """
        bits = self._bits[self._at : self._at + width]
        if len(bits) < width:
            raise PuzzleFormatError("the compressed text is cut off")
        self._at += width
        return int(bits[::-1], 2)


def decompress_from_base64(text: str) -> str:
    """The text that was compressed.

    Args:
        text: base64; what fills it up at the end (``=``) may be missing.

    Raises:
        PuzzleFormatError: it is cut off, no base64 or no such stream, or its text has more than
            :data:`MOST` letters.
    """
    codes = _Codes(text.rstrip("="))
    words: list[str] = []
    found: list[str] = []
    before = ""
    spent = length = 0
    while (code := codes.take(_width(spent))) != _END:
        spent += 1
        if code in (_LETTER, _WIDE_LETTER):
            word = chr(codes.take(8 if code == _LETTER else 16))
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
        if length > MOST:
            raise PuzzleFormatError(f"the compressed text has more than {MOST:,} letters")
    units = "".join(found).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def compress_to_base64(text: str) -> str:
    """A text as LZString's ``compressToBase64`` writes it."""
    bits: list[str] = []
    codes: dict[str, int] = {}
    fresh: set[str] = set()
    spent = 0

    def put(value: int, width: int) -> None:
        bits.append(format(value, f"0{width}b")[::-1])

    def put_word(word: str) -> int:
        """Its code, or the letter where it is new; how much that spends."""
        if word not in fresh:
            put(codes[word], _width(spent))
            return 1
        fresh.remove(word)
        wide = ord(word) > 0xFF
        put(_WIDE_LETTER if wide else _LETTER, _width(spent))
        put(ord(word), 16 if wide else 8)
        return 2

    word = ""
    for letter in _units(text):
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
    put(_END, _width(spent))
    stream = "".join(bits)
    stream += "0" * (6 - len(stream) % 6)  # at least one, as the original does
    symbols = [_SYMBOLS[int(stream[i : i + 6], 2)] for i in range(0, len(stream), 6)]
    return "".join(symbols) + "=" * (-len(symbols) % 4)


def _units(text: str) -> str:
    """The text with letters past U+FFFF as the two units that UTF-16 makes of them."""
    if text.isascii():
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(low | high << 8) for low, high in zip(raw[::2], raw[1::2], strict=True))

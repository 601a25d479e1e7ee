"""Exact cover as a puzzle of its own: named items, options, and the two ways to write them down.

Knuth, TAOCP Vol. 4B, section 7.2.2.1: choose options so that every primary item is covered exactly
once and every secondary ("optional") item at most once.

The text format is that of Knuth's DLX programs::

    | lines that begin with | or \\ are comments
    1 2 3 4 5 6 7 | x y        items; those after | are optional
    1 4 7                      one option a line: the items that it covers
    3 5 6 x

JSON says the same, and options may have names::

    {"items": ["1", "2"], "optional": ["x"],
     "options": [{"name": "A", "items": ["1", "x"]}, ["2"]]}

An option that covers no primary item takes part in no cover: nothing asks for it, and whether to
choose it would be an arbitrary factor of two. Knuth's programs ignore such options with a message;
so does :meth:`ExactCover.model`, and :attr:`ExactCover.ignored` names them.
"""

from bddsudoku.puzzle.exact_cover.problem import CoverDecoder, ExactCover

__all__ = ["CoverDecoder", "ExactCover"]

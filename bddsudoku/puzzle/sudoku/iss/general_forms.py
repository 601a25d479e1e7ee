"""Argument forms of ISS's constraints on any cells: sums, regular expressions, relations."""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import unquote

from bddsudoku.puzzle.sudoku.exchanged_values import expected_error
from bddsudoku.puzzle.sudoku.iss.argument_forms import (
    ArgumentForm,
    RuleFields,
    Words,
    cell_word,
    read_cell,
    read_cell_groups,
)
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.rules.regex_and_formula_rules import satisfying_digit_pairs

SIX_BITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""The symbols of six bits in URLs (RFC 4648, section 5)."""
_INTEGER = re.compile(r"-?\d{1,9}")


# Sums: the total, or the total, =, and a coefficient for each cell, separated by _; then the cells


def _read_sum(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a total, the cells' coefficients (absent if all are 1), and the cells."""
    head, *names = words or [""]
    ones = (head, "=", *["1"] * len(names))
    total, sign, *factors = head.split("_") if "_" in head else ones
    is_whole = all(map(_INTEGER.fullmatch, (total, *factors)))
    if sign != "=" or not is_whole or len(factors) != len(names):
        raise expected_error("a total, or 5_=_1_-2 with a coefficient for each cell", head)
    sides: dict[bool, list[Any]] = {True: [], False: []}
    for name, factor in zip(names, map(int, factors), strict=True):
        if abs(factor) > 100:
            raise expected_error("a coefficient from -100 to 100", str(factor))
        sides[factor > 0] += [read_cell(name, layout)] * abs(factor)
    yield {"totals": (int(total),), "cells": tuple(sides[True]), "minus": tuple(sides[False])}


def _write_sum(rule: Any, layout: Layout) -> Words | None:
    """A total, the cells' coefficients (absent if all are 1), and the cells."""
    weights = Counter(rule.cells)
    weights.subtract(rule.minus)
    head = "_".join(map(str, (*rule.totals, "=", *weights.values())))
    if len(rule.totals) > 1 or max(map(abs, weights.values())) > 100:
        return None
    head = str(rule.totals[0]) if {*weights.values()} == {1} else head
    return [head, *map(cell_word, weights)]


SUM = ArgumentForm(_read_sum, _write_sum)
"""A total, with coefficients if they are not all 1, then cells."""


# Regular expressions: the pattern in base64, then the cells of one or more lines


def _read_regex(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a regular expression in base64, and yield it with each group of cells."""
    word = words[0] if words else ""
    try:
        raw = b64decode(word + "=" * (-len(word) % 4), b"-_", validate=True).decode("ascii")
    except ValueError:
        if "%" not in word:
            raise expected_error("a pattern in base64", word) from None
        raw = unquote(word)
    pattern = re.sub(r"\s", "", raw)
    for cells in read_cell_groups(words[1:], layout):
        yield {"cells": cells, "pattern": pattern}


def _write_regex(rule: Any, layout: Layout) -> Words:
    """A regular expression in base64, and the names of the cells that match it.

    ISS has no ``{,5}``, and in ranges the signs between 9 and A as well.
    """
    pattern = re.sub(r"(\d)-([A-Z])", r"\1-9A-\2", rule.pattern.upper().replace("{,", "{0,"))
    word = urlsafe_b64encode(pattern.encode("ascii")).decode("ascii").rstrip("=")
    return [word, *map(cell_word, rule.cells)]


PATTERN = ArgumentForm(_read_regex, _write_regex)
"""A pattern, then lines of cells with empty arguments between them."""


# Relations: a key with one bit for each pair of digits, then the cells of one or more lines


def _read_relation(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read the bits of a relation of two digits; yield it as a formula with each group of cells."""
    key = words[0] if words else ""
    values, n = layout.values, layout.digit_count
    bits = [SIX_BITS.find(symbol) >> i & 1 for symbol in key for i in range(6)]
    if not {*key} <= {*SIX_BITS} or any(bits[n * n :]):
        raise expected_error(f"a key with a bit for each of {n * n} pairs of digits", key)
    rows = [
        (value, [f"b == {b}" for b, bit in zip(values, bits[a : a + n], strict=False) if bit])
        for a, value in zip(range(0, n * n, n), values, strict=True)
    ]
    clauses = (f"a == {a} & ({' | '.join(values)})" for a, values in rows if values)
    formula = " | ".join(clauses) or "a != a"
    for cells in read_cell_groups(words[1:], layout):
        yield {"cells": cells, "formula": formula}


def _read_legacy_relation(rule: type[Rule], words: Words, layout: Layout) -> Iterator[RuleFields]:
    """Read a relation in the older form, whose key has the base64 symbols - and _ interchanged."""
    key = words[0] if words else ""
    return _read_relation(rule, [key.translate(_SWAPPED), *words[1:]], layout)


_SWAPPED = str.maketrans("-_", "_-")


def _write_relation(rule: Any, layout: Layout) -> Words | None:
    """The key of a relation, with a bit for each pair of digits, and the cells."""
    table = satisfying_digit_pairs(rule.formula, layout.values)
    if rule.which == "all" and any((b, a) not in table for a, b in table):
        return None
    bits = [pair in table for pair in product(layout.values, repeat=2)]
    sixes = (bits[i : i + 6] for i in range(0, len(bits), 6))
    key = "".join(SIX_BITS[sum(bit << i for i, bit in enumerate(six))] for six in sixes)
    return [key.rstrip("A"), "_", *map(cell_word, rule.cells)]


RELATION = ArgumentForm(_read_relation, _write_relation)
"""A key, then lines of cells with empty arguments or names, which begin with _, between them."""
LEGACY_RELATION = ArgumentForm(_read_legacy_relation, _write_relation)
"""A relation whose key has the symbols - and _ for each other."""

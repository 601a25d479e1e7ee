"""The constraints of Interactive-Sudoku-Solver (ISS): which rule each stands for, its arguments.

A rule that ISS has names its constraint in its class (``iss="Thermo"``). The arguments are then the
rule's numbers and its cells, or what is usual for its drawing: a clue at the end of a row, cells
that share a side, the corner of a square. What differs, or has a board or a field of its own, has
a row in :data:`SPECIAL`. A form serves reader and writer; the round trips of
``tests/puzzle/sudoku/rules/test_iss.py`` draw every rule that has a recipe there. A rule that ISS
can only say by other rules gets a case in
:func:`bddsudoku.puzzle.sudoku.iss.writing.equivalent_rules`.
"""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from typing import Any
from urllib.parse import quote, unquote

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import rules as kinds
from bddsudoku.puzzle.sudoku.iss.form import (
    NUMERALS,
    REGIONS,
    Form,
    RuleFields,
    Words,
    cell_word,
    read_cell,
    read_cell_groups,
    require_rows,
)
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import GroupPlace
from bddsudoku.puzzle.sudoku.rules import Place, Places, Rule
from bddsudoku.puzzle.sudoku.rules.machines import read_machine, write_code
from bddsudoku.puzzle.sudoku.rules.outside_clues import DIRECTIONS
from bddsudoku.puzzle.sudoku.rules.places_and_marks import are_neighbours, square_cells
from bddsudoku.puzzle.sudoku.rules.regex_and_formula_rules import satisfying_digit_pairs
from bddsudoku.puzzle.sudoku.rules.rule import find_by_foreign_name
from bddsudoku.puzzle.sudoku.text.symbols import expected_error, read_number

LARGEST_ISS = 16
"""Largest side of ISS's boards, and greatest number of their digits."""
SIX_BITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
"""The symbols of six bits in URLs (RFC 4648, section 5)."""
_INTEGER = re.compile(r"-?\d{1,9}")


class Neighbours(Form):
    """Cells, of which every two neighbours make a rule, the earlier one first."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        places = dict.fromkeys(read_cell(word, layout) for word in words)
        require_rows(places, layout)
        pairs = [pair for pair in combinations(places, 2) if are_neighbours(*pair)]
        if not pairs:
            raise PuzzleFormatError("expected cells that share a side")
        yield from ({"cells": pair} for pair in pairs)


class SumLineForm(Form):
    """A number, then the cells of a line; if it ends in its first cell, LOOP instead of that."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        closed = [*words[:-1], words[1]] if len(words) > 2 and words[-1] == "LOOP" else words
        return super().read(closed, layout)

    def write(self, rule: Any, layout: Layout) -> Words | None:
        """The arguments for a rule."""
        words = super().write(rule, layout)
        return [*words[:-1], "LOOP"] if words and rule.is_closed else words


class Segments(Form):
    """Sets of cells with - between them, of which the first makes a rule with each other one."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        first, *others = read_cell_groups(words, layout)
        if not others:
            raise PuzzleFormatError("expected segments of cells, with - between them")
        yield from ({"cells": first, "others": other} for other in others)

    def write(self, rule: Any, layout: Layout) -> Words:
        """The arguments for a rule."""
        sides = [[cell_word(p, layout) for p in side] for side in (rule.cells, rule.others)]
        return [*sides[0], "-", *sides[1]]


class Square(Form):
    """The top left cell of a square of 2×2 cells, then digits."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        top_left = read_cell(words[0] if words else "", layout)
        require_rows([top_left], layout)
        yield {"cells": square_cells(top_left), "digits": tuple(map(read_number, words[1:]))}

    def write(self, rule: Any, layout: Layout) -> Words:
        """The arguments for a rule."""
        return [cell_word(min(rule.cells), layout), *map(str, rule.digits)]


def _clue_place(line: str, is_behind: bool, layout: Layout) -> Places:
    """The place of a clue before a row or column (R1, C1), or behind it if ``is_behind``."""
    index = NUMERALS.find(line[1:].lower()) - 1 if len(line) == 2 else -1
    rows, columns = layout.row_count, layout.column_count
    if line[:1] == "R" and 0 <= index < rows:
        return (Place(index, columns if is_behind else -1),)
    if line[:1] == "C" and 0 <= index < columns:
        return (Place(rows if is_behind else -1, index),)
    raise expected_error("a row or column such as R1 or C1", line)


def _line_name(clue: Place, layout: Layout) -> str:
    """The name, such as R1 or C1, of the row or column beside which a clue stands."""
    is_row = 0 <= clue.row < layout.row_count
    return f"R{NUMERALS[clue.row + 1]}" if is_row else f"C{NUMERALS[clue.column + 1]}"


class Ends(Form):
    """A row or column, the number before it, and the number behind it; either may be empty."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        if not 2 <= len(words) <= 3 or not any(words[1:]):
            raise PuzzleFormatError("expected a row or column, and one or two numbers")
        for is_behind, word in enumerate(words[1:]):
            if word:
                clue = _clue_place(words[0], bool(is_behind), layout)
                yield {"clue": clue, "total": read_number(word)}

    def write(self, rule: Any, layout: Layout) -> Words:
        """The arguments for a rule."""
        (clue,) = rule.clue
        number = str(rule.total)
        is_behind = clue.row == layout.row_count or clue.column == layout.column_count
        return [_line_name(clue, layout), *(("", number) if is_behind else (number, ""))]


class WholeLine(Form):
    """A number, then a row or column, both directions of which are the same to the rule."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        number, line = _require_two_arguments(words, "a number, and a row or column")
        yield {"clue": _clue_place(line, False, layout), "total": read_number(number)}

    def write(self, rule: Any, layout: Layout) -> Words:
        """The arguments for a rule."""
        return [str(rule.total), _line_name(rule.clue[0], layout)]


def _is_diagonal_start(cell: Place, direction: str, layout: Layout) -> bool:
    """Whether ISS names the diagonal that runs from a cell in a direction by this first cell.

    Diagonals go down from the left or from the top edge; only those that do not end there go up
    from the right or from the bottom edge.
    """
    (row, column), last_row, last = cell, layout.row_count - 1, layout.column_count - 1
    return {
        "dr": column == 0 and row < last_row,
        "ul": column == last and 0 < row < min(last_row, last),
        "dl": row == 0 and column > 0,
        "ur": row == last_row and max(0, last - last_row) < column < last,
    }[direction]


class Diagonal(Form):
    """A number, then the first cell of a diagonal of two or more cells."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        number, word = _require_two_arguments(words, "a number, and a cell")
        first = read_cell(word, layout)
        for direction, (down, right) in DIRECTIONS.items():
            if _is_diagonal_start(first, direction, layout):
                clue = (Place(first.row - down, first.column - right),)
                yield {"clue": clue, "total": read_number(number), "direction": direction}
                return
        raise PuzzleFormatError(f"no diagonal begins at {word}")

    def write(self, rule: Any, layout: Layout) -> Words | None:
        """The arguments for a rule."""
        line, (down, right) = rule.seen_cells(layout), rule.direction_step(layout)
        opposite = next(d for d, step in DIRECTIONS.items() if step == (-down, -right))
        for cell, direction in ((line[0], rule.direction), (line[-1], opposite)):
            if len(line) > 1 and _is_diagonal_start(cell, direction, layout):
                return [str(rule.total), cell_word(cell, layout)]
        return None


def _require_two_arguments(words: Words, wanted: str) -> Words:
    """Return the arguments; raise an error that says what was ``wanted`` if they are not two."""
    if len(words) != 2:
        raise PuzzleFormatError(f"expected {wanted}, found {len(words)} arguments")
    return words


class Sum(Form):
    """The total, or the total, =, and a coefficient for each cell, separated by _; then cells."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
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

    def write(self, rule: Any, layout: Layout) -> Words | None:
        """The arguments for a rule."""
        weights = Counter(rule.cells)
        weights.subtract(rule.minus)
        head = "_".join(map(str, (*rule.totals, "=", *weights.values())))
        if len(rule.totals) > 1 or max(map(abs, weights.values())) > 100:
            return None
        head = str(rule.totals[0]) if {*weights.values()} == {1} else head
        return [head, *(cell_word(place, layout) for place in weights)]


class Pattern(Form):
    """A regular expression in base64, then lines of cells with empty arguments between them."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
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

    def write(self, rule: Any, layout: Layout) -> Words:
        """A regular expression in base64, and the names of the cells that match it.

        ISS has no ``{,5}``, and in ranges the signs between 9 and A as well.
        """
        pattern = re.sub(r"(\d)-([A-Z])", r"\1-9A-\2", rule.pattern.upper().replace("{,", "{0,"))
        word = urlsafe_b64encode(pattern.encode("ascii")).decode("ascii").rstrip("=")
        return [word, *(cell_word(place, layout) for place in rule.cells)]


class StateMachine(Form):
    """A machine's code, then lines of cells, between which names (_name) or empty arguments stand.

    A - stands between the segments of a line. The lines of one name are one rule.
    """

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        machine, name = words[0] if words else "", ""
        line: list[str] = []
        for word in [*words[1:], "_"]:
            if word[:1] not in ("", "_"):
                line.append("/" if word == "-" else str(read_cell(word, layout)))
                continue
            if line and not word:
                line.append(">")
            elif line:
                named = f"{name} = {machine}" if name else machine
                text = re.sub(r"( >)+", " >", " ".join(line)).removesuffix(" >")
                made = kinds.Machine.from_words([f'"{named}"', *text.split()])
                yield {key: getattr(made, key) for key in made.fields}
            if word:
                name, line = re.sub(r'["\s]+', " ", unquote(word[1:])).strip(), []

    def write(self, rule: Any, layout: Layout) -> Words:
        """The arguments for a rule."""
        name = quote(rule.machine.rpartition("=")[0].strip(), safe="")
        name = name.replace(".", "%2E").replace("~", "%7E")
        code = rule.table
        if ":" in code:
            code = write_code(read_machine(code, layout.values))
        words = [code, f"_{name}"]
        for line in rule.steps:
            words += ["-" if place is None else cell_word(place, layout) for place in line]
            words.append("")
        return words[:-1]


@lru_cache(maxsize=256)
def _formula_of_key(key: str, values: range) -> str:
    """The formula of a key with a bit for each pair of digits; replicas share the key."""
    n = len(values)
    bits = [SIX_BITS.find(symbol) >> i & 1 for symbol in key for i in range(6)]
    if not {*key} <= {*SIX_BITS} or any(bits[n * n :]):
        raise expected_error(f"a key with a bit for each of {n * n} pairs of digits", key)
    rows = [
        (value, [f"b == {b}" for b, bit in zip(values, bits[a : a + n], strict=False) if bit])
        for a, value in zip(range(0, n * n, n), values, strict=True)
    ]
    clauses = (f"a == {a} & ({' | '.join(values)})" for a, values in rows if values)
    return " | ".join(clauses) or "a != a"


class Relation(Form):
    """A key with a bit for each pair of digits, then lines of cells.

    Empty arguments or names, which begin with _, stand between these.
    """

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        formula = _formula_of_key(words[0] if words else "", layout.values)
        for cells in read_cell_groups(words[1:], layout):
            yield {"cells": cells, "formula": formula}

    def write(self, rule: Any, layout: Layout) -> Words | None:
        """The arguments for a rule."""
        table = satisfying_digit_pairs(rule.formula, layout.values)
        if rule.which == "all" and any((b, a) not in table for a, b in table):
            return None
        bits = [pair in table for pair in product(layout.values, repeat=2)]
        sixes = (bits[i : i + 6] for i in range(0, len(bits), 6))
        key = "".join(SIX_BITS[sum(bit << i for i, bit in enumerate(six))] for six in sixes)
        return [key.rstrip("A"), "_", *(cell_word(place, layout) for place in rule.cells)]


class LegacyRelation(Relation):
    """A relation whose key has the symbols - and _ for each other."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule."""
        key = words[0] if words else ""
        return super().read([key.translate(_SWAPPED), *words[1:]], layout)


_SWAPPED = str.maketrans("-_", "_-")


class ConnectedForm(Form):
    """V and the name of a group of cells, or nothing for the grid; digits; perhaps the size."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of the rule."""
        group, digits, size = (*words, "", "", "")[:3]
        if not digits or len(words) > 3:
            raise expected_error("a group, digits, and perhaps a size", "~".join(words))
        numbers = tuple(dict.fromkeys(map(read_number, digits.split("_"))))
        name = group.removeprefix("V").lower()
        yield {
            "digits": numbers,
            "size": read_number(size) if size else None,
            "group": name if name or not group else group,
        }

    def write(self, rule: Any, layout: Layout) -> Words:
        """The arguments for a rule."""
        size = [] if rule.size is None else [str(rule.size)]
        return [
            "V" + rule.group.upper() if rule.group else "",
            "_".join(map(str, rule.digits)),
            *size,
        ]


class ChaosClue(Form):
    """A cell with a digit; 1 if the first cell is not counted; arms, or none for the usual ones."""

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of the rule."""
        word, value, *more = (*words, "", "")[: max(2, len(words))]
        control = read_cell(word, layout)
        if not any(more):
            arms = self._usual_arms(control, layout)
        elif self.head == "ChaosArrow":
            arms = read_cell_groups(more, layout)
        else:
            first, *others = (read_cell(word, layout) for word in more)
            arms = [(first, other) for other in others] or [(first,)]
        if any(arm[0] != arms[0][0] for arm in arms):
            raise expected_error("arms from one cell", "~".join(more))
        arms = [arm for arm in arms if arm[1:]] or arms[:1]
        cells = tuple(place for arm in arms for place in arm)
        yield {"control": (control,), "cells": cells, "value": read_number(value or "0")}

    def _usual_arms(self, control: Place, layout: Layout) -> list[Places]:
        """From the cell to the four sides of the board, or to each cell around it."""
        if isinstance(control, GroupPlace):
            raise expected_error("a cell of the grid, or arms", cell_word(control, layout))
        to_sides = self.head == "ChaosArrow"
        longest = range(max(layout.row_count, layout.column_count) if to_sides else 2)
        ways = (way for way in product((-1, 0, 1), repeat=2) if 0 in way or not to_sides)
        arms = [
            [(control.row + i * down, control.column + i * right) for i in longest]
            for down, right in ways
            if down or right
        ]
        return [
            tuple(GroupPlace(*p, REGIONS) for p in arm if layout.grid.has_cell(p)) for arm in arms
        ]

    def write(self, rule: Any, layout: Layout) -> Words | None:
        """The arguments for a rule whose cells number regions."""
        if any(getattr(place, "group", "") != REGIONS for place in rule.cells):
            return None
        words = [cell_word(rule.control[0], layout), str(rule.value)]
        for i, arm in enumerate(rule.arms):
            words += [""] * (i > 0)
            words += (cell_word(place, layout) for place in (rule.cells[0], *arm))
        return words


def _are_one_to_nine(values: range) -> bool:
    return values == range(1, 10)


def _are_decimal(values: range) -> bool:
    return values.stop <= 10


SPECIAL = (
    Form("StrictKropki", kinds.Negative, {"kind": "kropki", "values": (), "spared": ()}),
    Form("StrictXV", kinds.Negative, {"kind": "xv", "values": (), "spared": ()}),
    Form("GlobalEntropy", kinds.GlobalEntropy, takes=_are_one_to_nine),
    Form("GlobalMod", kinds.GlobalMod, takes=lambda values: len(values) == 9),
    Form("DutchFlatmates", kinds.DutchFlatmates, takes=_are_one_to_nine),
    Form("Entropic", kinds.Entropic, takes=_are_one_to_nine),
    Form("Cage", kinds.Cage, missing="0"),
    Form("LookAndSay", kinds.LookAndSay, separator=""),
    Form("Whisper", kinds.Whispers, default="5"),
    Form("PillArrow~2", kinds.Arrow, takes=_are_decimal, first=2),
    Form("PillArrow~3", kinds.Arrow, takes=_are_decimal, first=3),
    SumLineForm("SumLine", kinds.SumLine),
    Segments("EqualSum", kinds.EqualSums),
    Neighbours("WhiteDot", kinds.Difference, {"value": 1}),
    Neighbours("BlackDot", kinds.Ratio, {"value": 2}),
    Neighbours("X", kinds.XV, {"kind": "x"}),
    Neighbours("V", kinds.XV, {"kind": "v"}),
    WholeLine("Sandwich", kinds.Sandwich),
    Diagonal("LittleKiller", kinds.LittleKiller),
    Sum("Sum", kinds.WeightedSum, {"relation": "="}),
    Form("ChaosConstruction", kinds.Chaos, {"size": None, "group": REGIONS.lower()}),
    ChaosClue("ChaosArrow", kinds.ChaosArrow),
    ChaosClue("ChaosCount", kinds.ChaosArrow),
    ConnectedForm("ConnectedValues", kinds.Connected),
    Pattern("Regex", kinds.RegularExpression),
    StateMachine("NFA", kinds.Machine),
    Relation("Pair", kinds.PairFormula, {"which": "line"}),
    Relation("PairX", kinds.PairFormula, {"which": "all"}),
    LegacyRelation("Binary", kinds.PairFormula, {"which": "line"}),
    LegacyRelation("BinaryX", kinds.PairFormula, {"which": "all"}),
)
"""The constraints whose arguments differ, or that have a board or a field of their own."""
_BY_HEAD = {form.head: form for form in SPECIAL}
_BY_DRAWING = {"margin": Ends, "neighbours": Neighbours, "corner": Square}


def _own_form(rule: type[Rule]) -> Form:
    """The usual form of the rules of a class."""
    return _BY_DRAWING.get(rule.drawn_on, Form)(rule.iss, rule)


def find_form(name: str, words: Words) -> tuple[Form, Words] | None:
    """The form of a constraint with its arguments, and those that are not in the form's head."""
    heads = (name, f"{name}~{words[0]}") if words else (name,)
    for i, head in enumerate(heads):
        if head in _BY_HEAD:
            return _BY_HEAD[head], words[i:]
    rule = find_by_foreign_name("iss", *heads)
    return None if rule is None else (_own_form(rule), words[heads.index(rule.iss) :])


def form_of_rule(rule: Rule, layout: Layout) -> tuple[Form, Words]:
    """The form that can say a rule, and its arguments.

    Raises:
        PuzzleFormatError: there is none.
    """
    own = [_own_form(type(rule))] if rule.iss else []
    for form in (*SPECIAL, *own):
        words = form.write(rule, layout) if form.fits(rule, layout) else None
        if words is not None:
            return form, words
    raise rule.error("Interactive-Sudoku-Solver has no such rule")


ONLY_WITH_HOUSES = re.compile(
    r"NoBoxes|RegionSize|RegionSameValues|Windoku|DisjointSets|AntiKnight|AntiKing|Diagonal|Indexing"
    r"|Jigsaw"
)
"""Names of constraints that ISS has only where rows and columns are houses."""
WITHOUT_EFFECT = re.compile(r"Modular~1(~.*)?|SearchPriority~.*")
"""Constraints that say nothing where houses are complete, or only how ISS is to search."""


def with_boxes(layout: Layout, size: int | None = None) -> Layout:
    """The board with ISS's boxes of ``size`` cells, or without blocks if such boxes do not fit."""
    digits = layout.values[0], layout.values[-1]
    boxes = Layout.of_shape(layout.row_count, layout.column_count, digits, size)
    return replace(boxes, groups=layout.groups)


def allowed_region_sizes(layout: Layout) -> range:
    """The numbers of cells that a region of a jigsaw may have."""
    return range(max(layout.row_count, layout.column_count), layout.digit_count + 1)


def overwrite_key(rule: Any) -> object:
    """A key such that ISS keeps only the last of rules with equal keys; None if it keeps all."""
    clue = getattr(rule, "clue", None)
    if isinstance(rule, kinds.Quadruple) or clue is not None:
        return type(rule), clue or rule.cells, getattr(rule, "direction", "")
    return None

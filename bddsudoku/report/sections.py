"""Contents of the sections of an analysis, the same for a terminal and for an HTML page.

The data of a section is a JSON-able dictionary, made by :mod:`bddsudoku.solver.analysis`; its
content is a list of parts (:mod:`bddsudoku.report.formatting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from bddsudoku.argument_types import check_types
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import VALUE_SYMBOLS
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.report.formatting import (
    CROSS,
    Listing,
    PerMedium,
    SectionPart,
    Table,
    count_or_cross,
    format_decimal,
    format_first_items,
    format_hint,
    members_of,
    number_or_dash,
    section_parts_to_html,
    section_parts_to_text,
)  # fmt: skip

_MAX_RULE_WIDTH = 60

SectionData = Mapping[str, Any]
Answer = Any
"""An answer (:class:`bddsudoku.solver.Hint` and the like), or its members as JSON values."""


def section_text(name: str, data: SectionData, puzzle: Puzzle) -> str:
    """Write one section of an analysis as text, without a final newline."""
    return section_parts_to_text(SECTIONS[name][1](data, puzzle))


def engine_comparison_text(data: SectionData) -> str:
    """Write the counts of several engines, of any problem, as text."""
    return section_parts_to_text(_engine_comparison_section(data))


def _seconds_text(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def _shortened(rule: str) -> str:
    return rule if len(rule) <= _MAX_RULE_WIDTH else rule[: _MAX_RULE_WIDTH - 1] + "…"


_CELL_TEXTS: dict[str, Callable[[Any], str]] = {
    "count": count_or_cross,
    "digit": VALUE_SYMBOLS.__getitem__,
    "expected": format_decimal,
    "limit": lambda limit: limit or "",
    "nodes": count_or_cross,
    "peak_nodes": number_or_dash,
    "redundant": lambda redundant: "redundant" if redundant else "",
    "rule": _shortened,
    "seconds": _seconds_text,
    "worst": count_or_cross,
}
"""How members of records are written in tables; others as they are."""


def _table(
    caption: str, columns: Mapping[str, str], records: Sequence[SectionData], **more: Any
) -> Table:
    """Make a table with a row for each record; ``columns`` are names of members → headings."""
    rows = [[_CELL_TEXTS.get(name, str)(record[name]) for name in columns] for record in records]
    return Table(caption, [*columns.values()], rows, **more)


def _puzzle_section(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the report section on the puzzle: board, rules and clashing hints."""
    marks = "" if data["candidates"] is None else f", {data['candidates']} candidates"
    parts: list[SectionPart] = [
        PerMedium(str(puzzle), lambda: board_svg(puzzle, title="The puzzle")),
        f"{data['layout']}, {data['hints']} hints{marks}",
        PerMedium(draw=lambda: f"<p><code>{puzzle.line}</code></p>"),
    ]
    if puzzle.rules:
        times = Counter((rule.name, rule.about) for rule in puzzle.rules)
        rows = [(name, number, about) for (name, about), number in times.items()]
        headers = ["rule", "times", "meaning"]
        parts.append(Table("Rules", headers, rows, page_only=True))
    parts += [f"Hints clash: {text}" for text in data["clashes"]]
    if data["without_candidates"]:
        parts.append(f"Cells without a candidate: {', '.join(data['without_candidates'])}")
    return parts


def _variables_section(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the report section with the number of variables for each way of allocating variables."""
    how = (
        "One Boolean variable says that a digit stands in a cell. Which of them exist is the "
        "allocation: nine for every open cell (paper), those that no hint rules out (candidates), "
        "or those left after placing singles."
    )
    rows = [(a, d["variables"], d["constraints"], d["fixed"]) for a, d in data.items()]
    headers = ["allocation", "variables", "constraints", "cells settled"]
    return [
        PerMedium(draw=lambda: f"<p>{how}</p>"),
        Table("Variables under each allocation", headers, rows),
    ]


def _procedures_section(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the report section on size and time of each procedure of Tateishi & Minato."""
    columns = {
        "procedure": "procedure",
        "nodes": "nodes",
        "peak_nodes": "peak nodes",
        "seconds": "seconds",
        "limit": "stopped by",
    }
    return [
        f"BDD by conjunction, allocation {data['allocation']}, {data['backend']}; "
        f"limits {data['limits']}",
        _table("BDD by conjunction", columns, data["runs"]),
    ]


def _solutions_section(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the report section on the count, the diagram and the first solutions."""
    if data.get("limit"):
        known = f", {data['known']}" if data.get("known") else ""
        return [f"Solutions: {CROSS}{known} ({data['limit']})"]
    count = int(data["count"])
    parts: list[SectionPart] = [
        f"Solutions: {number_or_dash(count)}",
        f"  counted by {data['engine']} in {_seconds_text(data['seconds'])} s: {data['why']}",
    ]
    if data.get("warm_up_seconds", 0) > 1:
        parts.append(f"  (before that, compiling the engines took {data['warm_up_seconds']:.0f} s)")
    if data.get("zdd_nodes") is not None:
        parts.append(
            f"  as a diagram: {number_or_dash(data['zdd_nodes'])} ZDD nodes, "
            f"{number_or_dash(data['bdd_nodes'])} BDD nodes over the same variables "
            f"(cell order {data['order']})"
        )
    first = [Puzzle.parse(line, puzzle.layout) for line in data["first"]]
    if count == 1 and first:
        title = "The only solution"
        drawn = PerMedium(str(first[0]), lambda: board_svg(puzzle, solution=first[0], title=title))
        parts += [f"{title}:", drawn]
    elif first:
        parts.append("The first:" if count > len(first) else "All of them:")
        items = "".join(f"<li><code>{grid.line}</code></li>" for grid in first)
        lines = "\n".join(f"  {grid.line}" for grid in first)
        parts.append(PerMedium(lines, lambda: f"<ol>{items}</ol>"))
    return parts


def _cells_section(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the report section on the backbone, and on candidates that no solution has."""
    parts: list[SectionPart] = [
        f"Open cells settled all the same: {data['settled']} of {data['open']}",
        f"Candidates left by the hints: {data['candidates']}, "
        f"of which {data['dead']} stand in no solution",
    ]
    if data["settled"] < data["open"]:
        parts.append(f"  settled: {data['backbone']}")
    return parts


def _engine_comparison_section(
    data: SectionData, puzzle: Puzzle | None = None
) -> list[SectionPart]:
    """Make the report section that compares the counts of several engines."""
    verdict = {
        True: f"{data['finished']} engines agree.",
        False: "THE ENGINES DISAGREE.",
        None: "fewer than two engines could finish within the limits.",
    }[data["agree"]]
    columns = {
        "engine": "engine",
        "count": "solutions",
        "seconds": "seconds",
        "limit": "stopped by",
    }
    table = _table("The engines side by side", columns, data["runs"])
    return [table, f"Cross-check: {verdict}"]


# -- hints and rules -------------------------------------------------------------------------------


def _hints_section(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the report section on solution counts without each hint and with one more hint."""
    parts = _ablation_parts(data) if "without" in data else []
    if "marginals" in data:
        parts += ["", *_addition_parts(data, puzzle)] if parts else _addition_parts(data, puzzle)
    return parts


def _ablation_parts(data: SectionData) -> list[SectionPart]:
    """Make the paragraphs on the number of solutions without each hint."""
    found = data["without"]
    if not found:
        return ["No hints to take away."]
    verdict = {
        True: "Minimal: no hint can go without adding solutions.",
        False: f"Not minimal: {data['redundant']} hints could go one at a time, changing nothing.",
        None: "Whether the puzzle is minimal stayed open at a limit.",
    }[data["minimal"]]
    columns = {"cell": "hint", "digit": "digit", "count": "solutions without it", "redundant": ""}
    marked = [i for i, row in enumerate(found) if row["redundant"]]
    return [
        _table("Solutions without each hint", columns, found, highlighted_rows=marked),
        verdict,
    ]


def _addition_parts(data: SectionData, puzzle: Puzzle) -> list[SectionPart]:
    """Make the paragraphs on one more hint: solution counts, and hints that leave one solution."""
    layout, rows = puzzle.layout, []
    for cell in puzzle.open_cells:
        row, column = divmod(cell, layout.array_shape[1])
        counts = [int(k) for k in data["marginals"][row][column]]
        if sum(1 for k in counts if k) > 1:
            rows.append((layout.cell_name(cell), *(f"{k:,}" if k else "." for k in counts)))
    parts: list[SectionPart] = []
    if rows:
        title = "Solutions left if a digit is added"
        parts.append(Table("One more hint", ["cell", *layout.symbols], rows, title=title))
    if int(data["count"]) > 1:
        unique = [format_hint(hint) for hint in data["unique"]]
        parts.append(Listing("Single additions that make it unique", unique))
    if data.get("next"):
        parts += _next_hint_parts(data["next"])
    return parts + _common_property_parts(data)


def _next_hint_parts(data: SectionData) -> list[SectionPart]:
    """Make the paragraphs on the best next hints and cells, and the fewest hints for uniqueness."""

    def places(hints: list[SectionData]) -> str:
        return format_first_items([format_hint(hint) for hint in hints])

    best = data["hints"]
    cells = {row["cell"]: row for row in data["cells"]}
    average, worst = cells[data["expected"]], cells[data["worst"]]
    way = data["shortest"]
    least = "open"
    if way is not None:
        number = way["at_most"] if way["exact"] else f"{way['at_least']} to {way['at_most']}"
        least = f"{number}, as {places(way['hints'])}"
    columns = {"cell": "cell", "expected": "left on average", "worst": "left at worst"}
    title = "Solutions left if a cell is given"
    return [
        f"Best next hint, {count_or_cross(best[0]['count'])} left: {places(best)}",
        f"Best next cell: {average['cell']}, "
        f"{format_decimal(average['expected'])} left on average; "
        f"{worst['cell']}, {count_or_cross(worst['worst'])} at worst",
        f"Fewest hints to a single solution: {least}",
        _table("One more cell", columns, data["cells"], title=title, page_only=True),
    ]


def _common_property_parts(data: SectionData) -> list[SectionPart]:
    """Make the paragraphs on what all solutions have in common, such as pairs of equal cells."""
    dead, words = data["dead"], "Candidates in no solution"
    parts: list[SectionPart] = [f"{words}: open"]
    if dead is not None:
        parts = [Listing(f"{words} ({len(dead)})", [format_hint(hint) for hint in dead])]
    for key, words in (
        ("always_equal", "Cells always equal"),
        ("always_different", "Cells always different though they share no house"),
    ):
        pairs = data.get(key)
        if pairs is None:
            parts.append(f"{words}: open ({data.get('pairs_open', '')})")
        else:
            parts.append(Listing(words, [f"{a}–{b}" for a, b in pairs]))
    return parts


@check_types
def hints_text(data: Answer, puzzle: Puzzle) -> str:
    """Write as text the number of solutions without each hint and with each further hint."""
    return section_parts_to_text(_hints_section(members_of(data), puzzle))


@check_types
def clue_ablation_text(data: Answer, puzzle: Puzzle) -> str:
    """Write as text how many solutions the puzzle has without each hint."""
    return section_parts_to_text(_ablation_parts(members_of(data)))


def rules_text(data: SectionData, puzzle: Puzzle) -> str:
    """Write as text the solution counts without each rule or hint, and what all solutions share.

    Redundant rules, without which the count is the same, are marked.
    """
    parts: list[SectionPart] = ["No rules to take away."]
    if data["rules"]:
        columns = {"rule": "rule", "count": "solutions without it", "redundant": ""}
        parts = [_table("", columns, data["rules"])]
    if data["without"]:
        parts += ["", *_ablation_parts(data)]
    return section_parts_to_text([*parts, "", *_common_property_parts(data)])


# -- families of hints -----------------------------------------------------------------------------


def minimal_subset_count_text(data: SectionData) -> str:
    """Write the number of minimal subsets of hints, or its bounds if the number is unknown."""
    return _count_or_bounds(data["minimal"])


def _count_or_bounds(part: SectionData) -> str:
    if part["count"] is not None:
        return count_or_cross(part["count"])
    names = (("at_least", "at least"), ("at_most", "at most"))
    bounds = [f"{words} {count_or_cross(part[key])}" for key, words in names if part.get(key)]
    return f"{CROSS} ({', '.join(bounds)})" if bounds else CROSS


def _size_range_text(part: SectionData) -> str:
    """Write the smallest and largest size of the minimal hint subsets, or bounds on these sizes."""
    if part["smallest"] is not None:
        low, high = part["smallest"], part["largest"]
        return f"{low} hints" if low == high else f"{low} to {high} hints"
    most = part["smallest_at_most"]
    known = "" if most is None else f", at most {most}; one has {part['largest_at_least']}"
    return f"smallest: at least {part['smallest_at_least']}{known}"


def _counts_by_size_table(headers: list[str], *families: SectionData) -> list[SectionPart]:
    """Tabulate the number of sets of each size in every family; an empty list if there are none."""

    def members(family: SectionData, size: int) -> str:
        found, is_whole = family["sizes"].get(str(size)), family["count"] is not None
        if found is None:
            return "0" if is_whole else CROSS
        return count_or_cross(found) if is_whole else f"≥ {count_or_cross(found)}"

    sizes = sorted({int(size) for family in families for size in family["sizes"]})
    rows = [(size, *(members(family, size) for family in families)) for size in sizes]
    return ["", Table("", headers, rows)] if rows else []


@check_types
def subsets_text(data: Answer, puzzle: Puzzle) -> str:
    """Write as text how many subsets of hints keep the solutions, and how many are minimal."""
    data = members_of(data)
    subsets, minimal = data["subsets"], data["minimal"]
    parts: list[SectionPart] = [
        f"Subsets of the {puzzle.hint_count} hints with the same solutions: "
        f"{_count_or_bounds(subsets)}",
        f"Minimal among them: {_count_or_bounds(minimal)} ({_size_range_text(minimal)})",
    ]
    if data["unavoidable"] is not None:
        sets = count_or_cross(data["unavoidable"])
        parts.append(f"Minimal sets of hints that cannot go together: {sets}")
    alone = ", ".join(format_hint(hint) for hint in data["necessary"]) or "none"
    parts.append(f"Hints that cannot go at all ({len(data['necessary'])}): {alone}")
    parts += _counts_by_size_table(["hints", "subsets", "minimal"], subsets, minimal)
    total = int(minimal["at_least"])
    if total and data["standing"]:
        rows = [
            (
                format_hint(hint),
                count_or_cross(hint["minimal"]),
                f"{int(hint['minimal']) / total:.1%}",
            )
            for hint in data["standing"]
        ]
        parts += ["", Table("", ["hint", "in minimal subsets", "share"], rows)]
    return section_parts_to_text(parts)


def reasons_text(data: SectionData) -> str:
    """Write a smallest set of hints and rules that implies a claim, and counts of minimal sets."""
    what = "there is no solution" if data["claim"] == "contradiction" else data["claim"]
    parts: list[SectionPart] = [
        f"Smallest reason why {what} ({len(data['smallest'])}): {_names_or_none(data['smallest'])}",
        f"Minimal sets of hints and rules that are enough: {_count_or_bounds(data)}",
    ]
    if data["exact"]:
        parts.append(f"In all of them: {_names_or_none(data['in_all'])}")
        parts.append(f"In none of them: {_names_or_none(data['in_none'])}")
    rows = [(k, count_or_cross(count)) for k, count in data["sizes"].items()]
    return section_parts_to_text([*parts, "", Table("", ["hints and rules", "sets"], rows)])


def _names_or_none(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


@check_types
def unavoidable_text(data: Answer) -> str:
    """Write as text the numbers of minimal unavoidable sets and minimal hitting sets by size."""
    data = members_of(data)
    sets, hitting = data["sets"], data["hitting"]
    most = "" if data["size"] is None else f" of at most {data['size']} cells"
    smallest = "" if not hitting["smallest"] else f", of {hitting['smallest']} cells or more"
    return section_parts_to_text(
        [
            f"Minimal unavoidable sets{most} within {len(data['region'])} cells: "
            f"{count_or_cross(sets['count'])}",
            f"Minimal sets of cells that hit them all: {_count_or_bounds(hitting)}{smallest}",
            *_counts_by_size_table(["cells", "unavoidable", "hitting"], sets, hitting),
        ]
    )


SECTIONS: dict[str, tuple[str, Callable[[SectionData, Puzzle], list[SectionPart]]]] = {
    "puzzle": ("The puzzle", _puzzle_section),
    "solutions": ("Its solutions", _solutions_section),
    "cells": ("What they have in common", _cells_section),
    "hints": ("What the hints contribute", _hints_section),
    "variables": ("Variables", _variables_section),
    "procedures": ("The paper's procedures", _procedures_section),
    "check": ("Cross-check", _engine_comparison_section),
}
"""Title and contents of every section, in the order of a page."""


def section_html(name: str, data: SectionData, puzzle: Puzzle) -> str:
    """Write one section as HTML for a page, or the message of the limit that ended it."""
    limit = data.get("limit")
    return (
        f"<p>{CROSS} {escape(limit)}</p>"
        if limit
        else section_parts_to_html(SECTIONS[name][1](data, puzzle))
    )

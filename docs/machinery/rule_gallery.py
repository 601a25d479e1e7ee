"""The gallery of rules: each as it is drawn, with its names and its line, from the catalogue."""

from __future__ import annotations

from typing import Any

from bddsudoku import Layout, Puzzle, PuzzleFormatError
from bddsudoku.puzzle.sudoku.places import parse_groups
from bddsudoku.puzzle.sudoku.rule_catalogue import rule_catalogue, setters_names
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.puzzle.sudoku.svg.rule_icon import rule_icon

_HEADS = {
    "en": (
        "# Gallery of rules",
        "Every rule as it is drawn, with what it demands and a line of text that says it. Where a "
        "rule draws nothing, the cells are blue that it relates to the middle one. How lines are "
        "read, and what a rule does to a board, is told in [Rules of variants](variants.md).",
    ),
    "ja": (
        "# 規則の一覧(図)",
        "どの規則も、盤に描かれる形と、意味と、それを書く一行とともに示す。何も描かない規則では、中央のマスと関わるマスが青い。"
        "書き方は[変則数独の規則](variants.ja.md)にある。",
    ),
}
_BOARDS = (
    Layout(2, 2),
    Layout(2, 2, groups=parse_groups("CC 4x4 1-4")),
    Layout(2, 3),
    Layout(),
)
"""Boards on which rules are drawn, one with the cells of regions."""
_CARD = (
    '<figure class="rule"><div>{picture}</div><figcaption><b>{title}</b> <code>{name}</code><br>'
    "{about}<br><code>{example}</code></figcaption></figure>"
)


def pages() -> dict[str, str]:
    """The gallery in both languages: path → Markdown."""
    known = {row["name"]: row for row in rule_catalogue(Layout())}
    rows = [known[name] for name in setters_names()]
    return {
        f"reference/gallery{'.ja' * (language == 'ja')}.md": _page(language, rows)
        for language in _HEADS
    }


def _page(language: str, rows: list[dict[str, Any]]) -> str:
    about = "about_ja" if language == "ja" else "about"
    cards = [
        _CARD.format(
            picture=_picture(row["example"]),
            title=row["titles"][language],
            name=row["name"],
            about=_escaped(row[about]),
            example=_escaped(row["example"]),
        )
        for row in rows
    ]
    body = "\n".join(cards)
    return "\n\n".join([*_HEADS[language], f'<div class="rules">\n{body}\n</div>\n'])


def _picture(example: str) -> str:
    """The smallest board that takes a rule; an icon where it draws nothing there."""
    rule = rule_from_line(example)
    layout = next(layout for layout in _BOARDS if _takes(layout, rule))
    if not (layout.groups or [*rule.marks(layout)]):
        return rule_icon(rule, Layout())
    blank = [0] * layout.grid_cell_count
    return board_svg(Puzzle(blank, layout, rules=[rule]), size=44, title=example)


def _takes(layout: Layout, rule: Rule) -> bool:
    try:
        rule.check(layout)
    except PuzzleFormatError:
        return False
    return True


def _escaped(text: str) -> str:
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").replace("*", "&#42;")
    )

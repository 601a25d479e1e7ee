"""Rules by their names: a line of text, or an object of JSON, makes a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.rules.rule import Rule

_KNOWN: dict[str, type[Rule]] = {}
"""By name and by alias; whoever goes through it takes a copy, for another thread may add to it."""


def register_rule(rule: type[Rule]) -> type[Rule]:
    """Make a rule known to readers; also a decorator, for rules of one's own.

    Raises:
        PuzzleFormatError: the name or an alias is taken, or is no word.
    """
    names = (rule.name, *rule.aliases)
    for name in names:
        if not re.fullmatch(r"[a-z]+", name):
            raise PuzzleFormatError(f"a rule's name is a word of small letters, not {name!r}")
        if _KNOWN.get(name, rule) is not rule:
            raise PuzzleFormatError(f"another rule is called {name!r}")
    _KNOWN.update(dict.fromkeys(names, rule))
    return rule


def known_rules() -> Mapping[str, type[Rule]]:
    """All rules by name; without their aliases."""
    return {name: rule for name, rule in _KNOWN.copy().items() if name == rule.name}


def is_rule_name(word: str) -> bool:
    """Whether a rule has this name, or this alias."""
    return word in _KNOWN


def rule_named(name: str) -> type[Rule]:
    """The class behind a name or an alias.

    Raises:
        PuzzleFormatError: there is none.
    """
    if name not in _KNOWN:
        raise PuzzleFormatError(f"no rule is called {name[:30]!r}")
    return _KNOWN[name]


def rule_from_line(line: str) -> Rule:
    """The rule that :attr:`Rule.text` wrote: its name, then numbers, words and cells.

    Raises:
        PuzzleFormatError: no rule is called that, or a word does not belong there.
    """
    name, *words = re.split(r"[\s,:]+", line.strip())
    return rule_named(name.lower()).from_words(words)


def rule_from_dict(data: Mapping[str, Any]) -> Rule:
    """The rule that :meth:`Rule.to_dict` described.

    Raises:
        PuzzleFormatError: no rule is called that, or a field is wrong.
    """
    return rule_named(str(data.get("rule"))).from_dict(data)

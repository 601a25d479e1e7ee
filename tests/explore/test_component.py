"""The live board's modules as one, for notebooks."""

from __future__ import annotations

import re

from bddsudoku.explore.component import component_module


def test_the_modules_are_joined_to_one() -> None:
    """Each module is there once, without imports, and no name is declared twice."""
    text = component_module()
    assert re.findall(r"^import ", text, re.MULTILINE) == []
    assert re.findall(r"^export .*", text, re.MULTILINE) == ["export default {"]
    names = re.findall(r"^(?:async )?(?:const|let|class|function) (\w+)", text, re.MULTILINE)
    assert len(names) == len({*names})
    assert {"Board", "Drawing", "Hands", "Picture", "RuleList", "State", "TEXTS"} <= {*names}

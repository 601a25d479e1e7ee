"""The process in which the Python blocks of a page run: a JSON line in, a JSON line out."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tokenize
import traceback
from typing import Any


def comments(text: str) -> dict[int, str]:
    """The comments of a source text by line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}


def literal(text: str | None) -> tuple[bool, Any]:
    """Whether a comment is a literal, and its value."""
    try:
        return True, ast.literal_eval(text or "")
    except (ValueError, SyntaxError):
        return False, None


def execute(text: str, name: str, first_line: int, namespace: dict[str, Any]) -> None:
    """Run a block; compare expressions with the literals behind them.

    Raises what the block raises, and AssertionError where a value is another one.
    """
    comment_at = comments(text)
    tree = ast.parse(text, name)
    ast.increment_lineno(tree, first_line - 1)
    for node in tree.body:
        if isinstance(node, ast.Expr):
            code = compile(ast.Expression(node.value), name, "eval", dont_inherit=True)
            value = eval(code, namespace)
            is_literal, wanted = literal(comment_at.get((node.end_lineno or 0) - first_line + 1))
            if is_literal and not value == wanted:
                raise AssertionError(f"{ast.unparse(node)} is {value!r}, not {wanted!r}")
        else:
            module = ast.Module([node], [])
            exec(compile(module, name, "exec", dont_inherit=True), namespace)


def main() -> None:
    """Answer until standard input ends."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    sys.path.insert(0, os.getcwd())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library writes to the descriptor is no answer
    for line in sys.stdin:
        request = json.loads(line)
        printed = io.StringIO()
        error = ""
        with contextlib.redirect_stdout(printed):
            try:
                execute(request["text"], request["name"], request["line"], namespace)
            except BaseException:
                error = traceback.format_exc()
        answers.write(json.dumps({"printed": printed.getvalue(), "error": error}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

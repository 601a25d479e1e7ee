"""API pages of every module from the docstrings, by pdoc: ``make docs``.

pdoc follows a package's ``__all__`` and would leave out subpackages that are not in it; they are
named here. Any warning ends the build.
"""

from __future__ import annotations

import argparse
import html
import pkgutil
import re
import warnings
from importlib import import_module
from pathlib import Path

import pdoc
import pdoc.docstrings
import pdoc.extract
import pdoc.render

import bddsudoku
from bddsudoku.writing import write_text


def modules() -> list[str]:
    """Every public module of the package, the package first."""
    found = pkgutil.walk_packages(bddsudoku.__path__, "bddsudoku.")
    names = [m.name for m in found if not any(part.startswith("_") for part in m.name.split("."))]
    return ["bddsudoku", *sorted(names)]


def specifications(names: list[str]) -> list[str]:
    """Those of the modules that pdoc does not come to by itself from the others."""
    out: list[str] = []
    reached: set[str] = set()
    for name in names:
        if name not in reached:
            out.append(name)
            reached |= set(pdoc.extract.walk_specs([name]))
    return out


def plain_colons() -> None:
    """``::`` before an indented example is reStructuredText; in Markdown one colon does it."""
    google = pdoc.docstrings.google
    pdoc.docstrings.google = lambda text: google(re.sub(r"::[ ]*$", ":", text, flags=re.MULTILINE))


def contents(names: list[str]) -> str:
    """A page with a link to every module and the first line of its docstring."""
    rows = []
    for name in names:
        doc = (import_module(name).__doc__ or "").strip().partition("\n")[0]
        text = html.escape(doc.replace("``", ""))
        page = name.replace(".", "/")
        rows.append(f'<li><a href="{page}.html">{name}</a> {text}</li>')
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>bddsudoku: modules</title><style>body { font: 16px/1.5 system-ui, sans-serif; "
        "max-width: 60rem; margin: auto; padding: 1rem }</style></head><body>"
        f"<h1>bddsudoku: modules</h1><ul>{''.join(rows)}</ul></body></html>\n"
    )


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/docs"))
    output: Path = parser.parse_args().output
    warnings.simplefilter("error")
    # The generated constructor of a NamedTuple does not know its module's names; pdoc then shows
    # its annotations as they are written, which is what is wanted.
    warnings.filterwarnings("ignore", r"Error parsing type annotation .*\.__init__\. Import of")
    pdoc.render.configure(docformat="google", show_source=False, math=False)
    plain_colons()
    names = modules()
    pdoc.pdoc(*specifications(names), output_directory=output)
    write_text(output / "index.html", contents(names))
    print(f"{len(names)} modules in {output / 'index.html'}")


if __name__ == "__main__":
    main()

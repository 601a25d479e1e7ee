"""Commands ``bddsudoku analyse | report | explore``: answers as text, HTML or in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    command,
    emit_json,
    fail,
    fail_if_limit_reached,
    open_output,
    print_note,
    progress_bar,
    puzzle_json_members,
)
from bddsudoku.cli.lifecycle import EXIT_LIMIT, enforce_deadline
from bddsudoku.cli.options import (
    CAPPED_COUNT,
    choice_option,
    complete_file_names,
    keep_going_option,
    option_showing_default,
    output_file_option,
    plot_option,
    puzzle_argument,
)
from bddsudoku.errors import LimitReached
from bddsudoku.file_io import replace_at_once
from bddsudoku.lazy_imports import is_installed

if TYPE_CHECKING:
    from bddsudoku.explore.server import Server


@click.command()
@puzzle_argument
@option_showing_default("--first", type=CAPPED_COUNT, default=3, help="How many solutions to show.")
@click.option("--hints/--no-hints", default=True, help="Also what every hint contributes.")
@plot_option("The procedures' node counts")
@option_showing_default(
    "--max-nodes",
    type=click.IntRange(min=1),
    default=300_000,
    help="Stop a procedure of the paper at so many BDD nodes.",
)
@keep_going_option
@command("4GiB", of_puzzle=True)
def analyse(
    request: CommandRequest, first: int, hints: bool, plot: str | None, max_nodes: int
) -> None:
    """Print a full analysis of a puzzle: model, solutions, hints, and whether the engines agree.

    The puzzle and its variables under each allocation; the exact number of solutions, the first of
    them, what they have in common, what every hint contributes; the paper's three procedures side
    by side (× where a limit ended one); and the cross-check of these counts and of all other
    engines. Every run may take a share of the time that is left, half a minute without a time
    limit.
    """
    from bddsudoku.report.sections import section_text
    from bddsudoku.solver import Analysis, Budget

    bad, stopped = False, ""
    for number, subject in enumerate(request.read_records(plot)):
        if number and not request.as_json:
            click.echo("\n" + "=" * 72 + "\n")
        sections: dict[str, Mapping[str, Any]] = {}
        with progress_bar("analysing") as progress:
            budget = Budget(request.context, request.time_limit_per_run(), max_nodes)
            analysis = Analysis(subject, budget, lambda title: progress)
            try:
                with enforce_deadline(request.context):
                    for name, make in analysis.sections(first, hints=hints):
                        sections[name] = section = make()
                        if not request.as_json:
                            click.echo(section_text(name, section, subject.puzzle) + "\n")
            except LimitReached as stop:
                stopped = stopped or str(stop)
        solutions = sections.get("solutions", {"count": None})
        if request.as_json:
            emit_json(
                puzzle_json_members(subject)
                | {
                    "count": solutions["count"],
                    "exact": solutions["count"] is not None,
                    "engine": solutions.get("engine"),
                    "seconds": solutions.get("seconds"),
                    "sections": sections,
                }
            )
        if plot is not None and "procedures" in sections:
            from bddsudoku.report.html import procedure_sizes_figure
            from bddsudoku.report.plots import save_figure

            save_figure(procedure_sizes_figure(sections["procedures"]), plot)
        bad = bad or sections.get("check", {}).get("agree") is False
        stopped = stopped or solutions.get("limit", "")
    if bad:
        fail("the engines disagree")
    if request.context.is_expired:
        stopped = stopped or str(request.context.limit_error())
    fail_if_limit_reached([stopped])


_PAGE_SECONDS = 3.0
"""Seconds of a time limit that are reserved for writing the page, a quarter of it at most."""
_PLOT_SECONDS = 2.0
"""Seconds that must remain for plots: matplotlib takes half of them to load."""


@click.command()
@puzzle_argument
@output_file_option(
    "-o", "--output", help="The page, e.g. report.html, instead of stdout.", allow_stdout=True
)
@choice_option(
    "--allocation",
    choices=("paper", "candidates", "singles"),
    default="candidates",
    help="Variables for the paper's procedures.",
)
@command("4GiB", json=False, of_puzzle=True)
def report(request: CommandRequest, output: str | None, allocation: str) -> None:
    """Write one self-contained HTML page: the puzzle, all answers about it, pictures, tables.

    Every engine's run (procedures, cross-check) may take a share of the time that is left, five
    seconds without a time limit, all hints' removals together four times as long; what reaches
    that shows ×, and the page says so. The set of solutions itself takes the time it takes:
    about a second for 9x9 with 8 hints or more. What a time limit leaves open is named on the
    page, which is written all the same (exit code 3).
    """
    from bddsudoku.errors import BackendUnavailable
    from bddsudoku.model.allocation import Allocation
    from bddsudoku.report.html import page_figures, page_html
    from bddsudoku.report.plots import require_matplotlib
    from bddsudoku.solver import Budget, page_contents

    subject = request.read_one_record()
    page_context = request.context.with_time_reserve(_PAGE_SECONDS)
    without = ""
    try:
        require_matplotlib()
    except BackendUnavailable as error:
        without = str(error)
        print_note(f"no plots in this report: {without}")
    with progress_bar("reporting") as progress, enforce_deadline(page_context):
        parts = page_contents(
            subject,
            Budget(page_context, request.time_limit_per_run(5.0)),
            lambda title: progress,
            allocation=Allocation(allocation),
        )
    sections = parts.sections

    def build_page(without: str) -> str:
        provenance = (*parts.provenance, f"No plots: {without}") if without else parts.provenance
        pictures = page_figures(
            subject.puzzle, sections, parts.marginals, parts.profiles, plots=not without
        )
        return page_html(subject.puzzle, sections, pictures, provenance=provenance)

    left = inf if request.context.deadline is None else request.context.deadline - monotonic()
    late_message = (
        str(request.context.limit_error()) if not without and left < _PLOT_SECONDS else ""
    )
    try:
        text = build_page(without or late_message)
    except Exception:
        if not request.context.is_expired:
            raise
        late_message = str(
            request.context.limit_error()
        )  # the alarm of the deadline comes only once
        text = build_page(late_message)
    replace_at_once()  # the page says what a limit left open
    with open_output(output) as target:
        target.write(text)
    place = "standard output" if output in (None, "-") else output
    print_note(f"report written to {place} ({len(text.encode()) / 1024:,.0f} KiB)")
    if sections["check"].get("agree") is False:
        fail("the engines disagree; see the cross-check in the report")
    limits = [found["limit"] for found in sections.values() if "limit" in found]
    if limits or late_message or page_context.is_expired:
        stopped = next(iter(limits), str(page_context.limit_error()))
        fail(f"{stopped}; the report says what stayed open", EXIT_LIMIT)


@click.command()
@click.argument("puzzle", metavar="[PUZZLE]", required=False, shell_complete=complete_file_names)
@option_showing_default("--port", type=click.IntRange(0, 65535), default=0, help="0: a free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, open nothing.")
@command("4GiB", json=False, layout=False, of_puzzle=True)
def explore(request: CommandRequest, port: int, no_browser: bool) -> None:
    """Edit a board in the browser, with its count and marginals after every change.

    Without PUZZLE it opens on the empty board.

    Serves one page on this machine's loopback address until Ctrl-C. The address holds a random
    token and is all that a browser needs: do not pass it on. A question may take two minutes.
    """
    import threading
    import webbrowser

    first = ""
    if request.puzzle is not None:
        puzzle = request.read_one_record().puzzle
        assert puzzle.n  # refuses boards of other shapes and digits
        first = puzzle.text
    server = _bind_server(first, port, request.context.max_memory)

    def open_browser() -> None:
        if not webbrowser.open(server.url):  # the server listens already
            print_note("no browser was found: open the address above in one")

    replace_at_once()  # what the page saves
    click.echo(server.url)
    print_note("serving on this machine only; Ctrl-C ends it")
    if not no_browser:
        threading.Thread(target=open_browser, daemon=True).start()
    server.run()


def _bind_server(first_puzzle: str, port: int, memory: int | None) -> Server:
    """Make the server and bind its port; end the command with a message if that fails."""
    for package in ("starlette", "uvicorn"):
        if not is_installed(package):
            fail(f"{package} is not installed: pip install starlette uvicorn")
    from bddsudoku.explore.server import Server
    from bddsudoku.explore.session import MEMORY

    try:
        return Server(first_puzzle, port, memory=MEMORY if memory is None else memory)
    except OSError as error:
        fail(f"port {port}: {error.strerror}")

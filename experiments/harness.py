"""Shared parts of the experiments: header, limits, results that are kept, tables, checks.

An experiment is one script = one claim → command → table. It

* prints a header (versions, machine, limits, seed), without which a time means nothing;
* runs every measurement in a process of its own under a memory and a time limit
  (:func:`measured`), where a limit reached is a result, too: ×;
* appends every result to a JSON-lines file as it comes (:class:`Journal`), so that a stopped run
  can go on: what a user measures is in ``build/results``, what is published in ``results`` here;
* checks its own results (:class:`Checks`) and exits non-zero when a check fails.

A complete small experiment::

    import harness

    def work(case, send):                   # runs in the child
        return {"square": case["n"] ** 2}

    def main():
        options = harness.parser(__doc__, "squares").parse_args()
        journal = harness.Journal(options)
        journal.measure([{"n": n} for n in range(3)], "squares:work", "square of {n}")
        checks = harness.Checks()
        rows = []
        for found in journal.results():
            checks.expect(found["square"] == found["n"] * found["n"], f"square of {found['n']}")
            rows.append([found["n"], found["square"]])
        harness.show(options, journal, [("Squares", ["n", "square"], rows)])
        return checks.finish()

    if __name__ == "__main__":
        harness.run(main)
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from showing import FORMATS, Table, machine_lines, save_figure, show

from bddsudoku import __version__
from bddsudoku.cli.lifecycle import (
    raise_on_first_signal,
    replace_standard_streams,
    report_errors_in_one_line,
)
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.file_io import replace_at_once, write_text
from bddsudoku.number_text import parse_duration, parse_size
from bddsudoku.work.processes import ProcessEndedError, run_isolated

__all__ = [
    "Checks",
    "Journal",
    "Table",
    "header",
    "measured",
    "note",
    "parser",
    "print_machine",
    "run",
    "save_figure",
    "show",
]

HERE = Path(__file__).parent
PUBLISHED = HERE / "results"
MEASURED = HERE.parent / "build" / "results"
DATA = HERE.parent / "data"
PACKAGES = ("numpy", "numba", "dd", "oxidd")


def note(message: str) -> None:
    """Print one line to standard error."""
    print(message, file=sys.stderr, flush=True)


def parser(
    description: str | None,
    name: str,
    *,
    max_memory: str = "4GiB",
    time_limit: str = "120",
) -> argparse.ArgumentParser:
    """An argument parser with the options that every experiment has.

    Args:
        description: the script's docstring.
        name: of the experiment, and of the files of its results.
        max_memory: default of ``--max-memory``.
        time_limit: default of ``--time-limit``.
    """
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.set_defaults(name=name)
    add = made.add_argument
    add("--max-memory", type=_size, default=max_memory, help="for each run (%(default)s)")
    add("--time-limit", type=duration, default=time_limit, help="for each run (%(default)s s)")
    add(
        "--output",
        type=Path,
        default=MEASURED / f"{name}.jsonl",
        help="JSON lines of the results; the table is written beside them (%(default)s)",
    )
    add("--resume", action="store_true", help="go on with the results in the output; else afresh")
    add(
        "--publish",
        dest="output",
        action="store_const",
        const=PUBLISHED / f"{name}.jsonl",
        help="for maintainers: the output is what is published, in experiments/results",
    )
    add("--format", choices=[*FORMATS, "csv"], default="plain", help="of the table (%(default)s)")
    add("--table", type=Path, default=None, help="also write header and table to this file")
    add("--quick", action="store_true", help="run a small part, to see that everything works")
    add("--seed", type=int, default=1, help="of random choices (%(default)s)")
    return made


def run(main: Callable[[], int]) -> None:
    """Run an experiment in its own process: errors end it with one line, as they end a command."""
    with (
        replace_standard_streams(),
        report_errors_in_one_line(),
        raise_on_first_signal(ends_process=True),
    ):
        replace_at_once()  # a journal is written on after its header
        sys.exit(main())


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def duration(text: str) -> float:
    """Seconds of a duration, for an argument parser."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def machine() -> dict[str, Any]:
    """Date, versions and machine."""
    versions = {"python": platform.python_version(), "bddsudoku": __version__}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "absent"
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions,
        "commit": _commit(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory": _memory(),
    }


def print_machine() -> None:
    """Print date, versions and machine, above the table of a script that keeps no results."""
    print(*machine_lines(machine()), sep="\n", end="\n\n", flush=True)


def header(options: argparse.Namespace) -> dict[str, Any]:
    """Date, versions, machine, limits and seed."""
    return machine() | {
        "max_memory": options.max_memory,
        "time_limit": options.time_limit,
        "seed": options.seed,
    }


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _commit() -> str | None:
    process = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    return process.stdout.strip() or None


def measured(
    task: str,
    argument: Any,
    options: argparse.Namespace,
    *,
    bound_address_space: bool = True,
) -> dict[str, Any]:
    """Run a task in a process of its own; its result, or the limit that it reached.

    Args:
        task: ``"module:function"``; called as ``function(argument, send)``, returns a dictionary.
        argument: picklable.
        options: with ``max_memory`` and ``time_limit``.
        bound_address_space: see :func:`bddsudoku.work.processes.run_isolated`.

    Returns:
        The dictionary, with ``wall_seconds``; or ``limit`` (``memory``, ``time``, ``nodes``,
        ``crash``), ``message`` and ``wall_seconds``.

    Raises:
        Exception: whatever else the task raised.
    """
    begin = time.perf_counter()
    result: dict[str, Any]
    try:
        result = run_isolated(
            task,
            argument,
            memory=options.max_memory,
            seconds=options.time_limit,
            bound_address_space=bound_address_space,
        )
    except (LimitReached, ProcessEndedError) as stop:
        limit = stop.limit if isinstance(stop, LimitReached) else "crash"
        result = {"limit": limit, "message": str(stop)}
    return {**result, "wall_seconds": round(time.perf_counter() - begin, 4)}


class Journal:
    """File of results as JSON lines, with which a stopped run goes on.

    A result belongs to a case (a dictionary that describes the run). Cases are looked up together
    with the limits and the experiment's name, so that a run under other limits starts anew. Above
    its results stands the header of the run that measured them.

    Args:
        options: of the experiment's parser.
        settings: whatever else a result depends on.
    """

    def __init__(self, options: argparse.Namespace, **settings: Any) -> None:
        self.path: Path = options.output
        self._options = options
        self._base = {
            "experiment": options.name,
            "max_memory": options.max_memory,
            "time_limit": options.time_limit,
            **settings,
        }
        self._header = header(options) | {"experiment": options.name, **settings}
        self._headers: list[dict[str, Any]] = []
        self._done: dict[str, dict[str, Any]] = {}
        self._measured_by: dict[str, int] = {}
        self._cases: list[str] = []
        if options.quick and self.path.parent == PUBLISHED:
            raise BddSudokuError("--publish takes no --quick: a small part is no result")
        if self.path.parent == MEASURED:
            MEASURED.mkdir(parents=True, exist_ok=True)
        resumed = options.resume and self.path.exists()
        text = self.path.read_text(encoding="utf-8") if resumed else ""
        whole, feed, cut_off = text.rpartition("\n")
        if cut_off:
            note(f"{self.path}: the last line was cut off and is dropped")
        write_text(self.path, whole + feed)
        for record in map(json.loads, whole.splitlines()):
            if "header" in record:
                self._headers.append(record["header"])
            else:
                self._keep(self._key(record["case"], record["base"]), record["result"])
        if self._done:
            note(f"{self.path}: goes on with {len(self._done)} results")

    @property
    def headers(self) -> list[tuple[int, dict[str, Any]]]:
        """Of the runs that measured the results of this run's cases: how many, and the header."""
        found = Counter(self._measured_by[key] for key in self._cases if key in self._done)
        return [(found[at], self._headers[at]) for at in sorted(found)] or [(0, self._header)]

    @property
    def origin(self) -> str:
        """Whose results these are, in a line."""
        name = self._options.name
        published = f"experiments/results/{name}.md"
        if self.path.parent == PUBLISHED:
            return f"Published results; `python experiments/{name}.py` measures on your machine"
        place = self.path
        if place.is_relative_to(HERE.parent):
            place = place.relative_to(HERE.parent)
        return f"Your own results, kept in {place}; those published are in {published}"

    def _append(self, record: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def _key(self, case: Mapping[str, Any], base: Mapping[str, Any]) -> str:
        return "".join(json.dumps(d, sort_keys=True) for d in (base, case))

    def _keep(self, key: str, result: dict[str, Any]) -> None:
        """Take up a result that the last of the headers measured."""
        self._done[key] = result
        self._measured_by[key] = len(self._headers) - 1

    def pending(self, cases: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Those of the cases that have no result yet; all of them are part of this run."""
        for case in cases:
            key = self._key(case, self._base)
            if key not in self._cases:
                self._cases.append(key)
            if key not in self._done:
                yield dict(case)

    def add(self, case: Mapping[str, Any], result: Mapping[str, Any]) -> None:
        """Keep a result."""
        if self._headers[-1:] != [self._header]:
            self._headers.append(self._header)
            self._append({"header": self._header})
        self._keep(self._key(case, self._base), dict(result))
        self._append({"case": dict(case), "base": self._base, "result": dict(result)})

    def measure(
        self,
        cases: Iterable[Mapping[str, Any]],
        task: str,
        title: str,
        *,
        foreign: bool = False,
        **more: Any,
    ) -> None:
        """Run a task for each case without a result, and keep the results.

        Args:
            cases: arguments of the task.
            task: as for :func:`measured`.
            title: what is printed before a run; names in braces are members of the case.
            foreign: the exceptions of the task, which runs a foreign package, are results, too.
            more: further members of the argument, which do not tell cases apart.
        """
        for case in self.pending(cases):
            note(title.format(**case))
            try:
                # Foreign packages may reserve more addresses than they use.
                unbound = {"bound_address_space": False} if foreign else {}
                result = measured(task, case | more, self._options, **unbound)
            except Exception as error:
                if not foreign:
                    raise
                result = {"limit": "error", "message": f"{type(error).__name__}: {error}"}
            self.add(case, result)

    def get(self, case: Mapping[str, Any]) -> dict[str, Any] | None:
        """The result of a case: None when there is none."""
        return self._done.get(self._key(case, self._base))

    def results(self) -> Iterator[dict[str, Any]]:
        """Case and result in one dictionary, for this run's cases in their order."""
        offset = len(json.dumps(self._base, sort_keys=True))
        for key in self._cases:
            if key in self._done:
                yield json.loads(key[offset:]) | self._done[key]


class Checks:
    """Collects an experiment's checks of its own results."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []

    def expect(self, condition: bool, what: str) -> bool:
        """Record whether a condition holds, and report at once when it does not."""
        if condition:
            self.passed += 1
        else:
            self.failed.append(what)
            note(f"CHECK FAILED: {what}")
        return condition

    def finish(self) -> int:
        """Report the outcome; the exit status is 0 if there were checks and all of them held."""
        if not self.passed and not self.failed:
            self.failed.append("nothing was checked")
        verdict = "all hold" if not self.failed else f"{len(self.failed)} FAILED"
        note(f"{self.passed + len(self.failed)} checks: {verdict}")
        return 1 if self.failed else 0


def present(
    solvers: Iterable[str], absent: Callable[[str], str | None], only: Sequence[str] | None
) -> list[str]:
    """Choose the requested solvers that are installed, and report those that are missing.

    Args:
        solvers: their names.
        absent: why one is not there; None or "" when it is.
        only: parts of names; None for all.
    """
    found = []
    for name in solvers:
        if only and not any(part in name for part in only):
            continue
        if reason := absent(name):
            note(f"{name}: skipped, {reason}: pip install '.[peers,cpmpy]' in a checkout")
        else:
            found.append(name)
    return found


def best_of_three(
    prepare: Callable[[], Callable[[], dict[str, Any]]], budget: float
) -> dict[str, Any]:
    """The result of the fastest of up to three runs, begun within a budget of seconds.

    Args:
        prepare: returns the work that is timed, whose result has a ``count`` or a ``limit``.

    Returns:
        The result with ``seconds`` and ``runs``, its count in decimal; one with a limit as it is.
    """
    best: dict[str, Any] = {}
    runs = 0
    begin = time.perf_counter()
    while not runs or (time.perf_counter() - begin < budget and runs < 3):
        call = prepare()
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        if "limit" in result:
            return result
        runs += 1
        if seconds < best.get("seconds", math.inf):
            best = result | {"seconds": seconds}
    return best | {"runs": runs, "count": str(best["count"])}


def peak_memory() -> int | None:
    """Peak resident set of this process in bytes; None where the system does not report it."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def seconds_text(seconds: float) -> str:
    """Seconds as text, with more digits below one."""
    return f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def time_cell(result: Mapping[str, Any] | None) -> str | None:
    """The seconds of a result as text, or × and the limit that it reached; None for no result."""
    if result is None:
        return None
    if "seconds" in result:
        return seconds_text(result["seconds"])
    return f"× {result.get('limit', '')}".strip()


def geometric_mean(numbers: Sequence[float]) -> float:
    """The geometric mean of one number or more."""
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def warmed(work: Callable[[], Any]) -> None:
    """Run some work once, so that nothing is compiled or loaded while the clock runs."""
    work()

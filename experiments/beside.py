"""Lists of classic puzzles counted by this package, by tdoku (C++) and by the crate sudoku (Rust).

Neither is part of this project. tdoku is compiled from a checkout that the user names, into a
temporary folder and with a main function of our own; the crate comes from cargo's registry. All
count up to two on one core, of texts that are in memory (ours reads the file inside the clock). The
clock is the processor time of the process, which others on the machine disturb least.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import harness
from batch_solvers import by_dancing_links, counted

from bddsudoku import __version__
from bddsudoku.file_io import write_text

ROUNDS = 3
"""Rounds in which the solvers take turns, five passes each; the fastest pass of all counts."""
FLAGS = ["-std=c++14", "-O3", "-march=native"]
CPP = r"""
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include "tdoku.h"
int main(int, char **words) {
    std::ifstream file(words[1]);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (int pass = 0; pass < 5; pass++) {
        long counts[3] = {0, 0, 0};
        char solution[82];
        size_t guesses = 0;
        std::clock_t begin = std::clock();
        for (size_t at = 0; at < text.size(); at += 82)
            counts[SolveSudoku(text.data() + at, 2, 0, solution, &guesses)]++;
        double spent = double(std::clock() - begin) / CLOCKS_PER_SEC;
        std::printf("[%f, [%ld, %ld, %ld]]\n", spent, counts[0], counts[1], counts[2]);
    }
}
"""
RUST = r"""
extern "C" { fn clock() -> std::ffi::c_long; }
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for _ in 0..5 {
        let mut counts = [0; 3];
        let begin = unsafe { clock() };
        for line in &lines {
            counts[sudoku::Sudoku::from_str_line(line).unwrap().solutions_count_up_to(2)] += 1;
        }
        println!("[{:?}, {:?}]", (unsafe { clock() } - begin) as f64 / 1e6, counts);
    }
}
"""
CARGO = """
package = { name = "beside", version = "0.0.0", edition = "2021" }
dependencies = { sudoku = "*" }
"""


Rival = tuple[Path, str, str]
"""A solver that was built: its program, what it was built from, and with what."""


def missing(directory: Path) -> str | None:
    """What is missing to compile tdoku from a checkout; None if nothing is."""
    if shutil.which("g++") is None:
        return "g++ is not installed"
    there = (directory / "src" / "solver_dpll_triad_simd.cc").exists()
    return None if there else f"no checkout of tdoku in {directory}"


def said(*words: str | Path, **how: Any) -> str:
    """What a command prints; a failed one raises CalledProcessError."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, **how)
    return str(done.stdout).strip()


def built_tdoku(directory: Path, folder: Path) -> Rival:
    """Compile tdoku with our main function in a folder; the checkout stays as it is."""
    write_text(folder / "main.cc", CPP)
    sources = [directory / "src" / name for name in ("solver_dpll_triad_simd.cc", "util.cc")]
    include = f"-I{directory / 'include'}"
    said("g++", *FLAGS, include, folder / "main.cc", *sources, "-o", folder / "tdoku")
    is_git = (directory / ".git").exists()
    commit = said("git", "-C", directory, "rev-parse", "--short", "HEAD") if is_git else "no git"
    compiler = said("g++", "--version").splitlines()[0]
    return (folder / "tdoku", commit, f"{compiler}, {' '.join(FLAGS)}")


def built_crate(folder: Path) -> Rival | None:
    """Build the newest crate ``sudoku`` with our main function; None if it cannot be had."""
    (folder / "src").mkdir()
    write_text(folder / "Cargo.toml", CARGO)
    write_text(folder / "src" / "main.rs", RUST)
    environment = os.environ | {"RUSTFLAGS": "-C target-cpu=native"}
    try:
        said("cargo", "build", "--release", cwd=folder, env=environment)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", "cargo is not installed").strip().splitlines()[-1]
        harness.note(f"sudoku (Rust): skipped, {why.strip()}")
        return None
    packages = tomllib.loads((folder / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    version = next(package["version"] for package in packages if package["name"] == "sudoku")
    compiler = f"{said('rustc', '--version')}, release, target-cpu=native"
    return (folder / "target" / "release" / "beside", version, compiler)


def lists_of(directory: Path) -> dict[str, list[str]]:
    """The lists of a folder by file name: puzzles of 81 symbols, dots where cells are open.

    Raises:
        ValueError: no list, or a line that is no puzzle; the message says which.
    """
    lists: dict[str, list[str]] = {}
    for path in sorted(directory.glob("[!.]*")):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for number, line in enumerate(lines, 1):
            if (words := line.split()) and not line.startswith("#"):
                if not re.fullmatch(r"[1-9.0_*-]{81}", words[0]):
                    raise ValueError(f"{path}, line {number}: no puzzle of 81 symbols")
                lists.setdefault(path.name, []).append(re.sub("[^1-9]", ".", words[0]))
    if not lists:
        raise ValueError(f"no list of puzzles in {directory}")
    return lists


def ours(given: dict[str, Any], send: Any) -> dict[str, Any]:
    """Count a list with this package on one thread; a sample is checked by dancing links."""
    passes = []
    for _ in range(5):
        begin = time.process_time()
        found = counted(given["path"], 2, 1)
        passes.append([time.process_time() - begin, [found.count(number) for number in range(3)]])
    lines = Path(given["path"]).read_text(encoding="ascii").split()
    sample = range(0, len(lines), 499)
    right = all(by_dancing_links(lines[i], 2) == found[i] for i in sample)
    return {"passes": passes, "right": right}


def compare(options: argparse.Namespace, lists: dict[str, list[str]]) -> int:
    """Count lists with all solvers, in turns, and print tables; the exit status."""
    checks, rows = harness.Checks(), []
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "list"
        built = {}
        if options.beside is not None:
            built = {"tdoku": built_tdoku(options.beside, folder), "sudoku": built_crate(folder)}
        rivals = {name: rival for name, rival in built.items() if rival is not None}
        for kind, lines in lists.items():
            write_text(path, "\n".join(lines) + "\n")
            passes: dict[str, list[Any]] = {name: [] for name in ("bitboard", *rivals)}
            for turn in range(1 if options.quick else ROUNDS):
                harness.note(f"{kind}, round {turn + 1}")
                own = harness.measured("beside:ours", {"path": str(path)}, options)
                checks.expect(own.get("right", False), f"{kind}: dancing links agree")
                passes["bitboard"] += own.get("passes", [])
                for name, rival in rivals.items():
                    told = said(rival[0], path, timeout=options.time_limit)
                    passes[name] += map(json.loads, told.splitlines())
            rows.append(row_of(kind, len(lines), passes, checks))
    heads = ["list", "puzzles", "0 / 1 / ≥ 2 solutions", "bitboard"]
    heads += [head for name in rivals for head in (name, f"{name} ÷ bitboard")]
    versions = [["bitboard", __version__, f"numba {metadata.version('numba')}"]]
    versions += [[name, *rival[1:]] for name, rival in rivals.items()]
    title = "Puzzles a second of processor time, up to two solutions counted"
    tables = [(title, heads, rows), ("Solvers", ["solver", "version", "compiler"], versions)]
    headers = [(0, harness.header(options))]
    harness.show(
        options, SimpleNamespace(headers=headers, origin="Your own results", path=None), tables
    )
    return checks.finish()


def row_of(kind: str, size: int, passes: dict[str, list[Any]], checks: harness.Checks) -> list[Any]:
    """The speeds of all solvers on a list; their counts are checked against each other."""
    speeds = {name: size / min(some)[0] for name, some in passes.items() if some}
    counts = passes["bitboard"][0][1] if passes["bitboard"] else []
    row: list[Any] = [kind, f"{size:,}", " / ".join(f"{count:,}" for count in counts)]
    for name, some in passes.items():
        agree = sum(counts) == size and all(one[1] == counts for one in some)
        checks.expect(agree, f"{kind}: {name} counts the same")
        row.append(f"{speeds[name]:,.0f}" if name in speeds else "×")
        if name != "bitboard":
            row.append(f"{speeds[name] / speeds['bitboard']:.2f}" if counts else None)
    return row

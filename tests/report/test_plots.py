from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bddsudoku import Puzzle, solve
from bddsudoku.errors import BackendUnavailable, PuzzleFormatError
from bddsudoku.notebook_html import entropy
from bddsudoku.report.plots import (
    plot_marginals,
    plot_profiles,
    plot_steps,
    require_matplotlib,
    require_picture_ending,
    save_figure,
)

SMALL = Puzzle.parse("1....2.........4")


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_entropy_is_in_bits() -> None:
    half, quarter = 5 * 10**29, 25 * 10**28
    found = [*map(entropy, ([10**30, 0, 0, 0], [half, half, 0, 0], [quarter] * 4))]
    assert found == pytest.approx([0.0, 1.0, 2.0])


def test_marginals_show_every_digit_that_occurs_and_no_other() -> None:
    solutions = solve(SMALL)
    counts = solutions.marginals()
    figure = plot_marginals(SMALL, counts)
    assert len(texts(figure)) == np.count_nonzero(counts)
    assert figure.axes[0].get_title() == f"{solutions.count()} solutions"
    assert figure.axes[1].get_ylabel() == "entropy of the cell [bits]"
    bold = [t for t in figure.axes[0].texts if t.get_fontweight() == "bold"]
    assert sorted(t.get_text() for t in bold) == ["1", "2", "4"]


def test_one_solution_and_none() -> None:
    one = plot_marginals(SMALL, solve(solve(SMALL).unrank(0)).marginals())
    assert one.axes[0].get_title() == "1 solution"
    assert len(one.axes) == 1  # no scale for what is certain
    clash = Puzzle.parse("11..............")
    none = plot_marginals(clash, solve(clash).marginals())
    assert none.axes[0].get_title() == "no solution"
    assert texts(none) == ["1", "1"]


def test_steps_cross_out_what_a_limit_ended() -> None:
    figure = plot_steps(
        {"procedure 1": [3, 50, 900], "procedure 3": [3, 9, 4]}, stopped=["procedure 1"]
    )
    axes = figure.axes[0]
    assert axes.get_yscale() == "log"
    assert [t.get_text() for t in axes.get_legend().get_texts()] == [
        "procedure 1 (× limit)",
        "procedure 3",
    ]
    crosses = [line for line in axes.lines if line.get_marker() == "x"]
    assert [list(map(int, cross.get_xydata()[0])) for cross in crosses] == [[3, 900]]
    plot_steps({"procedure 1": []}, stopped=["procedure 1"])


@pytest.mark.parametrize(
    ("ending", "magic"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("jpg", b"")],
)
def test_files(tmp_path: Path, ending: str, magic: bytes) -> None:
    path = tmp_path / f"picture.{ending}"
    if not magic:
        with pytest.raises(PuzzleFormatError, match=r"png, \.svg or \.pdf"):
            require_picture_ending(path)
        return
    save_figure(plot_steps({"one": [1, 2]}), path)
    assert path.read_bytes().startswith(magic)


def test_svg_keeps_its_text_and_does_not_depend_on_the_day(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save_figure(plot_marginals(SMALL, solve(SMALL).marginals()), tmp_path / name)
    text = (tmp_path / "a.svg").read_text()
    assert "entropy of the cell [bits]" in text
    assert text == (tmp_path / "b.svg").read_text()


def test_missing_matplotlib_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(BackendUnavailable, match="pip install matplotlib"):
        require_matplotlib()
    with pytest.raises(BackendUnavailable, match="pip install matplotlib"):
        plot_steps({"one": [1]})


def test_profiles_are_lines_of_one_picture() -> None:
    widths = np.array([1, 40, 2, 0, 3])
    (axes,) = plot_profiles({"a": widths, "b": 2 * widths, "c": widths}).axes
    assert [line.get_label() for line in axes.lines] == [
        "a: 46 nodes",
        "b: 92 nodes",
        "c: 46 nodes",
    ]
    assert axes.lines[1].get_xydata().tolist() == [[0, 2], [1, 80], [2, 4], [4, 6]]
    assert axes.get_yscale() == "log"

"""Solutions of the examples in ``data/formula``, as they were confirmed (see the tests)."""

COUNTS = {
    "australia": 18,
    "figure_f": 3,
    "knapsack_20": 99_210,
    "knapsack_100": 1_998_153_311_091_033_295_366_124_111,
    "langford_7": 52,
    "magic_3": 8,
    "magic_4": 7_040,
    "matchings_8x8": 12_988_816,
    "petersen": 120,
    "pythagoras": 6,
    "queens_8": 92,
    "queens_10": 724,
    "queens_12": 14_200,
    "send_more": 1,
    "send_more_zero": 25,
    "subset_sum_40": 1_120_523_463,
    "sudoku_4x4": 288,
    "timetable": 138,
    "words": 29,
}

PROJECTED = {"adder": 15}
"""Those that are counted on some of their variables only."""

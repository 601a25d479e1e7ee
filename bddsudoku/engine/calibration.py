"""The numbers by which an engine is chosen: what a step costs, and how long a trial may take.

``experiments/calibration.py`` measures them on this machine and prints them beside the values here.
They are round on purpose, and the same everywhere: a choice, and with it the order of a set, must
not differ from host to host. A factor of two matters to no choice.
"""

from __future__ import annotations

# -- classic boards of lists -----------------------------------------------------------------------

SEARCHED_LIMIT = 1_000
"""A count up to so many solutions is a search's; beyond it engines that do not visit them count."""
LIST_NODES = 2_000
"""Nodes of the search for a board of a list (some 0.3 ms), after which sums are faster."""
MAX_SEARCH_NODES = 1_000_000
"""Nodes of a first search (some 0.2 s), after which an engine is chosen by prediction."""

FEW_SOLUTIONS = 1_000
"""Solutions of a board up to which they are listed for questions about cells, rather than compiled
to a diagram."""

# -- models ----------------------------------------------------------------------------------------

SEARCH_SOLUTIONS = 100_000
"""Solutions that a trial may hand over to a diagram."""
SEARCH_SOLUTIONS_IN_SET = 1_000
"""The same where another engine could hold the set: beyond it a diagram is compiled sooner."""
DIAGRAM_SECONDS = 5.0
"""A predicted diagram up to here is preferred to a set without one: it answers more questions."""
FIRST_STEPS = 1e9
"""Steps of a search that suits a model before anything is predicted (some 1 s); predicting may
take longer."""
COMPONENTS_STEPS = 6e8
"""The same for an engine that decomposes."""
COMPONENTS_STEPS_PER_SECOND = 1.5e9
"""Steps of an engine that decomposes for every second that a diagram is predicted to take; on two
cores they take as long, for there is no telling which is faster."""
SLOW_SECONDS = 2.0
"""Where a count is predicted to take longer, a search gets a share of that time first."""
SEARCH_STEPS_PER_SECOND = 2e8
"""Steps of that search for every predicted second (a fifth of the time)."""
SEARCH_STEPS = 1e10
"""Steps that it gets at most: formulas may have few solutions and yet very wide diagrams."""
SPARE_STEPS = 6e10
"""Steps of a search, which needs no memory, where a count does not fit into the memory."""
DIAGRAM_SOLUTIONS = 20_000_000
"""Beyond so many solutions no diagram is predicted while another engine can hold the set."""

# -- lists of solutions ----------------------------------------------------------------------------

MAX_UNRANKED = 1_000
"""Solutions of a set without a diagram up to which they are unranked one by one."""
MAX_SEARCHED_PREFIX = 1_000_000
"""Length up to which the first solutions of a larger set are searched for, without a diagram."""
MAX_DIAGRAM_COUNT = 10**10
"""Solutions beyond which no diagram is compiled to list them."""
DIAGRAM_BYTES = 8 << 30
"""Bytes for such a diagram without a memory limit. It does not depend on the free memory, which
would change the order of the list; if the diagram does not fit, a search lists the solutions."""
BYTES_PER_STATE = 60
"""Memory of a diagram under construction for each predicted state (upper end of measurements)."""
SURPLUS_BYTES = 64
"""A diagram is not begun if it is predicted to take more than this times the memory."""
ESTIMATE_STEPS = 3e9
"""Steps of an estimate of a count that was given up (some seconds of one core)."""
ESTIMATE_PRECISION = 0.05
"""Half the width of its 95 % interval, relative to the number, at which it ends sooner."""
ESTIMATED_SECONDS = 20.0
"""Where a count is predicted to take longer, an estimate comes first,"""
MANY_SOLUTIONS = 100
"""if a short search has found so many solutions."""
STEPS_PER_SOLUTION = 100
"""Steps of a search for each of many solutions that it visits, at least."""

# -- the frontier ----------------------------------------------------------------------------------

STATES_PER_SECOND = 3e6
"""Frontier states made in a second, both passes."""
LARGE_STATES = 500
"""Variables beyond which both the words of a state and its children grow, so that the rate falls
with their square."""
MDD_STATES_PER_SECOND = 1e6
"""The same where states hold the registers of MDDs."""
SORTED_STATES_PER_SECOND = 5e6
"""States of a count in which interchangeable values are sorted; they carry no options with them."""
SORTED_HOUSE_STATES_PER_SECOND = 1.2e6
"""The same where interchangeable houses are sorted, too."""
FEW_STATES = 20_000
"""Predicted states of a count up to which no symmetry is looked for."""
SOON_SORTED_STATES = 300_000
"""Predicted sorted states up to which the count without symmetry is not predicted with care."""
CLEAR_ADVANTAGE = 50
"""Nor is it where the natural order has so many times as many states."""
HOPELESS_FACTOR = 3000.0
"""Times the unsorted states of the natural order that sorted ones may have at first sight: narrow
beams see few of the states that are one."""

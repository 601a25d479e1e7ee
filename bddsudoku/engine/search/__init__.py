"""Branching over one-hot constraints and machines: near-unique puzzles of any rules.

:func:`.prepare.prepare` makes flat arrays of a problem; :class:`.engine.SearchEngine` asks about
it. Nothing here is shared with dancing links or the brute force.
"""

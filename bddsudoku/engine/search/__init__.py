"""Constraint search: branching over one-hot constraints and MDDs, for near-unique puzzles.

:func:`.prepare.prepare_search` makes flat arrays of a model; :class:`.engine.SearchEngine` searches
them. It shares no code with dancing links or brute force.
"""

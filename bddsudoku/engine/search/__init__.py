"""Constraint search by branching and propagation, for puzzles with few solutions.

:func:`.prepare.prepare_search` makes flat arrays of a model; :class:`.engine.SearchEngine` searches
them. It shares no code with dancing links or brute force.
"""

"""Counting by search with components: what falls apart is counted apart, and once."""

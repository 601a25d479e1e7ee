"""Frontier engine: top-down construction of the canonical ordered ZDD (DESIGN 4.2)."""

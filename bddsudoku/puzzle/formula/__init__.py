"""Constraints that people write."""

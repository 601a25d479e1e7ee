"""Exact covers by search: Algorithm X on bit sets, "dancing cells"."""

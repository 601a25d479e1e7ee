"""Exact covers by search: dancing links on linked lists, dancing cells on bit sets."""

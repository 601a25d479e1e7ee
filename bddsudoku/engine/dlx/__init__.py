"""Dancing links: exact covers by search, on bit sets or linked lists."""

"""Search that splits a problem into independent components and caches their results."""

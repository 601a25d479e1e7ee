"""Search with component caching: independent components are solved separately, and once."""

"""``bddsudoku numberlink``: what it asks about, and its actions."""

from bddsudoku.cli.numberlink.actions import numberlink

__all__ = ["numberlink"]

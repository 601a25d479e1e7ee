"""``bddsudoku numberlink``: the command, what it asks about, its actions, its output."""

from bddsudoku.cli.numberlink.command import numberlink

__all__ = ["numberlink"]

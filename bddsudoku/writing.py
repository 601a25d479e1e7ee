"""placeholder until merged"""


def discard_unfinished() -> None: ...

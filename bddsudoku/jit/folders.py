"""Where machine code lies.

It is written to the first of these folders that takes it, and looked for in all of them:
``NUMBA_CACHE_DIR`` where that is set, else ``__pycache__`` of the package, then the user's cache;
last a folder among the temporary files. What is read is run. So each folder, and each file in it,
must belong to this user or to root and be nobody else's to write to; others are passed over.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from numba.core import config

from bddsudoku.jit.compiling import tell

_PACKAGE = Path(__file__).parents[1]
_FORMAT = b"bddsudoku machine code 1\n"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def _user_cache() -> Path:
    """Where programs of this user keep what they can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _is_ours(info: os.stat_result) -> bool:
    """Whether nobody but this user and root can have written a file, or into a folder."""
    if not hasattr(os, "geteuid"):
        return True  # where there are access lists, the usual ones say so
    return info.st_uid in (0, os.geteuid()) and not info.st_mode & 0o022


def _is_trusted(folder: Path) -> bool:
    """Whether it is a folder, no link to one, that may be read from."""
    try:
        info = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and _is_ours(info)


class Folders:
    """The folders in which machine code may lie; see the module's text."""

    def __init__(self) -> None:
        self._refused: dict[Path, OSError] = {}
        self._told = False
        # several installations may share a folder; each clears away what it has outdated itself
        here = f"bddsudoku-{hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:12]}"
        self._folders: list[Path] = []
        if asked := getattr(config, "CACHE_DIR", ""):
            self._folders.append(Path(asked) / here)
        else:
            self._folders.append(_PACKAGE / "__pycache__")
            with suppress(RuntimeError):  # nobody's home
                self._folders.append(_user_cache() / here)
        self._temporary: Path | None = None
        with suppress(OSError):
            who = os.geteuid() if hasattr(os, "geteuid") else "user"
            self._temporary = Path(tempfile.gettempdir()) / f"{here}-{who}"
            self._folders.append(self._temporary)

    def read(self, name: str) -> bytes | None:
        """What has been written under a name, whole."""
        for folder in filter(_is_trusted, self._folders):
            try:
                with (folder / name).open("rb") as file:
                    data = file.read() if _is_ours(os.fstat(file.fileno())) else b""
            except OSError:
                continue
            if data[: len(_FORMAT)] == _FORMAT:
                check = data[len(_FORMAT) : len(_FORMAT) + 4]
                body = data[len(_FORMAT) + 4 :]
                if zlib.crc32(body).to_bytes(4, "little") == check:
                    return body
        return None

    def write(self, name: str, body: bytes, outdated: str) -> None:
        """Keep something under a name in the first folder that takes it.

        Files of the pattern ``outdated`` are removed there.
        """
        data = b"".join((_FORMAT, zlib.crc32(body).to_bytes(4, "little"), body))
        for folder in self._writable():
            try:
                _replace(folder / name, data)
            except OSError as error:
                self._refused[folder] = error
                continue
            for old in folder.glob(outdated):
                if old.name.rpartition("-")[0] != name.rpartition("-")[0]:
                    with suppress(OSError):
                        old.unlink()
            if folder == self._temporary:
                self._say(f"compiled kernels are kept in {folder}")
            return
        self._say("compiled kernels cannot be kept")

    def _writable(self) -> Iterator[Path]:
        """The folders, made if need be."""
        for folder in self._folders:
            if folder in self._refused:
                continue
            try:
                folder.mkdir(mode=0o755, parents=True, exist_ok=True)
                if not _is_trusted(folder):
                    raise PermissionError("others may write there")
            except OSError as error:
                self._refused[folder] = error
            else:
                yield folder

    def _say(self, what: str) -> None:
        if not self._told:
            self._told = True
            why = "; ".join(
                f"{folder}: {error.strerror or error}" for folder, error in self._refused.items()
            )
            tell(f"{what} ({why})")


def _replace(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that nobody reads half of it."""
    beside = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        descriptor = os.open(beside, _NEW, 0o644)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


folders = Folders()

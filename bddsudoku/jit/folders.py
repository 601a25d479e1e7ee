"""Where machine code lies.

It is written to the first of these folders that takes it, and looked for in all of them:
``NUMBA_CACHE_DIR`` where that is set, else ``__pycache__`` of the package, then the user's cache;
last a private folder among the temporary files. What is read is run, so the user's folders must be
the user's own, and nobody else's to write to.
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

__all__ = ["Folders", "folders"]

_PACKAGE = Path(__file__).parents[1]
_FORMAT = b"bddsudoku machine code 1\n"


def _user_cache() -> Path:
    """Where programs of this user keep what they can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _mine(folder: Path, *, alone: bool) -> bool:
    """Whether a folder is this user's, so that what lies in it may be run.

    Args:
        folder: may be missing.
        alone: nobody else may even look into it, and it must not be a link.
    """
    if not hasattr(os, "geteuid"):
        return folder.is_dir()  # temporary files are the user's own there, too
    try:
        info = folder.lstat() if alone else folder.stat()
        above = folder.parent.stat()
    except OSError:
        return False
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
        return False
    if not alone:
        return not info.st_mode & 0o022
    # in a folder of many, nobody but the owner may rename
    apart = above.st_mode & stat.S_ISVTX or not above.st_mode & 0o022
    return not info.st_mode & 0o077 and bool(apart) and above.st_uid in (0, os.geteuid())


class Folders:
    """The folders in which machine code may lie; see the module's text."""

    def __init__(self) -> None:
        self._refused: dict[Path, OSError] = {}
        self._told = False
        # several installations may share a folder; each clears away what it has outdated itself
        here = f"bddsudoku-{hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:12]}"
        self._chosen: list[Path] = []
        self._own: Path | None = None
        self._apart: Path | None = None
        asked: str = getattr(config, "CACHE_DIR", "")
        if asked:
            self._chosen = [Path(asked) / here]
        else:
            self._chosen = [_PACKAGE / "__pycache__"]
            with suppress(RuntimeError):  # nobody's home
                self._own = _user_cache() / here
        with suppress(OSError):
            who = os.geteuid() if hasattr(os, "geteuid") else "user"
            self._apart = Path(tempfile.gettempdir()) / f"{here}-{who}"

    def read(self, name: str) -> bytes | None:
        """What has been written under a name, whole."""
        for folder in self._readable():
            try:
                data = (folder / name).read_bytes()
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
            if folder == self._apart:
                self._say(f"compiled kernels are kept in {folder}")
            return
        self._say("compiled kernels cannot be kept")

    def _readable(self) -> Iterator[Path]:
        yield from self._chosen
        if self._own is not None and _mine(self._own, alone=False):
            yield self._own
        if self._apart is not None and _mine(self._apart, alone=True):
            yield self._apart

    def _writable(self) -> Iterator[Path]:
        """The same, made if need be."""
        for folder in (*self._chosen, self._own, self._apart):
            if folder is None or folder in self._refused:
                continue
            try:
                if folder == self._apart:
                    with suppress(FileExistsError):
                        folder.mkdir(mode=0o700)
                else:
                    folder.mkdir(parents=True, exist_ok=True)
                if folder not in self._chosen and not _mine(folder, alone=folder == self._apart):
                    raise PermissionError("somebody else can write there")
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
        with beside.open("xb") as file:
            file.write(data)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


folders = Folders()

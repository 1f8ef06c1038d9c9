"""Paths of files."""

from __future__ import annotations

import os
from typing import Union

Path = Union[str, bytes, os.PathLike[str]]


def path_bytes(path: Path) -> bytes:
    """A path as the system takes it, which would end it at a NUL and open another file."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"{os.fsdecode(name)!r} is no path: it has a NUL in it")
    return name

"""Instances of files and generators."""

from __future__ import annotations

import os
from typing import Any, Iterable, Optional, Union, overload

from . import _core
from ._core import Instance
from ._options import logger, whole_number
from ._paths import Path, path_bytes


def read(
    path: Union[Path, Iterable[Path]],
    *,
    limit: int = 0,
    rounding: Optional[str] = None,
    vehicles: Optional[int] = None,
) -> Any:
    """Reads a file of one instance (.tsp, .vrp, Solomon's .txt) as an Instance; a set (.npz, a pickled list), a folder
    or several paths as a list of them. Content decides what a file is. ``limit`` reads the first so many of a set only;
    0: all. ``rounding`` ("none", "round", "trunc" or "dimacs") replaces that of EUC_2D, ``vehicles`` the bound on
    routes.
    """
    whole_number("limit", limit, 0, 2**31 - 1)
    if vehicles is not None:
        whole_number("vehicles", vehicles, 1, 2**31 - 1)
    paths = [path] if isinstance(path, (str, bytes, os.PathLike)) else list(path)
    return _core.read([path_bytes(one) for one in paths], limit, rounding, vehicles or 0, logger.warning)


@overload
def generate(
    problem: str, size: int, count: None = ..., *, seed: int = ..., capacity: float = ..., shaped: bool = ...
) -> Instance: ...
@overload
def generate(
    problem: str, size: int, count: int, *, seed: int = ..., capacity: float = ..., shaped: bool = ...
) -> list[Instance]: ...
def generate(
    problem: str, size: int, count: Optional[int] = None, *, seed: int = 1, capacity: float = 0, shaped: bool = False
) -> Union[Instance, list[Instance]]:
    """Makes an instance, or a list of ``count``: uniform ones of the field in the unit square, or shaped ones.

    ``problem`` is "tsp", "cvrp" or "vrptw", ``size`` its nodes or customers. Instance i depends on the seed and i
    alone, and is that of ``neuopt generate``. ``capacity`` 0 is the usual one for the size. What would not fit into
    the memory that is free is refused.
    """
    number = whole_number("count", 1 if count is None else count, 0, _core.MOST_INSTANCES)
    whole_number("size", size, 1, _core.MOST_CUSTOMERS)
    whole_number("seed", seed, 0, 2**63 - 1)
    _core.require_memory(problem, size, number)
    made = [_core.generate(problem, size, seed, i, capacity, shaped) for i in range(number)]
    return made[0] if count is None else made

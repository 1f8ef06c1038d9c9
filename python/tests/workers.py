"""Functions that workers of other processes import."""

import os
import time

from neuopt import _executor

_plain = _executor._solve_chunk


def pid():
    return os.getpid()


def kept():
    """This process, and the Solver that it keeps."""
    time.sleep(0.1)  # for the other worker to take part
    return os.getpid(), id(_executor._kept[1])


def slow_chunk(chunk):
    """A chunk that takes long enough for its worker to be killed meanwhile."""
    time.sleep(0.3)
    return _plain(chunk)


def solve_here(solver, instance):
    return solver.solve(instance, steps=10).routes

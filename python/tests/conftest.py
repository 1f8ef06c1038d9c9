"""What the tests share. They run on the module of a build: PYTHONPATH=build/python pytest python/tests"""

import os
import pathlib

import neuopt
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Other processes, wherever they run, find the same package, and the functions of these tests.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(pathlib.Path(neuopt.__file__).absolute().parents[1]), str(pathlib.Path(__file__).parent)]
)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def program():
    """The program of the same build."""
    path = os.environ.get("NEUOPT_PROGRAM")
    if not path:
        pytest.skip("NEUOPT_PROGRAM names no program")
    return path


@pytest.fixture
def coords():
    return np.random.default_rng(1).random((20, 2))


@pytest.fixture
def cvrp():
    return neuopt.generate("cvrp", 20)


def answers(results):
    """What must be the same wherever a set is solved."""
    return [(result.index, result.cost, result.routes, result.history, result.checksum) for result in results]

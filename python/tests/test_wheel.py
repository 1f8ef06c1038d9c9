"""pip installs the package into a fresh virtual environment, which needs nothing else of this folder.

Its tree of CMake is configured and gone through, but takes minutes to compile: so the wheel takes the module that is
tested here, and compiles its own with NEUOPT_WHEEL=full.
"""

import json
import os
import subprocess
import sys

import neuopt
from neuopt import _core

SCRIPT = """
import importlib.metadata, json, neuopt
result = neuopt.solve(neuopt.generate("cvrp", 20), steps=10, device="cpu")
version = importlib.metadata.version("neuopt")
print(json.dumps([neuopt.__file__, result.routes, result.model, version == neuopt.__version__]))
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pip_installs_a_package_that_solves(root, tmp_path):
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if os.environ.get("NEUOPT_WHEEL") != "full":
        surroundings["NEUOPT_MODULE"] = _core.__file__
    before = {path.name for path in root.iterdir()}
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", root, env=surroundings)
    assert {path.name for path in root.iterdir()} - before <= {"build-wheel"}
    (cache,) = (root / "build-wheel").glob(f"cmake-{sys.implementation.cache_tag}/CMakeCache.txt")
    for left_out in ("NEUOPT_PROGRAMS:BOOL=OFF", "NEUOPT_TESTS:BOOL=OFF", "NEUOPT_TRAIN:STRING=OFF"):
        assert left_out in cache.read_text()
    place, routes, model, same_version = json.loads(run(python, "-c", SCRIPT, env=surroundings, cwd=tmp_path))
    installed = tmp_path / "venv" / "lib"
    assert place.startswith(str(installed)) and model == "cvrp20" and same_version, "with its models"
    assert routes == neuopt.solve(neuopt.generate("cvrp", 20), steps=10, device="cpu").routes
    files = {path.name.split(".")[0] + path.suffix for path in installed.glob("*/site-packages/neuopt/*.*")}
    assert {"__init__.py", "_core.so", "_core.pyi", "py.typed"} <= files

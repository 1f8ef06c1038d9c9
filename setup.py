"""Builds the Python package: CMake makes the module neuopt._core, without the programs, the trainer and the tests.

NEUOPT_CONFIGURE in the environment holds further options for CMake, e.g. -DNEUOPT_CUDA=OFF. NEUOPT_MODULE names a
module that another build has made: the tree is then configured and gone through, but nothing is compiled.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """Runs CMake instead of a compiler, in a tree that later builds go on with."""

    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        tree = self.configured()
        made = os.environ.get("NEUOPT_MODULE")
        if made:
            subprocess.run(["cmake", "--build", tree, "--target", "neuopt_python", "--", "-n"], check=True)
        shutil.copy2(made or self.compiled(tree), target)

    def configured(self):
        tree = ROOT / "build-wheel" / f"cmake-{sys.implementation.cache_tag}"
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "NEUOPT_PYTHON": "ON",
            "NEUOPT_PROGRAMS": "OFF",
            "NEUOPT_TESTS": "OFF",
            "NEUOPT_TRAIN": "OFF",
            "Python_EXECUTABLE": sys.executable,
            **pybind11_folder(),
        }
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        given = [f"-D{name}={value}" for name, value in options.items()]
        given += shlex.split(os.environ.get("NEUOPT_CONFIGURE", ""))
        subprocess.run(["cmake", "-S", ROOT, "-B", tree, *generator, *given], check=True)
        return tree

    def compiled(self, tree):
        jobs = str(self.parallel or len(os.sched_getaffinity(0)))
        subprocess.run(["cmake", "--build", tree, "--target", "neuopt_python", "--parallel", jobs], check=True)
        (module,) = (tree / "python" / "neuopt").glob("_core.*.so")
        return module


def pybind11_folder():
    """Where CMake finds pybind11 when pip has installed it; Debian's is found without help."""
    try:
        import pybind11

        return {"pybind11_DIR": pybind11.get_cmake_dir()}
    except ImportError:
        return {}


def version():
    return re.search(r"project\(neuopt VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


(ROOT / "build-wheel").mkdir(exist_ok=True)
setup(version=version(), ext_modules=[Extension("neuopt._core", sources=[])], cmdclass={"build_ext": CMakeBuild})

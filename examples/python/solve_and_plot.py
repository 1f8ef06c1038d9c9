"""Solves one instance and draws the answer.

Usage: python solve_and_plot.py [FILE.tsp|FILE.vrp] [--seconds S] [--output PICTURE.svg|.png]
"""

import argparse
import pathlib

import neuopt

HERE = pathlib.Path(__file__).resolve().parent

parser = argparse.ArgumentParser()
parser.add_argument("file", nargs="?", default=HERE.parent / "cvrp100.vrp")
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--output", default="solution.svg")
options = parser.parse_args()

instance = neuopt.read(options.file)
result = neuopt.solve(instance, time_limit=options.seconds)
print(result)
for step, cost in result.history:
    print(f"after {step:6} steps {cost:12.6g}")
assert neuopt.verify(instance, result).feasible

if options.output.endswith(".svg"):
    pathlib.Path(options.output).write_text(result._repr_svg_())  # needs nothing else
else:
    result.plot().figure.savefig(options.output, dpi=150)  # needs matplotlib
print(f"The picture is {options.output}")

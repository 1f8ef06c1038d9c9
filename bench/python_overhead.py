#!/usr/bin/env python3
"""What solve_many costs beside the program: both solve the same set, in turns, and the best of each is compared.

    PYTHONPATH=build/python bench/python_overhead.py build/neuopt [--device cuda] [--count 2000] ...

Python's time is that of the call, from an array to a list of results. The program's is that of its search, as it states
it, without reading and writing. The last line has their ratio; above --allowed the exit code is 1.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import neuopt
import numpy as np


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--augment", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--allowed", type=float, default=1.02)
    return parser.parse_args()


def run_program(given, path):
    """Seconds of the search, and the mean cost."""
    words = [given.program, "solve", path, "--json", "--quiet", "--output", path.with_suffix(".jsonl")]
    for name in ("steps", "augment", "threads", "device"):
        words += [f"--{name}", str(getattr(given, name))]
    said = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return said["seconds"], said["mean_cost"]


def run_python(given, solver, batch):
    begun = time.perf_counter()
    results = solver.solve_many(batch, steps=given.steps, augment=given.augment, threads=given.threads)
    return time.perf_counter() - begun, float(np.mean([result.cost for result in results]))


def main():
    given = parse()
    instances = neuopt.generate("tsp", given.size, given.count)
    solver = neuopt.Solver(device=given.device)
    solver.solve(instances[0], steps=1)  # models are loaded before the clock runs, as in the program
    best = {"program": float("inf"), "python": float("inf")}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "set.npz"
        batch = np.stack([one.coords for one in instances]).astype(np.float32)
        np.savez(path, locs=batch)
        for _ in range(given.rounds):
            seconds, cost = run_program(given, path)
            best["program"] = min(best["program"], seconds)
            seconds, found = run_python(given, solver, batch)
            best["python"] = min(best["python"], seconds)
            if abs(found - cost) > 1e-9 * cost:
                sys.exit(f"the answers differ: {found} from Python, {cost} from the program")
    ratio = best["python"] / best["program"]
    print(f"{solver.device}: {given.count} instances, {given.steps} steps, best of {given.rounds}")
    print(f"program {best['program']:.4f} s  solve_many {best['python']:.4f} s  ratio {ratio:.4f}")
    sys.exit(ratio > given.allowed)


if __name__ == "__main__":
    main()

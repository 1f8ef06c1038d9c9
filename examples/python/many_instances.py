"""Solves a thousand instances at once, in this process or on the workers of a pool; the answers are the same.

Usage: python many_instances.py [--count N] [--size N] [--steps T] [--workers W]
"""

import argparse
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

import neuopt
import numpy as np


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--size", type=int, default=50)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()

    batch = np.random.default_rng(1).random((options.count, options.size, 2))
    begun = time.perf_counter()
    if options.workers == 0:
        results = neuopt.solve_many(batch, steps=options.steps, augment=1, progress=show)
    else:
        # With Dask it is distributed.Client(...).get_executor(), with MPI mpi4py.futures.MPIPoolExecutor().
        with ProcessPoolExecutor(options.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            results = neuopt.solve_many(batch, steps=options.steps, augment=1, progress=show, executor=pool)
    seconds = time.perf_counter() - begun
    mean = np.mean([result.cost for result in results])
    print(f"\n{len(results)} tours, mean cost {mean:.4f}, {seconds:.1f} s")


def show(news):
    print(f"\r{news.instances_done} of {news.instances}, step {news.step}", end="", flush=True)


if __name__ == "__main__":  # spawned workers import this file
    main()

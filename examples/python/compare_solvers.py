"""Compares neuopt with other solvers on the same instances, as far as they are installed: PyVRP for a CVRP, in the same
time, and a heuristic of networkx for a TSP. neuopt's verifier judges every answer.

Usage: python compare_solvers.py [--count N] [--size N] [--seconds S]
"""

import argparse
import importlib.util
import pathlib
import tempfile

import neuopt


def rounded(problem, size, index):
    """An instance whose distances are whole numbers, which every solver means alike."""
    unit = neuopt.generate(problem, size, index + 1)[index]
    return neuopt.Instance(
        (1000 * unit.coords).round(), demands=unit.demands, capacity=unit.capacity, metric="EUC_2D", name=unit.name
    )


def with_neuopt(instance, seconds):
    return neuopt.solve(instance, time_limit=seconds).routes


def without_a_network(instance, seconds):
    return neuopt.solve(instance, time_limit=seconds, policy="none").routes


def with_pyvrp(instance, seconds):
    import pyvrp
    from pyvrp.stop import MaxRuntime

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "instance.vrp"
        instance.save(path)
        data = pyvrp.read(path, round_func="round")
    found = pyvrp.solve(data, stop=MaxRuntime(seconds), seed=1, display=False)
    return [list(route.visits()) for route in found.best.routes()]


def with_networkx(instance, seconds):
    import networkx

    graph = networkx.from_numpy_array(instance.distance_matrix())
    tour = networkx.approximation.simulated_annealing_tsp(graph, "greedy", seed=1, max_iterations=100)
    return [tour[:-1]]  # it ends where it began; its time is its own


SOLVERS = {
    "cvrp": {"neuopt": with_neuopt, "neuopt, no network": without_a_network, "pyvrp": with_pyvrp},
    "tsp": {"neuopt": with_neuopt, "neuopt, no network": without_a_network, "networkx": with_networkx},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    for problem, solvers in SOLVERS.items():
        instances = [rounded(problem, options.size, index) for index in range(options.count)]
        print(f"{problem} with {options.size} customers, mean cost of {options.count}")
        for name, solve in solvers.items():
            library = name.split(",")[0]
            if importlib.util.find_spec(library) is None:
                print(f"  {name:20} not installed")
                continue
            verdicts = [neuopt.verify(instance, solve(instance, options.seconds)) for instance in instances]
            mean = sum(verdict.cost for verdict in verdicts) / len(verdicts)
            feasible = sum(verdict.feasible for verdict in verdicts)
            print(f"  {name:20} {mean:10.1f}  {feasible} of {len(verdicts)} feasible")


if __name__ == "__main__":
    main()

"""A learned k-opt solver for routing problems (TSP, CVRP and VRPTW).

    import neuopt, numpy as np

    result = neuopt.solve(np.random.rand(100, 2), time_limit=1)     # a TSP
    result.cost, result.tour

    result = neuopt.solve(neuopt.read("city.vrp"), steps=1000)
    result.routes

    results = neuopt.solve_many(np.random.rand(1000, 50, 2), steps=100)

Wrong input raises ValueError, a failed device RuntimeError; TypeError is left for arguments that do not exist or are of
a type that cannot fit. Nothing is printed; what is unusual goes to the logger "neuopt".
"""

from ._core import Instance, __version__, devices
from ._inputs import as_instance, as_instances
from ._options import Progress, SearchOptions
from ._problems import generate, read
from ._result import Result, Verdict, verify
from ._schedule import RouteSchedule, Stop
from ._solver import Solver, solve, solve_many

__all__ = [
    "Instance",
    "Progress",
    "Result",
    "RouteSchedule",
    "SearchOptions",
    "Solver",
    "Stop",
    "Verdict",
    "as_instance",
    "as_instances",
    "devices",
    "generate",
    "read",
    "solve",
    "solve_many",
    "verify",
    "__version__",
]

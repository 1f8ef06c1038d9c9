"""What a search found, and what the verifier says of a solution."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _core
from ._core import Instance
from ._options import logger
from ._paths import path_bytes
from ._schedule import RouteSchedule, schedule_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Verdict(NamedTuple):
    """What the verifier says of a solution; it shares no code with the search.

    Findings and what is late name nodes and routes by their indices, from 0, as solutions hold them, also where the
    solution was a file, whose numbers begin with 1.
    """

    feasible: bool
    cost: float  #: by the file's convention; 0 when a node index is invalid
    loads: list[float]  #: of each route (not TSP)
    findings: list[str]  #: what is wrong, in words
    late: list[tuple[int, int, float]] = []  #: route, node (the depot: the return) and by how much (VRPTW)


@dataclass(frozen=True, eq=False)
class Result:
    """A verified solution. In a notebook it shows itself."""

    instance: Instance
    index: int  #: of the instance in its set, from 0
    cost: float  #: by the file's convention
    feasible: bool  #: by the verifier; False only where a bound on the vehicles was not kept
    gap: Optional[float]  #: cost / reference_cost - 1, where the instance has a reference cost
    routes: list[list[int]]  #: nodes of each vehicle without the depot; of a TSP one route, the tour
    history: list[tuple[int, float]]  #: the best cost after some steps, the last step among them
    steps: int  #: taken by every copy
    copies: int  #: searched side by side; 0: solved without a search
    seconds: float  #: of the search
    feasible_share: float  #: of the solutions visited, by the instances searched together
    stopped_by: str  #: "steps", "time", "target", "patience", "interrupt" or "exact"
    model: str  #: "" when none was needed
    checksum: str  #: of the model
    device: str

    @property
    def tour(self) -> list[int]:
        """The nodes of a TSP in their order: indices into coords, from 0."""
        if self.instance.problem != "tsp":
            raise AttributeError(f"a {self.instance.problem.upper()} has routes, not a tour")
        return self.routes[0]

    @property
    def vehicles_kept(self) -> bool:
        """Whether there are no more routes than the instance has vehicles, where it bounds them."""
        return self.instance.vehicles is None or len(self.routes) <= self.instance.vehicles

    @property
    def schedule(self) -> list[RouteSchedule]:
        """The day of each vehicle, in the order of the routes. Only where there are time windows."""
        if self.instance.time_windows is None:
            raise AttributeError(f"a {self.instance.problem.upper()} has no schedule")
        return schedule_of(self.instance, self.routes)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a .tour (TSP) or .sol file. A name with another ending is a ValueError."""
        self.instance._save_solution(path, self.routes, self.cost)

    def plot(self, ax: Optional[Axes] = None) -> Axes:
        """Draws the solution with matplotlib, into ``ax`` where one is given, and returns the axes."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise RuntimeError("plot needs matplotlib; a notebook shows a result without it") from error
        if ax is None:
            ax = plt.gca()
        points = self.instance.map_points()
        depot = self.instance.depot
        for route in self.routes:
            ends = [depot] if depot is not None else [route[0]]
            line = points[ends + route + ends if depot is not None else route + ends]
            ax.plot(line[:, 0], line[:, 1], linewidth=1.2, zorder=1)
        ax.scatter(points[:, 0], points[:, 1], s=8, color="black", zorder=2)
        if depot is not None:
            ax.scatter(*points[depot], s=60, marker="s", color="tab:red", zorder=3)
        ax.set_aspect("equal")
        ax.set_title(f"{self.instance.name}  {self.cost:.6g}".strip())
        return ax

    def _repr_svg_(self) -> str:
        return self.instance._picture(self.routes)

    def __repr__(self) -> str:
        gap = "" if self.gap is None else f", gap {100 * self.gap:.2f} %"
        routes = "" if self.instance.problem == "tsp" else f", {len(self.routes)} routes"
        if not self.vehicles_kept:
            routes += f" for {self.instance.vehicles} vehicles"
        return f"<neuopt.Result cost {self.cost:.6g}{gap}{routes}, {self.steps} steps, stopped by {self.stopped_by}>"


def make_result(instance: Instance, fields: dict[str, Any], looked: list[int]) -> Result:
    """The result that the compiled part states in ``fields``, whose history lacks its steps."""
    seen = zip(looked, fields.pop("history"))
    steps, end = fields["steps"], fields["cost"]
    # The search adds up in single precision: what it had at the end is the cost, not a little more or less.
    history = [(step, end if math.isclose(cost, end, rel_tol=1e-6) else cost) for step, cost in seen if step < steps]
    history.append((steps, end))
    return Result(instance=instance, history=history, **fields)


def routes_of(instance: Instance, solution: Any) -> list[list[int]]:
    """The routes of whatever states a solution: a Result, a tour, routes, or a .tour or .sol file."""
    if isinstance(solution, Result):
        return solution.routes
    if isinstance(solution, (str, os.PathLike)):
        return _core.read_solution(path_bytes(solution), instance, logger.warning)[0]
    if isinstance(solution, dict) and "routes" in solution:  # vrplib.read_solution
        solution = solution["routes"]
    try:
        routes = [one.tolist() if hasattr(one, "tolist") else one for one in solution]
        if instance.problem == "tsp" and not any(hasattr(one, "__len__") for one in routes):
            routes = [routes]
        return [[_node(node) for node in route] for route in routes]
    except TypeError as error:
        expected = "a tour of nodes" if instance.problem == "tsp" else "routes of nodes"
        raise ValueError(f"this is no solution, expected {expected}: {error}") from error


def _node(node: Any) -> int:
    try:
        number = int(node)
    except (ValueError, OverflowError) as error:
        raise TypeError(f"{node!r} is no node") from error
    if number != node or abs(number) >= 2**31:
        raise TypeError(f"{node!r} is no node")
    return number


def verify(instance: Any, solution: Any) -> Verdict:
    """Checks a solution: every customer once, no route over capacity, nobody late, no more routes than vehicles. A
    wrong solution is no error.

    ``instance`` is what ``as_instance`` takes. ``solution`` is a Result, a tour of node indices (TSP), routes of them
    (CVRP), or the path of a .tour or .sol file. Findings name nodes and routes by their indices, from 0.
    """
    from ._inputs import as_instance

    one = as_instance(instance)
    return Verdict(*_core.verify(one, routes_of(one, solution)))

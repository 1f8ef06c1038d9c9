"""What callers hand over, as instances: arrays of numpy and others, dictionaries of vrplib, test sets of rl4co."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from ._core import Instance

Array = npt.NDArray[np.float64]

_CPU = (1, 3)  # device types of DLPack that numpy can read: memory of the host, pinned or not


def array(value: Any, what: str) -> Array:
    """Any array as one of numpy. Tensors of a GPU are copied through the host; no other library is imported."""
    if isinstance(value, (str, bytes, os.PathLike)):
        raise ValueError(f"{what}: {value!r} is not an array of numbers; neuopt.read reads files")
    if np.ma.is_masked(value):
        raise ValueError(f"{what}: not an array of numbers: some are masked")
    try:
        if getattr(value, "requires_grad", False):
            value = value.detach()
        if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] not in _CPU:
            value = value.cpu() if hasattr(value, "cpu") else value.get()  # PyTorch, CuPy
        if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
            value = np.from_dlpack(value)
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, BufferError, RuntimeError, AttributeError) as error:
        raise ValueError(f"{what}: not an array of numbers: {error}") from error


def as_instance(
    instance: Any = None,
    *,
    demands: Any = None,
    capacity: Optional[float] = None,
    vehicles: Optional[int] = None,
    distance_matrix: Any = None,
    name: str = "",
    reference_cost: Optional[float] = None,
) -> Instance:
    """An Instance of whatever states one.

    ``instance`` is an Instance, coordinates (nodes, 2), or a dictionary as ``vrplib.read_instance`` returns it. With
    ``demands`` and ``capacity`` coordinates are a CVRP whose depot is node 0, with no more routes than ``vehicles``
    where that is given. A symmetric ``distance_matrix`` takes the place of coordinates.
    """
    given = {
        "demands": demands,
        "capacity": capacity,
        "vehicles": vehicles,
        "distance_matrix": distance_matrix,
        "name": name or None,
        "reference_cost": reference_cost,
    }
    if isinstance(instance, (Instance, Mapping)):
        for what, value in given.items():
            if value is not None:
                raise ValueError(f"{what}: the instance states its own")
        return instance if isinstance(instance, Instance) else _from_vrplib(instance)
    if isinstance(instance, Sequence) and len(instance) > 0 and isinstance(instance[0], (Instance, Mapping)):
        raise ValueError(f"a set of {len(instance)} instances, expected one: solve_many takes sets")
    return Instance(
        None if instance is None else array(instance, "coords"),
        demands=None if demands is None else array(demands, "demands"),
        capacity=None if capacity is None else _number(capacity, "capacity"),
        vehicles=None if vehicles is None else _whole(vehicles, "vehicles"),
        distance_matrix=None if distance_matrix is None else array(distance_matrix, "distance_matrix"),
        name=name,
        reference_cost=reference_cost,
    )


def as_instances(
    instances: Any, *, demands: Any = None, capacity: Any = None, vehicles: Any = None
) -> list[Instance]:
    """The instances of a set.

    ``instances`` is an array (instances, nodes, 2), with ``demands`` (instances, nodes) and ``capacity`` (one, or one
    for each) a set of CVRPs, whose routes ``vehicles`` (one, or one for each) may bound; or a list of what ``as_instance`` takes, in any sizes; or a mapping of arrays with the
    names of rl4co's test sets: locs, and for CVRPs depot, demand and capacity, as ``numpy.load`` returns them.
    """
    given = [value is not None for value in (demands, capacity, vehicles)]
    if isinstance(instances, Mapping) or hasattr(instances, "keys"):
        if any(given):
            raise ValueError("demands, capacity, vehicles: the set states its own")
        return _from_test_set(instances)
    if isinstance(instances, Instance):
        raise ValueError("one instance, expected a set: solve takes one")
    if isinstance(instances, (str, os.PathLike)):
        raise ValueError(f"{instances!r} is no set of instances; neuopt.read reads files")
    if isinstance(instances, Iterable) and not hasattr(instances, "shape"):
        instances = list(instances)
        if not any(given):
            return [_nth(i, as_instance, one) for i, one in enumerate(instances)]
        if any(isinstance(one, (Instance, Mapping)) for one in instances):
            raise ValueError("demands, capacity, vehicles: the instances of the list state their own")
    coords = array(instances, "coords")
    if coords.ndim != 3:
        raise ValueError(f"coords has shape {coords.shape}, expected (instances, nodes, 2)")
    return _from_arrays(coords, demands, capacity, vehicles)


def _nth(index: int, make: Callable[[Any], Instance], value: Any) -> Instance:
    """One instance of a set, whose errors name its place in it."""
    try:
        return make(value)
    except ValueError as error:
        raise ValueError(f"instance {index}: {error}") from error


def _number(value: Any, what: str) -> float:
    numbers = array(value, what)
    if numbers.size != 1:
        raise ValueError(f"{what} has shape {numbers.shape}, expected one number")
    return float(numbers.reshape(()))


def _whole(value: Any, what: str) -> int:
    number = _number(value, what)
    if not (abs(number) < 2**31 and number == int(number)):
        raise ValueError(f"{what}: {value}, expected a whole number")
    return int(number)


def _each(value: Any, what: str, count: int) -> Any:
    """A number for each of so many instances, where there is one number or one for each; else None for each."""
    if value is None:
        return [None] * count
    numbers = array(value, what).reshape(-1)
    if len(numbers) not in (1, count):
        raise ValueError(f"{what} has shape {np.shape(value)}, expected one number or {count}")
    return np.broadcast_to(numbers, (count,))


def _from_arrays(
    coords: Array, demands: Any, capacity: Any, vehicles: Any = None, names: str = "", costs: Any = None
) -> list[Instance]:
    count = len(coords)
    rows: Any = [None] * count
    if demands is not None:
        rows = array(demands, "demands")
        if rows.ndim != 2 or len(rows) != count:
            raise ValueError(f"demands has shape {rows.shape}, expected ({count}, nodes)")
    capacities = _each(capacity, "capacity", count)
    fleets = _each(vehicles, "vehicles", count)

    def make(i: int) -> Instance:
        return Instance(
            coords[i],
            demands=rows[i],
            capacity=capacities[i],
            vehicles=None if fleets[i] is None else _whole(fleets[i], "vehicles"),
            name=f"{names}#{i}",
            reference_cost=None if costs is None else costs[i],
        )

    return [_nth(i, make, i) for i in range(count)]


def _from_test_set(arrays: Any) -> list[Instance]:
    known = set(arrays.keys())
    if "locs" not in known:
        raise ValueError(f"a test set needs locs, found {', '.join(sorted(known)) or 'nothing'}")
    locs = array(arrays["locs"], "locs")
    if locs.ndim != 3 or locs.shape[2] != 2:
        raise ValueError(f"locs has shape {locs.shape}, expected (instances, nodes, 2)")
    costs = array(arrays["cost"], "cost").reshape(-1) if "cost" in known else None
    if not known & {"depot", "demand", "capacity"}:
        return _from_arrays(locs, None, None, names="set", costs=costs)
    for name in ("depot", "demand", "capacity"):
        if name not in known:
            raise ValueError(f"a test set of CVRPs needs depot, demand and capacity, {name} is missing")
    depot = array(arrays["depot"], "depot").reshape(len(locs), 1, -1)
    demand = array(arrays["demand"], "demand")
    capacity = array(arrays["capacity"], "capacity")
    if demand.size and 0 < demand.max() < 1 and capacity.size and capacity.min() > 1:
        # What rl4co's environments hold, and its files do not: every tour would seem feasible.
        raise ValueError("demand is below 1 everywhere and seems to be divided by the capacity, which must then be 1")
    return _from_arrays(np.concatenate([depot, locs], axis=1), demand, capacity, names="set", costs=costs)


_METRICS = {"EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "EUC_3D", "MAN_3D", "MAX_3D", "GEO", "ATT", "EXACT_2D"}
_PLAIN = {  # what a dictionary may have besides, as far as it is not read here
    *("name", "comment", "type", "dimension", "node_coord", "demand", "depot", "capacity", "vehicles", "edge_weight"),
    *("edge_weight_type", "edge_weight_format", "node_coord_type", "display_data_type", "display_data"),
}
_REFUSED = {  # what would change the problem and cannot be honoured
    "time_window": "time windows",
    "distance": "limits of route lengths",
    "max_distance": "limits of route lengths",
    "service_time": "service times",
    "backhaul": "backhauls",
    "linehaul": "backhauls",
    "release_time": "release times",
    "fixed_edges": "fixed edges of a dictionary",
}


def _from_vrplib(data: Mapping[str, Any]) -> Instance:
    for key, value in data.items():
        if key == "service_time" and not np.any(array(value, key)):
            continue  # as some files say where it does not matter
        if key in _REFUSED:
            raise ValueError(f"{key}: {_REFUSED[key]} are not supported")
        if key not in _PLAIN and not isinstance(value, str):
            raise ValueError(f"{key}: not known, and may constrain solutions; remove it to solve the instance without")
    kind = str(data.get("type", "CVRP" if "demand" in data else "TSP")).upper()
    if kind not in ("TSP", "CVRP"):
        raise ValueError(f"type: {kind}, expected TSP or CVRP")
    depots = array(data.get("depot", 0), "depot").reshape(-1)
    if len(depots) != 1:
        raise ValueError(f"{len(depots)} depots, expected 1")
    metric = str(data.get("edge_weight_type", "" if "edge_weight" in data else "EXACT_2D")).upper()
    coords = data.get("node_coord")
    matrix = None
    if metric not in _METRICS or coords is None:  # else the file's own convention, which vrplib does not round by
        if "edge_weight" not in data:
            raise ValueError(f"edge_weight_type: {metric or 'none'}, expected an edge_weight with it")
        matrix = array(data["edge_weight"], "edge_weight")
        metric = "EXACT_2D"
    return Instance(
        None if coords is None else array(coords, "node_coord"),
        demands=array(data["demand"], "demand") if kind == "CVRP" and "demand" in data else None,
        capacity=_number(data["capacity"], "capacity") if kind == "CVRP" and "capacity" in data else None,
        vehicles=_whole(data["vehicles"], "vehicles") if kind == "CVRP" and "vehicles" in data else None,
        distance_matrix=matrix,
        metric=metric,
        depot=int(depots[0]) if kind == "CVRP" else 0,
        name=str(data.get("name", "")),
        comment=str(data.get("comment", "")),
    )

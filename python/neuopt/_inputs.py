"""What callers hand over, as instances: arrays of numpy and others, dictionaries of vrplib, test sets of rl4co."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Mapping, Optional

import numpy as np

from ._arrays import Array, array, number
from ._core import Instance
from ._vrplib import from_vrplib

_OF_CVRPS = ("depot", "demand", "capacity")
_OF_TIMES = ("time_windows", "service_time")
_OF_SETS = ("locs", "cost", *_OF_CVRPS, *_OF_TIMES)
_LEFT_OPEN = ("vehicles", "rounding")  # by dictionaries and files, so that they are taken beside these


def keywords_for(function: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that a function takes, out of arguments with these names: the ``locals()`` of a caller.

    Every function that users call states its keywords, as ``help`` and editors show them; what they are for is written
    once.
    """
    return {name: arguments[name] for name in function.__kwdefaults__ if name in arguments}


def _without_left_open(given: Mapping[str, Any]) -> dict[str, Any]:
    return {what: value for what, value in given.items() if what not in _LEFT_OPEN}


def as_instance(
    instance: Any = None,
    *,
    demands: Any = None,
    capacity: Optional[float] = None,
    vehicles: Optional[int] = None,
    time_windows: Any = None,
    service_times: Any = None,
    rounding: Optional[str] = None,
    distance_matrix: Any = None,
    name: str = "",
    reference_cost: Optional[float] = None,
) -> Instance:
    """An Instance of whatever states one.

    ``instance`` is an Instance, coordinates (nodes, 2), or a dictionary as ``vrplib.read_instance`` returns it. With
    ``demands`` and ``capacity`` coordinates are a CVRP whose depot is node 0, with no more routes than ``vehicles``
    where that is given; a dictionary that bounds no routes takes it too. ``time_windows`` (nodes, 2), the depot's being
    the day, make a VRPTW of it, with ``service_times`` for each node, each customer, or one for all customers. A
    symmetric ``distance_matrix`` takes the place of coordinates. ``rounding`` is that of distances between coordinates:
    "none", "round", "trunc" or "dimacs".
    """
    given = keywords_for(as_instance, locals())
    others = {**_without_left_open(given), "name": name or None}
    if isinstance(instance, Instance):
        _refuse_beside_an_instance({**others, "vehicles": vehicles, "rounding": rounding})
        return instance
    if isinstance(instance, Mapping):
        if "locs" in instance:
            raise ValueError("a test set (locs), expected one instance: solve_many takes sets")
        _refuse_beside_a_mapping(others, "instance")
        return from_vrplib(instance, rounding, vehicles)
    if isinstance(instance, (list, tuple)) and len(instance) > 0 and isinstance(instance[0], (Instance, Mapping)):
        raise ValueError(f"a set of {len(instance)} instances, expected one: solve_many takes sets")
    return Instance(instance, **{**given, "capacity": None if capacity is None else number(capacity, "capacity")})


def _refuse_beside_an_instance(given: Mapping[str, Any]) -> None:
    for what, value in given.items():
        if value is not None:
            makers = "neuopt.Instance or neuopt.read" if what in _LEFT_OPEN else "neuopt.Instance"
            raise ValueError(f"{what}: belongs to the instance, expected where that is made, by {makers}")


def _refuse_beside_a_mapping(given: Mapping[str, Any], stated: str) -> None:
    for what, value in given.items():
        if value is not None:
            raise ValueError(f"{what}: not beside a mapping, which states the whole {stated}")


def as_instances(
    instances: Any,
    *,
    demands: Any = None,
    capacity: Any = None,
    vehicles: Any = None,
    time_windows: Any = None,
    service_times: Any = None,
    rounding: Optional[str] = None,
) -> list[Instance]:
    """The instances of a set.

    ``instances`` is an array (instances, nodes, 2), with ``demands`` (instances, nodes) and ``capacity`` (one, or one
    for each) a set of CVRPs, whose routes ``vehicles`` (one, or one for each) may bound, and with ``time_windows``
    (instances, nodes, 2) and ``service_times`` (instances, nodes), or one for all customers, a set of VRPTWs; lists in
    place of these arrays may have instances of any sizes; or a list of what ``as_instance`` takes; or a mapping of
    arrays with the names of rl4co's test sets: locs, for CVRPs depot, demand and capacity, for VRPTWs time_windows and
    service_time, as ``numpy.load`` returns them. ``cost`` may state reference costs; other names are refused.
    """
    given = keywords_for(as_instances, locals())
    others = _without_left_open(given)
    if isinstance(instances, Mapping) or hasattr(instances, "keys"):
        _refuse_beside_a_mapping({**others, "rounding": rounding}, "set")
        return _from_test_set(instances, vehicles)
    if isinstance(instances, Instance):
        raise ValueError("one instance, expected a set: solve takes one")
    if isinstance(instances, (str, os.PathLike)):
        raise ValueError(f"{instances!r} is no set of instances; neuopt.read reads files")
    if isinstance(instances, Iterable) and not hasattr(instances, "shape"):
        instances = list(instances)
        stated = [what for what, value in others.items() if value is not None]
        if any(isinstance(one, (Instance, Mapping)) for one in instances):
            if stated:
                raise ValueError(f"{', '.join(stated)}: not beside a list of instances, expected in each of them")
        elif stated or vehicles is not None:
            return _from_arrays(instances, given)
        return _from_list(instances, vehicles, rounding)
    coords = array(instances, "coords")
    if coords.ndim != 3:
        raise ValueError(f"coords has shape {coords.shape}, expected (instances, nodes, 2)")
    return _from_arrays(coords, given)


def _nth(index: int, make: Callable[[int], Instance]) -> Instance:
    """One instance of a set, whose errors name its place in it."""
    try:
        return make(index)
    except ValueError as error:
        raise ValueError(f"instance {index}: {error}") from error


def _from_list(instances: list[Any], vehicles: Any, rounding: Optional[str]) -> list[Instance]:
    """Instances of what ``as_instance`` takes."""
    fleets = _each(vehicles, "vehicles", len(instances))

    def make(i: int) -> Instance:
        return as_instance(instances[i], vehicles=fleets[i], rounding=rounding)

    return [_nth(i, make) for i in range(len(instances))]


def _each(value: Any, what: str, count: int) -> Any:
    """A number for each of so many instances, where there is one number or one for each; else None for each."""
    if value is None:
        return [None] * count
    numbers = array(value, what).reshape(-1)
    if len(numbers) not in (1, count):
        raise ValueError(f"{what} has shape {np.shape(value)}, expected one number or {count}")
    return np.broadcast_to(numbers, (count,))


def _rows(value: Any, what: str, count: int, dimensions: int) -> Any:
    """The part of an array for each of so many instances; None for each where there is none."""
    if value is None:
        return [None] * count
    if isinstance(value, (list, tuple)):  # of any sizes
        if len(value) != count:
            raise ValueError(f"{what} is for {len(value)} instances, expected {count}")
        return value
    rows = array(value, what)
    if rows.ndim != dimensions or len(rows) != count:
        shape = ", ".join([str(count), "nodes", "2"][:dimensions])
        raise ValueError(f"{what} has shape {rows.shape}, expected ({shape})")
    return rows


def _from_arrays(coords: Any, given: Mapping[str, Any], *, names: str = "", costs: Any = None) -> list[Instance]:
    """``given`` has what ``as_instances`` takes besides coordinates."""
    count = len(coords)
    service = given.get("service_times")
    one_service = service is not None and not isinstance(service, (list, tuple)) and np.ndim(service) == 0
    parts = {
        "demands": _rows(given.get("demands"), "demands", count, 2),
        "capacity": _each(given.get("capacity"), "capacity", count),
        "vehicles": _each(given.get("vehicles"), "vehicles", count),
        "time_windows": _rows(given.get("time_windows"), "time_windows", count, 3),
        "service_times": [service] * count if one_service else _rows(service, "service_times", count, 2),
        "reference_cost": [None] * count if costs is None else costs,
    }

    def make(i: int) -> Instance:
        own = {what: of_each[i] for what, of_each in parts.items()}
        return Instance(coords[i], rounding=given.get("rounding"), name=f"{names}#{i}", **own)

    return [_nth(i, make) for i in range(count)]


def _check_names(names: set[Any]) -> None:
    if names & {"node_coord", "edge_weight"}:
        raise ValueError("one instance, expected a set: solve takes one")
    if "locs" not in names:
        raise ValueError(f"a test set needs locs, found {', '.join(sorted(map(str, names))) or 'nothing'}")
    unknown = ", ".join(sorted(map(str, names - set(_OF_SETS))))
    if unknown:
        raise ValueError(f"{unknown}: not known, and may constrain solutions; a test set has {', '.join(_OF_SETS)}")


def _costs_of(arrays: Any, count: int) -> Optional[Array]:
    if "cost" not in arrays.keys():
        return None
    costs = array(arrays["cost"], "cost")
    if costs.size != count:
        raise ValueError(f"cost has shape {costs.shape}, expected ({count},)")
    return costs.reshape(-1)


def _from_test_set(arrays: Any, vehicles: Any) -> list[Instance]:
    names = set(arrays.keys())
    _check_names(names)
    locs = array(arrays["locs"], "locs")
    if locs.ndim != 3 or locs.shape[2] != 2:
        raise ValueError(f"locs has shape {locs.shape}, expected (instances, nodes, 2)")
    costs = _costs_of(arrays, len(locs))
    if not names.intersection(_OF_CVRPS):
        if names.intersection(_OF_TIMES):
            raise ValueError("a test set with time_windows needs depot, demand and capacity")
        return _from_arrays(locs, {"vehicles": vehicles}, names="set", costs=costs)
    for name in _OF_CVRPS:
        if name not in names:
            raise ValueError(f"a test set of CVRPs needs depot, demand and capacity, {name} is missing")
    depot = array(arrays["depot"], "depot").reshape(len(locs), 1, -1)
    demand = array(arrays["demand"], "demand")
    capacity = array(arrays["capacity"], "capacity")
    if demand.size and 0 < demand.max() < 1 and capacity.size and capacity.min() > 1:
        # What rl4co's environments hold, and its files do not: every tour would seem feasible.
        raise ValueError("demand is below 1 everywhere and seems to be divided by the capacity, which must then be 1")
    given = {
        "demands": demand,
        "capacity": capacity,
        "vehicles": vehicles,
        "time_windows": arrays["time_windows"] if "time_windows" in names else None,
        "service_times": arrays["service_time"] if "service_time" in names else None,
    }
    return _from_arrays(np.concatenate([depot, locs], axis=1), given, names="set", costs=costs)

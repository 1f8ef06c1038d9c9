"""Dictionaries as ``vrplib.read_instance`` returns them."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from ._arrays import Array, array, number, whole
from ._core import Instance

_METRICS = {
    *("EUC_2D", "EXACT_2D", "FLOOR_2D", "DIMACS_2D", "CEIL_2D", "MAN_2D", "MAX_2D"),
    *("EUC_3D", "MAN_3D", "MAX_3D", "GEO", "ATT"),
}
_PLAIN = {  # what a dictionary may have besides, as far as it is not read here
    *("name", "comment", "type", "dimension", "node_coord", "demand", "depot", "capacity", "vehicles", "edge_weight"),
    *("time_window", "service_time"),
    *("edge_weight_type", "edge_weight_format", "node_coord_type", "display_data_type", "display_data"),
}
_REFUSED = {  # what would change the problem and cannot be honoured
    "distance": "limits of route lengths",
    "max_distance": "limits of route lengths",
    "backhaul": "backhauls",
    "linehaul": "backhauls",
    "release_time": "release times",
    "fixed_edges": "fixed edges of a dictionary",
}
_OF_ROUTES = ("demand", "capacity", "depot", "vehicles")  # and of no tour
_SAME = {("EXACT_2D", "none"), ("FLOOR_2D", "trunc"), ("DIMACS_2D", "dimacs")}


def from_vrplib(data: Mapping[str, Any], rounding: Optional[str], vehicles: Any) -> Instance:
    """The instance of a dictionary. ``rounding`` replaces that of EUC_2D."""
    data = _stated(data, vehicles)
    _check_keys(data)
    timed = "time_window" in data
    kind = str(data.get("type", "VRPTW" if timed else "CVRP" if "demand" in data else "TSP")).upper()
    if kind not in ("TSP", "CVRP", "VRPTW"):
        raise ValueError(f"type: {kind}, expected TSP, CVRP or VRPTW")
    routes = kind != "TSP"
    if kind == "VRPTW" and not timed or kind == "TSP" and timed:
        raise ValueError(f"type: {kind} {'without' if routes else 'with'} time_window")
    _check_routes(data, kind)
    depots = array(data.get("depot", 0), "depot").reshape(-1)
    if len(depots) != 1:
        raise ValueError(f"{len(depots)} depots, expected 1")
    metric, matrix = _distances(data, kind)
    if rounding is not None and metric != "EUC_2D" and (metric, rounding) not in _SAME:
        raise ValueError(f"rounding: for edge_weight_type EUC_2D, found {metric or 'edge_weight'}")
    if rounding is None and metric == "EUC_2D" and kind == "VRPTW":
        rounding = "dimacs"  # the custom of these files
    coords = data.get("node_coord")
    instance = Instance(
        None if coords is None else array(coords, "node_coord"),
        demands=array(data["demand"], "demand") if routes else None,
        capacity=number(data["capacity"], "capacity") if routes else None,
        vehicles=data.get("vehicles"),
        time_windows=array(data["time_window"], "time_window") if timed else None,
        service_times=array(data["service_time"], "service_time") if timed and "service_time" in data else None,
        distance_matrix=matrix,
        metric=metric or "EXACT_2D",
        rounding=rounding if metric == "EUC_2D" else None,
        depot=whole(depots[0], "depot", 0),
        name=str(data.get("name", "")),
        comment=str(data.get("comment", "")),
    )
    if "dimension" in data and whole(data["dimension"], "dimension", 1) != instance.size:
        raise ValueError(f"dimension: {data['dimension']}, but there are {instance.size} nodes")
    return instance


def _stated(data: Mapping[str, Any], vehicles: Any) -> dict[str, Any]:
    """What the dictionary states, and the caller about its vehicles. None states nothing."""
    stated = {key: value for key, value in data.items() if value is not None}
    if vehicles is None:
        return stated
    if "vehicles" in stated:
        raise ValueError("vehicles: the dictionary states its own")
    return {**stated, "vehicles": vehicles}


def _check_routes(data: Mapping[str, Any], kind: str) -> None:
    """Else a tour would be the answer to another problem than the one that is stated."""
    if kind != "TSP":
        if not ("demand" in data and "capacity" in data):
            raise ValueError(f"a {kind} needs both demand and capacity")
        return
    useless = ", ".join(key for key in _OF_ROUTES if key in data)
    if useless:
        raise ValueError(f"{useless}: no meaning for {'type TSP' if 'type' in data else 'a TSP: there is no demand'}")


def _check_keys(data: Mapping[str, Any]) -> None:
    for key, value in data.items():
        if key == "service_time" and "time_window" not in data and np.any(array(value, key)):
            raise ValueError("service_time: not supported without time_window")
        if key in _REFUSED:
            raise ValueError(f"{key}: {_REFUSED[key]} are not supported")
        if key not in _PLAIN and not isinstance(value, str):
            raise ValueError(f"{key}: not known, and may constrain solutions; remove it to solve the instance without")


def _distances(data: Mapping[str, Any], kind: str) -> tuple[str, Optional[Array]]:
    """The metric of the coordinates, by the file's convention, which vrplib does not round by; or "" and a matrix."""
    solomon = kind == "VRPTW" and "edge_weight_type" not in data  # whose files state no metric
    plain = "EUC_2D" if solomon else "" if "edge_weight" in data else "EXACT_2D"
    metric = str(data.get("edge_weight_type", plain)).upper()
    if metric in _METRICS and "node_coord" in data:
        return metric, None
    if "edge_weight" not in data:
        raise ValueError(f"edge_weight_type: {metric or 'none'}, expected an edge_weight with it")
    return "", array(data["edge_weight"], "edge_weight")

"""The days of a solution's vehicles, where there are time windows."""

from __future__ import annotations

from typing import NamedTuple

from . import _core
from ._core import Instance


class Stop(NamedTuple):
    """A customer on a route. Times are in the units of the instance."""

    node: int
    arrival: float
    start: float  #: of service, inside the window unless it is late
    departure: float
    wait: float  #: from arrival to start
    load: float  #: demands served so far, this one among them
    late: float  #: by how much service begins after the window has closed; 0: in time


class RouteSchedule(NamedTuple):
    """The day of one vehicle."""

    departure: float  #: from the depot: as late as delays no service
    back: float  #: at the depot
    wait: float  #: at all stops together
    late: float  #: by how much it is back after the depot has closed; 0: in time
    stops: list[Stop]


def schedule_of(instance: Instance, routes: list[list[int]]) -> list[RouteSchedule]:
    """The schedule of each route. Raises ValueError for an instance without time windows."""
    return [
        RouteSchedule(departure, back, wait, late, [Stop(*stop) for stop in stops])
        for departure, back, wait, late, stops in _core.schedule(instance, routes)
    ]

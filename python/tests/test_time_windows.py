"""Time windows: arrays, files, dictionaries of vrplib, sets, schedules."""

import pickle

import neuopt
import numpy as np
import pytest

COORDS = np.array([[0, 0], [12, 5], [20, 8], [-9, 7], [-3, 15]], dtype=float)
DEMANDS = np.array([0, 4, 3, 5, 6])
WINDOWS = np.array([[0, 120], [60, 90], [20, 40], [0, 120], [30, 35]])
SERVICE = np.array([0, 10, 10, 5, 5])


def market(**changes):
    given = {"demands": DEMANDS, "capacity": 10, "time_windows": WINDOWS, "service_times": SERVICE}
    return {**given, "rounding": "dimacs", **changes}


def vrplib_market(**changes):
    """As vrplib reads a .vrp file: its edge weights are not rounded."""
    return {
        "name": "market",
        "type": "VRPTW",
        "dimension": 5,
        "capacity": 10,
        "vehicles": 3,
        "edge_weight_type": "EUC_2D",
        "node_coord": COORDS,
        "demand": DEMANDS,
        "depot": np.array([0]),
        "time_window": WINDOWS,
        "service_time": SERVICE,
        "edge_weight": np.linalg.norm(COORDS[:, None] - COORDS[None], axis=2),
        **changes,
    }


def test_arrays_and_their_schedule():
    result = neuopt.solve(COORDS, **market())
    assert result.instance.problem == "vrptw" and result.instance.rounding == "dimacs" and result.feasible
    assert result.cost == 96.2
    for route, day in zip(result.routes, result.schedule):
        assert [stop.node for stop in day.stops] == route and day.late == 0
        now, last = day.departure, 0
        for stop in day.stops:
            assert stop.arrival == pytest.approx(now + result.instance.distance(last, stop.node))
            assert stop.start == max(stop.arrival, WINDOWS[stop.node, 0]) <= WINDOWS[stop.node, 1]
            assert stop.wait == pytest.approx(stop.start - stop.arrival)
            now, last = stop.start + SERVICE[stop.node], stop.node
            assert stop.departure == pytest.approx(now)
        assert day.stops[0].wait == 0 and day.back <= 120


@pytest.mark.parametrize("service", [7, np.array(7.0), [7, 7, 7, 7], [0, 7, 7, 7, 7]])
def test_service_times_in_all_forms(service):
    made = neuopt.as_instance(COORDS, **market(service_times=service))
    assert made.service_times.tolist() == [0, 7, 7, 7, 7]
    assert neuopt.as_instance(COORDS, **market(service_times=None)).service_times.tolist() == [0] * 5


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"time_windows": WINDOWS[:4]}, r"time_windows has shape \(4, 2\), expected \(5, 2\)"),
        ({"service_times": [1, 2]}, "service_times has shape"),
        ({"service_times": [3, 7, 7, 7, 7]}, "a service time of 3 at the depot"),
        ({"service_times": -1}, "a service time of -1"),
        ({"time_windows": None}, "service_times without time_windows"),
        ({"demands": None, "capacity": None}, "time_windows need demands"),
        ({"time_windows": np.array([[0, 120], [90, 60], [20, 40], [0, 120], [30, 35]])}, "closes at 60, before"),
        ({"time_windows": np.array([[0, 120], [60, 90], [20, 40], [0, 120], [10, 15]])}, "cannot be there before 15.2"),
        ({"rounding": "up"}, "rounding: 'up'"),
    ],
)
def test_what_cannot_be_served_is_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        neuopt.as_instance(COORDS, **market(**changes))


def test_rounding_is_of_coordinates_in_the_plane():
    assert neuopt.as_instance(COORDS, rounding="trunc").distance(1, 3) == 21
    assert neuopt.as_instance(COORDS, rounding="dimacs").distance(0, 2) == 21.5
    assert neuopt.as_instance(COORDS).rounding == "none"
    with pytest.raises(ValueError, match="matrix"):
        neuopt.as_instance(distance_matrix=np.ones((3, 3)) - np.eye(3), rounding="round")
    with pytest.raises(ValueError, match="rounding: belongs to the instance"):
        neuopt.as_instance(neuopt.as_instance(COORDS), rounding="round")
    with pytest.raises(ValueError, match="Euclidean"):
        neuopt.Instance(COORDS, metric="CEIL_2D", rounding="round")


def test_files_and_pickles(tmp_path):
    made = neuopt.Instance(COORDS, name="market", vehicles=3, **market())
    path = tmp_path / "market.vrp"
    made.save(path)
    for again in (neuopt.read(path), pickle.loads(pickle.dumps(made))):
        assert again.problem == "vrptw" and again.vehicles == 3 and again.rounding == "dimacs"
        assert np.array_equal(again.time_windows, WINDOWS) and np.array_equal(again.service_times, SERVICE)
    made.save(tmp_path / "market.txt")
    assert np.array_equal(neuopt.read(tmp_path / "market.txt").time_windows, WINDOWS)
    assert neuopt.read(path, rounding="round", vehicles=4).rounding == "round"
    assert neuopt.read(path, vehicles=4).vehicles == 4
    assert neuopt.read(path, rounding="none").rounding == "none"
    with pytest.raises(ValueError, match="rounding"):
        neuopt.read(path, rounding="up")


def test_a_dictionary_of_vrplib_means_what_its_file_means():
    cost = neuopt.solve(COORDS, vehicles=3, **market()).cost
    for data in (vrplib_market(), {k: v for k, v in vrplib_market().items() if k not in ("type", "edge_weight_type")}):
        made = neuopt.as_instance(data)
        assert made.problem == "vrptw" and made.rounding == "dimacs" and made.vehicles == 3
        assert neuopt.solve(data).cost == cost
    assert neuopt.as_instance(vrplib_market(type="CVRP")).rounding == "round"
    assert neuopt.as_instance(vrplib_market(), rounding="none").rounding == "none"
    assert neuopt.as_instance(vrplib_market(service_time=5)).service_times.tolist() == [0, 5, 5, 5, 5]
    weights = {k: v for k, v in vrplib_market(edge_weight_type="EXPLICIT").items() if k != "node_coord"}
    assert neuopt.as_instance(weights).rounding is None
    with pytest.raises(ValueError, match="without time_window"):
        neuopt.as_instance({k: v for k, v in vrplib_market().items() if k not in ("time_window", "service_time")})
    with pytest.raises(ValueError, match="service_time: not supported"):
        neuopt.as_instance({k: v for k, v in vrplib_market(type="CVRP").items() if k != "time_window"})


def test_sets(tmp_path):
    made = neuopt.generate("vrptw", 12, count=3, seed=5)
    arrays = {
        "locs": np.stack([one.coords[1:] for one in made]),
        "depot": np.stack([one.coords[0] for one in made]),
        "demand": np.stack([one.demands[1:] for one in made]),
        "capacity": np.array([one.capacity for one in made]),
        "time_windows": np.stack([one.time_windows for one in made]),
        "service_time": np.stack([one.service_times[1:] for one in made]),
    }
    path = tmp_path / "set.npz"
    np.savez(path, **arrays)
    expected = [one.cost for one in neuopt.solve_many(made, steps=10, policy="none")]
    stacked = {
        "demands": np.stack([one.demands for one in made]),
        "capacity": arrays["capacity"],
        "time_windows": arrays["time_windows"],
        "service_times": arrays["service_time"],
    }
    coords = np.stack([one.coords for one in made])
    for found in (
        neuopt.solve_many(arrays, steps=10, policy="none"),
        neuopt.solve_many(neuopt.read(path), steps=10, policy="none"),
        neuopt.solve_many(coords, steps=10, policy="none", **stacked),
    ):
        assert [one.cost for one in found] == pytest.approx(expected)
    with pytest.raises(ValueError, match="instance 1: .*closes at"):
        neuopt.as_instances(coords, **{**stacked, "time_windows": stacked["time_windows"] * [[[1]], [[0.01]], [[1]]]})
    with pytest.raises(ValueError, match="time_windows has shape"):
        neuopt.as_instances(coords, **{**stacked, "time_windows": stacked["time_windows"][:2]})


def test_verify_names_who_is_late():
    made = neuopt.as_instance(COORDS, **market())
    verdict = neuopt.verify(made, [[1, 2], [3], [4]])
    assert not verdict.feasible and verdict.late == [(0, 2, 38.5)]
    assert verdict.findings == ["node 2 late by 38.5 (route 0 is there at 78.5, the window closes at 40)"]
    tight = neuopt.as_instance(COORDS, **market(time_windows=[[0, 90], *WINDOWS[1:]]))
    late_back = neuopt.verify(tight, [[2], [4], [1, 3]])
    assert late_back.late[-1][:2] == (2, 0) and "route 2 back late by" in late_back.findings[-1]
    assert neuopt.verify(made, [[2, 1], [3], [4]]).late == []


def test_other_problems_have_no_schedule():
    result = neuopt.solve(COORDS)
    assert result.instance.time_windows is None and result.instance.service_times is None
    with pytest.raises(AttributeError, match="no schedule"):
        result.schedule

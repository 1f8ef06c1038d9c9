"""Dictionaries of vrplib and test sets of rl4co."""

import neuopt
import numpy as np
import pytest


def vrplib_instance():
    """As vrplib reads a file with EUC_2D: its edge weights are not rounded."""
    xy = np.array([[10, 10], [20, 30], [35, 12], [5, 40], [22, 18]])
    return {
        "name": "five",
        "type": "CVRP",
        "dimension": 5,
        "capacity": 10,
        "edge_weight_type": "EUC_2D",
        "node_coord": xy,
        "demand": np.array([0, 4, 5, 3, 6]),
        "depot": np.array([0]),
        "edge_weight": np.linalg.norm(xy[:, None] - xy[None], axis=2),
    }


def test_a_dictionary_of_vrplib_means_what_its_file_means(tmp_path):
    data = vrplib_instance()
    text = "NAME : five\nTYPE : CVRP\nDIMENSION : 5\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\nNODE_COORD_SECTION\n"
    text += "".join(f"{i + 1} {x} {y}\n" for i, (x, y) in enumerate(data["node_coord"])) + "DEMAND_SECTION\n"
    text += "".join(f"{i + 1} {demand}\n" for i, demand in enumerate(data["demand"])) + "DEPOT_SECTION\n1\n-1\nEOF\n"
    path = tmp_path / "five.vrp"
    path.write_text(text)
    found = neuopt.solve(data)
    assert found.cost == neuopt.solve(neuopt.read(path)).cost == round(found.cost) and found.instance.name == "five"
    assert np.array_equal(found.instance.distance_matrix(), neuopt.read(path).distance_matrix())
    assert neuopt.verify(data, found).feasible
    assert neuopt.solve_many([data, data])[1].cost == found.cost


def test_edge_weights_stand_where_there_is_no_convention():
    data = vrplib_instance()
    del data["edge_weight_type"]
    assert neuopt.as_instance(data).distance(0, 1) == pytest.approx(np.hypot(10, 20))
    data["edge_weight_type"] = "EXPLICIT"
    data["edge_weight"] = np.ones((5, 5)) - np.eye(5)
    assert neuopt.solve(data).cost == 6  # two routes with two customers each
    del data["edge_weight"]
    with pytest.raises(ValueError, match="edge_weight"):
        neuopt.as_instance(data)


@pytest.mark.parametrize("key", ["distance", "backhaul", "mutual_exclusion"])
def test_what_would_change_the_problem_is_refused(key):
    with pytest.raises(ValueError, match=key):
        neuopt.as_instance({**vrplib_instance(), key: np.zeros(5)})
    assert neuopt.as_instance({**vrplib_instance(), "service_time": 0, "origin": "ours"}).name == "five"
    with pytest.raises(ValueError, match="service_time"):
        neuopt.as_instance({**vrplib_instance(), "service_time": 10})


@pytest.mark.parametrize(
    "key, value", [("demand", [0, 1, 1, 1, 1]), ("capacity", 10), ("depot", np.array([0])), ("vehicles", 2)]
)
def test_a_tour_does_not_pass_over_what_is_for_routes(key, value):
    data = {"type": "TSP", "dimension": 5, "node_coord": vrplib_instance()["node_coord"]}
    assert neuopt.as_instance(data).problem == "tsp"
    with pytest.raises(ValueError, match=f"{key}: no meaning for type TSP"):
        neuopt.as_instance({**data, key: value})
    if key != "demand":
        with pytest.raises(ValueError, match=f"{key}: no meaning for a TSP: there is no demand"):
            neuopt.as_instance({"node_coord": data["node_coord"], key: value})
    for stated in ("CVRP", "cvrp"):
        with pytest.raises(ValueError, match="a CVRP needs both demand and capacity"):
            neuopt.as_instance({**data, "type": stated})


def test_none_states_nothing():
    free = {**vrplib_instance(), "vehicles": None, "time_window": None, "release_time": None}
    assert neuopt.as_instance(free).vehicles is None
    with pytest.raises(ValueError, match="a CVRP needs both demand and capacity"):
        neuopt.as_instance({**vrplib_instance(), "capacity": None})


def test_the_dimension_is_that_of_the_nodes():
    by_distances = {"type": "TSP", "edge_weight_type": "EXPLICIT", "edge_weight": np.ones((5, 5)) - np.eye(5)}
    for data in (vrplib_instance(), by_distances):
        assert neuopt.as_instance({**data, "dimension": np.int64(5)}).size == 5
        for wrong in (4, 6):
            with pytest.raises(ValueError, match=f"dimension: {wrong}, but there are 5 nodes"):
                neuopt.as_instance({**data, "dimension": wrong})
        with pytest.raises(ValueError, match="dimension: 5.5, expected a whole number"):
            neuopt.as_instance({**data, "dimension": 5.5})


@pytest.mark.parametrize(
    "depot, text", [(np.array([0, 1]), "2 depots"), (0.5, "depot: 0.5, expected a whole"), (np.nan, "depot: nan")]
)
def test_there_is_one_depot(depot, text):
    with pytest.raises(ValueError, match=text):
        neuopt.as_instance({**vrplib_instance(), "depot": depot})


def rl4co_set():
    rng = np.random.default_rng(1)
    return {
        "locs": rng.random((4, 20, 2), dtype=np.float32),
        "depot": rng.random((4, 2), dtype=np.float32),
        "demand": rng.integers(1, 10, (4, 20)).astype(np.float32),
        "capacity": np.full(4, 30, dtype=np.float32),
    }


def test_a_set_of_rl4co_from_its_file_and_from_its_arrays(tmp_path):
    path = tmp_path / "vrp20_test_seed1234.npz"
    np.savez(path, **rl4co_set())
    read = neuopt.read(path)
    for made in (neuopt.as_instances(rl4co_set()), neuopt.as_instances(np.load(path))):
        assert len(made) == len(read) == 4
        for mine, theirs in zip(made, read):
            assert np.array_equal(mine.coords, theirs.coords) and np.array_equal(mine.demands, theirs.demands)
            assert mine.capacity == theirs.capacity == 30
    only_locs = neuopt.as_instances({"locs": rl4co_set()["locs"], "cost": np.arange(4)})
    assert only_locs[0].problem == "tsp" and only_locs[3].reference_cost == 3


@pytest.mark.parametrize(
    "name", ["distance_limit", "vehicles", "max_distance", "durations", "demand_backhaul", "open_route", "prize", 7]
)
def test_what_a_set_has_besides_is_not_passed_over(name):
    unknown = {name: np.ones(4), "colour": np.ones(4)}
    for known in (rl4co_set(), {"locs": rl4co_set()["locs"]}):
        with pytest.raises(ValueError, match=f"^({name}, colour|colour, {name}): not known, and may constrain"):
            neuopt.as_instances({**known, **unknown})
        assert len(neuopt.as_instances({**known, "cost": np.ones(4)})) == 4


def test_demands_that_were_divided_by_the_capacity_are_not_taken_for_whole_ones(tmp_path):
    data = rl4co_set()
    data["demand"] = data["demand"] / 30
    np.savez(tmp_path / "set.npz", **data)
    for read in (lambda: neuopt.as_instances(data), lambda: neuopt.read(tmp_path / "set.npz")):
        with pytest.raises(ValueError, match="divided by the capacity"):
            read()
    data["capacity"] = np.ones((4, 1))  # the shape of environments
    np.savez(tmp_path / "set.npz", **data)
    assert neuopt.as_instances(data)[0].capacity == neuopt.read(tmp_path / "set.npz")[3].capacity == 1


@pytest.mark.parametrize(
    "given, text",
    [
        ({"coords": 3}, "a test set needs locs, found coords"),
        ({"coords": 3, 5: 5}, "a test set needs locs, found 5, coords"),
        (vrplib_instance(), "one instance, expected a set: solve takes one"),
        ({"locs": np.zeros((1, 4, 2)), "depot": [[0, 0]]}, "demand is missing"),
        ({"locs": np.zeros((3, 4, 2)), "cost": [1, 2]}, r"cost has shape \(2,\), expected \(3,\)"),
    ],
)
def test_what_is_wrong_with_a_mapping(given, text):
    with pytest.raises(ValueError, match=text):
        neuopt.solve_many(given)

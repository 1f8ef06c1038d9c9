"""Solving: answers, options, threads, interrupts."""

import inspect
import json
import os
import pickle
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import neuopt
import numpy as np
import pytest
from conftest import answers


def test_a_tour_visits_every_node_once_and_costs_its_length(coords):
    result = neuopt.solve(coords, steps=20)
    assert sorted(result.tour) == list(range(20))
    ring = coords[result.tour]
    assert result.cost == pytest.approx(np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1).sum())
    assert result.feasible and result.gap is None and result.routes == [result.tour]
    assert result.stopped_by == "steps" and result.steps == 20 and result.copies == 8
    assert result.model == "tsp20" and len(result.checksum) > 8 and result.device.startswith(("cpu", "cuda"))


def test_routes_hold_customers_from_1_and_keep_the_capacity(coords):
    demands = np.r_[0, np.full(19, 3)]
    result = neuopt.solve(coords, demands=demands, capacity=10, steps=20)
    assert sorted(node for route in result.routes for node in route) == list(range(1, 20))
    assert all(demands[route].sum() <= 10 for route in result.routes)
    without_depot = neuopt.solve(coords, demands=demands[1:], capacity=10, steps=20)
    assert without_depot.routes == result.routes
    with pytest.raises(AttributeError, match="a CVRP has routes"):
        result.tour


def test_a_distance_matrix_is_as_good_as_coordinates(coords):
    matrix = np.linalg.norm(coords[:, None] - coords[None], axis=2)
    result = neuopt.solve(distance_matrix=matrix, steps=20)
    assert result.cost == pytest.approx(neuopt.solve(coords, steps=20).cost, rel=0.05)
    assert result.instance.coords is None and result.instance.metric == "EXPLICIT"


def test_the_seed_decides_and_threads_do_not(cvrp):
    options = dict(steps=20, start="random", polish=0)
    one = neuopt.solve(cvrp, seed=3, threads=1, **options)
    assert neuopt.solve(cvrp, seed=3, threads=2, **options).routes == one.routes
    assert neuopt.solve(cvrp, seed=4, **options).routes != one.routes


def test_history_falls_to_the_cost(cvrp):
    result = neuopt.solve(cvrp, steps=60, start="random", polish=0)
    assert [step for step, _ in result.history] == [1, 2, 5, 10, 20, 50, 60]
    costs = [cost for _, cost in result.history]
    assert costs[0] > costs[-1] == result.cost
    for found in [result, *neuopt.solve_many(np.random.default_rng(1).random((5, 20, 2)), steps=20)]:
        costs = [cost for _, cost in found.history]
        assert costs == sorted(costs, reverse=True)
    chosen = neuopt.solve(cvrp, steps=60, start="random", polish=0, history=[7, 30])
    assert [step for step, _ in chosen.history] == [7, 30, 60]


def test_steps_to_look_at_are_refused_where_there_are_none():
    small, large = neuopt.generate("tsp", 50), neuopt.generate("tsp", 300)
    by_parts = "history: a search by parts, .* {} nodes, goes in rounds, which are no steps; expected by_parts=False"
    options = dict(steps=2, history=[1], augment=1, device="cpu")
    with pytest.raises(ValueError, match=by_parts.format(50)):
        neuopt.solve(small, by_parts=True, **options)
    with pytest.raises(ValueError, match=by_parts.format(300)):
        neuopt.solve(large, **options)
    with ThreadPoolExecutor(1) as executor:
        for place in (None, executor):
            with pytest.raises(ValueError, match=by_parts.format(300)):
                neuopt.solve_many([small, large], executor=place, **options)
    with pytest.raises(ValueError, match=by_parts.format(300)):
        neuopt.Solver(device="cpu").model_for(large, history=[1])
    assert [step for step, _ in neuopt.solve(large, by_parts=False, **options).history] == [1, 2]
    assert len(neuopt.solve(large, **{**options, "history": []}).history) == 1  # nothing was asked for


def test_steps_are_looked_at_also_where_many_routes_would_make_parts():
    coords = np.random.default_rng(1).random((120, 2))  # with a route for each customer these are 240 nodes
    options = dict(demands=np.ones(119), capacity=1, steps=4, augment=1, device="cpu")
    assert len(neuopt.solve(coords, **options).history) == 1
    assert [step for step, _ in neuopt.solve(coords, history=[1, 2], **options).history] == [1, 2, 4]


def test_an_initial_solution_is_never_left_for_a_worse_one(cvrp):
    good = neuopt.solve(cvrp, steps=300)
    assert neuopt.solve(cvrp, steps=0, initial=good, polish=0).cost <= good.cost
    assert neuopt.solve(cvrp, steps=0, initial=good.routes).cost <= good.cost
    assert neuopt.solve(cvrp, steps=0, initial=good, start=None).cost <= good.cost  # as if it were not given
    tour = neuopt.solve(np.eye(2)[[0, 1, 1, 0, 0, 1, 0, 1]] + np.arange(8)[:, None], initial=np.arange(8), steps=0)
    assert sorted(tour.tour) == list(range(8))


def test_routes_keep_the_bound_on_vehicles_or_say_that_they_do_not(coords):
    demands = np.r_[0, np.full(19, 3)]  # six in a vehicle: four are needed
    free = neuopt.solve(coords, demands=demands, capacity=20, steps=20)
    assert free.vehicles_kept and free.feasible
    for bound, kept in ((4, True), (3, False)):
        result = neuopt.solve(coords, demands=demands, capacity=20, vehicles=bound, steps=20)
        assert result.vehicles_kept == result.feasible == kept == (len(result.routes) <= bound)
        assert neuopt.verify(result.instance, result).feasible == kept
        assert (f"for {bound} vehicles" in repr(result)) != kept
    some = neuopt.solve_many(
        [coords] * 2, demands=[demands] * 2, capacity=20, vehicles=[3, 4], steps=5, polish=0, device="cpu"
    )
    assert [result.vehicles_kept for result in some] == [False, True]


def test_parts_are_asked_for_or_forbidden():
    instance = neuopt.generate("tsp", 150)
    options = dict(steps=30, polish=0, seed=1, device="cpu")
    whole, parts = (neuopt.solve(instance, by_parts=word, **options) for word in (False, True))
    assert whole.feasible and parts.feasible and whole.tour != parts.tour
    assert neuopt.solve(instance, by_parts=None, **options).tour == neuopt.solve(instance, **options).tour == whole.tour


def test_a_set_in_arrays_and_in_a_list_of_any_sizes():
    batch = np.random.default_rng(2).random((5, 15, 2))
    results = neuopt.solve_many(batch, steps=10)
    assert [result.index for result in results] == [0, 1, 2, 3, 4]
    assert answers(neuopt.solve_many(list(batch), steps=10)) == answers(results)
    sizes = neuopt.solve_many([batch[0], batch[1][:9], neuopt.generate("tsp", 30), batch[2][:3]], steps=10)
    assert [len(result.tour) for result in sizes] == [15, 9, 30, 3]
    assert [result.stopped_by for result in sizes][3] == "exact"
    assert neuopt.solve_many([], steps=10) == []


def test_a_set_of_cvrps_with_one_capacity_or_many():
    rng = np.random.default_rng(3)
    batch, demands = rng.random((3, 12, 2)), rng.integers(1, 10, (3, 11))
    for capacity in (20, [20, 25, 30]):
        for result, wanted in zip(neuopt.solve_many(batch, demands=demands, capacity=capacity, steps=10), demands):
            loads = [wanted[np.array(route) - 1].sum() for route in result.routes]
            assert max(loads) <= result.instance.capacity


def test_the_program_gives_the_same_answers(program, tmp_path):
    path = tmp_path / "set.npz"
    subprocess.run([program, "generate", "cvrp", "--size", "20", "--count", "6", "--output", path], check=True)
    asked = [program, "solve", path, "--steps", "30", "--quiet", "--device", "cpu"]
    lines = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
    results = neuopt.solve_many(neuopt.read(path), steps=30, device="cpu")
    assert [(line["cost"], line["routes"]) for line in map(json.loads, lines)] == [(r.cost, r.routes) for r in results]


def test_the_model_is_the_one_for_the_search():
    instance = neuopt.generate("cvrp", 170)
    solver = neuopt.Solver(device="cpu")
    alone = {"polish": 0, "by_parts": False}
    assert [solver.model_for(instance)[0], solver.model_for(instance, **alone)[0]] == ["cvrp100", "cvrp200"]
    assert solver.solve(instance, steps=1, augment=1, **alone).model == "cvrp200"


def test_a_solver_keeps_its_device_and_travels_by_pickle(cvrp, root):
    path = root / "models" / "cvrp20.safetensors"
    with_file = neuopt.Solver(model=path, device="cpu").solve(cvrp, steps=10)
    by_name = neuopt.Solver(model="cvrp20", device="cpu")
    assert with_file.model == str(path) and with_file.checksum == by_name.model_for(cvrp)[1]
    assert by_name.solve(cvrp, steps=10).routes == with_file.routes
    assert pickle.loads(pickle.dumps(by_name)).solve(cvrp, steps=10).routes == with_file.routes
    sent = neuopt.Solver(path.read_bytes(), name="mine").solve(cvrp, steps=10)
    assert sent.routes == with_file.routes and sent.model == "mine"
    assert "cpu" in neuopt.devices() and by_name.device.startswith("cpu")


def test_threads_may_share_a_solver(cvrp):
    solver = neuopt.Solver(device="cpu")
    found = []
    workers = [threading.Thread(target=lambda: found.append(solver.solve(cvrp, steps=20).routes)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4 and all(routes == found[0] for routes in found)


def test_progress_is_told_on_the_calling_thread():
    told = []
    instance = neuopt.generate("tsp", 60)
    neuopt.solve(instance, time_limit=0.6, progress=lambda news: told.append((news, threading.current_thread())))
    news = [one for one, _ in told]
    assert len(news) >= 2 and news[-1].instances == news[-1].instances_done == 1
    assert news[-1].step >= news[0].step and news[-1].best_cost > 0
    assert {thread for _, thread in told} == {threading.main_thread()}


def test_what_the_progress_function_raises_ends_the_search():
    def fail(_):
        raise LookupError("enough")

    begun = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        neuopt.solve(neuopt.generate("tsp", 50), time_limit=60, progress=fail)
    assert time.monotonic() - begun < 30


def test_a_search_from_the_progress_function_needs_another_solver(coords):
    solver, other = neuopt.Solver(device="cpu"), neuopt.Solver(device="cpu")
    with pytest.raises(RuntimeError, match="needs another one"):
        solver.solve(neuopt.generate("tsp", 50), time_limit=60, progress=lambda _: solver.solve(coords, steps=1))
    costs = []
    solver.solve(neuopt.generate("tsp", 50), steps=50, progress=lambda _: costs.append(other.solve(coords).cost))
    assert costs and solver.solve(coords).cost == costs[0]


def test_the_gil_is_released():
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1

    worker = threading.Thread(target=count)
    worker.start()
    before = counted
    neuopt.solve(neuopt.generate("tsp", 50), time_limit=0.5)
    seen = counted - before
    done.set()
    worker.join()
    assert seen > 10_000


def interrupt_after(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_an_interrupt_returns_the_best_so_far():
    instance = neuopt.generate("cvrp", 50)
    interrupt_after(1)
    result = neuopt.solve(instance, time_limit=60)
    assert result.feasible and result.stopped_by == "interrupt"


def test_an_interrupt_ends_a_loop_of_short_searches(coords):
    interrupt_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            neuopt.solve(coords[:5])


def test_an_interrupted_set_has_those_that_were_begun():
    instances = neuopt.generate("tsp", 50, 40)
    interrupt_after(1)
    results = neuopt.solve_many(instances, steps=10**6, batch=8)
    assert 1 <= len(results) < 40 and results[0].stopped_by == "interrupt"
    assert all(result.feasible for result in results)


def test_an_interrupt_from_the_progress_function_is_one_too():
    def interrupt(_):
        raise KeyboardInterrupt

    assert neuopt.solve(neuopt.generate("tsp", 50), time_limit=60, progress=interrupt).stopped_by == "interrupt"


def test_nothing_is_printed_and_notes_are_logged(capfd, caplog):
    far = neuopt.generate("tsp", 60)
    with caplog.at_level("WARNING", logger="neuopt"):
        neuopt.solve(far, model="tsp20", steps=2, augment=1)
    assert "the model was trained on 20" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_without_a_policy(cvrp):
    result = neuopt.solve(cvrp, policy="none", steps=50)
    assert result.feasible and result.model == "none" and result.history[-1][1] == result.cost
    for useless in (dict(polish=5), dict(stall=0), dict(no_augment=True), dict(by_parts=True), dict(history=[1, 2])):
        with pytest.raises(ValueError, match=f'{next(iter(useless))}: has no effect with policy="none"'):
            neuopt.solve(cvrp, policy="none", steps=50, **useless)
    neuopt.solve(cvrp, policy="none", steps=50, polish=None, no_augment=False)  # as if they were not given


@pytest.mark.parametrize(
    "taker, callers, of_the_taker_alone",
    [
        (neuopt.as_instance, (neuopt.solve, neuopt.Solver.solve), {"name", "reference_cost"}),
        (neuopt.as_instances, (neuopt.solve_many, neuopt.Solver.solve_many), set()),
    ],
)
def test_the_keywords_of_an_instance_are_stated_alike(taker, callers, of_the_taker_alone):
    def keywords(function):
        parameters = inspect.signature(function).parameters.values()
        return {one.name: str(one) for one in parameters if one.kind == one.KEYWORD_ONLY}

    stated = {name: shown for name, shown in keywords(taker).items() if name not in of_the_taker_alone}
    assert stated["vehicles"].endswith(" = None")
    of_a_solver = {"model", "device", "executor", "chunk"}
    for caller in callers:
        assert {name: shown for name, shown in keywords(caller).items() if name not in of_a_solver} == stated

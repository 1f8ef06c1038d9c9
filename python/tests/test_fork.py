"""Processes forked from one that has opened a device."""

import multiprocessing
import os

import neuopt
import pytest
import workers
from neuopt import _solver


def in_child(function):
    """What a function returns, or its error's text, in a forked process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = repr(function())
        except Exception as error:  # the parent judges
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    os.waitpid(child, 0)
    return text


def test_a_solver_of_the_cpu_works_in_a_forked_process(cvrp):
    solver = neuopt.Solver(device="cpu")
    expected = solver.solve(cvrp, steps=10, threads=2).routes
    assert in_child(lambda: solver.solve(cvrp, steps=10, threads=2).routes) == repr(expected)
    assert in_child(lambda: neuopt.solve(cvrp, steps=10, device="cpu").routes) == repr(expected)


def test_a_lock_that_was_held_does_not_stop_the_forked_process(cvrp):
    solver = neuopt.Solver(device="cpu")
    expected = solver.solve(cvrp, steps=10).routes
    with solver._lock:  # as if another thread were solving
        assert in_child(lambda: solver.solve(cvrp, steps=10).routes) == repr(expected)


def test_a_gpu_is_refused_in_a_forked_process(cvrp, monkeypatch):
    solver = neuopt.Solver(device="auto")
    monkeypatch.setattr(_solver, "_gpu_opened", True)  # as on a machine that has one
    for ask in (lambda: solver.solve(cvrp, steps=1), lambda: neuopt.solve(cvrp, steps=1, device="cuda")):
        assert "RuntimeError" in in_child(ask) and "spawn" in in_child(ask)
    assert in_child(lambda: neuopt.Solver(device="cpu").solve(cvrp, steps=1).feasible) == "True"


@pytest.mark.skipif("cuda" not in neuopt.devices(), reason="needs a GPU")
def test_a_real_gpu_is_refused_in_a_forked_process(cvrp):
    solver = neuopt.Solver(device="cuda")
    solver.solve(cvrp, steps=1)
    assert "RuntimeError" in in_child(lambda: solver.solve(cvrp, steps=1))


def test_a_spawned_process_opens_its_own(cvrp):
    solver = neuopt.Solver(device="cpu")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(workers.solve_here, (solver, cvrp)) == solver.solve(cvrp, steps=10).routes

"""Sets on the workers of others: the same answers, each once, whatever happens to a worker."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import neuopt
import pytest
import workers
from conftest import answers
from neuopt import _executor


@pytest.fixture(scope="module")
def instances():
    return neuopt.generate("cvrp", 20, 13)


@pytest.fixture(scope="module")
def alone(instances):
    return neuopt.solve_many(instances, steps=10, device="cpu")


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("chunk", [0, 1, 5, 100])
def test_a_process_pool_gives_the_same_answers(instances, alone, pool, chunk):
    told = []
    results = neuopt.solve_many(
        instances, steps=10, device="cpu", executor=pool, chunk=chunk, progress=lambda news: told.append(news)
    )
    assert answers(results) == answers(alone)
    assert all(result.instance is instance for result, instance in zip(results, instances))
    assert [news.instances_done for news in told] == sorted(news.instances_done for news in told)
    assert told[-1].instances_done == told[-1].instances == 13


def test_a_bound_on_vehicles_travels_to_the_workers(pool):
    base = neuopt.generate("cvrp", 20)
    needed = len(neuopt.solve(base, steps=10).routes)
    tight = neuopt.Instance(base.coords, demands=base.demands, capacity=base.capacity, vehicles=needed - 1)
    here = neuopt.solve_many([tight, base], steps=10, device="cpu")
    assert answers(neuopt.solve_many([tight, base], steps=10, device="cpu", executor=pool)) == answers(here)
    assert here[0].instance.vehicles == needed - 1


def test_a_worker_keeps_its_solver(instances, pool):
    seen = []
    for _ in range(2):
        neuopt.solve_many(instances, steps=1, device="cpu", executor=pool, chunk=1)
        seen += [pool.submit(workers.kept) for _ in range(4)]
    kept = {future.result() for future in seen}
    assert len(kept) == len({process for process, _ in kept}) <= 2


def test_threads_give_the_same_answers(instances, alone):
    with ThreadPoolExecutor(3) as executor:
        results = neuopt.Solver(device="cpu").solve_many(instances, steps=10, executor=executor, chunk=4)
    assert answers(results) == answers(alone)


def test_a_model_file_travels_as_bytes_and_once(instances, alone, pool, root, tmp_path, monkeypatch):
    path = tmp_path / "mine.safetensors"
    path.write_bytes((root / "models" / "cvrp20.safetensors").read_bytes())
    carried = []
    submit = pool.submit

    def watched(function, chunk):
        carried.append(len(chunk.content))
        path.unlink(missing_ok=True)  # workers on other machines do not see it
        return submit(function, chunk)

    monkeypatch.setattr(pool, "submit", watched)
    results = neuopt.solve_many(instances, steps=10, device="cpu", model=path, executor=pool, chunk=1)
    assert answers(results) == answers(alone) and results[0].model == str(path)
    assert len(carried) >= 13 and carried[0] > 0
    assert carried[2:13] == [0] * 11, "two workers, two copies; others are sent to those that ask"


def test_a_worker_without_the_model_asks_for_it(instances, root):
    content = (root / "models" / "cvrp20.safetensors").read_bytes()
    chunk = _executor._Chunk(0, instances[:1], {"steps": 1}, "cpu", "mine", "a digest", b"")
    assert isinstance(_executor._solve_chunk(chunk), _executor._ModelWanted)
    brought = _executor._Chunk(0, instances[:1], {"steps": 1}, "cpu", "mine", "a digest", content)
    assert len(_executor._solve_chunk(brought)) == 1
    assert len(_executor._solve_chunk(chunk)) == 1, "kept"


def test_errors_of_workers_come_back(instances, pool):
    with pytest.raises(ValueError, match="augment: 0, expected 1 to 1000000"):
        neuopt.solve_many(instances, augment=0, executor=pool, device="cpu")
    with pytest.raises(ValueError, match="share no clock"):
        neuopt.solve_many(instances, time_limit=1, executor=pool)
    with pytest.raises(ValueError, match="chunk: -1"):
        neuopt.solve_many(instances, executor=pool, chunk=-1)
    with pytest.raises(ValueError, match="initial"):
        neuopt.solve_many(instances, initial=[[1]], executor=pool)


def test_what_is_no_executor_is_refused(instances):
    for many in (neuopt.solve_many, neuopt.Solver(device="cpu").solve_many):
        with pytest.raises(TypeError, match="executor: 5, expected one with the interface of concurrent.futures"):
            many(instances, executor=5)
        with pytest.raises(ValueError, match="chunk: has no effect without an executor"):
            many(instances, chunk=4)


def test_an_interrupt_returns_the_chunks_that_are_done(instances, alone, monkeypatch):
    monkeypatch.setattr(_executor, "_solve_chunk", workers.slow_chunk)

    def interrupt(news):
        if news.instances_done == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as executor:
        results = neuopt.solve_many(instances, steps=10, device="cpu", executor=executor, chunk=1, progress=interrupt)
    assert 3 <= len(results) < 13
    assert answers(results) == answers(alone)[: len(results)]


def test_an_interrupted_worker_does_not_pass_off_what_it_has_as_an_answer(instances):
    chunk = _executor._Chunk(0, instances[:2], {"steps": 10**7}, "cpu", "", "", b"")
    _executor._worker_solver(chunk)  # opened before the interrupt
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        _executor._solve_chunk(chunk)


def test_a_dask_cluster_loses_a_worker_in_the_middle(instances, alone, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_executor, "_solve_chunk", workers.slow_chunk)
    killed = []

    def kill_one(news):
        if not killed and news.instances_done >= 3:
            killed.append((news.instances_done, client.run(workers.pid)))
            os.kill(next(iter(killed[0][1].values())), signal.SIGKILL)

    options = dict(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        results = neuopt.solve_many(
            instances, steps=10, device="cpu", executor=client.get_executor(), chunk=1, progress=kill_one
        )
        deadline = time.monotonic() + 60  # the cluster replaces the worker
        while len(after := client.run(workers.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.2)
    done, before = killed[0]
    assert done < 13 and len(before) == 2
    assert set(after.values()) != set(before.values()), "a worker was killed"
    assert answers(results) == answers(alone)

"""A set in chunks, on whatever runs functions elsewhere: a process pool, Dask, MPI. We write no scheduler."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Optional

from ._core import Instance
from ._options import Progress, check_history, whole_number
from ._result import Result

if TYPE_CHECKING:
    from ._solver import Model, Solver

_LARGEST = 256  # instances of a chunk, unless the caller says otherwise
_SEEDED = 8  # chunks that bring the bytes of a model, where the number of workers is unknown


@dataclass(frozen=True)
class _Chunk:
    first: int  # place of its first instance in the set
    instances: list[Instance]
    options: dict[str, Any]
    device: str
    model: str  # "" or the name of a bundled model; else what results call the one of the digest
    digest: str  # of a model file; "" for a bundled one
    content: bytes  # of that file; empty where the worker is expected to know it


class _ModelWanted:
    """A worker's answer when it does not know the model of a digest."""


def solve_in_chunks(
    instances: list[Instance], solver: tuple[Model, str, str], options: dict[str, Any], executor: Executor, size: int
) -> list[Result]:
    """The results of a set in its order, each chunk of it solved by a call of the executor, on a Solver of that model,
    device and name.
    """
    _check(options)
    check_history(instances, options)
    progress = options.pop("progress", None)
    workers = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
    if isinstance(executor, ProcessPoolExecutor) and not options.get("threads") and workers:
        options["threads"] = max(1, len(os.sched_getaffinity(0)) // workers)  # they share this machine
    model, device, name = solver
    name, digest, content = _portable(model, name)
    size = size or max(1, min(_LARGEST, -(-len(instances) // 8)))
    seeded = size * (workers or _SEEDED)
    pending: dict[Future[Any], _Chunk] = {}
    for first in range(0, len(instances), size):
        carried = content if first < seeded else b""
        chunk = _Chunk(first, instances[first : first + size], options, device, name, digest, carried)
        pending[executor.submit(_solve_chunk, chunk)] = chunk
    results = _gather(pending, executor, content, progress, len(instances))
    return [result for first in sorted(results) for result in results[first]]


def check_executor(executor: Optional[Executor], chunk: int) -> None:
    """Refuses what runs no functions, and chunks for nobody."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"executor: {executor!r}, expected one with the interface of concurrent.futures.Executor")
    if executor is None and chunk:
        raise ValueError("chunk: has no effect without an executor")
    whole_number("chunk", chunk, 0, 2**31 - 1)


def _check(options: dict[str, Any]) -> None:
    if options.get("initial") is not None:
        raise ValueError("an initial solution is for one instance, not for a set")
    if options.get("time_limit") is not None:
        raise ValueError("time_limit: workers share no clock; let steps, target or patience end the search")


class _Gathered:
    """The results that are there: those of each chunk by its first place, and what they come to."""

    def __init__(self, count: int) -> None:
        self.chunks: dict[int, list[Result]] = {}
        self._count = count
        self._begun = time.monotonic()
        self._done = self._taken = self._steps = 0
        self._cost = self._feasible = 0.0

    def add(self, chunk: _Chunk, answer: list[tuple[int, Result]]) -> None:
        results = [replace(result, instance=chunk.instances[i]) for i, result in answer]
        self.chunks[chunk.first] = results
        self._done += len(results)
        self._taken += sum(result.steps * result.copies for result in results)
        self._steps = max([self._steps, *(result.steps for result in results)])
        self._cost += sum(result.cost for result in results)
        self._feasible += sum(result.feasible_share for result in results)

    def progress(self) -> Progress:
        seconds = time.monotonic() - self._begun
        return Progress(
            instances_done=self._done,
            instances=self._count,
            step=self._steps,
            best_cost=self._cost / max(1, self._done),
            seconds=seconds,
            feasible_share=self._feasible / max(1, self._done),
            steps_per_second=self._taken / max(seconds, 1e-9),
        )


def _gather(
    pending: dict[Future[Any], _Chunk], executor: Executor, content: bytes, progress: Any, count: int
) -> dict[int, list[Result]]:
    """The results of each chunk by its first place. An interrupt leaves out those that are not done."""
    gathered = _Gathered(count)
    try:
        while pending:
            for future in as_completed(list(pending)):
                chunk = pending[future]
                answer = future.result()
                if isinstance(answer, _ModelWanted):
                    chunk = replace(chunk, content=content)
                    pending[executor.submit(_solve_chunk, chunk)] = chunk
                else:
                    gathered.add(chunk, answer)
                del pending[future]
                if progress is not None and not isinstance(answer, _ModelWanted):
                    progress(gathered.progress())
    except KeyboardInterrupt:
        for future, chunk in pending.items():
            if future.cancel() or not future.done() or future.exception() is not None:
                continue
            if chunk.first not in gathered.chunks and not isinstance(future.result(), _ModelWanted):
                gathered.add(chunk, future.result())
    except BaseException:
        for future in pending:
            future.cancel()
        raise
    return gathered.chunks


def _portable(model: Model, name: str) -> tuple[str, str, bytes]:
    """Name, digest and bytes of a model: a file travels as bytes, since a worker may be on another machine."""
    if isinstance(model, bytes):
        return name, hashlib.sha256(model).hexdigest(), model
    name = os.fspath(model)
    if not os.path.isfile(name):
        return name, "", b""
    with open(name, "rb") as file:
        content = file.read()
    return name, hashlib.sha256(content).hexdigest(), content


# What a worker keeps: one Solver, and what it was opened for.
_kept: Optional[tuple[tuple[str, str, str], Solver]] = None
_keeping = threading.Lock()  # workers of Dask may have several threads


def _solve_chunk(chunk: _Chunk) -> Any:
    """Run by a worker: the results of a chunk with their places in it, without the instances, which the caller has."""
    solver = _worker_solver(chunk)
    if solver is None:
        return _ModelWanted()
    results = solver._solve_part(chunk.instances, chunk.options, chunk.first)
    if len(results) < len(chunk.instances) or any(result.stopped_by == "interrupt" for result in results):
        raise KeyboardInterrupt  # of this worker: what it has is not the answer
    return [(result.index - chunk.first, replace(result, instance=None)) for result in results]


def _worker_solver(chunk: _Chunk) -> Optional[Solver]:
    global _kept
    from ._solver import Solver

    key = (chunk.model, chunk.digest, chunk.device)
    with _keeping:
        if _kept is not None and _kept[0] == key:
            return _kept[1]
        if chunk.digest and not chunk.content:
            return None
        solver = Solver(chunk.content if chunk.digest else chunk.model, chunk.device, name=chunk.model)
        _kept = (key, solver)
        return solver

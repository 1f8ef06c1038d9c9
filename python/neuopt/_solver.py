"""The Solver, and solving without one."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from . import _core
from ._core import Instance
from ._executor import check_executor, solve_in_chunks
from ._inputs import as_instance, as_instances, keywords_for
from ._options import Progress, SearchOptions, asks_for_history, check_history, check_options, history_steps, logger
from ._paths import path_bytes
from ._result import Result, make_result, routes_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from typing_extensions import Unpack

    Model = Union[str, os.PathLike[str], bytes]

# Whether this process has called the driver of a GPU, and whether it was forked from one that had: CUDA cannot be used
# there, neither what was opened before nor anything new.
_gpu_opened = False
_forked_from_gpu = False


def _after_fork() -> None:
    global _forked_from_gpu, _sharing
    _forked_from_gpu = _gpu_opened
    _sharing = threading.Lock()  # another thread may have held it


os.register_at_fork(after_in_child=_after_fork)


def _open(model: Model, device: str, name: str) -> _core.Solver:
    global _gpu_opened
    if not isinstance(device, str):
        raise TypeError(f"device: {device!r}, expected a name")
    if _forked_from_gpu and device not in ("cpu", "reference"):
        raise RuntimeError(
            f"device {device}: this process was forked from one that had opened the GPU, which CUDA does not allow; "
            "start workers with multiprocessing's method spawn, or use device='cpu'"
        )
    _gpu_opened = _gpu_opened or "cuda" in _core.devices()
    if isinstance(model, bytes):
        return _core.Solver(os.fsencode(name), model, device, logger.warning)
    return _core.Solver(path_bytes(model), b"", device, logger.warning)


class Solver:
    """A device, opened once, and the models that were needed so far.

    ``model`` is the path of a model file, the name of a bundled model, or the bytes of a file, which results call
    ``name``; "" takes for each instance the bundled model nearest to its size. ``device`` is "auto", "cpu", "cuda" or
    "reference".

    Calls from several threads wait for one another. A pickled Solver is opened anew where it is loaded, and so is one
    that is used in a process forked from its own (with a GPU that is refused: spawn processes instead).
    """

    def __init__(self, model: Model = "", device: str = "auto", *, name: str = "model") -> None:
        self._asked = (model, device, name)
        self._reopen()

    def _reopen(self) -> None:
        self._core = _open(*self._asked)
        self._lock = threading.Lock()
        self._busy: Optional[int] = None  # the thread whose search runs
        self._process = os.getpid()

    def _opened(self) -> _core.Solver:
        if self._process != os.getpid():
            self._reopen()
        return self._core

    @contextmanager
    def _alone(self) -> Iterator[_core.Solver]:
        opened = self._opened()
        if self._busy == threading.get_ident():
            raise RuntimeError("this Solver is at work: its progress function needs another one to search with")
        with self._lock:
            self._busy = threading.get_ident()
            try:
                yield opened
            finally:
                self._busy = None

    def __reduce__(self) -> Any:
        return _reopened, self._asked

    def __repr__(self) -> str:
        return f"<neuopt.Solver on {self.device}>"

    @property
    def device(self) -> str:
        """The device's name and what it computes with, e.g. "cpu (avx512)"."""
        return self._opened().device

    def model_for(self, instance: Any, **options: Unpack[SearchOptions]) -> tuple[str, str]:
        """Name and checksum of the model for a search of an instance; both are empty when it needs none."""
        check_options(options)
        one = as_instance(instance)
        check_history([one], options)
        told, _ = _told(options)
        with self._alone() as opened:
            return opened.model_for(one, told)

    def solve(
        self,
        coords: Any = None,
        *,
        demands: Any = None,
        capacity: Optional[float] = None,
        vehicles: Optional[int] = None,
        time_windows: Any = None,
        service_times: Any = None,
        rounding: Optional[str] = None,
        distance_matrix: Any = None,
        **options: Unpack[SearchOptions],
    ) -> Result:
        """A verified solution of one instance.

        The instance is what ``as_instance`` takes: coordinates (nodes, 2), with demands and capacity a CVRP whose depot
        is node 0, with time windows a VRPTW, a distance matrix, an Instance, a dictionary of vrplib. ``vehicles``
        bounds the routes; where no solution with so few is found, the best with more of them is returned as not
        feasible (Result.vehicles_kept). ``SearchOptions`` lists the other keywords.
        An interrupt (KeyboardInterrupt) ends the search, and the best so far is returned.
        """
        check_options(options)
        one = as_instance(coords, **keywords_for(as_instance, locals()))
        check_history([one], options)
        told, looked = _told(options)
        if told.get("initial") is not None:
            told["initial"] = routes_of(one, told["initial"])
        with self._alone() as opened:
            fields = opened.solve(one, told, _listener(options), logger.warning)
        return make_result(one, fields, looked)

    def solve_many(
        self,
        instances: Any,
        *,
        demands: Any = None,
        capacity: Any = None,
        vehicles: Any = None,
        time_windows: Any = None,
        service_times: Any = None,
        rounding: Optional[str] = None,
        executor: Optional[Executor] = None,
        chunk: int = 0,
        **options: Unpack[SearchOptions],
    ) -> list[Result]:
        """Verified solutions of a set of one problem, in its order.

        The set is what ``as_instances`` takes: an array (instances, nodes, 2), a list of instances in any sizes, a
        mapping of arrays. ``SearchOptions`` lists the other keywords. A limit of time is for all instances together.
        An interrupt returns the best so far, without the instances that were not begun (see Result.index).

        An ``executor`` of concurrent.futures, of Dask or of mpi4py gets the set in chunks of so many instances (0: an
        eighth of the set, 256 at most). The answers are the same as without it. A search there ends by steps, target
        or patience, since workers share no clock.
        """
        check_options(options)
        check_executor(executor, chunk)
        listed = as_instances(instances, **keywords_for(as_instances, locals()))
        if options.get("initial") is not None:
            raise ValueError("an initial solution is for one instance, not for a set")
        if executor is not None:
            return solve_in_chunks(listed, self._asked, dict(options), executor, chunk)
        return self._solve_part(listed, options, 0)

    def _solve_part(self, instances: list[Instance], options: Any, first: int) -> list[Result]:
        """Solves what stands in a larger set from the place ``first`` on."""
        check_history(instances, options)
        told, looked = _told(options)
        told["first_place"] = first
        with self._alone() as opened:
            answers = opened.solve_set(instances, told, _listener(options), logger.warning)
        results = []
        for fields in answers:
            instance = instances[fields["index"]]
            fields["index"] += first
            results.append(make_result(instance, fields, looked))
        return results


def _reopened(model: Model, device: str, name: str) -> Solver:
    return Solver(model, device, name=name)


def _told(options: Any) -> tuple[dict[str, Any], list[int]]:
    """The options as the compiled part takes them, and the steps at which it looks at costs."""
    looked = history_steps(options)
    told = {name: value for name, value in options.items() if name != "progress"}
    told["history"] = looked
    if asks_for_history(options) and told.get("by_parts") is None:
        told["by_parts"] = False  # as it was checked; else starts with many routes might make parts of it yet
    return told, looked


def _listener(options: Any) -> Any:
    progress = options.get("progress")
    return None if progress is None else lambda *fields: progress(Progress(*fields))


_shared: dict[tuple[Any, str], Solver] = {}  # the last one that a call without a Solver opened
_sharing = threading.Lock()


def shared_solver(model: Model, device: str) -> Solver:
    """The Solver of the last call if it fits, so that a loop of calls opens its device once."""
    key = (model, device)
    with _sharing:
        if key not in _shared:
            solver = Solver(model, device)
            _shared.clear()
            _shared[key] = solver
        return _shared[key]


def solve(
    coords: Any = None,
    *,
    demands: Any = None,
    capacity: Optional[float] = None,
    vehicles: Optional[int] = None,
    time_windows: Any = None,
    service_times: Any = None,
    rounding: Optional[str] = None,
    distance_matrix: Any = None,
    model: Model = "",
    device: str = "auto",
    **options: Unpack[SearchOptions],
) -> Result:
    """A verified solution of one instance, as ``Solver(model, device).solve`` finds it."""
    solver = shared_solver(model, device)
    return solver.solve(coords, **keywords_for(as_instance, locals()), **options)


def solve_many(
    instances: Any,
    *,
    demands: Any = None,
    capacity: Any = None,
    vehicles: Any = None,
    time_windows: Any = None,
    service_times: Any = None,
    rounding: Optional[str] = None,
    executor: Optional[Executor] = None,
    chunk: int = 0,
    model: Model = "",
    device: str = "auto",
    **options: Unpack[SearchOptions],
) -> list[Result]:
    """Verified solutions of a set of instances, as ``Solver(model, device).solve_many`` finds them."""
    check_options(options)
    check_executor(executor, chunk)
    listed = as_instances(instances, **keywords_for(as_instances, locals()))
    if executor is not None:  # without opening a device here
        return solve_in_chunks(listed, (model, device, "model"), dict(options), executor, chunk)
    return shared_solver(model, device).solve_many(listed, **options)

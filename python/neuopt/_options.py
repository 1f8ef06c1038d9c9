"""What a search can be told."""

from __future__ import annotations

import difflib
import logging
import operator
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, TypedDict

from . import _core

logger = logging.getLogger("neuopt")  # what is unusual; nothing is ever printed
logger.addHandler(logging.NullHandler())


class Progress(NamedTuple):
    """How far a search is, as its progress callback is told some ten times a second and at the end."""

    instances_done: int
    instances: int  #: in all
    step: int  #: of the instances in work
    best_cost: float  #: mean of the instances in work
    seconds: float  #: since the search began
    feasible_share: float  #: of the solutions visited
    steps_per_second: float  #: of all copies together


class SearchOptions(TypedDict, total=False):
    """The keyword arguments of ``solve`` and ``solve_many``, with the names and defaults of the program.

    When a search ends, at the first rule that holds:
        time_limit  seconds from the call, for all instances together
        steps       of each copy [1000; no limit where time_limit or patience is given]
        target      ends an instance at this cost or below
        patience    ends an instance after so many steps without a better solution; 0: never [0]
    What it tells:
        progress    called with a Progress, on the calling thread; what it raises ends the search
        history     steps at which Result.history looks at the best cost; refused where a search goes by parts
                    [1, 2, 5, 10, 20, ...; none by parts]
    Where it begins:
        seed        the same seed gives the same answer [1]
        start       "auto", "random", "greedy", "savings" or "curve" ["auto"]
        initial     of ``solve`` only: a Result, a tour or routes, in place of a start; the answer is never worse
    How it searches:
        augment     copies of an instance searched side by side, each with its own augmentations [8]
        stall       steps without a new best before a copy draws an augmentation; 0: never [10]
        no_augment  the network sees the coordinates as they are [False]
        polish      steps between two polishes by local search; 0: never [10; on a GPU 25, for the tsp 5]
        restart     steps between two returns of a copy to its best tour; 0: never [100]
        by_parts    parts of about 100 nodes are searched side by side, in rounds; None: above 200 nodes [None]
        policy      "model", or "none": local search with random kicks, on the CPU ["model"]
    What it uses, without influence on the answer but for the precision:
        threads     0: all that the machine offers [0]
        batch       copies that the device works on together; 0: a fitting number [0]
        precision   arithmetic of the network, where the device offers a choice
    """

    time_limit: Optional[float]
    steps: Optional[int]
    target: Optional[float]
    patience: int
    progress: Optional[Callable[[Progress], object]]
    history: Optional[Sequence[int]]
    seed: int
    start: str
    initial: Any
    augment: int
    stall: int
    no_augment: bool
    polish: Optional[int]
    restart: int
    by_parts: Optional[bool]
    policy: str
    threads: int
    batch: int
    precision: str


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """The value as an int between two others. What is none raises ValueError, as it does among the search's options."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}: {value!r}, expected a whole number") from None
    if not least <= number <= most:
        raise ValueError(f"{name}: {number}, expected {least} to {most}")
    return number


#: What a search without a policy has no use for.
_OF_THE_POLICY = ("stall", "no_augment", "polish", "restart", "by_parts", "history", "precision")


def check_options(options: Mapping[str, object]) -> None:
    """Refuses options that do not exist, with the names that resemble them, and those without effect."""
    for name in options:
        if name not in SearchOptions.__annotations__:
            near = difflib.get_close_matches(name, SearchOptions.__annotations__)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise TypeError(f"no option of the search is called {name!r}{hint}")
    for name in _OF_THE_POLICY if options.get("policy") == "none" else ():
        if options.get(name) is not None and options.get(name) is not False:
            raise ValueError(f'{name}: has no effect with policy="none", expected one of them')
    if options.get("no_augment") and options.get("stall") is not None:
        raise ValueError("stall: has no effect with no_augment, expected one of them")
    if options.get("initial") is not None and options.get("start") is not None:
        raise ValueError("start: has no effect with initial, expected one of them")


def asks_for_history(options: Mapping[str, Any]) -> bool:
    """Whether the caller names steps to look at."""
    history = options.get("history")
    return history is not None and not (hasattr(history, "__len__") and len(history) == 0)


def check_history(instances: Iterable[_core.Instance], options: Mapping[str, Any]) -> None:
    """Refuses steps to look at where a search would have none, before anything is searched."""
    if not asks_for_history(options):
        return
    asked = {name: options.get(name) for name in ("by_parts", "policy")}
    for one in instances:
        if _core.by_parts(one, asked):
            raise ValueError(
                f"history: a search by parts, as that of {one.name or 'an instance'} with {one.size} nodes, goes in "
                "rounds, which are no steps; expected by_parts=False"
            )


def history_steps(options: Mapping[str, Any]) -> list[int]:
    """The steps at which the best cost is looked at: those asked for, else 1, 2, 5, 10, ... below the last."""
    if options.get("policy") == "none":
        return []  # a search without a policy has no such steps
    if options.get("history") is not None:
        try:
            return list(options["history"])
        except TypeError:
            raise ValueError(f"history: {options['history']!r}, expected a list of steps") from None
    last = options.get("steps")
    if last is None:
        last = 10**9 if options.get("time_limit") is not None or options.get("patience") else 1000
    if not hasattr(last, "__index__"):
        return []  # no number, as the search is going to say
    return [digit * 10**power for power in range(10) for digit in (1, 2, 5) if digit * 10**power < last]

#!/usr/bin/env python3
"""Improves by searches, without gradients, what a model makes of the prospects that it is told (docs/prospects.md).

    scripts/tune_prospects.py TUNED.safetensors MODEL.safetensors [OPTION VALUE]...

In each round all weights of the table that matter are moved up or down a little, in as many combinations as --runs
says, so that the effect of each weight on the mean cost is known from all of the runs. Then the table goes the way that
all effects together point to, as far as it pays on other instances, and TUNED.safetensors is written. All instances are
generated, and in no training and no test set. Progress goes to standard error, a line of JSON for each round to
standard output. Exit codes: 0 done, 2 bad usage or a damaged model, 3 a search or a file failed.
"""
import argparse
import array
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from model_file import complain, keep, read, write

TABLE = "decoder.prospects"
# As in src/env/prospects.h: the table's shape, the unit of its weights, and where the features of an E-move begin.
ROWS, FEATURES, UNIT, CLOSING = 4, 15, 32, 8
INFEASIBLE = (5, 13)  # features, of an I-move and of an E-move
LENGTHS = (0.1, 0.2, 0.4, 0.8, 1.6)  # of the way that is tried, by the weight that goes furthest


def factors(demands):
    """Places in the table of the weights that can matter."""
    places = []
    for row in range(ROWS):
        for feature in range(FEATURES):
            if row == 0 and (feature >= CLOSING or feature in INFEASIBLE):
                continue  # an anchor does not close the tour, and is told of feasible exchanges alone
            if feature in INFEASIBLE and not demands:
                continue
            if row == 1 and feature in (11, 12) and not demands:
                continue  # the E-move behind the anchor leaves the tour, and so its cost, as it is
            places.append(row * FEATURES + feature)
    return places


def sign(i, j):
    """Of row i and column j of the Hadamard matrix of any power of two."""
    return -1 if (i & j).bit_count() % 2 else 1


class Search:
    """Mean costs of searches with other tables."""

    def __init__(self, options, metadata, tensors, folder):
        self.options, self.metadata, self.tensors, self.folder = options, metadata, tensors, folder
        self.sets = self.searches = 0
        self.pool = ThreadPoolExecutor(options.workers)

    def run(self, *words):
        done = subprocess.run([self.options.program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def new_instances(self):
        """A set that was in no round before."""
        path = os.path.join(self.folder, f"set{self.sets}.npz")
        self.run("generate", self.metadata["problem"], "--size", self.metadata["trained_size"], "--count",
                 str(self.options.instances), "--seed", str(self.options.seed + self.sets), "--output", path)
        self.sets += 1
        return path

    def save(self, path, table):
        shape, _ = self.tensors[TABLE]
        write(path, self.metadata, {**self.tensors, TABLE: (shape, array.array("f", table))})

    def costs(self, jobs):
        """The mean cost for each table and set of instances, searched with a seed of its own."""
        first, self.searches = self.searches, self.searches + len(jobs)

        def cost(number):
            table, instances = jobs[number]
            model = os.path.join(self.folder, f"model{first + number}.safetensors")
            self.save(model, table)
            seed = str(self.options.seed + first + number)
            found = self.run("eval", instances, "--model", model, "--steps", str(self.options.steps), "--seed", seed,
                             "--device", self.options.device, "--quiet", "--json")
            os.remove(model)
            return json.loads(found)["mean_cost"]

        return list(self.pool.map(cost, range(len(jobs))))


def moved(table, places, way, length=1.0):
    result = list(table)
    for place, step in zip(places, way):
        result[place] += length * step / UNIT
    return result


def clipped(costs):
    """A search that broke down says no more than that it did."""
    middle = statistics.median(costs)
    bound = 5 * statistics.median(abs(cost - middle) for cost in costs)
    return [min(max(cost, middle - bound), middle + bound) for cost in costs]


def effects(search, table, places, draw):
    """How the mean cost changes for each weight that is moved by 1, and the error of that. The columns of the matrix's
    second half are those of a design and its mirror image, so that no effect of two weights together is taken for one
    of a single weight; those without a weight tell the error."""
    runs, step = search.options.runs, search.options.step
    columns = draw.sample(range(runs // 2, runs), runs // 2)
    sides = [draw.choice((-1, 1)) for _ in columns]
    ways = [[step * side * sign(i, column) for side, column in zip(sides, columns)] for i in range(runs)]
    instances = search.new_instances()
    costs = clipped(search.costs([(moved(table, places, way), instances) for way in ways]))
    found = [sum(way[j] * cost for way, cost in zip(ways, costs)) / (runs * step**2) for j in range(len(columns))]
    rest = found[len(places) :]
    return found[: len(places)], math.sqrt(sum(x * x for x in rest) / len(rest))


def shrunk(effect, error):
    """What is left of an effect that may be chance."""
    return effect * max(0.0, 1 - (error / effect) ** 2) if effect else 0.0


def gains(search, tables):
    """How far below the first table's cost those of the others are on fresh sets, and the errors of that."""
    sets = [search.new_instances() for _ in range(search.options.searches)]
    found = iter(search.costs([(table, instances) for table in tables for instances in sets]))
    costs = [[next(found) for _ in sets] for _ in tables]
    differences = [[a - b for a, b in zip(costs[0], other)] for other in costs[1:]]
    return [(statistics.mean(those), statistics.stdev(those) / math.sqrt(len(those))) for those in differences]


def improve(search, table, places, draw):
    """One round: the table, which is as it was where no length of the way gains more than twice the error, and what to
    say of it."""
    found, error = effects(search, table, places, draw)
    way = [-shrunk(effect, error) for effect in found]
    furthest = max(map(abs, way))
    told = {"effects": {str(place): round(effect, 6) for place, effect in zip(places, found)}, "error": round(error, 6)}
    if furthest == 0:
        return table, {**told, "length": 0}
    tables = [moved(table, places, way, length / furthest) for length in (0.0, *LENGTHS)]
    gained = gains(search, tables)
    told["gains"] = {str(length): [round(x, 6) for x in gain] for length, gain in zip(LENGTHS, gained)}
    best = max(range(len(LENGTHS)), key=lambda i: gained[i][0])
    if gained[best][0] <= 2 * gained[best][1]:
        return table, {**told, "length": 0}
    return tables[best + 1], {**told, "length": LENGTHS[best]}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuned")
    parser.add_argument("model")
    parser.add_argument("--program", default="build/neuopt", metavar="FILE", help="neuopt [build/neuopt]")
    parser.add_argument("--device", default="auto", help="of the searches [auto]")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="[2]")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="no round begins after so many")
    parser.add_argument("--runs", type=int, default=128, metavar="N", help="of a round, a power of two [128]")
    parser.add_argument("--searches", type=int, default=4, metavar="N", help="of each length of the way [4]")
    parser.add_argument("--instances", type=int, default=500, metavar="N", help="of a run [500]")
    parser.add_argument("--steps", type=int, default=1000, metavar="T", help="of a search [1000]")
    parser.add_argument("--step", type=float, default=0.08, metavar="W", help="by which weights are moved [0.08]")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="runs side by side [1]")
    parser.add_argument("--seed", type=int, default=51413, metavar="S")
    options = parser.parse_args(arguments)
    if options.runs.bit_count() != 1 or options.runs < 128:
        complain(f"--runs is {options.runs}, expected a power of two from 128")
    for name, least in (("rounds", 1), ("searches", 2), ("instances", 1), ("steps", 1), ("workers", 1), ("seed", 0)):
        if getattr(options, name) < least:
            complain(f"--{name} is {getattr(options, name)}, expected a whole number from {least}")
    if not 0 < options.step <= 4:
        complain(f"--step is {options.step}, expected a number above 0 and up to 4")
    if not options.minutes >= 0:
        complain(f"--minutes is {options.minutes}, expected a number from 0")
    program = shutil.which(options.program if os.sep in options.program else os.path.join(os.curdir, options.program))
    if program is None:
        complain(f"{options.program}: no such program, expected neuopt")
    options.program = os.path.abspath(program)
    if not os.path.isdir(os.path.dirname(options.tuned) or os.curdir):
        complain(f"{options.tuned}: there is no such folder")
    return options


def main(arguments):
    options = parse(arguments)
    keep([options.model], options.tuned)
    metadata, tensors = read(options.model)
    if TABLE not in tensors:
        complain(f"{options.model}: its network is not told prospects")
    shape, table = tensors[TABLE]
    if shape != [ROWS, FEATURES]:
        complain(f"{options.model}: {TABLE} has the shape {shape}, expected {[ROWS, FEATURES]}")
    metadata = {**metadata, "provenance.prospects": "tuned by searches", "provenance.validation": "not validated"}
    places, draw, begin = factors(metadata["problem"] != "tsp"), random.Random(options.seed), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        search = Search(options, metadata, tensors, folder)
        for number in range(options.rounds):
            if number > 0 and time.monotonic() - begin > 60 * options.minutes:
                break
            try:
                table, told = improve(search, table, places, draw)
                search.save(options.tuned, table)
            except (OSError, RuntimeError, ValueError, KeyError) as error:
                search.pool.shutdown(cancel_futures=True)  # nothing writes into the folder any more
                complain(error, 3)
            told = {"round": number + 1, "seconds": round(time.monotonic() - begin, 1), **told}
            print(json.dumps(told), flush=True)
            gain, error = told.get("gains", {}).get(str(told["length"]), (0, 0))
            print(f"round {number + 1}: the cost falls by {gain} (+- {error})", file=sys.stderr)


main(sys.argv[1:])

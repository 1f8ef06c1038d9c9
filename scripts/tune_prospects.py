#!/usr/bin/env python3
"""Improves by searches, without gradients, what a model makes of the prospects that it is told (docs/prospects.md).

    scripts/tune_prospects.py TUNED.safetensors MODEL.safetensors [OPTION VALUE]...

In each round all weights of the table that matter are moved up or down a little, in as many combinations as --runs says,
so that the effect of each weight on the mean cost is known from all of the runs. Then the table goes the way that all
effects together point to, as far as it pays, and TUNED.safetensors is written. Every round has generated instances of
its own, which are in no training and no test set. Progress goes to standard error, a line of JSON for each round to
standard output. Exit codes: 0 done, 2 bad usage or a damaged model, 3 a search failed.
"""
import argparse
import array
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from model_file import checksum, complain, keep, read, write

TABLE = "decoder.prospects"
UNIT = 32  # of the weights, kProspectUnit in src/env/prospects.h
FEATURES, CLOSING, INFEASIBLE = 15, 8, 5  # of a row; those of E-moves begin at CLOSING
LENGTHS = (0.1, 0.2, 0.4, 0.8, 1.6)  # of the way that is tried, by the weight that goes furthest


def factors(demands):
    """Places in the table of the weights that can matter, by what the features of src/env/prospects.h are."""
    places = []
    for row in range(4):
        for feature in range(FEATURES):
            closes = feature >= CLOSING
            if feature % CLOSING == INFEASIBLE and (not demands or row == 0 or (closes and row == 1)):
                continue  # nothing is infeasible there
            if closes and (row == 0 or (row == 1 and feature < FEATURES - 1)):
                continue  # an anchor does not close the tour, and the choice behind it only leaves it as it is
            places.append(row * FEATURES + feature)
    return places


def sign(i, j):
    """Of row i and column j of the Hadamard matrix of any power of two."""
    return -1 if (i & j).bit_count() % 2 else 1


class Search:
    """Mean costs of searches with other tables."""

    def __init__(self, options, metadata, tensors, folder):
        self.options, self.metadata, self.tensors, self.folder = options, metadata, tensors, folder
        self.started = 0
        self.pool = ThreadPoolExecutor(options.workers)

    def instances(self, number):
        path = os.path.join(self.folder, f"set{number}.npz")
        words = ["generate", self.metadata["problem"], "--size", self.metadata["trained_size"], "--count",
                 str(self.options.instances), "--seed", str(self.options.seed + number), "--output", path]
        self.run(words)
        return path

    def run(self, words):
        done = subprocess.run([self.options.program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def with_table(self, table):
        tensors = dict(self.tensors)
        tensors[TABLE] = (self.tensors[TABLE][0], array.array("f", table))
        return tensors

    def cost(self, model, instances, seed):
        words = ["eval", instances, "--model", model, "--steps", str(self.options.steps), "--seed", str(seed),
                 "--device", self.options.device, "--quiet", "--json"]
        return json.loads(self.run(words))["mean_cost"]

    def costs(self, tables, instances, searches=1):
        """The mean cost with each table, of so many searches with seeds of their own."""
        first, self.started = self.started, self.started + len(tables) * searches

        def run(number):
            model = os.path.join(self.folder, f"model{first + number}.safetensors")
            save(model, self.metadata, self.with_table(tables[number // searches]))
            found = self.cost(model, instances, self.options.seed + first + number)
            os.remove(model)
            return found

        found = list(self.pool.map(run, range(len(tables) * searches)))
        return [sum(found[i * searches : (i + 1) * searches]) / searches for i in range(len(tables))]


def save(path, metadata, tensors):
    made = dict(metadata)
    made["checksum"] = checksum(made, tensors)
    write(path, made, tensors)


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


def effects(search, table, places, instances, draw):
    """How the mean cost changes for each weight that is moved by 1, and the error of that. The columns of the matrix's
    second half are those of a design and its mirror image, so that no effect of two weights together is taken for one
    of a single weight; those without a weight tell the error."""
    runs, step = search.options.runs, search.options.step
    columns = draw.sample(range(runs // 2, runs), runs // 2)
    sides = [draw.choice((-1, 1)) for _ in columns]
    ways = [[step * side * sign(i, column) for side, column in zip(sides, columns)] for i in range(runs)]
    costs = clipped(search.costs([moved(table, places, way) for way in ways], instances))
    found = [sum(way[j] * cost for way, cost in zip(ways, costs)) / (runs * step**2) for j in range(len(columns))]
    rest = found[len(places) :]
    return found[: len(places)], math.sqrt(sum(x * x for x in rest) / len(rest)), sum(costs) / runs


def shrunk(effect, error):
    """What is left of an effect that may be chance."""
    return effect * max(0.0, 1 - (error / effect) ** 2) if effect else 0.0


def improve(search, table, places, number, draw):
    """One round: the table, and what to say of it."""
    instances = search.instances(number)
    found, error, around = effects(search, table, places, instances, draw)
    way = [-shrunk(effect, error) for effect in found]
    furthest = max(map(abs, way))
    told = {"around": around, "error": error, "effects": [round(effect, 5) for effect in found]}
    if furthest == 0:
        return table, {**told, "length": 0}
    way = [step / furthest for step in way]
    lengths = (0.0, *LENGTHS)
    costs = search.costs([moved(table, places, way, length) for length in lengths], instances, search.options.searches)
    best = min(range(len(lengths)), key=costs.__getitem__)
    told.update(costs=dict(zip(map(str, lengths), costs)), length=lengths[best])
    return moved(table, places, way, lengths[best]), told


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
    for name in ("rounds", "searches", "instances", "steps", "workers"):
        if getattr(options, name) < 1:
            complain(f"--{name} is {getattr(options, name)}, expected a whole number from 1")
    if not 0 < options.step <= 4:
        complain(f"--step is {options.step}, expected a number above 0 and up to 4")
    if not os.access(options.program, os.X_OK):
        complain(f"{options.program}: no such program, expected neuopt")
    return options


def main(arguments):
    options = parse(arguments)
    keep([options.model], options.tuned)
    metadata, tensors = read(options.model)
    if TABLE not in tensors:
        complain(f"{options.model}: its network is not told prospects")
    metadata = {**metadata, "provenance.prospects": "tuned by searches", "provenance.validation": "not validated"}
    table, places = list(tensors[TABLE][1]), factors(metadata["problem"] != "tsp")
    draw, begin = random.Random(options.seed), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        search = Search(options, metadata, tensors, folder)
        for number in range(options.rounds):
            if number > 0 and time.monotonic() - begin > 60 * options.minutes:
                break
            try:
                table, told = improve(search, table, places, number, draw)
            except RuntimeError as error:
                search.pool.shutdown(cancel_futures=True)  # nothing writes into the folder any more
                complain(error, 3)
            save(options.tuned, metadata, search.with_table(table))
            told["seconds"] = round(time.monotonic() - begin, 1)
            print(json.dumps({"round": number + 1, **told}), flush=True)
            print(f"round {number + 1}: {told['costs'] if 'costs' in told else 'no effect'}", file=sys.stderr)


main(sys.argv[1:])

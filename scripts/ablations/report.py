#!/usr/bin/env python3
"""What scripts/ablations.sh keeps of its runs, and the page made of it. Needs nothing but Python.

    report.py collect FILE ...   the small file of one row and seed
    report.py is-there FILE ...  whether such a file is there for so many batches and instances and that model (exit code)
    report.py show FILE          its figures in a line
    report.py page ...           the text with its tables and pictures
"""
import argparse
import csv
import json
import os
import subprocess
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def json_lines(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):  # a last line may be cut off
                yield json.loads(line)


def write_whole(path, text):
    """The file appears as a whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


# What the searches of a trained model look like from inside.


def behaviour(paths):
    """Shares over all searches: feasible solutions, k in the first and last 50 steps, and what came before a new best."""
    feasible = steps = new_bests = after_infeasible = 0
    early, late = [], []
    for path in paths:
        copies = {}
        last = 0
        for line in json_lines(path):
            if line["type"] == "step":
                copies.setdefault(line["copy"], []).append(line)
                last = max(last, line["step"])
        for search in copies.values():
            for i, step in enumerate(search):
                steps += 1
                feasible += step["feasible"]
                if step["step"] <= 50:
                    early.append(step["k"])
                if step["step"] > last - 50:
                    late.append(step["k"])
                if i >= 5 and step["best"] < search[i - 1]["best"]:  # the paper's figure: of the five before it
                    new_bests += 1
                    after_infeasible += any(not before["feasible"] for before in search[i - 5 : i])
    if not steps:
        return {}
    result = {
        "feasible_share": round(feasible / steps, 4),
        "mean_k_early": round(sum(early) / len(early), 3),
        "mean_k_late": round(sum(late) / len(late), 3),
    }
    if new_bests:
        result["infeasible_before_best"] = round(after_infeasible / new_bests, 4)
    return result


def training(path, validations):
    """Seconds of the run; its validations go to a file that 'neuopt plot compare' draws."""
    lines = list(json_lines(path))
    points = [line for line in lines if line["event"] == "validation"]
    write_whole(validations, "".join(json.dumps(point) + "\n" for point in points))
    return {"train_seconds": round(sum(line["seconds"] for line in lines if line["event"] == "batch"), 1)}


def collect(arguments):
    evaluation = read(arguments.eval)
    if evaluation["interrupted"]:
        sys.exit(1)
    result = {"run": arguments.run, "seed": arguments.seed, "batches": arguments.batches, "jobs": arguments.jobs}
    for key in ("instances", "steps", "augment", "mean_cost", "infeasible", "seconds", "device", "model_checksum"):
        result[key] = evaluation[key]
    result.update({"machine": arguments.machine, "commit": arguments.commit})
    if arguments.log:
        result.update(training(arguments.log, os.path.splitext(arguments.file)[0] + ".jsonl"))
    result.update(behaviour(arguments.traces))
    reference = read(arguments.reference)["mean_cost"]
    result["curve"] = [
        {"step": point["step"], "mean_cost": point["mean_cost"], "gap_percent": 100 * (point["mean_cost"] / reference - 1)}
        for point in evaluation["curve"]
    ]
    write_whole(arguments.file, json.dumps(result, indent=1) + "\n")


def is_there(arguments):
    if not os.path.exists(arguments.file):
        sys.exit(1)
    result = read(arguments.file)
    other_model = arguments.checksum and result["model_checksum"] != arguments.checksum
    if result.get("batches", 0) != arguments.batches or result["instances"] != arguments.instances or other_model:
        sys.exit(1)


def show(arguments):
    result = read(arguments.file)
    print(f"cost {result['mean_cost']:.4f}, {result['seconds']:.1f} s")


# The page.


class Row:
    """A row of a table with the results of its seeds."""

    def __init__(self, plan, folder):
        self.label, self.run, self.paper = plan["label"], plan["run"], plan["paper"]
        self.files = []
        for name in sorted(os.listdir(folder)):
            stem, _, end = name.rpartition("-s")
            if stem == self.run and end.endswith(".json"):
                self.files.append(os.path.join(folder, name))
        self.results = [read(file) for file in self.files]
        reference = os.path.join(folder, f"reference-{self.run.split('-')[0]}.json")
        self.reference = read(reference)["mean_cost"] if os.path.exists(reference) else None

    def values(self, key):
        return [result[key] for result in self.results if result.get(key) is not None]

    def mean(self, key, digits, factor=1.0, unit=""):
        values = self.values(key)
        return f"{factor * sum(values) / len(values):.{digits}f}{unit}" if values else ""

    def cost(self):
        values = self.values("mean_cost")
        if not values:
            return "not yet measured"
        text = f"{sum(values) / len(values):.4f}"
        return text if len(values) == 1 else f"{text} ± {(max(values) - min(values)) / 2:.4f}"

    def gap(self):
        values = self.values("mean_cost")
        if not values or not self.reference:
            return ""
        return f"{100 * (sum(values) / len(values) / self.reference - 1):.2f} %"

    def at(self, step):
        values = [point["mean_cost"] for result in self.results for point in result["curve"] if point["step"] == step]
        return f"{sum(values) / len(values):.4f}" if values else ""


COLUMNS = {
    "cost": ("our cost", Row.cost),
    "gap": ("our gap", Row.gap),
    "seconds": ("search, s", lambda row: row.mean("seconds", 1)),
    "training": ("training, s", lambda row: row.mean("train_seconds", 0)),
    "feasible": ("feasible", lambda row: row.mean("feasible_share", 0, 100, " %")),
    "k": ("k, first and last 50 steps", lambda row: f"{row.mean('mean_k_early', 2)}, {row.mean('mean_k_late', 2)}".strip(", ")),
    "infeasible": ("new bests after infeasible ones", lambda row: row.mean("infeasible_before_best", 0, 100, " %")),
    "seeds": ("seeds", lambda row: str(len(row.results)) if row.results else ""),
    "batches": ("batches", lambda row: row.mean("batches", 0)),
    "at0": ("start", lambda row: row.at(0)),
    "at100": ("T = 100", lambda row: row.at(100)),
    "at1000": ("T = 1k", lambda row: row.at(1000)),
}


def table(rows, columns, paper):
    """Markdown. `columns` by the names above; those that no row fills are left out."""
    if unknown := [name for name in columns if name not in COLUMNS]:
        sys.exit(f"unknown columns: {', '.join(unknown)}")
    shown = [(COLUMNS[name][0], [COLUMNS[name][1](row) for row in rows]) for name in columns]
    shown = [(title, cells) for title, cells in shown if any(cells)]
    lines = ["| | " + " | ".join([title for title, _ in shown] + [paper]) + " |", "|---|" + "--:|" * len(shown) + "---|"]
    for i, row in enumerate(rows):
        lines.append("| " + " | ".join([row.label] + [cells[i] for _, cells in shown] + [row.paper]) + " |")
    return "\n".join(lines)


def last_value(file, kind):
    """Where a curve ends: the gap of a search, or the cost of a training run after the most steps."""
    if kind == "search":
        return read(file)["curve"][-1]["gap_percent"]
    point = list(json_lines(file))[-1]
    return point[max((key for key in point if key.startswith("cost_")), key=lambda key: int(key.split("_")[1]))]


def picture(rows, image, kind, factor, arguments):
    """A line of Markdown for the picture of a table's curves, which is drawn; nothing before there are curves. What lies
    above `factor` times the lowest end is left out, but for the ends themselves."""
    curves, ends = [], []
    for row in rows:
        files = [file if kind == "search" else file[: -len(".json")] + ".jsonl" for file in row.files]
        if files and all(os.path.exists(file) for file in files):
            curves.append(f"{row.label.replace(',', '')}={','.join(files)}")
            ends += [last_value(file, kind) for file in files]
    if not curves:
        return "No curves yet."
    path = os.path.join(os.path.dirname(arguments.output), "images", image)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run([arguments.program, "plot", "compare", *curves, "--output", path, "--below", str(max(factor * min(ends), max(ends)))], check=True)
    return f"![{image}](images/{image})"


def page(arguments):
    with open(arguments.rows, encoding="utf-8") as file:
        plans = list(csv.DictReader(file, delimiter=";"))
    rows = {}
    for plan in plans:
        rows.setdefault(plan["table"], []).append(Row(plan, arguments.results))
    out = []
    with open(arguments.text, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("@table "):  # @table NAME COLUMN,COLUMN,... TITLE OF THE PAPER'S COLUMN
                _, name, columns, paper = line.split(" ", 3)
                out.append(table(rows[name], columns.split(","), paper))
            elif line.startswith("@picture "):  # @picture NAME IMAGE training|search FACTOR
                _, name, image, kind, factor = line.split(" ")
                out.append(picture(rows[name], image, kind, float(factor), arguments))
            else:
                out.append(line)
    write_whole(arguments.output, "\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("collect")
    command.add_argument("file")
    for name in ("--run", "--eval", "--machine", "--commit", "--log", "--reference"):
        command.add_argument(name, default="")
    for name in ("--seed", "--batches", "--jobs"):
        command.add_argument(name, type=int, default=0)
    command.add_argument("--traces", nargs="*", default=[])
    command.set_defaults(work=collect)
    command = commands.add_parser("is-there")
    command.add_argument("file")
    command.add_argument("--batches", type=int, default=0)
    command.add_argument("--instances", type=int, default=1)
    command.add_argument("--checksum", default="")
    command.set_defaults(work=is_there)
    command = commands.add_parser("show")
    command.add_argument("file")
    command.set_defaults(work=show)
    command = commands.add_parser("page")
    for name in ("--rows", "--text", "--results", "--program", "--output"):
        command.add_argument(name, required=True)
    command.set_defaults(work=page)
    arguments = parser.parse_args()
    arguments.work(arguments)


if __name__ == "__main__":
    main()

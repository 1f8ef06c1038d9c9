#!/usr/bin/env python3
"""Averages the weights of models, such as the ends of two legs from the same start.

    scripts/mean_of_models.py MEAN.safetensors [--logit-bound C] [--foresight E] MODEL.safetensors...

All must have the same architecture. What the mean knows of its making is that of the first model. With --logit-bound it
is surer of its choices (above the 6 of the paper) or less sure, and with --foresight 3 it is told of exchanges of three
edges; one model alone is then taken as it is.
"""
import argparse
import array
import sys

from model_file import complain, keep, read, write_or_complain


def mean(models):
    """The tensors of the first, each weight the mean of all."""
    result = {}
    for name, (shape, _) in models[0].items():
        each = [model[name][1] for model in models]
        result[name] = (shape, array.array("f", (sum(values) / len(each) for values in zip(*each))))
    return result


def architecture(metadata):
    """What says how a network is run, where its tensors do not."""
    # Where older models do not say it.
    known = {"violation_features": "true", "masking": "false", "logit_bound": "6", "prospects": "false",
             "foresight": "2"}
    known.update(metadata)
    return {key: known[key] for key in known if key not in ("checksum", "trained_size") and key[:11] != "provenance."}


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logit-bound", type=int, choices=range(1, 21), metavar="C")
    parser.add_argument("--foresight", type=int, choices=(2, 3))
    parser.add_argument("mean")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args(arguments)
    paths = options.models
    changed = {key: str(value) for key in ("logit_bound", "foresight") if (value := getattr(options, key)) is not None}
    if len(paths) < 2 and not changed:
        complain("expected a file to write and two models or more")
    keep(paths, options.mean)
    metadata, models = zip(*map(read, paths))
    first, *others = map(architecture, metadata)
    for path, other in zip(paths[1:], others):
        for key in sorted(first.keys() | other.keys()):
            if other.get(key) != first.get(key):
                complain(f"{path}: its {key} is {other.get(key)}, that of {paths[0]} {first.get(key)}")
    if changed.get("foresight") == "3" and first["prospects"] != "true":
        complain(f"{paths[0]}: foresight is for a network with prospects")
    shapes = [{name: shape for name, (shape, _) in tensors.items()} for tensors in models]
    for path, those in zip(paths, shapes):
        if those != shapes[0]:
            complain(f"{path}: its tensors are not those of {paths[0]}")
    made = dict(metadata[0])
    if len(paths) > 1:
        made["provenance.weights"] = f"mean of {len(paths)} legs"
    made.update(changed)
    made["provenance.validation"] = "not validated"
    write_or_complain(options.mean, made, mean(models))


main(sys.argv[1:])

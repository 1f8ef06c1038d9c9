"""Results, files, pictures, the verifier, the generator."""

import ast
import inspect
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import neuopt
import numpy as np
import pytest
from neuopt import _core


def test_verify_names_what_is_wrong(cvrp):
    result = neuopt.solve(cvrp, steps=5)
    verdict = neuopt.verify(cvrp, result)
    assert verdict.feasible and verdict.cost == result.cost and verdict.findings == []
    assert len(verdict.loads) == len(result.routes) and max(verdict.loads) <= cvrp.capacity
    twice = neuopt.verify(cvrp, [*result.routes, [1]])
    assert not twice.feasible and "node 1 visited twice" in twice.findings[0]
    together = neuopt.verify(cvrp, [list(range(1, 21))])
    assert not together.feasible and "over capacity" in together.findings[0]
    assert not neuopt.verify(cvrp, [[99]]).feasible
    with pytest.raises(ValueError, match="this is no solution"):
        neuopt.verify(cvrp, [1, 2, 3])
    for wrong in (1.5, float("inf"), 2**40, "a"):
        with pytest.raises(ValueError, match="is no node"):
            neuopt.verify(cvrp, [[wrong]])


def test_findings_name_indices(coords):
    square = neuopt.Instance(coords[:4], fixed_edges=[(0, 2)])
    assert neuopt.verify(square, [0, 1, 3, 3]).findings == [
        "the fixed edge of nodes 0 and 2 missing",
        "node 2 missing",
        "node 3 visited twice (route 0)",
    ]
    last = neuopt.Instance(coords[:4], demands=[6, 6, 6, 0], capacity=10, depot=3)
    assert neuopt.verify(last, [[0], [0, 1]]).findings == [
        "route 1 over capacity by 2 (12 of 10)",
        "node 0 visited twice (routes 0 and 1)",
        "node 2 missing",
    ]
    assert neuopt.verify(last, [[0], [4]]).findings == ["route 1 has node index 4, which is not in 0..3"]
    assert neuopt.verify(last, [[0, 3], [1]]).findings == ["route 0 visits the depot between its customers"]
    for described in (neuopt.Verdict, neuopt.verify):
        assert "indices, from 0" in inspect.getdoc(described)


def test_verify_takes_tours_as_lists_and_arrays(coords):
    tour = np.arange(20)
    assert neuopt.verify(coords, tour).cost == neuopt.verify(coords, tour.tolist()).cost > 0
    assert neuopt.verify(coords, tour[:-1]).findings


def test_files_there_and_back(tmp_path, cvrp, coords, program):
    for instance, ending, solution in ((cvrp, "vrp", "sol"), (neuopt.as_instance(coords), "tsp", "tour")):
        path, answer = tmp_path / f"x.{ending}", tmp_path / f"x.{solution}"
        instance.save(path)
        again = neuopt.read(path)
        assert np.array_equal(again.coords, instance.coords) and again.problem == instance.problem
        result = neuopt.solve(again, steps=5)
        result.save(answer)
        assert neuopt.verify(again, answer).cost == pytest.approx(result.cost)
        subprocess.run([program, "verify", path, answer], check=True, capture_output=True)
    both = neuopt.read([tmp_path / "x.vrp", tmp_path / "x.vrp"])
    assert len(both) == 2 and len(neuopt.read(tmp_path / "x.vrp", limit=1).coords) == 21


def test_an_ending_says_what_is_in_a_file(tmp_path, cvrp, coords):
    tsp = neuopt.as_instance(coords)
    market = neuopt.generate("vrptw", 20)
    for save, right, wrong in (
        (tsp.save, ".tsp", "npz vrp txt"),
        (cvrp.save, ".vrp", "npz tsp txt svg"),
        (market.save, ".vrp or .txt", "npz tsp"),
        (neuopt.solve(tsp, steps=1).save, ".tour", "svg sol tsp"),
        (neuopt.solve(cvrp, steps=1).save, ".sol", "svg tour vrp"),
    ):
        for ending in wrong.split():
            with pytest.raises(ValueError, match=rf"x\.{ending}: expected a name that ends in {re.escape(right)}$"):
                save(tmp_path / f"x.{ending}")
        assert not list(tmp_path.iterdir())
        for name in ("named", f"X{right.split()[0].upper()}"):  # no ending states nothing
            save(tmp_path / name)
            (tmp_path / name).unlink()


def test_paths_may_be_bytes(tmp_path, cvrp):
    cvrp.save(tmp_path / "x.vrp")
    assert neuopt.read(bytes(tmp_path / "x.vrp")).size == cvrp.size


def test_a_path_is_not_cut_at_a_nul(tmp_path, cvrp, coords):
    result = neuopt.solve(cvrp, steps=1)
    whole = tmp_path / "whole"
    cut = f"{whole}\0.sol"
    for write in (cvrp.save, result.save, lambda path: result.save(os.fsencode(path))):
        with pytest.raises(ValueError, match="whole.*NUL"):
            write(cut)
        assert not whole.exists()
    result.save(whole)
    with pytest.raises(ValueError, match="whole.*NUL"):
        neuopt.verify(cvrp, cut)
    cvrp.save(whole)
    for read in (cut, os.fsencode(cut), [whole, cut]):
        with pytest.raises(ValueError, match="whole.*NUL"):
            neuopt.read(read)
    with pytest.raises(ValueError, match="tsp20.*NUL"):
        neuopt.solve(coords, model="tsp20\0", steps=1)


def test_a_bad_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "bad.tsp"
    path.write_text("NAME : bad\nTYPE : TSP\nDIMENSION : many\n")
    with pytest.raises(ValueError, match=r"bad\.tsp:3: "):
        neuopt.read(path)
    with pytest.raises(ValueError, match="nothing.vrp"):
        neuopt.read(tmp_path / "nothing.vrp")


def test_unusual_files_are_logged_and_names_may_be_any_bytes(tmp_path, caplog):
    path = tmp_path / "odd.tsp"
    path.write_bytes(
        b"NAME : caf\xe9\nTYPE : TSP\nCOLOUR : red\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n"
        b"NODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nEOF\n"
    )
    with caplog.at_level("WARNING", logger="neuopt"):
        instance = neuopt.read(path)
    assert "COLOUR" in caplog.text and instance.name.startswith("caf") and "caf" in repr(instance)
    assert neuopt.solve(instance).cost == 12 and "caf" in neuopt.solve(instance)._repr_svg_()


def test_generated_instances_are_those_of_the_program(tmp_path, program):
    for extra in ([], ["--shaped"]):
        path = tmp_path / "set.npz"
        asked = ["generate", "cvrp", "--size", "20", "--count", "2", "--seed", "7", "--output", path, *extra]
        subprocess.run([program, *asked], check=True)
        mine = neuopt.generate("cvrp", 20, 2, seed=7, shaped=bool(extra))
        for one, other in zip(mine, neuopt.read(path)):
            assert np.allclose(one.coords, other.coords) and np.array_equal(one.demands, other.demands)
    assert isinstance(neuopt.generate("tsp", 5), neuopt.Instance) and neuopt.generate("tsp", 5, 0) == []
    assert neuopt.generate("cvrp", 20, capacity=44).capacity == 44
    for wrong in (dict(problem="knapsack"), dict(size=0), dict(size=10**10), dict(count=-1), dict(seed=-1)):
        with pytest.raises(ValueError):
            neuopt.generate(**{"problem": "tsp", "size": 5, **wrong})
    for wrong in (dict(size=5.5), dict(size="5"), dict(count=2.5), dict(seed=1.5)):
        with pytest.raises(ValueError, match="expected a whole number"):
            neuopt.generate(**{"problem": "tsp", "size": 5, **wrong})


@pytest.mark.parametrize(
    "asked, text",
    [
        ("10**6 + 1", "size: 1000001, expected 1 to 1000000"),
        ("10**9", "size: 1000000000, expected 1 to 1000000"),
        ("1, 10**8 + 1", "count: 100000001, expected 0 to 100000000"),
        ("10**6, 10**6", r"1000000 instances of size 1000000 need about 16000.\d GB of memory, [\d.]+ .B are free"),
    ],
)
def test_what_is_too_large_to_generate_is_refused_as_by_the_program(asked, text):
    # In a process that may not take the machine's memory, should it be made all the same.
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, 4 * 2**30))
import neuopt
neuopt.generate("tsp", {asked})
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and re.search(f"ValueError: {text}$", ended.stderr)


def test_pictures(cvrp):
    result = neuopt.solve(cvrp, steps=5)
    picture = xml.fromstring(result._repr_svg_())
    assert picture.tag.endswith("svg") and len(result._repr_svg_()) > len(cvrp._repr_svg_())
    by_distances = neuopt.solve(distance_matrix=cvrp.distance_matrix(), steps=1)
    assert by_distances._repr_svg_().startswith("<svg") and by_distances.instance.map_points().shape == (21, 2)


def test_plot(cvrp, coords):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    result = neuopt.solve(cvrp, steps=5)
    axes = result.plot()
    assert len(axes.lines) == len(result.routes) and axes.lines[0].get_xdata()[0] == cvrp.coords[0, 0]
    other = plt.figure().add_subplot()
    tour = neuopt.solve(coords, steps=5)
    assert tour.plot(other) is other and len(other.lines[0].get_xdata()) == 21
    plt.close("all")


def test_plot_without_matplotlib_says_so(cvrp, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(RuntimeError, match="needs matplotlib"):
        neuopt.solve(cvrp, steps=1).plot()


def test_results_speak(cvrp, coords):
    assert "routes" in repr(neuopt.solve(cvrp, steps=1)) and "CVRP with 20 customers" in repr(cvrp)
    instance = neuopt.Instance(coords, reference_cost=1)
    assert "gap" in repr(neuopt.solve(instance, steps=1))


def stub_names(body):
    named = {node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    values = {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    return named | {name for name in values if not name.startswith("__")}


def test_the_stub_names_what_the_compiled_part_has(root):
    stub = ast.parse((root / "python" / "neuopt" / "_core.pyi").read_text())
    assert stub_names(stub.body) == {name for name in vars(_core) if not name.startswith("__")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            defined = {name for name in vars(getattr(_core, node.name)) if name[:2] != "__" and "conduit" not in name}
            assert {name for name in stub_names(node.body) if name[:2] != "__"} == defined


def test_everything_public_is_documented():
    for name in set(neuopt.__all__) - {"__version__"}:
        assert inspect.getdoc(getattr(neuopt, name)), name
    for name, member in inspect.getmembers(neuopt.Solver, inspect.isfunction):
        assert name.startswith("_") or inspect.getdoc(member), name

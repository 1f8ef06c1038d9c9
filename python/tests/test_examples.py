"""The examples run, small."""

import ast
import json
import subprocess
import sys

import neuopt
import pytest


@pytest.mark.parametrize(
    "command, expected",
    [
        ("solve_and_plot.py --seconds 0.5 --output {folder}/x.svg", "The picture is"),
        ("many_instances.py --count 20 --size 20 --steps 5", "20 tours"),
        ("many_instances.py --count 20 --size 20 --steps 5 --workers 2", "20 tours"),
        ("compare_solvers.py --count 1 --size 20 --seconds 0.3", "1 of 1 feasible"),
    ],
)
def test_a_script(root, tmp_path, command, expected):
    words = command.format(folder=tmp_path).split()
    words[0] = str(root / "examples" / "python" / words[0])
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout and done.stderr == ""
    if "x.svg" in command:
        assert "</svg>" in (tmp_path / "x.svg").read_text()


def test_the_page_runs_in_order(root, monkeypatch):
    """What docs/python.md shows of solving, with a few steps each."""
    section = (root / "docs" / "python.md").read_text().split("\n## Solving\n")[1].split("\n## ")[0]
    for name in ("solve", "solve_many"):
        whole = getattr(neuopt, name)
        few = lambda *given, whole=whole, **options: whole(*given, **{**options, "steps": 2, "augment": 1})
        monkeypatch.setattr(neuopt, name, few)
    monkeypatch.chdir(root)
    names = {}
    exec("\n".join(line[4:] for line in section.splitlines() if line.startswith("    ")), names)
    assert names["first"].routes and names["result"].schedule


def test_the_notebook(root):
    """Runs its cells; an expression at the end of one shows itself as a notebook would have it."""
    notebook = json.loads((root / "examples" / "python" / "tour.ipynb").read_text())
    names, shown = {}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "notebook", "exec"), names)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), "notebook", "eval"), names))
    assert sum(hasattr(one, "_repr_svg_") for one in shown) == 2
    length, cost = shown[1]
    assert length == pytest.approx(cost)

"""What instances can be made of, and what is refused."""

import pickle
import subprocess
import sys

import neuopt
import numpy as np
import pytest


class Tensor:
    """An array of another library, as far as DLPack shows it; of a GPU it must be copied first."""

    def __init__(self, values, device=1, requires_grad=False):
        self.values, self.kind, self.requires_grad = values, device, requires_grad

    def __dlpack_device__(self):
        return (self.kind, 0)

    def __dlpack__(self, stream=None):
        if self.kind != 1 or self.requires_grad:
            raise BufferError("cannot be exported")
        return self.values.__dlpack__()

    def cpu(self):
        return Tensor(self.values, requires_grad=self.requires_grad)

    def detach(self):
        return Tensor(self.values, self.kind)


@pytest.mark.parametrize("made", [Tensor, lambda x: Tensor(x, 2), lambda x: Tensor(x, 2, True), lambda x: x.tolist()])
def test_arrays_of_others(coords, made):
    assert np.array_equal(neuopt.as_instance(made(coords)).coords, coords)
    batch = np.stack([coords, coords + 1])
    assert np.array_equal(neuopt.as_instances(made(batch))[1].coords, coords + 1)
    assert np.array_equal(neuopt.as_instances([made(coords), made(coords[:7])])[1].coords, coords[:7])
    assert np.array_equal(neuopt.as_instance([made(row) for row in coords]).coords, coords)
    assert np.array_equal(neuopt.Instance(made(coords)).coords, coords)
    assert np.array_equal(neuopt.as_instance(memoryview(coords)).coords, coords)


def test_lists_of_any_sizes_with_lists_of_what_else_there_is(coords):
    made = neuopt.as_instances(
        [coords, coords[:4]],
        demands=[np.ones(len(coords) - 1), [0, 2, 2, 2]],
        capacity=[5, 6],
        time_windows=[np.tile([0, 9], (len(coords), 1)), [[0, 8]] * 4],
        service_times=[[0.5] * (len(coords) - 1), [0, 1, 1, 1]],
    )
    assert made[0].demands[1] == 1 and made[1].demands[1] == 2
    assert made[1].time_windows[3][1] == 8 and made[1].service_times[3] == 1
    with pytest.raises(ValueError, match="demands is for 1 instances, expected 2"):
        neuopt.as_instances([coords, coords[:4]], demands=[[0, 1]], capacity=5)


def test_no_other_library_is_imported():
    script = "import neuopt, sys; sys.exit(bool({'torch', 'matplotlib', 'distributed'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_torch_itself(coords):
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(coords, dtype=torch.float32, requires_grad=True)
    found = neuopt.as_instance(tensor)
    assert np.array_equal(found.coords, coords.astype(np.float32))


def test_the_gap_refers_to_the_reference_cost(coords):
    instance = neuopt.Instance(coords, reference_cost=2.0)
    result = neuopt.solve(instance, steps=5)
    assert result.gap == pytest.approx(result.cost / 2 - 1)


def test_fixed_edges_are_kept_and_checked(coords, tmp_path):
    edges = [(0, 5), (3, 2)]
    one = neuopt.Instance(coords, fixed_edges=edges)
    one.save(tmp_path / "fixed.tsp")
    for instance in (one, pickle.loads(pickle.dumps(one)), neuopt.read(tmp_path / "fixed.tsp")):
        assert instance.fixed_edges == edges
        tour = neuopt.solve(instance, steps=5).tour
        assert neuopt.verify(instance, tour).feasible
    assert neuopt.Instance(coords, fixed_edges=np.array(edges)).fixed_edges == edges
    with pytest.raises(ValueError, match="node 0 has three fixed edges"):
        neuopt.Instance(coords, fixed_edges=[(0, 1), (0, 2), (3, 0)])
    with pytest.raises(ValueError, match=f"node 400, expected 0 to {len(coords) - 1}"):
        neuopt.Instance(coords, fixed_edges=[(0, 400)])
    with pytest.raises(ValueError, match="fixed_edges: "):
        neuopt.as_instance({"type": "TSP", "node_coord": coords, "fixed_edges": edges})


def test_instances_travel_by_pickle(cvrp, coords):
    matrix = np.ones((4, 4)) - np.eye(4)
    for one in (cvrp, neuopt.Instance(coords, name="é"), neuopt.Instance(distance_matrix=matrix, reference_cost=4)):
        again = pickle.loads(pickle.dumps(one))
        for field in ("problem", "name", "metric", "size", "capacity", "depot", "reference_cost"):
            assert getattr(again, field) == getattr(one, field)
        assert np.array_equal(again.distance_matrix(), one.distance_matrix())
        assert np.array_equal(again.demands, one.demands)


@pytest.mark.parametrize(
    "place, value, message",
    [
        (0, 7, "no problem has the number 7"),
        (3, 99, "no metric has the number 99"),
        (5, np.ones(1).tobytes(), "1 third coordinates, expected 20"),
    ],
)
def test_a_state_that_makes_no_sense_is_refused(coords, place, value, message):
    state = list(neuopt.Instance(coords).__getstate__())
    state[place] = value
    with pytest.raises(ValueError, match=message):
        neuopt.Instance.__new__(neuopt.Instance).__setstate__(tuple(state))


@pytest.mark.parametrize("use", [repr, pickle.dumps, neuopt.solve, lambda one: one.size, lambda one: one.name])
def test_an_instance_that_was_never_made_is_no_garbage(use):
    with pytest.raises(TypeError, match="this object was never made"):
        use(neuopt.Instance.__new__(neuopt.Instance))


def test_a_bound_on_vehicles_comes_from_anywhere_and_travels(coords, tmp_path):
    demands = np.r_[0, np.full(19, 3)]
    stated = neuopt.Instance(coords, demands=demands, capacity=20, vehicles=3)
    stated.save(tmp_path / "three.vrp")
    data = {"node_coord": coords, "demand": demands, "capacity": 20, "vehicles": np.int64(3)}
    batch = neuopt.as_instances(coords[None].repeat(2, 0), demands=[demands] * 2, capacity=20, vehicles=[3, 4])
    for one in (stated, pickle.loads(pickle.dumps(stated)), neuopt.read(tmp_path / "three.vrp"), batch[0]):
        assert one.vehicles == 3 and "at most 3 vehicles" in repr(one)
    assert neuopt.as_instance(data).vehicles == 3 and batch[1].vehicles == 4
    assert neuopt.as_instance(coords, demands=demands, capacity=20).vehicles is None


def test_a_bound_on_vehicles_beside_what_states_none(coords):
    data = {"node_coord": coords, "demand": np.r_[0, np.full(19, 3)], "capacity": 20}
    assert neuopt.as_instance(data, vehicles=4).vehicles == 4
    assert [one.vehicles for one in neuopt.as_instances([data, data], vehicles=[4, 5])] == [4, 5]
    mapping = {"locs": coords[None, 1:], "depot": coords[:1], "demand": np.full((1, 19), 3), "capacity": [20]}
    assert neuopt.as_instances(mapping, vehicles=4)[0].vehicles == 4
    for beside, text in (({**data, "vehicles": 3}, "the dictionary states its own"), (data | {"type": "TSP"}, "TSP")):
        with pytest.raises(ValueError, match=f"vehicles.*: .*{text}"):
            neuopt.as_instance(beside, vehicles=4)
    with pytest.raises(ValueError, match="instance 1: vehicles: belongs to the instance"):
        neuopt.as_instances([data, neuopt.as_instance(data)], vehicles=4)
    with pytest.raises(ValueError, match="instance 0: vehicles: a TSP has none"):
        neuopt.as_instances({"locs": coords[None]}, vehicles=4)
    for stated, text in ((mapping, "the whole set"), ([data], "expected in each of them")):
        with pytest.raises(ValueError, match=f"capacity: not beside a .*{text}"):
            neuopt.as_instances(stated, capacity=20)


def test_only_routes_have_a_depot(coords):
    assert neuopt.Instance(coords, depot=0).depot is neuopt.Instance(coords, depot=None).depot is None
    with pytest.raises(ValueError, match="depot: a TSP has none"):
        neuopt.Instance(coords, depot=3)
    for depot, text in ((1.5, "1.5, expected a whole"), (2**40, "expected 0 to 2147483647"), (20, "node from 0 to 19")):
        with pytest.raises(ValueError, match=f"depot: .*{text}"):
            neuopt.Instance(coords, demands=np.ones(19), capacity=5, depot=depot)


MASKED = np.ma.masked_array(np.eye(2), np.eye(2))
SQUARE = [[0, 0], [0, 1], [1, 1], [1, 0]]


@pytest.mark.parametrize(
    "given, text",
    [
        (dict(), "coords or a distance_matrix"),
        (dict(coords=[[0, 0, 0]]), r"coords has shape \(1, 3\), expected \(nodes, 2\)"),
        (dict(coords=[0, 1]), r"coords has shape \(2,\)"),
        (dict(coords=[]), r"coords has shape \(0,\)"),
        (dict(coords=[[0, float("nan")]]), "the coordinates of node 0 are not finite"),
        (dict(coords="x.tsp"), "'x.tsp' is not an array of numbers; neuopt.read reads files"),
        (dict(coords=MASKED), "some are masked"),
        (dict(coords=np.eye(2) * 1e200), "coords: 1e.200, expected numbers up to 1e.100"),
        (dict(coords=[[0, 0], [1]]), "coords: not an array of numbers"),
        (dict(coords=np.eye(2) * 1j), "coords: not an array of numbers: they are of type complex128"),
        (dict(coords=np.zeros((2, 2), "M8[s]")), "coords: not an array of numbers: they are of type datetime64"),
        (dict(coords={"locs": np.zeros((1, 4, 2))}), "a test set .locs., expected one instance: solve_many"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1]), "both demands and capacity"),
        (dict(coords=SQUARE, capacity=3), "both demands and capacity"),
        (dict(coords=SQUARE, demands=[0, 1], capacity=3), r"demands has shape \(2,\), expected \(4,\)"),
        (dict(coords=SQUARE, demands=[1, 1, 1, 1], capacity=3), "the depot has demand 1, expected 0"),
        (dict(coords=SQUARE, demands=[0, 1, 5, 1], capacity=3), "node 2 has demand 5, expected 0 to 3, the capacity"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=-1), "capacity is -1, expected more than 0"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=[1, 2]), "capacity has shape"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity="3"), "capacity: '3', expected a number"),
        (dict(coords=SQUARE, vehicles=2), "vehicles: a TSP has none"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=3, vehicles=0), "vehicles: 0, expected 1 to 2147483647"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=3, vehicles=1.5), "vehicles: 1.5, expected a whole"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=3, vehicles=2**40), "expected 1 to 2147483647"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=10**400), "capacity: not an array of numbers: int too la"),
        (dict(coords=SQUARE, demands=[0, 1, float("nan"), 1], capacity=3), "node 2 has demand nan"),
        (dict(coords=SQUARE, demands=[0, 1, 1, 1], capacity=float("nan")), "capacity is nan"),
        (dict(distance_matrix=[[0, float("nan")], [float("nan"), 0]]), "distances are not finite"),
        (dict(distance_matrix=[[0, 1], [2, 0]]), "distances are not symmetric: 2 from node 1 to node 0, 1 back"),
        (dict(distance_matrix=[[0, 1, 2]]), r"distance_matrix has shape \(1, 3\)"),
        (dict(coords=[neuopt.generate("tsp", 9)] * 2), "a set of 2 instances, expected one: solve_many"),
        (dict(coords=neuopt.generate("tsp", 9), capacity=3), "capacity: belongs to the instance, expected"),
        (dict(coords=neuopt.generate("cvrp", 9), vehicles=2), "vehicles: belongs .*by neuopt.Instance or neuopt.read"),
    ],
)
def test_what_is_wrong_with_an_instance(given, text):
    with pytest.raises(ValueError, match=text):
        neuopt.solve(**given)


@pytest.mark.parametrize(
    "options, text",
    [
        (dict(steps=-1), "steps: -1, expected 0 to 1000000000"),
        (dict(steps=10**30), f"steps: {10**30}, expected 0 to 1000000000"),
        (dict(steps=2.5), "steps: 2.5, expected a whole number"),
        (dict(steps=np.float32(2.5)), "steps: .*2.5.*, expected a whole number"),
        (dict(seed=-1), f"seed: -1, expected 0 to {2**63 - 1}"),
        (dict(seed=2**63), f"seed: {2**63}, expected 0 to {2**63 - 1}"),
        (dict(augment=0), "augment: 0, expected 1 to 1000000"),
        (dict(augment=10**9), "augment: 1000000000, expected 1 to 1000000"),
        (dict(batch=-1), "batch: -1, expected 0 to 10000000"),
        (dict(stall=-1), "stall: -1, expected 0 to"),
        (dict(polish=-1), "polish: -1, expected 0 to"),
        (dict(restart=-1), "restart: -1, expected 0 to"),
        (dict(patience=-1), "patience: -1, expected 0 to"),
        (dict(threads=5000), "threads: 5000, expected 0 to 4096"),
        (dict(target=float("nan")), "target: nan, expected a finite number"),
        (dict(time_limit=0), "time_limit: 0, expected more than 0 and at most 10000000 seconds"),
        (dict(time_limit=10_000_001, steps=1), "time_limit: 10000001, expected more than 0 and at most 10000000 sec"),
        (dict(by_parts="no"), "by_parts: 'no', expected True, False or None"),
        (dict(start="best"), "start: 'best', expected auto, random"),
        (dict(policy="mine"), "policy: 'mine', expected model or none"),
        (dict(history=[5, 3]), "history: 3 after 5, expected ascending steps"),
        (dict(history=[50], steps=20), "history: 50, expected 0 to 20"),
        (dict(history=[10**30]), f"history: {10**30}, expected 0 to 1000"),
        (dict(history=[2.5]), "history: 2.5, expected a whole number"),
        (dict(history=True), "history: True, expected a list of steps"),
        (dict(history=5), "history: 5, expected a list of steps"),
        (dict(initial=[[1, 2], [9]]), "initial|solution|node"),
        (dict(stall=5, no_augment=True), "stall: has no effect with no_augment"),
        (dict(initial=list(range(20)), start="greedy"), "start: has no effect with initial"),
        (dict(initial=np.arange(20), start="auto"), "start: has no effect with initial"),
        (dict(initial=7), "this is no solution"),
        (dict(initial=[float("nan")] * 20), "nan is no node"),
        (dict(initial=[2**40] * 20), "1099511627776 is no node"),
        (dict(model="nonsense"), "model nonsense: no such file or bundled model"),
        (dict(model="cvrp20"), "the model is for the CVRP, not for the TSP"),
        (dict(model=b"no model"), "model"),
        (dict(device="abacus"), "no device is called 'abacus'"),
    ],
)
def test_what_is_wrong_with_an_option(coords, options, text):
    with pytest.raises(ValueError, match=text):
        neuopt.solve(coords, **options)


def test_a_solver_knows_its_model_at_once(tmp_path):
    for name in ("nonsense", tmp_path / "none.safetensors"):
        with pytest.raises(ValueError, match="no such file or bundled model|none.safetensors: cannot open"):
            neuopt.Solver(model=name, device="cpu")


def test_more_than_the_memory_holds_is_no_wrong_array():
    with pytest.raises(MemoryError):
        neuopt.Instance(distance_matrix=np.broadcast_to(0.5, (10**8, 10**8)))


@pytest.mark.parametrize(
    "coords",
    ["words", [[0, 0], [1]], [[0, 0], None], object(), {1: 2}, [[1j, 0], [0, 0]], np.eye(2) * 1j, MASKED],
)
def test_an_instance_says_what_is_no_array(coords):
    with pytest.raises(ValueError, match="not an array of numbers"):
        neuopt.Instance(coords)


def test_an_option_that_does_not_exist(coords):
    with pytest.raises(TypeError, match="'step'; did you mean steps"):
        neuopt.solve(coords, step=3)
    with pytest.raises(TypeError, match="'colour'"):
        neuopt.solve_many([coords], colour=3)


def test_seeds_are_those_of_the_program(coords):
    assert neuopt.solve(coords, steps=1, seed=2**63 - 1).feasible and neuopt.generate("tsp", 9, seed=2**63 - 1)
    with pytest.raises(ValueError, match=f"seed: {2**63}, expected 0 to {2**63 - 1}"):
        neuopt.generate("tsp", 9, seed=2**63)


@pytest.mark.skipif("cuda" in neuopt.devices(), reason="there is a GPU")
def test_a_device_that_is_not_there(coords):
    with pytest.raises(RuntimeError, match="device cuda|CUDA|GPU"):
        neuopt.solve(coords, device="cuda")


@pytest.mark.parametrize(
    "given, text",
    [
        (dict(instances=np.zeros((3, 2))), r"coords has shape \(3, 2\), expected \(instances, nodes, 2\)"),
        (dict(instances=[SQUARE, [[0, 0, 0]]]), "instance 1: coords has shape"),
        (dict(instances=np.zeros((2, 4, 2)), demands=np.ones((3, 4)), capacity=3), r"demands has shape \(3, 4\)"),
        (dict(instances=np.zeros((2, 4, 2)), demands=np.ones((2, 3)), capacity=[1, 2, 3]), "expected one number or 2"),
        (dict(instances=np.zeros((2, 4, 2)), demands=np.ones((2, 3)) * [[1], [9]], capacity=3), "instance 1: node 1"),
        (dict(instances="set.npz"), "'set.npz' is no set of instances; neuopt.read"),
        (dict(instances=neuopt.generate("tsp", 9)), "one instance, expected a set"),
        (dict(instances=[SQUARE], initial=[0, 1, 2, 3]), "an initial solution is for one instance"),
    ],
)
def test_what_is_wrong_with_a_set(given, text):
    with pytest.raises(ValueError, match=text):
        neuopt.solve_many(**given)


def test_a_mixed_set_is_refused(coords, cvrp):
    with pytest.raises(ValueError):
        neuopt.solve_many([coords, cvrp], model="tsp20", steps=3)

"""What happens to a thread that works here when the interpreter ends."""

import subprocess
import sys

import pytest

# The interpreter takes half a second to end, so that the thread asks for the GIL meanwhile.
BEGIN = """
import os, signal, sys, threading, time
import neuopt

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.5)

sys.modules["slow"] = Slow()  # where the interpreter lets go of it, whoever still holds our globals
began = threading.Event()
town = neuopt.generate("tsp", 60)

def dwell(_):
    began.set()
    while True:
        time.sleep(0.001)

def fail(_):
    began.set()
    raise LookupError

def repeat(work):
    began.set()
    while True:
        work()
"""


def run_python(code):
    return subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "work",
    [
        "neuopt.solve(town, time_limit=100, progress=lambda _: began.set())",
        "neuopt.solve_many([town] * 3, time_limit=100, progress=lambda _: began.set())",
        "neuopt.solve(town, time_limit=100, progress=dwell)",
        "repeat(lambda: neuopt.solve(town, steps=1))",
        "repeat(lambda: neuopt.generate('tsp', 100_000))",
        "repeat(lambda: neuopt.Solver(model='tsp100', device='cpu'))",
    ],
)
def test_a_daemon_thread_ends_quietly_with_the_interpreter(work):
    ended = run_python(f"""
threading.Thread(target=lambda: {work}, daemon=True).start()
began.wait()
time.sleep(0.2)
""")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_search_that_has_an_error_to_tell_ends_quietly_too():
    # A step of so many copies is long: the interpreter ends before the search looks whether it is to stop.
    ended = run_python("""
def search():
    try:
        neuopt.solve(town, time_limit=100, augment=1000, threads=1, progress=fail)
    except LookupError:
        pass

threading.Thread(target=search, daemon=True).start()
began.wait()
""")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_an_interrupted_wait_for_a_thread_that_searches_ends_quietly():
    # Up to Python 3.12 a join() that was interrupted takes the thread for ended, later ones wait for the time limit.
    ended = run_python("""
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs do not have

def interrupt():
    began.wait()
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)

search = threading.Thread(target=lambda: neuopt.solve(town, time_limit=5, progress=lambda _: began.set()))
threading.Thread(target=interrupt).start()
search.start()
try:
    search.join()
except KeyboardInterrupt:
    print("interrupted")
""")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted\n", "")

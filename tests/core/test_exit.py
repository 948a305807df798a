"""The end of a process whose daemon threads are in the middle of a kernel."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from wengert._kernels import native

WAYS = {
    "a sum": "while True: x.sum()",
    "a product": "while True: y @ y",
    "a function of every element": "while True: x.exp_().clamp_(0, 1)",
    "a loop of Python": "while True: wg.ones(2) + 1",
    "a pass": "while True: (z * z).sum().backward()",
    "a copy between dtypes": "while True: x.double().float()",
    "a mask": "while True: x.bool().nonzero()",
}


@pytest.mark.parametrize("way", sorted(WAYS))
@pytest.mark.skipif(native is None, reason="only native kernels have C++ frames for a thread to be ended in")
def test_a_process_ends_quietly_while_a_daemon_thread_computes(way):
    program = f"""
        import threading, time
        import wengert as wg
        wg.set_num_threads(1)
        x, y, z = wg.ones(300_000), wg.ones(300, 300), wg.ones(100_000, requires_grad=True)
        begun = threading.Event()
        def run():
            begun.set()
            {WAYS[way]}
        for _ in range(3):
            threading.Thread(target=run, daemon=True).start()
        begun.wait()
        time.sleep(0.05)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

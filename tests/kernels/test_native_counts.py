"""Native functions given any number of arguments of any kind: refused, never read beyond what was given."""

from __future__ import annotations

import subprocess
import sys

import pytest

from wengert import _kernels

PROGRAM = """
import sys
import warnings

import numpy as np

from wengert._kernels import native

warnings.simplefilter("ignore")
array = np.ones(4, np.float32)
kinds = (None, 1, "text", array, (2, 2), [array])
for name in sorted(vars(native)):
    function = getattr(native, name)
    if name.startswith("__") or not callable(function):
        continue
    for count in range(16):
        for at, kind in enumerate(kinds):
            other = kinds[(at + count) % len(kinds)]
            last = (array,) * (count - 1) + (kind,) * bool(count)
            for given in ((kind,) * count, last, (kind, other) * (count // 2)):
                print(name, count, at, flush=True)
                try:
                    function(*given)
                except Exception:
                    pass
print("all")
"""


@pytest.mark.skipif(_kernels.native is None, reason="there are no native kernels")
def test_no_function_reads_arguments_that_were_not_given():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.splitlines()[-1] == "all", f"{done.stdout.splitlines()[-1]}\n{done.stderr[-2000:]}"

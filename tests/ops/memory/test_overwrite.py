"""Copies into a tensor."""

from __future__ import annotations

import os
import subprocess
import sys

COPY = "import wengert as wg; x = wg.empty(2, device='meta'); print(x.copy_(wg.ones(2)).device)"


def test_the_first_call_of_a_process_copies_values_to_the_device_meta():
    done = subprocess.run([sys.executable, "-c", COPY], env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout == "meta\n"

"""How much memory a process may have, as control groups and its own limits say; the groups are files of the test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wengert import _kernels

pytestmark = pytest.mark.skipif(_kernels.native is None, reason="there are no native kernels")
MEGABYTE = 1 << 20
NOTHING_SAID = "max\n"
MACHINE = _kernels.native.available_memory("/nowhere") if _kernels.native is not None else 0
"""What the machine has, and the limits of this process leave."""
V1 = "12:cpu,cpuacct:/box\n9:memory:/box/inner\n1:name=systemd:/\n"
V2 = "0::/box/inner\n"


def available(root: Path, groups: str, files: dict[str, str]) -> int:
    """What may be had where these files lie below `root`."""
    for name, text in {"proc/self/cgroup": groups, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return int(_kernels.native.available_memory(root))


@pytest.mark.parametrize(
    ("groups", "files", "wanted"),
    [
        (V2, {"box/inner/memory.max": f"{64 * MEGABYTE}\n"}, 64),
        (V2, {"box/inner/memory.max": NOTHING_SAID, "box/memory.max": f"{32 * MEGABYTE}\n"}, 32),
        (V2, {"box/inner/memory.max": f"{16 * MEGABYTE}\n", "box/memory.max": f"{32 * MEGABYTE}\n"}, 16),
        (V2, {"box/inner/memory.max": NOTHING_SAID, "box/inner/memory.high": f"{8 * MEGABYTE}\n"}, 8),
        ("0::/\n", {"memory.max": f"{24 * MEGABYTE}\n"}, 24),
        ("0::/of/the/host\n", {"memory.max": f"{24 * MEGABYTE}\n"}, 24),
        (V1, {"memory/box/inner/memory.limit_in_bytes": f"{64 * MEGABYTE}\n"}, 64),
        (V1, {"memory/box/memory.limit_in_bytes": f"{32 * MEGABYTE}\n"}, 32),
        (V1, {"memory/memory.limit_in_bytes": f"{48 * MEGABYTE}\n"}, 48),
        (V1 + V2, {"memory/box/memory.limit_in_bytes": f"{32 * MEGABYTE}\n", "box/memory.max": "max\n"}, 32),
    ],
)
def test_a_control_group_limits_what_may_be_had(tmp_path, groups, files, wanted):
    below = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    assert available(tmp_path, groups, below) == wanted * MEGABYTE


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        (V2, {}),
        (V2, {"box/inner/memory.max": NOTHING_SAID}),
        (V2, {"box/inner/memory.max": ""}),
        (V2, {"box/inner/memory.max": "-1\n"}),
        (V2, {"box/inner/memory.max": f"{1 << 62}\n"}),
        (V2, {"elsewhere/memory.max": "1\n"}),
        (V1, {"memory/box/inner/memory.limit_in_bytes": "9223372036854771712\n"}),
        (V1, {"memory/box/inner/memory.limit_in_bytes": "99999999999999999999999999\n"}),
        (V1, {"memory/elsewhere/memory.limit_in_bytes": "1\n"}),
        ("no such line\n:\n::\n\n", {}),
        ("", {"memory.max": "1\n"}),
    ],
)
def test_what_limits_nothing_leaves_the_memory_of_the_machine(tmp_path, groups, files):
    below = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    assert available(tmp_path, groups, below) == MACHINE


def test_a_root_that_is_no_path_is_refused():
    with pytest.raises(TypeError):
        _kernels.native.available_memory(3)


def limit_under(setting: str, **variables: str) -> int:
    """The bytes that may be kept in a process with a limit of its own."""
    program = f"import resource, wengert as wg\n{setting}\nprint(wg.memory_stats()['limit_bytes'])"
    environment = {**os.environ, "WENGERT_KEPT_MEMORY": "", **variables}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not count address space as Linux does")
def test_an_eighth_of_what_the_process_may_have_is_kept():
    for name in ("RLIMIT_AS", "RLIMIT_DATA"):
        setting = f"resource.setrlimit(resource.{name}, (800 << 20, resource.RLIM_INFINITY))"
        assert limit_under(setting) == 100 * MEGABYTE


def test_a_number_of_the_program_is_taken_as_it_is():
    assert limit_under("", WENGERT_KEPT_MEMORY=str(3 << 30)) == 3 << 30
    assert limit_under("wg.set_memory_limit(12345)") == 12345

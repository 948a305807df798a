"""Results that no memory holds are refused in words of torch, never in NumPy's alone."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import wengert as wg

F = wg.nn.functional
HALF = 2**31
CALLS: dict[str, Any] = {
    "zeros": lambda one: wg.zeros(HALF, HALF),
    "full": lambda one: wg.full((HALF, HALF), 1.0),
    "empty_strided": lambda one: wg.empty_strided((HALF, HALF), (HALF, 1)),
    "eye": lambda one: wg.eye(HALF),
    "linspace": lambda one: wg.linspace(0, 1, 2**62),
    "logspace": lambda one: wg.logspace(0, 1, 2**62),
    "arange": lambda one: wg.arange(2**62),
    "hann_window": lambda one: wg.hann_window(2**62),
    "new_full": lambda one: one.new_full((2**63,), 1),
    "expand": lambda one: one.expand(2**62),
    "expand to a length beyond 64 bits": lambda one: one.expand(2**63),
    "broadcast_to": lambda one: one.broadcast_to((2**62,)),
    "repeat": lambda one: one.repeat(2**62),
    "tile": lambda one: one.tile(2**62),
    "repeat_interleave": lambda one: one.repeat_interleave(2**62),
    "reshape": lambda one: one[:0].reshape(HALF, HALF, 0),
    "view": lambda one: one[:0].view(HALF, 0, HALF),
    "unflatten": lambda one: one[:0].unflatten(0, (HALF, 0, HALF)),
    "unfold": lambda one: wg.zeros(2).unfold(0, 1, 2**62),
    "add": lambda one: one.expand(2**60) + one.expand(2**31, 1),
    "cat": lambda one: wg.cat([one.expand(2**60)] * 3),
    "stack": lambda one: wg.stack([one.expand(2**60)] * 3),
    "pad": lambda one: F.pad(one, (2**62, 2**62)),
    "one_hot": lambda one: F.one_hot(wg.tensor([1]), 2**62),
    "diag_embed": lambda one: wg.diag_embed(one.expand(2**33)),
    "matmul": lambda one: wg.zeros(HALF, 0) @ wg.zeros(0, HALF),
    "outer": lambda one: wg.outer(one.expand(HALF), one.expand(HALF)),
    "kron": lambda one: wg.kron(one.expand(HALF), one.expand(HALF)),
    "meshgrid": lambda one: wg.meshgrid(one.expand(HALF), one.expand(HALF), indexing="ij"),
    "to a wider dtype": lambda one: one.expand(2**60).double(),
    "conv1d": lambda one: F.conv1d(wg.zeros(1, 1, 1), wg.zeros(1, 1, 1), padding=2**61),
    "interpolate": lambda one: F.interpolate(wg.zeros(1, 1, 1), size=2**62),
    "vander": lambda one: wg.vander(one, 2**62),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("grad", [False, True])
def test_a_result_that_no_memory_holds_is_refused(name: str, grad: bool) -> None:
    one = wg.ones(1, requires_grad=grad)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        CALLS[name](one)


REPEATED = """
import resource
import wengert as wg
one = wg.ones(1)
for name in ("add", "mul", "div", "maximum", "pow", "atan2", "hypot"):
    try:
        getattr(wg, name)(one.expand(2**60), one.expand(2**31, 1))
    except RuntimeError as error:
        print("Storage size calculation overflowed" in str(error))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> (20 if sys.platform == "darwin" else 10))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell how much memory a process had")
def test_repeated_operands_are_not_copied_before_a_result_is_refused() -> None:
    done = subprocess.run([sys.executable, "-c", f"import sys{REPEATED}"], capture_output=True, text=True, check=True)
    *refused, megabytes = done.stdout.split()
    assert refused == ["True"] * 7
    assert int(megabytes) < 2000  # the smaller operand has 8 GB


def test_long_dimensions_beside_an_empty_one() -> None:
    x = wg.zeros(2**28, 2**28, 0, requires_grad=True)
    assert x.stride() == (2**28, 1, 1) and x.numel() == 0
    assert x.sum() == 0 and x.sum(0).shape == (2**28, 0)
    assert (x + 1).shape == x.exp().shape == wg.cat([x, x], 2).shape == x.shape
    assert x.transpose(0, 2).shape == (0, 2**28, 2**28) and x.reshape(0, 2**28).shape == (0, 2**28)
    assert repr(x.detach()) == "tensor([], size=(268435456, 268435456, 0))"
    (x * 2).sum().backward()
    assert x.grad is not None and x.grad.shape == x.shape


MODES = [
    ("nearest", 1),
    ("nearest", 2),
    ("nearest", 3),
    ("nearest-exact", 2),
    ("linear", 1),
    ("bilinear", 2),
    ("bicubic", 2),
    ("trilinear", 3),
    ("area", 1),
    ("area", 2),
    ("area", 3),
]


@pytest.mark.parametrize(("mode", "dims"), MODES)
def test_images_larger_than_the_machine_are_refused_before_anything_is_computed(mode: str, dims: int) -> None:
    image = wg.ones(1, 1, *(4,) * dims)
    for size in (2**45, 2**56):
        lengths = (size >> 2 * (dims - 1),) + (4,) * (dims - 1)
        with pytest.raises((RuntimeError, MemoryError), match="allocate"):
            F.interpolate(image, size=lengths, mode=mode)
    with pytest.raises((RuntimeError, MemoryError), match="allocate"):
        F.interpolate(image, scale_factor=(2.0**45,) + (1.0,) * (dims - 1), mode=mode)
    there = F.interpolate(image.to("meta"), size=(2**38,) + (4,) * (dims - 1), mode=mode)
    assert there.shape == (1, 1, 2**38, *(4,) * (dims - 1))


WAYS: dict[str, Any] = {
    "by a factor": lambda x, large: F.interpolate(x, scale_factor=float(large) / 2),
    "channels last": lambda x, large: F.interpolate(x.to(memory_format=wg.channels_last), (large, large)),
    "not contiguous": lambda x, large: F.interpolate(x.transpose(2, 3), (large, large), mode="bilinear"),
    "recorded": lambda x, large: F.interpolate(x.clone().requires_grad_(), (large, large)),
    "forward mode": lambda x, large: wg.func.jvp(lambda y: F.interpolate(y, (large, large)), (x,), (x,)),
    "members": lambda x, large: wg.vmap(lambda y: F.interpolate(y[None], (large, large)))(x),
    "halves": lambda x, large: F.interpolate(x.half(), (large, large), mode="bicubic"),
    "doubles": lambda x, large: F.interpolate(x.double(), (large, large)),
    "bytes": lambda x, large: F.interpolate(x.byte(), (large, large), mode="bilinear"),
    "smoothed": lambda x, large: F.interpolate(x, (large, large), mode="bicubic", antialias=True),
    "a layer": lambda x, large: wg.nn.Upsample(size=(large, large))(x),
    "means of windows": lambda x, large: F.adaptive_avg_pool2d(x, (large, large)),
    "largest of windows": lambda x, large: F.adaptive_max_pool2d(x, large),
}


@pytest.mark.parametrize("way", WAYS)
def test_images_larger_than_the_machine_are_refused_in_whatever_way_they_are_made(way: str) -> None:
    with pytest.raises(RuntimeError, match="can't allocate memory: a result of shape"):
        WAYS[way](wg.ones(1, 2, 2, 2), 2**22)


def test_images_without_values_may_be_larger_than_the_machine() -> None:
    x = wg.ones(1, 2, 2, 2, device="meta")
    for mode in ("nearest", "area"):
        assert F.interpolate(x, (2**20, 2**20), mode=mode).shape == (1, 2, 2**20, 2**20)

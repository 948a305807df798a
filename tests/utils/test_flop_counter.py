"""What `utils.flop_counter` counts, beside what torch 2.13 counts for the same programs on the CPU."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert.utils.checkpoint import checkpoint
from wengert.utils.flop_counter import FlopCounterMode, flop_registry, register_flop_formula
from wengert.utils.module_tracker import ModuleTracker


def leaf(*shape):
    return wg.randn(*shape, requires_grad=True)


def convolutions():
    return wg.nn.Sequential(wg.nn.Conv1d(2, 4, 3, groups=2, stride=2, bias=False), wg.nn.ConvTranspose1d(4, 3, 3))


def image_net():
    return wg.nn.Sequential(wg.nn.Conv2d(1, 2, 3), wg.nn.ReLU(), wg.nn.Flatten(), wg.nn.Linear(32, 3))


def perceptron():
    return wg.nn.Sequential(wg.nn.Linear(4, 5), wg.nn.ReLU(), wg.nn.Linear(5, 2))


def attention():
    x = wg.randn(3, 7, 8)
    return wg.nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[0]


PROGRAMS = {
    "perceptron": (lambda: perceptron()(wg.randn(3, 4)), {"addmm": 180}, {"addmm": 180, "mm": 240}),
    "perceptron of input": (lambda: perceptron()(leaf(2, 3, 4)), {"addmm": 360}, {"addmm": 360, "mm": 720}),
    "image net": (
        lambda: image_net()(wg.randn(2, 1, 6, 6)),
        {"addmm": 384, "convolution": 1152},
        {"addmm": 384, "convolution": 1152, "convolution_backward": 1152, "mm": 768},
    ),
    "attention": (
        attention,
        {"addmm": 2688, "bmm": 4704, "mm": 8064},
        {"addmm": 2688, "bmm": 14112, "mm": 21504},
    ),
    "encoder": (
        lambda: wg.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(wg.ones(3, 7, 8)),
        {"addmm": 13440, "bmm": 4704, "mm": 8064},
        {"addmm": 13440, "bmm": 14112, "mm": 43008},
    ),
    "groups, transposed": (
        lambda: convolutions()(leaf(2, 2, 9)),
        {"convolution": 768},
        {"convolution": 768, "convolution_backward": 1728},
    ),
    "depthwise": (
        lambda: F.conv2d(leaf(1, 4, 6, 6), leaf(4, 1, 3, 3), groups=4, padding=1),
        {"convolution": 2592},
        {"convolution": 2592, "convolution_backward": 12960},
    ),
    "volume": (
        lambda: F.conv3d(leaf(1, 1, 5, 5, 5), leaf(1, 1, 2, 2, 2)),
        {"convolution": 1024},
        {"convolution": 1024, "convolution_backward": 2048},
    ),
    "cells": (
        lambda: wg.nn.GRU(4, 5, batch_first=True)(wg.randn(3, 2, 4))[0],
        {"addmm": 900, "mm": 720},
        {"addmm": 900, "mm": 2790},
    ),
    "einsum": (
        lambda: wg.einsum("bij,bjk->bik", leaf(2, 3, 4), leaf(2, 4, 5)),
        {"bmm": 240},
        {"bmm": 720},
    ),
    "baddbmm": (
        lambda: wg.baddbmm(leaf(2, 3, 5), leaf(2, 3, 4), leaf(2, 4, 5)),
        {"baddbmm": 240},
        {"baddbmm": 240, "bmm": 480},
    ),
    "scaled addmm": (
        lambda: wg.addmm(leaf(5), leaf(3, 4), leaf(4, 5), beta=2, alpha=3),
        {"addmm": 120},
        {"addmm": 120, "mm": 240},
    ),
    "nothing": (lambda: leaf(3).sin(), {}, {}),
}


def counted(function):
    with FlopCounterMode(display=False) as counter:
        function()
    counts = counter.get_flop_counts().get("Global", {})
    assert counter.get_total_flops() == sum(counts.values())
    return {str(op).removeprefix("aten."): count for op, count in counts.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_counts_as_torch(name):
    program, forward, both = PROGRAMS[name]
    assert counted(program) == forward
    assert counted(lambda: program().sum().backward()) == both


def test_fused_attention_counts_as_its_products():
    assert counted(lambda: F.scaled_dot_product_attention(*(leaf(2, 2, 4, 8) for _ in range(3)))) == {"bmm": 2048}


def test_counts_are_by_module():
    with FlopCounterMode(display=False) as counter:
        image_net()(wg.randn(2, 1, 6, 6)).sum().backward()
    counts = {name: {str(op): n for op, n in ops.items()} for name, ops in counter.get_flop_counts().items()}
    assert counts["Sequential.0"] == {"aten.convolution": 1152, "aten.convolution_backward": 1152}
    assert counts["Sequential.3"] == {"aten.addmm": 384, "aten.mm": 768}
    assert counts["Sequential"] == counts["Global"]
    assert counter.get_flop_counts()["Global"][wg.ops.aten.mm] == 768


def test_what_is_computed_again_counts_as_forward():
    net = wg.nn.Sequential(wg.nn.Conv2d(1, 2, 3), wg.nn.ConvTranspose2d(2, 1, 3), wg.nn.Sigmoid())
    x = leaf(2, 1, 6, 6)
    assert counted(lambda: checkpoint(net, x, use_reentrant=False).sum().backward()) == {
        "convolution": 4608,
        "convolution_backward": 4608,
    }


def test_table(capsys):
    with wg.no_grad(), FlopCounterMode(depth=1):
        perceptron()(wg.ones(3, 4))
        wg.ones(2, 3) @ wg.ones(3, 2)
    assert capsys.readouterr().out.splitlines() == [
        "Module            FLOP    % Total",
        "--------------  ------  ---------",
        "Global             204    100.00%",
        " - aten.addmm      180     88.24%",
        " - aten.mm          24     11.76%",
        " Sequential        180     88.24%",
        "  - aten.addmm     180     88.24%",
    ]
    with FlopCounterMode(depth=1):
        wg.nn.Linear(100, 50)(wg.ones(3, 100))
    assert capsys.readouterr().out.splitlines()[2].split() == ["Linear", "30.000K", "100.00%"]
    with FlopCounterMode():
        pass
    assert capsys.readouterr().out.splitlines() == [
        "Module      FLOP    % Total",
        "--------  ------  ---------",
        "Global         0         0%",
    ]


def test_formulas_of_programs():
    def sine(shape, *args, out_shape=None, **kwargs):
        return 7 * shape.numel() + out_shape.numel()

    def cosine(x, *args, out_val=None, **kwargs):
        return x.dim() + out_val.dim()

    cosine._get_raw = True
    with FlopCounterMode(display=False, custom_mapping={wg.ops.aten.sin: sine, wg.ops.aten.cos: cosine}) as counter:
        wg.ones(2, 3).sin().cos()
    assert counter.get_total_flops() == 52
    assert wg.ops.aten.sin not in flop_registry
    with pytest.raises(RuntimeError, match=r"duplicate registrations for aten\.mm"):
        register_flop_formula([wg.ops.aten.mm])(sine)
    with pytest.raises(ValueError, match="expected each target to be"):
        register_flop_formula("mm")(sine)


def test_nothing_is_counted_outside():
    counter = FlopCounterMode(display=False)
    with pytest.raises(ZeroDivisionError), counter:
        raise ZeroDivisionError
    wg.ones(2, 2).mm(wg.ones(2, 2))
    assert counter.get_total_flops() == 0
    with pytest.warns(UserWarning, match="mods argument is not needed"):
        FlopCounterMode(wg.nn.Linear(1, 1), display=False)
    with counter, pytest.raises(RuntimeError, match="entered already"):
        counter.__enter__()


def test_module_tracker():
    net = wg.nn.Sequential(wg.nn.Linear(2, 2), wg.nn.Tanh())
    seen = []
    with ModuleTracker() as tracker:
        net[0].register_forward_pre_hook(lambda *given: seen.append((set(tracker.parents), tracker.is_bw)))
        x = leaf(2)
        y = net(x)
        net[0].weight.register_hook(lambda grad: seen.append((set(tracker.parents), tracker.is_bw)))
        y.sum().backward()
        assert tracker.parents == {"Global"}
        assert not tracker.is_bw
    assert seen[0] == ({"Global", "Sequential", "Sequential.0"}, False)
    assert seen[1] == ({"Global", "Sequential", "Sequential.0"}, True)
    net(x)
    assert len(seen) == 3
    assert seen[2][0] == {"Global"}


def test_aten_names_operators():
    assert str(wg.ops.aten.mm) == "aten.mm"
    assert wg.ops.aten.mm is wg.ops.aten.mm
    assert wg.ops.aten.mm.default(wg.ones(2, 3), wg.ones(3, 2)).tolist() == [[3, 3], [3, 3]]
    with pytest.raises(AttributeError, match="has no attribute 'no_such_operator'"):
        wg.ops.aten.no_such_operator  # noqa: B018
    with pytest.raises(NotImplementedError, match=r"autograd\.grad"):
        wg.ops.aten.convolution_backward()

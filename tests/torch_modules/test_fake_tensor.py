"""Tensors of which only shape, dtype and device are computed."""

from __future__ import annotations

import pytest
from wengert._subclasses import DynamicOutputShapeException, FakeTensor, FakeTensorMode
from wengert._subclasses.fake_tensor import DataDependentOutputException, is_fake, maybe_get_fake_mode

import wengert as wg
from wengert import _guards

PROGRAMS = (
    lambda x: x @ x.t(),
    lambda x: x.softmax(-1),
    lambda x: x.view(3, 2)[0].unsqueeze(0).expand(4, 2),
    lambda x: x.sum(0),
    lambda x: wg.cat([x, x]),
    lambda x: wg.nn.functional.layer_norm(x, (3,)),
    lambda x: x.double().mean(),
    lambda x: x > 0,
    lambda x: x.topk(2)[1],
    lambda x: wg.zeros_like(x).add_(x),
    lambda x: x.new_ones(2, dtype=wg.int32),
    lambda x: x.t(),
    lambda x: wg.einsum("ij,kj->ik", x, x),
    lambda x: wg.where(x > 0, x, 0.0),
    lambda x: x[:, 1:].contiguous(),
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_say_of_themselves_what_those_with_values_do(program):
    x = wg.arange(6.0).reshape(2, 3)
    wanted, found = program(x), program(FakeTensorMode().from_tensor(x))
    assert isinstance(found, FakeTensor) and is_fake(found)
    for name in ("shape", "dtype", "device"):
        assert getattr(found, name) == getattr(wanted, name)
    assert found.stride() == wanted.stride()


def test_a_network_is_made_and_trained_without_memory():
    with FakeTensorMode() as mode:
        net = wg.nn.Sequential(wg.nn.Linear(10**5, 10**5), wg.nn.ReLU(), wg.nn.Linear(10**5, 2))
        loss = wg.nn.functional.cross_entropy(net(wg.randn(8, 10**5)), wg.zeros(8, dtype=wg.int64))
        loss.backward()
    weight = net[0].weight
    assert isinstance(weight, wg.nn.Parameter) and type(weight.grad) is FakeTensor and weight.grad.shape == weight.shape
    assert maybe_get_fake_mode(weight) is mode and repr(loss).startswith("FakeTensor(..., size=(), grad_fn=<")


def test_the_same_tensor_has_the_same_tensor_without_values():
    mode, x = FakeTensorMode(), wg.ones(2, requires_grad=True)
    assert mode.from_tensor(x) is mode.from_tensor(x) and mode.from_tensor(x).requires_grad
    assert FakeTensorMode().from_tensor(mode.from_tensor(x)) is not mode.from_tensor(x)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.sum().item(), DataDependentOutputException),
        (lambda x: bool(x.sum()), DataDependentOutputException),
        (lambda x: x.nonzero(), DynamicOutputShapeException),
        (lambda x: x[x > 0], DynamicOutputShapeException),
        (lambda x: x.masked_select(x > 0), DynamicOutputShapeException),
    ],
)
def test_what_values_decide_is_refused(call, error):
    with pytest.raises(error):
        call(FakeTensorMode().from_tensor(wg.ones(2, 3)))


def test_values_that_a_program_gives_are_known():
    with FakeTensorMode():
        x = wg.tensor(3)
        assert x.item() == 3
        x.add_(1)
        with pytest.raises(DataDependentOutputException):
            x.item()


def test_tensors_with_values_beside_them_are_refused_unless_allowed():
    x = wg.ones(3)
    with pytest.raises(AssertionError, match=r"allow_non_fake_inputs'. Found in aten.add.Tensor"):
        FakeTensorMode().from_tensor(x) + x.clone()
    assert is_fake(FakeTensorMode(allow_non_fake_inputs=True).from_tensor(x) + x.clone())


def test_tensors_on_several_devices_are_refused():
    mode = FakeTensorMode()
    x, y = FakeTensor(mode, wg.ones(2, device="meta"), "cuda:0"), mode.from_tensor(wg.ones(2))
    assert str((x * 2).device) == "cuda:0" and str((x + mode.from_tensor(wg.tensor(2.0))).device) == "cuda:0"
    with pytest.raises(RuntimeError, match="two different devices"):
        x + y


def test_symbols_for_sizes_are_refused():
    with pytest.raises(NotImplementedError, match="sizes are numbers"):
        FakeTensorMode(shape_env=object())


def test_the_mode_of_a_thread_or_of_tensors_is_found():
    mode, other = FakeTensorMode(), FakeTensorMode()
    x = mode.from_tensor(wg.ones(2))
    assert _guards.detect_fake_mode([x, 3]) is mode and _guards.detect_fake_mode([3]) is None
    with mode:
        assert _guards.detect_fake_mode() is _guards.active_fake_mode() is mode
    with other, pytest.raises(AssertionError, match="do not match"):
        _guards.detect_fake_mode([x])
    assert _guards.TracingContext.try_get() is None

"""float16 and bfloat16 are memory: operators compute in float32 and round once, whatever they are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._core.types import dtypes

HALVES = [wg.bfloat16, wg.float16]
UNARY = ["exp", "log1p", "sin", "tanh", "sigmoid", "sqrt", "neg", "abs", "relu", "square", "erf", "softplus"]
BINARY = ["add", "sub", "mul", "div", "atan2", "maximum", "hypot"]


def function(name):
    return getattr(wg, name, None) or getattr(wg.nn.functional, name)


def numbers(*shape, kind):
    count = int(np.prod(shape))
    return wg.tensor(np.abs(np.sin(np.arange(1.0, count + 1) * 1.3)).reshape(shape)).to(kind)


def run_alone(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split("\n")


def test_bfloat16_has_its_package_imported_when_it_is_first_needed():
    code = (
        "import sys, wengert as wg\n"
        "wide = wg.promote_types(wg.bfloat16, wg.float16)\n"
        "print(wg.bfloat16, wg.bfloat16.itemsize, wide, 'ml_dtypes' in sys.modules)\n"
        "wg.zeros(1, dtype=wg.bfloat16)\nprint('ml_dtypes' in sys.modules)"
    )
    assert run_alone(code)[:2] == ["torch.bfloat16 2 torch.float32 False", "True"]


def test_without_its_package_bfloat16_says_what_to_install():
    code = (
        "import sys\nsys.modules['ml_dtypes'] = None\nimport wengert as wg\nprint((wg.ones(2) * 2).half())\n"
        "try:\n    wg.ones(2).bfloat16()\nexcept ModuleNotFoundError as error:\n    print(error.name, error)"
    )
    said = "torch.bfloat16 needs the package ml_dtypes: pip install ml_dtypes"
    assert run_alone(code)[:2] == ["tensor([2., 2.], dtype=torch.float16)", f"ml_dtypes {said}"]


@pytest.mark.parametrize("kind", HALVES, ids=repr)
@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_operand_is_that_of_float32_rounded_once(name, kind):
    x = numbers(64, kind=kind)
    assert function(name)(x).equal(function(name)(x.float()).to(kind))


@pytest.mark.parametrize("kind", HALVES, ids=repr)
@pytest.mark.parametrize("name", BINARY)
def test_a_function_of_two_operands_is_that_of_float32_rounded_once(name, kind):
    x, y = numbers(8, 8, kind=kind), numbers(8, kind=kind)
    assert function(name)(x, y).equal(function(name)(x.float(), y.float()).to(kind))


@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=30), st.sampled_from(HALVES))
def test_sums_are_those_of_float32(values, kind):
    x = wg.tensor(values).to(kind)
    for name in ("sum", "mean", "logsumexp", "cumsum"):
        options = () if name in ("sum", "mean") else (0,)
        assert getattr(x, name)(*options).equal(getattr(x.float(), name)(*options).to(kind))


@pytest.mark.parametrize("kind", HALVES, ids=repr)
def test_an_asked_for_dtype_decides_what_is_rounded(kind):
    x = wg.full((1000,), 0.1, dtype=kind)
    assert x.sum(dtype=wg.float32).equal(x.float().sum())
    assert x.float().sum(dtype=kind).equal(x.float().sum().to(kind))
    assert x.softmax(0, dtype=wg.float32).dtype is wg.float32
    assert x.float().softmax(0, dtype=kind).dtype is kind


@pytest.mark.parametrize("kind", HALVES, ids=repr)
def test_views_and_writes_see_the_memory_itself(kind):
    x = wg.zeros(2, 3, dtype=kind)
    part = x.t()[1:]
    part.add_(1.5).mul_(numbers(2, kind=kind))
    assert part.data_ptr() == x.data_ptr() + 2 and x[:, 1:].equal(part.t())
    assert x.expand(4, 2, 3).stride() == (0, 3, 1)
    x.zero_()
    assert not part.any()


@pytest.mark.parametrize("kind", HALVES, ids=repr)
def test_a_refused_write_leaves_the_target_alone(kind):
    x = wg.ones(3, dtype=kind)
    for write in (lambda: x.index_add_(0, wg.tensor([5]), x[:1]), lambda: x.add_(wg.ones(2, 3, dtype=kind))):
        with pytest.raises((IndexError, RuntimeError)):
            write()
    assert x.equal(wg.ones(3, dtype=kind)) and x._version == 0


def test_operands_of_two_dtypes_that_do_not_promote_are_refused():
    with pytest.raises(RuntimeError, match="same dtype"):
        wg.ones(2, 2, dtype=wg.bfloat16) @ wg.ones(2, 2)
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        wg.ones(3, dtype=wg.bfloat16).index_put_((wg.tensor([0]),), wg.ones(1))


def test_an_operator_that_does_not_exist_for_halves_says_so():
    for call in (lambda x: x & x, lambda x: wg.linalg.inv(x), lambda x: wg.fft.fft(x), lambda x: wg.complex(x, x)):
        with pytest.raises((NotImplementedError, RuntimeError), match="BFloat16"):
            call(wg.eye(2, dtype=wg.bfloat16))


@pytest.mark.parametrize("kind", HALVES, ids=repr)
def test_gradients_of_every_mode_are_of_the_half(kind):
    x = numbers(3, 4, kind=kind).requires_grad_()
    (x.exp() * x).sum().backward()
    wanted = (x.detach().float().exp() * (1 + x.detach().float())).to(kind)
    assert x.grad.dtype is kind and wg.allclose(x.grad, wanted, rtol=0.02)
    value, tangent = wg.func.jvp(wg.sin, (x.detach(),), (wg.ones_like(x),))
    assert tangent.equal(x.detach().float().cos().to(kind)) and value.dtype is kind
    assert wg.func.vmap(lambda row: row.sum())(x.detach()).equal(x.detach().sum(1))
    assert wg.func.grad(lambda each: each.sin().sum())(x.detach()).equal(tangent)


def test_numpy_gets_no_bfloat16_and_may_give_it():
    x = wg.ones(2, dtype=wg.bfloat16)
    for take in (lambda: x.numpy(), lambda: np.asarray(x), lambda: x.numpy(force=True)):
        with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
            take()
    array = np.ones(3, dtypes.bfloat16.numpy)
    shared = wg.from_numpy(array)
    shared[0] = 5
    assert shared.dtype is wg.bfloat16 and float(array[0]) == 5


def test_a_default_of_bfloat16_holds_for_numbers_and_factories():
    wg.set_default_dtype(wg.bfloat16)
    try:
        assert wg.tensor([1.5]).dtype is wg.zeros(1).dtype is (wg.tensor([1]) / 2).dtype is wg.bfloat16
        with pytest.raises(RuntimeError, match="invalid default scalar type for complex"):
            wg.tensor(1j)
    finally:
        wg.set_default_dtype(wg.float32)


@pytest.mark.parametrize("kind", HALVES, ids=repr)
def test_results_lie_as_those_of_float32_do(kind):
    x = numbers(4, 6, kind=kind)[:, ::2]
    wide = wg.zeros(4, 6)[:, ::2].copy_(x)
    for call in (lambda x: x.flip(0), lambda x: x.clone(), lambda x: x.select_scatter(x[0], 0, 1), lambda x: x.t() * 2):
        assert call(x).equal(call(wide).to(kind)) and call(x).stride() == call(wide).stride()


@pytest.mark.parametrize("half", [wg.float16, wg.bfloat16])
def test_a_half_where_a_mask_or_an_index_is_due_is_refused_as_one(half):
    x, half_mask = wg.ones(2, 3), wg.ones(3, dtype=half)
    for call in (x.masked_fill_, x.masked_fill):
        with pytest.raises(RuntimeError, match=r"only supports boolean masks"):
            call(half_mask, 2)
    for fill in (x.index_fill_, x.index_fill):
        with pytest.raises((IndexError, RuntimeError), match=r"int64 for index"):
            fill(-1, half_mask, 2)
    assert x.tolist() == [[1.0] * 3] * 2 and x._version == 0

"""What operators of several rooms refuse: forms of calls, numbers out of range, switches that are no bool."""

from __future__ import annotations

import copy
import math
import pickle
import re

import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F

x = wg.arange(24.0).reshape(2, 3, 4)
LOOSE = {
    "flip": (0, 1),
    "permute": (2, 0, 1),
    "tile": (2, 1, 1),
    "reshape": (4, 6),
    "broadcast_to": (2, 3, 4),
    "expand_copy": (2, 3, 4),
    "permute_copy": (2, 0, 1),
}


@pytest.mark.parametrize("name", LOOSE)
def test_functions_take_integers_as_one_sequence_and_methods_one_by_one_too(name):
    function, given = getattr(wg, name), LOOSE[name]
    made = function(x, given)
    assert made.equal(function(x, list(given)))
    with pytest.raises(TypeError, match=rf"{name}\(\) takes 2 positional arguments but {1 + len(given)} were given"):
        function(x, *given)
    with pytest.raises(TypeError, match="must be tuple of ints, not int"):
        function(x, given[0])
    if hasattr(wg.Tensor, name):
        method = getattr(x, name)
        assert method(*given).equal(made) and method(given).equal(made)


@pytest.mark.parametrize(("name", "argument"), [("flip", "dims"), ("tile", "dims"), ("reshape", "shape")])
def test_an_integer_given_by_name_is_no_sequence(name, argument):
    with pytest.raises(TypeError, match=rf"{name}\(\): argument '{argument}' must be tuple of ints, not int"):
        getattr(wg, name)(x, **{argument: 1})
    with pytest.raises(TypeError, match=rf"{name}\(\): argument '{argument}' must be tuple of ints, not int"):
        getattr(x, name)(**{argument: 1})


def test_a_function_that_differs_from_its_method_is_one_object_and_has_the_same_node_and_rules():
    for name in LOOSE:
        function = getattr(wg, name)
        assert pickle.loads(pickle.dumps(function)) is function is copy.copy(function), name
    y = x.clone().requires_grad_()
    assert type(wg.flip(y, (0,)).grad_fn) is type(y.flip(0).grad_fn)
    wg.permute(wg.flip(y, (0,)), (1, 0, 2))[0].sum().backward()
    assert y.grad.sum() == 8
    assert wg.vmap(lambda row: wg.flip(row, (0,)))(x).equal(x.flip(1))


PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)

HALF = wg.tensor([0.5, 0.5])

REFUSED = {
    "all elements of target should be between 0 and 1": lambda: F.binary_cross_entropy(HALF, wg.tensor([0.5, 1.5])),
    "fractional_max_pool2d: kernel_size must either be": lambda: F.fractional_max_pool2d(PLANE, (2,), 2),
    "output with shape [2] doesn't match the broadcast shape [1, 2]": lambda: F.soft_margin_loss(HALF, HALF[None]),
    "output with shape [2] doesn't match the broadcast shape [3, 2]": lambda: F.binary_cross_entropy_with_logits(
        HALF, HALF, weight=wg.ones(3, 2)
    ),
    "rrelu: lower bound must be finite, got -inf": lambda: F.rrelu(HALF, -math.inf, 1.0, True),
    "eps must be non-negative, got: nan": lambda: F.cosine_similarity(HALF, HALF, dim=0, eps=math.nan),
    "must have the same dtype, got input1: float, input2: double, weight: float": lambda: F.bilinear(
        HALF, HALF.double(), wg.ones(1, 2, 2)
    ),
    "dropout probability has to be between 0 and 1, but got inf": lambda: F.scaled_dot_product_attention(
        PLANE, PLANE, PLANE, dropout_p=math.inf
    ),
    "value cannot be converted to type int64": lambda: F.hardtanh(wg.tensor([1]), 0.0, math.inf),
}


@pytest.mark.parametrize("text", REFUSED)
def test_numbers_out_of_range_are_refused(text):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        REFUSED[text]()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: wg.ones(5).split(-1, 7), RuntimeError, "split expects split_size be non-negative"),
        (lambda: wg.ones(5).split(None, 7), TypeError, "must be tuple of ints, not NoneType"),
        (lambda: wg.ones(()).split("a", 0), TypeError, "must be tuple of ints, not str"),
        (lambda: wg.ones(()).split(-1, 0), RuntimeError, "split expects at least a 1-dimensional tensor"),
        (lambda: wg.ones(5).split([-1], 7), IndexError, "Dimension out of range"),
        (lambda: wg.ones(5).split(0, 7), IndexError, "Dimension out of range"),
        (lambda: F.bilinear(wg.ones(7), wg.ones(8), wg.ones(8, 8, 8), wg.tensor(1.0)), RuntimeError, "input1 size"),
        (lambda: F.bilinear(wg.ones(8), wg.ones(8), wg.ones(8, 8, 8), wg.tensor(1.0)), IndexError, "specified as 0"),
        (lambda: F.adaptive_max_pool2d(wg.ones(1, 4, 4), wg.tensor([3])), RuntimeError, "must be 2"),
        (lambda: F.adaptive_avg_pool2d(wg.ones(1, 4, 4), wg.tensor([3, 3, 3])), ValueError, "at least 4"),
    ],
)
def test_the_first_thing_that_is_wrong_is_told(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda number: wg.histc(wg.rand(4), 3, number, 2),
        lambda number: wg.histc(wg.rand(4), 3, 0, number),
        lambda number: wg.cdist(wg.rand(2, 2), wg.rand(2, 2), number),
        lambda number: F.pairwise_distance(wg.rand(2), wg.rand(2), number),
    ],
)
def test_a_number_stands_in_a_tensor_without_dimensions_only(call):
    call(wg.tensor(1.0))
    with pytest.raises(TypeError, match="not Tensor"):
        call(wg.tensor([1.0]))


@pytest.mark.parametrize("operands", [(2, None), (wg.ones(2), "a"), ([1], 2)])
def test_a_dtype_results_of_tensors_and_numbers_only(operands):
    with pytest.raises(TypeError, match=r"result_type\(\) .*invalid combination of arguments"):
        wg.result_type(*operands)
    assert wg.result_type(np.float32(1), wg.tensor(2)) is wg.float32


TABLE = wg.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("value", [1, 0, "a"])
@pytest.mark.parametrize(
    "call",
    [
        lambda x, value: x.sort(stable=value),
        lambda x, value: x.argsort(stable=value),
        lambda x, value: x.topk(1, sorted=value),
        lambda x, value: x.std(0, value),
        lambda x, value: wg.var_mean(x, 0, unbiased=value),
    ],
)
def test_a_switch_takes_a_bool(call, value):
    with pytest.raises(TypeError, match=r"must be bool, not|a bool"):
        call(TABLE, value)


def test_nan_is_no_limit_no_order_and_no_weight():
    for p, most in ((math.nan, 1), (2, math.nan)):
        with pytest.raises(RuntimeError, match="renorm: "):
            TABLE.renorm(p, 0, most)
    with pytest.raises(RuntimeError, match="aweights cannot be negative"):
        wg.cov(TABLE, aweights=wg.tensor([1.0, math.nan, 1.0]))


def test_what_has_to_be_a_tensor_is_refused_by_name():
    table, row = wg.ones(3, 5), wg.arange(5.0)
    with pytest.raises(TypeError, match=r"cov\(\): argument 'fweights' must be Tensor, not int"):
        wg.cov(table, fweights=2)
    with pytest.raises(TypeError, match=r"histogram\(\): argument 'weight' must be Tensor, not list"):
        wg.histogram(table, 4, weight=[1.0])
    with pytest.raises(TypeError, match=r"searchsorted\(\): argument 'sorter' must be Tensor, not list"):
        wg.searchsorted(row, row, sorter=[0, 1, 2, 3, 4])
    with pytest.raises(IndexError, match=r"torch.ormqr: Dimension specified as -1 but tau has no dimensions"):
        wg.ormqr(wg.ones(3, 2), wg.tensor(1.0), wg.ones(3, 2))


def test_errors_name_the_kernels_of_torch():
    for function, kernel in (
        (lambda: wg.tensor([1.5]) << 1, "lshift_cpu"),
        (lambda: wg.tensor([True]) // True, "div_floor_cpu"),
        (lambda: wg.tensor([True]).trace(), None),
        (lambda: wg.special.entr(wg.tensor([1j])), "entr_cpu"),
        (lambda: wg.erf(wg.tensor([1j])), "erf_vml_cpu"),
    ):
        with pytest.raises(RuntimeError, match=f'"{kernel}" not implemented for' if kernel else "expected a matrix"):
            function()


def test_questions_of_other_objects_are_refused():
    with pytest.raises(TypeError, match=r"numel\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        wg.numel(3)
    with pytest.raises(RuntimeError, match="meshgrid expects a non-empty TensorList"):
        wg.meshgrid(indexing="ij")
    with pytest.raises(RuntimeError, match="first has size 3 in dim -1 and second has size 2 in dim 0"):
        wg.tensordot(wg.ones(2, 3), wg.ones(2, 3), 1)

"""Transforms of functions: gradients, products with Jacobians, Jacobians, nested in any order."""

from __future__ import annotations

import itertools
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.autograd import forward_ad
from wengert.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
)

Pair = namedtuple("Pair", "first second")


def close(found, expected):
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-9, atol=1e-9)


def double(*values):
    return wg.tensor(values, dtype=wg.float64)


def derivative(f, way):
    """The derivative of a function of one number, by one of the ways there are."""
    one = double(1.0)[0]
    return {
        "grad": grad(f),
        "vjp": lambda x: vjp(f, x)[1](one)[0],
        "jvp": lambda x: jvp(f, (x,), (one,))[1],
        "jacrev": jacrev(f),
        "jacfwd": jacfwd(f),
        "linearize": lambda x: linearize(f, x)[1](one),
    }[way]


WAYS = ("grad", "vjp", "jvp", "jacrev", "jacfwd", "linearize")


@pytest.mark.parametrize("ways", [ways for depth in (1, 2, 3) for ways in itertools.product(WAYS, repeat=depth)])
def test_transforms_nest_in_any_order(ways):
    at = 0.7
    f = lambda x: (x * 2).exp() * x.sin()  # noqa: E731
    for way in ways:
        f = derivative(f, way)
    order = len(ways)
    # The n-th derivative of exp(2 x) sin(x) is 5^(n/2) exp(2 x) sin(x + n atan(1/2)).
    expected = 5 ** (order / 2) * np.exp(2 * at) * np.sin(at + order * np.arctan(0.5))
    found = f(double(at)[0])
    assert not found.requires_grad
    close(found, expected)


@pytest.mark.parametrize("outer", WAYS)
@pytest.mark.parametrize("inner", WAYS)
def test_perturbations_are_not_confused(outer, inner):
    one = double(1.0)[0]
    assert derivative(lambda x: x * derivative(lambda y: x + y, inner)(one), outer)(one).item() == 1
    assert derivative(lambda x: x * derivative(lambda y: x * y * y, inner)(one * 3), outer)(one * 2).item() == 24


@pytest.mark.parametrize("way", WAYS)
def test_what_a_function_closes_over_stays_differentiable_outside(way):
    weight = double(3.0)[0].requires_grad_()
    x = double(2.0)[0]
    found = derivative(lambda y: (weight * y) ** 2, way)(x)
    assert found.requires_grad
    (slope,) = wg.autograd.grad(found, weight)
    assert found.item() == 36 and slope.item() == 24
    with wg.no_grad():
        assert not derivative(lambda y: (weight * y) ** 2, way)(x).requires_grad


@pytest.mark.parametrize("way", WAYS)
def test_an_argument_that_requires_a_gradient_stays_part_of_its_graph(way):
    x = double(2.0)[0].requires_grad_()
    found = derivative(lambda y: y**3, way)(x)
    (second,) = wg.autograd.grad(found, x)
    assert (found.item(), second.item()) == (12, 12) and x.grad is None


@pytest.mark.parametrize("way", WAYS)
def test_a_dual_argument_gives_a_dual_result(way):
    with forward_ad.dual_level():
        x = forward_ad.make_dual(double(2.0)[0], double(1.0)[0])
        assert forward_ad.unpack_dual(derivative(lambda y: y**3, way)(x)).tangent.item() == 12


@pytest.mark.parametrize("way", WAYS)
def test_modes_are_as_they_were_after_an_error(way):
    from wengert._core.state.modes import current

    def fail(x):
        raise ZeroDivisionError

    with wg.no_grad():
        with pytest.raises(ZeroDivisionError):
            derivative(fail, way)(double(1.0)[0])
        assert not wg.is_grad_enabled() and current().levels == []


def test_arguments_and_results_in_containers():
    x = double(1.0, 2.0)
    given = {"a": x, "b": [x * 2, Pair(x * 3, OrderedDict(c=x * 4))]}
    f = lambda d: (d["a"] * d["b"][0] * d["b"][1].first * d["b"][1].second["c"]).sum()  # noqa: E731
    found = grad(f)(given)
    assert type(found["b"][1]) is Pair and type(found["b"][1].second) is OrderedDict
    close(found["a"], 24 * x.numpy() ** 3)
    close(found["b"][1].second["c"], 6 * x.numpy() ** 3)
    value, back = vjp(lambda a: {"twice": a * 2, "all": (a.sum(),)}, x)
    assert value["all"][0].item() == 3
    close(back({"twice": x, "all": (x[0],)})[0], 2 * x.numpy() + 1)
    output, moved = jvp(lambda d: [d["a"] * 2], ({"a": x},), ({"a": x * 3},))
    close(moved[0], 6 * x.numpy())
    assert output[0].tolist() == [2, 4]


def test_what_comes_beside_the_value():
    x = double(1.0, 2.0)
    f = lambda x: ((x**2).sum(), {"seen": x * 3, "note": "text"})  # noqa: E731
    slope, (value, aux) = grad_and_value(f, has_aux=True)(x)
    assert slope.tolist() == [2, 4] and value.item() == 5 and aux["note"] == "text"
    assert not aux["seen"].requires_grad and aux["seen"].tolist() == [3, 6]
    assert grad(f, has_aux=True)(x)[1]["seen"].tolist() == [3, 6]
    assert jvp(f, (x,), (x,), has_aux=True)[2]["note"] == "text"
    assert jacrev(f, has_aux=True)(x)[1]["seen"].tolist() == jacfwd(f, has_aux=True)(x)[1]["seen"].tolist() == [3, 6]


def test_several_arguments_by_position():
    x, y = double(1.0, 2.0), double(3.0, 4.0)
    f = lambda x, y, *, factor: (x * y).sum() * factor  # noqa: E731
    assert grad(f, argnums=1)(x, y, factor=2).tolist() == [2, 4]
    both = grad(f, argnums=(-1, 0))(x, y, factor=1)
    assert [each.tolist() for each in both] == [[1, 2], [3, 4]]


def bad_argument(argnums):
    return lambda: grad(lambda x: x.sum(), argnums=argnums)(double(1.0))


MISFITS = [
    (bad_argument(1), RuntimeError, "Got argnum=1, but only 1 positional inputs"),
    (bad_argument((0, 0)), RuntimeError, "argnums elements must be unique"),
    (bad_argument(()), RuntimeError, "argnums must be non-empty"),
    (bad_argument("a"), RuntimeError, "argnums must be int or Tuple"),
    (lambda: grad(lambda x: x)(double(1.0)), RuntimeError, "return a scalar Tensor, got tensor with 1 dims"),
    (lambda: grad(lambda x: 3.0)(double(1.0)), RuntimeError, "to return a Tensor, got <class 'float'>"),
    (lambda: grad(lambda x: x)(3), ValueError, "must be Tensor, got <class 'int'>"),
    (lambda: grad(lambda x: x)(wg.arange(3)), RuntimeError, "only Tensors of floating point dtype"),
    (
        lambda: grad(lambda x: x.sum(), has_aux=True)(double(1.0)),
        RuntimeError,
        r"should be a tuple: \(output, aux\)",
    ),
    (lambda: vjp(lambda x: 3, double(1.0)), RuntimeError, "only tensors, got unsupported type <class 'int'>"),
    (
        lambda: vjp(lambda x: {"a": x}, double(1.0))[1](double(1.0)),
        RuntimeError,
        "structure of cotangents.*{'a': .}",
    ),
    (lambda: vjp(lambda x: x, double(1.0))[1](double(1.0, 2.0)), RuntimeError, "Mismatch in shape"),
    (lambda: vjp(lambda x: x, double(1.0))[1](2.0), TypeError, "can be either Tensors or None, but got float"),
    (lambda: linearize(wg.sin, double(1.0))[1](2.0), TypeError, "expected tangents to be tensors, but got float"),
    (lambda: jacfwd(wg.sin)([]), RuntimeError, "contain at least one Tensor"),
    (lambda: functional_call(3, {}, ()), TypeError, "expected a module, but got int"),
    (lambda: stack_module_state(3), TypeError, "expected a list of modules"),
    (lambda: jvp(wg.sin, double(1.0), double(1.0)), RuntimeError, "Expected primals to be a tuple"),
    (lambda: jvp(wg.sin, (), ()), RuntimeError, "contain at least one Tensor"),
    (lambda: jvp(wg.sin, (double(1.0),), double(1.0)), RuntimeError, "same python structure"),
    (lambda: jvp(wg.sin, (double(1.0),), (double(1.0, 2.0),)), RuntimeError, "different size"),
    (lambda: jvp(wg.sin, (3,), (3,)), RuntimeError, "only contain Tensors, got <class 'int'>"),
    (lambda: jvp(lambda x: 1.0, (double(1.0),), (double(1.0),)), RuntimeError, "to return only tensors"),
    (lambda: jvp(lambda x: double(1.0), (double(1.0),), (double(1.0),), strict=True), RuntimeError, "independent"),
    (lambda: jacrev(wg.sin, chunk_size=0), ValueError, "should be greater than 0"),
    (lambda: jacfwd(wg.sin, randomness="x"), RuntimeError, "Only allowed values for randomness"),
    (lambda: jacfwd(wg.sin)(wg.arange(2)), ValueError, "floating point or complex"),
]


SQUARES = {
    "grad": lambda x: grad(lambda x: x**2)(x),
    "grad_and_value": lambda x: grad_and_value(lambda x: x**2)(x)[0],
    "vjp": lambda x: vjp(lambda x: x**2, x)[1](wg.ones((), dtype=wg.as_tensor(x).dtype))[0],
    "jvp": lambda x: jvp(lambda x: x**2, (x,), (1.0,))[1],
    "jacrev": lambda x: jacrev(lambda x: x**2)(x),
    "jacfwd": lambda x: jacfwd(lambda x: x**2)(x),
    "hessian": lambda x: hessian(lambda x: x**3 / 3)(x),
    "linearize": lambda x: linearize(lambda x: x**2, x)[1](wg.ones((), dtype=wg.as_tensor(x).dtype)),
    "taylor": lambda x: wg.func.taylor(lambda x: x**2, (x,), (1.0,), 1)[1],
    "containers": lambda x: grad(lambda d: d["x"][0] ** 2)({"x": [x]})["x"][0],
}
"""Derivatives of the square of a number."""


@pytest.mark.parametrize("transform", SQUARES)
@pytest.mark.parametrize(
    ("number", "dtype"),
    [(3.0, wg.float32), (np.float64(3), wg.float64), (np.array(3.0), wg.float64), (np.float32(3), wg.float32)],
)
def test_floats_and_arrays_are_arguments(transform, number, dtype):
    found = SQUARES[transform](number)
    assert isinstance(found, wg.Tensor) and found.dtype == dtype and found.item() == 6


def test_arrays_are_batches_and_keep_their_values():
    array = np.array([1.0, 2.0])
    assert wg.vmap(grad(lambda x: x**2))(array).tolist() == [2, 4] and array.tolist() == [1, 2]
    assert wg.vmap(lambda x, y: x * y, in_dims=(0, None))(array, 2.0).tolist() == [2, 4]
    assert grad(lambda z: (z * z.conj()).real)(1 + 2j).item() == 2 + 4j


def test_arguments_by_name():
    x, y = double(1.0, 2.0), double(3.0, 4.0)
    f = lambda x, y, *, factor=1: (x * y).sum() * factor  # noqa: E731
    assert grad(f, argnums="y")(x, y, factor=2).tolist() == [2, 4]
    assert grad(f, argnums="y")(y=y, x=x).tolist() == [1, 2]
    assert [part.tolist() for part in grad(f, argnums=("y", 0))(x, y)] == [[1, 2], [3, 4]]
    assert jacrev(f, argnums="x")(x, y).equal(jacfwd(f, argnums="x")(x, y))
    assert hessian(lambda x, y: (x**2 * y).sum(), argnums="x")(x, y).diagonal().tolist() == [6, 8]
    for name in ("z", "factor"):
        with pytest.raises(RuntimeError, match=rf"positional arguments that were passed \(x, y\), got: '{name}'"):
            grad(f, argnums=name)(x, y, factor=1)


@pytest.mark.parametrize(("call", "error", "says"), MISFITS)
def test_what_does_not_fit_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_a_product_with_the_jacobian_can_be_asked_for_again():
    value, back = vjp(wg.sin, double(0.0, 1.0))
    first, again = back(double(1.0, 1.0))[0], back(double(2.0, 2.0))[0]
    close(again, 2 * first.numpy())
    assert not value.requires_grad and not first.requires_grad
    slope = grad(lambda c: back(c)[0].sum())(double(1.0, 1.0))
    close(slope, np.cos([0.0, 1.0]))


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_jacobians_of_both_modes_and_closed_forms_agree(rows, columns, seed):
    random = np.random.default_rng(seed)
    matrix, at = random.standard_normal((rows, columns)), random.standard_normal(columns)
    f = lambda x: {"out": (wg.tensor(matrix) @ x).sin(), "sum": x.sum()}  # noqa: E731
    for way in (jacrev, jacfwd):
        found = way(f)(wg.tensor(at))
        close(found["out"], np.cos(matrix @ at)[:, None] * matrix)
        close(found["sum"], np.ones(columns))
    second = hessian(lambda x: (wg.tensor(matrix) @ x).sin().sum())(wg.tensor(at))
    close(second, -(matrix.T * np.sin(matrix @ at)) @ matrix)


def test_a_custom_function_of_both_modes_nests():
    class Cube(wg.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return grad * 3 * ctx.saved_tensors[0] ** 2

        @staticmethod
        def jvp(ctx, way):
            return way * 3 * ctx.saved_tensors[0] ** 2

    two = double(2.0)[0]
    for outer in WAYS:
        for inner in WAYS:
            assert derivative(derivative(Cube.apply, inner), outer)(two).item() == 12, (outer, inner)
    third = derivative(derivative(derivative(Cube.apply, "jacfwd"), "jacfwd"), "jacfwd")
    assert third(two).item() == 6


def test_functional_call_lists_wrong_names_in_order() -> None:
    given = {"z": wg.ones(1), "c": wg.ones(1)}
    with pytest.raises(RuntimeError) as caught:
        functional_call(wg.nn.Linear(1, 1), given, wg.ones(1, 1), strict=True)
    assert str(caught.value).splitlines()[1:] == [
        "\tUnexpected key(s): 'c', 'z'.",
        "\tMissing key(s): 'bias', 'weight'.",
    ]


@pytest.mark.filterwarnings("ignore:.*stateless.functional_call` is deprecated:FutureWarning")
def test_a_module_is_a_function_of_its_parameters():
    layer = wg.nn.Linear(3, 2)
    x = wg.ones(3)
    given = {"weight": wg.ones(2, 3), "bias": wg.zeros(2)}
    before = layer.weight
    assert functional_call(layer, given, (x,)).tolist() == functional_call(layer, given, x).tolist() == [3, 3]
    assert functional_call(layer, ({"weight": wg.ones(2, 3)}, {"bias": wg.ones(2)}), kwargs={"input": x}).tolist() == [
        4,
        4,
    ]
    assert layer.weight is before
    slopes = grad(lambda p: functional_call(layer, p, (x,)).sum())(given)
    assert slopes["weight"].tolist() == [[1, 1, 1], [1, 1, 1]] and slopes["bias"].tolist() == [1, 1]
    with pytest.raises(ValueError, match="appeared in multiple dictionaries"):
        functional_call(layer, (given, given), (x,))
    with pytest.raises(RuntimeError, match="Missing key"):
        functional_call(layer, {"weight": wg.ones(2, 3)}, (x,), strict=True)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        functional_call(layer, {**given, "w": x}, (x,), strict=True)
    assert wg.nn.utils.stateless.functional_call(layer, given, x).tolist() == [3, 3]


def test_buffers_that_a_call_replaces_are_replaced_in_the_dictionary():
    norm = wg.nn.BatchNorm1d(2)
    buffers = dict(norm.named_buffers())
    given = {name: each.clone() for name, each in buffers.items()}
    functional_call(norm, given, (wg.randn(4, 2),))
    assert norm.num_batches_tracked.item() == 0 and given["num_batches_tracked"].item() == 1


def test_tied_parameters_are_replaced_together():
    net = wg.nn.Sequential(wg.nn.Linear(2, 2), wg.nn.Linear(2, 2))
    net[1].weight = net[0].weight
    zeros = {"0.weight": wg.zeros(2, 2), "0.bias": wg.zeros(2), "1.bias": wg.zeros(2)}
    assert functional_call(net, zeros, (wg.ones(2),)).tolist() == [0, 0]
    with pytest.raises(ValueError, match="multiple values for keys"):
        functional_call(net, {**zeros, "1.weight": wg.ones(2, 2)}, (wg.ones(2),))


def test_the_states_of_modules_are_stacked():
    models = [wg.nn.BatchNorm1d(3) for _ in range(4)]
    parameters, buffers = stack_module_state(models)
    assert parameters["weight"].shape == (4, 3) and parameters["weight"].requires_grad
    assert parameters["weight"].is_leaf and buffers["running_mean"].shape == (4, 3)
    for several, says in (
        ([], "at least one model"),
        ([models[0], wg.nn.ReLU()], "same class"),
        ([models[0], wg.nn.BatchNorm1d(3).eval()], "same training/eval mode"),
        ([models[0], wg.nn.BatchNorm1d(3, affine=False)], "same parameters and buffers"),
    ):
        with pytest.raises(RuntimeError, match=says):
            stack_module_state(several)


def test_data_of_what_a_transform_follows_is_not_replaced():
    def replaced(x):
        y = x * 1
        y.data = wg.ones(2)
        return y.sum()

    def read(x):
        return (x.data * x).sum()

    with pytest.raises(RuntimeError, match=r"mutating directly with `\.data` inside functorch transform"):
        wg.func.grad(replaced)(wg.ones(2))
    assert wg.func.grad(read)(wg.ones(2)).tolist() == [1.0, 1.0]

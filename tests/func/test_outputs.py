"""What the functions of transforms may return: nothing, no tensors, or tensors without derivative are told of alike."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert import func

X = wg.tensor([1.0, 2.0, 3.0])
REVERSE = {
    "vjp": lambda f: func.vjp(f, X),
    "jacrev": lambda f: func.jacrev(f)(X),
    "jacrev in parts": lambda f: func.jacrev(f, chunk_size=2)(X),
    "hessian": lambda f: func.hessian(f)(X),
    "vmap of jacrev": lambda f: wg.vmap(func.jacrev(f))(wg.stack([X, X])),
}
FORWARD = {
    "jvp": lambda f: func.jvp(f, (X,), (X,)),
    "jacfwd": lambda f: func.jacfwd(f)(X),
}
SCALAR = {"grad": lambda f: func.grad(f)(X), "grad_and_value": lambda f: func.grad_and_value(f)(X)}
NOTHING = {"None": None, "an empty tuple": (), "an empty list": [], "an empty dictionary": {}}
NO_TENSORS = {"a number": 1.0, "a string": "abc", "a number among tensors": (X, 2), "None among tensors": [X, None]}
NO_DERIVATIVE = {"integers": lambda x: x.long(), "bools": lambda x: x > 0}


@pytest.mark.parametrize("output", NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize("transform", {**REVERSE, **FORWARD}.values(), ids={**REVERSE, **FORWARD})
def test_a_function_that_returns_nothing_is_refused(transform, output):
    with pytest.raises(RuntimeError, match=r"^(vjp|jvp)\(f, .*non-empty output"):
        transform(lambda x: output)


@pytest.mark.parametrize("output", NO_TENSORS.values(), ids=NO_TENSORS)
@pytest.mark.parametrize("transform", {**REVERSE, **FORWARD}.values(), ids={**REVERSE, **FORWARD})
def test_a_function_that_returns_something_else_is_refused(transform, output):
    with pytest.raises(RuntimeError, match=r"^(vjp|jvp)\(f, .*only tensors, got unsupported type"):
        transform(lambda x: output)


@pytest.mark.parametrize("output", {**NOTHING, **NO_TENSORS}.values(), ids={**NOTHING, **NO_TENSORS})
@pytest.mark.parametrize("transform", SCALAR.values(), ids=SCALAR)
def test_a_gradient_is_of_one_tensor(transform, output):
    with pytest.raises(RuntimeError, match=r"Expected f.*to return a Tensor, got"):
        transform(lambda x: output)


@pytest.mark.parametrize("function", NO_DERIVATIVE.values(), ids=NO_DERIVATIVE)
@pytest.mark.parametrize("transform", REVERSE.values(), ids=REVERSE)
def test_reverse_mode_refuses_outputs_without_derivative(transform, function):
    with pytest.raises(RuntimeError, match="All outputs of f must be floating-point or complex Tensors, got"):
        transform(function)


@pytest.mark.parametrize("function", NO_DERIVATIVE.values(), ids=NO_DERIVATIVE)
@pytest.mark.parametrize("transform", FORWARD.values(), ids=FORWARD)
def test_forward_mode_gives_zeros_for_them(transform, function):
    result = transform(function)
    derivative = result[1] if isinstance(result, tuple) else result
    assert not derivative.any()


def test_what_a_linearised_function_returns_beside_tensors_stays():
    constants = (None, 1.5, "abc", True)
    value, along = func.linearize(lambda x: {"a": x**2, "b": constants, "c": x.long(), "d": x > 0}, X)
    moved = along(wg.ones(3))
    assert wg.equal(moved["a"], 2 * X) and value["b"] == moved["b"] == constants
    for name, dtype in (("c", wg.int64), ("d", wg.bool)):
        assert moved[name].dtype is value[name].dtype is dtype and not moved[name].any()
    value, along = func.linearize(lambda x: None, X)
    assert value is None and along(X) is None
    with pytest.raises(NotImplementedError, match=r"linearize.*got argument of type: <class 'object'>"):
        func.linearize(lambda x: object(), X)
    with pytest.raises(ValueError, match=r"Expected primal to be floating point or complex, but got: torch.int64"):
        func.linearize(lambda x: x * 2, wg.arange(3))


def test_nothing_is_no_output_of_a_mapped_function():
    with pytest.raises(ValueError, match="must only return Tensors, got type <class 'NoneType'>"):
        wg.vmap(lambda x: None)(X)


@pytest.mark.parametrize("chunk_size", [None, 1, 2, 3, 100])
def test_rows_copied_part_by_part_are_those_of_one_pass(chunk_size):
    x, y = wg.arange(4.0), wg.arange(4.0, dtype=wg.float64)
    functions = {
        "cube": lambda x, y: x**3,
        "containers": lambda x, y: {"a": (x * y, y.float()), "b": x[:0], "c": (x @ x).sum()},
        "unused": lambda x, y: y * 2,
    }
    for function in functions.values():
        options = {"argnums": (0, 1), "chunk_size": chunk_size}
        whole = func.jacrev(function, argnums=(0, 1))(x, y)
        wg.testing.assert_close(func.jacrev(function, _preallocate_and_copy=True, **options)(x, y), whole)
        wg.testing.assert_close(func.jacrev(function, **options)(x, y), whole)
    cube = func.jacrev(lambda x: x**3, chunk_size=chunk_size, _preallocate_and_copy=True)
    expected = func.jacrev(func.jacrev(lambda x: x**3))(x)
    wg.testing.assert_close(func.jacrev(cube)(x), expected)
    wg.testing.assert_close(func.jacfwd(cube)(x), expected)
    wg.testing.assert_close(wg.vmap(cube)(wg.stack([x, y.float()])), wg.stack([cube(x), cube(y.float())]))


def test_parts_are_not_empty():
    for size in (0, -1):
        with pytest.raises(ValueError, match=r"jacrev: `chunk_size` should be greater than 0."):
            func.jacrev(lambda x: x, chunk_size=size)

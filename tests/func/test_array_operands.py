"""NumPy's arrays in functions that are transformed: constants, whatever stands beside them carries.

Each program is written for arrays; the same with tensors of the arrays' values says what is right.
"""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert.autograd.functional import jacobian
from wengert.func import hessian, jacfwd, jacrev, jvp, vmap
from wengert.func.sparse import sparse_jacobian
from wengert.testing.close import assert_close

X = np.array([1.0, 2.0])
M = np.array([[1.0, 2.0], [3.0, 5.0]])
P = wg.tensor([0.5, 1.5], dtype=wg.float64)


def added_to(target, *writes):
    """A target after operators in place, which take arrays."""
    for name, value in writes:
        target = getattr(target, name)(value)
    return target


def with_part(target, index, value):
    target[index] = value
    return target


PROGRAMS = {
    "a line": lambda p, of: p[0] * of(X) + p[1],
    "arrays on the left": lambda p, of: of(X) * p[0] + of(X) / p - of(X),
    "a quotient and a power": lambda p, of: (p / of(X)) ** of(X) + of(X) ** p,
    "an exponential": lambda p, of: p[0] * np.exp(-p[1] * of(X)),
    "ranks": lambda p, of: p[0] * of(M) + p * of(M) + of(X)[:, None] * p,
    "scalars": lambda p, of: p * np.float32(2) + np.int64(3) - np.float64(0.5) * p[0] + np.array(2.0) * p,
    "other dtypes": lambda p, of: p.float() * of(X.astype(np.float32)) * of(X) + p * of(np.array([1, 2])),
    "no dimensions": lambda p, of: p.float() * of(np.array(2.0)) + p[0].float() * of(np.array([2.0, 1.0], np.float32)),
    "complex": lambda p, of: (p * of(X + 1j)).abs(),
    "other orders": lambda p, of: p * of(M.T) + p * of(np.asfortranarray(M)) + p * of(M[:, :1]),
    "comparisons": lambda p, of: wg.where(p * of(X) > of(X), p, -p) + (of(X) < p).double() * p,
    "where": lambda p, of: wg.where(of(X > 1.5), p * p, of(X)) + (p * p).where(of(X > 1.5), of(X)),
    "limits": lambda p, of: p.clamp(min=of(X) - 1, max=of(X) + 0.2) + wg.lerp(p, p * p, of(X)),
    "special functions": lambda p, of: wg.xlogy(p, of(X)) + wg.xlogy(of(X), p) + wg.atan2(p, p * of(X)),
    "keywords": lambda p, of: wg.add(input=p, other=of(X), alpha=3) + wg.mul(p, other=of(X)),
    "methods in place": lambda p, of: added_to(p * 1, ("add_", of(X)), ("mul_", of(X)), ("div_", of(X) + 1)),
    "operators in place": lambda p, of: added_to(p * 1, ("__iadd__", of(X)), ("__imul__", of(M)[0])),
    "a row": lambda p, of: with_part(wg.zeros(2, 2, dtype=wg.float64) * p, 0, of(X)) * p,
    "a column": lambda p, of: with_part(p.repeat(2, 1), (slice(None), 1), of(X)) * p,
    "masked elements": lambda p, of: with_part(p * 1, of(np.array([True, False])), of(np.array(7.0))) * p,
    "chosen elements": lambda p, of: with_part(p * 1, of(np.array([1])), p[0] * of(X)[1]) * p,
    "places": lambda p, of: p[of(np.array([[1, 0], [0, 0]]))] * of(M) + p[[1, 0]] * of(X),
    "ufuncs": lambda p, of: np.sin(p * of(X)) + np.maximum(p, of(X)) + np.power(of(X), p) + np.hypot(p, of(X)),
    "methods of ufuncs": lambda p, of: np.add.outer(p, of(X)) + np.multiply.reduce(p * of(M), 0),
    "products": lambda p, of: np.dot(of(M), p) + np.matmul(of(M), p) + np.einsum("ij,j->i", of(M), p),
    "reductions": lambda p, of: np.sum(p * of(X)) + np.mean(p) + np.var(p * of(X)) + np.max(p * of(X)),
    "joined": lambda p, of: np.concatenate([p, of(X)]) * p[0] + np.stack([p, of(X)]).reshape(4),
    "moved": lambda p, of: np.roll(p, 1) * of(X) + np.flip(p) * of(X) + np.tile(p, 2)[:2] + np.diff(p * of(M))[:, 0],
    "limited": lambda p, of: np.clip(p, of(X) - 1, of(X) + 0.2) + np.where(p > 1, p, of(X)),
    "linear algebra": lambda p, of: np.linalg.solve(of(M) * p, p) + np.linalg.norm(of(M) * p) + np.trace(of(M) * p),
}

TRANSFORMS = {
    "value": lambda function: function(P),
    "vmap of as many": lambda function: vmap(function)(wg.stack([P, P + 1])),
    "vmap of more": lambda function: vmap(function)(wg.stack([P, P + 1, P + 2])),
    "vmap of one": lambda function: vmap(function)(P[None]),
    "vmap of none": lambda function: vmap(function)(P[None][:0]),
    "vmap of columns": lambda function: vmap(function, 1)(wg.stack([P, P + 1, P + 2], 1)),
    "vmap of vmap": lambda function: vmap(vmap(function))(wg.stack([P + at for at in range(6)]).reshape(2, 3, 2)),
    "jvp": lambda function: jvp(function, (P,), (P + 1,))[1],
    "jacfwd": lambda function: jacfwd(function)(P),
    "jacrev": lambda function: jacrev(function)(P),
    "hessian": lambda function: hessian(function)(P),
    "jacfwd of jacfwd": lambda function: jacfwd(jacfwd(function))(P),
    "jacrev of jacrev": lambda function: jacrev(jacrev(function))(P),
    "vmap of jacfwd": lambda function: vmap(jacfwd(function))(wg.stack([P, P + 1])),
    "vmap of jacrev": lambda function: vmap(jacrev(function))(wg.stack([P, P + 1, P + 2])),
    "jacobian in one pass": lambda function: jacobian(function, P, vectorize=True),
    "jacobian forward": lambda function: jacobian(function, P, vectorize=True, strategy="forward-mode"),
    "sparse_jacobian": lambda function: sparse_jacobian(lambda p: function(p).reshape(-1))(P).toarray(),
}


def as_tensor(array):
    return wg.tensor(array) if isinstance(array, np.ndarray) else array


def agree(found, wanted):
    if isinstance(found, np.ndarray):
        found, wanted = wg.from_numpy(found), wg.from_numpy(wanted)
    assert_close(found, wanted, rtol=1e-9, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_transform_of_a_program_with_arrays_is_that_with_tensors(program, transform):
    run, apply = PROGRAMS[program], TRANSFORMS[transform]
    agree(apply(lambda p: run(p, lambda array: array)), apply(lambda p: run(p, as_tensor)))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_batch_beside_arrays_is_a_call_for_each_member(program):
    run, members = PROGRAMS[program], wg.stack([P, P + 1, P + 2])
    agree(vmap(lambda p: run(p, lambda array: array))(members), wg.stack([run(p, as_tensor) for p in members]))


def test_a_model_of_the_parameters_has_the_jacobian_of_its_formula():
    wanted = wg.tensor([[1.0, 1.0], [2.0, 1.0]], dtype=wg.float64)
    assert jacfwd(lambda p: p[0] * X + p[1])(P).tolist() == wanted.tolist()
    found = hessian(lambda p: (p[0] * np.exp(-p[1] * X)).sum())(P)
    decay = np.exp(-1.5 * X)
    cross = -(X * decay).sum()
    np.testing.assert_allclose(found.numpy(), [[0, cross], [cross, (0.5 * X**2 * decay).sum()]], rtol=1e-12)


def test_an_array_that_is_read_backwards_or_in_another_byte_order_is_taken_as_it_is_read():
    record = np.zeros(2, [("flag", "i1"), ("value", "f8")])
    record["value"] = X
    for array in (X[::-1], X.astype(">f8"), record["value"], np.broadcast_to(X, (2, 2)), M[::-1, ::-1]):
        plain = wg.tensor(np.array(array, "f8"))
        agree(vmap(lambda p, array=array: p * array)(P[None]), vmap(lambda p, plain=plain: p * plain)(P[None]))
        agree(jacrev(lambda p, array=array: p**array)(P), jacrev(lambda p, plain=plain: p**plain)(P))


@pytest.mark.parametrize("array", [np.array(["a", "b"]), np.array([None, None]), np.array(["2020-01-01"], "M8[D]")])
def test_an_array_of_no_numbers_is_refused_alike(array):
    with pytest.raises(TypeError) as alone:
        P * array
    with pytest.raises(TypeError) as batched:
        vmap(lambda p: p * array)(P[None])
    assert str(batched.value) == str(alone.value)


def test_an_array_that_is_written_through_out_is_refused_for_a_batch():
    with pytest.raises(RuntimeError):
        vmap(lambda p: np.multiply(p, X, out=np.zeros(2)))(P[None])


def test_arrays_as_operands_are_saved_as_tensors_for_the_backward_pass():
    x = P.clone().requires_grad_()
    y = x**X
    (grad,) = wg.autograd.grad(y.sum(), x)
    agree(grad, wg.tensor(X * P.numpy() ** (X - 1)))

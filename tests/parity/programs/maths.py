"""Functions of one number: values at special points, first and second derivatives."""

from __future__ import annotations

import math

from tests.parity.programs.common import caught

POINTS = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
POSITIVE = [0.25, 1.0, 2.0, 10.0]
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-30, 100.0, -100.0]


def study(torch, name, points, **options):
    """Value, first and second derivative at `points`, in double; the value at special points, in single precision."""
    x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    function = getattr(torch, name, None) or getattr(torch.nn.functional, name)
    y = function(x, **options)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    second = torch.autograd.grad(first.sum(), x, allow_unused=True)[0] if first.requires_grad else None
    # Which nodes compute a derivative, and whether a zero one is recorded, is no matter of behaviour.
    second = torch.zeros_like(x).detach() if second is None else second
    return y, first.detach(), second, function(torch.tensor(SPECIAL), **options)


def study_exp(torch):
    return study(torch, "exp", POINTS)


def study_expm1(torch):
    return study(torch, "expm1", POINTS)


def study_log(torch):
    return study(torch, "log", POSITIVE)


def study_log1p(torch):
    return study(torch, "log1p", POSITIVE)


def study_log2(torch):
    return study(torch, "log2", POSITIVE)


def study_log10(torch):
    return study(torch, "log10", POSITIVE)


def study_sqrt(torch):
    return study(torch, "sqrt", POSITIVE)


def study_rsqrt(torch):
    return study(torch, "rsqrt", POSITIVE)


def study_reciprocal(torch):
    return study(torch, "reciprocal", POSITIVE)


def study_square(torch):
    return study(torch, "square", POINTS)


def study_sin(torch):
    return study(torch, "sin", POINTS)


def study_cos(torch):
    return study(torch, "cos", POINTS)


def study_tan(torch):
    return study(torch, "tan", POINTS)


def study_tanh(torch):
    return study(torch, "tanh", POINTS)


def study_sinh(torch):
    return study(torch, "sinh", POINTS)


def study_cosh(torch):
    return study(torch, "cosh", POINTS)


def study_sigmoid(torch):
    return study(torch, "sigmoid", POINTS)


def study_relu(torch):
    return study(torch, "relu", POINTS)


def study_silu(torch):
    return study(torch, "silu", POINTS)


def study_gelu(torch):
    return study(torch, "gelu", POINTS)


def study_gelu_tanh(torch):
    return study(torch, "gelu", POINTS, approximate="tanh")


def study_abs(torch):
    return study(torch, "abs", POINTS)


def study_sign(torch):
    return study(torch, "sign", POINTS)


def study_neg(torch):
    return study(torch, "neg", POINTS)


def study_floor_ceil_round_trunc(torch):
    return [study(torch, name, POINTS) for name in ("floor", "ceil", "round", "trunc")]


def study_leaky_relu(torch):
    return study(torch, "leaky_relu", POINTS, negative_slope=0.1)


def study_softplus(torch):
    return study(torch, "softplus", POINTS)


def study_logsigmoid(torch):
    return study(torch, "logsigmoid", POINTS)


def gelu_of_unknown_kind(torch):
    return torch.nn.functional.gelu(torch.ones(1), approximate="sigmoid")


def round_to_even(torch):
    return torch.round(torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5]))


def derivative_of_log_at_zero(torch):
    x = torch.zeros(1, requires_grad=True)
    x.log().backward()
    return x.grad


def functions_of_complex(torch):
    z = torch.tensor([1 + 2j, -0.5 - 1j], dtype=torch.complex128, requires_grad=True)
    results = []
    for name in ("exp", "sin", "cos", "tanh", "sqrt", "log", "reciprocal", "square", "neg"):
        y = getattr(torch, name)(z)
        results.append((name, y, torch.autograd.grad(y, z, torch.tensor([1 + 1j, 2 - 1j], dtype=torch.complex128))))
    return results


def functions_that_refuse_complex(torch):
    z = torch.tensor([1 + 2j])
    return [(name, caught(lambda name=name: getattr(torch, name)(z))) for name in ("relu", "floor", "maximum")]


def functions_of_empty(torch):
    x = torch.zeros(0, requires_grad=True)
    y = x.exp().sin()
    y.sum().backward()
    return y, x.grad


def functions_of_0_dim(torch):
    x = torch.tensor(0.5, requires_grad=True)
    y = x.exp()
    y.backward()
    return y, x.grad


def functions_of_half(torch):
    x = torch.tensor([0.1, 1.0, 5.0], dtype=torch.float16, requires_grad=True)
    y = x.exp() + x.tanh()
    y.sum().backward()
    return y, x.grad


def functions_of_bool(torch):
    return torch.tensor([True, False]).exp(), caught(lambda: torch.tensor([True]).abs())


def method_and_function_agree(torch):
    x = torch.tensor([0.5, 2.0])
    names = ("exp", "log", "sqrt", "sin", "tanh", "sigmoid", "relu")
    return [torch.equal(getattr(x, name)(), getattr(torch, name)(x)) for name in names]


def functions_in_place(torch):
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    results = []
    for name in ("exp_", "sqrt_", "sigmoid_", "relu_", "tanh_", "neg_", "abs_", "reciprocal_", "square_", "sin_"):
        y = x * 1
        getattr(y, name)()
        results.append((name, y, torch.autograd.grad(y.sum(), x)))
    return results


def functions_want_tensors(torch):
    return [caught(lambda name=name: getattr(torch, name)(2.0)) for name in ("exp", "relu", "sum", "tanh")]


def function_without_argument(torch):
    return torch.exp()


def saved_results(torch):
    x = torch.tensor([1.0], requires_grad=True)
    return x.exp().grad_fn._saved_result, x.sin().grad_fn._saved_self, x.tanh().grad_fn._saved_result


def tangents_of_all_singular_vectors(torch):
    forward_ad = torch.autograd.forward_ad
    matrix = torch.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], dtype=torch.float64)
    found = []
    with forward_ad.dual_level():
        for given in (matrix, matrix.mT):
            dual = forward_ad.make_dual(given, given.flip(0) + 1)
            u, values, vh = torch.linalg.svd(dual, full_matrices=True)
            found.append(forward_ad.unpack_dual(values).tangent)
            count = values.shape[0]
            found.append(forward_ad.unpack_dual(u[:, :count] @ vh[:count]).tangent)
            found.append(forward_ad.unpack_dual(u[:, count:].square().sum() + vh[count:].square().sum()).tangent)
            found.append([forward_ad.unpack_dual(each).tangent.shape for each in (u, vh)])
    return found

"""Functional transforms: batches, gradients, Jacobians, nested in each other, and what is refused."""

from __future__ import annotations

import warnings
from collections import namedtuple

from tests.parity.programs.common import caught, values

Pair = namedtuple("Pair", "first second")


def _matrix(torch):
    return torch.arange(6.0, dtype=torch.float64).reshape(2, 3) / 7 + 0.1


def _vector(torch):
    return torch.arange(3.0, dtype=torch.float64) / 3 + 0.2


def smooth(x):
    return (x.sin() * x.exp()).sum()


def curved(x):
    return x.sin() * x.sum()


def batch_of_rows_and_columns(torch):
    x = _matrix(torch)
    double = lambda x: x * 2  # noqa: E731
    return [torch.vmap(double)(x), torch.vmap(double, in_dims=1)(x), torch.vmap(double, out_dims=1)(x)]


def batch_of_containers(torch):
    x, y = _matrix(torch), _vector(torch)
    return torch.vmap(
        lambda a, b: {"sum": a["x"] + b, "pair": (a["x"] * b, a["y"])}, in_dims=({"x": 0, "y": None}, None)
    )({"x": x, "y": y}, y)


def batch_of_named_pairs(torch):
    return torch.vmap(lambda pair: Pair(pair.second, pair.first.sum()))(Pair(_matrix(torch), _matrix(torch) * 2))


def batch_within_a_batch(torch):
    x = _matrix(torch)
    dots = torch.vmap(torch.vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))
    return [dots(x, x), torch.vmap(torch.vmap(lambda a, b: a * b), in_dims=(None, 0))(_vector(torch), x)]


def batch_in_parts(torch):
    return [torch.vmap(smooth, chunk_size=size)(_matrix(torch)) for size in (1, 2, 5)]


def batch_of_nobody(torch):
    return list(torch.vmap(lambda x: x * 2)(torch.zeros(0, 3)).shape)


def batch_of_gradients(torch):
    return torch.vmap(torch.func.grad(smooth))(_matrix(torch))


def batch_of_gradients_by_what_is_shared(torch):
    loss = lambda w, x: ((w * x).sin()).sum()  # noqa: E731
    return torch.vmap(torch.func.grad(loss, argnums=(0, 1)), in_dims=(None, 0))(_vector(torch), _matrix(torch))


def gradient_of_a_batch(torch):
    x, w = _matrix(torch), _vector(torch)
    inner = lambda w: torch.vmap(lambda a: (w * a).sin().sum())(x).prod()  # noqa: E731
    return [torch.func.grad(lambda x: torch.vmap(smooth)(x).sum())(x), torch.func.grad(inner)(w)]


def gradient_of_a_batch_of_gradients(torch):
    x = _matrix(torch)
    return torch.func.grad(lambda w: torch.vmap(torch.func.grad(lambda a: (w * a).sin().sum()))(x).pow(2).sum())(
        _vector(torch)
    )


def batch_of_second_derivatives(torch):
    return torch.vmap(torch.func.grad(torch.func.grad(lambda a: a.sin() * a)))(_vector(torch))


def batch_of_directions(torch):
    w = _vector(torch)
    return torch.vmap(lambda way: torch.func.vjp(curved, w)[1](way)[0])(torch.eye(3, dtype=torch.float64))


def jacobians(torch):
    func, w = torch.func, _vector(torch)
    return [
        func.jacrev(curved)(w),
        func.jacfwd(curved)(w),
        func.jacrev(curved, chunk_size=2)(w),
        func.hessian(smooth)(w),
        func.jacrev(func.jacfwd(curved))(w),
        func.jacfwd(func.jacrev(curved))(w),
    ]


def jacobians_of_a_batch(torch):
    func, x = torch.func, _matrix(torch)
    return [torch.vmap(each(curved))(x) for each in (func.jacrev, func.jacfwd)] + [torch.vmap(func.hessian(smooth))(x)]


def jacobian_by_two_arguments(torch):
    w = _vector(torch)
    product, total = torch.func.jacrev(lambda a, b: (a * b, {"s": a.sum()}), argnums=(0, 1))(w, w + 1)
    return [*product, *(each.tolist() for each in total["s"])]


def written(x):
    y = x.clone()
    y[0] = y[1] * 2
    y.mul_(x)
    return y.sum()


def writes_under_transforms(torch):
    func, x = torch.func, _matrix(torch)
    return [
        torch.vmap(func.grad(written))(x),
        func.grad(lambda z: torch.vmap(written)(z).sum())(x),
        func.jacfwd(written)(x[0]),
    ]


def filled(torch, x):
    y = torch.zeros_like(x)
    y[0] = x[1] * 2
    y[1:] = x[:2] ** 2
    return y


def zeros_that_are_filled(torch):
    func, x = torch.func, _matrix(torch)
    fill = lambda x: filled(torch, x)  # noqa: E731
    return [
        torch.vmap(fill)(x),
        torch.vmap(func.jacrev(fill))(x),
        torch.vmap(func.jacfwd(fill))(x).contiguous(),
        func.hessian(lambda x: fill(x).pow(2).sum())(x[0]),
    ]


def losses_of_samples(torch):
    f, x = torch.nn.functional, _matrix(torch)
    w = torch.arange(12.0, dtype=torch.float64).reshape(4, 3) / 10 - 0.3
    entropy = lambda w, x, y: f.cross_entropy(f.linear(x[None], w), y[None])  # noqa: E731
    squares = lambda w, x: f.mse_loss(torch.tanh(w @ x), torch.ones(4, dtype=torch.float64))  # noqa: E731
    return [
        torch.vmap(torch.func.grad(entropy), in_dims=(None, 0, 0))(w, x, torch.tensor([1, 3])),
        torch.vmap(torch.func.grad(squares), in_dims=(None, 0))(w, x).contiguous(),
    ]


def batches_of_cotangents(torch):
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    y = (x * x).sum(0) * x[0]
    return torch.autograd.grad([y], [x], [torch.eye(3, dtype=torch.float64)], is_grads_batched=True)


def vectorised_jacobians(torch):
    functional, w = torch.autograd.functional, _vector(torch)
    both = lambda a, b: (a * b, a.sum())  # noqa: E731
    return [
        functional.jacobian(curved, w, vectorize=True),
        functional.jacobian(curved, w, vectorize=True, strategy="forward-mode"),
        functional.hessian(smooth, w, vectorize=True),
        functional.jacobian(both, (w, w + 1), vectorize=True),
        functional.jacobian(both, (w, w + 1), vectorize=True, strategy="forward-mode"),
    ]


def sum_over_a_batch_that_is_shared(torch):
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    made = torch.vmap(lambda a: (y * a[:2]).sum())(_matrix(torch))
    return torch.autograd.grad(made.sum(), y)


def function_with_a_rule(torch, generated, rule=None):
    class Cubed(torch.autograd.Function):
        generate_vmap_rule = generated

        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return grad * 3 * ctx.saved_tensors[0] ** 2

    if rule is not None:
        Cubed.vmap = staticmethod(lambda info, in_dims, x: rule(Cubed, info, in_dims, x))
    return Cubed


def function_for_a_batch(torch):
    x = _matrix(torch)
    cubed = function_with_a_rule(torch, True)
    other = function_with_a_rule(
        torch, False, lambda cls, info, in_dims, x: (cls.apply(x) * info.batch_size, in_dims[0])
    )
    return [
        torch.vmap(cubed.apply)(x),
        torch.vmap(torch.func.grad(lambda x: cubed.apply(x).sum()))(x),
        torch.func.jacrev(cubed.apply)(x[0]),
        torch.vmap(other.apply)(x),
        torch.func.grad(lambda x: torch.vmap(other.apply)(x).sum())(x),
    ]


def function_without_a_rule(torch):
    x = _matrix(torch)
    return [
        caught(lambda: torch.vmap(function_with_a_rule(torch, False).apply)(x)),
        caught(lambda: torch.vmap(function_with_a_rule(torch, True, lambda *args: (x, 0)).apply)(x)),
        caught(lambda: torch.vmap(function_with_a_rule(torch, False, lambda *args: 3).apply)(x)),
    ]


def wrong_dimensions(torch):
    x = _matrix(torch)
    same = lambda x, *rest: x  # noqa: E731
    calls = (
        lambda: torch.vmap(same)(),
        lambda: torch.vmap(same, in_dims="a")(x),
        lambda: torch.vmap(same, in_dims=[0])(x),
        lambda: torch.vmap(same, in_dims=("x",))(x),
        lambda: torch.vmap(same)(1),
        lambda: torch.vmap(same, in_dims=2)(x),
        lambda: torch.vmap(same, in_dims=-3)(x),
        lambda: torch.vmap(same, in_dims=(None,))(x),
        lambda: torch.vmap(same)(x, x.t()),
        lambda: torch.vmap(lambda x: 3)(x),
        lambda: torch.vmap(lambda x: None)(x),
        lambda: torch.vmap(same, out_dims=2)(x),
        lambda: torch.vmap(same, out_dims="x")(x),
        lambda: torch.vmap(same, out_dims=None)(x),
        lambda: torch.vmap(same, randomness="x")(x),
        lambda: torch.vmap(same, chunk_size=0)(x),
    )
    return [caught(call) for call in calls]


def draws_that_are_refused(torch):
    x = _matrix(torch)
    calls = (
        lambda: torch.vmap(lambda x: torch.randn(3) + x)(x),
        lambda: torch.vmap(lambda x: torch.dropout(x, 0.5, True))(x),
    )
    return [caught(call) for call in calls]


def draws_that_are_the_same(torch):
    same = torch.vmap(lambda x: torch.randn(3) + 0 * x, randomness="same")(_matrix(torch))
    different = torch.vmap(lambda x: torch.randn(3) + 0 * x, randomness="different")(_matrix(torch))
    return [bool((same[0] == same[1]).all()), bool((different[0] == different[1]).any())]


def directions_that_do_not_fit(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own, of what it compiles
        value, along = torch.func.linearize(lambda x: x**2, values(torch, 3).detach())
    return [
        value,
        along(torch.ones(3, dtype=torch.float64)),
        caught(lambda: along(torch.ones(2, dtype=torch.float64))),
        caught(lambda: along(torch.ones(3))),
    ]


def strict_calls_of_tied_modules(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)).double()
    model[1].weight = model[0].weight
    weight, bias, x = values(torch, 2, 2), values(torch, 2), values(torch, 1, 2, shift=3)

    def call(names, **options):
        given = {name: weight if "weight" in name else bias for name in names.split()}
        return caught(lambda: torch.func.functional_call(model, given, x, strict=True, **options))

    return [
        call("0.weight"),
        call("1.weight"),
        call("0.weight other"),
        call("0.weight 0.bias 1.bias"),
        call("0.weight 0.bias 1.bias", tie_weights=False),
    ]


def dimensions_in_another_order(torch):
    rearrange = torch.func.rearrange
    x = torch.arange(24.0).reshape(2, 3, 4)
    found = [
        rearrange(x, "a b c -> c b a"),
        rearrange(x, "a b c -> a (c b)"),
        rearrange(x, "a (b one) c -> one a b c", b=3),
        rearrange(x, "... c -> c ..."),
        rearrange(x, "a ... -> (...) a"),
        rearrange(x, "a b c -> a 1 b () c"),
        rearrange([x, x], "n a b c -> a (n b) c"),
        torch.func.grad(lambda x: rearrange(x, "a b c -> c (a b)")[0].pow(2).sum())(x).contiguous(),
        torch.vmap(lambda x: rearrange(x, "b c -> (c b)"))(x),
    ]
    wrong = (
        "a b c",
        "a b c -> a b",
        "a b -> a b",
        "a a c -> a c",
        "a ((b c)) d -> a b c d",
        "a b) c -> a b c",
        "a.b c -> a",
    )
    return found, [caught(lambda: rearrange(x, pattern)) for pattern in wrong]  # noqa: B023

"""Operators that a program declares: `torch.library`."""

from __future__ import annotations

import importlib

import numpy as np

from tests.parity.programs.common import caught, node_name, values


def library_of(torch, name="library"):
    return importlib.import_module(f"{torch.__name__}.{name}")


def sine_of(torch, name, derivative=True):
    """An operator whose kernel is NumPy's, and its derivative."""

    def sine(x: torch.Tensor, k: float = 2.0) -> torch.Tensor:
        return torch.from_numpy(np.sin(x.numpy() * k))

    def setup_context(ctx, inputs, output):
        x, ctx.k = inputs
        ctx.save_for_backward(x)

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x * ctx.k).cos() * ctx.k, None

    sine.__annotations__ = {"x": torch.Tensor, "k": float, "return": torch.Tensor}
    op = library_of(torch).custom_op(f"programs::{name}", sine, mutates_args=())
    if derivative:
        op.register_autograd(backward, setup_context=setup_context)
    return op


def a_kernel_of_numpy(torch):
    sine, x = sine_of(torch, "sine"), values(torch, 3)
    y = sine(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    named = torch.ops.programs.sine(x=x, k=3.0)
    return [
        y, first, second, node_name(y), named, sine(x.detach()).requires_grad,
        [repr(sine), repr(torch.ops.programs.sine), repr(torch.ops.programs.sine.default)],
        str(torch.ops.programs.sine.default._schema),
        torch.autograd.gradcheck(sine, (values(torch, 2),)),
    ]  # fmt: skip


def calls_that_do_not_fit(torch):
    sine, x = sine_of(torch, "plain", derivative=False), values(torch, 2)
    return [
        caught(lambda: sine(x).sum().backward()),
        caught(lambda: torch.ops.programs.nothing),
        caught(lambda: sine(x, 1.0, 2.0)),
        [type(caught(each)).__name__ for each in (lambda: sine(3), lambda: sine(x, "a"), sine, lambda: sine(x, z=1))],
    ]


def lists_and_several_results(torch):
    library = library_of(torch)

    def weighted(xs, weights, scale=1.0):
        total = sum(x * w for x, w in zip(xs, weights)) * scale
        return total, weights.clone()

    weighted.__annotations__ = {
        "xs": list[torch.Tensor], "weights": torch.Tensor, "scale": float, "return": tuple[torch.Tensor, torch.Tensor],
    }  # fmt: skip
    needed = []
    op = library.custom_op("programs::weighted", weighted, mutates_args=())

    def setup_context(ctx, inputs, output):
        xs, weights, ctx.scale = inputs
        ctx.count = len(xs)
        ctx.save_for_backward(weights, *xs)

    def backward(ctx, grad, _):
        weights, *xs = ctx.saved_tensors
        needed.append(ctx.needs_input_grad)
        return [grad * w * ctx.scale for w in weights], torch.stack([(grad * x).sum() * ctx.scale for x in xs]), None

    op.register_autograd(backward, setup_context=setup_context)
    xs, weights = [values(torch, 3), values(torch, 3, shift=4)], values(torch, 2, shift=1)
    total, copy = op(xs, weights, 0.5)
    total.sum().backward()
    schema = str(torch.ops.programs.weighted.default._schema)
    return [total, copy.requires_grad, [each.grad for each in (*xs, weights)], schema, needed]


def batches(torch):
    sine = sine_of(torch, "batched")
    x = values(torch, 3, 2).detach()
    without = torch.vmap(sine)(x)
    sine.register_vmap(lambda info, in_dims, x, k=2.0: (sine(x, k), in_dims[0]))
    return [without, torch.vmap(sine)(x), torch.vmap(sine, in_dims=1)(x)]


def writes(torch):
    library = library_of(torch)

    def bump(x):
        np.add(x.numpy(), 1, out=x.numpy())

    bump.__annotations__ = {"x": torch.Tensor, "return": None}
    op = library.custom_op("programs::bump", bump, mutates_args={"x"})
    x = torch.zeros(2)
    op(x)
    alias = lambda x: x  # noqa: E731
    alias.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    same = library.custom_op("programs::same", alias, mutates_args=())
    return [
        x, x._version, library.infer_schema(bump, mutates_args={"x"}), str(torch.ops.programs.bump.default._schema),
        type(caught(lambda: same(torch.ones(2)))).__name__,
        type(caught(lambda: op.register_autograd(lambda ctx, grad: grad))).__name__,
    ]  # fmt: skip


def declared_by_schemas(torch):
    library = library_of(torch)
    made = library.Library("programs_lib", "DEF")
    made.define("scaled(Tensor x, int n=2, *, float? shift=None) -> Tensor")
    made.impl("scaled", lambda x, n=2, *, shift=None: x * n + (shift or 0.0), "CPU")
    library.define("programs_lib::plus", "(Tensor x) -> Tensor")

    @library.impl("programs_lib::plus", "cpu")
    def plus(x):
        return x + 1

    library.register_autograd("programs_lib::plus", lambda ctx, grad: grad * 7)
    x = values(torch, 2)
    torch.ops.programs_lib.plus(x).sum().backward()
    return [
        torch.ops.programs_lib.scaled(x.detach(), 3),
        torch.ops.programs_lib.scaled(x.detach(), shift=0.5),
        x.grad,
        str(torch.ops.programs_lib.scaled.default._schema),
    ]


def names_and_schemas(torch):
    twice = sine_of(torch, "named", derivative=False)
    form = torch.ops.programs.named.default

    def many(x, n, ts, d=torch.float64, f=0.1, g=1e-5, s="a", o=None, *, key=3):
        return x * n, x + n

    tensor = torch.Tensor
    kinds = {"x": tensor, "n": int, "ts": list[tensor], "d": torch.dtype, "f": float, "g": float, "s": str}
    many.__annotations__ = {**kinds, "o": tensor | None, "key": int, "return": tuple[tensor, tensor]}
    op = library_of(torch).custom_op("programs::many", many, mutates_args=())
    return [
        [str(form), str(torch.ops.programs.named), form.namespace, form.overloadpacket is torch.ops.programs.named],
        [
            hasattr(torch.ops.no_such_programs, "f"),
            "named" in dir(torch.ops.programs),
            "named" in list(torch.ops.programs),
        ],
        [
            op._schema,
            str(torch.ops.programs.many.default._schema),
            library_of(torch).infer_schema(many, mutates_args=()),
        ],
        [str(caught(lambda: torch.ops.programs.named.other)), twice._schema],
    ]


def rules_for_batches_see_what_was_given(torch):
    sine, x, seen = sine_of(torch, "seen"), values(torch, 3, 2).detach(), []

    def rule(info, in_dims, x, k=2.0):
        seen.append((info.batch_size, in_dims, k))
        return sine(x, k), in_dims[0]

    sine.register_vmap(rule)
    return [torch.vmap(sine)(x), torch.vmap(lambda x: sine(x, 2.0))(x), torch.vmap(lambda x: sine(x, 3.0))(x), seen]


def checks_of_operators(torch):
    library = library_of(torch)

    def made(name, kernel, fake=None, backward=None):
        kernel.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
        op = library.custom_op(f"programs::{name}", kernel, mutates_args=())
        if fake is not None:
            op.register_fake(fake)
        if backward is not None:
            op.register_autograd(backward)
        return op

    def told(op, *args, **options):
        found = caught(lambda: library.opcheck(op, args, **options))
        if isinstance(found, Exception):
            return type(found).__name__, str(found), type(found.__cause__).__name__
        return {name: each if isinstance(each, str) else repr(each) for name, each in found.items()}

    plain, leaf = torch.ones(2), torch.ones(2, requires_grad=True)
    good = made("good", lambda x: x * 2, torch.empty_like, lambda ctx, grad: grad * 2)
    bare, dim = made("bare", lambda x: x * 2), made("dim", lambda x: x * 2, lambda x: x.new_empty(5))
    kind = made("kind", lambda x: x * 2, lambda x: x.double())
    writes = made("secret", lambda x: x.add_(1) * 2, torch.empty_like)
    lost = made("lost", lambda x: x * 2, torch.empty_like)
    return [
        told(good, plain), told(good, leaf), told(torch.ops.programs.good.default, leaf),
        told(good, leaf, test_utils="test_schema"), told("programs::good", plain),
        told(good, plain, test_utils=("test_schema", "none")), told(torch.ops.aten.add.Tensor, plain, plain),
        told(bare, plain), told(bare, leaf, raise_exception=False), told(dim, plain),
        told(dim, plain, raise_exception=False),
        told(kind, plain), told(writes, plain), told(writes, plain, raise_exception=False), told(lost, leaf), plain,
    ]  # fmt: skip


def on_the_device_meta(torch):
    sine = sine_of(torch, "sine_on_meta")
    x = torch.ones(2, 3, device="meta", requires_grad=True)
    refused = str(caught(lambda: sine(x)))
    sine.register_fake(lambda x, k=2.0: torch.empty_like(x))
    y = sine(x, 3.0)
    return refused, y.shape, y.is_meta, y.requires_grad, sine(torch.ones(2))

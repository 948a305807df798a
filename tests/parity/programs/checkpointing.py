"""Checkpoints: both forms, random state, nesting, early stop, and what is refused when forward differs."""

# ruff: noqa: RUF059 - programs are written as torch's users write them

from __future__ import annotations

import functools

from tests.parity.programs.common import caught


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def _module(torch):
    from importlib import import_module

    return import_module(torch.__name__ + ".utils.checkpoint")


def both_forms(torch):
    found = []
    for reentrant in (False, True):
        x, calls = leaf(torch), []

        def body(x, calls=calls):
            calls.append(1)
            return (x * x).exp()

        y = _module(torch).checkpoint(body, x, use_reentrant=reentrant)
        before = len(calls)
        y.sum().backward()
        found.append((y, x.grad, before, len(calls)))
    return found


def names_of_the_nodes(torch):
    x = leaf(torch)
    run = _module(torch).checkpoint
    return [
        run(lambda x: (x * x).exp(), x, use_reentrant=reentrant).grad_fn.name().removeprefix("torch::autograd::")
        for reentrant in (False, True)
    ]


def without_saying_which_form(torch):
    y = _module(torch).checkpoint(lambda x: x * 2, leaf(torch))
    return y


def keyword_arguments(torch):
    run = _module(torch).checkpoint
    x = leaf(torch)
    y = run(lambda x, factor=1: x * factor, x, factor=5, use_reentrant=False)
    return y, caught(lambda: run(lambda x, factor=1: x * factor, x, factor=5, use_reentrant=True))


def several_results(torch):
    found = []
    for reentrant in (False, True):
        x = leaf(torch)
        a, b = _module(torch).checkpoint(lambda x: (x * 2, x.exp()), x, use_reentrant=reentrant)
        (a * b).sum().backward()
        found.append(x.grad)
    return found


def inputs_that_need_no_grad(torch):
    run = _module(torch).checkpoint
    weight = leaf(torch)
    inside = run(lambda x: x * weight, torch.ones(2), use_reentrant=False)
    inside.sum().backward()
    outside = run(lambda x: x * weight, torch.ones(2), use_reentrant=True)
    return weight.grad, inside.requires_grad, outside.requires_grad


def random_state_is_restored(torch):
    found = []
    for reentrant in (False, True):
        torch.manual_seed(3)
        x = torch.ones(50, requires_grad=True)
        y = _module(torch).checkpoint(lambda x: torch.nn.functional.dropout(x, 0.5) * x, x, use_reentrant=reentrant)
        torch.rand(6)
        y.sum().backward()
        found.append(bool((x.grad == 2 * y.detach()).all()))
    return found


def random_state_may_be_let_go(torch):
    torch.manual_seed(3)
    x = torch.ones(200, requires_grad=True)
    run = _module(torch).checkpoint
    y = run(lambda x: torch.nn.functional.dropout(x, 0.5) * x, x, use_reentrant=False, preserve_rng_state=False)
    torch.rand(5)
    y.sum().backward()
    return bool((x.grad == 2 * y.detach()).all())


def grad_with_the_reentrant_form(torch):
    x = leaf(torch)
    run = _module(torch).checkpoint
    y = run(lambda x: x * x, x, use_reentrant=True)
    z = run(lambda x: x * x, x, use_reentrant=False)
    return caught(lambda: torch.autograd.grad(y.sum(), x)), torch.autograd.grad(z.sum(), x)


def twice_with_retain_graph(torch):
    x = leaf(torch)
    y = _module(torch).checkpoint(lambda x: (x * x).exp(), x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, caught(y.backward)


def double_backward(torch):
    x = leaf(torch)
    y = _module(torch).checkpoint(lambda x: x**3, x, use_reentrant=False).sum()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    return torch.autograd.grad(first.sum(), x)


def nested(torch):
    run = _module(torch).checkpoint
    calls = []

    def inner(x):
        calls.append("inner")
        return (x * 2).exp()

    def outer(x):
        calls.append("outer")
        return run(inner, x * x, use_reentrant=False).sin()

    x = leaf(torch)
    run(outer, x, use_reentrant=False).sum().backward()
    return x.grad, calls


def early_stop(torch):
    found = []
    for wanted in (True, False):
        calls, x = [], leaf(torch)

        def body(x, calls=calls):
            y = (x * x).exp()
            calls.append("end")
            return y + 1

        with _module(torch).set_checkpoint_early_stop(wanted):
            y = _module(torch).checkpoint(body, x, use_reentrant=False)
        y.sum().backward()
        found.append((x.grad, calls))
    return found


def changing_shape_is_refused(torch):
    calls, x = [], leaf(torch, 1.0, 2.0, 3.0)

    def body(x):
        calls.append(1)
        return (x * x).sum() if len(calls) == 1 else (x[:2] * x[:2]).sum()

    y = _module(torch).checkpoint(body, x, use_reentrant=False)
    return _first_words(caught(y.backward))


def changing_number_is_refused(torch):
    calls, x = [], leaf(torch)

    def body(x):
        calls.append(1)
        return x.exp().sin() if len(calls) == 1 else x.exp()

    with _module(torch).set_checkpoint_early_stop(False):
        y = _module(torch).checkpoint(body, x, use_reentrant=False).sum()
    return _first_words(caught(y.backward))


def more_than_before_is_refused(torch):
    calls, x = [], leaf(torch)

    def body(x):
        calls.append(1)
        return x.exp() if len(calls) == 1 else x.exp().sin()

    with _module(torch).set_checkpoint_early_stop(False):
        y = _module(torch).checkpoint(body, x, use_reentrant=False).sum()
    return _first_words(caught(y.backward))


def check_may_be_switched_off(torch):
    calls, x = [], leaf(torch, 1.0, 2.0, 3.0)

    def body(x):
        calls.append(1)
        return (x * x).sum() if len(calls) == 1 else (x * 1 * x.detach()).sum()

    y = _module(torch).checkpoint(body, x, use_reentrant=False, determinism_check="none")
    return type(caught(y.backward)).__name__


def unknown_check_is_refused(torch):
    x = leaf(torch)
    return caught(lambda: _module(torch).checkpoint(lambda x: x * 2, x, use_reentrant=False, determinism_check="x"))


def _first_words(error):
    return type(error).__name__, str(error).strip().splitlines()[0].partition(":")[2][:60]


def under_no_grad(torch):
    calls = []
    with torch.no_grad():
        y = _module(torch).checkpoint(lambda x: calls.append(1) or x * 2, leaf(torch), use_reentrant=False)
    return y, calls


def reentrant_without_inputs_that_require_grad(torch):
    y = _module(torch).checkpoint(lambda x: x * 2, torch.ones(2), use_reentrant=True)
    return y


def context_fn(torch):
    import contextlib

    seen = []

    @contextlib.contextmanager
    def note(text):
        seen.append(text)
        yield

    x = leaf(torch)
    y = _module(torch).checkpoint(
        lambda x: x.exp(), x, use_reentrant=False, context_fn=lambda: (note("forward"), note("again"))
    )
    y.sum().backward()
    return seen, x.grad


def error_inside(torch):
    def fail(x):
        raise KeyError("inside")

    return [caught(lambda r=r: _module(torch).checkpoint(fail, leaf(torch), use_reentrant=r)) for r in (False, True)]


def of_a_module(torch):
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(0.5)
    x = torch.ones(1, 2, requires_grad=True)
    _module(torch).checkpoint(layer, x, use_reentrant=False).sum().backward()
    return layer.weight.grad, x.grad


def sequential(torch):
    layers = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2), torch.nn.Tanh())
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.fill_(0.25)
    found = []
    for segments in (1, 2, 3, 4):
        x = torch.ones(1, 2, requires_grad=True)
        layers.zero_grad()
        y = _module(torch).checkpoint_sequential(layers, segments, x, use_reentrant=False)
        y.sum().backward()
        found.append((y, x.grad, layers[0].weight.grad))
    return found


def sequential_of_functions(torch):
    x = leaf(torch)
    y = _module(torch).checkpoint_sequential([lambda x: x * 2, lambda x: x.exp()], 2, x, use_reentrant=False)
    y.sum().backward()
    return x.grad


def non_tensor_arguments(torch):
    x = leaf(torch)
    y = _module(torch).checkpoint(
        lambda options, x, text: x * options["factor"], {"factor": 4.0}, x, "text", use_reentrant=True
    )
    y.sum().backward()
    return x.grad


def unused_result(torch):
    x = leaf(torch)
    a, b = _module(torch).checkpoint(lambda x: (x.exp(), x.sin()), x, use_reentrant=False)
    a.sum().backward()
    return x.grad


def inference_tensor_as_input(torch):
    with torch.inference_mode():
        made = torch.ones(2)
    return caught(lambda: _module(torch).checkpoint(lambda a, b: a + b, made, leaf(torch), use_reentrant=False))


def selective_policies(torch):
    module, aten = _module(torch), torch.ops.aten
    policies = module.CheckpointPolicy
    told = []

    def policy(context, op, *args, **kwargs):
        told.append((context.is_recompute, str(op).split(".")[1], list(context.op_output.shape)))
        return policies.MUST_SAVE if op == aten.mm.default else policies.PREFER_RECOMPUTE

    def function(x, w):
        return (torch.mm(x, w).sin().t() @ w).exp().sum()

    found = []
    for chosen in (policy, [aten.mm.default, aten.sin.default], lambda context, op, *args: op == aten.exp.default):
        x, w = leaf(torch, 1.0, 2.0, 3.0, 4.0).reshape(2, 2), torch.ones(2, 2, requires_grad=True)
        contexts = functools.partial(module.create_selective_checkpoint_contexts, chosen)
        y = module.checkpoint(function, x, w, use_reentrant=False, context_fn=contexts)
        y.backward(retain_graph=True)
        found.append((y, w.grad, caught(y.backward)))
    return found, told, [(each.name, each.value) for each in policies]


def selective_refusals(torch):
    module = _module(torch)
    contexts = functools.partial(module.create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    x = torch.ones(2, 2, requires_grad=True)

    def function(x):
        return torch.mm(x, x).add_(1).sin().sum()

    y = module.checkpoint(function, x, use_reentrant=False, context_fn=contexts)
    return (
        caught(y.backward),
        caught(lambda: module.create_selective_checkpoint_contexts(3)),
        caught(lambda: module.create_selective_checkpoint_contexts([3])),
    )

"""Random programs of the mechanics: hooks, modes, functions, checkpoints, saved values, writes and passes, mixed."""

from __future__ import annotations

import random

from tools.beside_torch.generate import program

START = """\
from importlib import import_module
note = lambda text, give=lambda value: None: lambda value: (log.append((text, told(value))), give(value))[1]
x = torch.tensor([0.5, 1.0, 1.5, 2.0], dtype=torch.float64, requires_grad=True)
w = torch.tensor([1.25, -0.5, 0.75, 2.0], dtype=torch.float64, requires_grad=True)
checkpoint = import_module(torch.__name__ + '.utils.checkpoint').checkpoint
hooks = torch.autograd.graph.saved_tensors_hooks
def told(value):
    return value.tolist() if hasattr(value, 'tolist') else value if value is None else [told(each) for each in value]
def function(name, forward, backward):
    methods = {'forward': staticmethod(forward), 'backward': staticmethod(backward)}
    return type(name, (torch.autograd.Function,), methods)
def keeping(ctx, value):
    ctx.save_for_backward(value)
    return value * value
def writing(ctx, value):
    value.mul_(3)
    ctx.mark_dirty(value)
    return value
def doubling(ctx, value):
    ctx.set_materialize_grads(False)
    return value * 2, value + 1
Square = function('Square', keeping, lambda ctx, grad: (log.append('Square'), grad * 2 * ctx.saved_tensors[0])[1])
Triple = function('Triple', writing, lambda ctx, grad: (log.append('Triple'), grad * 3)[1])
Same = function('Same', lambda ctx, value: value, lambda ctx, grad: (log.append('Same'), grad * 5)[1])
def halving(ctx, one, two):
    log.append(('Pair', told(one), told(two)))
    return one * 2 if two is None else two if one is None else one * 2 + two
Pair = function('Pair', doubling, halving)
def without(mode, action):
    with mode():
        return action()
v0 = x * 1
"""

FRESH = (
    "{a} * {b}",
    "{a} + {b}",
    "{a} - 2 * {b}",
    "{a}.exp()",
    "{a}.sin()",
    "{a} ** 2",
    "{a}.clone()",
    "{a}.sigmoid()",
    "torch.where({a} > 1, {a}, {b})",
    "torch.maximum({a}, {b})",
    "{a}.detach()",
    "{a}.data",
    "{a}[...]",
    "{a}.view(4)",
    "{a}.view(2, 2).t().reshape(4)",
    "{a}.flip(0)",
    "torch.cat([{a}[2:], {b}[:2]])",
    "torch.stack([{a}, {b}]).unbind(0)[1]",
    "Square.apply({a})",
    "Same.apply({a})",
    "Pair.apply({a})[0]",
    "Pair.apply({a})[1]",
    "sum(Pair.apply({a}))",
    "Triple.apply({a})",
    "Triple.apply({a}.clone())",
    "without(torch.no_grad, lambda: {a} * {b})",
    "without(torch.no_grad, lambda: ({a} * 1)[...])",
    "without(torch.inference_mode, lambda: {a} * {b})",
    "without(torch.enable_grad, lambda: {a} * 2)",
    "checkpoint(lambda value: (log.append('body'), value.exp() * value)[1], {a}, use_reentrant=False)",
    "checkpoint(lambda value, other: Square.apply(value) * other, {a}, {b}, use_reentrant=False)",
    "without(lambda: hooks(note('pack', lambda t: t * 1), note('unpack', lambda t: t)), lambda: {a} * {b})",
    "without(lambda: hooks(note('pack', lambda t: t * 1), note('unpack', lambda t: t)), lambda: Square.apply({a}))",
    "{a}.detach().requires_grad_()",
)

CHANGES = (
    "{a}.mul_({b})",
    "{a}.add_(1)",
    "{a}.exp_()",
    "{a}.zero_()",
    "{a}[1:3].mul_(2)",
    "{a}[0].copy_({b}[1])",
    "{a}.__setitem__(slice(0, 2), {b}[2:])",
    "{a}.data.mul_(1.5)",
    "{a}.detach().add_(1)",
    "Triple.apply({a})",
    "Triple.apply({a}[:2])",
    "without(torch.no_grad, lambda: {a}.add_(0.5))",
    "{a}.detach_()",
    "{a}.requires_grad_()",
    "without(torch.inference_mode, lambda: {a}.add_(0.5))",
    "{a}.unbind(0)[0].mul_(2)",
    "{a}.view(2, 2).t_()",
    "{a}.masked_fill_({b}.detach() > 1, 0.25)",
    "torch.autograd.graph.increment_version({a})",
    "{a}.view(2, 2).t()[1].mul_({b}[:2].clone())",
)

HOOKS = (
    "{a}.register_hook(note('hook {a}'))",
    "{a}.register_hook(note('hook {a}', lambda grad: grad * 2))",
    "{a}.retain_grad() or kept.append({a})",
    "{a}.grad_fn.register_hook(lambda ins, outs: log.append('after'))",
    "{a}.grad_fn.register_prehook(note('before {a}'))",
    "{a}.register_post_accumulate_grad_hook(lambda leaf: log.append('accumulated'))",
    "{a}.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))",
    "torch.autograd.graph.register_multi_grad_hook(({a}, {b}), note('multi'))",
)

PASSES = (
    "log.append(told(torch.autograd.grad({a}.sum(), x, retain_graph=True, allow_unused=True)))",
    "log.append(told(torch.autograd.grad(({a} * {b}).sum(), [x, {a}], retain_graph=True, allow_unused=True)))",
    "({a} * {b}).sum().backward(retain_graph=True)",
    "{a}.sum().backward()",
    "{a}.sum().backward(inputs=[w])",
    "log.append(told(torch.autograd.grad({a}.sum(), [x, w], create_graph=True, allow_unused=True)))",
)

LAST = ("except Exception as error:", "    return error, log")

KINDS = ((0.42, FRESH), (0.68, CHANGES), (0.9, HOOKS), (1.0, PASSES))


def mechanics(seed: int) -> str:
    """A program that mixes everything; it ends with the first error."""
    draw = random.Random(seed)
    lines, names = START.splitlines(), ["v0"]
    for _ in range(draw.randint(4, 12)):
        a, b = draw.choice(names[-4:]), draw.choice([*names, "w", "x"])
        if draw.random() < 0.1:
            a = draw.choice(("x", "w"))
        share = draw.random()
        choices = next(texts for limit, texts in KINDS if share < limit)
        if choices is FRESH:
            names.append(f"v{len(names)}")
            lines.append(f"{names[-1]} = {draw.choice(FRESH).format(a=a, b=b)}")
        else:
            if choices is HOOKS:  # torch crashes where a hook is put on a view whose history is still to be made anew
                lines.append(f"{a}.grad_fn, {b}.grad_fn")
            lines.append(draw.choice(choices).format(a=a, b=b))
    every = f"({', '.join(names)},)"
    return program(["log, kept = [], []", "try:", *[f"    {line}" for line in [*lines, *ending(every)]], *LAST])


def ending(every: str) -> list[str]:
    """A last pass from everything there is, and what is left after it."""
    return [
        f"for at, each in enumerate({every}):",
        "    if each.requires_grad:",
        "        (each * (at + 1)).sum().backward(retain_graph=True)",
        f"state = [(each.detach(), each.requires_grad, each.is_leaf, each.is_inference()) for each in {every}]",
        f"versions = [each._version for each in {every}] if not any(each.is_inference() for each in {every}) else None",
        "return state, versions, log, x.grad, w.grad, [each.grad for each in kept]",
    ]

"""Small programs that go through whatever switches a mode: what the hunts for interrupts run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wengert as wg
from wengert import nn
from wengert._core.backward import reentrant
from wengert._core.state.modes import current
from wengert.autograd import Function, graph
from wengert.utils.checkpoint import checkpoint


def leaf() -> Any:
    """A leaf of four numbers that requires a gradient."""
    return wg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)


class Double(Function):
    """Doubles; its passes compute with tensors."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Two times `x`."""
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Two times `grad`, and a pass of its own."""
        (x,) = ctx.saved_tensors
        with wg.enable_grad():
            again = x.detach().requires_grad_()
            wg.autograd.grad((again * again).sum(1).sum(0), again)
        return grad * 2


class Nested(Function):
    """Its backward step starts another pass, to some depth."""

    @staticmethod
    def forward(ctx: Any, x: Any, depth: int) -> Any:
        """`x` times 1."""
        ctx.depth = depth
        return x * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Start the next pass."""
        if ctx.depth:
            with wg.enable_grad():
                Nested.apply(wg.ones(1, requires_grad=True), ctx.depth - 1).backward()
        return grad, None


def plain() -> None:
    """A pass into leaves with hooks."""
    x = leaf()
    x.register_hook(lambda grad: grad * 2)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    y = (x * x).sum(1)
    y.retain_grad()
    y.cumsum(0).sum().backward()


def twice() -> None:
    """A recorded pass, and a pass through it."""
    x = leaf()
    (grad,) = wg.autograd.grad((x.exp() * x).sum(0).sum(), x, create_graph=True)
    grad.sum(1).sum().backward()


def function() -> None:
    """A custom Function whose backward step runs a pass."""
    x = leaf()
    (Double.apply(x) * x).sum(1).sum().backward()


def function_under_hooks() -> None:
    """Hooks for saved tensors, in force while a Function saves."""
    x = leaf()
    hooks = graph.saved_tensors_hooks(lambda tensor: tensor * 1, lambda kept: kept)
    modes = current()
    before = modes.saved_hooks
    try:
        modes.saved_hooks = ((hooks.pack_hook, hooks.unpack_hook),)
        y = (Double.apply(x) * x.exp()).sum(1)
    finally:
        modes.saved_hooks = before
    y.sum().backward()


def stale_views() -> None:
    """A view whose history is renewed, recording off."""
    x = leaf()
    base = x * 1
    view = base.view(4)
    base.mul_(2)
    view.grad_fn  # noqa: B018 - renews it
    base[0] = x[1]
    (view * view).sum(0).backward()


def recomputed() -> None:
    """Checkpointing, the recommended form."""
    x = leaf()
    checkpoint(lambda x: (x.exp() * x).sum(1), x, use_reentrant=False).sum().backward()


def recomputed_by_a_pass() -> None:
    """Checkpointing, the older form."""
    x = leaf()
    checkpoint(lambda x: (x.exp() * x).sum(1), x, use_reentrant=True).sum().backward()


def observed() -> None:
    """Calls that an observer sees."""
    x = leaf()
    modes = current()
    before, word = modes.observers, modes.word
    try:
        modes.observe([lambda op, args, proceed: proceed()])
        y = (x * x).sum(1)
    finally:
        modes.observers, modes.word = before, word
    y.sum().backward()


def deep() -> None:
    """A pass within a pass, in a thread of its own."""
    x = leaf()
    reentrant.in_thread(lambda: Nested.apply(x, 1).sum().backward(), ())


def modules() -> None:
    """Modules with hooks of all kinds."""
    module = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(0.5))
    module.register_forward_pre_hook(lambda module, args: None)
    module.register_forward_hook(lambda module, args, output: None, always_call=True)
    module.register_full_backward_pre_hook(lambda module, grads: None)
    module.register_full_backward_hook(lambda module, inputs, outputs: None)
    module(leaf()).sum().backward()


def squares_of(x: Any, w: Any) -> Any:
    """A function that is replayed: two results, of which one requires a gradient."""
    h = (x @ w).tanh()
    (grad,) = wg.autograd.grad((h * h).sum(), w, retain_graph=True)
    return h.sum(), grad


REPLAYED = wg.compile(squares_of, replay=True)


def replayed() -> None:
    """Calls that are recorded, verified and replayed, with passes through them; an interrupt leaves no wrong list."""
    for number in range(8):
        x, w = leaf() * (number + 1), leaf()
        result, grad = REPLAYED(x, w)
        result.backward()
        x, other = leaf() * (number + 1), leaf()
        wanted, wanted_grad = squares_of(x, other)
        wanted.backward()
        assert result.equal(wanted) and grad.equal(wanted_grad) and w.grad.equal(other.grad), "a replay is wrong"


def training_step(x: Any, w: Any) -> Any:
    """A function that is followed, with a pass within it."""
    loss = ((x @ w).tanh() * x + w).sum()
    loss.backward()
    return loss.detach()


def exponentials(x: Any, w: Any) -> Any:
    """A function that is followed, of which the caller runs the pass."""
    return ((x @ w).exp() * x).sum()


def followed() -> None:
    """Calls that are written to tapes, matched and predicted; an interrupt leaves no tape."""
    step, total = wg.compile(training_step), wg.compile(exponentials)
    for number in range(8):
        x, w, other = (leaf().detach() * (number + 1)), leaf(), leaf()
        assert step(x, w).equal(training_step(x, other)) and w.grad.equal(other.grad), "a followed call is wrong"
        x, w, other = leaf().detach() / (number + 1), leaf(), leaf()
        (grad,) = wg.autograd.grad(total(x, w), w)
        (wanted,) = wg.autograd.grad(exponentials(x, other), other)
        assert grad.equal(wanted), "the gradient of a followed call is wrong"


PROGRAMS: tuple[Callable[[], None], ...] = (
    plain,
    twice,
    function,
    function_under_hooks,
    stale_views,
    observed,
    recomputed,
    recomputed_by_a_pass,
    modules,
    deep,
    replayed,
    followed,
)

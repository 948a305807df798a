"""What `ctx` offers to functions written by users."""

from __future__ import annotations

from tests.parity.programs.common import caught, chain, node_name


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def make(torch, forward, backward=None, setup=None, name="Made", **members):
    """A subclass of Function with these static methods."""
    body = {"forward": staticmethod(forward), **members}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    if setup is not None:
        body["setup_context"] = staticmethod(setup)
    return type(name, (torch.autograd.Function,), body)


def saved_tensors_come_back(torch):
    x, seen = leaf(torch), []

    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, None, y)
        return y

    def backward(ctx, grad):
        a, b, c = ctx.saved_tensors
        seen.append((a is x, b, c.tolist(), type(ctx.saved_tensors).__name__))
        return grad * 2

    make(torch, forward, backward).apply(x).sum().backward()
    return seen


def saving_what_is_no_tensor(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x * 1

    return caught(lambda: make(torch, forward, lambda ctx, g: g).apply(leaf(torch)))


def saving_twice_keeps_the_last(torch):
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 2, x * 3)
        return x * 1

    def backward(ctx, grad):
        seen.append([each.tolist() for each in ctx.saved_tensors])
        return grad

    make(torch, forward, backward).apply(leaf(torch)).sum().backward()
    return seen


def saved_intermediates_are_seen(torch):
    x = leaf(torch)

    def forward(ctx, x):
        ctx.save_for_backward(x.exp())
        return ctx.saved_tensors[0] * 1 if False else x.exp()

    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    return torch.autograd.grad(y.sum(), x)


def saved_tensors_twice_in_backward(torch):
    x = leaf(torch)

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, grad):
        return grad * (ctx.saved_tensors[0] + ctx.saved_tensors[0])

    make(torch, forward, backward).apply(x).sum().backward()
    return x.grad


def saved_tensors_after_release(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(leaf(torch))
    node = y.grad_fn
    y.sum().backward()
    return caught(lambda: node.saved_tensors), caught(lambda: y.sum().backward())


def saved_tensors_of_the_node(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    y = make(torch, forward, lambda ctx, g: g).apply(leaf(torch))
    return [each.tolist() for each in y.grad_fn.saved_tensors], y.grad_fn.needs_input_grad


def saved_input_is_written_to(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    x = leaf(torch) * 1
    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0], name="Square").apply(x)
    x.add_(1)
    return caught(lambda: y.sum().backward())


def needs_input_grad(torch):
    seen = []

    def forward(ctx, a, b, c, d):
        seen.append(ctx.needs_input_grad)
        return a * b

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        return None, None, None, None

    made = make(torch, forward, backward)
    made.apply(leaf(torch), torch.ones(2), leaf(torch), 4).sum().backward()
    return seen


def needs_input_grad_of_grad_with_inputs(torch):
    seen = []

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        return grad, grad

    x, y = leaf(torch), leaf(torch)
    torch.autograd.grad(make(torch, lambda ctx, a, b: a + b, backward).apply(x, y).sum(), x)
    return seen


def mark_dirty_in_place(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    x = leaf(torch)
    y = x * 1
    z = make(torch, forward, lambda ctx, g: g * 3, name="Triple").apply(y)
    z.sum().backward()
    return z is y, y, y._version, chain(y), x.grad


def mark_dirty_of_a_leaf(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    made = make(torch, forward, lambda ctx, g: g * 3)
    x = leaf(torch)
    return caught(lambda: made.apply(x))


def mark_dirty_of_a_view(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x

    x = leaf(torch, 1.0, 2.0, 3.0)
    y = x * 1
    part = y[1:]
    make(torch, forward, lambda ctx, g: g * 3).apply(part)
    y.sum().backward()
    return y, x.grad, node_name(y)


def mark_dirty_without_returning_it(torch):
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x * 2

    return caught(lambda: make(torch, forward, lambda ctx, g: g * 6).apply(leaf(torch) * 1))


def mark_dirty_of_what_was_not_an_input(torch):
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    return caught(lambda: make(torch, forward, lambda ctx, g: g * 2).apply(leaf(torch)))


def written_to_without_mark_dirty(torch):
    def forward(ctx, x):
        x.mul_(3)
        return x

    x = leaf(torch)
    y = x * 1
    z = make(torch, forward, lambda ctx, g: g * 3).apply(y)
    return z is y, z, y._version


def mark_non_differentiable(torch):
    def forward(ctx, x):
        order = x * 0
        ctx.mark_non_differentiable(order)
        return x * 2, order

    x = leaf(torch)
    y, order = make(torch, forward, lambda ctx, g, other: g * 2 + other).apply(x)
    (y * 1).sum().backward()
    return y.requires_grad, order.requires_grad, order.grad_fn, x.grad


def only_non_differentiable_results(torch):
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    return make(torch, forward, lambda ctx, g: g).apply(leaf(torch))


def materialized_gradients(torch):
    seen = []

    def backward(ctx, *grads):
        seen.append([None if each is None else each.tolist() for each in grads])
        return grads[0]

    x = leaf(torch)
    make(torch, lambda ctx, x: (x * 1, x * 2, (x * 3).sum()), backward).apply(x)[0].sum().backward()
    return seen


def gradients_not_materialized(torch):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 1, x * 2

    def backward(ctx, *grads):
        seen.append([None if each is None else each.tolist() for each in grads])
        return grads[1]

    x = leaf(torch)
    make(torch, forward, backward).apply(x)[1].sum().backward()
    return seen, x.grad


def attributes_of_ctx(torch):
    def forward(ctx, x):
        ctx.note = "kept"
        return x * 1

    node = make(torch, forward, lambda ctx, g: g).apply(leaf(torch)).grad_fn
    return node.note, caught(lambda: node.missing)


def ctx_names(torch):
    found = []

    def forward(ctx, x):
        found.append(
            [
                name
                for name in (
                    "save_for_backward",
                    "save_for_forward",
                    "mark_dirty",
                    "mark_non_differentiable",
                    "set_materialize_grads",
                    "saved_tensors",
                    "needs_input_grad",
                    "saved_variables",
                    "mark_shared_storage",
                    "set_materialize",
                )
                if hasattr(ctx, name)
            ]
        )
        return x * 1

    make(torch, forward, lambda ctx, g: g).apply(leaf(torch))
    return found

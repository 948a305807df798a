"""Saved values and their hooks; mutation of saved tensors."""

from __future__ import annotations

from tests.parity.programs.common import caught


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def counting(torch, seen):
    """Hooks that write down what they are given."""
    return torch.autograd.graph.saved_tensors_hooks(
        lambda tensor: (seen.append(("pack", tensor.tolist())), tensor)[1],
        lambda kept: (seen.append(("unpack", kept.tolist())), kept)[1],
    )


def hooks_on_products(torch):
    seen, x = [], leaf(torch)
    with counting(torch, seen):
        y = x * x
        z = y * 2
    (z.exp() if False else z).sum().backward()
    return seen, x.grad


def hooks_on_results(torch):
    seen, x = [], leaf(torch)
    with counting(torch, seen):
        y = x.exp().tanh()
    y.sum().backward()
    return len(seen), [kind for kind, _ in seen]


def hooks_replace_values(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t):
        y = x.exp() * x
    return torch.autograd.grad(y.sum(), x)


def hooks_that_keep_lists(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda k: torch.tensor(k)):
        y = (x * x).sin()
    return torch.autograd.grad(y.sum(), x)


def hooks_and_double_backward(torch):
    seen, x = [], leaf(torch)
    with counting(torch, seen):
        y = x**3
        (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    count = len(seen)
    return torch.autograd.grad(first.sum(), x), [kind for kind, _ in seen[:count]]


def hooks_unpack_each_time(torch):
    seen, x = [], leaf(torch)
    with counting(torch, seen):
        y = x.exp()
    torch.autograd.grad(y.sum(), x, retain_graph=True)
    torch.autograd.grad(y.sum(), x)
    return [kind for kind, _ in seen]


def hooks_seen_through_attributes(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t + 1):
        y = x * leaf(torch)
    return y.grad_fn._saved_self, y.grad_fn._saved_other


def hooks_on_functions(torch):
    seen, x = [], leaf(torch)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, x * 2)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[1]

    with counting(torch, seen):
        y = Square.apply(x)
    y.sum().backward()
    return seen, x.grad


def hooks_nested(torch):
    seen, x = [], leaf(torch)
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: seen.append("outer") or t, lambda t: t):
        with hooks(lambda t: seen.append("inner") or t, lambda t: t):
            x.exp()
        x.exp()
    return seen


def hooks_that_raise_in_pack(torch):
    x = leaf(torch)

    def pack(tensor):
        raise KeyError("pack")

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        return caught(lambda: x.exp())


def hooks_that_raise_in_unpack(torch):
    x = leaf(torch)

    def unpack(kept):
        raise KeyError("unpack")

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x.exp()
    return caught(lambda: y.sum().backward()), x.grad


def hooks_that_unpack_to_no_tensor(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda kept: 3):
        y = x.exp()
    return caught(lambda: y.sum().backward())


def hooks_that_write_in_pack(torch):
    x = leaf(torch) * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
        return caught(lambda: x.exp())


def hooks_with_wrong_signature(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda: 1, lambda t: t):
        return type(caught(lambda: x.exp())).__name__


def hooks_run_without_recording(torch):
    seen, x = [], leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: seen.append((t.requires_grad, torch.is_grad_enabled(), (t * 2).requires_grad)) or t, lambda t: t
    ):
        x.exp() * x
    return seen


def hooks_under_no_grad(torch):
    seen, x = [], leaf(torch)
    with counting(torch, seen), torch.no_grad():
        x.exp()
    return seen


def hooks_disabled(torch):
    graph = torch.autograd.graph

    def enter():
        with graph.disable_saved_tensors_hooks("this is why"), graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass

    def inside():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t), graph.disable_saved_tensors_hooks("this is why"):
            pass

    return caught(enter), caught(inside)


def register_hooks_of_a_saved_value(torch):
    seen, x = [], leaf(torch)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(
        lambda t: (seen.append("pack"), t * 2)[1], lambda t: (seen.append("unpack"), t / 2)[1]
    )
    y.sum().backward()
    return seen, x.grad, type(y.grad_fn._raw_saved_result).__name__


def register_hooks_twice(torch):
    y = leaf(torch).exp()  # kept: in torch the saved value is the node's
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t, lambda t: t)
    return caught(lambda: raw.register_hooks(lambda t: t, lambda t: t))


def register_hooks_after_release(torch):
    y = leaf(torch).exp()
    node = y.grad_fn
    raw = node._raw_saved_result
    y.sum().backward()
    return caught(lambda: raw.register_hooks(lambda t: t, lambda t: t))


def register_hooks_with_wrong_arguments(torch):
    y = leaf(torch).exp()
    raw = y.grad_fn._raw_saved_result
    return type(caught(lambda: raw.register_hooks(lambda: 1, lambda t: t))).__name__


def register_hooks_under_default_hooks(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x.exp()
    return caught(lambda: y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t))


def raw_saved_of_what_was_not_saved(torch):
    y = leaf(torch) * torch.ones(2)
    return y.grad_fn._saved_self, type(y.grad_fn._raw_saved_self).__name__


def raw_saved_of_numbers(torch):
    return caught(lambda: (leaf(torch) ** 2).grad_fn._raw_saved_exponent)


def saved_lists(torch):
    x = leaf(torch)
    node = torch.cat([x, x]).grad_fn
    return node._saved_dim


def saved_index(torch):
    x = leaf(torch)
    node = x[torch.tensor([0, 1])].grad_fn
    return node._saved_indices


def save_on_cpu(torch):
    x = leaf(torch)
    with torch.autograd.graph.save_on_cpu():
        y = (x * 1).exp()
    saved = y.grad_fn._saved_result
    return torch.autograd.grad(y.sum(), x), saved


def save_on_cpu_in_place_is_not_seen(torch):
    x = leaf(torch)
    with torch.autograd.graph.save_on_cpu():
        y = x * 1
        z = y * y
    y.zero_()
    return torch.autograd.grad(z.sum(), x)


def hooks_and_in_place(torch):
    x = leaf(torch)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * 1
        z = y * y
    y.zero_()
    return caught(lambda: torch.autograd.grad(z.sum(), x))


def allow_mutation(torch):
    x = leaf(torch)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y * y
        y.zero_()
        w = y.exp()
        w.mul_(3)
        (z + w).sum().backward()
    return x.grad, y


def allow_mutation_of_views(torch):
    x = leaf(torch)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y * y
        y[:1].zero_()
        z.sum().backward()
    return x.grad


def allow_mutation_ends(torch):
    x = leaf(torch)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y * y
        y.zero_()
    return caught(lambda: z.sum().backward())


def allow_mutation_does_not_nest(torch):
    def nest():
        allow = torch.autograd.graph.allow_mutation_on_saved_tensors
        with allow(), allow():
            pass

    return caught(nest)

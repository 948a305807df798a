"""The recorded graph: names, edges, saved values, hooks, modes."""

from __future__ import annotations

from tests.parity.programs.common import caught, chain, name_of, node_name


def leaf(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def leaf_has_no_node(torch):
    x = leaf(torch)
    return x.grad_fn, x.is_leaf, x.requires_grad, torch.ones(1).is_leaf


def edge_of_a_leaf(torch):
    x = leaf(torch)
    node = (x * 2).grad_fn
    target, nr = node.next_functions[0]
    return node.name(), name_of(target), nr, target.variable is x, node.next_functions[1]


def next_functions_of_a_product(torch):
    x, y = leaf(torch), leaf(torch)
    return [(name_of(each), nr) for each, nr in (x * y).grad_fn.next_functions], len((x * 2).grad_fn.next_functions)


def names_of_arithmetic(torch):
    x, y = leaf(torch), leaf(torch)
    results = [x + y, x - y, x * y, x / y, x**y, x**2, -x, 2 - x, 2 / x, x @ y, abs(x), x % 2, x // 1]
    return [node_name(each) for each in results]


def names_of_functions(torch):
    x = leaf(torch)
    names = (
        "exp",
        "log",
        "log1p",
        "expm1",
        "sqrt",
        "rsqrt",
        "sin",
        "cos",
        "tanh",
        "sigmoid",
        "relu",
        "abs",
        "sign",
        "reciprocal",
        "square",
        "clone",
        "sum",
        "mean",
        "var",
        "prod",
        "cumsum",
        "flatten",
        "contiguous",
        "double",
        "softmax",
        "log_softmax",
    )
    options = {"cumsum": (0,), "softmax": (0,), "log_softmax": (0,)}
    return [(name, caught(lambda n=name: node_name(getattr(x, n)(*options.get(n, ()))))) for name in names]


def names_of_shapes(torch):
    x = torch.ones(2, 3, requires_grad=True)
    results = [
        x.view(6),
        x.reshape(6),
        x.t().reshape(6),
        x.expand(4, 2, 3),
        x.permute(1, 0),
        x.transpose(0, 1),
        x.t(),
        x.unsqueeze(0),
        x[0],
        x[:, 1],
        x[0:1],
        x[None],
        x[[0]],
        x[x > 0],
        x.narrow(0, 0, 1),
        x.select(0, 0),
        x.flatten(),
        x.split(1)[0],
        x.unbind()[0],
        x.squeeze(),
        x.unsqueeze(0).squeeze(0),
        torch.cat([x, x]),
        torch.stack([x, x]),
        x.chunk(2)[0],
    ]
    return [chain(each) for each in results]


def names_of_clamps(torch):
    x = leaf(torch)
    return [
        node_name(each) for each in (x.clamp(0, 1), x.clamp(min=0), x.clamp(max=1), x.clamp(min=x), torch.maximum(x, x))
    ]


def class_of_a_node(torch):
    node = (leaf(torch) * 2).grad_fn
    return type(node).__name__, node.name(), isinstance(node, torch.autograd.graph.Node), repr(node).partition(" ")[0]


def saved_of_a_product(torch):
    x, y = leaf(torch), torch.tensor([3.0, 4.0])
    node = (x * y).grad_fn
    return node._saved_self, node._saved_other


def saved_of_a_power(torch):
    return (leaf(torch) ** 3).grad_fn._saved_exponent, (leaf(torch) ** 3).grad_fn._saved_self


def saved_is_freed(torch):
    z = leaf(torch) * leaf(torch)
    node = z.grad_fn
    z.sum().backward()
    return caught(lambda: node._saved_self)


def saved_sum_has_sizes(torch):
    node = leaf(torch).sum().grad_fn
    return node._saved_self_sym_sizes


def requires_grad_spreads(torch):
    x, y = leaf(torch), torch.ones(2)
    return (x + y).requires_grad, (y + y).requires_grad, (x > y).requires_grad, (x.detach() * y).requires_grad


def not_differentiable_results(torch):
    x = leaf(torch)
    return x.argmax().requires_grad, x.max(0)[1].requires_grad, x.sign().requires_grad, x.long().requires_grad


def no_grad_as_context(torch):
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
        inside = torch.is_grad_enabled()
    return y.requires_grad, inside, torch.is_grad_enabled()


def no_grad_as_decorator(torch):
    @torch.no_grad()
    def double(x):
        return x * 2

    return double(leaf(torch)).requires_grad, double.__name__, torch.is_grad_enabled()


def no_grad_without_parentheses_as_decorator(torch):
    @torch.no_grad
    def double(x):
        return x * 2

    return double(leaf(torch)).requires_grad


def no_grad_of_a_generator(torch):
    @torch.no_grad()
    def steps(x):
        yield (x * 2).requires_grad
        yield torch.is_grad_enabled()

    found = []
    for each in steps(leaf(torch)):
        found += [each, torch.is_grad_enabled()]
    return found


def no_grad_and_an_error(torch):
    def fail():
        with torch.no_grad():
            raise ValueError("inside")

    return caught(fail), torch.is_grad_enabled()


def enable_grad_inside_no_grad(torch):
    with torch.no_grad(), torch.enable_grad():
        y = leaf(torch) * 2
    return y.requires_grad


def set_grad_enabled_as_function(torch):
    torch.set_grad_enabled(False)
    off = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return off, torch.is_grad_enabled()


def set_grad_enabled_as_context(torch):
    with torch.set_grad_enabled(False):
        off = torch.is_grad_enabled()
    return off, torch.is_grad_enabled()


def no_grad_results_are_leaves(torch):
    with torch.no_grad():
        y = leaf(torch) * 2
        z = torch.ones(2, requires_grad=True)
    return y.is_leaf, z.requires_grad, y.requires_grad_().is_leaf


def threads_have_modes_of_their_own(torch):
    import threading

    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
    return seen


def hook_changes_the_gradient(torch):
    x = leaf(torch)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    y.sum().backward()
    return x.grad


def hook_on_a_leaf(torch):
    x = leaf(torch)
    x.register_hook(lambda grad: grad + 1)
    (x * 2).sum().backward()
    return x.grad


def hooks_run_in_order(torch):
    x, seen = leaf(torch), []
    x.register_hook(lambda grad: seen.append("first"))
    x.register_hook(lambda grad: seen.append("second"))
    x.sum().backward()
    return seen


def hook_is_removed(torch):
    x, seen = leaf(torch), []
    handle = x.register_hook(lambda grad: seen.append(1))
    handle.remove()
    x.sum().backward()
    return seen, x.grad


def hook_without_gradient_is_refused(torch):
    return torch.ones(1).register_hook(print)


def hook_that_returns_nonsense(torch):
    x = leaf(torch)
    x.register_hook(lambda grad: 5)
    return caught(lambda: x.sum().backward())


def hook_that_returns_another_shape(torch):
    x = leaf(torch)
    x.register_hook(lambda grad: torch.ones(5))
    return caught(lambda: x.sum().backward())


def hook_that_raises(torch):
    x = leaf(torch)

    def fail(grad):
        raise ValueError("in the hook")

    x.register_hook(fail)
    return caught(lambda: x.sum().backward()), x.grad


def post_accumulate_hook(torch):
    x, seen = leaf(torch), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad.tolist()))
    (x * 2).sum().backward()
    return seen


def post_accumulate_hook_on_non_leaf(torch):
    return (leaf(torch) * 2).register_post_accumulate_grad_hook(print)


def node_hooks(torch):
    x, seen = leaf(torch), []
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: seen.append(("pre", [each.tolist() for each in grads])))
    y.grad_fn.register_hook(lambda ins, outs: seen.append(("post", [None if i is None else i.tolist() for i in ins])))
    y.sum().backward()
    return seen, x.grad


def node_prehook_changes(torch):
    x = leaf(torch)
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 5,))
    y.sum().backward()
    return x.grad


def saved_tensors_hooks(torch):
    x, seen = leaf(torch), []

    def pack(tensor):
        seen.append("pack")
        return tensor.tolist()

    def unpack(kept):
        seen.append("unpack")
        return torch.tensor(kept)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    y.sum().backward()
    return x.grad, seen


def retain_grad(torch):
    x = leaf(torch)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward()
    return y.grad, y.retains_grad, x.retains_grad, caught(lambda: torch.ones(1).retain_grad())


def grad_of_non_leaf_warns(torch):
    y = leaf(torch) * 2
    return y.grad


def detach_cuts(torch):
    x = leaf(torch)
    y = x * 2
    z = y.detach() * x
    return torch.autograd.grad(z.sum(), x)


def output_nr(torch):
    first, second = leaf(torch).reshape(2, 1).unbind(0)
    return first.output_nr, second.output_nr, first.grad_fn is second.grad_fn


def data_has_no_history(torch):
    x = leaf(torch)
    return (x * 2).data.requires_grad, x.data.requires_grad, x.data.data_ptr() == x.data_ptr()


def inference_mode(torch):
    x = leaf(torch)
    with torch.inference_mode():
        y = x * 2
    return y.requires_grad, y.is_inference(), caught(lambda: y * x), caught(lambda: y.add_(1))


def anomaly_mode_names_nan(torch):
    x = torch.zeros(1, requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=True):
        y = (x / x).sum()
        error = caught(lambda: y.backward())
    return type(error).__name__, str(error).splitlines()[0]


def get_gradient_edge(torch):
    x = leaf(torch)
    edge = torch.autograd.graph.get_gradient_edge(x * 2)
    return edge.node.name(), edge.output_nr


def deep_graph(torch):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y + 1
    y.backward()
    return y, x.grad


def gradients_of_stacked_tensors(torch):
    x, y = leaf(torch), leaf(torch)
    grads = torch.autograd.grad(torch.stack([x, y], 1).square().sum(), (x, y), create_graph=True)
    names = [each.grad_fn.name() for each in grads]
    grads[0].mul_(3)  # each is a view of its own, which may be written to
    return names, grads, torch.autograd.grad(grads[0].sum(), x)

"""Functions written by users: both forms, results, gradients, what is refused."""

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


def _double(torch, **members):
    return make(torch, lambda ctx, x: x * 2, lambda ctx, grad: grad * 2, name="Double", **members)


def apply_and_backward(torch):
    x = leaf(torch)
    y = _double(torch).apply(x)
    y.sum().backward()
    return y, x.grad, y.is_leaf, node_name(y), type(y.grad_fn).__name__


def name_of_the_node_is_that_of_the_class(torch):
    return node_name(make(torch, lambda ctx, x: x * 1, lambda ctx, g: g, name="Mine").apply(leaf(torch)))


def node_is_a_function_and_a_node(torch):
    node = _double(torch).apply(leaf(torch)).grad_fn
    return isinstance(node, torch.autograd.graph.Node), isinstance(node, torch.autograd.Function)


def next_functions_of_the_node(torch):
    x, y = leaf(torch), leaf(torch) * 1
    made = make(torch, lambda ctx, a, b, c: a * b, lambda ctx, g: (g, g, None))
    node = made.apply(x, y, 3).grad_fn
    return [each is None or each.name().removeprefix("torch::autograd::") for each, _ in node.next_functions]


def without_an_input_that_requires_grad(torch):
    y = _double(torch).apply(torch.ones(2))
    return y, y.grad_fn


def under_no_grad(torch):
    with torch.no_grad():
        return _double(torch).apply(leaf(torch))


def forward_is_not_recorded(torch):
    seen = []

    def forward(ctx, x):
        seen.append(torch.is_grad_enabled())
        y = x * 2
        seen.append(y.requires_grad)
        return y

    y = make(torch, forward, lambda ctx, g: g).apply(leaf(torch))
    return seen, chain(y)


def forward_may_record_with_enable_grad(torch):
    seen = []

    def forward(ctx, x):
        with torch.enable_grad():
            y = x * 2
            seen.append(y.requires_grad)
        return y.detach()

    return make(torch, forward, lambda ctx, g: g).apply(leaf(torch)), seen


def split_form(torch):
    def setup(ctx, inputs, output):
        ctx.factor = inputs[1]
        ctx.save_for_backward(inputs[0], output)

    made = make(torch, lambda x, factor: x * factor, lambda ctx, g: (g * ctx.factor, None), setup)
    x = leaf(torch)
    y = made.apply(x, 3)
    y.sum().backward()
    return y, x.grad


def split_form_must_not_return_from_setup(torch):
    made = make(torch, lambda x: x * 1, lambda ctx, g: g, lambda ctx, inputs, output: 3)
    return caught(lambda: made.apply(leaf(torch)))


def arguments_in_containers_are_not_seen(torch):
    x = leaf(torch)
    made = make(torch, lambda ctx, pair: pair[0] * pair[1], lambda ctx, g: None)
    y = made.apply((x, x))
    return y.requires_grad, y.grad_fn


def keyword_arguments(torch):
    made = make(torch, lambda ctx, x, factor=2: x * factor, lambda ctx, g: (g, None))
    return caught(lambda: made.apply(leaf(torch), factor=3))


def a_list_as_result_is_refused(torch):
    made = make(torch, lambda ctx, x: [x * 1, x * 2], lambda ctx, *g: g[0])
    return caught(lambda: made.apply(leaf(torch)))


def a_tuple_as_result(torch):
    made = make(torch, lambda ctx, x: (x * 1, x * 2), lambda ctx, a, b: a + b * 2)
    x = leaf(torch)
    first, second = made.apply(x)
    (first + second).sum().backward()
    return first.output_nr, second.output_nr, x.grad, first.grad_fn is second.grad_fn


def a_tuple_of_one_as_result(torch):
    y = make(torch, lambda ctx, x: (x * 1,), lambda ctx, g: g).apply(leaf(torch))
    return type(y).__name__, len(y)


def results_that_are_no_tensors(torch):
    made = make(torch, lambda ctx, x: (x * 2, "text", None, 5), lambda ctx, g, *others: g * 2)
    x = leaf(torch)
    y, *others = made.apply(x)
    y.sum().backward()
    return y, others, x.grad


def a_result_that_is_no_tensor(torch):
    return caught(lambda: make(torch, lambda ctx, x: "text", lambda ctx, g: g).apply(leaf(torch)))


def integer_results_do_not_require_grad(torch):
    made = make(torch, lambda ctx, x: (x * 2, x.long()), lambda ctx, g, other: g * 2)
    x = leaf(torch)
    y, whole = made.apply(x)
    y.sum().backward()
    return whole, x.grad


def too_few_gradients(torch):
    made = make(torch, lambda ctx, x, y: x + y, lambda ctx, g: g, name="Few")
    return caught(lambda: made.apply(leaf(torch), leaf(torch)).sum().backward())


def too_many_gradients(torch):
    made = make(torch, lambda ctx, x: x * 1, lambda ctx, g: (g, g), name="Many")
    return caught(lambda: made.apply(leaf(torch)).sum().backward())


def too_many_gradients_that_are_none(torch):
    x = leaf(torch)
    made = make(torch, lambda ctx, x: x * 1, lambda ctx, g: (g, None, None))
    made.apply(x).sum().backward()
    return x.grad


def gradient_for_what_needs_none(torch):
    x = leaf(torch)
    made = make(torch, lambda ctx, x, y: x * 1, lambda ctx, g: (g, g))
    made.apply(x, torch.ones(2)).sum().backward()
    return x.grad


def gradient_for_what_is_no_tensor(torch):
    made = make(torch, lambda ctx, x, y: x * 1, lambda ctx, g: (g, g), name="Given")
    return caught(lambda: made.apply(leaf(torch), 3).sum().backward())


def gradient_that_is_no_tensor(torch):
    made = make(torch, lambda ctx, x: x * 1, lambda ctx, g: 3, name="Number")
    return caught(lambda: made.apply(leaf(torch)).sum().backward())


def gradient_none(torch):
    x = leaf(torch)
    make(torch, lambda ctx, x: x * 1, lambda ctx, g: None).apply(x).sum().backward()
    return x.grad


def gradient_of_wrong_shape(torch):
    made = make(torch, lambda ctx, x: x * 1, lambda ctx, g: g.new_ones(3), name="Shape")
    return caught(lambda: made.apply(leaf(torch)).sum().backward())


def gradient_that_is_summed_to_shape(torch):
    x = leaf(torch)
    make(torch, lambda ctx, x: x.expand(3, 2) * 1, lambda ctx, g: g).apply(x).sum().backward()
    return x.grad


def gradient_of_wrong_dtype_is_cast(torch):
    x = leaf(torch)
    make(torch, lambda ctx, x: x * 1, lambda ctx, g: g.double()).apply(x).sum().backward()
    return x.grad


def error_in_backward(torch):
    def backward(ctx, grad):
        raise KeyError("on purpose")

    return caught(lambda: make(torch, lambda ctx, x: x * 1, backward).apply(leaf(torch)).sum().backward())


def no_forward(torch):
    made = type("Nothing", (torch.autograd.Function,), {})
    return caught(lambda: made.apply(leaf(torch)))


def no_backward(torch):
    made = type("Half", (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 1)})
    return caught(lambda: made.apply(leaf(torch)).sum().backward())


def both_backward_and_vjp(torch):
    made = _double(torch, vjp=staticmethod(lambda ctx, g: g))
    return caught(lambda: made.apply(leaf(torch)).sum().backward())


def vjp_alone(torch):
    x = leaf(torch)
    body = {"forward": staticmethod(lambda ctx, x: x * 3), "vjp": staticmethod(lambda ctx, g: g * 3)}
    type("Other", (torch.autograd.Function,), body).apply(x).sum().backward()
    return x.grad


def input_returned_as_it_is(torch):
    x = leaf(torch)
    y = make(torch, lambda ctx, x: x, lambda ctx, g: g * 5, name="Same").apply(x)
    z = make(torch, lambda ctx, x: x, lambda ctx, g: g * 7, name="Same").apply(y)
    z.sum().backward()
    return y is x, z is y, chain(z), x.grad, x.grad_fn


def input_returned_twice(torch):
    x = leaf(torch)
    first, second = make(torch, lambda ctx, x: (x, x), lambda ctx, a, b: a * 2 + b * 3).apply(x)
    (first + second).sum().backward()
    return first is second, x.grad


def view_of_the_input_returned(torch):
    x = leaf(torch)
    y = make(torch, lambda ctx, x: x[:1], lambda ctx, g: torch.cat([g, g * 0]), name="First").apply(x * 1)
    error = caught(lambda: y.mul_(2))
    return y, node_name(y), error


def two_views_of_the_input_returned(torch):
    x = leaf(torch) * 1
    first, second = make(torch, lambda ctx, x: (x[:1], x[1:]), lambda ctx, a, b: torch.cat([a, b])).apply(x)
    return first, second, caught(lambda: first.mul_(2))


def input_that_needs_no_grad_returned(torch):
    x, y = leaf(torch), torch.ones(2)
    made = make(torch, lambda ctx, x, y: (x * 2, y), lambda ctx, a, b: (a * 2, b))
    first, second = made.apply(x, y)
    return first.requires_grad, second.requires_grad, second is y


def double_backward(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    x = leaf(torch)
    y = make(torch, forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2).apply(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return first, torch.autograd.grad(first.sum(), x)


def double_backward_through_a_saved_result(torch):
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    x = leaf(torch)
    y = make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    return second, torch.autograd.grad(second.sum(), x)


def backward_is_recorded_only_with_create_graph(torch):
    seen = []

    def backward(ctx, grad):
        seen.append(torch.is_grad_enabled())
        return grad * 2

    x = leaf(torch)
    y = make(torch, lambda ctx, x: x * 2, backward).apply(x).sum()
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    return seen


def once_differentiable_twice(torch):
    backward = torch.autograd.function.once_differentiable(lambda ctx, grad: grad * 2)
    x, out = leaf(torch), torch.ones(2, requires_grad=True)
    (first,) = torch.autograd.grad(make(torch, lambda ctx, x: x * 2, backward).apply(x), x, out, create_graph=True)
    return first.requires_grad, caught(lambda: first.sum().backward())


def legacy_call_is_refused(torch):
    made = _double(torch)
    return caught(lambda: made()(leaf(torch)))


def hooks_of_the_node(torch):
    x, seen = leaf(torch), []
    y = _double(torch).apply(x)
    y.grad_fn.register_hook(lambda ins, outs: seen.append(("after", ins[0].tolist(), outs[0].tolist())))
    y.grad_fn.register_prehook(lambda outs: seen.append(("before", outs[0].tolist())))
    y.sum().backward()
    return seen


def parameter_as_input(torch):
    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    y = _double(torch).apply(weight)
    y.sum().backward()
    return type(y).__name__, weight.grad


def function_inside_a_function(torch):
    inner = _double(torch)
    x = leaf(torch)
    y = make(torch, lambda ctx, x: inner.apply(x) + 1, lambda ctx, g: inner.apply(g)).apply(x)
    y.sum().backward()
    return chain(y), x.grad


def backward_through_another_pass(torch):
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = (ctx.x**2).sum()
        return ctx.y.detach()

    def backward(ctx, grad):
        ctx.y.backward()
        return grad * ctx.x.grad

    x = leaf(torch)
    make(torch, forward, backward).apply(x).backward()
    return x.grad


def complex_function(torch):
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return (z * z.conj()).real

    z = torch.tensor([1 + 2j, -3j], requires_grad=True)
    make(torch, forward, lambda ctx, g: g * 2 * ctx.saved_tensors[0]).apply(z).sum().backward()
    return z.grad


def real_gradient_of_a_complex_input(torch):
    z = torch.tensor([1 + 2j, -3j], requires_grad=True)
    made = make(torch, lambda ctx, z: z * 1, lambda ctx, g: g.real)
    made.apply(z).abs().sum().backward()
    return z.grad


def complex_gradient_of_a_real_input(torch):
    x = leaf(torch)
    make(torch, lambda ctx, x: x * 1j, lambda ctx, g: g * -1j).apply(x).real.sum().backward()
    return x.grad

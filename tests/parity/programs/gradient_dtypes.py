"""`Tensor.grad_dtype`: what dtype a leaf's gradients are given when they arrive."""

from __future__ import annotations

import warnings

from tests.parity.programs.common import caught


def leaf(torch, dtype=None):
    return torch.ones(2, requires_grad=True, dtype=dtype)


def wide(torch, dtype=None):
    x = leaf(torch)
    x.grad_dtype = dtype or torch.float64
    return x


class Doubled:
    """A custom Function whose gradient has another dtype than its input."""

    @staticmethod
    def of(torch):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad.double() * 2

        return Twice.apply


def own_dtype_until_set(torch):
    x, whole = leaf(torch), torch.ones(2, dtype=torch.int64)
    return x.grad_dtype, whole.grad_dtype, wide(torch).grad_dtype, torch.nn.Parameter(torch.ones(1).half()).grad_dtype


def any_dtype(torch):
    x = leaf(torch)
    x.grad_dtype = None
    before = x.grad_dtype
    Doubled.of(torch)(x).sum().backward()
    first = x.grad.clone()
    (x * 2).sum().backward()
    return before, first, x.grad


def cast_to_the_own_dtype(torch):
    x = leaf(torch)
    Doubled.of(torch)(x).sum().backward()
    return x.grad


def gradients_are_cast(torch):
    x = wide(torch)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    return x.grad, torch.autograd.grad((x * 2).sum(), x)


def graphs_made_before(torch):
    x = leaf(torch)
    y = x * 2
    x.grad_dtype = torch.float64
    y.sum().backward()
    return x.grad


def edges_known_before(torch):
    x = leaf(torch)
    y = x * 2
    node = (x * 3).grad_fn.next_functions[0][0]
    x.grad_dtype = torch.float64
    z = x * 5
    (y.sum() + z.sum()).backward()
    return x.grad, node.variable is x


def halves_summed_in_float(torch):
    x = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    x.grad_dtype = torch.float32
    (x * 256).sum().backward()
    (x * 1).sum().backward()
    return x.grad


def hooks_see_it(torch):
    x, seen = wide(torch), []
    x.register_hook(lambda grad: seen.append(grad.dtype))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.dtype))
    (x * 2).sum().backward()
    return seen


def real_and_complex(torch):
    x, c = wide(torch, torch.complex64), leaf(torch, torch.complex64)
    c.grad_dtype = torch.float32
    (x * 2).sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns once of what is lost
        (c * 2).sum().abs().backward()
    return x.grad, c.grad


def roots(torch):
    x, y = wide(torch), wide(torch)
    x.backward(torch.ones(2))
    y.backward(torch.ones(2, dtype=torch.float64))
    return x.grad, y.grad


def recorded_passes(torch):
    x = wide(torch)
    (grad,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return grad, torch.autograd.grad(grad.sum(), x)


def chosen_inputs(torch):
    x = wide(torch)
    torch.autograd.backward((x * 2).sum(), inputs=[x])
    return x.grad


def assigned(torch):
    x, loose = wide(torch), leaf(torch)
    x.grad = torch.ones(2, dtype=torch.float64)
    loose.grad_dtype = None
    loose.grad = torch.ones(2, dtype=torch.float64)
    (x * 2).sum().backward()
    return x.grad, loose.grad


def other_assigned_gradients_are_refused(torch):
    x = wide(torch)

    def own():
        x.grad = torch.ones(2)

    return caught(own), x.grad


def other_present_gradients_are_refused(torch):
    x = leaf(torch)
    x.grad = torch.ones(2)

    def change():
        x.grad_dtype = torch.float64

    refused = caught(change)
    x.grad_dtype = torch.float32
    return refused, x.grad_dtype, x.grad


def results_have_none(torch):
    y = leaf(torch) * 2

    def change():
        y.grad_dtype = torch.float64

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch looks at the `.grad` of the result
        return caught(lambda: y.grad_dtype), caught(change)


def no_dtype_is_refused(torch):
    x = leaf(torch)

    def name():
        x.grad_dtype = "float64"

    def kind():
        x.grad_dtype = float

    return caught(name), caught(kind), x.grad_dtype


def kept_by_the_tensor_alone(torch):
    import copy

    x = wide(torch)
    return copy.deepcopy(x).grad_dtype, x.detach().grad_dtype, x.clone().detach().grad_dtype


def kept_with_other_memory(torch):
    x, y = wide(torch), leaf(torch)
    x.data = torch.zeros(2)
    y.data = torch.zeros(2, dtype=torch.float64)
    return x.grad_dtype, y.grad_dtype


def modules(torch):
    layer = torch.nn.Linear(2, 2)
    layer.weight.grad_dtype = torch.float64
    layer(torch.ones(2)).sum().backward()
    step = torch.optim.SGD(layer.parameters(), 0.1)
    found = layer.weight.grad
    step.zero_grad(set_to_none=False)
    return found, layer.weight.grad, layer.half().weight.grad_dtype

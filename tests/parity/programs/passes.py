"""`backward` and `grad`: arguments, accumulation, freed graphs, higher derivatives, errors."""

from __future__ import annotations

from tests.parity.programs.common import caught


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def backward_of_a_scalar(torch):
    x = leaf(torch)
    result = (x * x).sum().backward()
    return result, x.grad


def backward_of_a_vector_is_refused(torch):
    return (leaf(torch) * 2).backward()


def backward_with_gradient(torch):
    x = leaf(torch)
    (x * 2).backward(torch.tensor([1.0, 10.0]))
    return x.grad


def backward_with_gradient_keyword(torch):
    x = leaf(torch)
    (x * 2).backward(gradient=torch.tensor([1.0, 10.0]))
    return x.grad


def backward_with_wrong_shape(torch):
    return (leaf(torch) * 2).backward(torch.ones(3))


def backward_with_gradient_of_scalar_shape(torch):
    x = leaf(torch)
    return caught(lambda: (x * 2).backward(torch.tensor(1.0))), caught(lambda: (x * 2).sum().backward(torch.ones(1)))


def backward_with_a_number(torch):
    return (leaf(torch) * 2).sum().backward(1.0)


def backward_without_graph(torch):
    return torch.ones(1).backward()


def backward_of_a_leaf(torch):
    x = torch.tensor(3.0, requires_grad=True)
    x.backward()
    return x.grad


def backward_twice_is_refused(torch):
    y = (leaf(torch) ** 2).sum()
    y.backward()
    y.backward()


def backward_twice_of_linear_is_fine(torch):
    x = leaf(torch)
    y = (x + 1).sum()
    y.backward()
    return caught(y.backward), x.grad


def backward_twice_with_retain_graph(torch):
    x = leaf(torch)
    y = (x**2).sum()
    y.backward(retain_graph=True)
    y.backward()
    return x.grad


def gradients_accumulate(torch):
    x = leaf(torch)
    for _ in range(3):
        (x * 2).sum().backward()
    return x.grad


def gradient_is_set_to_none(torch):
    x = leaf(torch)
    x.sum().backward()
    x.grad = None
    (x * 3).sum().backward()
    return x.grad


def gradient_of_wrong_shape_is_refused(torch):
    leaf(torch).grad = torch.ones(3)


def gradient_of_wrong_dtype_is_refused(torch):
    leaf(torch).grad = torch.ones(2, dtype=torch.float64)


def gradient_of_wrong_type_is_refused(torch):
    leaf(torch).grad = 1.0


def gradient_is_not_shared(torch):
    x, y = leaf(torch), leaf(torch)
    (x + y).sum().backward()
    return x.grad is y.grad, x.grad.data_ptr() == y.grad.data_ptr()


def used_twice(torch):
    x = leaf(torch)
    (x * x + x).sum().backward()
    return x.grad


def diamond(torch):
    x = leaf(torch)
    y = x * 2
    ((y * y) + y.exp()).sum().backward()
    return x.grad


def unused_leaf_keeps_none(torch):
    x, y = leaf(torch), leaf(torch)
    x.sum().backward()
    return x.grad, y.grad


def backward_inputs(torch):
    x, y = leaf(torch), leaf(torch)
    (x * y).sum().backward(inputs=[x])
    return x.grad, y.grad


def backward_inputs_single(torch):
    x, y = leaf(torch), leaf(torch)
    (x * y).sum().backward(inputs=x)
    return x.grad, y.grad


def backward_inputs_empty(torch):
    return leaf(torch).sum().backward(inputs=[])


def backward_inputs_non_leaf(torch):
    x = leaf(torch)
    y = x * 2
    (y * y).sum().backward(inputs=[y])
    return y.grad, x.grad


def autograd_backward_of_several(torch):
    x = leaf(torch)
    torch.autograd.backward([x.sum(), (x * 2).sum()])
    return x.grad


def autograd_backward_with_tensors(torch):
    x = leaf(torch)
    torch.autograd.backward([x * 2, x * 3], [torch.ones(2), torch.tensor([10.0, 20.0])])
    return x.grad


def autograd_backward_counts_differ(torch):
    x = leaf(torch)
    return caught(lambda: torch.autograd.backward([x * 2, x * 3], [torch.ones(2)]))


def grad_of_several(torch):
    x, y = leaf(torch), leaf(torch)
    return torch.autograd.grad((x * y).sum(), [x, y]), x.grad


def grad_of_one(torch):
    x = leaf(torch)
    return torch.autograd.grad((x * x).sum(), x)


def grad_with_grad_outputs(torch):
    x = leaf(torch)
    return torch.autograd.grad(x * x, x, torch.tensor([1.0, 10.0]))


def grad_of_vector_is_refused(torch):
    x = leaf(torch)
    return torch.autograd.grad(x * x, x)


def grad_unused_is_refused(torch):
    x, y = leaf(torch), leaf(torch)
    return torch.autograd.grad(x.sum(), [x, y])


def grad_allow_unused(torch):
    x, y = leaf(torch), leaf(torch)
    return torch.autograd.grad(x.sum(), [x, y], allow_unused=True)


def grad_materialize(torch):
    x, y = leaf(torch), leaf(torch)
    return torch.autograd.grad(x.sum(), [x, y], materialize_grads=True)


def grad_materialize_contradiction(torch):
    x, y = leaf(torch), leaf(torch)
    return torch.autograd.grad(x.sum(), [x, y], materialize_grads=True, allow_unused=False)


def grad_of_an_input_without_gradient(torch):
    x, y = leaf(torch), torch.ones(2)
    return torch.autograd.grad((x * y).sum(), y)


def grad_of_a_non_leaf(torch):
    x = leaf(torch)
    y = x * 2
    return torch.autograd.grad((y * y).sum(), y)


def grad_of_inputs_on_one_path(torch):
    x = leaf(torch)
    y = x * 2
    z = y * y
    return torch.autograd.grad(z.sum(), [x, y, z], allow_unused=True)


def grad_of_the_output_itself(torch):
    x = leaf(torch)
    y = x.sum()
    return torch.autograd.grad(y, y)


def grad_same_input_twice(torch):
    x = leaf(torch)
    return torch.autograd.grad((x * x).sum(), [x, x])


def grad_without_inputs(torch):
    return torch.autograd.grad(leaf(torch).sum(), [])


def grad_of_text_is_refused(torch):
    return torch.autograd.grad("a", leaf(torch))


def grad_create_graph(torch):
    x = leaf(torch)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = torch.autograd.grad(second.sum(), x)
    return first, second, third


def grad_without_create_graph_has_no_history(torch):
    x = leaf(torch)
    (first,) = torch.autograd.grad((x**3).sum(), x)
    return first.requires_grad, caught(lambda: torch.autograd.grad(first.sum(), x))


def grad_create_graph_retains(torch):
    x = leaf(torch)
    y = (x**3).sum()
    torch.autograd.grad(y, x, create_graph=True)
    return torch.autograd.grad(y, x)


def grad_create_graph_without_retain(torch):
    x = leaf(torch)
    y = (x**3).sum()
    torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    return caught(lambda: torch.autograd.grad(y, x))


def backward_create_graph_warns(torch):
    x = leaf(torch)
    (x**2).sum().backward(create_graph=True)
    found, x.grad = x.grad, None  # else gradient and graph keep each other alive, as the warning says
    return found


def grad_outputs_none_for_scalars(torch):
    x = leaf(torch)
    return torch.autograd.grad([x.sum(), x * 2], [x], [None, torch.ones(2)])


def grad_outputs_wrong_shape(torch):
    x = leaf(torch)
    return torch.autograd.grad(x * x, x, torch.ones(3))


def grad_outputs_wrong_dtype(torch):
    x = leaf(torch)
    return caught(lambda: torch.autograd.grad(x * x, x, torch.ones(2, dtype=torch.float64)))


def grad_outputs_that_require_grad(torch):
    x, g = leaf(torch), leaf(torch, 3.0, 4.0)
    (first,) = torch.autograd.grad(x * x, x, g, create_graph=True)
    return first, torch.autograd.grad(first.sum(), (x, g))


def double_backward_trick(torch):
    x = leaf(torch)
    v = torch.ones(2, requires_grad=True)
    (vjp,) = torch.autograd.grad(x**3, x, v, create_graph=True)
    return torch.autograd.grad(vjp, v, torch.tensor([1.0, 2.0]))


def integer_root_is_refused(torch):
    return torch.ones(1, dtype=torch.int64).sum().backward()


def complex_root_is_refused(torch):
    x = torch.tensor([1j], requires_grad=True)
    return (x * x).sum().backward()


def arguments_of_the_first_versions(torch):
    x = leaf(torch)
    torch.autograd.backward((x * 2,), grad_variables=(torch.ones(2),))
    both = caught(lambda: torch.autograd.backward((x * 2,), (torch.ones(2),), grad_variables=(torch.ones(2),)))
    torch.autograd.backward((x.sum(),), None, None, False, None, [x])
    return x.grad, both, torch.autograd.grad(x.sum(), x, only_inputs=False)


def complex_gradient_convention(torch):
    z = torch.tensor([3 + 4j], dtype=torch.complex128, requires_grad=True)
    (z * z.conj()).real.sum().backward()
    return z.grad


def grad_under_no_grad(torch):
    x = leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        return torch.autograd.grad(y, x)


def jacobian_by_rows(torch):
    x = leaf(torch)
    y = torch.stack([x[0] * x[1], x[0] ** 2])
    return [torch.autograd.grad(y[at], x, retain_graph=True)[0] for at in range(2)]


def expanded_gradient_is_dense(torch):
    x = leaf(torch)
    x.sum().backward()
    return x.grad.stride(), x.grad.is_contiguous()


def gradient_of_transposed_leaf_has_its_strides(torch):
    x = torch.ones(2, 3).t().requires_grad_()
    (x * 2).sum().backward()
    return x.grad.stride(), x.stride()


def backward_inside_hook(torch):
    x, seen = leaf(torch), []

    def hook(grad):
        w = torch.tensor([2.0], requires_grad=True)
        (w * 3).sum().backward()
        seen.append(w.grad.tolist())

    y = x * 2
    y.register_hook(hook)
    y.sum().backward()
    return seen, x.grad


def gradients_of_freed_intermediates(torch):
    x = leaf(torch)
    y = x.exp()
    z = y.sum()
    del y
    z.backward()
    return x.grad


def zero_size_backward(torch):
    x = torch.zeros(0, 3, requires_grad=True)
    (x * 2).sum().backward()
    return x.grad

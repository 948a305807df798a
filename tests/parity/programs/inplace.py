"""In-place writes: values, histories, versions, and what is refused before anything is written."""

# ruff: noqa: RUF059 - programs are written as torch's users write them

from __future__ import annotations

from tests.parity.programs.common import caught, chain, node_name


def start(torch, count=4):
    x = torch.arange(1.0, count + 1, requires_grad=True)
    return x, x * 1


def add_in_place(torch):
    x, y = start(torch)
    z = y.add_(1)
    y.sum().backward()
    return z is y, y, y._version, x.grad, chain(y)


def mul_in_place_by_itself_as_it_was(torch):
    x, y = start(torch)
    y.mul_(y)
    return y, torch.autograd.grad(y.sum(), x)


def operators_in_place(torch):
    results = []
    for text in ("y += 2", "y -= 2", "y *= 3", "y /= 2", "y **= 2", "y %= 3"):
        x, y = start(torch)
        names = {"y": y}
        exec(text, names)
        results.append((text, names["y"], names["y"] is y, torch.autograd.grad(y.sum(), x)))
    return results


def leaf_is_refused(torch):
    x = torch.ones(2, requires_grad=True)
    return caught(lambda: x.add_(1)), x, x._version


def leaf_operator_is_refused(torch):
    x = torch.ones(2, requires_grad=True)
    x += 1
    return x


def leaf_under_no_grad(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        x.add_(1)
    return x, x._version, x.is_leaf


def view_of_a_leaf_is_refused(torch):
    x = torch.ones(2, requires_grad=True)
    return caught(lambda: x[0].add_(1)), caught(lambda: x.view(2).mul_(2)), x


def leaf_without_gradient_joins_the_graph(torch):
    x, y = torch.zeros(2), torch.ones(2, requires_grad=True)
    x.add_(y)
    return x, x.is_leaf, torch.autograd.grad(x.sum(), y)


def saved_value_was_written_to(torch):
    x, y = start(torch)
    z = y.exp()
    z.add_(1)
    return caught(lambda: z.sum().backward())


def saved_input_was_written_to(torch):
    x, y = start(torch)
    z = y * y
    y.add_(1)
    return caught(lambda: z.sum().backward())


def saved_input_written_through_a_view(torch):
    x, y = start(torch)
    z = y * y
    y[0].zero_()
    return caught(lambda: z.sum().backward())


def saved_input_written_through_detach(torch):
    x, y = start(torch)
    z = y * y
    y.detach().zero_()
    return caught(lambda: z.sum().backward())


def saved_input_written_through_data(torch):
    x, y = start(torch)
    z = y * y
    y.data.zero_()
    return torch.autograd.grad(z.sum(), x)


def not_saved_input_may_be_written_to(torch):
    x, y = start(torch)
    z = y + 1
    y.mul_(2)
    return torch.autograd.grad((z + y).sum(), x)


def write_to_a_view_reaches_the_base(torch):
    x, y = start(torch)
    v = y[1:3]
    v.mul_(10)
    return y, v, chain(y), chain(v), torch.autograd.grad(y.sum(), x)


def write_to_the_base_reaches_the_view(torch):
    x, y = start(torch)
    v = y[1:3]
    y.mul_(10)
    return v, node_name(v), torch.autograd.grad(v.sum(), x)


def view_of_a_view_written(torch):
    x, y = start(torch)
    v = y.view(2, 2)[1]
    v.exp_()
    return y, v._version, y._version, chain(y), torch.autograd.grad(y.sum(), x)


def two_views_written_in_turn(torch):
    x, y = start(torch)
    first, second = y[:3], y[1:]
    first.mul_(2)
    second.mul_(3)
    first.add_(1)
    return y, first, second, torch.autograd.grad((y * first.sum()).sum(), x)


def write_to_a_transposed_view(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = x.reshape(2, 2) * 1
    y.t()[0].mul_(5)
    return y, torch.autograd.grad(y.square().sum(), x)


def written_value_joins_by_a_view(torch):
    x, y = torch.zeros(4), torch.ones(2, requires_grad=True)
    v = x[:2]
    v.add_(y)
    return x.requires_grad, v.requires_grad, chain(x), torch.autograd.grad(x.sum(), y)


def expanded_is_refused(torch):
    x = torch.ones(1).expand(3)
    return caught(lambda: x.add_(1)), x, x._version


def broadcast_of_the_target_is_refused(torch):
    x = torch.ones(2)
    return caught(lambda: x.add_(torch.ones(3, 2))), x, x._version


def wrong_dtype_is_refused(torch):
    x = torch.ones(2, dtype=torch.int64)
    return caught(lambda: x.mul_(1.5)), caught(lambda: x.add_(torch.ones(2))), x, x._version


def overlap_of_source_and_target(torch):
    x = torch.arange(4.0)
    return caught(lambda: x[1:].add_(x[:-1])), x


def unbind_outputs_are_refused(torch):
    x, y = start(torch)
    first, _ = y.reshape(2, 2).unbind(0)
    return caught(lambda: first.add_(1)), caught(lambda: y.split(2)[0].mul_(2)), y


def view_made_in_no_grad_is_refused(torch):
    x, y = start(torch)
    with torch.no_grad():
        v = y[:2]
    return caught(lambda: v.mul_(2)), y


def view_made_in_no_grad_written_in_no_grad(torch):
    x, y = start(torch)
    with torch.no_grad():
        y[:2].mul_(2)
    return y, y._version, torch.autograd.grad(y.sum(), x)


def zero_and_fill(torch):
    x, y = start(torch)
    y.zero_()
    y[:2].fill_(3)
    return y, torch.autograd.grad(y.sum(), x), chain(y)


def fill_with_a_tensor(torch):
    x, y = start(torch)
    value = torch.tensor(2.0, requires_grad=True)
    y.fill_(value)
    return y, torch.autograd.grad(y.sum(), (x, value))


def copy_in_place(torch):
    x, y = start(torch)
    source = torch.ones(1, dtype=torch.float64, requires_grad=True)
    y.copy_(source)
    return y, torch.autograd.grad(y.sum(), (x, source)), node_name(y)


def copy_wrong_shape(torch):
    x = torch.ones(2)
    return caught(lambda: x.copy_(torch.ones(3))), x, x._version


def copy_to_part(torch):
    x, y = start(torch)
    y[1:3].copy_(torch.zeros(2))
    return y, torch.autograd.grad(y.sum(), x)


def versions_are_shared(torch):
    x = torch.zeros(4)
    v, d = x[:2], x.detach()
    v.add_(1)
    d.add_(1)
    return x._version, v._version, d._version, x.data._version, x.clone()._version


def detach_in_place(torch):
    x, y = start(torch)
    y.detach_()
    return y, y.is_leaf, caught(lambda: (x * 1)[:2].detach_())


def requires_grad_in_place(torch):
    x = torch.ones(2)
    return x.requires_grad_() is x, x, caught(lambda: torch.ones(2, dtype=torch.int64).requires_grad_())


def requires_grad_of_non_leaf(torch):
    x, y = start(torch)
    y.requires_grad = False


def clamp_in_place(torch):
    x, y = start(torch)
    y.clamp_(2, 3)
    return y, torch.autograd.grad(y.sum(), x)


def masked_fill_in_place(torch):
    x, y = start(torch)
    y.masked_fill_(y > 2, 0)
    return y, torch.autograd.grad(y.sum(), x)


def index_add_in_place(torch):
    x, y = start(torch)
    y.index_add_(0, torch.tensor([0, 0]), torch.ones(2))
    return y, torch.autograd.grad(y.sum(), x)


def shape_operations_in_place(torch):
    x = torch.arange(6.0).reshape(2, 3) * 1
    x.t_()
    x.unsqueeze_(0)
    x.squeeze_(0)
    x.transpose_(0, 1)
    return x, x.stride(), x._version


def second_derivative_through_an_in_place_view(torch):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = x**3
    y[1:].mul_(x[:2])
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y, first, torch.autograd.grad(first.sum(), x)


def hook_sees_the_new_value(torch):
    x, y = start(torch)
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.mul_(2)
    y.register_hook(lambda grad: seen.append((grad * 10).tolist()))
    y.sum().backward()
    return seen, x.grad


def retain_grad_follows(torch):
    x, y = start(torch)
    y.retain_grad()
    y.mul_(2)
    y.sum().backward()
    return y.grad, x.grad


def grad_is_written_in_place(torch):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    grad = x.grad
    (x * 3).sum().backward()
    grad.zero_()
    return x.grad, x.grad is grad


def set_data(torch):
    x = torch.ones(2, requires_grad=True)
    x.data = torch.zeros(3)
    return x, x.shape, x.is_leaf


def writes_in_a_loop(torch):
    x = torch.ones(3, requires_grad=True)
    y = torch.zeros(3)
    for at in range(3):
        y[at] = x[at] * (at + 1)
    y.sum().backward()
    return y, x.grad, chain(y)

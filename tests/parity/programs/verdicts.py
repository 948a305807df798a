"""What may be written to in place, and in which words the rest is refused: all kinds of views, in all modes."""

# ruff: noqa: RUF059 - programs are written as torch's users write them

from __future__ import annotations

from tests.parity.programs.common import caught, chain, node_name

VIEWS = {
    "index": lambda y: y[0],
    "slice": lambda y: y[1:],
    "strided slice": lambda y: y[::2],
    "column": lambda y: y[:, 1],
    "none": lambda y: y[None],
    "view": lambda y: y.view(-1),
    "reshape": lambda y: y.reshape(2, 6),
    "transpose": lambda y: y.t(),
    "permute": lambda y: y.permute(1, 0),
    "unsqueeze": lambda y: y.unsqueeze(0),
    "squeeze": lambda y: y[:1].squeeze(0),
    "narrow": lambda y: y.narrow(0, 0, 2),
    "select": lambda y: y.select(1, 2),
    "diagonal": lambda y: y.diagonal(),
    "expand": lambda y: y[:1].expand(3, 4),
    "expand of nothing": lambda y: y.expand(3, 4),
    "split": lambda y: y.split(1)[0],
    "chunk": lambda y: y.chunk(3)[1],
    "unbind": lambda y: y.unbind(0)[2],
    "tensor_split": lambda y: y.tensor_split(3)[0],
    "detach": lambda y: y.detach(),
    "alias": lambda y: y[...],
    "flatten": lambda y: y.flatten(),
    "unflatten": lambda y: y.unflatten(1, (2, 2)),
    "movedim": lambda y: y.movedim(0, 1),
    "view of a view": lambda y: y.t()[1:, :2],
    "view of unbind": lambda y: y.unbind(0)[0][:2],
    "split of a view": lambda y: y[1:].split(1)[0],
    "contiguous": lambda y: y.contiguous(),
    "clone": lambda y: y.clone(),
    "view_as": lambda y: y.view_as(y),
    "unfold": lambda y: y.unfold(0, 2, 1),
    "as_strided": lambda y: y.as_strided((2, 2), (4, 1)),
    "swapaxes": lambda y: y.swapaxes(0, 1),
    "hsplit": lambda y: y.hsplit(2)[0],
    "real": lambda y: y.real,
}


def start(torch):
    x = torch.arange(1.0, 13.0, requires_grad=True)
    return x, (x * 1).view(3, 4) * 1


def verdict(torch, x, y, target, write):
    """What a write into `target` leads to: the error, or values, version and the gradient of what they come from."""
    written = caught(lambda: write(target))
    if isinstance(written, Exception):
        return written, y._version
    gradient = caught(lambda: torch.autograd.grad((y * y).sum(), x))
    return y.detach(), y._version, gradient, y.requires_grad


def writes_to_views_of_results(torch):
    found = []
    for name, view in VIEWS.items():
        x, y = start(torch)
        target = caught(lambda v=view, y=y: v(y))
        found.append(
            (name, target if isinstance(target, Exception) else verdict(torch, x, y, target, lambda t: t.mul_(2)))
        )
    return found


def copies_into_views_of_results(torch):
    found = []
    for name, view in VIEWS.items():
        x, y = start(torch)
        target = caught(lambda v=view, y=y: v(y))
        if not isinstance(target, Exception):
            found.append((name, verdict(torch, x, y, target, lambda t: t.copy_(torch.ones(())))))
    return found


def writes_to_views_of_leaves(torch):
    found = []
    for name, view in VIEWS.items():
        x = torch.arange(1.0, 13.0).view(3, 4).requires_grad_()
        target = caught(lambda v=view, x=x: v(x))
        if not isinstance(target, Exception):
            written = caught(lambda t=target: t.mul_(2))
            found.append((name, written if isinstance(written, Exception) else "written", x._version, x.detach()))
    return found


def writes_to_views_of_leaves_under_no_grad(torch):
    found = []
    for name, view in VIEWS.items():
        x = torch.arange(1.0, 13.0).view(3, 4).requires_grad_()
        target = caught(lambda v=view, x=x: v(x))
        if not isinstance(target, Exception):
            with torch.no_grad():
                written = caught(lambda t=target: t.mul_(2))
            found.append((name, written if isinstance(written, Exception) else "written", x._version, x.detach()))
    return found


def writes_to_views_made_under_no_grad(torch):
    found = []
    for name, view in VIEWS.items():
        x, y = start(torch)
        with torch.no_grad():
            target = caught(lambda v=view, y=y: v(y))
        if not isinstance(target, Exception):
            found.append((name, verdict(torch, x, y, target, lambda t: t.mul_(2))))
    return found


def writes_to_plain_views_that_bring_gradients(torch):
    found = []
    for name, view in VIEWS.items():
        base, value = torch.arange(1.0, 13.0).view(3, 4), torch.tensor(2.0, requires_grad=True)
        target = caught(lambda v=view, b=base: v(b))
        if not isinstance(target, Exception):
            written = caught(lambda t=target, v=value: t.mul_(v))
            gradient = caught(lambda b=base, v=value: torch.autograd.grad(b.sum(), v))
            error = written if isinstance(written, Exception) else None
            found.append((name, error, base.detach(), base.requires_grad, gradient))
    return found


def views_read_after_a_write_to_the_base(torch):
    found = []
    for name, view in VIEWS.items():
        x, y = start(torch)
        target = caught(lambda v=view, y=y: v(y))
        if not isinstance(target, Exception):
            y.mul_(3)
            grad = caught(lambda t=target, x=x: torch.autograd.grad(t.sum(), x))
            found.append((name, target.detach(), target.requires_grad, grad))
    return found


def views_read_after_a_write_to_another_view(torch):
    found = []
    for name, view in VIEWS.items():
        x, y = start(torch)
        target = caught(lambda v=view, y=y: v(y))
        if not isinstance(target, Exception):
            y.view(12)[::5].mul_(3)
            grad = caught(lambda t=target, x=x: torch.autograd.grad(t.sum(), x))
            found.append((name, target.detach(), target.requires_grad, grad))
    return found


def versions_of_data_and_detach(torch):
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    y.data.mul_(2)
    first = y._version
    y.detach().mul_(2)
    second = y._version
    with torch.no_grad():
        y.mul_(2)
    return first, second, y._version, y.detach()._version, y.data._version, y[:1]._version


def version_after_assigning_data(torch):
    x = torch.ones(3)
    x.add_(1)
    x.data = torch.zeros(3)
    return x._version, x


def out_arguments_raise_the_version(torch):
    x = torch.zeros(2)
    torch.add(torch.ones(2), 1, out=x)
    return x, x._version


def numpy_writes_are_not_seen(torch):
    x = torch.zeros(2)
    x.numpy()[0] = 5
    return x, x._version


def error_of_a_saved_result(torch):
    x, y = start(torch)
    z = y.exp()
    z[0].zero_()
    return caught(lambda: z.sum().backward())


def error_of_a_saved_view(torch):
    x, y = start(torch)
    v = y[1:]
    z = v * v
    y.zero_()
    return caught(lambda: z.sum().backward())


def error_of_saved_values_of_several_writes(torch):
    x, y = start(torch)
    z = y * y
    for _ in range(4):
        y[0].add_(1)
    return caught(lambda: z.sum().backward())


def error_of_a_leaf_written_under_no_grad(torch):
    w = torch.ones(2, requires_grad=True)
    z = (w * w).sum()
    with torch.no_grad():
        w.add_(1)
    return caught(z.backward)


def error_of_an_integer_index_written(torch):
    x = torch.ones(3, requires_grad=True)
    index = torch.tensor([0, 1])
    y = x[index]
    index.zero_()
    return caught(lambda: y.sum().backward())


def writes_in_a_loop_through_views(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.zeros(4, 2)
    for at in range(4):
        y[at] = x * (at + 1)
        y[at, 0] *= 2
    (y * y).sum().backward()
    return y, x.grad


def views_of_views_written(torch):
    x, y = start(torch)
    a = y[1:]
    b = a.t()
    c = b[2:]
    c.mul_(10)
    a[0].add_(1)
    b[0].zero_()
    return y, a, b, c, torch.autograd.grad((y * y).sum() + c.sum(), x)


def write_of_itself(torch):
    x, y = start(torch)
    y[1:] = y[:-1].clone()
    y[0] = y[2] * 2
    return y, torch.autograd.grad(y.sum(), x)


def write_of_an_overlapping_view(torch):
    x, y = start(torch)
    return caught(lambda: y.view(-1)[1:].copy_(y.view(-1)[:-1])), y


def swap_by_writes(torch):
    x, y = start(torch)
    y[[0, 1]] = y[[1, 0]]
    return y, torch.autograd.grad((y * torch.arange(12.0).view(3, 4)).sum(), x)


def complex_views_written(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    w = z * 1
    w.real.mul_(2)
    w.imag.add_(1)
    torch.view_as_real(w)[0] = 5.0
    return w, torch.autograd.grad(w.abs().sum(), z), chain(w)[0]


def diagonal_written(torch):
    x, y = start(torch)
    y.diagonal().mul_(10)
    y.diagonal(1).zero_()
    return y, torch.autograd.grad(y.square().sum(), x)


def requires_grad_of_a_written_base(torch):
    base, value = torch.zeros(4), torch.ones(2, requires_grad=True)
    other = base[2:]
    base[:2] = value
    return base.requires_grad, other.requires_grad, node_name(base), caught(lambda: base.requires_grad_(False))


def set_requires_grad_of_a_view(torch):
    base = torch.zeros(4)
    view = base[:2]
    view.requires_grad_()
    return view.is_leaf, base.requires_grad, caught(lambda: view.mul_(2)), caught(lambda: base.mul_(2))


def leaf_that_is_a_view_of_a_plain_tensor(torch):
    base = torch.zeros(4)
    view = base[:2].requires_grad_()
    loss = (view * 3).sum()
    base.add_(1)
    loss.backward()
    return view, view.grad, view._version


def detached_then_required(torch):
    x, y = start(torch)
    leaf = y.detach().requires_grad_()
    return caught(lambda: leaf.mul_(2)), leaf.is_leaf


def augmented_assignment_of_attributes(torch):
    class Holder:
        pass

    holder, x = Holder(), torch.ones(2, requires_grad=True)
    holder.y = x * 1
    holder.y *= 3
    holder.y[0] += 1
    return holder.y, torch.autograd.grad(holder.y.sum(), x)


def deepcopy_of_a_written_leaf(torch):
    import copy

    x = torch.ones(2)
    x.add_(1)
    return copy.deepcopy(x)


def freed_histories_of_written_bases(torch):
    found = []
    for write in (lambda y: y.__setitem__(0, 5.0), lambda y: y[1:].add_(1), lambda y: y.add_(1)):
        x = torch.ones(3, requires_grad=True)
        y = x.clone()
        write(y)
        y.sum().backward()
        found.append((caught(lambda y=y: y.sum().backward()), x.grad))
    return found


def views_of_views_of_functions(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    x, y = start(torch)
    z = Same.apply(y)
    return [caught(lambda t=t: t.mul_(2)) for t in (z, z[0], z.unbind(0)[0], z.unbind(0)[0][:1], z.t().split(1)[0])]

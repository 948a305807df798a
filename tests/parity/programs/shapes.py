"""Views and shapes: sizes, strides, sharing of memory, gradients, errors."""

# ruff: noqa: RUF005 - programs are written as torch's users write them

from __future__ import annotations

from tests.parity.programs.common import caught, chain


def cube(torch):
    return torch.arange(24.0).reshape(2, 3, 4).requires_grad_()


def shaped(torch, function):
    """The result, its strides and offset, whether it shares memory, and the gradient."""
    x = cube(torch)
    y = function(x)
    weights = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
    shares = y.storage_offset() if y._base is not None else None
    return y, y.stride(), shares, y._is_view(), y.is_contiguous(), torch.autograd.grad(y, x, weights), y.grad_fn.name()


def view(torch):
    return (
        shaped(torch, lambda x: x.view(6, 4)),
        shaped(torch, lambda x: x.view(-1)),
        shaped(torch, lambda x: x.view((4, -1))),
    )


def view_with_dtype(torch):
    return torch.tensor([1.0]).view(torch.int32)


def view_of_wrong_size(torch):
    return torch.ones(2, 3).view(4)


def view_with_two_unknowns(torch):
    return torch.ones(2, 3).view(-1, -1)


def view_of_transposed_is_refused(torch):
    return torch.ones(2, 3).t().view(6)


def view_of_transposed_that_fits(torch):
    return torch.ones(2, 3, 4).transpose(0, 1).view(3, 2, 2, 2).stride()


def view_of_empty(torch):
    return torch.zeros(0, 3).view(3, 0), caught(lambda: torch.zeros(0, 3).view(-1, 0)), torch.zeros(0).view(0, -1 + 4)


def reshape(torch):
    return shaped(torch, lambda x: x.reshape(4, 6)), shaped(torch, lambda x: x.transpose(0, 1).reshape(6, 4))


def reshape_of_wrong_size(torch):
    return torch.ones(2, 3).reshape(4)


def reshape_to_0_dim(torch):
    return torch.ones(1).reshape(()), torch.ones(1, 1).reshape([])


def expand(torch):
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    y = x.expand(2, 3)
    return y, y.stride(), x.expand(3, -1, 2), torch.autograd.grad(y.sum(), x)


def expand_wrong(torch):
    x = torch.ones(2, 1)
    return caught(lambda: x.expand(3, 3)), caught(lambda: x.expand(2)), caught(lambda: x.expand(-1, 2, 1))


def expand_as(torch):
    return torch.ones(3, 1).expand_as(torch.ones(2, 3, 4)).stride()


def permute(torch):
    return shaped(torch, lambda x: x.permute(2, 0, 1)), shaped(torch, lambda x: x.permute((0, -1, 1)))


def permute_wrong(torch):
    x = torch.ones(2, 3)
    return caught(lambda: x.permute(0)), caught(lambda: x.permute(0, 0)), caught(lambda: x.permute(0, 2))


def transpose(torch):
    return shaped(torch, lambda x: x.transpose(0, 2)), shaped(torch, lambda x: x.transpose(-1, -2))


def transpose_out_of_range(torch):
    return torch.ones(2, 3).transpose(0, 2)


def t_of_each_rank(torch):
    return torch.tensor(1.0).t(), torch.ones(2).t(), torch.ones(2, 3).t(), caught(lambda: torch.ones(2, 3, 4).t())


def capital_t(torch):
    return torch.ones(2, 3).T.shape, torch.ones(2, 3, 4).mT.shape


def squeeze(torch):
    x = torch.ones(1, 2, 1, requires_grad=True)
    return x.squeeze(), x.squeeze(0), x.squeeze(1), x.squeeze(-1), x.squeeze((0, 2)), chain(x.squeeze(0))


def squeeze_out_of_range(torch):
    return torch.ones(2).squeeze(1)


def unsqueeze(torch):
    return (
        shaped(torch, lambda x: x.unsqueeze(0)),
        shaped(torch, lambda x: x.unsqueeze(-1)),
        torch.tensor(1.0).unsqueeze(0),
    )


def unsqueeze_out_of_range(torch):
    return torch.ones(2).unsqueeze(2)


def flatten(torch):
    return shaped(torch, lambda x: x.flatten()), shaped(torch, lambda x: x.flatten(1)), torch.tensor(1.0).flatten()


def flatten_wrong(torch):
    return torch.ones(2, 3, 4).flatten(2, 1)


def unflatten(torch):
    return shaped(torch, lambda x: x.unflatten(2, (2, -1))), caught(lambda: torch.ones(4).unflatten(0, (3, 2)))


def narrow(torch):
    return shaped(torch, lambda x: x.narrow(2, 1, 2)), shaped(torch, lambda x: x.narrow(0, -1, 1))


def narrow_wrong(torch):
    x = torch.ones(3)
    return caught(lambda: x.narrow(0, 2, 2)), caught(lambda: x.narrow(1, 0, 1)), caught(lambda: x.narrow(0, 0, -1))


def select(torch):
    return shaped(torch, lambda x: x.select(1, 2)), shaped(torch, lambda x: x.select(-1, -1))


def select_out_of_range(torch):
    return torch.ones(2, 3).select(1, 3)


def split(torch):
    x = cube(torch)
    parts = x.split(2, dim=1)
    return parts, [part.stride() for part in parts], torch.autograd.grad(parts[1].sum() * 2 + parts[0].sum(), x)


def split_sizes(torch):
    return torch.arange(6).split([1, 2, 3]), caught(lambda: torch.arange(6).split([1, 2])), torch.arange(5).split(5)


def chunk(torch):
    return torch.arange(7).chunk(3), torch.arange(4).chunk(6), caught(lambda: torch.arange(4).chunk(0))


def unbind(torch):
    x = cube(torch)
    first, second = x.unbind(0)
    return second, second.storage_offset(), torch.autograd.grad(second.sum(), x), first.grad_fn.name()


def cat(torch):
    x, y = torch.ones(2, 2, requires_grad=True), torch.zeros(1, 2, requires_grad=True)
    z = torch.cat([x, y])
    return z, torch.autograd.grad((z * torch.arange(6.0).reshape(3, 2)).sum(), (x, y)), chain(z)


def cat_wrong(torch):
    x = torch.ones(2, 2)
    return (
        caught(lambda: torch.cat([])),
        caught(lambda: torch.cat([x, torch.ones(2, 3)])),
        caught(lambda: torch.cat([x], 2)),
        caught(lambda: torch.cat([x, torch.ones(2)])),
        caught(lambda: torch.cat(x)),
        caught(lambda: torch.cat([x, 1])),
    )


def cat_skips_empty_vectors(torch):
    return torch.cat([torch.zeros(0), torch.ones(2, 2)])


def stack(torch):
    x, y = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    z = torch.stack([x, y], dim=1)
    return z, torch.autograd.grad((z * torch.arange(4.0).reshape(2, 2)).sum(), (x, y)), chain(z)


def stack_wrong(torch):
    return caught(lambda: torch.stack([])), caught(lambda: torch.stack([torch.ones(2), torch.ones(3)]))


def views_of_views_have_one_base(torch):
    x = cube(torch)
    y = x.view(6, 4)[1:][:, 2]
    return y._base is x, y.storage_offset(), y.stride(), chain(y)


def detach_is_a_view_without_history(torch):
    x = cube(torch)
    y = x.detach()
    return y.requires_grad, y._is_view(), y.grad_fn, y.data_ptr() == x.data_ptr()


def contiguous(torch):
    x = cube(torch)
    y = x.transpose(0, 1).contiguous()
    return y, y.stride(), x.contiguous() is x, y.grad_fn.name()


def clone(torch):
    x = cube(torch)
    y = x.clone()
    return y, y._is_view(), y.grad_fn.name(), torch.autograd.grad(y.sum(), x)


def clone_keeps_strides(torch):
    return torch.ones(2, 3).t().clone().stride(), torch.ones(2, 1).expand(2, 3).clone().stride()


def result_strides_of_transposed(torch):
    x = torch.ones(2, 3).t()
    return (x + x).stride(), x.exp().stride(), (x + torch.ones(3, 2)).stride(), torch.zeros_like(x).stride()


def diagonal(torch):
    return shaped(torch, lambda x: x.diagonal()), shaped(torch, lambda x: x.diagonal(1, 1, 2))


def movedim_and_swap(torch):
    x = torch.ones(2, 3, 4)
    return x.movedim(0, 2).shape, x.movedim((0, 1), (1, 0)).shape, x.swapaxes(0, 1).shape


def flip_and_roll(torch):
    x = torch.arange(6).reshape(2, 3)
    return x.flip(0), x.flip((0, 1)), x.roll(1), x.roll(1, 1), x.roll((1, 1), (0, 1))


def repeat_and_tile(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return (
        x.repeat(2, 2),
        torch.autograd.grad(x.repeat(2, 2).sum(), x),
        x.tile(2),
        caught(lambda: torch.ones(2, 2).repeat(2)),
    )


def broadcast_to_and_tensors(torch):
    return torch.ones(3).broadcast_to(2, 3).stride(), [
        t.shape for t in torch.broadcast_tensors(torch.ones(2, 1), torch.ones(3))
    ]


def triangles(torch):
    x = torch.arange(9.0).reshape(3, 3).requires_grad_()
    return x.tril(), x.triu(1), torch.autograd.grad(x.tril(-1).sum(), x)


def view_as_and_reshape_as(torch):
    return torch.ones(6).view_as(torch.ones(2, 3)), torch.ones(6).reshape_as(torch.ones(3, 2)).shape


def shape_attributes(torch):
    x = torch.ones(2, 3)
    return x.shape, x.size(), x.size(0), x.size(-1), x.ndim, x.dim(), x.numel(), x.nelement(), x.stride(), x.stride(0)


def size_out_of_range(torch):
    return torch.ones(2, 3).size(2)


def size_is_a_tuple(torch):
    s = torch.ones(2, 3).shape
    return s == (2, 3), s + (4,), s[0], s[1:], s.numel(), repr(s), isinstance(s, tuple), len(s)

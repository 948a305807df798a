"""Reading and writing by index: basic, advanced, masks, gradients, errors."""

from __future__ import annotations

from tests.parity.programs.common import caught


def grid(torch):
    return torch.arange(12.0).reshape(3, 4).requires_grad_()


def read(torch, index):
    """What an index gives: values, strides, whether it is a view, gradient, name."""
    x = grid(torch)
    y = x[index]
    weights = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
    name = None if y.grad_fn is None else y.grad_fn.name()
    return y, y._is_view(), torch.autograd.grad(y, x, weights), name


def integers_and_slices(torch):
    return [
        read(torch, i)
        for i in (0, -1, slice(1, 3), slice(None, None, 2), (0, 1), (slice(None), 1), (1, slice(1, None)))
    ]


def ellipsis_and_none(torch):
    return [read(torch, i) for i in (Ellipsis, (Ellipsis, 0), None, (None, 1), (slice(None), None), (Ellipsis, None))]


def empty_slices(torch):
    return [read(torch, i) for i in (slice(0, 0), slice(5, 9), (slice(None), slice(3, 1)))]


def negative_step_is_refused(torch):
    return torch.arange(4)[::-1]


def integer_out_of_range(torch):
    return caught(lambda: torch.ones(3)[3]), caught(lambda: torch.ones(3, 2)[0, -3])


def too_many_indices(torch):
    return caught(lambda: torch.ones(3)[0, 0]), caught(lambda: torch.tensor(1.0)[0])


def index_of_wrong_type(torch):
    return caught(lambda: torch.ones(3)["a"]), caught(lambda: torch.ones(3)[1.5])


def list_index(torch):
    return read(torch, [0, 2]), read(torch, ([0, 2], [1, 1])), read(torch, (slice(None), [3, 0]))


def tensor_index(torch):
    return [read(torch, torch.tensor(i)) for i in ([0, 2], [[0, 1], [2, 0]], [-1], 1)]


def repeated_index_adds_gradients(torch):
    return read(torch, torch.tensor([1, 1, 1]))


def index_out_of_range(torch):
    return caught(lambda: torch.ones(3)[torch.tensor([3])]), caught(lambda: torch.ones(3)[torch.tensor([-4])])


def float_tensor_index_is_refused(torch):
    return torch.ones(3)[torch.tensor([1.0])]


def mask_index(torch):
    return read(torch, torch.tensor([True, False, True])), read(torch, torch.arange(12).reshape(3, 4) % 2 == 0)


def mask_of_wrong_shape(torch):
    return torch.ones(3)[torch.tensor([True, False])]


def mask_with_an_integer(torch):
    return read(torch, (torch.tensor([True, False, True]), 1)), read(
        torch, (slice(1, 3), torch.tensor([True, False, True, True]))
    )


def bool_index(torch):
    return torch.ones(2)[True], torch.ones(2)[False].shape, torch.tensor(3.0)[True]


def index_broadcast(torch):
    return read(torch, (torch.tensor([[0], [2]]), torch.tensor([1, 3])))


def index_broadcast_fails(torch):
    return torch.ones(3, 4)[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]


def advanced_around_a_slice(torch):
    x = torch.arange(24).reshape(2, 3, 4)
    return (
        x[torch.tensor([0, 1]), :, torch.tensor([1, 2])],
        x[:, torch.tensor([0, 2]), 1:3],
        x[0, :, torch.tensor([1, 2])],
    )


def advanced_with_none(torch):
    return torch.arange(6).reshape(2, 3)[None, torch.tensor([1])].shape, torch.arange(6).reshape(2, 3)[
        :, None, [0, 1]
    ].shape


def empty_index(torch):
    return torch.ones(3, 2)[torch.tensor([], dtype=torch.int64)], torch.ones(3, 2)[[]].shape


def numpy_index(torch):
    import numpy as np

    return torch.arange(4)[np.array([0, 2])], torch.arange(4)[np.int64(1)]


def write_number(torch):
    x = torch.zeros(2, 3)
    x[0, 1] = 5
    x[1] = 2.5
    x[:, 2] = -1
    return x, x._version


def write_tensor(torch):
    x = torch.zeros(2, 3)
    x[0] = torch.tensor([1.0, 2.0, 3.0])
    x[:, 0] = torch.tensor([7, 8])
    return x


def write_broadcasts(torch):
    x = torch.zeros(2, 3)
    x[:] = torch.tensor([1.0, 2.0, 3.0])
    x[0:1] = torch.ones(1, 1)
    return x


def write_wrong_shape(torch):
    x = torch.zeros(2, 3)
    error = caught(lambda: x.__setitem__(0, torch.ones(2)))
    return error, x, x._version


def write_out_of_range(torch):
    torch.zeros(3)[5] = 1


def write_by_mask(torch):
    x = torch.arange(4.0)
    x[x > 1] = 0
    x[torch.tensor([True, False, False, True])] = torch.tensor([8.0, 9.0])
    return x


def write_by_mask_wrong_count(torch):
    x = torch.arange(4.0)
    x[x > 0] = torch.tensor([1.0, 2.0])
    return x


def write_by_index(torch):
    x = torch.zeros(4)
    x[torch.tensor([0, 2])] = torch.tensor([1.0, 2.0])
    x[[1, 3]] = 5
    return x


def write_keeps_dtype(torch):
    x = torch.zeros(2, dtype=torch.int64)
    x[0] = 2.7
    x[1] = torch.tensor(3.9)
    return x


def write_is_recorded(torch):
    x = torch.ones(2, 3, requires_grad=True)
    value = torch.tensor([5.0, 6.0], requires_grad=True)
    y = x * 2
    y[:, 1] = value
    y.square().sum().backward()
    return y, x.grad, value.grad


def write_by_mask_is_recorded(torch):
    x = torch.arange(4.0, requires_grad=True)
    y = x * 1
    y[y > 1] = 0
    y.square().sum().backward()
    return y, x.grad


def write_by_index_is_recorded(torch):
    x = torch.arange(4.0, requires_grad=True)
    value = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y[torch.tensor([3, 1])] = value
    (y * torch.arange(4.0)).sum().backward()
    return y, x.grad, value.grad, y.grad_fn.name()


def write_to_a_leaf_is_refused(torch):
    x = torch.zeros(3, requires_grad=True)
    return caught(lambda: x.__setitem__(0, 1.0)), x, x._version


def gather(torch):
    x, index = grid(torch), torch.tensor([[0, 0], [1, 3]])
    y = x.gather(1, index)
    return y, torch.autograd.grad(y.sum(), x), torch.gather(x.detach(), 0, index.clamp(max=2))


def gather_wrong(torch):
    x = torch.ones(2, 3)
    return (
        caught(lambda: x.gather(1, torch.tensor([0]))),
        caught(lambda: x.gather(1, torch.tensor([[3]]))),
        caught(lambda: x.gather(0, torch.tensor([[0.0]]))),
        caught(lambda: x.gather(2, torch.tensor([[0]]))),
    )


def index_select(torch):
    x, index = grid(torch), torch.tensor([2, 0, 2])
    return x.index_select(0, index), torch.autograd.grad(x.index_select(0, index).sum(), x), x.index_select(1, index)


def index_select_wrong(torch):
    x = torch.ones(2, 3)
    return caught(lambda: x.index_select(0, torch.tensor([2]))), caught(lambda: x.index_select(0, torch.tensor([[0]])))


def index_add(torch):
    x, source = torch.ones(3, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    y = x.index_add(0, torch.tensor([0, 0]), source, alpha=2)
    return y, torch.autograd.grad((y * torch.arange(6.0).reshape(3, 2)).sum(), (x, source))


def scatter_add(torch):
    x, source = torch.zeros(3, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    y = x.scatter_add(0, torch.tensor([[0, 1], [0, 2]]), source)
    return y, torch.autograd.grad((y * torch.arange(6.0).reshape(3, 2)).sum(), (x, source))


def scatter_values(torch):
    x = torch.zeros(2, 3)
    return x.scatter(1, torch.tensor([[0], [2]]), 5.0), x.scatter(1, torch.tensor([[0], [2]]), torch.ones(2, 1))


def masked_fill(torch):
    x = grid(torch)
    y = x.masked_fill(x > 5, -1.0)
    return y, torch.autograd.grad(y.square().sum(), x), caught(lambda: x.masked_fill(torch.ones(4), 0))


def masked_fill_with_tensor(torch):
    x, value = grid(torch), torch.tensor(2.0, requires_grad=True)
    y = x.masked_fill(torch.tensor([True, False, False, True]), value)
    return y, torch.autograd.grad(y.sum(), (x, value)), caught(lambda: x.masked_fill(x > 0, torch.ones(2)))


def masked_select_and_nonzero(torch):
    x = torch.arange(6).reshape(2, 3)
    return x.masked_select(x > 2), x.nonzero(), torch.nonzero(x, as_tuple=True)


def take_along_dim_and_take(torch):
    x = torch.tensor([[3, 1, 2], [1, 3, 2]])
    return torch.take_along_dim(x, torch.tensor([[1, 2, 0], [0, 2, 1]]), 1), torch.take(x, torch.tensor([0, 5]))


def sort_and_topk(torch):
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, indices = x.sort(descending=True)
    return values, indices, torch.autograd.grad(values[0], x), x.topk(2), x.argsort()


def embedding(torch):
    weight = torch.arange(6.0).reshape(3, 2).requires_grad_()
    y = torch.nn.functional.embedding(torch.tensor([[0, 2], [2, 2]]), weight)
    return y, torch.autograd.grad(y.sum(), weight), y.grad_fn.name()


def embedding_padding(torch):
    weight = torch.arange(6.0).reshape(3, 2).requires_grad_()
    y = torch.nn.functional.embedding(torch.tensor([0, 2]), weight, padding_idx=0)
    return y, torch.autograd.grad(y.sum(), weight)


def embedding_out_of_range(torch):
    return torch.nn.functional.embedding(torch.tensor([3]), torch.ones(3, 2))


def one_hot(torch):
    return torch.nn.functional.one_hot(torch.tensor([0, 2]), 4), torch.nn.functional.one_hot(torch.tensor([1, 0]))


def iteration(torch):
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()
    rows = list(x)
    return rows, [row.grad_fn.name() for row in rows], len(x), caught(lambda: list(torch.tensor(1.0)))


def contains(torch):
    return 2 in torch.arange(3), 5 in torch.arange(3)


def tensor_as_index_of_a_list(torch):
    return [10, 20, 30][torch.tensor(1)], caught(lambda: [1, 2][torch.tensor(1.0)])


def dimensions_in_errors(torch):
    x = torch.zeros(3, 2)
    indices = ((0, -3), (5,), (slice(None), 7), (0, 2), (..., 4), (None, 0, 3), (None, slice(None), 3))
    return [caught(lambda index=index: x[index]) for index in indices]

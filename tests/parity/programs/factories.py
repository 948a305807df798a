"""Tensors from data, constants and ranges."""

from __future__ import annotations

from tests.parity.programs.common import caught


def tensor_of_nested_lists(torch):
    return (
        torch.tensor([[1, 2], [3, 4]]),
        torch.tensor([[1.0, 2], [3, 4]]),
        torch.tensor([True, False]),
        torch.tensor([]),
    )


def tensor_of_numbers(torch):
    return torch.tensor(1), torch.tensor(1.5), torch.tensor(True), torch.tensor(1j), torch.tensor(2**40)


def tensor_of_mixed(torch):
    return torch.tensor([1, 2.5, True]), torch.tensor([1, True]), torch.tensor([1, 1j])


def tensor_ragged(torch):
    return torch.tensor([[1, 2], [3]])


def tensor_of_text(torch):
    return torch.tensor("a")


def tensor_of_none(torch):
    return torch.tensor(None)


def tensor_of_numpy(torch):
    import numpy as np

    return torch.tensor(np.arange(3.0)), torch.tensor(np.float32(2)), torch.tensor([np.float64(1), np.float64(2)])


def tensor_of_a_tensor_warns(torch):
    return torch.tensor(torch.ones(2))


def tensor_of_list_of_tensors(torch):
    return torch.tensor([torch.tensor(1.0), torch.tensor(2.0)]), caught(
        lambda: torch.tensor([torch.ones(2), torch.ones(2)])
    )


def tensor_with_options(torch):
    return (
        torch.tensor([1, 2], dtype=torch.float64),
        torch.tensor([1.0], requires_grad=True),
        torch.tensor([1], device="cpu"),
    )


def tensor_on_unknown_device(torch):
    return torch.tensor([1], device="fast")


def tensor_overflow(torch):
    return caught(lambda: torch.tensor([300], dtype=torch.uint8)), caught(lambda: torch.tensor(2**70))


def as_tensor_shares(torch):
    import numpy as np

    x, a = torch.ones(2), np.ones(2, dtype=np.float32)
    t = torch.as_tensor(a)
    a[0] = 5
    return torch.as_tensor(x) is x, t, torch.as_tensor([1, 2]), torch.as_tensor(x, dtype=torch.float64)


def from_numpy_shares(torch):
    import numpy as np

    a = np.arange(6.0).reshape(2, 3)
    t = torch.from_numpy(a.T)
    a[0, 1] = 50
    return t, t.stride(), caught(lambda: torch.from_numpy([1, 2])), caught(lambda: torch.from_numpy(np.array(["a"])))


def zeros_ones_full_empty(torch):
    return (
        torch.zeros(2, 3),
        torch.ones(2),
        torch.ones((2, 1)),
        torch.full((2,), 7),
        torch.full((2,), 1.5),
        torch.empty(2, 0),
    )


def full_infers_dtype(torch):
    return torch.full((1,), True), torch.full((1,), 1), torch.full((1,), 1.0), torch.full((1,), 1j), torch.full((), 3)


def zeros_without_size(torch):
    return caught(lambda: torch.zeros()), torch.zeros(()), torch.zeros([2])


def zeros_of_negative_size(torch):
    return torch.zeros(-1)


def zeros_of_float_size(torch):
    return torch.zeros(1.5)


def zeros_with_requires_grad(torch):
    return torch.zeros(2, requires_grad=True), caught(lambda: torch.zeros(2, dtype=torch.int64, requires_grad=True))


def like_functions(torch):
    x = torch.ones(2, 3, dtype=torch.float64)
    return torch.zeros_like(x), torch.ones_like(x, dtype=torch.int64), torch.full_like(x, 3), torch.empty_like(x).shape


def new_functions(torch):
    x = torch.ones(2, dtype=torch.float64)
    return x.new_zeros(2), x.new_ones((1, 2)), x.new_full((2,), 3), x.new_tensor([1, 2]), x.new_empty(3).shape


def arange_of_integers(torch):
    return torch.arange(5), torch.arange(1, 5), torch.arange(1, 6, 2), torch.arange(5, 0, -2), torch.arange(0)


def arange_of_floats(torch):
    return (
        torch.arange(2.5),
        torch.arange(0, 1, 0.25),
        torch.arange(0.0, 1.0, 0.1),
        torch.arange(3, dtype=torch.float64),
    )


def arange_wrong(torch):
    return (
        caught(lambda: torch.arange(0, 5, -1)),
        caught(lambda: torch.arange(0, 5, 0)),
        caught(lambda: torch.arange(5, 0)),
    )


def linspace(torch):
    return (
        torch.linspace(0, 1, 5),
        torch.linspace(0, 1, 1),
        torch.linspace(1, 0, 3, dtype=torch.float64),
        torch.linspace(0, 10, 0),
    )


def linspace_of_integers(torch):
    return torch.linspace(0, 10, 4, dtype=torch.int64), caught(lambda: torch.linspace(0, 1, -1))


def logspace(torch):
    return torch.logspace(0, 2, 3), torch.logspace(0, 3, 4, base=2)


def eye(torch):
    return (
        torch.eye(2),
        torch.eye(2, 3),
        torch.eye(2, dtype=torch.int64),
        torch.eye(0).shape,
        caught(lambda: torch.eye(-1)),
    )


def rand_shapes(torch):
    x = torch.rand(2, 3)
    return (
        x.shape,
        x.dtype,
        bool((x >= 0).all() and (x < 1).all()),
        torch.randn(2).dtype,
        torch.rand(2, dtype=torch.float64).dtype,
    )


def randint_shapes(torch):
    x = torch.randint(3, 7, (100,))
    return (
        x.dtype,
        bool((x >= 3).all() and (x < 7).all()),
        torch.randint(5, (2, 2)).shape,
        caught(lambda: torch.randint(5, 5, (1,))),
    )


def randperm_is_a_permutation(torch):
    return sorted(torch.randperm(5).tolist()), torch.randperm(0), torch.randperm(3).dtype


def random_refuses_integers(torch):
    return caught(lambda: torch.rand(2, dtype=torch.int64)), caught(lambda: torch.randn(2, dtype=torch.int64))


def seeds_repeat(torch):
    torch.manual_seed(3)
    first = torch.rand(4)
    torch.manual_seed(3)
    return torch.equal(first, torch.rand(4)), torch.initial_seed()


def generators_repeat(torch):
    first = torch.randn(3, generator=torch.Generator().manual_seed(5))
    return torch.equal(first, torch.randn(3, generator=torch.Generator().manual_seed(5)))


def generator_state_returns(torch):
    g = torch.Generator().manual_seed(1)
    state = g.get_state()
    first = torch.rand(2, generator=g)
    g.set_state(state)
    return torch.equal(first, torch.rand(2, generator=g))


def normal_and_bernoulli(torch):
    x = torch.normal(torch.zeros(3), torch.zeros(3))
    return x, torch.bernoulli(torch.tensor([0.0, 1.0])), caught(lambda: torch.bernoulli(torch.tensor([2.0])))


def fill_random_in_place(torch):
    x = torch.empty(100).uniform_(2, 3)
    return bool((x >= 2).all() and (x < 3).all()), torch.empty(2).normal_().shape, torch.empty(3).bernoulli_(1.0)


def tensor_class_constructor(torch):
    return (
        torch.Tensor(2, 3).shape,
        torch.Tensor([1, 2]),
        torch.Tensor().shape,
        torch.FloatTensor([1, 2]),
        torch.LongTensor([1]),
    )


def meshgrid(torch):
    return torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")


def tri_indices_and_diag(torch):
    return torch.diag(torch.tensor([1, 2])), torch.diag(torch.ones(2, 2))


def scalar_tensor(torch):
    return torch.scalar_tensor(3), torch.scalar_tensor(1.5, dtype=torch.float64)


def factories_are_leaves(torch):
    return [
        each.is_leaf for each in (torch.zeros(1), torch.ones(1, requires_grad=True), torch.rand(1), torch.arange(2))
    ]

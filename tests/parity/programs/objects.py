"""Tensors as Python objects: conversions, protocols, copies, pickles."""

from __future__ import annotations

from tests.parity.programs.common import caught


def item(torch):
    return torch.tensor(3).item(), torch.tensor([2.5]).item(), torch.tensor(True).item(), torch.tensor(1j).item()


def item_of_many_is_refused(torch):
    return caught(lambda: torch.ones(2).item()), caught(lambda: torch.zeros(0).item())


def tolist(torch):
    return torch.arange(4).reshape(2, 2).tolist(), torch.tensor(1.5).tolist(), torch.zeros(0, 2).tolist()


def truth(torch):
    return (
        bool(torch.tensor(0)),
        bool(torch.tensor([[1.5]])),
        caught(lambda: bool(torch.ones(2))),
        caught(lambda: bool(torch.ones(0))),
    )


def python_numbers(torch):
    return int(torch.tensor(2.7)), float(torch.tensor(2)), complex(torch.tensor(2.0)), int(torch.tensor([True]))


def python_numbers_refused(torch):
    return (
        caught(lambda: int(torch.ones(2))),
        caught(lambda: float(torch.tensor(1j))),
        caught(lambda: int(torch.tensor(float("nan")))),
    )


def index_protocol(torch):
    return list(range(torch.tensor(3))), caught(lambda: range(torch.tensor(3.0)))


def length(torch):
    return len(torch.ones(3, 2)), caught(lambda: len(torch.tensor(1)))


def hashing(torch):
    x = torch.ones(1)
    return len({x, x, torch.ones(1)}), hash(x) == id(x)


def numpy_shares_memory(torch):
    x = torch.zeros(3)
    a = x.numpy()
    a[0] = 5
    x[1] = 7
    return x, a


def numpy_of_recorded_is_refused(torch):
    x = torch.ones(2, requires_grad=True)
    return caught(lambda: x.numpy()), x.detach().numpy(), x.numpy(force=True)


def numpy_functions_see_values(torch):
    import numpy as np

    x = torch.tensor([1.0, 4.0])
    return np.asarray(x), np.asarray(x, dtype=np.float64), np.array(x).dtype.name


def numpy_array_of_recorded_is_refused(torch):
    import numpy as np

    return np.asarray(torch.ones(2, requires_grad=True))


def dlpack_round_trip(torch):
    import numpy as np

    x = torch.arange(3.0)
    a = np.from_dlpack(x)
    y = torch.from_dlpack(np.arange(4.0))
    return a, y, caught(lambda: np.from_dlpack(torch.ones(1, requires_grad=True)))


def deepcopy_of_a_leaf(torch):
    import copy

    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    y.data[0] = 9
    return x, y, y.grad, y.is_leaf


def deepcopy_of_recorded_is_refused(torch):
    import copy

    return copy.deepcopy(torch.ones(1, requires_grad=True) * 2)


def copy_shares_values(torch):
    import copy

    x = torch.ones(2)
    y = copy.copy(x)
    y[0] = 5
    return x, y


def pickle_round_trip(torch):
    import pickle

    x = torch.arange(3.0, requires_grad=True)
    y = pickle.loads(pickle.dumps(x))
    return y, y.requires_grad, y.dtype, pickle.loads(pickle.dumps(torch.float64)) is torch.float64


def pickle_of_transposed_keeps_strides(torch):
    import pickle

    return pickle.loads(pickle.dumps(torch.ones(2, 3).t())).stride()


def attributes(torch):
    x = torch.ones(2, 3, dtype=torch.float64)
    return (
        x.dtype,
        x.device,
        x.is_cuda,
        x.itemsize,
        x.element_size(),
        x.nbytes,
        x.is_floating_point(),
        x.is_complex(),
        x.layout,
    )


def unknown_attribute(torch):
    return torch.ones(1).colour


def own_attribute(torch):
    x = torch.ones(1)
    x.colour = "red"
    return x.colour


def weak_references(torch):
    import weakref

    x = torch.ones(1)
    ref = weakref.ref(x)
    alive = ref() is x
    del x
    return alive, ref()


def is_tensor(torch):
    return torch.is_tensor(torch.ones(1)), torch.is_tensor([1]), isinstance(torch.ones(1), torch.Tensor)


def is_predicates(torch):
    return torch.is_floating_point(torch.ones(1)), torch.is_complex(torch.ones(1)), torch.numel(torch.ones(2, 3))


def subclass_of_tensor(torch):
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Mine)
    return type(x).__name__, isinstance(x, torch.Tensor)


def parameter(torch):
    p = torch.nn.Parameter(torch.ones(2))
    return p, isinstance(p, torch.Tensor), p.requires_grad, p.is_leaf, type(p * 1).__name__, type(p.data).__name__


def parameter_without_gradient(torch):
    p = torch.nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False)
    return p.requires_grad, caught(lambda: torch.nn.Parameter(torch.ones(2, dtype=torch.int64)))


def device_arguments(torch):
    x = torch.ones(1)
    return x.to("cpu") is x, x.cpu() is x, torch.device("cpu"), caught(lambda: torch.device("no such"))


def to_combinations(torch):
    x = torch.ones(2)
    return (
        x.to("cpu", torch.float64),
        x.to(torch.float16),
        x.to(dtype=torch.int64),
        x.to(torch.ones(1, dtype=torch.float64)).dtype,
    )


def to_keeps_layout(torch):
    return torch.ones(2, 3).t().to(torch.float64).stride()


def memory_format_arguments(torch):
    x = torch.ones(2, 3).t()
    return x.clone(memory_format=torch.contiguous_format).stride(), x.clone(
        memory_format=torch.preserve_format
    ).stride()


def storage_facts(torch):
    x = torch.arange(6.0)
    y = x[2:5]
    return (
        y.storage_offset(),
        y.data_ptr() - x.data_ptr(),
        y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(),
    )


def named_tuples(torch):
    values, indices = torch.tensor([[3.0, 1.0]]).max(dim=1)
    result = torch.tensor([[3.0, 1.0]]).max(dim=1)
    return values, indices, result[0], result.values, len(result)


def equality_of_dtypes(torch):
    return (
        torch.float32 == torch.float,
        torch.float32 != torch.float64,
        {torch.float32: 1}[torch.float],
        torch.int64 is torch.long,
    )


def name_of_a_tensor(torch):
    return torch.ones(1).name


def tensor_times_numpy_array(torch):
    import numpy as np

    x = torch.ones(2, dtype=torch.float64)
    return caught(lambda: type(x * np.ones(2)).__name__), caught(lambda: type(np.ones(2) * x).__name__)


def save_and_load(torch):
    import io

    buffer = io.BytesIO()
    torch.save({"a": torch.ones(2), "b": 3}, buffer)
    buffer.seek(0)
    return torch.load(buffer)

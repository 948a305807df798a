"""Printed text: numbers, summaries, grad_fn, options."""

from __future__ import annotations

import math


def print_integers(torch):
    print(torch.tensor([1, 22, -333]), torch.tensor(5), torch.tensor([], dtype=torch.int64))


def print_floats(torch):
    print(torch.tensor([1.0, 2.5, -3.25]), torch.tensor([1.0, 2.0]), torch.tensor(0.1), torch.tensor([]))


def print_scientific(torch):
    print(torch.tensor([1e-8, 1.0]), torch.tensor([1e10, 1.0]), torch.tensor([123456789.0]), torch.tensor(1e-20))


def print_special(torch):
    print(torch.tensor([math.nan, math.inf, -math.inf, 1.5]), torch.tensor([math.inf]), torch.tensor(math.nan))


def print_bool(torch):
    print(torch.tensor([True, False]), torch.tensor(True))


def print_complex(torch):
    print(torch.tensor([1 + 2j, -0.5 - 1j]), torch.tensor(1j))


def print_other_dtypes(torch):
    for name in ("float64", "float16", "int32", "uint8", "complex128", "bool"):
        print(torch.ones(2, dtype=getattr(torch, name)))


def print_matrix(torch):
    print(torch.arange(6).reshape(2, 3))
    print(torch.arange(6.0).reshape(2, 3) / 3)


def print_cube(torch):
    print(torch.arange(12).reshape(2, 3, 2))


def print_empty_shapes(torch):
    print(torch.zeros(0, 3), torch.zeros(2, 0), torch.zeros(0, dtype=torch.int64))


def print_requires_grad(torch):
    print(torch.ones(2, requires_grad=True))


def print_grad_fn(torch):
    x = torch.ones(2, requires_grad=True)
    print(x * 2, (x * 2).sum(), x.view(2, 1), x[0])


def print_double_with_gradient(torch):
    print(torch.ones(2, dtype=torch.float64, requires_grad=True) * 2)


def print_summary(torch):
    print(torch.arange(2000))


def print_summary_of_a_matrix(torch):
    print(torch.arange(4000.0).reshape(40, 100))


def print_wide_row(torch):
    print(torch.arange(60))


def print_large_integers(torch):
    print(torch.tensor([1, 10**12]))


def print_negative_zero(torch):
    print(torch.tensor([0.0, -0.0]))


def print_options(torch):
    torch.set_printoptions(precision=2)
    try:
        print(torch.tensor([math.pi, 1.0]))
    finally:
        torch.set_printoptions(profile="default")


def print_options_sci_mode(torch):
    torch.set_printoptions(sci_mode=True)
    try:
        print(torch.tensor([math.pi, 1.0]))
    finally:
        torch.set_printoptions(profile="default", sci_mode=None)


def print_options_threshold(torch):
    torch.set_printoptions(threshold=5, edgeitems=1)
    try:
        print(torch.arange(10), torch.ones(4, 4))
    finally:
        torch.set_printoptions(profile="default")


def str_and_repr(torch):
    x = torch.tensor([1.5])
    return str(x), repr(x), f"{x}", f"{torch.tensor(1.5)}", f"{torch.tensor(1.5):.3f}"


def format_of_a_vector_is_refused(torch):
    return f"{torch.ones(2):.2f}"


def print_parameter(torch):
    print(torch.nn.Parameter(torch.ones(2)))


def print_size_dtype_device(torch):
    print(torch.ones(2, 3).shape, torch.float32, torch.device("cpu"), torch.ones(1).device, torch.Size([]))


def repr_device(torch):
    return repr(torch.device("cpu")), torch.device("cpu") == torch.device("cpu"), torch.device("cpu").type


def print_list_of_tensors(torch):
    print([torch.tensor(1), torch.tensor([2.0])])


def print_max_result(torch):
    print(torch.tensor([[1.0, 2.0]]).max(1))


def print_no_grad_view(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        print(x.view(2), x * 2)


def print_expanded(torch):
    print(torch.tensor([1.0]).expand(3), torch.ones(2, 3).t())


def print_finfo(torch):
    return (
        torch.finfo(torch.float32).eps,
        torch.finfo(torch.float64).max,
        torch.iinfo(torch.int32).min,
        torch.finfo(torch.float16).tiny,
    )


def print_module(torch):
    nn = torch.nn
    print(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2))))


def print_optimizer(torch):
    print(torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1, momentum=0.9))


def print_state_dict(torch):
    layer = torch.nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.fill_(1)
        layer.bias.fill_(0)
    print(dict(layer.state_dict()))  # ordered dictionaries are shown otherwise from Python 3.12 on

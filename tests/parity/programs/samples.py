"""What torch's own operator samples showed: small differences, each in a program."""

from __future__ import annotations

import warnings


def power_of_negative_integers(torch):
    base = torch.tensor([6, 1, -1, 0, 2])
    return base ** torch.tensor(-3), torch.tensor(-1) ** torch.tensor(-2), 2 ** torch.tensor(-1), base.pow(base - 3)


def power_by_a_negative_number(torch):
    return torch.tensor(2, dtype=torch.int32) ** -1


def power_by_a_negative_number_in_place(torch):
    return torch.tensor([1, 2]).pow_(-2)


def power_of_bytes(torch):
    return torch.tensor([2, 7], dtype=torch.uint8) ** 3


def cholesky_of_a_gradient_with_an_imaginary_diagonal(torch):
    a = torch.tensor([[3.0 + 0j, 1 - 1j], [1 + 1j, 4.0 + 0j]], dtype=torch.complex128, requires_grad=True)
    seed = torch.tensor([[1 + 0.5j, 0.25], [0.5 - 1j, 2 - 1j]], dtype=torch.complex128)
    return [torch.autograd.grad(torch.linalg.cholesky(a, upper=upper), a, seed)[0] for upper in (False, True)]


def products_with_zeros_twice(torch):
    x = torch.tensor([[0.0, 13.0], [0.0, 0.0], [15.0, 19.0]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[2.0, 0.0], [0.0, 5.0], [2.0, 3.0], [2.0, 2.0]], dtype=torch.float64, requires_grad=True)
    with warnings.catch_warnings():  # torch says that the operator may change
        warnings.simplefilter("ignore")
        made = x.index_reduce(0, torch.tensor([0, 1, 2, 0]), y, "prod")
    first = torch.autograd.grad(made, (x, y), torch.ones_like(made), create_graph=True)
    second = torch.autograd.grad(first[0].sum() + first[1].sum(), (x, y))
    return [each.tolist() for each in (*first, *second)]


def norms_of_half_precision(torch):
    x = torch.arange(12.0).reshape(2, 2, 3).half()
    layer, group = torch.native_layer_norm, torch.native_group_norm
    return [
        [each.dtype for each in made]
        for made in (
            layer(x, (3,), None, None, 1e-5),
            layer(x, (3,), torch.ones(3), None, 1e-5),
            group(x, None, None, 2, 2, 3, 1, 1e-5),
            group(x, torch.ones(2), None, 2, 2, 3, 1, 1e-5),
            torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5),
            torch.native_batch_norm(x, None, None, torch.zeros(2), torch.ones(2), False, 0.1, 1e-5),
        )
    ]


def batch_norm_into_tensors(torch):
    x, out = torch.arange(6.0).reshape(3, 2), [torch.empty(0) for _ in range(3)]
    made = torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5, out=tuple(out))
    return out, made[0] is out[0]


def linear_into_a_tensor(torch):
    out = torch.empty(2, 2)
    torch.nn.functional.linear(torch.ones(2, 3), torch.arange(6.0).reshape(2, 3), torch.ones(2), out=out)
    return out


def linear_into_a_tensor_with_gradients(torch):
    return torch.nn.functional.linear(torch.ones(2, 3, requires_grad=True), torch.ones(2, 3), out=torch.empty(2, 2))


def cat_passes_over_empty_vectors(torch):
    x, y = torch.ones(0, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    return torch.autograd.grad(torch.cat([x, y], 1).sum(), (x, y))


def strided_copies(torch):
    x = torch.arange(9.0).reshape(3, 3)
    given = x.clone().requires_grad_()
    made = torch.as_strided_copy(given, (2, 3), (1, 1))
    return (
        torch.as_strided_copy(x.t(), (2, 2), (1, 2), 1),
        torch.as_strided_copy(x[1:], (2, 2), (1, 2)),
        made,
        torch.autograd.grad(made, given, torch.arange(6.0).reshape(2, 3)),
        torch.as_strided_copy(x, (2,), (4,), out=torch.empty(2)),
    )


def strided_copy_outside(torch):
    return torch.as_strided_copy(torch.arange(9.0).reshape(3, 3), (2, 2), (1, 9))


def strided_parts_replaced(torch):
    x = torch.arange(9.0).reshape(3, 3)
    part = torch.ones(2, 2, requires_grad=True)
    made = torch.as_strided_scatter(x, part, (2, 2), (1, 2))
    return (
        made,
        torch.autograd.grad(made, part, x)[0].tolist(),
        torch.as_strided_scatter(x.t(), torch.ones(2, 2), (2, 2), (1, 2)),
        torch.as_strided_scatter(x[1:], torch.tensor([-1, -2]), (2,), (1,)),
        x[1:].as_strided_scatter(torch.full((2,), -1.0), (2,), (1,), 4),
    )


def strided_part_of_another_shape(torch):
    return torch.as_strided_scatter(torch.zeros(3, 3), torch.ones(3), (2, 2), (1, 2))


def strided_part_that_shows_an_element_twice(torch):
    return torch.as_strided_scatter(torch.zeros(3), torch.ones(3), (3,), (0,))


def hashes(torch):
    x = torch.tensor([[1, -2, 3], [4, 5, 6]])
    kinds = (torch.int64, torch.uint8, torch.int8, torch.bool, torch.float16, torch.float32, torch.float64)
    return (
        [torch.hash_tensor(x.to(kind)) for kind in kinds],
        torch.hash_tensor(x, 0),
        x.hash_tensor((0, 1), keepdim=True),
        torch.hash_tensor(torch.zeros(0, 2), 1),
    )


def hash_of_nothing(torch):
    return torch.hash_tensor(torch.zeros(0))


def hash_of_no_rows(torch):
    return torch.hash_tensor(torch.zeros(0, 2), 0)


def hash_of_complex_numbers(torch):
    return torch.hash_tensor(torch.ones(2, dtype=torch.complex64))

"""Matrix products: shapes, gradients, node names, errors."""

from __future__ import annotations

from tests.parity.programs.common import chain


def filled(torch, *shape):
    count = 1
    for length in shape:
        count *= length
    return (torch.arange(float(count), dtype=torch.float64).reshape(shape) / 7 - 0.5).requires_grad_()


def product(torch, function, *shapes):
    leaves = [filled(torch, *shape) for shape in shapes]
    y = function(*leaves)
    return y, torch.autograd.grad((y * y).sum(), leaves), y.grad_fn.name()


def mm(torch):
    return product(torch, torch.mm, (2, 3), (3, 4))


def mv(torch):
    return product(torch, torch.mv, (2, 3), (3,))


def dot(torch):
    return product(torch, torch.dot, (3,), (3,))


def bmm(torch):
    return product(torch, torch.bmm, (2, 2, 3), (2, 3, 2))


def matmul_1d_1d(torch):
    return product(torch, torch.matmul, (3,), (3,))


def matmul_2d_1d(torch):
    return product(torch, torch.matmul, (2, 3), (3,))


def matmul_1d_2d(torch):
    return product(torch, torch.matmul, (2,), (2, 3))


def matmul_2d_2d(torch):
    return product(torch, torch.matmul, (2, 3), (3, 2))


def matmul_3d_2d(torch):
    return product(torch, torch.matmul, (2, 2, 3), (3, 2))


def matmul_2d_3d(torch):
    return product(torch, torch.matmul, (2, 3), (2, 3, 2))


def matmul_3d_1d(torch):
    return product(torch, torch.matmul, (2, 2, 3), (3,))


def matmul_1d_3d(torch):
    return product(torch, torch.matmul, (3,), (2, 3, 2))


def matmul_broadcasts_batches(torch):
    return product(torch, torch.matmul, (2, 1, 2, 3), (3, 3, 2))


def matmul_operator(torch):
    return product(torch, lambda x, y: x @ y, (2, 3), (3, 2))


def addmm(torch):
    return product(torch, lambda b, x, y: torch.addmm(b, x, y, beta=2, alpha=0.5), (2,), (3, 4), (4, 2))


def baddbmm(torch):
    return product(torch, torch.baddbmm, (2, 2, 2), (2, 2, 3), (2, 3, 2))


def outer(torch):
    return product(torch, torch.outer, (2,), (3,))


def linear(torch):
    return product(torch, torch.nn.functional.linear, (2, 3), (4, 3), (4,))


def linear_without_bias(torch):
    return product(torch, torch.nn.functional.linear, (2, 3), (4, 3))


def linear_of_batches(torch):
    return product(torch, torch.nn.functional.linear, (2, 2, 3), (4, 3), (4,))


def linear_of_a_vector(torch):
    return product(torch, torch.nn.functional.linear, (3,), (4, 3), (4,))


def linear_graph(torch):
    x, w, b = filled(torch, 2, 3), filled(torch, 4, 3), filled(torch, 4)
    return chain(torch.nn.functional.linear(x, w, b)), chain(torch.nn.functional.linear(x, w))


def mm_wrong_shapes(torch):
    return torch.mm(torch.ones(2, 3), torch.ones(2, 3))


def mm_of_vectors(torch):
    return torch.mm(torch.ones(3), torch.ones(3, 2))


def mv_wrong_shapes(torch):
    return torch.mv(torch.ones(2, 3), torch.ones(2))


def dot_wrong_shapes(torch):
    return torch.dot(torch.ones(2), torch.ones(3))


def dot_of_matrices(torch):
    return torch.dot(torch.ones(2, 2), torch.ones(2, 2))


def bmm_wrong_batches(torch):
    return torch.bmm(torch.ones(2, 2, 3), torch.ones(3, 3, 2))


def matmul_of_0_dim(torch):
    return torch.matmul(torch.tensor(1.0), torch.ones(2))


def matmul_wrong_vectors(torch):
    return torch.ones(2, 3) @ torch.ones(2)


def linear_wrong_shapes(torch):
    return torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 2))


def addmm_wrong_bias(torch):
    return torch.addmm(torch.ones(3), torch.ones(2, 3), torch.ones(3, 4))


def mm_of_integers(torch):
    return torch.mm(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))


def mm_of_empty(torch):
    return torch.mm(torch.zeros(2, 0), torch.zeros(0, 3)), torch.mm(torch.zeros(0, 2), torch.zeros(2, 3))


def mm_of_complex(torch):
    x = torch.tensor([[1 + 1j, 2j]], dtype=torch.complex128, requires_grad=True)
    y = torch.tensor([[1j], [2 - 1j]], dtype=torch.complex128, requires_grad=True)
    z = x @ y
    return z, torch.autograd.grad(z, (x, y), torch.ones_like(z))


def mm_of_transposed(torch):
    x = filled(torch, 3, 2)
    y = x.t() @ x
    return y, torch.autograd.grad(y.sum(), x), chain(y)


def mm_second_derivative(torch):
    x, y = filled(torch, 2, 3), filled(torch, 3, 2)
    (first,) = torch.autograd.grad((x @ y).square().sum(), x, create_graph=True)
    return torch.autograd.grad(first.sum(), (x, y))


def products_of_mixed_dtypes_are_refused(torch):
    return torch.mm(torch.ones(1, 1), torch.ones(1, 1, dtype=torch.int64))
